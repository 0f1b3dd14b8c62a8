//! `superhet spectrum` and `waterfall`.

use std::path::Path;

use crate::common::*;
use serde_json::Value as Json;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The frequency with the highest level, and that level.
fn peak(json: &Json) -> (f64, f64) {
    let list =
        |key: &str| json[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    let (frequencies, levels) = (list("frequencies"), list("levels_dbfs"));
    let bin = (0..levels.len()).max_by(|a, b| levels[*a].total_cmp(&levels[*b])).unwrap();
    (frequencies[bin], levels[bin])
}

/// A tone of that frequency at 48 kHz, complex or real.
fn tone(folder: &Path, hz: &str, item: &str, name: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    let from = format!("signal_source rate_hz=48k frequency_hz={hz} amplitude=0.1 item={item}");
    stdout(&["record", text(&path), "--from", &from, "--samples", "48k", "--force"]);
    path
}

fn spectrum(path: &Path, options: &[&str]) -> Json {
    serde_json::from_str(&stdout(&[&["spectrum", "--json", text(path)], options].concat())).unwrap()
}

#[test]
fn a_tone_has_its_frequency_and_level_under_every_window() {
    let folder = folder("spectrum");
    let complex = tone(&folder, "-6k", "C32", "c.cf32");
    let real = tone(&folder, "6k", "f32", "r.f32");
    for window in ["rectangular", "hann", "hamming", "blackman", "blackman-harris"] {
        for size in ["1024", "64", "1000"] {
            let options = ["--rate", "48k", "--window", window, "--fft-size", size];
            let (hz, level) = peak(&spectrum(&complex, &[&options[..], &["--freq", "100M"]].concat()));
            assert_eq!(hz, 99_994_000.0, "{window} {size}");
            assert!((level + 20.0).abs() < 0.01, "{window} {size}: {level}");
            let (hz, level) = peak(&spectrum(&real, &options));
            assert!(hz == 6000.0 && (level + 20.0).abs() < 0.02, "{window} {size}: {hz} {level}");
        }
    }
    let json = spectrum(&complex, &["--average", "3"]);
    assert_eq!((&json["frames"], &json["unit"]), (&3.into(), &"cycles/sample".into()));
    assert_eq!(spectrum(&complex, &["--from", "1000", "--to", "3100"])["frames"], 2);
    // Power on the average is that of the samples, whatever they are.
    let json = spectrum(&recording(), &["--window", "rectangular"]);
    let levels =
        json["levels_dbfs"].as_array().unwrap().iter().map(|x| 10f64.powf(x.as_f64().unwrap() / 10.0));
    let rms_dbfs = 10.0 * levels.sum::<f64>().log10();
    assert!((rms_dbfs + 14.19).abs() < 0.1, "{rms_dbfs}");
}

/// Width, height and the dots of a PNG.
fn dots(path: &Path) -> (u32, u32, Vec<u8>) {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut dots = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut dots).unwrap();
    (info.width, info.height, dots)
}

#[test]
fn pictures_are_png_or_svg_with_axes() {
    let folder = folder("pictures");
    for command in ["spectrum", "waterfall"] {
        let (png, svg) = (folder.join(format!("{command}.png")), folder.join(format!("{command}.svg")));
        for path in [&png, &svg] {
            let output = stdout(&[command, text(&recording()), text(path), "--freq", "1090M"]);
            assert!(output.is_empty(), "{output}");
        }
        let (width, height, dots) = dots(&png);
        assert_eq!((width, height), (1200, 680));
        let is_white = |dot: &&[u8]| **dot == [255, 255, 255];
        let all = dots.len() / 3;
        let white = dots.chunks(3).filter(is_white).count();
        // Letters, lines and, in a waterfall, colours: neither nothing nor all.
        let share = white as f64 / all as f64;
        let expected = if command == "waterfall" { 0.05..0.5 } else { 0.8..0.99 };
        assert!(expected.contains(&share), "{command}: {share}");
        let svg = std::fs::read_to_string(svg).unwrap();
        for words in ["frequency, GHz", "modes1_2Msps.cu8", "1.09000", "</svg>"] {
            assert!(svg.contains(words), "{command}: {words}");
        }
        assert!(svg.contains(if command == "waterfall" { "time, s" } else { "level, dBFS" }));
        assert_eq!(svg.contains("data:image/png;base64,iVBOR"), command == "waterfall");
        let (error, code) = failure(&[command, text(&recording()), text(&png)]);
        assert!(code == 2 && error.contains("--force"), "{error}");
        stdout(&[command, text(&recording()), text(&png), "--force"]);
    }
}

