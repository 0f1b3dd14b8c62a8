//! `superhet decode KIND,KIND@FREQUENCY,…`: several receivers of one wide band, on recordings of single stations that are put into one.

use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use crate::common::{failure, folder, project, stdout};
use crate::{ships, stations};
use serde_json::Value;

const CENTER_HZ: f64 = 162.2e6;
const RATE_HZ: f64 = 1.2e6;

/// Audio, from −1 to 1, and its rate, without what is above a frequency: recordings have a discriminator's noise there.
fn audio(file: &str, highest_hz: f64) -> (Vec<f64>, f64) {
    let bytes = std::fs::read(project(file)).unwrap();
    // The recordings of satellites are WAV files with one header of 44 bytes.
    let (bytes, rate_hz) = if file.ends_with(".wav") { (&bytes[44..], 48e3) } else { (&bytes[..], 22_050.0) };
    let samples = bytes.chunks_exact(2).map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]])));
    let samples: Vec<f64> = std::iter::repeat_n(0.0, 32).chain(samples).collect();
    let tap = |n: i32| {
        let x = std::f64::consts::PI * f64::from(n);
        let sinc = if n == 0 {
            1.0
        } else {
            (2.0 * highest_hz / rate_hz * x).sin() / x / (2.0 * highest_hz / rate_hz)
        };
        sinc * (0.5 + 0.5 * (x / 32.0).cos())
    };
    let taps: Vec<f64> = (-32..=32).map(tap).collect();
    let samples =
        samples.windows(taps.len()).map(|x| x.iter().zip(&taps).map(|(x, tap)| x * tap).sum::<f64>());
    let samples: Vec<f64> = samples.collect();
    let peak = samples.iter().fold(1.0f64, |peak, x| peak.max(x.abs()));
    (samples.into_iter().map(|x| x / peak).collect(), rate_hz)
}

/// A band, and what is added to it.
struct Wide(Vec<[f32; 2]>);

impl Wide {
    fn new(seconds: f64) -> Self {
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / (1 << 24) as f32 - 0.5) * 0.04
        };
        Wide((0..(seconds * RATE_HZ) as usize).map(|_| [noise(), noise()]).collect())
    }

    /// Adds a turning phase, which is given at another rate.
    fn add_phase(&mut self, phase: &[f64], rate_hz: f64, frequency_hz: f64) {
        let turn = (frequency_hz - CENTER_HZ) / RATE_HZ;
        for (n, sum) in self.0.iter_mut().enumerate() {
            let at = n as f64 * rate_hz / RATE_HZ;
            let Some([before, behind]) = phase.get(at as usize..at as usize + 2) else { break };
            let phase = before + (behind - before) * at.fract() + TAU * (turn * n as f64).fract();
            let (sin, cos) = phase.sin_cos();
            *sum = [sum[0] + 0.12 * cos as f32, sum[1] + 0.12 * sin as f32];
        }
    }

    /// Adds a station with frequency modulation, 3 kHz of deviation, of audio up to `highest_hz`.
    fn add_station(&mut self, file: &str, highest_hz: f64, frequency_hz: f64) {
        let (audio, rate_hz) = audio(file, highest_hz);
        let step = TAU * 3e3 / rate_hz;
        let phase: Vec<f64> = audio
            .iter()
            .scan(0.0, |phase, x| {
                *phase += step * x;
                Some(*phase)
            })
            .collect();
        self.add_phase(&phase, rate_hz, frequency_hz);
    }

    fn write(&self, path: &Path, samples: usize) {
        let bytes = self.0[..samples].iter().flatten().map(|x| (127.5 + 127.0 * x).round() as u8);
        std::fs::write(path, bytes.collect::<Vec<u8>>()).unwrap();
    }
}

const SHIP: &str = "177KQJ5000G?tO`K>RA1wUbN0TKH";
const SAME: &str = "data/same/npt.22050.s16";
/// What is asked for: at 162.75 MHz nobody is.
const KINDS: &str = "same,ais,ax25@161.7M,ax25@162.75M,ax25-9600@161.85M,u482c@162.3M";

