//! One channel of a band.

use superhet_kernels as kernels;
use superhet_runtime::{BlockError, C32, Pure, Ratio, Shape, Value, declare, parameter::no_parameter};

use super::fir_filter::{TO_ONE, check_taps, new_taps, taps_value};
use super::freq_xlating_fir_filter::turned;
use crate::error::{Error, check, check_to_one};
use crate::item::{Number, float_of};

/// One of the channels into which a [`PfbChannelizer`](super::PfbChannelizer) splits a band: the band about `channel / D` of the
/// sample rate, brought to 0 Hz, filtered and decimated by `D`:
/// `y[k] = Σⱼ taps[j] · exp(j · 2π · channel · j / D) · x[k · D + D − 1 − j]`, with zeros before the first item.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | `D` |
/// | out `out` | `C32` | that of `in`, times that of the taps | 1 |
/// | in `set` | messages | new values of `taps`, `channel` | |
///
/// ```
/// use superhet_blocks::filters::PfbDecimator;
/// use superhet_runtime::{C32, harness};
///
/// let tone = [C32::ONE, -C32::ONE, C32::ONE, -C32::ONE]; // half of the rate: channel 1 of 2
/// let y: Vec<C32> = harness::run(PfbDecimator::new(2, &[0.5, 0.5], 1)?, &tone);
/// assert!(y.iter().all(|y| (y + C32::ONE).norm() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PfbDecimator {
    taps: Vec<f32>,
    decimation: usize,
    channel: usize,
    turned_reversed: Vec<C32>,
}

#[declare(
    category = "filters",
    summary = "One channel of a band that is split into channels of equal width.",
    ports(
        input("in", "C32", "x"),
        output("out", "C32", "the channel: ⌊n / decimation⌋ items for n"),
        set_port("new values of taps, at most as many as at first, and of channel")
    )
)]
impl PfbDecimator {
    /// The channel of this number.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a number
    /// is out of its range.
    pub fn new(
        /// How many channels there are: one item out of so many in.
        #[param(unit = "items", kind = TO_ONE)]
        decimation: usize,
        /// The real taps of a low-pass filter for the input's rate.
        #[param(by = Number)]
        taps: &[f32],
        /// Which channel, from 0.
        #[param(range = 0..=1 << 24, default = 0)]
        channel: usize,
    ) -> Result<Self, Error> {
        check_to_one("decimation", decimation)?;
        check_taps::<C32, f32>(taps)?;
        check(channel < decimation, "channel", "a whole number less than decimation", channel as f64)?;
        let mut complex: Vec<C32> = taps.iter().map(|&tap| tap.into()).collect();
        // The window has at least the items of a step.
        complex.resize(taps.len().max(decimation), C32::ZERO);
        let radians = std::f64::consts::TAU * channel as f64 / decimation as f64;
        let mut turned_reversed = turned(&complex, radians, 0.0);
        turned_reversed.reverse();
        Ok(PfbDecimator { taps: taps.to_vec(), decimation, channel, turned_reversed })
    }
}

impl Pure for PfbDecimator {
    type In = C32;
    type Out = C32;
    const PARAMETERS: &'static [&'static str] = &["taps", "channel"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        match name {
            "taps" => {
                let taps = new_taps::<f32>(value, self.taps.len())?;
                Ok(PfbDecimator::new(self.decimation, &taps, self.channel)?)
            }
            "channel" => {
                let channel = float_of("channel", value)?;
                let fits = channel >= 0.0 && channel.fract() == 0.0 && channel < 1e9;
                check(fits, "channel", "a whole number", channel)?;
                Ok(PfbDecimator::new(self.decimation, &self.taps, channel as usize)?)
            }
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "taps" => taps_value(self.taps.iter().copied()),
            "channel" => Some(self.channel.into()),
            _ => None,
        }
    }
    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio::decimate(self.decimation),
            history: self.turned_reversed.len() - self.decimation,
            delay: ((self.taps.len() - 1) / 2) as u64,
            shift: Some(self.channel as f64 / self.decimation as f64),
            ..Shape::default()
        }
    }

    fn map(&self, x: &[C32], y: &mut [C32]) {
        kernels::fir_c32_c32(y, x, &self.turned_reversed, self.decimation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let taps: Vec<f32> = (1..11).map(|n| n as f32).collect();
        for (place, wanted) in
            [(0, [(0.0, -4.0), (0.0, -8.0)]), (1, [(-3.0, 0.0), (-7.0, 0.0)]), (2, [(0.0, 2.0), (0.0, 6.0)])]
        {
            let mut x = [C32::ZERO; 24];
            x[place] = C32::ONE;
            let y: Vec<C32> = harness::run(PfbDecimator::new(4, &taps, 1).unwrap(), &x);
            assert!(
                y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-5),
                "{place}: {y:?}"
            );
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let taps = crate::testing::noise(23);
        harness::assert_cut_invariant(|| PfbDecimator::new(5, &taps, 2).unwrap(), &complex_noise(500));
        harness::assert_cut_invariant(|| PfbDecimator::new(5, &taps[..2], 0).unwrap(), &complex_noise(500));
        assert!(PfbDecimator::new(5, &taps, 5).is_err());
        let decimator = PfbDecimator::new(5, &taps, 2).unwrap();
        assert!(decimator.with_parameter("channel", &7.into()).is_err());
        assert!(decimator.with_parameter("channel", &4.into()).is_ok());
    }
}
