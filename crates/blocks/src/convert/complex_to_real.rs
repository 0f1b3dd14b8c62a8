//! Real parts of complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Real parts of complex samples: `y[n] = re x[n]`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | that of `in` |
///
/// ```
/// use superhet_blocks::convert::ComplexToReal;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(ComplexToReal, &[C32::new(3.0, -4.0)]);
/// assert_eq!(y, [3.0]);
/// ```
#[declare(
    category = "convert",
    summary = "Real parts of complex samples: y[n] = re x[n].",
    ports(input("in", "C32", "x"), output("out", "f32", "re x"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplexToReal;

impl Pure for ComplexToReal {
    type In = C32;
    type Out = f32;

    fn map(&self, x: &[C32], y: &mut [f32]) {
        kernels::complex_to_real(y, x);
    }
}

impl Elementwise for ComplexToReal {
    type In = C32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: C32) -> f32 {
        kernels::item::complex_to_real(x)
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
        let y = harness::run(ComplexToReal, &x);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - x.re).abs() <= 1e-6));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| ComplexToReal, &complex_noise(1000));
    }
}
