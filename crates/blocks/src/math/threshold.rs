//! A decision with hysteresis.

use superhet_runtime::{SyncBlock, declare};

/// A decision with hysteresis: 1 from an item above `high` on, 0 from an item below `low` on.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | 0 or 1; `state` before the first decision |
/// | in `set` | messages | new values of `low`, `high`, `state` |
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

#[declare(
    category = "math",
    summary = "A decision with hysteresis: 1 above a value, 0 below another.",
    ports(input("in", "f32", "x"), output("out", "f32", "0 or 1"))
)]
impl Threshold {
    /// Decides for 1 above `high` and for 0 below `low`; gives `state` before.
    pub fn new(
        /// Below this, 0.
        #[param(live)]
        low: f32,
        /// Above this, 1.
        #[param(live)]
        high: f32,
        /// What is given before the first decision.
        // It changes with the stream: what was set is not told.
        #[param(live, untold, default = 0.0)]
        state: f32,
    ) -> Self {
        Threshold { low, high, state }
    }
}

#[declare]
impl SyncBlock for Threshold {
    type In = f32;
    type Out = f32;
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
