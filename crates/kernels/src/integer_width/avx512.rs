//! The conversion to bytes compiled for AVX-512; for the one to 16 bits stores are the limit, as with AVX2.
//!
//! Gain over AVX2: 88 instead of 50 Gitems/s
//! (`cargo bench -p superhet-kernels -- i16_to_i8`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn i16_to_i8(y: &mut [i8], x: &[i16]);
}
