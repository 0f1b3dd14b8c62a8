//! The analytic signal of a real one, and a delay that goes with a filter.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, C32, Pure, Value, declare};

use super::design::{Shape, firdes};
use crate::error::{Error, check};
use crate::transforms::with_floats;

/// The analytic signal of a real one: `y[n] = x[n − d] + j · Σₖ h[k] · x[n − k]` with a Hilbert transformer `h` of `2 d + 1`
/// taps, which turns all frequencies by a quarter. The output has no negative frequencies.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// | parameter | range |
/// |---|---|
/// | `taps` | 1 to 2¹⁶; an even number counts as one more |
/// | window | any [`Shape`] |
///
/// ```
/// use superhet_blocks::filters::{Hilbert, design::Shape};
/// use superhet_runtime::{C32, harness};
///
/// let cosine: Vec<f32> = (0..300).map(|n| (n as f32 * 0.8).cos()).collect();
/// let y: Vec<C32> = harness::run(Hilbert::new(65, &Shape::default())?, &cosine);
/// assert!(y[100..].iter().all(|y| (y.norm() - 1.0).abs() < 0.01));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hilbert {
    pub(super) taps_reversed: Vec<f32>,
}

/// The most taps.
const MOST: usize = 1 << 16;

impl Hilbert {
    /// So many taps, weighted by a window.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there are none, or too many.
    pub fn new(taps: usize, shape: &Shape) -> Result<Self, Error> {
        check((1..=MOST).contains(&taps), "taps", "a whole number from 1 to 65536", taps as f64)?;
        let mut taps_reversed = firdes::hilbert(taps | 1, shape)?;
        taps_reversed.reverse();
        Ok(Hilbert { taps_reversed })
    }
}

/// `x` delayed by half of the filter as real part, and `filtered` through it as imaginary part.
pub(super) fn beside(x: &[f32], filtered: &[f32], taps_reversed: &[f32], y: &mut [C32]) {
    let delay = (taps_reversed.len() - 1) / 2;
    let newest = taps_reversed.len() - 1 - delay;
    with_floats(y.len(), |imaginary| {
        kernels::fir_f32(imaginary, filtered, taps_reversed, 1);
        for ((y, im), re) in y.iter_mut().zip(&*imaginary).zip(&x[newest..]) {
            *y = C32::new(*re, *im);
        }
    });
}

impl Pure for Hilbert {
    type In = f32;
    type Out = C32;

    fn shape(&self) -> superhet_runtime::Shape {
        let history = self.taps_reversed.len() - 1;
        superhet_runtime::Shape { history, delay: (history / 2) as u64, ..Default::default() }
    }

    fn map(&self, x: &[f32], y: &mut [C32]) {
        beside(x, x, &self.taps_reversed, y);
    }
}

#[declare(
    category = "filters",
    summary = "The analytic signal of a real one: without negative frequencies.",
    ports(input("in", "f32", "x"), output("out", "C32", "x and, as imaginary part, x turned by a quarter"))
)]
fn hilbert(
    /// How many taps the filter has; made odd upwards.
    #[param(range = 1..=MOST, default = 65)]
    taps: usize,
    /// The window: GNU Radio's number, or a name.
    #[param(default = "hamming")]
    window: &Value,
    /// The parameter of a Kaiser, exponential, Gaussian or Tukey window.
    #[param(default = 6.76)]
    param: f64,
) -> Result<AnyBlock, BlockError> {
    let shape = Shape::of(window, param)?;
    Ok(AnyBlock::new(Hilbert::new(taps, &shape)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let mut x = vec![0.0f32; 12];
        x[0] = 1.0;
        let y: Vec<C32> = harness::run(Hilbert::new(7, &Shape::default()).unwrap(), &x);
        let wanted =
            [(0, 0.0, -0.01794), (2, 0.0, -0.51794), (3, 1.0, 0.0), (4, 0.0, 0.51794), (6, 0.0, 0.01794)];
        for (place, re, im) in wanted {
            assert!((y[place] - C32::new(re, im)).norm() < 1e-5, "{place}: {}", y[place]);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Hilbert::new(21, &Shape::default()).unwrap(), &noise(500));
        assert!(Hilbert::new(0, &Shape::default()).is_err());
    }
}
