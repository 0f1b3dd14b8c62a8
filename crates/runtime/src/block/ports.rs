//! The ports of a pure or sync block, and what the runtime does with all of its inputs or outputs together.

use crate::data::ItemType;
use crate::stream::buffer::{ReadEnd, ScratchReader, WriteEnd};
use crate::stream::visit::PortVisitor;

/// The end of an in-place block, whatever its type, and the longest span.
#[doc(hidden)]
pub struct InPlace<'a> {
    pub(crate) end: &'a mut ScratchReader,
    pub(crate) limit: usize,
}

/// The ends of a block's ports on one side, without their types; there are four ports at most.
pub(crate) type Ends<'a, E> = [Option<&'a mut E>; 4];

/// The ends of a block's inputs.
#[doc(hidden)]
pub struct ReadEnds<'a>(pub(crate) Ends<'a, ReadEnd>);

/// The ends of a block's outputs.
#[doc(hidden)]
pub struct WriteEnds<'a>(pub(crate) Ends<'a, WriteEnd>);

/// The ports behind a [`Streams`](super::streams::Streams), and what the runtime does with all of them together.
pub trait Ports {
    type Inputs: Send;
    type Outputs: Send;

    fn inputs(history: usize, decimation: usize, align: usize) -> Self::Inputs;
    fn outputs(interpolation: usize, align: usize) -> Self::Outputs;

    /// The item type, where there is exactly one port.
    fn single() -> Option<ItemType>;
    /// Looks for more items, and says how many there are; whole spans only, unless any will do.
    fn available(inputs: &Self::Inputs, any: bool) -> usize;
    fn ends_before(inputs: &Self::Inputs, n: usize) -> bool;
    fn consume(inputs: &mut Self::Inputs, n: usize);
    /// Goes past items that a segment has brought to the block.
    fn inputs_go_past(inputs: &mut Self::Inputs, n: usize);
    /// How many items were consumed; 0 where there is no input.
    fn consumed(inputs: &Self::Inputs) -> u64;
    /// Whether one of the next `n` items has a tag.
    fn has_tags(inputs: &Self::Inputs, n: usize) -> bool;
    /// The ends of the inputs, for those who do not know their types.
    fn read_ends(inputs: &mut Self::Inputs) -> ReadEnds<'_>;
    /// The one input, where the plan has made it an in-place one.
    fn in_place(inputs: &mut Self::Inputs) -> Option<InPlace<'_>>;
    fn visit_inputs(inputs: &mut Self::Inputs, visitor: &mut dyn PortVisitor);

    /// As `available`, for room.
    fn room(outputs: &Self::Outputs, any: bool) -> usize;
    fn is_unwanted(outputs: &Self::Outputs) -> bool;
    fn produce(outputs: &mut Self::Outputs, n: usize);
    /// Goes past items that a segment takes from the block.
    fn outputs_go_past(outputs: &mut Self::Outputs, n: usize);
    /// The longest span.
    fn limit(outputs: &Self::Outputs) -> usize;
    /// How many items were produced; 0 where there is no output.
    fn produced(outputs: &Self::Outputs) -> u64;
    /// As `read_ends`, of the outputs.
    fn write_ends(outputs: &mut Self::Outputs) -> WriteEnds<'_>;
    fn visit_outputs(outputs: &mut Self::Outputs, visitor: &mut dyn PortVisitor);
    const PORTS: usize;
}
