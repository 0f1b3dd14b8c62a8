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

use super::task::Task;
use crate::block::Step;
use crate::data::BlockError;
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

/// What has become of a strip.
pub(super) enum Passed {
    /// It is through.
    All,
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

    /// Takes a strip through all blocks, which are `tasks`. `current` is told which one runs, `lap` is called behind each.
    #[inline]
    pub fn pass(&mut self, tasks: &mut [Task], current: &AtomicUsize, lap: impl FnMut(usize)) -> Passed {
        if !self.is_clear && !self.look(tasks) {
            return Passed::Backlog;
        }
        let [head, .., tail] = &*tasks else { return Passed::Nothing };
        let n = self.most.min(head.runnable.takes()).min(tail.runnable.gives());
        if n == 0 {
            return Passed::Nothing;
        }
        if let Err((place, error)) = self.pass_strip(tasks, n, current, lap) {
            return Passed::Failed(place, error);
        }
        if !self.has_run {
            tasks.iter_mut().for_each(|task| task.last = Step::Ran);
            self.has_run = true;
        }
        Passed::All
    }

    /// Takes `n` items through all blocks. Fails with the place of the block that does.
    #[inline(always)]
    fn pass_strip(
        &mut self,
        tasks: &mut [Task],
        n: usize,
        current: &AtomicUsize,
        mut lap: impl FnMut(usize),
    ) -> Result<(), (usize, BlockError)> {
        let (first, second) = &mut self.pools;
        // The one that is declared last is given back first: what is given back last is taken first.
        let mut first = first.lend();
        let mut second = second.as_mut().map(LanePool::lend);
        let (mut to, mut from) = (first.bytes(), second.as_mut().map_or(&mut [][..], Piece::bytes));
        let last = self.steps.len() - 1;
        for (place, (task, step)) in tasks.iter_mut().zip(&self.steps).enumerate() {
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
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::block::runnable::AnyBlock;
    use crate::block::watcher::Watcher;
    use crate::block::{Context, Pure, Shape, SyncBlock, Work};
    use crate::exec::bind::bind;
    use crate::exec::unit::Unit;
    use crate::exec::units::units;
    use crate::graph::Graph;
    use crate::metrics::Counters;
    use crate::plan::options::Options;
    use crate::plan::policy::Single;
    use crate::plan::{Machine, Plan};
    use crate::stream::port::{In, Out};
    use crate::stream::refs::{InRef, OutRef};
    use crate::wake::Parker;
    use crate::{InPlace, Ratio};

    struct Zeros;
    impl Pure for Zeros {
        type In = ();
        type Out = u32;
        fn map(&self, (): (), y: &mut [u32]) {
            y.fill(0);
        }
    }

    /// Adds one.
    struct Plus<const IN_PLACE: bool>;
    impl<const IN_PLACE: bool> Pure for Plus<IN_PLACE> {
        type In = u32;
        type Out = u32;
        const IN_PLACE: Option<InPlace<Self>> = if IN_PLACE { Some(Self::add) } else { None };
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x + 1);
        }
    }

    impl<const IN_PLACE: bool> Plus<IN_PLACE> {
        fn add(&self, y: &mut [u32]) {
            y.iter_mut().for_each(|y| *y += 1);
        }
    }

    /// Adds how many items came before.
    struct Ramp(u32);
    impl SyncBlock for Ramp {
        type In = u32;
        type Out = u32;
        fn process(&mut self, x: &[u32], y: &mut [u32]) {
            for (y, x) in y.iter_mut().zip(x) {
                *y = x + self.0;
                self.0 += 1;
            }
        }
    }

