//! How fast samples go through a chain of cheap blocks, beside what the kernel alone does.

use std::time::Duration;

use clap::Args;
use serde_json::json;
use superhet_kernels as kernels;
use superhet_runtime::RunError;

use super::blocks::{Saxpys, chain};
use super::measure::{Repeat, rate_into, rate_of, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use crate::settings::Settings;

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
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

impl Chain {
    pub fn run(self) -> anyhow::Result<()> {
        let cases = self.kernels.iter().map(|&kernels| self.case(kernels)).collect::<Result<Vec<_>, _>>()?;
        self.output.give("chain", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    fn case(&self, kernels: u32) -> Result<Case, RunError> {
        let (mut rates, mut peaks, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        let (scheduler, options) = (self.settings.scheduler(), self.settings.options());
        let graph = || chain(kernels, || Saxpys { weight: self.weight, align: 1 });
        let plan = graph().check()?.plan(&*scheduler, &options)?.to_json();
        let strip = plan["streams"][0]["strip_items"].as_u64().unwrap_or(0);
        let a_quarter = self.repeat.time() / 4;
        // Peak and chain in turns: whatever else the machine does hits both.
        for _ in 0..self.repeat.repeat {
            let before = kernel_peak(a_quarter);
            let report = run_for(graph(), &*scheduler, &options, self.repeat.time())?;
            let peak = kernel_peak(a_quarter).max(before);
            let rate = rate_into(&report, "sink");
            rates.push(rate);
            peaks.push(peak);
            ratios.push(rate * f64::from(kernels) * f64::from(self.weight) / peak);
        }
        let workers = self.settings.workers();
        let facts = json!({
            "scheduler": scheduler.name(), "workers": workers, "kernels": kernels, "weight": self.weight,
            "strip_items": strip, "in_place": options.in_place,
        });
        let s = if kernels == 1 { "" } else { "s" };
        let label = format!("{kernels} saxpy{s}, {}, strips of {strip}", scheduler.name());
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
        measured.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (least, most) = (self.kernels.iter().min(), self.kernels.iter().max());
        let every_m = || (*least.unwrap_or(&1)..=*most.unwrap_or(&1)).map(f64::from);
        let dynamic = every_m().map(|m| (m, (workers / m).min(1.0))).collect();
        let dealt = every_m().map(|m| (m, 1.0 / (m / workers).ceil())).collect();
        let lines = [
            Line { name: "measured", points: measured, ideal: false },
            Line { name: "ideal, any worker runs any block: N / M", points: dynamic, ideal: true },
            Line { name: "ideal, blocks dealt once: 1 / ceil(M / N)", points: dealt, ideal: true },
        ];
        let scheduler = self.settings.scheduler().name();
        let title = format!("A chain of M saxpy blocks, N = {workers} ({scheduler})");
        let axes = Axes { title: &title, x: "saxpy blocks M", y: "rate / peak of one block" };
        plot::lines(&axes, &lines)
    }
}

/// Items per second of the saxpy kernel alone on data in the level-1 cache: the best of in place and out of place, and
/// of several lengths.
fn kernel_peak(time: Duration) -> f64 {
    const GAIN: f32 = Saxpys::GAIN;
    const OFFSET: f32 = Saxpys::OFFSET;
    let mut best: f64 = 0.0;
    let lengths = [2048usize, 2560, 4096, 5120, 6144];
    let share = time / (2 * lengths.len() as u32);
    let mut memory = vec![1.0f32; 3 * 6144 + 64];
    let aligned = memory.as_ptr().align_offset(64);
    let memory = &mut memory[aligned..];
    for length in lengths {
        let (x, y) = memory.split_at_mut(6144 + 128);
        best = best.max(rate_of(length, share, || kernels::saxpy_in_place(&mut x[..length], GAIN, OFFSET)));
        best =
            best.max(rate_of(length, share, || kernels::saxpy(&mut y[..length], &x[..length], GAIN, OFFSET)));
    }
    best
}
