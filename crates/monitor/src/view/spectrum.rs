//! Spectra and rows of waterfalls.

use std::sync::Arc;

use num_complex::Complex;
use superhet_fft::{Fft, FftPlanner};

use super::samples::Samples;
use super::window::window;
use super::{Draw, count, rate_of};
use crate::api::{Tap, View};
use crate::error::Refusal;
use crate::frame::{FLOATS, Frame, Kind};
use crate::shape::{Known, is_complex};

/// The longest transform: what a zoom can be made of.
const LONGEST: usize = 1 << 20;
/// A row is made of at most so many items.
const MOST_ITEMS: usize = 1 << 20;
/// The bins of a row, where nothing is said.
const BINS: usize = 1024;
/// The least power that is shown, in dB.
const FLOOR_DB: f32 = -200.0;

/// The power in each of a number of equally wide parts of the spectrum, in dB of full scale: a complex exponential of amplitude 1 has
/// 0 dB in its bin, and so has a real sine of amplitude 1.
///
/// A row is the mean power of transforms that overlap by half (Welch, "The use of fast Fourier transform for the estimation of power
/// spectra", 1967). A zoom is a longer transform, of which only a part is shown.
pub(crate) struct Spectrum {
    is_waterfall: bool,
    is_complex: bool,
    bins: usize,
    size: usize,
    /// The first bin of the transform that is shown, with 0 = lowest frequency.
    first: usize,
    segments: usize,
    span_hz: Option<(f64, f64)>,
    window: Vec<f32>,
    /// By which a power is divided so that full scale is 1.
    full_scale: f32,
    fft: Arc<dyn Fft<f32>>,
    buffer: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    power: Vec<f32>,
}

impl Spectrum {
    pub fn new(tap: &Tap, item: &str, known: Known) -> Result<Self, Refusal> {
        let bins = count("bins", tap.bins, BINS, 16..=16384)?;
        let is_complex = is_complex(item);
        // Of a real signal, the upper half is shown.
        let whole = if is_complex { bins } else { 2 * bins };
        let rate_hz = known.rate_hz;
        let low_hz = match is_complex {
            true => known.center_hz.unwrap_or(0.0) - rate_hz.unwrap_or(1.0) / 2.0,
            false => 0.0,
        };
        let (mut size, mut first) = (whole, 0);
        if let Some(zoom) = tap.zoom {
            let rate_hz =
                rate_hz.ok_or_else(|| Refusal::wrong("a zoom needs a stream whose rate is known"))?;
            let is_right = zoom.span_hz > 0.0 && zoom.span_hz.is_finite() && zoom.center_hz.is_finite();
            if !is_right {
                return Err(Refusal::wrong("a zoom has a centre, and a span of more than 0 Hz"));
            }
            size = smooth((bins as f64 * (rate_hz / zoom.span_hz).max(1.0)) as usize).clamp(whole, LONGEST);
            let bin_hz = rate_hz / size as f64;
            let shown = if is_complex { size } else { size / 2 };
            let wanted = (zoom.center_hz - low_hz) / bin_hz - bins as f64 / 2.0;
            first = wanted.round().clamp(0.0, (shown - bins) as f64) as usize;
        }
        let span_hz = rate_hz.map(|rate_hz| {
            let bin_hz = rate_hz / size as f64;
            let at = |bin: usize| low_hz + bin as f64 * bin_hz;
            (at(first), at(first + bins - 1))
        });
        let average = tap.average.filter(|a| a.is_finite()).map_or(4.0, |average| average.clamp(1.0, 256.0));
        // No more than what comes between two rows.
        let in_time =
            rate_hz.map_or(f64::INFINITY, |rate_hz| 2.0 * rate_hz / rate_of(tap) / size as f64 - 1.0);
        let in_memory = (2 * MOST_ITEMS / size).saturating_sub(1).max(1);
        let segments = (average.min(in_time).max(1.0) as usize).min(in_memory);
        let window = window(tap.window.as_deref(), size)?;
        let sum: f32 = window.iter().sum();
        // A real sine has half its amplitude at its frequency, and half at the negative one.
        let full_scale = if is_complex { sum * sum } else { sum * sum / 4.0 };
        let fft = FftPlanner::new().plan_fft_forward(size);
        Ok(Spectrum {
            is_waterfall: tap.view == View::Waterfall,
            is_complex,
            bins,
            size,
            first,
            segments,
            span_hz,
            window,
            full_scale,
            buffer: vec![Complex::default(); size],
            scratch: vec![Complex::default(); fft.get_inplace_scratch_len()],
            fft,
            power: vec![0.0; size],
        })
    }

