//! The memory that a worker carries a claim in, from stage to stage.

use std::ops::Range;

use super::space::{LEAD_STEP, Space};
use crate::plan::chain::{Boundary, ChainShape};

/// Two pieces of memory. See [`ChainShape::boundaries`] for what lies where.
pub(super) struct ClaimMemory {
    pieces: [Space; 2],
}

impl ClaimMemory {
    /// Memory for claims of at most `most` items.
    pub fn new(shape: &ChainShape, boundaries: &[Boundary], most: usize) -> Self {
        let bytes = shape.pieces(boundaries, most);
        let piece = |place: usize| Space::new(1, 0, bytes[place], place * LEAD_STEP);
        ClaimMemory { pieces: [piece(0), piece(1)] }
    }

    /// The piece in which a boundary lies, up to `bytes` bytes of items there.
    pub fn piece(&mut self, at: &Boundary, bytes: usize) -> &mut [u8] {
        self.pieces[at.piece].window(0, at.offset + bytes)
    }

    /// The bytes of items at a boundary in such a range, with the lead before them.
    pub fn window(&mut self, at: &Boundary, bytes: Range<usize>) -> &mut [u8] {
        &mut self.piece(at, bytes.end)[at.offset + bytes.start - at.lead * at.item_bytes..]
    }

    /// The bytes of items at a boundary in such a range.
    pub fn items(&mut self, at: &Boundary, bytes: Range<usize>) -> &mut [u8] {
        &mut self.piece(at, bytes.end)[at.offset + bytes.start..]
    }

    /// What a stage reads, lead included, and where it writes in the other piece.
    pub fn between(
        &mut self,
        from: &Boundary,
        read: Range<usize>,
        to: &Boundary,
        written: Range<usize>,
    ) -> (&[u8], &mut [u8]) {
        let [first, second] = &mut self.pieces;
        let (read_piece, written_piece) = if from.piece == 0 { (first, second) } else { (second, first) };
        debug_assert_ne!(from.piece, to.piece, "a stage reads and writes the same memory");
        let lead = from.lead * from.item_bytes;
        let x = &read_piece.window(0, from.offset + read.end)[from.offset + read.start - lead..];
        (x, &mut written_piece.window(0, to.offset + written.end)[to.offset + written.start..])
    }
}
