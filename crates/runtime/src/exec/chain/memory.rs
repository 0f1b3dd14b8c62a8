//! The memory that a worker carries a claim in, from stage to stage.

use super::space::{LEAD_STEP, Space};
use crate::plan::chain::{Boundary, ChainShape};

/// Two pieces of memory: a stage reads one of them and writes the other, or gives on top of what it takes.
pub(super) struct ClaimMemory {
    pieces: [Space; 2],
}

impl ClaimMemory {
    /// Memory for claims of at most `most` items.
    pub fn new(shape: &ChainShape, boundaries: &[Boundary], most: usize) -> Self {
        let lead = boundaries.iter().map(|boundary| boundary.lead * boundary.item_bytes).max().unwrap_or(0);
        let bytes = shape.pieces(boundaries, most);
        let piece = |place: usize| Space::new(1, lead, bytes[place], place * LEAD_STEP);
        ClaimMemory { pieces: [piece(0), piece(1)] }
    }

    /// The first `bytes` bytes at a boundary, with the lead before them.
    pub fn window(&mut self, at: &Boundary, bytes: usize) -> &mut [u8] {
        self.pieces[at.piece].window(at.lead * at.item_bytes, bytes)
    }

    /// The first `bytes` bytes at a boundary.
    pub fn items(&mut self, at: &Boundary, bytes: usize) -> &mut [u8] {
        self.pieces[at.piece].window(0, bytes)
    }

    /// What a stage reads that does not give on top of it, lead included, and where it writes.
    pub fn between(&mut self, from: &Boundary, read: usize, to: &Boundary, written: usize) -> (&[u8], &mut [u8]) {
        let [first, second] = &mut self.pieces;
        let (read_piece, written_piece) = if from.piece == 0 { (first, second) } else { (second, first) };
        debug_assert_ne!(from.piece, to.piece, "a stage reads and writes the same memory");
        (read_piece.window(from.lead * from.item_bytes, read), written_piece.window(0, written))
    }
}
