//! Resampling at any rate by a bank of filters.
//!
//! With real taps an output is one sum over a row of samples, a row of taps and one of their differences, which is what bounds it:
//! some 16 products in two cycles, and 20 cycles for the rest. With complex taps it is two filters.

use std::f64::consts::TAU;
use std::ops::{Add, Mul};

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C64, Item, Value, declare, parameter::no_parameter};

use super::Tap;
use super::design::{Design, Shape};
use super::fir_filter::{check_taps, new_taps};
use super::interp_fir_filter::{Phases, filter_into};
use super::resampled::{Resampled, Resampler};
use crate::error::{Error, check};
use crate::item::{float_of, from_numbers};

/// Resampling at any rate: output `m` is the input at the time `m / rate`, by a filter that is given at `filters` points for each
/// input, with a straight line between its taps: `y[m] = Σⱼ h(φ + j · filters) · x[⌊t⌋ − j]` with `t = m / rate + phase_rad / 2π`,
/// `φ = filters · frac(t)`, and zeros before the first item.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in`, times that of the taps / `filters` |
/// | in `set` | messages | new values of `rate`, `taps`, `phase_rad` |
///
/// | parameter | range |
/// |---|---|
/// | `rate` | output rate / input rate, 10⁻⁶ to 10⁶; can be changed while the block runs |
/// | `taps` | finite, for the rate of `filters` inputs, with the gain `filters`; others, at most as many, can take their place |
/// | `filters` | 1 to 65 536 |
/// | `phase_rad` | 0 to 2π, 2π excluded: how far behind an item the first output lies, a turn for an item; can be changed while the block runs, for the next output |
///
/// **Source**: F. J. Harris, Multirate Signal Processing for Communication Systems, section 7.5.
///
/// ```
/// use superhet_blocks::filters::{PfbArbResampler, pfb_arb_resampler::arb_resampler_taps};
/// use superhet_runtime::harness;
///
/// let resampler = PfbArbResampler::<f32, f32>::new(1.37, &arb_resampler_taps(1.37, 32)?, 32)?;
/// let y: Vec<f32> = harness::run(resampler.block(), &[1.0f32; 200]);
/// assert!(y[100..].iter().all(|y| (y - 1.0).abs() < 1e-3));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PfbArbResampler<T, C> {
    rate: f64,
    /// Each filter, and behind it the differences to the next.
    filters: Phases<C>,
    differences: Phases<C>,
    /// Where the next output lies: items after the window that comes next, and filters.
    ahead: usize,
    phase: f64,
    item: std::marker::PhantomData<fn() -> T>,
}

/// Taps for so many filters: a low-pass filter that passes 0.4 of the lower of the two rates and stops from 0.6 of it on, by
/// 80 dB.
///
/// # Errors
/// [`Error::OutOfRange`] for a rate that is not positive, [`Error::TooManyTaps`].
pub fn arb_resampler_taps(rate: f64, filters: usize) -> Result<Vec<f32>, Error> {
    check_rate(rate)?;
    let (lower, gain) = (rate.min(1.0), filters as f64);
    let shape = Shape::kaiser(7.86)?;
    Design { gain, rate_hz: gain, transition_hz: 0.2 * lower, shape, attenuation_db: None }
        .low_pass(0.5 * lower)
}

fn check_rate(rate: f64) -> Result<(), Error> {
    check((1e-6..=1e6).contains(&rate), "rate", "from 10⁻⁶ to 10⁶", rate)
}

