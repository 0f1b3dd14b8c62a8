//! Squared magnitudes of complex samples, their power.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Squared magnitudes of complex samples, their power: `y[n] = re² + im²`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | the square of that of `in`, ≥ 0 |
///
/// ```
/// use superhet_blocks::convert::ComplexToMagSquared;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(ComplexToMagSquared, &[C32::new(3.0, -4.0)]);
/// assert_eq!(y, [25.0]);
/// ```
#[declare(
    category = "convert",
    summary = "Squared magnitudes of complex samples, their power: y[n] = re² + im².",
    ports(input("in", "C32", "x"), output("out", "f32", "|x|²"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplexToMagSquared;

impl Pure for ComplexToMagSquared {
    type In = C32;
    type Out = f32;

    fn map(&self, x: &[C32], y: &mut [f32]) {
        kernels::magnitude_squared(y, x);
    }
}

impl Elementwise for ComplexToMagSquared {
    type In = C32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: C32) -> f32 {
        kernels::item::magnitude_squared(x)
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
    fn values_are_right() {
        let x = complex_noise(100);
        let y = harness::run(ComplexToMagSquared, &x);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - x.norm_sqr()).abs() <= 1e-6));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| ComplexToMagSquared, &complex_noise(1000));
    }
}
