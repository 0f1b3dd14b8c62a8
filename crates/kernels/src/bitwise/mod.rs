//! And, or and exclusive or.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Bitwise and of bytes: `y[n] = a[n] & b[n]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::and_u8(&mut y, &[0b1100], &[0b1010]);
    /// assert_eq!(y, [0b1000]);
    /// ```
    pub fn and_u8(y: &mut [u8], a: &[u8], b: &[u8]);
    same_length(y, a, b);
    table AND_U8 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise and of bytes in place: `a[n] = a[n] & b[n]`.
    ///
    /// ```
    /// let mut a = [0b1100];
    /// superhet_kernels::and_u8_in_place(&mut a, &[0b1010]);
    /// assert_eq!(a, [0b1000]);
    /// ```
    pub fn and_u8_in_place(a: &mut [u8], b: &[u8]);
    same_length(a, b);
    table AND_U8_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise and of 32-bit items: `y[n] = a[n] & b[n]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::and_u32(&mut y, &[0b1100], &[0b1010]);
    /// assert_eq!(y, [0b1000]);
    /// ```
    pub fn and_u32(y: &mut [u32], a: &[u32], b: &[u32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table AND_U32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise and of 32-bit items in place: `a[n] = a[n] & b[n]`.
    ///
    /// ```
    /// let mut a = [0b1100];
    /// superhet_kernels::and_u32_in_place(&mut a, &[0b1010]);
    /// assert_eq!(a, [0b1000]);
    /// ```
    pub fn and_u32_in_place(a: &mut [u32], b: &[u32]);
    same_length(a, b);
    table AND_U32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise or of bytes: `y[n] = a[n] | b[n]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::or_u8(&mut y, &[0b1100], &[0b1010]);
    /// assert_eq!(y, [0b1110]);
    /// ```
    pub fn or_u8(y: &mut [u8], a: &[u8], b: &[u8]);
    same_length(y, a, b);
    table OR_U8 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise or of bytes in place: `a[n] = a[n] | b[n]`.
    ///
    /// ```
    /// let mut a = [0b1100];
    /// superhet_kernels::or_u8_in_place(&mut a, &[0b1010]);
    /// assert_eq!(a, [0b1110]);
    /// ```
    pub fn or_u8_in_place(a: &mut [u8], b: &[u8]);
    same_length(a, b);
    table OR_U8_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise or of 32-bit items: `y[n] = a[n] | b[n]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::or_u32(&mut y, &[0b1100], &[0b1010]);
    /// assert_eq!(y, [0b1110]);
    /// ```
    pub fn or_u32(y: &mut [u32], a: &[u32], b: &[u32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table OR_U32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise or of 32-bit items in place: `a[n] = a[n] | b[n]`.
    ///
    /// ```
    /// let mut a = [0b1100];
    /// superhet_kernels::or_u32_in_place(&mut a, &[0b1010]);
    /// assert_eq!(a, [0b1110]);
    /// ```
    pub fn or_u32_in_place(a: &mut [u32], b: &[u32]);
    same_length(a, b);
    table OR_U32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise xor of bytes: `y[n] = a[n] ^ b[n]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::xor_u8(&mut y, &[0b1100], &[0b1010]);
    /// assert_eq!(y, [0b0110]);
    /// ```
    pub fn xor_u8(y: &mut [u8], a: &[u8], b: &[u8]);
    same_length(y, a, b);
    table XOR_U8 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise xor of bytes in place: `a[n] = a[n] ^ b[n]`.
    ///
    /// ```
    /// let mut a = [0b1100];
    /// superhet_kernels::xor_u8_in_place(&mut a, &[0b1010]);
    /// assert_eq!(a, [0b0110]);
    /// ```
    pub fn xor_u8_in_place(a: &mut [u8], b: &[u8]);
    same_length(a, b);
    table XOR_U8_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise xor of 32-bit items: `y[n] = a[n] ^ b[n]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::xor_u32(&mut y, &[0b1100], &[0b1010]);
    /// assert_eq!(y, [0b0110]);
    /// ```
    pub fn xor_u32(y: &mut [u32], a: &[u32], b: &[u32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table XOR_U32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Bitwise xor of 32-bit items in place: `a[n] = a[n] ^ b[n]`.
    ///
    /// ```
    /// let mut a = [0b1100];
    /// superhet_kernels::xor_u32_in_place(&mut a, &[0b1010]);
    /// assert_eq!(a, [0b0110]);
    /// ```
    pub fn xor_u32_in_place(a: &mut [u32], b: &[u32]);
    same_length(a, b);
    table XOR_U32_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_combines_bits() {
        check::binary(&AND_U8, |run, y, a, b| run(y, a, b), |a, b| Want::exact((a & b).into()));
        check::binary_in_place(&AND_U8_IN_PLACE, |run, a, b| run(a, b), |a, b| Want::exact((a & b).into()));
        check::binary(&AND_U32, |run, y, a, b| run(y, a, b), |a, b| Want::exact((a & b).into()));
        check::binary_in_place(&AND_U32_IN_PLACE, |run, a, b| run(a, b), |a, b| Want::exact((a & b).into()));
        check::binary(&OR_U8, |run, y, a, b| run(y, a, b), |a, b| Want::exact((a | b).into()));
        check::binary_in_place(&OR_U8_IN_PLACE, |run, a, b| run(a, b), |a, b| Want::exact((a | b).into()));
        check::binary(&OR_U32, |run, y, a, b| run(y, a, b), |a, b| Want::exact((a | b).into()));
        check::binary_in_place(&OR_U32_IN_PLACE, |run, a, b| run(a, b), |a, b| Want::exact((a | b).into()));
        check::binary(&XOR_U8, |run, y, a, b| run(y, a, b), |a, b| Want::exact((a ^ b).into()));
        check::binary_in_place(&XOR_U8_IN_PLACE, |run, a, b| run(a, b), |a, b| Want::exact((a ^ b).into()));
        check::binary(&XOR_U32, |run, y, a, b| run(y, a, b), |a, b| Want::exact((a ^ b).into()));
        check::binary_in_place(&XOR_U32_IN_PLACE, |run, a, b| run(a, b), |a, b| Want::exact((a ^ b).into()));
    }
}
