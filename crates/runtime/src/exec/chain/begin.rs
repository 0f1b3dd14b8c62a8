//! Where a chain begins to be shared.

use crate::block::erased::LinkShape;
use crate::plan::chain::{ChainShape, StageShape};

/// Where a chain begins to be shared: its blocks may have run before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Begin {
    /// The index in the head stream.
    pub origin: u64,
    /// Per link, the end of what it has seen of its input, in bytes; none counts as zeros. The first link's is read from
    /// the head stream.
    pub histories: Vec<Vec<u8>>,
    /// Per link, where its input stood; its output, where it has no input. None counts as 0.
    pub positions: Vec<u64>,
}

impl Begin {
    /// Per link, where its input stands when the chain stands at item `at` of the head stream; its output, where it has
    /// no input.
    pub fn positions_at(&self, shape: &ChainShape, at: u64) -> Vec<u64> {
        let mut positions = Vec::new();
        self.positions_into(shape, at, &mut positions);
        positions
    }

    /// As `positions_at`, into a vector that is there.
    pub fn positions_into(&self, shape: &ChainShape, at: u64, positions: &mut Vec<u64>) {
        let flow = shape.flow(usize::try_from(at.saturating_sub(self.origin)).unwrap_or(usize::MAX));
        let first = self.positions.iter().copied().chain(std::iter::repeat(0));
        let position = |((link, (taken, given)), first): ((&LinkShape, (usize, usize)), u64)| {
            first + if link.in_bytes > 0 { taken } else { given } as u64
        };
        positions.clear();
        positions.extend(shape.links.iter().zip(flow).zip(first).map(position));
    }

    /// The same for a stage, a chain of its own.
    pub fn of_stage(&self, stage: &StageShape) -> Self {
        let blocks = stage.first..stage.first + stage.chain.links.len();
        let positions: Vec<u64> = self.positions.get(blocks.clone()).unwrap_or_default().to_vec();
        Begin {
            origin: if stage.first == 0 { self.origin } else { positions.first().copied().unwrap_or(0) },
            histories: self.histories.get(blocks).unwrap_or_default().to_vec(),
            positions,
        }
    }
}
