//! Packing, order and number of bits compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn pack_bits_msb(y: &mut [u8], x: &[[u8; 8]]);
    fn pack_bits_lsb(y: &mut [u8], x: &[[u8; 8]]);
    fn unpack_bits_msb(y: &mut [[u8; 8]], x: &[u8]);
    fn unpack_bits_lsb(y: &mut [[u8; 8]], x: &[u8]);
    fn reverse_bits_u8(y: &mut [u8], x: &[u8]);
    fn reverse_bits_u8_in_place(x: &mut [u8]);
    fn reverse_bits_u32(y: &mut [u32], x: &[u32]);
    fn popcount_u32(y: &mut [u32], x: &[u32]);
    fn popcount_u64(y: &mut [u64], x: &[u64]);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn popcount_sum(x: &[u8]) -> u64 {
    super::scalar::popcount_sum(x)
}
