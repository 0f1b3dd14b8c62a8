//! Polyphase channelizer.

use crate::item::Number;
use std::sync::Arc;

use superhet_fft::{Fft, FftPlanner};
use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, Ratio, Shape, declare};

use crate::error::{Error, check};
use crate::transforms::with_scratch;

/// So many sums are worked out at a time: they stay in the nearest cache.
pub(super) const AT_A_TIME: usize = 1024;

/// The most channels.
const MOST_CHANNELS: usize = 1 << 16;

/// The most taps.
const MOST_TAPS: usize = 1 << 22;

/// Splits a band into `M` channels of equal width: channel `c` is the band about `c / M` of the sample rate, shifted to 0,
/// filtered and decimated by `M`.
///
/// `y[k · M + c] = Σⱼ taps[j] · z[k · M + M − 1 − j]` with `z[n] = x[n] · exp(−j · 2π · c · n / M)`, and zeros before the
/// first item: frames of `M` items, one of each channel.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | `M` |
/// | out `out` | `C32` | that of `in`, times that of the taps | `M` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `channels` | | `M`, 1 to 2¹⁶ |
/// | `taps` | | 1 to 2²² finite real numbers: a low-pass filter for the input's sample rate, cut off at `1 / 2M` of it |
///
/// All channels take little more work than one: a sum for each branch of the polyphase filter, and one Fourier transform.
/// Fewer than `M` items at the end give nothing.
///
/// ```
/// use superhet_blocks::filters::Channelizer;
/// use superhet_runtime::{C32, harness};
///
/// let tone = [C32::ONE, -C32::ONE, C32::ONE, -C32::ONE]; // half of the sample rate
/// let y: Vec<C32> = harness::run(Channelizer::new(2, &[0.5, 0.5])?, &tone);
/// assert_eq!(y, [C32::ZERO, C32::ONE, C32::ZERO, C32::ONE]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct Channelizer {
    plan: Arc<dyn Fft<f32>>,
    /// As many rounds as the taps need, with zeros in front.
    taps_reversed: Vec<f32>,
}

#[declare(
    category = "filters",
    summary = "Splits a band into channels of equal width: frames of one item of each channel.",
    ports(
        input("in", "C32", "x"),
        output("out", "C32", "frames of channels: ⌊n / channels⌋ · channels items for n")
    )
)]
impl Channelizer {
    /// A channelizer with these taps for each channel.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a
    /// number is out of its range.
    pub fn new(
        /// How many channels.
        #[param(range = 1..=MOST_CHANNELS)]
        channels: usize,
        /// The real taps of a low-pass filter for the input's rate.
        #[param(by = Number)]
        taps: &[f32],
    ) -> Result<Self, Error> {
        let wanted = "a whole number from 1 to 65536";
        check((1..=MOST_CHANNELS).contains(&channels), "channels", wanted, channels as f64)?;
        if taps.is_empty() {
            return Err(Error::Empty { parameter: "taps", wanted: "at least one number" });
        }
        check(taps.len() <= MOST_TAPS, "taps", "at most 4194304 numbers", taps.len() as f64)?;
        if let Some(place) = taps.iter().position(|tap| !tap.is_finite()) {
            let got = taps[place].to_string();
            return Err(Error::Element { parameter: "taps", place, wanted: "a finite number", got });
        }
        let mut taps_reversed = taps.to_vec();
        taps_reversed.resize(taps.len().next_multiple_of(channels), 0.0);
        taps_reversed.reverse();
        Ok(Channelizer { plan: FftPlanner::new().plan_fft_forward(channels), taps_reversed })
    }
}

impl Pure for Channelizer {
    type In = C32;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.plan.len(), decimation: self.plan.len() },
            history: self.taps_reversed.len() - self.plan.len(),
            ..Shape::default()
        }
    }

    fn map(&self, x: &[C32], y: &mut [C32]) {
        let (channels, window) = (self.plan.len(), self.taps_reversed.len());
        let group = AT_A_TIME.next_multiple_of(channels);
        with_scratch(group + self.plan.get_outofplace_scratch_len(), |scratch| {
            let (sums, scratch) = scratch.split_at_mut(group);
            for (y, start) in y.chunks_mut(group).zip((0..).step_by(group)) {
                let x = &x[start..][..window + y.len() - channels];
                let sums = &mut sums[..y.len()];
                kernels::polyphase_c32_f32(sums, x, &self.taps_reversed, channels);
                self.plan.process_outofplace_with_scratch(sums, y, scratch);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C64, harness};

    #[test]
    fn values_are_those_of_the_definition() {
        let x = complex_noise(600);
        for (channels, taps) in [(1, 1), (1, 7), (2, 3), (5, 20), (8, 33), (16, 100)] {
            let taps = noise(taps);
            let y: Vec<C32> = harness::run(Channelizer::new(channels, &taps).unwrap(), &x);
            assert_eq!(y.len(), x.len() / channels * channels);
            for (n, y) in y.iter().enumerate() {
                let (newest, channel) = (n / channels * channels + channels - 1, n % channels);
                let term = |(j, tap): (usize, &f32)| {
                    let n = newest.checked_sub(j)?;
                    let turn = C64::cis(-TAU * (channel * n % channels) as f64 / channels as f64);
                    Some(C64::new(x[n].re.into(), x[n].im.into()) * turn * f64::from(*tap))
                };
                let wanted: C64 = taps.iter().enumerate().filter_map(term).sum();
                let wanted = C32::new(wanted.re as f32, wanted.im as f32);
                assert!((y - wanted).norm() < 1e-4, "item {n} of {channels}: {y}, wanted {wanted}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        for (channels, taps) in [(1, 1), (5, 20), (16, 100)] {
            let taps = noise(taps);
            harness::assert_cut_invariant(
                || Channelizer::new(channels, &taps).unwrap(),
                &complex_noise(1000),
            );
        }
    }

    #[test]
    fn parameters_that_make_no_channelizer_are_named() {
        let problem = |channels, taps: &[f32]| Channelizer::new(channels, taps).err().unwrap().to_string();
        assert_eq!(problem(0, &[1.0]), "channels = 0: expected a whole number from 1 to 65536");
        assert_eq!(problem(2, &[]), "taps is empty: expected at least one number");
        assert_eq!(problem(2, &[f32::NAN]), "taps[0] = NaN: expected a finite number");
    }
}
