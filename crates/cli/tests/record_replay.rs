//! `superhet record` and `replay`, and how runs end that a signal ends.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::*;
use serde_json::Value as Json;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn info(path: &Path) -> Json {
    serde_json::from_str(&stdout(&["info", "--json", text(path)])).unwrap()
}

fn signal(child: &Child, name: &str) {
    let status =
        std::process::Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

/// Waits until a file has something in it.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while std::fs::metadata(path).map_or(0, |meta| meta.len()) == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing comes to {}", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_block_is_recorded_for_a_time_or_so_many_samples() {
    let folder = folder("record");
    let tone = "signal_source rate_hz=48k frequency_hz=3k amplitude=0.5";
    for (name, item, samples) in
        [("a.cf32", "C32", 12_000), ("b.wav", "f32", 12_000), ("c.sigmf-meta", "C32", 12_000)]
    {
        let path = folder.join(name);
        let from = format!("{tone} item={item}");
        stdout(&["record", text(&path), "--from", &from, "--seconds", "250ms"]);
        let json: Json = serde_json::from_str(&stdout(&["info", "--json", text(&path)])).unwrap();
        assert_eq!(json["samples"], samples, "{name}");
        let wanted = if item == "C32" { 0.5 } else { 0.5 / 2f64.sqrt() };
        assert!((json["levels"]["rms"].as_f64().unwrap() - wanted).abs() < 1e-3, "{name}: {json}");
    }
    assert_eq!(info(&folder.join("c"))["rate_hz"], 48e3);
    // A chain, stored otherwise, with what the command line says.
    let path = folder.join("d.sigmf-meta");
    let chain = "signal_source rate_hz=48k -> multiply_const constant=0.25";
    let options = ["--samples", "1k", "--freq", "-1.5k", "--rate", "1k", "--out-format", "cs16"];
    stdout(&[&["record", text(&path), "--from", chain][..], &options].concat());
    let json = info(&path);
    assert_eq!((json["samples"].as_u64(), json["rate_hz"].as_f64()), (Some(1000), Some(1e3)));
    assert_eq!(json["center_hz"].as_f64(), Some(-1500.0));
    assert_eq!(json["format"], "ci16_le");
}

