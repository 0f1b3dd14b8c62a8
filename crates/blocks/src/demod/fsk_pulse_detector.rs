//! Runs of the two frequencies of bursts with frequency-shift keying.

use superhet_runtime::catalog::Parameters;
use superhet_runtime::{
    Block, BlockError, C32, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use crate::error::{Error, check, check_positive};

/// Sends how long each frequency of a burst with frequency-shift keying lasts, a packet for each burst.
///
/// A burst begins where the smoothed envelope is above the noise by `snr_db`, and ends with a gap of `gap_samples`. Its frequency is
/// the angle of the mean product of neighbouring samples, over `smooth_samples`. The two frequencies are the means of those above and
/// below; a burst in which they are not apart, as of a carrier or of on-off keying, is none. The level of the noise follows the
/// samples outside of bursts.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | out `out` | packets of `i32` | samples: higher frequency, lower, higher, …; the first may be 0 |
///
/// | metadata | unit |
/// |---|---|
/// | `offset` | samples: where the burst begins |
/// | `snr_db` | dB: the mean level of the burst by that of the noise |
/// | `level_db` | dB: the mean level of the burst by full scale |
/// | `frequency_hz` | Hz: the middle of the two frequencies |
/// | `deviation_hz` | Hz: how far each is from it |
#[derive(Debug, Block)]
pub struct FskPulseDetector {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: MsgOut,
    settings: FskBursts,
    least_ratio: f32,
    level: f32,
    noise: Option<f32>,
    first: Vec<f32>,
    burst: Option<Burst>,
    taken: u64,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Parameters)]
pub struct FskBursts {
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    pub rate_hz: f64,
    /// A burst ends with a gap that is so long.
    #[param(unit = "samples", range = 1..)]
    pub gap_samples: usize,
    /// A shorter burst is none.
    #[param(formerly = "least_samples", unit = "samples", range = 1.., default = 256)]
    pub min_length: usize,
    /// Frequencies are smoothed over so many; symbols are at least twice as long.
    #[param(unit = "samples", range = 1.., default = 4)]
    pub smooth_samples: usize,
    /// By how much bursts are stronger than the noise, at least.
    #[param(unit = "dB", range = 0.0..=100.0, default = 10)]
    pub snr_db: f64,
}

/// A burst that has begun.
#[derive(Clone, Debug)]
struct Burst {
    start: u64,
    samples: Vec<C32>,
    quiet: usize,
    power: f64,
}

const FIRST: usize = 1024;
const PART: usize = 64;
const NOISE_GAIN: f32 = 1.0 / 4096.0;
const LEAST_LEVEL: f32 = 1e-9;
/// A longer burst is none: the noise has become stronger.
const LONGEST: usize = 1 << 20;
/// What a sample adds to the envelope.
const SMOOTHING: f32 = 2.0 / 9.0;
/// How far the frequencies are apart, by the standard deviation around each.
const LEAST_APART: f32 = 1.5;
/// A frequency counts when it is beyond the middle by this part of the deviation.
const HYSTERESIS: f32 = 0.2;

