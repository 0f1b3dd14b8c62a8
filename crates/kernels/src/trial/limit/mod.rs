//! Moves the bytes of an op in the plainest way, and computes nothing.

#![allow(unsafe_code, reason = "calls of variants whose instructions were detected")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use super::{Access, Kept};
use crate::dispatch::Compiled;

/// Bytes that are moved at once: a cache line.
const LINE: usize = 64;

/// Lines that the loop takes at once.
const RUN: usize = 4;

/// Runs of the shortest stream between one stream and the next. What suits best depends on the machine.
const TURNS: [usize; 3] = [1, 4, 16];

/// Each of [`TURNS`] with the widest vectors and with the next.
pub(crate) const WAYS: usize = 2 * TURNS.len();

/// What is done with the bytes of a slice.
pub(crate) enum Stream<'a> {
    Read(&'a [[u8; LINE]]),
    Write(&'a mut [[u8; LINE]]),
    /// Reads and writes back the same.
    Update(&'a mut [[u8; LINE]]),
}

impl<'a> Stream<'a> {
    /// The stream of an argument that is a slice; an output is read as well where an op works in place.
    pub(crate) fn of(kept: &'a mut dyn Kept, in_place: bool) -> Option<Self> {
        match kept.access() {
            Access::Read => Some(Stream::Read(kept.bytes().as_chunks().0)),
            Access::Write if in_place => Some(Stream::Update(kept.bytes_mut().as_chunks_mut().0)),
            Access::Write => Some(Stream::Write(kept.bytes_mut().as_chunks_mut().0)),
            Access::Value => None,
        }
    }

    fn lines(&self) -> usize {
        match self {
            Stream::Read(lines) => lines.len(),
            Stream::Write(lines) | Stream::Update(lines) => lines.len(),
        }
    }
}

/// Goes over all streams at once in one of [`WAYS`], so many times, each as fast as its length asks for. Says how many bytes it read and
/// wrote; a few lines at the ends may be left out, and streams that are very short beside the others.
pub(crate) fn pass<'a>(
    streams: impl IntoIterator<Item = Option<Stream<'a>>>,
    way: usize,
    times: usize,
) -> usize {
    let mut streams: Vec<_> = streams.into_iter().flatten().collect();
    let longest = streams.iter().map(Stream::lines).max().unwrap_or(0);
    streams.retain(|stream| stream.lines() * 16 >= longest);
    let shortest = streams.iter().map(Stream::lines).min().unwrap_or(0);
    // Of few lines, all are one block.
    let turn = (TURNS[way % TURNS.len()] * RUN).min(shortest / RUN * RUN);
    if turn == 0 {
        return 0;
    }
    let blocks = shortest / turn;
    let mut moved = 0;
    let mut shares: Vec<_> = streams
        .into_iter()
        .map(|stream| {
            let share = stream.lines() * turn / shortest;
            // Written lines come singly, others in whole runs.
            let share = if matches!(stream, Stream::Write(_)) { share } else { share / RUN * RUN };
            let ways = if matches!(stream, Stream::Update(_)) { 2 } else { 1 };
            moved += ways * share * blocks * LINE;
            (stream, share)
        })
        .collect();
    let run = PASS.best_but(way / TURNS.len());
    // SAFETY: `best_but` gives the function of an instruction set that was detected.
    std::hint::black_box(unsafe { run(&mut shares, blocks, times, std::hint::black_box(0)) });
    moved * times
}

/// To be called where the CPU features of its instruction set are.
type Pass = unsafe fn(&mut [(Stream<'_>, usize)], usize, usize, u8) -> [[u8; LINE]; RUN];

const PASS: Compiled<Pass> = Compiled {
    scalar: scalar::pass,
    #[cfg(target_arch = "x86_64")]
    avx2: avx2::pass,
    #[cfg(target_arch = "x86_64")]
    avx512: avx512::pass,
};
