//! Memory that the streams of a lane take turns in.
//!
//! Once all that a stream gave is read, its memory is of no use until more is written. Such streams have none of their own: the
//! writer takes a piece when it first writes, and the reader that takes the last item gives it back. The piece that was given
//! back last is taken next, since the cache holds it. So a chain of blocks works in two pieces, however long it is.
//!
//! There is a piece for each stream, for the case that all of them hold items at once.

use std::cell::Cell;
use std::ptr::NonNull;

use crate::stream::buffer::memory::Memory;

/// Pieces of memory of one size. As the scratches that use it, for one thread at a time.
pub(crate) struct Pool {
    pieces: Box<[Memory]>,
    /// The size of a piece.
    bytes: usize,
    /// A stack of pieces that no stream holds.
    free: Box<[Cell<u32>]>,
    /// How many those are.
    left: Cell<usize>,
}

impl Pool {
    /// Distances between the starts of pieces, modulo a page.
    const LEAD_STEP: usize = 512;

    /// Makes so many pieces of so many bytes.
    ///
    /// # Errors
    /// Where there is not so much memory.
    pub fn new(pieces: usize, bytes: usize) -> std::io::Result<Self> {
        let piece = |place: usize| Memory::heap(bytes, Self::LEAD_STEP * place % 4096);
        Ok(Pool {
            pieces: (0..pieces).map(piece).collect::<Result<_, _>>()?,
            bytes,
            free: (0..pieces as u32).rev().map(Cell::new).collect(),
            left: Cell::new(pieces),
        })
    }

    /// The size of a piece.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where a piece lies.
    #[inline(always)]
    pub fn base(&self, piece: u32) -> NonNull<u8> {
        self.pieces[piece as usize].base()
    }

    /// Takes the piece that was given back last.
    #[inline(always)]
    pub fn take(&self) -> u32 {
        let left = self.left.get() - 1;
        self.left.set(left);
        self.free[left].get()
    }

    /// Gives a piece back.
    #[inline(always)]
    pub fn give_back(&self, piece: u32) {
        let left = self.left.get();
        self.free[left].set(piece);
        self.left.set(left + 1);
    }
}
