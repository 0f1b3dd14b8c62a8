//! Changing graphs while they run: nothing is lost, repeated or reordered, whoever runs what.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::*;
use superhet_runtime::harness::VecSink;
use superhet_runtime::prelude::*;
use superhet_runtime::{
    AnyBlock, CheckedGraph, Items, RunningGraph, Scheduler, Shape, buffer::RingFlavour,
    error::ReconfigureError,
};

/// 0, 1, 2, … until it is stopped.
#[derive(Block)]
struct Counter {
    #[port("out")]
    output: Out<u32>,
    end: Arc<AtomicBool>,
    /// Waits a little now and then, on a thread of its own.
    slow: bool,
}

impl Work for Counter {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index() as u32;
        let room = self.output.reserve();
        let n = room.len().min(500);
        room.iter_mut().zip(first..).for_each(|(y, n)| *y = n);
        self.output.produce(n);
        if self.slow {
            context.sleep_until(std::time::Instant::now() + Duration::from_micros(200));
        }
        Ok(if self.end.load(Ordering::Relaxed) { Step::Done } else { Step::Ran })
    }
    fn blocking(&self) -> bool {
        self.slow
    }
}

/// Passes what it gets, if its history shows the items that came before; else something else.
struct Remember(usize);

impl Pure for Remember {
    type In = u32;
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape { history: self.0, ..Shape::default() }
    }

    fn map(&self, x: &[u32], y: &mut [u32]) {
        for (y, window) in y.iter_mut().zip(x.windows(self.0 + 1)) {
            let now = window[self.0];
            // A new block has seen nothing yet: zeros.
            let good = window
                .iter()
                .rev()
                .enumerate()
                .all(|(k, then)| *then == now.wrapping_sub(k as u32) || *then == 0);
            *y = if good { now } else { u32::MAX };
        }
    }
}

/// Passes what it gets, if nothing is missing between the first and the last.
struct Watch(Option<u32>);

impl SyncBlock for Watch {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        for (y, x) in y.iter_mut().zip(x) {
            let good = self.0.is_none_or(|last| *x == last.wrapping_add(1));
            self.0 = Some(*x);
            *y = if good { *x } else { u32::MAX };
        }
    }
}

/// Takes ten items for one and gives ten for one, by turns: together they pass what they get.
struct Pack;
struct Unpack;

impl Pure for Pack {
    type In = u32;
    type Out = [u8; 2];
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(2), ..Shape::default() }
    }

    fn map(&self, x: &[u32], y: &mut [[u8; 2]]) {
        for (y, x) in y.chunks_exact_mut(2).zip(x) {
            let [a, b, c, d] = x.to_le_bytes();
            (y[0], y[1]) = ([a, b], [c, d]);
        }
    }
}

impl Pure for Unpack {
    type In = [u8; 2];
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::decimate(2), ..Shape::default() }
    }

    fn map(&self, x: &[[u8; 2]], y: &mut [u32]) {
        for (y, x) in y.iter_mut().zip(x.chunks_exact(2)) {
            *y = u32::from_le_bytes([x[0][0], x[0][1], x[1][0], x[1][1]]);
        }
    }
}

/// A block that passes what it gets, of any kind.
fn passing(random: &mut Random) -> AnyBlock {
    match random.between(0, 4) {
        0 => AnyBlock::new(AddConst(0)),
        1 => AnyBlock::new(Watch(None)),
        2 => AnyBlock::new(Remember(random.between(1, 300))),
        3 => AnyBlock::new(Packets::new(random.between(1, 40))),
        _ => AnyBlock::new(Repeat(1)),
    }
}

struct Chain {
    running: RunningGraph,
    items: Items<u32>,
    end: Arc<AtomicBool>,
}

/// Source, these blocks, sink.
fn chain(blocks: Vec<AnyBlock>, slow: bool, scheduler: &dyn Scheduler, options: &Options) -> Chain {
    let mut graph = Graph::new();
    let end = Arc::new(AtomicBool::new(false));
    graph.add("source", Counter { output: Out::new(), end: end.clone(), slow });
    let mut last = "source".to_owned();
    for (place, block) in blocks.into_iter().enumerate() {
        let name = format!("b{place}");
        graph.add_any(name.clone(), block);
        graph.connect_names(&last, &name);
        last = name;
    }
    let sink = VecSink::<u32>::new();
    let items = sink.items();
    graph.add("sink", sink);
    graph.connect_names(&last, "sink");
    let graph: CheckedGraph = graph.check().unwrap();
    Chain { running: graph.start(scheduler, options).unwrap(), items, end }
}

