//! A crowd of hostile peers at each block that listens: silent ones, half-open ones, garbage, floods, resets, huge messages
//! that never end. The graph lives on, its memory stays small, and an honest peer is served all the while.
//!
//! The honest peer and all hostile ones come from one address, as if behind one router; for the blocks that tell addresses
//! apart there is a second test, where the crowd comes from eight addresses and the honest peer from another.
//!
//! A third kind of test has an honest peer that leaves whenever it was served: who comes is not kept out by those who came before,
//! nor by those who come with them. At a ZeroMQ socket without descriptors that takes as long as it takes, see `SECURITY.md`.
//!
//! `SUPERHET_PEERS` sets how many hostile peers there are, 60 unless set; a crowd of 1000 or more stays for 10 s, and the honest
//! peer may then not wait for a second. The block runs in a process of its own, whose memory is looked at, and the figures
//! are printed: for those of all blocks, one after the other,
//!
//! ```text
//! SUPERHET_PEERS=1000 cargo test --release -p superhet-io --test hostile_peers -- --nocapture --test-threads 1
//! ```

#[path = "common/link.rs"]
mod link;
#[path = "common/zmtp.rs"]
mod zmtp;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use superhet_io::blocks::*;
use superhet_io::link::{Policy, item_code};
use superhet_io::{Endian, Number, SampleFormat, Shape};
use superhet_runtime::prelude::*;
use superhet_runtime::{Packet, value::Vector};

const S32: SampleFormat = SampleFormat::new(Shape::Real, Number::I32, Endian::Little);
/// What an honest peer sends begins with this, and its number follows.
const MARK: i32 = 0x7e57_0001;
/// An honest peer is not served at all.
const HANG: Duration = Duration::from_secs(60);
/// How long an honest peer waits at most in a crowd of [`CROWD`] or more, on a machine that is not busy with other things.
const MOST_WAIT: Duration = Duration::from_secs(1);
const CROWD: usize = 1000;
/// The descriptors of a process that has enough for all peers of a ZeroMQ socket.
const PLACES: usize = 400;
/// The memory that a crowd may take.
const MOST_KIB: u64 = 100 << 10;

// The process that is attacked.

/// Says by datagrams what of honest peers has come.
struct Echo(UdpSocket);

impl Echo {
    fn new() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(std::env::var("SUPERHET_TEST_ECHO").unwrap()).unwrap();
        Echo(socket)
    }

    fn signal(&self) {
        let _ = self.0.send(b"served");
    }
}

#[derive(Block)]
struct Find {
    #[port("in")]
    input: In<i32>,
    echo: Echo,
}

impl Work for Find {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let items = self.input.peek();
        items.iter().filter(|item| **item == MARK).take(10).for_each(|_| self.echo.signal());
        self.input.consume(self.input.available());
        Ok(Step::Ran)
    }
}

#[derive(Block)]
struct FindMessages {
    #[port("in")]
    input: MsgIn,
    echo: Echo,
}

impl Work for FindMessages {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            let is_honest = match &message {
                Value::Int(n) => *n == i64::from(MARK),
                Value::Packet(_) => Packet::<u8>::try_from(message)?.items().starts_with(&MARK.to_le_bytes()),
                _ => false,
            };
            if is_honest {
                self.echo.signal();
            }
        }
        Ok(Step::NeedInput)
    }
}

/// Some 40 MB/s of samples.
#[derive(Block)]
struct Samples {
    #[port("out")]
    output: Out<i32>,
}

impl Work for Samples {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        std::thread::sleep(Duration::from_micros(100));
        let n = self.output.room().min(1000);
        self.output.reserve()[..n].fill(MARK);
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

/// Some thousands of messages a second, packets or not.
#[derive(Block)]
struct Messages {
    #[port("out")]
    output: MsgOut,
    packets: bool,
}

impl Work for Messages {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        std::thread::sleep(Duration::from_micros(200));
        match self.packets {
            true => self.output.send(Packet::from_items(&[7u8; 1000]))?,
            false => self.output.send(Value::Vector(Vector::I32(vec![MARK; 1000].into())))?,
        }
        Ok(Step::Ran)
    }
}

