//! Which stations are on the air: the beginning of a recording tells.

use std::path::Path;

use super::{Band, megahertz};
use crate::picture::mean_powers;
use crate::recording::Recording;
use superhet_terminal::usage::Usage;

/// How long it is looked at.
const SECONDS: f64 = 0.25;
/// How wide a bin of the spectrum is at most.
const BIN_HZ: f64 = 10e3;
/// Half the width in which the power of a station is.
const HALF_HZ: f64 = 60e3;
/// By how much a station's power is above that of the quietest tenth of the band: 6 dB.
const ABOVE: f64 = 4.0;

/// The stations from `first` to `last`, `step` apart, that are on the air in a band.
///
/// # Errors
/// Where the band has none of those places, or no station is on the air, or the recording cannot be read twice.
pub fn stations(
    recording: &Recording,
    band: &Band,
    [first, last, step]: [f64; 3],
    width_hz: f64,
) -> anyhow::Result<Vec<f64>> {
    let count = ((last - first) / step).round() as u64;
    let places = (0..=count).map(|n| first + n as f64 * step).filter(|hz| band.has(*hz, width_hz));
    let places: Vec<f64> = places.collect();
    if places.is_empty() {
        let (first, last) = (megahertz(first), megahertz(last));
        return Err(Usage(format!("fm: no station from {first} to {last} MHz is in {}", band.words())).into());
    }
    if recording.path == Path::new("-") {
        let problem = "stdin cannot be looked at before: say the stations, as in fm@98.5M";
        return Err(Usage(format!("fm: {problem}")).into());
    }
    let size = ((band.rate_hz / BIN_HZ).ceil() as usize).next_power_of_two().max(16);
    let samples = (SECONDS * band.rate_hz).max(size as f64) as u64;
    let found = on_the_air(&mean_powers(recording, samples, size)?, band, &places, step);
    if found.is_empty() {
        let problem = "no station is on the air in the first 0.25 s: say which to receive, as in fm@98.5M";
        return Err(Usage(format!("fm: {problem}")).into());
    }
    Ok(found)
}

/// Those places with more power than the noise, and than the places beside them.
fn on_the_air(powers: &[f64], band: &Band, places: &[f64], step: f64) -> Vec<f64> {
    let bin_hz = band.rate_hz / powers.len() as f64;
    let half = (HALF_HZ / bin_hz).round() as isize;
    let middle = powers.len() as isize / 2;
    let power = |hz: f64| -> f64 {
        let bin = middle + ((hz - band.center_hz) / bin_hz).round() as isize;
        let range = bin - half..=bin + half;
        range.filter_map(|bin| powers.get(usize::try_from(bin).ok()?)).sum()
    };
    let mut quiet: Vec<f64> = powers.windows(2 * half as usize + 1).map(|bins| bins.iter().sum()).collect();
    quiet.sort_by(f64::total_cmp);
    let noise = quiet.get(quiet.len() / 10).copied().unwrap_or(0.0);
    let is_station = |hz: &f64| {
        let (own, below, above) = (power(*hz), power(hz - step), power(hz + step));
        own > ABOVE * noise && own > below && own >= above
    };
    places.iter().copied().filter(is_station).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_are_where_the_spectrum_has_most_power() {
        let band = Band { center_hz: 98e6, rate_hz: 2.56e6 };
        let mut powers = vec![1.0; 256];
        // At 97.5 and 98.6 MHz, and a weak one beside a strong one.
        for (hz, power) in [(97.5e6, 50.0), (98.6e6, 400.0), (98.9e6, 9.0)] {
            let bin = 128 + ((hz - 98e6) / 10e3_f64).round() as usize;
            let bin = if hz < 98e6 { 128 - ((98e6 - hz) / 10e3_f64).round() as usize } else { bin };
            powers[bin - 4..=bin + 4].iter_mut().for_each(|sum| *sum += power);
        }
        let places: Vec<f64> = (0..21).map(|n| 97e6 + f64::from(n) * 100e3).collect();
        assert_eq!(on_the_air(&powers, &band, &places, 100e3), [97.5e6, 98.6e6, 98.9e6]);
        assert_eq!(on_the_air(&[1.0; 256], &band, &places, 100e3), [0.0; 0]);
    }
}
