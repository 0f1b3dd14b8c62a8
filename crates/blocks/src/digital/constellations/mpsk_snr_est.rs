//! Signal-to-noise ratio of PSK signals.

use superhet_runtime::catalog::Choice;
use superhet_runtime::{Block, BlockError, C32, Context, In, Out, Step, Work, declare};

use crate::error::{Error, check};
use crate::flow;

/// How the ratio is estimated, from running means `E[…]` over the magnitudes `a` of the samples.
///
/// # Source
/// D. Pauluzzi, N. Beaulieu, A Comparison of SNR Estimation Techniques for the AWGN Channel, IEEE Trans. Comm. 48, 2000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Estimator {
    /// `E[a]² / 2 (E[a²] − E[a]²)`: for high ratios.
    Simple,
    /// Second and fourth moment: `S = √(2 E[a²]² − E[a⁴])`, noise `E[a²] − S`.
    M2m4,
    /// Ratio of signal variations: with `r = E[a[n]² a[n−1]²] / (E[a⁴] − E[a[n]² a[n−1]²])`, `r − 1 + √(r (r − 1))`.
    Svr,
}

/// Running estimates of a PSK signal's power and that of its noise.
///
/// The means begin with the first sample: the `n`-th one has the weight `alpha / (1 − (1 − alpha)ⁿ)`, which is `1 / n` as long
/// as `n` is small against `1 / alpha`, and `alpha` later on. So an estimate is right from some ten samples on.
#[derive(Clone, Debug)]
pub struct SnrEstimate {
    estimator: Estimator,
    pub(super) alpha: f64,
    means: [f64; 2],
    /// The weight of the next sample.
    weight: f64,
    /// The power of the last sample, where there was one.
    last: Option<f64>,
}

impl SnrEstimate {
    /// An estimate in which each sample has the weight `alpha`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is from 0 to 1.
    pub fn new(estimator: Estimator, alpha: f64) -> Result<Self, Error> {
        check_alpha(alpha)?;
        Ok(SnrEstimate { estimator, alpha, means: [0.0; 2], weight: 1.0, last: None })
    }

    /// Takes samples. Those that are not numbers do not count.
    pub fn update(&mut self, samples: &[C32]) {
        for sample in samples {
            let power = f64::from(sample.norm_sqr());
            if !power.is_finite() {
                continue;
            }
            let last = self.last.replace(power);
            let new = match (self.estimator, last) {
                (Estimator::Simple, _) => [power.sqrt(), power],
                (Estimator::M2m4, _) => [power, power * power],
                (Estimator::Svr, Some(last)) => [power * last, power * power],
                (Estimator::Svr, None) => continue,
            };
            for (mean, new) in self.means.iter_mut().zip(new) {
                *mean += self.weight * (new - *mean);
            }
            self.weight /= self.weight + 1.0 - self.alpha;
        }
    }

    /// The power of the signal and that of the noise; of [`Estimator::Svr`], both relative to the noise.
    pub fn powers(&self) -> [f64; 2] {
        let [first, second] = self.means;
        match self.estimator {
            Estimator::Simple => [first * first, 2.0 * (second - first * first)],
            Estimator::M2m4 => {
                let signal = (2.0 * first * first - second).max(0.0).sqrt();
                [signal, first - signal]
            }
            Estimator::Svr => {
                let ratio = first / (second - first);
                [ratio - 1.0 + (ratio * (ratio - 1.0)).max(0.0).sqrt(), 1.0]
            }
        }
    }

    /// The ratio in dB.
    pub fn snr_db(&self) -> f64 {
        let [signal, noise] = self.powers();
        decibels(signal / noise)
    }
}

pub(super) fn check_alpha(alpha: f64) -> Result<(), Error> {
    check((0.0..=1.0).contains(&alpha), "alpha", "a number from 0 to 1", alpha)
}

pub(super) fn decibels(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

/// Passes a PSK signal on and puts a tag `snr` with its signal-to-noise ratio in dB on each `tag_samples`-th item, from the
/// first of these on.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
///
/// | parameter | range |
/// |---|---|
/// | `tag_samples` | items; 0 for no tags |
/// | `alpha` | 0 to 1: the weight of each sample |
///
/// ```
/// use superhet_blocks::digital::{Estimator, MpskSnrEst, SnrEstimate};
/// use superhet_runtime::{C32, harness};
///
/// let estimate = SnrEstimate::new(Estimator::M2m4, 0.001)?;
/// assert_eq!(harness::run(MpskSnrEst::new(estimate, 100), &[C32::I]), [C32::I]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct MpskSnrEst {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: Out<C32>,
    estimate: SnrEstimate,
    tag_samples: u64,
}

impl MpskSnrEst {
    /// Tags each `tag_samples`-th item; none for 0.
    pub fn new(estimate: SnrEstimate, tag_samples: u64) -> Self {
        MpskSnrEst { input: In::new(), output: Out::new(), estimate, tag_samples }
    }
}

