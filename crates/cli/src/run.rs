//! `superhet run`: a graph file, to its end.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Context;
use clap::Args;
use superhet_flow::{Flow, Set};
use superhet_runtime::Value;

use crate::drive::drive;
use crate::settings::Settings;

/// `superhet run`
#[derive(Args, Debug)]
pub struct Run {
    /// The graph file
    file: PathBuf,
    /// Set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
    /// Change a parameter at an item of its block's input, while the graph runs; may be given several times
    #[arg(long, value_name = "INDEX:BLOCK.PARAMETER=VALUE")]
    at: Vec<At>,
    #[command(flatten)]
    settings: Settings,
    /// Say at the end what each block did
    #[arg(long)]
    report: bool,
    /// Print the report as one JSON object on stdout
    #[arg(long)]
    json: bool,
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
        let mut graph = Flow::from_file(&self.file, &self.set)?.check(&superhet::registry())?;
        for At { index, parameter, value } in self.at {
            graph.set_at(&parameter, value, index)?;
        }
        let report = drive(graph, &self.settings, true)?;
        if self.json {
            writeln!(std::io::stdout(), "{}", report.to_json()).context("cannot write to stdout")?;
        } else if self.report {
            eprint!("{report}");
        }
        Ok(())
    }
}