    /// The bins, in dB.
    pub fn row(&mut self, samples: &Samples) -> Vec<f32> {
        self.power.fill(0.0);
        let step = self.size / 2;
        for segment in 0..self.segments {
            let from = segment * step;
            match samples {
                Samples::Complex(x) => {
                    let part = x.get(from..).unwrap_or_default().iter().copied();
                    self.load(part);
                }
                Samples::Real(x) => {
                    let part = x.get(from..).unwrap_or_default().iter().map(|&x| Complex::new(x, 0.0));
                    self.load(part);
                }
            }
            self.fft.process_with_scratch(&mut self.buffer, &mut self.scratch);
            self.power.iter_mut().zip(&self.buffer).for_each(|(power, bin)| *power += bin.norm_sqr());
        }
        let by = 1.0 / (self.full_scale * self.segments as f32);
        // Of a complex signal, the negative frequencies lie in the upper half of the transform.
        let shift = if self.is_complex { self.size - self.size / 2 } else { 0 };
        let bin = |n: usize| self.power[(self.first + n + shift) % self.size] * by;
        (0..self.bins).map(|n| (10.0 * bin(n).log10()).max(FLOOR_DB)).collect()
    }

    /// Loads a segment, with the window.
    fn load(&mut self, part: impl Iterator<Item = Complex<f32>>) {
        self.buffer.fill(Complex::default());
        for ((y, x), w) in self.buffer.iter_mut().zip(part).zip(&self.window) {
            // A stream may hold anything.
            *y = if x.re.is_finite() && x.im.is_finite() { x * *w } else { Complex::default() };
        }
    }
}

impl Draw for Spectrum {
    fn items(&self) -> usize {
        self.size + (self.segments - 1) * (self.size / 2)
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let row = self.row(samples);
        Some(match self.is_waterfall {
            false => Frame::new(Kind::Spectrum, first).flagged(FLOATS).with(&row),
            true => {
                let bytes: Vec<u8> =
                    row.iter().map(|db| ((db + 160.0) * 1.5).clamp(0.0, 255.0).round() as u8).collect();
                Frame::new(Kind::Waterfall, first).with(&bytes)
            }
        })
    }

    fn span_hz(&self) -> Option<(f64, f64)> {
        self.span_hz
    }
}

