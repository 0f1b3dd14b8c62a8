//! What a single stranger can do to a block that listens: nothing to the graph, and nothing to others.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::zmtp;
use superhet_io::blocks::*;
use superhet_io::{Endian, Number, SampleFormat, Shape};
use superhet_runtime::prelude::*;
use superhet_runtime::{Packet, RunningGraph, gap::OnGap, report::BlockReport};

const S32: SampleFormat = SampleFormat::new(Shape::Real, Number::I32, Endian::Little);
/// Long enough for a busy machine, and shorter than any lock-out was.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Held by tests with crowds: a process may have 1024 file descriptors.
static CROWD: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    CROWD.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Keeps the last items, and counts all.
#[derive(Block)]
struct Keep {
    #[port("in")]
    input: In<i32>,
    seen: Seen,
}

type Seen = Arc<Mutex<(u64, Vec<i32>)>>;

impl Work for Keep {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut seen = self.seen.lock().unwrap();
        let items = self.input.peek();
        seen.0 += items.len() as u64;
        seen.1.extend_from_slice(&items[items.len().saturating_sub(100)..]);
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

#[derive(Block)]
struct KeepMessages {
    #[port("in")]
    input: MsgIn,
    kept: Kept,
}

type Kept = Arc<Mutex<Vec<Value>>>;

impl Work for KeepMessages {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            self.kept.lock().unwrap().push(message);
        }
        Ok(Step::NeedInput)
    }
}

/// Gives numbers for ever.
#[derive(Block)]
struct Count {
    #[port("out")]
    output: Out<i32>,
}

impl Work for Count {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let room = self.output.reserve();
        room.fill(7);
        let n = room.len();
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

fn started(graph: Graph) -> RunningGraph {
    graph.check().unwrap().start(&Threads, &Options::default()).unwrap()
}

fn keeping<W: Work + 'static>(source: W) -> (RunningGraph, Seen) {
    let mut graph = Graph::new();
    graph.add("source", source);
    let seen = Seen::default();
    graph.add("keep", Keep { input: In::new(), seen: seen.clone() });
    graph.connect_names("source", "keep");
    (started(graph), seen)
}

fn keeping_messages<W: Work + 'static>(source: W) -> (RunningGraph, Kept) {
    let mut graph = Graph::new();
    graph.add("source", source);
    let kept = Kept::default();
    graph.add("keep", KeepMessages { input: MsgIn::new(), kept: kept.clone() });
    graph.connect_names("source", "keep");
    (started(graph), kept)
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Stops a graph, which is to end well, and gives what its source says.
fn stop(running: RunningGraph) -> BlockReport {
    let report = running.stop_within(Duration::from_secs(30)).expect("the graph has ended before");
    report.block("source").unwrap().clone()
}

fn udp(settings: UdpSettings) -> (RunningGraph, SocketAddr, Seen) {
    let source = UdpSource::<i32>::new("127.0.0.1", 0, S32, settings).unwrap().bind().unwrap();
    let address = source.local_addr().unwrap();
    let (running, seen) = keeping(source);
    (running, address, seen)
}

fn sender() -> UdpSocket {
    UdpSocket::bind("127.0.0.1:0").unwrap()
}

fn has(seen: &Seen, item: i32) -> bool {
    seen.lock().unwrap().1.contains(&item)
}

#[test]
fn an_empty_datagram_of_a_stranger_ends_no_source() {
    let (mut running, address, seen) = udp(UdpSettings::default());
    sender().send_to(&[], address).unwrap();
    assert!(running.wait_for(Duration::from_millis(300)).is_none(), "it has ended");
    sender().send_to(&5i32.to_le_bytes(), address).unwrap();
    wait_until("an item", || has(&seen, 5));
    assert_eq!(stop(running).dropped_packets, 1);
}

#[test]
fn an_empty_datagram_is_the_end_where_its_sender_has_sent_the_samples() {
    let (mut running, address, seen) = udp(UdpSettings { eof: true, ..UdpSettings::default() });
    let honest = sender();
    honest.send_to(&5i32.to_le_bytes(), address).unwrap();
    wait_until("an item", || has(&seen, 5));
    sender().send_to(&[], address).unwrap();
    assert!(running.wait_for(Duration::from_millis(300)).is_none(), "a stranger has ended it");
    honest.send_to(&[], address).unwrap();
    running.wait_for(TIMEOUT).expect("it ends").unwrap();
}

#[test]
fn numbers_that_lie_make_no_flood_of_zeros() {
    let settings =
        UdpSettings { header: UdpHeader::Sequence, on_gap: OnGap::Zeros, ..UdpSettings::default() };
    let (running, address, seen) = udp(settings);
    let sender = sender();
    // 366 items in a full datagram: each number claims a loss of some 2^27.
    for n in 0..4 {
        sender.send_to(&[(1 + n * 366_000u64).to_le_bytes(), [n as u8; 8]].concat(), address).unwrap();
    }
    wait_until("the last item", || has(&seen, 0x0303_0303));
    let items = seen.lock().unwrap().0;
    assert!(items < 1 << 27, "{items} items");
    assert_eq!(stop(running).gaps, 3);
}

