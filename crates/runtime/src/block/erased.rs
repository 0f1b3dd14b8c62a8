//! Pure and sync blocks without their types, and what a chain knows of them: their shape.

use std::sync::Arc;

use super::streams::Streams;
use super::watcher::Seen;
use super::{Pure, Shape};
use crate::data::{Base, BlockError, ItemType, Ratio, Tag, TagPolicy};

/// What a chain knows of one of its blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkShape {
    pub ratio: Ratio,
    pub history: usize,
    pub delay: u64,
    pub tags: TagPolicy,
    /// Bytes of an input item; 0 for a block without input.
    pub in_bytes: usize,
    /// Bytes of an output item; 0 for a block without output.
    pub out_bytes: usize,
    pub in_place: bool,
    /// Its calls must come in the order of the items.
    pub has_state: bool,
    /// The stream may end within a turn.
    pub ends_anywhere: bool,
    pub base: Base,
    /// Who sees the tags that it passes on.
    pub seen: Seen,
}

impl LinkShape {
    /// The shape of a block with one port a side at most. `in_place`: it can work so where ports and ratio allow it.
    pub fn new<I: Streams, O: Streams>(shape: &Shape, in_place: bool) -> Self {
        LinkShape::of_items(shape, (I::single(), O::single()), in_place)
    }

    /// The same, for the items of its ports.
    fn of_items(
        shape: &Shape,
        (input, output): (Option<ItemType>, Option<ItemType>),
        in_place: bool,
    ) -> Self {
        let Shape { ratio, history, delay, tags, ends_anywhere, .. } = *shape;
        let size = |item: Option<ItemType>| item.map_or(0, |item| item.size());
        let may_lie_on_top = input.is_some() && input == output && ratio == Ratio::ONE && history == 0;
        LinkShape {
            ratio,
            history,
            delay,
            tags,
            in_bytes: size(input),
            out_bytes: size(output),
            in_place: in_place && may_lie_on_top,
            has_state: false,
            ends_anywhere,
            base: Base::default(),
            seen: Seen::default(),
        }
    }

    /// The same of a block, with a state or without one, if it can be a link of a chain. One that moves the centre cannot: what its
    /// tags say depends on those before.
    pub fn of_link<I: Streams, O: Streams>(shape: &Shape, in_place: bool, has_state: bool) -> Option<Self> {
        if shape.shift.is_some() {
            return None;
        }
        Some(LinkShape { has_state, ..LinkShape::new::<I, O>(shape, in_place) })
    }

    /// A tag of the block's input as it leaves the block.
    pub fn carry(&self, mut tag: Tag) -> Option<Tag> {
        self.seen.tag(&tag);
        self.base.carry(&mut tag, self.ratio, self.delay);
        self.tags.apply(tag, 0, 0)
    }

    /// How many of `items` items are taken, and how many given for them. They are whole turns but at the end of a stream.
    pub fn taken_and_given(&self, items: usize) -> (usize, usize) {
        let Ratio { interpolation, decimation } = self.ratio;
        if decimation == 1 {
            // As most have it, without a division.
            return (items, items * interpolation);
        }
        let (turns, rest) = (items / decimation, items % decimation);
        match self.ends_anywhere {
            true => (items, turns * interpolation + self.ratio.given_of_rest(rest)),
            false => (items - rest, turns * interpolation),
        }
    }

    /// How many times `decimation` items are taken, or `interpolation` items given where it takes none, for these bytes of both;
    /// the last time may be with fewer, at the end of a stream.
    pub fn steps(&self, x: &[u8], y: &[u8]) -> usize {
        let (taken, given) =
            (self.ratio.decimation * self.in_bytes, self.ratio.interpolation * self.out_bytes);
        let new = x.len().saturating_sub(self.history * self.in_bytes);
        match taken {
            0 => y.len() / given.max(1),
            taken if self.ends_anywhere => new.div_ceil(taken),
            taken => new / taken,
        }
    }
}

/// A pure block with at most one input and one output, its types erased.
pub(crate) trait ErasedPure: Send + Sync {
    fn link_shape(&self) -> LinkShape;
    /// Computes `y`, whole output items, from `x`, whole input items with the history before them.
    fn map(&self, x: &[u8], y: &mut [u8]);
    /// As `map`, with `x` lying in `y` already.
    fn map_in_place(&self, y: &mut [u8]);
}

/// A sync block with at most one input and one output, its types erased.
pub(crate) trait ErasedState: Send {
    /// Computes `y`, whole output items, from `x`, whole input items with the history before them. The first of them is item `at`
    /// of the input, of the output where there is no input: changes of parameters hold from their items on.
    fn process(&mut self, at: u64, x: &[u8], y: &mut [u8]) -> Result<(), BlockError>;
    /// As `process`, with `x` lying in `y` already.
    fn process_in_place(&mut self, at: u64, y: &mut [u8]) -> Result<(), BlockError>;
}

impl<P: Pure> ErasedPure for P {
    fn link_shape(&self) -> LinkShape {
        LinkShape::new::<P::In, P::Out>(&self.shape(), P::IN_PLACE.is_some())
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        if let (Some(x), Some(y)) = (P::In::slices_of(x), P::Out::slices_of_mut(y)) {
            Pure::map(self, x, y);
        }
    }

    fn map_in_place(&self, y: &mut [u8]) {
        if let (Some(map), Some(y)) = (P::IN_PLACE, P::Out::slices_of_mut(y)) {
            map(self, y);
        }
    }
}

/// Whether a block with these ports can be a link of a chain: it has one port a side at most, and any at all.
pub(crate) const fn is_link<I: Streams, O: Streams>() -> bool {
    I::PORTS <= 1 && O::PORTS <= 1 && I::PORTS + O::PORTS > 0
}

/// The link that `pure` is, if it can be one.
pub(crate) fn link_of<P: Pure>(pure: Arc<P>) -> Option<Arc<dyn ErasedPure>> {
    if const { is_link::<P::In, P::Out>() } { Some(pure) } else { None }
}
