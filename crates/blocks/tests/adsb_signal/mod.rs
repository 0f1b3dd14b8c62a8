//! Synthetic DF17 messages on a carrier, as a receiver of a given rate would sample them, and what is found of them.

use superhet_blocks::adsb::{Detector, Frame, Receiver, Settings, remainder};
use superhet_runtime::C32;

/// Amplitude of a pulse.
const PULSE: f64 = 0.25;

/// Half the length of the receiver's filter, in samples.
const FILTER_SAMPLES: f64 = 8.0;

/// Where the receiver's filter cuts off, relative to the sample rate.
const FILTER_CUTOFF: f64 = 0.45;

/// Entries of a table of the filter's step response per sample.
const STEPS: f64 = 64.0;

/// Random numbers, the same on every machine (xorshift64, Marsaglia 2003).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Uniform from 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// White noise of mean power `power`: both parts are normal (Box and Muller 1958).
    pub fn noise(&mut self, power: f64) -> C32 {
        let (length, angle) =
            ((-power * (1.0 - self.unit()).ln()).sqrt(), std::f64::consts::TAU * self.unit());
        C32::new((length * angle.cos()) as f32, (length * angle.sin()) as f32)
    }
}

/// What is sampled.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    pub rate_hz: f64,
    /// Power of a pulse against that of the noise in 2 MHz; the noise is white over the whole rate.
    pub snr_db: f64,
    pub messages: usize,
    /// The offset that is added to each sample, relative to the amplitude of a pulse.
    pub dc: f64,
    pub seed: u64,
}

/// A message and the sample at which it begins.
pub struct Sent {
    pub bytes: [u8; 14],
    pub start: f64,
}

/// A DF17 with a right parity.
pub fn message(random: &mut Random, aircraft: u64) -> [u8; 14] {
    let mut bytes = [0; 14];
    bytes[..11].fill_with(|| random.next() as u8);
    bytes[0] = 0x8d;
    let address = 0x40_0000 + 0x1357 * (random.next() % aircraft) as u32;
    bytes[1..4].copy_from_slice(&address.to_be_bytes()[1..]);
    let parity = remainder(&bytes).to_be_bytes();
    bytes[11..].copy_from_slice(&parity[1..]);
    bytes
}

/// Adds pulses of a filtered carrier to a stream of samples.
pub struct Transmitter {
    rate_hz: f64,
    /// The filter's answer to a step, from `-FILTER_SAMPLES` on.
    step: Vec<f64>,
}

impl Transmitter {
    pub fn new(rate_hz: f64) -> Self {
        let count = (2.0 * FILTER_SAMPLES * STEPS) as usize;
        let mut sum = 0.0;
        let mut step: Vec<f64> = (0..=count)
            .map(|n| {
                let t = n as f64 / STEPS - FILTER_SAMPLES;
                let x = std::f64::consts::TAU * FILTER_CUTOFF * t;
                let window = 0.5 + 0.5 * (std::f64::consts::PI * t / FILTER_SAMPLES).cos();
                sum += window * if x == 0.0 { 1.0 } else { x.sin() / x };
                sum
            })
            .collect();
        step.iter_mut().for_each(|value| *value /= sum);
        Self { rate_hz, step }
    }

    /// Adds `bytes` with `amplitude`, its preamble beginning at sample `start`.
    pub fn send(
        &self,
        samples: &mut [C32],
        bytes: &[u8],
        start: f64,
        amplitude: f64,
        phase: f64,
        offset_hz: f64,
    ) {
        let half = 0.5e-6 * self.rate_hz;
        let bits = (0..bytes.len() * 8)
            .map(|bit| 16 + 2 * bit + usize::from(bytes[bit / 8] >> (7 - bit % 8) & 1 == 0));
        for pulse in [0, 2, 7, 9].into_iter().chain(bits) {
            let from = start + pulse as f64 * half;
            let first = (from - FILTER_SAMPLES).ceil().max(0.0) as usize;
            let last = ((from + half + FILTER_SAMPLES) as usize).min(samples.len() - 1);
            for (n, sample) in samples.iter_mut().enumerate().take(last + 1).skip(first) {
                let level = self.answer(n as f64 - from) - self.answer(n as f64 - from - half);
                let angle = phase + std::f64::consts::TAU * offset_hz * n as f64 / self.rate_hz;
                let value = amplitude * level;
                *sample += C32::new((value * angle.cos()) as f32, (value * angle.sin()) as f32);
            }
        }
    }

    fn answer(&self, t: f64) -> f64 {
        let place = (t + FILTER_SAMPLES) * STEPS;
        if place < 0.0 { 0.0 } else { self.step.get(place as usize).copied().unwrap_or(1.0) }
    }
}

impl Scene {
    /// The samples, and what was sent: random phase, start and content, within 100 kHz of the channel.
    pub fn samples(&self) -> (Vec<C32>, Vec<Sent>) {
        let mut random = Random::new(self.seed);
        let transmitter = Transmitter::new(self.rate_hz);
        let microsecond = self.rate_hz / 1e6;
        let power = PULSE * PULSE * 10f64.powf(-self.snr_db / 10.0) * self.rate_hz / 2e6;
        let offset = random.unit() * std::f64::consts::TAU;
        let dc = C32::new((self.dc * PULSE * offset.cos()) as f32, (self.dc * PULSE * offset.sin()) as f32);
        let len = ((self.messages + 1) as f64 * 500.0 * microsecond) as usize;
        let mut samples: Vec<C32> = (0..len).map(|_| dc + random.noise(power)).collect();
        let mut sent = Vec::new();
        for n in 0..self.messages {
            let bytes = message(&mut random, 20);
            let start = (n as f64 * 500.0 + 200.0 + 300.0 * random.unit()) * microsecond;
            let phase = random.unit() * std::f64::consts::TAU;
            transmitter.send(&mut samples, &bytes, start, PULSE, phase, (random.unit() - 0.5) * 200e3);
            sent.push(Sent { bytes, start });
        }
        (samples, sent)
    }
}

/// What a receiver that takes samples finds.
pub fn by_samples(samples: &[C32], rate_hz: f64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut receiver = Receiver::new(Settings { rate_hz, repair: true }).unwrap();
    receiver.process(samples, 0, true, &mut |frame| frames.push(frame));
    frames
}

/// How many of `sent` were found, and how many others.
pub fn score(frames: &[Frame], sent: &[Sent], rate_hz: f64) -> (usize, usize) {
    let near = |frame: &Frame, sent: &Sent| {
        frame.bytes() == sent.bytes && (frame.index as f64 - sent.start).abs() < 1.5e-6 * rate_hz
    };
    let found = sent.iter().filter(|sent| frames.iter().any(|frame| near(frame, sent))).count();
    let wrong = frames.iter().filter(|frame| !sent.iter().any(|sent| near(frame, sent))).count();
    (found, wrong)
}
