//! Links between graphs, over loopback and through a proxy that delays, cuts and garbles.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use superhet_io::blocks::{
    LinkMsgSink, LinkMsgSource, LinkSink, LinkSinkSettings, LinkSource, LinkSourceSettings,
};
use superhet_io::link::{Policy, Token};
use superhet_runtime::prelude::*;
use superhet_runtime::{Packet, Report, RunningGraph, Tag, clock::StreamClock};

use crate::keep::{Keep, Seen};
use crate::proxy::{Faults, Log, Proxy};

const HANG: Duration = Duration::from_secs(60);

/// The numbers from 0 on, with a tag at each of [`TAG_EVERY`], and the rate at the first.
#[derive(Block)]
struct Numbers {
    #[port("out")]
    output: Out<u32>,
    length: u32,
    next: u32,
    /// How many it has given.
    given: Arc<AtomicU64>,
    /// How many it gives at once, and how long it waits then.
    pace: (usize, Duration),
}

const TAG_EVERY: u32 = 997;
const RATE_HZ: f64 = 1e6;

impl Numbers {
    fn up_to(length: u32, pace: (usize, Duration)) -> Self {
        Numbers { output: Out::new(), length, next: 0, given: Arc::default(), pace }
    }
}

impl Work for Numbers {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let (most, wait) = self.pace;
        let n = self.output.room().min(most).min((self.length - self.next) as usize);
        if n == 0 {
            return Ok(Step::NeedOutput);
        }
        for offset in 0..n as u32 {
            let number = self.next + offset;
            if number == 0 {
                self.output.tag(0, "rx_rate", RATE_HZ);
                self.output.tag(0, "rx_time", 1000.0);
            }
            if number.is_multiple_of(TAG_EVERY) {
                self.output.tag(offset as usize, "number", u64::from(number));
            }
        }
        let first = self.next;
        self.output.reserve()[..n].iter_mut().zip(first..).for_each(|(item, number)| *item = number);
        self.output.produce(n);
        self.next += n as u32;
        self.given.store(self.next.into(), Ordering::Relaxed);
        if !wait.is_zero() {
            context.sleep_until(Instant::now() + wait);
        }
        Ok(if self.next == self.length { Step::Done } else { Step::Ran })
    }

    fn blocking(&self) -> bool {
        !self.pace.1.is_zero()
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

/// A graph that sends numbers, its address, and what its sink says.
fn sender(
    numbers: Numbers,
    settings: LinkSinkSettings,
) -> (RunningGraph, SocketAddr, Arc<Mutex<Vec<Value>>>) {
    let scheme = if settings.certificate.is_some() { "tls" } else { "tcp" };
    let (running, address, events) = sender_at(&format!("{scheme}://127.0.0.1:0"), numbers, settings);
    (running, address.unwrap(), events)
}

fn sender_at(
    place: &str,
    numbers: Numbers,
    settings: LinkSinkSettings,
) -> (RunningGraph, Option<SocketAddr>, Arc<Mutex<Vec<Value>>>) {
    let events = Arc::<Mutex<Vec<Value>>>::default();
    let sink = LinkSink::<u32>::new(place, settings).unwrap().open().unwrap();
    let address = sink.local_addr();
    let mut graph = Graph::new();
    graph.add("numbers", numbers);
    graph.add("sink", sink);
    graph.add("events", KeepMessages { input: MsgIn::new(), seen: events.clone() });
    graph.connect_names("numbers", "sink");
    graph.connect_names("sink.events", "events");
    (start(graph), address, events)
}

/// A graph that keeps what it gets of a link.
fn reader(address: SocketAddr, settings: LinkSourceSettings, most: usize) -> (RunningGraph, Seen<u32>) {
    let scheme = if settings.authority.is_some() { "tls" } else { "tcp" };
    reader_at(&format!("{scheme}://{address}"), settings, most)
}

fn reader_at(place: &str, settings: LinkSourceSettings, most: usize) -> (RunningGraph, Seen<u32>) {
    let seen = Seen::<u32>::default();
    let mut graph = Graph::new();
    graph.add("source", LinkSource::<u32>::new(place, settings).unwrap());
    graph.add("keep", Keep::up_to(&seen, most));
    graph.connect_names("source", "keep");
    (start(graph), seen)
}

fn named(name: &str) -> LinkSourceSettings {
    LinkSourceSettings { name: name.to_owned(), ..LinkSourceSettings::default() }
}

/// What is missing in a stream of numbers, as its gap tags say, which must be true.
fn gaps(items: &[u32], tags: &[Tag]) -> Vec<(u64, u64)> {
    let (mut found, mut next) = (Vec::new(), 0);
    let mut missing = tags.iter().filter(|tag| &*tag.key == "gap").peekable();
    for (index, item) in items.iter().enumerate() {
        let item = u64::from(*item);
        if let Some(tag) = missing.next_if(|tag| tag.index == index as u64) {
            assert_eq!(tag.value.as_u64(), Some(item - next), "before item {index}");
            found.push((next, item));
        } else {
            assert_eq!(item, next, "item {index} without a gap");
        }
        next = item + 1;
    }
    found
}

/// The tags of numbers that are there are at their items, and nowhere else.
fn assert_tags(items: &[u32], tags: &[Tag]) {
    let is_at = |tag: &Tag| tag.value.as_u64() == items.get(tag.index as usize).map(|item| u64::from(*item));
    let numbers = tags.iter().filter(|tag| &*tag.key == "number");
    assert!(numbers.clone().all(is_at));
    assert_eq!(numbers.count(), items.iter().filter(|item| item.is_multiple_of(TAG_EVERY)).count());
}

fn here() -> Arc<dyn Fn() -> bool + Send + Sync> {
    Arc::new(|| false)
}

#[test]
fn nothing_is_lost_with_block_through_a_proxy_that_delays_cuts_and_garbles() {
    const LENGTH: u32 = 3_000_000;
    let settings = LinkSinkSettings { readers: 2, hold: HANG, ..LinkSinkSettings::default() };
    let (sender, address, events) = sender(Numbers::up_to(LENGTH, (10_000, Duration::ZERO)), settings);
    let faults = Faults { seed: 11, cuts: 20, garbles: 30, delays: 20, is_away: here() };
    let proxy = Proxy::new(address, faults);
    let (near, near_seen) = reader(address, named("near"), usize::MAX);
    let (far, far_seen) = reader(proxy.address, named("far"), usize::MAX);
    let report = ended(far);
    ended(near);
    let sent = ended(sender);
    for (name, seen) in [("near", near_seen), ("far", far_seen)] {
        let (items, tags) = &*seen.lock().unwrap();
        assert_eq!(items.len(), LENGTH as usize, "{name}");
        assert_eq!(gaps(items, tags), [], "{name}");
        assert_tags(items, tags);
    }
    assert_eq!(report.block("source").unwrap().gaps, 0);
    assert_eq!(sent.block("sink").unwrap().dropped_packets, 0);
    let log = proxy.log.lock().unwrap();
    assert!(log.cuts > 0 && log.garbled > 0, "{} cuts, {} garbled", log.cuts, log.garbled);
    assert_eq!(log.missing(LENGTH.into()), []);
    let left = events
        .lock()
        .unwrap()
        .iter()
        .filter(|event| event.get("event").and_then(Value::as_str) == Some("left"))
        .count();
    assert!(left > 0);
}

#[test]
fn with_drop_the_gaps_are_what_the_proxy_has_not_passed_and_the_sink_says_the_same() {
    const LENGTH: u32 = 12_000_000;
    let numbers = Numbers::up_to(LENGTH, (20_000, Duration::from_millis(5)));
    let given = numbers.given.clone();
    let settings = LinkSinkSettings {
        policy: Policy::Drop,
        memory_bytes: 1 << 23,
        hold: HANG,
        ..LinkSinkSettings::default()
    };
    let (sender, address, events) = sender(numbers, settings);
    // Twice, it lets nobody through for 1.2 million items, 300 ms: 4.8 MB where the ring has 2 MiB, 130 ms. A reader that tries again after 100,
    // 200 and 400 ms is back long before the next time, and before the end.
    let is_away = move || {
        [1_000_000, 6_000_000]
            .iter()
            .any(|from| (*from..from + 1_200_000).contains(&given.load(Ordering::Relaxed)))
    };
    let faults = Faults { seed: 5, cuts: 50, garbles: 70, delays: 50, is_away: Arc::new(is_away) };
    let proxy = Proxy::new(address, faults);
    let (far, seen) = reader(proxy.address, named("far"), usize::MAX);
    let report = ended(far);
    let sent = ended(sender);
    let (items, tags) = &*seen.lock().unwrap();
    let mut found = gaps(items, tags);
    assert!(found.len() >= 2, "{found:?}");
    assert_tags(items, tags);
    // A gap at the end has no item behind it: it is counted, and no tag tells of it.
    let end = items.last().map_or(0, |last| u64::from(*last) + 1);
    if end < LENGTH.into() {
        found.push((end, LENGTH.into()));
    }

    let log: &Log = &proxy.log.lock().unwrap();
    assert_eq!(log.missing(LENGTH.into()), found, "what the proxy has not passed");
    let lost: u64 = found.iter().map(|(first, end)| end - first).sum();
    assert_eq!(report.block("source").unwrap().lost_items, lost);
    assert_eq!(report.block("source").unwrap().gaps, found.len() as u64);
    let said: Vec<(u64, u64)> = events
        .lock()
        .unwrap()
        .iter()
        .filter(|event| event.get("event").and_then(Value::as_str) == Some("lost"))
        .map(|event| {
            let (first, items) = (
                event.get("index").and_then(Value::as_u64).unwrap(),
                event.get("items").and_then(Value::as_u64).unwrap(),
            );
            (first, first + items)
        })
        .collect();
    assert_eq!(said, found, "what the sink says");
    assert!(sent.block("sink").unwrap().dropped_packets > 0);

    // A clock goes on right behind the gaps.
    let mut clock = StreamClock::new();
    tags.iter().for_each(|tag| clock.note(tag));
    let (index, last) = (items.len() as u64 - 1, *items.last().unwrap());
    let time = clock.time_of(index).unwrap();
    assert!(
        (time.since(superhet_runtime::clock::Moment { seconds: 1000, fraction: 0.0 })
            - f64::from(last) / RATE_HZ)
            .abs()
            < 1e-6
    );
}

#[test]
fn whoever_has_the_name_goes_on_where_the_last_one_has_stopped() {
    const LENGTH: u32 = 1_000_000;
    let settings = LinkSinkSettings { hold: HANG, ..LinkSinkSettings::default() };
    let (sender, address, events) = sender(Numbers::up_to(LENGTH, (1000, Duration::ZERO)), settings);
    let (first, seen) = reader(address, named("decoder"), usize::MAX);
    wait_until("the first reader gets something", || !seen.lock().unwrap().0.is_empty());
    first.cancel();
    let _ = first.wait();
    let before = seen.lock().unwrap().0.clone();

    let (second, seen) =
        reader(address, LinkSourceSettings { from_start: true, ..named("decoder") }, usize::MAX);
    ended(second);
    ended(sender);
    let (items, tags) = &*seen.lock().unwrap();
    let begins = items[0];
    assert!(begins as usize <= before.len() + 200_000, "what was acknowledged had come");
    assert!(items.iter().copied().eq(begins..LENGTH));
    if begins > 0 {
        let gap = tags.iter().find(|tag| &*tag.key == "gap").expect("it is told where it begins");
        assert_eq!((gap.index, gap.value.as_u64()), (0, Some(begins.into())));
        let rate = tags.iter().find(|tag| &*tag.key == "rx_rate").expect("and how fast it goes");
        assert_eq!((rate.index, rate.value.as_f64()), (0, Some(RATE_HZ)));
    }
    let kinds: Vec<String> = events
        .lock()
        .unwrap()
        .iter()
        .map(|event| event.get("event").and_then(Value::as_str).unwrap().to_owned())
        .collect();
    assert!(kinds.starts_with(&["came", "left", "returned"].map(str::to_owned)), "{kinds:?}");
}

#[test]
fn a_sink_that_was_started_anew_is_a_gap_of_unknown_length() {
    let (first, address, _) =
        sender(Numbers::up_to(u32::MAX, (1000, Duration::from_millis(1))), LinkSinkSettings::default());
    let (reader, seen) = reader(address, named("a"), usize::MAX);
    wait_until("something comes", || !seen.lock().unwrap().0.is_empty());
    first.cancel();
    let _ = first.wait();
    let sink = LinkSink::<u32>::new(&format!("tcp://{address}"), LinkSinkSettings::default())
        .unwrap()
        .open()
        .unwrap();
    let mut graph = Graph::new();
    graph.add("numbers", Numbers::up_to(5000, (1000, Duration::ZERO)));
    graph.add("sink", sink);
    graph.connect_names("numbers", "sink");
    let second = start(graph);
    let report = ended(reader);
    ended(second);
    let (items, tags) = &*seen.lock().unwrap();
    let gap = tags.iter().find(|tag| &*tag.key == "gap").unwrap();
    assert!(matches!(gap.value, Value::Null));
    assert!(items[gap.index as usize..].iter().copied().eq(0..5000));
    assert_eq!((report.block("source").unwrap().gaps, report.block("source").unwrap().lost_items), (1, 0));
}

#[test]
fn readers_without_the_token_or_of_another_type_are_told_so() {
    let token = |text: &str| Token::from_text(text);
    let settings = LinkSinkSettings { token: token("the right one"), ..LinkSinkSettings::default() };
    let (sender, address, _) = sender(Numbers::up_to(100, (10, Duration::ZERO)), settings);
    let problem = |graph: Graph| start(graph).wait_for(HANG).expect("it ends").unwrap_err().to_string();
    let mut graph = Graph::new();
    let wrong = LinkSourceSettings { token: token("a wrong one"), ..LinkSourceSettings::default() };
    graph.add("source", LinkSource::<u32>::new(&format!("tcp://{address}"), wrong).unwrap());
    graph.add("keep", Keep::all(&Seen::<u32>::default()));
    graph.connect_names("source", "keep");
    let error = problem(graph);
    assert!(error.contains("does not let this reader in: it does not have the token"), "{error}");

    let right = || LinkSourceSettings { token: token("the right one"), ..LinkSourceSettings::default() };
    let mut graph = Graph::new();
    graph.add("source", LinkSource::<f32>::new(&format!("tcp://{address}"), right()).unwrap());
    graph.add("keep", Keep::all(&Seen::<f32>::default()));
    graph.connect_names("source", "keep");
    let error = problem(graph);
    assert!(error.contains("the stream has u32, expected f32"), "{error}");

    let (reader, seen) = reader(address, right(), usize::MAX);
    ended(reader);
    ended(sender);
    assert_eq!(seen.lock().unwrap().0.len(), 100);
}

#[test]
fn messages_and_packets_come_once_each_in_order_through_a_proxy() {
    const MESSAGES: usize = 20_000;
    #[derive(Block)]
    struct Many {
        #[port("out")]
        output: MsgOut,
        sent: usize,
    }
    impl Work for Many {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            self.output.send(message(self.sent))?;
            self.sent += 1;
            Ok(if self.sent == MESSAGES { Step::Done } else { Step::Ran })
        }
    }
    fn message(n: usize) -> Value {
        match n % 3 {
            0 => {
                let mut packet = Packet::from_items(&[n as f32, -1.0]);
                packet.set("number", n as u64);
                packet.into()
            }
            1 => Value::map([
                ("n", Value::from(n as u64)),
                ("x", (n as f64 / 7.0).into()),
                ("none", Value::Null),
            ]),
            _ => Value::from(format!("text {n}")),
        }
    }
    let settings = LinkSinkSettings { hold: HANG, ..LinkSinkSettings::default() };
    let sink = LinkMsgSink::new("tcp://127.0.0.1:0", settings).unwrap().open().unwrap();
    let faults = Faults { seed: 3, cuts: 10, garbles: 15, delays: 20, is_away: here() };
    let proxy = Proxy::new(sink.local_addr().unwrap(), faults);
    let mut graph = Graph::new();
    graph.add("many", Many { output: MsgOut::new(), sent: 0 });
    graph.add("sink", sink);
    graph.connect_names("many", "sink");
    let sender = start(graph);
    let seen = Arc::<Mutex<Vec<Value>>>::default();
    let mut graph = Graph::new();
    graph.add("source", LinkMsgSource::new(&format!("tcp://{}", proxy.address), named("a")).unwrap());
    graph.add("keep", KeepMessages { input: MsgIn::new(), seen: seen.clone() });
    graph.connect_names("source", "keep");
    let report = ended(start(graph));
    ended(sender);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), MESSAGES);
    for (n, got) in seen.iter().enumerate() {
        assert_eq!(*got, message(n), "message {n}");
    }
    assert_eq!(report.block("source").unwrap().dropped_packets, 0);
    assert!(proxy.log.lock().unwrap().cuts > 0);
}

