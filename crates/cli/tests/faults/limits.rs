//! Limits of memory and files, processes that are stopped for a while, and clocks.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;

use super::*;
use crate::common::folder;

const ITEMS: u64 = 100_000;

/// A graph of a file and a chain that takes some memory.
fn graph_of_files(folder: &Path) -> (PathBuf, PathBuf) {
    let taken = folder.join("taken");
    let sink = format!("type = \"file_sink\"\nformat = \"f32\"\npath = {}", quoted(&taken));
    (graph(folder, "graph", &zeros_into(Some(ITEMS), "f32", &sink)), taken)
}

/// Whether a process can begin at all after `setup`: a failure of the linker is not ours.
fn can_begin(setup: &str) -> bool {
    output(superhet(setup, &["--version"])).status.success()
}

/// That a run either wrote everything or said in one error why not.
fn all_or_an_error(output: &Output, taken: &Path) -> bool {
    let text = said(output);
    if output.status.success() {
        assert_eq!(std::fs::metadata(taken).unwrap().len(), 4 * ITEMS, "{text}");
        return true;
    }
    assert!(matches!(output.status.code(), Some(1 | 2)), "{:?}: {text}", output.status);
    assert_eq!(text.lines().filter(|line| line.starts_with("superhet: ")).count(), 1, "{text}");
    false
}

#[test]
fn too_few_file_descriptors_are_an_error_or_enough() {
    let folder = folder("descriptors");
    let (graph, taken) = graph_of_files(&folder);
    let mut enough = false;
    for limit in [3, 4, 5, 6, 7, 8, 12, 64] {
        let limit = format!("ulimit -n {limit}");
        if can_begin(&limit) {
            enough = all_or_an_error(&output(after(&limit, &graph)), &taken);
            let _ = std::fs::remove_file(&taken);
        }
    }
    assert!(enough, "64 descriptors are enough");
}

#[test]
fn too_little_memory_is_an_error_or_enough() {
    let folder = folder("memory");
    let (graph, taken) = graph_of_files(&folder);
    let mut enough = false;
    for mebibytes in [30, 40, 60, 90, 100, 110, 120, 240, 4000] {
        let limit = format!("ulimit -v {}", mebibytes * 1024);
        if can_begin(&limit) {
            enough = all_or_an_error(&output(after(&limit, &graph)), &taken);
            let _ = std::fs::remove_file(&taken);
        }
    }
    assert!(enough, "4 GiB are enough");
}

#[test]
fn a_process_that_is_stopped_for_a_while_goes_on_where_it_was() {
    let folder = folder("stop-and-go");
    let pipe = fifo(&folder);
    let recording = folder.join("x.u8");
    let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(&recording, &bytes).unwrap();
    let text = format!(
        "connections = [\"source -> sink\"]\n\
         [blocks.source]\ntype = \"file_source\"\nformat = \"ru8\"\noutput = \"raw\"\npath = {}\n\
         [blocks.sink]\ntype = \"file_sink\"\nformat = \"ru8\"\ninput = \"raw\"\npath = {}\n",
        quoted(&recording),
        quoted(&pipe)
    );
    let child = run(&graph(&folder, "graph", &text)).spawn().unwrap();
    let mut reader = File::open(&pipe).unwrap();
    let mut got = vec![0; 100_000];
    reader.read_exact(&mut got).unwrap();
    for _ in 0..3 {
        signal(&child, "STOP");
        std::thread::sleep(Duration::from_millis(150));
        signal(&child, "CONT");
        let mut part = vec![0; 100_000];
        reader.read_exact(&mut part).unwrap();
        got.extend(part);
    }
    reader.read_to_end(&mut got).unwrap();
    went_well(&end(child));
    assert!(got == bytes, "{} of {} bytes", got.len(), bytes.len());
}

#[test]
fn a_signal_that_comes_while_the_process_is_stopped_is_not_lost() {
    let folder = folder("stop-then-end");
    let pipe = fifo(&folder);
    let sink = format!("type = \"file_sink\"\nformat = \"f32\"\npath = {}", quoted(&pipe));
    let child = run(&graph(&folder, "graph", &zeros_into(None, "f32", &sink))).spawn().unwrap();
    let mut reader = File::open(&pipe).unwrap();
    reader.read_exact(&mut [0; 1000]).unwrap();
    signal(&child, "STOP");
    signal(&child, "TERM");
    signal(&child, "CONT");
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    let output = end(child);
    assert_eq!(said(&output), "superhet: stopped by SIGTERM, so the output ends early\n");
    assert_eq!(output.status.signal(), Some(15));
    assert!((rest.len() + 1000) % 4 == 0);
}

/// Nothing waits by the clock that people set, so only what is stamped with it can jump. The other clock counts from the
/// start of the machine: it can be had elsewhere in a namespace, though not be made to jump.
#[test]
fn a_machine_that_has_been_up_for_decades_is_like_any_other() {
    let folder = folder("uptime");
    let (path, taken) = graph_of_files(&folder);
    let sink = "type = \"null_sink\"\nitem = \"f32\"";
    let throttled = format!(
        "connections = [\"source -> throttle -> head -> sink\"]\n[blocks.source]\ntype = \"null_source\"\nitem = \"f32\"\n\
         [blocks.throttle]\ntype = \"throttle\"\nitem = \"f32\"\nrate_hz = 1e5\n\
         [blocks.head]\ntype = \"head\"\nitem = \"f32\"\nitems = 20000\n[blocks.sink]\n{sink}\n"
    );
    let throttled = graph(&folder, "throttled", &throttled);
    let elsewhen = ["--time", "--fork", "--monotonic", "2000000000", "--boottime", "2000000000"];
    let can = Command::new("unshare").args(elsewhen).arg("true").stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there are no namespaces of time here");
        return;
    }
    for graph in [&path, &throttled] {
        let mut command = Command::new("unshare");
        command.args(elsewhen).arg(env!("CARGO_BIN_EXE_superhet")).arg("run").arg(graph);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        went_well(&output(command));
    }
    assert_eq!(std::fs::metadata(&taken).unwrap().len(), 4 * ITEMS);
}
