//! Real samples to signed bytes.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, Pure, declare};

use super::scaled::FromFloat;
use crate::elementwise::Elementwise;

/// Real samples to signed bytes: `y[n] = 128 · x[n]`.
///
/// Rounds half to even, saturates to −128..=127; NaN becomes 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | full scale = 1.0 |
/// | out `out` | `i8` | code, −128..=127 |
///
/// ```
/// use superhet_blocks::convert::FloatToChar;
/// use superhet_runtime::harness;
///
/// let y = harness::run(FloatToChar, &[-1.0, 0.5]);
/// assert_eq!(y, [-128, 64]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatToChar;

impl Pure for FloatToChar {
    type In = f32;
    type Out = i8;

    fn map(&self, x: &[f32], y: &mut [i8]) {
        kernels::f32_to_i8(y, x);
    }
}

impl Elementwise for FloatToChar {
    type In = f32;
    type Out = i8;

    #[inline(always)]
    fn apply(&self, x: f32) -> i8 {
        kernels::item::f32_to_i8(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[declare(
    category = "convert",
    summary = "Real samples to signed bytes: y[n] = scale · x[n].",
    ports(
        input("in", "f32", "full scale = 1.0"),
        output("out", "i8", "codes −128..=127"),
        set_port("new values of scale")
    )
)]
fn float_to_char(
    /// The code for 1.0, not 0.
    #[param(default = 128.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(FromFloat::<i8>::new(scale)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn what_is_out_of_range_saturates_and_nan_is_the_middle() {
        let samples = [f32::INFINITY, 1.5, 1.0, -1.0, -1.5, f32::NEG_INFINITY, f32::NAN];
        let codes: Vec<i8> = harness::run(FloatToChar, &samples);
        assert_eq!(codes, [127, 127, 127, -128, -128, -128, 0]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| FloatToChar, &noise(1000));
    }
}
