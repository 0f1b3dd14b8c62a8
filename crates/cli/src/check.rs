//! `superhet check`: every mistake of a graph file.

use std::path::PathBuf;

use clap::Args;
use superhet_flow::{Flow, Set};

/// `superhet check`
#[derive(Args, Debug)]
pub struct Check {
    /// The graph file
    file: PathBuf,
    /// Set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
}

impl Check {
    /// Checks the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        let flow = Flow::from_file(&self.file, &self.set)?;
        let blocks = flow.blocks().count();
        flow.check(&superhet::registry())?;
        eprintln!(
            "{}: {blocks} block{}, no mistakes",
            self.file.display(),
            if blocks == 1 { "" } else { "s" }
        );
        Ok(())
    }
}
