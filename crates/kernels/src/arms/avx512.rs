//! Sums of arms for AVX-512.
//!
//! 1. 16 numbers at a time with fused multiply-add, in two sums; the last ones through masks.
//! 2. Complex samples: each tap is doubled by a permutation, and the sums of even and odd lanes are the parts.
//! 3. Between two arms the taps are blended once, not the sums: one sum, and for complex samples half as many products.

use super::scalar::Places;
use crate::x86::{load8, load8_or_fewer, load16, load16_or_fewer};
use crate::{C32, floats};
use core::arch::x86_64::*;

/// The taps for 16 numbers, of real samples or of complex ones: 16 of them, or 8 and each twice. Zeros where there are fewer.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn taps_for<const PARTS: usize>(taps: &[f32]) -> __m512 {
    if PARTS == 1 {
        match taps.first_chunk() {
            Some(taps) => load16(taps),
            None => load16_or_fewer(taps),
        }
    } else {
        _mm512_castps256_ps512(match taps.first_chunk() {
            Some(taps) => load8(taps),
            None => load8_or_fewer(taps),
        })
    }
}

/// Each of the first eight numbers twice, for complex samples.
#[inline]
#[target_feature(enable = "avx512f")]
fn spread<const PARTS: usize>(taps: __m512) -> __m512 {
    if PARTS == 1 {
        return taps;
    }
    _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7), taps)
}

/// Runs a body for 16 numbers of `x` after 16, and for those that remain, zeros behind them; `place` is that of their taps.
macro_rules! rounds {
    ($numbers:ident, $place:ident, $sum:ident in $x:expr => $body:expr) => {
        let (whole, rest) = $x.as_chunks::<16>();
        let (mut $place, mut $sum) = (0, 0);
        for x in whole {
            let $numbers = load16(x);
            $body;
            ($place, $sum) = ($place + 16 / PARTS, 1 - $sum);
        }
        if !rest.is_empty() {
            let $numbers = load16_or_fewer(rest);
            $body;
        }
    };
}

