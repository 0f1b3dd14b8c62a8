//! A decision with hysteresis.
//!
//! The decisions of 64 items are the carries of a sum of two numbers of 64 bits: an item above the one level makes a carry, one
//! below the other stops it, and what is between lets it pass.

use superhet_kernels::{Machine, Routine, run_routine};
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

/// Items that are decided at once.
const GROUP: usize = 64;

/// Decisions in whole groups, behind one for 0 or for 1.
struct Decide<'a> {
    x: &'a [[f32; GROUP]],
    y: &'a mut [[f32; GROUP]],
    low: f32,
    high: f32,
    state: f32,
}

/// The items of a group for which something is so, the first lowest.
#[inline(always)]
fn bits(x: &[f32; GROUP], is_so: impl Fn(f32) -> bool) -> u64 {
    let mut bits = 0;
    for (place, eight) in x.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(eight.map(|x| u8::from(is_so(x))));
        // Bit 8 k of the first factor comes to 56 + k by one bit of the second, and no two products meet below that.
        bits |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place);
    }
    bits
}

impl Routine for Decide<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<M: Machine>(self) -> f32 {
        let Decide { x, y, low, high, state } = self;
        let mut carry = u64::from(state == 1.0);
        for (x, y) in x.iter().zip(y) {
            let above = bits(x, |x| x > high);
            let below = bits(x, |x| x < low);
            // A carry is made where both numbers have a bit, and passes where one has.
            let one = above | !below;
            let (sum, is_over) = one.overflowing_add(above);
            let (sum, is_over_too) = sum.overflowing_add(carry);
            let before = sum ^ one ^ above;
            let decided = above | (one & before);
            carry = u64::from(is_over | is_over_too);
            *y = std::array::from_fn(|place| (decided >> place & 1) as u32 as f32);
        }
        if carry == 1 { 1.0 } else { 0.0 }
    }
}

impl Threshold {
    fn decide(&mut self, x: f32) -> f32 {
        if x > self.high {
            self.state = 1.0;
        } else if x < self.low {
            self.state = 0.0;
        }
        self.state
    }
}

#[declare]
impl SyncBlock for Threshold {
    type In = f32;
    type Out = f32;
    fn process(&mut self, x: &[f32], y: &mut [f32]) {
        let (x_groups, x_rest) = x.as_chunks::<GROUP>();
        let (y_groups, y_rest) = y.as_chunks_mut::<GROUP>();
        if self.state == 0.0 || self.state == 1.0 {
            let Threshold { low, high, state } = *self;
            self.state = run_routine(Decide { x: x_groups, y: y_groups, low, high, state });
        } else {
            // Until the first decision.
            for (x, y) in x_groups.as_flattened().iter().zip(y_groups.as_flattened_mut()) {
                *y = self.decide(*x);
            }
        }
        x_rest.iter().zip(y_rest).for_each(|(x, y)| *y = self.decide(*x));
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
    fn many_items_are_decided_as_one_by_one() {
        let mut x = noise(3000);
        (x[100], x[1000]) = (f32::NAN, f32::INFINITY);
        for (low, high) in [(-0.5, 0.5), (-0.99, 0.99), (0.5, -0.5), (2.0, 3.0), (-3.0, -2.0), (0.0, 2.0)] {
            for state in [0.0, 1.0, 0.5] {
                let mut one_by_one = Threshold::new(low, high, state);
                let wanted: Vec<f32> = x.iter().map(|x| one_by_one.decide(*x)).collect();
                let y: Vec<f32> = harness::run(Threshold::new(low, high, state), &x);
                assert_eq!(y, wanted, "{low} {high} {state}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Threshold::new(-0.5, 0.5, 0.0), &noise(1000));
    }
}
