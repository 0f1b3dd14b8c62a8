//! Whole chains: a real recording, any cut, other rates, hostile input.
//!
//! The recording and the reference decoder's messages stand in `data/adsb`.

use std::collections::BTreeMap;

use super::*;

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.cu8");
const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adsb/modes1_2Msps.dump1090-raw.txt");
const RECORDED_AIRCRAFT: u32 = 0x4D_2023;

/// A small generator of random numbers, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, limit: u64) -> usize {
        (self.next() % limit) as usize
    }
}

fn recording() -> Vec<f32> {
    let bytes = std::fs::read(RECORDING).expect("the recording is part of the repository");
    let part = |byte: u8| (f32::from(byte) - 127.5) / 127.5;
    bytes.chunks_exact(2).map(|iq| part(iq[0]).hypot(part(iq[1]))).collect()
}

fn demodulator(rate_hz: f64, repair: bool) -> Demodulator {
    Demodulator::new(Settings { rate_hz, repair }).expect("a rate that works")
}

fn demodulate(mag: &[f32], rate_hz: f64, repair: bool) -> Vec<Frame> {
    let mut frames = Vec::new();
    let used = demodulator(rate_hz, repair).process(mag, 0, true, &mut |frame| frames.push(frame));
    assert_eq!(used, mag.len());
    frames
}

/// Presents `mag` in growing pieces whose lengths come from `next_length`, as a stream would.
fn demodulate_cut(mag: &[f32], rate_hz: f64, mut next_length: impl FnMut() -> usize) -> Vec<Frame> {
    let mut demodulator = demodulator(rate_hz, true);
    let mut frames = Vec::new();
    let (mut begin, mut end) = (0, 0);
    while end < mag.len() {
        end = (end + next_length()).min(mag.len());
        let used =
            demodulator.process(&mag[begin..end], begin as u64, false, &mut |frame| frames.push(frame));
        begin += used;
        assert!(end - begin < demodulator.lookahead(), "{} samples were not decided", end - begin);
    }
    let used = demodulator.process(&mag[begin..], begin as u64, true, &mut |frame| frames.push(frame));
    assert_eq!(begin + used, mag.len());
    frames
}

/// The same signal at a higher rate, with straight lines between the samples.
fn resample(mag: &[f32], rate_hz: f64) -> Vec<f32> {
    let len = (mag.len() as f64 * rate_hz / 2e6) as usize;
    let at = |n: usize| {
        let place = n as f64 * 2e6 / rate_hz;
        let (whole, part) = (place as usize, place.fract() as f32);
        let next = mag.get(whole + 1).unwrap_or(&mag[whole]);
        mag[whole] * (1.0 - part) + next * part
    };
    (0..len).map(at).collect()
}

fn count(messages: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for message in messages {
        *counts.entry(message).or_insert(0) += 1;
    }
    counts
}

/// What the reference decoder found that is not in `frames`, each message as often as it is missing.
fn missing(frames: &[Frame]) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(REFERENCE).expect("the reference is part of the repository");
    let mut wanted = count(text.lines().map(|line| line.trim_matches(['*', ';']).to_owned()));
    assert_eq!((wanted.len(), wanted.values().sum()), (111, 217_usize));
    for (hex, got) in count(frames.iter().map(Frame::hex)) {
        if let Some(left) = wanted.get_mut(&hex) {
            *left = left.saturating_sub(got);
        }
    }
    wanted.retain(|_, left| *left > 0);
    wanted
}

/// Checks every frame's parity anew; the recording has one aircraft, so any other address is a wrong message.
fn assert_all_good(frames: &[Frame]) {
    for frame in frames {
        let remainder = remainder(frame.bytes());
        let good = match frame.df() {
            11 => remainder < 80,
            17 | 18 => remainder == 0,
            _ => remainder == RECORDED_AIRCRAFT,
        };
        assert!(good && frame.address == RECORDED_AIRCRAFT, "{frame:?}");
    }
}

#[test]
fn every_message_of_the_reference_decoder_is_found_as_often_as_it_is_listed() {
    for repair in [false, true] {
        let frames = demodulate(&recording(), 2e6, repair);
        assert_eq!(missing(&frames), BTreeMap::new());
        assert_all_good(&frames);
        assert!(frames.len() >= 335, "only {} frames", frames.len());
        assert!(repair || frames.iter().all(|frame| frame.repaired_bit.is_none()));
    }
}

