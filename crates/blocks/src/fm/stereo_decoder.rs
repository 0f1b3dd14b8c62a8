//! The two channels of stereo.

use superhet_kernels::FirFilter;
use superhet_runtime::{C32, Ratio, Shape, SyncBlock, declare};

use super::pilot::Pilot;
use crate::error::{Error, check};
use crate::filters::{LowPass, Window};

/// Decodes stereo by the pilot tone: the sum of the channels below 15 kHz, their difference around twice the pilot.
///
/// ```text
/// S = 2 · sin 2θ · x, θ: phase of the pilot, followed
/// left = h * (x + b S), right = h * (x − b S)
/// ```
///
/// `h` is a low-pass filter, 15 kHz to 19 kHz, with the de-emphasis in it. `b` is 1 for a good pilot, and falls to 0 where the pilot's
/// power is less than half of what is within about 500 Hz of it, or its level less than 0.02: stations without a pilot, and weak ones, are
/// mono.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `f32` | the multiplex, full deviation = 1 | `decimation` |
/// | out `out0` | `f32` | left, the same | 1 |
/// | out `out1` | `f32` | right, the same | 1 |
///
/// The frequency response from the transmitter to here must be flat up to 53 kHz: where the multiplex comes from a quadrature
/// demodulator, its loss of `sinc(f / rate_hz)` must be undone, as the receiver `fm` does, or it costs separation.
///
/// **Accuracy**: separation above 60 dB from 100 Hz to 14 kHz for a multiplex of a [`StereoEncoder`](super::StereoEncoder), 15 kHz within
/// 1 dB, the pilot 50 dB down.
///
/// # Source
/// ITU-R BS.450-3, section 2.2.
///
/// ```
/// use superhet_blocks::fm::StereoDecoder;
/// use superhet_runtime::SyncBlock;
///
/// // A multiplex with a pilot, and 1 kHz in the left channel.
/// let tone = |n: usize, hz: f64| (std::f64::consts::TAU * (n as f64 * hz / 240e3).fract()).sin() as f32;
/// let x: Vec<f32> = (0..48_000)
///     .map(|n| 0.09 * tone(n, 19e3) + 0.45 * tone(n, 1e3) * (1.0 + tone(n, 38e3)))
///     .collect();
/// let (mut left, mut right) = (vec![0.0; 9600], vec![0.0; 9600]);
/// StereoDecoder::new(240e3, 5, 0.0)?.process(&x, (&mut left, &mut right));
/// let power = |x: &[f32]| x[4800..].iter().map(|x| x * x).sum::<f32>();
/// assert!(power(&left) > 1e5 * power(&right));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct StereoDecoder {
    pilot: Pilot,
    filter: FirFilter<C32, f32>,
    decimation: usize,
    delay: u64,
    /// How much stereo there was at the last sample.
    blend: f32,
    /// The sum of the channels and their difference, before and behind the filter.
    both: Vec<C32>,
    filtered: Vec<C32>,
}

/// Sound ends here, and the pilot begins there.
const SOUND_HZ: f64 = 15e3;
const STOP_HZ: f64 = 19e3;
/// The most by which the share of stereo changes from sample to sample.
const BLEND_STEP: f32 = 1e-4;
/// De-emphasis is cut off after so many time constants.
const CONSTANTS: f64 = 12.0;

