//! Samples and messages over ZeroMQ, as whole graphs: every pair of blocks, over TCP and Unix sockets, with tags and packets.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::TempDir;
use crate::keep::{Keep, Seen};
use superhet_io::SampleFormat;
use superhet_io::blocks::*;
use superhet_runtime::prelude::*;
use superhet_runtime::{Packet, RunningGraph};

/// Gives numbers from 0 on, a few at a time, with a tag at every tenth: for ever, or until there were so many.
#[derive(Block)]
struct Count {
    #[port("out")]
    output: Out<i32>,
    given: i32,
    end: i32,
}

impl Count {
    fn to(end: i32) -> Self {
        Count { output: Out::new(), given: 0, end }
    }
}

impl Work for Count {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.end == i32::MAX {
            std::thread::sleep(Duration::from_millis(1));
        }
        let n = (self.end - self.given).min(37).min(self.output.room() as i32);
        for place in 0..n {
            self.output.reserve()[place as usize] = self.given + place;
            if (self.given + place) % 10 == 0 {
                self.output.tag(place as usize, "ten", i64::from(self.given + place));
            }
        }
        self.output.produce(n as usize);
        self.given += n;
        Ok(if self.given == self.end { Step::Done } else { Step::Ran })
    }
}

/// Sends messages: once, or the last one again and again.
#[derive(Block)]
struct Send {
    #[port("out")]
    output: MsgOut,
    messages: Vec<Value>,
    repeats: bool,
}

impl Work for Send {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.messages.is_empty() {
            return Ok(Step::Done);
        }
        if self.repeats && self.messages.len() == 1 {
            std::thread::sleep(Duration::from_millis(1));
            self.output.send(self.messages[0].clone())?;
        } else {
            self.output.send(self.messages.remove(0))?;
        }
        Ok(Step::Ran)
    }
}

type Kept = Arc<Mutex<Vec<Value>>>;

#[derive(Block)]
struct KeepMessages {
    #[port("in")]
    input: MsgIn,
    kept: Kept,
}

impl Work for KeepMessages {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            self.kept.lock().unwrap().push(message);
        }
        Ok(Step::NeedInput)
    }
}

fn started(graph: Graph) -> RunningGraph {
    graph.check().unwrap().start(&Threads, &Options::default()).unwrap()
}

fn keeping<W: Work + 'static>(source: W) -> (RunningGraph, Seen<i32>) {
    let mut graph = Graph::new();
    graph.add("source", source);
    let seen = Seen::default();
    graph.add("keep", Keep::all(&seen));
    graph.connect_names("source", "keep");
    (started(graph), seen)
}

fn sending<W: Work + 'static>(count: Count, sink: W) -> RunningGraph {
    let mut graph = Graph::new();
    graph.add("count", count);
    graph.add("sink", sink);
    graph.connect_names("count", "sink");
    started(graph)
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn stop(running: RunningGraph) {
    running.stop_within(Duration::from_secs(30)).unwrap();
}

fn settings() -> ZmqSettings {
    ZmqSettings { pass_tags: true, ..ZmqSettings::default() }
}

const ANY: &str = "tcp://127.0.0.1:*";

/// Numbers in order, and a tag with each tenth of them where it belongs.
fn assert_counts(seen: &Seen<i32>) {
    let seen = seen.lock().unwrap();
    let first = seen.0[0];
    assert!(seen.0.iter().zip(first..).all(|(got, wanted)| *got == wanted));
    let tags: Vec<_> = seen.1.iter().map(|tag| (seen.0[tag.index as usize], tag.value.as_i64())).collect();
    let tens = seen.0.iter().filter(|n| *n % 10 == 0);
    assert_eq!(tags, tens.map(|n| (*n, Some(i64::from(*n)))).collect::<Vec<_>>());
    assert!(seen.1.iter().all(|tag| &*tag.key == "ten" && &*tag.source == "count"));
}

#[test]
fn every_item_and_tag_goes_from_push_to_pull_over_tcp_and_unix_sockets() {
    let folder = TempDir::new();
    for address in [ANY.to_owned(), format!("ipc://{}", folder.path().join("push").display())] {
        for vector in [1, 5] {
            let settings = ZmqSettings { vector, ..settings() };
            let sink = ZmqPushSink::<i32>::new(&address, &settings).unwrap().open().unwrap();
            let source = ZmqPullSource::<i32>::new(sink.endpoint().unwrap(), &settings).unwrap();
            let (receiver, seen) = keeping(source);
            sending(Count::to(100_000), sink).wait().unwrap();
            wait_until("all items", || seen.lock().unwrap().0.len() == 100_000);
            assert_counts(&seen);
            stop(receiver);
        }
    }
}

