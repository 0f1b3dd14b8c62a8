//! Frames that are sent come back, through what channels do to them.

use std::sync::{Arc, Mutex};

use superhet_kernels::Rotator;
use superhet_runtime::{Block, BlockError, C32, Context, Graph, MsgIn, Packet, Step, Value, Work, harness};

use super::bits::{Signal, encode_data};
use super::finder::{Finder, Found};
use super::mac::{self, EXAMPLE, FCS_BYTES};
use super::modulator::modulate;
use super::rate::{RATES, Rate};
use super::{WifiDemod, WifiSettings, WifiSource, WifiSync};
use crate::channels::ChannelModel;
use crate::tags::IndexTags;
use crate::testing::complex_noise;

/// What is found in samples that come in pieces of this size.
fn found_in(samples: &[C32], piece: usize) -> Vec<Found> {
    let (mut finder, mut all) = (Finder::new(), Vec::new());
    samples.chunks(piece).for_each(|piece| finder.push(piece, &mut |found| all.push(found)));
    finder.finish(&mut |found| all.push(found));
    all
}

/// The frames in samples, with their checksums, and where they begin.
fn frames_in(samples: &[C32]) -> Vec<(u64, Vec<u8>)> {
    let mut demod = WifiDemod::new();
    let read = |found: Found| {
        let mut packet = Packet::from_items(&found.samples);
        packet.set("offset", found.start);
        let frame = demod.read(&packet)?.items().to_vec();
        Some((found.start, [&frame[..], &mac::fcs(&frame)].concat()))
    };
    found_in(samples, 4096).into_iter().filter_map(read).collect()
}

/// A frame of so many bytes, its checksum among them.
fn frame(length: usize, seed: u8) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..length - FCS_BYTES).map(|n| (n * 29 + n / 11) as u8 ^ seed).collect();
    bytes.extend(mac::fcs(&bytes));
    bytes
}

/// A channel: echoes by their delays in samples, signal by noise, frequency in radians per sample, by how much the clocks differ.
struct Air<'a> {
    echoes: &'a [(usize, C32)],
    snr_db: f32,
    turn: f64,
    ppm: f64,
}

const CLEAR: Air<'_> = Air { echoes: &[(0, C32::ONE)], snr_db: 60.0, turn: 0.0, ppm: 0.0 };

/// What comes of samples, with noise alone before them and behind.
fn receive(sent: &[C32], before: usize, air: &Air<'_>) -> Vec<C32> {
    let longest = air.echoes.iter().map(|echo| echo.0).max().unwrap_or(0);
    let mut taps = vec![C32::ZERO; longest + 1];
    air.echoes.iter().for_each(|(delay, gain)| taps[*delay] += gain);
    let power: f32 = taps.iter().map(|tap| tap.norm_sqr()).sum();
    let mut padded = vec![C32::ZERO; before];
    padded.extend(sent);
    padded.resize(padded.len() + 1500, C32::ZERO);
    let model = ChannelModel::new(0.0, 0.0, 1.0 + air.ppm * 1e-6, &taps, 0).unwrap().block();
    let mut samples: Vec<C32> = harness::run(model, &padded);
    Rotator::new(air.turn).rotate_in_place(&mut samples);
    // Parts that are uniform within ±1 have a power of 2/3 together; six of them added are nearly normal.
    let noise = (power * 10f32.powf(-0.1 * air.snr_db) / 4.0).sqrt();
    let drawn = complex_noise(6 * samples.len());
    for (sample, drawn) in samples.iter_mut().zip(drawn.chunks_exact(6)) {
        *sample += drawn.iter().sum::<C32>() * noise;
    }
    samples
}

#[test]
fn the_standard_s_example_is_coded_as_it_says() {
    let rate = Rate::of_mbps(36).unwrap();
    let text = |bits: &[u8]| bits.iter().map(|bit| char::from(b'0' + bit)).collect::<String>();
    let coded = encode_data(rate, EXAMPLE, 0b101_1101);
    assert_eq!(coded.len(), 6 * 192);
    // Table I-22: the first symbol, interleaved.
    let wanted = "011101111111000011101111110001000111001100000000101111110001000100010000100110100001110100010010\
                  011011100011100011110101011010010001101101101011100110000100001100000000000011011011001101101101";
    assert_eq!(text(&coded[..192]), wanted);
}

