//! A segment: consecutive blocks of a lane that a strip goes through at once.
//!
//! They are pure and sync blocks that give as many items as they take, each the only reader of the one before it. A block at a time,
//! each would look at both of its streams, take a piece of the lane's pool, and give one back: as much as it costs to compute some
//! hundred items. A segment asks its first block what is there and its last one what there is room for, and takes so many items
//! through all of them in two pieces that it holds meanwhile. The streams inside only count: both ends of each go past the items,
//! so that positions, tags and changes of parameters are where they would be.
//!
//! All that is not as usual is left to the blocks' own calls, one after another: the ends of streams, a graph that stops, a reader
//! that leaves no room. What they leave inside is taken through first, without anything new.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::block::Step;
use crate::data::BlockError;
use crate::exec::task::Task;
use crate::stream::buffer::{LanePool, LaneStream, Piece, ReadEnd};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;

/// Blocks of a lane that are run together.
pub(super) struct Segment {
    /// Where the two pieces come from that the buffers inside take turns in; none for the second where there is one buffer.
    pools: (LanePool, Option<LanePool>),
    /// The longest strip that all streams inside have room for.
    most: usize,
    steps: Box<[PassStep]>,
    /// Nothing waits inside, and none of its blocks has ended.
    is_clear: bool,
    /// All of its blocks have said last that they ran.
    has_run: bool,
}

/// What one block takes and gives inside, in bytes an item: 0 where that is a stream at the segment's ends.
#[derive(Clone, Copy)]
struct PassStep {
    taken: usize,
    given: usize,
    in_place: bool,
}

/// What has become of some strips.
pub(super) enum Passed {
    /// So many are through, one at least.
    All(usize),
    /// Nothing can go through at once: the blocks are to be run one after another.
    Nothing,
    /// As `Nothing`, but for the first: something waits inside.
    Backlog,
    /// The block at this place has failed.
    Failed(usize, BlockError),
}

/// The streams before and behind a block, as far as a segment can take them.
#[derive(Default)]
struct Around {
    before: Option<LaneStream>,
    behind: Option<LaneStream>,
}

impl PortVisitor for Around {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        self.before = port.raw().end.lane_stream();
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        self.behind = port.raw().end.lane_stream();
    }
}

/// Whether nothing waits before a block.
struct IsBare(bool);

impl PortVisitor for IsBare {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        self.0 &= matches!(port.raw().end, ReadEnd::Scratch(end) if end.is_bare());
    }
}

impl Segment {
    /// Finds the segments of a lane: which tasks each one has.
    pub fn find(tasks: &mut [Task]) -> Vec<(Range<usize>, Segment)> {
        let around = |task: &mut Task| {
            let mut around = Around::default();
            task.runnable.visit(&mut around);
            around
        };
        let around: Vec<Around> = tasks.iter_mut().map(around).collect();
        // Whether a segment could go on from the task at a place to the next.
        let goes_on = |place: usize| {
            let (Some(behind), Some(before)) = (&around[place].behind, &around[place + 1].before) else {
                return false;
            };
            behind.is(before) && tasks[place].runnable.passes() && tasks[place + 1].runnable.passes()
        };
        let mut segments = Vec::new();
        let mut first = 0;
        while first < tasks.len() {
            let mut end = first + 1;
            while end < tasks.len() && goes_on(end - 1) {
                end += 1;
            }
            let range = whole_buffers(&around, first..end);
            if range.len() > 1 {
                segments.extend(Segment::new(&around[range.clone()]).map(|segment| (range, segment)));
            }
            first = end;
        }
        segments
    }

    /// A segment of blocks with these streams.
    fn new(around: &[Around]) -> Option<Segment> {
        let inside: Vec<&LaneStream> =
            around[1..].iter().filter_map(|around| around.before.as_ref()).collect();
        let bytes = |place: usize| inside.get(place).map_or(0, |stream| stream.item_bytes);
        let step = |place: usize| PassStep {
            taken: place.checked_sub(1).map_or(0, bytes),
            given: bytes(place),
            in_place: place.checked_sub(1).is_some_and(|before| inside[before].is_read_in_place()),
        };
        // Streams of other items may have another pool. Buffers take turns in two pieces, each as large as the largest of its own.
        let buffers = || inside.iter().filter(|stream| stream.stage == 0);
        let largest = |first: usize| {
            let own = buffers().skip(first).step_by(2);
            own.max_by_key(|stream| stream.pool.bytes()).map(|stream| stream.pool.clone())
        };
        let mut pools = (largest(0)?, largest(1));
        // Pages that nobody has written to are all one page of zeros, which the level-1 cache holds badly.
        let mut first = pools.0.lend();
        first.bytes().fill(0);
        pools.1.iter_mut().for_each(|pool| pool.lend().bytes().fill(0));
        drop(first);
        let fits = |stream: &&LaneStream| stream.most.min(stream.pool.bytes() / stream.item_bytes.max(1));
        Some(Segment {
            pools,
            most: inside.iter().map(fits).min()?,
            steps: (0..around.len()).map(step).collect(),
            is_clear: false,
            has_run: false,
        })
    }

