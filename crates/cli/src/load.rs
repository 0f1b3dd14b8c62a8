//! Reads a graph file or a flowgraph of GNU Radio Companion, whichever a file is, and hands over what needs Python.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, bail};
use superhet_flow::{Flow, FlowError, Set};

/// Which Python runs what `--trust` hands over.
const PYTHON: &str = "SUPERHET_PYTHON";

/// The graph that the file describes. What of it is left out is told on stderr.
pub fn flow(path: &Path, sets: &[Set]) -> anyhow::Result<Flow> {
    if !is_flowgraph(path) {
        return Ok(Flow::from_file(path, sets)?);
    }
    let flow = flowgraph(path, sets)?;
    for note in flow.notes() {
        eprintln!("superhet: {note}");
    }
    Ok(flow)
}

/// The flowgraph of GNU Radio Companion.
pub fn flowgraph(path: &Path, sets: &[Set]) -> Result<Flow, FlowError> {
    Flow::from_grc_file(path, sets, &superhet::registry(), &superhet::library())
}

fn is_flowgraph(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("grc"))
}

/// Whether the file is a flowgraph that only Python can run.
pub fn needs_python(error: &anyhow::Error) -> bool {
    error.downcast_ref::<FlowError>().is_some_and(FlowError::needs_python)
}

/// Runs the flowgraph as a script with `python3 -m superhet.gnuradio`, or gives `error` where that is not installed. Relative
/// paths are taken as without Python, from the folder of the flowgraph.
pub fn with_python(path: &Path, sets: &[Set], error: anyhow::Error) -> anyhow::Result<()> {
    let script = superhet_flow::grc_script(path, sets, &superhet::registry(), &superhet::library())?;
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let looks = "import importlib.util as u, sys; sys.exit(not (u.find_spec('superhet') and u.find_spec('superhet.gnuradio')))";
    let probe = Command::new(&python).args(["-c", looks]).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        let python = python.to_string_lossy().into_owned();
        return Err(
            error.context(format!("{python} has no package superhet.gnuradio to hand the flowgraph to"))
        );
    }
    let folder = std::env::temp_dir().join(format!("superhet-{}", std::process::id()));
    // A folder that is there already may be somebody else's.
    std::fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let status = run_script(&python, &script, &folder, path);
    let _ = std::fs::remove_dir_all(&folder);
    match status? {
        status if status.success() => Ok(()),
        status => bail!("python -m superhet.gnuradio ended with {status}"),
    }
}

fn run_script(python: &OsStr, script: &str, folder: &Path, path: &Path) -> anyhow::Result<ExitStatus> {
    let file = folder.join("flowgraph.py");
    std::fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut command = Command::new(python);
    command.args(["-m", "superhet.gnuradio"]).arg(&file).current_dir(beside);
    command.status().with_context(|| format!("cannot run {}", python.to_string_lossy()))
}
