//! A chain of blocks through which several workers carry claims at once.
//!
//! A chain is cut into *stages*: a block with a state is a stage, so are the pure blocks between two of those. A claim goes
//! through them in order. Any worker runs a pure stage whenever it likes; a stage with a state, one claim after the other.
//!
//! What a pure stage gives for the items `[a, b)` of its input depends on these, on the history before them, and on nothing
//! else. A worker that did not work on what comes right before `a` starts a little earlier, by the stage's *warm-up*:
//! it computes again what the blocks' histories hold at `a`, and throws away what comes out until then.
//!
//! | number | means |
//! |---|---|
//! | period | the fewest items of the head stream of which every block takes all that it is given |
//! | warm-up | items of the head stream, whole periods, after which no block of a pure stage sees what it should not |
//! | lead | what a worker reads before the items that it was given: the first stage's warm-up and its first block's history |
//!
//! The *head stream* is the chain's input, or what its first block gives where that has no input. A stage is a chain of its
//! own, and has its own head stream.

use crate::block::erased::LinkShape;
use crate::data::Tag;
use crate::data::ratio::gcd;
use crate::stream::buffer::Flow;

/// How much a worker takes at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portions {
    /// What fits the nearest cache, in items of the head stream.
    pub strip: usize,
    /// What the next cache has ample room for; as much, where strips shall be no longer.
    pub long: usize,
    /// The longest claim, in items of the head stream.
    pub most: usize,
}

/// The numbers of a chain, from its blocks' shapes alone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChainShape {
    pub links: Vec<LinkShape>,
    pub period: usize,
    pub warm_up: usize,
    /// What comes before a claim is read as well.
    lead: usize,
}

/// A chain that all workers carry claims through at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChainPlan {
    pub shape: ChainShape,
    pub portions: Portions,
}

/// Blocks of a chain that a claim goes through at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StageShape {
    /// The place of its first block in the chain.
    pub first: usize,
    /// Its blocks as a chain of their own.
    pub chain: ChainShape,
    /// It is one block with a state.
    pub has_state: bool,
}

/// Where a claim's items lie between two stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Boundary {
    pub item_bytes: usize,
    /// Items that the second stage reads before those of the claim.
    pub lead: usize,
    /// Which of the two pieces of memory.
    pub piece: usize,
    /// Where the claim's items begin in it, in bytes.
    pub offset: usize,
    /// How the first stage gives them.
    pub way: Way,
    /// The place of the block that gives these items.
    pub given: usize,
}

/// Where a stage writes, seen from where it reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// On top of what it takes.
    OnTop,
    /// So many bytes below, strip by strip.
    Down(usize),
    /// In other memory.
    Apart,
}

/// Longer periods, in items of the head stream, are cut into several chains.
const MOST_PERIOD: usize = 1 << 16;

impl ChainShape {
    /// The numbers of a chain; `None` where its period is too long.
    pub fn new(links: Vec<LinkShape>) -> Option<Self> {
        let mut shape = ChainShape { period: 1, warm_up: 0, lead: 0, links };
        shape.period = shape.find_period()?;
        let history =
            shape.links.first().map_or(0, |first| if first.in_bytes > 0 { first.history } else { 0 });
        if !shape.has_state() {
            shape.warm_up = shape.find_warm_up();
            shape.lead = if shape.is_source() { 0 } else { shape.warm_up + history };
            return Some(shape);
        }
        if shape.links.len() == 1 {
            shape.lead = history;
            return Some(shape);
        }
        let stages = shape.stages()?;
        shape.lead = stages.first()?.chain.lead;
        // A stage's warm-up in items of the whole chain's head stream.
        let periods = |stage: &StageShape| {
            let (taken, given) = shape.flow(shape.period).nth(stage.first).unwrap_or((1, 1));
            stage.chain.warm_up.div_ceil(if stage.chain.is_source() { given } else { taken }.max(1))
        };
        shape.warm_up = stages.iter().map(periods).max()? * shape.period;
        Some(shape)
    }

    /// Whether any of its blocks has a state.
    pub fn has_state(&self) -> bool {
        self.links.iter().any(|link| link.has_state)
    }