impl Chain {
    fn finish(mut self, context: &str) -> Vec<u32> {
        self.end.store(true, Ordering::Relaxed);
        match self.running.wait_for(Duration::from_secs(20)) {
            Some(Err(error)) => panic!("{error}\n{context}"),
            Some(Ok(_)) => {}
            None => panic!("hangs: {context} {:#?}", self.running.metrics()),
        }
        self.items.take()
    }
}

fn changing_schedulers() -> Vec<(&'static str, Box<dyn Scheduler>)> {
    schedulers().into_iter().filter(|(_, scheduler)| scheduler.copy().is_some()).collect()
}

fn pause() {
    std::thread::sleep(Duration::from_millis(3));
}

#[test]
fn a_replaced_block_works_on_exactly_the_items_from_the_index_reported() {
    for (name, scheduler) in changing_schedulers() {
        let blocks = vec![AnyBlock::new(Watch(None)), AnyBlock::new(AddConst(1)), AnyBlock::new(Repeat(1))];
        let chain = chain(blocks, false, &*scheduler, &Options::default());
        while chain.running.metrics().block("sink").is_none_or(|sink| sink.inputs[0].items == 0) {
            pause();
        }
        let (_, changed) = chain.running.reconfigure(|edit| edit.replace("b1", AddConst(7)).id()).unwrap();
        pause();
        let at = changed.blocks[0].1;
        let items = chain.finish("");
        assert!(items.len() as u64 > at && at > 0, "{name}: {at} of {}", items.len());
        for (n, item) in items.into_iter().enumerate() {
            assert_eq!(
                item,
                n as u32 + if (n as u64) < at { 1 } else { 7 },
                "{name}: item {n}, changed at {at}"
            );
        }
    }
}

