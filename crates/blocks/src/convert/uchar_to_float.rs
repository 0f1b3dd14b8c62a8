//! Unsigned bytes to real samples.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, Pure, declare};

use crate::elementwise::{Elementwise, elementwise};

/// Unsigned bytes to real samples: `y[n] = (x[n] − 127.5) / 127.5`.
///
/// As GNU Radio's block of this name, the entry can also keep numbers from 0 to 255 as they are: `plain`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | code, 0..=255 |
/// | out `out` | `f32` | full scale = 1.0 |
///
/// ```
/// use superhet_blocks::convert::UcharToFloat;
/// use superhet_runtime::harness;
///
/// let y = harness::run(UcharToFloat, &[0, 255]);
/// assert_eq!(y, [-1.0, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct UcharToFloat;

impl Pure for UcharToFloat {
    type In = u8;
    type Out = f32;

    fn map(&self, x: &[u8], y: &mut [f32]) {
        kernels::u8_to_f32(y, x);
    }
}

impl Elementwise for UcharToFloat {
    type In = u8;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: u8) -> f32 {
        kernels::item::u8_to_f32(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[declare(
    category = "convert",
    summary = "Unsigned bytes to real samples: y[n] = (x[n] − 127.5) / 127.5.",
    ports(input("in", "u8", "codes 0..=255"), output("out", "f32", "full scale = 1.0"))
)]
fn uchar_to_float(
    /// Whether the codes stay numbers from 0 to 255.
    #[param(default = false)]
    plain: bool,
) -> AnyBlock {
    match plain {
        true => AnyBlock::new(elementwise(|x: u8| f32::from(x))),
        false => AnyBlock::new(UcharToFloat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::FloatToUchar;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_from_its_sample() {
        let codes: Vec<u8> = (u8::MIN..=u8::MAX).collect();
        let samples: Vec<f32> = harness::run(UcharToFloat, &codes);
        assert!(samples.iter().all(|x| (-1.0..=1.0).contains(x)));
        assert_eq!(harness::run(FloatToUchar, &samples), codes);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || UcharToFloat,
            &(0..2000).map(|n| (n * 33) as u8).collect::<Vec<_>>(),
        );
    }
    #[test]
    fn plain_codes_are_numbers() {
        let y: Vec<f32> = crate::testing::run_entry(&ENTRY, &[("plain", true.into())], &[0u8, 200u8]);
        assert_eq!(y, [0f32, 200f32]);
    }
}
