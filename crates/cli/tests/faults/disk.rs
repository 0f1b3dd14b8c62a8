//! Disks that are full, and files that may not grow.

use std::fs;
use std::path::Path;
use std::process::Command;

use superhet_io::pcap::{PcapReader, PcapWriter};
use superhet_io::sigmf::Recording;
use superhet_io::wav::WavReader;

use super::*;
use crate::common::folder;

/// The sinks of files: what they write below `path`, as graph files have them.
fn sinks(folder: &Path) -> Vec<(&'static str, &'static str, String)> {
    let at = |name: &str| quoted(&folder.join(name));
    vec![
        ("file", "f32", format!("type = \"file_sink\"\nformat = \"f32\"\npath = {}", at("raw"))),
        ("wav", "f32", format!("type = \"wav_sink\"\nrate_hz = 48000\npath = {}", at("mono.wav"))),
        (
            "iq",
            "C32",
            format!(
                "type = \"wav_sink\"\nrate_hz = 48000\ninput = \"complex\"\nencoding = \"s24\"\npath = {}",
                at("iq.wav")
            ),
        ),
        (
            "channels",
            "f32",
            format!("type = \"wav_channels_sink\"\nrate_hz = 48000\npath = {}", at("channels.wav")),
        ),
        (
            "sigmf",
            "f32",
            format!(
                "type = \"sigmf_sink\"\nformat = \"rf32_le\"\nrate_hz = 48000\noverwrite = true\npath = {}",
                at("recording")
            ),
        ),
    ]
}

/// A run whose files may have 97.5 KiB, which is no multiple of what is written at a time, nor of a frame of 6 bytes. One
/// thread runs it: the memory between two is a file, too, as far as the limit goes.
fn limited(graph: &Path) -> Command {
    superhet("trap '' XFSZ; ulimit -f 195", &["run", graph.to_str().unwrap(), "--scheduler", "single"])
}

/// That what a sink of `sinks` left of a run that failed is true: files end with a whole sample, lengths are those of what
/// is there, and no metadata describe more than that.
fn is_valid(name: &str, folder: &Path) {
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    match name {
        "file" => assert!(!bytes("raw").is_empty() && bytes("raw").len() % 4 == 0),
        "wav" | "iq" | "channels" => {
            let file = if name == "wav" { "mono" } else { name };
            let reader = WavReader::open(folder.join(format!("{file}.wav"))).unwrap();
            assert!(reader.header().frames > 1000, "{}", reader.header().frames);
        }
        _ => {
            let recording = Recording::open(folder.join("recording")).unwrap();
            let data = bytes("recording.sigmf-data").len() as u64;
            let sample = recording.format().bytes() as u64;
            assert!(data > 0 && data.is_multiple_of(sample), "{data}");
            assert_eq!(recording.samples(), data / sample);
            // That of the samples would take reading all of them again.
            assert_eq!(recording.meta().global.sha512, None);
        }
    }
}

#[test]
fn a_full_disk_is_one_error() {
    let folder = folder("disk-full");
    for (name, items, more) in
        [("much", 2_000_000, ""), ("at-once", 2_000_000, "unbuffered = true"), ("little", 10, "")]
    {
        let sink = format!("type = \"file_sink\"\npath = \"/dev/full\"\nformat = \"f32\"\n{more}");
        let graph = graph(&folder, name, &zeros_into(Some(items), "f32", &sink));
        let text = one_error(&output(run(&graph)));
        assert!(
            text.contains("block sink failed: /dev/full: cannot write: No space left on device"),
            "{text}"
        );
    }
    let good = graph(&folder, "good", &zeros_into(Some(10), "f32", "type = \"null_sink\"\nitem = \"f32\""));
    let command = superhet("true", &["run", good.to_str().unwrap(), "--report-json", "/dev/full"]);
    let text = one_error(&output(command));
    assert!(text.contains("cannot write /dev/full: No space left on device"), "{text}");
}

#[test]
fn a_file_that_may_not_grow_is_one_error_and_ends_with_what_is_in_it() {
    let folder = folder("file-size");
    for (name, item, sink) in sinks(&folder) {
        let graph = graph(&folder, name, &zeros_into(Some(2_000_000), item, &sink));
        let output = super::output(limited(&graph));
        let text = one_error(&output);
        assert!(text.contains("cannot write: File too large"), "{name}: {text}");
        is_valid(name, &folder);
    }
}

