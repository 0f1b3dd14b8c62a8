//! Symbol clock recovery and matched filtering by a bank of filters.
//!
//! A symbol waits for the one before it: for two sums over one row of samples, the error, one multiplication and addition, and for what
//! makes a place of it: 78 cycles with windows of 44 complex samples (Intel Xeon with AVX-512). Places are counted in parts of 2⁻³² of a sample,
//! the sums are made within the loop, of taps in whole lines of the cache, and what seldom happens is behind branches.

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, C64, Value, declare, parameter::no_parameter};

use crate::digital::sync::interpolator::{Interpolator, PARTS, Sample};
use crate::digital::sync::tracker::{LEAST_PERIOD, Spans, Tracked, Tracker, limited, seldom};
use crate::error::{Error, check};
use crate::item::{float_of, from_numbers};
use crate::math::probe_signal::read_only;

/// Filters a signal by its matched filter at the instants of the symbols, which a loop finds: where the slope of the output
/// is 0.
///
/// The matched filter runs at `filters` times the sample rate and is cut into so many filters, one for each place between two
/// samples; the place `k` counts filters. After each symbol the error `e`, the mean of `x · x'` over real and imaginary part,
/// moves the loop once for each of its `⌊samples_per_symbol⌋` samples: the rate `r += β e`, at most `max_deviation`, and the place
/// `k += r + α e`. The slope `x'` is that of a filter with the taps `(h[n + 1] − h[n − 1]) · filters / Σ|h[n + 1] − h[n − 1]|`, so that its
/// gain does not depend on that of `taps`. With the bandwidth `b` and `ζ = 2 · filters`: `α = 4 ζ b / (1 + 2 ζ b + b²)`,
/// `β = 4 b² / (1 + 2 ζ b + b²)`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | symbols about ±1 behind the filter |
/// | out `out` | the same | that of `in` times the gain of the filter |
/// | out `error` | `f32` | that of the symbol before; may stay unconnected, as the next two |
/// | out `rate` | `f32` | `r`, filters per sample |
/// | out `phase` | `f32` | `k`, filters |
/// | in `set` | messages | new values of parameters; requests for `error`, `rate`, `phase` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `loop_bandwidth_rad` | radians per symbol | ≥ 0, below 7; can be changed while the block runs, as the next three |
/// | `damping` | | more than 0 and at most 10⁴, `2 filters` at first |
/// | `alpha`, `beta` | | the gains of the phase and of the rate, 0 to 1000, until the bandwidth or the damping is set |
/// | `taps` | | of the matched filter at `filters` times the sample rate |
///
/// # Source
/// f. harris, M. Rice, Multirate Digital Filters for Symbol Timing Synchronization in Software Defined Radios, IEEE JSAC 19,
/// 2001.
///
/// ```
/// use superhet_blocks::digital::{Bank, PfbClockSync};
/// use superhet_runtime::harness;
///
/// let x: Vec<f32> = (0..8000).map(|n| (std::f32::consts::PI / 4.0 * n as f32 + 0.4).cos()).collect();
/// let linear: Vec<f32> = (0..64).map(|n| 1.0 - (n as f32 - 32.0).abs() / 32.0).collect();
/// let sync = PfbClockSync::<f32>::new(4.0, 0.06, &linear, &Bank::default())?;
/// let symbols: Vec<f32> = harness::run(sync, &x);
/// assert_eq!(symbols.len(), 2000);
/// // The triangle leaves 0.927 of the amplitude.
/// assert!(symbols[1000..].iter().all(|symbol| (symbol.abs() - 0.925).abs() < 0.002));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PfbClockSync<T> {
    bank: Interpolator,
    bandwidth: f64,
    damping: f64,
    gains: [f32; 2],
    outputs: usize,
    /// Filters per output, and what the loop adds for each sample.
    step: f32,
    samples_per_output: f64,
    /// Whole samples of a symbol.
    samples: f32,
    most: f32,
    state: State,
    sample: std::marker::PhantomData<fn() -> T>,
}

/// How a [`PfbClockSync`] cuts its filter, where it begins, and how much it gives.
#[derive(Clone, Copy, Debug)]
pub struct Bank {
    /// How many filters there are.
    pub filters: usize,
    /// The place at first, in filters.
    pub first: f64,
    /// How far off the rate may be, in filters per sample.
    pub max_deviation: f64,
    /// Samples that are given for each symbol; the first of them is the symbol.
    pub outputs_per_symbol: usize,
}

impl Default for Bank {
    fn default() -> Self {
        Bank { filters: 32, first: 0.0, max_deviation: 1.5, outputs_per_symbol: 1 }
    }
}

