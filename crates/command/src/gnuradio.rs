//! `superhet gnuradio`: the table of GNU Radio's names.

use clap::Args;
use superhet_flow::gnuradio::{Coverage, table};

use superhet_terminal::say;

/// `superhet gnuradio`
#[derive(Args, Debug)]
pub struct GnuRadio {
    /// For each of GNU Radio's modules, which of its block classes are here, and which are not
    #[arg(long, required_unless_present = "table")]
    coverage: bool,
    /// Which block of ours each class is, with which parameters, as JSON
    #[arg(long, conflicts_with = "coverage")]
    table: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl GnuRadio {
    /// Prints the table, or how much of GNU Radio it has.
    pub fn run(self) -> anyhow::Result<()> {
        let coverage = Coverage::of(table());
        let text = match (self.table, self.json) {
            (true, _) => format!("{}\n", table().to_json()),
            (false, true) => format!("{}\n", coverage.to_json()),
            (false, false) => coverage.to_string(),
        };
        say::result(&text)
    }
}
