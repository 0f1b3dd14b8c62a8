//! Demodulation of RDS.

use superhet_kernels::FirFilter;
use superhet_runtime::{C32, declare};

use super::rds_pulse::pulse;
use super::{BIT_RATE_HZ, RDS_HZ};
use crate::error::{Error, check};
use crate::filters::{LowPass, Resampled, Resampler, Window};

/// Demodulates RDS, from 57 kHz of the multiplex, to soft bits.
///
/// 1. A filter takes the subcarrier to about 10 kHz of samples around 0 Hz.
/// 2. A filter that matches the pulse of a symbol gives it at eight instants of each. The mean energies at these say where symbols are:
///    they are compared with those of the pulse, 64 symbols at a time. So the pilot is not needed.
/// 3. A Costas loop of second order follows the phase of the subcarrier, up to 20 Hz off, by the symbols.
/// 4. Two symbols make a bit: 1 where they differ. Its level is the lesser one of theirs.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | the multiplex, any level |
/// | out `out` | `f32` | soft bits at 1187.5 bits/s, about 1 for 1 and −1 for 0 |
///
/// Samples that are not finite count as 0.
///
/// **Accuracy**: the first bits, about 100, are not right.
///
/// # Source
/// IEC 62106, section 4. M. Oerder, H. Meyr, Digital filter and square timing recovery, IEEE Trans. Communications 36, 1988, for the
/// energies; F. M. Gardner, Phaselock Techniques, for the loop.
///
/// ```
/// use superhet_blocks::fm::{Rds, RdsDemod, RdsEncoder, RdsModulator};
/// use superhet_runtime::{SyncBlock, harness};
///
/// let mut bits = [0u8; 2000];
/// RdsEncoder::new(Rds { pi: 0xd3c1, ..Rds::default() })?.process((), &mut bits);
/// let signal: Vec<f32> = harness::run(RdsModulator::new(240e3)?.block(), &bits);
/// let turn = 57.0 / 240.0 * std::f32::consts::TAU;
/// let multiplex: Vec<f32> = signal.iter().enumerate().map(|(n, x)| x * (turn * (n % 240) as f32).cos()).collect();
/// let soft: Vec<f32> = harness::run(RdsDemod::new(240e3)?.block(), &multiplex);
/// // The pulse of a bit has its middle four bits behind the beginning.
/// assert!((500..1900).all(|n| (soft[n + 4] > 0.0) == (bits[n] == 1)));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct RdsDemod {
    /// Bits in a sample.
    rate: f64,
    filter: FirFilter<f32, C32>,
    /// Turns of the subcarrier from one filtered sample to the next, and those so far.
    turn: f64,
    turns: f64,
    scratch: Vec<C32>,
    /// Filtered samples, and the time of the first in symbols.
    samples: Vec<C32>,
    first: f64,
    /// Symbols in a filtered sample.
    step: f64,
    matched: Matched,
    /// Instants so far.
    instants: u64,
    timing: Timing,
    carrier: Carrier,
    /// The last symbol.
    last: f32,
    bits: Vec<f32>,
}

/// Filtered samples come at this rate, or at up to twice as much.
const FILTERED_HZ: f64 = 9.5e3;
/// Half the width of the subcarrier's band.
const BAND_HZ: f64 = 2.4e3;
/// So many samples are filtered at once.
const AT_ONCE: usize = 2048;

#[declare(
    category = "fm",
    summary = "Demodulates RDS, from 57 kHz of an FM multiplex, to soft bits.",
    through = RdsDemod::block,
    ports(
        input("in", "f32", "the multiplex: what a quadrature demodulator gives"),
        output("out", "f32", "soft bits at 1187.5 bits/s, about 1 for 1 and −1 for 0")
    )
)]
impl RdsDemod {
    /// For a multiplex at this rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is 120 kHz to 10 MHz.
    pub fn new(
        /// The sample rate, 120 kHz or more.
        #[param(unit = "samples/s", range = 120e3..=1e7)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        check((120e3..=1e7).contains(&rate_hz), "rate_hz", "120e3 to 1e7", rate_hz)?;
        let decimation = (rate_hz / FILTERED_HZ).floor();
        let filtered_hz = rate_hz / decimation;
        let transition_hz = filtered_hz - 2.0 * BAND_HZ;
        let design = LowPass {
            gain: 1.0,
            rate_hz,
            cutoff_hz: BAND_HZ + transition_hz / 2.0,
            transition_hz,
            window: Window::Hamming,
        };
        let low_pass = design.taps()?;
        let turn = RDS_HZ / rate_hz;
        let shifted = |(n, tap): (usize, &f32)| C32::from_polar(*tap, angle(turn * n as f64));
        let taps: Vec<C32> = low_pass.iter().enumerate().map(shifted).collect();
        let step = decimation * BIT_RATE_HZ / rate_hz;
        Ok(RdsDemod {
            rate: BIT_RATE_HZ / rate_hz,
            filter: FirFilter::new(&taps, decimation as usize),
            turn: (turn * decimation).fract(),
            turns: 0.0,
            scratch: Vec::new(),
            samples: Vec::new(),
            first: -(taps.len() as f64 - 1.0) / 2.0 * BIT_RATE_HZ / rate_hz,
            step,
            matched: Matched::new(step),
            instants: 0,
            timing: Timing::default(),
            carrier: Carrier::default(),
            last: 0.0,
            bits: Vec::new(),
        })
    }