#[test]
fn packets_that_do_not_fit_are_one_error_and_leave_whole_ones() {
    let folder = folder("packets");
    let (from, to) = (folder.join("from.pcap"), folder.join("to.pcap"));
    let mut writer = PcapWriter::new(fs::File::create(&from).unwrap(), 147).unwrap();
    (0..5000).for_each(|n| writer.write(n, &[7; 83]).unwrap());
    let text = format!(
        "connections = [\"from.out -> to.in\"]\n[blocks.from]\ntype = \"pcap_source\"\npath = {}\n\
         [blocks.to]\ntype = \"pcap_sink\"\npath = {}\n",
        quoted(&from),
        quoted(&to)
    );
    let text = one_error(&output(limited(&graph(&folder, "graph", &text))));
    assert!(text.contains("to.pcap: cannot write: File too large"), "{text}");
    let mut reader = PcapReader::new(fs::File::open(&to).unwrap(), &to).unwrap();
    let (mut bytes, mut packets) = (Vec::new(), 0);
    while reader.next(&mut bytes).unwrap().is_some() {
        assert_eq!(bytes, [7; 83]);
        packets += 1;
    }
    assert!(packets > 500, "{packets}");
}

#[test]
fn a_small_disk_that_fills_up_is_one_error_and_keeps_what_is_on_it() {
    let folder = folder("small-disk");
    let (disk, kept) = (folder.join("disk"), folder.join("kept"));
    fs::create_dir(&disk).unwrap();
    fs::create_dir(&kept).unwrap();
    // In a namespace of its own, so that nothing is left mounted.
    let mounts = "mount -t tmpfs -o size=400k tmpfs \"$1\"";
    let can = Command::new("unshare")
        .args(["--mount", "sh", "-c", mounts, "sh"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no file system can be mounted here");
        return;
    }
    for (name, item, sink) in sinks(&disk) {
        let graph = graph(&folder, name, &zeros_into(Some(2_000_000), item, &sink));
        let mut command = Command::new("unshare");
        let script = format!("{mounts}; \"$2\" run \"$3\"; code=$?; cp -r \"$1\"/. \"$4\"; exit $code");
        command.args(["--mount", "sh", "-c", &script, "sh"]).arg(&disk);
        command.arg(env!("CARGO_BIN_EXE_superhet")).arg(&graph).arg(&kept);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let text = one_error(&output(command));
        assert!(text.contains("No space left on device"), "{name}: {text}");
        is_valid(name, &kept);
    }
}

#[test]
fn places_where_no_file_can_be_are_refused_before_anything_runs() {
    let folder = folder("no-file");
    let places = ["", ".", "/", "/no/such/folder/x", &"x".repeat(300), "/proc/nope", "/sys/kernel/nope"];
    for place in places {
        for (sink, more) in [
            ("file_sink", "format = \"f32\""),
            ("wav_sink", "rate_hz = 1000"),
            ("sigmf_sink", "format = \"rf32_le\""),
        ] {
            // A recording is two files whose names begin so.
            if sink.contains("sigmf") && matches!(place, "." | "/") {
                continue;
            }
            let sink = format!("type = \"{sink}\"\npath = \"{place}\"\n{more}");
            let graph = graph(&folder, "graph", &zeros_into(Some(10), "f32", &sink));
            let checked = output(superhet("true", &["check", graph.to_str().unwrap()]));
            let run = output(run(&graph));
            // Whether a pseudo file system takes a new file is known only when one is made.
            if !place.starts_with("/proc") && !place.starts_with("/sys") {
                assert_eq!(checked.status.code(), Some(2), "{sink}: {}", said(&checked));
            }
            assert!(matches!(run.status.code(), Some(1 | 2)), "{sink}: {}", said(&run));
        }
    }
}

#[test]
fn an_empty_path_is_a_mistake_that_says_so() {
    let folder = folder("empty-path");
    for (block, more) in [
        ("file_sink", "format = \"f32\""),
        ("file_source", "format = \"f32\""),
        ("wav_sink", "rate_hz = 1000"),
        ("wav_source", ""),
        ("sigmf_sink", "format = \"rf32_le\""),
        ("sigmf_source", ""),
        ("pcap_sink", ""),
        ("tags_to_file", "item = \"f32\""),
    ] {
        let graph = graph(&folder, block, &format!("[blocks.it]\ntype = \"{block}\"\npath = \"\"\n{more}"));
        let output = super::output(superhet("true", &["check", graph.to_str().unwrap()]));
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("path: expected a path of a file, got an empty text"), "{block}: {text}");
    }
}

#[test]
fn a_check_a_plan_and_a_mistake_elsewhere_leave_files_as_they_are() {
    let folder = folder("untouched");
    let files = ["raw", "mono.wav", "iq.wav", "channels.wav", "recording.sigmf-data", "recording.sigmf-meta"];
    files.iter().for_each(|file| fs::write(folder.join(file), "precious").unwrap());
    for (name, item, sink) in sinks(&folder) {
        let good = zeros_into(Some(10), item, &sink);
        let bad = format!("{good}[blocks.other]\ntype = \"no_such_block\"\n");
        for (command, text, code) in [("check", &good, 0), ("plan", &good, 0), ("run", &bad, 2)] {
            let graph = graph(&folder, name, text);
            let output = super::output(superhet("true", &[command, graph.to_str().unwrap()]));
            assert_eq!(output.status.code(), Some(code), "{}", said(&output));
            files.iter().for_each(|file| assert_eq!(fs::read(folder.join(file)).unwrap(), b"precious"));
        }
    }
}
