//! `superhet info`, `convert`, `resample`, `shift` and `slice`, on a real recording and on made ones.

use std::f32::consts::TAU;
use std::path::Path;

use crate::common::*;
use serde_json::Value as Json;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn write_c32(path: &Path, samples: &[[f32; 2]]) {
    std::fs::write(path, bytemuck::cast_slice(samples)).unwrap();
}

fn read_c32(path: &Path) -> Vec<[f32; 2]> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect()
}

fn info(path: &Path) -> Json {
    serde_json::from_str(&stdout(&["info", "--json", text(path)])).unwrap()
}

fn meta(base: &Path) -> Json {
    let path = format!("{}.sigmf-meta", text(base));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A SigMF recording of 1000 cs16 samples at 1 kHz, whose real part is the index: two captures and two annotations.
fn made(folder: &Path) -> std::path::PathBuf {
    let base = folder.join("made");
    let samples: Vec<u8> = (0..1000i16).flat_map(|n| [n, -n]).flat_map(i16::to_le_bytes).collect();
    std::fs::write(format!("{}.sigmf-data", text(&base)), samples).unwrap();
    let meta = r#"{
        "global": {"core:datatype": "ci16_le", "core:version": "1.2.5", "core:sample_rate": 1000, "core:author": "A", "my:x": 7},
        "captures": [
            {"core:sample_start": 0, "core:frequency": 100e6, "core:datetime": "2026-01-01T00:00:00Z"},
            {"core:sample_start": 600, "core:frequency": 200e6}
        ],
        "annotations": [
            {"core:sample_start": 100, "core:sample_count": 50, "core:label": "early"},
            {"core:sample_start": 590, "core:sample_count": 100, "core:label": "middle",
             "core:freq_lower_edge": 99e6, "core:freq_upper_edge": 101e6}
        ]
    }"#;
    std::fs::write(format!("{}.sigmf-meta", text(&base)), meta).unwrap();
    base
}

#[test]
fn info_tells_what_the_recording_of_aircraft_is() {
    let json = info(&recording());
    for (key, value) in [
        ("kind", Json::from("raw")),
        ("format", "cu8".into()),
        ("rate_hz", 2e6.into()),
        ("samples", 356_868.into()),
        ("seconds", 0.178_434.into()),
        ("center_hz", Json::Null),
    ] {
        assert_eq!(json[key], value, "{key}");
    }
    // Counted over the bytes of the file, independently of superhet.
    let bytes = std::fs::read(recording()).unwrap();
    let part = |byte: u8| (f64::from(byte) - 127.5) / 127.5;
    let pairs: Vec<[f64; 2]> = bytes.chunks(2).map(|pair| [part(pair[0]), part(pair[1])]).collect();
    let n = pairs.len() as f64;
    let power = pairs.iter().map(|[re, im]| re * re + im * im).sum::<f64>() / n;
    let clipped = bytes.chunks(2).filter(|pair| pair.iter().any(|byte| [0, 255].contains(byte))).count();
    let levels = &json["levels"];
    let near = |got: &Json, wanted: f64| (got.as_f64().unwrap() - wanted).abs() < 1e-5;
    assert!(near(&levels["rms"], power.sqrt()), "{levels}");
    assert!(near(&levels["rms_dbfs"], 10.0 * power.log10()), "{levels}");
    assert!(near(&levels["mean"][0], pairs.iter().map(|pair| pair[0]).sum::<f64>() / n), "{levels}");
    assert!(near(&levels["peak"], 2f64.sqrt()), "{levels}");
    assert_eq!(levels["clipped"], clipped);
    let words = stdout(&["info", text(&recording())]);
    for wanted in ["complex samples as cu8", "2 MHz", "178.434 ms", "-14.2 dBFS", "561 samples"] {
        assert!(words.contains(wanted), "{words}");
    }
}