impl<T: Item, C: Tap<T>> PfbArbResampler<T, C>
where
    C: std::ops::Sub<Output = C>,
{
    /// A resampler with so many filters.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a number
    /// is out of its range.
    pub fn new(rate: f64, taps: &[C], filters: usize) -> Result<Self, Error> {
        check_rate(rate)?;
        check((1..=MOST).contains(&filters), "filters", "a whole number from 1 to 65536", filters as f64)?;
        check_taps::<T, C>(taps)?;
        let (filters, differences) = Self::bank(taps, filters);
        Ok(PfbArbResampler {
            rate,
            filters,
            differences,
            ahead: 0,
            phase: 0.0,
            item: std::marker::PhantomData,
        })
    }

    /// The same, whose next output lies `phase_rad / 2π` items behind an item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a phase that is not from 0 to 2π.
    pub fn with_phase(mut self, phase_rad: f64) -> Result<Self, Error> {
        self.set_phase(phase_rad)?;
        Ok(self)
    }

    fn set_phase(&mut self, phase_rad: f64) -> Result<(), Error> {
        let turns = phase_rad / TAU;
        check((0.0..1.0).contains(&turns), "phase_rad", "from 0 to 2π, 2π excluded", phase_rad)?;
        self.phase = turns * self.filters.len() as f64;
        Ok(())
    }

    fn bank(taps: &[C], filters: usize) -> (Phases<C>, Phases<C>) {
        let mut differences: Vec<C> = taps.windows(2).map(|pair| pair[1] - pair[0]).collect();
        differences.push(C::zeroed());
        (Phases::new(taps, filters), Phases::new(&differences, filters))
    }

    /// As [`arbitrary_arms_f32`](fn@superhet_kernels::arbitrary_arms_f32), by two filters for each output.
    fn one_by_one(&self, y: &mut [C::Out], x: &[T], (whole, part): (usize, f64)) -> [f64; 3]
    where
        C::Out: Add<Output = C::Out> + Mul<f32, Output = C::Out>,
    {
        let (filters, window) = (self.filters.len(), self.filters.rounds());
        let (mut given, mut ahead, mut phase) = (0, 0, self.phase);
        while given < y.len() && ahead + window <= x.len() {
            let x = &x[ahead..][..window];
            let place = phase as usize;
            let mut both = [bytemuck::Zeroable::zeroed(); 2];
            filter_into(&mut both[..1], 1, x, self.filters.reversed(place), 1);
            filter_into(&mut both[1..], 1, x, self.differences.reversed(place), 1);
            y[given] = both[0] + both[1] * (phase - place as f64) as f32;
            given += 1;
            let next = phase + part;
            let is_over = next >= filters as f64;
            phase = next - if is_over { filters as f64 } else { 0.0 };
            ahead = ahead.saturating_add(whole + usize::from(is_over));
        }
        [given as f64, ahead as f64, phase]
    }

    /// The block.
    pub fn block(self) -> Resampled<Self>
    where
        C::Out: Add<Output = C::Out> + Mul<f32, Output = C::Out>,
    {
        Resampled::new(self)
    }
}

/// The most filters.
const MOST: usize = 1 << 16;

impl<T: Item, C: Tap<T> + std::ops::Sub<Output = C>> Resampler for PfbArbResampler<T, C>
where
    C::Out: Add<Output = C::Out> + Mul<f32, Output = C::Out>,
{
    type In = T;
    type Out = C::Out;
    const PARAMETERS: &'static [&'static str] = &["rate", "taps", "phase_rad"];

    fn history(&self) -> usize {
        self.filters.rounds() - 1
    }
    fn rate(&self) -> f64 {
        self.rate
    }

    fn resample(&mut self, x: &[T], y: &mut [C::Out]) -> (usize, usize) {
        let (filters, window) = (self.filters.len(), self.filters.rounds());
        let items = x.len() + 1 - window;
        if self.ahead >= items {
            self.ahead -= items;
            return (items, 0);
        }
        let step = filters as f64 / self.rate;
        let whole = (step / filters as f64).floor();
        let part = (step - whole * filters as f64).max(0.0);
        // A quotient that was rounded up to a whole number.
        let (whole, part) = if part < filters as f64 { (whole, part) } else { (whole + 1.0, 0.0) };
        let banks = [self.filters.all(), self.differences.all()];
        let from = &x[self.ahead..];
        let step = (whole as usize, part);
        let [given, ahead, phase] = match C::arbitrary(y, from, banks, filters, self.phase, step) {
            Some(next) => next,
            None => self.one_by_one(y, from, step),
        };
        self.ahead += ahead as usize;
        self.phase = phase;
        let taken = self.ahead.min(items);
        self.ahead -= taken;
        (taken, given as usize)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "rate" => {
                let rate = float_of("rate", value)?;
                check_rate(rate)?;
                self.rate = rate;
            }
            "taps" => {
                let taps = new_taps::<C>(value, self.filters.taps())?;
                check_taps::<T, C>(&taps)?;
                (self.filters, self.differences) = Self::bank(&taps, self.filters.len());
            }
            "phase_rad" => self.set_phase(float_of("phase_rad", value)?)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "rate" => Some(self.rate.into()),
            "taps" => self.filters.value(),
            "phase_rad" => Some((self.phase / self.filters.len() as f64 * TAU).into()),
            _ => None,
        }
    }
}

