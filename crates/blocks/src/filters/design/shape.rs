//! The windows that design filters, by GNU Radio's names and numbers.

use std::f64::consts::{PI, TAU};

use superhet_runtime::Value;

use crate::error::Error;

/// A window by its kind and, where the kind has one, its parameter: what the functions of [`design`](super) take.
///
/// With `M = n − 1`, `m = M / 2` and `i = 0 … M`:
///
/// | number | name | sample `i` | attenuation |
/// |---|---|---|---|
/// | 0 | hamming | `0.54 − 0.46 c₁` with `cₖ = cos(2π k i / M)` | 53 dB |
/// | 1 | hann | `0.5 − 0.5 c₁` | 44 dB |
/// | 2 | blackman | `0.42 − 0.5 c₁ + 0.08 c₂` | 74 dB |
/// | 3 | rectangular | 1 | 21 dB |
/// | 4 | kaiser | `I₀(β √(1 − (i / m − 1)²)) / I₀(β)` with `β = param` | `β / 0.1102 + 8.7` dB |
/// | 5 | blackman_harris | `0.35875 − 0.48829 c₁ + 0.14128 c₂ − 0.01168 c₃` | 92 dB |
/// | 6 | bartlett | a triangle from 0 to 1 to 0 | 27 dB |
/// | 7 | flattop | `(1 − 1.93 c₁ + 1.29 c₂ − 0.388 c₃ + 0.028 c₄) / 4.63867` | 93 dB |
/// | 8 | nuttall | `0.3635819 − 0.4891775 c₁ + 0.1365995 c₂ − 0.0106411 c₃` | 114 dB |
/// | 9 | nuttall_cfd | `0.355768 − 0.487396 c₁ + 0.144232 c₂ − 0.012604 c₃` | 112 dB |
/// | 10 | welch | `1 − ((i − m) / (m + 1))²` | 31 dB |
/// | 11 | parzen | cubic pieces | 56 dB |
/// | 12 | exponential | `exp(−abs(i − m) · param / 4.345 n)`, down by `param` dB at the ends | 26 dB |
/// | 13 | riemann | `sinc(2 i / n − 1)`, mirrored | 39 dB |
/// | 14 | gaussian | `exp(−((i − m) / param)² / 2)` | 100 dB |
/// | 15 | tukey | flat, with cosine ends that take the part `param` | by `param` |
///
/// One sample is 1, whatever the window.
///
/// **Source**: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
/// Proceedings of the IEEE 66 (1), 1978; A. H. Nuttall, "Some windows with very good sidelobe behavior", IEEE Trans. ASSP
/// 29 (1), 1981. Numbers, defaults and attenuations are those of GNU Radio 3.10 (`fft.window`), as observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    kind: Kind,
    /// The parameter of a Kaiser, exponential, Gaussian or Tukey window.
    param: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Cosines(&'static [f64]),
    Kaiser,
    Bartlett,
    Flattop,
    Welch,
    Parzen,
    Exponential,
    Riemann,
    Gaussian,
    Tukey,
}

pub(crate) const HAMMING: &[f64] = &[0.54, 0.46];
pub(crate) const HANN: &[f64] = &[0.5, 0.5];
pub(crate) const BLACKMAN: &[f64] = &[0.42, 0.5, 0.08];
pub(crate) const RECTANGULAR: &[f64] = &[1.0];
pub(crate) const BLACKMAN_HARRIS: &[f64] = &[0.35875, 0.48829, 0.14128, 0.01168];
const NUTTALL: &[f64] = &[0.3635819, 0.4891775, 0.1365995, 0.0106411];
const NUTTALL_CFD: &[f64] = &[0.355768, 0.487396, 0.144232, 0.012604];
const FLATTOP: &[f64] = &[1.0, 1.93, 1.29, 0.388, 0.028];
/// What the coefficients of [`FLATTOP`] are divided by.
const FLATTOP_SUM: f64 = 4.63867;

/// Windows of cosines that have a function but no number: name, coefficients.
pub(super) const UNNUMBERED: [(&str, &[f64]); 6] = [
    ("blackman2", &[0.34401, 0.49755, 0.15844]),
    ("blackman3", &[0.21747, 0.45325, 0.28256, 0.04672]),
    ("blackman4", &[0.084037, 0.29145, 0.375696, 0.20762, 0.041194]),
    ("blackman_harris_61", &[0.42323, 0.49755, 0.07922]),
    ("blackman_harris_67", &[0.44959, 0.49364, 0.05677]),
    ("blackman_harris_74", &[0.40271, 0.49703, 0.09392, 0.00183]),
];

