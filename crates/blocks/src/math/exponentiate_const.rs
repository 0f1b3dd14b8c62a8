//! Powers of complex samples.

use superhet_runtime::catalog::{Entry, Kind, input, output, required, set_port};
use superhet_runtime::{AnyBlock, C32, no_parameter};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::error::{Error, check};
use crate::item::from_value;

/// Whole powers: `y[n] = x[n]^exponent`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | its power |
/// | in `set` | messages | new values of `exponent` |
///
/// | parameter | range |
/// |---|---|
/// | `exponent` | 1 to 2³¹ − 1; can be changed while the block runs |
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

impl ExponentiateConst {
    /// The power of this exponent.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where it is less than 1.
    pub fn new(exponent: i32) -> Result<Self, Error> {
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
        format!("{}({})", ENTRY.name, self.exponent)
    }
}

pure_of_elementwise!(ExponentiateConst;
    &["exponent"],
    |_, name, value| match name {
        "exponent" => Ok(ExponentiateConst::new(from_value("exponent", value)?)?),
        _ => Err(no_parameter(name, &["exponent"])),
    },
    |block, name| (name == "exponent").then(|| block.exponent.into())
);

/// How files and the command line find [`ExponentiateConst`].
pub const ENTRY: Entry = Entry {
    name: "exponentiate_const",
    category: "math",
    summary: "Whole powers of complex samples: y[n] = x[n]^exponent.",
    params: &[required("exponent", Kind::Integer(1, i32::MAX as i64), "", "The exponent.")],
    ports: &[input("in", "C32", "x"), output("out", "C32", "x^exponent"), set_port("new values of exponent")],
    make: |params| Ok(AnyBlock::new(ExponentiateConst::new(params.integer("exponent") as i32)?)),
};

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