    /// Takes a strip through all blocks, which are `tasks`, and then others, `most` in all, until there are none or `ends`. `current`
    /// is told which block runs, `lap` is called behind each.
    #[inline]
    pub fn pass(
        &mut self,
        tasks: &mut [Task],
        most: usize,
        ends: impl Fn() -> bool,
        current: &AtomicUsize,
        mut lap: impl FnMut(usize),
    ) -> Passed {
        if !self.is_clear && !self.look(tasks) {
            return Passed::Backlog;
        }
        let (first, second) = &mut self.pools;
        // The one that is declared last is given back first: what is given back last is taken first.
        let mut first = first.lend();
        let mut second = second.as_mut().map(LanePool::lend);
        let mut strips = 0;
        while strips < most && !(strips > 0 && ends()) {
            let [head, .., tail] = &*tasks else { break };
            let n = self.most.min(head.runnable.takes()).min(tail.runnable.gives());
            if n == 0 {
                break;
            }
            let pieces = (first.bytes(), second.as_mut().map_or(&mut [][..], Piece::bytes));
            if let Err((place, error)) = pass_strip(&self.steps, pieces, tasks, n, current, &mut lap) {
                return Passed::Failed(place, error);
            }
            strips += 1;
        }
        if strips == 0 {
            return Passed::Nothing;
        }
        if !self.has_run {
            tasks.iter_mut().for_each(|task| task.last = Step::Ran);
            self.has_run = true;
        }
        Passed::All(strips)
    }

    /// Notes that its blocks were run one after another, and whether anything moved.
    pub fn note(&mut self, moved: bool) {
        self.is_clear &= !moved;
        self.has_run = false;
    }

    /// Whether nothing waits inside.
    #[cold]
    fn look(&mut self, tasks: &mut [Task]) -> bool {
        let mut bare = IsBare(true);
        tasks[1..].iter_mut().for_each(|task| task.runnable.visit(&mut bare));
        self.is_clear = bare.0 && tasks.iter().all(|task| task.last != Step::Done);
        self.is_clear
    }
}

/// Takes `n` items through all blocks by turns in two pieces. Fails with the place of the block that does.
#[inline(always)]
fn pass_strip(
    steps: &[PassStep],
    (mut to, mut from): (&mut [u8], &mut [u8]),
    tasks: &mut [Task],
    n: usize,
    current: &AtomicUsize,
    lap: &mut impl FnMut(usize),
) -> Result<(), (usize, BlockError)> {
    let last = steps.len() - 1;
    for (place, (task, step)) in tasks.iter_mut().zip(steps).enumerate() {
        current.store(task.block, Ordering::Relaxed);
        let outcome = if step.in_place {
            task.runnable.pass_in_place(&mut from[..n * step.taken], n)
        } else {
            let x = (place > 0).then_some(&from[..n * step.taken]);
            let y = if place < last { Some(&mut to[..n * step.given]) } else { None };
            let outcome = task.runnable.pass(x, y, n);
            std::mem::swap(&mut from, &mut to);
            outcome
        };
        outcome.map_err(|error| (place, error))?;
        lap(place);
    }
    Ok(())
}

/// Cuts blocks off both ends until no buffer lies half inside: blocks that work in place share one.
fn whole_buffers(around: &[Around], mut range: Range<usize>) -> Range<usize> {
    let works_in_place =
        |place: usize| around[place].before.as_ref().is_some_and(LaneStream::is_read_in_place);
    while range.len() > 1 && works_in_place(range.start) {
        range.start += 1;
    }
    while range.len() > 1 && works_in_place(range.end - 1) {
        range.end -= 1;
    }
    range
}

#[cfg(all(test, not(loom)))]
mod tests;
