//! Parameters: a change takes effect at exactly its item, whoever runs the block and wherever its input is cut.
//!
//! A chain and changes for its blocks are drawn from a seed; `expected` computes with plain vectors what must come out.
//! `SUPERHET_CASES` sets how many chains are drawn, `SUPERHET_SEED` which is the first.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::common::hash::{Flat, Hash, Running};
use crate::common::{Random, Shared, counting, finish, keeping, mix, schedulers};
use superhet_runtime::harness::{VecSink, VecSource};
use superhet_runtime::parameter::{Receipt, no_parameter};
use superhet_runtime::prelude::*;
use superhet_runtime::{AnyBlock, Scheduler, Shape, error::MessageError, report::Outcome, tag::TagPolicy};

/// How long a graph may take, on a machine under load and under a sanitizer, too.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Pure,
    PureInPlace,
    Sync,
    SyncInPlace,
}

#[derive(Clone, Debug)]
struct Link {
    level: Level,
    hash: Hash,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    link: usize,
    name: &'static str,
    value: u32,
    /// The item asked for.
    at: u64,
    /// Asked for while the graph runs.
    while_running: bool,
}

#[derive(Clone, Debug)]
struct Case {
    links: Vec<Link>,
    items: usize,
    changes: Vec<Change>,
    /// The source waits here until all changes were asked for.
    pause: usize,
}

fn draw(random: &mut Random) -> Case {
    let links: Vec<Link> = (0..random.between(1, 6))
        .map(|_| {
            let level = match random.between(0, 7) {
                0 => Level::Sync,
                1 => Level::SyncInPlace,
                2..=4 => Level::Pure,
                _ => Level::PureInPlace,
            };
            let in_place = matches!(level, Level::PureInPlace | Level::SyncInPlace);
            let (up, down) = match in_place || random.one_in(3) {
                true => (1, 1),
                false => (random.between(1, 4), random.between(1, 5)),
            };
            let history = if in_place || random.one_in(3) { 0 } else { random.between(1, 60) };
            let (gain, offset) = (random.next() as u32 | 1, random.next() as u32);
            Link { level, hash: Hash { up, down, history, gain, offset } }
        })
        .collect();
    let items = random.between(1, 6000);
    let pause = random.between(0, items - 1);
    let mut lengths = vec![items];
    links.iter().for_each(|link| {
        let n = lengths[lengths.len() - 1];
        lengths.push(n / link.hash.down * link.hash.up);
    });
    let changes = (0..random.between(0, 12))
        .map(|_| {
            let link = random.between(0, links.len() - 1);
            Change {
                link,
                name: Hash::NAMES[random.between(0, 1)],
                value: random.next() as u32,
                at: random.between(0, lengths[link] + 10) as u64,
                while_running: random.one_in(2),
            }
        })
        .collect();
    Case { links, items, changes, pause }
}

fn item(index: u64) -> u32 {
    mix(index) as u32
}

/// What must come out, where each change holds from the item `from[change]` on.
fn expected(case: &Case, from: &[Option<u64>]) -> Vec<u32> {
    expected_of(case, from, (0..case.items as u64).map(item).collect())
}

fn expected_of(case: &Case, from: &[Option<u64>], mut x: Vec<u32>) -> Vec<u32> {
    for (place, link) in case.links.iter().enumerate() {
        let mut changes: Vec<(u64, Change)> = (case.changes.iter().zip(from))
            .filter(|(change, _)| change.link == place)
            .filter_map(|(change, from)| Some(((*from)?, *change)))
            .collect();
        // Those at one item in the order in which they were asked for.
        changes.sort_by_key(|(from, change)| (*from, change.while_running));
        let Hash { up, down, history, .. } = link.hash;
        let mut padded = vec![0; history];
        padded.extend_from_slice(&x);
        let mut y = Vec::new();
        for turn in 0..x.len() / down {
            let first = turn * down;
            let mut hash = link.hash.clone();
            for (_, change) in changes.iter().take_while(|(from, _)| *from <= first as u64) {
                hash = hash.with(change.name, change.value);
            }
            let mut out = vec![0; up];
            hash.apply(&padded[first..first + history + down], &mut out);
            y.extend(out);
        }
        if matches!(link.level, Level::Sync | Level::SyncInPlace) {
            let mut sum = 0u32;
            y.iter_mut().for_each(|y| {
                sum = sum.wrapping_add(*y);
                *y = sum;
            });
        }
        x = y;
    }
    x
}

