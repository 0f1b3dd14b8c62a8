//! `superhet plan`: what would run where.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use superhet_flow::{Flow, Set};

use crate::settings::Settings;

/// `superhet plan`
#[derive(Args, Debug)]
pub struct PlanFile {
    /// The graph file
    file: PathBuf,
    /// Set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
    #[command(flatten)]
    settings: Settings,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl PlanFile {
    /// Prints the plan of the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        let graph = Flow::from_file(&self.file, &self.set)?.check(&superhet::registry())?;
        let plan = graph.plan(&*self.settings.scheduler(), &self.settings.options())?;
        let text = if self.json { format!("{}\n", plan.to_json()) } else { plan.to_string() };
        std::io::stdout().write_all(text.as_bytes()).context("cannot write to stdout")
    }
}