impl<T: Sample> PfbClockSync<T> {
    /// Recovers a clock with a matched filter at `bank.filters` times the sample rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(
        samples_per_symbol: f64,
        loop_bandwidth_rad: f64,
        taps: &[f32],
        bank: &Bank,
    ) -> Result<Tracked<Self>, Error> {
        let fits = samples_per_symbol > 1.0 && samples_per_symbol <= 1e4;
        check(fits, "samples_per_symbol", "more than 1 and at most 10⁴", samples_per_symbol)?;
        let Bank { filters, first, max_deviation, outputs_per_symbol: outputs } = *bank;
        check(
            (1..=1024).contains(&outputs),
            "outputs_per_symbol",
            "a whole number from 1 to 1024",
            outputs as f64,
        )?;
        check(
            (0.0..=filters as f64).contains(&first),
            "init_phase",
            "from 0 to the number of filters",
            first,
        )?;
        check(
            (0.0..=1e3).contains(&max_deviation),
            "max_deviation",
            "a number from 0 to 1000",
            max_deviation,
        )?;
        let sync = PfbClockSync {
            gains: gains(loop_bandwidth_rad, 2.0 * filters as f64)?,
            bank: Interpolator::polyphase(taps, filters)?.with_slopes(slope_scale(taps)).laid_out::<T>(),
            bandwidth: loop_bandwidth_rad,
            damping: 2.0 * filters as f64,
            outputs,
            step: (samples_per_symbol / outputs as f64 * filters as f64) as f32,
            samples_per_output: samples_per_symbol / outputs as f64,
            samples: samples_per_symbol.floor() as f32,
            most: max_deviation as f32,
            state: State {
                // Beyond the last filter is the first of the next sample, which is as well the last of this one.
                fraction: (first / filters as f64 * f64::from(PARTS)).min(u32::MAX.into()) as u32,
                skip: 0,
                output: 0,
                error: 0.0,
                rate: 0.0,
            },
            sample: std::marker::PhantomData,
        };
        Ok(sync.block())
    }
}

/// What makes slopes of a filter those of one whose differences sum up to its places.
fn slope_scale(taps: &[f32]) -> f32 {
    let sum: f64 = taps.windows(3).map(|taps| (f64::from(taps[2]) - f64::from(taps[0])).abs()).sum();
    if sum > 0.0 { (2.0 / sum) as f32 } else { 1.0 }
}

fn gains(bandwidth: f64, damping: f64) -> Result<[f32; 2], Error> {
    check((0.0..7.0).contains(&bandwidth), "loop_bandwidth_rad", "at least 0 and less than 7", bandwidth)?;
    check(damping > 0.0 && damping <= 1e4, "damping", "more than 0 and at most 10⁴", damping)?;
    let denominator = 1.0 + 2.0 * damping * bandwidth + bandwidth * bandwidth;
    Ok([4.0 * damping * bandwidth, 4.0 * bandwidth * bandwidth].map(|gain| (gain / denominator) as f32))
}

/// Where the clock is.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Where behind a sample the next output is, in parts of 2⁻³² of a sample.
    fraction: u32,
    skip: usize,
    output: usize,
    error: f32,
    rate: f32,
}

/// The loop over outputs.
struct Follow<'a, 'b, T: Sample> {
    sync: &'a mut PfbClockSync<T>,
    spans: Spans<'b, T, T>,
}

impl<T: Sample> Routine for Follow<'_, '_, T> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<M: Machine>(self) -> (usize, usize) {
        let Follow { sync, mut spans } = self;
        let mut state = sync.state;
        let (width, filters, most) = (sync.bank.width(), sync.bank.places() as f32, sync.most);
        let rounds = sync.samples / sync.outputs as f32;
        // From here on the clock counts in parts of a sample: by so many parts it goes on for one filter.
        let of_filter = PARTS / filters;
        let (step, of_rate) = (sync.step * of_filter, rounds * of_filter);
        // Always on: by the least part of a sample.
        let least = LEAST_PERIOD / sync.outputs as f32 * PARTS;
        // The sums over real and imaginary part are twice the mean, so the gains are half as much.
        let [alpha, beta] = sync.gains.map(|gain| gain * sync.samples / T::PARTS);
        // The rate grows from sample to sample: before the last it is not what it is then.
        let of_error = (alpha - beta * (sync.samples - 1.0) / 2.0) * of_filter;
        let of_error_and_rate = of_error + beta * of_rate;
        let most_error = filters * T::PARTS;
        // Beyond that place there is no window.
        let end = spans.stop.min((spans.x.len() + 1).saturating_sub(width));
        let (mut place, mut given) = ((state.skip as u64) << 32 | u64::from(state.fraction), 0);
        loop {
            let (at, fraction) = ((place >> 32) as usize, place as u32);
            if at >= end || given == spans.y.len() {
                let taken = at.min(spans.x.len());
                sync.state = State { skip: at - taken, fraction, ..state };
                return (taken, given);
            }
            let x = &spans.x[at..at + width];
            // The filter below, as the place is told.
            let filter = sync.bank.below(fraction);
            spans.write(given, [state.error, state.rate, fraction as f32 / PARTS * filters]);
            let mut period = M::multiply_add(state.rate, of_rate, step);
            spans.y[given] = if state.output == 0 {
                let [value, slope] = sync.bank.value_and_slope_of::<M, T>(x, filter);
                let mut error = value.correlate(slope);
                if error.is_nan() || error.abs() > most_error {
                    error = limited(error, most_error);
                }
                let rate = M::multiply_add(beta, error, state.rate);
                if rate.abs() <= most {
                    period = M::multiply_add(of_error_and_rate, error, period);
                    state.rate = rate;
                } else {
                    state.rate = limited(rate, most);
                    period = M::multiply_add(of_error, error, M::multiply_add(state.rate, of_rate, step));
                }
                state.error = error / T::PARTS;
                value
            } else {
                sync.bank.value_of::<M, T>(x, filter)
            };
            given += 1;
            state.output = if state.output + 1 == sync.outputs { 0 } else { state.output + 1 };
            // Nor is what is not a number.
            let is_long_enough = period >= least;
            if !is_long_enough {
                period = seldom(least);
            }
            place += M::whole(period) as u64;
        }
    }
}