#[declare(
    category = "fm",
    summary = "Decodes stereo by the pilot tone, with de-emphasis; weak stations are mono.",
    ports(
        input("in", "f32", "the multiplex, full deviation = 1"),
        output("out0", "f32", "the left channel: ⌊n / decimation⌋ items for n"),
        output("out1", "f32", "the right channel")
    )
)]
impl StereoDecoder {
    /// For a multiplex at a rate, whose channels come at `rate_hz / decimation`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `rate_hz` is 107 kHz to 10 MHz, `rate_hz / decimation` 32 kHz or more, and `deemphasis_s` 0 to 1 ms.
    pub fn new(
        /// The sample rate of the multiplex, 107 kHz or more.
        #[param(unit = "samples/s", range = 107e3..=1e7)]
        rate_hz: f64,
        /// One sample of so many comes out; their rate must be 32 kHz or more.
        #[param(unit = "items", range = 1.., default = 1)]
        decimation: usize,
        /// The time constant of de-emphasis: 50e-6, in America 75e-6, 0 for none.
        #[param(unit = "s", range = 0.0..=1e-3, default = 50e-6)]
        deemphasis_s: f64,
    ) -> Result<Self, Error> {
        check((107e3..=1e7).contains(&rate_hz), "rate_hz", "107e3 to 1e7", rate_hz)?;
        let fits = decimation > 0 && rate_hz / decimation as f64 >= 32e3;
        check(fits, "decimation", "1 or more, and at most rate_hz / 32e3", decimation as f64)?;
        check((0.0..=1e-3).contains(&deemphasis_s), "deemphasis_s", "0 to 1e-3", deemphasis_s)?;
        let design = LowPass {
            gain: 1.0,
            rate_hz,
            cutoff_hz: (SOUND_HZ + STOP_HZ) / 2.0,
            transition_hz: STOP_HZ - SOUND_HZ,
            window: Window::Hamming,
        };
        let low_pass = design.taps()?;
        let taps = deemphasized(&low_pass, rate_hz * deemphasis_s);
        Ok(StereoDecoder {
            pilot: Pilot::new(rate_hz),
            filter: FirFilter::new(&taps, decimation),
            decimation,
            delay: (low_pass.len() as u64 - 1) / 2,
            blend: 0.0,
            both: Vec::new(),
            filtered: Vec::new(),
        })
    }
}

/// Taps behind a low-pass of first order with a time constant in samples: `H(f) = 1 / (1 + 2π j f τ)`.
///
/// It is sampled as it is where the taps are a straight line between two, which for a signal below 15 kHz is near enough.
fn deemphasized(taps: &[f32], constant: f64) -> Vec<f32> {
    if constant == 0.0 {
        return taps.to_vec();
    }
    let decay = (-1.0 / constant).exp();
    // The response of the pole to a triangle of two samples' width.
    let slope = 1.0 - constant * (1.0 - decay);
    let [old, new] = [1.0 - decay - slope, slope];
    let len = taps.len() + (CONSTANTS * constant).ceil() as usize;
    let (mut state, mut last) = (0.0, 0.0);
    let mut all: Vec<f64> = Vec::with_capacity(len);
    for n in 0..len {
        let tap = taps.get(n).map_or(0.0, |tap| f64::from(*tap));
        state = decay * state + new * tap + old * last;
        last = tap;
        all.push(state);
    }
    // What was cut off is missing at 0 Hz.
    let gain = taps.iter().map(|tap| f64::from(*tap)).sum::<f64>() / all.iter().sum::<f64>();
    all.into_iter().map(|tap| (tap * gain) as f32).collect()
}