fn listening() -> ZmqSettings {
    ZmqSettings { bind: Some(true), ..ZmqSettings::default() }
}

fn dropping() -> LinkSinkSettings {
    LinkSinkSettings {
        policy: Policy::Drop,
        readers: 0,
        hold: Duration::from_secs(1),
        ..LinkSinkSettings::default()
    }
}

const ANY: &str = "tcp://127.0.0.1:*";

/// The graph of a block, and where that listens.
fn graph(block: &str) -> (Graph, String) {
    let mut graph = Graph::new();
    let local = |address: Option<SocketAddr>| address.unwrap().to_string();
    macro_rules! zmq {
        ($Block:ident $(<$T:ident>)?) => {{
            let block = $Block$(::<$T>)?::new(ANY, &listening()).unwrap().open().unwrap();
            let address = block.endpoint().unwrap().strip_prefix("tcp://").unwrap().to_owned();
            graph.add("block", block);
            address
        }};
    }
    let address = match block {
        "udp_source" => {
            let source = UdpSource::<i32>::new("127.0.0.1", 0, S32, UdpSettings::default()).unwrap();
            let source = source.bind().unwrap();
            let address = local(source.local_addr());
            graph.add("block", source);
            address
        }
        "udp_server" | "tcp_server" => {
            let kind = if block == "udp_server" { SocketKind::UdpServer } else { SocketKind::TcpServer };
            let socket = SocketPdu::open(kind, "127.0.0.1", 0).unwrap();
            let address = local(socket.local_addr());
            graph.add("block", socket);
            graph.add("messages", Messages { output: MsgOut::new(), packets: true });
            graph.connect_names("messages", "block");
            address
        }
        "tcp_sink" => {
            let sink = TcpSink::<i32>::new(TcpMode::Server, "127.0.0.1", 0, S32).unwrap().open().unwrap();
            let address = local(sink.local_addr());
            graph.add("block", sink);
            address
        }
        "link_sink" => {
            let sink = LinkSink::<i32>::new("tcp://127.0.0.1:0", dropping()).unwrap().open().unwrap();
            let address = local(sink.local_addr());
            graph.add("block", sink);
            address
        }
        "link_msg_sink" => {
            let sink = LinkMsgSink::new("tcp://127.0.0.1:0", dropping()).unwrap().open().unwrap();
            let address = local(sink.local_addr());
            graph.add("block", sink);
            address
        }
        "zmq_pull_source" => zmq!(ZmqPullSource<i32>),
        "zmq_sub_source" => zmq!(ZmqSubSource<i32>),
        "zmq_req_source" => zmq!(ZmqReqSource<i32>),
        "zmq_pull_msg_source" => zmq!(ZmqPullMsgSource),
        "zmq_sub_msg_source" => zmq!(ZmqSubMsgSource),
        "zmq_req_msg_source" => zmq!(ZmqReqMsgSource),
        "zmq_push_sink" => zmq!(ZmqPushSink<i32>),
        "zmq_pub_sink" => zmq!(ZmqPubSink<i32>),
        "zmq_rep_sink" => zmq!(ZmqRepSink<i32>),
        "zmq_push_msg_sink" => zmq!(ZmqPushMsgSink),
        "zmq_pub_msg_sink" => zmq!(ZmqPubMsgSink),
        "zmq_rep_msg_sink" => zmq!(ZmqRepMsgSink),
        _ => panic!("no block {block}"),
    };
    if block.ends_with("_msg_source") || block.ends_with("_server") {
        graph.add("find", FindMessages { input: MsgIn::new(), echo: Echo::new() });
        graph.connect_names("block", "find");
    } else if block.ends_with("_source") {
        graph.add("find", Find { input: In::new(), echo: Echo::new() });
        graph.connect_names("block", "find");
    } else if block.ends_with("_msg_sink") {
        graph.add("messages", Messages { output: MsgOut::new(), packets: false });
        graph.connect_names("messages", "block");
    } else {
        graph.add("samples", Samples { output: Out::new() });
        graph.connect_names("samples", "block");
    }
    (graph, address)
}