#[test]
fn other_rates_give_every_message_too() {
    let mag = recording();
    for rate_hz in [2.4e6, 3e6, 4e6, 8e6, 10e6, 20e6] {
        let frames = demodulate(&resample(&mag, rate_hz), rate_hz, true);
        assert_eq!(missing(&frames), BTreeMap::new(), "at {rate_hz} Hz");
        assert_all_good(&frames);
    }
}

#[test]
fn frames_are_where_the_preamble_is_at_every_rate() {
    let mag = &recording()[..30_000];
    let native = demodulate(mag, 2e6, true);
    let double = demodulate(&resample(mag, 4e6), 4e6, true);
    for frame in &native {
        let near = |other: &&Frame| other.hex() == frame.hex() && other.index.abs_diff(2 * frame.index) <= 3;
        assert!(double.iter().any(|other| near(&other)), "{frame:?}");
    }
}

#[test]
fn frames_follow_each_other_without_overlap() {
    let frames = demodulate(&recording(), 2e6, true);
    for pair in frames.windows(2) {
        assert!(pair[0].index + pair[0].duration_samples(2e6) <= pair[1].index);
    }
}

#[test]
fn output_does_not_depend_on_where_the_input_is_cut() {
    let mag = recording();
    let whole = demodulate(&mag, 2e6, true);
    let mut random = Random(1);
    for longest in [100, 1000, 50_000] {
        assert_eq!(demodulate_cut(&mag, 2e6, || random.below(longest)), whole);
    }
    let faster = resample(&mag[..60_000], 2.4e6);
    let whole = demodulate(&faster, 2.4e6, true);
    assert!(whole.len() > 20);
    assert_eq!(demodulate_cut(&faster, 2.4e6, || random.below(700)), whole);
}

#[test]
fn output_is_the_same_one_sample_at_a_time() {
    let mag = &recording()[..60_000];
    let whole = demodulate(mag, 2e6, true);
    assert!(whole.len() > 20);
    assert_eq!(demodulate_cut(mag, 2e6, || 1), whole);
    let faster = resample(&mag[..10_000], 2.4e6);
    assert_eq!(demodulate_cut(&faster, 2.4e6, || 1), demodulate(&faster, 2.4e6, true));
}

#[test]
fn messages_are_found_up_to_the_last_sample() {
    let mag = recording();
    let frames = demodulate(&mag, 2e6, true);
    for bits in [56, 112] {
        let last = frames.iter().rfind(|frame| frame.bits() == bits).expect("messages of both lengths");
        let end = (last.index + last.duration_samples(2e6)) as usize;
        let found = demodulate(&mag[..end], 2e6, true);
        assert_eq!(found.last().map(|frame| (frame.hex(), frame.index)), Some((last.hex(), last.index)));
        let cut = demodulate(&mag[..end - 1], 2e6, true);
        assert!(cut.iter().all(|frame| frame.index != last.index));
    }
}

#[test]
fn a_stream_that_starts_elsewhere_gives_indices_from_there() {
    let mag = &recording()[..20_000];
    for rate_hz in [2e6, 2.4e6] {
        let mag = resample(mag, rate_hz);
        let whole = demodulate(&mag, rate_hz, true);
        let start = 6_000_000_000_000_000_000;
        let mut moved = Vec::new();
        demodulator(rate_hz, true).process(&mag, start, true, &mut |frame| moved.push(frame));
        let indices = |frames: &[Frame], less| frames.iter().map(|f| f.index - less).collect::<Vec<u64>>();
        assert_eq!(indices(&moved, start), indices(&whole, 0));
    }
}

#[test]
fn a_wrong_bit_is_repaired_only_when_told_to() {
    // Two all-call replies of one aircraft; the second has one bit turned over.
    let signal = |wrong: Option<usize>| {
        let mut mag = vec![0.01_f32; 400];
        for (n, start) in [20, 200].into_iter().enumerate() {
            let mut bytes = [0x5D, 0x4D, 0x20, 0x23, 0x7A, 0x55, 0xA6];
            if let Some(bit) = wrong.filter(|_| n == 1) {
                bytes[bit / 8] ^= 0x80 >> (bit % 8);
            }
            for at in [0, 2, 7, 9] {
                mag[start + at] = 0.5;
            }
            for bit in 0..56 {
                let one = bytes[bit / 8] >> (7 - bit % 8) & 1;
                mag[start + 16 + 2 * bit + usize::from(one == 0)] = 0.5;
            }
        }
        mag
    };
    assert_eq!(demodulate(&signal(None), 2e6, false).len(), 2);
    assert_eq!(demodulate(&signal(Some(30)), 2e6, false).len(), 1);
    let repaired = demodulate(&signal(Some(30)), 2e6, true);
    assert_eq!(repaired.len(), 2);
    assert_eq!((repaired[1].hex().as_str(), repaired[1].repaired_bit), ("5d4d20237a55a6", Some(30)));
    assert_eq!((repaired[1].index, repaired[1].bits()), (200, 56));
}

