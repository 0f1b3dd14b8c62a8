//! How much may lie between a source and a sink.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use superhet_runtime::plan::MaxLatency;
use superhet_runtime::prelude::*;

use crate::common::*;

/// Gives items as fast as it may, and says how many.
struct Fast(Arc<AtomicU64>);

impl SyncBlock for Fast {
    type In = ();
    type Out = u32;
    fn process(&mut self, _: (), y: &mut [u32]) {
        self.0.fetch_add(y.len() as u64, Ordering::SeqCst);
    }
}

/// Takes a few items at a time, slowly, and notes how far the source is ahead.
#[derive(Block)]
struct Behind {
    #[port("in")]
    input: In<u32>,
    given: Arc<AtomicU64>,
    most: Arc<AtomicU64>,
}

impl Work for Behind {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        context.sleep_until(Instant::now() + Duration::from_micros(100));
        let ahead = self.given.load(Ordering::SeqCst) - self.input.index();
        self.most.fetch_max(ahead, Ordering::SeqCst);
        self.input.consume(self.input.available().min(20));
        Ok(Step::Ran)
    }
    fn blocking(&self) -> bool {
        true
    }
}

#[test]
fn no_more_than_the_latency_allows_lies_between_a_fast_source_and_a_slow_sink() {
    const LIMIT: usize = 1000;
    for (name, scheduler) in schedulers() {
        let (given, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let mut graph = Graph::new();
        graph.add("source", Fast(given.clone()));
        let mut last = "source".to_owned();
        for k in 0..4 {
            graph.add(format!("copy{k}"), AddConst(0));
            graph.connect_names(&last, &format!("copy{k}"));
            last = format!("copy{k}");
        }
        graph.add("sink", Behind { input: In::new(), given, most: most.clone() });
        graph.connect_names(&last, "sink");
        let options = Options { max_latency: Some(MaxLatency::Items(LIMIT)), ..Options::default() };
        let running = graph.check().unwrap().start(&*scheduler, &options).unwrap();
        let start = Instant::now();
        while most.load(Ordering::SeqCst) == 0 {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}: nothing comes");
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(30));
        running.cancel();
        let _ = running.wait();
        let most = most.load(Ordering::SeqCst);
        assert!((1..=LIMIT as u64).contains(&most), "{name}: {most} items were on their way");
    }
}
