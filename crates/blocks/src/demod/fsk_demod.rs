//! Demodulation of frequency-shift keying to soft symbols.

use superhet_kernels::{self as kernels, FirFilter};
use superhet_runtime::catalog::Parameters;
use superhet_runtime::{C32, Item, declare};

use super::demodulator::{Demodulator, FrontEnd, Pulse, dot};
use super::symbol_timing::SymbolTiming;
use crate::error::{Error, check};
use crate::filters::design::{Design, Shape};

/// What is known about a signal with frequency-shift keying.
#[derive(Clone, Copy, Debug, PartialEq, Parameters)]
pub struct Fsk {
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    pub rate_hz: f64,
    /// The symbol rate, at most half of the sample rate.
    #[param(unit = "symbols/s", range = 0.0..)]
    pub symbol_rate_hz: f64,
    /// How far each symbol is from the carrier, of f32 in the unit of in; 0: it is found.
    #[param(unit = "Hz", range = 0.0..=1e9, default = 0)]
    pub deviation_hz: Option<f64>,
    /// The width of a filter around 0 Hz before the demodulator, for C32; 0: none.
    #[param(unit = "Hz", range = 0.0.., default = 0)]
    pub bandwidth_hz: Option<f64>,
    /// Symbols are searched for only where the power, of C32, is this much above the noise before, for bursts; 0: everywhere.
    #[param(unit = "dB", range = 0.0..=60.0, default = 0)]
    pub squelch_db: Option<f64>,
}

impl Fsk {
    /// A signal of which nothing else is known.
    pub fn new(rate_hz: f64, symbol_rate_hz: f64) -> Self {
        Fsk { rate_hz, symbol_rate_hz, deviation_hz: None, bandwidth_hz: None, squelch_db: None }
    }
}

/// Demodulates binary frequency-shift keying, FSK, GFSK, MSK or GMSK, to soft symbols.
///
/// The frequency of complex samples, or real samples that are a frequency already, goes through a filter of one symbol, half a
/// period of a cosine. Carrier offset, deviation and the places of the symbols are found by themselves, from 32 symbols around
/// each: [`SymbolTiming`].
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`; or `f32`, demodulated | any |
/// | out `out` | `f32` | soft symbols: about 1 for the higher frequency, −1 for the lower |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rate_hz` | samples/s | > 0 |
/// | `symbol_rate_hz` | symbols/s | `rate_hz` / 10⁶ to `rate_hz` / 2; best below `rate_hz` / 4 |
/// | `deviation_hz` | Hz, of `f32` the unit of `in` | > 0, where it is known |
/// | `bandwidth_hz` | Hz | of a filter for `C32`, less than `rate_hz`; none where the signal is filtered |
/// | `squelch_db` | dB | for bursts, `C32` only: more than 0 and at most 60; none where a signal may be there all the time |
///
/// The symbol rate may be 2 % off. A run of equal symbols may be as long as the clocks keep step.
///
/// # Source
/// M. Oerder, H. Meyr, Digital filter and square timing recovery, IEEE Transactions on Communications 36, 1988.
///
/// ```
/// use superhet_blocks::demod::{Fsk, FskDemod};
/// use superhet_runtime::{C32, harness};
///
/// // Symbols of 10 samples at ±0.1 rad/sample, around a carrier that is 0.05 rad/sample off.
/// let bits: Vec<bool> = (0..200u32).map(|n| (n * n / 7) % 2 == 1).collect();
/// let mut phase = 0.0;
/// let x: Vec<C32> = (0..2000).map(|n| {
///     phase += if bits[n / 10] { 0.15 } else { -0.05 };
///     C32::from_polar(1.0, phase)
/// }).collect();
/// let symbols: Vec<f32> = harness::run(FskDemod::<C32>::new(&Fsk::new(48e3, 4800.0))?, &x);
/// assert!(symbols.iter().zip(&bits).all(|(symbol, bit)| (*symbol > 0.5) == *bit && symbol.abs() > 0.5));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct FskDemod<T: FskSample> {
    pulse: Pulse,
    discriminator: T::Discriminator,
    streams: [Vec<f32>; 2],
}

/// Samples of a signal with frequency-shift keying: `C32`, or `f32` that are its frequency.
pub trait FskSample: Item + bytemuck::Zeroable {
    /// What turns them into a frequency.
    type Discriminator: Clone + Send + 'static;

    #[doc(hidden)]
    fn discriminator(fsk: &Fsk) -> Result<Self::Discriminator, Error>;

    /// Appends the frequency and the power of samples.
    #[doc(hidden)]
    fn append(discriminator: &mut Self::Discriminator, x: &[Self], streams: &mut [Vec<f32>; 2]);

