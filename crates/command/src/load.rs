//! Reads a graph file or a flowgraph of GNU Radio Companion, whichever a file is, and hands over what needs Python.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{IsTerminal, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use superhet_flow::{Flow, FlowError, Set};

use superhet_terminal::say;
use superhet_terminal::usage::Usage;

/// Which Python runs what `--trust` hands over.
const PYTHON: &str = "SUPERHET_PYTHON";

/// Which graph, and what of it is set otherwise.
#[derive(Args, Clone, Debug)]
pub struct GraphArgs {
    /// The graph file, or a flowgraph of GNU Radio Companion (.grc); `-` is a graph file from stdin
    pub file: Option<PathBuf>,
    /// A graph in a line instead of a file, as in 'file_source path=x.cu8 -> head items=1k -> file_sink path=y.cf32'
    #[arg(short = 'e', long, value_name = "GRAPH", conflicts_with = "file")]
    pub expression: Option<String>,
    /// Set a variable, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<Set>,
}

/// The most that is read from stdin; one byte more than a graph file may have.
const MOST_BYTES: u64 = (4 << 20) + 1;

impl GraphArgs {
    /// The graph. Parts that are left out are reported on stderr.
    pub fn flow(&self) -> anyhow::Result<Flow> {
        match (&self.expression, &self.file) {
            (Some(expression), _) => Ok(Flow::from_line(expression, &self.set)?),
            (None, Some(file)) if file == Path::new("-") => {
                let mut text = String::new();
                let stdin = std::io::stdin();
                if stdin.is_terminal() {
                    say::line("superhet: reads a graph file from the terminal, up to Ctrl-D");
                }
                let read = stdin.lock().take(MOST_BYTES).read_to_string(&mut text);
                read.context("cannot read a graph file from stdin")?;
                Ok(Flow::from_text(&text, "", &self.set)?)
            }
            (None, Some(file)) => flow(file, &self.set),
            (None, None) => {
                let problem =
                    "no graph: name a graph file, - for one from stdin, or a graph in a line, --expression";
                Err(Usage(problem.to_owned()).into())
            }
        }
    }

    /// As messages name the graph.
    pub fn name(&self) -> String {
        match (&self.expression, &self.file) {
            (None, Some(file)) if file == Path::new("-") => "stdin".to_owned(),
            (None, Some(file)) => file.display().to_string(),
            _ => "the graph".to_owned(),
        }
    }
}

/// The graph that the file describes. Parts that are left out are reported on stderr.
pub fn flow(path: &Path, sets: &[Set]) -> anyhow::Result<Flow> {
    if !is_flowgraph(path) {
        return Ok(Flow::from_file(path, sets)?);
    }
    let flow = flowgraph(path, sets)?;
    for note in flow.notes() {
        say::line(format_args!("superhet: {note}"));
    }
    Ok(flow)
}

/// The flowgraph of GNU Radio Companion.
pub fn flowgraph(path: &Path, sets: &[Set]) -> Result<Flow, FlowError> {
    Flow::from_grc_file(path, sets, &superhet::registry(), &superhet::library())
}

/// Whether the file is a flowgraph of GNU Radio Companion, by its name.
pub fn is_flowgraph(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("grc"))
}

/// Whether the file is a flowgraph that only Python can run.
pub fn needs_python(error: &anyhow::Error) -> bool {
    error.downcast_ref::<FlowError>().is_some_and(FlowError::needs_python)
}

/// Runs the flowgraph as a script with `python3 -m superhet.gnuradio`, or gives `error` where that is not installed.
/// Relative paths are taken from the folder of the flowgraph, as without Python. Modules are not searched there, nor in the
/// current folder. So only the flowgraph and installed modules are executed.
/// If `only_check`, all blocks are made and connected, and nothing starts.
pub fn with_python(path: &Path, sets: &[Set], only_check: bool, error: anyhow::Error) -> anyhow::Result<()> {
    let script = superhet_flow::grc_script(path, sets, only_check)?;
    let program = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let looks = "import importlib.util as u; sys.exit(not (u.find_spec('superhet') and u.find_spec('superhet.gnuradio')))";
    let probe = python(&program, looks).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        let program = program.to_string_lossy().into_owned();
        return Err(
            error.context(format!("{program} has no package superhet.gnuradio to hand the flowgraph to"))
        );
    }
    let folder = private_folder()?;
    let status = run_script(&program, &script, &folder, path);
    let _ = std::fs::remove_dir_all(&folder);
    match status? {
        status if status.success() => Ok(()),
        status => bail!("python -m superhet.gnuradio ended with {status}"),
    }
}

fn run_script(program: &OsStr, script: &str, folder: &Path, path: &Path) -> anyhow::Result<ExitStatus> {
    let file = folder.join("flowgraph.py");
    std::fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As `-m` does it.
    let runs = "import runpy; runpy.run_module('superhet.gnuradio', run_name='__main__', alter_sys=True)";
    let mut command = python(program, runs);
    command.arg(&file).current_dir(beside);
    command.status().with_context(|| format!("cannot run {}", program.to_string_lossy()))
}

/// Python with code that does not find modules in the current folder, which Python searches first by itself. Python 3.11
/// and later have `-P` for this. Earlier ones only have `-I`, which would also leave out the user's own packages.
fn python(program: &OsStr, code: &str) -> Command {
    let mut command = Command::new(program);
    command.arg("-c").arg(format!("import sys; sys.path[:1] = [p for p in sys.path[:1] if p]; {code}"));
    if let Some(folders) = std::env::var_os("PYTHONPATH") {
        // An empty or relative folder there would be beside the flowgraph.
        let here = std::env::current_dir().unwrap_or_default();
        let folders = std::env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folders) = std::env::join_paths(folders.map(|folder| here.join(folder))) {
            command.env("PYTHONPATH", folders);
        }
    }
    command
}

/// A new folder for temporary files that nobody else can look into, or knew the name of before.
fn private_folder() -> anyhow::Result<PathBuf> {
    // The standard library's hashes begin with a random number of the system.
    let number = RandomState::new().build_hasher().finish();
    let folder = std::env::temp_dir().join(format!("superhet-{number:016x}"));
    let made = DirBuilder::new().mode(0o700).create(&folder);
    made.with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}