#[declare(
    category = "filters",
    summary = "Resampling at any rate by a bank of filters.",
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, resampled: about n · rate items for n"),
        set_port("new values of rate, taps and phase_rad")
    )
)]
fn pfb_arb_resampler(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// Output rate / input rate.
    #[param(range = 1e-6..=1e6, default = 1.0)]
    rate: f64,
    /// The taps, at the rate of filters inputs; none: they are designed.
    #[param(json = "[]")]
    taps: Vec<C64>,
    /// How many filters there are for each input.
    #[param(range = 1..=MOST, default = 32)]
    filters: usize,
    /// How far behind an item the first output lies: a turn, which is excluded, for an item.
    #[param(unit = "rad", range = 0.0..=TAU, default = 0.0)]
    phase_rad: f64,
) -> Result<AnyBlock, BlockError> {
    let mut taps = taps;
    if taps.is_empty() {
        taps = arb_resampler_taps(rate, filters)?.into_iter().map(|tap| C64::new(tap.into(), 0.0)).collect();
    }
    macro_rules! block {
        ($sample:ty, $tap:ty) => {
            AnyBlock::new(
                PfbArbResampler::<$sample, $tap>::new(rate, &from_numbers("taps", &taps)?, filters)?
                    .with_phase(phase_rad)?
                    .block(),
            )
        };
    }
    use superhet_runtime::C32;
    Ok(match item {
        "f32" => block!(f32, f32),
        _ if taps.iter().all(|tap| tap.im == 0.0) => block!(C32, f32),
        _ => block!(C32, C32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    fn impulse(rate: f64, place: usize) -> Vec<f32> {
        let taps: Vec<f32> = (1..65).map(|n| n as f32).collect();
        let mut x = vec![0.0f32; 16];
        x[place] = 1.0;
        harness::run(PfbArbResampler::<f32, f32>::new(rate, &taps, 8).unwrap().block(), &x)
    }

    #[test]
    fn values_are_those_of_gnu_radio() {
        assert_eq!(impulse(1.0, 0)[..9], [1.0, 9.0, 17.0, 25.0, 33.0, 41.0, 49.0, 57.0, 0.0]);
        assert_eq!(impulse(2.0, 0)[..4], [1.0, 5.0, 9.0, 13.0]);
        assert_eq!(impulse(0.5, 1)[..6], [0.0, 9.0, 25.0, 41.0, 57.0, 0.0]);
        let wanted = [0.0, 0.0, 5.3077, 11.4615, 17.6154, 23.7692];
        assert!(impulse(1.3, 1).iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-3));
        assert_eq!(impulse(2.0, 0).len(), 32);
    }

    #[test]
    fn the_first_output_lies_where_the_phase_says() {
        let taps: Vec<f32> = (1..65).map(|n| n as f32).collect();
        let mut x = vec![0.0f32; 16];
        x[1] = 1.0;
        let made = |phase| PfbArbResampler::<f32, f32>::new(1.0, &taps, 8).unwrap().with_phase(phase);
        let y: Vec<f32> = harness::run(made(TAU * 2.5 / 8.0).unwrap().block(), &x);
        assert_eq!(y[..4], [0.0, 3.5, 11.5, 19.5]);
        assert!(made(TAU).is_err() && made(-0.1).is_err());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (taps, z) = (noise(100), complex_noise(300));
        for rate in [0.13, 1.0, 1.37, 5.2] {
            let make = || PfbArbResampler::<f32, f32>::new(rate, &taps, 8).unwrap().block();
            harness::assert_cut_invariant(make, &noise(500));
        }
        let taps = complex_noise(100);
        harness::assert_cut_invariant(
            || PfbArbResampler::<C32, C32>::new(0.7, &taps, 16).unwrap().block(),
            &z,
        );
        assert!(PfbArbResampler::<f32, f32>::new(0.0, &[1.0], 8).is_err());
    }
}
