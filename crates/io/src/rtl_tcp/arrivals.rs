//! When samples came, to tell how many were missed while nobody listened.

use std::time::{Duration, Instant};

/// How long one look at the delay counts.
const WINDOW: Duration = Duration::from_secs(10);
/// How long what comes behind a loss is compared with what came before it. Clocks that differ by 100 ppm differ by 0.2 ms then.
const DOUBT: Duration = Duration::from_secs(2);

/// Counts samples against the clock.
///
/// A radio takes sample `n` at `n / rate`, and it arrives some time later: the delay. That is least when nothing was in its
/// way. So the least delay of the last 10 to 20 seconds tells which sample comes now, whatever has come before it. The window
/// keeps what the radio's clock and this one differ by from adding up.
///
/// The first samples behind a loss may have been held up, and then more seem to be missing than are. There are two remedies:
///
/// 1. Who can wait asks [`lost`](Self::lost) first and [`missed`](Self::missed) a while later. The least delay of that while counts.
/// 2. Where samples of the next 2 s come before they could, too many were counted. The next loss is shorter by as many, so that
///    errors do not add up.
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
    loss: Loss,
    /// How many samples were counted as missed that were not.
    too_many: u64,
}

/// What is known of the last loss.
#[derive(Debug)]
enum Loss {
    None,
    /// Its length is open. The least delay of the samples behind it, as if there had been no loss.
    Open {
        least: f64,
    },
    /// Samples with a delay that is less are proof that too many were counted, up to then.
    Doubted {
        least: f64,
        until: Instant,
    },
}

impl Arrivals {
    /// None so far; the radio begins now.
    pub fn new(rate_hz: f64, now: Instant) -> Self {
        Arrivals {
            rate_hz,
            origin: now,
            taken: 0,
            least: None,
            before: None,
            window: now,
            loss: Loss::None,
            too_many: 0,
        }
    }

    /// So many samples have come, up to now.
    pub fn came(&mut self, samples: u64, now: Instant) {
        self.taken = self.taken.saturating_add(samples);
        let delay = self.seconds(now) - self.taken as f64 / self.rate_hz;
        match &mut self.loss {
            Loss::Open { least } => return *least = least.min(delay),
            Loss::Doubted { least, until } if now < *until => {
                if delay < *least {
                    self.too_many += ((*least - delay) * self.rate_hz).round() as u64;
                    *least = delay;
                }
            }
            _ => self.loss = Loss::None,
        }
        self.note(delay, now);
    }

    /// So many samples are the first that have come since others were missed.
    pub fn lost(&mut self, samples: u64, now: Instant) {
        if matches!(self.loss, Loss::Open { .. }) {
            self.missed(now);
        }
        self.loss = Loss::Open { least: f64::INFINITY };
        self.came(samples, now);
    }

    /// How many samples were missed in the loss whose length is open, by all that has come since; 0 where there is none.
    pub fn missed(&mut self, now: Instant) -> u64 {
        let Loss::Open { least: behind } = self.loss else { return 0 };
        let before = self.least_delay().unwrap_or(0.0);
        let counted = ((behind - before) * self.rate_hz).round().max(0.0) as u64;
        // A loss stays one, however short.
        let corrected = self.too_many.min(counted.saturating_sub(1));
        self.too_many -= corrected;
        // Delays were measured with those in the count.
        for least in [&mut self.least, &mut self.before].into_iter().flatten() {
            *least += corrected as f64 / self.rate_hz;
        }
        let missed = counted - corrected;
        self.taken = self.taken.saturating_add(missed);
        let least = behind - missed as f64 / self.rate_hz;
        self.note(least, now);
        self.loss = Loss::Doubted { least, until: now + DOUBT };
        missed
    }

    /// So many samples are the first that have come since others were missed: how many were.
    pub fn missed_before(&mut self, samples: u64, now: Instant) -> u64 {
        self.lost(samples, now);
        self.missed(now)
    }

    fn least_delay(&self) -> Option<f64> {
        [self.least, self.before].into_iter().flatten().reduce(f64::min)
    }

    fn note(&mut self, delay: f64, now: Instant) {
        if now.saturating_duration_since(self.window) >= WINDOW {
            (self.before, self.least, self.window) = (self.least.take(), None, now);
        }
        self.least = Some(self.least.map_or(delay, |least| least.min(delay)));
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
    fn the_least_delay_of_a_while_counts_behind_a_loss() {
        let (mut arrivals, at) = radio();
        arrivals.came(100, at(105));
        // Sample 1000 was held up by 70 ms, sample 1100 by 40, sample 1200 not at all.
        arrivals.lost(50, at(1075));
        arrivals.came(100, at(1145));
        arrivals.came(100, at(1205));
        assert_eq!(arrivals.missed(at(1205)), 1000 - 50 - 100);
        assert_eq!(arrivals.missed(at(1205)), 0, "it is told once");
    }

    #[test]
    fn what_was_counted_too_much_is_taken_off_the_next_loss() {
        let (mut arrivals, at) = radio();
        arrivals.came(100, at(105));
        // Sample 1000 was held up by 95 ms, and nobody waited for more.
        assert_eq!(arrivals.missed_before(50, at(1100)), 1000 - 50 - 100 + 95);
        arrivals.came(500, at(1505));
        assert_eq!(arrivals.missed_before(100, at(3005)), 3000 - 100 - 1500 - 95);
        // In sum it is right, and stays so.
        arrivals.came(1000, at(4005));
        assert_eq!(arrivals.missed_before(100, at(5005)), 5000 - 100 - 4000);
    }

    #[test]
    fn errors_do_not_add_up_over_a_hundred_losses() {
        let (mut arrivals, at) = radio();
        let (mut truth, mut counted, mut now) = (0, 0, 1000);
        arrivals.came(1000, at(now + 5));
        for n in 0..100 {
            let (missed, late) = (200 + 37 * (n % 7), 11 * (n % 13));
            now += missed + 50;
            counted += arrivals.missed_before(50, at(now + 5 + late));
            truth += missed;
            // Those that come next may be late, too; some within a second are not.
            for piece in 0..20 {
                now += 50;
                let late = if piece % 5 == 4 { 0 } else { 17 };
                arrivals.came(50, at(now + 5 + late));
            }
            assert!(counted.abs_diff(truth) <= late, "{counted} of {truth} after {n}");
        }
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
