//! Complex samples to unsigned bytes, interleaved IQ.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Complex samples to unsigned bytes, interleaved IQ: each part is `127.5 · x + 127.5`.
///
/// Rounds half to even, saturates to 0..=255; NaN becomes 128.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | full scale = 1.0 |
/// | out `out` | `cu8` | codes [i, q], 0..=255 |
///
/// ```
/// use superhet_blocks::convert::C32ToCu8;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(C32ToCu8, &[C32::new(-1.0, 1.0)]);
/// assert_eq!(y, [[0, 255]]);
/// ```
#[declare(
    category = "convert",
    summary = "Complex samples to unsigned bytes, interleaved IQ: each part is 127.5 · x + 127.5.",
    ports(input("in", "C32", "full scale = 1.0"), output("out", "cu8", "codes [i, q], 0..=255"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct C32ToCu8;

impl Pure for C32ToCu8 {
    type In = C32;
    type Out = [u8; 2];

    fn map(&self, x: &[C32], y: &mut [[u8; 2]]) {
        kernels::c32_to_u8(y, x);
    }
}

impl Elementwise for C32ToCu8 {
    type In = C32;
    type Out = [u8; 2];

    #[inline(always)]
    fn apply(&self, x: C32) -> [u8; 2] {
        kernels::item::c32_to_u8(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn what_is_out_of_range_saturates_and_nan_is_the_middle() {
        let samples =
            [C32::new(f32::INFINITY, -1.5), C32::new(1.5, f32::NAN), C32::new(f32::NEG_INFINITY, 1.0)];
        let codes: Vec<[u8; 2]> = harness::run(C32ToCu8, &samples);
        assert_eq!(codes, [[255, 0], [255, 128], [0, 255]]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| C32ToCu8, &complex_noise(1000));
    }
}
