//! `superhet decode wmbus`, on signals of a modulator of our own: EN 13757-4, modes C1 and S1. The recording of `receivers.rs` has T1.

use crate::common::{folder, stdout};
use serde_json::Value;

const RATE_HZ: f64 = 1.2e6;

/// The checksum of a block, behind it.
fn summed(block: &[u8]) -> Vec<u8> {
    let mut sum = 0u16;
    for byte in block {
        sum ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            sum = sum << 1 ^ if sum >> 15 == 1 { 0x3d65 } else { 0 };
        }
    }
    [block, &(!sum).to_be_bytes()].concat()
}

/// A frame of a water meter with some data, as it is sent, and without its checksums.
fn frame(number: u8, is_b: bool) -> (Vec<u8>, Vec<u8>) {
    let mut bytes =
        vec![0, 0x44, 0x93, 0x15, number, 0x56, 0x34, 0x12, 0x33, 0x07, 0x7a, 0x2a, 0x00, 0x00, 0x00];
    bytes.extend((0..20).map(|n| n * 11 + number));
    let sums = if is_b { 2 } else { 0 };
    bytes[0] = (bytes.len() - 1 + sums) as u8;
    let sent = match is_b {
        true => summed(&bytes),
        false => {
            let rest = bytes[10..].chunks(16).flat_map(summed);
            summed(&bytes[..10]).into_iter().chain(rest).collect()
        }
    };
    (sent, bytes)
}

fn bits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |n| byte >> n & 1))
}

/// Adds chips at a frequency, ±50 kHz around an offset, from a sample on.
fn add(samples: &mut [[f64; 2]], start: usize, chips: &[u8], chip_rate_hz: f64, offset_hz: f64) {
    let period = RATE_HZ / chip_rate_hz;
    let mut phase = 0.0f64;
    for n in 0..(chips.len() as f64 * period) as usize {
        let deviation = if chips[(n as f64 / period) as usize] == 1 { 50e3 } else { -50e3 };
        phase += std::f64::consts::TAU * (offset_hz + deviation) / RATE_HZ;
        samples[start + n][0] += 0.3 * phase.cos();
        samples[start + n][1] += 0.3 * phase.sin();
    }
}

#[test]
fn meters_of_modes_c_and_s_are_heard_at_once() {
    let mut samples = vec![[0.0; 2]; 200_000];
    let preamble = || [0u8, 1].repeat(24);
    let (sent_a, a) = frame(1, false);
    let (sent_b, b) = frame(2, true);
    let (sent_s, s) = frame(3, false);
    let chips_a: Vec<u8> =
        preamble().into_iter().chain(bits(&[0x54, 0x3d, 0x54, 0xcd])).chain(bits(&sent_a)).collect();
    let chips_b: Vec<u8> =
        preamble().into_iter().chain(bits(&[0x54, 0x3d, 0x54, 0x3d])).chain(bits(&sent_b)).collect();
    let sync_s = [0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0];
    let manchester = bits(&sent_s).flat_map(|bit| [bit ^ 1, bit]);
    let chips_s: Vec<u8> = preamble().into_iter().chain(sync_s).chain(manchester).collect();
    add(&mut samples, 20_000, &chips_a, 100e3, 325e3);
    add(&mut samples, 60_000, &chips_b, 100e3, 330e3);
    add(&mut samples, 15_000, &chips_s, 32_768.0, -325e3);
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let stored: Vec<u8> =
        samples.into_iter().flatten().map(|x| (127.5 + 127.0 * (x + 0.2 * noise())) as u8).collect();
    let folder = folder("decode-wmbus");
    let path = folder.join("meters_868.625MHz_1200k.cu8");
    std::fs::write(&path, stored).unwrap();
    let text = stdout(&["decode", "wmbus", "--json", path.to_str().unwrap()]);
    let mut messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    messages.sort_by_key(|message| message["hex"].as_str().map(|hex| hex[8..10].to_owned()));
    assert_eq!(messages.len(), 3, "{messages:?}");
    for (message, (bytes, mode, format, hz)) in
        messages.iter().zip([(a, "C", "A", 868.95e6), (b, "C", "B", 868.95e6), (s, "S", "A", 868.3e6)])
    {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(message["hex"], hex);
        let fields = &message["fields"];
        assert_eq!((&fields["mode"], &fields["format"]), (&mode.into(), &format.into()));
        assert_eq!((&fields["device"], &fields["access"]), (&"water".into(), &42.into()));
        assert_eq!(message["frequency_hz"], hz);
        assert!(message["snr_db"].as_f64().unwrap() > 8.0, "{message}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
