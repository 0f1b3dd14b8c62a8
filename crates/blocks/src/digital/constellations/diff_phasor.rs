//! The change from sample to sample.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, Shape, declare};

/// The change of phase from sample to sample: `y[n] = x[n] · conj(x[n − 1])`, with `x[−1] = 0`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in`, squared |
///
/// ```
/// use superhet_blocks::digital::DiffPhasor;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(DiffPhasor, &[C32::ONE, C32::I]);
/// assert_eq!(y, [C32::ZERO, C32::I]);
/// ```
#[declare(
    category = "digital",
    summary = "The change from sample to sample: y[n] = x[n] · conj(x[n − 1]).",
    ports(input("in", "C32", "x"), output("out", "C32", "the change"))
)]
#[derive(Clone, Copy, Debug)]
pub struct DiffPhasor;

impl Pure for DiffPhasor {
    type In = C32;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape { history: 1, ..Shape::default() }
    }

    fn map(&self, x: &[C32], y: &mut [C32]) {
        kernels::multiply_conjugate_c32(y, &x[1..], &x[..x.len() - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| DiffPhasor, &complex_noise(1000));
    }
}