/// The least even number that is not below `n` and has no factors but 2, 3 and 5: transforms of such lengths are fast.
fn smooth(n: usize) -> usize {
    let is_smooth = |n: usize| {
        let without = |n: usize, p: usize| {
            std::iter::successors(Some(n), |n| n.is_multiple_of(p).then(|| n / p)).last()
        };
        [2, 3, 5].into_iter().try_fold(n, without) == Some(1)
    };
    (n.clamp(2, LONGEST)..=LONGEST).find(|n| n % 2 == 0 && is_smooth(*n)).unwrap_or(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Zoom;
    use std::f64::consts::TAU;

    fn tap(json: serde_json::Value) -> Tap {
        let mut tap = serde_json::json!({ "graph": 1, "view": "spectrum" });
        tap.as_object_mut().unwrap().extend(json.as_object().unwrap().clone());
        serde_json::from_value(tap).unwrap()
    }

    fn tone(frequency_hz: f64, rate_hz: f64, n: usize) -> Samples {
        let z = |k: usize| Complex::from_polar(1.0, TAU * frequency_hz * k as f64 / rate_hz);
        Samples::Complex((0..n).map(|k| Complex::new(z(k).re as f32, z(k).im as f32)).collect())
    }

    fn peak(row: &[f32]) -> (usize, f32) {
        let (at, db) = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        (at, *db)
    }

    const KNOWN: Known = Known { rate_hz: Some(1e6), center_hz: Some(100e6) };

    #[test]
    fn a_tone_of_full_scale_has_0_db_in_its_bin() {
        for (bins, frequency_hz) in [(256, 125e3), (1000, -250e3), (64, 0.0)] {
            let mut spectrum =
                Spectrum::new(&tap(serde_json::json!({ "bins": bins })), "C32", KNOWN).unwrap();
            let row = spectrum.row(&tone(frequency_hz, 1e6, spectrum.items()));
            let (at, db) = peak(&row);
            let (first_hz, last_hz) = spectrum.span_hz().unwrap();
            let at_hz = first_hz + at as f64 * (last_hz - first_hz) / (bins - 1) as f64;
            assert!(
                db.abs() < 0.01 && (at_hz - 100e6 - frequency_hz).abs() < 1e6 / bins as f64,
                "{at_hz} {db}"
            );
            assert!(row[(at + bins / 2) % bins] < -90.0);
        }
    }

    #[test]
    fn of_a_real_signal_the_upper_half_is_shown() {
        let mut spectrum = Spectrum::new(&tap(serde_json::json!({ "bins": 100 })), "f32", KNOWN).unwrap();
        let sine = |k: usize| (TAU * 0.2 * k as f64).sin() as f32;
        let row = spectrum.row(&Samples::Real((0..spectrum.items()).map(sine).collect()));
        let (at, db) = peak(&row);
        assert!(at == 40 && db.abs() < 0.05, "{at} {db}");
        assert_eq!(spectrum.span_hz(), Some((0.0, 495e3)));
    }

    #[test]
    fn a_zoom_tells_tones_apart_that_share_a_bin() {
        let zoom = Some(Zoom { center_hz: 100.1e6, span_hz: 10e3 });
        let mut zoomed =
            Spectrum::new(&Tap { zoom, ..tap(serde_json::json!({ "bins": 200 })) }, "C32", KNOWN).unwrap();
        let (first_hz, last_hz) = zoomed.span_hz().unwrap();
        assert!(
            (first_hz - 100.095e6).abs() < 100.0 && (last_hz - 100.105e6).abs() < 200.0,
            "{first_hz} {last_hz}"
        );
        let n = zoomed.items();
        let (Samples::Complex(one), Samples::Complex(two)) = (tone(99e3, 1e6, n), tone(101e3, 1e6, n)) else {
            panic!("a tone is complex")
        };
        let row = zoomed.row(&Samples::Complex(one.iter().zip(&two).map(|(a, b)| a + b).collect()));
        let bin = |hz: f64| ((hz - first_hz) / (last_hz - first_hz) * 199.0).round() as usize;
        assert!(row[bin(100.099e6)] > -1.5 && row[bin(100.101e6)] > -1.5 && row[bin(100.1e6)] < -80.0);
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let refused = |json, known| Spectrum::new(&tap(json), "C32", known).err().unwrap().sentence;
        assert!(refused(serde_json::json!({ "bins": 3 }), KNOWN).contains("16 to 16384"));
        let zoom = serde_json::json!({ "zoom": { "center_hz": 0.0, "span_hz": 1.0 } });
        assert!(refused(zoom, Known::default()).contains("rate"));
        let zoom = serde_json::json!({ "zoom": { "center_hz": 0.0, "span_hz": -1.0 } });
        assert!(refused(zoom, KNOWN).contains("span"));
        assert!(refused(serde_json::json!({ "window": "round" }), KNOWN).contains("hann"));
    }

    #[test]
    fn zooms_to_edges_and_beyond_stay_inside() {
        for center_hz in [0.0, 99.5e6, 100.5e6, 1e12] {
            for item in ["C32", "f32"] {
                let zoom = Some(Zoom { center_hz, span_hz: 1.0 });
                let mut spectrum =
                    Spectrum::new(&Tap { zoom, ..tap(serde_json::json!({ "bins": 64 })) }, item, KNOWN)
                        .unwrap();
                let row = spectrum.row(&Samples::Real(vec![f32::NAN; 10]));
                assert_eq!(row, vec![FLOOR_DB; 64]);
            }
        }
    }
}
