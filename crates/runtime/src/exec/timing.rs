//! Splits the time that a lane takes among its blocks.
//!
//! Timing each block costs as much as the work of a cheap one, so only some sweeps are timed block by block. The time of
//! all sweeps together is exact; what the others took is split like this:
//!
//! 1. A sweep takes what is *usual*: the mean of those timed.
//! 2. What the sweeps took *beyond* that went to rare, long calls (a large transform) or to an interrupted thread. It is
//!    split like the timed sweeps that were far longer than usual.
//!
//! If a timed sweep only stood for those between, an interruption of a millisecond in one would count a few hundred times:
//! the sum over the blocks was then 0.6 to 1.9 times the time that had passed, on a machine with other work.

/// Which sweeps are timed block by block, and what the others took.
pub(super) struct SweepTimer {
    /// Sweeps until the next one that is timed.
    left: u32,
    /// One sweep in so many is timed.
    one_in: u32,
    /// State of the generator that varies the distances: a block may do more in every second sweep.
    random: u32,
    blocks: Vec<Times>,
    timed: u32,
    long_in_a_row: u32,
}

/// Nanoseconds of one block.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// In the sweep that is being timed.
    now: f64,
    /// In a usual sweep.
    usual: f64,
    /// In the timed sweeps that were far longer, beyond the usual.
    beyond: f64,
}

/// A sweep this long can afford the few dozen nanoseconds that timing costs per block.
const LONG_NS: f64 = 50_000.0;
/// One sweep in so many is timed at least.
const RAREST: u32 = 256;
/// A sweep of which so many fit into [`LONG_NS`] is short.
const SHORT: u32 = 32;
/// A sweep so many times as long as usual is none of them...
const FAR: f64 = 16.0;
/// ...unless so many come in a row.
const NEW_USUAL: u32 = 8;
/// Over how many timed sweeps the mean goes.
const MEMORY: u32 = 32;

impl SweepTimer {
    pub fn new(blocks: usize) -> Self {
        SweepTimer {
            left: 0,
            one_in: 1,
            random: 0x2545_f491,
            blocks: vec![Times::default(); blocks],
            timed: 0,
            long_in_a_row: 0,
        }
    }

    /// Whether the sweep that comes is to be timed.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// Whether a sweep takes a few microseconds at most.
    #[inline]
    pub fn is_short(&self) -> bool {
        self.one_in >= SHORT
    }

    /// A sweep begins that is being timed: blocks that it leaves out take no time.
    pub fn begin(&mut self) {
        self.blocks.iter_mut().for_each(|block| block.now = 0.0);
    }

    /// Notes what a block has taken in the sweep that is being timed.
    pub fn lap(&mut self, block: usize, nanoseconds: f64) {
        self.blocks[block].now = nanoseconds;
    }

    /// Takes note of a timed sweep in which something moved: nanoseconds for each block.
    pub fn timed(&mut self) -> impl Iterator<Item = f64> {
        let total = self.sum(|block| block.now);
        let is_long = self.timed > 0 && total > FAR * self.sum(|block| block.usual) && total > LONG_NS;
        self.long_in_a_row = if is_long { self.long_in_a_row + 1 } else { 0 };
        if is_long && self.long_in_a_row < NEW_USUAL {
            self.blocks.iter_mut().for_each(|block| block.beyond += (block.now - block.usual).max(0.0));
        } else {
            self.timed = if is_long { 1 } else { (self.timed + 1).min(MEMORY) };
            let weight = 1.0 / f64::from(self.timed);
            self.blocks.iter_mut().for_each(|block| block.usual += (block.now - block.usual) * weight);
        }
        let fits = LONG_NS / total.max(1.0);
        self.one_in = (fits as u32).clamp(1, RAREST);
        self.skip();
        self.blocks.iter().map(|block| block.now)
    }

    /// Goes on to the next sweep to be timed, at a distance that varies.
    pub fn skip(&mut self) {
        // Xorshift (Marsaglia, "Xorshift RNGs", 2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.left = self.one_in / 2 + self.random % self.one_in;
    }

