//! Symbol clock recovery.
//!
//! A symbol waits for the one before it: for the sum of eight products that interpolates it, the error, the loop and the place of
//! the next one, 50 to 65 cycles (Intel Xeon with AVX-512). Places are counted in parts of 2⁻³² of a sample, so that from step to step there
//! are an addition and shifts of whole numbers. The loop is compiled once for each detector, so that it decides nothing by itself.

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, C64, Value, declare, parameter::no_parameter};

use crate::digital::constellations::constellation::Constellation;
use crate::digital::sync::interpolator::{Interpolator, PARTS, Sample, parts};
use crate::digital::sync::tracker::{LEAST_PERIOD, Spans, Tracked, Tracker, seldom};
use crate::error::{Error, check, check_positive};
use crate::item::{float_of, from_numbers};

/// How the error of the symbol clock is found. With the symbol `x[k]`, the decision `a[k]` about it, and sums over the real and
/// the imaginary part; greater than 0 says that the samples are taken too early.
///
/// # Source
/// M. Rice, Digital Communications: A Discrete-Time Approach, 2009, section 8.4; for the modified detector of Mueller and
/// Müller G. Danesfahani, T. Jeans, Electronics Letters 31, 1995.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detector {
    /// `a[k−1] · x[k] − a[k] · x[k−1]`.
    MuellerAndMuller,
    /// `(x[k] − x[k−2]) · a[k−1] − (a[k] − a[k−2]) · x[k−1]`, halved for real samples, cut to ±1.
    ModifiedMuellerAndMuller,
    /// `(a[k−1] − a[k]) · x[k−½]`.
    ZeroCrossing,
    /// `(x[k−1] − x[k]) · x[k−½]`.
    Gardner,
    /// `(x[k+½] − x[k−½]) · x[k]`.
    EarlyLate,
    /// `x[k] · x'[k]`, the mean of both parts.
    SignalTimesSlope,
    /// `sgn(x[k]) · x'[k]`, the mean of both parts.
    SignumTimesSlope,
}

/// How a [`SymbolSync`] follows the clock.
#[derive(Clone, Debug)]
pub struct Clock {
    /// How the error is found.
    pub detector: Detector,
    /// Samples in a symbol, more than 1.
    pub samples_per_symbol: f64,
    /// The bandwidth of the loop, radians per symbol.
    pub loop_bandwidth_rad: f64,
    /// The damping of the loop.
    pub damping: f64,
    /// The slope of the detector's mean error at 0, per sample.
    pub detector_gain: f64,
    /// How far the mean period may be from `samples_per_symbol`, in samples.
    pub max_deviation: f64,
    /// Samples that are given for each symbol; the first of them is the symbol.
    pub outputs_per_symbol: usize,
}

impl Clock {
    /// The usual settings: critically damped, at most 1.5 samples off, one sample given for each symbol.
    pub fn new(detector: Detector, samples_per_symbol: f64, loop_bandwidth_rad: f64) -> Self {
        Clock {
            detector,
            samples_per_symbol,
            loop_bandwidth_rad,
            damping: 1.0,
            detector_gain: 1.0,
            max_deviation: 1.5,
            outputs_per_symbol: 1,
        }
    }
}

