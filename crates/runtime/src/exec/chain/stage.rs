//! A stage of a chain: blocks that a claim goes through without waiting for others.

use std::ops::Range;

use super::begin::Begin;
use crate::plan::chain::{Boundary, ChainShape, Way};

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
    /// How many items it gives for those.
    pub strip_gives: usize,
    /// Bytes of an item that it gives.
    pub out_bytes: usize,
    pub begin: Begin,
    /// It is pure, and a strip can go through it and the stage behind at once: where strips lie between them then.
    pub together: Option<Meet>,
}

/// Where strips lie, one after the other, that go through two stages at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meet {
    /// Where the claim's first strip lies: below all that the first stage has still to read.
    AtFirstStrip,
    /// Where the claim's last strip lies: above all that the second stage has written.
    AtLastStrip,
}

impl Meet {
    /// Of a pure stage at `place`, if the one behind it can be run along.
    pub fn of(place: usize, boundaries: &[Boundary]) -> Option<Self> {
        match (boundaries.get(place)?.way, boundaries.get(place + 1)) {
            // The first stage works on the memory that it takes.
            (Way::OnTop, _) => None,
            (_, None) => Some(Meet::AtFirstStrip),
            // What the second stage leaves has to lie at its place.
            (_, Some(behind)) if place == 0 && behind.way != Way::OnTop => Some(Meet::AtLastStrip),
            _ => None,
        }
    }
}

impl Stage {
    /// The places of its blocks.
    pub fn blocks(&self) -> Range<usize> {
        self.first..self.first + self.shape.links.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn boundaries(ways: &[Way]) -> Vec<Boundary> {
        ways.iter()
            .map(|&way| Boundary { item_bytes: 4, lead: 0, piece: 0, offset: 0, way, given: 0 })
            .collect()
    }

    #[test]
    fn a_strip_meets_the_stage_behind_where_nothing_else_lies() {
        let (apart, down, on_top) = (Way::Apart, Way::Down(64), Way::OnTop);
        let meet = |place: usize, ways: &[Way]| Meet::of(place, &boundaries(ways));
        assert_eq!(meet(0, &[apart]), Some(Meet::AtFirstStrip), "the stage behind is the last one");
        assert_eq!(
            meet(0, &[apart, down]),
            Some(Meet::AtLastStrip),
            "what the stage behind gives lies below"
        );
        assert_eq!(meet(0, &[apart, on_top]), None, "the stage behind leaves its items where it finds them");
        assert_eq!(meet(2, &[apart, down, down]), Some(Meet::AtFirstStrip));
        assert_eq!(meet(2, &[apart, down, on_top]), None, "the stage leaves its items where it finds them");
        assert_eq!(meet(2, &[apart, down, down, down]), None, "what it has still to read lies above");
        assert_eq!(meet(1, &[apart]), None, "nothing is behind the last stage");
    }
}
