//! The main job on a real recording: every message that the reference decoder lists, however the graph is run.

use std::collections::BTreeMap;

use crate::common::*;
use superhet::blocks::adsb::{Frame, Parity, remainder};

/// How often each message is in a list of `hex` words.
fn counts<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    words.for_each(|word| *counts.entry(word.to_owned()).or_insert(0) += 1);
    counts
}

/// What the reference decoder found.
fn reference() -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(project("data/adsb/modes1_2Msps.dump1090-raw.txt")).unwrap();
    counts(text.lines().map(|line| line.trim_matches(['*', ';'])))
}

fn decode(arguments: &[&str]) -> Vec<serde_json::Value> {
    let recording = recording();
    let mut all = vec!["adsb", "--json", recording.to_str().unwrap()];
    all.extend(arguments);
    stdout(&all).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn hex_of(message: &serde_json::Value) -> &str {
    message["hex"].as_str().unwrap()
}

#[test]
fn every_message_of_the_reference_decoder_is_found() {
    let reference = reference();
    assert_eq!((reference.values().sum::<usize>(), reference.len()), (217, 111));
    let messages = decode(&[]);
    let found = counts(messages.iter().map(hex_of));
    for (hex, times) in &reference {
        let here = found.get(hex).copied().unwrap_or(0);
        assert!(here >= *times, "{hex}: {here} times, not {times}");
    }
}

#[test]
fn no_message_has_a_wrong_checksum() {
    for message in decode(&[]) {
        let frame = Frame::from_hex(hex_of(&message)).unwrap();
        let rest = remainder(frame.bytes());
        let icao = u32::from_str_radix(message["icao"].as_str().unwrap(), 16).unwrap();
        let right = match frame.df() {
            17 | 18 => rest == 0,
            11 => rest < 80,
            // The address lies over the checksum, and was heard in the open before.
            _ => rest == icao && icao == 0x4d2023,
        };
        assert!(right, "{message}");
        assert_ne!(frame.parity, Parity::Wrong);
    }
}

#[test]
fn the_messages_depend_neither_on_scheduler_nor_workers_nor_strips() {
    let first = decode(&[]);
    assert!(first.len() >= 217);
    // One worker takes ten seconds with strips of one item.
    for (scheduler, workers, strip) in [
        ("single", "1", "1"),
        ("single", "1", "4096"),
        ("pinned", "1", "7"),
        ("pinned", "2", "1"),
        ("pinned", "2", "7"),
        ("pinned", "2", "4096"),
        ("adaptive", "2", "7"),
        ("adaptive", "3", "4096"),
        ("threads", "1", "7"),
        ("threads", "1", "4096"),
    ] {
        let arguments = ["--scheduler", scheduler, "--workers", workers, "--strip-items", strip];
        assert!(decode(&arguments) == first, "{arguments:?}");
    }
    assert!(decode(&["--seed", "1", "--rings", "single", "--out-of-place"]) == first);
}

#[test]
fn each_message_becomes_an_annotation() {
    let folder = folder("annotations");
    let base = folder.join("modes");
    let messages = decode(&["--sigmf", base.to_str().unwrap()]);
    let recording = superhet::io::sigmf::Recording::open(&base).unwrap();
    let annotations = &recording.meta().annotations;
    assert_eq!(annotations.len(), messages.len());
    for (annotation, message) in annotations.iter().zip(&messages) {
        assert_eq!(annotation.label.as_deref(), message["hex"].as_str());
        assert_eq!(Some(annotation.sample_start), message["sample_index"].as_u64());
    }
    assert!(recording.verify_sha512().unwrap());
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn a_graph_file_does_the_same_job() {
    let file = project("examples/adsb.toml");
    let recording = format!("file={}", recording().display());
    let text = stdout(&["run", file.to_str().unwrap(), "--set", &recording]);
    assert_eq!(text.lines().count(), decode(&[]).len());
}

#[test]
fn a_graph_file_with_blocks_on_a_device_does_the_same_job() {
    let recording = format!("file={}", recording().display());
    let run = |file: &str| stdout(&["run", project(file).to_str().unwrap(), "--set", &recording]);
    assert_eq!(run("examples/adsb_device.toml"), run("examples/adsb.toml"));
}
