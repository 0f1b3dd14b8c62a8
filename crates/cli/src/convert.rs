//! `superhet convert`: a flowgraph of GNU Radio Companion as a graph file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use superhet_flow::Set;

use crate::load;
use crate::say;

/// `superhet convert`
#[derive(Args, Debug)]
pub struct Convert {
    /// The flowgraph (.grc)
    file: PathBuf,
    /// The graph file to write; stdout if it is left out
    output: Option<PathBuf>,
    /// Set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
}

impl Convert {
    /// Writes the graph file.
    pub fn run(self) -> anyhow::Result<()> {
        let flow = load::flow(&self.file, &self.set)?;
        // What goes to stdout is taken to be written beside the flowgraph.
        let beside = self.output.as_deref().unwrap_or(&self.file);
        let folder = beside.parent().unwrap_or(Path::new(""));
        let text = flow.to_toml(&superhet::registry(), folder)?;
        match &self.output {
            Some(path) => {
                std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
            }
            None => say::result(&text),
        }
    }
}
