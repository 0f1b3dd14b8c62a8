//! How fast samples go through a chain of cheap blocks, beside what the kernel alone does.

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;
use superhet_runtime::block::{IntoBlock, StreamPorts};
use superhet_runtime::port::{InRef, OutRef};
use superhet_runtime::{Graph, RunError};

use super::blocks::{ItemCount, chain_of};
use super::measure::{Repeat, rate_of, steady_count};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use super::saxpys::{CountingSaxpy, PureSaxpy, Saxpy};
use superhet_terminal::settings::Settings;

/// `superhet bench chain`
#[derive(Args, Debug)]
pub struct Chain {
    /// Saxpy blocks in the chain; several numbers, separated by commas, are measured one after the other
    #[arg(
        long, value_name = "M,...", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=1000),
    )]
    kernels: Vec<u32>,
    /// How often each block runs its kernel over its strip
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    weight: u32,
    /// Let the saxpys work on top of their input; else each writes to a buffer of its own
    #[arg(long)]
    in_place: bool,
    /// Which of the saxpys have a state
    #[arg(long, value_name = "WHICH", default_value = "none")]
    state: StateOf,
    /// Run a plain loop with fused multiply-adds in the place of the library's kernel
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

/// Which of the saxpys have a state.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum StateOf {
    /// Every one
    All,
    /// The one in the middle
    One,
    /// None: all are pure
    None,
}

impl StateOf {
    fn name(self) -> &'static str {
        match self {
            StateOf::All => "all",
            StateOf::One => "one",
            StateOf::None => "none",
        }
    }
}

impl Chain {
    pub fn run(self) -> anyhow::Result<()> {
        let cases = self.kernels.iter().map(|&kernels| self.case(kernels)).collect::<Result<Vec<_>, _>>()?;
        self.output.give("chain", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    fn saxpy(&self) -> Saxpy {
        Saxpy { weight: self.weight, plain: self.plain, ..Saxpy::ONCE }
    }

    /// The chain of so many saxpys, and what its sink counts.
    fn graph(&self, kernels: u32) -> (Graph, ItemCount) {
        let saxpy = self.saxpy();
        chain_of(kernels, |graph, place, name| {
            let has_state = match self.state {
                StateOf::All => true,
                StateOf::One => place == kernels / 2,
                StateOf::None => false,
            };
            match (has_state, self.in_place) {
                (true, true) => add(graph, name, CountingSaxpy::<true>::new(saxpy)),
                (true, false) => add(graph, name, CountingSaxpy::<false>::new(saxpy)),
                (false, true) => add(graph, name, PureSaxpy::<true>(saxpy)),
                (false, false) => add(graph, name, PureSaxpy::<false>(saxpy)),
            }
        })
    }

    fn case(&self, kernels: u32) -> Result<Case, RunError> {
        let (mut rates, mut peaks, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let (scheduler, options) = (self.settings.scheduler(), self.settings.options());
        let plan = self.graph(kernels).0.check()?.plan(&*scheduler, &options)?.to_json();
        let strip = plan["streams"][0]["strip_items"].as_u64().unwrap_or(0);
        let a_quarter = self.repeat.time() / 4;
        // Peak and chain in turns: whatever else the machine does hits both.
        for _ in 0..self.repeat.repeat {
            let before = kernel_peak(self.saxpy(), a_quarter);
            let (graph, count) = self.graph(kernels);
            let time = self.repeat.time();
            let (rate, _) = steady_count(graph, &*scheduler, &options, time, |_| count.get())?;
            let peak = kernel_peak(self.saxpy(), a_quarter).max(before);
            rates.push(rate);
            peaks.push(peak);
            ratios.push(rate * f64::from(kernels) * f64::from(self.weight) / peak);
        }
        let workers = self.settings.workers();
        let facts = json!({
            "scheduler": scheduler.name(), "workers": workers, "kernels": kernels, "weight": self.weight,
            "strip_items": strip, "in_place": self.in_place && options.in_place, "state": self.state.name(),
            "plain": self.plain,
        });
        let s = if kernels == 1 { "" } else { "s" };
        let place = if self.in_place { "in place" } else { "out of place" };
        let label = format!("{kernels} saxpy{s} {place}, {}, strips of {strip}", scheduler.name());
        let figures = vec![
            Figure::giga("rate", "Gitems/s", rates),
            Figure::giga("kernel_peak", "Gitems/s, the kernel alone in L1", peaks),
            Figure::new("ratio", "of the peak, all saxpys counted", ratios),
        ];
        Ok(Case::new(label, facts, figures))
    }

    /// The measured rate beside what workers could do that take any work, or keep to blocks of their own.
    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let workers = self.settings.workers() as f64;
        // The ratio counts all blocks, and a block's kernel `weight` times: over M it is the rate over a block's peak.
        let ratio = |case: &Case| case.figure("ratio").map_or(0.0, |figure| figure.stats.median());
        let measured =
            self.kernels.iter().zip(cases).map(|(&m, case)| (f64::from(m), ratio(case) / f64::from(m)));
        let mut measured: Vec<_> = measured.collect();
        plot::in_order(&mut measured);
        let (least, most) = (self.kernels.iter().min(), self.kernels.iter().max());
        let every_m = || (*least.unwrap_or(&1)..=*most.unwrap_or(&1)).map(f64::from);
        let dynamic = every_m().map(|m| (m, (workers / m).min(1.0))).collect();
        let in_shares = every_m().map(|m| (m, 1.0 / (m / workers).ceil())).collect();
        let lines = [
            Line { name: "measured", points: measured, ideal: false },
            Line { name: "ideal, any worker runs any block: N / M", points: dynamic, ideal: true },
            Line { name: "ideal, blocks shared out once: 1 / ceil(M / N)", points: in_shares, ideal: true },
        ];
        let scheduler = self.settings.scheduler().name();
        let title = format!("A chain of M saxpy blocks, N = {workers} ({scheduler})");
        let axes = Axes { title: &title, x: "saxpy blocks M", y: "rate / peak of one block" };
        plot::lines(&axes, &lines)
    }
}

/// Adds a block; its input and its output.
fn add<M, B>(graph: &mut Graph, name: String, block: B) -> (InRef<f32>, OutRef<f32>)
where
    B: IntoBlock<M, Ports = StreamPorts<f32, f32>>,
{
    let block = graph.add(name, block);
    (block.input, block.output)
}

/// Items per second of one pass of the saxpy alone on data in the level-1 cache: the best of in place and out of place,
/// and of several lengths.
fn kernel_peak(saxpy: Saxpy, time: Duration) -> f64 {
    let saxpy = Saxpy { weight: 1, ..saxpy };
    let mut best: f64 = 0.0;
    let lengths = [2048usize, 2560, 4096, 5120, 6144];
    let share = time / (2 * lengths.len() as u32);
    let mut memory = vec![1.0f32; 3 * 6144 + 64];
    let aligned = memory.as_ptr().align_offset(64);
    let memory = &mut memory[aligned..];
    for length in lengths {
        let (x, y) = memory.split_at_mut(6144 + 128);
        best = best.max(rate_of(length, share, || saxpy.apply_in_place(&mut x[..length])));
        best = best.max(rate_of(length, share, || saxpy.apply(&x[..length], &mut y[..length])));
    }
    best
}