#[test]
fn info_reads_stdin_and_can_leave_the_samples_alone() {
    let mut command = superhet(&["info", "-", "--format", "cu8", "--rate", "2.4Msps", "--json"]);
    let output = command.stdin(std::fs::File::open(recording()).unwrap()).output().unwrap();
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["samples"], &json["rate_hz"]), (&356_868.into(), &2.4e6.into()));
    let quick = stdout(&["info", "--no-levels", text(&recording())]);
    assert!(quick.contains("356868 samples") && !quick.contains("RMS"), "{quick}");
}

#[test]
fn info_says_what_is_wrong_with_a_file() {
    let folder = folder("info-wrong");
    let base = made(&folder);
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let wav = {
        let path = folder.join("good.wav");
        stdout(&["convert", text(&base), text(&path)]);
        std::fs::read(path).unwrap()
    };
    let meta = std::fs::read_to_string(format!("{}.sigmf-meta", text(&base))).unwrap();
    std::fs::write(folder.join("long.sigmf-data"), [0; 4001]).unwrap();
    std::fs::write(folder.join("hash.sigmf-data"), [0; 4000]).unwrap();
    let hash = format!("\"core:sha512\": \"{}\", \"core:author\"", "0".repeat(128));
    for (path, words) in [
        (write("cut.cs16", &[0; 7]), "the last 3 bytes are no whole sample of ci16_le, which has 4 bytes"),
        (write("empty.cu8", &[]), "the file is empty"),
        (write("cut.wav", &wav[..wav.len() - 100]), "expected at most"),
        (write("long.sigmf-meta", meta.as_bytes()), "4001 bytes of samples, 1 too many"),
        (write("hash.sigmf-meta", meta.replace("\"core:author\"", &hash).as_bytes()), "SHA-512"),
        (write("no.sigmf-meta", b"{"), "no.sigmf-meta"),
        (write("what.xyz", &[0; 8]), "--format cu8"),
        (folder.join("gone.cu8"), "gone.cu8: No such file"),
        (folder.clone(), "it is a directory"),
    ] {
        let (error, _) = failure(&["info", text(&path)]);
        assert!(error.contains(words), "{}: {error}", path.display());
    }
    // What could be told is told all the same.
    let output = run(&["info", text(&folder.join("cut.cs16"))]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 samples"), "{output:?}");
}

#[test]
fn a_recording_goes_through_every_format_and_back_without_a_change() {
    let folder = folder("convert");
    let first = std::fs::read(recording()).unwrap();
    let mut from = recording();
    for name in
        ["a.wav", "b.cs16", "c.sigmf-meta", "d.cf32", "e.ci16_be", "f.cf64", "g.cu16", "h.cs32", "i.cu8"]
    {
        let to = folder.join(name);
        stdout(&["convert", text(&from), text(&to)]);
        assert!(to.exists(), "{name}");
        from = to;
    }
    assert_eq!(std::fs::read(from).unwrap(), first);
    // Where only the order of the bytes changes, every bit of what floats cannot hold stays.
    let (ints, turned) = (folder.join("ints.cs32"), folder.join("turned.ci32_be"));
    let numbers = [i32::MAX, i32::MIN + 1, 123_456_789, -1];
    std::fs::write(&ints, numbers.map(i32::to_le_bytes).concat()).unwrap();
    stdout(&["convert", text(&ints), text(&turned)]);
    assert_eq!(std::fs::read(turned).unwrap(), numbers.map(i32::to_be_bytes).concat());
}

#[test]
fn a_recording_that_is_cut_in_a_sample_is_an_error_that_says_so() {
    let folder = folder("convert-cut");
    for (name, bytes, sample) in [("x.cs16", 7, "4-byte"), ("x.cs32", 21, "sample"), ("x.cf32", 12, "8-byte")]
    {
        let (path, out) = (folder.join(name), folder.join("out").with_extension(&name[2..]));
        std::fs::write(&path, vec![1; bytes]).unwrap();
        let output = run(&["convert", text(&path), text(&out), "--force"]);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && words.contains("x.") && words.contains(sample),
            "{name}: {words}"
        );
    }
}

