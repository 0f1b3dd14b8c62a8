//! What must come out of a graph that was changed while it ran.
//!
//! All positions are counted in items of a place's own input. A place is where a block was put; from its first block on there is
//! one until the last is removed, and before and after that items pass it.

use std::time::Duration;

use superhet_runtime::{error::MessageError, parameter::Receipt};

use super::common::gates;
use super::draw::{Kind, Level};

/// A change of a parameter.
#[derive(Clone, Debug)]
pub struct Change {
    pub parameter: &'static str,
    pub value: u32,
    /// In which order it was asked for.
    pub number: u64,
    /// From which item on, `None` for at once.
    pub at: Option<u64>,
    /// What could have been taken at most when it was asked for.
    pub reach: u64,
    /// None for a message.
    pub receipt: Option<Receipt>,
}

/// A block, until another comes to its place.
#[derive(Debug)]
pub struct Stay {
    pub kind: Kind,
    /// The first item that it takes.
    pub begin: u64,
    /// What the graph counts as item 0 of its input: a stream between two blocks that come at once begins with them.
    pub base: u64,
    pub changes: Vec<Change>,
}

impl Stay {
    /// The first item from `at` on that the block can begin a call with.
    fn align(&self, at: u64) -> u64 {
        let step = self.kind.hash.down as u64;
        if at <= self.begin { self.begin } else { self.begin + (at - self.begin).next_multiple_of(step) }
    }

    /// What it gives for so many items.
    fn given(&self, items: u64) -> u64 {
        items / self.kind.hash.down as u64 * self.kind.hash.up as u64
    }
}

#[derive(Debug)]
pub struct Place {
    pub name: String,
    pub stays: Vec<Stay>,
    /// The first item that the last block did not take, since it was removed.
    pub removed: Option<u64>,
}

impl Place {
    /// A block that begins with item `begin`, as the graph counts from `base` on.
    pub fn new(name: String, kind: Kind, base: u64, begin: u64) -> Self {
        let begin = base + begin;
        Place { name, stays: vec![Stay { kind, begin, base, changes: Vec::new() }], removed: None }
    }

    pub fn is_live(&self) -> bool {
        self.removed.is_none()
    }

    pub fn last(&self) -> &Stay {
        &self.stays[self.stays.len() - 1]
    }

    pub fn last_mut(&mut self) -> &mut Stay {
        self.stays.last_mut().expect("a place has a block")
    }

    /// Of `items` items of the input, the range that each block had.
    fn ranges(&self, items: u64) -> impl Iterator<Item = (&Stay, u64, u64)> {
        let end_of = move |place: usize| {
            let next = self.stays.get(place + 1).map(|stay| stay.begin);
            next.or(self.removed).unwrap_or(u64::MAX).min(items)
        };
        self.stays
            .iter()
            .enumerate()
            .map(move |(place, stay)| (stay, stay.begin.min(items), end_of(place).max(stay.begin.min(items))))
    }

    /// How many items it gives for so many, at most.
    pub fn given(&self, items: u64) -> u64 {
        let given: u64 = self.ranges(items).map(|(stay, from, to)| stay.given(to - from)).sum();
        self.stays[0].begin.min(items) + given + self.removed.map_or(0, |end| items.saturating_sub(end))
    }

    /// Where tag `index` of the input lands in the output.
    fn map_tag(&self, index: u64) -> u64 {
        let mut given = self.stays[0].begin;
        if index < given {
            return index;
        }
        for (stay, from, to) in self.ranges(u64::MAX) {
            if index < to {
                return given + (index - from) * stay.kind.hash.up as u64 / stay.kind.hash.down as u64;
            }
            given += stay.given(to - from);
        }
        given + index - self.removed.unwrap_or(0)
    }

