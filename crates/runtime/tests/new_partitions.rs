//! A new partition of the blocks changes nothing: not the items, not what blocks have seen before them, not the tags, and not from
//! which item on a change of a parameter holds.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::common::Add;
use crate::common::gates::*;
use crate::common::hash::{Flat, Hash};
use superhet_runtime::prelude::*;
use superhet_runtime::{RunningGraph, Shape, parameter::Receipt, plan::MaxLatency};

const NO_LIMIT: u64 = u64::MAX;

fn connect(graph: &mut Graph, chain: &[&str]) {
    chain.windows(2).for_each(|pair| {
        graph.connect_names(pair[0], pair[1]);
    });
}

fn hash(down: usize, history: usize) -> Hash {
    Hash { up: 1, down, history, gain: 3, offset: 1 }
}

/// What a block gives for all of `x`, which it has seen zeros before; `gain` is what it is from each item on.
fn run(block: &Hash, x: &[u32], gains: &[(u64, u32)]) -> Vec<u32> {
    let padded = [vec![0; block.history], x.to_vec()].concat();
    let turn = |turn: usize| {
        let first = turn * block.down;
        let gain = gains.iter().rev().find(|(from, _)| *from <= first as u64);
        let block = gain.map_or(block.clone(), |(_, gain)| block.with("gain", *gain));
        let mut y = vec![0; block.up];
        block.apply(&padded[first..first + block.history + block.down], &mut y);
        y
    };
    (0..x.len() / block.down).flat_map(turn).collect()
}

fn finish(mut running: RunningGraph) {
    running.wait_for(Duration::from_secs(20)).expect("the graph hangs").unwrap();
}

fn partition_anew(running: &RunningGraph) {
    running.reconfigure(|_| ()).unwrap();
}

fn first_item(changed: &superhet_runtime::running::Changed, block: &str) -> u64 {
    changed.blocks.iter().find(|(name, _)| name == block).unwrap().1
}

#[test]
fn what_a_chain_has_made_of_a_block_holds_in_its_lane_whatever_is_asked_for_meanwhile() {
    for _ in 0..10 {
        let (may, held) = (limit(1000), limit(NO_LIMIT));
        let mut graph = Graph::new();
        graph.add("source", Tap::new(2000, &may, true));
        graph.add("hold", Hold { input: In::new(), output: Out::new(), until: held.clone() });
        graph.add("a", Flat(hash(1, 0)));
        let sink = Valve::new(&limit(NO_LIMIT), false);
        let kept = sink.kept();
        graph.add("sink", sink);
        connect(&mut graph, &["source", "hold", "a", "sink"]);
        let mut graph = graph.check().unwrap();
        graph.set_at("a.gain", 7, 10).unwrap();
        let partitions = Partitions::new(1, &["hold | *a | sink", "hold a sink"]);
        let running = graph.start(&partitions, &Options::default()).unwrap();
        wait_until(&running, || taken(&running, "a") == 1000);
        // The worker stays with the first block until the second change was asked for.
        held.store(0, Ordering::Release);
        partition_anew(&running);
        let later = running.set_at("a.gain", 9, 1900).unwrap();
        assert_eq!(running.get("a.gain"), Ok(7.into()));
        held.store(NO_LIMIT, Ordering::Release);
        may.store(NO_LIMIT, Ordering::Release);
        finish(running);
        assert_eq!(later.index(), Some(1900));
        let x: Vec<u32> = (0..2000).map(item).collect();
        assert!(lock(&kept).items == run(&hash(1, 0), &x, &[(10, 7), (1900, 9)]), "not the gains asked for");
    }
}

/// Passes items on, and does not come back while its limit is 0.
#[derive(Block)]
struct Hold {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: Out<u32>,
    until: Limit,
}