#[test]
fn several_channels_and_bytes_behind_the_samples_are_no_hindrance() {
    let folder = folder("convert-channels");
    let base = folder.join("two");
    // Three instants of two channels of cs16, and three bytes behind them.
    let bytes: Vec<u8> = (0..27).collect();
    std::fs::write(format!("{}.sigmf-data", text(&base)), &bytes).unwrap();
    let json = r#"{"global": {"core:datatype": "ci16_le", "core:version": "1.2.5", "core:num_channels": 2,
        "core:trailing_bytes": 3}, "captures": [{"core:sample_start": 0}], "annotations": []}"#;
    std::fs::write(format!("{}.sigmf-meta", text(&base)), json).unwrap();
    let out = folder.join("out");
    let to = format!("{}.sigmf-meta", text(&out));
    stdout(&["convert", text(&base), &to]);
    assert_eq!(std::fs::read(folder.join("out.sigmf-data")).unwrap(), bytes[..24]);
    stdout(&["slice", text(&base), &to, "--from", "1", "--to", "2", "--force"]);
    assert_eq!(std::fs::read(folder.join("out.sigmf-data")).unwrap(), bytes[8..16]);
    assert_eq!(meta(&out)["global"]["core:num_channels"], 2);
    let (error, _) = failure(&["convert", text(&base), text(&folder.join("x.cf32"))]);
    assert!(error.contains("num_channels"), "{error}");
}

#[test]
fn a_named_pipe_is_an_output_without_force() {
    let folder = folder("convert-pipe");
    let pipe = folder.join("pipe.cu8");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    stdout(&["convert", text(&recording()), text(&pipe)]);
    assert_eq!(reader.join().unwrap(), std::fs::read(recording()).unwrap());
}

#[test]
fn convert_takes_stdin_and_gives_stdout() {
    let arguments = ["convert", "-", "-", "--format", "cu8", "--out-format", "cs8"];
    let output = superhet(&arguments).stdin(std::fs::File::open(recording()).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.len(), 713_736);
    let first = std::fs::read(recording()).unwrap()[0];
    let wanted = (128.0 * (f32::from(first) - 127.5) / 127.5).round_ties_even() as i8;
    assert_eq!(output.stdout[0] as i8, wanted);
}

#[test]
fn metadata_stay_true_through_a_conversion() {
    let folder = folder("convert-meta");
    let base = made(&folder);
    let copy = folder.join("copy");
    stdout(&["convert", text(&base), &format!("{}.sigmf-meta", text(&copy)), "--out-format", "cf32"]);
    let (old, new) = (meta(&base), meta(&copy));
    assert_eq!(new["global"]["core:datatype"], "cf32_le");
    for key in ["core:author", "my:x", "core:sample_rate"] {
        assert_eq!(new["global"][key].as_f64(), old["global"][key].as_f64(), "{key}");
    }
    assert_eq!(
        (&new["captures"][1]["core:sample_start"], &new["annotations"]),
        (&600.into(), {
            assert_eq!(new["annotations"].as_array().unwrap().len(), 2);
            &new["annotations"]
        })
    );
    assert_eq!(new["captures"][0]["core:datetime"], "2026-01-01T00:00:00Z");
    // The checksum is that of the new file.
    stdout(&["info", text(&copy)]);
    // What the command line says of a raw file becomes metadata.
    let aircraft = folder.join("aircraft");
    stdout(&["convert", text(&recording()), &format!("{}.sigmf-data", text(&aircraft)), "--freq", "1.09GHz"]);
    let json = meta(&aircraft);
    assert_eq!(json["global"]["core:sample_rate"], 2_000_000);
    assert_eq!(json["captures"][0]["core:frequency"], 1_090_000_000);
}

