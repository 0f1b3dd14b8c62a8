//! A decision with hysteresis.

use superhet_runtime::catalog::{ANY_FLOAT, Entry, input, optional, output, required, set_port};
use superhet_runtime::{AnyBlock, BlockError, SyncBlock, Value, no_parameter};

use crate::item::from_value;

/// A decision with hysteresis: 1 from an item above `high` on, 0 from an item below `low` on.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | 0 or 1; `state` before the first decision |
/// | in `set` | messages | new values of `low`, `high`, `state` |
///
/// | parameter | range |
/// |---|---|
/// | `low`, `high` | any; can be changed while the block runs |
/// | `state` | any; likewise: what is given until the next decision |
///
/// ```
/// use superhet_blocks::math::Threshold;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Threshold::new(-1.0, 1.0, 0.0), &[0.0f32, 1.5, 0.0, -1.5, 0.0]);
/// assert_eq!(y, [0.0, 1.0, 1.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    low: f32,
    high: f32,
    state: f32,
}

impl Threshold {
    /// Decides for 1 above `high` and for 0 below `low`; gives `state` before.
    pub fn new(low: f32, high: f32, state: f32) -> Self {
        Threshold { low, high, state }
    }
}

impl SyncBlock for Threshold {
    type In = f32;
    type Out = f32;
    const PARAMETERS: &'static [&'static str] = &["low", "high", "state"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "low" => self.low = from_value("low", value)?,
            "high" => self.high = from_value("high", value)?,
            "state" => self.state = from_value("state", value)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "low" => Some(self.low.into()),
            "high" => Some(self.high.into()),
            // It changes with the stream, so this shows the value that was set.
            _ => None,
        }
    }

    fn process(&mut self, x: &[f32], y: &mut [f32]) {
        for (y, &x) in y.iter_mut().zip(x) {
            if x > self.high {
                self.state = 1.0;
            } else if x < self.low {
                self.state = 0.0;
            }
            *y = self.state;
        }
    }
}

/// How files and the command line find [`Threshold`].
pub const ENTRY: Entry = Entry {
    name: "threshold",
    category: "math",
    summary: "A decision with hysteresis: 1 above a value, 0 below another.",
    params: &[
        required("low", ANY_FLOAT, "", "Below this, 0."),
        required("high", ANY_FLOAT, "", "Above this, 1."),
        optional("state", ANY_FLOAT, "", "0.0", "What is given before the first decision."),
    ],
    ports: &[
        input("in", "f32", "x"),
        output("out", "f32", "0 or 1"),
        set_port("new values of low, high and state"),
    ],
    make: |params| {
        let [low, high, state] = ["low", "high", "state"].map(|name| params.float(name) as f32);
        Ok(AnyBlock::new(Threshold::new(low, high, state)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn the_decision_stays_between_the_two_values() {
        let x = [0.0f32, 1.0, 1.1, 0.0, -1.0, -1.1, 0.0, 2.0];
        let y: Vec<f32> = harness::run(Threshold::new(-1.0, 1.0, 0.5), &x);
        assert_eq!(y, [0.5, 0.5, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Threshold::new(-0.5, 0.5, 0.0), &noise(1000));
    }
}
