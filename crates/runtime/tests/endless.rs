//! A stopped graph comes to its end, also where a block would give for ever.

mod common;

use std::time::{Duration, Instant};

use common::{Drain, Zeros, schedulers};
use superhet_runtime::RunError;
use superhet_runtime::prelude::*;

/// Takes a few items and then only gives, as a loop does whose state has become NaN.
#[derive(Block)]
struct OnlyGives {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: Out<u32>,
}

impl Work for OnlyGives {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.input.index() < 100 {
            let n = self.input.available().min(10);
            self.input.consume(n);
        }
        let n = self.output.room();
        self.output.reserve().fill(1);
        self.output.produce(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedOutput })
    }
}

#[test]
fn a_stopped_graph_whose_block_only_gives_is_ended_and_the_block_named() {
    // All at once: each takes some seconds to be sure.
    let graphs: Vec<_> = schedulers()
        .into_iter()
        .map(|(name, scheduler)| {
            let mut graph = Graph::new();
            let zeros = graph.add("zeros", Zeros);
            let gives = graph.add("gives", OnlyGives { input: In::new(), output: Out::new() });
            let drain = graph.add("drain", Drain);
            graph.connect(zeros.output, gives.input);
            graph.connect(gives.output, drain.input);
            (name, graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap())
        })
        .collect();
    for (name, running) in &graphs {
        let start = Instant::now();
        while running.metrics().block("gives").is_none_or(|gives| gives.outputs[0].items < 100_000) {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}: it does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        running.stop();
    }
    let start = Instant::now();
    let waiters: Vec<_> = graphs
        .into_iter()
        .map(|(name, mut running)| {
            (name, std::thread::spawn(move || running.wait_for(Duration::from_secs(90))))
        })
        .collect();
    for (name, waiter) in waiters {
        let error = waiter.join().unwrap().unwrap_or_else(|| panic!("{name}: it runs on")).unwrap_err();
        assert!(matches!(&error, RunError::OnlyGives { block, .. } if block == "gives"), "{name}: {error}");
        assert!(start.elapsed() > Duration::from_secs(3), "{name}: no time to drain");
    }
}

/// A filter with very many taps: each item costs as much as there is history.
struct Long {
    longest: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

const HISTORY: usize = 1_000_000;

impl Pure for Long {
    type In = u32;
    type Out = u32;
    fn shape(&self) -> Shape {
        Shape { history: HISTORY, ..Shape::default() }
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        self.longest.fetch_max(y.len(), std::sync::atomic::Ordering::Relaxed);
        y.copy_from_slice(&x[HISTORY..]);
    }
}

#[test]
fn a_call_of_a_block_with_a_long_history_is_short() {
    for (name, scheduler) in schedulers() {
        let longest = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let mut graph = Graph::new();
        let zeros = graph.add("zeros", Zeros);
        let long = graph.add("long", Long { longest: longest.clone() });
        let drain = graph.add("drain", Drain);
        graph.connect(zeros.output, long.input);
        graph.connect(long.output, drain.input);
        let running = graph.check().unwrap().start(&*scheduler, &Options::default()).unwrap();
        let start = Instant::now();
        while running.metrics().block("drain").is_none_or(|drain| drain.inputs[0].items < 100_000) {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}: it does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        running.stop();
        running.wait().unwrap();
        let longest = longest.load(std::sync::atomic::Ordering::Relaxed);
        // A lane that workers share takes a strip at once.
        assert!((1..=4096).contains(&longest), "{name}: a call of {longest} items");
    }
}
