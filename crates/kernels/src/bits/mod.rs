//! Bits: packing, unpacking, order and number.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Packs eight bits into a byte: bit `n` of an item becomes the `n`-th bit of the byte, counted from the highest one.
    ///
    /// A bit is the low bit of its byte; the others do not count. A slice of bytes becomes one of items by `as_chunks`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::pack_bits_msb(&mut y, &[[1, 0, 1, 0, 0, 0, 0, 0]]);
    /// assert_eq!(y, [0b1010_0000]);
    /// ```
    pub fn pack_bits_msb(y: &mut [u8], x: &[[u8; 8]]);
    same_length(y, x);
    table PACK_BITS_MSB { x86_64: avx512, avx2; }
}

kernel! {
    /// Packs eight bits into a byte: bit `n` of an item becomes the `n`-th bit of the byte, counted from the lowest one.
    ///
    /// A bit is the low bit of its byte; the others do not count. A slice of bytes becomes one of items by `as_chunks`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::pack_bits_lsb(&mut y, &[[1, 0, 1, 0, 0, 0, 0, 0]]);
    /// assert_eq!(y, [0b0000_0101]);
    /// ```
    pub fn pack_bits_lsb(y: &mut [u8], x: &[[u8; 8]]);
    same_length(y, x);
    table PACK_BITS_LSB { x86_64: avx512, avx2; }
}

kernel! {
    /// Unpacks a byte into its eight bits, a byte of 0 or 1 each, the highest one first.
    ///
    /// A slice of bytes becomes one of items by `as_chunks_mut`.
    ///
    /// ```
    /// let mut y = [[0; 8]];
    /// superhet_kernels::unpack_bits_msb(&mut y, &[0b1010_0000]);
    /// assert_eq!(y, [[1, 0, 1, 0, 0, 0, 0, 0]]);
    /// ```
    pub fn unpack_bits_msb(y: &mut [[u8; 8]], x: &[u8]);
    same_length(y, x);
    table UNPACK_BITS_MSB { x86_64: avx512, avx2; }
}

kernel! {
    /// Unpacks a byte into its eight bits, a byte of 0 or 1 each, the lowest one first.
    ///
    /// A slice of bytes becomes one of items by `as_chunks_mut`.
    ///
    /// ```
    /// let mut y = [[0; 8]];
    /// superhet_kernels::unpack_bits_lsb(&mut y, &[0b0000_0101]);
    /// assert_eq!(y, [[1, 0, 1, 0, 0, 0, 0, 0]]);
    /// ```
    pub fn unpack_bits_lsb(y: &mut [[u8; 8]], x: &[u8]);
    same_length(y, x);
    table UNPACK_BITS_LSB { x86_64: avx512, avx2; }
}

kernel! {
    /// Turns around the order of the bits in each byte.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::reverse_bits_u8(&mut y, &[0b1000_0000, 0b0000_0110]);
    /// assert_eq!(y, [0b0000_0001, 0b0110_0000]);
    /// ```
    pub fn reverse_bits_u8(y: &mut [u8], x: &[u8]);
    same_length(y, x);
    table REVERSE_BITS_U8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Turns around the order of the bits in each byte, in place.
    ///
    /// ```
    /// let mut x = [0b1000_0000, 0b0000_0110];
    /// superhet_kernels::reverse_bits_u8_in_place(&mut x);
    /// assert_eq!(x, [0b0000_0001, 0b0110_0000]);
    /// ```
    pub fn reverse_bits_u8_in_place(x: &mut [u8]);
    table REVERSE_BITS_U8_IN_PLACE { x86_64: avx512, avx2; }
}

