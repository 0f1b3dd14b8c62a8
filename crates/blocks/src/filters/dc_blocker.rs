//! Removal of the constant part of a signal.
//!
//! The means are those of `math/moving_sum.rs`, of a chunk of items at a time: what bounds them bounds this.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, Shape, SyncBlock, declare};

use crate::error::{Error, check};
use crate::math::moving_sum::{MovingSum, Summable};

/// Removes the constant part: the input, delayed, less a moving mean of it.
///
/// The mean is taken over `D` items two times (short form) or four times (long form), one after another; the input is delayed
/// by as much as they: `y[n] = x[n − (D − 1)] − m₂[n]`, or `y[n] = x[n − 2 (D − 1)] − m₄[n]`, with
/// `mᵢ[n] = (mᵢ₋₁[n] + … + mᵢ₋₁[n − D + 1]) / D` and `m₀ = x`. Zeros before the first item.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in` |
///
/// Each mean has the items of its window and nothing else: nothing adds up.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁰ · max |x|` in each part.
///
/// **Source**: R. Yates and R. Lyons, "DC blocker algorithms", IEEE Signal Processing Magazine 25 (2), 2008.
///
/// ```
/// use superhet_blocks::filters::DcBlocker;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(DcBlocker::<f32>::new(4, true)?, &[1.0f32; 100]);
/// assert!(y[20..].iter().all(|y| y.abs() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DcBlocker<T: Summable> {
    length: usize,
    means: Vec<MovingSum<T>>,
    /// The latest inputs, as many as the delay, then room for new ones.
    delayed: Vec<T>,
    /// Of a chunk: what goes into a mean.
    before: Vec<T>,
}

/// Items of a chunk.
const CHUNK: usize = 1024;

#[declare(
    category = "filters",
    summary = "Removes the constant part: the input less a moving mean of it.",
    items(C32, f32),
    ports(input("in", "item", "x"), output("out", "item", "x without its constant part"))
)]
impl<T: Summable> DcBlocker<T> {
    /// Means over `length` items, in the long form or the short one.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `length` is 2 to 2²⁰.
    pub fn new(
        /// Over how many items the mean is taken.
        #[param(unit = "items", kind = Kind::Integer(2, LONGEST as i64), default = 32)]
        length: usize,
        /// Four means one after another; false: two.
        #[param(default = true)]
        long_form: bool,
    ) -> Result<Self, Error> {
        check((2..=LONGEST).contains(&length), "length", "a whole number from 2 to 1048576", length as f64)?;
        let means = if long_form { 4 } else { 2 };
        Ok(DcBlocker {
            length,
            means: vec![MovingSum::new(length); means],
            delayed: vec![T::default(); means / 2 * (length - 1) + CHUNK],
            before: vec![T::default(); CHUNK],
        })
    }
}

/// The longest mean.
const LONGEST: usize = 1 << 20;

impl<T: Summable> SyncBlock for DcBlocker<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape { delay: (self.delayed.len() - CHUNK) as u64, ..Shape::default() }
    }

    fn process(&mut self, x: &[T], y: &mut [T]) {
        let scale = 1.0 / self.length as f32;
        let delay = self.delayed.len() - CHUNK;
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            self.delayed[delay..][..x.len()].copy_from_slice(x);
            y.copy_from_slice(x);
            let before = &mut self.before[..x.len()];
            for mean in &mut self.means {
                before.copy_from_slice(y);
                mean.run(before, y, scale);
            }
            T::subtract_from(y, &self.delayed[..x.len()]);
            self.delayed.copy_within(x.len()..x.len() + delay, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    fn impulse(length: usize, long_form: bool) -> Vec<f32> {
        let mut x = vec![0.0f32; 20];
        x[0] = (length as f32).powi(if long_form { 4 } else { 2 });
        harness::run(DcBlocker::<f32>::new(length, long_form).unwrap(), &x)
    }

    #[test]
    fn impulse_responses_are_those_of_gnu_radio() {
        let wanted =
            [-1.0, -4.0, -10.0, -20.0, -31.0, -40.0, 212.0, -40.0, -31.0, -20.0, -10.0, -4.0, -1.0, 0.0];
        assert_eq!(impulse(4, true)[..14], wanted);
        assert_eq!(impulse(4, false)[..8], [-1.0, -2.0, -3.0, 12.0, -3.0, -2.0, -1.0, 0.0]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| DcBlocker::<f32>::new(5, true).unwrap(), &noise(500));
        harness::assert_cut_invariant(|| DcBlocker::<C32>::new(3, false).unwrap(), &complex_noise(500));
        assert!(DcBlocker::<f32>::new(1, true).is_err());
    }

    #[test]
    fn what_is_not_finite_passes_and_is_gone_then() {
        let mut x = vec![1.0f32; 200];
        x[50] = f32::NAN;
        let y: Vec<f32> = harness::run(DcBlocker::<f32>::new(4, false).unwrap(), &x);
        assert!(y[100..].iter().all(|y| y.abs() < 1e-6));
    }
}