    /// The block.
    pub fn block(self) -> Resampled<Self> {
        Resampled::new(self)
    }

    /// Takes samples.
    fn take(&mut self, x: &[f32]) {
        let n = self.filter.outputs(x.len());
        self.scratch.resize(n, C32::ZERO);
        if x.iter().all(|x| x.is_finite()) {
            self.filter.filter(&mut self.scratch, x);
        } else {
            let x: Vec<f32> = x.iter().map(|x| if x.is_finite() { *x } else { 0.0 }).collect();
            self.filter.filter(&mut self.scratch, &x);
        }
        for sample in &self.scratch {
            self.samples.push(sample * C32::from_polar(1.0, -angle(self.turns)));
            self.turns = (self.turns + self.turn).fract();
        }
        loop {
            let time = self.instants as f64 / INSTANTS as f64;
            let Some(level) = self.matched.at(&self.samples, time, self.first, self.step) else { break };
            self.timing.add(self.instants, level.norm_sqr());
            self.instants += 1;
            while self.timing.next <= time {
                let symbol = self.matched.at(&self.samples, self.timing.next, self.first, self.step);
                self.timing.next += 1.0;
                self.symbol(symbol.unwrap_or(C32::ZERO));
            }
        }
        // The next symbol may be one behind the next instant.
        let kept = self.instants as f64 / INSTANTS as f64 - 2.0 - Matched::HALF;
        let passed = ((kept - self.first) / self.step).floor().max(0.0) as usize;
        let passed = passed.min(self.samples.len());
        self.samples.drain(..passed);
        self.first += passed as f64 * self.step;
    }

    fn symbol(&mut self, symbol: C32) {
        let (symbol, level) = self.carrier.follow(symbol);
        let lesser = symbol.abs().min(self.last.abs());
        let differ = (symbol < 0.0) != (self.last < 0.0);
        self.bits.push(if level > 0.0 { if differ { lesser / level } else { -lesser / level } } else { 0.0 });
        self.last = symbol;
    }
}

/// The angle of some turns.
fn angle(turns: f64) -> f32 {
    (turns.fract() * std::f64::consts::TAU) as f32
}

impl Resampler for RdsDemod {
    type In = f32;
    type Out = f32;

    fn rate(&self) -> f64 {
        self.rate
    }

    fn resample(&mut self, x: &[f32], y: &mut [f32]) -> (usize, usize) {
        let (mut taken, mut given) = (0, 0);
        loop {
            let n = self.bits.len().min(y.len() - given);
            y[given..given + n].copy_from_slice(&self.bits[..n]);
            self.bits.drain(..n);
            given += n;
            let more = (x.len() - taken).min(AT_ONCE);
            if more == 0 || !self.bits.is_empty() || given == y.len() {
                return (taken, given);
            }
            self.take(&x[taken..taken + more]);
            taken += more;
        }
    }
}

/// The filter that matches the pulse of a symbol, at any time.
#[derive(Clone, Debug)]
struct Matched {
    /// The taps, for each place between two samples.
    taps: Vec<Vec<f32>>,
}

/// Places between two samples.
const PLACES: usize = 32;

impl Matched {
    /// Half of its length, in symbols.
    const HALF: f64 = 1.5;

    fn new(step: f64) -> Self {
        let len = (2.0 * Self::HALF / step).ceil() as usize + 1;
        let of = |place: usize| -> Vec<f32> {
            let at = |n: usize| (n as f64 - place as f64 / PLACES as f64) * step - Self::HALF;
            let taps: Vec<f64> = (0..len).map(|n| pulse(at(n), Self::HALF)).collect();
            let energy: f64 = taps.iter().map(|tap| tap * tap).sum();
            taps.iter().map(|tap| (tap / energy) as f32).collect()
        };
        Matched { taps: (0..PLACES).map(of).collect() }
    }

