//! Loops compiled for AVX-512.

#![allow(unsafe_code, reason = "calls of what is compiled for instructions that were detected")]

use super::{Line, Machine, Routine, avx2, lines};

/// A processor with AVX-512: known to nobody but the loops that are run where one was detected.
#[derive(Clone, Copy, Debug)]
struct Avx512;

impl Machine for Avx512 {
    const FUSED: bool = true;

    #[inline(always)]
    fn sums<const PARTS: usize, const ROWS: usize>(x: &[f32], rows: [&[Line]; ROWS]) -> [(f32, f32); ROWS] {
        lines::by_length::<PARTS, ROWS>(
            x,
            rows,
            // SAFETY: a loop knows this type from `run` alone, which is called where the processor has these instructions.
            |x, taps| unsafe { avx2::half::<PARTS>(x, taps) },
            // SAFETY: as before.
            |x, line| unsafe { avx2::of_line::<PARTS>(x, line) },
            // SAFETY: as before.
            |x, last, rows| unsafe { avx2::many::<PARTS, ROWS>(x, last, rows) },
        )
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn run<R: Routine>(routine: R) -> R::Output {
    routine.run::<Avx512>()
}