/// Finds the instants of the symbols and gives the signal there: a loop that follows the symbol clock.
///
/// After each symbol the error `e` changes the mean period `T += β e` and the next step `T + α e`, with
/// `α = 2/K · exp(−ζω) sinh(ζω)` and `β = 2/K · (1 − exp(−ζω) (sinh(ζω) + cos(ω √(1−ζ²))))` (`cosh(ω √(ζ²−1))` for
/// `ζ > 1`), for the bandwidth `ω`, the damping `ζ` and the detector's gain `K`. The first symbol is looked for at the middle of
/// the interpolator: of the usual one, at sample 3.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | peaks about ±1 |
/// | out `out` | the same | that of `in` |
/// | out `error` | `f32` | as [`Detector`] says; may stay unconnected, as the next two |
/// | out `period` | `f32` | samples to the next symbol |
/// | out `mean_period` | `f32` | samples |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `loop_bandwidth_rad` | radians per symbol | ≥ 0, below 7; can be changed while the block runs, as the next two |
/// | `damping` | | more than 0, at most 1000 |
/// | `detector_gain` | per sample | > 0, and not so small that the gains of the loop are beyond 3.4e38 |
///
/// # Source
/// As for [`Detector`]; the gains map a loop of second order by the poles of its impulse response.
///
/// ```
/// use superhet_blocks::digital::{Clock, Detector, SymbolSync};
/// use superhet_runtime::harness;
///
/// // ±1 in turn, one period of 8 samples for two symbols, sampled anywhere.
/// let x: Vec<f32> = (0..4000).map(|n| (std::f32::consts::PI / 4.0 * n as f32 + 0.4).cos()).collect();
/// let sync = SymbolSync::<f32>::new(&Clock::new(Detector::Gardner, 4.0, 0.1))?;
/// let symbols: Vec<f32> = harness::run(sync, &x);
/// assert!(symbols[300..].iter().all(|symbol| symbol.abs() > 0.99));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SymbolSync<T> {
    clock: Clock,
    gains: [f32; 2],
    interpolator: Interpolator,
    slicer: Constellation,
    /// Whether the points are −1 and 1: a decision is a sign then.
    is_sign: bool,
    /// Steps of a symbol: a multiple of what the detector and the output take.
    steps: usize,
    state: State<T>,
}

/// Where the clock is.
#[derive(Clone, Copy, Debug)]
struct State<T> {
    /// Which step is next; 0 is the symbol.
    step: usize,
    /// Items to be passed by before the window of the next step.
    skip: usize,
    /// Where in the window the next step is, in parts of 2⁻³² of a sample.
    fraction: u32,
    /// From step to step, likewise.
    advance: u64,
    mean_period: f32,
    period: f32,
    /// Of the last symbol.
    error: f32,
    /// The last two symbols, newest first, and the decisions about them.
    symbols: [T; 2],
    decisions: [T; 2],
    /// What lies between the last two symbols.
    middle: T,
}

/// What the clock stays within, in samples.
struct Limits {
    mean: [f32; 2],
    /// The most; the least is [`LEAST_PERIOD`].
    period: f32,
    /// Parts of 2⁻³² of a sample that a step takes for each sample of the period.
    of_steps: f32,
}

/// The loop over symbols, by a detector that is known where it is compiled.
struct Follow<'a, 'b, T: Sample> {
    sync: &'a mut SymbolSync<T>,
    spans: Spans<'b, T, T>,
}

impl<T: Sample> Routine for Follow<'_, '_, T> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<M: Machine>(self) -> (usize, usize) {
        let Follow { sync, spans } = self;
        let mut state = sync.state;
        let state_of = &mut state;
        let done = match sync.clock.detector {
            Detector::MuellerAndMuller => sync.follow_by::<M>(Detector::MuellerAndMuller, state_of, spans),
            Detector::ModifiedMuellerAndMuller => {
                sync.follow_by::<M>(Detector::ModifiedMuellerAndMuller, state_of, spans)
            }
            Detector::ZeroCrossing => sync.follow_by::<M>(Detector::ZeroCrossing, state_of, spans),
            Detector::Gardner => sync.follow_by::<M>(Detector::Gardner, state_of, spans),
            Detector::EarlyLate => sync.follow_by::<M>(Detector::EarlyLate, state_of, spans),
            Detector::SignalTimesSlope => sync.follow_by::<M>(Detector::SignalTimesSlope, state_of, spans),
            Detector::SignumTimesSlope => sync.follow_by::<M>(Detector::SignumTimesSlope, state_of, spans),
        };
        sync.state = state;
        done
    }
}

