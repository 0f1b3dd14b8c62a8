//! Resampling at any ratio by a short interpolator.

use superhet_runtime::{BlockError, C32, Value, declare, parameter::no_parameter};

use super::Tap;
use super::interp_fir_filter::filter_into;
use super::resampled::{Resampled, Resampler};
use crate::digital::Sample;
use crate::error::{Error, check};
use crate::item::float_of;

/// Resampling at any ratio by a filter of 8 taps, for signals within a quarter of the sample rate on either side of 0 Hz:
/// output `m` is the input at the time `3 + mu + m · resamp_ratio`.
///
/// Between two samples there are 128 filters; the nearest is taken. Each has the taps that make the mean squared error least
/// for signals of that bandwidth: they solve `Σⱼ sinc((i − j) / 2) h[j] = sinc((i − 3 − μ) / 2)`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `resamp_ratio`, `mu` |
///
/// **Source**: minimum mean square error interpolation, H. Meyr, M. Moeneclaey and S. A. Fechtel, Digital Communication
/// Receivers, section 9.3. The values are those of GNU Radio's `mmse_resampler`.
///
/// ```
/// use superhet_blocks::filters::MmseResampler;
/// use superhet_runtime::harness;
///
/// let ramp: Vec<f32> = (0..16).map(|n| n as f32).collect();
/// let y: Vec<f32> = harness::run(MmseResampler::<f32>::new(0.0, 0.5)?.block(), &ramp);
/// assert_eq!((y[0], y[2]), (3.0, 4.0));
/// assert!((y[1] - 3.5).abs() < 0.01);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MmseResampler<T> {
    taps: Vec<[f32; TAPS]>,
    ratio: f64,
    /// Where the next output lies after the fourth item of the window that comes next.
    mu: f64,
    /// How many items come before that window.
    skip: usize,
    item: std::marker::PhantomData<fn() -> T>,
}

const TAPS: usize = 8;
/// Filters between two samples.
const STEPS: usize = 128;

/// The taps for each step, in the order of the samples.
fn interpolators() -> Vec<[f32; TAPS]> {
    let sinc =
        |x: f64| if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) };
    // One system for all steps: eliminated with all right sides at once.
    let row = |i: usize| -> Vec<f64> {
        let left = (0..TAPS).map(|j| sinc((i as f64 - j as f64) / 2.0));
        let right = (0..=STEPS).map(|step| sinc((i as f64 - 3.0 - step as f64 / STEPS as f64) / 2.0));
        left.chain(right).collect()
    };
    let mut rows: Vec<Vec<f64>> = (0..TAPS).map(row).collect();
    for pivot in 0..TAPS {
        // The matrix is symmetric and positive definite: no row has to be swapped.
        let scale = rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|x| *x /= scale);
        let top = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&top).for_each(|(x, top)| *x -= factor * top);
        }
    }
    (0..=STEPS).map(|step| std::array::from_fn(|i| rows[i][TAPS + step] as f32)).collect()
}

fn check_ratio(ratio: f64) -> Result<(), Error> {
    check((1e-6..=1e6).contains(&ratio), "resamp_ratio", "from 10⁻⁶ to 10⁶", ratio)
}

fn check_mu(mu: f64) -> Result<(), Error> {
    check((0.0..=1.0).contains(&mu), "mu", "from 0 to 1", mu)
}

#[declare(
    category = "filters",
    summary = "Resampling at any ratio by a short interpolator.",
    items(C32, f32),
    through = MmseResampler::block,
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, resampled: ⌈n / resamp_ratio⌉ items for n"),
        set_port("new values of resamp_ratio and mu")
    )
)]
impl<T: Sample> MmseResampler<T>
where
    f32: Tap<T, Out = T>,
{
    /// A resampler whose first output lies `mu` after the fourth item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(
        /// Where the first output lies between two inputs.
        #[param(name = "phase_shift", unit = "items", range = 0.0..=1.0, default = 0.0)]
        mu: f64,
        /// Input rate / output rate.
        #[param(range = 1e-6..=1e6, default = 1.0)]
        resamp_ratio: f64,
    ) -> Result<Self, Error> {
        check_mu(mu)?;
        check_ratio(resamp_ratio)?;
        Ok(MmseResampler {
            taps: interpolators(),
            ratio: resamp_ratio,
            mu,
            skip: 0,
            item: std::marker::PhantomData,
        })
    }

    /// The block.
    pub fn block(self) -> Resampled<Self> {
        Resampled::new(self)
    }
}

