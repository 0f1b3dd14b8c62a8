//! A channel with noise, echoes and two clocks that differ.
//!
//! What bounds it is the noise, most of 5 ns a sample (Zen 4): random bits, which wait for each other, and logarithms and turns, which
//! kernels take many at a time.

use superhet_kernels as kernels;
use superhet_runtime::{BlockError, C32, Ratio, declare, tag::Conversion};

use crate::error::{Error, check};
use crate::filters::{MmseResampler, Resampled, Resampler};
use crate::item::{Number, Seed};
use crate::sources::noise_source::NoiseItem;
use crate::sources::random::Random;

/// A simple channel: resampled by `epsilon` (two clocks), filtered by `taps` (echoes), turned by `frequency_offset` (two
/// oscillators), with Gaussian noise: `y[m] = exp(j · 2π · frequency_offset · m) · Σⱼ taps[j] · r[m − j] + noise_voltage · w[m]`.
///
/// `r` is what [`MmseResampler`] makes of the input with the ratio `epsilon`: it begins with the fourth item, and needs eight.
/// `w` has the power 1.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | `C32` | that of `in` |
/// | in `set` | messages | new values of all parameters but the seed |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `noise_voltage` | | finite; the noise has the power `noise_voltage²` |
/// | `frequency_offset` | turns per sample | finite |
/// | `epsilon` | input rate / output rate | 10⁻⁶ to 10⁶ |
/// | `taps` | | finite; others, at most as many, can take their place |
///
/// ```
/// use superhet_blocks::channels::ChannelModel;
/// use superhet_runtime::{C32, harness};
///
/// let clean = ChannelModel::new(0.0, 0.0, 1.0, &[C32::ONE], 0)?.block();
/// let x: Vec<C32> = (0..12).map(|n| C32::new(n as f32, 0.0)).collect();
/// let y: Vec<C32> = harness::run(clean, &x);
/// // The interpolator is three items ahead; at the end it goes on with zeros.
/// assert_eq!((&y[..9], &y[9..]), (&x[3..], &[C32::ZERO; 3][..]));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChannelModel {
    clock: MmseResampler<C32>,
    epsilon: f64,
    taps_reversed: Vec<C32>,
    /// The latest resampled items, as many as the filter needs, and behind them those of a call.
    resampled: Vec<C32>,
    rotator: kernels::Rotator,
    frequency_offset: f64,
    noise_voltage: f64,
    random: Random,
    passes_tags: bool,
}

#[declare(
    category = "channels",
    summary = "A channel with noise, echoes, and clocks and oscillators that differ.",
    constructor = of,
    through = ChannelModel::block,
    ports(
        input("in", "C32", "x"),
        output("out", "C32", "what arrives")
    )
)]
impl ChannelModel {
    /// A channel with these settings.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a number
    /// is out of its range.
    pub fn new(
        noise_voltage: f64,
        frequency_offset: f64,
        epsilon: f64,
        taps: &[C32],
        seed: u64,
    ) -> Result<Self, Error> {
        check_noise(noise_voltage)?;
        check_offset(frequency_offset)?;
        check_taps(taps)?;
        Ok(ChannelModel {
            clock: MmseResampler::new(0.0, epsilon)?,
            epsilon,
            taps_reversed: taps.iter().rev().copied().collect(),
            resampled: vec![C32::ZERO; taps.len() - 1],
            rotator: kernels::Rotator::new(std::f64::consts::TAU * frequency_offset),
            frequency_offset,
            noise_voltage,
            random: Random::new(seed),
            passes_tags: true,
        })
    }

    /// The same, without tags.
    #[must_use]
    pub fn without_tags(mut self) -> Self {
        self.passes_tags = false;
        self
    }

    fn of(
        /// The root of the power of the noise.
        #[param(live, check = check_noise, default = 0.0)]
        noise_voltage: f64,
        /// By how much the oscillators differ.
        #[param(live, set = set_offset, unit = "turns/sample", default = 0.0)]
        frequency_offset: f64,
        /// Input rate / output rate.
        #[param(live, set = set_epsilon, range = 1e-6..=1e6, default = 1.0)]
        epsilon: f64,
        /// The echoes: the taps of a filter.
        #[param(live, by = Number, set = set_taps, get = taps, json = "[1.0]")]
        taps: &[C32],
        /// The same seed gives the same noise.
        #[param(by = Seed, default = 0)]
        seed: u64,
        /// Tags do not pass.
        #[param(default = false)]
        block_tags: bool,
    ) -> Result<Self, Error> {
        let model = ChannelModel::new(noise_voltage, frequency_offset, epsilon, taps, seed)?;
        Ok(if block_tags { model.without_tags() } else { model })
    }

    fn set_offset(&mut self, offset: f64) -> Result<(), Error> {
        check_offset(offset)?;
        self.frequency_offset = offset;
        self.rotator.set_increment(std::f64::consts::TAU * offset);
        Ok(())
    }

