//! What a port asks of the runtime.

use super::twins::{MakeTwins, Twins};
use crate::data::{Item, ItemType};

/// No port gets more than this at once: 1 TiB.
const MOST_BYTES: usize = 1 << 40;

/// What a port asks of the runtime. Every number is a hard contract: a block never sees a span that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    /// The type of the items.
    pub item: ItemType,
    /// The smallest span, in items. An input that has ended with fewer items left ends its block, except where
    /// this is 0: then the block runs without items on this port, too.
    pub min: usize,
    /// The largest span, in items.
    pub max: usize,
    /// Every span is a multiple of this many items.
    pub multiple: usize,
    /// Spans start and end on multiples of this many items where that is possible. A wish, not a contract.
    pub align: usize,
    /// The preferred span in items; the buffer holds twice as many. With 0 the plan chooses spans that suit the cache. A
    /// wish, not a contract.
    pub batch: usize,
    /// Inputs: items before the span that the block still sees.
    pub history: usize,
    /// Outputs: zero items that the stream begins with. A loop needs a block that gives some.
    pub preload: usize,
    /// The port may stay unconnected.
    pub optional: bool,
    /// Outputs: how many items the whole stream will have, where the block knows: for progress bars.
    pub expected_items: Option<u64>,
    twins: MakeTwins,
}

impl PortSpec {
    pub(super) fn new<T: Item>(twins: MakeTwins) -> Self {
        PortSpec {
            item: ItemType::of::<T>(),
            min: 1,
            max: usize::MAX,
            multiple: 1,
            align: 1,
            batch: 0,
            history: 0,
            preload: 0,
            optional: false,
            expected_items: None,
            twins,
        }
    }

    /// A new input and a new output of such items.
    pub(crate) fn twins(&self) -> Box<dyn Twins> {
        self.twins.make()
    }

    /// The fewest items that satisfy both `min` and `multiple`.
    pub fn needed(&self) -> usize {
        self.min.next_multiple_of(self.multiple)
    }

    /// More items than are ever asked for at once, contracts put together.
    fn most_at_once(&self) -> usize {
        self.min.saturating_add(self.multiple).max(self.history).max(self.preload).max(self.batch)
    }

    /// What is contradictory in this specification.
    pub fn problem(&self) -> Option<String> {
        match self {
            s if s.multiple == 0 => Some("multiples of 0 items".into()),
            s if s.align == 0 => Some("an alignment of 0 items".into()),
            s if s.most_at_once().saturating_mul(s.item.size()) > MOST_BYTES => {
                Some(format!("{} items at once, more than memory can hold", s.most_at_once()))
            }
            s if s.needed() > s.max => Some(format!(
                "at least {} items in multiples of {}, but at most {}",
                s.min, s.multiple, s.max
            )),
            _ => None,
        }
    }

    /// Cuts a span of `n` items, `offset` items behind an aligned one, down to what the specification allows.
    #[inline(always)]
    pub(super) fn cut(&self, n: usize, limit: usize, offset: impl Fn() -> usize) -> usize {
        let mut n = n.min(limit);
        // Neither is 0: one comparison for both.
        if self.align | self.multiple > 1 {
            n = self.cut_whole(n, offset());
        }
        if n < self.min { 0 } else { n }
    }

    /// The part of `cut` that few ports need.
    #[inline(never)]
    fn cut_whole(&self, mut n: usize, offset: usize) -> usize {
        if self.align > 1 {
            // A wish: it never makes a span too short for the contract.
            let aligned = align_span(n, offset % self.align, self.align);
            n = if aligned < self.needed() { n } else { aligned };
        }
        n - n % self.multiple
    }

    /// The longest span for a port that the plan allows strips of `strip` items.
    pub(crate) fn limit(&self, strip: usize) -> usize {
        strip.max(self.batch).min(self.max).max(self.needed()).max(1)
    }
}

/// The largest span of at most `n` items that keeps the alignment.
///
/// One that starts aligned (`misaligned = 0`) is a whole number of alignments; one that does not ends on an aligned
/// item. A span too short for either is passed as it is: nothing is ever withheld.
pub fn align_span(n: usize, misaligned: usize, align: usize) -> usize {
    let over = (misaligned + n) % align;
    if n > over { n - over } else { n }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::stream::port::In;

    #[test]
    fn an_aligned_span_is_whole_and_an_unaligned_one_ends_aligned() {
        assert_eq!(align_span(37, 0, 16), 32);
        assert_eq!(align_span(37, 5, 16), 27);
        assert_eq!(align_span(7, 0, 16), 7);
        assert_eq!(align_span(3, 5, 16), 3);
    }

    #[test]
    fn a_contradictory_port_says_what_it_asks_for() {
        let port = In::<f32>::new().min(100).multiple(64).max(120);
        assert_eq!(port.spec().problem().unwrap(), "at least 100 items in multiples of 64, but at most 120");
    }
}