impl SyncBlock for StereoDecoder {
    type In = f32;
    type Out = (f32, f32);

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::decimate(self.decimation), delay: self.delay, ..Shape::default() }
    }

    fn process(&mut self, x: &[f32], (left, right): (&mut [f32], &mut [f32])) {
        let StereoDecoder { pilot, filter, blend, both, filtered, .. } = self;
        both.clear();
        let mut rest = x;
        while !rest.is_empty() {
            let (carrier, wanted) = pilot.next(rest.len());
            let n = carrier.len();
            for (x, carrier) in rest[..n].iter().zip(carrier) {
                *blend += (wanted - *blend).clamp(-BLEND_STEP, BLEND_STEP);
                // 2 sin 2θ = 4 sin θ cos θ.
                both.push(C32::new(*x, *blend * 4.0 * carrier.re * carrier.im * x));
            }
            pilot.take(&rest[..n]);
            rest = &rest[n..];
        }
        let n = filter.outputs(both.len());
        filtered.resize(n, C32::ZERO);
        filter.filter(filtered, both);
        for ((both, left), right) in filtered.iter().zip(left).zip(right) {
            (*left, *right) = (both.re + both.im, both.re - both.im);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::StereoEncoder;
    use super::*;
    use crate::testing::{assert_gives_many, noise};

    fn tone(n: usize, hz: f64, rate_hz: f64) -> f32 {
        (std::f64::consts::TAU * (n as f64 * hz / rate_hz).fract()).sin() as f32
    }

    /// A multiplex with a tone in the left channel.
    fn multiplex(hz: f64, rate_hz: f64, pilot_level: f32, n: usize) -> Vec<f32> {
        let left: Vec<f32> = (0..n).map(|n| tone(n, hz, rate_hz)).collect();
        let mut y = vec![0.0; n];
        let mut encoder = StereoEncoder::new(rate_hz, pilot_level, 0.0).unwrap();
        encoder.process((&left, &vec![0.0; n], &vec![0.0; n]), &mut y);
        y
    }

    fn decode(x: &[f32], rate_hz: f64, decimation: usize, deemphasis_s: f64) -> [Vec<f32>; 2] {
        let n = x.len() / decimation;
        let (mut left, mut right) = (vec![0.0; n], vec![0.0; n]);
        let x = &x[..n * decimation];
        StereoDecoder::new(rate_hz, decimation, deemphasis_s).unwrap().process(x, (&mut left, &mut right));
        [left, right]
    }

    /// The amplitude of a tone in the second half.
    fn amplitude(x: &[f32], hz: f64, rate_hz: f64) -> f64 {
        let (mut re, mut im, mut weights) = (0.0, 0.0, 0.0);
        let from = x.len() / 2;
        for (n, x) in x.iter().enumerate().skip(from) {
            let weight = (std::f64::consts::PI * (n - from) as f64 / from as f64).sin().powi(2);
            let turn = std::f64::consts::TAU * (n as f64 * hz / rate_hz).fract();
            re += weight * f64::from(*x) * turn.cos();
            im += weight * f64::from(*x) * turn.sin();
            weights += weight;
        }
        2.0 * re.hypot(im) / weights
    }

    #[test]
    fn channels_are_apart_at_every_frequency_and_rate() {
        for (rate_hz, decimation) in [(240e3, 5), (250e3, 5), (384e3, 8), (128e3, 1)] {
            for hz in [100.0, 1e3, 7e3, 14e3] {
                let x = multiplex(hz, rate_hz, 0.09, (0.6 * rate_hz) as usize);
                let [left, right] = decode(&x, rate_hz, decimation, 0.0);
                let [left, right] = [left, right].map(|x| amplitude(&x, hz, rate_hz / decimation as f64));
                assert!((left - 0.91).abs() < 0.02, "{rate_hz}, {hz}: {left}");
                assert!(left > 1000.0 * right, "{rate_hz}, {hz}: {:.1} dB", 20.0 * (left / right).log10());
            }
        }
    }

    #[test]
    fn the_pilot_is_removed_and_without_it_there_is_mono() {
        let rate_hz = 240e3;
        let [left, right] = decode(&multiplex(1e3, rate_hz, 0.09, 144_000), rate_hz, 5, 0.0);
        for x in [&left, &right] {
            assert!(amplitude(x, 19e3, 48e3) < 0.09 * 0.003);
        }
        let [left, right] = decode(&multiplex(1e3, rate_hz, 0.0, 144_000), rate_hz, 5, 0.0);
        assert!(left == right && (amplitude(&left, 1e3, 48e3) - 0.5).abs() < 0.01);
    }

    #[test]
    fn de_emphasis_is_that_of_a_resistor_and_a_capacitor() {
        for deemphasis_s in [50e-6, 75e-6] {
            for hz in [100.0, 3e3, 10e3, 14e3] {
                let x: Vec<f32> = (0..96_000).map(|n| 0.5 * tone(n, hz, 240e3)).collect();
                let [left, _] = decode(&x, 240e3, 5, deemphasis_s);
                let got = amplitude(&left, hz, 48e3) / 0.5;
                let wanted = 1.0 / (1.0 + (std::f64::consts::TAU * hz * deemphasis_s).powi(2)).sqrt();
                assert!((20.0 * (got / wanted).log10()).abs() < 0.2, "{hz}: {got}, wanted {wanted}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let mut x = multiplex(1e3, 240e3, 0.09, 6000);
        x.iter_mut().zip(noise(6000)).for_each(|(x, noise)| *x += 0.1 * noise);
        let wanted = decode(&x, 240e3, 5, 50e-6);
        assert_gives_many(|| StereoDecoder::new(240e3, 5, 50e-6).unwrap(), &x, &wanted);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for (rate_hz, decimation, tau) in
            [(100e3, 1, 0.0), (240e3, 0, 0.0), (240e3, 8, 0.0), (240e3, 1, f64::NAN)]
        {
            assert!(StereoDecoder::new(rate_hz, decimation, tau).is_err());
        }
    }
}