/// A recording with a weather station at 162.55 MHz, ships, and satellites at three frequencies.
fn wide(folder: &Path, seconds: f64) -> PathBuf {
    let mut wide = Wide::new(seconds);
    wide.add_station(SAME, 3.5e3, 162.55e6);
    wide.add_station("data/ax25/swiatowid-ax25.wav", 3.5e3, 161.7e6);
    wide.add_station("data/ax25/us01.wav", 7e3, 161.85e6);
    wide.add_station("data/sat/au03.wav", 7e3, 162.3e6);
    let ship = ships::phase(&ships::payload(SHIP, 0), 25e3);
    wide.add_phase(&[vec![0.0; 60_000], ship].concat(), ships::RATE_HZ.into(), 162e6);
    let path = folder.join("wide_162.2MHz_1200k.cu8");
    wide.write(&path, (seconds * RATE_HZ) as usize);
    path
}

fn receive(kinds: &str, path: &Path, more: &[&str]) -> Vec<Value> {
    let text = stdout(&[&["decode", kinds, "--json", path.to_str().unwrap()], more].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn frames(name: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(project(&format!("data/{name}.frames.txt"))).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn each_receiver_of_a_band_hears_its_stations_and_no_other() {
    let folder = folder("decode-band");
    let path = wide(&folder, 6.7);
    let messages = receive(KINDS, &path, &[]);
    let of = |kind: &str, hz: f64| -> Vec<&Value> {
        messages.iter().filter(|message| message["kind"] == kind && message["frequency_hz"] == hz).collect()
    };
    let hex = |messages: Vec<&Value>| -> BTreeSet<String> {
        messages.iter().map(|message| message["hex"].as_str().unwrap().to_owned()).collect()
    };
    let alerts = of("same", 162.55e6);
    let wanted = std::fs::read_to_string(project("data/same/npt.expected.txt")).unwrap();
    assert_eq!(alerts.len(), 1, "{messages:#?}");
    assert_eq!(alerts[0]["fields"]["text"], wanted.lines().next().unwrap());
    // The place in the recording is that in the station's own, at its rate.
    let alone = stdout(&["decode", "same", "--json", project(SAME).to_str().unwrap()]);
    let alone: Value = serde_json::from_str(&alone).unwrap();
    let (at, wanted) = (alerts[0]["time_s"].as_f64().unwrap(), alone["time_s"].as_f64().unwrap());
    assert!((at - wanted).abs() < 2e-3, "{at} s, wanted {wanted} s");
    for (name, kind, hz) in [
        ("ax25/swiatowid-ax25", "ax25", 161.7e6),
        ("ax25/us01", "ax25-9600", 161.85e6),
        ("sat/au03", "u482c", 162.3e6),
    ] {
        let (got, wanted) = (hex(of(kind, hz)), frames(name));
        assert!(wanted.is_subset(&got), "{name}: {got:?}, wanted {wanted:?}");
    }
    let ships = of("ais", 162.025e6);
    assert_eq!(ships.len(), 1, "{messages:#?}");
    assert_eq!(
        (&ships[0]["fields"]["mmsi"], &ships[0]["fields"]["channel"]),
        (&"477553000".into(), &"B".into())
    );
    let at = ships[0]["sample_index"].as_f64().unwrap() / RATE_HZ;
    assert!((at - 0.25).abs() < 8e-3, "{at} s");
    // Nobody hears what is on another channel.
    let heard: BTreeSet<String> =
        messages.iter().map(|message| format!("{} {}", message["kind"], message["frequency_hz"])).collect();
    assert_eq!(heard.len(), 5, "{heard:?}");
    // People are told kind and frequency, too.
    let text = stdout(&["decode", "same,ax25@161.7M", path.to_str().unwrap()]);
    let line = text.lines().find(|line| line.contains("SAME")).unwrap();
    assert!(line.contains("s  same ") && line.contains("162.550000 MHz"), "{line}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn messages_of_a_band_do_not_depend_on_scheduler_and_workers() {
    let folder = folder("decode-band-schedulers");
    let path = wide(&folder, 2.3);
    let sorted = |more: &[&str]| {
        let text = stdout(&[&["decode", KINDS, "--json", path.to_str().unwrap()], more].concat());
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let wanted = sorted(&["--scheduler", "single"]);
    assert!(wanted.len() >= 4, "{wanted:?}");
    for settings in [
        &["--workers", "1"][..],
        &["--workers", "3"],
        &["--scheduler", "threads"],
        &["--scheduler", "single", "--strip-items", "1000"],
    ] {
        assert_eq!(sorted(settings), wanted, "{settings:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn stations_that_are_on_the_air_are_found() {
    let folder = folder("decode-band-stations");
    let both: Vec<Vec<i16>> = [("LOWER", -300e3), ("UPPER", 200e3)]
        .iter()
        .map(|(name, offset_hz)| {
            let sets = [format!("ps={name}"), format!("offset_hz={offset_hz}"), "seconds=2".to_owned()];
            let path = stations::transmit(&folder, name, &sets.each_ref().map(String::as_str));
            let bytes = std::fs::read(path).unwrap();
            bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
        })
        .collect();
    let path = folder.join("both_98.5MHz_960k.cs16");
    let sum = both[0].iter().zip(&both[1]).flat_map(|(a, b)| (a + b).to_le_bytes());
    std::fs::write(&path, sum.collect::<Vec<u8>>()).unwrap();
    let messages = receive("fm,ax25@98.5M", &path, &[]);
    for (name, hz) in [("LOWER", 98.2e6), ("UPPER", 98.7e6)] {
        let is_named = |message: &Value| message["frequency_hz"] == hz && message["fields"]["ps"] == name;
        assert!(messages.iter().any(is_named), "{name}: {messages:#?}");
    }
    let places: BTreeSet<String> =
        messages.iter().map(|message| message["frequency_hz"].to_string()).collect();
    assert_eq!(places.len(), 2, "{places:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_does_not_fit_a_band_is_said() {
    let folder = folder("decode-band-wrong");
    let path = folder.join("noise_162.2MHz_1200k.cu8");
    std::fs::write(&path, [127; 2000]).unwrap();
    let path = path.to_str().unwrap();
    for (arguments, words) in [
        (
            &["ism,ais"][..],
            "ism: none of its channels, 0.24 MHz about 315, 433.92, 868.3, 915 MHz, is in the band, 161.6 to 162.8 MHz",
        ),
        (
            &["ais@162.79M"],
            "ais@162.79M: its channel, 162.75 to 162.83 MHz, is not in the band, 161.6 to 162.8 MHz",
        ),
        (
            &["ais,ax25-9600"],
            "ax25-9600 is on many frequencies: say which to receive, as in ax25-9600@162.2M",
        ),
        (&["ais,wifi@162.2M"], "wifi needs 20000000 samples/s, and the band has 1200000"),
        (&["ais,ais"], "ais is asked for twice"),
        (&["ais,aix"], "there is no receiver \"aix\""),
        (&["ais@here"], "expected a frequency"),
        (&["ais,fm"], "fm: no station from 87.5 to 108 MHz is in the band"),
        (
            &["ais,same", "--set", "a_hz=3"],
            "--set a_hz=3: of several receivers, say which, as in --set ais.a_hz=3",
        ),
        (&["ais,same", "--set", "ais.nothing=3"], "nothing"),
        (&["ais,same", "--pcap", "x.pcap"], "--pcap is for a receiver that is alone"),
        (&["ais,same", "--protocols", "."], "--protocols is for ism"),
    ] {
        let (kinds, more) = arguments.split_first().unwrap();
        let (problem, code) = failure(&[&["decode", kinds, path], more].concat());
        assert!(problem.contains(words) && code == 2, "{arguments:?}: {code}: {problem}");
    }
    let unnamed = folder.join("noise.cu8");
    std::fs::write(&unnamed, [127; 2000]).unwrap();
    let unnamed = unnamed.to_str().unwrap();
    let (problem, _) = failure(&["decode", "ais,same", unnamed, "--rate", "1.2M"]);
    assert!(problem.contains("the middle of the band is not known"), "{problem}");
    let (problem, _) = failure(&["decode", "ais,same", unnamed, "--freq", "162M"]);
    assert!(problem.contains("the sample rate is not known"), "{problem}");
    std::fs::remove_dir_all(folder).unwrap();
}