    struct Half;
    impl Pure for Half {
        type In = u32;
        type Out = u32;
        fn shape(&self) -> Shape {
            Shape { ratio: Ratio::decimate(2), ..Shape::default() }
        }
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.iter_mut().zip(x.chunks(2)).for_each(|(y, x)| *y = x[0]);
        }
    }

    struct Blind;
    impl Watcher for Blind {
        fn items(&self, _: u64, _: &[u8]) {}
    }

    struct Ignore;
    impl SyncBlock for Ignore {
        type In = u32;
        type Out = ();
        fn process(&mut self, _: &[u32], (): ()) {}
    }

    /// A graph of one stream, made block by block.
    struct Line(Graph, OutRef<u32>);

    impl Line {
        fn of_zeros() -> Self {
            let mut graph = Graph::new();
            let source = graph.add("zeros", Zeros);
            Line(graph, source.output)
        }

        fn pure(mut self, name: &str, block: impl Pure<In = u32, Out = u32>) -> Self {
            let block = self.0.add(name, block);
            self.0.connect(self.1, block.input);
            Line(self.0, block.output)
        }

        fn sync(mut self, name: &str, block: impl SyncBlock<In = u32, Out = u32>) -> Self {
            let block = self.0.add(name, block);
            self.0.connect(self.1, block.input);
            Line(self.0, block.output)
        }

        /// Adds a tap.
        fn tap(mut self, name: &str) -> Self {
            let tap = self.0.add_any(name, AnyBlock::tap::<u32>(Arc::new(Blind)));
            self.0.connect(self.1, InRef::new(tap, 0));
            Line(self.0, OutRef::new(tap, 0))
        }

        /// Adds a reader of the last stream.
        fn read(mut self, name: &str) -> Self {
            let sink = self.0.add(name, Ignore);
            self.0.connect(self.1, sink.input);
            self
        }
    }

    /// The segments of a graph in one lane, each as the names of its blocks.
    fn segments(line: Line) -> Vec<String> {
        let mut graph = line.0.check().unwrap();
        let plan = Plan::new(&graph, &Single, &Machine::detect(), &Options::default()).unwrap();
        let counters: Vec<_> = graph.nodes.iter_mut().map(|node| Arc::new(Counters::new(node))).collect();
        bind(&mut graph, &plan, &[Arc::new(Parker::new())], None).unwrap();
        let mut found = Vec::new();
        for unit in units(&mut graph, &plan, 0, &counters, &Options::default(), None) {
            let Unit::Lane(lane) = unit else { continue };
            let tasks = &mut lane.into_lane().tasks;
            for (range, _) in Segment::find(tasks) {
                let names: Vec<&str> = tasks[range].iter().map(|task| &*task.name).collect();
                found.push(names.join(" "));
            }
        }
        found
    }

    #[test]
    fn blocks_with_as_many_items_out_as_in_form_a_segment() {
        let line = || Line::of_zeros().pure("plus", Plus::<false>).sync("ramp", Ramp(0));
        assert_eq!(segments(line().read("sink")), ["zeros plus ramp sink"]);
        assert_eq!(segments(line().read("one").read("another")), ["zeros plus ramp"], "two readers");
        let halved = line().pure("half", Half).pure("more", Plus::<false>).read("sink");
        assert_eq!(segments(halved), ["zeros plus ramp", "more sink"], "another rate");
    }

    #[test]
    fn a_buffer_lies_in_a_segment_or_outside_of_it() {
        let inside = Line::of_zeros().sync("ramp", Ramp(0)).pure("on top", Plus::<true>);
        assert_eq!(segments(inside.read("sink")), ["zeros ramp on top sink"]);
        // What reads the block that works in place is in no segment: so the buffer is not, which begins behind the ramp.
        let tapped = Line::of_zeros().tap("a").pure("on top", Plus::<true>).tap("b");
        assert_eq!(segments(tapped.read("sink")), ["zeros a on top b sink"]);
        let half_outside = Line::of_zeros().sync("ramp", Ramp(0)).pure("on top", Plus::<true>);
        assert_eq!(segments(half_outside.read("one").read("another")), ["zeros ramp"]);
        let half_outside = Line::of_zeros().pure("half", Half).pure("on top", Plus::<true>).read("sink");
        assert_eq!(segments(half_outside), Vec::<String>::new());
    }

    /// Gives zeros, as many as it may, and a tag with every thousandth.
    #[derive(crate::Block)]
    struct Tagged {
        #[port]
        output: Out<u32>,
        left: u64,
    }

    impl Work for Tagged {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let index = self.output.index();
            let n = (self.output.room() as u64).min(self.left);
            for at in (index..index + n).filter(|at| at.is_multiple_of(1000)) {
                self.output.tag((at - index) as usize, "at", at);
            }
            self.output.reserve()[..n as usize].fill(0);
            self.output.produce(n as usize);
            self.left -= n;
            Ok(if self.left == 0 { Step::Done } else { Step::Ran })
        }
    }

    /// Takes a few items, or none, or all.
    #[derive(crate::Block)]
    struct Slow {
        #[port]
        input: In<u32>,
        seen: Arc<Mutex<(Vec<u32>, Vec<u64>)>>,
        random: u64,
    }

    impl Work for Slow {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let most = [0, 7, 300, usize::MAX][(self.random >> 62) as usize];
            let n = self.input.available().min(most);
            let mut seen = self.seen.lock().unwrap();
            self.input.for_each_tag(n, |tag| seen.1.push(tag.index));
            seen.0.extend_from_slice(&self.input.peek()[..n]);
            self.input.consume(n);
            Ok(Step::Ran)
        }
    }

    #[test]
    fn a_reader_that_leaves_no_room_gets_every_item_and_every_tag() {
        const ITEMS: u64 = 300_000;
        let seen = Arc::default();
        let mut graph = Graph::new();
        let source = graph.add("source", Tagged { output: Out::new(), left: ITEMS });
        let Line(mut graph, last) = Line(graph, source.output)
            .pure("first", Plus::<false>)
            .sync("ramp", Ramp(0))
            .pure("on top", Plus::<true>)
            .sync("again", Ramp(0))
            .pure("last", Plus::<false>);
        let slow = graph.add("slow", Slow { input: In::new(), seen: Arc::clone(&seen), random: 1 });
        graph.connect(last, slow.input);
        graph.check().unwrap().start(&Single, &Options::default()).unwrap().wait().unwrap();
        let seen = seen.lock().unwrap();
        assert!(seen.0.iter().copied().eq((0..ITEMS as u32).map(|n| 3 + 2 * n)));
        assert!(seen.1.iter().copied().eq((0..ITEMS).step_by(1000)));
    }

    /// The low byte of each item.
    struct Low;
    impl Pure for Low {
        type In = u32;
        type Out = u8;
        fn map(&self, x: &[u32], y: &mut [u8]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = *x as u8);
        }
    }

    struct Wide;
    impl Pure for Wide {
        type In = u8;
        type Out = u64;
        fn map(&self, x: &[u8], y: &mut [u64]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = u64::from(*x) << 32);
        }
    }

    struct High;
    impl Pure for High {
        type In = u64;
        type Out = u32;
        fn map(&self, x: &[u64], y: &mut [u32]) {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = (*x >> 32) as u32);
        }
    }

    #[test]
    fn a_segment_through_items_of_several_sizes_has_room_for_all_of_them() {
        const ITEMS: u64 = 50_000;
        for plus in 0..3 {
            let seen = Arc::default();
            let mut graph = Graph::new();
            let source = graph.add("source", Tagged { output: Out::new(), left: ITEMS });
            let line = Line(graph, source.output).sync("ramp", Ramp(0));
            let add = |line: Line, place: u32| line.pure(&format!("plus {place}"), Plus::<false>);
            let Line(mut graph, last) = (0..plus).fold(line, add);
            let (low, wide, high) = (graph.add("low", Low), graph.add("wide", Wide), graph.add("high", High));
            graph.connect(last, low.input);
            graph.connect(low.output, wide.input);
            graph.connect(wide.output, high.input);
            let slow = graph.add("slow", Slow { input: In::new(), seen: Arc::clone(&seen), random: 3 });
            graph.connect(high.output, slow.input);
            graph.check().unwrap().start(&Single, &Options::default()).unwrap().wait().unwrap();
            let wanted = (0..ITEMS as u32).map(|n| (n + plus) & 255);
            assert!(seen.lock().unwrap().0.iter().copied().eq(wanted), "{plus}");
        }
    }
}
