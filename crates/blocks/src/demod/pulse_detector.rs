//! Pulses of signals that are switched on and off.

use superhet_runtime::catalog::Parameters;
use superhet_runtime::{
    Block, BlockError, C32, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use crate::error::{Error, check, check_positive};

/// Sends the widths of pulses and of the gaps between them, a packet for each burst: on-off keying without a threshold to be set.
///
/// A burst begins where the smoothed envelope is above the noise by `snr_db`, and ends with a gap of `gap_samples`. Then it is sliced
/// halfway between the noise and the mean level of its own pulses. So the first pulse is as long as the others, and a burst may be
/// strong or weak. The level of the noise follows the samples outside of bursts.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | packets of `i32` | samples: pulse, gap, pulse, …, pulse |
///
/// | metadata | unit |
/// |---|---|
/// | `offset` | samples: where the first pulse begins |
/// | `snr_db` | dB: the mean level of the pulses by that of the noise |
/// | `level_db` | dB: the mean level of the pulses by full scale |
/// | `frequency_hz` | Hz: the mean frequency of the pulses |
///
/// ```
/// use superhet_blocks::demod::{Pulses, PulseDetector};
/// use superhet_blocks::{sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// // Silence, then pulses of 100 and 200 samples with a gap of 150.
/// let level = |n: usize| if (2000..2100).contains(&n) || (2250..2450).contains(&n) { 1.0 } else { 0.0 };
/// let x: Vec<C32> = (0..6000).map(|n| C32::from_polar(level(n), n as f32 * 0.1)).collect();
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(x, false)?);
/// let detector = graph.add("detector", PulseDetector::new(&Pulses::new(250e3, 1000))?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, detector.input);
/// graph.connect(detector.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take().lines().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PulseDetector {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: MsgOut,
    settings: Pulses,
    /// By how much a burst is above the noise.
    least_ratio: f32,
    /// The envelope's smoothing: what a sample adds.
    smoothing: f32,
    /// The smoothed magnitude.
    level: f32,
    /// The mean magnitude of the noise; none before the first samples.
    noise: Option<f32>,
    first: Vec<f32>,
    burst: Option<Burst>,
    last: C32,
    taken: u64,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Parameters)]
pub struct Pulses {
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    pub rate_hz: f64,
    /// A burst ends with a gap that is so long.
    #[param(unit = "samples", range = 1..)]
    pub gap_samples: usize,
    /// The envelope is smoothed over so many; pulses are longer.
    #[param(unit = "samples", range = 1.., default = 8)]
    pub smooth_samples: usize,
    /// By how much bursts are stronger than the noise, at least.
    #[param(unit = "dB", range = 0.0..=100.0, default = 10)]
    pub snr_db: f64,
}

impl Pulses {
    /// Bursts that end with a gap of so many samples, at least 10 dB above the noise.
    pub fn new(rate_hz: f64, gap_samples: usize) -> Self {
        Pulses { rate_hz, gap_samples, smooth_samples: 8, snr_db: 10.0 }
    }
}

/// A burst that has begun.
#[derive(Clone, Debug)]
struct Burst {
    /// The sample that it begins with.
    start: u64,
    /// The smoothed magnitude of each sample.
    level: Vec<f32>,
    /// Samples since it was last above the threshold.
    quiet: usize,
    /// `Σ x[n] · conj(x[n − 1])` while it is.
    turn: C32,
}

/// The noise is first told from so many samples, as the least mean of the parts that they have.
const FIRST: usize = 1024;
const PART: usize = 64;
/// What a sample adds to the level of the noise.
const NOISE_GAIN: f32 = 1.0 / 4096.0;
/// A lower level is as good as none.
const LEAST_LEVEL: f32 = 1e-9;
/// A longer burst is none: the noise has become stronger.
const LONGEST: usize = 1 << 22;
/// The threshold is so much higher for the beginning of a pulse, and lower for its end.
const HYSTERESIS: f32 = 0.1;

