//! Design of FIR filters: taps from frequencies in Hz.

use std::f64::consts::TAU;

use crate::error::{Error, check, check_positive};
use crate::filters::Window;
use crate::filters::design::firdes::{low_pass_of, narrow};

/// A low-pass filter by its frequencies.
///
/// The ideal response, a sinc, times a window: `h[n] = w[n] · sin(2π f (n − m)) / (π (n − m))` with
/// `f = cutoff_hz / rate_hz` and `m = (N − 1) / 2`, scaled such that the gain at 0 Hz is exactly `gain`.
/// `N = transition_times_taps · rate_hz / transition_hz`, rounded up to an odd number: the response is symmetric and its
/// delay is a whole number of samples, `m`.
///
/// | setting | unit | range |
/// |---|---|---|
/// | `gain` | | finite |
/// | `rate_hz` | samples a second | > 0 |
/// | `cutoff_hz` | Hz, −6 dB | > 0, less than half of `rate_hz` |
/// | `transition_hz` | Hz, from pass band to stop band, `cutoff_hz` in its middle | > 0, wide enough for 65 535 taps |
/// | `window` | | see [`Window`] |
///
/// **Accuracy**: where `cutoff_hz ≥ transition_hz` and there are at least 51 taps, the attenuation from
/// `cutoff_hz + transition_hz / 2` on is at least that of the window, `A` dB, and the ripple up to
/// `cutoff_hz − transition_hz / 2` at most `2 · 10^(−A / 20)`.
///
/// **Source**: window method, A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal Processing, section 7.2 (second
/// edition); windows: Harris 1978 (see [`Window`]). GNU Radio's `firdes.low_pass` estimates the length as
/// `A · rate / (22 · transition)`: for Hamming 30 % fewer taps, whose transition is wider than asked for.
///
/// ```
/// use superhet_blocks::filters::{LowPass, Window};
/// let taps = LowPass {
///     gain: 1.0, rate_hz: 240e3, cutoff_hz: 8e3, transition_hz: 4e3, window: Window::Hamming,
/// }.taps()?;
/// assert_eq!(taps.len(), 211);
/// assert!((taps.iter().sum::<f32>() - 1.0).abs() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowPass {
    /// The gain at 0 Hz.
    pub gain: f64,
    /// The sample rate of the input.
    pub rate_hz: f64,
    /// The middle of the transition.
    pub cutoff_hz: f64,
    /// The width of the transition.
    pub transition_hz: f64,
    /// The window.
    pub window: Window,
}

/// The longest filter.
const MOST_TAPS: usize = 65_535;

impl LowPass {
    /// The taps, an odd number of them.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::TooManyTaps`], for settings out of the ranges above.
    pub fn taps(&self) -> Result<Vec<f32>, Error> {
        let LowPass { gain, rate_hz, cutoff_hz, transition_hz, window } = *self;
        check(gain.is_finite(), "gain", "a finite number", gain)?;
        check_positive("rate_hz", rate_hz)?;
        let fits = cutoff_hz > 0.0 && cutoff_hz < rate_hz / 2.0;
        check(fits, "cutoff_hz", "more than 0 and less than half of rate_hz", cutoff_hz)?;
        check_positive("transition_hz", transition_hz)?;
        let wanted = window.transition_times_taps() * rate_hz / transition_hz;
        if wanted > MOST_TAPS as f64 {
            return Err(Error::TooManyTaps { transition_hz, rate_hz, taps: wanted, most: MOST_TAPS });
        }
        let len = (wanted.ceil() as usize) | 1;
        let middle = (len / 2) as f64;
        let samples = window.samples(len).into_iter().enumerate();
        let window = samples.map(|(n, w)| (n as f64 - middle, w));
        Ok(narrow(low_pass_of(window, TAU * cutoff_hz / rate_hz, gain)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The response of symmetric taps at `frequency`, in parts of the sample rate, without its delay.
    fn response(taps: &[f32], frequency: f64) -> f64 {
        let middle = (taps.len() / 2) as f64;
        let term = |(n, tap): (usize, &f32)| f64::from(*tap) * (TAU * frequency * (n as f64 - middle)).cos();
        taps.iter().enumerate().map(term).sum()
    }

    #[test]
    fn the_stop_band_is_as_low_and_the_pass_band_as_flat_as_promised() {
        for window in crate::filters::window::tests::ALL {
            let ripple = 10f64.powf(-window.attenuation_db() / 20.0);
            for (cutoff_hz, taps) in [(0.08, 101.0), (0.17, 51.0), (0.17, 201.0), (0.25, 151.0), (0.4, 101.0)]
            {
                let transition_hz: f64 = window.transition_times_taps() / taps;
                if cutoff_hz < transition_hz || cutoff_hz + transition_hz / 2.0 > 0.5 {
                    continue;
                }
                let design = LowPass { gain: 1.0, rate_hz: 1.0, cutoff_hz, transition_hz, window };
                let taps = design.taps().unwrap();
                assert!(taps.iter().eq(taps.iter().rev()), "symmetric");
                for step in 0..=2000 {
                    let frequency = f64::from(step) / 4000.0;
                    let h = response(&taps, frequency);
                    if frequency >= cutoff_hz + transition_hz / 2.0 {
                        assert!(h.abs() <= ripple, "{design:?}: {h} at {frequency}");
                    } else if frequency <= cutoff_hz - transition_hz / 2.0 {
                        assert!((h - 1.0).abs() <= 2.0 * ripple, "{design:?}: {h} at {frequency}");
                    }
                }
                assert!((response(&taps, cutoff_hz) - 0.5).abs() < 0.05, "{design:?}: -6 dB at the cutoff");
            }
        }
    }

    #[test]
    fn the_gain_at_0_hz_is_exact() {
        for gain in [1.0, -3.0, 1e-3] {
            let design =
                LowPass { gain, rate_hz: 48e3, cutoff_hz: 3e3, transition_hz: 1e3, window: Window::Hann };
            let sum: f64 = design.taps().unwrap().iter().map(|tap| f64::from(*tap)).sum();
            assert!((sum - gain).abs() <= 1e-6 * gain.abs());
        }
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let good =
            LowPass { gain: 1.0, rate_hz: 48e3, cutoff_hz: 3e3, transition_hz: 1e3, window: Window::Hamming };
        let problem = |bad: LowPass| bad.taps().unwrap_err().to_string();
        assert!(problem(LowPass { gain: f64::NAN, ..good }).starts_with("gain = NaN"));
        assert!(problem(LowPass { rate_hz: 0.0, ..good }).starts_with("rate_hz = 0"));
        assert!(problem(LowPass { cutoff_hz: 24e3, ..good }).starts_with("cutoff_hz = 24000"));
        assert!(problem(LowPass { transition_hz: -1.0, ..good }).starts_with("transition_hz = -1"));
        let text = problem(LowPass { transition_hz: 0.1, ..good });
        assert!(text.contains("takes 1680000 taps, more than 65535"), "{text}");
        assert_eq!(LowPass { transition_hz: 1e9, ..good }.taps().unwrap(), [1.0]);
    }
}
