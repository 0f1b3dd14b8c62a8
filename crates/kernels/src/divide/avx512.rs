//! Complex division for AVX-512, by hand; a Zen 4's divider is as fast with the vectors of AVX2.
//!
//! Gain over AVX2: 4.4 instead of 3.8 Gitems/s for `divide_c32`
//! (`cargo bench -p superhet-kernels --features trials -- divide`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 27 instead of 13.6 for `divide_f32`, 27 instead of 13.6 for
//! `reciprocal` (`superhet bench kernels --variants --length 1024`).

use crate::x86::{
    load16, load16_or_fewer, quotient16, store16, store16_or_fewer, update_vectors_with, zip_vectors,
};
use crate::{C32, floats, floats_mut};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn divide_c32(y: &mut [C32], a: &[C32], b: &[C32]) {
    let (y, a, b) = zip_vectors(y, a, b, |y, a, b| store16(y, quotient16(load16(a), load16(b))));
    let quotient = quotient16(load16_or_fewer(floats(a)), load16_or_fewer(floats(b)));
    store16_or_fewer(floats_mut(y), quotient);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn divide_c32_in_place(a: &mut [C32], b: &[C32]) {
    let (a, b) = update_vectors_with(a, b, |a, b| store16(a, quotient16(load16(a), load16(b))));
    let quotient = quotient16(load16_or_fewer(floats(a)), load16_or_fewer(floats(b)));
    store16_or_fewer(floats_mut(a), quotient);
}

crate::elementwise::compile_for_avx512! {
    fn divide_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn divide_f32_in_place(a: &mut [f32], b: &[f32]);
    fn reciprocal(y: &mut [f32], x: &[f32]);
}
