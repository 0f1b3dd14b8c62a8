//! Links between graphs over Zenoh, each with a session of its own, on this machine.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use superhet_io::link::Policy;
use superhet_runtime::prelude::*;
use superhet_runtime::{Packet, Report, RunningGraph, Tag};
use superhet_zenoh::{
    Place, SinkSettings, SourceSettings, ZenohMsgSink, ZenohMsgSource, ZenohSink, ZenohSource,
};

const HANG: Duration = Duration::from_secs(60);
const TAG_EVERY: u32 = 997;

/// The numbers from 0 on, with a tag at each of [`TAG_EVERY`], and the rate at the first.
#[derive(Block)]
struct Numbers {
    #[port("out")]
    output: Out<u32>,
    length: u32,
    next: u32,
    given: Arc<AtomicU64>,
}

impl Work for Numbers {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.output.room().min((self.length - self.next) as usize);
        if n == 0 && self.next < self.length {
            return Ok(Step::NeedOutput);
        }
        for number in self.next..self.next + n as u32 {
            if number == 0 {
                self.output.tag(0, "rx_rate", 1e6);
            }
            if number.is_multiple_of(TAG_EVERY) {
                self.output.tag((number - self.next) as usize, "number", u64::from(number));
            }
        }
        let first = self.next;
        self.output.reserve()[..n].iter_mut().zip(first..).for_each(|(item, number)| *item = number);
        self.output.produce(n);
        self.next += n as u32;
        self.given.store(self.next.into(), Ordering::Relaxed);
        Ok(if self.next == self.length { Step::Done } else { Step::Ran })
    }
}

/// What has come to a [`Keep`].
#[derive(Default)]
struct Seen {
    items: Vec<u32>,
    tags: Vec<Tag>,
}

/// Keeps items and tags, once it may.
#[derive(Block)]
struct Keep {
    #[port("in")]
    input: In<u32>,
    seen: Arc<Mutex<Seen>>,
    may: Arc<AtomicBool>,
}

impl Work for Keep {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.may.load(Ordering::Relaxed) && !context.is_stopping() {
            context.sleep_until(Instant::now() + Duration::from_millis(2));
            return Ok(Step::Ran);
        }
        let mut seen = self.seen.lock().unwrap();
        seen.tags.extend(self.input.tags());
        seen.items.extend(self.input.peek());
        let n = self.input.available();
        self.input.consume(n);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// Keeps messages.
#[derive(Block)]
struct KeepMessages {
    #[port("in")]
    input: MsgIn,
    seen: Arc<Mutex<Vec<Value>>>,
}

impl Work for KeepMessages {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            self.seen.lock().unwrap().push(message);
        }
        Ok(Step::NeedInput)
    }
}

fn start(graph: Graph) -> RunningGraph {
    graph.check().unwrap().start(&Threads, &Options::default()).unwrap()
}