#[test]
fn a_rate_that_cannot_work_is_named_with_what_was_expected() {
    for rate_hz in [0.0, 1_999_999.0, 2_000_000.5, 2e9, f64::NAN, f64::INFINITY, -2e6] {
        let error = Demodulator::new(Settings { rate_hz, repair: true }).unwrap_err();
        assert!(matches!(error, AdsbError::Rate { .. }));
        let text = error.to_string();
        assert!(text.contains("2000000") && text.contains(&rate_hz.to_string()), "{text}");
    }
}

#[test]
fn magnitudes_that_are_no_numbers_do_no_harm() {
    let mut random = Random(7);
    let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.0, 1e20, 0.0];
    let mag = &recording()[..60_000];
    for rate_hz in [2e6, 2.4e6] {
        let mut spoilt = mag.to_vec();
        for _ in 0..600 {
            let at = random.below(spoilt.len() as u64);
            spoilt[at] = strange[random.below(strange.len() as u64)];
        }
        assert!(demodulate(&spoilt, rate_hz, true).iter().all(|frame| frame.level.is_finite()));
        for value in strange {
            assert_eq!(demodulate(&[value; 2000], rate_hz, true), []);
        }
    }
    assert_eq!(demodulate(&[], 2e6, true), []);
    assert_eq!(demodulate(&[], 8e6, true), []);
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut random = Random(3);
    let mut tracker = Tracker::new(2e6);
    for n in 0..100_000_u64 {
        let mut bytes = [0; 14];
        bytes.fill_with(|| random.next() as u8);
        if random.below(2) == 0 {
            // Few addresses and mostly ADS-B, so that pairs of positions come up.
            bytes[0] = 0x88 | bytes[0] & 7;
            (bytes[1], bytes[2], bytes[3]) = (0, 0, bytes[3] & 7);
        }
        let length = if bytes[0] < 0x80 { 7 } else { 14 };
        let mut frame = Frame::from_bytes(&bytes[..length]).expect("the length of the format");
        frame.index = n * 100_000;
        let message = decode(&frame);
        if let Some(place) = tracker.update(&frame, &message) {
            assert!((-90.0..=90.0).contains(&place.latitude_deg));
            assert!((-180.0..180.0).contains(&place.longitude_deg));
        }
        for (name, field) in frame.fields().into_iter().chain(message.fields()) {
            assert!(!matches!(field, Field::Float(value) if !value.is_finite()), "{name} of {}", frame.hex());
        }
    }
    assert!(tracker.get(0).is_some_and(|aircraft| aircraft.position.is_some()));
    tracker.aircraft().for_each(|aircraft| drop(aircraft.fields()));
    tracker.forget_before(u64::MAX);
    assert_eq!(tracker.aircraft().count(), 0);
}