    fn set_epsilon(&mut self, epsilon: f64) -> Result<(), BlockError> {
        self.clock.set_parameter("resamp_ratio", &epsilon.into())?;
        self.epsilon = epsilon;
        Ok(())
    }

    fn set_taps(&mut self, mut taps: Vec<C32>) -> Result<(), BlockError> {
        check_taps(&taps)?;
        let (got, most) = (taps.len(), self.taps_reversed.len());
        if got > most {
            let wanted = format!("expected at most {most}, as many as at first");
            return Err(format!("taps has {got} numbers: {wanted}").into());
        }
        taps.resize(most, C32::ZERO);
        taps.reverse();
        self.taps_reversed = taps;
        Ok(())
    }

    fn taps(&self) -> Vec<C32> {
        self.taps_reversed.iter().rev().copied().collect()
    }

    /// The block.
    pub fn block(self) -> Resampled<Self> {
        Resampled::new(self)
    }
}

/// Samples whose noise is drawn at once.
const AT_ONCE: usize = 128;

fn check_noise(noise_voltage: f64) -> Result<(), Error> {
    check((noise_voltage as f32).is_finite(), "noise_voltage", "a finite number", noise_voltage)
}

fn check_offset(offset: f64) -> Result<(), Error> {
    check((std::f64::consts::TAU * offset).is_finite(), "frequency_offset", "a finite number", offset)
}

fn check_taps(taps: &[C32]) -> Result<(), Error> {
    if taps.is_empty() {
        return Err(Error::Empty { parameter: "taps", wanted: "at least one number" });
    }
    match taps.iter().position(|tap| !tap.is_finite()) {
        Some(place) => {
            let got = taps[place].to_string();
            Err(Error::Element { parameter: "taps", place, wanted: "a finite number", got })
        }
        None => Ok(()),
    }
}

#[declare]
impl Resampler for ChannelModel {
    type In = C32;
    type Out = C32;

    fn window(&self) -> usize {
        self.clock.window()
    }
    fn rate(&self) -> f64 {
        1.0 / self.epsilon
    }
    /// Who receives does not know of the offsets: tags say what they said.
    fn conversion(&self) -> Conversion {
        Conversion::new(Ratio::ONE)
    }
    fn passes_tags(&self) -> bool {
        self.passes_tags
    }

    fn resample(&mut self, x: &[C32], y: &mut [C32]) -> (usize, usize) {
        let past = self.taps_reversed.len() - 1;
        self.resampled.resize(past + y.len(), C32::ZERO);
        let (taken, given) = self.clock.resample(x, &mut self.resampled[past..]);
        let y = &mut y[..given];
        kernels::fir_c32_c32(y, &self.resampled[..past + given], &self.taps_reversed, 1);
        self.resampled.copy_within(given..given + past, 0);
        self.rotator.rotate_in_place(y);
        if self.noise_voltage != 0.0 {
            let amplitude = self.noise_voltage as f32;
            let mut pairs = [[0.0; 2]; AT_ONCE];
            for y in y.chunks_mut(AT_ONCE) {
                let pairs = &mut pairs[..y.len()];
                self.random.normals(pairs);
                y.iter_mut().zip(&*pairs).for_each(|(y, pair)| *y += C32::of_two(*pair, amplitude));
            }
        }
        (taken, given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let taps = [C32::ONE, C32::new(0.0, 0.5)];
        let y: Vec<C32> =
            harness::run(ChannelModel::new(0.0, 0.01, 1.0, &taps, 3).unwrap().block(), &[C32::ONE; 200]);
        let wanted = [(1.0, 0.0), (0.966628, 0.561802), (0.929444, 0.621388), (0.888593, 0.678522)];
        assert!(
            y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-4),
            "{:?}",
            &y[..4]
        );
        let ramp: Vec<C32> = (0..200).map(|n| C32::new(n as f32, 0.0)).collect();
        let y: Vec<C32> =
            harness::run(ChannelModel::new(0.0, 0.0, 1.01, &[C32::ONE], 3).unwrap().block(), &ramp);
        let wanted = [3.0, 4.007784, 5.023324, 6.031068];
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y.re - wanted).abs() < 1e-3), "{:?}", &y[..4]);
    }

    #[test]
    fn noise_has_the_power_that_was_asked_for() {
        let model = ChannelModel::new(0.3, 0.0, 1.0, &[C32::ONE], 3).unwrap().block();
        let y: Vec<C32> = harness::run(model, &vec![C32::ZERO; 100_000]);
        let power = y.iter().map(|y| f64::from(y.norm_sqr())).sum::<f64>() / y.len() as f64;
        assert!((power - 0.09).abs() < 0.003, "{power}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let taps = complex_noise(5);
        let make = || ChannelModel::new(0.1, 0.03, 1.003, &taps, 3).unwrap().block();
        harness::assert_cut_invariant(make, &complex_noise(500));
        assert!(ChannelModel::new(f64::NAN, 0.0, 1.0, &taps, 0).is_err());
        assert!(ChannelModel::new(0.0, 0.0, 1.0, &[], 0).is_err());
    }
}
