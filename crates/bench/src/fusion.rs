//! What it gains to fuse a chain of cheap blocks into one block.

use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use superhet_blocks::Elementwise;
use superhet_blocks::math::Saxpy;
use superhet_runtime::{Graph, Pure, RunError};

use super::blocks::{BenchmarkSink, DummySource};
use super::stats::Stats;
use superhet_terminal::say;
use superhet_terminal::settings::{Settings, parse_seconds};

/// `superhet bench fusion`
#[derive(Args, Debug)]
pub struct Fusion {
    /// Saxpy blocks, fused and not: 2, 4 or 8
    #[arg(long, default_value_t = 4, value_parser = parse_blocks)]
    blocks: u32,
    #[command(flatten)]
    settings: Settings,
    /// Repetitions; the median is reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Seconds for each repetition, half of them fused
    #[arg(long, default_value_t = 0.6, value_parser = parse_seconds)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn parse_blocks(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(blocks @ (2 | 4 | 8)) => Ok(blocks),
        _ => Err("expected 2, 4 or 8: fused chains are made when superhet is compiled".to_owned()),
    }
}

const SAXPY: Saxpy = Saxpy { gain: 0.999, offset: 0.001 };

impl Fusion {
    pub fn run(self) -> anyhow::Result<()> {
        let (mut fused, mut unfused, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        // In turns, and in slices within a repetition: whatever else the machine does hits both.
        for _ in 0..self.repeat {
            let (with, without) = self.measure_both()?;
            fused.push(with);
            unfused.push(without);
            ratios.push(with / without);
        }
        let (fused, unfused, ratio) = (Stats::new(fused), Stats::new(unfused), Stats::new(ratios));
        let (scheduler, workers) = (self.settings.scheduler().name(), self.settings.workers());
        let mut out = String::new();
        if self.json {
            let object = json!({
                "bench": "fusion", "scheduler": scheduler, "workers": workers, "blocks": self.blocks,
                "in_place": self.settings.options().in_place, "repeat": self.repeat,
                "fused_rate": fused.median(), "unfused_rate": unfused.median(), "ratio": ratio.median(),
                "fused_rate_stats": fused.to_json(), "unfused_rate_stats": unfused.to_json(),
                "ratio_stats": ratio.to_json(),
            });
            writeln!(out, "{object}")?;
        } else {
            writeln!(
                out,
                "{} saxpys, {scheduler}, {workers} workers: fused {:.2} Gitems/s, one after the other {:.2}",
                self.blocks,
                fused.median() / 1e9,
                unfused.median() / 1e9,
            )?;
            writeln!(
                out,
                "ratio fused / unfused: min {:.3}, median {:.3}, mean {:.3}, max {:.3}",
                ratio.min(),
                ratio.median(),
                ratio.mean(),
                ratio.max()
            )?;
        }
        say::result(&out)
    }

    /// Items per second with and without fusion.
    fn measure_both(&self) -> Result<(f64, f64), RunError> {
        const SLICES: u32 = 5;
        let slice = Duration::from_secs_f64(self.seconds / 2.0) / SLICES;
        let (mut fused, mut unfused) = (0.0, 0.0);
        for _ in 0..SLICES {
            fused += self.fused(slice)?;
            unfused += self.chain(vec![SAXPY; self.blocks as usize], slice)?;
        }
        Ok((fused / f64::from(SLICES), unfused / f64::from(SLICES)))
    }

    fn fused(&self, time: Duration) -> Result<f64, RunError> {
        let two = SAXPY.then(SAXPY);
        let four = two.then(two);
        match self.blocks {
            2 => self.chain(vec![two], time),
            4 => self.chain(vec![four], time),
            _ => self.chain(vec![four.then(four)], time),
        }
    }

    /// Items per second through `blocks`, one after the other.
    fn chain<P: Pure<In = f32, Out = f32>>(&self, blocks: Vec<P>, time: Duration) -> Result<f64, RunError> {
        let mut graph = Graph::new();
        let mut stream = graph.add("source", DummySource).output;
        for (k, block) in blocks.into_iter().enumerate() {
            let block = graph.add(format!("block{k}"), block);
            graph.connect(stream, block.input);
            stream = block.output;
        }
        let sink = graph.add("sink", BenchmarkSink::default());
        graph.connect(stream, sink.input);
        let running = graph.check()?.start(&*self.settings.scheduler(), &self.settings.options())?;
        std::thread::sleep(time);
        let report = running.stop_within(Duration::from_secs(10))?;
        let items = report.block("sink").map_or(0, |sink| sink.inputs[0].items);
        Ok(items as f64 / report.elapsed.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        fusion: Fusion,
    }

    #[test]
    fn every_depth_is_measured_fused_and_not() {
        for blocks in ["2", "4", "8"] {
            let arguments = ["fusion", "--blocks", blocks, "--seconds", "0.2"];
            let (fused, unfused) = Arguments::parse_from(arguments).fusion.measure_both().unwrap();
            assert!(fused > 0.0 && unfused > 0.0);
        }
        assert!(Arguments::try_parse_from(["fusion", "--blocks", "3"]).is_err());
    }
}