    /// The level at a time in symbols, of samples from `first` on, `step` symbols apart; none where they are not enough. Before
    /// the first sample there are zeros.
    fn at(&self, samples: &[C32], time: f64, first: f64, step: f64) -> Option<C32> {
        let begin = (time - Self::HALF - first) / step;
        let place = ((begin - begin.floor()) * PLACES as f64) as usize;
        let begin = begin.floor() as i64;
        let taps = &self.taps[place.min(PLACES - 1)];
        if begin + taps.len() as i64 > samples.len() as i64 {
            return None;
        }
        let missing = (-begin).clamp(0, taps.len() as i64) as usize;
        let samples = &samples[begin.max(0) as usize..];
        Some(samples.iter().zip(&taps[missing..]).map(|(x, tap)| x * tap).sum())
    }
}

/// Instants in a symbol.
const INSTANTS: usize = 8;

/// Where symbols are.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    /// The mean energy at each instant.
    energy: [f32; INSTANTS],
    /// The time of the next symbol.
    next: f64,
    /// How often in a row the energies spoke for another place.
    doubts: u32,
}

/// Symbols over which energies are averaged.
const AVERAGED: f32 = 64.0;
/// The place is found so many symbols apart.
const SYMBOLS: u64 = 8;
/// The pulse's energy over a symbol, at once and twice its rate (both by `PULSE` times two, the mean by 0.437).
const PULSE: [f32; 2] = [0.123, 0.156];
/// Places in a symbol that are compared.
const COMPARED: usize = 64;
/// How much of a difference is taken away at once; and from where on it is not followed but jumped, after so many doubts.
const FOLLOWED: f64 = 0.15;
const FAR: f64 = 0.2;
const MOST_DOUBTS: u32 = 8;

impl Timing {
    /// Takes the energy of an instant.
    fn add(&mut self, instant: u64, energy: f32) {
        let mean = &mut self.energy[(instant % INSTANTS as u64) as usize];
        *mean += (energy - *mean) / AVERAGED;
        if (instant + 1).is_multiple_of(SYMBOLS * INSTANTS as u64) {
            self.find();
        }
    }

    fn find(&mut self) {
        let line = |order: usize| -> C32 {
            let turn = |n: usize| angle((n * order) as f64 / INSTANTS as f64);
            self.energy.iter().enumerate().map(|(n, energy)| C32::from_polar(*energy, turn(n))).sum()
        };
        let lines = [line(1), line(2)];
        let fit = |place: f64| -> f32 {
            let part =
                |n: usize| PULSE[n] * (lines[n] * C32::from_polar(1.0, -angle((n + 1) as f64 * place))).re;
            part(0) + part(1)
        };
        let places = (0..COMPARED).map(|n| n as f64 / COMPARED as f64);
        let best = places.fold((0.0, f32::NEG_INFINITY), |best, place| {
            let fit = fit(place);
            if fit > best.1 { (place, fit) } else { best }
        });
        // The top of a parabola through three places.
        let apart = 1.0 / COMPARED as f64;
        let (before, behind) = (fit(best.0 - apart + 1.0), fit(best.0 + apart));
        let bend = before - 2.0 * best.1 + behind;
        let top = if bend < 0.0 { 0.5 * f64::from((before - behind) / bend) } else { 0.0 };
        let difference = best.0 + top * apart - self.next;
        let difference = difference - difference.round();
        if difference.abs() < FAR {
            self.doubts = 0;
            self.next += FOLLOWED * difference;
            return;
        }
        self.doubts += 1;
        if self.doubts == MOST_DOUBTS {
            self.doubts = 0;
            self.next += difference;
        }
    }
}

/// A Costas loop of second order, a step for each symbol.
#[derive(Clone, Copy, Debug, Default)]
struct Carrier {
    /// In turns, and turns from symbol to symbol.
    phase: f64,
    frequency: f64,
    /// The mean level.
    level: f32,
}

/// The loop's natural frequency is 0.03 rad per symbol (5.7 Hz), with a damping of 0.75.
const ALPHA: f64 = 0.045 / std::f64::consts::TAU;
const BETA: f64 = 0.0009 / std::f64::consts::TAU;
/// 20 Hz.
const MOST_FREQUENCY: f64 = 20.0 / BIT_RATE_HZ;
/// Symbols over which the level is averaged.
const LEVELS: f32 = 64.0;

