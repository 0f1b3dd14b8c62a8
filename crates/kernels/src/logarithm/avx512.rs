//! Logarithms for AVX-512, which has instructions that take numbers apart, special ones too.
//!
//! Gain over AVX2: 3.2 instead of 1.5 Gitems/s for `log2`; the plain loop compiled for AVX-512 gives 2.4. 9.1
//! instead of 2.9 for `log2_fast`
//! (`cargo bench -p superhet-kernels --features trials -- log2`, 1024 items, Zen 4).

use super::scalar;
use crate::item::logarithm::{LN, LN_2, LOG2, LOG10, LOG10_2};
use crate::x86::{load16, log2_fast16, map_rounds, polynomial16, split16, store16};
use core::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn ln(y: &mut [f32], x: &[f32]) {
    let (y, x) = map_rounds(y, x, |y, x| {
        let (n, f) = split16(load16(x));
        let mantissa = _mm512_add_ps(f, _mm512_mul_ps(f, _mm512_mul_ps(f, polynomial16(f, LN))));
        store16(y, with_exponent(mantissa, n, LN_2));
    });
    scalar::ln(y, x);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn log2(y: &mut [f32], x: &[f32]) {
    let (y, x) = map_rounds(y, x, |y, x| {
        let (n, f) = split16(load16(x));
        let mantissa = _mm512_add_ps(f, _mm512_mul_ps(f, polynomial16(f, LOG2)));
        store16(y, _mm512_add_ps(n, mantissa));
    });
    scalar::log2(y, x);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn log10(y: &mut [f32], x: &[f32]) {
    let (y, x) = map_rounds(y, x, |y, x| {
        let (n, f) = split16(load16(x));
        let half = _mm512_mul_ps(f, _mm512_set1_ps(0.5));
        let mantissa = _mm512_add_ps(half, _mm512_mul_ps(f, polynomial16(f, LOG10)));
        store16(y, with_exponent(mantissa, n, LOG10_2));
    });
    scalar::log10(y, x);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn log2_fast(y: &mut [f32], x: &[f32]) {
    let (y, x) = map_rounds(y, x, |y, x| store16(y, log2_fast16(load16(x))));
    scalar::log2_fast(y, x);
}

/// `n · log 2 + mantissa`, where the logarithm of 2 comes in two parts, both positive: n may be infinite.
#[inline]
#[target_feature(enable = "avx512f")]
fn with_exponent(mantissa: __m512, n: __m512, [coarse, fine]: [f32; 2]) -> __m512 {
    let fine = _mm512_add_ps(mantissa, _mm512_mul_ps(n, _mm512_set1_ps(fine)));
    _mm512_add_ps(_mm512_mul_ps(n, _mm512_set1_ps(coarse)), fine)
}
