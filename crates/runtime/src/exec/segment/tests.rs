//! Which blocks form a segment, and what comes through one.

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

/// Shows each segment of a graph in one lane with its blocks.
fn for_each_segment(line: Line, mut show: impl FnMut(&mut Segment, &mut [Task])) {
    let mut graph = line.0.check().unwrap();
    let plan = Plan::new(&graph, &Single, &Machine::detect(), &Options::default()).unwrap();
    let counters: Vec<_> = graph.nodes.iter_mut().map(|node| Arc::new(Counters::new(node))).collect();
    bind(&mut graph, &plan, &[Arc::new(Parker::new())], None).unwrap();
    for unit in units(&mut graph, &plan, 0, &counters, &Options::default(), None) {
        let Unit::Lane(lane) = unit else { continue };
        let tasks = &mut lane.into_lane().tasks;
        for (range, mut segment) in Segment::find(tasks) {
            show(&mut segment, &mut tasks[range]);
        }
    }
}

/// The segments of a graph in one lane, each as the names of its blocks.
fn segments(line: Line) -> Vec<String> {
    let mut found = Vec::new();
    for_each_segment(line, |_, tasks| {
        let names: Vec<&str> = tasks.iter().map(|task| &*task.name).collect();
        found.push(names.join(" "));
    });
    found
}

#[test]
fn so_many_strips_go_through_as_are_asked_for_and_no_more_once_it_ends() {
    for_each_segment(Line::of_zeros().sync("ramp", Ramp(0)).read("sink"), |segment, tasks| {
        let current = AtomicUsize::new(0);
        let calls = |tasks: &[Task]| tasks[1].runnable.calls();
        assert!(matches!(segment.pass(tasks, 8, || false, &current, |_| {}), Passed::All(8)));
        assert_eq!(calls(tasks), 8);
        // One strip has gone through before anybody is asked.
        assert!(matches!(segment.pass(tasks, 8, || true, &current, |_| {}), Passed::All(1)));
        assert_eq!(calls(tasks), 9);
        assert!(matches!(segment.pass(tasks, 0, || false, &current, |_| {}), Passed::Nothing));
    });
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
