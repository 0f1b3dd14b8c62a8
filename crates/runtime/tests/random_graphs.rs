//! Random graphs: what arrives depends on the graph alone, every run ends, and a stop loses nothing.
//!
//! A graph is drawn from a seed; `expected` computes with plain vectors what each sink must get. `SUPERHET_CASES` sets
//! how many graphs are drawn, `SUPERHET_SEED` which is the first; a failure prints both the seed and the graph.

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use common::{Random, Shared as SharedLanes, mix, no_thread_is_left};
use superhet_runtime::prelude::*;
use superhet_runtime::tag::{forward_tags, map_index};
use superhet_runtime::{
    AnyBlock, InPlace, InPlaceState, RunError, RunningGraph, Scheduler, Shape, Tag, buffer::RingFlavour,
    message::WhenFull, plan::MaxLatency,
};

/// What one port of a passing block asks for.
#[derive(Clone, Copy, Debug)]
struct Contract {
    min: usize,
    max: usize,
    multiple: usize,
    align: usize,
}

#[derive(Clone, Debug)]
enum Kind {
    Source {
        items: u64,
        blocking: bool,
    },
    Offset {
        by: u32,
        pure: bool,
    },
    Ratio {
        up: usize,
        down: usize,
        history: usize,
        delay: u64,
        align: usize,
    },
    State {
        in_place: bool,
    },
    Pass {
        input: Contract,
        output: Contract,
        preload: usize,
        exactly: bool,
    },
    /// Leaves items out: how many depends on what they are.
    Select,
    Split,
    Merge,
    Sink,
    /// A sink that ends when it has so many items.
    Enough(usize),
    /// Sends a message for one item in `every`.
    Announce {
        every: u32,
    },
    /// Keeps messages, up to some number.
    Listen {
        capacity: usize,
        at_most: usize,
    },
    /// Passes items, and keeps messages besides.
    Listener,
}

/// One block: what it does, which outputs it reads (block and port), and who sends it messages.
#[derive(Clone, Debug)]
struct Vertex {
    kind: Kind,
    from: Vec<(usize, usize)>,
    mail_from: Option<usize>,
}

/// What a block has seen, or, for a source, given.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    items: Vec<u32>,
    tags: Vec<(u64, u64)>,
    messages: Vec<u64>,
}

type Shared = Arc<Mutex<Seen>>;

fn lock(seen: &Shared) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The most messages that one block sends: fewer than a queue holds, so that a full one cannot block a loop.
const MOST_MESSAGES: usize = 500;

// The blocks.

/// Item `index` of source `id`.
fn source_item(id: usize, index: u64) -> u32 {
    mix(index ^ (id as u64) << 40) as u32
}

fn is_tagged(item: u32) -> bool {
    item.is_multiple_of(13)
}

/// Gives items, at most 50 at a time, and tags some.
#[derive(Block)]
struct Source {
    #[port("out")]
    output: Out<u32>,
    id: usize,
    items: u64,
    blocking: bool,
    given: Arc<AtomicU64>,
}

impl Work for Source {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index();
        let left = (self.items - first).min(50) as usize;
        let n = self.output.room().min(left);
        for i in 0..n {
            let item = source_item(self.id, first + i as u64);
            if is_tagged(item) {
                self.output.tag(i, "t", first + i as u64);
            }
            self.output.reserve()[i] = item;
        }
        self.output.produce(n);
        self.given.store(self.output.index(), Ordering::Relaxed);
        if self.blocking && first.is_multiple_of(3) {
            context.sleep_until(Instant::now() + Duration::from_micros(100));
        }
        Ok(if self.output.index() == self.items { Step::Done } else { Step::Ran })
    }
    fn blocking(&self) -> bool {
        self.blocking
    }
}

/// `y[n] = x[n] + by` without a state, in place.
struct PureOffset(u32);

impl Pure for PureOffset {
    type In = u32;
    type Out = u32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, y| y.iter_mut().for_each(|y| *y = y.wrapping_add(block.0)));
    fn map(&self, x: &[u32], y: &mut [u32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_add(self.0));
    }
}

/// The same as a sync block that cannot work in place.
struct SyncOffset(u32);

impl SyncBlock for SyncOffset {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        assert_eq!(x.len(), y.len());
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_add(self.0));
    }
}

