//! Pain 7: `stop` always returns, also while a source waits for a pipe that never speaks.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::*;

#[test]
fn ctrl_c_ends_a_graph_whose_source_waits_on_a_silent_pipe() {
    let mut child = superhet(&["adsb", "--format", "cu8", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The pipe stays open and silent for as long as `stdin` lives.
    let stdin = child.stdin.take().unwrap();
    wait_for_start(&child);
    let start = Instant::now();
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = loop {
        if child.try_wait().unwrap().is_some() {
            break child.wait_with_output().unwrap();
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it does not stop");
        std::thread::sleep(Duration::from_millis(5));
    };
    drop(stdin);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("stopped by SIGINT, so the output ends early"), "{text}");
    assert_eq!(output.status.signal(), Some(2));
}
