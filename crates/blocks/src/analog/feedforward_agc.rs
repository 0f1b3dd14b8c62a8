//! Gain control that looks ahead.

use superhet_runtime::{AnyBlock, BlockError, C32, Pure, Shape, declare};

use super::gain::{NUMBER, finite};
use crate::error::{Error, check};
use crate::transforms::with_floats;

/// Gain control by the greatest of `N` samples: `y[n] = reference · x[n − N + 1] / max(1e-4, e[n − N + 1], …, e[n])`.
///
/// `e = max(|re|, |im|) + 0.4 · min(|re|, |im|)` estimates the magnitude, within −0 % and +8 %, as GNU Radio does. The gain
/// falls before a peak comes, and is 10⁴ at most: what is weaker than that is no signal to be levelled.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `reference` |
///
/// | parameter | range |
/// |---|---|
/// | `length` | `N`, 1 to 2²⁰ |
/// | `reference` | finite |
///
/// ```
/// use superhet_blocks::analog::FeedforwardAgc;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(FeedforwardAgc::new(2, 1.0)?, &[C32::ONE, C32::new(4.0, 0.0), C32::ZERO]);
/// assert_eq!(y, [C32::ZERO, C32::new(0.25, 0.0), C32::ONE]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FeedforwardAgc {
    samples: usize,
    reference: f32,
}

/// The least maximum that a signal is levelled by.
const FLOOR: f32 = 1e-4;

/// The longest window.
const MOST: usize = 1 << 20;

impl FeedforwardAgc {
    /// The greatest of so many samples shall become `reference`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(samples: usize, reference: f64) -> Result<Self, Error> {
        check((1..=MOST).contains(&samples), "length", "a whole number from 1 to 1048576", samples as f64)?;
        Ok(FeedforwardAgc { samples, reference: finite("reference", reference)? })
    }
}

impl Pure for FeedforwardAgc {
    type In = C32;
    type Out = C32;

    fn shape(&self) -> Shape {
        let history = self.samples - 1;
        Shape { history, delay: history as u64, ..Shape::default() }
    }

    /// The maximum over a window by blocks of its length: a window is the end of one block and the start of the next, and
    /// both have running maxima (M. van Herk, Pattern Recognition Letters 13 (7), 1992).
    fn map(&self, x: &[C32], y: &mut [C32]) {
        let window = self.samples;
        with_floats(2 * x.len(), |memory| {
            let (from_start, to_end) = memory.split_at_mut(x.len());
            for (envelope, x) in from_start.iter_mut().zip(x) {
                let (re, im) = (x.re.abs(), x.im.abs());
                *envelope = re.max(im) + 0.4 * re.min(im);
            }
            to_end.copy_from_slice(from_start);
            for block in from_start.chunks_mut(window) {
                (1..block.len()).for_each(|n| block[n] = block[n].max(block[n - 1]));
            }
            for block in to_end.chunks_mut(window) {
                (1..block.len()).rev().for_each(|n| block[n - 1] = block[n - 1].max(block[n]));
            }
            for (n, y) in y.iter_mut().enumerate() {
                let greatest = to_end[n].max(from_start[n + window - 1]).max(FLOOR);
                *y = x[n] * (self.reference / greatest);
            }
        });
    }
}

#[declare(
    category = "analog",
    summary = "Gain control by the greatest of the samples that come.",
    ports(input("in", "C32", "x"), output("out", "C32", "x, levelled, length − 1 items later"))
)]
fn feedforward_agc(
    /// How many samples it looks at.
    #[param(formerly = "samples", unit = "items", range = 1..=MOST, default = 1024)]
    length: usize,
    /// The magnitude that the output shall have.
    #[param(kind = NUMBER, default = 1.0)]
    reference: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(FeedforwardAgc::new(length, reference)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analog::agc::tests::INPUT;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let x: Vec<C32> = INPUT.iter().enumerate().map(|(n, x)| C32::from_polar(*x, n as f32)).collect();
        let y: Vec<C32> = harness::run(FeedforwardAgc::new(4, 1.0).unwrap(), &x);
        let wanted = [0.0, 0.0, 0.0, 0.472772, 0.654712, 0.327356, 0.163678, 0.982067, 0.38184, 0.019092];
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y.norm() - wanted).abs() < 1e-5), "{y:?}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        for samples in [1, 5, 64] {
            harness::assert_cut_invariant(|| FeedforwardAgc::new(samples, 1.0).unwrap(), &complex_noise(500));
        }
        assert!(FeedforwardAgc::new(0, 1.0).is_err());
    }

    #[test]
    fn a_signal_below_the_floor_is_not_levelled() {
        for (level, wanted) in [(1e-3, 2.0), (1e-4, 2.0), (5e-5, 1.0), (1e-7, 2e-3), (0.0, 0.0)] {
            let x = [C32::new(0.0, level); 6];
            let y: Vec<C32> = harness::run(FeedforwardAgc::new(4, 2.0).unwrap(), &x);
            assert!((y[5].im - wanted).abs() <= 1e-6 * wanted, "{level}: {} for {wanted}", y[5]);
        }
    }
}
