//! `superhet run`: a graph file, to its end.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use superhet_flow::{Flow, Set};

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
    #[command(flatten)]
    settings: Settings,
    /// Say at the end what each block did
    #[arg(long)]
    report: bool,
    /// Print the report as one JSON object on stdout
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Runs the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        let graph = Flow::from_file(&self.file, &self.set)?.check(&superhet::registry())?;
        let report = drive(graph, &self.settings, true)?;
        if self.json {
            writeln!(std::io::stdout(), "{}", report.to_json()).context("cannot write to stdout")?;
        } else if self.report {
            eprint!("{report}");
        }
        Ok(())
    }
}
