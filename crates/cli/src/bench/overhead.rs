//! What a work call costs beyond the block's own work: a chain of blocks that do next to nothing, one item at a time.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use superhet_blocks::flow::Copy;
use superhet_runtime::{Graph, Options, Pure, RunError, Single};

use super::blocks::{BenchmarkSink, DummySource};
use super::stats::Stats;

/// `superhet bench overhead`
#[derive(Args, Debug)]
pub struct Overhead {
    /// Copy blocks in the chain
    #[arg(long, default_value_t = 8)]
    blocks: usize,
    /// Items for each call
    #[arg(long, default_value_t = 1)]
    strip_items: usize,
    /// Let blocks work in place
    #[arg(long)]
    in_place: bool,
    /// Repetitions; the median is reported
    #[arg(long, default_value_t = 7)]
    repeat: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Overhead {
    pub fn run(self) -> anyhow::Result<()> {
        let (mut total, mut own, mut beyond) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.repeat.max(1) {
            let per_call = self.measure()?;
            let bare = bare_call(self.strip_items, self.in_place);
            total.push(per_call);
            own.push(bare);
            beyond.push(per_call - bare);
        }
        let (total, own, beyond) = (Stats::new(total), Stats::new(own), Stats::new(beyond));
        if self.json {
            let object = json!({
                "bench": "overhead", "blocks": self.blocks, "strip_items": self.strip_items,
                "in_place": self.in_place, "ns_per_call": beyond.median(),
                "ns_per_call_stats": beyond.to_json(),
                "ns_per_call_with_work": total.median(), "ns_of_own_work": own.median(),
            });
            println!("{object}");
        } else {
            println!(
                "{:.1} ns a call beyond the block's own work (min {:.1}, max {:.1}; {:.1} in all, {:.1} of them its own)",
                beyond.median(),
                beyond.min(),
                beyond.max(),
                total.median(),
                own.median()
            );
        }
        Ok(())
    }

    /// Nanoseconds per work call, source and sink counted as calls too.
    fn measure(&self) -> Result<f64, RunError> {
        let mut graph = Graph::new();
        let source = graph.add("source", DummySource);
        let mut stream = source.output;
        for k in 0..self.blocks {
            let copy = graph.add(format!("copy{k}"), Copy::<f32>::new());
            graph.connect(stream, copy.input);
            stream = copy.output;
        }
        let sink = graph.add("sink", BenchmarkSink);
        graph.connect(stream, sink.input);
        let options =
            Options { strip_items: Some(self.strip_items), in_place: self.in_place, ..Options::default() };
        let running = graph.check()?.start(&Single, &options)?;
        std::thread::sleep(Duration::from_millis(200));
        let report = running.stop_within(Duration::from_secs(10))?;
        let calls: u64 = report.blocks.iter().map(|block| block.calls).sum();
        Ok(report.elapsed.as_secs_f64() * 1e9 / calls as f64)
    }
}

/// Nanoseconds that the copy block's own code takes for one strip, called directly.
fn bare_call(items: usize, in_place: bool) -> f64 {
    const CALLS: u32 = 1_000_000;
    let block = Copy::<f32>::new();
    let (x, mut y) = (vec![0.0f32; items], vec![0.0f32; items]);
    let start = Instant::now();
    for _ in 0..CALLS {
        match in_place {
            true => block.map_in_place(std::hint::black_box(&mut y)),
            false => block.map(std::hint::black_box(&x), std::hint::black_box(&mut y)),
        }
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}
