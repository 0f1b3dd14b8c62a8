//! Limits.

use superhet_kernels as kernels;
use superhet_runtime::catalog::{ANY_FLOAT, Entry, input, output, required, set_port};
use superhet_runtime::{AnyBlock, BlockError, Pure, Value, no_parameter};

use crate::error::{Error, check};
use crate::item::from_value;

/// Limits: what is below `low` becomes `low`, what is above `high` becomes `high`. NaN passes.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | that of `in` |
/// | in `set` | messages | new values of `low` and `high` |
///
/// | parameter | range |
/// |---|---|
/// | `low` | any but NaN; can be changed while the block runs |
/// | `high` | not less than `low`; likewise |
///
/// ```
/// use superhet_blocks::math::Rail;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run::<f32, f32, _, _>(Rail::new(-1.0, 0.5)?, &[-3.0, 0.25, 3.0]), [-1.0, 0.25, 0.5]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rail {
    low: f32,
    high: f32,
}

impl Rail {
    /// Limits to the range from `low` to `high`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `low` ≤ `high`.
    pub fn new(low: f32, high: f32) -> Result<Self, Error> {
        check(!low.is_nan(), "low", "a number", low)?;
        check(low <= high, "high", "a number not less than low", high)?;
        Ok(Rail { low, high })
    }
}

impl Pure for Rail {
    type In = f32;
    type Out = f32;
    const IN_PLACE: bool = true;
    const PARAMETERS: &'static [&'static str] = &["low", "high"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        match name {
            "low" => Ok(Rail::new(from_value("low", value)?, self.high)?),
            "high" => Ok(Rail::new(self.low, from_value("high", value)?)?),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "low" => Some(self.low.into()),
            "high" => Some(self.high.into()),
            _ => None,
        }
    }
    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::clamp_f32(y, x, self.low, self.high);
    }
    fn map_in_place(&self, x: &mut [f32]) {
        kernels::clamp_f32_in_place(x, self.low, self.high);
    }
}

/// How files and the command line find [`Rail`].
pub const ENTRY: Entry = Entry {
    name: "rail",
    category: "math",
    summary: "Limits the stream to a range.",
    params: &[
        required("low", ANY_FLOAT, "", "The lowest value that passes as it is."),
        required("high", ANY_FLOAT, "", "The highest, not less than low."),
    ],
    ports: &[
        input("in", "f32", "x"),
        output("out", "f32", "x within low and high"),
        set_port("new values of low and high"),
    ],
    make: |params| Ok(AnyBlock::new(Rail::new(params.float("low") as f32, params.float("high") as f32)?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        let x = noise(1000);
        let wanted: Vec<f32> = x.iter().map(|x| x.clamp(-0.25, 0.5)).collect();
        assert_eq!(harness::run::<f32, f32, _, _>(Rail::new(-0.25, 0.5).unwrap(), &x), wanted);
        harness::assert_cut_invariant(|| Rail::new(-0.25, 0.5).unwrap(), &x);
    }

    #[test]
    fn limits_that_cross_are_refused() {
        assert!(Rail::new(1.0, -1.0).is_err() && Rail::new(f32::NAN, 1.0).is_err());
        assert!(Rail::new(0.0, 1.0).unwrap().with_parameter("low", &2.0.into()).is_err());
    }
}
