//! A pure block without its types, and what a chain knows of it: its shape.

use std::sync::Arc;

use super::Pure;
use super::streams::{Streams, sealed::Ports};
use crate::data::{Base, ItemType, Ratio, TagPolicy};

/// What a chain knows of one of its blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub ratio: Ratio,
    pub history: usize,
    pub delay: u64,
    pub tags: TagPolicy,
    /// Bytes of an input item; 0 for a block without input.
    pub in_bytes: usize,
    /// Bytes of an output item; 0 for a block without output.
    pub out_bytes: usize,
    pub in_place: bool,
    pub base: Base,
}

/// A pure block with at most one input and one output, its types erased.
pub(crate) trait ErasedPure: Send + Sync {
    fn shape(&self) -> Shape;
    /// Computes `y`, whole output items, from `x`, whole input items with the history before them.
    fn map(&self, x: &[u8], y: &mut [u8]);
    /// As `map`, with `x` lying in `y` already.
    fn map_in_place(&self, y: &mut [u8]);
}

impl<P: Pure> ErasedPure for P {
    fn shape(&self) -> Shape {
        let size = |item: Option<ItemType>| item.map_or(0, |item| item.size());
        let (input, output) = (P::In::single(), P::Out::single());
        Shape {
            ratio: self.ratio(),
            history: self.history(),
            delay: self.delay(),
            tags: self.tags(),
            in_bytes: size(input),
            out_bytes: size(output),
            in_place: P::IN_PLACE
                && input.is_some()
                && input == output
                && self.ratio() == Ratio::ONE
                && self.history() == 0,
            base: Base::default(),
        }
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        if let (Some(x), Some(y)) = (P::In::slices_of(x), P::Out::slices_of_mut(y)) {
            Pure::map(self, x, y);
        }
    }

    fn map_in_place(&self, y: &mut [u8]) {
        if let Some(y) = P::Out::slices_of_mut(y) {
            Pure::map_in_place(self, y);
        }
    }
}

/// The link that `pure` is, if it has at most one port on each side.
pub(crate) fn link_of<P: Pure>(pure: &Arc<P>) -> Option<Arc<dyn ErasedPure>> {
    (P::In::PORTS <= 1 && P::Out::PORTS <= 1).then(|| pure.clone() as Arc<dyn ErasedPure>)
}
