//! The blocks of the benchmarks, and the chain that most of them measure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use superhet_runtime::port::{InRef, OutRef};
use superhet_runtime::{
    Block, BlockError, Context, Graph, In, MsgIn, MsgOut, Out, Pure, Step, SyncBlock, Value, Work,
    message::WhenFull,
};

/// Gives items without writing them: what the strip happens to hold. It has no state, and its output has no meaning: a pure
/// block, which may run in any number of places at once.
pub struct DummySource;

/// How many items a benchmark sink has taken. On a cache line of its own: others read it while the sink writes.
#[derive(Clone, Debug, Default)]
pub struct ItemCount(Arc<Line>);

#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicU64);

impl ItemCount {
    pub fn get(&self) -> u64 {
        self.0.0.load(Ordering::Relaxed)
    }
}

/// Counts items without reading them. The count is a state: its calls come in order.
#[derive(Default)]
pub struct BenchmarkSink {
    taken: u64,
    count: ItemCount,
}

impl BenchmarkSink {
    /// Counts into `count`.
    pub fn new(count: &ItemCount) -> Self {
        BenchmarkSink { taken: 0, count: count.clone() }
    }
}

impl Pure for DummySource {
    type In = ();
    type Out = f32;
    fn map(&self, _: (), _: &mut [f32]) {}
}

impl SyncBlock for BenchmarkSink {
    type In = f32;
    type Out = ();
    fn process(&mut self, x: &[f32], _: ()) {
        self.taken += x.len() as u64;
        self.count.0.0.store(self.taken, Ordering::Relaxed);
    }
}

/// Dummy source -> `blocks` -> benchmark sink, named `source`, `block0` and so on, and `sink`; and the sink's count.
///
/// `add` puts a block into the graph under the name that it is given; it gives the block's input and output.
pub fn chain_of(
    blocks: u32,
    mut add: impl FnMut(&mut Graph, u32, String) -> (InRef<f32>, OutRef<f32>),
) -> (Graph, ItemCount) {
    let (mut graph, count) = (Graph::new(), ItemCount::default());
    let mut stream = graph.add("source", DummySource).output;
    for place in 0..blocks {
        let (input, output) = add(&mut graph, place, format!("block{place}"));
        graph.connect(stream, input);
        stream = output;
    }
    let sink = graph.add("sink", BenchmarkSink::new(&count));
    graph.connect(stream, sink.input);
    (graph, count)
}

/// As [`chain_of`], of pure blocks.
pub fn chain<B>(blocks: u32, mut block: impl FnMut() -> B) -> Graph
where
    B: Pure<In = f32, Out = f32>,
{
    let (graph, _) = chain_of(blocks, |graph, _, name| {
        let block = graph.add(name, block());
        (block.input, block.output)
    });
    graph
}

/// When each chunk of a paced stream was due, left the source and came to the sink: nanoseconds since the start of the
/// clock, all places there before the run.
pub struct Stamps {
    clock: Instant,
    /// Items of a chunk.
    pub chunk: usize,
    /// Nanoseconds from one chunk to the next.
    pub period_ns: f64,
    /// Written by the source, read after the run.
    sent_ns: Box<[AtomicU64]>,
    /// Written by the sink, read after the run.
    arrived_ns: Box<[AtomicU64]>,
}

impl Stamps {
    /// Places for `chunks` chunks of `chunk` items at `rate_hz` items a second.
    pub fn new(chunks: usize, chunk: usize, rate_hz: f64) -> Self {
        let places = || (0..chunks).map(|_| AtomicU64::new(0)).collect();
        let period_ns = chunk as f64 * 1e9 / rate_hz;
        Stamps { clock: Instant::now(), chunk, period_ns, sent_ns: places(), arrived_ns: places() }
    }

    fn now_ns(&self) -> u64 {
        self.clock.elapsed().as_nanos() as u64
    }

    /// The first chunk is due when the graph has had time to start.
    fn due_ns(&self, chunk: usize) -> u64 {
        const START_NS: f64 = 5e6;
        (START_NS + chunk as f64 * self.period_ns) as u64
    }

    /// For each chunk, how long after it was due it left the source, and how long after that it had arrived, in
    /// microseconds.
    pub fn delays_us(&self) -> impl Iterator<Item = (f64, f64)> {
        let get = |place: &AtomicU64| place.load(Ordering::Relaxed) as f64 / 1e3;
        self.sent_ns.iter().zip(&self.arrived_ns).enumerate().map(move |(chunk, (sent, arrived))| {
            (get(sent) - self.due_ns(chunk) as f64 / 1e3, get(arrived) - get(sent))
        })
    }
}

/// Gives a chunk of items whenever one is due, and ends after the last. What it gives is not written.
#[derive(Block)]
pub struct PacedSource {
    #[port("out")]
    output: Out<f32>,
    stamps: Arc<Stamps>,
    /// Whether it sleeps until a chunk is due; else it looks at the clock all the time.
    waits: bool,
    given: usize,
}

impl PacedSource {
    pub fn new(stamps: Arc<Stamps>, waits: bool) -> Self {
        let output = Out::new().min(stamps.chunk).max(stamps.chunk);
        PacedSource { output, stamps, waits, given: 0 }
    }
}

