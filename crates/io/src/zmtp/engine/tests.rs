//! Turns of the thread, one by one: who is there after many have come.

use std::io::Write;
use std::net::TcpStream;

use super::super::address::Stream;
use super::super::memory::Memory;
use super::super::shared::Options;
use super::super::wire;
use super::*;

/// A socket that listens, whose turns the test takes, and the peers that have connected.
struct Turns {
    engine: Engine,
    address: String,
    peers: Vec<TcpStream>,
    _waker: UnixStream,
}

impl Turns {
    fn new(role: Role) -> Self {
        let options =
            Options { high_water: 1000, topics: Vec::new(), waits: false, memory: Memory::default() };
        let listener = Address::parse("tcp://127.0.0.1:*").unwrap().listen().unwrap();
        let address = listener.endpoint().unwrap().strip_prefix("tcp://").unwrap().to_owned();
        let (waker, woken) = UnixStream::pair().unwrap();
        woken.set_nonblocking(true).unwrap();
        let shared = Arc::new(Shared::new(role, options, waker.try_clone().unwrap()));
        Turns {
            engine: Engine::new(shared, Link::to_peers(listener), woken),
            address,
            peers: Vec::new(),
            _waker: waker,
        }
    }

    /// So many peers connect and say this. On this machine it is there when they have said it.
    fn come(&mut self, peers: usize, say: &[u8]) {
        for _ in 0..peers {
            let mut peer = TcpStream::connect(&self.address).unwrap();
            peer.write_all(say).unwrap();
            self.peers.push(peer);
        }
    }

    fn turn(&mut self) {
        self.engine.meet();
        self.engine.read(true);
        self.engine.take();
    }

    /// Whether a peer that has connected is open.
    fn is_open(&self, peer: usize) -> bool {
        let address = self.peers[peer].local_addr().unwrap();
        let is_it =
            |peer: &&Peer| matches!(&peer.stream, Stream::Tcp(s) if s.peer_addr().ok() == Some(address));
        self.engine.peers.iter().find(is_it).is_some_and(|peer| peer.session.is_open())
    }

    fn unopened(&self) -> usize {
        self.engine.peers.iter().filter(|peer| !peer.session.is_open()).count()
    }
}

/// What a peer of version 3.0 begins with.
fn hello(socket_type: &str) -> Vec<u8> {
    let mut hello = greeting();
    wire::put_ready(&mut hello, socket_type);
    hello
}

fn greeting() -> Vec<u8> {
    let mut greeting = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL".to_vec();
    greeting.resize(64, 0);
    greeting
}

#[test]
fn who_has_said_all_of_a_handshake_is_open_whoever_comes_behind() {
    let mut turns = Turns::new(Role::Pull);
    for _ in 0..20 {
        turns.come(4, &greeting());
        turns.turn();
    }
    turns.come(1, &hello("PUSH"));
    turns.come(200, b"");
    for _ in 0..20 {
        turns.turn();
    }
    assert!(turns.is_open(80));
}

#[test]
fn a_peer_has_time_for_its_handshake_however_many_come() {
    let mut turns = Turns::new(Role::Pull);
    turns.come(1, &greeting()[..10]);
    turns.turn();
    let start = Instant::now();
    for _ in 0..30 {
        turns.come(10, &greeting());
        turns.turn();
    }
    let mut rest = hello("PUSH");
    turns.peers[0].write_all(&rest.split_off(10)).unwrap();
    turns.turn();
    // A machine that takes longer for it than a peer has cannot tell.
    assert!(turns.is_open(0) || start.elapsed() > Duration::from_millis(100));
}

#[test]
fn without_descriptors_handshakes_keep_a_third_of_the_places() {
    let mut turns = Turns::new(Role::Pull);
    turns.come(24, &hello("PUSH"));
    for _ in 0..10 {
        turns.turn();
    }
    assert_eq!(turns.engine.peers.len(), 24);
    for _ in 0..20 {
        turns.come(1, &greeting());
        turns.turn();
        // One goes for each.
        assert!(turns.engine.make_room());
    }
    assert_eq!((turns.engine.peers.len(), turns.unopened()), (24, 8));
}

#[test]
fn of_one_address_the_open_peer_that_does_least_goes() {
    let mut turns = Turns::new(Role::Pull);
    turns.come(3, &hello("PUSH"));
    for _ in 0..4 {
        turns.turn();
    }
    std::thread::sleep(Duration::from_millis(15));
    for place in [0, 2] {
        turns.peers[place].write_all(b"\x00\x01x").unwrap();
    }
    turns.turn();
    turns.turn();
    assert!(turns.engine.make_room());
    assert_eq!([turns.is_open(0), turns.is_open(1), turns.is_open(2)], [true, false, true]);
}

#[test]
fn a_peer_that_sends_all_along_keeps_its_place_among_those_that_come() {
    let mut turns = Turns::new(Role::Pull);
    turns.come(24, &hello("PUSH"));
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(80) {
        turns.peers[0].write_all(b"\x00\x01x").unwrap();
        turns.turn();
        std::thread::sleep(Duration::from_millis(2));
        turns.engine.shared.state().received.clear();
    }
    for _ in 0..100 {
        turns.come(1, &hello("PUSH"));
        turns.turn();
        assert!(turns.engine.make_room());
    }
    assert_eq!((turns.engine.peers.len(), turns.is_open(0)), (24, true));
}

#[test]
fn a_peer_that_answers_keeps_its_place_however_long_it_is_not_asked() {
    let mut turns = Turns::new(Role::Req);
    turns.come(1, &hello("REP"));
    turns.turn();
    std::thread::sleep(Duration::from_millis(2));
    turns.engine.peers[0].is_asking = true;
    turns.peers[0].write_all(b"\x01\x00\x00\x01x").unwrap();
    turns.turn();
    assert!(turns.engine.peers[0].standing.has_done_something());
    turns.come(23, &hello("REP"));
    for _ in 0..10 {
        turns.turn();
    }
    std::thread::sleep(Duration::from_millis(1100));
    for _ in 0..40 {
        turns.come(1, &hello("REP"));
        turns.turn();
        assert!(turns.engine.make_room());
    }
    assert_eq!((turns.engine.peers.len(), turns.is_open(0)), (24, true));
}

#[test]
fn a_peer_that_answers_what_it_was_not_asked_is_parted_with() {
    let mut turns = Turns::new(Role::Req);
    turns.come(2, &hello("REP"));
    turns.turn();
    turns.engine.peers[0].is_asking = true;
    for peer in &mut turns.peers {
        peer.write_all(b"\x01\x00\x00\x01x").unwrap();
    }
    turns.turn();
    assert_eq!([turns.is_open(0), turns.is_open(1)], [true, false]);
    // Its answer was taken: another would be one too many.
    turns.peers[0].write_all(b"\x01\x00\x00\x01x").unwrap();
    turns.turn();
    assert!(!turns.is_open(0));
}
