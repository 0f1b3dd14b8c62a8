//! Follows what moves while a frame lasts: the phase, and the two clocks.

/// Something that moves steadily, and its slope: a Kalman filter whose measurements are of the first.
#[derive(Clone, Copy, Debug)]
pub struct Tracker {
    /// What it is now, by what was measured up to now.
    pub value: f32,
    slope: f32,
    /// Variances of both, and what they have in common.
    covariance: [f32; 3],
    /// By how much the variances of both grow with each symbol.
    drift: [f32; 2],
}

impl Tracker {
    /// It is 0 now, and nothing is known of its slope but its variance, per symbol.
    pub fn new(slope_variance: f32, drift: [f32; 2]) -> Tracker {
        Tracker { value: 0.0, slope: 0.0, covariance: [0.0, 0.0, slope_variance], drift }
    }

    /// So many symbols pass.
    pub fn pass(&mut self, symbols: f32) {
        self.value += symbols * self.slope;
        let [own, common, slope] = self.covariance;
        self.covariance = [
            own + symbols * (2.0 * common + symbols * slope + self.drift[0]),
            common + symbols * slope,
            slope + symbols * self.drift[1],
        ];
    }

    /// It was measured to be so much more, with this variance.
    pub fn correct(&mut self, more: f32, variance: f32) {
        let [own, common, slope] = self.covariance;
        let scale = 1.0 / (own + variance);
        // Nothing is learned from what is no number.
        if !(scale.is_finite() && more.is_finite()) {
            return;
        }
        self.value += own * scale * more;
        self.slope += common * scale * more;
        self.covariance =
            [own * variance * scale, common * variance * scale, slope - common * common * scale];
    }

    /// What it is changes by so much, for another reason.
    pub fn jump(&mut self, by: f32) {
        self.value += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_slope_is_learned_from_noisy_measurements() {
        let noise = crate::testing::noise(400);
        let mut tracker = Tracker::new(1e-4, [1e-8, 1e-12]);
        for (n, noise) in (1..).zip(&noise) {
            tracker.pass(1.0);
            // Uniform within ±0.1: a variance of 0.0033.
            let measured = 0.01 * n as f32 + 0.1 * noise;
            tracker.correct(measured - tracker.value, 0.0033);
        }
        assert!((tracker.value - 4.0).abs() < 0.02 && (tracker.slope - 0.01).abs() < 2e-4, "{tracker:?}");
        tracker.correct(f32::NAN, 1.0);
        assert!(tracker.value.is_finite());
    }
}
