//! Receivers that are graph files, on recordings of signals from the air, against what other decoders made of them.

use crate::common::{project, stdout};
use serde_json::Value;

/// What a graph file prints for a recording.
fn receive(graph: &str, recording: &str) -> Vec<Value> {
    let file = format!("file={}", project(recording).display());
    let text = stdout(&["run", project(graph).to_str().unwrap(), "--set", &file]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The packets that a graph file prints, in hexadecimal digits.
fn packets(graph: &str, recording: &str) -> Vec<String> {
    let hex = |message: &Value| message["packet"][1]["hex"].as_str().unwrap().to_owned();
    receive(graph, recording).iter().map(hex).collect()
}

fn expected(file: &str) -> Vec<String> {
    std::fs::read_to_string(project(file)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn ax25_frames_of_1200_bd_are_those_of_other_decoders_and_one_more() {
    for (name, frames) in [("ao27", 3), ("swiatowid-ax25", 2)] {
        let got = packets("examples/ax25_afsk1200.toml", &format!("data/ax25/{name}.wav"));
        let wanted = expected(&format!("data/ax25/{name}.frames.txt"));
        assert!(wanted.iter().all(|frame| got.contains(frame)), "{name}: {got:?}");
        assert_eq!(got.len(), frames, "{name}: {got:?}");
    }
}

#[test]
fn the_ax25_frame_of_9600_bd_is_that_of_other_decoders() {
    let got = packets("examples/ax25_g3ruh9600.toml", "data/ax25/us01.wav");
    assert_eq!(got, expected("data/ax25/us01.frames.txt"));
}

#[test]
fn alerts_are_those_of_another_decoder() {
    for name in ["npt", "two_and_two"] {
        let got = receive("examples/same.toml", &format!("data/same/{name}.22050.s16"));
        let texts: Vec<&str> = got.iter().map(|message| message["text"].as_str().unwrap()).collect();
        assert_eq!(texts, expected(&format!("data/same/{name}.expected.txt")), "{name}");
    }
}