impl Work for MpskSnrEst {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.input.index();
        let mut n = self.input.available().min(self.output.room());
        if self.tag_samples > 0 && n > 0 {
            // Up to the next item that gets a tag, or behind it.
            let since = first % self.tag_samples;
            if since == 0 && first > 0 {
                self.output.tag(0, "snr", self.estimate.snr_db());
            }
            n = usize::try_from(self.tag_samples - since).map_or(n, |left| n.min(left));
        }
        self.estimate.update(&self.input.peek()[..n]);
        let n = flow::pass(&mut self.input, &mut self.output, n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(flow::end(&mut self.input, &mut self.output))
    }
}

#[declare(
    category = "digital",
    summary = "Passes a PSK signal on, with tags that say its signal-to-noise ratio.",
    ports(input("in", "C32", "samples"), output("out", "C32", "the same; tags snr in dB"))
)]
fn mpsk_snr_est(
    /// Mean and variance, second and fourth moment, or the ratio of signal variations.
    #[param(default = "m2m4")]
    estimator: Estimator,
    /// A tag comes after so many; 0 for none.
    #[param(unit = "items", default = 10000)]
    tag_samples: u64,
    /// The weight of each sample in the running means, greater for the first ones.
    #[param(range = 0.0..=1.0, default = 0.001)]
    alpha: f64,
) -> Result<MpskSnrEst, Error> {
    Ok(MpskSnrEst::new(SnrEstimate::new(estimator, alpha)?, tag_samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, run_tagged};

    /// BPSK with noise whose parts are sums of uniform ones.
    fn signal(n: usize, snr_db: f32) -> Vec<C32> {
        let level = 10f32.powf(-snr_db / 20.0) / 2f32.sqrt();
        let all = complex_noise(13 * n);
        let (bits, all) = all.split_at(n);
        // The variance of a uniform part is 1/3: the sum of 3 has 1.
        let gauss = all.chunks(12).map(|parts| parts.iter().sum::<C32>() / 2.0);
        bits.iter().zip(gauss).map(|(bit, noise)| bit.re.signum() + noise * level).collect()
    }

    #[test]
    fn estimates_are_near_the_truth() {
        for (estimator, snr_db, within) in [
            (Estimator::Simple, 20.0, 0.5),
            (Estimator::M2m4, 10.0, 0.5),
            (Estimator::M2m4, 3.0, 1.0),
            (Estimator::Svr, 10.0, 0.5),
        ] {
            let mut estimate = SnrEstimate::new(estimator, 0.0005).unwrap();
            estimate.update(&signal(20_000, snr_db));
            let got = estimate.snr_db();
            assert!((got - f64::from(snr_db)).abs() < within, "{estimator:?}: {got}, wanted {snr_db}");
        }
    }

    #[test]
    fn estimates_are_near_the_truth_from_the_first_samples_on() {
        for (estimator, within) in [(Estimator::Simple, 1.5), (Estimator::M2m4, 1.5), (Estimator::Svr, 2.5)] {
            let mut estimate = SnrEstimate::new(estimator, 0.001).unwrap();
            estimate.update(&signal(100, 25.0));
            let got = estimate.snr_db();
            assert!((got - 25.0).abs() < within, "{estimator:?}: {got} dB after 100 samples");
        }
    }

    #[test]
    fn without_a_weight_the_means_are_those_of_all_samples() {
        let mut estimate = SnrEstimate::new(Estimator::Simple, 0.0).unwrap();
        estimate.update(&[1.0f32, 2.0, 6.0].map(C32::from));
        assert!((estimate.means[0] - 3.0).abs() < 1e-12, "{:?}", estimate.means);
    }

    #[test]
    fn tags_come_every_so_many_items_wherever_the_stream_is_cut() {
        let x = signal(1000, 10.0);
        let mut first = None;
        for options in cuts() {
            let block = MpskSnrEst::new(SnrEstimate::new(Estimator::M2m4, 0.01).unwrap(), 300);
            let (y, tags) = run_tagged::<C32, C32, _, _>(block, x.clone(), vec![], &options);
            assert_eq!(y, x);
            assert_eq!(tags.iter().map(|(index, ..)| *index).collect::<Vec<_>>(), [300, 600, 900]);
            assert_eq!(*first.get_or_insert(tags.clone()), tags);
        }
    }

    #[test]
    fn samples_that_are_not_numbers_do_not_count() {
        let mut estimate = SnrEstimate::new(Estimator::Svr, 0.01).unwrap();
        estimate.update(&[C32::new(f32::NAN, 0.0), C32::new(f32::INFINITY, 0.0)]);
        assert_eq!(estimate.means, [0.0; 2]);
        assert!(SnrEstimate::new(Estimator::Svr, 1.5).is_err());
    }
}
