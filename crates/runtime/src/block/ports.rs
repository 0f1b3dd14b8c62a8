//! The ports of a pure or sync block, and what the runtime does with all of its inputs or outputs together.

use crate::data::{ItemType, Tag, TagQueue};
use crate::stream::buffer::ScratchReader;
use crate::stream::visit::PortVisitor;

/// The end of an in-place block, whatever its type, and the longest span.
#[doc(hidden)]
pub struct InPlace<'a> {
    pub(crate) end: &'a mut ScratchReader,
    pub(crate) limit: usize,
}

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
    /// How many items were consumed; 0 where there is no input.
    fn consumed(inputs: &Self::Inputs) -> u64;
    /// Whether one of the next `n` items has a tag.
    fn has_tags(inputs: &Self::Inputs, n: usize) -> bool;
    /// Takes the tags of the next `n` items, with the number of their input; without `n`, all of the inputs that have
    /// ended with fewer than `least` items left.
    fn take_tags(inputs: &mut Self::Inputs, n: Option<usize>, least: usize, take: impl FnMut(usize, Tag));
    /// As [`In::move_tags`](crate::In::move_tags), where there is exactly one input; whether there is.
    fn move_tags(inputs: &mut Self::Inputs, n: usize, to: &mut TagQueue) -> bool {
        let _ = (inputs, n, to);
        false
    }
    /// The one input, where the plan has made it an in-place one.
    fn in_place(inputs: &mut Self::Inputs) -> Option<InPlace<'_>>;
    fn visit_inputs(inputs: &mut Self::Inputs, visitor: &mut dyn PortVisitor);

    /// As `available`, for room.
    fn room(outputs: &Self::Outputs, any: bool) -> usize;
    fn is_unwanted(outputs: &Self::Outputs) -> bool;
    fn produce(outputs: &mut Self::Outputs, n: usize);
    /// How many items were produced; 0 where there is no output.
    fn produced(outputs: &Self::Outputs) -> u64;
    fn put_tag(outputs: &mut Self::Outputs, port: usize, tag: Tag);
    /// Puts all tags of a queue on the first output.
    fn put_tags(outputs: &mut Self::Outputs, tags: &mut TagQueue) {
        tags.drain().for_each(|tag| Self::put_tag(outputs, 0, tag));
    }
    fn visit_outputs(outputs: &mut Self::Outputs, visitor: &mut dyn PortVisitor);
    const PORTS: usize;
}
