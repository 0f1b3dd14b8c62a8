//! A chain of pure blocks that any worker can run on any strip of the stream.
//!
//! What a chain gives for the items `[a, b)` of its input depends on these, on the history before them, and on nothing
//! else. A worker that did not work on what comes right before `a` starts a little earlier, by the chain's *warm-up*:
//! it computes again what the blocks' histories hold at `a`, and throws away what comes out until then.
//!
//! | number | means |
//! |---|---|
//! | period | the fewest items of the head stream of which every block takes all that it is given |
//! | warm-up | items of the head stream, whole periods, after which no block sees what it should not |
//! | lead | warm-up and the first block's history: what a worker reads before the items that it was given |
//!
//! The *head stream* is the chain's input, or what its first block gives where that has no input.

pub(crate) mod bytes;
mod run;
mod space;
mod versions;

pub(crate) use bytes::Bytes;
pub(crate) use run::{Begin, ChainRun, Strip};
pub(crate) use versions::{Changing, Versions};

use std::sync::Arc;

use crate::block::{Pure, Ratio};
use crate::buffer::gcd;
use crate::clock::RATE_KEY;
use crate::gap::{GAP, GAP_FILLED};
use crate::streams::{Streams, sealed::Ports};
use crate::tag::{Tag, TagPolicy, map_index};

/// What a chain knows of one of its blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub ratio: Ratio,
    pub history: usize,
    pub delay: u64,
    pub tags: TagPolicy,
    /// Bytes of an input item; 0 for a block without input.
    pub in_bytes: usize,
    /// Bytes of an output item; 0 for a block without output.
    pub out_bytes: usize,
    pub in_place: bool,
    pub base: Base,
}

/// Where a block's streams stood when its graph was last planned: its tags are mapped from there, and the item of its
/// output came, but for a delay, right behind that of its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Base {
    pub input: u64,
    pub output: u64,
}

impl Base {
    /// Takes a tag from the input to the output: its index, and the rate or number of items that it may say.
    #[inline]
    pub fn carry(&self, tag: &mut Tag, ratio: Ratio, delay: u64) {
        tag.index = self.map(tag.index, ratio, delay);
        if ratio.interpolation != ratio.decimation
            && let RATE_KEY | GAP | GAP_FILLED = &*tag.key
            && let Some(items) = tag.value.as_f64()
        {
            tag.value = (items * ratio.interpolation as f64 / ratio.decimation as f64).into();
        }
    }

    /// Where the tag at `index` of the input lands in the output.
    pub fn map(&self, index: u64, ratio: Ratio, delay: u64) -> u64 {
        let (up, down) = (ratio.interpolation, ratio.decimation);
        map_index(index.saturating_sub(self.input), up, down, delay).saturating_add(self.output)
    }
}

/// A pure block with at most one input and one output, its types erased.
pub(crate) trait ErasedPure: Send + Sync {
    fn shape(&self) -> Shape;
    /// Computes `y`, whole output items, from `x`, whole input items with the history before them.
    fn map(&self, x: &[u8], y: &mut [u8]);
    /// As `map`, with `x` lying in `y` already.
    fn map_in_place(&self, y: &mut [u8]);
}

impl<P: Pure> ErasedPure for P {
    fn shape(&self) -> Shape {
        let size = |item: Option<crate::ItemType>| item.map_or(0, |item| item.size());
        let (input, output) = (P::In::single(), P::Out::single());
        Shape {
            ratio: self.ratio(),
            history: self.history(),
            delay: self.delay(),
            tags: self.tags(),
            in_bytes: size(input),
            out_bytes: size(output),
            in_place: P::IN_PLACE
                && input.is_some()
                && input == output
                && self.ratio() == Ratio::ONE
                && self.history() == 0,
            base: Base::default(),
        }
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        if let (Some(x), Some(y)) = (P::In::slices_of(x), P::Out::slices_of_mut(y)) {
            Pure::map(self, x, y);
        }
    }

    fn map_in_place(&self, y: &mut [u8]) {
        if let Some(y) = P::Out::slices_of_mut(y) {
            Pure::map_in_place(self, y);
        }
    }
}