impl<T: Sample> Tracker for PfbClockSync<T> {
    type In = T;
    type Out = T;
    const MONITORS: &'static [&'static str] = &["error", "rate", "phase"];
    const PARAMETERS: &'static [&'static str] =
        &["loop_bandwidth_rad", "damping", "alpha", "beta", "error", "rate", "phase"];
    const FORMERLY: &'static [(&'static str, &'static str)] = &[("bandwidth_rad", "loop_bandwidth_rad")];

    fn window(&self) -> usize {
        self.bank.width()
    }

    fn rate(&self) -> f64 {
        1.0 / self.samples_per_output
    }

    fn follow(&mut self, spans: Spans<'_, T, T>) -> (usize, usize) {
        run_routine(Follow { sync: self, spans })
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "loop_bandwidth_rad" => {
                let bandwidth = float_of("loop_bandwidth_rad", value)?;
                self.gains = gains(bandwidth, self.damping)?;
                self.bandwidth = bandwidth;
            }
            "damping" => {
                let damping = float_of("damping", value)?;
                self.gains = gains(self.bandwidth, damping)?;
                self.damping = damping;
            }
            "alpha" | "beta" => {
                let (place, name) = if name == "alpha" { (0, "alpha") } else { (1, "beta") };
                let gain = float_of(name, value)?;
                check((0.0..=1e3).contains(&gain), name, "from 0 to 1000", gain)?;
                self.gains[place] = gain as f32;
            }
            "error" | "rate" | "phase" => return Err(read_only(name)),
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        Some(match name {
            "loop_bandwidth_rad" => self.bandwidth.into(),
            "damping" => self.damping.into(),
            "alpha" => self.gains[0].into(),
            "beta" => self.gains[1].into(),
            "error" => self.state.error.into(),
            "rate" => self.state.rate.into(),
            "phase" => (self.state.fraction as f32 / PARTS * self.bank.places() as f32).into(),
            _ => return None,
        })
    }
}

