//! VITA 49.2 and DIFI as whole graphs: what was sent comes out, and losses are gaps at the exact sample.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use crate::keep::{Keep, Seen};
use superhet_io::blocks::{Vita49Settings, Vita49Sink, Vita49SinkSettings, Vita49Source};
use superhet_io::{C32, SampleFormat};
use superhet_runtime::RunningGraph;
use superhet_runtime::prelude::*;

const PATIENCE: Duration = Duration::from_secs(60);

/// Gives items with tags, few at a time: a socket's buffer is small in some places, and what does not fit is lost.
#[derive(Block)]
struct Tagged {
    #[port("out")]
    output: Out<C32>,
    items: Vec<C32>,
    tags: Vec<(usize, &'static str, Value)>,
    given: usize,
}

impl Work for Tagged {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        std::thread::sleep(Duration::from_millis(2));
        let n = (self.items.len() - self.given).min(500).min(self.output.room());
        let range = self.given..self.given + n;
        self.output.reserve()[..n].copy_from_slice(&self.items[range.clone()]);
        for (at, key, value) in self.tags.iter().filter(|(at, ..)| range.contains(at)) {
            self.output.tag(at - self.given, *key, value.clone());
        }
        self.output.produce(n);
        self.given += n;
        Ok(if self.given == self.items.len() { Step::Done } else { Step::Ran })
    }
}

fn listen(settings: Vita49Settings) -> (RunningGraph, SocketAddr, Seen<C32>) {
    let source = Vita49Source::new("127.0.0.1", 0, settings).unwrap().bind().unwrap();
    let address = source.local_addr().unwrap();
    let mut graph = Graph::new();
    let source = graph.add("source", source);
    let seen = Seen::default();
    let keep = graph.add("keep", Keep::all(&seen));
    graph.connect(source.output, keep.input);
    (graph.check().unwrap().start(&Threads, &Options::default()).unwrap(), address, seen)
}

fn send(port: u16, settings: Vita49SinkSettings, items: Vec<C32>, tags: Vec<(usize, &'static str, Value)>) {
    let mut graph = Graph::new();
    let source = graph.add("items", Tagged { output: Out::new(), items, tags, given: 0 });
    let sink = graph.add("sink", Vita49Sink::new("127.0.0.1", port, settings).unwrap());
    graph.connect(source.output, sink.input);
    graph.run().unwrap();
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Samples that every format holds: whole codes of 8 bits.
fn codes(count: usize) -> Vec<C32> {
    let code = |n: usize| (n % 256) as f32 / 128.0 - 1.0;
    (0..count).map(|n| C32::new(code(n), code(n * 7))).collect()
}

fn tagged(seen: &Seen<C32>, key: &str) -> Vec<(u64, Value)> {
    let seen = seen.lock().unwrap();
    seen.1.iter().filter(|tag| &*tag.key == key).map(|tag| (tag.index, tag.value.clone())).collect()
}

fn time(seconds: u64, fraction: f64) -> Value {
    Value::Tuple([Value::Uint(seconds), fraction.into()].into())
}

#[test]
fn samples_and_what_is_known_of_them_come_through_in_every_format() {
    for format in [SampleFormat::CS8, SampleFormat::CS16, SampleFormat::CF32] {
        let (graph, address, seen) = listen(Vita49Settings::default());
        let items = codes(5003);
        let settings =
            Vita49SinkSettings { stream: 7, gain_db: 20.5, ..Vita49SinkSettings::new(format, 48e3) };
        let tags = vec![
            (0, "rx_time", time(1_700_000_000, 0.25)),
            (0, "rx_freq", 433.92e6.into()),
            (1001, "rx_freq", 868.3e6.into()),
            (2400, "gap", 24_000.into()),
        ];
        send(address.port(), settings, items.clone(), tags);
        until("all samples come", || seen.lock().unwrap().0.len() >= items.len());
        let report = graph.stop_within(PATIENCE).unwrap();
        assert!(seen.lock().unwrap().0 == items, "{format}");
        assert_eq!(tagged(&seen, "rx_rate"), [(0, 48e3.into())]);
        assert_eq!(tagged(&seen, "rx_freq"), [(0, 433.92e6.into()), (1001, 868.3e6.into())]);
        assert_eq!(tagged(&seen, "rx_gain"), [(0, 20.5.into())]);
        // 2400 samples are 0.05 s, and 24 000 missing ones 0.5 s.
        let times = tagged(&seen, "rx_time");
        assert_eq!(times[0], (0, time(1_700_000_000, 0.25)), "{format}");
        let report = report.block("source").unwrap();
        assert_eq!((report.gaps, report.dropped_packets), (times.len() as u64 - 1, 0), "{format}");
    }
}

/// The packets that a sink sends of these items.
fn packets(settings: Vita49SinkSettings, items: usize) -> Vec<Vec<u8>> {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let port = receiver.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let mut packets = Vec::new();
        let mut packet = [0; 2000];
        let start = Instant::now();
        while packets.is_empty() && start.elapsed() < PATIENCE {
            while let Ok(n) = receiver.recv(&mut packet) {
                packets.push(packet[..n].to_vec());
            }
        }
        packets
    });
    send(port, settings, codes(items), vec![(0, "rx_time", time(1_700_000_000, 0.0))]);
    thread.join().unwrap()
}

