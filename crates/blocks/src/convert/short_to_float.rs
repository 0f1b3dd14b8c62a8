//! Signed 16-bit integers to real samples.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, Pure, declare};

use super::scaled::ToFloat;
use crate::elementwise::Elementwise;

/// Signed 16-bit integers to real samples: `y[n] = x[n] / 32768`.
///
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `i16` | code, −32768..=32767 |
/// | out `out` | `f32` | full scale = 1.0 |
///
/// ```
/// use superhet_blocks::convert::ShortToFloat;
/// use superhet_runtime::harness;
///
/// let y = harness::run(ShortToFloat, &[-32768, 16384]);
/// assert_eq!(y, [-1.0, 0.5]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortToFloat;

impl Pure for ShortToFloat {
    type In = i16;
    type Out = f32;

    fn map(&self, x: &[i16], y: &mut [f32]) {
        kernels::i16_to_f32(y, x);
    }
}

impl Elementwise for ShortToFloat {
    type In = i16;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: i16) -> f32 {
        kernels::item::i16_to_f32(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[declare(
    category = "convert",
    summary = "Signed 16-bit integers to real samples: y[n] = x[n] / scale.",
    ports(
        input("in", "i16", "codes −32768..=32767"),
        output("out", "f32", "full scale = 1.0"),
        set_port("new values of scale")
    )
)]
fn short_to_float(
    /// The code for 1.0, not 0.
    #[param(default = 32768.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(ToFloat::<i16>::new(scale)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::FloatToShort;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_from_its_sample() {
        let codes: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        let samples: Vec<f32> = harness::run(ShortToFloat, &codes);
        assert!(samples.iter().all(|x| (-1.0..=1.0).contains(x)));
        assert_eq!(harness::run(FloatToShort, &samples), codes);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || ShortToFloat,
            &(0..2000).map(|n| (n * 33) as i16).collect::<Vec<_>>(),
        );
    }
}