#[declare(
    category = "digital",
    summary = "Filters a signal by its matched filter at the instants of the symbols, which a loop finds.",
    ports(
        input("in", "item", "samples"),
        set_port(
            "new values of loop_bandwidth_rad, damping, alpha and beta; requests for error, rate and phase"
        ),
        output("out", "item", "symbols: about n · outputs_per_symbol / samples_per_symbol items for n"),
        output("error", "f32", "the error of the clock at the symbol before"),
        output("rate", "f32", "how far off the rate is, filters per sample"),
        output("phase", "f32", "the filter in use")
    )
)]
fn pfb_clock_sync(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// How many samples a symbol takes, more than 1.
    #[param(unit = "samples", range = 1.0..=1e6)]
    samples_per_symbol: f64,
    /// How fast the loop is.
    #[param(formerly = "bandwidth_rad", unit = "radians per symbol", range = 0.0..=7.0, default = 0.0628)]
    loop_bandwidth_rad: f64,
    /// The matched filter at filters times the sample rate.
    taps: Vec<C64>,
    /// How many filters the taps are cut into.
    #[param(range = 2..=1024, default = 32)]
    filters: usize,
    /// Which filter is the first.
    #[param(unit = "filters", range = 0.0..=1024.0, default = 0.0)]
    init_phase: f64,
    /// How far off the rate may be.
    #[param(unit = "filters", range = 0.0..=1e3, default = 1.5)]
    max_deviation: f64,
    /// How many samples are given a symbol.
    #[param(unit = "samples", range = 1..=1024, default = 1)]
    outputs_per_symbol: usize,
) -> Result<AnyBlock, BlockError> {
    let taps: Vec<f32> = from_numbers("taps", &taps)?;
    let bank = Bank { filters, first: init_phase, max_deviation, outputs_per_symbol };
    Ok(match item {
        "f32" => {
            AnyBlock::new(PfbClockSync::<f32>::new(samples_per_symbol, loop_bandwidth_rad, &taps, &bank)?)
        }
        _ => AnyBlock::new(PfbClockSync::<C32>::new(samples_per_symbol, loop_bandwidth_rad, &taps, &bank)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::sync::symbol_sync::tests::{bits, has_bits, pulses};
    use superhet_runtime::harness;

    #[test]
    fn gains_are_those_of_gnu_radio_until_they_are_set() {
        let mut sync = PfbClockSync::<C32>::new(4.0, 0.05, &taps(), &Bank { first: 16.0, ..Bank::default() })
            .unwrap()
            .tracker;
        let number = |sync: &PfbClockSync<C32>, name| sync.parameter(name).unwrap().as_f64().unwrap();
        assert!(
            (number(&sync, "alpha") - 1.729_146).abs() < 1e-5
                && (number(&sync, "beta") - 0.001_351).abs() < 1e-6
        );
        assert_eq!(
            (number(&sync, "damping"), number(&sync, "phase"), number(&sync, "rate")),
            (64.0, 16.0, 0.0)
        );
        sync.set_parameter("alpha", &0.3.into()).unwrap();
        assert!(
            (number(&sync, "alpha") - 0.3).abs() < 1e-6 && (number(&sync, "beta") - 0.001_351).abs() < 1e-6
        );
        sync.set_parameter("damping", &0.5.into()).unwrap();
        assert!(
            (number(&sync, "alpha") - 0.095_012).abs() < 1e-6
                && (number(&sync, "beta") - 0.009_501).abs() < 1e-6
        );
        for (name, value) in [("error", 0.0), ("beta", -1.0), ("damping", 0.0)] {
            assert!(sync.set_parameter(name, &value.into()).is_err(), "{name}");
        }
    }

    /// A low-pass filter well beyond the signal, at 32 times the sample rate; its gain at each place is 1.
    fn taps() -> Vec<f32> {
        let tap = |n: i32| {
            let t = (n as f32 - 191.5) / 32.0;
            let sinc = (std::f32::consts::PI * t * 0.8).sin() / (std::f32::consts::PI * t);
            sinc * (0.5 + 0.5 * (std::f32::consts::PI * t / 6.0).cos())
        };
        (0..384).map(tap).collect()
    }

    #[test]
    fn it_locks_on_a_clock_that_is_off() {
        let sent = bits(2500);
        for (period, offset) in [(4.0, 1.3), (4.01, 0.4), (3.985, 2.6)] {
            let x = pulses(&sent, period, offset);
            let make = PfbClockSync::<f32>::new(4.0, 0.0628, &taps(), &Bank::default()).unwrap();
            let y: Vec<f32> = harness::run(make, &x);
            assert!(has_bits(&y, &sent, 1200), "{period}");
            let spread =
                y[1200..].iter().map(|y| (y.abs() - 1.0).abs()).sum::<f32>() / (y.len() - 1200) as f32;
            assert!(spread < 0.08, "{period}: {spread}");
            let x: Vec<C32> = x.iter().map(|x| C32::new(*x, -x)).collect();
            let make = PfbClockSync::<C32>::new(4.0, 0.0628, &taps(), &Bank::default()).unwrap();
            let y: Vec<C32> = harness::run(make, &x);
            let y: Vec<f32> = y.iter().map(|y| y.re).collect();
            assert!(has_bits(&y, &sent, 1200), "{period}, complex");
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let bank = Bank { outputs_per_symbol: 2, first: 16.0, ..Bank::default() };
        let make = || PfbClockSync::<f32>::new(4.0, 0.06, &taps(), &bank).unwrap();
        harness::assert_cut_invariant(make, &pulses(&bits(500), 4.02, 0.3));
    }

    #[test]
    fn the_gains_are_those_of_gnu_radio() {
        for (bandwidth, filters, wanted) in
            [(0.0628, 32, [1.777_946, 0.001_744_61]), (0.1, 16, [1.727_395, 0.005_398_11])]
        {
            let gains = gains(bandwidth, 2.0 * f64::from(filters)).unwrap();
            assert!(
                gains.iter().zip(wanted).all(|(gain, wanted)| (gain / wanted - 1.0).abs() < 1e-5),
                "{gains:?}"
            );
        }
        assert!(PfbClockSync::<f32>::new(4.0, 0.06, &[1.0], &Bank::default()).is_err());
    }
}
