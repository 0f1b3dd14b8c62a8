//! How fast messages go through a chain of blocks that pass them on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use serde_json::json;
use superhet_runtime::{Graph, RunError};

use super::blocks::{Counter, Forwarder, Sender};
use super::measure::{Repeat, run_until};
use super::output::{Case, Figure, Output};
use super::plot::{self, Axes};
use superhet_terminal::settings::{SchedulerName, Settings};

/// `superhet bench messages`
#[derive(Args, Debug)]
pub struct Messages {
    /// Blocks between the sender and the counter
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    blocks: u32,
    /// Messages that a queue holds; senders wait for room
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    capacity: u32,
    /// Messages that a block sends or passes on in one call of its work, at most
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    at_once: u32,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    repeat: Repeat,
    #[command(flatten)]
    output: Output,
}

impl Messages {
    pub fn run(self) -> anyhow::Result<()> {
        // One worker always, and what was asked for besides.
        let mut settings = vec![self.settings.under(SchedulerName::Single)];
        if self.settings.names_a_scheduler() || self.settings.workers() > 1 {
            settings.push(self.settings.clone());
        }
        let cases = settings.iter().map(|settings| self.case(settings)).collect::<Result<Vec<_>, _>>()?;
        self.output.give("messages", self.repeat.repeat, &cases, || {
            let title = format!("Messages through {} blocks, {} at a time", self.blocks, self.at_once);
            plot::bars(&Axes { title: &title, x: "scheduler", y: "million messages/s" }, &cases, &["rate"])
        })
    }

    fn case(&self, settings: &Settings) -> Result<Case, RunError> {
        let (scheduler, options) = (settings.scheduler(), settings.options());
        let (mut rates, mut hops) = (Vec::new(), Vec::new());
        for _ in 0..self.repeat.repeat {
            let count = Arc::new(AtomicU64::new(0));
            let has_run = || count.load(Ordering::Relaxed) > 0;
            let report = run_until(self.graph(&count), &*scheduler, &options, self.repeat.time(), has_run)?;
            let rate = count.load(Ordering::Relaxed) as f64 / report.elapsed.as_secs_f64();
            rates.push(rate);
            hops.push(1e9 / rate / f64::from(self.blocks + 1));
        }
        let facts = json!({
            "scheduler": scheduler.name(), "workers": settings.workers(), "blocks": self.blocks,
            "capacity": self.capacity, "at_once": self.at_once,
        });
        let figures = vec![
            Figure::mega("rate", "million messages/s", rates),
            Figure::new("ns_per_hop", "ns from one block to the next", hops),
        ];
        let label = match settings.workers() {
            1 => format!("{}, 1 worker", scheduler.name()),
            workers => format!("{}, {workers} workers", scheduler.name()),
        };
        Ok(Case::new(label, facts, figures))
    }

    fn graph(&self, count: &Arc<AtomicU64>) -> Graph {
        let (capacity, at_once) = (self.capacity as usize, self.at_once);
        let mut graph = Graph::new();
        let mut messages = graph.add("source", Sender::new(at_once)).output;
        for k in 0..self.blocks {
            let forwarder = graph.add(format!("block{k}"), Forwarder::new(capacity, at_once));
            graph.connect(messages, forwarder.input);
            messages = forwarder.output;
        }
        let sink = graph.add("sink", Counter::new(capacity, at_once, count.clone()));
        graph.connect(messages, sink.input);
        graph
    }
}
