//! Signed bytes to real samples.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, Pure, declare};

use super::scaled::ToFloat;
use crate::elementwise::Elementwise;

/// Signed bytes to real samples: `y[n] = x[n] / 128`.
///
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `i8` | code, −128..=127 |
/// | out `out` | `f32` | full scale = 1.0 |
///
/// ```
/// use superhet_blocks::convert::CharToFloat;
/// use superhet_runtime::harness;
///
/// let y = harness::run(CharToFloat, &[-128, 64]);
/// assert_eq!(y, [-1.0, 0.5]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CharToFloat;

impl Pure for CharToFloat {
    type In = i8;
    type Out = f32;

    fn map(&self, x: &[i8], y: &mut [f32]) {
        kernels::i8_to_f32(y, x);
    }
}

impl Elementwise for CharToFloat {
    type In = i8;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: i8) -> f32 {
        kernels::item::i8_to_f32(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[declare(
    category = "convert",
    summary = "Signed bytes to real samples: y[n] = x[n] / scale.",
    ports(
        input("in", "i8", "codes −128..=127"),
        output("out", "f32", "full scale = 1.0"),
        set_port("new values of scale")
    )
)]
fn char_to_float(
    /// The code for 1.0, not 0.
    #[param(default = 128.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(ToFloat::<i8>::new(scale)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::FloatToChar;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_from_its_sample() {
        let codes: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        let samples: Vec<f32> = harness::run(CharToFloat, &codes);
        assert!(samples.iter().all(|x| (-1.0..=1.0).contains(x)));
        assert_eq!(harness::run(FloatToChar, &samples), codes);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| CharToFloat, &(0..2000).map(|n| (n * 33) as i8).collect::<Vec<_>>());
    }
}