/// Gives items, and waits before item `pause` until it is released.
#[derive(Block)]
struct Source {
    #[port("out")]
    output: Out<u32>,
    items: u64,
    pause: u64,
    released: Arc<AtomicBool>,
    /// What it has given, for those who want to be in the middle of things.
    given: Arc<AtomicU64>,
}

impl Work for Source {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index();
        let mut end = self.items;
        if first <= self.pause && !self.released.load(Ordering::Acquire) {
            end = self.pause;
            if first == end {
                context.sleep_until(Instant::now() + Duration::from_micros(50));
                return Ok(if context.is_stopping() { Step::Done } else { Step::Ran });
            }
        }
        let n = self.output.room().min((end - first) as usize);
        for (i, y) in self.output.reserve()[..n].iter_mut().enumerate() {
            *y = item(first + i as u64);
        }
        self.output.produce(n);
        self.given.store(first + n as u64, Ordering::Relaxed);
        Ok(if first + n as u64 == self.items { Step::Done } else { Step::Ran })
    }
    fn blocking(&self) -> bool {
        true
    }
}

fn block_of(link: &Link) -> AnyBlock {
    let hash = link.hash.clone();
    match link.level {
        Level::Pure => AnyBlock::new(hash),
        Level::PureInPlace => AnyBlock::new(Flat(hash)),
        Level::Sync => AnyBlock::new(Running::<false>::new(hash)),
        Level::SyncInPlace => AnyBlock::new(Running::<true>::new(hash)),
    }
}

