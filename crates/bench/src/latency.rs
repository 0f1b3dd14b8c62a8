//! How long samples take from the source to the sink at a rate that the graph can easily keep.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::json;
use superhet_blocks::flow::Copy;
use superhet_runtime::{Graph, RunError};

use super::blocks::{PacedSource, StampingSink, Stamps};
use super::measure::Repeat;
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes};
use super::stats::Stats;
use superhet_terminal::settings::{SchedulerName, Settings};

/// `superhet bench latency`
#[derive(Args, Debug)]
pub struct Latency {
    /// Items a second that the source gives
    #[arg(long, value_name = "ITEMS/S", default_value_t = 1e6, value_parser = parse_rate)]
    rate: f64,
    /// Items that the source gives at a time
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    chunk: u32,
    /// Copy blocks between source and sink
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    blocks: u32,
    /// How the source waits until a chunk is due
    #[arg(long, default_value = "poll")]
    source: Waiting,
    /// The schedulers to measure, separated by commas [default: the one that `--scheduler` names, else all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with_all = ["scheduler", "lanes"])]
    schedulers: Vec<SchedulerName>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Waiting {
    /// Looks at the clock all the time, on its lane's worker
    Poll,
    /// Sleeps, on a thread of its own: a blocking block
    Wait,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (1.0..=1e12).contains(&rate) => Ok(rate),
        _ => Err("expected a number from 1 to 1e12".to_owned()),
    }
}

/// The share of the chunks, at the start, that is not counted: caches, clocks and threads warm up.
const WARM_UP: f64 = 0.1;

impl Latency {
    pub fn run(self) -> anyhow::Result<()> {
        let named = match &self.schedulers[..] {
            [] if self.settings.names_a_scheduler() => Vec::new(),
            [] => SchedulerName::value_variants().to_vec(),
            some => some.to_vec(),
        };
        let mut settings: Vec<_> = named.iter().map(|&name| self.settings.under(name)).collect();
        if settings.is_empty() {
            settings.push(self.settings.clone());
        }
        let cases = settings.iter().map(|settings| self.case(settings)).collect::<Result<Vec<_>, _>>()?;
        self.output.give("latency", self.repeat.repeat, &cases, || {
            let title = format!(
                "From source to sink through {} blocks, {} items at a time, {:.3e} items/s",
                self.blocks, self.chunk, self.rate
            );
            let axes = Axes { title: &title, x: "scheduler", y: "microseconds" };
            plot::bars(&axes, &cases, &["p50_us", "p99_us", "max_us"])
        })
    }

    fn case(&self, settings: &Settings) -> Result<Case, RunError> {
        let (scheduler, options) = (settings.scheduler(), settings.options());
        let chunk = self.chunk as usize;
        let chunks = (self.rate * self.repeat.seconds / chunk as f64).ceil().max(1.0) as usize;
        let (mut p50, mut p99, mut max, mut mean, mut late) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut lanes = 0;
        for _ in 0..self.repeat.repeat {
            let stamps = Arc::new(Stamps::new(chunks, chunk, self.rate));
            let graph = self.graph(&stamps).check()?;
            let plan = graph.plan(&*scheduler, &options)?;
            lanes = plan.lanes().len();
            graph.start(&*scheduler, &options)?.wait()?;
            let counted = || stamps.delays_us().skip((chunks as f64 * WARM_UP) as usize);
            let delays = Stats::new(counted().map(|(_, delay)| delay).collect());
            p50.push(delays.median());
            p99.push(delays.quantile(0.99));
            max.push(delays.max());
            mean.push(delays.mean());
            late.push(Stats::new(counted().map(|(late, _)| late).collect()).quantile(0.99));
        }
        let facts = json!({
            "scheduler": scheduler.name(), "lanes": lanes, "blocks": self.blocks, "rate": self.rate,
            "chunk": chunk, "chunks": chunks, "source": format!("{:?}", self.source).to_lowercase(),
        });
        let figures = vec![
            Figure::new("p50_us", "us", p50),
            Figure::new("p99_us", "us", p99),
            Figure::new("max_us", "us", max),
            Figure::new("mean_us", "us", mean),
            Figure::new("source_late_p99_us", "us that the source itself is late", late),
        ];
        let s = if lanes == 1 { "" } else { "s" };
        Ok(Case::new(format!("{}, {lanes} lane{s}", scheduler.name()), facts, figures))
    }

    fn graph(&self, stamps: &Arc<Stamps>) -> Graph {
        let mut graph = Graph::new();
        let source = PacedSource::new(stamps.clone(), self.source == Waiting::Wait);
        let mut stream = graph.add("source", source).output;
        for k in 0..self.blocks {
            let copy = graph.add(format!("copy{k}"), Copy::<f32>::new());
            graph.connect(stream, copy.input);
            stream = copy.output;
        }
        let sink = graph.add("sink", StampingSink::new(stamps.clone()));
        graph.connect(stream, sink.input);
        graph
    }
}