#[test]
#[ignore = "the process that the other tests attack"]
fn serve() {
    let Ok(block) = std::env::var("SUPERHET_TEST_SERVE") else { return };
    let (graph, address) = graph(&block);
    let mut running = graph.check().unwrap().start(&Threads, &Options::default()).unwrap();
    println!("\nat {address}");
    let (arrived, input_ended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let ended = input_ended.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        ended.store(true, Ordering::Relaxed);
    });
    while !input_ended.load(Ordering::Relaxed) && !arrived.load(Ordering::Relaxed) {
        if let Some(result) = running.wait_for(Duration::from_millis(20)) {
            println!("\nended {result:?}");
            return;
        }
    }
    let report = running.stop_within(HANG).unwrap();
    println!("\nstopped {}", report.block("block").unwrap().dropped_packets);
}

// Those who attack it.

/// When somebody was served last, and the longest time in which nobody was.
struct Served(Mutex<(Instant, Duration)>, AtomicU64);

impl Served {
    fn now(&self) {
        let mut served = self.0.lock().unwrap();
        let now = Instant::now();
        *served = (now, served.1.max(now - served.0));
        self.1.fetch_add(1, Ordering::Relaxed);
    }

    fn times(&self) -> u64 {
        self.1.load(Ordering::Relaxed)
    }

    /// The longest wait so far, which begins anew.
    fn longest(&self) -> Duration {
        let mut served = self.0.lock().unwrap();
        let longest = served.1.max(served.0.elapsed());
        served.1 = Duration::ZERO;
        longest
    }
}

/// The type of socket that fits a block for ZeroMQ.
fn peer_type(block: &str) -> Option<&'static str> {
    Some(match block.strip_prefix("zmq_")?.split('_').next()? {
        "pull" => "PUSH",
        "sub" => "PUB",
        "req" => "REP",
        "push" => "PULL",
        "pub" => "SUB",
        _ => "REQ",
    })
}

/// The type of items that a reader of a link has to want.
fn link_item(block: &str) -> Option<u8> {
    match block {
        "link_sink" => item_code("i32"),
        "link_msg_sink" => Some(0),
        _ => None,
    }
}

/// What an honest peer sends a block.
fn honest_message(block: &str) -> Vec<u8> {
    match block.ends_with("_msg_source") {
        true => [&[3][..], &MARK.to_be_bytes()].concat(),
        false => MARK.to_le_bytes().to_vec(),
    }
}

/// Is served once, or fails as a connection does.
fn be_served(block: &str, stream: &mut TcpStream, served: &Served) -> std::io::Result<()> {
    let message = honest_message(block);
    match peer_type(block) {
        // The results come back as datagrams.
        Some("PUSH" | "PUB") => stream.write_all(&zmtp::frame(&message, false)),
        Some("REP") => {
            while zmtp::read_frame(stream)?.1 {}
            stream.write_all(&[zmtp::frame(b"", true), zmtp::frame(&message, false)].concat())
        }
        kind => {
            if kind == Some("REQ") {
                stream.write_all(&[zmtp::frame(b"", true), zmtp::frame(b"", false)].concat())?;
            }
            match kind {
                Some(_) => while zmtp::read_frame(stream)?.1 {},
                None if link_item(block).is_some() => link::take_frame(stream)?,
                None if block == "tcp_server" => {
                    stream.write_all(&message)?;
                    stream.read_exact(&mut [0; 100])?;
                    return Ok(());
                }
                None => stream.read_exact(&mut vec![0; 40_000])?,
            }
            served.now();
            Ok(())
        }
    }
}

