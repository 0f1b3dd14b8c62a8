//! Real samples to unsigned bytes.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, Pure, declare};

use crate::elementwise::{Elementwise, elementwise};

/// Real samples to unsigned bytes: `y[n] = 127.5 · x[n] + 127.5`.
///
/// Rounds half to even, saturates to 0..=255; NaN becomes 128.
/// As GNU Radio's block of this name, the entry can also keep numbers from 0 to 255 as they are: `plain`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | full scale = 1.0 |
/// | out `out` | `u8` | code, 0..=255 |
///
/// ```
/// use superhet_blocks::convert::FloatToUchar;
/// use superhet_runtime::harness;
///
/// let y = harness::run(FloatToUchar, &[-1.0, 1.0]);
/// assert_eq!(y, [0, 255]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatToUchar;

impl Pure for FloatToUchar {
    type In = f32;
    type Out = u8;

    fn map(&self, x: &[f32], y: &mut [u8]) {
        kernels::f32_to_u8(y, x);
    }
}

impl Elementwise for FloatToUchar {
    type In = f32;
    type Out = u8;

    #[inline(always)]
    fn apply(&self, x: f32) -> u8 {
        kernels::item::f32_to_u8(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[declare(
    category = "convert",
    summary = "Real samples to unsigned bytes: y[n] = 127.5 · x[n] + 127.5.",
    ports(input("in", "f32", "full scale = 1.0"), output("out", "u8", "codes 0..=255"))
)]
fn float_to_uchar(
    /// Whether the codes are the samples themselves, numbers from 0 to 255.
    #[param(default = false)]
    plain: bool,
) -> AnyBlock {
    match plain {
        true => AnyBlock::new(elementwise(|x: f32| kernels::item::f32_to_u8_scaled(x, 1.0))),
        false => AnyBlock::new(FloatToUchar),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn what_is_out_of_range_saturates_and_nan_is_the_middle() {
        let samples = [f32::INFINITY, 1.5, 1.0, -1.0, -1.5, f32::NEG_INFINITY, f32::NAN];
        let codes: Vec<u8> = harness::run(FloatToUchar, &samples);
        assert_eq!(codes, [255, 255, 255, 0, 0, 0, 128]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| FloatToUchar, &noise(1000));
    }
    #[test]
    fn plain_codes_are_numbers() {
        let y: Vec<u8> = crate::testing::run_entry(&ENTRY, &[("plain", true.into())], &[0f32, 200f32]);
        assert_eq!(y, [0u8, 200u8]);
    }
}
