//! `superhet decode`: receivers that are graph files, on recordings of signals from the air, against what other decoders made of them.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{failure, folder, project, run, stdout, superhet};
use serde_json::Value;
use superhet::io::sigmf::Recording;

/// What a receiver prints as JSON.
fn receive(kind: &str, arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&[&["decode", kind, "--json"], arguments].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same of a recording of the project.
fn receive_file(kind: &str, recording: &str) -> Vec<Value> {
    receive(kind, &[project(recording).to_str().unwrap()])
}

fn hex(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["hex"].as_str().unwrap()).collect()
}

fn expected(file: &str) -> Vec<String> {
    std::fs::read_to_string(project(file)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn ax25_frames_of_1200_bd_are_those_of_other_decoders_and_one_more() {
    for (name, frames) in [("ao27", 3), ("swiatowid-ax25", 2)] {
        let messages = receive_file("ax25", &format!("data/ax25/{name}.wav"));
        let got = hex(&messages);
        let wanted = expected(&format!("data/ax25/{name}.frames.txt"));
        assert!(wanted.iter().all(|frame| got.contains(&frame.as_str())), "{name}: {got:?}");
        assert_eq!(got.len(), frames, "{name}: {got:?}");
        // Each is somewhere else in the recording, and says who sent it.
        let places: BTreeSet<u64> =
            messages.iter().map(|one| one["sample_index"].as_u64().unwrap()).collect();
        assert_eq!(places.len(), frames, "{messages:?}");
        assert!(messages.iter().all(|message| message["fields"]["from"].is_string()), "{messages:?}");
    }
}

#[test]
fn the_ax25_frame_of_9600_bd_is_that_of_other_decoders() {
    let messages = receive_file("ax25-9600", "data/ax25/us01.wav");
    assert_eq!(hex(&messages), expected("data/ax25/us01.frames.txt"));
}

#[test]
fn alerts_are_those_of_another_decoder() {
    for name in ["npt", "two_and_two"] {
        let got = receive_file("same", &format!("data/same/{name}.22050.s16"));
        let texts: Vec<&str> =
            got.iter().map(|message| message["fields"]["text"].as_str().unwrap()).collect();
        assert_eq!(texts, expected(&format!("data/same/{name}.expected.txt")), "{name}");
        assert!(got.iter().all(|message| message["protocol"] == "SAME" && message["time_s"].is_number()));
    }
}

#[test]
fn aircraft_are_those_of_superhet_adsb() {
    let recording = project("data/adsb/modes1_2Msps.cu8");
    let alone = stdout(&["adsb", "--json", recording.to_str().unwrap()]);
    let alone: Vec<Value> = alone.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages = receive("adsb", &[recording.to_str().unwrap()]);
    assert_eq!(hex(&messages), hex(&alone));
    assert!(messages.len() > 200);
    for (message, alone) in messages.iter().zip(&alone) {
        assert_eq!(message["sample_index"], alone["sample_index"]);
        assert_eq!(message["fields"]["icao"], alone["icao"]);
        assert_eq!(message["frequency_hz"], 1090e6);
    }
}

#[test]
fn the_telegram_of_a_meter_is_that_of_another_decoder() {
    let messages = receive("wmbus", &[project("data/wmbus/wmbus_868.625MHz_2400k.cu8").to_str().unwrap()]);
    let wanted: Value = serde_json::from_str(&expected("data/wmbus/wmbus.expected.json").concat()).unwrap();
    assert_eq!(messages.len(), 1, "{messages:?}");
    let fields = &messages[0]["fields"];
    for key in ["mode", "M", "id", "version", "type", "C", "CI"] {
        assert_eq!(fields[key], wanted[key], "{key}");
    }
    // The other decoder gives L less 2, and two bytes of the last checksum, too.
    let data = wanted["data"].as_str().unwrap();
    assert!(data[2..].starts_with(&messages[0]["hex"].as_str().unwrap()[2..]), "{messages:?}");
    assert_eq!(messages[0]["frequency_hz"], 868.95e6);
}

/// The texts of messages of FT8 or FT4.
fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["fields"]["text"].as_str().unwrap()).collect()
}