kernel! {
    /// Turns around the order of the bits in each 32-bit item.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::reverse_bits_u32(&mut y, &[1, 6]);
    /// assert_eq!(y, [1 << 31, 3 << 29]);
    /// ```
    pub fn reverse_bits_u32(y: &mut [u32], x: &[u32]);
    same_length(y, x);
    table REVERSE_BITS_U32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Number of ones among the bits of each 32-bit item.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::popcount_u32(&mut y, &[0b111, u32::MAX]);
    /// assert_eq!(y, [3, 32]);
    /// ```
    pub fn popcount_u32(y: &mut [u32], x: &[u32]);
    same_length(y, x);
    table POPCOUNT_U32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Number of ones among the bits of each 64-bit item.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::popcount_u64(&mut y, &[0b111, u64::MAX]);
    /// assert_eq!(y, [3, 64]);
    /// ```
    pub fn popcount_u64(y: &mut [u64], x: &[u64]);
    same_length(y, x);
    table POPCOUNT_U64 { x86_64: avx512, avx2; }
}

kernel! {
    /// Number of ones among all bits of `x`; an empty slice gives 0.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::popcount_sum(&[0b111, 0b1000]), 4);
    /// ```
    pub fn popcount_sum(x: &[u8]) -> u64;
    table POPCOUNT_SUM { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Guarded, LONGEST, Noise, Want};
    use num_complex::Complex;

    fn number(bits: impl Iterator<Item = u8>) -> Want {
        Want::exact(bits.fold(0.0, |number, bit| 2.0 * number + f64::from(bit & 1)))
    }

    #[test]
    fn every_variant_packs_bits() {
        check::unary(&PACK_BITS_MSB, |run, y, x| run(y, x), |x: [u8; 8]| number(x.into_iter()));
        check::unary(&PACK_BITS_LSB, |run, y, x| run(y, x), |x: [u8; 8]| number(x.into_iter().rev()));
    }

    #[test]
    fn every_variant_unpacks_bits() {
        // The first and the last four bytes, each as a number, as the driver sees an item.
        let want = |bit: &dyn Fn(i32) -> u8| {
            let four = |first| (0..4).map(|n| f64::from(bit(first + n)) * 256f64.powi(n)).sum();
            Want::complex_within(Complex::new(four(0), four(4)), 0.0)
        };
        check::unary(&UNPACK_BITS_MSB, |run, y, x| run(y, x), |x: u8| want(&|n| (x >> (7 - n)) & 1));
        check::unary(&UNPACK_BITS_LSB, |run, y, x| run(y, x), |x: u8| want(&|n| (x >> n) & 1));
    }

    #[test]
    fn every_variant_turns_around_the_order_of_bits() {
        let byte = |x: u8| number((0..8).map(|n| x >> n));
        check::unary(&REVERSE_BITS_U8, |run, y, x| run(y, x), byte);
        check::unary_in_place(&REVERSE_BITS_U8_IN_PLACE, |run, x| run(x), byte);
        check::unary(
            &REVERSE_BITS_U32,
            |run, y, x| run(y, x),
            |x: u32| number((0..32).map(|n| (x >> n) as u8)),
        );
    }

    #[test]
    fn every_variant_counts_the_ones_of_items() {
        let ones = |x: u64| Want::exact((0..64).map(|n| (x >> n & 1) as f64).sum());
        check::unary(&POPCOUNT_U32, |run, y, x| run(y, x), |x: u32| ones(x.into()));
        check::unary(&POPCOUNT_U64, |run, y, x| run(y, x), ones);
    }

    #[test]
    fn every_variant_counts_the_ones_of_a_slice() {
        let noise: Vec<u8> = Noise::new(1).signal(LONGEST);
        for signal in [noise, vec![0xff; LONGEST]] {
            for (len, shift) in check::cases() {
                let x = Guarded::copy(&signal[..len], shift);
                let want: u64 = x.items().iter().map(|x| u64::from(x.count_ones())).sum();
                for (variant, run) in POPCOUNT_SUM.variants() {
                    assert_eq!(run(x.items()), want, "{variant}, {len} items, shift {shift}");
                }
            }
        }
    }
}
