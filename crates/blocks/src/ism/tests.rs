//! Every protocol: frames that its own description encodes come back, as widths and as signals; noise gives nothing.

use std::sync::{Arc, Mutex};

use superhet_runtime::harness::VecSource;
use superhet_runtime::{Block, BlockError, C32, Context, Graph, MsgIn, Packet, Step, Value, Work};

use super::bits::{length, put};
use super::{IsmDecoder, Modulation, Protocol, builtin};
use crate::demod::{FskBursts, FskPulseDetector, PulseDetector, Pulses};
use crate::testing::complex_noise;

/// A sequence that looks random.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

/// Any values that a frame of a protocol can have.
fn any_values(protocol: &Protocol, draw: &mut Draw) -> Value {
    let mut fields = Vec::new();
    for field in &protocol.fields {
        let mut bits = vec![0; protocol.bits];
        let value = loop {
            for (start, count) in &field.at {
                // A decimal digit at a time, so that numbers of many digits are found.
                let digits = (0..*count).step_by(4).map(|n| (start + n, 4.min(count - n)));
                for (start, count) in digits {
                    let number =
                        draw.next(if field.form == super::field::Form::Bcd { 10 } else { 1 << count });
                    put(&mut bits, &[(start, count)], number);
                }
            }
            if let Some(sign) = field.sign {
                bits[sign] = draw.next(2) as u8;
            }
            if let Ok(value) = field.value(&bits) {
                break value;
            }
        };
        assert!(length(&field.at) <= 64);
        fields.extend(value.map(|value| (field.name.clone(), value)));
    }
    Value::map(fields)
}

#[test]
fn the_built_in_protocols_can_be_read_and_have_names_of_their_own() {
    let protocols = builtin().unwrap();
    assert!(protocols.len() >= 40, "{}", protocols.len());
    let mut names: Vec<&str> = protocols.iter().map(Protocol::name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), protocols.len());
    assert!(protocols.iter().all(|protocol| !protocol.about().is_empty() && protocol.tested() != "no"));
}

#[test]
fn what_a_protocol_encodes_it_decodes() {
    let mut draw = Draw(0x1234_5678_9abc_def1);
    for protocol in builtin().unwrap() {
        for _ in 0..50 {
            let says = any_values(&protocol, &mut draw);
            let bits = protocol.encode(&says).unwrap();
            let widths = protocol.pulses(&bits);
            let frames = protocol.decode(&widths);
            assert_eq!(frames.len(), 1, "{}: {says} {bits:?} {widths:?}", protocol.name());
            assert_eq!(frames[0].fields, says, "{}", protocol.name());
            assert_eq!((&frames[0].bits, frames[0].rows), (&bits, protocol.rows), "{}", protocol.name());
        }
    }
}

/// Frames of four recordings (foldynl/rtl_433_tests, commit aec4129), and what rtl_433 22.11 says of them.
#[test]
fn frames_from_the_air_say_what_another_decoder_says() {
    let protocols = builtin().unwrap();
    for (name, hex, wanted) in [
        (
            "Nexus-TH",
            "9480f4f35",
            r#"{"battery_ok":1,"channel":1,"humidity":53,"id":148,"temperature_C":24.4}"#,
        ),
        ("Fineoffset-WH2", "4d10f62138", r#"{"humidity":33,"id":209,"temperature_C":24.6}"#),
        ("LaCrosse-TX", "0a061705704", r#"{"id":48,"temperature_C":20.5}"#),
        (
            "Oregon-THGR122N",
            "1d202a61382062804",
            r#"{"battery_ok":1,"channel":2,"humidity":26,"id":106,"temperature_C":28.3}"#,
        ),
    ] {
        let protocol = protocols.iter().find(|protocol| protocol.name() == name).unwrap();
        let digits = hex.chars().map(|digit| digit.to_digit(16).unwrap());
        let bits: Vec<u8> =
            digits.flat_map(|digit| (0..4).rev().map(move |n| (digit >> n & 1) as u8)).collect();
        let frames = protocol.decode(&protocol.pulses(&bits));
        assert_eq!(frames.len(), 1, "{name}");
        assert_eq!(frames[0].fields.to_string(), wanted, "{name}");
        assert_eq!(protocol.tested(), "recording", "{name}");
    }
}

/// Widths as samples at a rate: on and off, or two frequencies, with noise.
fn signal(protocol: &Protocol, widths_us: &[f64], rate_hz: f64, noise: f32) -> Vec<C32> {
    let mut x = vec![C32::ZERO; 4000];
    let (mut at_us, mut phase) = (0.0, 0.0f64);
    let start = x.len();
    for (n, width) in widths_us.iter().enumerate() {
        at_us += width;
        let end = start + (at_us * rate_hz / 1e6).round() as usize;
        let is_on = n % 2 == 0;
        let (amplitude, hz) = match protocol.modulation() {
            Modulation::Ook => (if is_on { 0.5 } else { 0.0 }, 9e3),
            Modulation::Fsk => (0.5, if is_on { 44e3 } else { -26e3 }),
        };
        while x.len() < end {
            phase += std::f64::consts::TAU * hz / rate_hz;
            x.push(C32::from_polar(amplitude, (phase % std::f64::consts::TAU) as f32));
        }
    }
    x.resize(x.len() + (rate_hz * 0.06) as usize, C32::ZERO);
    let noise = complex_noise(x.len()).into_iter().map(|x| x * noise);
    x.into_iter().zip(noise).map(|(x, noise)| x + noise).collect()
}

/// Keeps messages.
#[derive(Block)]
struct Keep {
    #[port("in")]
    input: MsgIn,
    kept: Arc<Mutex<Vec<Value>>>,
}

impl Work for Keep {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            self.kept.lock().unwrap().push(message);
        }
        Ok(Step::NeedInput)
    }
}