#[test]
fn real_samples_become_complex_ones_but_not_the_other_way_round() {
    let folder = folder("convert-shape");
    let (real, complex) = (folder.join("x.s16"), folder.join("x.cf32"));
    std::fs::write(&real, [0, 0x40, 0, 0xc0]).unwrap();
    stdout(&["convert", text(&real), text(&complex)]);
    assert_eq!(read_c32(&complex), [[0.5, 0.0], [-0.5, 0.0]]);
    let (error, code) = failure(&["convert", text(&complex), text(&folder.join("y.s16"))]);
    assert!(code == 2 && error.contains("complex samples do not fit a real format"), "{error}");
}

#[test]
fn nothing_that_is_there_is_replaced_without_force() {
    let folder = folder("force");
    let base = made(&folder);
    let source = text(&base).to_owned();
    let before = std::fs::read(recording()).unwrap();
    for name in ["a.cu8", "a.wav", "a.sigmf-meta"] {
        let path = folder.join(name);
        std::fs::write(&path, "mine").unwrap();
        for command in [
            &["convert", &source, text(&path)][..],
            &["slice", &source, text(&path), "--to", "10"],
            &["shift", &source, text(&path), "--by", "100"],
            &["resample", &source, text(&path), "--to", "500"],
            &["record", text(&path), "--from", "signal_source rate_hz=1k", "--samples", "10"],
        ] {
            let (error, code) = failure(command);
            assert!(
                code == 2 && error.contains("is there already; --force replaces it"),
                "{command:?}: {error}"
            );
            assert_eq!(std::fs::read(&path).unwrap(), b"mine");
            stdout(&[command, &["--force"]].concat());
            assert_ne!(std::fs::read(&path).unwrap(), b"mine", "{command:?}");
            std::fs::write(&path, "mine").unwrap();
        }
    }
    // Nor is a recording replaced by itself, whatever its name.
    let own = folder.join("own.cu8");
    std::fs::write(&own, &before).unwrap();
    let other = folder.join(".").join("own.cu8");
    let (error, _) = failure(&["convert", text(&own), text(&other), "--force"]);
    assert!(error.contains("read and written at once"), "{error}");
    assert_eq!(std::fs::read(&own).unwrap(), before);
    let meta_path = format!("{source}.sigmf-meta");
    let (error, _) = failure(&["slice", &source, &meta_path, "--to", "10", "--force"]);
    assert!(error.contains("read and written at once"), "{error}");
    assert!(std::fs::read_to_string(meta_path).unwrap().contains("middle"));
}

#[test]
fn a_slice_has_the_samples_captures_and_annotations_of_its_part() {
    let folder = folder("slice");
    let base = made(&folder);
    let part = folder.join("part");
    let out = format!("{}.sigmf-meta", text(&part));
    stdout(&["slice", text(&base), &out, "--from", "0.12s", "--to", "650"]);
    let data = std::fs::read(format!("{}.sigmf-data", text(&part))).unwrap();
    let real: Vec<i16> = data.chunks(4).map(|sample| i16::from_le_bytes([sample[0], sample[1]])).collect();
    assert_eq!(real, (120..650).collect::<Vec<i16>>());
    let json = meta(&part);
    assert_eq!(json["captures"][0]["core:datetime"], "2026-01-01T00:00:00.120000000Z");
    assert_eq!(json["captures"][1]["core:sample_start"], 480);
    let found = json["annotations"].as_array().unwrap();
    let places: Vec<_> =
        found.iter().map(|a| [a["core:sample_start"].clone(), a["core:sample_count"].clone()]).collect();
    assert_eq!(places, [[Json::from(0), 30.into()], [470.into(), 60.into()]]);
    stdout(&["info", text(&part)]);
    // The same part of other kinds of recordings.
    let (raw, wav) = (folder.join("x.cs16"), folder.join("x.wav"));
    stdout(&["convert", text(&base), text(&raw)]);
    stdout(&["convert", text(&base), text(&wav)]);
    for from in [&raw, &wav] {
        let to = folder.join("part.cs16");
        stdout(&[
            "slice",
            text(from),
            text(&to),
            "--rate",
            "1k",
            "--from",
            "120ms",
            "--to",
            "650",
            "--force",
        ]);
        assert_eq!(std::fs::read(to).unwrap(), data, "{}", from.display());
    }
    let output = superhet(&["slice", "-", "-", "--format", "cs16", "--out-format", "cs16", "--from", "990"])
        .stdin(std::fs::File::open(&raw).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.stdout, std::fs::read(&raw).unwrap()[4 * 990..]);
}