impl<T: Sample> SymbolSync<T> {
    /// Follows a symbol clock, with an interpolator of 8 taps, and decisions by the nearest of ±1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a setting is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(clock: &Clock) -> Result<Tracked<Self>, Error> {
        let slicer = Constellation::new(vec![C32::new(-1.0, 0.0), C32::ONE], Vec::new(), 2, 1)?;
        SymbolSync::with(clock, Interpolator::least_squares(), slicer)
    }

    /// As `new`, with an interpolator and with the points of a constellation for decisions; for real samples, their real parts.
    ///
    /// # Errors
    /// As `new`, and where the constellation has several dimensions.
    pub fn with(
        clock: &Clock,
        interpolator: Interpolator,
        slicer: Constellation,
    ) -> Result<Tracked<Self>, Error> {
        let Clock { samples_per_symbol: period, max_deviation, outputs_per_symbol: outputs, .. } = *clock;
        check(period > 1.0 && period <= 1e6, "samples_per_symbol", "more than 1 and at most 10⁶", period)?;
        let fits = (0.0..period).contains(&max_deviation);
        check(fits, "max_deviation", "at least 0 and less than samples_per_symbol", max_deviation)?;
        check(
            (1..=1024).contains(&outputs),
            "outputs_per_symbol",
            "a whole number from 1 to 1024",
            outputs as f64,
        )?;
        check(slicer.dimension() == 1, "constellation", "one dimension", slicer.dimension() as f64)?;
        let takes = match clock.detector {
            Detector::ZeroCrossing | Detector::Gardner | Detector::EarlyLate => 2,
            _ => 1,
        };
        // The least common multiple, as one of them is 1 or 2.
        let steps = if outputs.is_multiple_of(takes) { outputs } else { outputs * takes };
        let zero = T::default();
        let sync = SymbolSync {
            gains: gains(clock)?,
            clock: clock.clone(),
            interpolator: interpolator.laid_out::<T>(),
            is_sign: slicer.points() == [C32::new(-1.0, 0.0), C32::ONE],
            slicer,
            steps,
            state: State {
                step: 0,
                skip: 0,
                fraction: 0,
                advance: parts(period as f32 / steps as f32),
                mean_period: period as f32,
                period: period as f32,
                error: 0.0,
                symbols: [zero; 2],
                decisions: [zero; 2],
                middle: zero,
            },
        };
        Ok(sync.block())
    }

    /// How far behind the window of a symbol the detector looks, in samples.
    fn ahead(&self) -> usize {
        let farthest = self.clock.samples_per_symbol + self.clock.max_deviation;
        if self.clock.detector == Detector::EarlyLate { (farthest * 4.0).ceil() as usize + 1 } else { 0 }
    }

    /// The error of the clock at a symbol, where the signal has that slope; `x` begins with its window.
    #[inline(always)]
    fn detect(
        &self,
        detector: Detector,
        state: &State<T>,
        x: &[T],
        [symbol, slope]: [T; 2],
        decision: T,
    ) -> f32 {
        let [last, before] = state.symbols;
        let [last_decision, before_decision] = state.decisions;
        let width = self.interpolator.width();
        match detector {
            Detector::MuellerAndMuller if self.is_sign => {
                // The sum and the difference do not wait for the decision.
                let (symbol, last) = (symbol.complex().re, last.complex().re);
                let product = last_decision.complex().re * symbol;
                let (less, more) = (product - last, product + last);
                if symbol > 0.0 { less } else { more }
            }
            Detector::MuellerAndMuller => last_decision.correlate(symbol) - decision.correlate(last),
            Detector::ModifiedMuellerAndMuller => {
                let error =
                    (symbol - before).correlate(last_decision) - (decision - before_decision).correlate(last);
                (error * T::PARTS / 2.0).clamp(-1.0, 1.0)
            }
            Detector::ZeroCrossing => (last_decision - decision).correlate(state.middle),
            Detector::Gardner => (last - symbol).correlate(state.middle),
            Detector::EarlyLate => {
                let late = state.fraction as f32 / PARTS + state.period / 2.0;
                let at = (late as usize).min(self.ahead());
                let late = self.interpolator.value(&x[at..at + width], late - at as f32);
                (late - state.middle).correlate(symbol)
            }
            Detector::SignalTimesSlope => symbol.correlate(slope) / T::PARTS,
            Detector::SignumTimesSlope => {
                let sign = |x: f32| if x < 0.0 { -1.0 } else { 1.0 };
                let symbol = symbol.complex();
                T::part_of(C32::new(sign(symbol.re), sign(symbol.im))).correlate(slope) / T::PARTS
            }
        }
    }

    /// The point that is nearest to a symbol.
    #[inline(always)]
    fn decide(&self, symbol: T) -> T {
        let symbol = symbol.complex();
        if self.is_sign {
            return T::part_of(C32::new(if symbol.re > 0.0 { 1.0 } else { -1.0 }, 0.0));
        }
        T::part_of(self.slicer.points()[self.slicer.decide(&[symbol])])
    }

    /// Moves the clock by the error at a symbol.
    #[inline(always)]
    fn update<M: Machine>(
        &self,
        detector: Detector,
        limits: &Limits,
        state: &mut State<T>,
        x: &[T],
        value: [T; 2],
    ) {
        let needs_decision = matches!(
            detector,
            Detector::MuellerAndMuller | Detector::ModifiedMuellerAndMuller | Detector::ZeroCrossing
        );
        let decision = if needs_decision { self.decide(value[0]) } else { T::default() };
        let mut error = self.detect(detector, state, x, value, decision);
        if !error.is_finite() {
            // Of samples that are not numbers the clock learns nothing.
            error = seldom(0.0);
        }
        let [alpha, beta] = self.gains;
        let mut mean = M::multiply_add(beta, error, state.mean_period);
        // Both are finite, and so is what stands for both.
        let both = (alpha + beta).min(f32::MAX);
        let mut period = M::multiply_add(both, error, state.mean_period);
        // The same in parts, of which the next symbol waits: their products with what was known before did not have to.
        let of_steps = limits.of_steps;
        let (gain, mean_advance) = ((both * of_steps).min(f32::MAX), state.mean_period * of_steps);
        let mut advance = if detector == Detector::MuellerAndMuller && self.is_sign {
            // The product with the symbol waits for no decision, which is in the sign of what is added to it.
            let (symbol, last) = (value[0].complex().re, state.symbols[0].complex().re);
            let gained = gain * state.decisions[0].complex().re;
            let sign = (0.0 - symbol).to_bits() & (1 << 31);
            let by_decision = f32::from_bits((gain * last).to_bits() ^ sign);
            M::multiply_add(gained, symbol, mean_advance) + by_decision
        } else {
            M::multiply_add(gain, error, mean_advance)
        };
        let [least_mean, most_mean] = limits.mean;
        if !(least_mean..=most_mean).contains(&mean) {
            mean = seldom(mean.clamp(least_mean, most_mean));
            period = M::multiply_add(alpha, error, mean);
            advance = period * of_steps;
        }
        // Always on, and no further than what a symbol may be made wait for.
        if !(LEAST_PERIOD * of_steps..=limits.period * of_steps).contains(&advance) {
            period = seldom(period.clamp(LEAST_PERIOD, limits.period));
            advance = period * of_steps;
        }
        state.error = error;
        state.mean_period = mean;
        state.period = period;
        state.advance = M::whole(advance) as u64;
        state.symbols = [value[0], state.symbols[0]];
        state.decisions = [decision, state.decisions[0]];
    }

    /// As [`Tracker::follow`].
    #[inline(always)]
    fn follow_by<M: Machine>(
        &self,
        detector: Detector,
        state: &mut State<T>,
        mut spans: Spans<'_, T, T>,
    ) -> (usize, usize) {
        let (window, width) = (self.window(), self.interpolator.width());
        // Beyond that place there is no window.
        let end = spans.stop.min((spans.x.len() + 1).saturating_sub(window));
        let (mut place, mut given) = ((state.skip as u64) << 32 | u64::from(state.fraction), 0);
        let every = self.steps / self.clock.outputs_per_symbol;
        let of_steps = PARTS / self.steps as f32;
        let (nominal, most) = (self.clock.samples_per_symbol as f32, self.clock.max_deviation as f32);
        let limits =
            Limits { mean: [nominal - most, nominal + most], period: 4.0 * (nominal + most), of_steps };
        let needs_slope = matches!(detector, Detector::SignalTimesSlope | Detector::SignumTimesSlope);
        loop {
            let at = (place >> 32) as usize;
            state.fraction = place as u32;
            let gives = every == 1 || state.step == 0 || state.step.is_multiple_of(every);
            if at >= end || (gives && given == spans.y.len()) {
                let taken = at.min(spans.x.len());
                state.skip = at - taken;
                return (taken, given);
            }
            let x = &spans.x[at..];
            let value = if needs_slope && state.step == 0 {
                self.interpolator.value_and_slope_at::<M, T>(&x[..width], state.fraction)
            } else {
                [self.interpolator.value_at::<M, T>(&x[..width], state.fraction), T::default()]
            };
            if state.step == 0 {
                self.update::<M>(detector, &limits, state, x, value);
            }
            let [value, _] = value;
            if 2 * state.step == self.steps {
                state.middle = value;
            }
            if gives {
                spans.y[given] = value;
                spans.write(given, [state.error, state.period, state.mean_period]);
                given += 1;
            }
            state.step = if state.step + 1 == self.steps { 0 } else { state.step + 1 };
            place += state.advance;
        }
    }
}

