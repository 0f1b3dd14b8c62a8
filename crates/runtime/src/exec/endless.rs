//! Finds the block that keeps a stopped graph from its end: one that gives items for ever and takes none of those that
//! wait for it.
//!
//! A stopped graph drains: its sources have ended, and every other block works off what lies before it. A block may well
//! give much for what it took last, for a long time if whoever reads it is slow, and one whose inputs have ended may have
//! a store to give. What never comes to an end is told from that by time and by amount:
//!
//! | it has, since it took anything | and so in all |
//! |---|---|
//! | items waiting before it, at every look | otherwise it is no matter of taking |
//! | given something, at [`LEAST_LOOKS`] looks | 5 s of giving, not of waiting for room |
//! | given [`MANY_ITEMS`], or something at [`MANY_LOOKS`] looks | more than buffers hold, or a minute of it |

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::metrics::Counters;

/// How often the blocks of a stopped graph are looked at.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
const LEAST_LOOKS: u32 = 5;
const MANY_LOOKS: u32 = 60;
const MANY_ITEMS: u64 = 1 << 24;

/// What a block had done at some moment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Done {
    taken: u64,
    given: u64,
    /// Whether there are items that it could take.
    has_input: bool,
}

impl Done {
    fn of(counters: &Counters) -> Self {
        let inputs = &counters.inputs;
        Done {
            taken: inputs.iter().map(|input| input.items.load(Relaxed)).fold(0, u64::wrapping_add),
            given: counters
                .outputs
                .iter()
                .map(|output| output.items.load(Relaxed))
                .fold(0, u64::wrapping_add),
            has_input: inputs.iter().any(|input| input.fill.load(Relaxed) > 0),
        }
    }
}

/// What is remembered of a block since it took something.
#[derive(Clone, Copy, Debug)]
struct Since {
    taken: u64,
    /// At first, and at the last look.
    given: [u64; 2],
    /// How many looks have found that it gave something.
    looks: u32,
}

/// Watches a graph that was asked to stop.
#[derive(Debug, Default)]
pub(super) struct Endless {
    last_look: Option<Instant>,
    blocks: Vec<Since>,
}

impl Endless {
    /// Looks at the blocks, if it is time; the block that only gives, and how many items it has given.
    pub fn look(&mut self, now: Instant, counters: &[Arc<Counters>]) -> Option<(usize, u64)> {
        if self.last_look.is_some_and(|last| now.saturating_duration_since(last) < BETWEEN_LOOKS) {
            return None;
        }
        self.last_look = Some(now);
        self.compare(counters.iter().map(|counters| Done::of(counters)))
    }

    fn compare(&mut self, blocks: impl ExactSizeIterator<Item = Done>) -> Option<(usize, u64)> {
        // A graph that was changed is looked at anew.
        if self.blocks.len() != blocks.len() {
            self.blocks = blocks.map(Since::beginning).collect();
            return None;
        }
        let mut found = None;
        for (block, (since, done)) in self.blocks.iter_mut().zip(blocks).enumerate() {
            if !done.has_input || done.taken != since.taken {
                *since = Since::beginning(done);
                continue;
            }
            since.looks += u32::from(done.given != since.given[1]);
            since.given[1] = done.given;
            let given = done.given.saturating_sub(since.given[0]);
            let is_much = given >= MANY_ITEMS || since.looks >= MANY_LOOKS;
            if since.looks >= LEAST_LOOKS && is_much {
                found = found.or(Some((block, given)));
            }
        }
        found
    }
}

impl Since {
    fn beginning(done: Done) -> Self {
        Since { taken: done.taken, given: [done.given; 2], looks: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many looks a block is found that gives so many items a look and takes a tenth of that at every `takes`th.
    fn looks(given_a_look: u64, takes: u64, has_input: bool) -> Option<u64> {
        let mut endless = Endless::default();
        (0..1000).find(|look| {
            let taken = look / takes * given_a_look / 10;
            let done = Done { taken, given: look * given_a_look, has_input };
            endless.compare([Done { taken: *look, given: 0, has_input }, done].into_iter()).is_some()
        })
    }

    #[test]
    fn a_block_that_only_gives_is_found_after_seconds_if_it_is_fast_and_a_minute_if_it_is_slow() {
        assert_eq!(looks(100_000_000, 1000, true), Some(5));
        assert_eq!(looks(4_000_000, 1000, true), Some(5));
        assert_eq!(looks(1_000_000, 1000, true), Some(17));
        assert_eq!(looks(48_000, 1000, true), Some(60));
    }

    #[test]
    fn a_block_that_drains_what_it_has_is_left_alone() {
        // It takes now and then, has nothing to take, or waits for room.
        assert_eq!(looks(100_000_000, 4, true), None);
        assert_eq!(looks(48_000, 59, true), None);
        assert_eq!(looks(100_000_000, 1000, false), None);
        assert_eq!(looks(0, 1000, true), None);
    }
}