fn ended(mut graph: RunningGraph) -> Report {
    graph.wait_for(HANG).expect("it ends").unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANG, "{what} does not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A key that no other test has.
fn place(name: &str) -> Place {
    Place::new(&format!("test/{}/{name}", std::process::id()))
}

struct Sender {
    graph: RunningGraph,
    given: Arc<AtomicU64>,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Sender {
    fn events(&self, what: &str) -> usize {
        let is_one = |event: &&Value| event.get("event") == Some(&Value::from(what));
        self.events.lock().unwrap().iter().filter(is_one).count()
    }
}

fn sender(place: &Place, length: u32, settings: SinkSettings) -> Sender {
    let (given, events) = <(Arc<AtomicU64>, Arc<Mutex<Vec<Value>>>)>::default();
    let mut graph = Graph::new();
    let numbers = Numbers { output: Out::new(), length, next: 0, given: given.clone() };
    let numbers = graph.add("numbers", numbers);
    let sink = graph.add("sink", ZenohSink::<u32>::new(place.clone(), settings).unwrap());
    let keep = graph.add("events", KeepMessages { input: MsgIn::new(), seen: events.clone() });
    graph.connect(numbers.output, sink.input);
    graph.connect(sink.events, keep.input);
    Sender { graph: start(graph), given, events }
}

struct Reader {
    graph: RunningGraph,
    seen: Arc<Mutex<Seen>>,
    may: Arc<AtomicBool>,
}

fn reader(place: &Place, settings: SourceSettings) -> Reader {
    let seen = Arc::<Mutex<Seen>>::default();
    let may = Arc::new(AtomicBool::new(true));
    let mut graph = Graph::new();
    let source = graph.add("source", ZenohSource::<u32>::new(place.clone(), settings).unwrap());
    let keep = graph.add("keep", Keep { input: In::new(), seen: seen.clone(), may: may.clone() });
    graph.connect(source.output, keep.input);
    Reader { graph: start(graph), seen, may }
}

/// All numbers have come, and their tags.
fn check_all(seen: &Seen, length: u32) {
    assert_eq!(seen.items.len(), length as usize);
    assert!(seen.items.iter().copied().eq(0..length));
    let tags: Vec<u64> = seen.tags.iter().filter(|tag| &*tag.key == "number").map(|tag| tag.index).collect();
    let expected: Vec<u64> = (0..length).step_by(TAG_EVERY as usize).map(u64::from).collect();
    assert_eq!(tags, expected);
    let rates: Vec<u64> =
        seen.tags.iter().filter(|tag| &*tag.key == "rx_rate").map(|tag| tag.index).collect();
    assert_eq!(rates, [0]);
    assert!(!seen.tags.iter().any(|tag| &*tag.key == "gap"));
}

#[test]
fn several_readers_get_every_item_and_tag() {
    let place = place("several");
    let length = 3_000_000;
    let readers = [(); 2].map(|()| reader(&place, SourceSettings::default()));
    let sender = sender(&place, length, SinkSettings { readers: 2, ..SinkSettings::default() });
    for reader in readers {
        ended(reader.graph);
        check_all(&reader.seen.lock().unwrap(), length);
    }
    wait_until("that both were told of", || sender.events("came") == 2);
    ended(sender.graph);
    assert_eq!(sender.events.lock().unwrap().len(), 4, "both came and went");
}

#[test]
fn a_sink_waits_for_a_reader_that_stalls_and_nothing_is_lost() {
    let place = place("stalls");
    let length = 4_000_000;
    let slow = reader(&place, SourceSettings { memory_bytes: 1 << 20, ..SourceSettings::default() });
    slow.may.store(false, Ordering::Relaxed);
    let sender = sender(&place, length, SinkSettings { chunk_bytes: 1 << 15, ..SinkSettings::default() });
    wait_until("the beginning", || sender.given.load(Ordering::Relaxed) > 200_000);
    std::thread::sleep(Duration::from_millis(500));
    let held = sender.given.load(Ordering::Relaxed);
    assert!(held < u64::from(length), "16 MB do not fit into 1 MiB and the rings between: {held} items");
    slow.may.store(true, Ordering::Relaxed);
    ended(slow.graph);
    check_all(&slow.seen.lock().unwrap(), length);
    ended(sender.graph);
}

#[test]
fn a_reader_that_may_drop_loses_at_its_own_ring_and_counts_while_others_get_all() {
    let place = place("drops");
    let length = 8_000_000;
    let drops = SourceSettings { policy: Policy::Drop, memory_bytes: 1 << 20, ..SourceSettings::default() };
    let stalls = reader(&place, drops);
    stalls.may.store(false, Ordering::Relaxed);
    let other = reader(&place, SourceSettings::default());
    let sender = sender(&place, length, SinkSettings { readers: 2, ..SinkSettings::default() });
    ended(other.graph);
    check_all(&other.seen.lock().unwrap(), length);
    stalls.may.store(true, Ordering::Relaxed);
    let report = ended(stalls.graph);
    let seen = stalls.seen.lock().unwrap();
    let lost: u64 = length as u64 - seen.items.len() as u64;
    assert!(lost > 1_000_000, "32 MB do not fit into 1 MiB and the rings behind: {lost} items were lost");
    let block = report.block("source").unwrap();
    assert_eq!(block.lost_items, lost);
    assert!(block.dropped_packets > 0);
    // What a gap says is what the numbers miss.
    let gaps: Vec<(usize, u64)> = seen
        .tags
        .iter()
        .filter(|tag| &*tag.key == "gap")
        .map(|tag| (tag.index as usize, tag.value.as_u64().unwrap()))
        .collect();
    for (index, items) in gaps {
        if let Some(next) = seen.items.get(index) {
            assert_eq!(u64::from(next - seen.items[index - 1] - 1), items);
        }
    }
    ended(sender.graph);
}

#[test]
fn messages_and_packets_come_as_they_were_sent() {
    let place = place("messages");
    let packet = Value::from(Packet::from_items(&[1.0f32, -1.0]));
    let messages: Vec<Value> = (0..2000)
        .map(|n: u64| match n % 3 {
            0 => n.into(),
            1 => Value::map([("icao", Value::from("3c6481")), ("n", n.into())]),
            _ => packet.clone(),
        })
        .collect();
    let seen = Arc::<Mutex<Vec<Value>>>::default();
    let mut graph = Graph::new();
    let source = graph.add("source", ZenohMsgSource::new(place.clone(), SourceSettings::default()).unwrap());
    let keep = graph.add("keep", KeepMessages { input: MsgIn::new(), seen: seen.clone() });
    graph.connect(source.output, keep.input);
    let reader = start(graph);
    let mut graph = Graph::new();
    let says = graph.add("says", Says { output: MsgOut::new(), messages: messages.clone().into() });
    let sink = graph.add("sink", ZenohMsgSink::new(place, SinkSettings::default()).unwrap());
    graph.connect(says.output, sink.input);
    let sender = start(graph);
    ended(reader);
    ended(sender);
    assert_eq!(*seen.lock().unwrap(), messages);
}

/// Sends messages.
#[derive(Block)]
struct Says {
    #[port("out")]
    output: MsgOut,
    messages: std::collections::VecDeque<Value>,
}

impl Work for Says {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let Some(message) = self.messages.pop_front() else { return Ok(Step::Done) };
        self.output.send(message)?;
        Ok(Step::Ran)
    }
}

#[test]
fn a_reader_of_other_items_is_told_what_the_stream_has() {
    let place = place("other");
    let sender = sender(&place, 1000, SinkSettings::default());
    let mut graph = Graph::new();
    let source = graph.add("source", ZenohSource::<f32>::new(place, SourceSettings::default()).unwrap());
    let sink = graph.add("sink", superhet_runtime::harness::VecSink::<f32>::new());
    graph.connect(source.output, sink.input);
    let error = start(graph).wait_for(HANG).expect("it ends").unwrap_err().to_string();
    assert!(error.contains("the stream has u32, expected f32"), "{error}");
    sender.graph.stop_within(HANG).unwrap();
}

#[test]
fn a_sink_that_is_stopped_ends_the_stream_of_its_readers() {
    let place = place("stopped");
    let reader = reader(&place, SourceSettings::default());
    let sender = sender(&place, u32::MAX, SinkSettings::default());
    wait_until("items", || reader.seen.lock().unwrap().items.len() > 100_000);
    sender.graph.stop_within(HANG).unwrap();
    let report = ended(reader.graph);
    let seen = reader.seen.lock().unwrap();
    assert!(seen.items.iter().copied().eq(0..seen.items.len() as u32), "what has come has no hole");
    assert_eq!(report.block("source").unwrap().gaps, 0);
}

#[test]
fn a_graph_whose_reader_takes_nothing_ends_when_it_is_asked_to() {
    let place = place("ends");
    let reader = reader(&place, SourceSettings { memory_bytes: 1 << 20, ..SourceSettings::default() });
    reader.may.store(false, Ordering::Relaxed);
    let sender = sender(&place, u32::MAX, SinkSettings::default());
    wait_until("the beginning", || sender.given.load(Ordering::Relaxed) > 100_000);
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    sender.graph.stop_within(HANG).unwrap();
    reader.graph.stop_within(HANG).unwrap();
    assert!(start.elapsed() < HANG / 2);
}

#[cfg(feature = "command")]
#[test]
fn graph_files_find_the_blocks_and_the_radio() {
    superhet_zenoh::register();
    let registry = superhet::registry();
    for entry in superhet_zenoh::ENTRIES {
        assert_eq!(registry.find(entry.name).unwrap().summary, entry.summary);
    }
    let given = [("uri".to_owned(), Value::from("zenoh://test/radio"))].into();
    assert!(registry.find("radio").unwrap().build(&given).is_ok());
    let given = [("uri".to_owned(), Value::from("zenoh://test/*"))].into();
    assert!(registry.find("radio").unwrap().build(&given).is_err());
}