fn check(case: &Case, scheduler: &dyn Scheduler, options: &Options) {
    let (released, given) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut graph = Graph::new();
    let source = Source {
        output: Out::new(),
        items: case.items as u64,
        pause: case.pause as u64,
        released: released.clone(),
        given: given.clone(),
    };
    graph.add("source", source);
    let mut last = "source".to_owned();
    for (place, link) in case.links.iter().enumerate() {
        let name = format!("link{place}");
        graph.add_any(&name, block_of(link));
        graph.connect_names(&last, &name);
        last = name;
    }
    let sink = VecSink::<u32>::new();
    let items = sink.items();
    graph.add("sink", sink);
    graph.connect_names(&last, "sink");
    let mut graph = graph.check().unwrap();
    let name = |change: &Change| format!("link{}.{}", change.link, change.name);
    let mut receipts: Vec<Option<Receipt>> = case
        .changes
        .iter()
        .map(|c| (!c.while_running).then(|| graph.set_at(name(c), c.value, c.at).unwrap()))
        .collect();
    let mut running = graph.start(scheduler, options).unwrap();
    // In the middle of things, or when all that the source gives before its pause is on its way.
    while given.load(Ordering::Relaxed) < case.pause as u64 / 2 {
        std::thread::yield_now();
    }
    let mut asked_in_time = vec![true; case.changes.len()];
    for (place, change) in case.changes.iter().enumerate().filter(|(_, change)| change.while_running) {
        // What the source has not given, no first link can have taken.
        asked_in_time[place] = change.link == 0 && change.at >= case.pause as u64;
        receipts[place] = Some(running.set_at(name(change), change.value, change.at).unwrap());
    }
    released.store(true, Ordering::Release);
    match running.wait_for(PATIENCE) {
        Some(result) => result.unwrap(),
        None => panic!("the graph hangs under {}: {case:?}", scheduler.name()),
    };
    let mut from = Vec::new();
    for ((change, receipt), in_time) in case.changes.iter().zip(&receipts).zip(&asked_in_time) {
        let wanted = change.at.next_multiple_of(case.links[change.link].hash.down as u64);
        let outcome = receipt.as_ref().unwrap().wait(Duration::ZERO);
        match outcome {
            Ok(Some(index)) if *in_time => assert_eq!(index, wanted, "{change:?}"),
            Ok(Some(index)) => assert!(index >= wanted, "{change:?} at {index}"),
            Err(MessageError::Ended { .. }) => {}
            other => panic!("{change:?}: {other:?}"),
        }
        from.push(receipt.as_ref().unwrap().index());
    }
    let (got, wanted) = (items.take(), expected(case, &from));
    let differs = got.iter().zip(&wanted).position(|(a, b)| a != b);
    assert!(
        got == wanted,
        "{} with {options:?}: {} items of {}, the first that differs is {differs:?}, changes hold from {from:?}",
        scheduler.name(),
        got.len(),
        wanted.len(),
    );
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn changes_take_effect_at_their_items_in_every_worker() {
    let first = number("SUPERHET_SEED", 0);
    for seed in first..first + number("SUPERHET_CASES", 60) {
        let mut random = Random::new(seed);
        let case = draw(&mut random);
        let schedulers: Vec<Box<dyn Scheduler>> = vec![
            Box::new(Single),
            Box::new(Threads),
            Box::new(Adaptive::workers(2)),
            Box::new(Shared::new(2, 0)),
            Box::new(Shared::new(3, 0)),
            Box::new(Shared::new(3, seed + 1)),
        ];
        for scheduler in schedulers {
            let options = Options {
                strip_items: [None, Some(1), Some(7), Some(64), Some(500)][random.between(0, 4)],
                seed: random.one_in(2).then_some(seed),
                in_place: !random.one_in(3),
                ..Options::default()
            };
            let run = catch_unwind(AssertUnwindSafe(|| check(&case, &*scheduler, &options)));
            assert!(run.is_ok(), "SUPERHET_SEED={seed}, {}, {options:?}: {case:#?}", scheduler.name());
        }
    }
}

/// `y = gain · x + offset`, with a gain of at most 100 and never less than `least`.
#[derive(Clone)]
struct Gain {
    gain: u32,
    least: u32,
}

impl Pure for Gain {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["gain", "least"];
    const FORMERLY: &'static [(&'static str, &'static str)] = &[("minimum", "least")];
    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        let number = value.as_u64().filter(|n| *n <= 100);
        let number = number.ok_or_else(|| format!("expected a number up to 100, got {value}"))? as u32;
        let next = match name {
            "gain" => Gain { gain: number, ..*self },
            "least" => Gain { least: number, ..*self },
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        };
        if next.gain < next.least { Err("the gain would be below the least".into()) } else { Ok(next) }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        Some(Value::from(if name == "gain" { self.gain } else { self.least }))
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x.wrapping_mul(self.gain));
    }
}

/// A graph `source → gain → sink` whose source waits before item `pause`.
fn paused(pause: u64, items: u64) -> (Graph, Arc<AtomicBool>, superhet_runtime::Items<u32>) {
    let mut graph = Graph::new();
    let released = Arc::new(AtomicBool::new(false));
    let given = Arc::new(AtomicU64::new(0));
    let source =
        graph.add("source", Source { output: Out::new(), items, pause, released: released.clone(), given });
    let gain = graph.add("gain", Gain { gain: 1, least: 0 });
    let (kept, sink) = keeping(&mut graph);
    graph.connect(source.output, gain.input);
    graph.connect(gain.output, sink);
    (graph, released, kept)
}

#[test]
fn mistakes_are_reported_at_once() {
    let (graph, released, _) = paused(0, 10);
    let mut graph = graph.check().unwrap();
    let error = |result: Result<Receipt, MessageError>| result.unwrap_err().to_string();
    assert_eq!(error(graph.set_at("gain.gian", 1, 0)), "there is no parameter gain.gian; did you mean gain?");
    assert_eq!(
        error(graph.set_at("gain.volume", 1, 0)),
        "there is no parameter gain.volume: gain has gain, least"
    );
    let running = graph.start(&Single, &Options::default()).unwrap();
    assert_eq!(
        error(running.set("gane.gain", 1)),
        "there is no parameter gane.gain; did you mean gain.gain?"
    );
    assert_eq!(error(running.set("gain", 1)), "there is no parameter gain; did you mean gain.gain?");
    assert_eq!(
        error(running.set("gain.gain", "loud")),
        "gain.gain: expected a number up to 100, got \"loud\""
    );
    let message = |value: Value| running.message("gain.set", value).unwrap_err().to_string();
    assert_eq!(message(3.into()), "gain.set: expected a map of parameters and their values, got 3");
    assert_eq!(
        message(Value::map([("gain", Value::from(2)), ("at", "soon".into())])),
        "gain.set: at = \"soon\": expected the index of an item, a whole number ≥ 0"
    );
    assert_eq!(message(Value::map([("at", 3)])), "gain.set: nothing to set, it has gain, least");
    assert_eq!(
        message(Value::map([("volume", 3)])),
        "there is no parameter gain.volume: gain has gain, least"
    );
    assert_eq!(running.control().parameters(), ["gain.gain", "gain.least"]);
    released.store(true, Ordering::Release);
    running.wait().unwrap();
}

