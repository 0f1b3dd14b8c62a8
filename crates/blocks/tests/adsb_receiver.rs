//! The receiver from complex samples: a real recording, any cut, and how weak a message may be at each rate.
//!
//! The measurements, with what magnitudes alone give beside them, are
//! `cargo test --release -p superhet-blocks --test adsb_receiver -- --ignored --nocapture --test-threads 1`.

mod adsb_signal;

use std::collections::BTreeMap;

use adsb_signal::{Random, Scene, Sent, Transmitter, message};
use superhet_blocks::adsb::{Demodulator, Detector, Frame, Receiver, Settings, remainder};
use superhet_runtime::C32;

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.cu8");
const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.dump1090-raw.txt");

const RATES_HZ: [f64; 6] = [2e6, 2.4e6, 4e6, 8e6, 10e6, 20e6];

/// What a receiver that takes magnitudes finds.
fn by_magnitudes(samples: &[C32], rate_hz: f64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let magnitudes: Vec<f32> = samples.iter().map(|x| x.norm()).collect();
    let mut demodulator = Demodulator::new(Settings { rate_hz, repair: true }).unwrap();
    demodulator.process(&magnitudes, 0, true, &mut |frame| frames.push(frame));
    frames
}

/// What a receiver that takes samples finds.
fn by_samples(samples: &[C32], rate_hz: f64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut receiver = Receiver::new(Settings { rate_hz, repair: true }).unwrap();
    receiver.process(samples, 0, true, &mut |frame| frames.push(frame));
    frames
}

/// The time that this thread has run, in seconds.
fn thread_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// The mean time of runs that take a second together, in seconds.
fn mean_time(mut run: impl FnMut()) -> f64 {
    let (start, mut runs) = (thread_seconds(), 0);
    loop {
        run();
        runs += 1;
        let took = thread_seconds() - start;
        if took > 1.0 {
            return took / f64::from(runs);
        }
    }
}

/// How many of `sent` were found, and how many others.
fn score(frames: &[Frame], sent: &[Sent], rate_hz: f64) -> (usize, usize) {
    let near = |frame: &Frame, sent: &Sent| {
        frame.bytes() == sent.bytes && (frame.index as f64 - sent.start).abs() < 1.5e-6 * rate_hz
    };
    let found = sent.iter().filter(|sent| frames.iter().any(|frame| near(frame, sent))).count();
    let wrong = frames.iter().filter(|frame| !sent.iter().any(|sent| near(frame, sent))).count();
    (found, wrong)
}

fn table(name: &str, receive: impl Fn(&[C32], f64) -> Vec<Frame>) {
    for dc in [0.0, 0.2] {
        for snr_db in [16.0, 14.0, 12.0, 10.0] {
            let mut line = format!("{name} dc {dc} {snr_db} dB:");
            for rate_hz in RATES_HZ {
                let scene = Scene { rate_hz, snr_db, messages: 400, dc, seed: 1 };
                let (samples, sent) = scene.samples();
                let (found, wrong) = score(&receive(&samples, rate_hz), &sent, rate_hz);
                line += &format!(" {found}/{wrong}");
            }
            println!("{line}");
        }
    }
}

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
    let (mut frames, mut at) = (Vec::new(), 0);
    while at < samples.len() {
        let end = (at + next_length()).min(samples.len());
        let used =
            receiver.process(&samples[at..end], start + at as u64, false, &mut |frame| frames.push(frame));
        assert_eq!(used, end - at);
        at = end;
    }
    receiver.process(&[], start + at as u64, true, &mut |frame| frames.push(frame));
    frames
}

#[test]
fn adsb_every_message_of_the_reference_is_found_and_no_false_one() {
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
fn adsb_output_depends_neither_on_where_the_input_is_cut_nor_on_where_it_begins() {
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
fn adsb_a_message_at_the_first_and_at_the_last_sample_is_found() {
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
fn adsb_samples_that_are_no_numbers_do_no_lasting_harm() {
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
fn adsb_messages_at_12_db_are_found_at_every_rate_with_an_offset_too() {
    // Below 2.4 MHz the pulses do not fit into the band.
    for (rate_hz, snr_db, least) in [
        (2e6, 16.0, 90),
        (2.4e6, 12.0, 90),
        (4e6, 12.0, 95),
        (8e6, 12.0, 95),
        (10e6, 12.0, 95),
        (20e6, 12.0, 95),
    ] {
        let scene = Scene { rate_hz, snr_db, messages: 100, dc: 0.2, seed: 1 };
        let (samples, sent) = scene.samples();
        let (found, wrong) = score(&by_samples(&samples, rate_hz), &sent, rate_hz);
        assert!(found >= least && wrong == 0, "{found} of 100, {wrong} wrong at {rate_hz} Hz, {snr_db} dB");
    }
}

#[test]
fn adsb_noise_gives_no_message() {
    let mut random = Random::new(6);
    for rate_hz in [2e6, 8e6] {
        let noise: Vec<C32> = (0..(0.25 * rate_hz) as usize).map(|_| random.noise(1e-2)).collect();
        assert_eq!(by_samples(&noise, rate_hz), []);
    }
}

#[test]
#[ignore = "a measurement"]
fn adsb_false_alarms() {
    let mut random = Random::new(7);
    for rate_hz in [2e6, 4e6] {
        let mut receiver = Receiver::new(Settings { rate_hz, repair: true }).unwrap();
        let (mut wrong, mut start) = (0, 0);
        while start < 1000 * rate_hz as u64 {
            let noise: Vec<C32> = (0..1 << 16).map(|_| random.noise(1e-2)).collect();
            receiver.process(&noise, start, false, &mut |_| wrong += 1);
            start += noise.len() as u64;
        }
        println!("{rate_hz}: {wrong} messages in {} s of noise", start / rate_hz as u64);
    }
}

#[test]
#[ignore = "a measurement"]
fn adsb_table() {
    table("magnitudes", by_magnitudes);
    table("samples", by_samples);
}

#[test]
#[ignore = "a measurement"]
fn adsb_speed() {
    for rate_hz in [2e6, 20e6] {
        let messages = 400;
        let (samples, _) = Scene { rate_hz, snr_db: 20.0, messages, dc: 0.0, seed: 1 }.samples();
        let mut random = Random::new(5);
        let noise: Vec<C32> = (0..samples.len()).map(|_| random.noise(1e-3)).collect();
        for (what, samples) in [("400 messages", &samples), ("noise", &noise)] {
            let magnitudes: Vec<f32> = samples.iter().map(|x| x.norm()).collect();
            let seconds = samples.len() as f64 / rate_hz;
            let old = mean_time(|| {
                let mut demodulator = Demodulator::new(Settings { rate_hz, repair: true }).unwrap();
                demodulator.process(&magnitudes, 0, true, &mut |_| ());
            });
            let new = mean_time(|| drop(by_samples(samples, rate_hz)));
            println!(
                "{rate_hz} {what}: magnitudes {:.0} times real time, samples {:.0}",
                seconds / old,
                seconds / new
            );
        }
    }
}
