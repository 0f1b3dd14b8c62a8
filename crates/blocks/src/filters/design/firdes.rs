//! FIR filters by the window method, and pulse shapes: the functions of GNU Radio's `firdes`.

use std::f64::consts::{FRAC_PI_4, LN_2, PI, TAU};

use superhet_runtime::C32;

use super::{MOST_TAPS, Shape};
use crate::error::{Error, check, check_positive};

/// The settings that all filters by the window method share: gain, rate, transition and window.
///
/// The number of taps is `attenuation · rate_hz / (22 · transition_hz)`, made odd upwards; the attenuation in dB is that of
/// the window, unless it is given. Each filter is an ideal response, cut off by the window and scaled to have the gain
/// `gain` in its pass band: at 0 Hz, at half of the rate (`high_pass`), or in the band's middle (`band_pass`).
///
/// **Source**: the window method, A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, section 7.2; the
/// length is GNU Radio's estimate, after F. J. Harris, Multirate Signal Processing for Communication Systems, section 3.
///
/// ```
/// use superhet_blocks::filters::design::{Design, Shape};
/// let design = Design { gain: 1.0, rate_hz: 48e3, transition_hz: 2e3, shape: Shape::default(), attenuation_db: None };
/// let taps = design.low_pass(3e3)?;
/// assert_eq!(taps.len(), 57);
/// assert!((taps.iter().sum::<f32>() - 1.0).abs() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// The gain in the pass band.
    pub gain: f64,
    /// The sample rate in Hz, or in the unit of the other frequencies.
    pub rate_hz: f64,
    /// The width of a transition from pass band to stop band.
    pub transition_hz: f64,
    /// The window.
    pub shape: Shape,
    /// The attenuation to count with, in place of the window's.
    pub attenuation_db: Option<f64>,
}

/// `sin(w k) / (π k)`: the ideal low-pass filter up to `w` radians per sample.
fn sinc(w: f64, k: f64) -> f64 {
    if k == 0.0 { w / PI } else { (w * k).sin() / (PI * k) }
}

/// The low-pass filter up to `w` radians per sample that a window makes, with this gain at 0 Hz. The window comes with the
/// place of each sample, counted from the middle.
pub(crate) fn low_pass_of(window: impl IntoIterator<Item = (f64, f64)>, w: f64, gain: f64) -> Vec<f64> {
    let taps: Vec<f64> = window.into_iter().map(|(k, window)| window * sinc(w, k)).collect();
    let scale = gain / taps.iter().sum::<f64>();
    taps.into_iter().map(|tap| tap * scale).collect()
}

/// As single precision.
pub(crate) fn narrow(taps: impl IntoIterator<Item = f64>) -> Vec<f32> {
    taps.into_iter().map(|tap| tap as f32).collect()
}

impl Design {
    /// The window, and the place of each of its samples counted from the middle.
    fn window(&self) -> Result<Vec<(f64, f64)>, Error> {
        check(self.gain.is_finite(), "gain", "a finite number", self.gain)?;
        check_positive("sampling_freq", self.rate_hz)?;
        check_positive("transition_width", self.transition_hz)?;
        let attenuation_db = self.attenuation_db.unwrap_or(self.shape.attenuation_db());
        check_positive("attenuation_dB", attenuation_db)?;
        let taps = (attenuation_db * self.rate_hz / (22.0 * self.transition_hz)).floor();
        if taps >= MOST_TAPS as f64 {
            let (transition_hz, rate_hz) = (self.transition_hz, self.rate_hz);
            return Err(Error::TooManyTaps { transition_hz, rate_hz, taps, most: MOST_TAPS });
        }
        let len = taps as usize | 1;
        let middle = (len / 2) as f64;
        let samples = self.shape.samples(len).into_iter().enumerate();
        Ok(samples.map(|(n, w)| (n as f64 - middle, w)).collect())
    }

    /// A frequency as radians per sample.
    fn radians(&self, frequency: f64) -> f64 {
        TAU * frequency / self.rate_hz
    }

    fn check_cutoff(&self, parameter: &'static str, cutoff: f64) -> Result<(), Error> {
        let fits = cutoff > 0.0 && cutoff <= self.rate_hz / 2.0;
        check(fits, parameter, "more than 0, at most half of sampling_freq", cutoff)
    }

    fn check_band(&self, low: f64, high: f64) -> Result<(), Error> {
        self.check_cutoff("low_cutoff_freq", low)?;
        self.check_cutoff("high_cutoff_freq", high)?;
        check(high > low, "high_cutoff_freq", "more than low_cutoff_freq", high)
    }

    fn low_pass_wide(&self, cutoff_hz: f64) -> Result<Vec<f64>, Error> {
        self.check_cutoff("cutoff_freq", cutoff_hz)?;
        Ok(low_pass_of(self.window()?, self.radians(cutoff_hz), self.gain))
    }

