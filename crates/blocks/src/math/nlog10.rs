//! Logarithms of base 10, scaled.

use superhet_kernels as kernels;
use superhet_runtime::declare;

use crate::elementwise::{Elementwise, pure_of_elementwise};

/// Logarithms of base 10, scaled: `y[n] = factor · log10(x[n]) + offset`; with `factor` = 10, powers in decibels.
///
/// Below the smallest normal number, 1.2e-38, and so for 0 and what is negative, the logarithm is that of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | that of `offset` |
/// | in `set` | messages | new values of `factor` and `offset` |
///
/// ```
/// use superhet_blocks::math::Nlog10;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Nlog10 { factor: 10.0, offset: 3.0 }, &[1.0f32, 100.0]);
/// assert!((y[0] - 3.0).abs() < 1e-5 && (y[1] - 23.0).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Nlog10 {
    /// What the logarithm is multiplied by.
    pub factor: f32,
    /// What is added.
    pub offset: f32,
}

#[declare(
    category = "math",
    summary = "Logarithms of base 10, scaled: y[n] = factor · log10(x[n]) + offset.",
    ports(input("in", "f32", "x"), output("out", "f32", "factor · log10(x) + offset"))
)]
impl Nlog10 {
    /// Logarithms, times `factor`, plus `offset`.
    pub fn new(
        /// What the logarithm is multiplied by.
        #[param(live, default = 1.0)]
        factor: f32,
        /// What is added.
        #[param(live, default = 0.0)]
        offset: f32,
    ) -> Self {
        Nlog10 { factor, offset }
    }
}

impl Elementwise for Nlog10 {
    type In = f32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        // Written so that NaN stays NaN.
        let x = if x < f32::MIN_POSITIVE { f32::MIN_POSITIVE } else { x };
        self.factor * kernels::item::log10(x) + self.offset
    }
    fn describe(&self) -> String {
        format!("{}({}, {})", const { ENTRY.name }, self.factor, self.offset)
    }
}

pure_of_elementwise!(declared Nlog10);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_and_what_has_no_logarithm_is_the_smallest_number() {
        let block = Nlog10 { factor: 10.0, offset: 2.0 };
        let y: Vec<f32> = harness::run(block, &[1.0f32, 10.0, 0.0, -1.0, 1e-20, f32::NAN]);
        let wanted = [2.0, 12.0, -377.2977, -377.2977, -198.0];
        assert!(y.iter().zip(&wanted).all(|(y, wanted): (&f32, &f32)| (y - wanted).abs() < 1e-3), "{y:?}");
        assert!(y[5].is_nan());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Nlog10 { factor: 20.0, offset: -1.0 }, &noise(1000));
    }
}