#[test]
fn a_former_name_of_a_parameter_is_understood_and_not_shown() {
    let (graph, released, _) = paused(0, 10);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    running.set("gain.gain", 5).unwrap();
    running.set("gain.minimum", 2).unwrap();
    running.message("gain.set", Value::map([("minimum", 3)])).unwrap();
    let refused = running.set("gain.gain", 1).unwrap_err().to_string();
    assert_eq!(refused, "gain.gain: the gain would be below the least");
    assert_eq!(running.control().parameters(), ["gain.gain", "gain.least"]);
    released.store(true, Ordering::Release);
    running.wait().unwrap();
}

#[test]
fn a_change_is_checked_against_those_that_wait_and_too_many_are_refused() {
    let (graph, released, kept) = paused(0, 10);
    let mut graph = graph.check().unwrap();
    graph.set_at("gain.gain", 5, 4).unwrap();
    graph.set_at("gain.least", 3, 6).unwrap();
    let error = graph.set_at("gain.gain", 2, 5).unwrap_err().to_string();
    assert_eq!(error, "gain.gain: with the change that waits for item 6: the gain would be below the least");
    graph.set_at("gain.gain", 2, 3).unwrap();
    for _ in 0..1024 - 3 {
        graph.set_at("gain.gain", 7, 1 << 40).unwrap();
    }
    let full = MessageError::Full { port: "gain.set".to_owned(), capacity: 1024 };
    assert_eq!(graph.set_at("gain.gain", 7, 1 << 40).unwrap_err(), full);
    released.store(true, Ordering::Release);
    graph.start(&Single, &Options::default()).unwrap().wait().unwrap();
    let wanted: Vec<u32> =
        (0..10).map(|i| item(i).wrapping_mul([1, 1, 1, 2, 5, 5, 5, 5, 5, 5][i as usize])).collect();
    assert_eq!(kept.take(), wanted);
}

#[test]
fn a_receipt_says_from_which_item_on_a_change_holds() {
    for (name, scheduler) in schedulers() {
        let (graph, released, kept) = paused(1000, 3000);
        let mut running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let late = running.set("gain.gain", 3).unwrap();
        let exact = running.set_at("gain.gain", 4, 2222).unwrap();
        let never = running.set_at("gain.gain", 5, 3001).unwrap();
        assert_eq!((exact.index(), never.wait(Duration::from_millis(1))), (None, Ok(None)), "{name}");
        released.store(true, Ordering::Release);
        let control = running.control();
        running.wait_for(PATIENCE).unwrap().unwrap();
        let late = late.wait(Duration::ZERO).unwrap().unwrap();
        assert!(late <= 1000, "{name}: {late}");
        assert_eq!(exact.index(), Some(2222), "{name}");
        let ended = MessageError::Ended { port: "gain.gain".to_owned() };
        assert_eq!(never.wait(Duration::MAX), Err(ended.clone()), "{name}");
        assert_eq!(control.set("gain.gain", 1).unwrap_err(), ended, "{name}");
        let gain = |i: u64| {
            if i < late {
                1
            } else if i < 2222 {
                3
            } else {
                4
            }
        };
        let wanted: Vec<u32> = (0..3000).map(|i| item(i).wrapping_mul(gain(i))).collect();
        assert_eq!(kept.take(), wanted, "{name}");
    }
}