impl Work for Hold {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.until.load(Ordering::Acquire) == 0 && !context.is_stopping() {
            std::thread::sleep(Duration::from_micros(100));
        }
        let n = self.input.available().min(self.output.room());
        self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

/// A graph `source | a | keep | sink` of lanes, then `source | a, keep | sink` and others by turns, whose sink is opened a little
/// at a time: at each new partition, all streams are full. All changes were asked for before the start.
fn change_between_partitions(blocking_sink: bool) {
    const ITEMS: u64 = 60_000;
    let may = limit(0);
    let mut graph = Graph::new();
    graph.add("source", Tap::new(ITEMS, &limit(NO_LIMIT), false));
    graph.add("a", hash(1, 5));
    graph.add("keep", hash(700, 20));
    let sink = Valve::new(&may, blocking_sink);
    let kept = sink.kept();
    graph.add("sink", sink);
    connect(&mut graph, &["source", "a", "keep", "sink"]);
    let mut graph = graph.check().unwrap();
    let changes: Vec<(u64, u32)> = (1..1000).map(|n| (n * 59, n as u32)).collect();
    let ask = |(at, gain): &(u64, u32)| graph.set_at("a.gain", *gain, *at).unwrap();
    let receipts: Vec<Receipt> = changes.iter().map(ask).collect();
    let partitions = Partitions::new(1, &["a", "*a keep", "a", "*a keep", "a keep", "a", "*a keep"]);
    let options = Options {
        strip_items: Some(777),
        max_stream_latency: vec![("keep".to_owned(), MaxLatency::Items(1))],
        ..Options::default()
    };
    let running = graph.start(&partitions, &options).unwrap();
    for round in 0..7 {
        wait_until_full(&running);
        partition_anew(&running);
        may.store((round + 1) * 3, Ordering::Release);
    }
    may.store(NO_LIMIT, Ordering::Release);
    finish(running);
    let x: Vec<u32> = (0..ITEMS).map(item).collect();
    let wanted = run(&hash(700, 20), &run(&hash(1, 5), &x, &changes), &[]);
    let got = std::mem::take(&mut lock(&kept).items);
    assert_eq!(got.len(), wanted.len());
    for (receipt, (at, _)) in receipts.iter().zip(&changes) {
        assert_eq!(receipt.index(), Some(*at));
    }
    assert!(got == wanted);
}

#[test]
fn a_change_holds_from_its_item_when_a_new_partition_takes_that_item_by_hand() {
    change_between_partitions(false);
}

#[test]
fn what_a_new_partition_takes_by_hand_reaches_a_block_with_a_thread_of_its_own() {
    change_between_partitions(true);
}

#[test]
fn a_block_added_to_a_chain_begins_at_the_item_reported_and_goes_on_with_what_it_has_seen() {
    for history in [0, 3, 40] {
        let may = limit(0);
        let mut graph = Graph::new();
        graph.add("source", Tap::new(50_000, &limit(NO_LIMIT), false));
        graph.add("a", hash(1, 2));
        graph.add("keep", hash(700, 20));
        let sink = Valve::new(&may, false);
        let kept = sink.kept();
        graph.add("sink", sink);
        connect(&mut graph, &["source", "a", "keep", "sink"]);
        let partitions = Partitions::new(1, &["a", "*a new keep"]);
        let options = Options { strip_items: Some(777), ..Options::default() };
        let running = graph.check().unwrap().start(&partitions, &options).unwrap();
        may.store(3, Ordering::Release);
        wait_until_full(&running);
        let (_, changed) = running
            .reconfigure(|edit| {
                edit.add("new", hash(2, history));
                edit.disconnect_names("a", "keep");
                edit.connect_names("a", "new");
                edit.connect_names("new", "keep");
            })
            .unwrap();
        may.store(NO_LIMIT, Ordering::Release);
        finish(running);
        let x: Vec<u32> = (0..50_000).map(item).collect();
        let a = run(&hash(1, 2), &x, &[]);
        let (before, after) = a.split_at(first_item(&changed, "new") as usize);
        let between = [before.to_vec(), run(&hash(2, history), after, &[])].concat();
        let wanted = run(&hash(700, 20), &between, &[]);
        let kept = lock(&kept);
        assert!(kept.items == wanted, "history {history}: {} of {} items", kept.items.len(), wanted.len());
        let begin = before.len() as u64;
        let of_new = |index: u64| if index < begin { index } else { begin + (index - begin) / 2 };
        let tags: Vec<(u64, u64)> =
            (0..50_000).filter(|index| is_tagged(*index)).map(|index| (of_new(index) / 700, index)).collect();
        let tags: Vec<_> = tags.into_iter().filter(|tag| tag.0 < wanted.len() as u64).collect();
        assert!(kept.tags == tags, "history {history}: tags");
    }
}

#[test]
fn a_block_replaced_behind_one_with_a_thread_of_its_own_begins_at_the_item_reported() {
    let may = limit(1001);
    let mut graph = Graph::new();
    graph.add("source", Tap::new(5000, &may, true));
    graph.add("a", hash(2, 0));
    let sink = Valve::new(&limit(NO_LIMIT), true);
    let kept = sink.kept();
    graph.add("sink", sink);
    connect(&mut graph, &["source", "a", "sink"]);
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    wait_until(&running, || lock(&kept).items.len() == 500);
    let (_, changed) = running.reconfigure(|edit| edit.replace("a", hash(3, 0)).id()).unwrap();
    assert_eq!(first_item(&changed, "a"), 1000);
    // In steps of three from there.
    let receipt = running.set_at("a.gain", 5, 1100).unwrap();
    may.store(NO_LIMIT, Ordering::Release);
    finish(running);
    assert_eq!(receipt.index(), Some(1102));
    let kept = lock(&kept);
    let x: Vec<u32> = (0..5000).map(item).collect();
    let wanted = [run(&hash(2, 0), &x[..1000], &[]), run(&hash(3, 0), &x[1000..], &[(102, 5)])].concat();
    assert!(kept.items == wanted, "{} of {} items", kept.items.len(), wanted.len());
    let index = |index: u64| if index < 1000 { index / 2 } else { 500 + (index - 1000) / 3 };
    let tags = (0..5000).filter(|at| is_tagged(*at)).map(|at| (index(at), at));
    let tags: Vec<_> = tags.filter(|tag| tag.0 < wanted.len() as u64).collect();
    assert!(kept.tags == tags, "tags");
}

#[test]
fn tags_and_changes_stay_at_their_items_when_a_stream_counts_otherwise_from_now_on() {
    let may = limit(1001);
    let mut graph = Graph::new();
    graph.add("source", Tap::new(5000, &may, false));
    graph.add("half", hash(2, 0));
    graph.add("a", Flat(hash(1, 0)));
    graph.add("three", hash(3, 4));
    let sink = Valve::new(&limit(NO_LIMIT), false);
    let kept = sink.kept();
    graph.add("sink", sink);
    connect(&mut graph, &["source", "half", "a", "three", "sink"]);
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    wait_until(&running, || lock(&kept).items.len() == 166);
    // Item 500 of `a` comes from item 1000 of the source. From now on it is item 1000.
    running.reconfigure(|edit| edit.remove("half")).unwrap();
    let changes =
        [("a.gain", 1150), ("three.gain", 700)].map(|(name, at)| running.set_at(name, 5, at).unwrap());
    may.store(NO_LIMIT, Ordering::Release);
    finish(running);
    let x: Vec<u32> = (0..5000).map(item).collect();
    let [at_a, at_three] = changes.map(|receipt| receipt.index().unwrap());
    assert_eq!(at_a, 1150);
    let half = run(&hash(2, 0), &x[..1000], &[]);
    let a = run(&hash(1, 0), &[half, x[1000..].to_vec()].concat(), &[(at_a - 500, 5)]);
    // `a` itself counts on what it gives.
    assert_eq!(at_three, 702);
    let wanted = run(&hash(3, 4), &a, &[(702, 5)]);
    let kept = lock(&kept);
    assert!(kept.items == wanted, "{} of {} items", kept.items.len(), wanted.len());
    let index = |index: u64| if index < 1000 { index / 2 } else { index - 500 };
    let tags = (0..5000).filter(|at| is_tagged(*at)).map(|at| (index(at) / 3, at));
    let tags: Vec<_> = tags.filter(|tag| tag.0 < wanted.len() as u64).collect();
    assert_eq!(kept.tags.iter().zip(&tags).find(|(got, wanted)| got != wanted), None);
    assert_eq!(kept.tags.len(), tags.len());
}

#[test]
fn a_new_block_of_two_streams_that_count_otherwise_gives_each_tag_to_its_item() {
    let limits = [limit(250), limit(1001)];
    let mut graph = Graph::new();
    for (name, may) in ["first", "second"].iter().zip(&limits) {
        let sink = format!("{name} sink");
        graph.add(*name, Tap::new(2000, may, false));
        graph.add(&sink, Valve::new(&limit(NO_LIMIT), false));
        connect(&mut graph, &[name, &sink]);
    }
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    wait_until(&running, || ["first sink", "second sink"].map(|sink| taken(&running, sink)) == [250, 1001]);
    let sum = Valve::new(&limit(NO_LIMIT), false);
    let kept = sum.kept();
    running
        .reconfigure(|edit| {
            edit.add("sum", Add);
            edit.connect_names("first", "sum.in0");
            edit.connect_names("second", "sum.in1");
            edit.add("kept", sum);
            edit.connect_names("sum", "kept");
        })
        .unwrap();
    limits.iter().for_each(|may| may.store(NO_LIMIT, Ordering::Release));
    finish(running);
    let kept = lock(&kept);
    assert_eq!(kept.items.len(), 999);
    // Item 250 of the one and item 1001 of the other are the first.
    let of = |first: u64| (first..first + 999).filter(|at| is_tagged(*at)).map(move |at| (at - first, at));
    let mut wanted: Vec<(u64, u64)> = of(250).chain(of(1001)).collect();
    wanted.sort_unstable();
    let mut got = kept.tags.clone();
    got.sort_unstable();
    assert!(got == wanted, "{:?} {:?}", &got[..10.min(got.len())], &wanted[..10]);
}

/// Keeps the gain that each pair of items was taken with.
struct Pairs {
    gain: u32,
    kept: std::sync::Arc<std::sync::Mutex<Vec<u32>>>,
}

impl SyncBlock for Pairs {
    type In = u32;
    type Out = ();
    const PARAMETERS: &'static [&'static str] = &["gain"];
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::decimate(2), ..Shape::default() }
    }

    fn set_parameter(&mut self, _: &str, value: &Value) -> Result<(), BlockError> {
        self.gain = value.as_u64().ok_or("expected a whole number")? as u32;
        Ok(())
    }
    fn process(&mut self, x: &[u32], (): ()) {
        self.kept.lock().unwrap().extend(x.chunks_exact(2).map(|_| self.gain));
    }
}