/// The gains of the loop.
fn gains(clock: &Clock) -> Result<[f32; 2], Error> {
    let (bandwidth, damping) = (clock.loop_bandwidth_rad, clock.damping);
    check((0.0..7.0).contains(&bandwidth), "loop_bandwidth_rad", "at least 0 and less than 7", bandwidth)?;
    check(damping > 0.0 && damping <= 1e3, "damping", "more than 0 and at most 1000", damping)?;
    check_positive("detector_gain", clock.detector_gain)?;
    let decay = damping * bandwidth;
    // exp(−d) sinh(d) = (1 − exp(−2 d)) / 2, and likewise with cosh: nothing overflows.
    let sinh = (1.0 - (-2.0 * decay).exp()) / 2.0;
    let turn = bandwidth * (1.0 - damping * damping).abs().sqrt();
    let cos = if damping > 1.0 {
        ((turn - decay).exp() + (-turn - decay).exp()) / 2.0
    } else {
        (-decay).exp() * turn.cos()
    };
    let gain = 2.0 / clock.detector_gain;
    let gains = [gain * sinh, gain * (1.0 - sinh - cos)].map(|gain| gain as f32);
    // One that is not finite makes NaN of an error of 0, and the clock would stand still for ever.
    let finite = gains.iter().all(|gain| gain.is_finite());
    check(
        finite,
        "detector_gain",
        "a number > 0 that leaves the gains of the loop finite",
        clock.detector_gain,
    )?;
    Ok(gains)
}

