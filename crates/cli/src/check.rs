//! `superhet check`: every mistake of a graph file or a flowgraph, and what of it is left out.

use std::path::PathBuf;

use clap::Args;
use superhet_flow::Set;

use crate::load;
use crate::say;

/// `superhet check`
#[derive(Args, Debug)]
pub struct Check {
    /// The graph file, or a flowgraph of GNU Radio Companion (.grc)
    file: PathBuf,
    /// Set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
}

impl Check {
    /// Checks the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        let flow = load::flow(&self.file, &self.set)?;
        let blocks = flow.blocks().count();
        flow.check(&superhet::registry())?;
        let ending = if blocks == 1 { "" } else { "s" };
        say::line(format_args!("{}: {blocks} block{ending}, no mistakes", self.file.display()));
        Ok(())
    }
}