#[test]
fn a_waterfall_shows_when_a_tone_is_there() {
    let folder = folder("waterfall");
    let path = folder.join("burst.cf32");
    let silence = vec![0u8; 8 * 24_000];
    let loud = std::fs::read(tone(&folder, "12k", "C32", "tone.cf32")).unwrap();
    std::fs::write(&path, [&silence, &loud[..8 * 24_000]].concat()).unwrap();
    let picture = folder.join("w.png");
    stdout(&["waterfall", text(&path), text(&picture), "--rate", "48k"]);
    let (width, height, dots) = dots(&picture);
    let light = |x: u32, y: u32| {
        let at = 3 * (y * width + x) as usize;
        dots[at..at + 3].iter().map(|part| u32::from(*part)).sum::<u32>()
    };
    // The tone lies at three quarters of the width, in the lower half.
    let column = (92.0 + 0.75 * (1184.0 - 92.0)) as u32;
    let brightest = |y: u32| (column - 6..column + 6).map(|x| light(x, y)).max().unwrap();
    assert!(brightest(height / 4) < 200, "{}", brightest(height / 4));
    assert!(brightest(3 * height / 4) > 500, "{}", brightest(3 * height / 4));
    assert!(light(300, 3 * height / 4) < 300);
}

#[test]
fn the_terminal_gets_what_fits_it() {
    for (command, marks) in [("spectrum", "▁▂▃▄▅▆▇█"), ("waterfall", "░▒▓█")] {
        for (columns, lines) in [("80", "24"), ("40", "12"), ("200", "50")] {
            let mut run = superhet(&[command, text(&recording()), "--terminal", "--freq", "1090M"]);
            let output = run.env("COLUMNS", columns).env("LINES", lines).output().unwrap();
            let words = String::from_utf8(output.stdout).unwrap();
            let widest = words.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.parse().unwrap(), "{command} {columns}: {widest}");
            assert!(words.lines().count() <= lines.parse().unwrap(), "{command} {lines}");
            assert!(
                words.contains(|c| marks.contains(c)) && words.contains("GHz") && words.contains("dBFS"),
                "{words}"
            );
            assert!(!words.contains('\x1b'), "no colours where there is no terminal");
        }
    }
}

#[test]
fn pictures_that_cannot_be_say_why() {
    let folder = folder("pictures-wrong");
    let short = folder.join("short.cu8");
    std::fs::write(&short, [0; 100]).unwrap();
    let picture = folder.join("x.gif");
    for command in ["spectrum", "waterfall"] {
        for (arguments, words) in [
            (&[text(&short)][..], "50 samples are less than a frame of 1024: take a smaller --fft-size"),
            (&[text(&recording()), text(&picture)], "expected a picture X.png or X.svg"),
            (&[text(&recording()), "--fft-size", "3"], "expected a whole number from 8 to 1048576"),
            (&[text(&recording()), "--from", "1h"], "0 samples are less than a frame"),
            (&[text(&recording()), "--window", "flat"], "possible values"),
        ] {
            let (error, code) = failure(&[&[command], arguments].concat());
            assert!(code == 2 && error.contains(words), "{command} {arguments:?}: {error}");
        }
    }
    // A pipe that is too short is found out at its end.
    let output =
        superhet(&["spectrum", "-", "--format", "cu8"]).stdin(std::fs::File::open(&short).unwrap()).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let mut command = superhet(&["spectrum", "-", "--format", "cu8", "--json"]);
    let output = command.stdin(std::fs::File::open(recording()).unwrap()).output().unwrap();
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["frames"], 348);
}
