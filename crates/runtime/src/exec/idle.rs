//! Finds the block that says `Ran` and has neither taken nor given anything: its worker calls it again at once, for ever.

use std::time::{Duration, Instant};

/// Nobody hears of fewer calls than these in a row, nor of those that take less time together.
const MANY: u64 = 1 << 15;
const LONG: Duration = Duration::from_secs(1);

/// What is known of one block.
#[derive(Debug, Default)]
pub(super) struct Idle {
    said_ran: u64,
    moved: u64,
    /// Since when nothing has moved, and how often it said by then that it ran.
    since: Option<(Instant, u64)>,
    has_warned: bool,
}

impl Idle {
    /// Looks at a block that has said so often that it ran, and has moved so much, both in all: in how many calls since the last
    /// look it has moved nothing. The first long row of them is a warning.
    pub fn look(&mut self, said_ran: u64, moved: u64, name: &str) -> u64 {
        let more = said_ran - std::mem::replace(&mut self.said_ran, said_ran);
        if std::mem::replace(&mut self.moved, moved) != moved {
            self.since = None;
            return 0;
        }
        if more > 0 && !self.has_warned {
            let (since, before) = *self.since.get_or_insert_with(|| (Instant::now(), said_ran - more));
            if said_ran - before >= MANY && since.elapsed() >= LONG {
                self.has_warned = true;
                let calls = said_ran - before;
                tracing::warn!(
                    "block {name} keeps a processor busy: {calls} times in a row it said that it ran, and has neither taken nor \
                     given anything (return NeedInput, NeedOutput or NeedMessage where there is nothing to do)"
                );
            }
        }
        more
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn calls_count_as_idle_where_nothing_has_moved() {
        let mut idle = Idle::default();
        assert_eq!([idle.look(10, 5, ""), idle.look(30, 5, ""), idle.look(30, 5, "")], [0, 20, 0]);
        assert_eq!([idle.look(31, 6, ""), idle.look(40, 6, "")], [0, 9]);
    }
}