/// What a receiver of FT8 or FT4 decodes between two frequencies: less takes less time.
fn receive_between(
    kind: &str,
    path: &Path,
    min_frequency_hz: u32,
    max_frequency_hz: u32,
    more: &[&str],
) -> Vec<Value> {
    let sets = [
        format!("decode.min_frequency_hz={min_frequency_hz}"),
        format!("decode.max_frequency_hz={max_frequency_hz}"),
    ];
    let arguments = [path.to_str().unwrap(), "--set", &sets[0], "--set", &sets[1]];
    receive(kind, &[&arguments, more].concat())
}

// More recordings: python/tests/test_receivers.py.
#[test]
fn all_messages_of_another_decoder_of_ft8_are_found() {
    let messages = receive_between("ft8", &project("data/ft8/191111_110130.wav"), 600, 2500, &[]);
    let mut texts = texts(&messages);
    texts.sort_unstable();
    let mut wanted = expected("data/ft8/191111_110130.jt9.txt");
    wanted.sort_unstable();
    assert_eq!(texts, wanted);
}

#[test]
fn what_is_sent_by_ft4_is_decoded_from_audio_and_from_a_radio() {
    let folder = folder("decode-ft4");
    let text = "K1ABC W9XYZ R-09";
    let source = format!("ft8_source text='{text}' mode=ft4 frequency_hz=1234 slots=2");
    let (audio, radio) = (folder.join("audio.wav"), folder.join("radio_48k.cf32"));
    for (path, graph) in [
        (&audio, format!("{source} -> wav_sink path={} rate_hz=12000", audio.display())),
        (
            &radio,
            format!(
                "{source} -> rational_resampler item=f32 interpolation=4 decimation=1 -> hilbert -> file_sink path={} format=cf32",
                radio.display()
            ),
        ),
    ] {
        let status = superhet(&["run", "-e", &graph]).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{graph}");
        let messages = receive_between("ft4", path, 1150, 1350, &["--freq", "14.08M"]);
        assert_eq!(texts(&messages), [text, text], "{graph}: {messages:?}");
        for (n, message) in messages.iter().enumerate() {
            let hz = message["frequency_hz"].as_f64().unwrap();
            let time_s = message["time_s"].as_f64().unwrap();
            assert!((hz - 14_081_234.0).abs() < 1.0, "{message}");
            assert!((time_s - 7.5 * n as f64 - 0.548).abs() < 0.01, "{message}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// What an example prints: a JSON value a line.
fn example(name: &str) -> Vec<Value> {
    let text = stdout(&["run", project(&format!("examples/{name}.toml")).to_str().unwrap()]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn examples_of_receivers_have_fifteen_lines_at_most_and_decode_what_others_do() {
    for name in ["same", "ax25", "g3ruh", "fm", "vor", "gps", "meteor", "adsb"] {
        let text = std::fs::read_to_string(project(&format!("examples/{name}.toml"))).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(lines <= 15, "{name}: {lines}");
    }
    let texts = |messages: &[Value]| -> Vec<String> {
        messages.iter().filter_map(|message| Some(message["text"].as_str()?.to_owned())).collect()
    };
    assert_eq!(texts(&example("same")), expected("data/same/two_and_two.expected.txt"));
    let frames = |messages: &[Value]| -> BTreeSet<String> {
        messages.iter().map(|message| message["packet"][1]["hex"].as_str().unwrap().to_owned()).collect()
    };
    for (name, file) in [("ax25", "ao27"), ("g3ruh", "us01")] {
        let found = frames(&example(name));
        assert!(
            expected(&format!("data/ax25/{file}.frames.txt")).iter().all(|frame| found.contains(frame)),
            "{name}"
        );
    }
    assert!(example("adsb").len() > 200);
}

#[test]
fn a_beacon_is_where_its_radial_says_and_has_its_name() {
    let messages = example("vor");
    assert!(messages.len() >= 10, "{messages:?}");
    for message in &messages {
        let radial_deg = message["radial_deg"].as_f64().unwrap();
        assert!((115.0..125.0).contains(&radial_deg), "{message}");
        assert!((message["deviation_hz"].as_f64().unwrap() - 480.0).abs() < 15.0, "{message}");
    }
    assert_eq!(messages.last().unwrap()["ident"], "KLO");
}

#[test]
fn frames_of_a_weather_satellite_are_those_of_another_decoder() {
    let messages = example("meteor");
    let frames: Vec<&str> =
        messages.iter().map(|message| message["packet"][1]["hex"].as_str().unwrap()).collect();
    let wanted = expected("data/meteor/meteormn22.frame.txt");
    assert!(frames.contains(&wanted[0].as_str()), "{} frames", frames.len());
    // Each counts one more than that before it.
    let counts: Vec<u32> =
        frames.iter().map(|frame| u32::from_str_radix(&frame[4..10], 16).unwrap()).collect();
    assert!(counts.len() >= 10 && counts.windows(2).all(|pair| pair[1] > pair[0]), "{counts:x?}");
}

#[test]
fn a_station_that_an_example_makes_another_receives() {
    let folder = folder("decode-fm-example");
    let (station, sound) = (folder.join("fm_98.5MHz_960k.cs16"), folder.join("fm.wav"));
    let set = |name: &str, path: &Path| format!("{name}={}", path.display());
    let transmitter = project("examples/fm_transmitter.toml");
    stdout(&["run", transmitter.to_str().unwrap(), "--set", &set("path", &station), "--set", "seconds=2"]);
    let receiver = project("examples/fm.toml");
    let text = stdout(&[
        "run",
        receiver.to_str().unwrap(),
        "--set",
        &set("file", &station),
        "--set",
        &set("sound", &sound),
    ]);
    assert!(text.contains("SUPERHET") && text.contains("Graphs of blocks"), "{text}");
    assert!(std::fs::metadata(sound).unwrap().len() > 300_000);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn satellites_are_where_another_receiver_finds_them() {
    let text =
        stdout(&["run", project("examples/gps.toml").to_str().unwrap(), "--set", "numbers=[4, 16, 18, 26]"]);
    assert_eq!(text.lines().collect::<Vec<_>>(), expected("data/gnss/gps.expected.jsonl"));
}

#[test]
fn frames_of_small_satellites_are_those_of_another_decoder() {
    // So many more are found than by the other.
    for (kind, name, symbol_rate_hz, more) in [
        ("ax100", "1kuns_pf", Some(1200), 1),
        ("ax100", "ca03_9k6", None, 1),
        ("ax100", "tw_1b", Some(4800), 0),
        ("u482c", "gomx_1", None, 0),
        ("u482c", "au03", None, 0),
        ("ax25-bpsk", "picsat_9k6", None, 7),
        ("3cat1", "3cat_1", None, 0),
        ("aausat4", "aausat_4", None, 0),
        ("ccsds", "by701", None, 12),
        ("funcube", "ao73", None, 0),
    ] {
        let path = project(&format!("data/sat/{name}.wav"));
        let set = symbol_rate_hz.map(|hz| format!("symbol_rate_hz={hz}"));
        let sets: Vec<&str> = set.iter().flat_map(|set| ["--set", set.as_str()]).collect();
        let messages = receive(kind, &[&[path.to_str().unwrap()], &sets[..]].concat());
        let frames: Vec<&str> = messages.iter().map(|message| message["hex"].as_str().unwrap()).collect();
        let wanted = expected(&format!("data/sat/{name}.frames.txt"));
        assert!(wanted.iter().all(|frame| frames.contains(&frame.as_str())), "{name}: {frames:?}");
        assert_eq!(frames.len(), wanted.len() + more, "{name}: {frames:?}");
        let places: Vec<u64> =
            messages.iter().map(|message| message["sample_index"].as_u64().unwrap()).collect();
        let apart = places.windows(2).map(|pair| pair[1] - pair[0]).min();
        // No frame is shorter than a dozen bytes at 9600 Bd.
        assert!(apart.is_none_or(|apart| apart > 480), "{name}: {places:?}");
    }
}

#[test]
fn short_frames_of_aausat_4_are_received_upright_and_inverted() {
    // The word OZ4CUB, the marker of a short frame and 31 bytes, by an encoder that is no part of this.
    const SENT: &str = "4f5a34435542a68c1a4b4acb82994037670b827bc6ee0a843469a406aaa73e816222ad342d311d7dfb534452b917987e\
        d9450a8ac8e414e96fd0811d70b6d6a5ce3659e8ee7bc8cbfe9b88f50abf2a10ea6fb50fb4a24448bf8cda6712ef1807\
        097cd21a341b5910bae2338bc054bce49d1e20b1f9ae69b0c4283737b083ed1e1b78e9579e2550";
    let sent = (0..SENT.len()).step_by(2).map(|at| u8::from_str_radix(&SENT[at..at + 2], 16).unwrap());
    let bytes: Vec<u8> = [0x55; 60].into_iter().chain(sent).collect();
    let levels =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| i16::from(byte >> bit & 1) * 2 - 1));
    let burst: Vec<i16> = levels.flat_map(|level| [level * 8000; 20]).collect();
    let silence = [0; 9600];
    let inverted: Vec<i16> = burst.iter().map(|sample| -sample).collect();
    let samples = [&silence[..], &burst, &silence, &inverted, &silence].concat();
    let folder = folder("decode-aausat4");
    let path = folder.join("short_48000.s16");
    std::fs::write(&path, samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>())
        .unwrap();
    let messages = receive("aausat4", &[path.to_str().unwrap(), "--rate", "48000"]);
    let frames: Vec<&str> = messages.iter().map(|message| message["hex"].as_str().unwrap()).collect();
    assert_eq!(frames, ["00146465666768696a6b6c6d6e6f707172737475767778797a7b0000000000"; 2]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_carrier_in_audio_is_the_middle_of_complex_samples() {
    let folder = folder("decode-carrier");
    let (wav, radio) = (project("data/sat/picsat_9k6.wav"), folder.join("radio_144k.cf32"));
    // From 12 kHz at 48 kHz to 0 Hz at 144 kHz, 200 Hz off.
    let turn = -std::f64::consts::TAU * 11_800.0 / 48e3;
    let graph = format!(
        "wav_source path={} -> hilbert -> rotator increment_rad={turn} -> rational_resampler interpolation=3 decimation=1 \
         -> file_sink path={} format=cf32",
        wav.display(),
        radio.display()
    );
    assert!(superhet(&["run", "-e", &graph]).stderr(Stdio::null()).status().unwrap().success(), "{graph}");
    let frames = |path: &Path| -> BTreeSet<String> {
        let messages = receive("ax25-bpsk", &[path.to_str().unwrap()]);
        messages.iter().map(|message| message["hex"].as_str().unwrap().to_owned()).collect()
    };
    let (wanted, got) = (frames(&wav), frames(&radio));
    // A weak one may be there or not.
    assert!(wanted.symmetric_difference(&got).count() <= 2, "{} and {}", wanted.len(), got.len());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn samples_may_come_from_stdin() {
    let recording = project("data/same/npt.22050.s16");
    let mut command = superhet(&["decode", "same", "-", "--format", "s16", "--rate", "22050", "--json"]);
    let output =
        command.stdin(std::fs::File::open(recording).unwrap()).stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

#[test]
fn messages_of_several_inputs_name_theirs() {
    let names = ["npt", "two_and_two"].map(|name| project(&format!("data/same/{name}.22050.s16")));
    let paths = names.each_ref().map(|path| path.to_str().unwrap());
    let messages = receive("same", &paths);
    let inputs: Vec<&str> = messages.iter().map(|message| message["input"].as_str().unwrap()).collect();
    assert_eq!(inputs, [paths[0], paths[1], paths[1]]);
}

/// Every scheduler gives the same messages, and there are some; in which order those of several branches come is not said.
pub fn assert_same_with_every_scheduler(kind: &str, arguments: &[&str]) {
    let sorted = |settings: &[&str]| {
        let text = stdout(&[&["decode", kind, "--json"], arguments, settings].concat());
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let wanted = sorted(&["--scheduler", "single"]);
    assert!(!wanted.is_empty(), "{kind} {arguments:?}");
    for settings in [
        &["--scheduler", "threads"][..],
        &["--workers", "1"],
        &["--workers", "3"],
        &["--scheduler", "pinned", "--workers", "2"],
        &["--scheduler", "single", "--seed", "5"],
    ] {
        assert_eq!(sorted(settings), wanted, "{kind} {arguments:?} {settings:?}");
    }
}

// Ships: `ships.rs`. A sensor: below. Stations: `stations.rs`. Wi-Fi: `wifi.rs`. Several receivers of a band: `bands.rs`. All
// recordings: `bench/receivers/schedulers.py`.
#[test]
fn messages_do_not_depend_on_scheduler_and_workers() {
    for (kind, recording, sets) in [
        ("ax100", "sat/tw_1b.wav", &["--set", "symbol_rate_hz=4800"][..]),
        ("adsb", "adsb/modes1_2Msps.cu8", &[]),
        ("same", "same/two_and_two.22050.s16", &[]),
        ("ax25", "ax25/swiatowid-ax25.wav", &[]),
        ("ax25-9600", "ax25/us01.wav", &[]),
        ("ax25-bpsk", "sat/picsat_9k6.wav", &[]),
        ("u482c", "sat/au03.wav", &[]),
        ("3cat1", "sat/3cat_1.wav", &[]),
        ("aausat4", "sat/aausat_4.wav", &[]),
        ("ccsds", "sat/by701.wav", &[]),
        ("funcube", "sat/ao73.wav", &[]),
        ("wmbus", "wmbus/wmbus_868.625MHz_2400k.cu8", &[]),
        (
            "ft8",
            "ft8/191111_110130.wav",
            &["--set", "decode.min_frequency_hz=1000", "--set", "decode.max_frequency_hz=1700"],
        ),
    ] {
        let recording = project(&format!("data/{recording}"));
        assert_same_with_every_scheduler(kind, &[&[recording.to_str().unwrap()], sets].concat());
    }
}

#[test]
fn each_message_becomes_an_annotation() {
    let folder = folder("decode-annotations");
    let recording = project("data/same/two_and_two.22050.s16");
    let base = folder.join("alerts");
    let messages = receive("same", &[recording.to_str().unwrap(), "--annotate", base.to_str().unwrap()]);
    let described = Recording::open(&base).unwrap();
    let annotations = &described.meta().annotations;
    assert_eq!(annotations.len(), messages.len());
    for (annotation, message) in annotations.iter().zip(&messages) {
        assert_eq!(annotation.label.as_deref(), Some("SAME"));
        assert_eq!(Some(annotation.sample_start), message["sample_index"].as_u64());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn receivers_are_listed_and_each_gives_nothing_for_noise() {
    let list = stdout(&["decode", "--list"]);
    let kinds: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(
        [
            "adsb",
            "ax25",
            "ax25-9600",
            "ax25-bpsk",
            "same",
            "ism",
            "wmbus",
            "ais",
            "ft8",
            "ft4",
            "ax100",
            "u482c",
            "3cat1",
            "aausat4",
            "ccsds",
            "funcube",
            "fm",
            "wifi"
        ]
        .iter()
        .all(|kind| kinds.contains(kind)),
        "{list}"
    );
    let folder = folder("decode-noise");
    // A quarter of a million samples of noise, for all kinds of receivers; real ones for audio.
    let mut state = 1u32;
    let noise: Vec<u8> = (0..500_000)
        .map(|_| {
            let mut sum = 0;
            for _ in 0..4 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                sum += state >> 26;
            }
            sum as u8
        })
        .collect();
    let path = folder.join("noise_2400k.cu8");
    std::fs::write(&path, noise).unwrap();
    for kind in kinds {
        // A channel of Wi-Fi is wider.
        let rate = ["--rate", if kind == "wifi" { "20M" } else { "2.4M" }];
        let messages = receive(kind, &[&[path.to_str().unwrap()][..], &rate].concat());
        assert_eq!(messages, Vec::<Value>::new(), "{kind}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Samples of on-off keying at 250 kHz: pulse, gap, … in microseconds, between silence.
fn on_off(widths_us: &[u32]) -> Vec<u8> {
    let silence = || std::iter::repeat_n(0.0, 10_000);
    let bursts = widths_us.iter().enumerate().flat_map(|(n, width)| {
        std::iter::repeat_n(if n % 2 == 0 { 0.7f32 } else { 0.0 }, *width as usize / 4)
    });
    let levels: Vec<f32> = silence().chain(bursts).chain(silence()).collect();
    let turned = levels.iter().enumerate().flat_map(|(n, level)| {
        let (sin, cos) = (n as f32 * 0.3).sin_cos();
        let dither = (n * 7919 % 3) as f32 - 1.0;
        [level * cos, level * sin].map(|part| (127.5 + 127.0 * part + dither) as u8)
    });
    turned.collect()
}

const PROTOCOL: &str = r#"
name = "Doorbell"
modulation = "ook"
coding = "ppm"
zero_us = 1000
one_us = 2000
pulse_us = 500
row_gap_us = 4000
bits = 16
checks = [{ kind = "xor", over = [[0, 8]], at = 8, bits = 8, first = 0x5a }]
fields = [{ name = "id", at = 0, bits = 8 }]
"#;

#[test]
fn a_user_adds_a_protocol_and_sees_its_pulses() {
    let folder = folder("decode-protocols");
    let bits = (0..16).rev().map(|n| (77u32 << 8 | (77 ^ 0x5a)) >> n & 1);
    let mut widths: Vec<u32> = bits.flat_map(|bit| [500, 1000 + 1000 * bit]).collect();
    widths.extend([500, 0]);
    let path = folder.join("door_433.92MHz_250k.cu8");
    std::fs::write(&path, on_off(&widths)).unwrap();
    let (recording, protocols) = (path.to_str().unwrap(), folder.to_str().unwrap());
    assert!(receive("ism", &[recording]).is_empty());
    std::fs::write(folder.join("doorbell.toml"), PROTOCOL).unwrap();
    let messages = receive("ism", &[recording, "--protocols", protocols]);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!((&messages[0]["protocol"], &messages[0]["fields"]["id"]), (&"Doorbell".into(), &77.into()));
    let start = messages[0]["sample_index"].as_u64().unwrap();
    assert!((9_990..10_010).contains(&start), "{start}");

    assert_same_with_every_scheduler("ism", &[recording, "--protocols", protocols]);

    let shown = receive("ism", &[recording, "--analyze"]);
    let fields = &shown[0]["fields"];
    assert_eq!((&fields["coding"], &fields["bits"]), (&"ppm".into(), &"4d17".into()), "{shown:?}");

    std::fs::write(folder.join("doorbell.toml"), PROTOCOL.replace("ppm", "xyz")).unwrap();
    let (problem, code) = failure(&["decode", "ism", recording, "--protocols", protocols]);
    assert!(problem.contains("coding: expected one of pwm, ppm, pcm, not \"xyz\"") && code == 2, "{problem}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_decoded_is_explained() {
    let wav = project("data/ax25/ao27.wav");
    let wav = wav.to_str().unwrap();
    for (arguments, wanted) in [
        (&["decode", "am", wav][..], "there is no receiver \"am\": expected one of adsb, "),
        (&["decode", "adsb", wav], "adsb needs complex samples"),
        (&["decode", "same", wav, "--analyze"], "--analyze and --protocols are for ism, not for same"),
        (&["decode", "ax25", wav, wav, "--annotate", "x"], "--annotate describes one recording"),
        (&["decode", "ax25", wav, "--annotate", "x"], "--annotate describes a raw recording in a file"),
        (&["decode", "ax25", "-"], "stdin does not tell its sample format"),
    ] {
        let (problem, code) = failure(arguments);
        assert!(problem.contains(wanted) && code == 2, "{problem}");
    }
    assert!(!run(&["decode", "ax25"]).status.success());
}

#[test]
fn frames_of_packet_radio_go_to_programs_that_connect_by_kiss() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let port = port.to_string();
    let mut decode = superhet(&["decode", "ax25", "-", "--format", "s16", "--rate", "48k", "--kiss", &port])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut client = (0..600)
        .find_map(|_| {
            std::thread::sleep(Duration::from_millis(100));
            TcpStream::connect(format!("127.0.0.1:{port}")).ok()
        })
        .expect("the server listens");
    client.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let wav = std::fs::read(project("data/ax25/ao27.wav")).unwrap();
    let wanted = expected("data/ax25/ao27.frames.txt");
    let mut samples = decode.stdin.take().unwrap();
    let (mut got, mut frames) = (Vec::new(), Vec::new());
    // Again and again: the server does not know its client from the first sample on.
    for _ in 0..60 {
        samples.write_all(&wav[44..]).unwrap();
        // Ends with the time out, which is not an error.
        let _ = client.read_to_end(&mut got);
        let hex = |frame: &[u8]| frame.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        frames = got.split(|byte| *byte == 0xc0).filter(|frame| !frame.is_empty()).map(hex).collect();
        if wanted.iter().all(|frame| frames.contains(&format!("00{frame}"))) {
            break;
        }
    }
    drop(samples);
    assert!(decode.wait().unwrap().success());
    assert!(wanted.iter().all(|frame| frames.contains(&format!("00{frame}"))), "{frames:?}");
    let (error, _) = failure(&["decode", "same", "x.wav", "--kiss", "8001"]);
    assert!(error.contains("--kiss is for ax25"), "{error}");
}