impl<T: Sample> Tracker for SymbolSync<T> {
    type In = T;
    type Out = T;
    const MONITORS: &'static [&'static str] = &["error", "period", "mean_period"];
    const PARAMETERS: &'static [&'static str] = &["loop_bandwidth_rad", "damping", "detector_gain"];
    const FORMERLY: &'static [(&'static str, &'static str)] = &[("bandwidth_rad", "loop_bandwidth_rad")];

    fn window(&self) -> usize {
        self.interpolator.width() + self.ahead()
    }

    fn rate(&self) -> f64 {
        self.clock.outputs_per_symbol as f64 / self.clock.samples_per_symbol
    }

    fn follow(&mut self, spans: Spans<'_, T, T>) -> (usize, usize) {
        run_routine(Follow { sync: self, spans })
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let mut clock = self.clock.clone();
        match name {
            "loop_bandwidth_rad" => clock.loop_bandwidth_rad = float_of("loop_bandwidth_rad", value)?,
            "damping" => clock.damping = float_of("damping", value)?,
            "detector_gain" => clock.detector_gain = float_of("detector_gain", value)?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        self.gains = gains(&clock)?;
        self.clock = clock;
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "loop_bandwidth_rad" => Some(self.clock.loop_bandwidth_rad.into()),
            "damping" => Some(self.clock.damping.into()),
            "detector_gain" => Some(self.clock.detector_gain.into()),
            _ => None,
        }
    }
}

const DETECTORS: [(&str, Detector); 7] = [
    ("mueller_and_muller", Detector::MuellerAndMuller),
    ("modified_mueller_and_muller", Detector::ModifiedMuellerAndMuller),
    ("zero_crossing", Detector::ZeroCrossing),
    ("gardner", Detector::Gardner),
    ("early_late", Detector::EarlyLate),
    ("signal_times_slope", Detector::SignalTimesSlope),
    ("signum_times_slope", Detector::SignumTimesSlope),
];