#[declare(
    category = "demod",
    summary = "Sends how long each of the two frequencies of FSK bursts lasts.",
    ports(
        input("in", "C32", "the signal"),
        output("out", "messages", "packets of i32: the samples of the higher frequency, the lower, …")
    )
)]
impl FskPulseDetector {
    /// Looks for such bursts.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    pub fn new(#[param(group)] settings: &FskBursts) -> Result<Self, Error> {
        let FskBursts { rate_hz, gap_samples, min_length, smooth_samples, snr_db } = *settings;
        check_positive("rate_hz", rate_hz)?;
        let wanted = "a whole number from 1 to 524288";
        check((1..=LONGEST / 2).contains(&gap_samples), "gap_samples", wanted, gap_samples as f64)?;
        check((1..=LONGEST / 2).contains(&min_length), "min_length", wanted, min_length as f64)?;
        let fits = (1..=4096).contains(&smooth_samples);
        check(fits, "smooth_samples", "a whole number from 1 to 4096", smooth_samples as f64)?;
        check(snr_db > 0.0 && snr_db <= 100.0, "snr_db", "more than 0 and at most 100", snr_db)?;
        Ok(FskPulseDetector {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<i32>()),
            settings: *settings,
            least_ratio: 10f64.powf(snr_db / 20.0) as f32,
            level: 0.0,
            noise: None,
            first: Vec::new(),
            burst: None,
            taken: 0,
        })
    }

    /// Takes a sample; the packet of the burst that is over with it.
    #[inline]
    fn take(&mut self, x: C32) -> Option<Packet<i32>> {
        let x = if x.is_finite() { x } else { C32::ZERO };
        let magnitude = x.norm_sqr().sqrt();
        self.level += (magnitude - self.level) * SMOOTHING;
        self.taken += 1;
        let Some(noise) = self.noise else {
            self.first.push(self.level);
            if self.first.len() == FIRST {
                let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
                self.noise = self.first.chunks(PART).map(mean).reduce(f32::min);
            }
            return None;
        };
        let is_above = self.level > noise.max(LEAST_LEVEL) * self.least_ratio;
        match &mut self.burst {
            None if is_above => {
                let power = f64::from(x.norm_sqr());
                self.burst = Some(Burst { start: self.taken - 1, samples: vec![x], quiet: 0, power });
            }
            None => self.noise = Some(noise + (self.level - noise) * NOISE_GAIN),
            Some(burst) => {
                burst.samples.push(x);
                burst.power += f64::from(x.norm_sqr());
                burst.quiet = if is_above { 0 } else { burst.quiet + 1 };
                if burst.quiet == self.settings.gap_samples {
                    return self.finish();
                }
                if burst.samples.len() == LONGEST {
                    let mean = (burst.power / LONGEST as f64).sqrt();
                    (self.burst, self.noise) = (None, Some(mean as f32));
                }
            }
        }
        None
    }

    /// The packet of the burst, which is over.
    fn finish(&mut self) -> Option<Packet<i32>> {
        let FskBursts { rate_hz, min_length, smooth_samples, .. } = self.settings;
        let Burst { start, mut samples, quiet, .. } = self.burst.take()?;
        samples.truncate(samples.len() - quiet);
        // The envelope falls behind the signal.
        let power = samples.iter().map(|x| x.norm_sqr()).sum::<f32>() / samples.len().max(1) as f32;
        while samples.last().is_some_and(|x| x.norm_sqr() < power / 8.0) {
            samples.pop();
        }
        if samples.len() < min_length.max(smooth_samples + 2) {
            return None;
        }
        let turns: Vec<C32> = samples.windows(2).map(|pair| pair[1] * pair[0].conj()).collect();
        let mut sum = C32::ZERO;
        let mut frequencies = Vec::with_capacity(turns.len());
        for (n, turn) in turns.iter().enumerate() {
            sum += turn;
            if n >= smooth_samples {
                sum -= turns[n - smooth_samples];
            }
            frequencies.push(sum.arg());
        }
        let (middle, deviation) = two_levels(&frequencies)?;
        let mut widths = Vec::new();
        let (mut is_high, mut since) = (true, 0);
        for (n, frequency) in frequencies.iter().enumerate() {
            let limit = if is_high { -HYSTERESIS } else { HYSTERESIS } * deviation;
            if (frequency - middle > limit) != is_high {
                widths.push((n - since) as i32);
                (is_high, since) = (!is_high, n);
            }
        }
        widths.push((frequencies.len() - since) as i32);
        let mut packet = Packet::from_items(&widths);
        let noise = self.noise.unwrap_or(0.0).max(LEAST_LEVEL);
        let power = samples.iter().map(|x| f64::from(x.norm_sqr())).sum::<f64>() / samples.len() as f64;
        let level = power.sqrt();
        let in_hz = |radians: f32| f64::from(radians) / std::f64::consts::TAU * rate_hz;
        packet.set("offset", start);
        packet.set("snr_db", 20.0 * (level / f64::from(noise)).log10());
        packet.set("level_db", 20.0 * level.log10());
        packet.set("frequency_hz", in_hz(middle));
        packet.set("deviation_hz", in_hz(deviation));
        Some(packet)
    }
}