/// The bursts that the detectors of the receiver find.
fn bursts(x: &[C32], rate_hz: f64) -> Vec<(Modulation, Packet<i32>)> {
    let samples = |us: f64| ((us * rate_hz / 1e6).round() as usize).max(1);
    let ook = Pulses { smooth_samples: samples(20.0), ..Pulses::new(rate_hz, samples(20_000.0)) };
    let fsk = FskBursts {
        rate_hz,
        gap_samples: samples(200.0),
        min_length: samples(1500.0),
        smooth_samples: samples(15.0),
        snr_db: 10.0,
    };
    let mut graph = Graph::new();
    let source = graph.add("source", VecSource::new(x.to_vec()));
    let kept = [Arc::<Mutex<Vec<Value>>>::default(), Arc::default()];
    let keep = kept.each_ref().map(|kept| Keep { input: MsgIn::new(), kept: kept.clone() });
    let [ook_keep, fsk_keep] = keep;
    let ook = graph.add("ook", PulseDetector::new(&ook).unwrap());
    let fsk = graph.add("fsk", FskPulseDetector::new(&fsk).unwrap());
    let (ook_keep, fsk_keep) = (graph.add("ook_keep", ook_keep), graph.add("fsk_keep", fsk_keep));
    graph.connect(source.output, ook.input);
    graph.connect(source.output, fsk.input);
    graph.connect(ook.output, ook_keep.input);
    graph.connect(fsk.output, fsk_keep.input);
    graph.run().unwrap();
    let mut bursts = Vec::new();
    for (modulation, kept) in [Modulation::Ook, Modulation::Fsk].into_iter().zip(kept) {
        for message in std::mem::take(&mut *kept.lock().unwrap()) {
            bursts.push((modulation, Packet::try_from(message).unwrap()));
        }
    }
    bursts
}

