//! When samples came, to tell how many were missed while nobody listened.

use std::time::{Duration, Instant};

/// How long one look at the delay counts.
const WINDOW: Duration = Duration::from_secs(10);

/// Counts samples against the clock.
///
/// A radio takes sample `n` at `n / rate`, and it arrives some time later: the delay. That is least when nothing was in its
/// way. So the least delay of the last 10 to 20 seconds tells which sample comes now, whatever has come before it. The window
/// keeps what the radio's clock and this one differ by from adding up.
#[derive(Debug)]
pub(crate) struct Arrivals {
    rate_hz: f64,
    origin: Instant,
    /// How many samples the radio has taken since then, as far as it is known.
    taken: u64,
    /// The least delay of this window, and of the one before it, in seconds; they may be below 0.
    least: Option<f64>,
    before: Option<f64>,
    window: Instant,
}

impl Arrivals {
    /// None so far; the radio begins now.
    pub fn new(rate_hz: f64, now: Instant) -> Self {
        Arrivals { rate_hz, origin: now, taken: 0, least: None, before: None, window: now }
    }

    /// So many samples have come, up to now.
    pub fn came(&mut self, samples: u64, now: Instant) {
        self.taken = self.taken.saturating_add(samples);
        if now.saturating_duration_since(self.window) >= WINDOW {
            (self.before, self.least, self.window) = (self.least.take(), None, now);
        }
        let delay = self.seconds(now) - self.taken as f64 / self.rate_hz;
        self.least = Some(self.least.map_or(delay, |least| least.min(delay)));
    }

    /// So many samples are the first that have come since others were missed: how many were.
    pub fn missed_before(&mut self, samples: u64, now: Instant) -> u64 {
        let delay = [self.least, self.before].into_iter().flatten().fold(f64::INFINITY, f64::min);
        let delay = if delay.is_finite() { delay } else { 0.0 };
        let taken = ((self.seconds(now) - delay) * self.rate_hz).round().max(0.0) as u64;
        let missed = taken.saturating_sub(self.taken.saturating_add(samples));
        self.taken = self.taken.saturating_add(missed);
        self.came(samples, now);
        missed
    }

    fn seconds(&self, now: Instant) -> f64 {
        now.saturating_duration_since(self.origin).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A radio of 1000 samples a second.
    fn radio() -> (Arrivals, impl Fn(u64) -> Instant) {
        let start = Instant::now();
        (Arrivals::new(1000.0, start), move |milliseconds| start + Duration::from_millis(milliseconds))
    }

    #[test]
    fn what_the_radio_took_meanwhile_was_missed() {
        let (mut arrivals, at) = radio();
        arrivals.came(100, at(105));
        arrivals.came(100, at(208));
        // Sample 1000 was taken at 1 s and came 5 ms later.
        assert_eq!(arrivals.missed_before(50, at(1005)), 1000 - 50 - 200);
        arrivals.came(100, at(1105));
        assert_eq!(arrivals.missed_before(100, at(2205)), 2200 - 100 - 1100);
    }

    #[test]
    fn samples_that_came_late_do_not_count_twice() {
        let (mut arrivals, at) = radio();
        arrivals.came(100, at(105));
        // The last ones before the loss were half a second late: they were still on their way, or in a buffer.
        arrivals.came(100, at(700));
        assert_eq!(arrivals.missed_before(100, at(1005)), 1000 - 100 - 200);
    }

    #[test]
    fn a_connection_that_is_back_at_once_has_missed_nothing() {
        let (mut arrivals, at) = radio();
        arrivals.came(1000, at(1000));
        assert_eq!(arrivals.missed_before(100, at(1090)), 0);
        assert_eq!(arrivals.missed_before(1, at(1000)), 0);
    }

    #[test]
    fn clocks_that_differ_do_not_add_up() {
        // The radio gives 1 sample in 1000 too few; after an hour it is 3.6 s behind.
        let (mut arrivals, at) = radio();
        for second in 1..=3600 {
            arrivals.came(999, at(1000 * second));
        }
        let missed = arrivals.missed_before(100, at(3_600_100));
        assert!(missed <= 20, "{missed}");
    }
}
