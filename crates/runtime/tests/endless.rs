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