#[test]
fn packets_that_get_lost_are_a_gap_at_the_exact_sample_however_many() {
    let settings =
        Vita49SinkSettings { packet_bytes: 128, ..Vita49SinkSettings::new(SampleFormat::CS16, 48e3) };
    // 24 samples in each: 96 bytes.
    let packets = packets(settings, 100 * 24);
    assert_eq!(packets.len(), 102);
    let (graph, address, seen) = listen(Vita49Settings::default());
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let data = &packets[2..];
    // 3 are lost, and 40; number 9 comes twice, number 12 late, and one of another stream and some garbage between them.
    let mut other = data[11].clone();
    other[7] = 9;
    let garbage = vec![0xff; 64];
    let cut = data[13][..100].to_vec();
    let order: Vec<&Vec<u8>> = packets[..2]
        .iter()
        .chain(&data[..5])
        .chain(&data[8..10])
        .chain([&data[9], &other, &garbage, &data[10], &data[11], &data[13], &data[12], &cut])
        .chain(&data[54..])
        .collect();
    for packet in order {
        sender.send_to(packet, address).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    let wanted: Vec<C32> = {
        let numbers = (0..5).chain(8..12).chain([13]).chain(54..100);
        let all = codes(100 * 24);
        numbers.flat_map(|number: usize| all[number * 24..][..24].to_vec()).collect()
    };
    until("all samples come", || seen.lock().unwrap().0.len() >= wanted.len());
    let report = graph.stop_within(PATIENCE).unwrap();
    assert!(seen.lock().unwrap().0 == wanted);
    let gaps = [(5 * 24, 3 * 24), (9 * 24, 24), (10 * 24, 40 * 24)];
    assert_eq!(tagged(&seen, "gap"), gaps.map(|(at, lost): (u64, u64)| (at, lost.into())));
    let report = report.block("source").unwrap();
    assert_eq!((report.gaps, report.lost_items, report.dropped_packets), (3, 44 * 24, 2));
}

#[test]
fn samples_before_their_format_is_known_are_dropped_and_the_parameter_says_it_too() {
    let packets = packets(Vita49SinkSettings::new(SampleFormat::CS8, 48e3), 100);
    for (format, items) in [(None, 0), (Some(SampleFormat::CS8), 100)] {
        let (graph, address, seen) = listen(Vita49Settings { format, ..Vita49Settings::default() });
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.send_to(&packets[2], address).unwrap();
        sender.send_to(&packets[0], address).unwrap();
        let dropped = |report: superhet_runtime::Report| report.block("source").unwrap().dropped_packets;
        until("the packet is looked at", || {
            seen.lock().unwrap().0.len() == items && dropped(graph.metrics()) == u64::from(items == 0)
        });
        graph.stop_within(PATIENCE).unwrap();
    }
}

#[test]
fn settings_out_of_their_ranges_are_refused_in_words() {
    let good = Vita49SinkSettings::new(SampleFormat::CS16, 48e3);
    let error = |settings| Vita49Sink::new("a", 1, settings).unwrap_err().to_string();
    for (settings, words) in [
        (
            Vita49SinkSettings { format: SampleFormat::CU8, ..good.clone() },
            "format is cu8, expected ci8, ci16 or cf32",
        ),
        (Vita49SinkSettings { rate_hz: 0.0, ..good.clone() }, "rate_hz is 0, expected more than 0"),
        (Vita49SinkSettings { center_hz: f64::NAN, ..good.clone() }, "frequency_hz is NaN"),
        (Vita49SinkSettings { gain_db: 256.0, ..good.clone() }, "gain_db is 256"),
        (
            Vita49SinkSettings { packet_bytes: 127, ..good.clone() },
            "packet_bytes is 127, expected 128 to 65504",
        ),
    ] {
        let error = error(settings);
        assert!(error.starts_with("vita49_sink: ") && error.contains(words), "{error}");
    }
}