/// The link that `pure` is, if it has at most one port on each side.
pub(crate) fn link_of<P: Pure>(pure: &Arc<P>) -> Option<Arc<dyn ErasedPure>> {
    (P::In::PORTS <= 1 && P::Out::PORTS <= 1).then(|| pure.clone() as Arc<dyn ErasedPure>)
}

/// The numbers of a chain, from its blocks' shapes alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChainShape {
    pub links: Vec<Shape>,
    pub period: usize,
    pub warm_up: usize,
}

/// Longer periods, in items of the head stream, are cut into several chains.
const MOST_PERIOD: usize = 1 << 16;

impl ChainShape {
    /// The numbers of a chain; `None` where its period is too long.
    pub fn new(links: Vec<Shape>) -> Option<Self> {
        let mut shape = ChainShape { period: 1, warm_up: 0, links };
        shape.period = shape.find_period()?;
        shape.warm_up = shape.find_warm_up();
        Some(shape)
    }

    /// Whether the first block has no input: the chain makes its items itself.
    pub fn is_source(&self) -> bool {
        self.links.first().is_some_and(|first| first.in_bytes == 0)
    }

    /// Items that a worker reads before those that it was given.
    pub fn lead(&self) -> usize {
        if self.is_source() { 0 } else { self.warm_up + self.links.first().map_or(0, |first| first.history) }
    }

    /// The blocks that take items.
    fn taking(&self) -> impl Iterator<Item = &Shape> {
        self.links.iter().filter(|link| link.in_bytes > 0)
    }

    /// Bytes of an item of the head stream.
    pub fn head_bytes(&self) -> usize {
        self.links
            .first()
            .map_or(1, |first| if first.in_bytes == 0 { first.out_bytes } else { first.in_bytes })
    }

    fn find_period(&self) -> Option<usize> {
        let mut period = if self.is_source() { self.links[0].ratio.interpolation } else { 1 };
        // Items of the link's input for `period` items of the head stream.
        let mut items = period;
        for link in self.taking() {
            let missing = link.ratio.decimation / gcd(items, link.ratio.decimation);
            (period, items) = (period.checked_mul(missing)?, items.checked_mul(missing)?);
            if period > MOST_PERIOD {
                return None;
            }
            items = (items / link.ratio.decimation).checked_mul(link.ratio.interpolation)?;
        }
        Some(period)
    }

    fn find_warm_up(&self) -> usize {
        // Of `n` items, how many at the start of the last stream come from histories that were not there.
        let spoiled = |n: usize| {
            let (mut spoiled, mut items) = (0, n);
            for (place, link) in self.taking().enumerate() {
                // What lies before the head stream's items is there to be read.
                let missing = if place == 0 && !self.is_source() { 0 } else { link.history };
                let turns = if spoiled + missing == 0 {
                    0
                } else {
                    (spoiled + missing).div_ceil(link.ratio.decimation)
                };
                spoiled = turns * link.ratio.interpolation;
                items = items / link.ratio.decimation * link.ratio.interpolation;
            }
            (spoiled, items)
        };
        let mut periods = 0;
        loop {
            let n = periods * self.period;
            let (spoiled, items) = spoiled(n);
            // A chain without outputs: as if the last block gave what it takes.
            if spoiled <= items {
                return n;
            }
            periods = (periods + 1).max(periods * spoiled / items.max(1));
        }
    }

    /// How many items each link takes and gives for `n` items of the head stream: `(taken, given)` per link.
    pub fn flow(&self, n: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut items = n;
        self.links.iter().map(move |link| {
            if link.in_bytes == 0 {
                return (0, items);
            }
            let turns = items / link.ratio.decimation;
            let taken = turns * link.ratio.decimation;
            items = turns * link.ratio.interpolation;
            (taken, items)
        })
    }

    /// Items that the chain gives for `n` items of the head stream.
    pub fn given(&self, n: usize) -> usize {
        match self.links.last() {
            Some(last) if last.out_bytes > 0 => self.flow(n).last().map_or(0, |(_, given)| given),
            _ => 0,
        }
    }

    /// A tag of the chain's input as it leaves the chain; `None` where a block lets none pass.
    pub fn map_tag(&self, mut tag: Tag) -> Option<Tag> {
        for link in self.taking() {
            link.base.carry(&mut tag, link.ratio, link.delay);
            tag = link.tags.apply(tag, 0, 0)?;
        }
        Some(tag)
    }
}
