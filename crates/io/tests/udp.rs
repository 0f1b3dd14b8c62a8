//! Samples over UDP, as whole graphs: what GNU Radio sends, losses on the way and in a graph that is too slow.

use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::TempDir;
use superhet_io::blocks::*;
use superhet_io::sigmf::Recording;
use superhet_io::{C32, Endian, Number, SampleFormat, Shape};
use superhet_runtime::prelude::*;
use superhet_runtime::{RunningGraph, Tag, gap::OnGap};

type Seen<T> = Arc<Mutex<(Vec<T>, Vec<Tag>)>>;

/// Keeps items and tags, and takes its time.
#[derive(Block)]
struct Keep<T: Item> {
    #[port("in")]
    input: In<T>,
    seen: Seen<T>,
    delay: Duration,
}

impl<T: Item> Work for Keep<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        std::thread::sleep(self.delay);
        let mut seen = self.seen.lock().unwrap();
        seen.1.extend(self.input.tags());
        seen.0.extend_from_slice(self.input.peek());
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.seen.lock().unwrap().1.extend(self.input.tags());
        Ok(Step::Done)
    }
}

/// Gives few items at a time: a socket's buffer is small in some places, and what does not fit is lost.
#[derive(Block)]
struct Slowly {
    #[port("out")]
    output: Out<C32>,
    items: Vec<C32>,
    given: usize,
}

impl Work for Slowly {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        std::thread::sleep(Duration::from_millis(3));
        let left = &self.items[self.given..];
        let n = left.len().min(60).min(self.output.room());
        self.output.reserve()[..n].copy_from_slice(&left[..n]);
        self.output.produce(n);
        self.given += n;
        Ok(if self.given == self.items.len() { Step::Done } else { Step::Ran })
    }
}

const S32: SampleFormat = SampleFormat::new(Shape::Real, Number::I32, Endian::Little);

/// A source of `i32` that listens, its address, and what comes out of it.
fn listening(settings: UdpSettings, delay: Duration) -> (RunningGraph, SocketAddr, Seen<i32>) {
    let source = UdpSource::<i32>::new("127.0.0.1", 0, S32, settings).unwrap().bind().unwrap();
    let address = source.local_addr().unwrap();
    let mut graph = Graph::new();
    let source = graph.add("udp", source);
    let seen = Seen::default();
    let keep = graph.add("keep", Keep { input: In::new().max(1000), seen: seen.clone(), delay });
    graph.connect(source.output, keep.input);
    (graph.check().unwrap().start(&Threads, &Options::default()).unwrap(), address, seen)
}

/// A datagram as GNU Radio sends it: its number, and samples from `first` on.
fn datagram(number: u64, first: i32, samples: i32) -> Vec<u8> {
    let samples = (first..first + samples).flat_map(i32::to_le_bytes);
    number.to_le_bytes().into_iter().chain(samples).collect()
}

fn settings() -> UdpSettings {
    // 10 samples in each datagram.
    UdpSettings { header: UdpHeader::Sequence, packet_bytes: 48, eof: true, ..UdpSettings::default() }
}

fn finish(mut running: RunningGraph) -> superhet_runtime::Report {
    running.wait_for(Duration::from_secs(20)).expect("it ends").unwrap()
}

fn gaps(seen: &Seen<i32>) -> Vec<(u64, Value)> {
    let seen = seen.lock().unwrap();
    let gaps = seen.1.iter().filter(|tag| tag.key.starts_with("gap"));
    gaps.map(|tag| (tag.index, tag.value.clone())).collect()
}