#[test]
fn a_source_that_listens_takes_what_sinks_that_connect_send() {
    let bind = |bind| ZmqSettings { bind: Some(bind), ..ZmqSettings::default() };
    let source = ZmqPullSource::<i32>::new(ANY, &bind(true)).unwrap().open().unwrap();
    let address = source.endpoint().unwrap().to_owned();
    let (receiver, seen) = keeping(source);
    for _ in 0..3 {
        sending(Count::to(1000), ZmqPushSink::<i32>::new(&address, &bind(false)).unwrap()).wait().unwrap();
    }
    wait_until("all items", || seen.lock().unwrap().0.len() == 3000);
    let counted: Vec<i32> = (0..1000).collect();
    assert!(seen.lock().unwrap().0.chunks(1000).all(|items| items == counted));
    stop(receiver);
}

#[test]
fn requests_bring_every_item_and_tag() {
    let sink = ZmqRepSink::<i32>::new(ANY, &settings()).unwrap().open().unwrap();
    let (receiver, seen) = keeping(ZmqReqSource::<i32>::new(sink.endpoint().unwrap(), &settings()).unwrap());
    sending(Count::to(100_000), sink).wait().unwrap();
    wait_until("all items", || seen.lock().unwrap().0.len() == 100_000);
    assert_counts(&seen);
    stop(receiver);
}

#[test]
fn subscribers_get_the_stream_of_their_key_from_some_item_on() {
    let folder = TempDir::new();
    for address in [ANY.to_owned(), format!("ipc://{}", folder.path().join("pub").display())] {
        let with = |key: &str| ZmqSettings { key: key.to_owned(), ..settings() };
        let sink = ZmqPubSink::<i32>::new(&address, &with("radio")).unwrap().open().unwrap();
        let address = sink.endpoint().unwrap().to_owned();
        let sender = sending(Count::to(i32::MAX), sink);
        let all =
            ["", "rad", "radio"].map(|key| keeping(ZmqSubSource::<i32>::new(&address, &with(key)).unwrap()));
        let (other, nothing) = keeping(ZmqSubSource::<i32>::new(&address, &with("radios")).unwrap());
        for (_, seen) in &all {
            wait_until("items", || seen.lock().unwrap().0.len() > 1000);
        }
        assert!(nothing.lock().unwrap().0.is_empty());
        for (receiver, seen) in all {
            stop(receiver);
            assert_counts(&seen);
        }
        stop(other);
        stop(sender);
    }
}

#[test]
fn messages_of_every_kind_arrive_as_they_were_and_packets_as_packets() {
    let mut packet = Packet::from_items(&[1.5f32, -2.0]);
    packet.set("snr_db", 9.5);
    let messages: Vec<Value> = vec![
        packet.into(),
        Packet::from_items(b"").into(),
        "text".into(),
        Value::map([("freq", 1e6)]),
        Value::pairs(["freq"], 1e6),
    ];
    let check =
        |sink: &str, running: fn(&ZmqSettings) -> (Graph, String), source: fn(&str) -> Graph, repeats| {
            let (mut graph, address) = running(&ZmqSettings::default());
            let mut receiver = source(&address);
            let kept = Kept::default();
            receiver.add("keep", KeepMessages { input: MsgIn::new(), kept: kept.clone() });
            receiver.connect_names("source", "keep");
            let receiver = started(receiver);
            if repeats {
                // A subscriber may come late: messages until the first has come.
                let wanted = messages[0].clone();
                graph.add("send", Send { output: MsgOut::new(), messages: vec![wanted.clone()], repeats });
                graph.connect_names("send", "sink");
                let sender = started(graph);
                wait_until(sink, || !kept.lock().unwrap().is_empty());
                stop(sender);
                assert!(kept.lock().unwrap().iter().all(|message| *message == wanted), "{sink}");
            } else {
                graph.add("send", Send { output: MsgOut::new(), messages: messages.clone(), repeats });
                graph.connect_names("send", "sink");
                started(graph).wait().unwrap();
                wait_until(sink, || kept.lock().unwrap().len() == messages.len());
                assert_eq!(*kept.lock().unwrap(), messages, "{sink}");
            }
            stop(receiver);
        };
    macro_rules! pair {
        ($sink:ident, $source:ident, $repeats:expr) => {
            check(
                stringify!($sink),
                |settings| {
                    let mut graph = Graph::new();
                    let sink = $sink::new(ANY, settings).unwrap().open().unwrap();
                    let address = sink.endpoint().unwrap().to_owned();
                    graph.add("sink", sink);
                    (graph, address)
                },
                |address| {
                    let mut graph = Graph::new();
                    graph.add("source", $source::new(address, &ZmqSettings::default()).unwrap());
                    graph
                },
                $repeats,
            )
        };
    }
    pair!(ZmqPushMsgSink, ZmqPullMsgSource, false);
    pair!(ZmqRepMsgSink, ZmqReqMsgSource, false);
    pair!(ZmqPubMsgSink, ZmqSubMsgSource, true);
}