#[declare(
    category = "digital",
    summary = "Finds the instants of the symbols and gives the signal there.",
    ports(
        input("in", "item", "samples"),
        set_port("new values of loop_bandwidth_rad, damping and detector_gain"),
        output("out", "item", "symbols: about n · outputs_per_symbol / samples_per_symbol items for n"),
        output("error", "f32", "the error of the clock"),
        output("period", "f32", "samples to the next symbol"),
        output("mean_period", "f32", "samples in a symbol, the mean")
    )
)]
fn symbol_sync(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// How the error of the clock is found.
    #[param(kind = Kind::Choice(&[ "mueller_and_muller", "modified_mueller_and_muller", "zero_crossing", "gardner", "early_late", "signal_times_slope", "signum_times_slope", ]), default = "gardner")]
    detector: &str,
    /// How many samples a symbol takes, more than 1.
    #[param(unit = "samples", range = 1.0..=1e6)]
    samples_per_symbol: f64,
    /// How fast the loop is.
    #[param(formerly = "bandwidth_rad", unit = "radians per symbol", range = 0.0..=7.0, default = 0.045)]
    loop_bandwidth_rad: f64,
    /// The damping of the loop; 1 is critical.
    #[param(range = 0.0..=1e3, default = 1.0)]
    damping: f64,
    /// The slope of the mean error at 0.
    #[param(kind = Kind::Float(0.0, f64::INFINITY), default = 1.0)]
    detector_gain: f64,
    /// How far off the mean period may be; as far as it fits.
    #[param(unit = "samples", range = 0.0..=1e6, default = 1.5)]
    max_deviation: f64,
    /// How many samples are given a symbol.
    #[param(unit = "samples", range = 1..=1024, default = 1)]
    outputs_per_symbol: usize,
    /// The points for detectors that decide.
    #[param(default = "bpsk")]
    constellation: &Value,
    /// 8 taps of least mean square error, or the filter taps, cut into filters.
    #[param(kind = Kind::Choice(&["mmse", "polyphase"]), default = "mmse")]
    interpolator: &str,
    /// How many filters taps are cut into.
    #[param(range = 2..=1024, default = 128)]
    filters: usize,
    /// A filter at filters times the sample rate.
    #[param(json = "[]")]
    taps: Vec<C64>,
) -> Result<AnyBlock, BlockError> {
    let detector = DETECTORS.iter().find(|(name, _)| *name == detector);
    let detector = detector.map_or(Detector::Gardner, |(_, detector)| *detector);
    let clock = Clock {
        damping,
        detector_gain,
        // So that the default fits signals with few samples in a symbol, too.
        max_deviation: max_deviation.min(0.99 * samples_per_symbol),
        outputs_per_symbol,
        ..Clock::new(detector, samples_per_symbol, loop_bandwidth_rad)
    };
    let slicer = Constellation::from_value("constellation", constellation)?;
    let interpolator = match interpolator {
        "mmse" => Interpolator::least_squares(),
        _ => {
            let taps: Vec<f32> = from_numbers("taps", &taps)?;
            Interpolator::polyphase(&taps, filters)?
        }
    };
    Ok(match item {
        "f32" => AnyBlock::new(SymbolSync::<f32>::with(&clock, interpolator, slicer)?),
        _ => AnyBlock::new(SymbolSync::<C32>::with(&clock, interpolator, slicer)?),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::harness;

    const DETECTORS_THAT_LOCK: [Detector; 7] = [
        Detector::MuellerAndMuller,
        Detector::ModifiedMuellerAndMuller,
        Detector::ZeroCrossing,
        Detector::Gardner,
        Detector::EarlyLate,
        Detector::SignalTimesSlope,
        Detector::SignumTimesSlope,
    ];

    /// ±1, always the same.
    pub fn bits(n: usize) -> Vec<f32> {
        crate::testing::noise(n).iter().map(|x| x.signum()).collect()
    }

    /// Bits as raised-cosine pulses (roll-off 1), `period` samples each, the first at `offset`.
    pub fn pulses(bits: &[f32], period: f32, offset: f32) -> Vec<f32> {
        let pulse = |t: f32| match t.abs() {
            t if t < 1e-3 => 1.0,
            t if (t - 0.5).abs() < 1e-3 => 0.5,
            t => {
                (2.0 * std::f32::consts::PI * t).sin()
                    / (2.0 * std::f32::consts::PI * t)
                    / (1.0 - 4.0 * t * t)
            }
        };
        let n = ((bits.len() - 8) as f32 * period) as usize;
        (0..n)
            .map(|n| {
                let at = (n as f32 - offset) / period;
                let first = (at - 5.0).max(0.0) as usize;
                (first..(first + 11).min(bits.len())).map(|k| bits[k] * pulse(at - k as f32)).sum()
            })
            .collect()
    }

    /// Whether `got` has the bits `sent` in a row, wherever they begin, but for the first `settle`.
    pub fn has_bits(got: &[f32], sent: &[f32], settle: usize) -> bool {
        (0..8).any(|lead| {
            let pairs = got.iter().zip(&sent[lead..]).skip(settle);
            pairs.clone().count() > 500 && pairs.clone().all(|(got, sent)| got * sent > 0.0)
        }) || (1..8).any(|late| got[late..].iter().zip(sent).skip(settle).all(|(got, sent)| got * sent > 0.0))
    }

    #[test]
    fn every_detector_locks_on_a_clock_that_is_off() {
        let sent = bits(2000);
        for detector in DETECTORS_THAT_LOCK {
            for (period, offset) in [(4.0, 1.3), (4.01, 0.4), (3.985, 2.6)] {
                let x = pulses(&sent, period, offset);
                let clock = Clock { max_deviation: 0.5, ..Clock::new(detector, 4.0, 0.03) };
                let y: Vec<f32> = harness::run(SymbolSync::<f32>::new(&clock).unwrap(), &x);
                assert!(has_bits(&y, &sent, 700), "{detector:?}, {period}");
                let spread =
                    y[700..].iter().map(|y| (y.abs() - 1.0).abs()).sum::<f32>() / (y.len() - 700) as f32;
                assert!(spread < 0.06, "{detector:?}, {period}: {spread}");

                let x: Vec<C32> = x.iter().map(|x| C32::new(*x, -x)).collect();
                let y: Vec<C32> = harness::run(
                    SymbolSync::<C32>::with(
                        &Clock { detector_gain: 2.0, ..clock },
                        Interpolator::least_squares(),
                        Constellation::named("qpsk")
                            .unwrap()
                            .normalized(crate::digital::Normalization::Power),
                    )
                    .unwrap(),
                    &x,
                );
                let y: Vec<f32> = y.iter().map(|y| y.re).collect();
                assert!(has_bits(&y, &sent, 900), "{detector:?}, {period}, complex");
            }
        }
    }

    /// The input of the values below: raised half cosines, which GNU Radio was given, too.
    fn half_cosines() -> Vec<f32> {
        let bit = |k: i32| {
            if (0..400).contains(&k) {
                (f64::from(k) * 1.7).sin().partial_cmp(&0.0).unwrap() as i32
            } else {
                0
            }
        };
        let pulse = |t: f64| if t.abs() < 1.0 { (1.0 + (std::f64::consts::PI * t).cos()) / 2.0 } else { 0.0 };
        let at = |n: i32| (f64::from(n) - 1.3) / 4.0;
        let value = |n: i32| {
            let near = at(n).floor() as i32;
            (near - 1..near + 3).map(|k| f64::from(bit(k)) * pulse(at(n) - f64::from(k))).sum::<f64>()
        };
        (0..400).map(|n| value(n) as f32).collect()
    }

    #[test]
    fn the_first_symbols_are_those_of_gnu_radio() {
        let x = half_cosines();
        for (detector, wanted) in [
            (Detector::MuellerAndMuller, [0.3833, 0.2334, -0.9998, -0.2943, 0.9977, 0.3949]),
            (Detector::ModifiedMuellerAndMuller, [0.3833, 0.2334, -0.9999, -0.2701, 0.9982, 0.3716]),
            (Detector::ZeroCrossing, [0.3833, 0.2334, -1.0, -0.3658, 0.9974, 0.4907]),
            (Detector::Gardner, [0.3833, 0.2334, -1.0001, -0.3064, 0.9995, 0.3422]),
            (Detector::EarlyLate, [0.3833, 0.2094, -1.0, -0.2334, 0.9994, 0.264]),
            (Detector::SignalTimesSlope, [0.3833, 0.2214, -1.0, -0.2334, 0.9998, 0.2457]),
            (Detector::SignumTimesSlope, [0.3833, 0.2094, -0.9995, -0.2579, 0.9984, 0.3124]),
        ] {
            let sync = SymbolSync::<f32>::new(&Clock::new(detector, 4.0, 0.045)).unwrap();
            let y: Vec<f32> = harness::run(sync, &x);
            let close = y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 2e-4);
            assert!(close, "{detector:?}: {:?}", &y[..6]);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x = pulses(&bits(500), 4.1, 0.3);
        for detector in DETECTORS_THAT_LOCK {
            let clock = Clock { outputs_per_symbol: 3, ..Clock::new(detector, 4.0, 0.05) };
            harness::assert_cut_invariant(|| SymbolSync::<f32>::new(&clock).unwrap(), &x);
        }
        // Steps longer than the window.
        let clock = Clock::new(Detector::Gardner, 100.0, 0.05);
        harness::assert_cut_invariant(|| SymbolSync::<f32>::new(&clock).unwrap(), &x);
    }

    #[test]
    fn several_samples_a_symbol_begin_with_the_symbol() {
        let sent = bits(1500);
        let clock = Clock { outputs_per_symbol: 4, ..Clock::new(Detector::Gardner, 4.0, 0.03) };
        let y: Vec<f32> = harness::run(SymbolSync::<f32>::new(&clock).unwrap(), &pulses(&sent, 4.0, 1.0));
        let symbols: Vec<f32> = y.iter().copied().step_by(4).collect();
        assert!(has_bits(&symbols, &sent, 400));
    }

    #[test]
    fn a_filter_that_is_cut_up_interpolates_as_well() {
        let sent = bits(1500);
        // A triangle of two samples: linear interpolation.
        let taps: Vec<f32> = (0..64).map(|n| 1.0 - (n as f32 - 32.0).abs() / 32.0).collect();
        let slicer = Constellation::named("bpsk").unwrap();
        let clock = Clock::new(Detector::ZeroCrossing, 4.0, 0.03);
        let sync =
            SymbolSync::<f32>::with(&clock, Interpolator::polyphase(&taps, 32).unwrap(), slicer).unwrap();
        let y: Vec<f32> = harness::run(sync, &pulses(&sent, 4.0, 1.6));
        assert!(has_bits(&y, &sent, 500));
    }

    #[test]
    fn tags_move_to_the_next_symbol_and_none_is_lost() {
        let x = pulses(&bits(100), 4.0, 3.0);
        let n = x.len() as u64;
        for options in cuts() {
            let sync = SymbolSync::<f32>::new(&Clock::new(Detector::Gardner, 4.0, 0.0)).unwrap();
            let tags = [0, 1, 4, 7, n - 1].map(|at| (at, "here", Value::from(at))).to_vec();
            let (y, tags) = run_tagged::<f32, f32, _, _>(sync, x.clone(), tags, &options);
            let places: Vec<u64> = tags.iter().map(|(index, ..)| *index).collect();
            assert_eq!(places, [0, 1, 1, 2, y.len() as u64]);
        }
    }

    #[test]
    fn samples_that_are_not_numbers_do_not_stop_the_clock() {
        let sent = bits(2000);
        let mut x = pulses(&sent, 4.0, 1.0);
        x[100] = f32::NAN;
        x[200] = f32::INFINITY;
        let clock = Clock { max_deviation: 0.5, ..Clock::new(Detector::ZeroCrossing, 4.0, 0.03) };
        let y: Vec<f32> = harness::run(SymbolSync::<f32>::new(&clock).unwrap(), &x);
        assert!(has_bits(&y, &sent, 500));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let clock = Clock::new(Detector::Gardner, 4.0, 0.045);
        for wrong in [
            Clock { samples_per_symbol: 1.0, ..clock.clone() },
            Clock { loop_bandwidth_rad: -1.0, ..clock.clone() },
            Clock { damping: 0.0, ..clock.clone() },
            Clock { detector_gain: 0.0, ..clock.clone() },
            Clock { max_deviation: 4.0, ..clock.clone() },
            Clock { outputs_per_symbol: 0, ..clock.clone() },
        ] {
            assert!(SymbolSync::<f32>::new(&wrong).is_err(), "{wrong:?}");
        }
        let [alpha, beta] = gains(&clock).unwrap();
        assert!((alpha - 0.086_068_8).abs() < 1e-6 && (beta - 0.001_936_2).abs() < 1e-6);
    }
}