#[test]
fn datagrams_that_get_lost_are_a_gap_at_the_exact_sample() {
    let losses = |on_gap| {
        let (running, address, seen) = listening(UdpSettings { on_gap, ..settings() }, Duration::ZERO);
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let send = |bytes: &[u8]| {
            sender.send_to(bytes, address).unwrap();
        };
        send(&datagram(1, 0, 10));
        send(&datagram(2, 10, 10));
        send(&datagram(5, 40, 10));
        send(&datagram(4, 30, 10)); // counted as lost already
        send(&datagram(6, 50, 10)[..21]); // half a sample
        send(&datagram(7, 60, 3));
        send(&[]);
        let result = { running }.wait_for(Duration::from_secs(20)).expect("it ends");
        let items = seen.lock().unwrap().0.clone();
        (result, items, gaps(&seen))
    };
    let samples = |from: i32, to: i32| (from..to).collect::<Vec<_>>();
    let (result, items, tags) = losses(OnGap::Continue);
    let report = result.unwrap();
    assert_eq!(items, [samples(0, 20), samples(40, 50), samples(60, 63)].concat());
    assert_eq!(tags, [(20, 20u64.into()), (30, 10u64.into())]);
    let udp = report.block("udp").unwrap();
    assert_eq!((udp.gaps, udp.lost_items), (2, 30));
    assert!(report.to_string().contains("udp: 2 gaps in what it gives, 30 items lost"), "{report}");

    let (result, items, tags) = losses(OnGap::Zeros);
    result.unwrap();
    let zeros = |n| vec![0; n];
    assert_eq!(items, [samples(0, 20), zeros(20), samples(40, 50), zeros(10), samples(60, 63)].concat());
    assert_eq!(tags, [(20, 20u64.into()), (50, 10u64.into())]);

    let (result, items, _) = losses(OnGap::Error);
    let error = result.unwrap_err().to_string();
    assert_eq!(error, "block udp failed: 20 items were lost before item 20");
    assert_eq!(items, samples(0, 20));
}

