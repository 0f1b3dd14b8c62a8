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

/// Floats that are summed in f32.
const CHUNK: usize = 1024;

/// Independent sums.
pub(super) const LANES: usize = 64;

/// The sums of chunks, added up.
#[inline(always)]
pub(super) fn total(x: &[f32], chunk_sums: impl Fn(&[f32]) -> [f32; 2]) -> [f64; 2] {
    let mut total = [0.0; 2];
    for chunk in x.chunks(CHUNK) {
        let [even, odd] = chunk_sums(chunk);
        total[0] += f64::from(even);
        total[1] += f64::from(odd);
    }
    total
}

/// `Σ f(x[n])` of a chunk, of the even and of the odd floats.
#[inline(always)]
pub(crate) fn chunk_sums(x: &[f32], f: impl Fn(f32) -> f32) -> [f32; 2] {
    let (rounds, rest) = x.as_chunks::<LANES>();
    let Some(last) = x.last_chunk::<LANES>() else {
        let mut sums = [0.0; LANES];
        for (sum, &x) in sums.iter_mut().zip(rest) {
            *sum += f(x);
        }
        return add_lanes(sums);
    };
    let mut sums = [0.0; LANES];
    for x in rounds {
        for lane in 0..LANES {
            sums[lane] += f(x[lane]);
        }
    }
    if rest.is_empty() {
        return add_lanes(sums);
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
fn plain(x: &[f32]) -> [f64; 2] {
    total(x, |x| chunk_sums(x, |x| x))
}

#[inline(always)]
fn squares(x: &[f32]) -> [f64; 2] {
    total(x, |x| chunk_sums(x, |x| x * x))
}

super::of_totals!(#[inline(always)]);
