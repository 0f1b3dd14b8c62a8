//! Runs the command, and finds the project's data.
#![allow(dead_code)] // each test file uses some of it

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A file of the project.
pub fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The real recording of aircraft.
pub fn recording() -> PathBuf {
    project("data/adsb/modes1_2Msps.cu8")
}

/// The command with these arguments, not started yet.
pub fn superhet(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_superhet"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs the command to its end; one that hangs is killed and fails the test.
pub fn run(arguments: &[&str]) -> Output {
    let child = superhet(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let start = Instant::now();
    let waiter = std::thread::spawn(move || child.wait_with_output().unwrap());
    while !waiter.is_finished() {
        assert!(start.elapsed() < Duration::from_secs(60), "superhet {arguments:?} (process {id}) hangs");
        std::thread::sleep(Duration::from_millis(5));
    }
    waiter.join().unwrap()
}

/// What the command says on stdout; it must succeed.
pub fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "superhet {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What the command says on stderr, and its exit code; it must fail, in one sentence, without a panic.
pub fn failure(arguments: &[&str]) -> (String, i32) {
    let output = run(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("superhet {arguments:?} was killed: {stderr}"));
    assert!(code == 1 || code == 2, "superhet {arguments:?} ended with {code}: {stderr}");
    assert!(!stderr.contains("panicked") && !stderr.is_empty(), "{stderr}");
    (stderr, code)
}

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("superhet-cli-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Waits until the run has caught signals: before that they end it as they do any process.
pub fn wait_for_start(child: &std::process::Child) {
    let start = Instant::now();
    // SIGINT is bit 1 of the caught signals.
    let catches = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        line.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 2 != 0)
    };
    while !catches() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
}