/// Connects from that address.
fn connect(from: IpAddr, to: SocketAddr, timeout: Duration) -> std::io::Result<TcpStream> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with, sockopt};
    // Processes that other tests start must not have it: they would have no descriptors left.
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(timeout))?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(timeout))?;
    if from != IpAddr::V4(Ipv4Addr::LOCALHOST) {
        // Ports of connections that were closed just now are free again.
        sockopt::set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &SocketAddr::from((from, 0)))?;
    }
    connect(&socket, &to)?;
    Ok(socket.into())
}

/// How often an honest peer connects that is not parted with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Comes {
    Once,
    AgainAndAgain,
}

/// An honest peer, which connects again where it is parted with, or each time that it was served; how often it has connected.
fn honest(
    block: &str,
    (from, comes): (IpAddr, Comes),
    address: SocketAddr,
    served: &Served,
    stop: &AtomicBool,
) -> u64 {
    let mut connections = 0;
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_secs(5);
    while !stop.load(Ordering::Relaxed) {
        if block.starts_with("udp") {
            let _ = socket.send_to(&honest_message(block), address);
            std::thread::sleep(Duration::from_millis(2));
            continue;
        }
        let stream = match peer_type(block) {
            Some(kind) => zmtp::connect(address, kind, timeout),
            None => connect(from, address, timeout),
        };
        let Ok(mut stream) = stream else { continue };
        if link_item(block)
            .is_some_and(|item| link::greet(&mut stream, item, &format!("honest {connections}")).is_err())
        {
            continue;
        }
        connections += 1;
        let before = served.times();
        let stays = || comes == Comes::Once || served.times() == before;
        while !stop.load(Ordering::Relaxed) && stays() && be_served(block, &mut stream, served).is_ok() {
            if !block.ends_with("_sink") {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
    connections
}

/// Numbers without end.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..1 + self.next() % most).map(|_| self.next() as u8).collect()
    }
}

/// What a hostile peer does again and again.
#[derive(Clone, Copy, Debug)]
enum Evil {
    Silent,
    Greets,
    Garbage,
    Resets,
    Floods,
    Opens,
    Nonsense,
    Huge,
    Hoards,
}

const EVILS: &[Evil] = &[
    Evil::Silent,
    Evil::Greets,
    Evil::Garbage,
    Evil::Resets,
    Evil::Floods,
    Evil::Opens,
    Evil::Nonsense,
    Evil::Huge,
    Evil::Hoards,
];

/// A hostile peer: what it does, its connection, and what it still sends.
struct Hostile {
    evil: Evil,
    from: IpAddr,
    stream: Option<TcpStream>,
    unsent: Vec<u8>,
    since: Instant,
}

impl Hostile {
    /// Connects, or sends a little more; never waits for long.
    fn act(&mut self, block: &str, address: SocketAddr, random: &mut Random) {
        let Some(stream) = &mut self.stream else {
            let Ok(mut stream) = connect(self.from, address, Duration::from_millis(50)) else { return };
            if let Some(item) = link_item(block)
                && matches!(self.evil, Evil::Hoards | Evil::Opens | Evil::Floods)
                && link::greet(&mut stream, item, &format!("evil {}", random.next())).is_err()
            {
                return;
            }
            stream.set_nonblocking(true).unwrap();
            (self.stream, self.since) = (Some(stream), Instant::now());
            self.unsent = self.opening(block, random);
            return;
        };
        match stream.write(&self.unsent) {
            Ok(n) => drop(self.unsent.drain(..n)),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => self.stream = None,
        }
        // Those that hold on read nothing; others look whether they have been parted with.
        if !matches!(self.evil, Evil::Hoards)
            && let Some(stream) = &mut self.stream
            && matches!(stream.read(&mut [0; 4096]), Ok(0))
        {
            self.stream = None;
        }
        match self.evil {
            // What was not read makes closing a reset.
            Evil::Resets => self.stream = None,
            Evil::Garbage | Evil::Nonsense if self.since.elapsed() > Duration::from_millis(200) => {
                self.stream = None;
            }
            Evil::Floods | Evil::Hoards if self.unsent.is_empty() => self.unsent = self.more(block, random),
            _ => {}
        }
    }

    /// What it begins with.
    fn opening(&self, block: &str, random: &mut Random) -> Vec<u8> {
        let Some(kind) = peer_type(block) else {
            return match self.evil {
                Evil::Nonsense | Evil::Huge if link_item(block).is_some() => link::nonsense(random.next()),
                Evil::Silent | Evil::Opens | Evil::Hoards => Vec::new(),
                Evil::Huge => vec![0; 1 << 20],
                _ => random.bytes(3000),
            };
        };
        let kind = if kind == "REQ" { "DEALER" } else { kind };
        let mut open = zmtp::hello(kind);
        if kind == "SUB" {
            open.extend(b"\x00\x01\x01");
        }
        match self.evil {
            Evil::Silent => Vec::new(),
            Evil::Greets => open[..64].to_vec(),
            Evil::Garbage => random.bytes(300),
            Evil::Resets | Evil::Opens | Evil::Floods | Evil::Hoards => open,
            Evil::Nonsense => [open, random.bytes(3000)].concat(),
            Evil::Huge => {
                let length: u64 = if random.next().is_multiple_of(4) { 1 << 62 } else { 8_000_000 };
                [&open[..], b"\x03", &length.to_be_bytes(), &vec![0; 1 << 20]].concat()
            }
        }
    }

    /// What it goes on with.
    fn more(&self, block: &str, random: &mut Random) -> Vec<u8> {
        let kind = peer_type(block);
        if matches!(self.evil, Evil::Hoards) {
            // Requests, or pings and subscriptions, whose answers nobody takes.
            return match kind {
                Some("REQ") => [zmtp::frame(b"", true), zmtp::frame(b"", false)].concat().repeat(100),
                Some(_) => [&b"\x04\x17\x04PING\0\x05"[..], &[b'x'; 16]].concat().repeat(100),
                None => Vec::new(),
            };
        }
        match kind {
            None => random.bytes(1 << 15),
            Some("REP" | "REQ") => {
                [zmtp::frame(b"", true), zmtp::frame(&[0; 400], false)].concat().repeat(20)
            }
            // A PMT of nulls, and 100 samples.
            Some(_) => {
                [zmtp::frame(&[&[8, 0, 0, 1, 139][..], &[6; 395]].concat(), false)].concat().repeat(50)
            }
        }
    }
}

/// So many peers at once, until they are to stop.
fn crowd(
    block: &str,
    from: &[IpAddr],
    address: SocketAddr,
    peers: std::ops::Range<usize>,
    stop: &AtomicBool,
) {
    let mut random = Random(0x9e37_79b9 + peers.start as u64);
    if block.starts_with("udp") {
        let sockets: Vec<_> = peers.map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
        while !stop.load(Ordering::Relaxed) {
            for (n, socket) in sockets.iter().enumerate() {
                let bytes = match n % 5 {
                    0 => Vec::new(),
                    1 => vec![0; 1472],
                    2 => vec![0; 60_000],
                    _ => random.bytes(2000),
                };
                let _ = socket.send_to(&bytes, address);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        return;
    }
    let mut peers: Vec<Hostile> = peers
        .map(|n| Hostile {
            evil: EVILS[n % EVILS.len()],
            from: from[n % from.len()],
            stream: None,
            unsent: Vec::new(),
            since: Instant::now(),
        })
        .collect();
    while !stop.load(Ordering::Relaxed) {
        for peer in &mut peers {
            peer.act(block, address, &mut random);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The process that is attacked, ended when dropped.
struct Attacked(Child);

impl Attacked {
    fn rss_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Attacked {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Has a crowd attack a block in a process that may have so many file descriptors.
fn attack(block: &'static str, descriptors: usize) {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    attack_from(&[here], (here, Comes::Once), block, descriptors);
}

/// The same, while the honest peer leaves whenever it was served, and comes again.
fn attack_newcomers(block: &'static str, descriptors: usize) {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    attack_from(&[here], (here, Comes::AgainAndAgain), block, descriptors);
}

/// The same from eight addresses, while the honest peer has one of its own.
fn attack_from_elsewhere(block: &'static str, descriptors: usize) {
    let at = |n| IpAddr::V4(Ipv4Addr::new(127, 0, 0, n));
    let crowd: Vec<IpAddr> = (11..19).map(at).collect();
    attack_from(&crowd, (at(2), Comes::Once), block, descriptors);
}

fn attack_from(
    from: &[IpAddr],
    (honest_from, comes): (IpAddr, Comes),
    block: &'static str,
    descriptors: usize,
) {
    let peers: usize = std::env::var("SUPERHET_PEERS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let duration = Duration::from_millis(if peers >= CROWD { 10_000 } else { 500 });
    let echo = UdpSocket::bind("127.0.0.1:0").unwrap();
    echo.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let limited = format!("ulimit -n {descriptors}; exec \"$0\" serve --exact --ignored --nocapture");
    let mut child = Command::new("sh")
        .args(["-c", &limited, std::env::current_exe().unwrap().to_str().unwrap()])
        .env("SUPERHET_TEST_SERVE", block)
        .env("SUPERHET_TEST_ECHO", echo.local_addr().unwrap().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut attacked = Attacked(child);
    let address = lines.find_map(|line| line.strip_prefix("at ").map(str::to_owned)).expect("an address");
    let address: SocketAddr = address.parse().unwrap();

    let served = Served(Mutex::new((Instant::now(), Duration::ZERO)), AtomicU64::new(0));
    let (stop, leave) = (AtomicBool::new(false), AtomicBool::new(false));
    let (mut most, mut longest, mut connections, idle) = (0, Duration::ZERO, 0, Mutex::new(0));
    std::thread::scope(|scope| {
        let honest = scope.spawn(|| honest(block, (honest_from, comes), address, &served, &stop));
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                if echo.recv(&mut [0; 100]).is_ok() {
                    served.now();
                }
            }
        });
        let serves = |times: u64| {
            let (start, before) = (Instant::now(), served.times());
            while served.times() < before + times {
                if start.elapsed() > HANG {
                    return false;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            true
        };
        let is_served = serves(20);
        served.longest();
        *idle.lock().unwrap() = attacked.rss_kib();
        let per_thread = peers.div_ceil(4);
        for first in (0..peers).step_by(per_thread) {
            let leave = &leave;
            scope.spawn(move || crowd(block, from, address, first..(first + per_thread).min(peers), leave));
        }
        let start = Instant::now();
        while start.elapsed() < duration {
            most = most.max(attacked.rss_kib());
            std::thread::sleep(Duration::from_millis(5));
        }
        // All the while, and at the end.
        let is_served = is_served && serves(5);
        longest = served.longest();
        leave.store(true, Ordering::Relaxed);
        stop.store(true, Ordering::Relaxed);
        connections = honest.join().unwrap();
        assert!(is_served, "{block}: the honest peer is not served");
    });
    let above = most.saturating_sub(*idle.lock().unwrap());
    drop(attacked.0.stdin.take());
    let end = lines.find(|line| line.starts_with("stopped ") || line.starts_with("ended "));
    println!(
        "{block} ({descriptors} descriptors): {peers} peers, {:.1} MiB above idle, served {} times on {connections} connections, \
         longest wait {} ms, {}",
        above as f64 / 1024.0,
        served.times(),
        longest.as_millis(),
        end.as_deref().unwrap_or("no word"),
    );
    assert!(end.is_some_and(|end| end.starts_with("stopped ")), "{block}: the graph has ended");
    assert!(above < MOST_KIB, "{block}: {above} KiB above idle");
    // Without a place for everybody, a newcomer that cannot say all at once has to have luck more than once.
    let has_places = comes == Comes::Once || peer_type(block).is_none() || descriptors >= PLACES;
    let may_wait = if peers >= CROWD && has_places { MOST_WAIT } else { HANG };
    assert!(longest < may_wait, "{block}: {longest:?} without service");
}

macro_rules! attacks {
    ($attack:ident: $($name:ident: $block:literal, $descriptors:literal;)*) => {
        $(#[test]
        fn $name() {
            $attack($block, $descriptors);
        })*
    };
}

attacks! {
    attack:
    a_crowd_at_udp_source: "udp_source", 1024;
    a_crowd_at_a_udp_server: "udp_server", 1024;
    a_crowd_at_a_tcp_server: "tcp_server", 1024;
    a_crowd_at_tcp_sink: "tcp_sink", 1024;
    a_crowd_at_link_sink: "link_sink", 1024;
    a_crowd_at_link_msg_sink: "link_msg_sink", 1024;
    a_crowd_at_link_sink_without_descriptors: "link_sink", 32;
    a_crowd_at_zmq_pull_source: "zmq_pull_source", 1024;
    a_crowd_at_zmq_sub_source: "zmq_sub_source", 1024;
    a_crowd_at_zmq_req_source: "zmq_req_source", 1024;
    a_crowd_at_zmq_pull_msg_source: "zmq_pull_msg_source", 1024;
    a_crowd_at_zmq_sub_msg_source: "zmq_sub_msg_source", 1024;
    a_crowd_at_zmq_req_msg_source: "zmq_req_msg_source", 1024;
    a_crowd_at_zmq_push_sink: "zmq_push_sink", 1024;
    a_crowd_at_zmq_pub_sink: "zmq_pub_sink", 1024;
    a_crowd_at_zmq_rep_sink: "zmq_rep_sink", 1024;
    a_crowd_at_zmq_push_msg_sink: "zmq_push_msg_sink", 1024;
    a_crowd_at_zmq_pub_msg_sink: "zmq_pub_msg_sink", 1024;
    a_crowd_at_zmq_rep_msg_sink: "zmq_rep_msg_sink", 1024;
    a_crowd_at_a_tcp_server_without_descriptors: "tcp_server", 32;
    a_crowd_at_tcp_sink_without_descriptors: "tcp_sink", 32;
    a_crowd_at_zmq_pull_source_without_descriptors: "zmq_pull_source", 32;
    a_crowd_at_zmq_pub_sink_without_descriptors: "zmq_pub_sink", 32;
}

attacks! {
    attack_from_elsewhere:
    a_crowd_from_elsewhere_at_a_tcp_server: "tcp_server", 1024;
    a_crowd_from_elsewhere_at_tcp_sink: "tcp_sink", 1024;
    a_crowd_from_elsewhere_at_link_sink: "link_sink", 1024;
    a_crowd_from_elsewhere_at_a_tcp_server_without_descriptors: "tcp_server", 32;
    a_crowd_from_elsewhere_at_tcp_sink_without_descriptors: "tcp_sink", 32;
}

attacks! {
    attack_newcomers:
    newcomers_among_a_crowd_at_link_sink: "link_sink", 1024;
    newcomers_among_a_crowd_at_zmq_pull_source: "zmq_pull_source", 1024;
    newcomers_among_a_crowd_at_zmq_pull_source_without_descriptors: "zmq_pull_source", 32;
    newcomers_among_a_crowd_at_zmq_req_source_without_descriptors: "zmq_req_source", 32;
    newcomers_among_a_crowd_at_zmq_push_sink_without_descriptors: "zmq_push_sink", 32;
    newcomers_among_a_crowd_at_zmq_pub_sink_without_descriptors: "zmq_pub_sink", 32;
    newcomers_among_a_crowd_at_zmq_rep_sink_without_descriptors: "zmq_rep_sink", 32;
    newcomers_among_a_crowd_at_a_tcp_server_without_descriptors: "tcp_server", 32;
    newcomers_among_a_crowd_at_tcp_sink_without_descriptors: "tcp_sink", 32;
}
