//! The receiver of complex samples: a real recording, any cut, both ends of a stream, strange samples, noise.

use std::collections::BTreeMap;

use crate::adsb_signal::{Random, Scene, Transmitter, by_samples, message, score};
use superhet_blocks::adsb::{Detector, Frame, Receiver, Settings, remainder};
use superhet_runtime::C32;

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.cu8");
const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.dump1090-raw.txt");

/// What the reference decoder lists and `frames` lack, each as often as it is missing.
fn missing(frames: &[Frame]) -> BTreeMap<String, i64> {
    let text = std::fs::read_to_string(REFERENCE).expect("the reference is part of the repository");
    let mut wanted = BTreeMap::new();
    for line in text.lines() {
        *wanted.entry(line.trim_matches(['*', ';']).to_owned()).or_insert(0) += 1;
    }
    assert_eq!(wanted.values().sum::<i64>(), 217);
    for frame in frames {
        if let Some(left) = wanted.get_mut(&frame.hex()) {
            *left -= 1;
        }
    }
    wanted.retain(|_, left| *left > 0);
    wanted
}

fn recording() -> Vec<C32> {
    let bytes = std::fs::read(RECORDING).expect("the recording is part of the repository");
    let part = |byte: u8| (f32::from(byte) - 127.5) / 127.5;
    bytes.chunks_exact(2).map(|iq| C32::new(part(iq[0]), part(iq[1]))).collect()
}

/// Presents the samples in pieces whose lengths come from `next_length`.
fn by_pieces(
    samples: &[C32],
    rate_hz: f64,
    start: u64,
    mut next_length: impl FnMut() -> usize,
) -> Vec<Frame> {
    let mut receiver = Receiver::new(Settings { rate_hz, repair: true }).unwrap();
    let (mut frames, mut at, mut end) = (Vec::new(), 0, 0);
    while end < samples.len() {
        end = (end + next_length()).min(samples.len());
        // What it has not used is presented again.
        at += receiver.process(&samples[at..end], start + at as u64, false, &mut |frame| frames.push(frame));
    }
    let used = receiver.process(&samples[at..], start + at as u64, true, &mut |frame| frames.push(frame));
    assert_eq!(used, samples.len() - at);
    frames
}

#[test]
fn every_message_of_the_reference_is_found_and_no_false_one() {
    let frames = by_samples(&recording(), 2e6);
    assert_eq!(missing(&frames), BTreeMap::new());
    assert!(frames.len() >= 335, "only {} frames", frames.len());
    for frame in &frames {
        let remainder = remainder(frame.bytes());
        let good = match frame.df() {
            11 => remainder < 80,
            17 | 18 => remainder == 0,
            _ => remainder == frame.address,
        };
        assert!(good && frame.address == 0x4d2023, "{frame:?}");
    }
}

#[test]
fn output_depends_neither_on_where_the_input_is_cut_nor_on_where_it_begins() {
    let mut random = Random::new(3);
    for rate_hz in [2e6, 2.4e6, 2_000_003.0, 10e6] {
        let (samples, _) = Scene { rate_hz, snr_db: 14.0, messages: 8, dc: 0.1, seed: 2 }.samples();
        let whole = by_samples(&samples, rate_hz);
        assert!(whole.len() >= 5, "{} at {rate_hz} Hz", whole.len());
        for longest in [1, 100, 5000] {
            let cut = by_pieces(&samples, rate_hz, 0, || 1 + random.next() as usize % longest);
            assert_eq!(cut, whole, "{rate_hz} Hz, pieces up to {longest}");
        }
        // A multiple of the block, so that the same places are looked at.
        let start = 6_000_000_000_000_000_000 / (256 * rate_hz as u64) * (256 * rate_hz as u64);
        let moved = by_pieces(&samples, rate_hz, start, || 1000);
        let indices = |frames: &[Frame], less| frames.iter().map(|f| f.index - less).collect::<Vec<u64>>();
        assert_eq!(indices(&moved, start), indices(&whole, 0), "{rate_hz} Hz");
    }
}

#[test]
fn a_message_at_the_first_and_at_the_last_sample_is_found() {
    let bytes = message(&mut Random::new(4), 1);
    for rate_hz in [2e6, 2.4e6, 20e6] {
        let mut samples = vec![C32::ZERO; (120e-6 * rate_hz) as usize];
        Transmitter::new(rate_hz).send(&mut samples, &bytes, 0.0, 0.3, 1.0, 1e3);
        let frames = by_samples(&samples, rate_hz);
        assert_eq!(frames.len(), 1, "{rate_hz} Hz");
        assert!(frames[0].index as f64 <= 0.5e-6 * rate_hz && frames[0].bytes() == bytes);
    }
}

