//! The definition of sums.
//!
//! ```text
//! for x in items { sum += x }
//! ```
//!
//! 1. Chunks of 1024 floats are summed in f32, the sums of the chunks in f64: the error does not grow with the length.
//! 2. Within a chunk, float `n` goes to lane `n % LANES`: independent sums that fill vectors. Those that fill no round go
//!    to the last lanes, or the first if there was none. The lanes are added in
//!    halves. As the number of lanes is even, those of complex samples keep their parts apart until the end.
//!
//! Nothing is fused, so every instruction set gives the same bits.

use crate::{C32, floats};

/// Floats that are summed in f32.
const CHUNK: usize = 1024;

/// Independent sums.
const LANES: usize = 64;

/// `Σ f(x[n])`, of the even and of the odd floats.
#[inline(always)]
pub(crate) fn sums(x: &[f32], f: impl Fn(f32) -> f32) -> [f64; 2] {
    let mut total = [0.0; 2];
    for chunk in x.chunks(CHUNK) {
        let [even, odd] = chunk_sums(chunk, &f);
        total[0] += f64::from(even);
        total[1] += f64::from(odd);
    }
    total
}

/// As [`sums`], of so few that f32 will do.
#[inline(always)]
pub(crate) fn chunk_sums(x: &[f32], f: impl Fn(f32) -> f32) -> [f32; 2] {
    let mut sums = [0.0; LANES];
    let (rounds, rest) = x.as_chunks::<LANES>();
    let Some(last) = x.last_chunk::<LANES>() else {
        for (sum, &x) in sums.iter_mut().zip(rest) {
            *sum += f(x);
        }
        return add_lanes(sums);
    };
    for x in rounds {
        for lane in 0..LANES {
            sums[lane] += f(x[lane]);
        }
    }
    // A round that overlaps the one before keeps the lanes in registers, which single items would not.
    for lane in 0..LANES {
        sums[lane] += if lane >= LANES - rest.len() { f(last[lane]) } else { 0.0 };
    }
    add_lanes(sums)
}

/// The sums of the even and of the odd lanes.
#[inline(always)]
fn add_lanes(mut sums: [f32; LANES]) -> [f32; 2] {
    let mut lanes = LANES;
    while lanes > 2 {
        lanes /= 2;
        for lane in 0..lanes {
            sums[lane] += sums[lane + lanes];
        }
    }
    [sums[0], sums[1]]
}

#[inline(always)]
pub(super) fn sum_f32(x: &[f32]) -> f32 {
    let [even, odd] = sums(x, |x| x);
    (even + odd) as f32
}

#[inline(always)]
pub(super) fn sum_c32(x: &[C32]) -> C32 {
    let [re, im] = sums(floats(x), |x| x);
    C32::new(re as f32, im as f32)
}

#[inline(always)]
pub(super) fn mean_f32(x: &[f32]) -> f32 {
    let [even, odd] = sums(x, |x| x);
    ((even + odd) / x.len() as f64) as f32
}

#[inline(always)]
pub(super) fn mean_c32(x: &[C32]) -> C32 {
    let [re, im] = sums(floats(x), |x| x);
    C32::new((re / x.len() as f64) as f32, (im / x.len() as f64) as f32)
}

#[inline(always)]
pub(super) fn energy_f32(x: &[f32]) -> f32 {
    let [even, odd] = sums(x, |x| x * x);
    (even + odd) as f32
}

#[inline(always)]
pub(super) fn energy_c32(x: &[C32]) -> f32 {
    energy_f32(floats(x))
}