/// A hash of each window, `up` times in `down` items.
struct RatioBlock {
    up: usize,
    down: usize,
    history: usize,
    delay: u64,
    align: usize,
}

impl Pure for RatioBlock {
    type In = u32;
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.up, decimation: self.down },
            history: self.history,
            delay: self.delay,
            align: self.align,
            ..Shape::default()
        }
    }

    fn map(&self, x: &[u32], y: &mut [u32]) {
        for (turn, y) in y.chunks_exact_mut(self.up).enumerate() {
            let window = &x[turn * self.down..][..self.history + self.down];
            let hash = window.iter().fold(0u32, |hash, x| hash.wrapping_mul(31).wrapping_add(*x));
            y.iter_mut().enumerate().for_each(|(i, y)| *y = hash.wrapping_add(i as u32));
        }
    }
}

/// The running sum.
struct State<const IN_PLACE: bool>(u32);

impl<const IN_PLACE: bool> SyncBlock for State<IN_PLACE> {
    type In = u32;
    type Out = u32;
    const IN_PLACE: Option<InPlaceState<Self>> = if IN_PLACE { Some(Self::add_up) } else { None };
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        y.copy_from_slice(x);
        self.add_up(y);
    }
}

impl<const IN_PLACE: bool> State<IN_PLACE> {
    fn add_up(&mut self, y: &mut [u32]) {
        for y in y {
            self.0 = self.0.wrapping_add(*y);
            *y = self.0;
        }
    }
}

/// Two streams from one.
struct SplitBlock;

impl Pure for SplitBlock {
    type In = u32;
    type Out = (u32, u32);
    fn map(&self, x: &[u32], (a, b): (&mut [u32], &mut [u32])) {
        a.copy_from_slice(x);
        b.iter_mut().zip(x).for_each(|(b, x)| *b = !x);
    }
}

/// One stream from two.
struct MergeBlock;

impl Pure for MergeBlock {
    type In = (u32, u32);
    type Out = u32;
    fn map(&self, (a, b): (&[u32], &[u32]), y: &mut [u32]) {
        for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
            *y = a.wrapping_mul(3).wrapping_add(*b);
        }
    }
}

/// Passes items and tags on, and fails when a span breaks what the ports ask for.
#[derive(Block)]
struct Pass {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: Out<u32>,
    contracts: [Contract; 2],
    /// Take the least that is possible at a time, as for packets.
    exactly: bool,
}

impl Pass {
    fn pass(&mut self, n: usize) {
        forward_tags(&mut self.input, &mut self.output, n);
        self.output.reserve()[..n].copy_from_slice(&self.input.rest()[..n]);
        self.input.consume(n);
        self.output.produce(n);
    }
}

impl Work for Pass {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let spans = [(self.input.peek().len(), "input"), (self.output.reserve().len(), "output")];
        for ((n, side), contract) in spans.into_iter().zip(&self.contracts) {
            if n < contract.min.max(1) || n > contract.max || !n.is_multiple_of(contract.multiple) {
                return Err(format!("a span of {n} items on the {side}, but {contract:?}").into());
            }
        }
        let least = self.contracts[0].min.next_multiple_of(self.contracts[0].multiple);
        let n = spans[0].0.min(spans[1].0);
        self.pass(if self.exactly { n.min(least) } else { n });
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.rest().len().min(self.output.reserve().len());
        self.pass(n);
        Ok(if self.input.rest().is_empty() { Step::Done } else { Step::Ran })
    }
}

fn is_selected(item: u32) -> bool {
    !(item >> 3).is_multiple_of(3)
}

/// Passes some items on, with their tags.
#[derive(Block)]
struct Select {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: Out<u32>,
}

impl Work for Select {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (first, room) = (self.input.index(), self.output.room());
        let tags = self.input.tags();
        let (mut taken, mut given) = (0, 0);
        let mut kept_tags = Vec::new();
        for &item in self.input.peek() {
            if is_selected(item) {
                if given == room {
                    break;
                }
                let here = tags.iter().filter(|tag| tag.index == first + taken as u64);
                kept_tags.extend(here.map(|tag| (given, tag.value.clone())));
                self.output.reserve()[given] = item;
                given += 1;
            }
            taken += 1;
        }
        kept_tags.into_iter().for_each(|(at, value)| self.output.tag(at, "t", value));
        self.input.consume(taken);
        self.output.produce(given);
        Ok(if taken > 0 { Step::Ran } else { Step::NeedOutput })
    }
}