#[test]
fn samples_that_are_no_numbers_do_no_lasting_harm() {
    let rate_hz = 2.4e6;
    let (mut samples, sent) = Scene { rate_hz, snr_db: 20.0, messages: 40, dc: 0.1, seed: 5 }.samples();
    let third = samples.len() / 3;
    for (n, value) in [f32::NAN, f32::INFINITY, f32::MAX, f32::NEG_INFINITY].into_iter().enumerate() {
        samples[third + n] = C32::new(value, 0.0);
    }
    let (found, wrong) = score(&by_samples(&samples, rate_hz), &sent, rate_hz);
    assert!(found >= 37 && wrong == 0, "{found} of 40, {wrong} wrong");
    assert_eq!(by_samples(&[], rate_hz), []);
    for value in [f32::NAN, f32::INFINITY, f32::MAX, 0.0, 1e20] {
        assert_eq!(by_samples(&[C32::new(value, value); 4000], rate_hz), []);
    }
}

#[test]
fn noise_gives_no_message() {
    let mut random = Random::new(6);
    for rate_hz in [2e6, 8e6] {
        let noise: Vec<C32> = (0..(0.25 * rate_hz) as usize).map(|_| random.noise(1e-2)).collect();
        assert_eq!(by_samples(&noise, rate_hz), []);
    }
}

/// A message within another: both begin and their amplitudes.
fn overlap(
    rate_hz: f64,
    random: &mut Random,
    after_us: f64,
    amplitudes: [f64; 2],
) -> (Vec<C32>, [Vec<u8>; 2]) {
    let microsecond = rate_hz / 1e6;
    let mut samples: Vec<C32> =
        (0..(500.0 * microsecond) as usize).map(|_| random.noise(1e-6 * microsecond)).collect();
    let transmitter = Transmitter::new(rate_hz);
    let bytes = [message(random, 1000).to_vec(), message(random, 1000).to_vec()];
    let first = (100.0 + random.unit()) * microsecond;
    for (n, start) in [first, first + after_us * microsecond].into_iter().enumerate() {
        let (phase, offset_hz) = (6.0 * random.unit(), (random.unit() - 0.5) * 200e3);
        transmitter.send(&mut samples, &bytes[n], start, amplitudes[n], phase, offset_hz);
    }
    (samples, bytes)
}

/// How many of both messages of 40 pairs are found; the second begins so long after the first, and random tenths of that more.
fn found_of_pairs(rate_hz: f64, least_us: f64, most_us: f64, amplitudes: [f64; 2]) -> [usize; 2] {
    let (mut random, mut found) = (Random::new(8), [0; 2]);
    for _ in 0..40 {
        let after_us = least_us + (most_us - least_us) * random.unit();
        let (samples, bytes) = overlap(rate_hz, &mut random, after_us, amplitudes);
        let frames = by_samples(&samples, rate_hz);
        assert!(frames.iter().all(|frame| bytes.iter().any(|bytes| bytes == frame.bytes())));
        for (found, bytes) in found.iter_mut().zip(&bytes) {
            *found += usize::from(frames.iter().any(|frame| frame.bytes() == bytes));
        }
    }
    found
}

#[test]
fn a_louder_message_that_begins_within_another_is_found() {
    for rate_hz in [2.4e6, 4e6, 10e6] {
        let [_, louder] = found_of_pairs(rate_hz, 10.0, 110.0, [0.1, 0.4]);
        assert!(louder >= 38, "{louder} of 40 at {rate_hz} Hz");
    }
}

#[test]
fn a_message_that_begins_in_the_last_bits_of_another_is_found() {
    for rate_hz in [2.4e6, 4e6, 10e6] {
        for amplitudes in [[0.1, 0.4], [0.2, 0.2], [0.3, 0.15]] {
            let [first, second] = found_of_pairs(rate_hz, 118.6, 119.9, amplitudes);
            assert!(
                first >= 32 && second >= 32,
                "{first} and {second} of 40 at {rate_hz} Hz, {amplitudes:?}"
            );
        }
    }
}

#[test]
fn two_wrong_bits_are_repaired_only_where_the_address_is_known() {
    // Two bits whose halves noise has made nearly equal, each with the wrong one louder.
    let rate_hz = 4e6;
    let mut random = Random::new(11);
    let mut wrong = message(&mut random, 1);
    let right = wrong;
    for bit in [50, 77] {
        wrong[bit / 8] ^= 0x80 >> (bit % 8);
    }
    let transmitter = Transmitter::new(rate_hz);
    for (is_known, repair) in [(true, true), (false, true), (true, false)] {
        let mut samples: Vec<C32> = (0..4000).map(|_| random.noise(1e-6)).collect();
        if is_known {
            let first = message(&mut random, 1);
            transmitter.send(&mut samples, &first, 400.0, 0.3, 1.0, 1e3);
        }
        transmitter.send(&mut samples, &right, 2400.0, 0.13, 1.0, 1e3);
        transmitter.send(&mut samples, &wrong, 2400.0, 0.17, 1.0, 1e3);
        let mut frames = Vec::new();
        let mut receiver = Receiver::new(Settings { rate_hz, repair }).unwrap();
        receiver.process(&samples, 0, true, &mut |frame| frames.push(frame));
        let repaired = frames.iter().find(|frame| frame.index > 2000);
        if is_known && repair {
            let repaired = repaired.expect("a message");
            assert_eq!(repaired.bytes(), right);
            let mut bits = [repaired.repaired_bit, repaired.second_repaired_bit];
            bits.sort();
            assert_eq!(bits, [Some(50), Some(77)]);
        } else {
            assert_eq!(repaired, None);
        }
    }
}
