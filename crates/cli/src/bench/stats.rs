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

    pub fn to_json(&self) -> serde_json::Value {
        json!({ "min": self.min(), "median": self.median(), "mean": self.mean(), "max": self.max() })
    }
}
