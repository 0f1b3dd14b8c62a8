//! What a graph writes to stdout, and that nothing else gets among it.

use std::fs::{File, Metadata};
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use superhet_flow::Flow;

use crate::target::terminal;
use superhet_terminal::usage::Usage;

/// Refuses a graph that writes samples to stdout where that is a terminal, or where `other` is to be written there, too, which can go
/// to a file by the option `instead`, if there is one.
pub fn expect_free(flow: &Flow, other: Option<&str>, instead: Option<&str>) -> Result<(), Usage> {
    let Some(block) = writer(flow) else { return Ok(()) };
    if std::io::stdout().is_terminal() {
        return Err(terminal(&format!("stdout, which block {block} writes to,")));
    }
    match other {
        Some(other) => {
            let instead = instead.map_or_else(String::new, |option| format!("{option} FILE, or "));
            Err(Usage(format!(
                "{other} writes to stdout, and so does block {block}: take {instead}another file for the block"
            )))
        }
        None => Ok(()),
    }
}

/// The block that writes samples to stdout, by whatever name.
fn writer(flow: &Flow) -> Option<&str> {
    let stdout = metadata();
    let is_stdout = |path: &str| {
        let is_same = |there: &Metadata| stdout.as_ref().is_some_and(|stdout| is_same(stdout, there));
        path == "-" || std::fs::metadata(Path::new(path)).is_ok_and(|there| is_same(&there))
    };
    let writes = |(block, kind): &(&str, &str)| {
        *kind == "file_sink" && flow.text(block, "path").is_some_and(is_stdout)
    };
    flow.blocks().find(writes).map(|(block, _)| block)
}

/// Whether two files are one in which what is written to both would mix. In /dev/null nothing does.
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    let file = |meta: &Metadata| (meta.dev(), meta.ino());
    let keeps = !a.file_type().is_char_device() || std::io::stdout().is_terminal();
    keeps && file(a) == file(b)
}

fn metadata() -> Option<Metadata> {
    let stdout = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
    File::from(stdout).metadata().ok()
}
