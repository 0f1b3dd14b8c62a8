//! The cost of tags: a chain of copies with a tag every so many items, against the same chain without.
//!
//! The cost of a tag in a block is measured on one worker: with several, elapsed time is not processor time.

use clap::Args;
use serde_json::json;
use superhet_blocks::flow::Copy;
use superhet_runtime::{Graph, RunError};

use super::blocks::{Counted, TagCounter, TagSource};
use super::measure::{Repeat, steady_rate};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes, Line};
use superhet_terminal::settings::Settings;

/// `superhet bench tags`
#[derive(Args, Debug)]
pub struct Tags {
    /// Items from one tag to the next; several numbers, separated by commas, are measured one after the other
    #[arg(
        long, value_name = "ITEMS,...", value_delimiter = ',', default_value = "10,100,1000,10000,100000",
        value_parser = clap::value_parser!(u64).range(1..=1 << 40),
    )]
    every: Vec<u64>,
    /// Tags that wait in the first stream at any time, besides those of its items; several numbers as above
    #[arg(
        long, value_name = "TAGS,...", value_delimiter = ',', default_value = "0",
        value_parser = clap::value_parser!(u64).range(0..=10_000_000),
    )]
    alive: Vec<u64>,
    /// Copy blocks in the chain
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    blocks: u32,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

impl Tags {
    pub fn run(self) -> anyhow::Result<()> {
        let settings =
            self.every.iter().flat_map(|&every| self.alive.iter().map(move |&alive| (every, alive)));
        let cases =
            settings.map(|(every, alive)| self.case(every, alive)).collect::<anyhow::Result<Vec<_>>>()?;
        self.output.give("tags", self.repeat.repeat, &cases, || self.draw(&cases))
    }

    fn case(&self, every: u64, alive: u64) -> anyhow::Result<Case> {
        let (mut rates, mut untagged, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.repeat.repeat {
            // Seconds per item, in turns: whatever else the machine does hits all.
            let with = self.seconds(self.blocks, Some((every, alive)))?;
            let without = self.seconds(self.blocks, None)?;
            rates.push(1.0 / with);
            untagged.push(1.0 / without);
            if self.settings.workers() == 1 {
                // What source and sink do for the tags is not the blocks'.
                let ends_with = self.seconds(0, Some((every, alive)))?;
                let ends_without = self.seconds(0, None)?;
                let per_item = (with - without) - (ends_with - ends_without);
                costs.push(per_item * every as f64 * 1e9 / f64::from(self.blocks));
            }
        }
        let facts = json!({
            "scheduler": self.settings.scheduler().name(), "workers": self.settings.workers(),
            "blocks": self.blocks, "every": every, "alive": alive,
        });
        let mut figures = vec![
            Figure::giga("rate", "Gitems/s with tags", rates),
            Figure::giga("rate_untagged", "Gitems/s without tags", untagged),
        ];
        if !costs.is_empty() {
            figures.push(Figure::new("ns_per_tag", "ns for each tag and block", costs));
        }
        Ok(Case::new(format!("a tag every {every} items, {alive} more alive"), facts, figures))
    }

    /// Seconds per item that a chain takes.
    fn seconds(&self, blocks: u32, tags: Option<(u64, u64)>) -> Result<f64, RunError> {
        let counted = Counted::default();
        let graph = graph(blocks, tags, &counted);
        let (scheduler, options) = (self.settings.scheduler(), self.settings.options());
        let (rate, report) = steady_rate(graph, &*scheduler, &options, self.repeat.time(), "sink")?;
        if let Some((every, _)) = tags {
            counted.check(report.block("sink").map_or(0, |sink| sink.inputs[0].items), every);
        }
        Ok(1.0 / rate)
    }

    fn draw(&self, cases: &[Case]) -> anyhow::Result<String> {
        let cost = |case: &Case| case.figure("ns_per_tag").map_or(0.0, |figure| figure.stats.median());
        let mut lines = Vec::new();
        for (index, alive) in self.alive.iter().enumerate() {
            let of_line = cases.iter().skip(index).step_by(self.alive.len());
            let mut points: Vec<_> = self
                .every
                .iter()
                .zip(of_line)
                .map(|(&every, case)| ((every as f64).log10(), cost(case)))
                .collect();
            plot::in_order(&mut points);
            lines.push((format!("{alive} more alive"), points));
        }
        let lines: Vec<_> =
            lines.iter().map(|(name, points)| Line { name, points: points.clone(), ideal: false }).collect();
        let title = format!("What a tag costs in each of {} copies", self.blocks);
        let axes = Axes { title: &title, x: "log10 of items from tag to tag", y: "ns for a tag and a block" };
        plot::lines(&axes, &lines)
    }
}

fn graph(blocks: u32, tags: Option<(u64, u64)>, counted: &Counted) -> Graph {
    let mut graph = Graph::new();
    let mut stream = graph.add("source", TagSource::new(tags)).out;
    for k in 0..blocks {
        let block = graph.add(format!("block{k}"), Copy::<f32>::new());
        graph.connect(stream, block.input);
        stream = block.output;
    }
    let sink = graph.add("sink", TagCounter::new(counted));
    graph.connect(stream, sink.input);
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        tags: Tags,
    }

    #[test]
    fn every_tag_is_counted_at_its_item() {
        for scheduler in ["single", "adaptive", "threads"] {
            let arguments = [
                "tags",
                "--every",
                "10,1000",
                "--alive",
                "0,100",
                "--seconds",
                "0.02",
                "--repeat",
                "1",
                "--json",
                "--workers",
                "2",
                "--scheduler",
                scheduler,
            ];
            Arguments::try_parse_from(arguments).unwrap().tags.run().unwrap();
        }
    }
}
