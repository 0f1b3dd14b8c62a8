//! `superhet convert`: a recording in another format, or a flowgraph of GNU Radio Companion as a graph file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use superhet_flow::Set;

use crate::chain::Chain;
use crate::load;
use crate::recording::RecordingArgs;
use crate::target::{TargetArgs, expect_free};
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet convert`
#[derive(Args, Debug)]
pub struct Convert {
    #[command(flatten)]
    recording: RecordingArgs,
    /// The recording to write: raw samples, X.wav, or SigMF as X.sigmf-meta; `-` is stdout. Of a flowgraph, the graph file; stdout
    /// if it is left out
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// How samples are to be stored: cu8, cs8, cs16, cf32, s16, f32, …; u8, s16, s24, s32 or f32 in WAV [default: as the
    /// output's name says, or as in FILE]
    #[arg(long, value_name = "FORMAT")]
    out_format: Option<String>,
    /// Replace an output that is there already
    #[arg(long)]
    force: bool,
    /// Of a flowgraph, set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
}

impl Convert {
    /// Converts what the file's name says it is.
    pub fn run(self) -> anyhow::Result<()> {
        let extension = self.recording.file.extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("grc") || extension.eq_ignore_ascii_case("toml") {
            return self.graph();
        }
        if !self.set.is_empty() {
            return Err(
                Usage("--set is for flowgraphs and graph files, not for recordings".to_owned()).into()
            );
        }
        let Some(output) = self.output else {
            return Err(
                Usage("a recording is converted into OUT: name a file, or - for stdout".to_owned()).into()
            );
        };
        let recording = self.recording.open()?;
        let target = TargetArgs { output, out_format: self.out_format, force: self.force };
        let target = target.open(recording.nearest_format())?;
        let mut chain = Chain::new();
        target.take(&mut chain, &recording, 0, None)?;
        target.run(chain, &recording, recording.meta(), &Settings::default())
    }

    /// Writes a graph file.
    fn graph(&self) -> anyhow::Result<()> {
        let file = &self.recording.file;
        let flow = load::flow(file, &self.set)?;
        // What goes to stdout is taken to be written beside the flowgraph.
        let beside = self.output.as_deref().unwrap_or(file);
        let folder = beside.parent().unwrap_or(Path::new(""));
        let text = flow.to_toml(&superhet::registry(), folder)?;
        match &self.output {
            Some(path) if path != Path::new("-") => {
                expect_free(path, self.force)?;
                std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
            }
            _ => say::result(&text),
        }
    }
}
