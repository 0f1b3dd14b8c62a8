//! Files, processes and limits that let a run down: one error that says what was lost, the right exit code, and what was
//! written before is valid.

mod disk;
mod fifos;
mod limits;
mod sigmf;
mod sources;
mod streams;
mod trust;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes longer, however busy the machine is.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Writes a graph file.
fn graph(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(format!("{name}.toml"));
    std::fs::write(&path, text).unwrap();
    path
}

/// A graph of a source, perhaps one that ends after some items, and a sink.
fn zeros_into(items: Option<u64>, item: &str, sink: &str) -> String {
    let source = format!("[blocks.source]\ntype = \"null_source\"\nitem = \"{item}\"\n");
    let sink = format!("[blocks.sink]\n{sink}\n");
    match items {
        None => format!("connections = [\"source -> sink\"]\n{source}{sink}"),
        Some(items) => {
            let head = format!("[blocks.head]\ntype = \"head\"\nitem = \"{item}\"\nitems = {items}\n");
            format!("connections = [\"source -> head -> sink\"]\n{source}{head}{sink}")
        }
    }
}

/// The command, started by a shell that does `setup` first, such as `ulimit`.
fn superhet(setup: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{setup}; exec \"$0\" \"$@\"")]);
    command.arg(env!("CARGO_BIN_EXE_superhet")).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `superhet run` of a graph file, after `setup`.
fn after(setup: &str, graph: &Path) -> Command {
    superhet(setup, &["run", graph.to_str().unwrap()])
}

/// `superhet run` of a graph file.
fn run(graph: &Path) -> Command {
    after("true", graph)
}

/// What became of a command; one that hangs is killed and fails the test.
fn end(mut child: Child) -> Output {
    let start = Instant::now();
    // What it says is short and fits a pipe.
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > TIMEOUT {
            child.kill().unwrap();
            panic!("it hangs: {:?}", child.wait_with_output().unwrap());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn output(mut command: Command) -> Output {
    end(command.spawn().unwrap())
}

/// What was said on stderr, of which each line is one of ours.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    text
}

/// The one line that a failed run says; it is reported once, and the exit code is 1.
fn one_error(output: &Output) -> String {
    let text = said(output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("superhet: "), "{text}");
    text
}

/// That a run went well, without a word.
fn went_well(output: &Output) {
    let text = said(output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text, "");
}

/// Sends a signal.
fn signal(child: &Child, name: &str) {
    assert!(
        Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success()
    );
}

/// Makes a named pipe.
fn fifo(folder: &Path) -> PathBuf {
    let path = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// A path as TOML and JSON write it.
fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_str().unwrap())
}
