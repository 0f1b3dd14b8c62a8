//! Whether others take a worker's processor away, and how long the worker stands aside then.
//!
//! A worker that the system has stopped keeps what it has: a claim whose turn the others wait for, or a lane. Two workers with one
//! busy program beside them were slower than one worker alone: 0.65 to 0.8 of it, where blocks have a state. So a worker that has
//! its processor for little more than half of the time stands aside for a while, where others of its region go on, and comes back to
//! try again. One that is stopped now and then stays: two workers do more than one then.
//!
//! Where there are more workers than processors, they take them from each other. Those that lose a tenth of the time stand aside until
//! there is a worker for each processor, and stay there while that is so: four workers on two processors did less than two do.

use std::time::{Duration, Instant};

/// How often the worker looks.
const EVERY: Duration = Duration::from_millis(1);
/// A worker stands aside that has lost so much, and one part in so many of the time.
const LOST: Duration = Duration::from_millis(2);
const PART: f64 = 0.4;
/// The same where there are more workers than processors.
const PART_OF_SURPLUS: f64 = 0.1;
/// Over so long.
const WINDOW: Duration = Duration::from_millis(50);
/// How long it stands aside at first; each time that it is stopped soon after it has come back, for twice as long.
const LEAST: Duration = Duration::from_millis(20);
const MOST: Duration = Duration::from_millis(160);

/// What a worker knows of its processor.
pub(super) struct Preempted {
    /// When it looked last, and how long it had run until then.
    looked: Instant,
    ran: Duration,
    /// How much time has passed, and how much of it was lost, until then: of the last [`WINDOW`].
    passed: Duration,
    lost: Duration,
    /// How often it is asked before it looks again.
    left: u32,
    /// How long it stood aside last, and until when.
    aside: Duration,
    back: Option<Instant>,
}

impl Preempted {
    /// For the thread that calls this.
    pub fn new() -> Self {
        Preempted {
            looked: Instant::now(),
            ran: time_run(),
            passed: Duration::ZERO,
            lost: Duration::ZERO,
            left: 0,
            aside: LEAST,
            back: None,
        }
    }

    /// How long to stand aside now, if at all. Asked where something has moved, all the time in a row, whose units take a few
    /// microseconds. `is_surplus` where there are more workers than processors.
    #[inline]
    pub fn look(&mut self, is_row: bool, is_surplus: bool) -> Option<Duration> {
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        self.left = if is_row { 64 } else { 0 };
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.looked);
        if passed < EVERY {
            return None;
        }
        let ran = time_run();
        let lost = passed.saturating_sub(ran.saturating_sub(self.ran));
        (self.looked, self.ran) = (now, ran);
        self.judge(now, passed, lost, if is_surplus { PART_OF_SURPLUS } else { PART })
    }

    /// The worker has slept, or comes back: nothing of that was taken from it.
    pub fn restart(&mut self) {
        (self.looked, self.ran) = (Instant::now(), time_run());
    }

    /// As `look`, where so much time has passed, so much of it was lost, and so large a part may be lost.
    fn judge(&mut self, now: Instant, passed: Duration, lost: Duration, part: f64) -> Option<Duration> {
        (self.passed, self.lost) = (self.passed + passed, self.lost + lost);
        if self.lost < LOST || self.lost < self.passed.mul_f64(part) {
            if self.passed > WINDOW {
                (self.passed, self.lost) = (self.passed / 2, self.lost / 2);
            }
            return None;
        }
        (self.passed, self.lost) = (Duration::ZERO, Duration::ZERO);
        let is_soon = self.back.is_some_and(|back| now < back + 2 * self.aside);
        self.aside = if is_soon { (2 * self.aside).min(MOST) } else { LEAST };
        self.back = Some(now + self.aside);
        Some(self.aside)
    }
}

/// How long the calling thread has run on a processor. Where the system does not say, all the time.
fn time_run() -> Duration {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
        START.elapsed()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_worker_stands_aside_for_longer_where_it_is_stopped_again_and_again() {
        let (mut preempted, mut now) = (Preempted::new(), Instant::now());
        for aside in [20, 40, 80, 160, 160].map(ms) {
            assert_eq!(preempted.judge(now, ms(3), ms(0), PART), None, "it runs for three milliseconds");
            assert_eq!(preempted.judge(now, ms(4), ms(3), PART), Some(aside), "and stops for three");
            now += aside + ms(7);
        }
        now += Duration::from_secs(1);
        assert_eq!(preempted.judge(now, ms(4), ms(3), PART), Some(LEAST));
    }

    #[test]
    fn a_worker_that_is_stopped_now_and_then_stays() {
        let (mut preempted, now) = (Preempted::new(), Instant::now());
        for _ in 0..1000 {
            assert_eq!(preempted.judge(now, ms(17), ms(0), PART), None);
            assert_eq!(preempted.judge(now, ms(4), ms(3), PART), None);
        }
    }

    #[test]
    fn where_there_are_too_many_workers_one_that_is_stopped_now_and_then_goes() {
        let (mut preempted, now) = (Preempted::new(), Instant::now());
        assert_eq!(preempted.judge(now, ms(7), ms(0), PART_OF_SURPLUS), None);
        assert_eq!(preempted.judge(now, ms(4), ms(3), PART_OF_SURPLUS), Some(LEAST));
    }

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn what_a_thread_sleeps_it_does_not_run() {
        let mut preempted = Preempted::new();
        std::thread::sleep(Duration::from_millis(5));
        assert!(preempted.look(false, false).is_some());
        std::thread::sleep(Duration::from_millis(5));
        preempted.restart();
        assert_eq!(preempted.look(false, false), None);
    }
}
