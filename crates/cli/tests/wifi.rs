//! `superhet decode wifi`: recordings from the air, whose frames another receiver has read, and signals of our own transmitter.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{failure, folder, project, stdout};
use serde_json::Value;

fn receive(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&[&["decode", "wifi", "--json"], arguments].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs a transmitter, with what a channel does to it, into a file.
fn transmit(path: &Path, source: &str, channel: &str) {
    stdout(&[
        "run",
        "-e",
        &format!("{source} -> {channel} -> file_sink path={} format=cs16", path.display()),
    ]);
}

#[test]
fn all_frames_that_another_receiver_reads_are_found_and_no_others() {
    for (mbps, count) in [(24, 19), (6, 20)] {
        let messages =
            receive(&[project(&format!("data/wifi/dot11a_{mbps}mbps_20Msps.cs16")).to_str().unwrap()]);
        let frames: Vec<&str> = messages.iter().map(|message| message["hex"].as_str().unwrap()).collect();
        let wanted =
            std::fs::read_to_string(project(&format!("data/wifi/dot11a_{mbps}mbps.frames.txt"))).unwrap();
        assert_eq!(frames, wanted.lines().collect::<Vec<_>>());
        assert_eq!(frames.len(), count);
        for message in &messages {
            let (hz, snr_db) =
                (message["frequency_hz"].as_f64().unwrap(), message["snr_db"].as_f64().unwrap());
            assert!((-40e3..-30e3).contains(&hz) && snr_db > 15.0, "{message}");
            assert_eq!(message["fields"]["mbps"], f64::from(mbps));
        }
    }
}

#[test]
fn the_example_prints_the_same_frames() {
    let text = stdout(&["run", project("examples/wifi.toml").to_str().unwrap()]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let frames: Vec<&str> = lines.iter().map(|line| line["packet"][1]["hex"].as_str().unwrap()).collect();
    let wanted = std::fs::read_to_string(project("data/wifi/dot11a_24mbps.frames.txt")).unwrap();
    assert_eq!(frames, wanted.lines().collect::<Vec<_>>());
}

#[test]
fn frames_are_the_same_with_every_scheduler_and_number_of_workers() {
    let path = project("data/wifi/dot11a_24mbps_20Msps.cs16");
    let of = |settings: &[&str]| receive(&[&[path.to_str().unwrap()], settings].concat());
    let wanted = of(&["--scheduler", "single"]);
    assert_eq!(wanted.len(), 19);
    for settings in [
        &["--scheduler", "threads"][..],
        &["--scheduler", "pinned"],
        &["--scheduler", "adaptive", "--workers", "1"],
        &["--scheduler", "adaptive", "--workers", "3"],
        &["--strip-items", "37"],
    ] {
        assert_eq!(of(settings), wanted, "{settings:?}");
    }
}

#[test]
fn frames_of_other_channels_and_rates_are_received() {
    let folder = folder("decode-wifi");
    // A channel of 10 MHz, as it is and at another rate; one of 5 MHz; one of 20 MHz in more samples.
    for (name, resampled, rate, options, mbps, samples) in [
        ("10M", 1.0, "10M", &[][..], 12.0, 1.0),
        ("12M", 1.2, "12M", &[], 12.0, 1.2),
        ("5M", 1.0, "5M", &[], 6.0, 1.0),
        ("25M", 1.25, "25M", &["--bandwidth", "20M"], 24.0, 1.25),
    ] {
        let path = folder.join(format!("x_{name}sps.cs16"));
        let resample = format!(
            "pfb_arb_resampler rate={resampled} -> channel_model noise_voltage=0.01 frequency_offset=0.001"
        );
        transmit(&path, "wifi_source mbps=24 length=200 frames=3 amplitude=0.2", &resample);
        let messages =
            receive(&[&[path.to_str().unwrap(), "--rate", rate, "--freq", "5.9G"], options].concat());
        assert_eq!(messages.len(), 3, "{name}");
        let step = (1000.0 + 400.0 + 80.0 * 17.0) * samples;
        for (n, message) in messages.iter().enumerate() {
            let at = message["sample_index"].as_f64().unwrap();
            assert!((at - 1000.0 * samples - n as f64 * step).abs() < 40.0, "{name}: {message}");
            assert_eq!(message["fields"]["mbps"].as_f64().unwrap(), mbps, "{name}");
            assert_eq!(
                (&message["fields"]["sequence"], &message["fields"]["length"]),
                (&n.into(), &200.into())
            );
            let offset = message["frequency_hz"].as_f64().unwrap() - 5.9e9;
            let rate_hz = name.trim_end_matches('M').parse::<f64>().unwrap() * 1e6;
            assert!((offset - 0.001 * rate_hz).abs() < 2e-5 * rate_hz, "{name}: {offset}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// The packets of a PCAP file, little endian: seconds, nanoseconds, bytes.
fn packets(path: &Path) -> Vec<(u32, u32, Vec<u8>)> {
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((number(0), number(20)), (0xa1b2_3c4d, 127));
    let (mut at, mut packets) = (24, Vec::new());
    while at < bytes.len() {
        let end = at + 16 + number(at + 8) as usize;
        packets.push((number(at), number(at + 4), bytes[at + 16..end].to_vec()));
        at = end;
    }
    packets
}

#[test]
fn frames_go_into_a_pcap_file_with_what_was_received_of_them() {
    let folder = folder("decode-wifi-pcap");
    let path = folder.join("frames.pcap");
    let recording = project("data/wifi/dot11a_24mbps_20Msps.cs16");
    let arguments = [
        "decode",
        "wifi",
        recording.to_str().unwrap(),
        "--freq",
        "5.18G",
        "--json",
        "--pcap",
        path.to_str().unwrap(),
    ];
    let lines = stdout(&arguments);
    let packets = packets(&path);
    assert_eq!((packets.len(), lines.lines().count()), (19, 19));
    for ((seconds, nanoseconds, bytes), line) in packets.iter().zip(lines.lines()) {
        let message: Value = serde_json::from_str(line).unwrap();
        let time_s = message["time_s"].as_f64().unwrap();
        assert!((f64::from(*nanoseconds) * 1e-9 + f64::from(*seconds) - time_s).abs() < 1e-8, "{message}");
        // TSFT, rate, channel, signal.
        let length = usize::from(bytes[2]);
        assert_eq!((&bytes[4..8], bytes[16]), (&[0x0d, 0x10, 0, 0][..], 48));
        assert_eq!(bytes[18..20], 5180u16.to_le_bytes());
        let hex: String = bytes[length..].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(message["hex"], hex);
    }
    let (said, code) = failure(&arguments);
    assert!(said.contains("is there already; --force replaces it") && code == 2, "{said}");
    stdout(&[&arguments[..], &["--force"]].concat());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_does_not_fit_is_said() {
    let recording = project("data/wifi/dot11a_24mbps_20Msps.cs16");
    let recording = recording.to_str().unwrap();
    for (arguments, wanted) in [
        (
            &["decode", "wifi", recording, "--rate", "2M"][..],
            "needs as many samples a second as a channel is wide",
        ),
        (&["decode", "wifi", recording, "--bandwidth", "8M"], "--bandwidth 8000000: expected 20M, 10M or 5M"),
        (&["decode", "wifi", recording, recording, "--pcap", "x.pcap"], "name one INPUT"),
        (&["decode", "ism", recording, "--pcap", "x.pcap"], "are for wifi, not for ism"),
        (&["decode", "wifi", recording, "--force"], "--force is for --audio and --pcap"),
    ] {
        let (said, code) = failure(arguments);
        assert!(said.contains(wanted) && code == 2, "{said}");
    }
}

#[test]
fn what_frames_say_is_told() {
    let messages = receive(&[project("data/wifi/dot11a_24mbps_20Msps.cs16").to_str().unwrap()]);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for message in &messages {
        *kinds.entry(message["fields"]["subtype"].as_str().unwrap()).or_default() += 1;
    }
    assert_eq!(kinds, BTreeMap::from([("QoS data", 9), ("ack", 9), ("probe response", 1)]), "{messages:?}");
    let probe = messages.iter().find(|message| message["fields"]["subtype"] == "probe response").unwrap();
    assert_eq!(probe["fields"]["source"], "e8:de:27:90:6e:42");
    assert_eq!(probe["fields"]["ssid"], "AP3-5");
    assert_eq!(probe["fields"]["bssid"], "e8:de:27:90:6e:42");
}
