//! What a work call costs beyond the block's own work: a chain of blocks that do next to nothing, one item at a time.

use std::time::Instant;

use clap::Args;
use serde_json::json;
use superhet_blocks::flow::Copy;
use superhet_runtime::{Options, Pure, RunError, Single};

use super::blocks::chain;
use super::measure::{Repeat, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes};

/// `superhet bench overhead`
#[derive(Args, Debug)]
pub struct Overhead {
    /// Copy blocks in the chain
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    blocks: u32,
    /// Items for each call
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    strip_items: u32,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// Figures in nanoseconds per call: as planned, and with a buffer for each block.
const IN_PLACE: &str = "ns_per_call";
const OUT_OF_PLACE: &str = "ns_per_call_out_of_place";

impl Overhead {
    pub fn run(self) -> anyhow::Result<()> {
        let (mut in_place, mut out_of_place) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat.repeat {
            in_place.push(self.beyond(true)?);
            out_of_place.push(self.beyond(false)?);
        }
        let label = format!("{} copies, spans of {}", self.blocks, self.strip_items);
        let facts = json!({ "blocks": self.blocks, "strip_items": self.strip_items });
        let figures = vec![
            Figure::new(IN_PLACE, "ns beyond the block's own work", in_place),
            Figure::new(OUT_OF_PLACE, "ns, each block with a buffer", out_of_place),
        ];
        let cases = [Case::new(label, facts, figures)];
        self.output.give("overhead", self.repeat.repeat, &cases, || {
            let axes = Axes { title: "A work call beyond the block's own work", x: "", y: "ns" };
            plot::bars(&axes, &cases, &[IN_PLACE, OUT_OF_PLACE])
        })
    }

    /// Times the chain and, right after it, the copy block's own code: nanoseconds per call beyond that.
    fn beyond(&self, in_place: bool) -> Result<f64, RunError> {
        let whole = self.whole_call(in_place)?;
        Ok(whole - bare_call(self.strip_items as usize, in_place))
    }

    /// Nanoseconds per work call, source and sink counted as calls too.
    fn whole_call(&self, in_place: bool) -> Result<f64, RunError> {
        let strip_items = Some(self.strip_items as usize);
        let options = Options { strip_items, in_place, ..Options::default() };
        let graph = chain(self.blocks, Copy::<f32>::new);
        let report = run_for(graph, &Single, &options, self.repeat.time())?;
        let calls: u64 = report.blocks.iter().map(|block| block.calls).sum();
        Ok(report.elapsed.as_secs_f64() * 1e9 / calls as f64)
    }
}

/// Nanoseconds that the copy block's own code takes for one strip, called directly.
fn bare_call(items: usize, in_place: bool) -> f64 {
    let calls = (100_000_000 / items as u32).clamp(1, 1_000_000);
    let block = Copy::<f32>::new();
    let (x, mut y) = (vec![0.0f32; items], vec![0.0f32; items]);
    let map_in_place = Copy::<f32>::IN_PLACE.filter(|_| in_place);
    let start = Instant::now();
    for _ in 0..calls {
        match map_in_place {
            Some(map) => map(&block, std::hint::black_box(&mut y)),
            None => block.map(std::hint::black_box(&x), std::hint::black_box(&mut y)),
        }
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}