    /// The stages that claims go through, in order; `None` where the period of one is too long.
    pub fn stages(&self) -> Option<Vec<StageShape>> {
        let mut first = 0;
        let together = |a: &LinkShape, b: &LinkShape| !a.has_state && !b.has_state;
        let stage = |links: &[LinkShape]| {
            let has_state = links[0].has_state;
            let stage = StageShape { first, chain: ChainShape::new(links.to_vec())?, has_state };
            first += links.len();
            Some(stage)
        };
        self.links.chunk_by(together).map(stage).collect()
    }

    /// The blocks that take items.
    fn taking(&self) -> impl Iterator<Item = &LinkShape> {
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
            let (taken, given) = link.taken_and_given(items);
            items = given;
            (taken, given)
        })
    }

    /// How many items of its head stream go through a stage at once, where `strip` items go through the chain.
    pub fn stage_strip(&self, stage: &StageShape, strip: usize) -> usize {
        let given = stage.first.checked_sub(1).and_then(|before| self.flow(strip).nth(before));
        let items = given.map_or(strip, |(_, given)| given);
        (items - items % stage.chain.period).max(stage.chain.period)
    }

    /// How many items of the chain's head stream go at once through a stage that slides down, where `strip` go through others. What it
    /// reads comes from the level-2 cache, and what it has read before, where it writes now, is to stay in level 1 meanwhile.
    pub fn sliding(&self, strip: usize) -> usize {
        let half = strip / 2;
        (half - half % self.period).max(self.period)
    }

    /// Where a claim's items lie between the stages, where stages work on strips of so many items of the head stream.
    ///
    /// A stage that gives no more bytes than it takes slides down: it writes each strip below where it reads, to where it has read
    /// the one before, so that what it writes is in the level-1 cache already. Else it writes the other piece of memory.
    pub fn boundaries(&self, stages: &[StageShape], in_place: bool, strip: usize) -> Vec<Boundary> {
        let mut boundaries: Vec<Boundary> = Vec::new();
        for pair in stages.windows(2) {
            let [stage, behind] = pair else { continue };
            let (lead, item_bytes) = (behind.chain.lead, behind.chain.head_bytes());
            let strip = self.stage_strip(stage, self.sliding(strip));
            let (taken, given) = (strip * stage.chain.head_bytes(), stage.chain.given(strip) * item_bytes);
            let on_top = in_place && stage.chain.links.iter().all(|link| link.in_place);
            let way = match boundaries.last() {
                Some(_) if on_top => Way::OnTop,
                Some(before) if given <= taken => {
                    Way::Down(apart_in_a_page((given + before.lead * before.item_bytes).next_multiple_of(64)))
                }
                _ => Way::Apart,
            };
            let piece = boundaries
                .last()
                .map_or(0, |before| if way == Way::Apart { 1 - before.piece } else { before.piece });
            boundaries.push(Boundary { item_bytes, lead, piece, offset: 0, way, given: behind.first - 1 });
        }
        // From behind: what comes before in the same memory lies as much higher as the stages between slide down.
        let lead = boundaries.iter().map(|boundary| boundary.lead * boundary.item_bytes).max().unwrap_or(0);
        let lead = lead.next_multiple_of(64);
        let mut offset = lead;
        for boundary in boundaries.iter_mut().rev() {
            boundary.offset = offset;
            offset = match boundary.way {
                Way::OnTop => offset,
                Way::Down(by) => offset + by,
                Way::Apart => lead,
            };
        }
        boundaries
    }

    /// How many bytes the two pieces of memory have that a claim of `items` items lies in.
    pub fn pieces(&self, boundaries: &[Boundary], items: usize) -> [usize; 2] {
        let given: Vec<usize> = self.flow(items).map(|(_, given)| given).collect();
        let mut pieces = [0, 0];
        for boundary in boundaries {
            let bytes = boundary.offset + given[boundary.given] * boundary.item_bytes;
            pieces[boundary.piece] = pieces[boundary.piece].max(bytes);
        }
        pieces
    }

    /// How many bytes of cache a strip of `strip` items takes, what it reads and writes included: what is kept between two strips,
    /// and the two pieces at most that links read and write in turns.
    pub fn footprint(&self, strip: usize, in_place: bool) -> usize {
        if self.has_state() && self.links.len() > 1 {
            let stages = self.stages().unwrap_or_default();
            let strips = self.flow(strip).map(|(taken, given)| taken.max(given));
            let strips: Vec<usize> = strips.collect();
            let footprint = |stage: &StageShape| stage.chain.footprint(strips[stage.first], in_place);
            return stages.iter().map(footprint).max().unwrap_or(0);
        }
        let on_top = |place: usize| in_place && place > 0 && self.links[place].in_place;
        // The last blocks that work in place do so on what the chain gives.
        let filling = (0..self.links.len()).rev().find(|&place| !on_top(place)).unwrap_or(0);
        let read = if self.is_source() { 0 } else { strip * self.head_bytes() };
        let (mut kept, mut between, mut before, mut written) = (0, 0, 0, 0);
        for (place, ((_, given), link)) in self.flow(strip).zip(&self.links).enumerate() {
            let bytes = given * link.out_bytes;
            if place == filling {
                written = bytes;
            } else if place < filling && !on_top(place) {
                if self.history_behind(place, in_place) > 0 {
                    (kept, before) = (kept + bytes, 0);
                } else {
                    (between, before) = (between.max(before + bytes), bytes);
                }
            }
        }
        kept + between + read + written
    }

    /// The history that is kept of the output of the link at `place`: that of the next link that does not work on top of it.
    pub fn history_behind(&self, place: usize, in_place: bool) -> usize {
        let behind = &self.links[place + 1..];
        let is_reader = |link: &&LinkShape| !(in_place && link.in_place);
        behind.iter().find(is_reader).or(behind.last()).map_or(0, |reader| reader.history)
    }
}

