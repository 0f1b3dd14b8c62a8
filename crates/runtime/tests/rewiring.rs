//! Readers that come to another stream, and blocks to another's place: everybody gets what waits before it, and then what its
//! stream gives.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::common::gates::*;
use crate::common::hash::{Flat, Hash};
use crate::common::{AddConst, MovingSum, Repeat};
use superhet_runtime::RunningGraph;
use superhet_runtime::prelude::*;

const NO_LIMIT: u64 = u64::MAX;

fn connect(graph: &mut Graph, chain: &[&str]) {
    chain.windows(2).for_each(|pair| {
        graph.connect_names(pair[0], pair[1]);
    });
}

/// A sink that takes nothing until it is let.
fn add_sink(graph: &mut Graph, name: &str) -> (Limit, Kept) {
    let may = limit(0);
    let sink = Valve::new(&may, false);
    let kept = sink.kept();
    graph.add(name, sink);
    (may, kept)
}

fn finish(mut running: RunningGraph, limits: &[&Limit]) {
    limits.iter().for_each(|may| may.store(NO_LIMIT, Ordering::Release));
    running.wait_for(Duration::from_secs(20)).expect("the graph hangs").unwrap();
}

#[test]
fn who_reads_a_stream_beside_a_block_that_is_taken_out_gets_what_the_stream_has() {
    for scheduler in [Adaptive::workers(1), Adaptive::workers(2)] {
        let mut graph = Graph::new();
        let source = limit(1000);
        graph.add("source", Tap::new(3000, &source, false));
        graph.add("tee", Repeat(1));
        graph.add("plus", AddConst(1));
        let (may, kept) = add_sink(&mut graph, "plus sink");
        let (other_may, other) = add_sink(&mut graph, "other sink");
        connect(&mut graph, &["source", "tee", "plus", "plus sink"]);
        connect(&mut graph, &["tee", "other sink"]);
        let running = graph.check().unwrap().start(&scheduler, &Options::default()).unwrap();
        wait_until(&running, || taken(&running, "plus") == 1000);
        let (_, changed) = running.reconfigure(|edit| edit.remove("plus")).unwrap();
        assert_eq!(changed.removed, [("plus".to_owned(), 1000)]);
        source.store(NO_LIMIT, Ordering::Release);
        finish(running, &[&may, &other_may]);
        let x: Vec<u32> = (0..3000).map(item).collect();
        assert!(lock(&other).items == x, "beside it");
        let plus = x[..1000].iter().map(|x| x.wrapping_add(1)).chain(x[1000..].iter().copied());
        assert!(lock(&kept).items.iter().copied().eq(plus), "behind it");
        let tags: Vec<(u64, u64)> = (0..3000).filter(|at| is_tagged(*at)).map(|at| (at, at)).collect();
        assert!(lock(&other).tags == tags && lock(&kept).tags == tags, "tags");
    }
}

#[test]
fn a_reader_that_comes_to_a_stream_with_others_first_takes_what_waits_before_it() {
    let mut graph = Graph::new();
    let sources = [limit(500), limit(800)];
    graph.add("first", Tap::new(2000, &sources[0], false));
    graph.add("plus", AddConst(1));
    graph.add("second", Tap::new(2000, &sources[1], false));
    let (may, kept) = add_sink(&mut graph, "sink");
    let (other_may, other) = add_sink(&mut graph, "other sink");
    connect(&mut graph, &["first", "plus", "sink"]);
    connect(&mut graph, &["second", "other sink"]);
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    wait_until(&running, || taken(&running, "plus") == 500);
    std::thread::sleep(Duration::from_millis(2));
    let (_, changed) = running
        .reconfigure(|edit| {
            edit.disconnect_names("plus", "sink");
            edit.connect_names("second", "sink");
            edit.add("rest", superhet_runtime::harness::VecSink::<u32>::new());
            edit.connect_names("plus", "rest");
        })
        .unwrap();
    sources.iter().for_each(|may| may.store(NO_LIMIT, Ordering::Release));
    finish(running, &[&may, &other_may]);
    let begin = changed.blocks.iter().find(|(name, _)| name.starts_with("to sink")).unwrap().1 as usize;
    let x: Vec<u32> = (0..2000).map(item).collect();
    assert!(lock(&other).items == x, "who was there");
    let first = x[..500].iter().map(|x| x.wrapping_add(1));
    assert!(lock(&kept).items.iter().copied().eq(first.chain(x[begin..].iter().copied())), "who came");
}

#[test]
fn a_block_that_asks_for_more_than_a_stream_that_stays_has_cannot_take_anothers_place() {
    let mut graph = Graph::new();
    graph.add("source", Tap::new(2000, &limit(NO_LIMIT), true));
    graph.add("plus", AddConst(1));
    let (may, kept) = add_sink(&mut graph, "sink");
    connect(&mut graph, &["source", "plus", "sink"]);
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    let sum = MovingSum { length: 3, decimation: 1 };
    let error = running.reconfigure(|edit| edit.replace("plus", sum).id()).unwrap_err().to_string();
    assert!(error.contains("plus.in asks for 2 items before the next, but its stream keeps 0"), "{error}");
    finish(running, &[&may]);
    let wanted = (0..2000).map(|at| item(at).wrapping_add(1));
    assert!(lock(&kept).items.iter().copied().eq(wanted));
}

/// Sends messages from a thread of its own.
#[derive(Block)]
struct Chatter {
    #[port("out")]
    output: MsgOut,
}

impl Work for Chatter {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.output.send(Value::map([("gain", 2)]))?;
        context.sleep_until(std::time::Instant::now() + Duration::from_micros(200));
        Ok(if context.is_stopping() { Step::Done } else { Step::Ran })
    }
    fn blocking(&self) -> bool {
        true
    }
}

#[test]
fn a_block_that_gets_messages_from_one_with_a_thread_of_its_own_keeps_its_place() {
    let hash = || Hash { up: 1, down: 1, history: 0, gain: 1, offset: 0 };
    let mut graph = Graph::new();
    graph.add("source", Tap::new(2000, &limit(NO_LIMIT), false));
    graph.add("flat", Flat(hash()));
    let (may, _) = add_sink(&mut graph, "sink");
    connect(&mut graph, &["source", "flat", "sink"]);
    graph.add("chatter", Chatter { output: MsgOut::new() });
    graph.connect_names("chatter.out", "flat.set");
    let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
    // Its messages would go to the block that was there before.
    let error = running.reconfigure(|edit| edit.replace("flat", Flat(hash())).id()).unwrap_err().to_string();
    assert!(error.contains("the messages that chatter sends cannot be rewired"), "{error}");
    finish(running, &[&may]);
}
