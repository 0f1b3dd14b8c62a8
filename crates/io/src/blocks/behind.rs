//! The memory that messages take which a block has sent and nobody has used yet.

use std::collections::VecDeque;

use superhet_runtime::MsgOut;

/// Counts the bytes of the messages that wait behind a block: their number is limited by the queues, and what strangers
/// send may be long.
#[derive(Debug, Default)]
pub struct Behind {
    /// The bytes of the last messages, those that may still be waiting.
    sent: VecDeque<usize>,
    bytes: usize,
}

impl Behind {
    /// Notes that a message was sent.
    pub fn add(&mut self, bytes: usize) {
        self.sent.push_back(bytes);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Whether the messages that wait behind `output` have `most` bytes or more.
    pub fn is_full(&mut self, output: &MsgOut, most: usize) -> bool {
        self.keep(output.waiting());
        self.bytes >= most
    }

    fn keep(&mut self, waiting: usize) {
        while self.sent.len() > waiting {
            self.bytes = self.bytes.saturating_sub(self.sent.pop_front().unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_messages_count() {
        let mut behind = Behind::default();
        [1, 20, 300, 4000].into_iter().for_each(|bytes| behind.add(bytes));
        for (waiting, bytes) in [(9, 4321), (3, 4320), (1, 4000), (0, 0)] {
            behind.keep(waiting);
            assert_eq!(behind.bytes, bytes);
        }
        assert!(!behind.is_full(&MsgOut::new(), 1), "nobody is behind it");
    }
}