/// By number: the names, the first of which is the one that is written, what it is, and the attenuation in dB.
const TABLE: [(&[&str], Kind, f64); 16] = [
    (&["hamming"], Kind::Cosines(HAMMING), 53.0),
    (&["hann", "hanning"], Kind::Cosines(HANN), 44.0),
    (&["blackman"], Kind::Cosines(BLACKMAN), 74.0),
    (&["rectangular"], Kind::Cosines(RECTANGULAR), 21.0),
    (&["kaiser"], Kind::Kaiser, f64::NAN),
    (&["blackman_harris", "blackmanharris"], Kind::Cosines(BLACKMAN_HARRIS), 92.0),
    (&["bartlett"], Kind::Bartlett, 27.0),
    (&["flattop"], Kind::Flattop, 93.0),
    (&["nuttall", "blackman_nuttall"], Kind::Cosines(NUTTALL), 114.0),
    (&["nuttall_cfd"], Kind::Cosines(NUTTALL_CFD), 112.0),
    (&["welch"], Kind::Welch, 31.0),
    (&["parzen"], Kind::Parzen, 56.0),
    (&["exponential"], Kind::Exponential, 26.0),
    (&["riemann"], Kind::Riemann, 39.0),
    (&["gaussian"], Kind::Gaussian, 100.0),
    (&["tukey"], Kind::Tukey, f64::NAN),
];

impl Default for Shape {
    /// Hamming.
    fn default() -> Self {
        Shape { kind: Kind::Cosines(HAMMING), param: 6.76 }
    }
}

impl Shape {
    /// The window of this number or name; a name may be GNU Radio's constant, such as `WIN_HAMMING`.
    ///
    /// # Errors
    /// [`Error::WrongKind`] where there is none, [`Error::OutOfRange`] where `param` is not one for it.
    pub fn of(window: &Value, param: f64) -> Result<Self, Error> {
        let by_name = |name: &str| {
            let name = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
            let name = name.strip_prefix("win_").unwrap_or(&name).to_owned();
            TABLE.iter().find(|row| row.0.contains(&name.as_str()))
        };
        let row = match (window.as_i64(), window.as_str()) {
            (Some(number), _) => usize::try_from(number).ok().and_then(|number| TABLE.get(number)),
            (None, Some(name)) => by_name(name),
            (None, None) => None,
        };
        let row = row.ok_or_else(|| Error::WrongKind {
            parameter: "window",
            wanted: "a number from 0 to 15, or a name such as hamming, kaiser or blackman_harris",
            got: window.to_string(),
        })?;
        Shape::with(row.1, param)
    }

    /// The window of that name: one of the numbered ones, or `blackman2`, `blackman3`, `blackman4`.
    pub(super) fn named(name: &str, param: f64) -> Result<Self, Error> {
        match UNNUMBERED.iter().find(|row| row.0 == name) {
            Some(row) => Shape::with(Kind::Cosines(row.1), param),
            None => Shape::of(&name.into(), param),
        }
    }

    /// A Kaiser window.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `beta` is within 0 to 700.
    pub fn kaiser(beta: f64) -> Result<Self, Error> {
        Shape::with(Kind::Kaiser, beta)
    }

    fn with(kind: Kind, param: f64) -> Result<Self, Error> {
        let (fits, wanted) = match kind {
            Kind::Kaiser => ((0.0..=700.0).contains(&param), "from 0 to 700 for a Kaiser window"),
            Kind::Exponential => (param > 0.0 && param.is_finite(), "more than 0 for an exponential window"),
            Kind::Gaussian => (param > 0.0 && param.is_finite(), "more than 0 for a Gaussian window"),
            Kind::Tukey => ((0.0..=1.0).contains(&param), "from 0 to 1 for a Tukey window"),
            _ => (true, ""),
        };
        crate::error::check(fits, "param", wanted, param)?;
        Ok(Shape { kind, param })
    }

    /// The attenuation in the stop band that GNU Radio counts with, in dB.
    pub fn attenuation_db(&self) -> f64 {
        match self.kind {
            Kind::Kaiser => self.param / 0.1102 + 8.7,
            Kind::Tukey if self.param <= 0.7 => 21.0 + 5.0 * self.param,
            Kind::Tukey if self.param <= 0.9 => 12.0 + 20.0 * self.param,
            Kind::Tukey => 135.0 * self.param - 91.0,
            kind => TABLE.iter().find(|row| row.1 == kind).map_or(53.0, |row| row.2),
        }
    }