#[test]
fn random_changes_lose_nothing() {
    let rounds = std::env::var("SUPERHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000) / 20;
    let first = std::env::var("SUPERHET_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for round in first..first + rounds {
        let mut random = Random::new(round);
        let schedulers = changing_schedulers();
        let (name, scheduler) = &schedulers[random.between(0, schedulers.len() - 1)];
        let options = Options {
            strip_items: random.one_in(2).then(|| random.between(1, 3000)),
            seed: random.one_in(3).then(|| random.next()),
            in_place: !random.one_in(4),
            ..Options::default()
        };
        let slow = random.one_in(4);
        let mut names: Vec<String> = (0..random.between(1, 5)).map(|n| format!("b{n}")).collect();
        let blocks = names.iter().map(|_| passing(&mut random)).collect();
        let chain = chain(blocks, slow, &**scheduler, &options);
        let mut log = Vec::new();
        for step in 0..8 {
            if random.one_in(2) {
                pause();
            }
            // A block right behind one that waits for the outside world keeps its place.
            let place = random.between(usize::from(slow), names.len());
            let (before, after) = (
                if place == 0 { "source".to_owned() } else { names[place - 1].clone() },
                names.get(place).cloned().unwrap_or("sink".to_owned()),
            );
            let change = random.between(0, 5);
            log.push(format!("{change} at {before} -> {after}"));
            let result = match change {
                0 | 1 => {
                    let name = format!("n{step}");
                    names.insert(place, name.clone());
                    let block = passing(&mut random);
                    chain.running.reconfigure(|edit| {
                        edit.add_any(name.clone(), block);
                        edit.disconnect_names(&before, &after);
                        edit.connect_names(&before, &name);
                        edit.connect_names(&name, &after);
                    })
                }
                2 => {
                    let (pack, unpack) = (format!("p{step}"), format!("u{step}"));
                    names.splice(place..place, [pack.clone(), unpack.clone()]);
                    // Never parted by later changes: what is between them is of another type.
                    let result = chain.running.reconfigure(|edit| {
                        edit.add(pack.clone(), Pack);
                        edit.add(unpack.clone(), Unpack);
                        edit.disconnect_names(&before, &after);
                        edit.connect_names(&before, &pack);
                        edit.connect_names(&pack, &unpack);
                        edit.connect_names(&unpack, &after);
                    });
                    names.splice(place..place + 2, []);
                    result.map(|_| ((), superhet_runtime::running::Changed::default())).inspect(|_| {
                        names.insert(place, format!("{pack}+{unpack}"));
                    })
                }
                // Nothing changes but the lanes.
                3 | 4 => chain.running.reconfigure(|_| ()),
                _ if after != "sink" && !after.contains('+') => {
                    names.remove(place);
                    chain.running.reconfigure(|edit| edit.remove(&after))
                }
                _ => continue,
            };
            if let Err(error) = result {
                // The names of a pair stand for two blocks: those changes are refused, as they must be.
                let known = before.contains('+') || after.contains('+');
                assert!(
                    matches!(error, ReconfigureError::Check(_)) && known,
                    "{error}\n{round} {name} {log:?}"
                );
                break;
            }
        }
        pause();
        let context = format!("round {round}, {name}, {options:?}, slow: {slow}, {log:?}");
        let items = chain.finish(&context);
        let wrong = items.iter().zip(0u32..).position(|(item, n)| *item != n);
        assert_eq!(
            wrong,
            None,
            "of {} items, {context}: {:?}",
            items.len(),
            wrong.map(|at| &items[at..(at + 5).min(items.len())])
        );
        assert!(!items.is_empty(), "{context}");
    }
}

#[test]
fn a_change_with_mistakes_is_refused_with_all_of_them_and_the_graph_goes_on() {
    let chain = chain(vec![AnyBlock::new(AddConst(0))], false, &Single, &Options::default());
    let error = chain
        .running
        .reconfigure(|edit| {
            edit.remove("b7");
            edit.add("lonely", AddConst(1));
        })
        .unwrap_err()
        .to_string();
    for part in ["b7", "lonely.in", "lonely.out"] {
        assert!(error.contains(part), "{error}");
    }
    assert!(!chain.finish("").is_empty());
    let pinned = Pinned::workers(1);
    let chain = self::chain(vec![AnyBlock::new(AddConst(0))], false, &pinned, &Options::default());
    let error = chain.running.reconfigure(|_| ()).unwrap_err();
    assert!(matches!(error, ReconfigureError::Scheduler), "{error}");
    chain.finish("");
}

/// Keeps what it gets, on a thread of its own.
#[derive(Block)]
struct SlowSink {
    #[port("in")]
    input: In<u32>,
    kept: Arc<std::sync::Mutex<Vec<u32>>>,
}

impl Work for SlowSink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.kept.lock().unwrap().extend_from_slice(self.input.peek());
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
    fn blocking(&self) -> bool {
        true
    }
}

#[test]
fn blocks_with_threads_of_their_own_are_added_and_their_streams_stay() {
    for (name, scheduler) in changing_schedulers() {
        let (mut graph, end) = (Graph::new(), Arc::new(AtomicBool::new(false)));
        graph.add("counter", Counter { output: Out::new(), end: end.clone(), slow: false });
        graph.add("add", AddConst(0));
        let first = VecSink::<u32>::new();
        let items = first.items();
        graph.add("first", first);
        graph.connect_names("counter", "add");
        graph.connect_names("add", "first");
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        while running.metrics().block("first").is_none_or(|sink| sink.inputs[0].items == 0) {
            pause();
        }
        let [kept, other] = [(); 2].map(|_| Arc::<std::sync::Mutex<Vec<u32>>>::default());
        let sink = |kept: &Arc<_>| SlowSink { input: In::new(), kept: Arc::clone(kept) };
        // A reader of a stream that flows, and a source with a reader, all but the latter with threads of their own.
        let (_, changed) = running
            .reconfigure(|edit| {
                edit.add("kept", sink(&kept));
                edit.connect_names("add", "kept");
                edit.add("slow", Counter { output: Out::new(), end: end.clone(), slow: true });
                edit.add("watch", Watch(None));
                edit.add("other", sink(&other));
                edit.connect_names("slow", "watch");
                edit.connect_names("watch", "other");
            })
            .unwrap();
        let from = changed.blocks.iter().find(|(block, _)| block == "kept").unwrap().1 as u32;
        pause();
        // Their streams stay, and so do they; other blocks come and go beside them.
        let more = |edit: &mut superhet_runtime::running::Edit| {
            edit.add("more", VecSink::<u32>::new());
            edit.connect_names("add", "more");
        };
        let fewer = |edit: &mut superhet_runtime::running::Edit| {
            ["slow", "watch", "other"].into_iter().for_each(|block| edit.remove(block));
        };
        let refused = [running.reconfigure(more).unwrap_err(), running.reconfigure(fewer).unwrap_err()];
        for (error, what) in refused.iter().zip(["stream from add.out cannot be rewired", "slow waits for"]) {
            assert!(error.to_string().contains(what), "{name}: {error}");
        }
        running.reconfigure(|edit| edit.replace("watch", AddConst(0)).id()).unwrap();
        pause();
        end.store(true, Ordering::Relaxed);
        running.wait().unwrap();
        let all = items.take();
        assert!(all.iter().copied().eq(0..all.len() as u32), "{name}");
        assert!(from > 0 && from as usize <= all.len(), "{name}: {from}");
        assert!(kept.lock().unwrap().iter().copied().eq(from..all.len() as u32), "{name}: from {from} on");
        let other = other.lock().unwrap();
        assert!(!other.is_empty() && other.iter().copied().eq(0..other.len() as u32), "{name}");
    }
}

