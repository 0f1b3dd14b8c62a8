//! Powers of complex samples.

use superhet_runtime::{C32, declare};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::error::{Error, check};
use crate::item::Number;

/// Whole powers: `y[n] = x[n]^exponent`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | its power |
/// | in `set` | messages | new values of `exponent` |
///
/// ```
/// use superhet_blocks::math::ExponentiateConst;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(ExponentiateConst::new(2)?, &[C32::I]);
/// assert_eq!(y, [C32::new(-1.0, 0.0)]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ExponentiateConst {
    exponent: i32,
}

#[declare(
    category = "math",
    summary = "Whole powers of complex samples: y[n] = x[n]^exponent.",
    ports(input("in", "C32", "x"), output("out", "C32", "x^exponent"))
)]
impl ExponentiateConst {
    /// The power of this exponent.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where it is less than 1.
    pub fn new(
        /// The exponent.
        #[param(live, range = 1..=i32::MAX, by = Number)]
        exponent: i32,
    ) -> Result<Self, Error> {
        check(exponent >= 1, "exponent", "a whole number ≥ 1", exponent)?;
        Ok(ExponentiateConst { exponent })
    }
}

impl Elementwise for ExponentiateConst {
    type In = C32;
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: C32) -> C32 {
        x.powu(self.exponent.unsigned_abs())
    }
    fn describe(&self) -> String {
        format!("{}({})", const { ENTRY.name }, self.exponent)
    }
}

pure_of_elementwise!(declared ExponentiateConst);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        let x = complex_noise(500);
        let y: Vec<C32> = harness::run(ExponentiateConst::new(3).unwrap(), &x);
        assert!(y.iter().zip(&x).all(|(y, x)| (y - x * x * x).norm() < 1e-5));
        harness::assert_cut_invariant(|| ExponentiateConst::new(4).unwrap(), &x);
        assert!(ExponentiateConst::new(0).is_err());
    }
}
