//! `superhet decode ais`, on signals of a modulator of our own: ITU-R M.1371-5, annex 2.

use crate::common::{folder, stdout};
use crate::receivers;
use serde_json::Value;

pub const RATE_HZ: f32 = 240e3;
/// Samples in a symbol, at 9600 Bd.
const PERIOD: usize = 25;

/// The bits that the characters of a sentence stand for.
pub fn payload(text: &str, fill: usize) -> Vec<u8> {
    let six = text.bytes().map(|c| if c < 96 { c - 48 } else { c - 56 });
    let mut bits: Vec<u8> = six.flat_map(|six| (0..6).rev().map(move |n| six >> n & 1)).collect();
    bits.truncate(bits.len() - fill);
    bits
}

/// The levels of a burst, as NRZI has them: training, flag, bytes with the lowest bit first, checksum, flag.
fn levels(bits: &[u8]) -> Vec<f32> {
    let in_order: Vec<u8> = bits.chunks(8).flat_map(|byte| byte.iter().rev().copied()).collect();
    let mut sum = 0xffffu16;
    for bit in &in_order {
        let is_odd = (sum ^ u16::from(*bit)) & 1 == 1;
        sum = sum >> 1 ^ if is_odd { 0x8408 } else { 0 };
    }
    let sum = (0..16).map(|n| (!sum >> n & 1) as u8);
    let flag = [0, 1, 1, 1, 1, 1, 1, 0];
    let mut sent: Vec<u8> = [0, 1].repeat(12);
    sent.extend(flag);
    let mut ones = 0;
    for bit in in_order.into_iter().chain(sum) {
        sent.push(bit);
        ones = if bit == 1 { ones + 1 } else { 0 };
        if ones == 5 {
            sent.push(0);
            ones = 0;
        }
    }
    sent.extend(flag);
    sent.extend([0; 4]);
    let mut level = 1.0;
    let change = |bit: u8| {
        level = if bit == 0 { -level } else { level };
        level
    };
    sent.into_iter().map(change).collect()
}

/// The phase of a burst at an offset from the middle of the band, in radians: GMSK, BT = 0.4, index 0.5.
pub fn phase(bits: &[u8], offset_hz: f32) -> Vec<f64> {
    let held: Vec<f32> = levels(bits).into_iter().flat_map(|level| [level; PERIOD]).collect();
    let sigma = 0.1325 / 0.4 * PERIOD as f32;
    let half = 2 * PERIOD as i32;
    let taps: Vec<f32> = (-half..=half).map(|n| (-0.5 * (n as f32 / sigma).powi(2)).exp()).collect();
    let total: f32 = taps.iter().sum();
    let mut phase = 0.0f64;
    let sample = |n: usize| {
        let at = |tap: usize| held.get((n + tap).wrapping_sub(half as usize)).copied().unwrap_or(0.0);
        let smooth: f32 = taps.iter().enumerate().map(|(tap, weight)| weight * at(tap)).sum::<f32>() / total;
        phase += std::f64::consts::TAU * f64::from((offset_hz + 2400.0 * smooth) / RATE_HZ);
        phase
    };
    (0..held.len()).map(sample).collect()
}

/// Its complex samples.
fn burst(bits: &[u8], offset_hz: f32) -> Vec<[f32; 2]> {
    let phase = phase(bits, offset_hz);
    phase.into_iter().map(|phase| [phase.cos() as f32, phase.sin() as f32]).collect()
}

/// Samples as cu8: the bursts at their places, and noise.
fn recording(len: usize, bursts: &[(usize, Vec<[f32; 2]>)]) -> Vec<u8> {
    let mut samples = vec![[0.0f32; 2]; len];
    for (start, burst) in bursts {
        for (sum, x) in samples[*start..].iter_mut().zip(burst) {
            *sum = [sum[0] + 0.3 * x[0], sum[1] + 0.3 * x[1]];
        }
    }
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    samples.into_iter().flatten().map(|x| (127.5 + 127.0 * (x + 0.2 * noise())) as u8).collect()
}

#[test]
fn ships_are_heard_on_both_channels_at_once() {
    let position = payload("177KQJ5000G?tO`K>RA1wUbN0TKH", 0);
    let voyage = payload("55P5TL01VIaAL@7WKO@mBplU@<PDhh000000001S;AJ::4A80?4i@E531@0000000000000", 2);
    let bursts = [
        (20_000, burst(&position, -25e3)),
        (22_000, burst(&voyage, 25.4e3)),
        (60_000, burst(&voyage, -24.7e3)),
    ];
    let folder = folder("decode-ais");
    let path = folder.join("ships_162.0MHz_240k.cu8");
    std::fs::write(&path, recording(120_000, &bursts)).unwrap();
    let text = stdout(&["decode", "ais", "--json", path.to_str().unwrap()]);
    let mut messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    messages.sort_by_key(|message| message["sample_index"].as_u64());
    assert_eq!(messages.len(), 3, "{messages:?}");
    let said = |n: usize, key: &str| &messages[n]["fields"][key];
    assert_eq!(said(0, "nmea")[0], "!AIVDM,1,1,,A,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5F");
    assert_eq!((said(0, "mmsi"), said(0, "latitude_deg")), (&"477553000".into(), &47.582833.into()));
    assert_eq!((said(1, "name"), said(1, "channel")), (&"MT.MITCHELL".into(), &"B".into()));
    assert_eq!((said(2, "name"), said(2, "channel")), (&"MT.MITCHELL".into(), &"A".into()));
    for (message, (start, _)) in messages.iter().zip(&bursts) {
        // The frame is behind 24 bits of training and a flag; the filters' delay is about two symbols.
        let wanted = (start + 32 * PERIOD) as u64;
        let at = message["sample_index"].as_u64().unwrap();
        assert!(at.abs_diff(wanted) < 4 * PERIOD as u64, "{at}, wanted {wanted}");
    }
    assert_eq!(messages[0]["frequency_hz"], 161.975e6);
    receivers::assert_same_with_every_scheduler("ais", &[path.to_str().unwrap()]);
    std::fs::remove_dir_all(folder).unwrap();
}