#[test]
fn a_reader_that_comes_late_while_nothing_comes_gets_what_comes_then() {
    /// Gives one item for each message.
    #[derive(Block)]
    struct OnDemand {
        #[port("go")]
        go: MsgIn,
        #[port("out")]
        output: Out<u32>,
    }
    impl Work for OnDemand {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            if self.output.room() == 0 {
                return Ok(Step::NeedOutput);
            }
            let Some(number) = self.go.recv() else { return Ok(Step::NeedInput) };
            self.output.reserve()[0] = number.as_u64().unwrap() as u32;
            self.output.produce(1);
            Ok(Step::Ran)
        }
    }
    let settings = LinkSinkSettings { readers: 0, ..LinkSinkSettings::default() };
    let sink = LinkSink::<u32>::new("tcp://127.0.0.1:0", settings).unwrap().open().unwrap();
    let address = sink.local_addr().unwrap();
    let mut graph = Graph::new();
    graph.add("source", OnDemand { go: MsgIn::new(), output: Out::new() });
    graph.add("sink", sink);
    graph.connect_names("source", "sink");
    let sender = start(graph);
    sender.message("source.go", 1u64).unwrap();
    wait_until("the first is dropped", || sender.metrics().block("sink").unwrap().inputs[0].items == 1);
    for number in 2..4u64 {
        let (reader, seen) = reader(address, LinkSourceSettings::default(), 1);
        // The sink has nothing to do, and lets readers in all the same.
        std::thread::sleep(Duration::from_millis(100));
        let mut sent = 0;
        wait_until("it gets something", || {
            // Before it was let in, what comes is not for it.
            sender.message("source.go", number).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            !seen.lock().unwrap().0.is_empty()
        });
        sent += 1;
        assert_eq!((seen.lock().unwrap().0[0], sent), (number as u32, 1));
        ended(reader);
    }
    sender.stop_within(HANG).unwrap();
}

