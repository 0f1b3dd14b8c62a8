//! `superhet run`: a graph file, to its end.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;
use superhet_runtime::{CheckedGraph, Report, Value, plan::Prediction};

use crate::dashboard::{DashboardArgs, Description, Shown};
use crate::drive::drive_shown;
use crate::load::{self, GraphArgs};
use crate::stdout;
use superhet_terminal::say;
use superhet_terminal::settings::Settings;

/// `superhet run`
#[derive(Args, Debug)]
pub struct Run {
    #[command(flatten)]
    graph: GraphArgs,
    /// Change a parameter at an item of its block's input, while the graph runs; may be given several times
    #[arg(long, value_name = "INDEX:BLOCK.PARAMETER=VALUE")]
    at: Vec<At>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    dashboard: DashboardArgs,
    /// Say at the end what each block did, which one is the bottleneck, and how fast the graph could have been
    #[arg(long)]
    report: bool,
    /// Print the report as one JSON object on stdout, where no samples go there
    #[arg(long)]
    json: bool,
    /// Write the report as JSON into a file, for `--costs` of a later run or plan
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,
    /// Where a flowgraph does not run without Python, hand it to `python3 -m superhet.gnuradio`, which runs the Python code in it with all
    /// that you may do. That is: the code in this one file, and the modules it imports from where Python has what is
    /// installed, and PYTHONPATH; none that lie beside the file or in the current folder. Of flowgraphs beside the file, and
    /// in the folders of GRC_HIER_PATH, only those count that make a block which it has. SUPERHET_PYTHON names another
    /// Python. Without this nothing of a file is ever executed
    #[arg(long)]
    trust: bool,
}

/// A change of a parameter at an item.
#[derive(Clone, Debug)]
struct At {
    index: u64,
    parameter: String,
    value: Value,
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected INDEX:BLOCK.PARAMETER=VALUE, such as 1000:amp.gain=2".to_owned();
        let (index, change) = text.split_once(':').ok_or_else(wrong)?;
        let (parameter, value) = change.split_once('=').ok_or_else(wrong)?;
        let index = index.trim().replace('_', "").parse().map_err(|_| wrong())?;
        Ok(At { index, parameter: parameter.trim().to_owned(), value: superhet_flow::value(value) })
    }
}

impl Run {
    /// Runs the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let json = if self.json { Some("--json") } else { None };
        let checked = self.graph.flow().and_then(|flow| {
            stdout::expect_free(&flow, json, Some("--report-json"))?;
            let registry = superhet::registry();
            let description = Description::of_flow(&self.graph.name(), &flow, &registry);
            Ok((flow.check(&registry)?, flow, description))
        });
        let (mut graph, flow, description) = match (checked, &self.graph.file) {
            (Ok(checked), _) => checked,
            (Err(error), Some(file)) if self.trust && load::is_flowgraph(file) => {
                return load::with_python(file, &self.graph.set, false, error);
            }
            (Err(error), _) => return Err(error),
        };
        self.set_at(&mut graph)?;
        let dashboard = self.dashboard.open()?;
        let again = || {
            let mut graph = flow.check(&superhet::registry())?;
            self.set_at(&mut graph)?;
            Ok(graph)
        };
        let shown = dashboard.as_ref().map(|dashboard| Shown {
            dashboard,
            description: &description,
            again: Some(&again),
        });
        let driven = drive_shown(graph, &self.settings, true, shown)?;
        let (plan, report) = (&driven.plan, &driven.report);
        let before = self.settings.costs().and_then(|report| plan.predict(report));
        let could = plan.explain(report);
        let mut json = report.to_json();
        json["rate_hz"] = report.rate_hz().into();
        json["bottleneck"] = report.bottleneck().to_string().into();
        json["could"] = could.as_ref().map(Prediction::to_json).into();
        json["predicted"] = before.as_ref().map(Prediction::to_json).into();
        if let Some(path) = &self.report_json {
            std::fs::write(path, format!("{json}\n"))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        if self.json {
            say::result(&format!("{json}\n"))?;
        } else if self.report {
            say::text(format_args!("{report}{}", words(report, before.as_ref(), could.as_ref())));
        }
        Ok(driven.whole()?)
    }
}

impl Run {
    /// Has parameters changed at the items that are asked for.
    fn set_at(&self, graph: &mut CheckedGraph) -> anyhow::Result<()> {
        for At { index, parameter, value } in &self.at {
            graph.set_at(parameter, value.clone(), *index)?;
        }
        Ok(())
    }
}

/// What was reached, beside what was to be expected.
fn words(report: &Report, before: Option<&Prediction>, could: Option<&Prediction>) -> String {
    let mut text = format!("bottleneck: {}\n", report.bottleneck());
    let Some(source) = report.source() else { return text };
    let reached = report.rate_hz();
    text += &format!("reached {:.2} Mitems/s of {}\n", reached / 1e6, source.name);
    let mut compare = |prediction: &Prediction, what: &str| {
        let (rate, bound) = (prediction.rate_hz(), prediction.bound_words());
        let percent = 100.0 * reached / rate;
        text += &format!("{what} {:.2} Mitems/s, set by {bound}: {percent:.0} % reached\n", rate / 1e6);
    };
    if let Some(prediction) = before {
        compare(prediction, "predicted from the costs given");
    }
    if let Some(prediction) = could {
        compare(prediction, "at the costs of this run, no worker ever waiting,");
    }
    text
}