    /// Splits the time of sweeps that were not timed: nanoseconds for each block.
    pub fn split(&self, nanoseconds: f64, sweeps: u32) -> impl Iterator<Item = f64> {
        let (usual, beyond) = (self.sum(|block| block.usual), self.sum(|block| block.beyond));
        let expected = usual * f64::from(sweeps);
        let (of_usual, of_beyond) = match () {
            _ if usual <= 0.0 => (0.0, 0.0),
            // A little more than usual is nothing beyond it.
            _ if nanoseconds < 2.0 * expected || beyond <= 0.0 => (nanoseconds / usual, 0.0),
            _ => (f64::from(sweeps), (nanoseconds - expected) / beyond),
        };
        let unknown = if usual > 0.0 { 0.0 } else { nanoseconds / self.blocks.len() as f64 };
        let part = move |block: &Times| block.usual * of_usual + block.beyond * of_beyond + unknown;
        self.blocks.iter().map(part)
    }

    fn sum(&self, of: impl Fn(&Times) -> f64) -> f64 {
        self.blocks.iter().map(of).sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn sweep(timer: &mut SweepTimer, nanoseconds: &[f64]) {
        nanoseconds.iter().enumerate().for_each(|(block, ns)| timer.lap(block, *ns));
        assert_eq!(timer.timed().collect::<Vec<_>>(), nanoseconds);
    }

    fn split(timer: &SweepTimer, nanoseconds: f64, sweeps: u32) -> Vec<f64> {
        timer.split(nanoseconds, sweeps).map(f64::round).collect()
    }

    #[test]
    fn the_parts_add_up_to_the_whole() {
        let mut timer = SweepTimer::new(3);
        assert_eq!(split(&timer, 900.0, 7), [300.0; 3]);
        sweep(&mut timer, &[100.0, 200.0, 300.0]);
        assert_eq!(split(&timer, 6000.0, 10), [1000.0, 2000.0, 3000.0]);
        assert_eq!(split(&timer, 3000.0, 10), [500.0, 1000.0, 1500.0]);
        sweep(&mut timer, &[100.0, 1_000_200.0, 300.0]);
        for nanoseconds in [1000.0, 7000.0, 1e6, 1e9] {
            let sum: f64 = timer.split(nanoseconds, 10).sum();
            assert!((sum / nanoseconds - 1.0).abs() < 1e-9, "{nanoseconds}: {sum}");
        }
    }

    #[test]
    fn an_interruption_does_not_change_what_is_usual() {
        let mut timer = SweepTimer::new(2);
        for _ in 0..100 {
            sweep(&mut timer, &[100.0, 300.0]);
        }
        sweep(&mut timer, &[3e6, 300.0]);
        assert_eq!(split(&timer, 4000.0, 10), [1000.0, 3000.0]);
        // Once the work has changed for good, it counts.
        for _ in 0..100 {
            sweep(&mut timer, &[3e6, 1e6]);
        }
        assert_eq!(split(&timer, 4e7, 10), [3e7, 1e7]);
    }

    #[test]
    fn rare_long_calls_are_charged_to_their_block() {
        let mut timer = SweepTimer::new(2);
        for _ in 0..100 {
            sweep(&mut timer, &[100.0, 100.0]);
        }
        sweep(&mut timer, &[100.0, 2e6]);
        // A thousand sweeps with one such call among them.
        let parts = split(&timer, 1000.0 * 200.0 + 2e6, 1000);
        assert!(parts[0] < 101_000.0 && parts[1] > 2e6, "{parts:?}");
    }

    #[test]
    fn short_sweeps_are_timed_now_and_then_and_long_ones_always() {
        let count = |nanoseconds: f64| {
            let mut timer = SweepTimer::new(1);
            let mut timed = 0;
            for _ in 0..100_000 {
                if timer.is_due() {
                    timed += 1;
                    sweep(&mut timer, &[nanoseconds]);
                }
            }
            timed
        };
        assert!((300..600).contains(&count(100.0)), "{}", count(100.0));
        assert_eq!(count(1e6), 100_000);
    }
}
