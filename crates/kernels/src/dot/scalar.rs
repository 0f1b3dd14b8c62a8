//! The definition of dot products.
//!
//! Sums in lanes: item `n` goes to lane `n % LANES`, and the lanes are added at the end. That is more accurate than
//! one running sum, and it is what vectors do.

use crate::C32;

const LANES: usize = 8;

/// Splits two equally long slices into whole rounds of lanes and rests.
macro_rules! rounds {
    ($a:expr, $b:expr) => {{
        let ((a_rounds, a_rest), (b_rounds, b_rest)) = ($a.as_chunks::<LANES>(), $b.as_chunks::<LANES>());
        (a_rounds.iter().zip(b_rounds), a_rest.iter().zip(b_rest))
    }};
}

#[inline(always)]
pub(crate) fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    let (rounds, rest) = rounds!(a, b);
    let mut sums = [0.0; LANES];
    for (a, b) in rounds {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(rest) {
        *sum += a * b;
    }
    sums.iter().sum()
}

#[inline(always)]
pub(crate) fn dot_c32_f32(x: &[C32], taps: &[f32]) -> C32 {
    let (rounds, rest) = rounds!(x, taps);
    let mut sums = [C32::ZERO; LANES];
    for (x, taps) in rounds {
        for lane in 0..LANES {
            sums[lane] += x[lane] * taps[lane];
        }
    }
    for (sum, (x, tap)) in sums.iter_mut().zip(rest) {
        *sum += x * tap;
    }
    sums.iter().sum()
}

#[inline(always)]
pub(crate) fn dot_c32(x: &[C32], taps: &[C32]) -> C32 {
    let (by_re, by_im) = sums_by_part(x, taps);
    C32::new(by_re.re - by_im.im, by_re.im + by_im.re)
}

#[inline(always)]
pub(crate) fn dot_conjugate_c32(a: &[C32], b: &[C32]) -> C32 {
    let (by_re, by_im) = sums_by_part(a, b);
    C32::new(by_re.re + by_im.im, by_re.im - by_im.re)
}

/// `Σ x · re(tap)` and `Σ x · im(tap)`: with sums of their own, the loop needs no sign changes.
#[inline(always)]
fn sums_by_part(x: &[C32], taps: &[C32]) -> (C32, C32) {
    let (rounds, rest) = rounds!(x, taps);
    let (mut by_re, mut by_im) = ([C32::ZERO; LANES], [C32::ZERO; LANES]);
    for (x, taps) in rounds {
        for lane in 0..LANES {
            by_re[lane] += x[lane] * taps[lane].re;
            by_im[lane] += x[lane] * taps[lane].im;
        }
    }
    for (lane, (x, tap)) in rest.enumerate() {
        by_re[lane] += x * tap.re;
        by_im[lane] += x * tap.im;
    }
    (by_re.iter().sum(), by_im.iter().sum())
}

#[inline(always)]
pub(crate) fn dot_i16(a: &[i16], b: &[i16]) -> i64 {
    let product = |a: i16, b: i16| i64::from(i32::from(a) * i32::from(b));
    let (rounds, rest) = rounds!(a, b);
    let mut sums = [0; LANES];
    for (a, b) in rounds {
        for lane in 0..LANES {
            sums[lane] += product(a[lane], b[lane]);
        }
    }
    sums.iter().sum::<i64>() + rest.map(|(&a, &b)| product(a, b)).sum::<i64>()
}

#[inline(always)]
pub(crate) fn dot_i16_f32(x: &[i16], taps: &[f32]) -> f32 {
    let (rounds, rest) = rounds!(x, taps);
    let mut sums = [0.0; LANES];
    for (x, taps) in rounds {
        for lane in 0..LANES {
            sums[lane] += f32::from(x[lane]) * taps[lane];
        }
    }
    for (sum, (&x, tap)) in sums.iter_mut().zip(rest) {
        *sum += f32::from(x) * tap;
    }
    sums.iter().sum()
}

#[inline(always)]
pub(crate) fn dot_i16_c32(x: &[i16], taps: &[C32]) -> C32 {
    let (rounds, rest) = rounds!(x, taps);
    let mut sums = [C32::ZERO; LANES];
    for (x, taps) in rounds {
        for lane in 0..LANES {
            sums[lane] += taps[lane] * f32::from(x[lane]);
        }
    }
    for (sum, (&x, tap)) in sums.iter_mut().zip(rest) {
        *sum += tap * f32::from(x);
    }
    sums.iter().sum()
}