#[test]
fn a_new_sink_takes_changes_in_steps_from_where_it_begins() {
    let may = limit(1001);
    let mut graph = Graph::new();
    graph.add("source", Tap::new(2000, &may, false));
    graph.add("sink", Valve::new(&limit(NO_LIMIT), false));
    connect(&mut graph, &["source", "sink"]);
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    wait_until(&running, || taken(&running, "sink") == 1001);
    let kept = std::sync::Arc::<std::sync::Mutex<Vec<u32>>>::default();
    let pairs = Pairs { gain: 1, kept: kept.clone() };
    let (_, changed) = running
        .reconfigure(|edit| {
            edit.add("pairs", pairs);
            edit.connect_names("source", "pairs");
        })
        .unwrap();
    assert_eq!(first_item(&changed, "pairs"), 1001);
    let [even, odd] =
        [(2, 1100), (3, 1201)].map(|(gain, at)| running.set_at("pairs.gain", gain, at).unwrap());
    may.store(NO_LIMIT, Ordering::Release);
    finish(running);
    assert_eq!((even.index(), odd.index()), (Some(1101), Some(1201)));
    let gains = [vec![1; 50], vec![2; 50], vec![3; 399]].concat();
    assert_eq!(*kept.lock().unwrap(), gains);
}

/// Passes items on, and says that each is late by so many.
struct Late(u64);