#[declare(
    category = "demod",
    summary = "Sends the widths of the pulses of on-off keyed bursts, and of the gaps between them.",
    ports(
        input("in", "C32", "the signal"),
        output("out", "messages", "packets of i32: the samples of a pulse, a gap, …, a pulse")
    )
)]
impl PulseDetector {
    /// Looks for such pulses.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    pub fn new(#[param(group)] settings: &Pulses) -> Result<Self, Error> {
        let Pulses { rate_hz, gap_samples, smooth_samples, snr_db } = *settings;
        check_positive("rate_hz", rate_hz)?;
        let wanted = "a whole number from 1 to 2097152";
        check((1..=LONGEST / 2).contains(&gap_samples), "gap_samples", wanted, gap_samples as f64)?;
        let fits = (1..=4096).contains(&smooth_samples);
        check(fits, "smooth_samples", "a whole number from 1 to 4096", smooth_samples as f64)?;
        check(snr_db > 0.0 && snr_db <= 100.0, "snr_db", "more than 0 and at most 100", snr_db)?;
        Ok(PulseDetector {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<i32>()),
            settings: *settings,
            least_ratio: 10f64.powf(snr_db / 20.0) as f32,
            smoothing: 2.0 / (smooth_samples as f32 + 1.0),
            level: 0.0,
            noise: None,
            first: Vec::new(),
            burst: None,
            last: C32::ZERO,
            taken: 0,
        })
    }

    /// Takes a sample; the packet of the burst that is over with it.
    #[inline]
    fn take(&mut self, x: C32) -> Option<Packet<i32>> {
        let level = x.norm_sqr().sqrt();
        let level = if level.is_finite() { level } else { 0.0 };
        self.level += (level - self.level) * self.smoothing;
        self.taken += 1;
        let turn = x * self.last.conj();
        self.last = x;
        let Some(noise) = self.noise else {
            self.first.push(self.level);
            if self.first.len() == FIRST {
                self.begin();
            }
            return None;
        };
        let is_above = self.level > noise.max(LEAST_LEVEL) * self.least_ratio;
        match &mut self.burst {
            None if is_above => {
                let level = vec![self.level];
                self.burst = Some(Burst { start: self.taken - 1, level, quiet: 0, turn });
                None
            }
            None => {
                self.noise = Some(noise + (self.level - noise) * NOISE_GAIN);
                None
            }
            Some(burst) => {
                burst.level.push(self.level);
                if is_above {
                    burst.quiet = 0;
                    burst.turn += if turn.is_finite() { turn } else { C32::ZERO };
                } else {
                    burst.quiet += 1;
                }
                if burst.quiet == self.settings.gap_samples {
                    return self.finish();
                }
                if burst.level.len() == LONGEST {
                    let mean =
                        burst.level.iter().map(|level| f64::from(*level)).sum::<f64>() / LONGEST as f64;
                    (self.burst, self.noise) = (None, Some(mean as f32));
                }
                None
            }
        }
    }

    /// Tells the level of the noise from the first samples.
    fn begin(&mut self) {
        let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
        self.noise = self.first.chunks(PART).map(mean).reduce(f32::min);
    }

    /// The packet of the burst, which is over.
    fn finish(&mut self) -> Option<Packet<i32>> {
        let burst = self.burst.take()?;
        let noise = self.noise.unwrap_or(0.0).max(LEAST_LEVEL);
        let level = burst.level;
        let most = level.iter().copied().fold(0.0, f32::max);
        let middle = (noise + most) / 2.0;
        let (sum, count) = level
            .iter()
            .filter(|level| **level > middle)
            .fold((0.0, 0usize), |(sum, count), level| (sum + f64::from(*level), count + 1));
        let high = (sum / count.max(1) as f64) as f32;
        let threshold = (noise + high) / 2.0;
        let (mut widths, mut is_on, mut since) = (Vec::new(), false, 0);
        let mut start = 0;
        for (n, level) in level.iter().enumerate() {
            let limit = if is_on { 1.0 - HYSTERESIS } else { 1.0 + HYSTERESIS } * threshold;
            if (*level > limit) != is_on {
                if is_on || !widths.is_empty() {
                    widths.push((n - since) as i32);
                } else {
                    start = n;
                }
                (is_on, since) = (!is_on, n);
            }
        }
        if is_on {
            widths.push((level.len() - since) as i32);
        }
        if widths.is_empty() {
            return None;
        }
        let mut packet = Packet::from_items(&widths);
        let db = |ratio: f32| 20.0 * f64::from(ratio).log10();
        packet.set("offset", burst.start + start as u64);
        packet.set("snr_db", db(high / noise));
        packet.set("level_db", db(high));
        let turns = f64::from(burst.turn.arg()) / std::f64::consts::TAU;
        packet.set("frequency_hz", turns * self.settings.rate_hz);
        Some(packet)
    }
}

