//! One stream and many readers: what each of them costs.

use clap::Args;
use serde_json::json;
use superhet_runtime::{Graph, RunError};

use super::blocks::{BenchmarkSink, DummySource};
use super::measure::{Repeat, rate_into, run_for};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use superhet_terminal::settings::Settings;

/// `superhet bench fanout`
#[derive(Args, Debug)]
pub struct Fanout {
    /// Readers of the one stream; several numbers, separated by commas, are measured one after the other
    #[arg(
        long, value_name = "R,...", value_delimiter = ',', default_value = "1,2,4,8",
        value_parser = clap::value_parser!(u32).range(1..=1000),
    )]
    readers: Vec<u32>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

impl Fanout {
    pub fn run(self) -> anyhow::Result<()> {
        let cases = self.readers.iter().map(|&readers| self.case(readers)).collect::<Result<Vec<_>, _>>()?;
        self.output.give("fanout", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    fn case(&self, readers: u32) -> Result<Case, RunError> {
        let (scheduler, options) = (self.settings.scheduler(), self.settings.options());
        let plan = graph(readers).check()?.plan(&*scheduler, &options)?.to_json();
        let strip = plan["streams"][0]["strip_items"].as_u64().unwrap_or(0);
        let (mut rates, mut costs) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat.repeat {
            let report = run_for(graph(readers), &*scheduler, &options, self.repeat.time())?;
            // The slowest reader is the last to have an item.
            let rate = (0..readers).map(|r| rate_into(&report, &reader(r))).fold(f64::MAX, f64::min);
            rates.push(rate);
            costs.push(1e9 * strip as f64 / rate / f64::from(readers));
        }
        let facts = json!({
            "scheduler": scheduler.name(), "workers": self.settings.workers(), "readers": readers,
            "strip_items": strip,
        });
        let s = if readers == 1 { "" } else { "s" };
        let label = format!("{readers} reader{s}, {}, strips of {strip}", scheduler.name());
        let figures = vec![
            Figure::giga("rate", "Gitems/s of the stream", rates),
            Figure::new("ns_per_reader", "ns for a reader and a strip, the source shared out", costs),
        ];
        Ok(Case::new(label, facts, figures))
    }

    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let cost = |case: &Case| case.figure("ns_per_reader").map_or(0.0, |figure| figure.stats.median());
        let mut points: Vec<_> =
            self.readers.iter().zip(cases).map(|(&readers, case)| (f64::from(readers), cost(case))).collect();
        plot::in_order(&mut points);
        let title = format!("One stream, many readers ({})", self.settings.scheduler().name());
        let axes = Axes { title: &title, x: "readers", y: "ns for a reader and a strip" };
        plot::lines(&axes, &[Line { name: "measured", points, ideal: false }])
    }
}

fn reader(index: u32) -> String {
    format!("reader{index}")
}

fn graph(readers: u32) -> Graph {
    let mut graph = Graph::new();
    let source = graph.add("source", DummySource);
    for index in 0..readers {
        let sink = graph.add(reader(index), BenchmarkSink::default());
        graph.connect(source.output, sink.input);
    }
    graph
}