impl Carrier {
    /// The level of a symbol along the carrier, and the mean level.
    fn follow(&mut self, symbol: C32) -> (f32, f32) {
        let turned = symbol * C32::from_polar(1.0, -angle(self.phase));
        self.level += (turned.re.abs() - self.level) / LEVELS;
        let across = if turned.re < 0.0 { -turned.im } else { turned.im };
        let error = if self.level > 0.0 { f64::from((across / self.level).clamp(-1.0, 1.0)) } else { 0.0 };
        self.frequency = (self.frequency + BETA * error).clamp(-MOST_FREQUENCY, MOST_FREQUENCY);
        self.phase = (self.phase + self.frequency + ALPHA * error).fract();
        (turned.re, self.level)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Rds, RdsEncoder, RdsModulator};
    use super::*;
    use crate::testing::{noise, run_tagged};
    use superhet_runtime::Value;
    use superhet_runtime::{SyncBlock, harness};

    /// Bits, and the multiplex that says them: at `rate_hz`, with a subcarrier that is `offset` (relative) too high, and a clock as
    /// much too fast.
    fn signal(count: usize, rate_hz: f64, offset: f64) -> (Vec<u8>, Vec<f32>) {
        let mut bits = vec![0; count];
        let rds = Rds { pi: 0xd3c1, radiotext: "A text that changes the bits".into(), ..Rds::default() };
        RdsEncoder::new(rds).unwrap().process((), &mut bits);
        let modulator = RdsModulator::new(rate_hz / (1.0 + offset)).unwrap();
        let signal: Vec<f32> = harness::run(modulator.block(), &bits);
        let turn = RDS_HZ * (1.0 + offset) / rate_hz;
        let multiplex = signal.iter().enumerate().map(|(n, x)| 0.03 * x * angle(turn * n as f64 + 0.1).cos());
        (bits, multiplex.collect())
    }

    fn demodulate(rate_hz: f64, x: &[f32]) -> Vec<f32> {
        harness::run(RdsDemod::new(rate_hz).unwrap().block(), x)
    }

    /// Wrong bits behind the first `skipped`.
    fn errors(bits: &[u8], soft: &[f32], skipped: usize) -> usize {
        let pairs = bits.iter().zip(&soft[4..]).skip(skipped);
        pairs.filter(|(bit, soft)| (**soft > 0.0) != (**bit == 1)).count()
    }

    #[test]
    fn bits_are_right_at_any_rate_phase_and_offset() {
        // At 2.4 Msps a bit has 2,021 samples.
        for (rate_hz, offset, count) in
            [(240e3, 0.0, 3000), (333.3e3, 1e-4, 3000), (128e3, -2e-4, 3000), (2.4e6, 1e-4, 1500)]
        {
            let (bits, x) = signal(count, rate_hz, offset);
            let soft = demodulate(rate_hz, &x);
            assert!(soft.len().abs_diff(bits.len()) < 8, "{rate_hz}: {} bits", soft.len());
            assert_eq!(errors(&bits[..count - 20], &soft, 600), 0, "{rate_hz}, {offset}");
            let settled = &soft[1000..count - 100];
            let level = settled.iter().map(|soft| soft.abs()).sum::<f32>() / settled.len() as f32;
            assert!((level - 1.0).abs() < 0.05, "{level}");
        }
    }

    #[test]
    fn noise_costs_no_more_than_it_must() {
        // Energy of a bit by noise density 6 dB: 2 Q(√(2 · 4)) = 0.0047 of the bits are wrong, for two symbols make each.
        let (bits, x) = signal(40_000, 128e3, 5e-5);
        let energy: f32 = x.iter().map(|x| x * x).sum::<f32>() / bits.len() as f32;
        // Uniform noise within ±1 has a variance of 1/3, and a density of twice that.
        let scale = (energy / (2.0 * 3.98) * 3.0).sqrt();
        let noisy: Vec<f32> = x.iter().zip(noise(x.len())).map(|(x, noise)| x + scale * noise).collect();
        let wrong = errors(&bits[..39_900], &demodulate(128e3, &noisy), 1000) as f32 / 39_000.0;
        assert!(wrong < 0.0047 * 1.35, "{wrong}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (_, mut x) = signal(150, 128e3, 1e-4);
        x[5000] = f32::NAN;
        harness::assert_cut_invariant(|| RdsDemod::new(128e3).unwrap().block(), &x);
        assert!(RdsDemod::new(100e3).is_err());
    }

    #[test]
    fn tags_move_to_their_bit() {
        let (_, x) = signal(200, 128e3, 0.0);
        let tags = vec![(64_00, "here", Value::from(1))];
        let demod = RdsDemod::new(128e3).unwrap().block();
        let (_, tags) = run_tagged::<f32, f32, _, _>(demod, x, tags, &Default::default());
        assert!(tags[0].0.abs_diff(59) <= 1, "{tags:?}");
    }
}