/// Links through memory that both sides share.
#[cfg(target_os = "linux")]
mod shared {
    use std::io::{Read, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::{UnixListener, UnixStream};

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
    use superhet_io::link::{FrameKind, HEADER, Header, NONCE};

    use super::*;
    use crate::blocks::Send;

    /// A name that nobody else has.
    fn place(what: &str) -> String {
        format!("shm://test-{what}-{}", std::process::id())
    }

    #[test]
    fn each_reader_gets_all_items_and_tags_and_the_socket_goes_with_the_sink() {
        const LENGTH: u32 = 5_000_000;
        let place = place("all");
        let settings = LinkSinkSettings { readers: 2, hold: HANG, ..LinkSinkSettings::default() };
        // Many at once, which go through memory, and few, which do not.
        for at_once in [usize::MAX, 1000] {
            let length = if at_once == 1000 { LENGTH / 10 } else { LENGTH };
            let (sender, address, _) =
                sender_at(&place, Numbers::up_to(length, (at_once, Duration::ZERO)), settings.clone());
            assert_eq!(address, None);
            let taken = LinkSink::<u32>::new(&place, LinkSinkSettings::default()).unwrap().open();
            let error = taken.unwrap_err().to_string();
            assert!(error.contains(&format!("cannot listen at {place}")), "{error}");
            let readers = ["one", "two"].map(|name| reader_at(&place, named(name), usize::MAX));
            for (reader, seen) in readers {
                assert_eq!(ended(reader).block("source").unwrap().gaps, 0);
                let (items, tags) = &*seen.lock().unwrap();
                assert_eq!((items.len(), gaps(items, tags)), (length as usize, vec![]));
                assert_tags(items, tags);
            }
            assert_eq!(ended(sender).block("sink").unwrap().dropped_packets, 0);
        }
        assert!(UnixStream::connect(socket(&place)).is_err());
    }

    fn socket(place: &str) -> String {
        let user = rustix::process::geteuid().as_raw();
        format!("/dev/shm/superhet-{user}/{}", place.strip_prefix("shm://").unwrap())
    }

    #[test]
    fn a_reader_that_comes_back_goes_on_where_it_has_stopped() {
        const LENGTH: u32 = 4_000_000;
        let place = place("back");
        let settings = LinkSinkSettings { hold: HANG, ..LinkSinkSettings::default() };
        let (sender, _, _) =
            sender_at(&place, Numbers::up_to(LENGTH, (50_000, Duration::from_millis(1))), settings);
        let mut next = 0;
        for most in [100_000, 700_000, usize::MAX] {
            let settings = LinkSourceSettings { from_start: true, ..named("decoder") };
            let (reader, seen) = reader_at(&place, settings, usize::MAX);
            if most == usize::MAX {
                ended(reader);
            } else {
                wait_until("it gets some", || seen.lock().unwrap().0.len() >= most);
                reader.cancel();
                let _ = reader.wait();
            }
            let (items, tags) = &*seen.lock().unwrap();
            // What the one before had not acknowledged comes again; what it had, and its graph had not used, does not.
            assert!(items[0] <= next + 200_000, "{} after {next}", items[0]);
            assert!(items.iter().copied().eq(items[0]..items[0] + items.len() as u32));
            gaps(items, tags);
            next = items[0] + items.len() as u32;
        }
        assert_eq!(next, LENGTH);
        ended(sender);
    }

    #[test]
    fn a_slow_reader_misses_what_it_is_told_and_sees_nothing_that_was_written_over() {
        const LENGTH: u32 = 20_000_000;
        let place = place("slow");
        let settings = LinkSinkSettings {
            policy: Policy::Drop,
            memory_bytes: 1 << 23,
            readers: 2,
            hold: HANG,
            ..LinkSinkSettings::default()
        };
        let (sender, _, _) =
            sender_at(&place, Numbers::up_to(LENGTH, (65_536, Duration::from_millis(2))), settings);
        // Two that take each other's place all the time: each has notices of slots that are used for something else.
        let readers = ["slow", "same", "same"].map(|name| reader_at(&place, named(name), usize::MAX));
        ended(sender);
        let [slow, same, other] = readers;
        ended(slow.0);
        let (items, tags) = &*slow.1.lock().unwrap();
        gaps(items, tags);
        assert_tags(items, tags);
        // The end comes to one of them only.
        for (reader, seen) in [same, other] {
            reader.cancel();
            let _ = reader.wait();
            let (items, tags) = &*seen.lock().unwrap();
            gaps_between(items, tags);
        }
    }

    /// As [`gaps`], of a reader to which the stream may be new at any place.
    fn gaps_between(items: &[u32], tags: &[Tag]) {
        let jumps = items.windows(2).enumerate().filter(|(_, two)| two[1] != two[0] + 1);
        for (index, two) in jumps {
            let tag = tags.iter().find(|tag| &*tag.key == "gap" && tag.index == index as u64 + 1);
            let missing = tag.and_then(|tag| tag.value.as_u64());
            assert_eq!(missing, Some(u64::from(two[1] - two[0] - 1)), "behind item {index}, {}", two[0]);
        }
    }

    #[test]
    fn messages_come_once_each_in_order_also_long_ones() {
        let place = place("messages");
        let message = |n: usize| Value::from(Packet::from_items(&vec![n as f32; n * 250]));
        let sink = LinkMsgSink::new(&place, LinkSinkSettings::default()).unwrap().open().unwrap();
        let mut graph = Graph::new();
        graph.add("send", Send::new((0..500).map(message).collect()));
        graph.add("sink", sink);
        graph.connect_names("send", "sink");
        let sender = start(graph);
        let seen = Arc::<Mutex<Vec<Value>>>::default();
        let mut graph = Graph::new();
        graph.add("source", LinkMsgSource::new(&place, named("a")).unwrap());
        graph.add("keep", KeepMessages { input: MsgIn::new(), seen: seen.clone() });
        graph.connect_names("source", "keep");
        ended(start(graph));
        ended(sender);
        assert!(seen.lock().unwrap().iter().cloned().eq((0..500).map(message)));
    }

    #[test]
    fn without_the_token_nobody_gets_the_memory() {
        let place = place("token");
        let token = |text: &str| Token::from_text(text);
        let settings = LinkSinkSettings { token: token("the right one"), ..LinkSinkSettings::default() };
        let (sender, _, _) = sender_at(&place, Numbers::up_to(100, (10, Duration::ZERO)), settings);
        let wrong = LinkSourceSettings { token: token("a wrong one"), ..LinkSourceSettings::default() };
        let (mut reader, _) = reader_at(&place, wrong, usize::MAX);
        let error = reader.wait_for(HANG).expect("it ends").unwrap_err().to_string();
        assert!(error.contains("it does not have the token"), "{error}");
        let right = LinkSourceSettings { token: token("the right one"), ..LinkSourceSettings::default() };
        let (reader, seen) = reader_at(&place, right, usize::MAX);
        ended(reader);
        ended(sender);
        assert_eq!(seen.lock().unwrap().0.len(), 100);
    }

    /// Says it, with a file.
    fn say(socket: &UnixStream, bytes: &[u8], file: Option<&OwnedFd>) {
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let files: Vec<_> = file.iter().map(|file| file.as_fd()).collect();
        if !files.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(&files)));
        }
        let slices = [std::io::IoSlice::new(bytes)];
        rustix::net::sendmsg(socket, &slices, &mut control, SendFlags::NOSIGNAL).unwrap();
    }

    #[test]
    fn a_sink_that_lies_ends_the_connection_and_neither_hangs_nor_hurts_a_reader() {
        let path = std::env::temp_dir().join(format!("superhet-lies-{}", std::process::id()));
        let listener = UnixListener::bind(&path).unwrap();
        let place = format!("shm://{}", path.display());
        let pipe = || std::io::pipe().unwrap().0.into();
        let file = || std::fs::File::open("/proc/self/exe").unwrap().into();
        let memory = || {
            use rustix::fs::{MemfdFlags, SealFlags};
            let file = rustix::fs::memfd_create("lies", MemfdFlags::ALLOW_SEALING).unwrap();
            rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW).unwrap();
            file
        };
        let notice = |at: u64, body: u32, tags: u32| {
            [&at.to_le_bytes()[..], &body.to_le_bytes(), &tags.to_le_bytes()].concat()
        };
        let cases: [(Option<OwnedFd>, Vec<u8>, &str); 7] = [
            (Some(pipe()), vec![], "is no memory"),
            (Some(file()), vec![], "is no memory"),
            (None, notice(0, 40, 0), "a notice of nothing"),
            (Some(memory()), notice(0, 40, 0), "read from"),
            (Some(memory()), notice(u64::MAX, 40, 0), "read from"),
            (Some(memory()), notice(0, 39, 40), "a notice of nothing"),
            (Some(memory()), vec![1, 2, 3], "a notice of nothing"),
        ];
        for (case, (file, notice, expected)) in cases.into_iter().enumerate() {
            let settings = LinkSourceSettings { reconnect: false, ..named("a") };
            let (mut reader, seen) = reader_at(&place, settings, usize::MAX);
            let (mut socket, _) = listener.accept().unwrap();
            let challenge = [3; NONCE];
            say(&socket, &Header::new(FrameKind::Challenge).frame(&challenge), None);
            let mut header = [0; HEADER];
            socket.read_exact(&mut header).unwrap();
            let hello = Header::parse(&header).unwrap();
            let mut body = vec![0; hello.body as usize];
            socket.read_exact(&mut body).unwrap();
            let (stream, first) = (9u64, 0u64);
            let acknowledged = u64::MAX.to_le_bytes();
            let said = [stream.to_le_bytes(), first.to_le_bytes()].concat();
            let parts: [&[u8]; 5] = [b"superhet link sink", &body[..NONCE], &challenge, &said, &acknowledged];
            let proof = Token::default().prove(&parts);
            let welcome = Header { item: hello.item, stream, first, ..Header::new(FrameKind::Welcome) };
            say(&socket, &welcome.frame(&[&proof[..], &acknowledged].concat()), file.as_ref());
            let items = Header { item: hello.item, stream, count: 10, ..Header::new(FrameKind::Notice) };
            let _ = socket.write_all(&items.frame(&notice));
            let error = reader.wait_for(HANG).expect("it ends").unwrap_err().to_string();
            assert!(error.contains(expected), "case {case}: {error}");
            assert!(seen.lock().unwrap().0.is_empty());
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[cfg(feature = "tls")]
mod encrypted {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::path::{Path, PathBuf};

    use superhet_io::tls::{Authority, Certificate};

    use super::*;

    fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
    }

    fn sink() -> LinkSinkSettings {
        let certificate = Certificate::from_files(&file("certificate.pem"), &file("key.pem")).unwrap();
        let token = Token::from_text("a secret of many bytes");
        LinkSinkSettings { certificate: Some(certificate), token, hold: HANG, ..LinkSinkSettings::default() }
    }

    fn source(authority: &str) -> LinkSourceSettings {
        let authority = Authority::from_file(&file(authority)).unwrap();
        let token = Token::from_text("a secret of many bytes");
        LinkSourceSettings { authority: Some(authority), token, ..named("far") }
    }

    /// Passes bytes on both ways, keeps those of the sink, and breaks the connection after so many of them, `times` times.
    fn listen_in(sink: SocketAddr, most: usize, times: usize) -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::<Mutex<Vec<u8>>>::default();
        let keep = heard.clone();
        std::thread::spawn(move || {
            for (number, reader) in listener.incoming().flatten().enumerate() {
                let Ok(mut sink) = TcpStream::connect(sink) else { return };
                let (mut up, mut down) = (reader.try_clone().unwrap(), sink.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut up, &mut down));
                let (mut reader, mut bytes, mut passed) = (reader, vec![0; 1 << 16], 0);
                while let Ok(n) = sink.read(&mut bytes)
                    && n > 0
                    && reader.write_all(&bytes[..n]).is_ok()
                {
                    passed += n;
                    keep.lock().unwrap().extend_from_slice(&bytes[..n.min(1 << 10)]);
                    if passed > most && number < times {
                        break;
                    }
                }
                let _ = sink.shutdown(Shutdown::Both);
                let _ = reader.shutdown(Shutdown::Both);
            }
        });
        (address, heard)
    }

    #[test]
    fn a_stream_comes_whole_and_in_order_also_over_connections_that_break_and_nobody_reads_it_on_its_way() {
        const LENGTH: u32 = 1_000_000;
        let (sender, address, _) = sender(Numbers::up_to(LENGTH, (10_000, Duration::ZERO)), sink());
        let (address, heard) = listen_in(address, 1 << 20, 2);
        let (far, seen) = reader(address, source("authority.pem"), usize::MAX);
        ended(far);
        ended(sender);
        let (items, tags) = &*seen.lock().unwrap();
        assert_eq!((items.len(), gaps(items, tags)), (LENGTH as usize, vec![]));
        assert_tags(items, tags);
        let heard = heard.lock().unwrap();
        assert!(
            heard.len() > 10_000 && !heard.windows(4).any(|four| four == b"SHL1"),
            "frames in plain text"
        );
    }

    #[test]
    fn whoever_is_not_believed_or_does_not_encrypt_is_told_so() {
        let problem = |running: RunningGraph| {
            let mut running = running;
            running.wait_for(HANG).expect("it ends").unwrap_err().to_string()
        };
        let (sender_graph, address, _) = sender(Numbers::up_to(1000, (1000, Duration::ZERO)), sink());
        let (far, _) = reader(address, source("stranger.pem"), usize::MAX);
        let error = problem(far);
        assert!(error.contains("certificate"), "{error}");
        let plain = LinkSourceSettings { reconnect: false, ..named("plain") };
        let (far, _) = reader(address, plain, usize::MAX);
        let error = problem(far);
        assert!(error.contains("expected a frame") || error.contains("let this reader in"), "{error}");
        sender_graph.stop_within(HANG).unwrap();

        let (sender_graph, address, _) =
            sender(Numbers::up_to(1000, (1000, Duration::ZERO)), LinkSinkSettings::default());
        let (far, _) = reader(address, source("authority.pem"), usize::MAX);
        let error = problem(far);
        assert!(error.contains("TLS"), "{error}");
        sender_graph.stop_within(HANG).unwrap();

        let wrong = LinkSink::<u32>::new("tcp://127.0.0.1:0", sink()).unwrap_err().to_string();
        assert!(wrong.contains("expected tls://HOST:PORT, as there is a certificate"), "{wrong}");
        let wrong =
            Certificate::from_files(&file("authority.pem"), &file("key.pem")).unwrap_err().to_string();
        assert!(wrong.contains("expected that of the certificate"), "{wrong}");
        let wrong = Authority::from_file(&file("key.pem")).unwrap_err().to_string();
        assert!(wrong.contains("certificate is missing, expected one or more as PEM"), "{wrong}");
    }
}
