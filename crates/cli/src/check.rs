//! `superhet check`: every mistake of a graph file or a flowgraph, and what of it is left out.

use clap::Args;

use crate::load::GraphArgs;
use crate::say;

/// `superhet check`
#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    graph: GraphArgs,
}

impl Check {
    /// Checks the graph.
    pub fn run(self) -> anyhow::Result<()> {
        let flow = self.graph.flow()?;
        let blocks = flow.blocks().count();
        flow.check(&superhet::registry())?;
        let ending = if blocks == 1 { "" } else { "s" };
        say::line(format_args!("{}: {blocks} block{ending}, no mistakes", self.graph.name()));
        Ok(())
    }
}
