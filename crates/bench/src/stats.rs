//! Minimum, median, mean and maximum of repeated measurements.

use serde_json::json;

/// What repeated measurements came to.
#[derive(Clone, Debug)]
pub struct Stats {
    sorted: Vec<f64>,
}

impl Stats {
    /// From at least one measurement.
    pub fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Stats { sorted: values }
    }

    pub fn min(&self) -> f64 {
        self.sorted.first().copied().unwrap_or(f64::NAN)
    }

    pub fn max(&self) -> f64 {
        self.sorted.last().copied().unwrap_or(f64::NAN)
    }

    pub fn mean(&self) -> f64 {
        self.sorted.iter().sum::<f64>() / self.sorted.len() as f64
    }

    pub fn median(&self) -> f64 {
        let n = self.sorted.len();
        if n == 0 { f64::NAN } else { (self.sorted[(n - 1) / 2] + self.sorted[n / 2]) / 2.0 }
    }

    /// The least measurement that at least the share `q` of all do not exceed.
    pub fn quantile(&self, q: f64) -> f64 {
        let place = (q * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(place.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }

    pub fn to_json(&self) -> serde_json::Value {
        json!({ "min": self.min(), "median": self.median(), "mean": self.mean(), "max": self.max() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_measurements() {
        let stats = Stats::new((1..=200).rev().map(f64::from).collect());
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|q| stats.quantile(q)), [1.0, 100.0, 198.0, 200.0]);
    }
}
