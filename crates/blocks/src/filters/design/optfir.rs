//! Equiripple filters by ripple and attenuation: the functions of GNU Radio's `optfir`.

use std::f64::consts::TAU;

use superhet_runtime::{C32, C64};

use super::remez::{Response, remez};
use crate::error::{Error, check, check_positive};

/// The settings that all filters of this kind share.
#[derive(Clone, Copy, Debug)]
pub struct Ripple {
    /// The gain in the pass band.
    pub gain: f64,
    /// The sample rate in Hz, or in the unit of the other frequencies.
    pub rate_hz: f64,
    /// How much the pass band may differ from flat, in dB.
    pub passband_ripple_db: f64,
    /// How much the stop band is attenuated, in dB.
    pub stopband_atten_db: f64,
    /// So many more taps than estimated.
    pub extra_taps: usize,
}

/// The estimated length of a low-pass filter with ripples `passed` and `stopped` between the frequencies `f1` and `f2`, in
/// parts of the sample rate. Source: O. Herrmann, L. R. Rabiner and D. S. K. Chan, "Practical design rules for optimum finite
/// impulse response low-pass digital filters", Bell System Technical Journal 52 (6), 1973.
fn low_pass_order(f1: f64, f2: f64, passed: f64, stopped: f64) -> f64 {
    let (df, p, s) = ((f2 - f1).abs(), passed.log10(), stopped.log10());
    let d = s * (5.309e-3 * p * p + 7.114e-2 * p - 4.761e-1) - (2.66e-3 * p * p + 5.941e-1 * p + 4.278e-1);
    d / df - (11.01217 + 0.5124401 * (p - s)) * df + 1.0
}

impl Ripple {
    /// Low-pass: passes up to `pass_hz`, stops from `stop_hz` on.
    ///
    /// # Errors
    /// Those of [`remez`], and [`Error::OutOfRange`] for what is out of range here; so do the others.
    pub fn low_pass(&self, pass_hz: f64, stop_hz: f64) -> Result<Vec<f32>, Error> {
        Ok(narrow(&self.design(&[pass_hz, stop_hz], true, self.gain, false)?, 1.0))
    }

    /// High-pass: stops up to `stop_hz`, passes from `pass_hz` on. GNU Radio 3.10 does not heed the gain here; we do.
    ///
    /// # Errors
    /// As [`Ripple::low_pass`].
    pub fn high_pass(&self, stop_hz: f64, pass_hz: f64) -> Result<Vec<f32>, Error> {
        Ok(narrow(&self.design(&[stop_hz, pass_hz], false, 1.0, true)?, self.gain))
    }

    /// Band-pass: passes between the second and the third frequency, stops outside of the first and the fourth.
    ///
    /// # Errors
    /// As [`Ripple::low_pass`].
    pub fn band_pass(&self, frequencies: [f64; 4]) -> Result<Vec<f32>, Error> {
        Ok(narrow(&self.design(&frequencies, false, self.gain, false)?, 1.0))
    }

    /// Band-stop: stops between the second and the third frequency, passes outside of the first and the fourth.
    ///
    /// # Errors
    /// As [`Ripple::low_pass`].
    pub fn band_reject(&self, frequencies: [f64; 4]) -> Result<Vec<f32>, Error> {
        Ok(narrow(&self.design(&frequencies, true, self.gain, true)?, 1.0))
    }

    /// As [`Ripple::band_pass`], where frequencies may be negative: a low-pass filter, turned.
    ///
    /// # Errors
    /// As [`Ripple::low_pass`].
    pub fn complex_band_pass(&self, [stop1, pass1, pass2, stop2]: [f64; 4]) -> Result<Vec<C32>, Error> {
        let taps = self.design(&[(pass2 - pass1) / 2.0, (stop2 - stop1) / 2.0], true, self.gain, false)?;
        let turn = TAU * (pass1 + pass2) / 2.0 / self.rate_hz;
        let turned = |(n, tap): (usize, &f64)| tap * C64::cis(turn * n as f64);
        Ok(taps.iter().enumerate().map(turned).map(|tap| C32::new(tap.re as f32, tap.im as f32)).collect())
    }

    /// `passes_first`: whether the band that begins at 0 Hz is passed; `odd`: whether the number of taps must be odd.
    fn design(&self, edges: &[f64], passes_first: bool, gain: f64, odd: bool) -> Result<Vec<f64>, Error> {
        check(gain > 0.0 && self.gain.is_finite(), "gain", "a number > 0", gain)?;
        check_positive("Fs", self.rate_hz)?;
        check_positive("passband_ripple_db", self.passband_ripple_db)?;
        check_positive("stopband_atten_db", self.stopband_atten_db)?;
        let half = self.rate_hz / 2.0;
        for pair in edges.windows(2) {
            check(pair[1] > pair[0], "freq2", "frequencies that ascend", pair[1])?;
        }
        for &edge in edges {
            check(edge > 0.0 && edge < half, "freq1", "frequencies above 0 and below half of Fs", edge)?;
        }
        let ratio = 10f64.powf(self.passband_ripple_db / 20.0);
        let (passed, stopped) = ((ratio - 1.0) / (ratio + 1.0), 10f64.powf(-self.stopband_atten_db / 20.0));
        let bands = edges.len() / 2 + 1;
        let is_passed = |band: usize| band.is_multiple_of(2) == passes_first;
        // The ripple of a band that is passed counts relative to its amplitude.
        let deviations: Vec<f64> =
            (0..bands).map(|band| if is_passed(band) { passed / gain } else { stopped }).collect();
        // Between three bands, the one in the middle counts as the one that is passed.
        let orders = edges.chunks(2).enumerate().map(|(place, pair)| {
            let (f1, f2) = (pair[0] / self.rate_hz, pair[1] / self.rate_hz);
            match (bands, place) {
                (2, _) | (_, 1) => low_pass_order(f1, f2, deviations[place], deviations[place + 1]),
                _ => low_pass_order(f1, f2, deviations[place + 1], deviations[place]),
            }
        });
        let order = orders.fold(0.0, f64::max).ceil() - 1.0;
        check((1.0..2000.0).contains(&order), "freq2", "a transition that 4 to 2000 taps can do", order)?;
        let mut order = order as usize + self.extra_taps;
        if odd && order % 2 == 1 {
            order += 1;
        }
        let mut scaled = vec![0.0];
        scaled.extend(edges.iter().map(|edge| edge / half));
        scaled.push(1.0);
        let amplitudes: Vec<f64> =
            (0..bands).flat_map(|band| [if is_passed(band) { gain } else { 0.0 }; 2]).collect();
        let greatest = deviations.iter().copied().fold(0.0, f64::max);
        let weights: Vec<f64> = deviations.iter().map(|deviation| greatest / deviation).collect();
        remez(order, &scaled, &amplitudes, &weights, Response::Bandpass, 16)
    }
}

fn narrow(taps: &[f64], gain: f64) -> Vec<f32> {
    taps.iter().map(|tap| (tap * gain) as f32).collect()
}