#[test]
fn a_record_that_cannot_be_says_why_and_one_that_ends_early_too() {
    let folder = folder("record-wrong");
    let out = folder.join("x.cf32");
    for (from, option, words) in [
        (
            "signal_source rate=3",
            "--samples=3",
            "column 15: block signal_source: rate: signal_source has no such parameter",
        ),
        ("null_source -> null_sink", "--samples=3", "null_sink gives no samples"),
        ("null_source", "--seconds=3", "--seconds needs a sample rate"),
        ("null_source", "--seconds=x", "expected a time"),
        ("null_source", "--samples=0", "expected a whole number of samples"),
        ("wav_source", "--samples=1", "path: is missing"),
    ] {
        let (error, code) = failure(&["record", text(&out), "--from", from, option]);
        assert!(code == 2 && error.contains(words), "{from}: {error}");
        assert!(!out.exists());
    }
    let output = run(&["record", text(&out), "--from", "vector_source values=[1, 2]", "--samples", "5"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && words.contains("vector_source ended after 2 of 5 samples"), "{words}");
}

#[test]
fn a_replay_takes_as_long_as_the_recording_and_gives_its_bytes() {
    let start = Instant::now();
    let output = run(&["replay", text(&recording())]);
    assert!(start.elapsed() >= Duration::from_millis(150), "{:?}", start.elapsed());
    assert_eq!(output.stdout, std::fs::read(recording()).unwrap());
    let folder = folder("replay");
    let (wav, out) = (folder.join("x.wav"), folder.join("x.cs16"));
    stdout(&["convert", text(&recording()), text(&wav)]);
    let sink = format!("multiply_const constant=0.5 -> file_sink path={}", out.display());
    stdout(&["replay", text(&wav), "--speed", "1e3", "--to", &sink]);
    assert_eq!(std::fs::metadata(&out).unwrap().len(), 356_868 * 4);
    let (error, code) = failure(&["replay", text(&recording()), "--to", "file_sink path=y.f32"]);
    assert!(code == 2 && error.contains("f32"), "{error}");
    let raw = folder.join("z.cu8");
    std::fs::write(&raw, [0; 8]).unwrap();
    let (error, code) = failure(&["replay", text(&raw)]);
    assert!(code == 2 && error.contains("the sample rate is not known"), "{error}");
}

#[test]
fn a_loop_begins_again_for_every_kind_of_recording() {
    let folder = folder("replay-loop");
    let short = folder.join("short.cs16");
    let bytes: Vec<u8> = (0..100u8).collect();
    std::fs::write(&short, &bytes).unwrap();
    for name in ["short.cs16", "b.wav", "c.sigmf-meta"] {
        let path = folder.join(name);
        if name != "short.cs16" {
            stdout(&["convert", text(&short), text(&path), "--rate", "1k"]);
        }
        let arguments = ["replay", "--loop", text(&path), "--rate", "1k", "--speed", "1e6"];
        let mut child = superhet(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut got = vec![0; 1050];
        child.stdout.take().unwrap().read_exact(&mut got).unwrap();
        // Nobody reads any more: that ends it.
        assert!(child.wait().unwrap().success(), "{name}");
        assert!(got.iter().zip(bytes.iter().cycle()).all(|(a, b)| a == b), "{name}");
    }
}

#[test]
fn a_signal_ends_the_command_and_leaves_whole_files() {
    let folder = folder("signals");
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        for file in ["x.cf32", "x.wav", "x.sigmf-meta"] {
            let path = folder.join(file);
            let grows = if file == "x.sigmf-meta" { folder.join("x.sigmf-data") } else { path.clone() };
            let _ = std::fs::remove_file(&grows);
            let item = if file == "x.wav" { "f32" } else { "C32" };
            let from = format!("signal_source rate_hz=1M item={item} -> throttle item={item} rate_hz=1M");
            let arguments = ["record", text(&path), "--from", &from, "--force"];
            let child = superhet(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            wait_for(&grows);
            signal(&child, name);
            let output = child.wait_with_output().unwrap();
            let words = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.signal(), Some(number), "{file}: {words} {:?}", output.status.code());
            assert_eq!(
                words,
                format!("superhet: stopped by SIG{name}, so the output ends early\n"),
                "{file}"
            );
            // The header and the metadata are those of what is there.
            let rate: &[&str] = if file == "x.cf32" { &["--rate", "1M"] } else { &[] };
            let json: Json =
                serde_json::from_str(&stdout(&[&["info", "--json", text(&path)], rate].concat())).unwrap();
            assert!(json["samples"].as_u64().unwrap() > 0, "{file}");
            assert_eq!(json["problems"], Json::Array(Vec::new()), "{file}");
        }
    }
}

#[test]
fn a_conversion_that_a_signal_ends_describes_what_is_there() {
    let folder = folder("signal-convert");
    let out = folder.join("x.sigmf-meta");
    let arguments = ["convert", "-", text(&out), "--format", "cu8", "--rate", "2M"];
    let mut child = superhet(&arguments)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // More than is collected before it is written.
    std::io::Write::write_all(&mut stdin, &vec![7; 1 << 20]).unwrap();
    wait_for(&folder.join("x.sigmf-data"));
    // What is known stands there from the start.
    assert!(std::fs::read_to_string(&out).unwrap().contains("\"core:sample_rate\": 2000000"));
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.signal(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let json = info(&out);
    assert!(json["samples"].as_u64().unwrap() > 0 && json["problems"] == Json::Array(Vec::new()), "{json}");
}

#[test]
fn a_shell_loop_ends_with_the_command_that_ctrl_c_ends() {
    if std::process::Command::new("bash").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no bash, and other shells end their loops in any case");
        return;
    }
    let folder = folder("signal-loop");
    let marks = folder.join("marks");
    let script = format!(
        "for n in 1 2 3; do echo $n >> {}; {} run -e 'null_source -> head items=10M -> throttle rate_hz=1M -> null_sink'; done",
        marks.display(),
        env!("CARGO_BIN_EXE_superhet")
    );
    // As at a terminal: the shell and the command are one group, and no parent has told them to ignore the signal.
    let mut shell = std::process::Command::new("env")
        .args(["--default-signal=INT", "bash", "-c", &script])
        .process_group(0)
        .stderr(Stdio::null())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&marks);
    std::thread::sleep(Duration::from_millis(500));
    let group = format!("-{}", shell.id());
    std::process::Command::new("kill").args(["-INT", "--", &group]).status().unwrap();
    assert_eq!(shell.wait().unwrap().signal(), Some(2));
    assert_eq!(std::fs::read_to_string(marks).unwrap(), "1\n");
}
