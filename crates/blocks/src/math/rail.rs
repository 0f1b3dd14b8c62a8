//! Limits.

use superhet_kernels as kernels;
use superhet_runtime::{InPlace, Pure, declare};

use crate::error::{Error, check};

/// Limits: what is below `low` becomes `low`, what is above `high` becomes `high`. NaN passes.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | that of `in` |
/// | in `set` | messages | new values of `low` and `high` |
///
/// ```
/// use superhet_blocks::math::Rail;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Rail::new(-1.0, 0.5)?, &[-3.0, 0.25, 3.0]), [-1.0, 0.25, 0.5]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rail {
    low: f32,
    high: f32,
}

#[declare(
    category = "math",
    summary = "Limits the stream to a range.",
    ports(input("in", "f32", "x"), output("out", "f32", "x within low and high"))
)]
impl Rail {
    /// Limits to the range from `low` to `high`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `low` ≤ `high`.
    pub fn new(
        /// The lowest value that passes as it is.
        #[param(live)]
        low: f32,
        /// The highest, not less than low.
        #[param(live)]
        high: f32,
    ) -> Result<Self, Error> {
        check(!low.is_nan(), "low", "a number", low)?;
        check(low <= high, "high", "a number not less than low", high)?;
        Ok(Rail { low, high })
    }
}

#[declare]
impl Pure for Rail {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| kernels::clamp_f32_in_place(x, block.low, block.high));
    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::clamp_f32(y, x, self.low, self.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        let x = noise(1000);
        let wanted: Vec<f32> = x.iter().map(|x| x.clamp(-0.25, 0.5)).collect();
        assert_eq!(harness::run(Rail::new(-0.25, 0.5).unwrap(), &x), wanted);
        harness::assert_cut_invariant(|| Rail::new(-0.25, 0.5).unwrap(), &x);
    }

    #[test]
    fn limits_that_cross_are_refused() {
        assert!(Rail::new(1.0, -1.0).is_err() && Rail::new(f32::NAN, 1.0).is_err());
        assert!(Rail::new(0.0, 1.0).unwrap().with_parameter("low", &2.0.into()).is_err());
    }
}