#[test]
fn so_many_blocks_with_threads_of_their_own_are_added_and_others_when_those_have_ended() {
    let chain = chain(vec![AnyBlock::new(AddConst(0))], false, &Adaptive::workers(2), &Options::default());
    let ends: [Arc<AtomicBool>; 2] = Default::default();
    let add = |count: usize, of: &Arc<AtomicBool>, name: &str| {
        chain.running.reconfigure(|edit| {
            for place in 0..count {
                let (source, sink) = (format!("{name}{place}"), format!("{name}{place} sink"));
                edit.add(&source, Counter { output: Out::new(), end: of.clone(), slow: true });
                edit.add(&sink, VecSink::<u32>::new());
                edit.connect_names(&source, &sink);
            }
        })
    };
    add(16, &ends[0], "early").unwrap();
    let error = add(1, &ends[1], "late").unwrap_err().to_string();
    assert!(error.contains("late0 waits for the outside world: of such blocks only 16 can run"), "{error}");
    ends[0].store(true, Ordering::Relaxed);
    let start = std::time::Instant::now();
    while add(5, &ends[1], "late").is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", chain.running.metrics());
        pause();
    }
    ends[1].store(true, Ordering::Relaxed);
    assert!(!chain.finish("").is_empty());
}

/// Sends 0, 1, 2, … of its own kind, one in each call.
#[derive(Block)]
struct Ticker {
    #[port]
    input: In<u32>,
    #[port]
    ticks: MsgOut,
    kind: i64,
    sent: i64,
}

impl Work for Ticker {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.input.consume(self.input.available());
        self.ticks.send(self.kind + self.sent)?;
        self.sent += 1;
        Ok(Step::Ran)
    }
}

/// Keeps the messages that come.
#[derive(Block)]
struct Listener {
    #[port]
    ticks: MsgIn,
    heard: Arc<std::sync::Mutex<Vec<i64>>>,
}

impl Work for Listener {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(tick) = self.ticks.recv() {
            self.heard.lock().unwrap().extend(tick.as_i64());
        }
        Ok(Step::NeedInput)
    }
}

