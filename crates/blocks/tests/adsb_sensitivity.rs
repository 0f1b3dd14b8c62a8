//! How weak a message may be at each rate, with an offset and without one, and how seldom noise is taken for a message.
//!
//! `cargo test --release -p superhet-blocks --test suite -- adsb_sensitivity --ignored --nocapture --test-threads 1` measures with more
//! messages, with what magnitudes alone give beside it, the speed, and false alarms in an hour of noise.

use std::time::Instant;

use crate::adsb_signal::{Random, Scene, by_samples, score};
use superhet_blocks::adsb::{Demodulator, Detector, Frame, Receiver, Settings};
use superhet_runtime::C32;

/// Below 2.4 MHz the difference of the halves of a bit does not fit into the band, which costs about 2 dB.
const RATES_HZ: [f64; 6] = [2e6, 2.4e6, 4e6, 8e6, 10e6, 20e6];

/// What a receiver that takes magnitudes finds.
fn by_magnitudes(samples: &[C32], rate_hz: f64) -> Vec<Frame> {
    let mut frames = Vec::new();
    let magnitudes: Vec<f32> = samples.iter().map(|x| x.norm()).collect();
    let mut demodulator = Demodulator::new(Settings { rate_hz, repair: true }).unwrap();
    demodulator.process(&magnitudes, 0, true, &mut |frame| frames.push(frame));
    frames
}

/// At least so many of 100 messages are found at each rate, and nothing else.
fn at_least(snr_db: f64, dc: f64, floors: [usize; 6]) {
    for (rate_hz, floor) in RATES_HZ.into_iter().zip(floors) {
        let (samples, sent) = Scene { rate_hz, snr_db, messages: 100, dc, seed: 2 }.samples();
        let (found, wrong) = score(&by_samples(&samples, rate_hz), &sent, rate_hz);
        let place = format!("{rate_hz} Hz, {snr_db} dB, offset {dc}");
        assert!(found >= floor && wrong == 0, "{found} of 100, {wrong} wrong at {place}");
    }
}

#[test]
fn messages_at_16_db_are_found_at_every_rate() {
    at_least(16.0, 0.0, [97, 99, 99, 99, 99, 99]);
}

#[test]
fn messages_at_14_db_are_found_at_every_rate() {
    at_least(14.0, 0.0, [94, 98, 98, 98, 98, 98]);
}

#[test]
fn messages_at_12_db_are_found_at_every_rate() {
    at_least(12.0, 0.0, [70, 95, 97, 97, 97, 97]);
}

#[test]
fn an_offset_costs_no_message() {
    // Relative to a pulse.
    for dc in [0.2, 1.0] {
        at_least(16.0, dc, [97, 99, 99, 99, 99, 99]);
    }
    at_least(12.0, 0.2, [66, 95, 97, 97, 97, 97]);
}

/// Normal numbers from a table, for much noise.
struct Noise {
    normal: Vec<f32>,
    random: Random,
}

impl Noise {
    fn new(power: f64) -> Self {
        let mut random = Random::new(7);
        let normal = (0..1 << 15).map(|_| random.noise(power)).flat_map(|x| [x.re, x.im]).collect();
        Self { normal, random }
    }

    fn fill(&mut self, samples: &mut [C32]) {
        for pair in samples.as_chunks_mut::<2>().0 {
            let bits = self.random.next();
            let part = |n: u32| self.normal[(bits >> (16 * n)) as usize % self.normal.len()];
            *pair = [C32::new(part(0), part(1)), C32::new(part(2), part(3))];
        }
    }
}

/// How many messages are found in so many seconds of noise, in which twenty aircraft are known at any time.
fn false_alarms(rate_hz: f64, seconds: f64) -> usize {
    let scene = Scene { rate_hz, snr_db: 30.0, messages: 100, dc: 0.0, seed: 9 };
    let (known, sent) = scene.samples();
    let mut noise = Noise::new(1e-2);
    let mut receiver = Receiver::new(Settings { rate_hz, repair: true }).unwrap();
    let (mut found, mut start, mut repeat) = (0, 0, 0);
    let mut samples = vec![C32::ZERO; 1 << 16];
    while (start as f64) < seconds * rate_hz {
        if start >= repeat {
            let mut real = 0;
            start += receiver.process(&known, start, false, &mut |_| real += 1) as u64;
            assert_eq!(real, sent.len());
            repeat = start + (50.0 * rate_hz) as u64;
        }
        // What it has not used yet is replaced: other noise is as good.
        noise.fill(&mut samples);
        start += receiver.process(&samples, start, false, &mut |_| found += 1) as u64;
    }
    found
}

#[test]
fn noise_gives_no_message_though_aircraft_are_known() {
    for rate_hz in [2e6, 8e6] {
        assert_eq!(false_alarms(rate_hz, 1.0), 0, "{rate_hz} Hz");
    }
}

#[test]
#[ignore = "it measures an hour of noise; run it alone, in a release build"]
fn an_hour_of_noise() {
    for rate_hz in [2e6, 8e6] {
        println!("{rate_hz} Hz: {} messages in an hour of noise", false_alarms(rate_hz, 3600.0));
    }
}

#[test]
#[ignore = "it measures; run it alone, in a release build"]
fn sensitivity() {
    for (name, receive) in
        [("magnitudes", by_magnitudes as fn(&[C32], f64) -> Vec<Frame>), ("samples", by_samples)]
    {
        for dc in [0.0, 0.2, 1.0] {
            for snr_db in [16.0, 14.0, 12.0, 10.0] {
                let found = RATES_HZ.map(|rate_hz| {
                    let (samples, sent) = Scene { rate_hz, snr_db, messages: 400, dc, seed: 1 }.samples();
                    score(&receive(&samples, rate_hz), &sent, rate_hz)
                });
                println!("{name}, offset {dc}, {snr_db} dB: found and wrong of 400 {found:?}");
            }
        }
    }
}

#[test]
#[ignore = "it measures; run it alone, in a release build"]
fn speed() {
    for rate_hz in [2e6, 20e6] {
        let (messages, _) = Scene { rate_hz, snr_db: 20.0, messages: 400, dc: 0.0, seed: 1 }.samples();
        let mut noise = vec![C32::ZERO; messages.len()];
        Noise::new(1e-3).fill(&mut noise);
        for (name, samples) in [("2000 messages a second", messages), ("noise", noise)] {
            let times = (0..20).map(|_| {
                let start = Instant::now();
                by_samples(&samples, rate_hz);
                start.elapsed().as_secs_f64()
            });
            let shortest = times.fold(f64::INFINITY, f64::min);
            println!(
                "{rate_hz} Hz, {name}: {:.0} times real time",
                samples.len() as f64 / rate_hz / shortest
            );
        }
    }
}