#[test]
fn a_slice_that_cannot_be_says_why() {
    let folder = folder("slice-wrong");
    let base = made(&folder);
    let out = text(&folder.join("x.cs16")).to_owned();
    for (from, to, words) in [
        ("1000", "1001", "--from is sample 1000, but"),
        ("10", "10", "which does not lie behind --from"),
        ("0", "2s", "--to is sample 2000, but"),
        ("1.5", "2", "a time has a unit, as in 1.5s"),
        ("x", "2", "expected a time or a number of samples"),
    ] {
        let (error, code) = failure(&["slice", text(&base), &out, "--from", from, "--to", to]);
        assert!(code == 2 && error.contains(words), "{error}");
    }
    let raw = folder.join("y.cs16");
    std::fs::write(&raw, [0; 4000]).unwrap();
    let (error, code) = failure(&["slice", text(&raw), &out, "--from", "0.5s"]);
    assert!(code == 2 && error.contains("need a sample rate"), "{error}");
}

#[test]
fn a_shift_moves_a_tone_and_the_centre_follows() {
    let folder = folder("shift");
    let (path, out) = (folder.join("tone.cf32"), folder.join("out"));
    let tone = |hz: f32, n: usize| [(TAU * hz * n as f32 / 1e4).cos(), (TAU * hz * n as f32 / 1e4).sin()];
    write_c32(&path, &(0..5000).map(|n| tone(1250.0, n)).collect::<Vec<_>>());
    let to = format!("{}.sigmf-meta", text(&out));
    stdout(&["shift", text(&path), &to, "--rate", "10k", "--freq", "433.92M", "--by", "-1250"]);
    let shifted = read_c32(&folder.join("out.sigmf-data"));
    assert_eq!(shifted.len(), 5000);
    assert!(
        shifted.iter().all(|[re, im]| (re - 1.0).abs() < 2e-3 && im.abs() < 2e-3),
        "{:?}",
        &shifted[4990..]
    );
    assert_eq!(meta(&out)["captures"][0]["core:frequency"], 433_921_250);
    let real = folder.join("x.f32");
    std::fs::write(&real, [0; 64]).unwrap();
    for (arguments, words) in [
        (
            &["shift", text(&path), "-", "--out-format", "cf32", "--by", "1k"][..],
            "the sample rate is not known",
        ),
        (
            &["shift", text(&path), "-", "--out-format", "cf32", "--rate", "1k", "--by", "501"],
            "half of the sample rate",
        ),
        (
            &["shift", text(&real), "-", "--out-format", "f32", "--rate", "1k", "--by", "1"],
            "only complex ones can be shifted",
        ),
        (&["shift", text(&path), "-", "--out-format", "cf32", "--by", "1 parsec"], "expected a frequency"),
    ] {
        let (error, code) = failure(arguments);
        assert!(code == 2 && error.contains(words), "{error}");
    }
}

