//! A stage of a chain: blocks that a claim goes through without waiting for others.

use std::ops::Range;

use super::begin::Begin;
use crate::plan::chain::ChainShape;

/// A stage of the chain.
pub(super) struct Stage {
    /// The place of its first block in the chain.
    pub first: usize,
    pub has_state: bool,
    /// Its blocks as a chain of their own.
    pub shape: ChainShape,
    /// It writes below where it reads.
    pub slides: bool,
    /// How many items of its head stream it takes at once where it slides; how many it may, where it does not.
    pub strip: usize,
    /// Bytes of an item that it gives.
    pub out_bytes: usize,
    pub begin: Begin,
}

impl Stage {
    /// The places of its blocks.
    pub fn blocks(&self) -> Range<usize> {
        self.first..self.first + self.shape.links.len()
    }
}
