//! Real samples to signed 16-bit integers.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, Pure, declare};

use super::scaled::FromFloat;
use crate::elementwise::Elementwise;

/// Real samples to signed 16-bit integers: `y[n] = 32768 · x[n]`.
///
/// Rounds half to even, saturates to −32768..=32767; NaN becomes 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | full scale = 1.0 |
/// | out `out` | `i16` | code, −32768..=32767 |
///
/// ```
/// use superhet_blocks::convert::FloatToShort;
/// use superhet_runtime::harness;
///
/// let y = harness::run(FloatToShort, &[-1.0, 0.5]);
/// assert_eq!(y, [-32768, 16384]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatToShort;

impl Pure for FloatToShort {
    type In = f32;
    type Out = i16;

    fn map(&self, x: &[f32], y: &mut [i16]) {
        kernels::f32_to_i16(y, x);
    }
}

impl Elementwise for FloatToShort {
    type In = f32;
    type Out = i16;

    #[inline(always)]
    fn apply(&self, x: f32) -> i16 {
        kernels::item::f32_to_i16(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[declare(
    category = "convert",
    summary = "Real samples to signed 16-bit integers: y[n] = scale · x[n].",
    ports(
        input("in", "f32", "full scale = 1.0"),
        output("out", "i16", "codes −32768..=32767"),
        set_port("new values of scale")
    )
)]
fn float_to_short(
    /// The code for 1.0, not 0.
    #[param(default = 32768.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(FromFloat::<i16>::new(scale)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn what_is_out_of_range_saturates_and_nan_is_the_middle() {
        let samples = [f32::INFINITY, 1.5, 1.0, -1.0, -1.5, f32::NEG_INFINITY, f32::NAN];
        let codes: Vec<i16> = harness::run(FloatToShort, &samples);
        assert_eq!(codes, [32767, 32767, 32767, -32768, -32768, -32768, 0]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| FloatToShort, &noise(1000));
    }
}
