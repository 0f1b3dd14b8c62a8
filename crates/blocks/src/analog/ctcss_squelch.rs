//! Squelch by a tone below the speech.

use std::f64::consts::TAU;

use superhet_runtime::{AnyBlock, BlockError, Value, declare};

use super::squelch::{Detector, LONGEST, Squelch};
use crate::error::{Error, check, check_positive};
use crate::item::float_of;

/// The tones of the continuous tone-coded squelch system (TIA-603), Hz.
const TONES: [f64; 38] = [
    67.0, 71.9, 74.4, 77.0, 79.7, 82.5, 85.4, 88.5, 91.5, 94.8, 97.4, 100.0, 103.5, 107.2, 110.9, 114.8,
    118.8, 123.0, 127.3, 131.8, 136.5, 141.3, 146.2, 151.4, 156.7, 162.2, 167.9, 173.8, 179.9, 186.2, 192.8,
    203.5, 210.7, 218.1, 225.7, 233.6, 241.8, 250.3,
];

/// Whether a tone is there: after every `length` items the magnitude `|Σ x[n] · exp(−j 2π f n / rate)| / length` of the tone
/// (half of its amplitude) is at least `threshold`, and more than that of the neighbouring tones of the standard.
///
/// With [`Squelch`] it is the block `ctcss_squelch`:
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rate_hz` | Hz | > 0 |
/// | `frequency_hz` | Hz | > 0, less than half of `rate_hz`; can be changed while the block runs |
/// | `threshold` | | ≥ 0; can be changed while the block runs |
/// | `length` | items | 0 to 2²⁴; 0 for a tenth of a second |
/// | `ramp`, `gate` | | see [`Squelch`] |
///
/// **Source**: G. Goertzel, "An algorithm for the evaluation of finite trigonometric series", American Mathematical Monthly
/// 65 (1), 1958; the tones: TIA-603.
///
/// ```
/// use superhet_blocks::analog::{Squelch, Tone};
/// use superhet_runtime::harness;
///
/// let tone: Vec<f32> = (0..8000).map(|n| 0.2 * (n as f32 * 0.081289).sin()).collect(); // 103.5 Hz at 8 kHz
/// let squelch = Squelch::new(Tone::new(8e3, 103.5, 0.01, 800)?, 0, true)?;
/// assert_eq!(harness::run(squelch, &tone).len(), 7201);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tone {
    rate_hz: f64,
    frequency_hz: f64,
    threshold: f64,
    length: usize,
    /// Of the tone and its neighbours: `2 cos` of the angle from item to item, and the two latest sums.
    sums: [(f64, f64, f64); 3],
    taken: usize,
    open: bool,
}

impl Tone {
    /// A tone of this frequency and threshold, looked for in so many items; with 0, in those of a tenth of a second.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(rate_hz: f64, frequency_hz: f64, threshold: f64, length: usize) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        let length = if length == 0 { (rate_hz / 10.0) as usize } else { length };
        check((1..=1 << 24).contains(&length), "length", "a whole number from 1 to 16777216", length as f64)?;
        let mut tone = Tone {
            rate_hz,
            frequency_hz,
            threshold: 0.0,
            length,
            sums: [(0.0, 0.0, 0.0); 3],
            taken: 0,
            open: false,
        };
        tone.set_threshold(threshold)?;
        tone.tune(frequency_hz)?;
        Ok(tone)
    }

    fn set_threshold(&mut self, threshold: f64) -> Result<(), Error> {
        check(threshold >= 0.0 && threshold.is_finite(), "threshold", "a number ≥ 0", threshold)?;
        self.threshold = threshold;
        Ok(())
    }

    fn tune(&mut self, frequency_hz: f64) -> Result<(), Error> {
        let fits = frequency_hz > 0.0 && frequency_hz < self.rate_hz / 2.0;
        check(fits, "frequency_hz", "more than 0, less than half of rate_hz", frequency_hz)?;
        let near = |tone: &f64| (tone - frequency_hz).abs() < 0.5;
        let below = TONES.iter().rev().find(|tone| **tone < frequency_hz && !near(tone)).copied();
        let above = TONES.iter().find(|tone| **tone > frequency_hz && !near(tone)).copied();
        // Beyond the ends of the list, as far as tones are apart.
        let tones =
            [frequency_hz, below.unwrap_or(frequency_hz * 0.965), above.unwrap_or(frequency_hz * 1.035)];
        self.sums = tones.map(|tone| (2.0 * (TAU * tone / self.rate_hz).cos(), 0.0, 0.0));
        (self.frequency_hz, self.taken) = (frequency_hz, 0);
        Ok(())
    }

    /// Whether it shall be open at this item.
    fn is_open(&mut self, x: f32) -> bool {
        // One item that is not finite must not close it for a whole length.
        let x = if x.is_finite() { f64::from(x) } else { 0.0 };
        for (factor, last, before) in &mut self.sums {
            (*last, *before) = (x + *factor * *last - *before, *last);
        }
        self.taken += 1;
        if self.taken == self.length {
            self.taken = 0;
            let [tone, below, above] = self.sums.map(|(factor, last, before)| {
                (last * last + before * before - factor * last * before).max(0.0).sqrt() / self.length as f64
            });
            self.sums.iter_mut().for_each(|sum| (sum.1, sum.2) = (0.0, 0.0));
            self.open = tone >= self.threshold && tone > below && tone > above;
        }
        self.open
    }
}

