//! Memory that the streams of a lane take turns in.
//!
//! Once all that a stream gave is read, its memory is of no use until more is written. Such streams have none of their own: the
//! writer takes a piece when it first writes, and the reader that takes the last item gives it back. The piece that was given
//! back last is taken next, since the cache holds it. So a chain of blocks works in two pieces, however long it is.
//!
//! There is a piece for each stream, for the case that all of them hold items at once.

#![allow(unsafe_code, reason = "slices of the pieces")]

use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::stream::buffer::memory::Memory;

/// Pieces of memory of one size. As the scratches that use it, for one thread at a time.
pub(crate) struct Pool {
    /// All pieces, one behind another. Processors of AMD find a line in the level-1 cache by a hash of its address: pages that lie
    /// anywhere may share one, and push each other out.
    memory: Memory,
    /// How many bytes one piece begins behind the one before it.
    stride: usize,
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
        let pages = bytes.checked_next_multiple_of(4096).unwrap_or(usize::MAX);
        let stride = pages.saturating_add(Self::LEAD_STEP);
        Ok(Pool {
            memory: Memory::heap(stride.saturating_mul(pieces), 0)?,
            stride,
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
        // SAFETY: the memory has as many pieces as the stack, whose numbers these are.
        unsafe { self.memory.base().add(piece as usize * self.stride) }
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

/// A pool as the lane has it whose streams take their memory there.
#[derive(Clone)]
pub(crate) struct LanePool(Arc<Pool>);

// SAFETY: as for `ScratchWriter`: a lane moves to a thread as a whole, under a lock, with all that uses the pool.
unsafe impl Send for LanePool {}

impl LanePool {
    /// Of a stream of the lane.
    pub(super) fn new(pool: &Arc<Pool>) -> Self {
        LanePool(pool.clone())
    }

    /// The size of a piece.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Lends a piece that no stream holds, until it is dropped.
    #[inline(always)]
    pub fn lend(&mut self) -> Piece<'_> {
        Piece { pool: &self.0, piece: self.0.take() }
    }
}

/// A piece of a pool that lies with no stream.
pub(crate) struct Piece<'a> {
    pool: &'a Pool,
    piece: u32,
}

impl Piece<'_> {
    /// Its bytes.
    #[inline(always)]
    pub fn bytes(&mut self) -> &mut [u8] {
        let base = self.pool.base(self.piece).as_ptr();
        // SAFETY: the memory is `bytes` long. The piece was taken from the stack, so that no stream holds it, nor another `Piece`;
        // who has given it back looks at it no more (`ScratchWriter::slice_mut`). `&mut self` makes this the only slice.
        unsafe { std::slice::from_raw_parts_mut(base, self.pool.bytes) }
    }
}

impl Drop for Piece<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.pool.give_back(self.piece);
    }
}
