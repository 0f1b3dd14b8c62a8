//! The definition of extremes.
//!
//! ```text
//! for n in 0..len { if x[n] > x[best] { best = n } }
//! ```
//!
//! 1. The largest value of a chunk is found in lanes, without its index: one comparison for each item.
//! 2. Only the chunk that has the largest of all is searched for the index, in groups that are compared at once.
//! 3. `a > b` is false for NaN, which thus is never chosen; `if x > most { x } else { most }` is one instruction.
//!
//! The least of `x` is the largest of `−x`, exactly.

use crate::{C32, item};

/// Items of which only the largest is kept in the first pass.
const CHUNK: usize = 2048;

/// Independent maxima, and the items that the search compares at once.
const LANES: usize = 64;

/// The largest `key(x[n])` of a chunk, at least -∞.
#[inline(always)]
fn most<T: Copy>(x: &[T], key: impl Fn(T) -> f32) -> f32 {
    let Some(last) = x.last_chunk::<LANES>() else {
        return x.iter().fold(f32::NEG_INFINITY, |most, &x| larger(key(x), most));
    };
    let mut most = [f32::NEG_INFINITY; LANES];
    for x in x.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            most[lane] = larger(key(x[lane]), most[lane]);
        }
    }
    // The last round overlaps: looking at some items twice is faster than at single ones.
    for lane in 0..LANES {
        most[lane] = larger(key(last[lane]), most[lane]);
    }
    let halved: [f32; 32] = halves(most);
    let halved: [f32; 16] = halves(halved);
    let halved: [f32; 8] = halves(halved);
    let halved: [f32; 4] = halves(halved);
    let [a, b] = halves(halved);
    larger(b, a)
}

/// The larger ones of one half and the other.
#[inline(always)]
fn halves<const N: usize, const HALF: usize>(x: [f32; N]) -> [f32; HALF] {
    std::array::from_fn(|n| larger(x[n + HALF], x[n]))
}

#[inline(always)]
fn larger(x: f32, most: f32) -> f32 {
    if x > most { x } else { most }
}

/// The first index at which `key(x[n])` has this value.
#[inline(always)]
fn position<T: Copy>(x: &[T], key: impl Fn(T) -> f32, value: f32) -> Option<usize> {
    let has = |group: &[T; LANES]| group.iter().fold(false, |has, &x| has | (key(x) == value));
    let groups = x.as_chunks::<LANES>().0;
    let start = groups.iter().position(has).unwrap_or(groups.len()) * LANES;
    x[start..].iter().position(|&x| key(x) == value).map(|n| start + n)
}

/// The first index of the largest `key(x[n])`.
#[inline(always)]
fn index_of_most<T: Copy>(x: &[T], key: impl Fn(T) -> f32) -> Option<usize> {
    let (mut best, mut start) = (f32::NEG_INFINITY, None);
    for (chunk, x) in x.chunks(CHUNK).enumerate() {
        let most = most(x, &key);
        if most > best {
            (best, start) = (most, Some(chunk * CHUNK));
        }
    }
    // Where nothing is above -∞, one of the items may still be -∞ itself.
    let start = start.unwrap_or(0);
    position(&x[start..], key, best).map(|n| start + n)
}

#[inline(always)]
pub(super) fn max_f32(x: &[f32]) -> f32 {
    match most(x, |x| x) {
        f32::NEG_INFINITY => position(x, |x| x, f32::NEG_INFINITY).map_or(f32::NAN, |n| x[n]),
        most => most,
    }
}

#[inline(always)]
pub(super) fn min_f32(x: &[f32]) -> f32 {
    match most(x, |x| -x) {
        f32::NEG_INFINITY => position(x, |x| -x, f32::NEG_INFINITY).map_or(f32::NAN, |n| x[n]),
        most => -most,
    }
}

#[inline(always)]
pub(super) fn index_of_max_f32(x: &[f32]) -> Option<usize> {
    index_of_most(x, |x| x)
}

#[inline(always)]
pub(super) fn index_of_min_f32(x: &[f32]) -> Option<usize> {
    index_of_most(x, |x| -x)
}

#[inline(always)]
pub(super) fn index_of_max_c32(x: &[C32]) -> Option<usize> {
    index_of_most(x, item::magnitude_squared)
}

#[inline(always)]
pub(super) fn index_of_min_c32(x: &[C32]) -> Option<usize> {
    index_of_most(x, |x| -item::magnitude_squared(x))
}