    fn high_pass_wide(&self, cutoff_hz: f64) -> Result<Vec<f64>, Error> {
        self.check_cutoff("cutoff_freq", cutoff_hz)?;
        let w = self.radians(cutoff_hz);
        let window = self.window()?;
        let taps = window.iter().map(|(k, window)| window * (f64::from(*k == 0.0) - sinc(w, *k)));
        let at_half_of_the_rate: f64 =
            taps.clone().zip(&window).map(|(tap, (k, _))| tap * (PI * k).cos()).sum();
        let scale = self.gain / at_half_of_the_rate;
        Ok(taps.map(|tap| tap * scale).collect())
    }

    /// Passes what is below `cutoff_hz`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::TooManyTaps`]; so do the others.
    pub fn low_pass(&self, cutoff_hz: f64) -> Result<Vec<f32>, Error> {
        Ok(narrow(self.low_pass_wide(cutoff_hz)?))
    }

    /// Passes what is above `cutoff_hz`.
    ///
    /// # Errors
    /// As [`Design::low_pass`].
    pub fn high_pass(&self, cutoff_hz: f64) -> Result<Vec<f32>, Error> {
        Ok(narrow(self.high_pass_wide(cutoff_hz)?))
    }

    /// Passes what is between two frequencies.
    ///
    /// # Errors
    /// As [`Design::low_pass`].
    pub fn band_pass(&self, low_hz: f64, high_hz: f64) -> Result<Vec<f32>, Error> {
        self.check_band(low_hz, high_hz)?;
        let (low, high) = (self.radians(low_hz), self.radians(high_hz));
        let window = self.window()?;
        let taps = window.iter().map(|(k, window)| window * (sinc(high, *k) - sinc(low, *k)));
        let in_the_middle: f64 =
            taps.clone().zip(&window).map(|(tap, (k, _))| tap * (k * (low + high) / 2.0).cos()).sum();
        let scale = self.gain / in_the_middle;
        Ok(narrow(taps.map(|tap| tap * scale)))
    }

    /// Passes what is not between two frequencies.
    ///
    /// # Errors
    /// As [`Design::low_pass`].
    pub fn band_reject(&self, low_hz: f64, high_hz: f64) -> Result<Vec<f32>, Error> {
        self.check_band(low_hz, high_hz)?;
        let (low, high) = (self.radians(low_hz), self.radians(high_hz));
        // The middle tap of all that passes is not weighted, as in GNU Radio; it matters where the window is not 1 there.
        let tap = |(k, window): (f64, f64)| f64::from(k == 0.0) - window * (sinc(high, k) - sinc(low, k));
        let taps: Vec<f64> = self.window()?.into_iter().map(tap).collect();
        let scale = self.gain / taps.iter().sum::<f64>();
        Ok(narrow(taps.into_iter().map(|tap| tap * scale)))
    }

    /// A filter of half the width, turned to the middle of the band.
    fn turned(
        &self,
        low_hz: f64,
        high_hz: f64,
        filter: impl Fn(&Self, f64) -> Result<Vec<f64>, Error>,
    ) -> Result<Vec<C32>, Error> {
        check_positive("sampling_freq", self.rate_hz)?;
        let half = self.rate_hz / 2.0;
        let wanted = "within half of sampling_freq on both sides of 0";
        check((-half..=half).contains(&low_hz), "low_cutoff_freq", wanted, low_hz)?;
        check((-half..=half).contains(&high_hz), "high_cutoff_freq", wanted, high_hz)?;
        check(high_hz > low_hz, "high_cutoff_freq", "more than low_cutoff_freq", high_hz)?;
        let taps = filter(self, (high_hz - low_hz) / 2.0)?;
        let (middle, w) = ((taps.len() / 2) as f64, self.radians((high_hz + low_hz) / 2.0));
        let turn = |(n, tap): (usize, &f64)| {
            let angle = w * (n as f64 - middle);
            C32::new((tap * angle.cos()) as f32, (tap * angle.sin()) as f32)
        };
        Ok(taps.iter().enumerate().map(turn).collect())
    }

    /// Passes what is between two frequencies, each of which may be negative.
    ///
    /// GNU Radio adds up the phase of these taps in single precision; ours are exact and differ from its by some 10⁻⁶.
    ///
    /// # Errors
    /// As [`Design::low_pass`].
    pub fn complex_band_pass(&self, low_hz: f64, high_hz: f64) -> Result<Vec<C32>, Error> {
        self.turned(low_hz, high_hz, Self::low_pass_wide)
    }

    /// Passes what is not between two frequencies, each of which may be negative; see [`Design::complex_band_pass`].
    /// (GNU Radio 3.10 does not heed the attenuation that is given to `complex_band_reject_2`; we do.)
    ///
    /// # Errors
    /// As [`Design::low_pass`].
    pub fn complex_band_reject(&self, low_hz: f64, high_hz: f64) -> Result<Vec<C32>, Error> {
        self.turned(low_hz, high_hz, Self::high_pass_wide)
    }
}

