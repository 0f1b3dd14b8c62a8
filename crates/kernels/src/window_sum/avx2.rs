//! Sums of groups compiled for AVX2.

crate::elementwise::compile_for_avx2! {
    fn group_sums_f32(all: &mut [f32], few: &mut [f32], x: &[f32], parts: usize, count: usize);
}
