//! `superhet check`: every mistake of a graph file or a flowgraph, and what of it is left out.

use clap::Args;

use crate::load::{self, GraphArgs};
use superhet_terminal::say;

/// `superhet check`
#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    graph: GraphArgs,
    /// Where a flowgraph does not run without Python, have `python3 -m superhet.gnuradio` make all of its blocks and connect them, without a
    /// start: that executes the Python code in it, as `superhet run --trust` does
    #[arg(long)]
    trust: bool,
}

impl Check {
    /// Checks the graph.
    pub fn run(self) -> anyhow::Result<()> {
        let checked = self.graph.flow().and_then(|flow| {
            flow.check(&superhet::registry())?;
            Ok(flow.blocks().count())
        });
        let blocks = match (checked, &self.graph.file) {
            (Ok(blocks), _) => blocks,
            (Err(error), Some(file)) if self.trust && load::is_flowgraph(file) => {
                return load::with_python(file, &self.graph.set, true, error);
            }
            (Err(error), _) => return Err(error),
        };
        let ending = if blocks == 1 { "" } else { "s" };
        say::line(format_args!("{}: {blocks} block{ending}, no mistakes", self.graph.name()));
        Ok(())
    }
}
