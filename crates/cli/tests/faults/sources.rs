//! Files that become shorter or longer while they are read.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use superhet_io::sigmf::RecordingWriter;
use superhet_io::wav::{WavEncoding, WavWriter};
use superhet_io::{SampleFormat, Shape};

use super::*;
use crate::common::folder;

const ITEMS: usize = 5_000_000;

/// Runs `source` into a pipe, changes its file when the first samples have come, and reads on: how many bytes came, and what
/// the run said. So much lies between that a pipe and the streams cannot hold it.
fn change_while_read(folder: &Path, source: &str, change: impl FnOnce()) -> (usize, Output) {
    let pipe = fifo(folder);
    let text = format!(
        "connections = [\"source -> sink\"]\n[blocks.source]\n{source}\n\
         [blocks.sink]\ntype = \"file_sink\"\nformat = \"f32\"\npath = {}\n",
        quoted(&pipe)
    );
    let child = run(&graph(folder, "graph", &text)).spawn().unwrap();
    let mut reader = File::open(&pipe).unwrap();
    let mut first = vec![0; 1000];
    reader.read_exact(&mut first).unwrap();
    change();
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert!(rest.iter().all(|byte| *byte == 0), "what was not in the file");
    (first.len() + rest.len(), end(child))
}

fn shorten(path: &Path, bytes: u64) {
    File::options().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn a_raw_file_that_becomes_shorter_is_an_error_that_says_how_much_came() {
    let folder = folder("shorter-raw");
    let path = folder.join("x.f32");
    fs::write(&path, vec![0; 4 * ITEMS]).unwrap();
    let source = format!("type = \"file_source\"\nformat = \"f32\"\npath = {}", quoted(&path));
    let (bytes, output) = change_while_read(&folder, &source, || shorten(&path, 1_000_003));
    let text = one_error(&output);
    let wanted =
        format!("x.f32: the file became shorter while it was read: {} of {ITEMS} samples came", bytes / 4);
    assert!(text.contains(&wanted), "{text} {bytes}");
    assert!((1_000_000..4 * ITEMS).contains(&bytes), "{bytes}");
}

#[test]
fn a_wav_file_that_becomes_shorter_is_an_error_that_says_how_much_came() {
    for block in ["wav_source", "wav_channels_source"] {
        let folder = folder(&format!("shorter-{block}"));
        let path = folder.join("x.wav");
        let mut writer = WavWriter::create(&path, 48_000, Shape::Real, WavEncoding::F32).unwrap();
        writer.write_f32(&vec![0.0; ITEMS]).unwrap();
        writer.finish().unwrap();
        let source = format!("type = \"{block}\"\npath = {}", quoted(&path));
        let (bytes, output) = change_while_read(&folder, &source, || shorten(&path, 1_000_003));
        let text = one_error(&output);
        let wanted = format!("became shorter while it was read: {} of {ITEMS} frames came", bytes / 4);
        assert!(text.contains(&wanted), "{text} {bytes}");
    }
}

#[test]
fn a_recording_that_becomes_shorter_is_an_error_that_says_how_much_came() {
    let folder = folder("shorter-sigmf");
    let path = folder.join("x");
    let mut writer = RecordingWriter::create(&path, SampleFormat::F32, Some(1000.0)).unwrap();
    writer.write_f32(&vec![0.0; ITEMS]).unwrap();
    writer.finish().unwrap();
    let data = folder.join("x.sigmf-data");
    let source = format!("type = \"sigmf_source\"\npath = {}", quoted(&path));
    let (bytes, output) = change_while_read(&folder, &source, || shorten(&data, 1_000_003));
    let text = one_error(&output);
    let wanted = format!("became shorter while it was read: {} of {ITEMS} samples came", bytes / 4);
    assert!(text.contains(&wanted), "{text} {bytes}");
}

#[test]
fn a_file_that_becomes_longer_is_read_to_its_new_end() {
    let folder = folder("longer");
    let path = folder.join("x.f32");
    fs::write(&path, vec![0; 4 * ITEMS]).unwrap();
    let source = format!("type = \"file_source\"\nformat = \"f32\"\npath = {}", quoted(&path));
    let (bytes, output) = change_while_read(&folder, &source, || {
        File::options().append(true).open(&path).unwrap().write_all(&[0; 400_000]).unwrap();
    });
    went_well(&output);
    assert_eq!(bytes, 4 * ITEMS + 400_000);
}

#[test]
fn a_file_that_becomes_longer_by_a_part_of_a_sample_is_cut_there() {
    let folder = folder("longer-cut");
    let path = folder.join("x.f32");
    fs::write(&path, vec![0; 4 * ITEMS]).unwrap();
    let source = format!("type = \"file_source\"\nformat = \"f32\"\npath = {}", quoted(&path));
    let (bytes, output) = change_while_read(&folder, &source, || {
        File::options().append(true).open(&path).unwrap().write_all(&[0; 7]).unwrap();
    });
    let text = one_error(&output);
    assert!(text.contains("there are 3 bytes of a 4-byte rf32_le sample"), "{text}");
    assert_eq!(bytes, 4 * ITEMS + 4);
}