impl Detector for Tone {
    type Item = f32;
    const PARAMETERS: &'static [&'static str] = &["frequency_hz", "threshold", "ramp", "gate", "unmuted"];
    const FORMERLY: &'static [(&'static str, &'static str)] =
        &[("freq_hz", "frequency_hz"), ("level", "threshold")];

    fn open(&mut self, x: &[f32], open: &mut [bool]) {
        open.iter_mut().zip(x).for_each(|(open, x)| *open = self.is_open(*x));
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "frequency_hz" => self.tune(float_of("frequency_hz", value)?)?,
            _ => self.set_threshold(float_of("threshold", value)?)?,
        }
        Ok(())
    }
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "frequency_hz" => Some(self.frequency_hz.into()),
            "threshold" => Some(self.threshold.into()),
            _ => None,
        }
    }
}

#[declare(
    category = "analog",
    summary = "Passes items while a CTCSS tone is there.",
    ports(
        input("in", "f32", "sound"),
        set_port("new values of frequency_hz, threshold, ramp and gate; requests for unmuted"),
        output("out", "f32", "the sound while it is open, with tags squelch_sob and squelch_eob")
    )
)]
fn ctcss_squelch(
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    rate_hz: f64,
    /// The tone.
    #[param(formerly = "freq_hz", unit = "Hz", range = 0.0.., default = 100.0)]
    frequency_hz: f64,
    /// The least magnitude of the tone, half its amplitude.
    #[param(formerly = "level", range = 0.0.., default = 0.01)]
    threshold: f64,
    /// How many items it is looked for in; 0 for a tenth of a second.
    #[param(unit = "items", range = 0..=1 << 24, default = 0)]
    length: usize,
    /// Over how many items it opens and closes.
    #[param(unit = "items", range = 0..=LONGEST, default = 0)]
    ramp: usize,
    /// Closed, it gives nothing instead of zeros.
    #[param(default = false)]
    gate: bool,
) -> Result<AnyBlock, BlockError> {
    let tone = Tone::new(rate_hz, frequency_hz, threshold, length)?;
    Ok(AnyBlock::new(Squelch::new(tone, ramp, gate)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    fn opened(frequency_hz: f64, threshold: f64) -> usize {
        let x: Vec<f32> =
            (0..8000).map(|n| 0.2 * (TAU * frequency_hz * f64::from(n) / 8e3).sin() as f32).collect();
        let squelch = || Squelch::new(Tone::new(8e3, 103.5, threshold, 800).unwrap(), 0, true).unwrap();
        let y: Vec<f32> = harness::run(squelch(), &x);
        harness::assert_cut_invariant(squelch, &x);
        y.len()
    }

    #[test]
    fn it_opens_for_its_tone_and_for_no_neighbour_as_that_of_gnu_radio() {
        assert_eq!(opened(103.5, 0.05), 7201);
        assert_eq!(opened(103.5, 0.2), 0);
        assert_eq!(opened(100.0, 0.01), 0);
        assert_eq!(opened(107.2, 0.01), 0);
        assert!(Tone::new(8e3, 5e3, 0.01, 800).is_err());
    }

    #[test]
    fn the_length_0_is_a_tenth_of_a_second() {
        for (rate, items) in [(8e3, 800), (48e3, 4800), (11025.0, 1102)] {
            assert_eq!(Tone::new(rate, 103.5, 0.01, 0).unwrap().length, items);
        }
        let error = Tone::new(5.0, 1.0, 0.01, 0).unwrap_err().to_string();
        assert!(error.contains("length"), "{error}");
    }
}