impl Pure for Late {
    type In = u32;
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape { delay: self.0, ..Shape::default() }
    }

    fn map(&self, x: &[u32], y: &mut [u32]) {
        y.copy_from_slice(x);
    }
}

#[test]
fn tags_that_lie_ahead_of_their_items_come_through_a_new_partition() {
    for blocking in [false, true] {
        let may = limit(1000);
        let mut graph = Graph::new();
        graph.add("source", Tap::new(3000, &may, false));
        graph.add("late", Late(50));
        graph.add("half", hash(2, 0));
        graph.add("later", Late(9));
        let sink = Valve::new(&limit(NO_LIMIT), blocking);
        let kept = sink.kept();
        graph.add("sink", sink);
        connect(&mut graph, &["source", "late", "half", "later", "sink"]);
        let partitions = ["late | half later", "*late half later", "late half later", "*late half | later"];
        let running =
            graph.check().unwrap().start(&Partitions::new(2, &partitions), &Options::default()).unwrap();
        for items in [1100, 1300, 1700, NO_LIMIT] {
            let given = may.load(Ordering::Acquire) / 2;
            wait_until(&running, || lock(&kept).items.len() as u64 == given);
            partition_anew(&running);
            may.store(items, Ordering::Release);
        }
        finish(running);
        let tags = (0..3000).filter(|at| is_tagged(*at)).map(|at| ((at + 50) / 2 + 9, at));
        let tags: Vec<_> = tags.filter(|tag| tag.0 < 1500).collect();
        assert!(lock(&kept).tags == tags, "{blocking}: {} of {}", lock(&kept).tags.len(), tags.len());
    }
}