/// A false message of that address, with nothing in it.
fn heard(tracker: &mut Tracker, address: u32, index: u64) {
    let [_, a, b, c] = address.to_be_bytes();
    let mut frame = Frame::from_bytes(&[0x8d, a, b, c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).expect("a message");
    frame.index = index;
    tracker.update(&frame, &decode(&frame));
}

#[test]
fn a_flood_of_false_addresses_does_not_stay_in_the_table() {
    let mut tracker = Tracker::new(2e6);
    for n in 0..100_000_u32 {
        // A real one among them, twice a second.
        if n % 4000 == 0 {
            heard(&mut tracker, 0x484175, u64::from(n) * 260);
        }
        heard(&mut tracker, n, u64::from(n) * 260);
        assert!(n % 997 != 0 || tracker.aircraft().count() <= Tracker::MOST);
    }
    assert!(tracker.get(0x484175).is_some_and(|aircraft| aircraft.messages == 25));
    assert!(tracker.get(99_999).is_some() && tracker.get(0).is_none());
}

#[test]
fn an_aircraft_is_forgotten_after_an_hour_of_samples() {
    let mut tracker = Tracker::new(2e6);
    let minutes = |n: u64| n * 60 * 2_000_000;
    heard(&mut tracker, 1, 0);
    heard(&mut tracker, 2, minutes(30));
    heard(&mut tracker, 3, minutes(59));
    assert_eq!(tracker.aircraft().count(), 3);
    heard(&mut tracker, 3, minutes(70));
    assert!(tracker.get(1).is_none() && tracker.get(2).is_some());
    heard(&mut tracker, 3, u64::MAX);
    assert_eq!(tracker.aircraft().count(), 1);
}

fn decoded(hex: &str) -> Message {
    decode(&Frame::from_hex(hex).expect("a message"))
}

fn field(message: &Message, name: &str) -> Option<String> {
    message.fields().into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
}

#[test]
fn published_messages_are_decoded_as_published() {
    // J. Sun, The 1090 Megahertz Riddle.
    for (hex, expected) in [
        ("8D4840D6202CC371C32CE0576098", &[("callsign", "KLM1023"), ("icao", "4840d6")][..]),
        ("8D406B902015A678D4D220AA4BDA", &[("callsign", "EZY85MH"), ("category", "A0")]),
        ("8D40621D58C382D690C8AC2863A7", &[("altitude_ft", "38000"), ("cpr_odd", "false")]),
        ("8D40621D58C386435CC412692AD6", &[("cpr_latitude", "74158"), ("cpr_longitude", "50194")]),
        (
            "8D485020994409940838175B284F",
            &[("ground_speed_kt", "159.2"), ("track_deg", "182.9"), ("vertical_rate_fpm", "-832")],
        ),
        (
            "8DA05F219B06B6AF189400CBC33F",
            &[("true_airspeed_kt", "375"), ("heading_deg", "244"), ("vertical_rate_fpm", "-2304")],
        ),
        ("A000083E202CC371C31DE0AA1CCF", &[("callsign", "KLM1017")]),
    ] {
        let message = decoded(hex);
        for (name, value) in expected {
            assert_eq!(field(&message, name).as_deref(), Some(*value), "{name} of {hex}");
        }
    }
}

#[test]
fn a_surface_position_tells_speed_and_track() {
    // J. Sun, The 1090 Megahertz Riddle: 8C4841753A9A153237AEF0F275BE is at 52.32056, 4.73573 by Schiphol.
    let frame = Frame::from_hex("8C4841753AAB238733C8CD4020B1").expect("a message");
    let mut tracker = Tracker::new(2e6).with_receiver(Position { latitude_deg: 51.99, longitude_deg: 4.375 });
    assert_eq!(tracker.update(&frame, &decode(&frame)), None);
    let frame = Frame::from_hex("8C4841753A9A153237AEF0F275BE").expect("a message");
    let message = decode(&frame);
    assert_eq!(field(&message, "ground_speed_kt").as_deref(), Some("17"));
    assert_eq!(field(&message, "track_deg").as_deref(), Some("92.8125"));
    let place = tracker.update(&frame, &message).expect("a position");
    assert!((place.latitude_deg - 52.320_561).abs() < 1e-5 && (place.longitude_deg - 4.735_735).abs() < 1e-5);
}

#[test]
fn the_recorded_aircraft_is_put_together() {
    let mut tracker = Tracker::new(2e6);
    let frames = demodulate(&recording(), 2e6, true);
    let mut places = Vec::new();
    for frame in &frames {
        places.extend(tracker.update(frame, &decode(frame)));
    }
    assert_eq!(tracker.aircraft().count(), 1);
    let aircraft = tracker.get(RECORDED_AIRCRAFT).expect("the recorded aircraft");
    assert_eq!(aircraft.messages, frames.len() as u64);
    assert_eq!(aircraft.callsign.as_deref(), Some("AMC421"));
    assert_eq!((aircraft.altitude_ft, aircraft.squawk), (Some(20_025), Some(112)));
    assert_eq!(aircraft.vertical_rate_fpm, Some(-1728));
    let far = |a: Position, b: Position| {
        (a.latitude_deg - b.latitude_deg).abs().max((a.longitude_deg - b.longitude_deg).abs())
    };
    assert!(places.len() > 60);
    assert!(places.windows(2).all(|pair| far(pair[0], pair[1]) < 0.05));
}
