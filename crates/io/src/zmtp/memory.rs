//! How much memory a socket takes for its peers, whoever they are and whatever they do.
//!
//! One number, [`Memory`], is divided so that all parts together are never more:
//!
//! | of what comes in | share |
//! |---|---|
//! | messages of all peers that are not whole yet | 3/8 |
//! | the longest message | 1/8 |
//! | messages that wait for the block | 1/8 |
//! | values that the block makes of a message | 2/8 |
//! | values that wait for the blocks behind it | 1/8 |
//!
//! | of what goes out | share |
//! |---|---|
//! | messages that no peer has got yet | 1/4 |
//! | messages that wait for one subscriber of PUB | 1/4 |
//! | messages that wait for the peers of PUSH | 1/2 |
//! | all of them | 1 |
//!
//! A socket sends or receives. Peers beyond these shares are parted with: of those that hold more than others, the one
//! that has done nothing for longest. A message of the block's own that is longer than a share is sent alone.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The memory of a socket, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory(usize);

impl Default for Memory {
    fn default() -> Self {
        Memory(Memory::DEFAULT)
    }
}

impl Memory {
    /// What a socket has where nothing else is said: 64 MiB.
    pub const DEFAULT: usize = 1 << 26;
    /// The least, in which the messages of a stream fit: 8 MiB.
    pub const LEAST: usize = 1 << 23;

    /// So many bytes, at least [`Memory::LEAST`].
    pub fn new(bytes: usize) -> Self {
        Memory(bytes.max(Memory::LEAST))
    }

    fn eighths(self, count: usize) -> usize {
        (self.0 / 8).saturating_mul(count)
    }

    pub fn unfinished(self) -> usize {
        self.eighths(3)
    }

    pub fn longest(self) -> usize {
        self.eighths(1)
    }

    pub fn received(self) -> usize {
        self.eighths(1)
    }

    pub fn decoded(self) -> usize {
        self.eighths(2)
    }

    pub fn decoded_waiting(self) -> usize {
        self.eighths(1)
    }

    pub fn unsent(self) -> usize {
        self.eighths(2)
    }

    pub fn for_subscriber(self) -> usize {
        self.eighths(2)
    }

    pub fn queued(self) -> usize {
        self.eighths(4)
    }

    pub fn all(self) -> usize {
        self.0
    }
}

/// A message that goes out, perhaps to several peers. It counts from when it is made until nobody has it any more.
#[derive(Debug)]
pub(super) struct Outbound {
    bytes: Vec<u8>,
    total: Arc<AtomicUsize>,
}

impl Outbound {
    /// A message that counts in `total`.
    pub fn new(bytes: Vec<u8>, total: &Arc<AtomicUsize>) -> Arc<Self> {
        total.fetch_add(bytes.len(), Ordering::Relaxed);
        Arc::new(Outbound { bytes, total: total.clone() })
    }
}

impl Deref for Outbound {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Outbound {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_what_comes_in_are_no_more_than_all() {
        for bytes in [0, Memory::LEAST, Memory::DEFAULT, usize::MAX] {
            let memory = Memory::new(bytes);
            let shares = [Memory::unfinished, Memory::longest, Memory::received, Memory::decoded];
            let sum: usize = shares.iter().map(|share| share(memory)).sum();
            assert!(sum + memory.decoded_waiting() <= memory.all());
        }
    }

    #[test]
    fn a_message_counts_until_the_last_has_dropped_it() {
        let total = Arc::default();
        let message = Outbound::new(vec![0; 100], &total);
        let other = message.clone();
        drop(message);
        assert_eq!(total.load(Ordering::Relaxed), other.len());
        drop(other);
        assert_eq!(total.load(Ordering::Relaxed), 0);
    }
}