#[test]
fn the_standard_s_example_comes_back() {
    let rate = Rate::of_mbps(36).unwrap();
    let samples = receive(&modulate(rate, EXAMPLE, 0b101_1101), 500, &CLEAR);
    let found = found_in(&samples, 1000);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].signal, Signal { rate, bytes: 100 });
    let frames = frames_in(&samples);
    assert_eq!(frames[0].1, EXAMPLE);
    // The channel's resampler is three samples ahead.
    assert!(frames[0].0.abs_diff(497) <= 1, "{}", frames[0].0);
}

#[test]
fn frames_of_all_rates_and_lengths_come_back_at_any_frequency_through_echoes_and_clocks() {
    // 40 ppm of 5.9 GHz at 20 Msamples/s are 0.074 radians a sample; ±20 ppm at both ends.
    let echoes = [(0, C32::ONE), (2, C32::new(-0.3, 0.4)), (7, C32::new(0.1, -0.2))];
    for (n, rate) in RATES.iter().enumerate() {
        let snr_db = [14.0, 16.0, 17.0, 20.0, 23.0, 27.0, 31.0, 33.0][n];
        for (k, length) in [14, 15, 137, 1500].into_iter().enumerate() {
            let sent = frame(length, (8 * k + n) as u8);
            let turn = 0.074 * [1.0, -1.0, 0.3, -0.6][k];
            let ppm = [40.0, -40.0, 20.0, -40.0][k];
            let samples = receive(
                &modulate(rate, &sent, 1 + (31 * k + n) as u8),
                333 + 5 * n,
                &Air { echoes: &echoes, snr_db, turn, ppm },
            );
            let frames = frames_in(&samples);
            assert_eq!(frames.len(), 1, "{} Mbit/s, {length} bytes", rate.mbps);
            assert!(frames[0].1 == sent, "{} Mbit/s, {length} bytes", rate.mbps);
        }
    }
}

#[test]
fn the_longest_frame_comes_back_though_the_clocks_differ() {
    for ppm in [-40.0, 40.0] {
        let sent = frame(4095, 77);
        let samples = receive(&modulate(&RATES[0], &sent, 5), 400, &Air { snr_db: 12.0, ppm, ..CLEAR });
        assert!(frames_in(&samples).iter().any(|(_, frame)| *frame == sent), "{ppm}");
    }
}

#[test]
fn frames_are_told_alike_wherever_samples_are_cut_and_where_they_overlap() {
    // A long weak frame, and a short strong one that begins within it; the first is lost.
    let [weak, strong] = [frame(300, 1), frame(60, 2)];
    let mut samples = modulate(&RATES[0], &weak, 3);
    let at = 2000;
    for (sample, more) in samples[at..].iter_mut().zip(modulate(&RATES[2], &strong, 9)) {
        *sample += more * 6.0;
    }
    let mut all = receive(&samples, 700, &Air { snr_db: 25.0, turn: 0.01, ..CLEAR });
    all.extend(receive(&modulate(&RATES[7], &frame(900, 3), 17), 10, &Air { snr_db: 35.0, ..CLEAR }));
    let places = |piece: usize| -> Vec<(u64, usize, u32)> {
        let found = found_in(&all, piece).into_iter();
        found.map(|one| (one.start, one.signal.bytes, one.frequency.to_bits())).collect()
    };
    let whole = places(all.len());
    assert_eq!(whole.iter().map(|one| one.1).collect::<Vec<_>>(), [300, 60, 900]);
    for piece in [1, 7, 80, 1001, 8192] {
        assert_eq!(places(piece), whole, "{piece}");
    }
    let lengths: Vec<usize> = frames_in(&all).iter().map(|(_, frame)| frame.len()).collect();
    assert_eq!(lengths, [60, 900]);
}

#[test]
fn a_frame_whose_end_is_cut_off_gives_nothing_and_one_that_ends_the_stream_is_told() {
    let sent = modulate(&RATES[4], &frame(200, 1), 3);
    let mut all = receive(&sent, 300, &Air { snr_db: 30.0, ..CLEAR });
    all.truncate(300 - 3 + sent.len());
    assert_eq!(frames_in(&all).len(), 1);
    all.truncate(all.len() - 60);
    assert_eq!(found_in(&all, 500).len(), 0);
    for len in [0, 1, 15, 31, 32, 33, 200, 500, 700, 800] {
        let _ = found_in(&all[..len], 100);
    }
}

