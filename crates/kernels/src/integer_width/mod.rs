//! Integer samples of one width to another.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Signed bytes to signed 16-bit integers of the same full scale: `y[n] = 256 · x[n]`, exactly.
    ///
    /// Complex items go through `as_flattened`.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::i8_to_i16(&mut y, &[-128, 1]);
    /// assert_eq!(y, [-32768, 256]);
    /// ```
    pub fn i8_to_i16(y: &mut [i16], x: &[i8]);
    same_length(y, x);
    table I8_TO_I16 { x86_64: avx2; }
}

kernel! {
    /// Signed 16-bit integers to signed bytes of the same full scale: `y[n] = ⌊x[n] / 256⌋`, the high byte.
    ///
    /// Rounds down, so that 255 becomes 0 and −1 stays −1. Complex items go through `as_flattened`.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::i16_to_i8(&mut y, &[511, -1]);
    /// assert_eq!(y, [1, -1]);
    /// ```
    pub fn i16_to_i8(y: &mut [i8], x: &[i16]);
    same_length(y, x);
    table I16_TO_I8 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_changes_the_width() {
        check::unary(&I8_TO_I16, |run, y, x| run(y, x), |x| Want::exact(256.0 * f64::from(x)));
        check::unary(&I16_TO_I8, |run, y, x| run(y, x), |x| Want::exact((f64::from(x) / 256.0).floor()));
    }
}
