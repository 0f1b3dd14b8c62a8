//! A stdout and a stderr that are full, closed, or that nobody reads.

use std::os::unix::process::ExitStatusExt;

use super::*;
use crate::common::folder;

/// What stderr can be to a process that nobody listens to.
const DEAF: [&str; 2] = ["exec 2>/dev/full", "exec 2>&-"];

fn good(folder: &Path) -> PathBuf {
    graph(folder, "good", &zeros_into(Some(1000), "f32", "type = \"null_sink\"\nitem = \"f32\""))
}

#[test]
fn a_run_that_went_well_is_one_also_where_stderr_cannot_be_written() {
    let folder = folder("stderr");
    let good = good(&folder);
    let good = good.to_str().unwrap();
    for deaf in DEAF {
        for arguments in [&["run", good, "--report"][..], &["check", good], &["run", good]] {
            let output = output(superhet(deaf, arguments));
            assert_eq!(output.status.code(), Some(0), "{deaf} {arguments:?}: {}", said(&output));
        }
    }
}

#[test]
fn a_mistake_keeps_its_exit_code_where_stderr_cannot_be_written() {
    let folder = folder("stderr-mistake");
    let bad = graph(&folder, "bad", "connections = 3");
    let fails = graph(
        &folder,
        "fails",
        &zeros_into(Some(1000), "f32", "type = \"file_sink\"\nformat = \"f32\"\npath = \"/dev/full\""),
    );
    let (bad, fails) = (bad.to_str().unwrap(), fails.to_str().unwrap());
    for deaf in DEAF {
        for (arguments, code) in [(["run", bad], 2), (["check", bad], 2), (["run", fails], 1)] {
            let output = output(superhet(deaf, &arguments));
            assert_eq!(output.status.code(), Some(code), "{deaf} {arguments:?}");
        }
    }
}

#[test]
fn a_stderr_that_nobody_reads_any_more_is_no_failure() {
    let folder = folder("stderr-pipe");
    let good = good(&folder);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = superhet("true", &["run", good.to_str().unwrap(), "--report"]);
    command.stderr(writer);
    let output = output(command);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_signal_ends_the_command_also_where_stderr_cannot_be_written() {
    let folder = folder("stderr-stop");
    let endless = zeros_into(None, "f32", "type = \"file_sink\"\nformat = \"f32\"\npath = \"-\"");
    let mut child = after("exec 2>/dev/full", &graph(&folder, "endless", &endless)).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut stdout, &mut [0; 1000]).unwrap();
    signal(&child, "INT");
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert_eq!(end(child).status.signal(), Some(2));
}

#[test]
fn a_warning_that_cannot_be_written_fails_no_block() {
    let folder = folder("stderr-warning");
    let text = zeros_into(Some(1000), "f32", "type = \"multiply_const\"\nitem = \"f32\"\nconstant = 2")
        .replace("head -> sink", "head -> sink -> null")
        + "[blocks.null]\ntype = \"null_sink\"\nitem = \"f32\"\n";
    let graph = graph(&folder, "graph", &text);
    for deaf in DEAF {
        for variable in ["SUPERHET_LOG=trace", "SUPERHET_KERNEL=none-such", "SUPERHET_KERNELS=/no/such/file"]
        {
            let output = output(after(&format!("{deaf}; export {variable}"), &graph));
            assert_eq!(output.status.code(), Some(0), "{deaf} {variable}: {}", said(&output));
        }
    }
}

#[test]
fn a_stdout_that_is_full_is_one_error_and_a_closed_one_is_none() {
    let folder = folder("stdout");
    let good = good(&folder);
    let samples = zeros_into(Some(100_000), "f32", "type = \"file_sink\"\nformat = \"f32\"\npath = \"-\"");
    let samples = graph(&folder, "samples", &samples);
    let (good, samples) = (good.to_str().unwrap(), samples.to_str().unwrap());
    for arguments in [
        &["run", samples][..],
        &["run", good, "--json"],
        &["plan", good],
        &["blocks"],
        &["gnuradio", "--table"],
    ] {
        let text = one_error(&output(superhet("exec >/dev/full", arguments)));
        assert!(text.contains("write") && text.contains("No space left on device"), "{text}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = superhet("true", arguments);
        command.stdout(writer);
        went_well(&output(command));
    }
}

#[test]
fn another_stream_that_nobody_reads_is_an_error() {
    let folder = folder("report-pipe");
    let good = good(&folder);
    // The reader of the pipe has gone; what goes to stdout is not concerned.
    let mut command = superhet("exec 9>&1", &["run", good.to_str().unwrap(), "--report-json", "/dev/fd/9"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer);
    let text = one_error(&output(command));
    assert!(text.contains("cannot write /dev/fd/9: Broken pipe"), "{text}");
}
