//! The frequencies of the bins of a spectrum, with the unit that suits them.

/// Frequencies of bins: those of complex samples around the centre, those of real ones from 0 up.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    low: f64,
    step: f64,
    /// How many bins are shown: of real samples, the lower half.
    pub bins: usize,
    /// Whether frequencies are in Hz, and not in cycles per sample.
    is_hertz: bool,
}

impl Axis {
    pub fn new(rate_hz: Option<f64>, center_hz: Option<f64>, size: usize, is_real: bool) -> Self {
        let step = rate_hz.unwrap_or(1.0) / size as f64;
        let center = center_hz.filter(|_| rate_hz.is_some()).unwrap_or(0.0);
        let (low, bins) =
            if is_real { (center, size / 2 + 1) } else { (center - step * (size / 2) as f64, size) };
        Axis { low, step, bins, is_hertz: rate_hz.is_some() }
    }

    /// The frequency of a bin.
    pub fn frequency(&self, bin: usize) -> f64 {
        self.low + self.step * bin as f64
    }

    /// The lowest and the highest frequency, half a bin beyond those of the outer bins.
    pub fn ends(&self) -> (f64, f64) {
        (self.low - self.step / 2.0, self.low + self.step * (self.bins as f64 - 0.5))
    }

    /// What a frequency is divided by, and the unit that it then has.
    pub fn unit(&self) -> (f64, &'static str) {
        let (low, high) = self.ends();
        match low.abs().max(high.abs()) {
            _ if !self.is_hertz => (1.0, "cycles/sample"),
            most if most >= 1e9 => (1e9, "GHz"),
            most if most >= 1e6 => (1e6, "MHz"),
            most if most >= 1e3 => (1e3, "kHz"),
            _ => (1.0, "Hz"),
        }
    }

    /// A frequency in that unit, with as many digits as tell apart what lies a hundredth of the band apart.
    pub fn text(&self, frequency: f64) -> String {
        let ((scale, _), (low, high)) = (self.unit(), self.ends());
        let digits = (-((high - low) / scale / 100.0).log10()).ceil().clamp(0.0, 9.0) as usize;
        let text = format!("{:.digits$}", frequency / scale);
        // No minus before a zero.
        if text.trim_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_lie_around_the_centre_or_from_zero_up() {
        let axis = Axis::new(Some(2e6), Some(1090e6), 1000, false);
        assert_eq!((axis.frequency(500), axis.frequency(0), axis.bins), (1090e6, 1089e6, 1000));
        assert_eq!((axis.unit(), axis.text(1090e6).as_str()), ((1e9, "GHz"), "1.09000"));
        let axis = Axis::new(Some(48e3), None, 8, true);
        assert_eq!((axis.frequency(4), axis.bins, axis.text(-1e-9).as_str()), (24e3, 5, "0"));
        assert_eq!(Axis::new(None, Some(1e6), 4, false).ends(), (-0.625, 0.375));
    }
}