/// Keeps items and tags.
#[derive(Block)]
struct Sink {
    #[port("in")]
    input: In<u32>,
    seen: Shared,
    enough: usize,
}

impl Work for Sink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut seen = lock(&self.seen);
        seen.items.extend_from_slice(self.input.peek());
        seen.tags.extend(self.input.tags().iter().map(|tag: &Tag| (tag.index, tag.value.as_u64().unwrap())));
        self.input.consume(self.input.available());
        Ok(if seen.items.len() >= self.enough { Step::Done } else { Step::Ran })
    }
}

fn is_announced(item: u32, every: u32) -> bool {
    (item >> 7).is_multiple_of(every)
}

/// Sends some items as messages.
#[derive(Block)]
struct Announce {
    #[port("in")]
    input: In<u32>,
    #[port]
    news: MsgOut,
    every: u32,
    sent: usize,
}

impl Work for Announce {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for item in self.input.peek() {
            if is_announced(*item, self.every) && self.sent < MOST_MESSAGES {
                self.news.send(*item)?;
                self.sent += 1;
            }
        }
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

/// Keeps messages.
#[derive(Block)]
struct Listen {
    #[port]
    news: MsgIn,
    seen: Shared,
    at_most: usize,
}

impl Work for Listen {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut seen = lock(&self.seen);
        while let Some(message) = self.news.recv() {
            seen.messages.push(message.as_u64().unwrap());
            if seen.messages.len() >= self.at_most {
                return Ok(Step::Done);
            }
        }
        Ok(Step::NeedInput)
    }
}

/// Passes items on, and keeps messages besides.
#[derive(Block)]
struct Listener {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: Out<u32>,
    #[port]
    news: MsgIn,
    seen: Shared,
}