#[test]
fn noise_carriers_and_what_is_no_number_give_nothing() {
    assert!(frames_in(&complex_noise(2_000_000)).is_empty());
    let carrier: Vec<C32> = (0..100_000).map(|n| C32::cis(0.05 * n as f32)).collect();
    assert!(frames_in(&carrier).is_empty());
    for value in [f32::NAN, f32::INFINITY, 1e30, 0.0] {
        assert!(frames_in(&vec![C32::new(value, -value); 20_000]).is_empty());
    }
    // Numbers that are none in the middle of a frame spoil it, and nothing behind it.
    let mut all = receive(&modulate(&RATES[4], &frame(400, 1), 3), 300, &CLEAR);
    all[1530] = C32::new(f32::NAN, 0.0);
    all.extend(receive(&modulate(&RATES[4], &frame(40, 1), 3), 300, &CLEAR));
    assert_eq!(frames_in(&all).iter().map(|(_, frame)| frame.len()).collect::<Vec<_>>(), [40]);
}

#[test]
fn a_frame_is_found_beside_a_carrier_that_is_there_all_the_time() {
    let mut all = receive(&modulate(&RATES[0], &frame(100, 1), 3), 5000, &Air { snr_db: 30.0, ..CLEAR });
    for (n, sample) in all.iter_mut().enumerate() {
        *sample += C32::cis(0.011 * n as f32) * 0.3;
    }
    assert_eq!(frames_in(&all).len(), 1);
}

#[test]
fn packets_that_no_frame_is_in_are_dropped() {
    let mut demod = WifiDemod::new();
    for len in [0, 1, 100, 223, 224, 1000] {
        assert!(demod.read(&Packet::from_items(&complex_noise(len))).is_none());
        assert!(demod.read(&Packet::from_items(&vec![C32::new(f32::NAN, 1.0); len])).is_none());
    }
    // Cut short, as no wifi_sync gives it.
    let found = found_in(&receive(&modulate(&RATES[0], &frame(100, 1), 3), 500, &CLEAR), 1000);
    assert!(demod.read(&Packet::from_items(&found[0].samples[..600])).is_none());
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

#[test]
fn blocks_tell_where_frames_are_and_what_they_are_like() {
    let settings =
        WifiSettings { mbps: 12, length: 60, gap_samples: 1500, amplitude: 0.5, frames: 3, seed: 1 };
    let kept = Arc::<Mutex<Vec<Value>>>::default();
    let mut graph = Graph::new();
    graph.add("source", WifiSource::new(&settings).unwrap());
    graph.add("tags", IndexTags::<C32>::new(256).unwrap());
    graph.add("sync", WifiSync::new(10e6).unwrap());
    graph.add("demod", WifiDemod::new());
    graph.add("keep", Keep { input: MsgIn::new(), kept: kept.clone() });
    for (from, to) in [("source", "tags"), ("tags", "sync"), ("sync", "demod"), ("demod", "keep")] {
        graph.connect_names(from, to);
    }
    graph.run().unwrap();
    let messages: Vec<Packet<u8>> =
        kept.lock().unwrap().drain(..).map(|message| Packet::try_from(message).unwrap()).collect();
    assert_eq!(messages.len(), 3);
    for (n, packet) in messages.iter().enumerate() {
        let number = |key| packet.get(key).and_then(Value::as_f64).unwrap();
        let samples = (400 + 80 * Rate::of_mbps(12).unwrap().symbols(60)) as f64;
        assert!(
            (number("sample_index") - (1500.0 + n as f64 * (1500.0 + samples))).abs() < 2.0,
            "{packet:?}"
        );
        assert_eq!((number("duration_samples"), number("mbps"), number("length")), (samples, 6.0, 60.0));
        assert!(number("frequency_hz").abs() < 1.0 && number("snr_db") > 25.0 && number("evm_db") < -40.0);
        assert_eq!(packet.items()[22..24], ((n as u16) << 4).to_le_bytes());
        assert_eq!(packet.len(), 56);
    }
}
