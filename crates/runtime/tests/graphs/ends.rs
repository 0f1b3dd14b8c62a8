//! How graphs end: streams, sinks that have enough, stop and cancel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use superhet_runtime::prelude::*;
use superhet_runtime::{RunError, report::Outcome};

use crate::blocks::{Deaf, Listen};
use crate::common::*;

#[test]
fn stop_always_returns_and_names_who_did_not_come_back() {
    let released = Arc::new(AtomicBool::new(false));
    let mut graph = Graph::new();
    let deaf = graph.add("deaf", Deaf { output: Out::new(), released: released.clone() });
    let sink = graph.add("sink", Drain);
    graph.connect(deaf.output, sink.input);
    let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    let error = running.stop_within(Duration::from_millis(200)).unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(30));
    assert!(matches!(&error, RunError::DidNotStop { blocks, .. } if blocks == "deaf"), "{error}");
    released.store(true, Ordering::Relaxed);
}

#[test]
fn stop_drains_and_cancel_does_not_wait() {
    for (name, scheduler) in schedulers() {
        let start = |graph: &mut Graph| {
            let zeros = graph.add("zeros", Zeros);
            let copy = graph.add("copy", AddConst(0));
            let sink = graph.add("sink", Drain);
            graph.connect(zeros.output, copy.input);
            graph.connect(copy.output, sink.input);
        };
        let mut graph = Graph::new();
        start(&mut graph);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let report = running.stop_within(Duration::from_secs(30)).unwrap();
        assert_eq!(report.outcome, Outcome::Stopped);
        let (given, taken) = (report.blocks[0].outputs[0].items, report.blocks[2].inputs[0].items);
        assert!(given > 0 && given == taken, "{name}: {given} items given, {taken} arrived");

        let mut graph = Graph::new();
        start(&mut graph);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        running.cancel();
        assert_eq!(running.wait().unwrap().outcome, Outcome::Cancelled);
    }
}

/// Gives some items and breaks off with an error.
#[derive(Block)]
struct BreaksOff {
    #[port]
    output: Out<u32>,
}

impl Work for BreaksOff {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.output.index() >= 10_000 {
            return Ok(context.end_with("the file ends in mid-sample"));
        }
        let n = self.output.reserve().len().min(100);
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

#[test]
fn a_stream_that_breaks_off_is_used_to_its_last_item_before_the_error_is_reported() {
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let mut graph = Graph::new();
            let source = graph.add("source", BreaksOff { output: Out::new() });
            let packets = graph.add("packets", Packets::new(33));
            let (items, sink) = keeping(&mut graph);
            graph.connect(source.output, packets.input);
            graph.connect(packets.output, sink);
            let error = finish(graph.check().unwrap(), &*scheduler, &options).unwrap_err().to_string();
            assert!(error.starts_with("block source failed: the file ends in mid-sample"), "{error}");
            assert!(items.take().len() >= 10_000, "{name}, {options:?}");
        }
    }
}

/// Sends a message for each item, and one more at its end.
#[derive(Block)]
struct Announce {
    #[port]
    input: In<u32>,
    #[port]
    news: MsgOut,
}

impl Work for Announce {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        for item in self.input.peek().to_vec() {
            self.news.send(item)?;
        }
        self.input.consume(n);
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.news.send("end")?;
        Ok(Step::Done)
    }
}

#[test]
fn the_end_of_the_stream_arrives_everywhere_and_nothing_is_cut() {
    for (name, scheduler) in schedulers() {
        for options in all_options() {
            let (heard, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
            let mut graph = Graph::new();
            let source = counting(&mut graph, 5_003);
            let packets = graph.add("packets", Packets::new(100));
            let announce = graph.add("announce", Announce { input: In::new(), news: MsgOut::new() });
            let listen = Listen { news: MsgIn::new(), heard: heard.clone(), ended: ended.clone() };
            let listen = graph.add("listen", listen);
            let (items, sink) = keeping(&mut graph);
            graph.connect(source, packets.input);
            graph.connect(packets.output, announce.input);
            graph.connect(packets.output, sink);
            graph.connect(announce.news, listen.news);
            finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
            assert_eq!(items.take().len(), 5_003, "{name}, {options:?}");
            assert_eq!(heard.load(Ordering::Relaxed), 5_004, "{name}, {options:?}");
            assert!(ended.load(Ordering::Relaxed));
        }
    }
}

#[test]
fn a_sink_that_has_enough_ends_the_source() {
    /// Takes some items and is done.
    #[derive(Block)]
    struct Enough {
        #[port]
        input: In<u32>,
    }
    impl Work for Enough {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.input.available();
            self.input.consume(n);
            Ok(if self.input.index() > 1000 { Step::Done } else { Step::Ran })
        }
    }
    for (_, scheduler) in schedulers() {
        for options in all_options() {
            let mut graph = Graph::new();
            let zeros = graph.add("zeros", Zeros);
            let (a, b) = (graph.add("a", AddConst(0)), graph.add("b", AddConst(0)));
            let enough = graph.add("enough", Enough { input: In::new() });
            graph.connect(zeros.output, a.input);
            graph.connect(a.output, b.input);
            graph.connect(b.output, enough.input);
            finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
        }
    }
}

#[test]
fn a_block_that_asks_for_more_after_each_strip_gets_all_of_the_stream() {
    /// Takes what it sees, at most a strip, and says that it needs more.
    #[derive(Block)]
    struct AStripAtATime {
        #[port]
        input: In<u32>,
        taken: Arc<AtomicU64>,
    }
    impl Work for AStripAtATime {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.input.available();
            // The ring gets full, or all has come and the source is gone.
            if self.input.index() < 200 {
                std::thread::sleep(Duration::from_millis(5));
            }
            self.input.consume(n);
            self.taken.fetch_add(n as u64, Ordering::Relaxed);
            Ok(Step::NeedInput)
        }
    }
    let options = Options { strip_items: Some(100), ..Options::default() };
    for (name, scheduler) in schedulers() {
        for items in [750, 1_500, 5_003] {
            let taken = Arc::new(AtomicU64::new(0));
            let mut graph = Graph::new();
            let source = counting(&mut graph, items);
            let sink = graph.add("sink", AStripAtATime { input: In::new(), taken: taken.clone() });
            graph.connect(source, sink.input);
            finish(graph.check().unwrap(), &*scheduler, &options).unwrap();
            assert_eq!(taken.load(Ordering::Relaxed), u64::from(items), "{name}");
        }
    }
}
