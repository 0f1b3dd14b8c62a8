//! What a work call costs beyond the block's own work: a chain of blocks that do next to nothing, one item at a time.

use std::io::Write;
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
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    blocks: u32,
    /// Items for each call
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    strip_items: u32,
    /// Repetitions; the median is reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Nanoseconds of repeated measurements, with and without the runtime.
#[derive(Default)]
struct Case {
    whole: Vec<f64>,
    own: Vec<f64>,
}

impl Case {
    fn beyond(&self) -> Stats {
        Stats::new(self.whole.iter().zip(&self.own).map(|(whole, own)| whole - own).collect())
    }
}

impl Overhead {
    pub fn run(self) -> anyhow::Result<()> {
        let (mut in_place, mut out_of_place) = (Case::default(), Case::default());
        for _ in 0..self.repeat {
            self.measure(&mut in_place, true)?;
            self.measure(&mut out_of_place, false)?;
        }
        let (in_place, out_of_place) = (in_place.beyond(), out_of_place.beyond());
        let mut out = std::io::stdout().lock();
        if self.json {
            let object = json!({
                "bench": "overhead", "blocks": self.blocks, "strip_items": self.strip_items,
                "ns_per_call": in_place.median(), "ns_per_call_stats": in_place.to_json(),
                "ns_per_call_out_of_place": out_of_place.median(),
                "ns_per_call_out_of_place_stats": out_of_place.to_json(),
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(
                out,
                "nanoseconds a work call costs beyond the block's own work, spans of {} items:",
                self.strip_items
            )?;
            for (name, stats) in
                [("as planned, in place", in_place), ("each block with a buffer", out_of_place)]
            {
                writeln!(
                    out,
                    "{name:<25} min {:.1}, median {:.1}, mean {:.1}, max {:.1}",
                    stats.min(),
                    stats.median(),
                    stats.mean(),
                    stats.max()
                )?;
            }
        }
        Ok(())
    }

    /// Times the chain and, right after it, the copy block's own code.
    fn measure(&self, case: &mut Case, in_place: bool) -> Result<(), RunError> {
        case.whole.push(self.whole_call(in_place)?);
        case.own.push(bare_call(self.strip_items as usize, in_place));
        Ok(())
    }

    /// Nanoseconds per work call, source and sink counted as calls too.
    fn whole_call(&self, in_place: bool) -> Result<f64, RunError> {
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
            Options { strip_items: Some(self.strip_items as usize), in_place, ..Options::default() };
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
