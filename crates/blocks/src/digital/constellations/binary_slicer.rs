//! Hard decisions about bits.

use superhet_kernels as kernels;
use superhet_runtime::{Pure, declare};

/// One bit of each number: 1 for `x[n] ≥ 0`, else 0, also for NaN.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `u8` | 0 or 1 |
///
/// ```
/// use superhet_blocks::digital::BinarySlicer;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(BinarySlicer, &[-0.5, 0.0, 2.0]), [0, 1, 1]);
/// ```
#[declare(
    category = "digital",
    summary = "One bit of each number: 1 for x ≥ 0, else 0.",
    ports(input("in", "f32", "x"), output("out", "u8", "0 or 1"))
)]
#[derive(Clone, Copy, Debug)]
pub struct BinarySlicer;

impl Pure for BinarySlicer {
    type In = f32;
    type Out = u8;

    fn map(&self, x: &[f32], y: &mut [u8]) {
        kernels::binary_slicer_u8(y, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_and_do_not_depend_on_cuts() {
        assert_eq!(harness::run(BinarySlicer, &[-0.0, f32::NAN, f32::NEG_INFINITY]), [1, 0, 0]);
        harness::assert_cut_invariant(|| BinarySlicer, &noise(1000));
    }
}