/// The middle of two levels, and how far each is from it; none where values have one level only.
fn two_levels(values: &[f32]) -> Option<(f32, f32)> {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    let mut middle = mean;
    let mut means = [mean; 2];
    for _ in 0..8 {
        let mut sums = [(0.0f64, 0u32); 2];
        for value in values {
            let side = &mut sums[usize::from(*value > middle)];
            *side = (side.0 + f64::from(*value), side.1 + 1);
        }
        if sums.iter().any(|(_, count)| *count == 0) {
            return None;
        }
        means = sums.map(|(sum, count)| (sum / f64::from(count)) as f32);
        middle = (means[0] + means[1]) / 2.0;
    }
    let square = |value: &f32| {
        let mean = means[usize::from(*value > middle)];
        f64::from((value - mean) * (value - mean))
    };
    let spread = (values.iter().map(square).sum::<f64>() / values.len() as f64).sqrt() as f32;
    let deviation = (means[1] - means[0]) / 2.0;
    (deviation > LEAST_APART * spread).then_some((middle, deviation))
}

/// So many samples are taken in one call.
const AT_ONCE: usize = 2048;

impl Work for FskPulseDetector {
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
        if let Some(packet) = FskPulseDetector::finish(self) {
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

    const SETTINGS: FskBursts =
        FskBursts { rate_hz: 250e3, gap_samples: 50, min_length: 256, smooth_samples: 4, snr_db: 10.0 };

    /// Noise, and a burst of widths with this amplitude, at ±25 kHz around 10 kHz.
    fn signal(widths: &[usize], amplitude: f32, noise: f32) -> Vec<C32> {
        let mut x = vec![C32::ZERO; 3000];
        let mut phase = 0.0f32;
        for (n, width) in widths.iter().enumerate() {
            let hz = if n % 2 == 0 { 35e3 } else { -15e3 };
            for _ in 0..*width {
                phase = (phase + std::f32::consts::TAU * hz / 250e3) % std::f32::consts::TAU;
                x.push(C32::from_polar(amplitude, phase));
            }
        }
        x.resize(x.len() + 2000, C32::ZERO);
        let noise = complex_noise(x.len()).into_iter().map(|x| x * noise);
        x.into_iter().zip(noise).map(|(x, noise)| x + noise).collect()
    }

    fn detect(x: &[C32]) -> Vec<Packet<i32>> {
        let mut detector = FskPulseDetector::new(&SETTINGS).unwrap();
        let mut packets: Vec<_> = x.iter().filter_map(|x| detector.take(*x)).collect();
        packets.extend(detector.finish());
        packets
    }

    #[test]
    fn the_runs_of_both_frequencies_are_told() {
        let widths = [30, 15, 45, 60, 15, 15, 90, 30, 15, 45];
        for noise in [0.0, 0.02, 0.1] {
            let packets = detect(&signal(&widths, 1.0, noise));
            assert_eq!(packets.len(), 1, "noise {noise}");
            let (packet, items) = (&packets[0], packets[0].items());
            assert_eq!(items.len(), widths.len(), "{items:?}, noise {noise}");
            let inner = items.iter().zip(widths).skip(1).take(8);
            assert!(inner.clone().all(|(got, width)| (got - width as i32).abs() <= 3), "{items:?}");
            let value = |key: &str| packet.get(key).and_then(Value::as_f64).unwrap();
            assert!((value("frequency_hz") - 10e3).abs() < 2e3, "{}", value("frequency_hz"));
            assert!((value("deviation_hz") - 25e3).abs() < 4e3, "{}", value("deviation_hz"));
            assert!((value("offset") - 3000.0).abs() < 16.0);
        }
    }

    #[test]
    fn a_carrier_and_noise_are_no_bursts() {
        assert!(detect(&signal(&[2000], 1.0, 0.05)).is_empty());
        assert!(detect(&complex_noise(100_000)).is_empty());
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for wrong in [
            FskBursts { rate_hz: 0.0, ..SETTINGS },
            FskBursts { gap_samples: 0, ..SETTINGS },
            FskBursts { min_length: 0, ..SETTINGS },
            FskBursts { smooth_samples: 0, ..SETTINGS },
            FskBursts { snr_db: f64::NAN, ..SETTINGS },
        ] {
            assert!(FskPulseDetector::new(&wrong).is_err(), "{wrong:?}");
        }
    }
}