impl Work for PacedSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.given == self.stamps.sent_ns.len() {
            return Ok(Step::Done);
        }
        let due_ns = self.stamps.due_ns(self.given);
        if self.waits {
            context.sleep_until(self.stamps.clock + Duration::from_nanos(due_ns));
        }
        while self.stamps.now_ns() < due_ns {
            if context.is_stopping() {
                return Ok(Step::Done);
            }
            std::hint::spin_loop();
        }
        self.stamps.sent_ns[self.given].store(self.stamps.now_ns(), Ordering::Relaxed);
        self.output.produce(self.stamps.chunk);
        self.given += 1;
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        self.waits
    }
}

/// Notes when the last item of each chunk comes.
pub struct StampingSink {
    stamps: Arc<Stamps>,
    taken: usize,
    /// Chunks that have arrived.
    arrived: usize,
}

impl StampingSink {
    pub fn new(stamps: Arc<Stamps>) -> Self {
        StampingSink { stamps, taken: 0, arrived: 0 }
    }
}

impl SyncBlock for StampingSink {
    type In = f32;
    type Out = ();
    fn process(&mut self, x: &[f32], _: ()) {
        let now_ns = self.stamps.now_ns();
        self.taken += x.len();
        let arrived = self.taken / self.stamps.chunk;
        for place in &self.stamps.arrived_ns[self.arrived..arrived] {
            place.store(now_ns, Ordering::Relaxed);
        }
        self.arrived = arrived;
    }
}

/// Gives items without writing them, with a tag every so many.
#[derive(Block)]
pub struct TagSource {
    #[port]
    out: Out<f32>,
    /// Items from tag to tag, and how many tags wait in the stream beyond its items.
    tags: Option<(u64, u64)>,
    next: u64,
    key: Arc<str>,
}

impl TagSource {
    pub fn new(tags: Option<(u64, u64)>) -> Self {
        TagSource { out: Out::new(), tags, next: 0, key: "n".into() }
    }
}

impl Work for TagSource {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.out.room();
        if let Some((every, alive)) = self.tags {
            let end = self.out.index() + n as u64 + alive * every;
            while self.next < end {
                let offset = (self.next - self.out.index()) as usize;
                self.out.tag(offset, self.key.clone(), self.next);
                self.next += every;
            }
        }
        self.out.produce(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedOutput })
    }
}

/// How many tags have come, and how many of them to another item than their value says.
#[derive(Clone, Debug, Default)]
pub struct Counted(Arc<(AtomicU64, AtomicU64)>);

impl Counted {
    /// Panics unless a tag has come every so many items, of `items`, and each to its own.
    pub fn check(&self, items: u64, every: u64) {
        let (tags, wrong) = (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed));
        assert_eq!(
            (tags, wrong),
            (items.div_ceil(every), 0),
            "tags, and tags in the wrong place, in {items} items"
        );
    }
}

/// Counts tags. It does not look at the items.
#[derive(Block)]
pub struct TagCounter {
    #[port("in")]
    input: In<f32>,
    counted: Counted,
}

impl TagCounter {
    pub fn new(counted: &Counted) -> Self {
        TagCounter { input: In::new(), counted: counted.clone() }
    }
}

impl Work for TagCounter {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let (mut tags, mut wrong) = (0, 0);
        self.input.for_each_tag(n, |tag| {
            tags += 1;
            wrong += u64::from(tag.value != Value::Uint(tag.index));
        });
        if tags > 0 {
            self.counted.0.0.fetch_add(tags, Ordering::Relaxed);
            self.counted.0.1.fetch_add(wrong, Ordering::Relaxed);
        }
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

/// Sends numbers as fast as the queue takes them, so many in each call.
#[derive(Block)]
pub struct Sender {
    #[port("out")]
    output: MsgOut,
    at_once: u32,
    next: u64,
}

impl Sender {
    pub fn new(at_once: u32) -> Self {
        Sender { output: MsgOut::new(), at_once, next: 0 }
    }
}

impl Work for Sender {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for _ in 0..self.at_once {
            self.output.send(self.next)?;
            self.next += 1;
        }
        Ok(Step::Ran)
    }
}

/// Passes messages on, at most so many in each call.
#[derive(Block)]
pub struct Forwarder {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    at_once: u32,
}

impl Forwarder {
    pub fn new(capacity: usize, at_once: u32) -> Self {
        Forwarder { input: MsgIn::with(capacity, WhenFull::Block), output: MsgOut::new(), at_once }
    }
}

impl Work for Forwarder {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for passed in 0..self.at_once {
            let Some(message) = self.input.recv() else {
                return Ok(if passed == 0 { Step::NeedInput } else { Step::Ran });
            };
            self.output.send(message)?;
        }
        Ok(Step::Ran)
    }
}

/// Counts messages, at most so many in each call, and checks that they come in order.
#[derive(Block)]
pub struct Counter {
    #[port("in")]
    input: MsgIn,
    at_once: u32,
    count: Arc<AtomicU64>,
}

impl Counter {
    pub fn new(capacity: usize, at_once: u32, count: Arc<AtomicU64>) -> Self {
        Counter { input: MsgIn::with(capacity, WhenFull::Block), at_once, count }
    }
}

impl Work for Counter {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut count = self.count.load(Ordering::Relaxed);
        let before = count;
        while count - before < self.at_once.into() {
            let Some(message) = self.input.recv() else { break };
            if message.as_u64() != Some(count) {
                return Err(format!("message {count} is {message}").into());
            }
            count += 1;
        }
        self.count.store(count, Ordering::Relaxed);
        Ok(if count == before { Step::NeedInput } else { Step::Ran })
    }
}
