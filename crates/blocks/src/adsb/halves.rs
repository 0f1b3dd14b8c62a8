//! Magnitudes at any rate, turned into means over half a microsecond.

/// Quarters of a microsecond per second: the rate of [`HalfMeans`].
const QUARTER_RATE: u64 = 4_000_000;

/// Turns magnitudes at any whole rate into `y[k]`, their mean over 0.5 µs from `k · 0.25 µs` on.
///
/// Each sample stands for the time until the next one; a sample on a border is shared out. For multiples of
/// 4 MHz that is the plain mean. The weights are whole numbers, so there is no drift, and each quarter is summed
/// in the order of its samples, so the result does not depend on where the input is cut.
#[derive(Debug)]
pub(super) struct HalfMeans {
    rate_hz: u64,
    /// The sample that comes next, unless any may begin a stream.
    next_sample: Option<u64>,
    /// Before the first whole quarter, in units of 1/`QUARTER_RATE` samples as the next one.
    skip: u64,
    /// Missing in the quarter being summed.
    missing: u64,
    sum: f32,
    /// Sum of the quarter before, if there is one.
    previous: Option<f32>,
    /// Which quarter `means[0]` begins with.
    first: u64,
    means: Vec<f32>,
}

impl HalfMeans {
    pub fn new(rate_hz: u64) -> Self {
        Self {
            rate_hz,
            next_sample: None,
            skip: 0,
            missing: rate_hz,
            sum: 0.0,
            previous: None,
            first: 0,
            means: Vec::new(),
        }
    }

    /// Adds the samples from `start` on; after a gap it begins anew.
    pub fn push(&mut self, samples: &[f32], start: u64) {
        if self.next_sample != Some(start) {
            self.restart(start);
        }
        self.next_sample = Some(start.wrapping_add(samples.len() as u64));
        for &sample in samples {
            let skipped = self.skip.min(QUARTER_RATE);
            self.skip -= skipped;
            let mut weight = QUARTER_RATE - skipped;
            while weight > 0 {
                let part = weight.min(self.missing);
                self.sum += sample * part as f32;
                self.missing -= part;
                weight -= part;
                if self.missing == 0 {
                    self.end_quarter();
                }
            }
        }
    }

    /// Ends the stream: what is missing in the last half counts as 0.
    pub fn flush(&mut self) {
        for _ in 0..2 {
            self.end_quarter();
        }
    }

    /// Forgets the stream; the next sample begins another.
    pub fn clear(&mut self) {
        self.next_sample = None;
        self.means.clear();
    }

    /// The means that were not dropped yet.
    pub fn means(&self) -> &[f32] {
        &self.means
    }

    /// Drops the `count` oldest means.
    pub fn drop_oldest(&mut self, count: usize) {
        self.means.drain(..count);
        self.first += count as u64;
    }

    /// The sample in which the mean at `position` begins.
    pub fn sample_of(&self, position: usize) -> u64 {
        let quarter = u128::from(self.first) + position as u128;
        (quarter * u128::from(self.rate_hz) / u128::from(QUARTER_RATE)) as u64
    }

    fn restart(&mut self, start: u64) {
        let (rate, at) = (u128::from(self.rate_hz), u128::from(start) * u128::from(QUARTER_RATE));
        let first = at.div_ceil(rate);
        self.skip = (first * rate - at) as u64;
        self.first = first as u64;
        self.missing = self.rate_hz;
        self.sum = 0.0;
        self.previous = None;
        self.means.clear();
    }

    fn end_quarter(&mut self) {
        if let Some(previous) = self.previous {
            self.means.push((previous + self.sum) / (2 * self.rate_hz) as f32);
        }
        self.previous = Some(self.sum);
        self.sum = 0.0;
        self.missing = self.rate_hz;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(len: usize) -> Vec<f32> {
        (0..len).map(|n| n as f32).collect()
    }

    #[test]
    fn a_multiple_of_four_megahertz_gives_plain_means() {
        let mut halves = HalfMeans::new(8_000_000);
        halves.push(&ramp(8), 0);
        assert_eq!(halves.means(), [1.5, 3.5, 5.5]);
        assert_eq!(halves.sample_of(2), 4);
    }

    #[test]
    fn a_sample_on_a_border_is_shared_out() {
        let mut halves = HalfMeans::new(2_400_000);
        halves.push(&[0.0, 6.0, 0.0], 0);
        // Quarters are 0.6 samples long and halves 1.2: from 0.0, 0.6 and 1.2 on, they hold 0.2, 0.8 and 0.8
        // of the sample in the middle, which is 1.0 long.
        for (got, want) in halves.means().iter().zip([1.0, 4.0, 4.0]) {
            assert!((got - want).abs() < 1e-5, "{got} is not {want}");
        }
    }

    #[test]
    fn means_do_not_depend_on_where_the_input_is_cut_or_begins() {
        let samples = ramp(1000);
        let mut whole = HalfMeans::new(2_400_000);
        whole.push(&samples, 0);
        let mut cut = HalfMeans::new(2_400_000);
        for (n, sample) in samples.iter().enumerate() {
            cut.push(std::slice::from_ref(sample), n as u64);
        }
        assert_eq!(whole.means(), cut.means());

        let mut late = HalfMeans::new(2_400_000);
        late.push(&samples[101..], 101);
        let skipped = whole.means().len() - late.means().len();
        whole.drop_oldest(skipped);
        assert_eq!(whole.means(), late.means());
        assert_eq!(whole.sample_of(0), late.sample_of(0));
    }
}