#[test]
fn blocks_that_nobody_talks_to_stop_at_once_and_a_publisher_drops() {
    let sink = ZmqPubSink::<i32>::new(ANY, &ZmqSettings::default()).unwrap();
    sending(Count::to(100_000), sink).wait().unwrap();
    let push = sending(Count::to(10), ZmqPushSink::<i32>::new(ANY, &ZmqSettings::default()).unwrap());
    let rep = sending(Count::to(10), ZmqRepSink::<i32>::new(ANY, &ZmqSettings::default()).unwrap());
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let (pull, _) = keeping(ZmqPullSource::<i32>::new(&address, &ZmqSettings::default()).unwrap());
    let (req, _) = keeping(ZmqReqSource::<i32>::new(&address, &ZmqSettings::default()).unwrap());
    for running in [push, rep, pull, req] {
        stop(running);
    }
}

#[test]
fn settings_that_cannot_be_are_reported_before_the_graph_runs() {
    let error = ZmqPubSink::<i32>::new("localhost:5555", &settings()).unwrap_err().to_string();
    assert!(
        error.starts_with("zmq_pub_sink: address is \"localhost:5555\", expected tcp://host:port"),
        "{error}"
    );
    let none = ZmqSettings { vector: 0, ..settings() };
    assert!(ZmqPubSink::<i32>::new(ANY, &none).unwrap_err().to_string().contains("length is 0"));
}

#[test]
fn an_address_in_use_is_reported_at_the_start() {
    let first = ZmqRepMsgSink::new(ANY, &ZmqSettings::default()).unwrap().open().unwrap();
    let address = first.endpoint().unwrap();
    let mut graph = Graph::new();
    graph.add("count", Count::to(5));
    graph.add("sink", ZmqPushSink::<i32>::new(address, &ZmqSettings::default()).unwrap());
    graph.connect_names("count", "sink");
    let error = graph.run().unwrap_err().to_string();
    assert!(error.starts_with(&format!("block sink failed: cannot listen at {address}: ")), "{error}");
}

const S32: &str = "ri32_le";

#[test]
fn a_tcp_server_sends_whole_samples_to_one_client_after_the_other() {
    let format: SampleFormat = S32.parse().unwrap();
    let sink = TcpSink::<i32>::new(TcpMode::Server, "127.0.0.1", 0, format).unwrap().open().unwrap();
    let address = sink.local_addr().unwrap();
    let sender = sending(Count::to(i32::MAX), sink);
    let mut last = -1;
    for _ in 0..2 {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut bytes = [0; 4000];
        client.read_exact(&mut bytes).unwrap();
        let items: Vec<i32> =
            bytes.chunks(4).map(|item| i32::from_le_bytes(item.try_into().unwrap())).collect();
        assert!(items[0] > last && items.iter().zip(items[0]..).all(|(got, wanted)| *got == wanted));
        last = items[999];
    }
    stop(sender);
}

#[test]
fn a_tcp_client_sends_every_sample_and_says_where_nobody_is() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let sink = || TcpSink::<i32>::new(TcpMode::Client, "127.0.0.1", port, S32.parse().unwrap()).unwrap();
    let sender = sending(Count::to(500_000), sink());
    let (mut client, _) = server.accept().unwrap();
    drop(server);
    let mut bytes = Vec::new();
    client.read_to_end(&mut bytes).unwrap();
    sender.wait().unwrap();
    let wanted: Vec<u8> = (0..500_000i32).flat_map(i32::to_le_bytes).collect();
    assert!(bytes == wanted);
    let error = sending(Count::to(5), sink()).wait().unwrap_err().to_string();
    assert!(error.contains(&format!("cannot connect to 127.0.0.1:{port}: ")), "{error}");
}
