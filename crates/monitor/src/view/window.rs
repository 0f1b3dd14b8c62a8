//! Windows for spectra.

use std::f64::consts::TAU;

use crate::error::Refusal;

/// Names of windows, with the coefficients of their cosines: Harris, "On the use of windows for harmonic analysis", 1978; the flat
/// top of D'Antona and Ferrero, "Digital signal processing for measurement systems", 2006.
const WINDOWS: &[(&str, &[f64])] = &[
    ("rectangular", &[1.0]),
    ("hann", &[0.5, 0.5]),
    ("hamming", &[0.54, 0.46]),
    ("blackman", &[0.42, 0.5, 0.08]),
    ("blackman_harris", &[0.35875, 0.48829, 0.14128, 0.01168]),
    ("flat_top", &[0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368]),
];

/// The window of that name (Blackman-Harris without one), so long.
pub(crate) fn window(name: Option<&str>, length: usize) -> Result<Vec<f32>, Refusal> {
    let name = name.unwrap_or("blackman_harris").replace('-', "_");
    let Some((_, terms)) = WINDOWS.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = WINDOWS.iter().map(|(name, _)| *name).collect();
        return Err(Refusal::wrong(format!("window = {name:?}: expected one of {}", names.join(", "))));
    };
    let value = |n: usize| {
        let angle = TAU * n as f64 / length as f64;
        let term = |(k, a): (usize, &f64)| (if k % 2 == 0 { *a } else { -*a }) * (k as f64 * angle).cos();
        terms.iter().enumerate().map(term).sum::<f64>() as f32
    };
    Ok((0..length).map(value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_1_in_the_middle_and_their_mean_is_the_first_coefficient() {
        for (name, terms) in WINDOWS {
            let w = window(Some(name), 64).unwrap();
            let mean = w.iter().sum::<f32>() / 64.0;
            assert!((w[32] - 1.0).abs() < 1e-4 && (mean - terms[0] as f32).abs() < 1e-5, "{name}: {w:?}");
        }
        assert!(window(Some("boxcar"), 8).unwrap_err().sentence.contains("flat_top"));
    }
}