/// The sum of all lanes, or of the even and the odd ones.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx2")]
fn total<const PARTS: usize>(sums: __m512) -> [f32; PARTS] {
    let half = _mm256_add_ps(_mm512_castps512_ps256(sums), _mm512_extractf32x8_ps::<1>(sums));
    let quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps::<1>(half));
    let pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    let (first, second) = (_mm_cvtss_f32(pair), _mm_cvtss_f32(_mm_movehdup_ps(pair)));
    std::array::from_fn(|part| match PARTS {
        1 => first + second,
        _ => [first, second][part],
    })
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
fn dot<const PARTS: usize>(x: &[f32], taps: &[f32]) -> [f32; PARTS] {
    let mut sums = [_mm512_setzero_ps(); 2];
    rounds!(numbers, place, sum in x => {
        let taps = spread::<PARTS>(taps_for::<PARTS>(&taps[place..]));
        sums[sum] = _mm512_fmadd_ps(numbers, taps, sums[sum]);
    });
    total::<PARTS>(_mm512_add_ps(sums[0], sums[1]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
fn blended<const PARTS: usize>(x: &[f32], taps: &[f32], slopes: &[f32], beyond: f32) -> [f32; PARTS] {
    let beyond = _mm512_set1_ps(beyond);
    let mut sums = [_mm512_setzero_ps(); 2];
    rounds!(numbers, place, sum in x => {
        let (taps, slopes) = (taps_for::<PARTS>(&taps[place..]), taps_for::<PARTS>(&slopes[place..]));
        let taps = spread::<PARTS>(_mm512_fmadd_ps(slopes, beyond, taps));
        sums[sum] = _mm512_fmadd_ps(numbers, taps, sums[sum]);
    });
    total::<PARTS>(_mm512_add_ps(sums[0], sums[1]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn rational<const PARTS: usize>(
    x: &[f32],
    taps: &[f32],
    arms: usize,
    at: usize,
    step: usize,
    outputs: usize,
    mut give: impl FnMut(usize, [f32; PARTS]),
) {
    let width = taps.len() / arms;
    let (mut item, mut arm) = (at / arms, at % arms);
    let (whole, part) = (step / arms, step % arms);
    for output in 0..outputs {
        give(output, dot::<PARTS>(&x[PARTS * item..][..PARTS * width], &taps[arm * width..][..width]));
        arm += part;
        item += whole + usize::from(arm >= arms);
        arm -= if arm >= arms { arms } else { 0 };
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn arbitrary<const PARTS: usize>(
    x: &[f32],
    (taps, slopes): (&[f32], &[f32]),
    arms: usize,
    mut places: Places,
    outputs: usize,
    mut give: impl FnMut(usize, [f32; PARTS]),
) -> [f64; 3] {
    let width = taps.len() / arms;
    let mut given = 0;
    while given < outputs && places.item.saturating_add(width) <= x.len() / PARTS {
        let (arm, beyond) = places.arm();
        let (taps, slopes) = (&taps[arm * width..][..width], &slopes[arm * width..][..width]);
        give(given, blended::<PARTS>(&x[PARTS * places.item..][..PARTS * width], taps, slopes, beyond));
        given += 1;
        places.go_on();
    }
    places.told(given)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn rational_arms_f32(y: &mut [f32], x: &[f32], taps: &[f32], arms: usize, at: usize, step: usize) {
    rational::<1>(x, taps, arms, at, step, y.len(), |k, [sum]| y[k] = sum);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn rational_arms_c32_f32(
    y: &mut [C32],
    x: &[C32],
    taps: &[f32],
    arms: usize,
    at: usize,
    step: usize,
) {
    rational::<2>(floats(x), taps, arms, at, step, y.len(), |k, [re, im]| y[k] = C32::new(re, im));
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn arbitrary_arms_f32(
    y: &mut [f32],
    x: &[f32],
    taps: &[f32],
    slopes: &[f32],
    arms: usize,
    whole: usize,
    phases: [f64; 2],
) -> [f64; 3] {
    let places = Places::new(arms, whole, phases);
    arbitrary::<1>(x, (taps, slopes), arms, places, y.len(), |k, [sum]| y[k] = sum)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn arbitrary_arms_c32_f32(
    y: &mut [C32],
    x: &[C32],
    taps: &[f32],
    slopes: &[f32],
    arms: usize,
    whole: usize,
    phases: [f64; 2],
) -> [f64; 3] {
    let places = Places::new(arms, whole, phases);
    arbitrary::<2>(floats(x), (taps, slopes), arms, places, y.len(), |k, [re, im]| y[k] = C32::new(re, im))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn two_dots_f32(x: &[f32], a: &[f32], b: &[f32]) -> [f32; 2] {
    let [[a], [b]] = two_dots::<1>(x, a, b);
    [a, b]
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn two_dots_c32_f32(x: &[C32], a: &[f32], b: &[f32]) -> [C32; 2] {
    two_dots::<2>(floats(x), a, b).map(|[re, im]| C32::new(re, im))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn two_dots<const PARTS: usize>(x: &[f32], a: &[f32], b: &[f32]) -> [[f32; PARTS]; 2] {
    let mut sums = [[_mm512_setzero_ps(); 2]; 2];
    rounds!(numbers, place, sum in x => {
        for (sums, taps) in sums.iter_mut().zip([a, b]) {
            let taps = spread::<PARTS>(taps_for::<PARTS>(&taps[place..]));
            sums[sum] = _mm512_fmadd_ps(numbers, taps, sums[sum]);
        }
    });
    [
        total::<PARTS>(_mm512_add_ps(sums[0][0], sums[0][1])),
        total::<PARTS>(_mm512_add_ps(sums[1][0], sums[1][1])),
    ]
}