/// Gives every item twice.
struct Twice;

impl Pure for Twice {
    type In = u32;
    type Out = (u32, u32);
    fn map(&self, x: &[u32], (a, b): (&mut [u32], &mut [u32])) {
        a.copy_from_slice(x);
        b.copy_from_slice(x);
    }
}

#[test]
fn a_new_block_of_two_outputs_that_count_otherwise_gives_each_tag_to_its_item() {
    let limits = [limit(250), limit(1001)];
    let mut graph = Graph::new();
    let mut kept = Vec::new();
    for (name, may) in ["first", "second"].iter().zip(&limits) {
        let sink = Valve::new(&limit(NO_LIMIT), false);
        kept.push(sink.kept());
        graph.add(*name, Tap::new(2000, may, false));
        graph.add(format!("{name} sink"), sink);
        connect(&mut graph, &[name, &format!("{name} sink")]);
    }
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    wait_until(&running, || ["first sink", "second sink"].map(|sink| taken(&running, sink)) == [250, 1001]);
    running
        .reconfigure(|edit| {
            edit.add("source", Tap::new(500, &limit(NO_LIMIT), false));
            edit.add("twice", Twice);
            edit.connect_names("source", "twice");
            for (name, output) in [("first", "twice.out0"), ("second", "twice.out1")] {
                let (sink, rest) = (format!("{name} sink"), format!("{name} rest"));
                edit.disconnect_names(name, &sink);
                edit.connect_names(output, &sink);
                edit.add(&rest, superhet_runtime::harness::VecSink::<u32>::new());
                edit.connect_names(name, &rest);
            }
        })
        .unwrap();
    limits.iter().for_each(|may| may.store(NO_LIMIT, Ordering::Release));
    finish(running);
    for (kept, begin) in kept.iter().zip([250, 1001]) {
        let before = (0..begin).filter(|at| is_tagged(*at)).map(|at| (at, at));
        let after = (0..500).filter(|at| is_tagged(*at)).map(|at| (begin + at, at));
        assert!(lock(kept).tags == before.chain(after).collect::<Vec<_>>(), "from {begin}");
    }
}

#[test]
fn what_waits_inside_of_a_chain_goes_through_blocks_that_were_added_to_it() {
    const ITEMS: u64 = 60_000;
    let may = limit(0);
    let mut graph = Graph::new();
    graph.add("source", Tap::new(ITEMS, &limit(NO_LIMIT), false));
    graph.add("a", hash(1, 5));
    graph.add("b", hash(1, 0));
    let sink = Valve::new(&may, false);
    let kept = sink.kept();
    graph.add("sink", sink);
    connect(&mut graph, &["source", "a", "b", "sink"]);
    let partitions = Partitions::new(1, &["a | b", "*a b new1 new2 new3"]);
    let options = Options { strip_items: Some(777), ..Options::default() };
    let running = graph.check().unwrap().start(&partitions, &options).unwrap();
    // More than a ring holds: it waits before `b`, too.
    wait_until(&running, || taken(&running, "a") > 10 * 777);
    let (_, changed) = running
        .reconfigure(|edit| {
            ["new1", "new2", "new3"].into_iter().for_each(|name| {
                edit.add(name, hash(1, 0));
            });
            edit.disconnect_names("b", "sink");
            connect(edit, &["b", "new1", "new2", "new3", "sink"]);
        })
        .unwrap();
    may.store(NO_LIMIT, Ordering::Release);
    finish(running);
    let at = first_item(&changed, "new1") as usize;
    let x: Vec<u32> = (0..ITEMS).map(item).collect();
    let mut wanted = run(&hash(1, 0), &run(&hash(1, 5), &x, &[]), &[]);
    let through = (0..3).fold(wanted.split_off(at), |x, _| run(&hash(1, 0), &x, &[]));
    wanted.extend(through);
    let got = std::mem::take(&mut lock(&kept).items);
    assert!(at > 0 && got == wanted, "{} items of {}, changed at {at}", got.len(), wanted.len());
}
