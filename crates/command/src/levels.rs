//! How strong the samples of a stream are: a block that looks at all of them, and what it has found.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};
use superhet::io::{C32, Number, SampleFormat};
use superhet_runtime::{Block, BlockError, Context, In, Item, Step, Work};

/// Sums over the numbers of samples: real parts, and imaginary ones where there are any.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    pub samples: u64,
    /// How many are no finite numbers; they count nowhere else.
    pub not_finite: u64,
    /// How many have a part at an end of the range.
    pub clipped: u64,
    /// Σ re, Σ im.
    sums: [f64; 2],
    /// Σ re² + im².
    energy: f64,
    /// The largest squared magnitude.
    peak: f32,
}

/// A sample of a stream, as one or two numbers.
pub trait Sample: Item {
    /// The real and the imaginary part.
    fn parts(self) -> [f32; 2];
}

impl Sample for f32 {
    fn parts(self) -> [f32; 2] {
        [self, 0.0]
    }
}

impl Sample for C32 {
    fn parts(self) -> [f32; 2] {
        [self.re, self.im]
    }
}

/// So many samples are added in single floats before the sums go on in double ones.
const RUN: usize = 64;

impl Levels {
    fn add<T: Sample>(&mut self, x: &[T], range: (f32, f32)) {
        for run in x.chunks(RUN) {
            let (mut sums, mut energy, mut peak, mut clipped) = ([0.0f32; 2], 0.0f32, 0.0f32, 0u32);
            for sample in run {
                let [re, im] = sample.parts();
                sums[0] += re;
                sums[1] += im;
                let square = re * re + im * im;
                energy += square;
                peak = peak.max(square);
                let is_out = |part: f32| part <= range.0 || part >= range.1;
                clipped += u32::from(is_out(re) | is_out(im));
            }
            self.samples += run.len() as u64;
            if energy.is_finite() {
                self.sums[0] += f64::from(sums[0]);
                self.sums[1] += f64::from(sums[1]);
                self.energy += f64::from(energy);
                self.peak = self.peak.max(peak);
                self.clipped += u64::from(clipped);
            } else {
                self.add_with_care(run, range);
            }
        }
    }

    /// Adds samples of which some are not finite.
    fn add_with_care<T: Sample>(&mut self, run: &[T], range: (f32, f32)) {
        for sample in run {
            let [re, im] = sample.parts();
            if !(re.is_finite() && im.is_finite()) {
                self.not_finite += 1;
                continue;
            }
            self.sums[0] += f64::from(re);
            self.sums[1] += f64::from(im);
            self.energy += f64::from(re).powi(2) + f64::from(im).powi(2);
            self.peak = self.peak.max(re * re + im * im);
            let is_out = |part: f32| part <= range.0 || part >= range.1;
            self.clipped += u64::from(is_out(re) || is_out(im));
        }
    }

    fn finite(&self) -> f64 {
        (self.samples - self.not_finite).max(1) as f64
    }

    /// The mean of the samples: real and imaginary part.
    pub fn offset(&self) -> [f64; 2] {
        self.sums.map(|sum| sum / self.finite())
    }

    /// The root of the mean power, full scale = 1.
    pub fn rms(&self) -> f64 {
        (self.energy / self.finite()).sqrt()
    }

    /// The largest magnitude.
    pub fn peak(&self) -> f64 {
        f64::from(self.peak).sqrt()
    }

    /// The share of samples at an end of the range.
    pub fn clipped_share(&self) -> f64 {
        self.clipped as f64 / self.samples.max(1) as f64
    }

    /// As JSON; levels of silence are null.
    pub fn to_json(&self) -> Json {
        let level = |x: f64| Some(dbfs(x)).filter(|level| level.is_finite());
        json!({
            "samples": self.samples,
            "mean": self.offset(),
            "dc_dbfs": level(self.offset()[0].hypot(self.offset()[1])),
            "rms": self.rms(),
            "rms_dbfs": level(self.rms()),
            "peak": self.peak(),
            "peak_dbfs": level(self.peak()),
            "clipped": self.clipped,
            "clipped_share": self.clipped_share(),
            "not_finite": self.not_finite,
        })
    }
}

/// An amplitude in decibels, 0 dB at full scale.
pub fn dbfs(amplitude: f64) -> f64 {
    20.0 * amplitude.log10()
}

/// The least and the largest value that samples of a format reach, as floats.
pub fn range_of(format: SampleFormat) -> (f32, f32) {
    let top = match format.number() {
        Number::I8 => 127.0 / 128.0,
        Number::I16 => 32_767.0 / 32_768.0,
        // A float has no code between this one and 1.
        Number::I32 => 1.0 - f32::EPSILON / 2.0,
        Number::F32 | Number::F64 | Number::U8 | Number::U16 | Number::U32 => 1.0,
    };
    (-1.0, top)
}

/// The sink that finds [`Levels`].
#[derive(Debug, Block)]
pub struct LevelSink<T: Sample> {
    #[port("in")]
    input: In<T>,
    levels: Arc<Mutex<Levels>>,
    range: (f32, f32),
}

impl<T: Sample> LevelSink<T> {
    /// A sink for samples within a range, whose ends count as clipped; and where it puts what it finds.
    pub fn new(range: (f32, f32)) -> (Self, Arc<Mutex<Levels>>) {
        let levels = Arc::default();
        (LevelSink { input: In::new(), levels: Arc::clone(&levels), range }, levels)
    }
}

impl<T: Sample> Work for LevelSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.levels.lock().unwrap_or_else(PoisonError::into_inner).add(self.input.peek(), self.range);
        self.input.consume(n);
        Ok(Step::Ran)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_samples() {
        let mut levels = Levels::default();
        let x: Vec<C32> = (0..1000).map(|n| C32::new(if n % 2 == 0 { 0.75 } else { -0.25 }, 0.5)).collect();
        levels.add(&x, (-1.0, 1.0));
        assert_eq!((levels.samples, levels.clipped, levels.offset()), (1000, 0, [0.25, 0.5]));
        let power: f64 = (0.75f64.powi(2) + 0.25 * 0.25 + 2.0 * 0.25) / 2.0;
        assert!((levels.rms() - power.sqrt()).abs() < 1e-6);
        assert!((levels.peak() - 0.75f64.hypot(0.5)).abs() < 1e-6);
    }

    #[test]
    fn ends_of_the_range_are_clipped_and_what_is_no_number_counts_apart() {
        let mut levels = Levels::default();
        levels.add(&[-1.0, 0.5, 127.0 / 128.0, f32::NAN, f32::INFINITY], range_of(SampleFormat::S8));
        assert_eq!((levels.samples, levels.clipped, levels.not_finite), (5, 2, 2));
        assert!((levels.offset()[0] - (0.5 - 1.0 / 128.0) / 3.0).abs() < 1e-6);
        assert_eq!(levels.clipped_share(), 0.4);
        assert_eq!(Levels::default().to_json()["rms_dbfs"], Json::Null);
    }
}