/// The least distance, modulo a page, between where a stage that slides down reads and where it writes. Lines at the same place of
/// their pages are in each other's way: a kernel that reads one and writes the other was a tenth slower.
const APART_IN_A_PAGE: usize = 1536;

/// As many bytes, or some more where that is too near to whole pages.
fn apart_in_a_page(bytes: usize) -> usize {
    bytes + APART_IN_A_PAGE.saturating_sub(bytes % 4096)
}

impl Flow for ChainShape {
    fn period(&self) -> usize {
        self.period
    }
    fn lead(&self) -> usize {
        self.lead
    }
    fn given(&self, n: usize) -> usize {
        match self.links.last() {
            Some(last) if last.out_bytes > 0 => self.flow(n).last().map_or(0, |(_, given)| given),
            _ => 0,
        }
    }
    fn is_source(&self) -> bool {
        self.links.first().is_some_and(|first| first.in_bytes == 0)
    }
    fn has_output(&self) -> bool {
        self.links.last().is_none_or(|last| last.out_bytes > 0)
    }
    fn map_tag(&self, mut tag: Tag, given: &mut Vec<u64>) -> Option<Tag> {
        given.resize(self.links.len(), 0);
        for (link, given) in self.links.iter().zip(given).filter(|(link, _)| link.in_bytes > 0) {
            tag = link.carry(tag)?;
            *given += 1;
        }
        Some(tag)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::block::Shape;
    use crate::data::Ratio;

    /// A block of items of four bytes with such a history, which gives one item for `decimation`.
    fn link(history: usize, decimation: usize, in_place: bool) -> LinkShape {
        let shape = Shape { history, ratio: Ratio { interpolation: 1, decimation }, ..Shape::default() };
        LinkShape::new::<f32, f32>(&shape, in_place)
    }

    #[test]
    fn a_strip_takes_the_memory_that_is_read_and_written_for_it() {
        let footprint = |links: &[&LinkShape]| {
            let links = links.iter().copied().cloned().collect();
            ChainShape::new(links).unwrap().footprint(100, true)
        };
        let (apart, on_top, filter) = (link(0, 1, false), link(0, 1, true), link(4, 2, false));
        assert_eq!(footprint(&[&apart]), 800, "one input, one output");
        assert_eq!(footprint(&[&apart; 2]), 1200, "and a piece between them");
        assert_eq!(footprint(&[&apart; 5]), 1600, "two pieces, in turns");
        assert_eq!(footprint(&[&apart, &on_top, &on_top]), 800, "on top of what is given");
        assert_eq!(footprint(&[&apart, &on_top, &filter, &on_top]), 1000, "what the filter reads is kept");
    }
}