/// Sends each item as a gain, which shall hold from an item on.
#[derive(Block)]
struct Tune {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: MsgOut,
}

impl Work for Tune {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for (i, &gain) in self.input.peek().iter().enumerate() {
            let at = self.input.index() + i as u64 + 1000;
            self.output.send(Value::map([("gain", Value::from(gain)), ("at", at.into())]))?;
        }
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

#[test]
fn messages_of_other_blocks_change_parameters_at_their_items() {
    for (name, scheduler) in schedulers() {
        let (mut graph, released, kept) = paused(0, 1500);
        // 101 is refused, counted, and harms nothing.
        let gains = graph.add("gains", VecSource::new(vec![7, 101, 9]));
        let tune = graph.add("tune", Tune { input: In::new(), output: MsgOut::new() });
        graph.connect(gains.output, tune.input);
        graph.connect_names("tune.out", "gain.set");
        let mut running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while running.metrics().block("tune").unwrap().inputs[0].items < 3 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        released.store(true, Ordering::Release);
        let report = running.wait_for(PATIENCE).unwrap().unwrap();
        assert_eq!(report.block("gain").unwrap().dropped_messages, 1, "{name}");
        let gain = |i: u64| {
            if i < 1000 {
                1
            } else if i < 1002 {
                7
            } else {
                9
            }
        };
        let wanted: Vec<u32> = (0..1500).map(|i| item(i).wrapping_mul(gain(i))).collect();
        assert_eq!(kept.take(), wanted, "{name}");
    }
}

/// Sends messages for ever.
#[derive(Block)]
struct Chatter {
    #[port("out")]
    output: MsgOut,
}

impl Work for Chatter {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.output.send(Value::map([("gain", 2)]))?;
        context.sleep_until(Instant::now() + Duration::from_micros(100));
        Ok(Step::Ran)
    }
    fn blocking(&self) -> bool {
        true
    }
}

#[test]
fn a_sender_of_parameters_alone_ends_with_the_block_that_has_them() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = counting(&mut graph, 100_000);
        let gain = graph.add("gain", Gain { gain: 2, least: 0 });
        let (items, sink) = keeping(&mut graph);
        let chatter = graph.add("chatter", Chatter { output: MsgOut::new() });
        graph.connect(source, gain.input);
        graph.connect(gain.output, sink);
        graph.connect(chatter.output, gain.set);
        finish(graph.check().unwrap(), &*scheduler, &Options::default()).unwrap();
        assert_eq!(items.take(), (0..100_000).map(|i| 2 * i).collect::<Vec<_>>(), "{name}");
    }
}

/// A source of one number, which a parameter says.
struct Constant(u32);

impl SyncBlock for Constant {
    type In = ();
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["value"];
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(3), ..Shape::default() }
    }

    fn set_parameter(&mut self, _: &str, value: &Value) -> Result<(), BlockError> {
        self.0 = value.as_u64().ok_or("expected a whole number")? as u32;
        Ok(())
    }
    fn process(&mut self, _: (), y: &mut [u32]) {
        y.fill(self.0);
    }
}

#[test]
fn a_source_with_parameters_counts_what_it_gives_and_ends_when_stopped() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = graph.add("source", Constant(1));
        let (items, sink) = keeping(&mut graph);
        graph.connect(source.output, sink);
        let mut graph = graph.check().unwrap();
        let receipt = graph.set_at("source.value", 5, 100).unwrap();
        let running = graph.start(&*scheduler, &Options::default()).unwrap();
        let refused = running.set_at("source.value", "none", 50).unwrap();
        // In steps of three.
        assert_eq!(receipt.wait(Duration::from_secs(30)), Ok(Some(102)), "{name}");
        let error = refused.wait(Duration::from_secs(10)).unwrap_err();
        assert_eq!(error.to_string(), "source.value: expected a whole number");
        let report = running.stop_within(Duration::from_secs(30)).unwrap();
        assert_eq!(report.outcome, Outcome::Stopped);
        let items = items.take();
        assert!(items.len() > 102 && items[..102].iter().all(|&y| y == 1), "{name}");
        assert!(items[102..].iter().all(|&y| y == 5), "{name}");
    }
}