#[test]
fn messages_are_rewired_and_who_hears_none_for_a_while_does_not_end() {
    let ticker = |kind| Ticker { input: In::new(), ticks: MsgOut::new(), kind, sent: 0 };
    for (name, scheduler) in changing_schedulers() {
        let heard = Arc::<std::sync::Mutex<Vec<i64>>>::default();
        let (mut graph, end) = (Graph::new(), Arc::new(AtomicBool::new(false)));
        graph.add("counter", Counter { output: Out::new(), end: end.clone(), slow: false });
        graph.add("old", ticker(1_000_000));
        graph.add("listener", Listener { ticks: MsgIn::new(), heard: heard.clone() });
        graph.connect_names("counter", "old");
        graph.connect_names("old.ticks", "listener.ticks");
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let count =
            |kind: i64| heard.lock().unwrap().iter().filter(|tick| **tick / 1_000_000 == kind).count();
        let wait_for = |what: &dyn Fn() -> bool| {
            let start = std::time::Instant::now();
            while !what() {
                assert!(start.elapsed() < Duration::from_secs(60), "{name}: {:?}", running.metrics());
                pause();
            }
        };
        wait_for(&|| count(1) > 10);
        running.reconfigure(|edit| edit.disconnect_names("old.ticks", "listener.ticks")).unwrap();
        pause();
        let before = count(1);
        pause();
        assert_eq!(count(1), before, "{name}: disconnected");
        running
            .reconfigure(|edit| {
                edit.add("new", ticker(2_000_000));
                edit.connect_names("counter", "new");
                edit.connect_names("new.ticks", "listener.ticks");
            })
            .unwrap();
        wait_for(&|| count(2) > 10);
        running
            .reconfigure(|edit| {
                edit.disconnect_names("counter", "new");
                edit.remove("new");
                edit.connect_names("old.ticks", "listener.ticks");
            })
            .unwrap();
        let before = count(1);
        wait_for(&|| count(1) > before + 10);
        let unknown = running.reconfigure(|edit| edit.disconnect_names("counter", "listener")).unwrap_err();
        assert!(unknown.to_string().contains("counter -> listener"), "{unknown}");
        end.store(true, Ordering::Relaxed);
        running.wait().unwrap();
        for kind in [1, 2] {
            let of_kind: Vec<i64> =
                heard.lock().unwrap().iter().copied().filter(|tick| tick / 1_000_000 == kind).collect();
            assert!(of_kind.is_sorted_by(|a, b| a < b), "{name}: in order, none twice");
        }
    }
}

/// Passes its first items, and ends.
#[derive(Block)]
struct Head {
    #[port]
    input: In<u32>,
    #[port]
    output: Out<u32>,
    left: usize,
    has_ended: Arc<AtomicBool>,
}

impl Head {
    fn new(left: usize, has_ended: &Arc<AtomicBool>) -> Self {
        Head { input: In::new(), output: Out::new(), left, has_ended: has_ended.clone() }
    }
}

impl Work for Head {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room()).min(self.left);
        self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        self.output.produce(n);
        self.left -= n;
        self.has_ended.store(self.left == 0, Ordering::Relaxed);
        Ok(if self.left == 0 { Step::Done } else { Step::Ran })
    }
}

/// Ends the graph where `Watch` has missed something.
struct NoGap;

impl SyncBlock for NoGap {
    type In = u32;
    type Out = ();
    fn process(&mut self, x: &[u32], _: ()) {
        assert!(!x.contains(&u32::MAX), "items are lost, repeated or reordered");
    }
}

/// Waits until something is so, for half a minute at most.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what} for half a minute");
        pause();
    }
}

#[test]
fn a_reader_that_has_ended_is_left_alone_whenever_the_blocks_are_partitioned_anew() {
    let mut schedulers = changing_schedulers();
    schedulers.push(("apart", Box::new(Apart)));
    for (name, scheduler) in &schedulers {
        for rings in [RingFlavour::Mirrored, RingFlavour::Single] {
            let (end, has_ended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
            let mut graph = Graph::new();
            let source = graph.add("source", Counter { output: Out::new(), end: end.clone(), slow: false });
            let add = graph.add("add", AddConst(1));
            let head = graph.add("head", Head::new(1000, &has_ended));
            let first = VecSink::<u32>::new();
            let first_items = first.items();
            let first = graph.add("first", first);
            let watch = graph.add("watch", Watch(None));
            let all = graph.add("all", NoGap);
            graph.connect(source.output, add.input);
            graph.connect(add.output, head.input);
            graph.connect(head.output, first.input);
            graph.connect(add.output, watch.input);
            graph.connect(watch.output, all.input);
            let options = Options { rings, ..Options::default() };
            let mut running = graph.check().unwrap().start(&**scheduler, &options).unwrap();
            let given = || running.metrics().block("all").map_or(0, |all| all.inputs[0].items);
            until("the head does not end", || has_ended.load(Ordering::Relaxed));
            for _ in 0..4 {
                let before = given();
                until("nothing goes on", || given() > before + 300_000);
                running.reconfigure(|_| ()).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            end.store(true, Ordering::Relaxed);
            let report = running.wait_for(Duration::from_secs(20)).expect("it ends").unwrap();
            assert_eq!(report.block("head").unwrap().inputs[0].items, 1000, "{name}");
            assert_eq!(first_items.take(), (1..=1000).collect::<Vec<u32>>(), "{name}");
        }
    }
}