#[test]
fn a_graph_that_is_too_slow_loses_samples_and_says_which() {
    let settings = UdpSettings { buffer_packets: 4, ..settings() };
    let (running, address, seen) = listening(settings, Duration::from_millis(3));
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let datagrams = 20_000;
    for n in 0..datagrams {
        sender.send_to(&datagram(n + 1, n as i32 * 10, 10), address).unwrap();
        if n % 50 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    // What follows a pause finds room, and tells what is missing before it.
    std::thread::sleep(Duration::from_millis(500));
    for n in 0..3 {
        sender.send_to(&datagram(datagrams + n + 1, (datagrams + n) as i32 * 10, 10), address).unwrap();
    }
    sender.send_to(&[], address).unwrap();
    let report = finish(running);
    let (gaps, seen) = (gaps(&seen), seen.lock().unwrap());
    let udp = report.block("udp").unwrap();
    assert!(udp.lost_items > 0);
    assert_eq!(seen.0.len() as u64 + udp.lost_items, 10 * (datagrams + 3));
    assert_eq!(udp.gaps, gaps.len() as u64);
    let mut expected = 0;
    for (index, item) in seen.0.iter().enumerate() {
        let lost = gaps.iter().filter(|(at, _)| *at == index as u64).filter_map(|(_, lost)| lost.as_i64());
        expected += lost.sum::<i64>();
        assert_eq!(i64::from(*item), expected, "item {index}");
        expected += 1;
    }
}

#[test]
fn a_recording_begins_a_capture_at_each_gap_and_tells_it_when_it_is_read() {
    let folder = TempDir::new();
    let path = folder.path().join("lossy");
    let source = UdpSource::<i32>::new("127.0.0.1", 0, S32, UdpSettings { rate_hz: Some(1e6), ..settings() });
    let source = source.unwrap().bind().unwrap();
    let address = source.local_addr().unwrap();
    let mut graph = Graph::new();
    let source = graph.add("udp", source);
    let sink = graph.add("sink", SigmfSink::<i32>::create(&path, S32, None, None).unwrap());
    graph.connect(source.output, sink.input);
    let running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in [1, 2, 5, 100] {
        sender.send_to(&datagram(number, 0, 10), address).unwrap();
    }
    // The sender begins anew: nobody knows what is missing.
    sender.send_to(&datagram(1 << 60, 0, 10), address).unwrap();
    sender.send_to(&[], address).unwrap();
    finish(running);

    let recording = Recording::open(&path).unwrap();
    let captures = &recording.meta().captures;
    let places: Vec<_> = captures.iter().map(|c| (c.sample_start, c.global_index)).collect();
    assert_eq!(places, [(0, Some(0)), (20, Some(40)), (30, Some(990)), (40, None)]);
    let seconds = |place: usize| {
        let time: Value = captures[place].datetime.as_deref().unwrap().into();
        superhet_runtime::clock::Moment::from_value(&time).unwrap()
    };
    assert!((seconds(1).since(seconds(0)) - 40e-6).abs() < 1e-8);
    assert!((seconds(2).since(seconds(0)) - 990e-6).abs() < 1e-8);
    assert!(captures[3].datetime.is_some(), "the time at which it came");

    let mut graph = Graph::new();
    let source = graph.add("source", SigmfSource::<i32>::new(&recording).unwrap());
    let seen = Seen::default();
    let keep = Keep { input: In::new(), seen: seen.clone(), delay: Duration::ZERO };
    let keep = graph.add("keep", keep);
    graph.connect(source.output, keep.input);
    graph.run().unwrap();
    assert_eq!(gaps(&seen), [(20, 20u64.into()), (30, 940u64.into())]);
}

#[test]
fn what_a_sink_sends_a_source_gives_in_every_format_and_with_every_header() {
    for header in [UdpHeader::None, UdpHeader::Sequence, UdpHeader::SequenceAndSize] {
        for (format, packet_bytes) in [("cf32_le", 1472), ("ci16_be", 100), ("cu8", 18)] {
            let format: SampleFormat = format.parse().unwrap();
            let settings = UdpSettings { header, packet_bytes, eof: true, ..UdpSettings::default() };
            let source = UdpSource::<C32>::new("localhost", 0, format, settings).unwrap().bind().unwrap();
            let address = source.local_addr().unwrap();
            let mut graph = Graph::new();
            let source = graph.add("udp", source);
            let seen = Seen::default();
            let keep = Keep { input: In::new(), seen: seen.clone(), delay: Duration::ZERO };
            let keep = graph.add("keep", keep);
            graph.connect(source.output, keep.input);
            let running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();

            let items: Vec<C32> = (0..501).map(|n| C32::new(n as f32 / 1000.0, -0.25)).collect();
            let mut graph = Graph::new();
            let slowly = Slowly { output: Out::new(), items: items.clone(), given: 0 };
            let source = graph.add("source", slowly);
            let sink = UdpSink::new(&address.ip().to_string(), address.port(), format, header, packet_bytes);
            let sink = graph.add("sink", sink.unwrap().send_eof());
            graph.connect(source.output, sink.input);
            graph.run().unwrap();

            finish(running);
            let seen = seen.lock().unwrap();
            assert_eq!(seen.0.len(), 501, "{header:?} {format}");
            assert!(seen.0.iter().zip(&items).all(|(y, x)| (y - x).norm() < 0.01), "{header:?} {format}");
            assert!(!seen.1.iter().any(|tag| tag.key.starts_with("gap")), "{header:?} {format}");
        }
    }
}

#[test]
fn a_source_that_nobody_sends_to_gives_zeros_where_set_so_and_stops_at_once() {
    for source_zeros in [false, true] {
        let (running, _, seen) = listening(UdpSettings { source_zeros, ..settings() }, Duration::ZERO);
        let start = Instant::now();
        while source_zeros && seen.lock().unwrap().0.is_empty() {
            assert!(start.elapsed() < Duration::from_secs(30));
            std::thread::sleep(Duration::from_millis(5));
        }
        running.stop_within(Duration::from_secs(30)).unwrap();
        let seen = seen.lock().unwrap();
        assert!(seen.0.iter().all(|item| *item == 0) && seen.0.is_empty() != source_zeros);
    }
}

#[test]
fn settings_that_cannot_be_say_what_was_expected_and_a_port_in_use_says_so_at_the_start() {
    let small = UdpSettings { packet_bytes: 11, ..settings() };
    let error = UdpSource::<i32>::new("127.0.0.1", 0, S32, small).unwrap_err().to_string();
    assert_eq!(
        error,
        "udp_source: packet_bytes is 11, expected 12 to 65507 bytes, the header and at least one ri32_le sample"
    );
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let source = UdpSource::<i32>::new("127.0.0.1", address.port(), S32, settings()).unwrap();
    let mut graph = Graph::new();
    let source = graph.add("udp", source);
    let keep = Keep { input: In::new(), seen: Seen::default(), delay: Duration::ZERO };
    let keep = graph.add("keep", keep);
    graph.connect(source.output, keep.input);
    let error = graph.run().unwrap_err().to_string();
    assert!(error.starts_with(&format!("block udp failed: cannot listen at {address}: ")), "{error}");
}