/// Breaks the promise that parameters leave the block's shape alone.
struct Shrinks(usize);

impl Pure for Shrinks {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["history"];
    fn shape(&self) -> Shape {
        Shape { history: self.0, tags: TagPolicy::None, ..Shape::default() }
    }

    fn with_parameter(&self, _: &str, value: &Value) -> Result<Self, BlockError> {
        Ok(Shrinks(value.as_u64().unwrap_or(0) as usize))
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        y.copy_from_slice(&x[self.0..]);
    }
}

/// The same as a sync block.
struct ShrinksLate(usize);

impl SyncBlock for ShrinksLate {
    type In = u32;
    type Out = u32;
    const PARAMETERS: &'static [&'static str] = &["history"];
    fn shape(&self) -> Shape {
        Shape { history: self.0, ..Shape::default() }
    }

    fn set_parameter(&mut self, _: &str, value: &Value) -> Result<(), BlockError> {
        self.0 = value.as_u64().unwrap_or(0) as usize;
        Ok(())
    }
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        y.copy_from_slice(&x[x.len() - y.len()..]);
    }
}

#[test]
fn a_parameter_that_would_change_the_shape_of_its_block_is_refused() {
    let graph = |block: AnyBlock| {
        let mut graph = Graph::new();
        counting(&mut graph, 100);
        graph.add_any("block", block);
        let (items, _) = keeping(&mut graph);
        graph.connect_names("source", "block");
        graph.connect_names("block", "sink");
        (graph.check().unwrap(), items)
    };
    let sentence = "a parameter must not change the block's ratio, history, delay, tags or alignment";
    let (mut pure, items) = graph(AnyBlock::new(Shrinks(2)));
    let error = pure.set_at("block.history", 1, 10).unwrap_err().to_string();
    assert_eq!(error, format!("block.history: {sentence}"));
    pure.set_at("block.history", 2, 10).unwrap();
    pure.start(&Single, &Options::default()).unwrap().wait().unwrap();
    assert_eq!(items.take(), (0..100).collect::<Vec<_>>());
    // A sync block is not asked before its turn comes, and then it is too late to go on.
    let (mut sync, _) = graph(AnyBlock::new(ShrinksLate(2)));
    sync.set_at("block.history", 1, 10).unwrap();
    let error = sync.start(&Single, &Options::default()).unwrap().wait().unwrap_err().to_string();
    assert!(error.starts_with(&format!("block block failed: {sentence}")), "{error}");
}

/// Keeps what it gets, and gives nothing.
#[derive(Block)]
struct Hoard {
    #[port]
    input: In<u32>,
    #[port]
    output: Out<u32>,
}

impl Work for Hoard {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

#[test]
fn parameters_do_not_hide_that_a_graph_is_stuck() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let source = counting(&mut graph, 100_000);
        let gain = graph.add("gain", Gain { gain: 1, least: 0 });
        let hoard = graph.add("hoard", Hoard { input: In::new(), output: Out::new() });
        let merge = graph.add("merge", crate::common::Add);
        let (_, sink) = keeping(&mut graph);
        graph.connect(source, gain.input);
        graph.connect(source, hoard.input);
        graph.connect(gain.output, merge.input.0);
        graph.connect(hoard.output, merge.input.1);
        graph.connect(merge.output, sink);
        let options = Options { strip_items: Some(16), ..Options::default() };
        let error = finish(graph.check().unwrap(), &*scheduler, &options).unwrap_err().to_string();
        assert!(error.starts_with("the graph is stuck"), "{name}: {error}");
    }
}