fn endpoint(endpoint: Option<&str>) -> SocketAddr {
    endpoint.unwrap().strip_prefix("tcp://").unwrap().parse().unwrap()
}

fn listening() -> ZmqSettings {
    ZmqSettings { bind: Some(true), ..ZmqSettings::default() }
}

const ANY: &str = "tcp://127.0.0.1:*";

fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    match stream.read(&mut [0; 100]) {
        Ok(n) => n == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_message_that_is_no_pmt_costs_its_sender_the_connection_and_nobody_else_anything() {
    let source = ZmqPullMsgSource::new(ANY, &listening()).unwrap().open().unwrap();
    let address = endpoint(source.endpoint());
    let (running, kept) = keeping_messages(source);
    let nulls = [&b"\x08\x00\x40\x00\x00"[..], &[6; 1 << 22]].concat();
    for wrong in [&b"\xff\xff no PMT \x1b[31m"[..], b"", b"\x08\xff\xff\xff\xff", &nulls] {
        let mut stranger = zmtp::connect(address, "PUSH", TIMEOUT).unwrap();
        stranger.write_all(&zmtp::frame(wrong, false)).unwrap();
        assert!(is_closed(&mut stranger));
    }
    let mut honest = zmtp::connect(address, "PUSH", TIMEOUT).unwrap();
    honest.write_all(&zmtp::frame(b"\x02\x00\x05hello", false)).unwrap();
    wait_until("a message", || *kept.lock().unwrap() == ["hello".into()]);
    // A message and its sender each.
    assert_eq!(stop(running).dropped_packets, 8);
}

#[test]
fn a_message_that_is_no_samples_costs_its_sender_the_connection_and_nobody_else_anything() {
    let settings = ZmqSettings { vector: 2, pass_tags: true, ..listening() };
    let source = ZmqPullSource::<i32>::new(ANY, &settings).unwrap().open().unwrap();
    let address = endpoint(source.endpoint());
    let (running, seen) = keeping(source);
    let header = b"\xf0\x5f\x01\x05\0\0\0\0\0\0\0";
    let odd = [&header[..], &[0; 8], &[1; 12]].concat();
    let late = [&header[..], b"\x01\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0\x02\0\x01k\x00\x01", &[0; 8]].concat();
    let many = [&header[..], &[0xff; 8], &[0; 8]].concat();
    for wrong in [&odd, &late, &many, &vec![1; 16]] {
        let mut stranger = zmtp::connect(address, "PUSH", TIMEOUT).unwrap();
        stranger.write_all(&zmtp::frame(wrong, false)).unwrap();
        assert!(is_closed(&mut stranger));
    }
    let mut honest = zmtp::connect(address, "PUSH", TIMEOUT).unwrap();
    let good = [&header[..], &[0; 8], &5i32.to_le_bytes(), &6i32.to_le_bytes()].concat();
    honest.write_all(&zmtp::frame(&good, false)).unwrap();
    wait_until("two items", || has(&seen, 6));
    assert_eq!(seen.lock().unwrap().1, [5, 6]);
    assert_eq!(stop(running).dropped_packets, 8);
}

/// A peer that connects again where it is parted with, as those of ZeroMQ do: of a crowd that is accepted all at once, the last
/// may have to go.
fn connect_until_served(address: SocketAddr, socket_type: &str) -> TcpStream {
    let start = Instant::now();
    loop {
        match zmtp::connect(address, socket_type, TIMEOUT) {
            Ok(peer) => return peer,
            Err(error) if start.elapsed() >= TIMEOUT => panic!("not served: {error}"),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn peers_that_keep_silent_lock_nobody_out() {
    let _alone = alone();
    for greets in [false, true] {
        let source = ZmqPullSource::<i32>::new(ANY, &listening()).unwrap().open().unwrap();
        let address = endpoint(source.endpoint());
        let (running, seen) = keeping(source);
        let silent = |_| match greets {
            true => zmtp::connect(address, "PUSH", TIMEOUT).unwrap(),
            false => TcpStream::connect(address).unwrap(),
        };
        let crowd: Vec<TcpStream> = (0..256).map(silent).collect();
        let mut honest = connect_until_served(address, "PUSH");
        honest.write_all(&zmtp::frame(&5i32.to_le_bytes(), false)).unwrap();
        wait_until("an item", || has(&seen, 5));
        drop(crowd);
        stop(running);
    }
}

#[test]
fn a_peer_that_does_not_answer_keeps_no_other_from_being_asked() {
    let source = ZmqReqSource::<i32>::new(ANY, &listening()).unwrap().open().unwrap();
    let address = endpoint(source.endpoint());
    let (running, seen) = keeping(source);
    let mut silent = zmtp::connect(address, "REP", TIMEOUT).unwrap();
    zmtp::read_frame(&mut silent).unwrap();
    let mut honest = zmtp::connect(address, "REP", TIMEOUT).unwrap();
    zmtp::read_frame(&mut honest).expect("it is asked");
    let answer = |item: i32| [zmtp::frame(b"", true), zmtp::frame(&item.to_le_bytes(), false)].concat();
    honest.write_all(&answer(5)).unwrap();
    wait_until("the answer", || has(&seen, 5));
    silent.write_all(&answer(6)).unwrap();
    wait_until("the late answer, too", || has(&seen, 6));
    stop(running);
}

fn socket(kind: SocketKind) -> (RunningGraph, SocketAddr, Kept) {
    let socket = SocketPdu::open(kind, "127.0.0.1", 0).unwrap();
    let address = socket.local_addr().unwrap();
    let (running, kept) = keeping_messages(socket);
    (running, address, kept)
}

#[test]
fn a_datagram_that_cannot_be_sent_is_dropped_and_counted() {
    let (running, address, kept) = socket(SocketKind::UdpServer);
    let stranger = sender();
    stranger.set_read_timeout(Some(TIMEOUT)).unwrap();
    stranger.send_to(b"a", address).unwrap();
    wait_until("a packet", || kept.lock().unwrap().len() == 1);
    running.message("source.in", Packet::from_items(&[0u8; 70_000])).unwrap();
    running.message("source.in", Packet::from_items(b"answer")).unwrap();
    let mut answer = [0; 10];
    assert_eq!(stranger.recv(&mut answer).expect("the next packet"), 6);
    assert_eq!(stop(running).dropped_packets, 1);
}

#[test]
fn silent_clients_lock_nobody_out() {
    let _alone = alone();
    let (running, address, kept) = socket(SocketKind::TcpServer);
    let crowd: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut honest = TcpStream::connect(address).unwrap();
    honest.write_all(b"hello").unwrap();
    wait_until("a packet", || kept.lock().unwrap().len() == 1);
    drop(crowd);
    stop(running);
}

#[test]
fn clients_that_never_stop_talking_lock_nobody_out() {
    let _alone = alone();
    let (running, address, kept) = socket(SocketKind::TcpServer);
    let mut crowd: Vec<TcpStream> = (0..256).map(|_| TcpStream::connect(address).unwrap()).collect();
    crowd.iter().for_each(|stream| stream.set_nonblocking(true).unwrap());
    let mut talk = || {
        for stream in &mut crowd {
            let _ = stream.write(&[0; 1 << 16]);
        }
    };
    (0..10).for_each(|_| talk());
    let mut honest = TcpStream::connect(address).unwrap();
    honest.write_all(b"hello").unwrap();
    wait_until("a packet of the honest one", || {
        talk();
        let kept = std::mem::take(&mut *kept.lock().unwrap());
        kept.into_iter().any(|packet| Packet::<u8>::try_from(packet).unwrap().items() == b"hello")
    });
    stop(running);
}

#[test]
fn a_client_that_takes_nothing_keeps_no_other_from_the_samples() {
    let sink = TcpSink::<i32>::new(TcpMode::Server, "127.0.0.1", 0, S32).unwrap().open().unwrap();
    let address = sink.local_addr().unwrap();
    let mut graph = Graph::new();
    graph.add("source", Count { output: Out::new() });
    graph.add("sink", sink);
    graph.connect_names("source", "sink");
    let running = started(graph);
    let mut deaf = TcpStream::connect(address).unwrap();
    deaf.read_exact(&mut [0; 4]).unwrap();
    let mut honest = TcpStream::connect(address).unwrap();
    honest.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut bytes = vec![0; 1 << 20];
    for _ in 0..20 {
        honest.read_exact(&mut bytes).expect("samples");
    }
    stop(running);
}

#[test]
fn a_client_of_packets_that_takes_little_keeps_no_other_from_them() {
    let (running, address, _) = socket(SocketKind::TcpServer);
    let slow = TcpStream::connect(address).unwrap();
    let mut honest = TcpStream::connect(address).unwrap();
    honest.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let (mut bytes, mut got, mut taken) = (vec![0; 1 << 20], 0, Instant::now());
    // Much more than the buffers of the system hold.
    wait_until("all packets", || {
        // Refused where too many wait.
        let _ = running.message("source.in", Packet::from_items(&[7u8; 1 << 18]));
        got += honest.read(&mut bytes).unwrap_or(0);
        if taken.elapsed() > Duration::from_millis(500) {
            slow.set_nonblocking(true).unwrap();
            let _ = (&slow).read(&mut bytes[..1 << 17]);
            taken = Instant::now();
        }
        got > 100 << 20
    });
    stop(running);
}
