//! How long strips should be, found by trying: short ones stay in the nearest cache, long ones need fewer calls.
//!
//! Which is faster depends on the machine and on the blocks. Blocks that work in place run through a level-2 cache nearly
//! as fast as through level 1, so that few calls win; blocks that write elsewhere lose half of their rate there.

use std::time::Duration;

/// Claims of each length in a trial, in turns.
const TRIAL: u32 = 8;
/// Claims until the first trial: caches and clocks are to be warm, and claims as long as they get.
const FIRST: u32 = 32;
/// Claims between two trials: some 60 ms, and with each trial twice as many, up to some seconds.
const BETWEEN: u32 = 2048;
const BETWEEN_LONGEST: u32 = 1 << 17;
/// A long strip must win by so much.
const WORTH_IT: f64 = 0.99;

/// Chooses between two lengths of strips.
pub(super) struct StripChoice {
    /// Short and long, in items.
    lengths: [usize; 2],
    chosen: usize,
    /// Claims until the next trial, while there is none.
    wait: u32,
    pause: u32,
    /// Claims of the trial so far.
    tried: u32,
    /// The least seconds per item in this trial.
    least: [f64; 2],
}

impl StripChoice {
    pub fn new(short: usize, long: usize) -> Self {
        let lengths = [short, long];
        StripChoice { lengths, chosen: 0, wait: FIRST, pause: BETWEEN, tried: 0, least: [f64::INFINITY; 2] }
    }

    /// The length for the next claim.
    #[inline]
    pub fn next(&self) -> usize {
        self.lengths[if self.wait > 0 { self.chosen } else { self.tried as usize % 2 }]
    }

    /// Whether the next claim is part of a trial: how long it takes says little of the others.
    #[inline]
    pub fn is_trying(&self) -> bool {
        self.wait == 0 && self.lengths[0] < self.lengths[1]
    }

    /// Notes how long a claim took that went through in strips of [`next`](Self::next) items.
    #[inline]
    pub fn note(&mut self, items: usize, took: Duration) {
        if self.wait > 0 {
            self.wait -= 1;
        } else if self.is_trying() {
            self.try_out(items, took.as_secs_f64() / items as f64);
        }
    }

    #[cold]
    fn try_out(&mut self, items: usize, seconds: f64) {
        let least = &mut self.least[self.tried as usize % 2];
        *least = least.min(seconds);
        self.tried += 1;
        let is_too_short = items < self.lengths[1];
        if self.tried == 2 * TRIAL || is_too_short {
            let [short, long] = self.least;
            self.chosen = usize::from(long < WORTH_IT * short && !is_too_short);
            self.wait = self.pause;
            self.pause = (2 * self.pause).min(BETWEEN_LONGEST);
            self.tried = 0;
            self.least = [f64::INFINITY; 2];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length in use after many claims, where a strip costs `call` seconds and an item `item(length)`.
    fn settled(call: f64, item: impl Fn(usize) -> f64) -> usize {
        let mut choice = StripChoice::new(1000, 8000);
        for _ in 0..1000 {
            let length = choice.next();
            let seconds = 16000.0 / length as f64 * call + 16000.0 * item(length);
            choice.note(16000, Duration::from_secs_f64(seconds));
        }
        choice.next()
    }

    #[test]
    fn long_strips_are_taken_where_they_are_faster() {
        assert_eq!(settled(1e-8, |_| 1e-10), 8000, "calls cost a tenth");
        assert_eq!(
            settled(1e-8, |length| if length > 1000 { 2e-10 } else { 1e-10 }),
            1000,
            "the cache counts more"
        );
        assert_eq!(settled(1e-12, |_| 1e-10), 1000, "no difference");
    }

    #[test]
    fn claims_too_short_for_a_long_strip_go_in_short_ones() {
        let mut choice = StripChoice::new(10, 1000);
        for _ in 0..1000 {
            choice.note(choice.next().min(500), Duration::from_micros(1));
        }
        assert_eq!(choice.next(), 10);
    }

    #[test]
    fn a_trial_ends_where_claims_become_too_short_for_it() {
        for whole_claims in 0..2 * TRIAL {
            let mut choice = StripChoice::new(10, 1000);
            (0..FIRST + whole_claims).for_each(|_| choice.note(1000, Duration::from_micros(1)));
            assert!(choice.is_trying());
            choice.note(500, Duration::from_micros(1));
            assert!(!choice.is_trying());
            assert_eq!(choice.next(), 10, "after {whole_claims} claims");
        }
    }
}
