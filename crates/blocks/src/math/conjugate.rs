//! Conjugates.

use superhet_kernels as kernels;
use superhet_runtime::{C32, InPlace, Pure, declare};

use crate::elementwise::Elementwise;

/// Conjugates: `y[n] = conj(x[n])`; in place where the plan can.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// ```
/// use superhet_blocks::math::Conjugate;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(Conjugate, &[C32::new(1.0, 2.0)]);
/// assert_eq!(y, [C32::new(1.0, -2.0)]);
/// ```
#[declare(
    category = "math",
    summary = "Conjugates: y[n] = conj(x[n]).",
    ports(input("in", "C32", "x"), output("out", "C32", "the conjugate of x"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Conjugate;

impl Pure for Conjugate {
    type In = C32;
    type Out = C32;
    const IN_PLACE: Option<InPlace<Self>> = Some(|_, x| kernels::conjugate_in_place(x));

    fn map(&self, x: &[C32], y: &mut [C32]) {
        kernels::conjugate(y, x);
    }
}

impl Elementwise for Conjugate {
    type In = C32;
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: C32) -> C32 {
        kernels::item::conjugate(x)
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
        let wanted: Vec<C32> = x.iter().map(|x| x.conj()).collect();
        assert_eq!(harness::run(Conjugate, &x), wanted);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Conjugate, &complex_noise(1000));
    }
}
