//! Window functions.

use superhet_runtime::catalog::Choice;

use super::design::shape;

/// A window: symmetric sums of cosines, `w[n] = Σ (−1)ᵏ · aₖ · cos(2π k n / (len − 1))`.
///
/// | window | a₀, a₁, … | stop-band attenuation of a filter made with it | transition × taps |
/// |---|---|---|---|
/// | rectangular | 1 | 20 dB | 1.0 |
/// | Hann | 0.5, 0.5 | 43 dB | 3.2 |
/// | Hamming | 0.54, 0.46 | 52 dB | 3.5 |
/// | Blackman | 0.42, 0.5, 0.08 | 74 dB | 5.7 |
/// | Blackman-Harris | 0.35875, 0.48829, 0.14128, 0.01168 | 90 dB | 7.5 |
///
/// The transition is in parts of the sample rate. Attenuation and transition were measured on filters of 51 to 201
/// taps, and a test of [`LowPass`](crate::filters::LowPass) holds them.
///
/// **Source** of the coefficients: F. J. Harris, "On the use of windows for harmonic analysis with the discrete
/// Fourier transform", Proceedings of the IEEE 66 (1), 1978, section V.
///
/// ```
/// use superhet_blocks::filters::Window;
/// let hann = Window::Hann.samples(5);
/// assert!(hann.iter().zip([0.0, 0.5, 1.0, 0.5, 0.0]).all(|(w, wanted)| (w - wanted).abs() < 1e-12));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum Window {
    /// No window.
    Rectangular,
    /// Falls off to 0 at both ends.
    Hann,
    /// The usual choice for filters.
    #[default]
    Hamming,
    /// More attenuation for a wider transition.
    Blackman,
    /// The minimum four-term window, for 16-bit signals.
    BlackmanHarris,
}

impl Window {
    /// The window's samples, the largest of them 1; symmetric to the last bit.
    pub fn samples(self, len: usize) -> Vec<f64> {
        let at = |n: usize| match len {
            1 => 1.0,
            // From the nearer end.
            _ => shape::cosines(self.coefficients(), n.min(len - 1 - n) as f64 / (len - 1) as f64),
        };
        (0..len).map(at).collect()
    }

    fn coefficients(self) -> &'static [f64] {
        match self {
            Window::Rectangular => shape::RECTANGULAR,
            Window::Hann => shape::HANN,
            Window::Hamming => shape::HAMMING,
            Window::Blackman => shape::BLACKMAN,
            Window::BlackmanHarris => shape::BLACKMAN_HARRIS,
        }
    }

    /// The attenuation in the stop band of a filter made with this window, in dB.
    pub fn attenuation_db(self) -> f64 {
        match self {
            Window::Rectangular => 20.0,
            Window::Hann => 43.0,
            Window::Hamming => 52.0,
            Window::Blackman => 74.0,
            Window::BlackmanHarris => 90.0,
        }
    }

    /// The width of the transition of a filter made with this window, times its taps, in parts of the sample rate.
    pub fn transition_times_taps(self) -> f64 {
        match self {
            Window::Rectangular => 1.0,
            Window::Hann => 3.2,
            Window::Hamming => 3.5,
            Window::Blackman => 5.7,
            Window::BlackmanHarris => 7.5,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::f64::consts::TAU;

    use super::*;

    pub(crate) const ALL: [Window; 5] =
        [Window::Rectangular, Window::Hann, Window::Hamming, Window::Blackman, Window::BlackmanHarris];

    #[test]
    fn every_window_is_symmetric_with_1_in_the_middle_and_follows_its_formula() {
        for window in ALL {
            for len in [0, 1, 2, 3, 64, 101] {
                let w = window.samples(len);
                assert!(w.iter().eq(w.iter().rev()), "{window:?}");
                if len % 2 == 1 {
                    assert!((w[len / 2] - 1.0).abs() < 1e-12, "{window:?}");
                }
                for (n, w) in w.iter().enumerate().filter(|_| len > 1) {
                    let term = |(k, a): (usize, &f64)| {
                        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
                        sign * a * (TAU * (k * n) as f64 / (len - 1) as f64).cos()
                    };
                    let wanted: f64 = window.coefficients().iter().enumerate().map(term).sum();
                    assert!((w - wanted).abs() < 1e-12, "{window:?}");
                }
            }
        }
    }

    #[test]
    fn every_name_that_the_parameter_offers_is_a_window() {
        let names = Window::WORDS;
        let windows: Vec<_> = names.iter().map(|name| Window::from_word(name).unwrap()).collect();
        assert_eq!(windows, ALL);
        assert_eq!(Window::from_word("kaiser"), None);
    }
}
