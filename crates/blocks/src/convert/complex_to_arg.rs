//! Angles of complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

/// Angles of complex samples: `y[n] = atan2(im, re)`.
///
/// **Accuracy**: that of [`complex_to_arg`](kernels::complex_to_arg).
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | radians, −π to π |
///
/// ```
/// use superhet_blocks::convert::ComplexToArg;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(ComplexToArg, &[C32::new(0.0, 2.0)]);
/// assert!((y[0] - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
/// ```
#[declare(
    category = "convert",
    summary = "Angles of complex samples: y[n] = atan2(im, re).",
    ports(input("in", "C32", "x"), output("out", "f32", "the angle of x in radians, −π to π"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplexToArg;

impl Pure for ComplexToArg {
    type In = C32;
    type Out = f32;

    fn map(&self, x: &[C32], y: &mut [f32]) {
        kernels::complex_to_arg(y, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        let x = complex_noise(1000);
        let y = harness::run(ComplexToArg, &x);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - x.arg()).abs() < 1e-5));
        harness::assert_cut_invariant(|| ComplexToArg, &x);
    }
}