impl Work for Listener {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.news.recv() {
            lock(&self.seen).messages.push(message.as_u64().unwrap());
        }
        let n = self.input.available().min(self.output.room());
        forward_tags(&mut self.input, &mut self.output, n);
        self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

// Drawing a graph.

/// A stream while a graph is drawn: its source, and its rate against it.
#[derive(Clone, Copy)]
struct Drawn {
    output: (usize, usize),
    rate: (usize, usize),
    origin: usize,
    is_read: bool,
}

fn contract(random: &mut Random) -> Contract {
    let multiple = if random.one_in(2) { random.between(1, 6) } else { 1 };
    let min = if random.one_in(2) { random.between(1, 200) } else { 1 };
    let needed = min.next_multiple_of(multiple);
    let max = if random.one_in(3) { needed + random.between(0, 50) } else { usize::MAX };
    Contract { min, max, multiple, align: random.align() }
}

/// A graph at random, but for those that may get stuck without anybody noticing: a message from outside, which the
/// runtime cannot rule out where a block takes messages, might always come to help.
fn draw(random: &mut Random, endless: bool) -> Vec<Vertex> {
    let takes_messages = |v: &Vertex| matches!(v.kind, Kind::Listen { .. } | Kind::Listener);
    loop {
        let vertices = draw_any(random, endless);
        if !(may_get_stuck(&vertices) && vertices.iter().any(takes_messages)) {
            return vertices;
        }
    }
}

fn draw_any(random: &mut Random, endless: bool) -> Vec<Vertex> {
    let mut vertices: Vec<Vertex> = Vec::new();
    let mut streams: Vec<Drawn> = Vec::new();
    let sources = if random.one_in(4) { 2 } else { 1 };
    for origin in 0..sources {
        let items = if endless { u64::MAX } else { random.between(0, 4000) as u64 };
        let kind = Kind::Source { items, blocking: random.one_in(if endless { 4 } else { 20 }) };
        vertices.push(Vertex { kind, from: vec![], mail_from: None });
        streams.push(Drawn { output: (origin, 0), rate: (1, 1), origin, is_read: false });
    }
    for _ in 0..random.between(1, 12) {
        let id = vertices.len();
        // Mostly the newest stream, so that chains grow; at times an old one, so that streams fan out.
        let at = if random.one_in(3) { random.between(0, streams.len() - 1) } else { streams.len() - 1 };
        let input = streams[at];
        let rate = input.rate.0 as f64 / input.rate.1 as f64;
        let partner = (0..streams.len())
            .filter(|&s| streams[s].origin == input.origin && streams[s].rate == input.rate)
            .max_by_key(|&s| mix(s as u64 + random.0));
        let mut from = vec![input.output];
        let mut new_rate = input.rate;
        let mut outputs = 1;
        let kind = match random.between(0, 11) {
            0..=2 => Kind::Offset { by: random.next() as u32, pure: !random.one_in(4) },
            3 => Kind::State { in_place: random.one_in(2) },
            4 | 5 => {
                let up = if rate < 4.0 { random.between(1, 4) } else { 1 };
                let down = if rate > 0.05 { random.between(1, 7) } else { 1 };
                let history = if random.one_in(2) { random.between(0, 300) } else { 0 };
                let delay = if random.one_in(3) { random.between(0, 20) as u64 } else { 0 };
                let (num, den) = (input.rate.0 * up, input.rate.1 * down);
                let common = gcd(num, den);
                new_rate = (num / common, den / common);
                Kind::Ratio { up, down, history, delay, align: random.align() }
            }
            6 => {
                let preload = if random.one_in(4) { random.between(1, 30) } else { 0 };
                let (input, output) = (contract(random), contract(random));
                Kind::Pass { input, output, preload, exactly: random.one_in(3) }
            }
            7 => {
                outputs = 2;
                Kind::Split
            }
            8 => {
                from.push(streams[partner.unwrap_or(at)].output);
                streams[partner.unwrap_or(at)].is_read = true;
                Kind::Merge
            }
            9 => Kind::Listener,
            10 => Kind::Select,
            _ => {
                outputs = 0;
                match random.between(0, 2) {
                    0 => Kind::Sink,
                    1 => Kind::Enough(random.between(1, 2000)),
                    _ => Kind::Announce { every: random.between(1, 50) as u32 },
                }
            }
        };
        streams[at].is_read = true;
        // A general block starts rates afresh; only streams known to run in step are merged.
        let origin = match kind {
            Kind::Pass { .. } | Kind::Listener | Kind::Select => usize::MAX - id,
            _ => input.origin,
        };
        vertices.push(Vertex { kind, from, mail_from: None });
        for port in 0..outputs {
            streams.push(Drawn { output: (id, port), rate: new_rate, origin, is_read: false });
        }
    }
    for stream in streams.iter().filter(|stream| !stream.is_read) {
        let enough = random.one_in(8).then(|| random.between(1, 2000));
        let kind = enough.map_or(Kind::Sink, Kind::Enough);
        vertices.push(Vertex { kind, from: vec![stream.output], mail_from: None });
    }
    let announcers: Vec<usize> =
        (0..vertices.len()).filter(|&v| matches!(vertices[v].kind, Kind::Announce { .. })).collect();
    for &announcer in &announcers {
        let at_most = if random.one_in(5) { random.between(1, 30) } else { usize::MAX };
        let kind = Kind::Listen { capacity: random.between(1, 20), at_most };
        vertices.push(Vertex { kind, from: vec![], mail_from: Some(announcer) });
    }
    if !announcers.is_empty() {
        for vertex in vertices.iter_mut().filter(|vertex| matches!(vertex.kind, Kind::Listener)) {
            vertex.mail_from = Some(announcers[random.between(0, announcers.len() - 1)]);
        }
    }
    vertices
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether one of two paths that meet again may hold back more than the other's buffers can take.
fn may_get_stuck(vertices: &[Vertex]) -> bool {
    let merges = vertices.iter().any(|v| matches!(v.kind, Kind::Merge));
    let holds_back = |v: &Vertex| match &v.kind {
        Kind::Ratio { down, .. } => *down > 1,
        Kind::Pass { .. } => true,
        _ => false,
    };
    merges && vertices.iter().any(holds_back)
}

// What must come out.

fn stable_by_index(mut tags: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    tags.sort_by_key(|(index, _)| *index);
    tags
}

/// What each block sees, if source `s` gives `given[s]` items.
fn expected(vertices: &[Vertex], given: &[u64]) -> Vec<Seen> {
    let mut outputs: Vec<Vec<Seen>> = Vec::new();
    let mut all = vec![Seen::default(); vertices.len()];
    for (id, vertex) in vertices.iter().enumerate() {
        let inputs: Vec<&Seen> = vertex.from.iter().map(|&(block, port)| &outputs[block][port]).collect();
        let taken = inputs.iter().map(|input| input.items.len()).min().unwrap_or(0);
        let taken = if let Kind::Ratio { down, .. } = vertex.kind { taken / down * down } else { taken };
        let items = |input: usize| &inputs[input].items[..taken];
        let tags = || {
            let tags = inputs.iter().flat_map(|input| input.tags.iter().copied());
            stable_by_index(tags.filter(|(index, _)| *index < taken as u64).collect())
        };
        let one = |items: Vec<u32>| vec![Seen { items, tags: tags(), messages: vec![] }];
        let mapped = |by: &mut dyn FnMut(u32) -> u32| one(items(0).iter().map(|x| by(*x)).collect());
        let given = match &vertex.kind {
            Kind::Source { .. } => {
                let items: Vec<u32> = (0..given[id]).map(|index| source_item(id, index)).collect();
                let tagged = (0..given[id]).filter(|index| is_tagged(items[*index as usize]));
                let tags = tagged.map(|index| (index, index)).collect();
                vec![Seen { items, tags, messages: vec![] }]
            }
            Kind::Offset { by, .. } => mapped(&mut |x| x.wrapping_add(*by)),
            Kind::State { .. } => {
                let mut sum = 0u32;
                mapped(&mut |x| {
                    sum = sum.wrapping_add(x);
                    sum
                })
            }
            Kind::Ratio { up, down, history, delay, .. } => {
                let mut padded = vec![0; *history];
                padded.extend_from_slice(items(0));
                let mut y = vec![0; taken / down * up];
                RatioBlock { up: *up, down: *down, history: *history, delay: 0, align: 1 }
                    .map(&padded, &mut y);
                let tags = tags().into_iter().map(|(i, value)| (map_index(i, *up, *down, *delay), value));
                vec![Seen { items: y, tags: tags.collect(), messages: vec![] }]
            }
            Kind::Pass { preload, .. } => {
                let mut padded = vec![0; *preload];
                padded.extend_from_slice(items(0));
                let tags = tags().into_iter().map(|(i, value)| (i + *preload as u64, value));
                vec![Seen { items: padded, tags: tags.collect(), messages: vec![] }]
            }
            Kind::Select => {
                let kept: Vec<usize> = (0..taken).filter(|&i| is_selected(items(0)[i])).collect();
                let place = |index: u64| Some(kept.binary_search(&(index as usize)).ok()? as u64);
                let tags = tags().into_iter().filter_map(|(i, value)| Some((place(i)?, value)));
                let items = kept.iter().map(|&i| items(0)[i]).collect();
                vec![Seen { items, tags: tags.collect(), messages: vec![] }]
            }
            Kind::Split => [one(items(0).to_vec()), mapped(&mut |x| !x)].concat(),
            Kind::Merge => {
                let merged = items(0).iter().zip(items(1)).map(|(a, b)| a.wrapping_mul(3).wrapping_add(*b));
                one(merged.collect())
            }
            Kind::Listener | Kind::Sink | Kind::Enough(_) => one(items(0).to_vec()),
            Kind::Announce { every } => {
                let news = items(0).iter().filter(|x| is_announced(**x, *every)).take(MOST_MESSAGES);
                all[id].messages = news.map(|x| u64::from(*x)).collect();
                vec![]
            }
            Kind::Listen { .. } => vec![],
        };
        if matches!(vertex.kind, Kind::Sink | Kind::Enough(_)) {
            all[id] = given[0].clone();
        }
        outputs.push(given);
    }
    for (id, vertex) in vertices.iter().enumerate() {
        if let Some(announcer) = vertex.mail_from {
            all[id].messages = all[announcer].messages.clone();
        }
    }
    all
}

/// What is wrong with what block `id` has seen.
fn mistake(vertices: &[Vertex], id: usize, seen: &Seen, wanted: &Seen) -> Option<String> {
    let is_prefix = |a: &Seen, b: &Seen| {
        let end = a.items.len() as u64;
        let tags: Vec<_> = b.tags.iter().copied().filter(|(index, _)| *index < end).collect();
        b.items.starts_with(&a.items) && a.tags == tags && b.messages.starts_with(&a.messages)
    };
    let good = match vertices[id].kind {
        Kind::Sink => seen == wanted,
        Kind::Enough(enough) => is_prefix(seen, wanted) && seen.items.len() >= enough.min(wanted.items.len()),
        Kind::Listen { at_most, .. } => {
            is_prefix(seen, wanted) && seen.messages.len() == at_most.min(wanted.messages.len())
        }
        // Its stream may end while messages still come, and the other way round.
        Kind::Listener => is_prefix(seen, wanted),
        _ => return None,
    };
    (!good).then(|| {
        let first = seen.items.iter().zip(&wanted.items).position(|(a, b)| a != b);
        let count = |seen: &Seen| (seen.items.len(), seen.tags.len(), seen.messages.len());
        format!(
            "b{id} has seen (items, tags, messages) {:?}, not {:?}; the first wrong item is {first:?}",
            count(seen),
            count(wanted)
        )
    })
}

// Running a graph.

fn build(vertices: &[Vertex], counts: &[Arc<AtomicU64>], seen: &[Shared]) -> Graph {
    let mut graph = Graph::new();
    for (id, vertex) in vertices.iter().enumerate() {
        let shared = seen[id].clone();
        let block = match vertex.kind.clone() {
            Kind::Source { items, blocking } => {
                AnyBlock::new(Source { output: Out::new(), id, items, blocking, given: counts[id].clone() })
            }
            Kind::Offset { by, pure: true } => AnyBlock::new(PureOffset(by)),
            Kind::Offset { by, pure: false } => AnyBlock::new(SyncOffset(by)),
            Kind::Ratio { up, down, history, delay, align } => {
                AnyBlock::new(RatioBlock { up, down, history, delay, align })
            }
            Kind::State { in_place: true } => AnyBlock::new(State::<true>(0)),
            Kind::State { in_place: false } => AnyBlock::new(State::<false>(0)),
            Kind::Pass { input: i, output: o, preload, exactly } => {
                let input = In::new().min(i.min).max(i.max).multiple(i.multiple).align(i.align);
                let output = Out::new().min(o.min).max(o.max).multiple(o.multiple).align(o.align);
                AnyBlock::new(Pass { input, output: output.preload(preload), contracts: [i, o], exactly })
            }
            Kind::Select => AnyBlock::new(Select { input: In::new(), output: Out::new() }),
            Kind::Split => AnyBlock::new(SplitBlock),
            Kind::Merge => AnyBlock::new(MergeBlock),
            Kind::Sink => AnyBlock::new(Sink { input: In::new(), seen: shared, enough: usize::MAX }),
            Kind::Enough(enough) => AnyBlock::new(Sink { input: In::new(), seen: shared, enough }),
            Kind::Announce { every } => {
                AnyBlock::new(Announce { input: In::new(), news: MsgOut::new(), every, sent: 0 })
            }
            Kind::Listen { capacity, at_most } => {
                let news = MsgIn::with(capacity, WhenFull::Block);
                AnyBlock::new(Listen { news, seen: shared, at_most })
            }
            Kind::Listener => AnyBlock::new(Listener {
                input: In::new(),
                output: Out::new(),
                news: MsgIn::new(),
                seen: shared,
            }),
        };
        graph.add_any(format!("b{id}"), block);
    }
    for (id, vertex) in vertices.iter().enumerate() {
        for (input, &(block, port)) in vertex.from.iter().enumerate() {
            let port = if matches!(vertices[block].kind, Kind::Split) { port.to_string() } else { "".into() };
            let input = if vertex.from.len() > 1 { input.to_string() } else { "".into() };
            graph.connect_names(&format!("b{block}.out{port}"), &format!("b{id}.in{input}"));
        }
        if let Some(announcer) = vertex.mail_from {
            graph.connect_names(&format!("b{announcer}.news"), &format!("b{id}.news"));
        }
    }
    graph
}

/// A way to run a graph, drawn at random.
fn way(random: &mut Random, blocks: usize) -> (String, Box<dyn Scheduler>, Options) {
    let (name, scheduler): (String, Box<dyn Scheduler>) = match random.between(0, 8) {
        5 => ("adaptive".into(), Box::new(Adaptive::workers(random.between(1, 3)))),
        6..=8 => {
            let (workers, seed) = (random.between(1, 8), random.between(0, 1000) as u64);
            (format!("shared by {workers}, seed {seed}"), Box::new(SharedLanes::new(workers, seed)))
        }
        0 => ("single".into(), Box::new(Single)),
        1 => ("pinned 2".into(), Box::new(Pinned::workers(2))),
        2 | 3 => {
            let mut lanes = vec![Vec::new(); random.between(1, 4)];
            for block in 0..blocks {
                let lane = random.between(0, lanes.len() - 1);
                lanes[lane].push(format!("b{block}"));
            }
            lanes.retain(|lane| !lane.is_empty());
            (format!("pinned {lanes:?}"), Box::new(Pinned::lanes(lanes)))
        }
        _ => ("threads".into(), Box::new(Threads)),
    };
    let options = Options {
        strip_items: match random.between(0, 3) {
            0 => None,
            1 => Some(random.between(1, 5)),
            2 => Some(random.between(1, 100)),
            _ => Some(random.between(1, 5000)),
        },
        seed: random.one_in(3).then(|| random.next()),
        rings: if random.one_in(2) { RingFlavour::Mirrored } else { RingFlavour::Single },
        in_place: !random.one_in(3),
        max_latency: random.one_in(4).then(|| MaxLatency::Items(random.between(1, 3000))),
        ..Options::default()
    };
    (name, scheduler, options)
}

/// One graph, started.
struct Run {
    running: RunningGraph,
    counts: Vec<Arc<AtomicU64>>,
    seen: Vec<Shared>,
}

impl Run {
    fn start(vertices: &[Vertex], scheduler: &dyn Scheduler, options: &Options) -> Self {
        let counts: Vec<_> = vertices.iter().map(|_| Arc::default()).collect();
        let seen: Vec<_> = vertices.iter().map(|_| Arc::default()).collect();
        let graph = build(vertices, &counts, &seen).check().unwrap();
        Run { running: graph.start(scheduler, options).unwrap(), counts, seen }
    }
}

/// The tests of this file count threads, so they run one after another.
static ALONE: Mutex<()> = Mutex::new(());

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn check_all(vertices: &[Vertex], seen: &[Shared], given: &[u64], context: &dyn Fn() -> String) {
    let wanted = expected(vertices, given);
    for id in 0..vertices.len() {
        if let Some(mistake) = mistake(vertices, id, &lock(&seen[id]), &wanted[id]) {
            panic!("{mistake}\n{}", context());
        }
    }
}

#[test]
fn a_random_graph_gives_the_same_in_every_way_and_always_ends() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (first, cases) = (from_env("SUPERHET_SEED", 0), from_env("SUPERHET_CASES", 1000));
    let (mut runs, mut stuck) = (0, 0);
    for seed in first..first + cases {
        let mut random = Random::new(seed);
        let vertices = draw(&mut random, false);
        let given: Vec<u64> = vertices
            .iter()
            .map(|v| if let Kind::Source { items, .. } = v.kind { items } else { 0 })
            .collect();
        let reference = ("single".to_owned(), Box::new(Single) as Box<dyn Scheduler>, Options::default());
        let ways = std::iter::once(reference).chain((0..4).map(|_| way(&mut random, vertices.len())));
        for (name, scheduler, options) in ways.collect::<Vec<_>>() {
            let context = || format!("seed {seed}, {name}, {options:?}, {vertices:?}");
            let mut run = Run::start(&vertices, &*scheduler, &options);
            runs += 1;
            match run.running.wait_for(Duration::from_secs(20)) {
                None => panic!("hangs: {}\n{:?}", context(), run.running.metrics()),
                Some(Err(RunError::Stuck { .. })) if may_get_stuck(&vertices) => stuck += 1,
                Some(Err(error)) => panic!("{error}\n{}", context()),
                Some(Ok(_)) => check_all(&vertices, &run.seen, &given, &context),
            }
        }
    }
    println!("{runs} runs, {stuck} of them stuck at a merge");
    assert!(stuck * 4 <= runs, "{stuck} of {runs} runs are stuck at a merge");
}

#[test]
fn a_random_graph_ends_at_any_moment_and_a_stop_loses_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (first, cases) = (from_env("SUPERHET_SEED", 0), from_env("SUPERHET_CASES", 1000));
    for seed in first..first + cases {
        let mut random = Random::new(seed ^ 0x5709);
        let vertices = draw(&mut random, true);
        let (name, scheduler, options) = way(&mut random, vertices.len());
        let context = || format!("seed {seed}, {name}, {options:?}, {vertices:?}");
        let mut run = Run::start(&vertices, &*scheduler, &options);
        std::thread::sleep(Duration::from_micros(random.between(0, 3000) as u64));
        let start = Instant::now();
        let how = random.between(0, 4);
        let result = match how {
            0 => run.running.stop_within(Duration::from_secs(30)),
            1 => {
                run.running.stop();
                match run.running.wait_for(Duration::from_secs(30)) {
                    Some(result) => result,
                    None => panic!("does not stop: {}\n{:?}", context(), run.running.metrics()),
                }
            }
            2 => {
                run.running.cancel();
                run.running.wait()
            }
            3 => {
                let control = run.running.control();
                drop(run.running);
                Ok(control.metrics())
            }
            _ => {
                // A stop that is cancelled at once.
                run.running.stop();
                run.running.cancel();
                run.running.wait()
            }
        };
        assert!(start.elapsed() < Duration::from_secs(30), "took {:?}\n{}", start.elapsed(), context());
        match result {
            Err(RunError::Stuck { .. }) if may_get_stuck(&vertices) => continue,
            Err(error) => panic!("{error}\n{}", context()),
            Ok(_) if how <= 1 => {
                let given: Vec<u64> = run.counts.iter().map(|c| c.load(Ordering::Relaxed)).collect();
                check_all(&vertices, &run.seen, &given, &context);
            }
            Ok(_) => {}
        }
        assert!(no_thread_is_left(), "a thread is left behind\n{}", context());
    }
}