    /// Whether there is a power.
    #[doc(hidden)]
    const HAS_POWER: bool;
}

impl FskSample for f32 {
    type Discriminator = ();
    const HAS_POWER: bool = false;

    fn discriminator(fsk: &Fsk) -> Result<(), Error> {
        check(fsk.bandwidth_hz.is_none(), "bandwidth_hz", "none for f32", fsk.bandwidth_hz.unwrap_or(0.0))
    }

    fn append((): &mut (), x: &[f32], [frequency, _]: &mut [Vec<f32>; 2]) {
        frequency.extend_from_slice(x);
    }
}

/// A filter, if any, and a quadrature demodulator.
#[derive(Clone)]
pub struct Discriminator {
    filter: Option<FirFilter<C32, f32>>,
    gain: f32,
    /// The last sample, and those that are filtered behind it.
    filtered: Vec<C32>,
}

impl FskSample for C32 {
    type Discriminator = Discriminator;
    const HAS_POWER: bool = true;

    fn discriminator(fsk: &Fsk) -> Result<Discriminator, Error> {
        let filter = match fsk.bandwidth_hz {
            Some(bandwidth) => {
                let fits = bandwidth > 0.0 && bandwidth < fsk.rate_hz;
                check(fits, "bandwidth_hz", "more than 0 and less than rate_hz", bandwidth)?;
                let design = Design {
                    gain: 1.0,
                    rate_hz: fsk.rate_hz,
                    transition_hz: bandwidth / 4.0,
                    shape: Shape::default(),
                    attenuation_db: None,
                };
                Some(FirFilter::new(&design.low_pass(bandwidth / 2.0)?, 1))
            }
            None => None,
        };
        let gain = (fsk.rate_hz / std::f64::consts::TAU) as f32;
        Ok(Discriminator { filter, gain, filtered: vec![C32::ZERO] })
    }

    fn append(state: &mut Discriminator, x: &[C32], [frequency, power]: &mut [Vec<f32>; 2]) {
        let Discriminator { filter, gain, filtered } = state;
        match filter {
            Some(filter) => {
                filtered.resize(1 + filter.outputs(x.len()), C32::ZERO);
                filter.filter(&mut filtered[1..], x);
            }
            None => filtered.extend_from_slice(x),
        }
        let (old, n) = (frequency.len(), filtered.len() - 1);
        frequency.resize(old + n, 0.0);
        kernels::quadrature_demod(&mut frequency[old..], filtered, *gain);
        power.extend(filtered[1..].iter().map(|x| x.norm_sqr()));
        filtered.drain(..n);
    }
}

#[declare(
    category = "demod",
    summary = "Demodulates FSK, GFSK or MSK to soft symbols; offset, deviation and timing are found by themselves.",
    items(C32, f32),
    ports(
        input("in", "item", "the signal; of f32, its frequency: it is demodulated"),
        output("out", "f32", "soft symbols, about 1 for the higher frequency and −1 for the lower")
    )
)]
impl<T: FskSample> FskDemod<T> {
    /// Demodulates such a signal.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(#[param(group)] fsk: &Fsk) -> Result<Demodulator<Self>, Error> {
        let pulse = Pulse::new(fsk.rate_hz, fsk.symbol_rate_hz, 1.0, &[&|_| 1.0])?;
        if let Some(squelch_db) = fsk.squelch_db {
            let fits = T::HAS_POWER && squelch_db > 0.0 && squelch_db <= 60.0;
            check(fits, "squelch_db", "more than 0 and at most 60, and none for f32", squelch_db)?;
        }
        if let Some(deviation) = fsk.deviation_hz {
            check(
                deviation > 0.0 && deviation < 1e9,
                "deviation_hz",
                "more than 0 and less than 10⁹",
                deviation,
            )?;
        }
        let discriminator = T::discriminator(fsk)?;
        let zeros = vec![0.0; pulse.half()];
        let streams = [zeros.clone(), if T::HAS_POWER { zeros } else { Vec::new() }];
        let deviation = fsk.deviation_hz.map(|deviation| deviation as f32);
        let squelch = fsk.squelch_db.map(|db| 10f64.powf(db / 10.0) as f32);
        let timing = SymbolTiming::with_squelch(deviation, squelch);
        Ok(Demodulator::new(FskDemod { pulse, discriminator, streams }, timing))
    }
}

impl<T: FskSample> FrontEnd for FskDemod<T> {
    type In = T;

    fn take(&mut self, x: &[T], timing: &mut SymbolTiming) {
        let FskDemod { pulse, discriminator, streams } = self;
        T::append(discriminator, x, streams);
        let [frequency, power] = streams;
        if T::HAS_POWER {
            pulse.run([frequency, power], |[frequency, power], taps| {
                timing.push(dot(frequency, &taps[0]), dot(power, &taps[0]).sqrt());
            });
        } else {
            pulse.run([frequency], |[frequency], taps| timing.push(dot(frequency, &taps[0]), 1.0));
        }
    }