    /// Says what is wrong with the receipts, where the input had `items` items.
    fn check_receipts(&self, items: u64) {
        for (stay, from, to) in self.ranges(items) {
            let end = from + (to - from) / stay.kind.hash.down as u64 * stay.kind.hash.down as u64;
            for change in &stay.changes {
                let wanted = stay.align(change.at.unwrap_or(0));
                let context = || format!("{}: {change:?} of {from}..{end}, wanted {wanted}", self.name);
                let is_exact = wanted >= change.reach;
                let Some(receipt) = &change.receipt else { continue };
                match receipt.wait(Duration::ZERO).map(|index| index.map(|index| stay.base + index)) {
                    Ok(Some(index)) if is_exact => assert_eq!(index, wanted, "{}", context()),
                    Ok(Some(index)) => {
                        assert_eq!(index, stay.align(index), "not where a call begins: {}", context());
                        assert!(index >= wanted && index <= stay.align(change.reach), "{}", context());
                    }
                    Err(MessageError::Ended { .. }) if wanted >= end || !is_exact => {}
                    outcome => panic!("{outcome:?}: {}", context()),
                }
            }
        }
    }

    /// From which items on which values hold, in the order in which they do.
    fn in_force(stay: &Stay) -> Vec<(u64, &Change)> {
        let from = |change: &Change| match &change.receipt {
            Some(receipt) => receipt.index().map(|index| stay.base + index),
            None => Some(stay.align(change.at.unwrap_or(0))),
        };
        let mut all: Vec<_> =
            stay.changes.iter().filter_map(|change| Some((from(change)?, change))).collect();
        all.sort_by_key(|(from, change)| (*from, change.number));
        all
    }

    /// What it gives for the items `x`.
    fn output(&self, x: &[u32]) -> Vec<u32> {
        let first = (self.stays[0].begin as usize).min(x.len());
        let mut y = x[..first].to_vec();
        for (stay, from, to) in self.ranges(x.len() as u64) {
            if let Level::Pass(_) = stay.kind.level {
                y.extend(&x[from as usize..to as usize]);
                continue;
            }
            let is_last = to == x.len() as u64;
            let mut hash = stay.kind.hash.clone();
            assert!(
                is_last || (to - from).is_multiple_of(hash.down as u64),
                "{} was left within a step",
                self.name
            );
            let (mut changes, mut sum) = (Place::in_force(stay).into_iter().peekable(), 0u32);
            for turn in 0..(to - from) / hash.down as u64 {
                let at = from + turn * hash.down as u64;
                while let Some((_, change)) = changes.next_if(|(from, _)| *from <= at) {
                    hash = hash.with(change.parameter, change.value);
                }
                // A block has seen nothing of what came before the place's first one.
                let seen = |index: u64| if index < first as u64 { 0 } else { x[index as usize] };
                let before = (0..hash.history as u64).rev().map(|k| at.checked_sub(k + 1).map_or(0, seen));
                let window: Vec<u32> = before.chain((at..at + hash.down as u64).map(seen)).collect();
                let mut out = vec![0; hash.up];
                hash.apply(&window, &mut out);
                if stay.kind.has_state() {
                    out.iter_mut().for_each(|y| {
                        sum = sum.wrapping_add(*y);
                        *y = sum;
                    });
                }
                y.extend(out);
            }
        }
        if let Some(end) = self.removed {
            y.extend(&x[(end as usize).min(x.len())..]);
        }
        y
    }
}

/// Places one behind the other.
#[derive(Debug, Default)]
pub struct Line(pub Vec<Place>);

impl Line {
    /// How many items come to each place and out of the last, at most, for so many.
    pub fn flow(&self, items: u64) -> Vec<u64> {
        let mut flow = vec![items];
        flow.extend(self.0.iter().scan(items, |items, place| {
            *items = place.given(*items);
            Some(*items)
        }));
        flow
    }
}

/// Items and their tags, by index and value.
pub type Stream = (Vec<u32>, Vec<(u64, u64)>);

/// The first items of the source.
pub fn source(items: u64) -> Stream {
    let tags = (0..items).filter(|index| gates::is_tagged(*index));
    ((0..items).map(gates::item).collect(), tags.map(|index| (index, index)).collect())
}

/// What comes out of a line, whose receipts must be right.
pub fn output(line: &Line, (mut x, mut tags): Stream) -> Stream {
    for place in &line.0 {
        place.check_receipts(x.len() as u64);
        let y = place.output(&x);
        // One behind the last item is seen by nobody.
        let map =
            |(index, value)| Some((place.map_tag(index), value)).filter(|(index, _)| *index < y.len() as u64);
        tags = tags.into_iter().filter_map(map).collect();
        x = y;
    }
    (x, tags)
}