/// Runs a graph that was found by the tests above, with short strips on one worker.
fn runs_to_its_end(vertices: &[(Kind, &[(usize, usize)])], items: u64) {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let vertices: Vec<Vertex> = (vertices.iter())
        .map(|(kind, from)| Vertex { kind: kind.clone(), from: from.to_vec(), mail_from: None })
        .collect();
    for strip_items in [1, 4, 5, 64] {
        let options = Options { strip_items: Some(strip_items), ..Options::default() };
        let mut run = Run::start(&vertices, &Single, &options);
        run.running.wait_for(Duration::from_secs(20)).expect("the graph ends").unwrap();
        let given: Vec<u64> = vertices.iter().map(|_| items).collect();
        check_all(&vertices, &run.seen, &given, &|| format!("{options:?}"));
    }
}

#[test]
fn an_output_whose_in_place_reader_has_ended_does_not_hold_up_the_other_output() {
    let items = 20_000;
    let window = Kind::Ratio { up: 1, down: 1, history: 30, delay: 0, align: 1 };
    runs_to_its_end(
        &[
            (Kind::Source { items, blocking: false }, &[]),
            (Kind::Split, &[(0, 0)]),
            (Kind::Sink, &[(1, 0)]),
            (Kind::Offset { by: 1, pure: true }, &[(1, 1)]),
            (window, &[(3, 0)]),
            (Kind::Enough(100), &[(4, 0)]),
        ],
        items,
    );
}

#[test]
fn an_in_place_block_is_not_overtaken_when_all_its_readers_have_ended() {
    let items = 20_000;
    let ratio = Kind::Ratio { up: 1, down: 6, history: 126, delay: 0, align: 1 };
    runs_to_its_end(
        &[
            (Kind::Source { items, blocking: false }, &[]),
            (Kind::Offset { by: 1, pure: true }, &[(0, 0)]),
            (Kind::Offset { by: 1, pure: true }, &[(1, 0)]),
            (ratio, &[(2, 0)]),
            (Kind::Enough(100), &[(3, 0)]),
        ],
        items,
    );
}
