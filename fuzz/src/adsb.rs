//! Bits of Mode S and ADS-B: messages as they come, and as the demodulator finds them in magnitudes.

use superhet::blocks::adsb::{Demodulator, Frame, Message, Settings, Tracker, decode};

use crate::assert_harmless;

const RATE_HZ: f64 = 2e6;

/// Decodes messages of 7 and 14 bytes in a row and follows their aircraft; then takes the bytes as magnitudes.
pub fn run(data: &[u8]) {
    let mut tracker = Tracker::new(RATE_HZ);
    let (mut rest, mut index) = (data, 0);
    while let Some(first) = rest.first() {
        let (message, after) = rest.split_at(rest.len().min(if first >> 3 < 16 { 7 } else { 14 }));
        rest = after;
        match Frame::from_bytes(message) {
            Ok(mut frame) => {
                let hex = frame.hex();
                assert_eq!(Frame::from_hex(&hex).as_ref(), Ok(&frame));
                frame.index = index;
                index += u64::from(*first) << (first % 24);
                follow(&mut tracker, &frame);
            }
            Err(error) => assert_harmless(&error),
        }
    }
    if let Err(error) = Frame::from_hex(&String::from_utf8_lossy(data)) {
        assert_harmless(&error);
    }
    demodulate(data, &mut tracker);
}

fn follow(tracker: &mut Tracker, frame: &Frame) {
    let message: Message = decode(frame);
    assert!(frame.fields().iter().chain(&message.fields()).all(|(_, value)| !value.to_string().is_empty()));
    if let Some(place) = tracker.update(frame, &message) {
        let (latitude, longitude) = (place.latitude_deg, place.longitude_deg);
        assert!((-90.0..=90.0).contains(&latitude), "latitude {latitude}");
        assert!((-180.0..=180.0).contains(&longitude), "longitude {longitude}");
    }
    assert!(tracker.get(message.address).is_some_and(|aircraft| !aircraft.fields().is_empty()));
}

fn demodulate(data: &[u8], tracker: &mut Tracker) {
    let magnitudes: Vec<f32> = data.iter().map(|byte| f32::from(*byte) / 255.0).collect();
    for rate_hz in [RATE_HZ, 2.4e6] {
        let Ok(mut demodulator) = Demodulator::new(Settings { rate_hz, repair: true }) else {
            panic!("{rate_hz} Hz is no rate")
        };
        let done = demodulator.process(&magnitudes, 0, true, &mut |frame: Frame| follow(tracker, &frame));
        assert_eq!(done, magnitudes.len());
    }
}
