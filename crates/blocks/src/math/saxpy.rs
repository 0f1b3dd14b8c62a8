//! saxpy: scales and shifts.

use superhet_kernels as kernels;
use superhet_runtime::{InPlace, Pure, declare};

use crate::elementwise::Elementwise;

/// Scales and shifts: `y[n] = gain · x[n] + offset`; in place where the plan can.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | that of `in`, times that of `gain` |
/// | in `set` | messages | new values of `gain` and `offset` |
///
/// ```
/// use superhet_blocks::math::Saxpy;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Saxpy::new(2.0, 0.5), &[1.0, 2.0]), [2.5, 4.5]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Saxpy {
    /// The factor.
    pub gain: f32,
    /// What is added to the product.
    pub offset: f32,
}

#[declare(
    category = "math",
    summary = "Scales and shifts: y[n] = gain · x[n] + offset.",
    ports(input("in", "f32", "x"), output("out", "f32", "gain · x + offset"))
)]
impl Saxpy {
    /// Scales by `gain`, then shifts by `offset`.
    pub fn new(
        /// The factor.
        #[param(live)]
        gain: f32,
        /// What is added to the product.
        #[param(live, default = 0.0)]
        offset: f32,
    ) -> Self {
        Saxpy { gain, offset }
    }
}

#[declare]
impl Pure for Saxpy {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| kernels::saxpy_in_place(x, block.gain, block.offset));
    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::saxpy(y, x, self.gain, self.offset);
    }
}

impl Elementwise for Saxpy {
    type In = f32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        kernels::item::saxpy(x, self.gain, self.offset)
    }
    fn describe(&self) -> String {
        format!("{}({}, {})", const { ENTRY.name }, self.gain, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right() {
        let x = noise(100);
        let wanted: Vec<f32> = x.iter().map(|x| x * 1.7 - 0.3).collect();
        assert_eq!(harness::run(Saxpy::new(1.7, -0.3), &x), wanted);
    }

    #[test]
    fn nan_and_infinity_pass_as_the_math_says() {
        let y: Vec<f32> = harness::run(Saxpy::new(0.0, 1.0), &[f32::NAN, f32::INFINITY, 5.0]);
        assert!(y[0].is_nan() && y[1].is_nan() && y[2] == 1.0);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Saxpy::new(1.7, -0.3), &noise(1000));
    }
}
