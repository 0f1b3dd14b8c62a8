//! Order of bytes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Turns around the order of the bytes in each 16-bit item: little endian to big endian, and back.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::swap_bytes_u16(&mut y, &[0x0102]);
    /// assert_eq!(y, [0x0201]);
    /// ```
    pub fn swap_bytes_u16(y: &mut [u16], x: &[u16]);
    same_length(y, x);
    beyond_caches scalar;
    table SWAP_BYTES_U16 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Turns around the order of the bytes in each 16-bit item in place: little endian to big endian, and back.
    ///
    /// ```
    /// let mut x = [0x0102];
    /// superhet_kernels::swap_bytes_u16_in_place(&mut x);
    /// assert_eq!(x, [0x0201]);
    /// ```
    pub fn swap_bytes_u16_in_place(x: &mut [u16]);
    table SWAP_BYTES_U16_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Turns around the order of the bytes in each 32-bit item: little endian to big endian, and back.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::swap_bytes_u32(&mut y, &[0x0102_0304]);
    /// assert_eq!(y, [0x0403_0201]);
    /// ```
    pub fn swap_bytes_u32(y: &mut [u32], x: &[u32]);
    same_length(y, x);
    table SWAP_BYTES_U32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Turns around the order of the bytes in each 32-bit item in place: little endian to big endian, and back.
    ///
    /// ```
    /// let mut x = [0x0102_0304];
    /// superhet_kernels::swap_bytes_u32_in_place(&mut x);
    /// assert_eq!(x, [0x0403_0201]);
    /// ```
    pub fn swap_bytes_u32_in_place(x: &mut [u32]);
    table SWAP_BYTES_U32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Turns around the order of the bytes in each 64-bit item: little endian to big endian, and back.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::swap_bytes_u64(&mut y, &[0x0102_0304_0506_0708]);
    /// assert_eq!(y, [0x0807_0605_0403_0201]);
    /// ```
    pub fn swap_bytes_u64(y: &mut [u64], x: &[u64]);
    same_length(y, x);
    table SWAP_BYTES_U64 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Turns around the order of the bytes in each 64-bit item in place: little endian to big endian, and back.
    ///
    /// ```
    /// let mut x = [0x0102_0304_0506_0708];
    /// superhet_kernels::swap_bytes_u64_in_place(&mut x);
    /// assert_eq!(x, [0x0807_0605_0403_0201]);
    /// ```
    pub fn swap_bytes_u64_in_place(x: &mut [u64]);
    table SWAP_BYTES_U64_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_swaps_bytes() {
        let want = |x: u16| Want::exact(u16::from_le_bytes(x.to_be_bytes()) as f64);
        check::unary(&SWAP_BYTES_U16, |run, y, x| run(y, x), want);
        check::unary_in_place(&SWAP_BYTES_U16_IN_PLACE, |run, x| run(x), want);
        let want = |x: u32| Want::exact(u32::from_le_bytes(x.to_be_bytes()) as f64);
        check::unary(&SWAP_BYTES_U32, |run, y, x| run(y, x), want);
        check::unary_in_place(&SWAP_BYTES_U32_IN_PLACE, |run, x| run(x), want);
        let want = |x: u64| Want::exact(u64::from_le_bytes(x.to_be_bytes()) as f64);
        check::unary(&SWAP_BYTES_U64, |run, y, x| run(y, x), want);
        check::unary_in_place(&SWAP_BYTES_U64_IN_PLACE, |run, x| run(x), want);
    }
}
