//! `superhet decode fm`, on signals of `examples/fm_transmitter.toml`.

use std::path::{Path, PathBuf};

use crate::common::{failure, folder, project, run, stdout};
use serde_json::Value;
use superhet::io::wav::WavReader;

/// Makes a recording of a station, around 98.5 MHz.
pub fn transmit(folder: &Path, name: &str, sets: &[&str]) -> PathBuf {
    let path = folder.join(format!("{name}_98.5MHz_960k.cs16"));
    let graph = project("examples/fm_transmitter.toml");
    let into = format!("path={}", path.display());
    let mut arguments = vec!["run", graph.to_str().unwrap(), "--set", &into];
    arguments.extend(sets.iter().flat_map(|set| ["--set", *set]));
    let output = run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

fn receive(path: &Path, more: &[&str]) -> Vec<Value> {
    let text = stdout(&[&["decode", "fm", "--json", path.to_str().unwrap()], more].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the messages say under a key, each time.
fn said<'a>(messages: &'a [Value], key: &str) -> Vec<&'a Value> {
    messages.iter().map(|message| &message["fields"][key]).filter(|value| !value.is_null()).collect()
}

/// The amplitude of a tone in a channel, in dB, behind the first half.
fn level_db(frames: &[f32], channel: usize, hz: f64) -> f64 {
    let frames = &frames[frames.len() / 4 * 2..];
    let (mut re, mut im) = (0.0, 0.0);
    for (n, frame) in frames.chunks_exact(2).enumerate() {
        let turn = std::f64::consts::TAU * (n as f64 * hz / 48e3).fract();
        let window = (std::f64::consts::TAU * n as f64 / frames.len() as f64).sin().powi(2);
        re += window * f64::from(frame[channel]) * turn.cos();
        im += window * f64::from(frame[channel]) * turn.sin();
    }
    20.0 * (re.hypot(im) / (frames.len() as f64 / 8.0)).log10()
}

fn frames(path: &Path) -> Vec<f32> {
    let mut reader = WavReader::open(path).unwrap();
    let header = reader.header();
    assert_eq!((header.channels, header.sample_rate_hz), (2, 48_000));
    let mut frames = vec![0.0; 2 * header.frames as usize];
    let mut filled = 0;
    while filled < frames.len() {
        let n = reader.read_frames(&mut frames[filled..]).unwrap();
        assert!(n > 0, "{filled} of {} numbers", frames.len());
        filled += 2 * n;
    }
    frames
}

#[test]
fn a_station_says_its_name_text_and_clock_and_its_channels_are_apart() {
    let folder = folder("decode-fm");
    let sets = ["seconds=3", "right_level=0", "left_level=0.8", "offset_hz=4e3", "groups=3016 0000 4bd7"];
    let path = transmit(&folder, "station", &sets);
    let wav = folder.join("sound.wav");
    let messages = receive(&path, &["--audio", wav.to_str().unwrap()]);
    assert_eq!(said(&messages, "ps"), ["SUPERHET"], "{messages:#?}");
    assert_eq!(said(&messages, "radiotext"), ["Graphs of blocks"]);
    assert_eq!(said(&messages, "clock"), ["2026-11-25T17:15Z"]);
    assert_eq!(said(&messages, "programme_type"), ["pop music"]);
    assert_eq!(said(&messages, "application")[0]["name"], "RadioText Plus");
    for message in &messages {
        assert_eq!((&message["protocol"], &message["fields"]["pi"]), (&"RDS".into(), &"D3C1".into()));
        assert_eq!(message["frequency_hz"], 98.5e6);
        assert_eq!(message["hex"].as_str().map(str::len), Some(16));
        // Groups are where they were sent: one every 104 bits, four bits behind the beginning.
        let group = (message["sample_index"].as_f64().unwrap() / 960e3 * 1187.5 - 3.5) / 104.0;
        assert!((group - group.round()).abs() < 0.02, "{message}");
    }
    let (frames, left) = (frames(&wav), 20.0 * (0.8f64 * 0.88).log10());
    assert!(frames.len().abs_diff(2 * 3 * 48_000) < 1000, "{}", frames.len());
    let [got, other] = [0, 1].map(|channel| level_db(&frames, channel, 1e3));
    assert!((got - left).abs() < 0.2, "{got} dB, wanted {left}");
    assert!(got - other > 40.0, "{:.1} dB", got - other);
    let (problem, code) =
        failure(&["decode", "fm", path.to_str().unwrap(), "--audio", wav.to_str().unwrap()]);
    assert!(problem.contains("is there already; --force replaces it") && code == 2, "{problem}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn messages_of_a_station_do_not_depend_on_scheduler_and_workers() {
    let folder = folder("decode-fm-schedulers");
    let path = transmit(&folder, "station", &["seconds=1.5", "cn_db=17"]);
    let wanted = receive(&path, &["--scheduler", "single", "--set", "all=true"]);
    assert!(wanted.len() > 8, "{wanted:?}");
    for settings in
        [&["--scheduler", "threads"][..], &["--workers", "3"], &["--scheduler", "single", "--seed", "5"]]
    {
        assert_eq!(receive(&path, &[&["--set", "all=true"], settings].concat()), wanted, "{settings:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn several_stations_of_a_band_are_received_at_once() {
    let folder = folder("decode-fm-stations");
    let names = ["LOWER", "UPPER"];
    let bands: Vec<Vec<u8>> = [-250_000, 200_000]
        .iter()
        .zip(names)
        .map(|(offset, name)| {
            let sets = [
                format!("ps={name}"),
                format!("offset_hz={offset}"),
                "seconds=2".into(),
                "radiotext=".into(),
            ];
            let path = transmit(&folder, name, &sets.each_ref().map(String::as_str));
            std::fs::read(path).unwrap()
        })
        .collect();
    let part = |bytes: &[u8]| i16::from_le_bytes([bytes[0], bytes[1]]);
    let both = bands[0].chunks_exact(2).zip(bands[1].chunks_exact(2));
    let sum: Vec<u8> = both.flat_map(|(a, b)| (part(a) + part(b)).to_le_bytes()).collect();
    let path = folder.join("both_98.5MHz_960k.cs16");
    std::fs::write(&path, sum).unwrap();
    let wav = folder.join("sound.wav");
    let messages = receive(&path, &["--station", "98.25M,98.7M", "--audio", wav.to_str().unwrap()]);
    for (name, hz) in names.iter().zip([98.25e6, 98.7e6]) {
        let of: Vec<Value> =
            messages.iter().filter(|message| message["frequency_hz"] == hz).cloned().collect();
        assert_eq!(said(&of, "ps"), [name], "{messages:#?}");
        let frames = frames(&folder.join(format!("sound-{}MHz.wav", hz / 1e6)));
        assert!(level_db(&frames, 0, 1e3) > -10.0 && level_db(&frames, 1, 400.0) > -10.0);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn stations_that_cannot_be_received_are_explained() {
    let recording = project("data/adsb/modes1_2Msps.cu8");
    let recording = recording.to_str().unwrap();
    for (arguments, wanted) in [
        (
            &["decode", "adsb", recording, "--station", "98M"][..],
            "--station, --audio and --play are for fm, not for adsb",
        ),
        (&["decode", "fm", recording, "--station", "98M"], "the middle of the band is not known"),
        (
            &["decode", "fm", recording, "--freq", "90M", "--station", "98M"],
            "expected a frequency from 89000000 to 91000000",
        ),
        (
            &["decode", "fm", recording, recording, "--audio", "x.wav"],
            "--audio takes the sound of one recording",
        ),
    ] {
        let (problem, code) = failure(arguments);
        assert!(problem.contains(wanted) && code == 2, "{problem}");
    }
}
