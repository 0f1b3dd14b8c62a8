//! Imaginary parts of complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Imaginary parts of complex samples: `y[n] = im x[n]`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `f32` | that of `in` |
///
/// ```
/// use superhet_blocks::convert::ComplexToImag;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(ComplexToImag, &[C32::new(3.0, -4.0)]);
/// assert_eq!(y, [-4.0]);
/// ```
#[declare(
    category = "convert",
    summary = "Imaginary parts of complex samples: y[n] = im x[n].",
    ports(input("in", "C32", "x"), output("out", "f32", "im x"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ComplexToImag;

impl Pure for ComplexToImag {
    type In = C32;
    type Out = f32;

    fn map(&self, x: &[C32], y: &mut [f32]) {
        kernels::complex_to_imag(y, x);
    }
}

impl Elementwise for ComplexToImag {
    type In = C32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: C32) -> f32 {
        kernels::item::complex_to_imag(x)
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
        let y = harness::run(ComplexToImag, &x);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - x.im).abs() <= 1e-6));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| ComplexToImag, &complex_noise(1000));
    }
}