#[test]
fn signals_with_noise_are_decoded_at_any_rate_and_by_one_protocol() {
    let mut draw = Draw(0x9abc_def1_1234_5678);
    let mut wrong = Vec::new();
    for (n, protocol) in builtin().unwrap().into_iter().enumerate() {
        for rate_hz in if n % 4 == 0 { &[250e3, 1.024e6][..] } else { &[250e3] } {
            let rate_hz = *rate_hz;
            let says = any_values(&protocol, &mut draw);
            let widths = protocol.pulses(&protocol.encode(&says).unwrap());
            let x = signal(&protocol, &widths, rate_hz, 0.02);
            let decoder = IsmDecoder::new(rate_hz).unwrap();
            let mut found = Vec::new();
            for (modulation, burst) in bursts(&x, rate_hz) {
                let frames = decoder.frames(&burst, modulation);
                found.extend(
                    frames.into_iter().map(|(protocol, frame)| (protocol.name().to_owned(), frame.fields)),
                );
            }
            // What an EV1527 says may be what a PT2262 can say, too.
            if protocol.name() == "EV1527" && found.iter().any(|(name, _)| name == "PT2262") {
                continue;
            }
            let wanted = vec![(protocol.name().to_owned(), says)];
            if found != wanted {
                wrong.push(format!("at {rate_hz} Hz: {found:?}, wanted {wanted:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn noise_and_random_widths_give_nothing() {
    let decoder = IsmDecoder::new(1e6).unwrap();
    let noise = complex_noise(2_000_000);
    for (modulation, burst) in bursts(&noise, 1e6) {
        let frames = decoder.frames(&burst, modulation);
        assert!(
            frames.is_empty(),
            "{:?}",
            frames.iter().map(|(protocol, _)| protocol.name()).collect::<Vec<_>>()
        );
    }
    let mut draw = Draw(77);
    for _ in 0..300 {
        let (count, most) = (draw.next(400) as usize, 50 + draw.next(5000));
        let widths: Vec<i32> = (0..count).map(|_| draw.next(most) as i32).collect();
        for modulation in [Modulation::Ook, Modulation::Fsk] {
            let frames = decoder.frames(&Packet::from_items(&widths), modulation);
            assert!(
                frames.is_empty(),
                "{:?}",
                frames.iter().map(|(protocol, _)| protocol.name()).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn hostile_widths_do_no_harm() {
    let decoder = IsmDecoder::new(1e3).unwrap();
    for widths in [vec![], vec![0; 1000], vec![i32::MAX; 200], vec![-5; 99], vec![i32::MIN, i32::MAX, 0, 1]] {
        for modulation in [Modulation::Ook, Modulation::Fsk] {
            assert!(decoder.frames(&Packet::from_items(&widths), modulation).is_empty(), "{widths:?}");
        }
    }
}

const USERS: &str = r#"
name = "Mine"
modulation = "ook"
coding = "ppm"
zero_us = 1000
one_us = 2000
pulse_us = 500
row_gap_us = 3000
bits = 16
checks = [{ kind = "xor", over = [[0, 8]], at = 8, bits = 8, first = 0x5a }]
fields = [{ name = "id", at = 0, bits = 8 }]
"#;

#[test]
fn a_protocol_of_a_user_takes_part() {
    let mine = Protocol::from_toml(USERS, "mine.toml").unwrap();
    let says = Value::map([("id", 77)]);
    let widths = mine.pulses(&mine.encode(&says).unwrap());
    let widths: Vec<i32> = widths.into_iter().map(|us| us as i32).collect();
    let decoder = IsmDecoder::new(1e6).unwrap().with_protocols([mine]);
    let frames = decoder.frames(&Packet::from_items(&widths), Modulation::Ook);
    assert_eq!((frames[0].0.name(), &frames[0].1.fields), ("Mine", &says));
}

#[test]
fn mistakes_of_a_protocol_are_explained() {
    let problem = |text: &str| Protocol::from_toml(text, "mine.toml").unwrap_err().to_string();
    for (from, to, wanted) in [
        ("name = \"Mine\"", "", "protocol mine.toml: name: expected text"),
        ("\"ook\"", "\"am\"", "protocol Mine in mine.toml: modulation: expected one of ook, fsk, not \"am\""),
        ("one_us = 2000", "one_us = 1000", "one_us: expected another width than zero_us"),
        ("bits = 16", "bits = 0", "bits: expected a whole number from 1 to 1024"),
        ("bits = 16", "bits = 12", "checks[0].at: expected bits of the frame's 12"),
        (
            "\"xor\"",
            "\"md5\"",
            "checks[0].kind: expected one of constant, crc, sum, xor, parity, digest, ones, copy, not \"md5\"",
        ),
        ("first = 0x5a", "frist = 0x5a", "checks[0].frist: there is no such key here"),
        ("at = 8, bits = 8", "at = 8, bits = 4", "checks: they hold 4 bits, so that noise would pass"),
        ("row_gap_us = 3000", "", "row_gap_us: expected a width: a longer gap ends a row"),
        ("fields = [{ name = \"id\", at = 0, bits = 8 }]", "", "fields: expected at least one"),
        ("at = 0, bits = 8 }", "at = 0, bits = 65 }", "fields[0].id.at: expected bits of the frame's 16"),
    ] {
        let got = problem(&USERS.replacen(from, to, 1));
        assert!(got.contains(wanted), "{got}");
    }
    assert!(problem("name = ").starts_with("protocol mine.toml: "));
}

#[test]
fn a_field_that_cannot_say_something_says_so() {
    let mine = Protocol::from_toml(USERS, "").unwrap();
    let error = mine.encode(&Value::map([("id", 300)])).unwrap_err().to_string();
    assert_eq!(error, "protocol Mine: its field id cannot say 300");
}
