//! Loops compiled for AVX2, with fused multiply-adds.

#![allow(unsafe_code, reason = "calls of what is compiled for instructions that were detected")]

use core::arch::x86_64::*;

use super::lines::{self, HALF};
use super::{Line, Machine, Routine};
use crate::x86::{at, load4, load8};

/// A processor with AVX2: known to nobody but the loops that are run where one was detected.
#[derive(Clone, Copy, Debug)]
struct Avx2;

impl Machine for Avx2 {
    const FUSED: bool = true;

    #[inline(always)]
    fn sums<const PARTS: usize, const ROWS: usize>(x: &[f32], rows: [&[Line]; ROWS]) -> [(f32, f32); ROWS] {
        lines::by_length::<PARTS, ROWS>(
            x,
            rows,
            // SAFETY: a loop knows this type from `run` alone, which is called where the processor has these instructions.
            |x, taps| unsafe { half::<PARTS>(x, taps) },
            // SAFETY: as before.
            |x, line| unsafe { of_line::<PARTS>(x, line) },
            // SAFETY: as before.
            |x, last, rows| unsafe { many::<PARTS, ROWS>(x, last, rows) },
        )
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run<R: Routine>(routine: R) -> R::Output {
    routine.run::<Avx2>()
}

/// The sum of all lanes, or of the even and the odd ones.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn total<const PARTS: usize>(four: __m128) -> (f32, f32) {
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    let (first, second) = (_mm_cvtss_f32(two), _mm_cvtss_f32(_mm_movehdup_ps(two)));
    if PARTS == 1 { (first + second, 0.0) } else { (first, second) }
}

/// Four lanes at a time: no vector has to be cut into halves.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn half<const PARTS: usize>(x: &[f32; HALF], taps: &[f32; HALF]) -> (f32, f32) {
    total::<PARTS>(products_of_half(x, taps))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn of_line<const PARTS: usize>([first, last]: [&[f32; HALF]; 2], Line(taps): &Line) -> (f32, f32) {
    let first = products_of_half(first, at(taps, 0));
    total::<PARTS>(_mm_add_ps(first, products_of_half(last, at(taps, HALF))))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn products_of_half(x: &[f32; HALF], taps: &[f32; HALF]) -> __m128 {
    let first = _mm_mul_ps(load4(at(x, 0)), load4(at(taps, 0)));
    _mm_add_ps(first, _mm_mul_ps(load4(at(x, 4)), load4(at(taps, 4))))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn many<const PARTS: usize, const ROWS: usize>(
    x: &[f32],
    last: &[f32; Line::LANES],
    rows: [&[Line]; ROWS],
) -> [(f32, f32); ROWS] {
    let mut totals = [(0.0, 0.0); ROWS];
    // Every second line has sums of its own.
    let mut sums = [[[_mm256_setzero_ps(); 2]; 2]; ROWS];
    let lines = rows[0].len();
    for line in 0..lines {
        let x: &[f32; Line::LANES] = if line + 1 < lines { at(x, line * Line::LANES) } else { last };
        let (low, high) = (load8(at(x, 0)), load8(at(x, 8)));
        for row in 0..ROWS {
            let (taps, [now, next]) = (&rows[row][line].0, sums[row]);
            let low = _mm256_fmadd_ps(low, load8(at(taps, 0)), now[0]);
            let high = _mm256_fmadd_ps(high, load8(at(taps, 8)), now[1]);
            sums[row] = [next, [low, high]];
        }
    }
    for row in 0..ROWS {
        let [[a, b], [c, d]] = sums[row];
        let sum = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
        totals[row] =
            total::<PARTS>(_mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps::<1>(sum)));
    }
    totals
}
