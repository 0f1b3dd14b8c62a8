//! Vector clocks: which operations of which stream are known to be over.

use std::time::Duration;

/// For each stream, the number of the last operation known to be over.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Clock(Vec<u64>);

impl Clock {
    /// Whether operation `sequence` of `stream` is known to be over.
    pub(super) fn knows(&self, stream: usize, sequence: u64) -> bool {
        self.0.get(stream).is_some_and(|&last| last >= sequence)
    }

    /// Takes note of operation `sequence` of `stream`.
    pub(super) fn set(&mut self, stream: usize, sequence: u64) {
        if self.0.len() <= stream {
            self.0.resize(stream + 1, 0);
        }
        self.0[stream] = self.0[stream].max(sequence);
    }

    fn join(&mut self, other: &Clock) {
        for (stream, &sequence) in other.0.iter().enumerate() {
            self.set(stream, sequence);
        }
    }
}

/// A point in a stream or in the host's doing: what is over by then, and the virtual time.
#[derive(Clone, Debug, Default)]
pub(super) struct Moment {
    pub(super) clock: Clock,
    pub(super) time: Duration,
}

impl Moment {
    /// Makes this moment one after `other`, too.
    pub(super) fn join(&mut self, other: &Moment) {
        self.clock.join(&other.clock);
        self.time = self.time.max(other.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_moment_knows_what_both_knew_and_is_the_later() {
        let mut left = Moment { time: Duration::from_secs(2), ..Moment::default() };
        left.clock.set(0, 3);
        let mut right = Moment { time: Duration::from_secs(1), ..Moment::default() };
        right.clock.set(0, 2);
        right.clock.set(2, 5);
        left.join(&right);
        assert_eq!(left.clock, Clock(vec![3, 0, 5]));
        assert_eq!(left.time, Duration::from_secs(2));
        assert!(left.clock.knows(2, 5) && !left.clock.knows(2, 6) && !left.clock.knows(7, 1));
    }
}