    /// The window's samples.
    pub fn samples(&self, len: usize) -> Vec<f64> {
        if len == 1 {
            return vec![1.0];
        }
        let (n, last) = (len as f64, len.saturating_sub(1) as f64);
        let middle = last / 2.0;
        let of_kaiser = bessel_i0(self.param);
        let at = |i: usize| {
            // From the nearer end, so that the window is symmetric to the last bit.
            let i = i.min(len - 1 - i) as f64;
            let away = (i - middle).abs();
            match self.kind {
                Kind::Cosines(a) => cosines(a, i / last),
                Kind::Flattop => cosines(FLATTOP, i / last) / FLATTOP_SUM,
                Kind::Kaiser => {
                    bessel_i0(self.param * (1.0 - (away / middle).powi(2)).max(0.0).sqrt()) / of_kaiser
                }
                Kind::Bartlett => i / middle,
                Kind::Welch => 1.0 - (away / (middle + 1.0)).powi(2),
                Kind::Parzen => {
                    let r = away / (n / 2.0);
                    if away <= n / 4.0 { 1.0 - 6.0 * r * r * (1.0 - r) } else { 2.0 * (1.0 - r).powi(3) }
                }
                Kind::Exponential => (-away * (self.param / 8.69) / (n / 2.0)).exp(),
                Kind::Riemann => match 2.0 * i / n - 1.0 {
                    0.0 => 1.0,
                    x => (PI * x).sin() / (PI * x),
                },
                Kind::Gaussian => (-0.5 * (away / self.param).powi(2)).exp(),
                Kind::Tukey => {
                    let end = self.param * middle;
                    if i < end { 0.5 * (1.0 + (PI * (i / end - 1.0)).cos()) } else { 1.0 }
                }
            }
        };
        (0..len).map(at).collect()
    }
}

/// A sum of cosines with signs in turn at `x`, from 0 at one end of a window to 1 at the other.
pub(crate) fn cosines(coefficients: &[f64], x: f64) -> f64 {
    let term = |(k, a): (usize, &f64)| {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sign * a * (TAU * k as f64 * x).cos()
    };
    coefficients.iter().enumerate().map(term).sum()
}

/// The modified Bessel function of the first kind and order 0, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= (x / (2.0 * k)).powi(2);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const KAISER: [f64; 5] = [7.40429573e-03, 1.03868306e-01, 3.52641046e-01, 7.00607359e-01, 9.62122142e-01];
    const PARZEN: [f64; 5] = [2.00000009e-03, 5.40000014e-02, 2.50000000e-01, 6.21999979e-01, 9.45999980e-01];
    const EXPONENTIAL: [f64; 5] =
        [3.54987323e-01, 4.46853906e-01, 5.62494457e-01, 7.08061457e-01, 8.91299486e-01];
    const TUKEY: [f64; 5] = [0.00000000e+00, 4.13175911e-01, 9.69846308e-01, 1.00000000e+00, 1.00000000e+00];

    fn window(name: &str, len: usize, param: f64) -> Vec<f64> {
        Shape::named(name, param).unwrap().samples(len)
    }

    #[test]
    fn windows_are_those_of_gnu_radio() {
        // The first half of each, of 10 samples, as GNU Radio 3.10.5 gives them.
        let wanted: [(&str, f64, [f64; 5]); 6] = [
            ("kaiser", 6.76, KAISER),
            ("flattop", 0.0, [-1.62981451e-8, -1.87059883e-2, -7.15496689e-2, 1.97901607e-1, 8.62459719e-1]),
            ("riemann", 0.0, [3.89817e-17, 2.33872324e-1, 5.04551172e-1, 7.56826758e-1, 9.35489297e-1]),
            ("parzen", 0.0, PARZEN),
            ("exponential", 10.0, EXPONENTIAL),
            ("tukey", 0.5, TUKEY),
        ];
        for (name, param, half) in wanted {
            let samples = window(name, 10, param);
            for (i, wanted) in half.iter().enumerate() {
                assert!((samples[i] - wanted).abs() < 2e-7, "{name}[{i}]: {}, wanted {wanted}", samples[i]);
                assert_eq!(samples[i], samples[9 - i], "{name}");
            }
        }
    }

    #[test]
    fn a_name_or_a_number_says_which_window_it_is() {
        for (number, row) in TABLE.iter().enumerate() {
            for name in row.0 {
                let constant = format!("window.WIN_{}", name.to_ascii_uppercase());
                for text in [*name, &constant] {
                    let by_number = Shape::of(&number.into(), 0.5).unwrap();
                    assert_eq!(Shape::of(&text.into(), 0.5).unwrap(), by_number);
                }
            }
        }
        let error = Shape::of(&"hemming".into(), 0.0).unwrap_err().to_string();
        assert!(error.starts_with("window = \"hemming\": expected a number from 0 to 15"), "{error}");
        assert!(Shape::of(&16.into(), 0.0).is_err() && Shape::of(&(-1).into(), 0.0).is_err());
        assert!(Shape::of(&"tukey".into(), 1.5).is_err());
    }

    #[test]
    fn short_windows_are_no_trouble() {
        for row in TABLE {
            let shape = Shape::with(row.1, 0.5).unwrap();
            for len in [0, 1, 2, 3] {
                let samples = shape.samples(len);
                assert!(samples.len() == len && samples.iter().all(|w| w.is_finite()), "{shape:?}");
            }
        }
    }
}