#[test]
fn resampling_keeps_moments_levels_and_lengths() {
    let folder = folder("resample");
    let path = folder.join("tone.cf32");
    // Within what passes at every rate below.
    let tone = |n: f64| [(f64::from(TAU) * 0.05 * n).cos() as f32, (f64::from(TAU) * 0.05 * n).sin() as f32];
    write_c32(&path, &(0..4801).map(|n| tone(f64::from(n))).collect::<Vec<_>>());
    for (to, ratio) in
        [("32k", 2.0 / 3.0), ("96k", 2.0), ("44.1k", 147.0 / 160.0), ("12k", 0.25), ("48k", 1.0)]
    {
        let out = folder.join("out.cf32");
        stdout(&["resample", text(&path), text(&out), "--rate", "48k", "--to", to, "--force"]);
        let got = read_c32(&out);
        assert_eq!(got.len(), f64::ceil(4801.0 * ratio) as usize, "{to}");
        let edge = 200;
        for (n, [re, im]) in got.iter().enumerate().skip(edge).take(got.len() - 2 * edge) {
            let [x, y] = tone(n as f64 / ratio);
            assert!(
                (re - x).abs() < 2e-3 && (im - y).abs() < 2e-3,
                "{to}: sample {n} is {re} {im}, not {x} {y}"
            );
        }
    }
}

#[test]
fn resampling_moves_captures_and_annotations_and_says_the_rate() {
    let folder = folder("resample-meta");
    let base = made(&folder);
    let out = folder.join("out");
    stdout(&["resample", text(&base), &format!("{}.sigmf-meta", text(&out)), "--to", "500"]);
    let json = meta(&out);
    assert_eq!(json["global"]["core:sample_rate"], 500);
    assert_eq!(json["captures"][1]["core:sample_start"], 300);
    assert_eq!(json["annotations"][0]["core:sample_start"], 50);
    assert_eq!(json["annotations"][0]["core:sample_count"], 25);
    assert_eq!(info(&out)["samples"], 500);
    // A rate without a ratio of small numbers: the nearest one, which is said and written.
    let odd = folder.join("odd");
    let output = run(&["resample", text(&base), &format!("{}.sigmf-meta", text(&odd)), "--to", "612.345678"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && words.contains("the new rate is 612.3456"), "{words}");
    let rate = meta(&odd)["global"]["core:sample_rate"].as_f64().unwrap();
    assert!((rate - 612.345678).abs() < 1e-4 && rate != 612.345678, "{rate}");
    let x = text(&folder.join("x.cs16")).to_owned();
    for (to, words) in [("0", "expected a rate"), ("1e9", "too far from"), ("x", "expected a rate")] {
        let (error, code) = failure(&["resample", text(&base), &x, "--to", to]);
        assert!(code == 2 && error.contains(words), "{error}");
    }
}

#[test]
fn outputs_that_cannot_be_say_why() {
    let folder = folder("outputs");
    let base = made(&folder);
    let raw = folder.join("x.cs16");
    stdout(&["convert", text(&base), text(&raw)]);
    let at = |name: &str| text(&folder.join(name)).to_owned();
    for (arguments, words) in [
        (vec!["convert".to_owned(), at("x.cs16"), at("x.xyz")], "--out-format cs16"),
        (vec!["convert".into(), at("x.cs16"), "-".into()], "stdout does not tell its sample format"),
        (vec!["convert".into(), at("x.cs16")], "a recording is converted into OUT"),
        (vec!["convert".into(), at("x.cs16"), at("x.sigmf")], "archives are not written"),
        (vec!["convert".into(), at("x.cs16"), at("x.wav")], "a WAV file needs a sample rate"),
        (
            vec!["convert".into(), at("x.cs16"), at("x.wav"), "--rate=0.5".into()],
            "a whole number of samples a second",
        ),
        (
            vec!["convert".into(), at("x.cs16"), at("x.wav"), "--out-format=cs16".into()],
            "WAV files hold u8, s16",
        ),
        (vec!["convert".into(), at("x.cs16"), at("x.cu9")], "did you mean \"cu8\"?"),
        (vec!["convert".into(), at("x.cs16"), at("no/x.cu8")], "No such file or directory"),
        (
            vec!["convert".into(), at("made.sigmf-meta"), at("y.cu8"), "--format=cu8".into()],
            "--format is of no use",
        ),
        (vec!["convert".into(), at("gone.cs16"), at("y.cu8")], "gone.cs16"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (error, _) = failure(&arguments);
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
}
