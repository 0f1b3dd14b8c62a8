//! How fast samples go through a chain of cheap blocks, beside what the kernel alone does.

use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use superhet_blocks::math::Saxpy;
use superhet_kernels as kernels;
use superhet_runtime::{Graph, RunError};

use super::blocks::{BenchmarkSink, DummySource};
use super::stats::Stats;
use crate::settings::Settings;

/// `superhet bench chain`
#[derive(Args, Debug)]
pub struct Chain {
    /// Saxpy blocks in the chain
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    kernels: u32,
    #[command(flatten)]
    settings: Settings,
    /// Repetitions; the median is reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Seconds for each repetition
    #[arg(long, default_value_t = 0.3, value_parser = parse_seconds)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=1000.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number from 0.001 to 1000".to_owned()),
    }
}

impl Chain {
    pub fn run(self) -> anyhow::Result<()> {
        let repeat = self.repeat;
        let (mut rates, mut peaks, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let mut strip = 0;
        // Peak and chain in turns: whatever else the machine does hits both.
        for _ in 0..repeat {
            let before = kernel_peak(Duration::from_secs_f64(self.seconds / 4.0));
            let rate = self.measure(&mut strip)?;
            let peak = kernel_peak(Duration::from_secs_f64(self.seconds / 4.0)).max(before);
            rates.push(rate);
            peaks.push(peak);
            ratios.push(rate * f64::from(self.kernels) / peak);
        }
        let (rate, peak, ratio) = (Stats::new(rates), Stats::new(peaks), Stats::new(ratios));
        let (scheduler, workers) = (self.settings.scheduler().name(), self.settings.workers());
        let mut out = std::io::stdout().lock();
        if self.json {
            let object = json!({
                "bench": "chain", "scheduler": scheduler, "workers": workers, "kernels": self.kernels,
                "strip_items": strip, "in_place": self.settings.options().in_place, "repeat": repeat,
                "rate": rate.median(), "kernel_peak": peak.median(), "ratio": ratio.median(),
                "rate_stats": rate.to_json(), "kernel_peak_stats": peak.to_json(), "ratio_stats": ratio.to_json(),
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(
                out,
                "{} saxpys, {scheduler}, {workers} workers, strips of {strip} items: {:.2} Gitems/s; the kernel alone in L1: {:.2}",
                self.kernels,
                rate.median() / 1e9,
                peak.median() / 1e9,
            )?;
            writeln!(
                out,
                "ratio rate x kernels / peak: min {:.3}, median {:.3}, mean {:.3}, max {:.3}",
                ratio.min(),
                ratio.median(),
                ratio.mean(),
                ratio.max()
            )?;
        }
        Ok(())
    }

    /// Items per second through the chain.
    fn measure(&self, strip: &mut usize) -> Result<f64, RunError> {
        let mut graph = Graph::new();
        let source = graph.add("source", DummySource);
        let mut stream = source.output;
        for k in 0..self.kernels {
            let saxpy = graph.add(format!("saxpy{k}"), Saxpy { gain: 0.999, offset: 0.001 });
            graph.connect(stream, saxpy.input);
            stream = saxpy.output;
        }
        let sink = graph.add("sink", BenchmarkSink);
        graph.connect(stream, sink.input);
        let options = self.settings.options();
        let graph = graph.check()?;
        let scheduler = self.settings.scheduler();
        let plan = graph.plan(&*scheduler, &options)?.to_json();
        *strip = plan["streams"][0]["strip_items"].as_u64().unwrap_or(0) as usize;
        let running = graph.start(&*scheduler, &options)?;
        std::thread::sleep(Duration::from_secs_f64(self.seconds));
        let report = running.stop_within(Duration::from_secs(10))?;
        let items = report.block("sink").map_or(0, |sink| sink.inputs[0].items);
        Ok(items as f64 / report.elapsed.as_secs_f64())
    }
}

/// Items per second of the saxpy kernel alone on data in the level-1 cache: the best of in place and out of place, and
/// of several lengths.
fn kernel_peak(time: Duration) -> f64 {
    let mut best: f64 = 0.0;
    let lengths = [2048usize, 2560, 4096, 5120, 6144];
    let share = time / (2 * lengths.len() as u32);
    let mut memory = vec![1.0f32; 3 * 6144 + 64];
    let aligned = memory.as_ptr().align_offset(64);
    let memory = &mut memory[aligned..];
    for length in lengths {
        let (x, y) = memory.split_at_mut(6144 + 128);
        best = best.max(rate_of(length, share, || kernels::saxpy_in_place(&mut x[..length], 0.999, 0.001)));
        best =
            best.max(rate_of(length, share, || kernels::saxpy(&mut y[..length], &x[..length], 0.999, 0.001)));
    }
    best
}

fn rate_of(items: usize, time: Duration, mut work: impl FnMut()) -> f64 {
    const CALLS: usize = 256;
    let start = Instant::now();
    let mut best = f64::MAX;
    while start.elapsed() < time {
        let before = Instant::now();
        for _ in 0..CALLS {
            work();
            std::hint::black_box(());
        }
        best = best.min(before.elapsed().as_secs_f64() / CALLS as f64);
    }
    items as f64 / best
}