impl<T: Sample> Resampler for MmseResampler<T>
where
    f32: Tap<T, Out = T>,
{
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["resamp_ratio", "mu"];

    fn window(&self) -> usize {
        TAPS
    }
    fn rate(&self) -> f64 {
        1.0 / self.ratio
    }

    fn resample(&mut self, x: &[T], y: &mut [T]) -> (usize, usize) {
        const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
        let (mut taken, mut given) = (self.skip, 0);
        while given < y.len() && x.len().saturating_sub(taken) >= TAPS {
            // What is added to a number and taken away again leaves it rounded to a whole one, to an even one of two.
            let nearest = (self.mu * STEPS as f64 + WHOLE) - WHOLE;
            let taps = &self.taps[nearest as usize];
            if self.ratio == 1.0 && (self.mu + 1.0).fract() == self.mu {
                // Each output has the same taps.
                let n = (y.len() - given).min(x.len() - taken - (TAPS - 1));
                filter_into(&mut y[given..given + n], 1, &x[taken..taken + n + TAPS - 1], taps, 1);
                (given, taken) = (given + n, taken + n);
                continue;
            }
            y[given] = T::dot(&x[taken..taken + TAPS], taps);
            given += 1;
            let next = self.mu + self.ratio;
            // At most a million, and not negative.
            let passed = next as u32;
            self.mu = next - f64::from(passed);
            taken += passed as usize;
        }
        // What lies beyond is passed when it comes.
        let passed = taken.min(x.len());
        self.skip = taken - passed;
        (passed, given)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "resamp_ratio" => {
                let ratio = float_of("resamp_ratio", value)?;
                check_ratio(ratio)?;
                self.ratio = ratio;
            }
            "mu" => {
                let mu = float_of("mu", value)?;
                check_mu(mu)?;
                self.mu = mu;
            }
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "resamp_ratio" => Some(self.ratio.into()),
            "mu" => Some(self.mu.into()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    #[test]
    fn taps_are_those_of_gnu_radio() {
        let wanted = [-0.005178, 0.031187, -0.122047, 0.871305, 0.291006, -0.087701, 0.025784, -0.004559];
        let taps = interpolators()[32];
        assert!(taps.iter().zip(wanted).all(|(tap, wanted)| (tap - wanted).abs() < 2e-6), "{taps:?}");
    }

    #[test]
    fn values_are_those_of_gnu_radio() {
        let ramp: Vec<f32> = (0..40).map(|n| n as f32).collect();
        let first = |ratio, mu| -> Vec<f32> {
            harness::run(MmseResampler::<f32>::new(mu, ratio).unwrap().block(), &ramp)
        };
        for (ratio, mu, wanted) in [
            (1.0, 0.25, [3.249317, 4.249114, 5.24891, 6.248708]),
            (1.5, 0.0, [3.0, 4.498724, 6.0, 7.497874]),
            (0.3, 0.25, [3.249317, 3.54589, 3.851081, 4.147876]),
        ] {
            let y = first(ratio, mu);
            assert!(
                y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-4),
                "{ratio} {mu}: {:?}",
                &y[..4]
            );
        }
        assert!(first(100.0, 0.0).len() == 1);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        for ratio in [0.37, 1.0, 2.6, 33.3] {
            harness::assert_cut_invariant(
                || MmseResampler::<f32>::new(0.2, ratio).unwrap().block(),
                &noise(500),
            );
        }
        harness::assert_cut_invariant(
            || MmseResampler::<C32>::new(0.2, 1.1).unwrap().block(),
            &complex_noise(500),
        );
        assert!(MmseResampler::<f32>::new(0.0, 0.0).is_err() && MmseResampler::<f32>::new(2.0, 1.0).is_err());
    }

    #[test]
    fn the_end_of_a_stream_comes_out_too() {
        for (items, ratio) in [(1, 1.0), (5, 0.5), (1000, 1.3), (1001, 0.4)] {
            let resampler = MmseResampler::<f32>::new(0.0, ratio).unwrap().block();
            let y: Vec<f32> = harness::run(resampler, &noise(items));
            assert_eq!(y.len(), (items as f64 / ratio).ceil() as usize, "{items} {ratio}");
        }
    }
}
