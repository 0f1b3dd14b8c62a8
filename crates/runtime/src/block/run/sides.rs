//! Both sides of a pure or sync block: its ports, and what is done with all of them. It knows their types and not the block's, so
//! that it is compiled once for all blocks with such ports.

use super::tag_path::TagPath;
use crate::block::ports::Ports;
use crate::block::runnable::{BlockSpec, Level};
use crate::block::shape::LONG_HISTORY;
use crate::block::watcher::Seen;
use crate::block::{Shape, Step};
use crate::data::{ItemType, Ratio};
use crate::stream::buffer::Runner;
use crate::stream::visit::PortVisitor;

/// The ports of a block, and what it is to them.
pub(super) struct Sides<I: Ports, O: Ports> {
    pub inputs: I::Inputs,
    pub outputs: O::Outputs,
    /// The block's, as it was at the start: it keeps it but for the shift.
    pub shape: Shape,
    /// Spans of any length will do: as many items out as in, wherever they lie.
    takes_any: bool,
    /// A call takes so many turns at most: see [`most_turns`].
    most_turns: usize,
    tag_path: TagPath,
    pub calls: u64,
}

/// The items of history that a call looks at, if each turn looks at all of it: a tenth of a second of work, or two.
const LOOKED_AT: usize = 1 << 31;

/// How many turns a call takes at most, so that a filter with very many taps does not keep a graph that is to stop.
fn most_turns(history: usize, align: usize) -> usize {
    if history < LONG_HISTORY || align > 1 { usize::MAX } else { (LOOKED_AT / history).max(1) }
}

impl<I: Ports, O: Ports> Sides<I, O> {
    /// `seen` sees the tags.
    pub fn new(shape: Shape, seen: Seen) -> Self {
        let Shape { ratio, history, align, .. } = shape;
        Sides {
            inputs: I::inputs(history, ratio.decimation, align),
            outputs: O::outputs(ratio.interpolation, align),
            shape,
            takes_any: ratio == Ratio::ONE && align <= 1,
            most_turns: most_turns(history, align),
            tag_path: TagPath::new(ratio, shape.shift, seen),
            calls: 0,
        }
    }

    /// How many times `decimation` items can be taken and `interpolation` items be given now.
    #[inline(always)]
    pub fn turns(&mut self) -> Result<usize, Step> {
        let (taken, given) = match self.takes_any {
            true => (I::available(&self.inputs, true), O::room(&self.outputs, true)),
            false => self.whole_turns(),
        };
        match taken.min(given) {
            0 if taken == 0 => Err(self.without_input()),
            0 => Err(Step::NeedOutput),
            turns => Ok(turns.min(self.most_turns)),
        }
    }

    /// How many times `decimation` items are there, and room for `interpolation` items.
    #[inline(never)]
    fn whole_turns(&self) -> (usize, usize) {
        let (available, room) = (I::available(&self.inputs, false), O::room(&self.outputs, false));
        (available / self.shape.ratio.decimation, room / self.shape.ratio.interpolation)
    }

    /// What is taken and given in so many turns.
    #[inline(always)]
    pub fn taken_and_given(&self, turns: usize) -> (usize, usize) {
        let taken = if I::PORTS == 0 { 0 } else { turns * self.shape.ratio.decimation };
        let given = if O::PORTS == 0 { 0 } else { turns * self.shape.ratio.interpolation };
        (taken, given)
    }

    /// The bytes of an item of the only input and of the only output; 0 where there is none.
    pub fn item_bytes() -> (usize, usize) {
        let size = |item: Option<ItemType>| item.map_or(0, |item| item.size());
        (size(I::single()), size(O::single()))
    }

    /// Whether a segment can bring its items: as many out as in, wherever they lie.
    pub fn passes(&self) -> bool {
        self.takes_any && self.shape.history == 0
    }

    /// How many items it could take now from its stream.
    #[inline]
    pub fn takes(&self) -> usize {
        I::available(&self.inputs, true).min(O::limit(&self.outputs))
    }

    /// How many items it could give now to its stream.
    #[inline]
    pub fn gives(&self) -> usize {
        if O::is_unwanted(&self.outputs) { 0 } else { O::room(&self.outputs, true) }
    }

    /// What is taken and given of a stream that has ended within a turn, or that nothing can be.
    #[inline(never)]
    pub fn rest(&mut self) -> Result<(usize, usize), Step> {
        let rest = I::available(&self.inputs, true);
        let given = self.shape.ratio.given_of_rest(rest);
        match rest {
            0 => Err(Step::Done),
            _ if O::room(&self.outputs, true) < given => Err(Step::NeedOutput),
            rest => Ok((rest, given)),
        }
    }

    /// Says that nothing can be taken, and hands on the tags that an ended input has left.
    #[inline(never)]
    pub fn without_input(&mut self) -> Step {
        if !I::ends_before(&self.inputs, self.shape.ratio.decimation) {
            return Step::NeedInput;
        }
        self.propagate_tags(None);
        Step::Done
    }

    /// Hands on the tags of the next `n` items; without `n`, what an ended input has left.
    #[inline(never)]
    pub fn propagate_tags(&mut self, n: Option<usize>) {
        let (inputs, outputs) = (I::read_ends(&mut self.inputs), O::write_ends(&mut self.outputs));
        self.tag_path.hand_on(n, (self.shape.tags, self.shape.delay), inputs, outputs);
    }

    /// The next item that is taken, or given where none is taken, and how many a turn has.
    #[inline(never)]
    pub fn position(&self) -> (u64, usize) {
        match I::PORTS {
            0 => (O::produced(&self.outputs), self.shape.ratio.interpolation),
            _ => (I::consumed(&self.inputs), self.shape.ratio.decimation),
        }
    }

    /// Says the centre behind the block anew, where a parameter has moved it.
    #[inline(never)]
    pub fn say_shift(&mut self, shift: Option<f64>) {
        let index = O::produced(&self.outputs);
        self.tag_path.say_shift(shift, index, O::write_ends(&mut self.outputs));
    }

    /// What plans know of a block of that level; `in_place`: it can work so where its ports allow it.
    #[inline(never)]
    pub fn spec(&self, level: Level, in_place: bool) -> BlockSpec {
        let Shape { ratio, history, .. } = self.shape;
        let types_match = I::single().is_some() && I::single() == O::single();
        let in_place = in_place && types_match && ratio == Ratio::ONE && history == 0;
        BlockSpec { level, ratio: Some(ratio), in_place, blocking: false }
    }

    /// Shows the ports, and between inputs and outputs what `parameters` shows.
    #[inline(never)]
    pub fn visit(&mut self, parameters: &mut dyn FnMut(&mut dyn PortVisitor), visitor: &mut dyn PortVisitor) {
        // Whatever block of a user builds or changes a graph in its own work.
        let _as_runtime = Runner::RUNTIME.enter();
        I::visit_inputs(&mut self.inputs, visitor);
        parameters(visitor);
        O::visit_outputs(&mut self.outputs, visitor);
    }

    /// Says with which items the ports begin; that of the first input, or of the first output where there is no input.
    #[inline(never)]
    pub fn set_base(&mut self, inputs: &[u64], outputs: &[u64]) -> u64 {
        self.tag_path.set_base(inputs, outputs);
        let first = if I::PORTS == 0 { outputs } else { inputs };
        first.first().copied().unwrap_or(0)
    }
}
