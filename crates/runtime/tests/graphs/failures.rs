//! Blocks that fail or panic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use superhet_runtime::RunError;
use superhet_runtime::prelude::*;

use crate::common::*;

/// Fails at the given item, in one of two ways.
struct FailsAt {
    item: u64,
    seen: u64,
}

impl SyncBlock for FailsAt {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        y.copy_from_slice(x);
        self.seen += x.len() as u64;
        assert!(self.seen <= self.item, "this is item {}", self.item);
    }
}

/// Reports an error at once.
#[derive(Block)]
struct Reports {
    #[port]
    input: In<u32>,
    #[port]
    output: Out<u32>,
}

impl Work for Reports {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Err("the antenna is gone".into())
    }
}

#[test]
fn a_panic_ends_the_graph_and_the_error_names_the_block() {
    for (name, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let bad = graph.add("bad", FailsAt { item: 100_000, seen: 0 });
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, bad.input);
        graph.connect(bad.output, sink.input);
        let mut running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let start = Instant::now();
        let error = running.wait_for(Duration::from_secs(30)).expect("the graph ends").unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(30), "{name}");
        match &error {
            RunError::Panic { block, message, ports } => {
                assert_eq!((block.as_str(), message.as_str()), ("bad", "this is item 100000"));
                assert!(ports.contains("in at item"), "{ports}");
            }
            other => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn an_error_ends_the_graph_and_names_the_block() {
    for (_, scheduler) in schedulers() {
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let bad = graph.add("bad", Reports { input: In::new(), output: Out::new() });
        let sink = graph.add("sink", Drain);
        graph.connect(zeros.output, bad.input);
        graph.connect(bad.output, sink.input);
        let error = finish(graph.check().unwrap(), &*scheduler, &Options::default()).unwrap_err();
        assert!(
            error.to_string().starts_with("block bad failed: the antenna is gone (input at item 0"),
            "{error}"
        );
    }
}

/// Breaks off at its first item, by an error or a panic, and counts how often it is called after that.
#[derive(Block)]
struct Breaks {
    #[port]
    input: In<u32>,
    panics: bool,
    is_broken: bool,
    calls_after: Arc<AtomicU64>,
}

impl Work for Breaks {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.is_broken {
            self.calls_after.fetch_add(1, Ordering::Relaxed);
        }
        self.is_broken = true;
        if self.panics { panic!("the antenna is gone") } else { Err("the antenna is gone".into()) }
    }
}

#[test]
fn a_block_that_has_failed_or_panicked_is_not_called_again() {
    for round in 0..100 {
        for (name, scheduler) in schedulers() {
            let calls_after = Arc::new(AtomicU64::new(0));
            let mut graph = Graph::new();
            let zeros = graph.add("zeros", Zeros);
            let copy = graph.add("copy", AddConst(0));
            let (input, panics) = (In::new(), round % 2 == 0);
            let breaks = Breaks { input, panics, is_broken: false, calls_after: calls_after.clone() };
            let breaks = graph.add("breaks", breaks);
            graph.connect(zeros.output, copy.input);
            graph.connect(copy.output, breaks.input);
            let mut running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
            let error = running.wait_for(Duration::from_secs(60)).unwrap_or_else(|| panic!("{name} hangs"));
            assert!(error.unwrap_err().to_string().contains("the antenna is gone"), "{name}");
            assert_eq!(calls_after.load(Ordering::Relaxed), 0, "{name}: it was called again");
        }
    }
}