    fn tail(&self) -> usize {
        self.pulse.half()
    }

    fn step(&self) -> f64 {
        self.pulse.step()
    }
}

#[cfg(test)]
mod tests {
    use super::super::demodulator::tests::{burst, errors};
    use super::*;
    use crate::testing::{complex_noise, noise, run_tagged};
    use superhet_runtime::{Value, harness};

    /// A burst between noise: samples a symbol, deviation and carrier offset in turns per symbol, noise by the signal.
    fn signal(bits: &[u8], period: f64, [deviation, offset]: [f64; 2], noise: f32) -> Vec<C32> {
        let len = (bits.len() as f64 * period) as usize;
        let mut phase = 0.0;
        let mut burst = Vec::new();
        for n in 0..len {
            let bit = f64::from(bits[((n as f64 + 0.4) / period) as usize % bits.len()]);
            phase += std::f64::consts::TAU * (offset + deviation * (2.0 * bit - 1.0)) / period;
            burst.push(C32::from_polar(1.0, phase as f32));
        }
        let silence = vec![C32::ZERO; 50 * period as usize + 13];
        let all = [silence.clone(), burst, silence].concat();
        let noise =
            complex_noise(4 * all.len()).chunks(4).map(|x| x.iter().sum::<C32>() * noise).collect::<Vec<_>>();
        all.iter().zip(noise).map(|(x, noise)| x + noise).collect()
    }

    fn demodulate(fsk: &Fsk, x: &[C32]) -> Vec<f32> {
        harness::run(FskDemod::<C32>::new(fsk).unwrap(), x)
    }

    #[test]
    fn a_burst_is_right_from_its_first_symbol_whatever_its_carrier_deviation_and_clock() {
        let bits = burst(16, 300);
        for period in [5.0, 12.34, 40.0] {
            for deviation in [0.25, 0.5, 0.9] {
                for (offset, clock) in [(0.0, 1.0), (0.3, 1.0002), (-0.2, 0.99)] {
                    let x = signal(&bits, period * clock, [deviation, offset], 0.05);
                    let mut fsk = Fsk::new(1e6, 1e6 / period);
                    if period > 6.0 {
                        fsk.bandwidth_hz = Some(fsk.symbol_rate_hz * (2.0 * deviation + 1.6));
                    }
                    let symbols = demodulate(&fsk, &x);
                    let wrong = errors(&symbols, &bits);
                    assert_eq!(
                        wrong, 0,
                        "period {period}, deviation {deviation}, offset {offset}, clock {clock}"
                    );
                }
            }
        }
    }

    #[test]
    fn levels_are_those_of_the_deviation() {
        let x = signal(&burst(16, 300), 10.0, [0.4, 0.2], 0.0);
        for deviation in [None, Some(0.4e5), Some(0.8e5)] {
            let symbols = demodulate(&Fsk { deviation_hz: deviation, ..Fsk::new(1e6, 1e5) }, &x);
            let mean = symbols[60..340].iter().map(|symbol| symbol.abs()).sum::<f32>() / 280.0;
            let wanted = if deviation == Some(0.8e5) { 0.5 } else { 1.0 };
            assert!((mean / wanted - 1.0).abs() < 0.1, "{deviation:?}: {mean}");
        }
    }

    #[test]
    fn a_long_run_of_equal_symbols_keeps_its_length() {
        let mut bits = burst(16, 700);
        bits[150..400].fill(1);
        bits[450..600].fill(0);
        let symbols = demodulate(&Fsk::new(1e6, 1e5), &signal(&bits, 10.0, [0.5, 0.1], 0.05));
        assert_eq!(errors(&symbols, &bits), 0);
    }

    #[test]
    fn a_burst_is_as_right_with_a_squelch_and_there_are_as_many_symbols() {
        for (length, offset) in [(200, 0.3), (300, -0.2), (400, 0.0)] {
            let bits = burst(16, length);
            let signal = signal(&bits, 10.0, [0.5, offset], 0.08);
            let noise: Vec<C32> = complex_noise(20_000).into_iter().map(|x| x * 0.16).collect();
            let x = [&noise[..], &signal, &noise[..9_000], &signal].concat();
            let without = demodulate(&Fsk::new(1e6, 1e5), &x);
            let with = demodulate(&Fsk { squelch_db: Some(3.0), ..Fsk::new(1e6, 1e5) }, &x);
            assert!(with.len().abs_diff(without.len()) <= 8, "{} and {}", with.len(), without.len());
            let [first, second] = [&with[..2600], &with[2600..]].map(|part| errors(part, &bits));
            assert_eq!((first, second), (0, 0), "{length} bits, offset {offset}");
        }
        let wrong = Fsk { squelch_db: Some(3.0), ..Fsk::new(1e6, 1e5) };
        assert!(FskDemod::<f32>::new(&wrong).is_err(), "there is no power");
    }