fn check_taps(taps: usize) -> Result<(), Error> {
    check((1..=MOST_TAPS).contains(&taps), "ntaps", "a whole number from 1 to 1048576", taps as f64)
}

/// Root raised cosine: two of them, one at each end, leave no interference between symbols. The taps are `taps` or one more,
/// an odd number, and sum to `gain`; `alpha` is the excess bandwidth, 0 to 1.
///
/// `h(t) = (sin(π t (1 − α)) + 4 α t cos(π t (1 + α))) / (π t (1 − (4 α t)²))`, with `t` in symbols.
///
/// **Source**: J. G. Proakis, Digital Communications, section 9.2 (4th edition).
///
/// # Errors
/// [`Error::OutOfRange`] for a number out of its range.
pub fn root_raised_cosine(
    gain: f64,
    rate_hz: f64,
    symbol_rate_hz: f64,
    alpha: f64,
    taps: usize,
) -> Result<Vec<f32>, Error> {
    check(gain.is_finite(), "gain", "a finite number", gain)?;
    check_positive("sampling_freq", rate_hz)?;
    check_positive("symbol_rate", symbol_rate_hz)?;
    check((0.0..=1.0).contains(&alpha), "alpha", "from 0 to 1", alpha)?;
    let taps = taps | 1;
    check_taps(taps)?;
    let pulse = |n: usize| {
        let t = (n as f64 - (taps / 2) as f64) * symbol_rate_hz / rate_hz;
        let hole = 1.0 - (4.0 * alpha * t).powi(2);
        if t == 0.0 {
            1.0 - alpha + 4.0 * alpha / PI
        } else if hole.abs() < 1e-9 {
            let (sin, cos) = (FRAC_PI_4 / alpha).sin_cos();
            alpha / 2f64.sqrt() * ((1.0 + 2.0 / PI) * sin + (1.0 - 2.0 / PI) * cos)
        } else {
            let top = (PI * t * (1.0 - alpha)).sin() + 4.0 * alpha * t * (PI * t * (1.0 + alpha)).cos();
            top / (PI * t * hole)
        }
    };
    let taps: Vec<f64> = (0..taps).map(pulse).collect();
    let scale = gain / taps.iter().sum::<f64>();
    Ok(narrow(taps.into_iter().map(|tap| tap * scale)))
}

/// A Gaussian pulse, as GMSK shapes its bits by: `exp(−(2π bt t)² / (2 ln 2))` with `t` in bits, scaled to sum to `gain`.
/// `bt` is the bandwidth in parts of the bit rate.
///
/// # Errors
/// [`Error::OutOfRange`] for a number out of its range.
pub fn gaussian(gain: f64, samples_per_bit: f64, bt: f64, taps: usize) -> Result<Vec<f32>, Error> {
    check(gain.is_finite(), "gain", "a finite number", gain)?;
    check_positive("spb", samples_per_bit)?;
    check_positive("bt", bt)?;
    check_taps(taps)?;
    let pulse = |n: usize| {
        // Counted as GNU Radio does: the middle of an odd number of taps lies half a sample before the peak.
        let t = (n as f64 + 1.0 - 0.5 * taps as f64) / samples_per_bit;
        (-0.5 * (TAU * bt / LN_2.sqrt() * t).powi(2)).exp()
    };
    let taps: Vec<f64> = (0..taps).map(pulse).collect();
    let sum = taps.iter().sum::<f64>();
    check(sum > 0.0, "bt", "small enough for the pulse to be wider than a sample", bt)?;
    Ok(narrow(taps.into_iter().map(|tap| tap * gain / sum)))
}

/// A Hilbert transformer: a quarter turn for all frequencies. `1 / k` for odd `k`, counted from the middle, times the window,
/// scaled to a gain of 1 at a quarter of the sample rate.
///
/// # Errors
/// [`Error::OutOfRange`] unless the number of taps is odd.
pub fn hilbert(taps: usize, shape: &Shape) -> Result<Vec<f32>, Error> {
    check_taps(taps)?;
    check(taps % 2 == 1, "ntaps", "an odd number", taps as f64)?;
    let middle = (taps / 2) as i64;
    let tap = |(n, window): (usize, f64)| match n as i64 - middle {
        k if k % 2 != 0 => window / k as f64,
        _ => 0.0,
    };
    let taps: Vec<f64> = shape.samples(taps).into_iter().enumerate().map(tap).collect();
    // The response at a quarter of the rate: the terms of one side alternate.
    let one_side = taps.iter().skip(middle as usize + 1).step_by(2).zip([1.0, -1.0].iter().cycle());
    let gain = 2.0 * one_side.map(|(tap, sign)| tap * sign).sum::<f64>();
    let scale = if gain == 0.0 { 0.0 } else { 1.0 / gain.abs() };
    Ok(narrow(taps.into_iter().map(|tap| tap * scale)))
}