/// So many samples are taken in one call.
const AT_ONCE: usize = 2048;

impl Work for PulseDetector {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(AT_ONCE);
        let mut samples = [C32::ZERO; AT_ONCE];
        samples[..n].copy_from_slice(&self.input.peek()[..n]);
        for x in &samples[..n] {
            if let Some(packet) = self.take(*x) {
                self.output.send(packet)?;
            }
        }
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if let Some(packet) = PulseDetector::finish(self) {
            self.output.send(packet)?;
        }
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::Value;

    /// Noise, with bursts of widths at a level, each behind so many samples.
    fn signal(bursts: &[(usize, f32, &[usize])], noise: f32) -> Vec<C32> {
        let mut levels = Vec::new();
        for (before, level, widths) in bursts {
            levels.resize(levels.len() + before, 0.0);
            for (n, width) in widths.iter().enumerate() {
                levels.resize(levels.len() + width, if n % 2 == 0 { *level } else { 0.0 });
            }
        }
        levels.resize(levels.len() + 3000, 0.0);
        let noise = complex_noise(levels.len()).into_iter().map(|x| x * noise);
        let turn = |n: usize| C32::from_polar(1.0, n as f32 % 1000.0 * std::f32::consts::TAU / 50.0);
        levels.iter().enumerate().zip(noise).map(|((n, level), noise)| turn(n) * *level + noise).collect()
    }

    fn detect(x: &[C32], settings: &Pulses) -> Vec<Packet<i32>> {
        let mut detector = PulseDetector::new(settings).unwrap();
        let mut packets: Vec<_> = x.iter().filter_map(|x| detector.take(*x)).collect();
        packets.extend(detector.finish());
        packets
    }

    #[test]
    fn widths_are_right_of_strong_and_of_weak_bursts() {
        let widths = [120, 240, 120, 480, 60, 240, 120];
        for noise in [0.0, 0.01, 0.05] {
            let x = signal(&[(2000, 1.0, &widths), (2500, 0.2, &widths), (1500, 0.6, &widths)], noise);
            let packets = detect(&x, &Pulses::new(250e3, 1000));
            assert_eq!(packets.len(), 3, "noise {noise}");
            for (packet, start) in packets.iter().zip([2000, 5880, 8760]) {
                let error =
                    packet.items().iter().zip(widths).map(|(got, width)| (got - width as i32).abs()).max();
                assert!(packet.len() == 7 && error <= Some(4), "{:?}, noise {noise}", packet.items());
                let value = |key: &str| packet.get(key).and_then(Value::as_f64).unwrap();
                assert!((value("offset") - start as f64).abs() < 8.0 && value("snr_db") > 10.0);
                let error_hz = (value("frequency_hz") - 5e3).abs();
                assert!(error_hz < 20.0 + 4e3 * f64::from(noise), "{error_hz} Hz off, noise {noise}");
            }
        }
    }

    #[test]
    fn noise_that_becomes_stronger_is_no_burst_for_ever() {
        let mut x = signal(&[], 0.001);
        x.extend(complex_noise(LONGEST + 5000).into_iter().map(|x| x * 0.5));
        x.extend(signal(&[(500, 5.0, &[100, 100, 100])], 0.5));
        let packets = detect(&x, &Pulses::new(250e3, 1000));
        assert!(packets.last().is_some_and(|packet| packet.len() == 3), "{}", packets.len());
    }

    #[test]
    fn settings_out_of_range_are_refused_and_samples_that_are_no_numbers_pass() {
        let right = Pulses::new(250e3, 1000);
        for wrong in [
            Pulses { rate_hz: 0.0, ..right },
            Pulses { gap_samples: 0, ..right },
            Pulses { smooth_samples: 0, ..right },
            Pulses { snr_db: 0.0, ..right },
        ] {
            assert!(PulseDetector::new(&wrong).is_err(), "{wrong:?}");
        }
        let mut x = signal(&[(2000, 1.0, &[100, 100, 100])], 0.01);
        x[500] = C32::new(f32::NAN, 0.0);
        x[2050] = C32::new(f32::INFINITY, 0.0);
        assert!(!detect(&x, &right).is_empty());
    }
}
