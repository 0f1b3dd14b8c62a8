//! `superhet plan`: what would run where, and how fast.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use superhet_flow::Flow;
use superhet_runtime::{Adaptive, CheckedGraph, Report};

use crate::load::GraphArgs;
use crate::stdout;
use superhet_terminal::say;
use superhet_terminal::settings::{Settings, parse_seconds};

/// `superhet plan`
#[derive(Args, Debug)]
pub struct PlanFile {
    #[command(flatten)]
    graph: GraphArgs,
    #[command(flatten)]
    settings: Settings,
    /// Run the graph on one worker first, and say what each block costs, how fast the plan can get, and what keeps it from
    /// going faster. What the graph's blocks write, to files or stdout, they write
    #[arg(long, conflicts_with = "costs")]
    measure: bool,
    /// How long to measure, at most; longer only until a source gives something
    #[arg(long, requires = "measure", default_value_t = 1.0, value_parser = parse_seconds)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How long a measured graph may take to drain, and to give its first item.
const TIMEOUT: Duration = Duration::from_secs(10);

impl PlanFile {
    /// Prints the plan of the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let flow = self.graph.flow()?;
        let measured = if self.measure { Some(self.measure(&flow)?) } else { None };
        let known = measured.as_ref().or(self.settings.costs());
        let plan = checked(&flow)?.plan(&*self.settings.scheduler_with(known), &self.settings.options())?;
        let prediction = known.and_then(|report| plan.predict(report));
        if self.measure && prediction.is_none() {
            anyhow::bail!("nothing to predict from: no source gave an item");
        }
        let text = if self.json {
            let mut json = plan.to_json();
            if let Some(prediction) = prediction {
                json["prediction"] = prediction.to_json();
            }
            if let Some(report) = measured {
                let one_worker = json!({ "rate_hz": report.rate_hz(), "report": report.to_json() });
                json["measured_on_one_worker"] = one_worker;
            }
            format!("{json}\n")
        } else {
            let mut text = plan.to_string();
            if let Some(prediction) = prediction {
                text += &format!("\n{prediction}");
            }
            if let Some(report) = measured {
                let (rate, seconds) = (report.rate_hz() / 1e6, report.elapsed.as_secs_f64());
                text += &format!("measured on one worker, for {seconds:.3} s: {rate:.2} Mitems/s\n");
            }
            say::shown(&text).into_owned()
        };
        say::result(&text)
    }

    /// Runs the graph for a while, and on until a source gives something: a busy machine may be late with that. One worker, so
    /// that no block's time has in it what handing samples over costs.
    fn measure(&self, flow: &Flow) -> anyhow::Result<Report> {
        stdout::expect_free(flow, Some("plan --measure"), None)?;
        let mut running = checked(flow)?.start(&Adaptive::workers(1), &self.settings.options())?;
        let (started, mut measured) = (Instant::now(), Duration::from_secs_f64(self.seconds));
        loop {
            match running.wait_for(measured) {
                Some(report) => return Ok(report?),
                None if running.metrics().source().is_none() && started.elapsed() < TIMEOUT => {
                    measured = Duration::from_millis(50);
                }
                None => return Ok(running.stop_within(TIMEOUT)?),
            }
        }
    }
}

fn checked(flow: &Flow) -> anyhow::Result<CheckedGraph> {
    Ok(flow.check(&superhet::registry())?)
}