#[test]
fn parameters_go_with_their_blocks_when_the_graph_changes() {
    let copies: [fn() -> Box<dyn Scheduler>; 4] = [
        || Box::new(Single),
        || Box::new(Adaptive::workers(2)),
        || Box::new(Shared::new(2, 0)),
        || Box::new(Shared::new(3, 7)),
    ];
    for seed in 0..number("SUPERHET_CASES", 60) / 4 {
        for scheduler in &copies {
            let (mut random, scheduler) = (Random::new(seed), scheduler());
            let hash = |history, gain| Hash { up: 1, down: 1, history, gain, offset: 1 };
            let (a_history, history) = (random.between(0, 20), random.between(0, 20));
            let mut graph = Graph::new();
            let released = Arc::new(AtomicBool::new(false));
            let source = Source {
                output: Out::new(),
                items: 40_000,
                pause: 39_000,
                released: released.clone(),
                given: Arc::default(),
            };
            graph.add("source", source);
            graph.add("a", hash(a_history, 3));
            graph.add("b", Flat(hash(0, 5)));
            graph.add("c", crate::common::Repeat(1));
            let (kept, _) = keeping(&mut graph);
            for pair in ["source", "a", "b", "c", "sink"].windows(2) {
                graph.connect_names(pair[0], pair[1]);
            }
            let mut graph = graph.check().unwrap();
            let mut changes = Vec::new();
            let mut receipts = Vec::new();
            let mut change = |link: usize, at: usize, random: &mut Random| {
                let name = Hash::NAMES[random.between(0, 1)];
                let value = random.next() as u32;
                changes.push(Change { link, name, value, at: at as u64, while_running: false });
                (["a", "b", "d"][link].to_owned() + "." + name, value, at as u64)
            };
            for _ in 0..6 {
                let link = random.between(0, 1);
                let (name, value, at) = change(link, random.between(0, 40_000), &mut random);
                receipts.push(graph.set_at(&name, value, at).unwrap());
            }
            let options = Options {
                strip_items: [Some(7), Some(64), Some(500)][random.between(0, 2)],
                seed: random.one_in(2).then_some(seed),
                ..Options::default()
            };
            let mut running = graph.start(&*scheduler, &options).unwrap();
            let mut added_at = 0;
            for round in 0..4 {
                std::thread::sleep(Duration::from_micros(random.between(0, 3000) as u64));
                let (_, changed) = running
                    .reconfigure(|edit| {
                        if round == 1 {
                            // Takes what a new block sees, and what one that was there goes on with.
                            edit.add("d", hash(history, 7));
                            edit.disconnect_names("b", "c");
                            edit.connect_names("b", "d");
                            edit.connect_names("d", "c");
                        } else {
                            edit.replace("c", crate::common::Repeat(1));
                        }
                    })
                    .unwrap();
                if round == 1 {
                    added_at = changed.blocks[0].1;
                }
                let link = if round < 1 { random.between(0, 1) } else { random.between(0, 2) };
                let (name, value, at) = change(link, random.between(0, 40_000), &mut random);
                receipts.push(running.set_at(&name, value, at).unwrap());
                let (name, value, _) = change(link, 0, &mut random);
                receipts.push(running.set(&name, value).unwrap());
            }
            released.store(true, Ordering::Release);
            running.wait_for(PATIENCE).expect("the graph hangs").unwrap();
            let from: Vec<Option<u64>> = receipts.iter().map(Receipt::index).collect();
            let level = Level::Pure;
            let links = |place: usize| match place {
                0 => Link { level, hash: hash(a_history, 3) },
                1 => Link { level, hash: hash(0, 5) },
                _ => Link { level, hash: hash(history, 7) },
            };
            let of = |place: usize, x: Vec<u32>, start: u64| {
                let mine: Vec<usize> = (0..changes.len()).filter(|&c| changes[c].link == place).collect();
                let case = Case {
                    links: vec![links(place)],
                    items: 0,
                    changes: mine.iter().map(|&c| Change { link: 0, ..changes[c] }).collect(),
                    pause: 0,
                };
                let from: Vec<_> =
                    mine.iter().map(|&c| from[c].map(|from| from.saturating_sub(start))).collect();
                expected_of(&case, &from, x)
            };
            let x = of(1, of(0, (0..40_000).map(item).collect(), 0), 0);
            let (before, after) = x.split_at(added_at as usize);
            let wanted = [before.to_vec(), of(2, after.to_vec(), added_at)].concat();
            let got = kept.take();
            let differs = got.iter().zip(&wanted).position(|(a, b)| a != b);
            assert!(
                got == wanted,
                "SUPERHET_SEED={seed}, {}, {options:?}: {} items, differs at {differs:?}, d from {added_at}, {changes:?} {from:?}",
                scheduler.name(),
                got.len()
            );
        }
    }
}
