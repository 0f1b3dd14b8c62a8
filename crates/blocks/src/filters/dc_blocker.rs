//! Removal of the constant part of a signal.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, Shape, SyncBlock, declare};

use super::iir_filter::Filtered;
use crate::error::{Error, check};

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
/// Sums go on from item to item, in double precision, and are replaced by fresh ones every `D` items: nothing adds up.
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
pub struct DcBlocker<T: Filtered<f64>> {
    means: Vec<Mean<T::Wide>>,
    /// The latest inputs, as a ring.
    delayed: Vec<T::Wide>,
    next: usize,
}

/// A mean over the latest items.
#[derive(Clone, Debug)]
struct Mean<W> {
    ring: Vec<W>,
    next: usize,
    sum: W,
    /// The sum of the items since the ring began anew.
    fresh: W,
}

#[declare(
    category = "filters",
    summary = "Removes the constant part: the input less a moving mean of it.",
    items(C32, f32),
    ports(input("in", "item", "x"), output("out", "item", "x without its constant part"))
)]
impl<T: Filtered<f64>> DcBlocker<T> {
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
        let zero = T::Wide::default();
        let mean = Mean { ring: vec![zero; length], next: 0, sum: zero, fresh: zero };
        let means = if long_form { 4 } else { 2 };
        Ok(DcBlocker { means: vec![mean; means], delayed: vec![zero; means / 2 * (length - 1)], next: 0 })
    }
}

/// The longest mean.
const LONGEST: usize = 1 << 20;

impl<T: Filtered<f64>> SyncBlock for DcBlocker<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape { delay: self.delayed.len() as u64, ..Shape::default() }
    }

    fn process(&mut self, x: &[T], y: &mut [T]) {
        let scale = 1.0 / self.means[0].ring.len() as f64;
        for (x, y) in x.iter().zip(y) {
            let x = x.widen();
            let mut mean = x;
            for stage in &mut self.means {
                let oldest = std::mem::replace(&mut stage.ring[stage.next], mean);
                stage.fresh = stage.fresh + mean;
                stage.sum = stage.sum + mean + oldest * -1.0;
                stage.next += 1;
                if stage.next == stage.ring.len() {
                    stage.next = 0;
                    stage.sum = std::mem::take(&mut stage.fresh);
                }
                mean = stage.sum * scale;
            }
            let delayed = std::mem::replace(&mut self.delayed[self.next], x);
            self.next = if self.next + 1 == self.delayed.len() { 0 } else { self.next + 1 };
            *y = T::narrow(delayed + mean * -1.0);
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