    #[test]
    fn levels_of_loud_noise_are_soon_given_up_for_those_of_a_quiet_burst() {
        // Noise as a demodulator of FM gives it, then a burst a tenth as wide: errors behind its first 150 symbols.
        let random = noise(16 * 14_000);
        let bits = burst(32, 1000);
        let mut wrong = 0;
        for (n, random) in random.chunks(14_000).enumerate() {
            let silence = random[..4000].iter().map(|x| 3.5 * x);
            let level = |n: usize| if bits[n / 10] == 1 { 0.35 } else { 0.05 };
            let burst = random[4000..].iter().enumerate().map(|(n, x)| level(n) + 0.26 * x);
            let x: Vec<f32> = silence.chain(burst).collect();
            let y: Vec<f32> = harness::run(FskDemod::<f32>::new(&Fsk::new(48e3, 4800.0)).unwrap(), &x);
            let errors = errors(&y[540..], &bits[150..950]);
            assert!(errors < 200, "burst {n}: {errors}");
            wrong += errors;
        }
        assert!(wrong < 16 * 800 / 50, "{wrong}");
    }

    #[test]
    fn a_frequency_is_demodulated_as_well() {
        let bits = burst(16, 300);
        let x: Vec<f32> = (0..3000).map(|n| f32::from(bits[n / 10]) * 0.02 + 7.0).collect();
        let y: Vec<f32> = harness::run(FskDemod::<f32>::new(&Fsk::new(1e6, 1e5)).unwrap(), &x);
        assert!(y.len().abs_diff(300) <= 1 && errors(&y, &bits[..299]) == 0, "{}", y.len());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x = signal(&burst(16, 200), 7.3, [0.4, 0.2], 0.1);
        let fsk = Fsk { bandwidth_hz: Some(3e5), ..Fsk::new(1e6, 1e6 / 7.3) };
        harness::assert_cut_invariant(|| FskDemod::<C32>::new(&fsk).unwrap(), &x);
        let squelched = Fsk { squelch_db: Some(3.0), ..fsk };
        harness::assert_cut_invariant(|| FskDemod::<C32>::new(&squelched).unwrap(), &x);
        let x: Vec<f32> = x.iter().map(|x| x.re).collect();
        harness::assert_cut_invariant(|| FskDemod::<f32>::new(&Fsk::new(1e6, 1e6 / 7.3)).unwrap(), &x);
        harness::assert_cut_invariant(|| FskDemod::<f32>::new(&Fsk::new(1e6, 3e3)).unwrap(), &x);
    }

    #[test]
    fn tags_move_to_their_symbol_and_none_is_lost() {
        let x: Vec<f32> = (0..1000).map(|n| if n / 10 % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let tags = [0, 500, 999].map(|at| (at, "here", Value::from(at))).to_vec();
        let demod = FskDemod::<f32>::new(&Fsk::new(1e6, 1e5)).unwrap();
        let (y, tags) = run_tagged::<f32, f32, _, _>(demod, x, tags, &Default::default());
        let places: Vec<u64> = tags.iter().map(|(index, ..)| *index).collect();
        assert_eq!((y.len(), places), (100, vec![0, 50, 100]));
    }

    #[test]
    fn the_rate_behind_it_is_the_symbol_rate() {
        let demod = FskDemod::<f32>::new(&Fsk::new(1e6, 1e5)).unwrap();
        let tags = vec![(0, "rx_rate", Value::from(1e6))];
        let (_, tags) = run_tagged::<f32, f32, _, _>(demod, vec![1.0; 100], tags, &Default::default());
        let rate = tags[0].2.as_f64().unwrap();
        assert!((rate / 1e5 - 1.0).abs() < 1e-9, "{rate}");
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let fsk = Fsk::new(1e6, 1e5);
        for wrong in [
            Fsk::new(0.0, 1e5),
            Fsk::new(1e6, 6e5),
            Fsk::new(1e6, 0.1),
            Fsk::new(f64::NAN, 1.0),
            Fsk { deviation_hz: Some(-1.0), ..fsk },
            Fsk { bandwidth_hz: Some(1e6), ..fsk },
        ] {
            assert!(FskDemod::<C32>::new(&wrong).is_err(), "{wrong:?}");
        }
        assert!(FskDemod::<f32>::new(&Fsk { bandwidth_hz: Some(1e5), ..fsk }).is_err());
    }
}
