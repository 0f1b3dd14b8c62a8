//! The sink's side with peers that are sockets, and no graph.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::super::frame::Frames;
use super::super::place::Place as Where;
use super::*;

fn server(policy: Policy) -> (Server, SocketAddr) {
    let rules =
        Rules { item: 3, token: Token::default(), policy, memory: 1 << 23, hold: Duration::from_secs(60) };
    let place = Where::Net { host: "127.0.0.1".to_owned(), port: 0 };
    let server = Server::new(Door::at(&place, None).unwrap(), rules).unwrap();
    let address = server.door().local_addr().unwrap();
    (server, address)
}

fn turns(server: &mut Server, done: impl Fn(&Server) -> bool) {
    for _ in 0..6000 {
        server.turn();
        if done(server) {
            return;
        }
        server.wait(Duration::from_millis(10)).unwrap();
    }
    panic!("it did not come to it");
}

/// A reader, let in by a server that takes turns meanwhile.
fn reader(server: &mut Server, address: SocketAddr, name: &str, next: u64) -> (TcpStream, Welcome) {
    let hello = Hello { name: name.to_owned(), item: 3, stream: server.stream, next, nonce: [1; NONCE] };
    let readers = server.readers();
    let thread = std::thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut frames = Frames::of_words(1);
        let mut frame = |stream: &mut TcpStream| loop {
            if let Some((header, body)) = frames.next().unwrap() {
                return (header, frames.bytes(body).to_vec());
            }
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            frames.feed(&byte);
        };
        let (_, challenge) = frame(&mut stream);
        let challenge = *challenge.first_chunk().unwrap();
        stream.write_all(&hello.frame(&challenge, &Token::default())).unwrap();
        let (header, body) = frame(&mut stream);
        let welcome = Welcome::parse(&header, &body, &hello, &challenge, &Token::default()).unwrap();
        (stream, welcome)
    });
    turns(server, |server| server.readers() > readers);
    turns(server, |_| thread.is_finished());
    thread.join().unwrap()
}

fn give(server: &mut Server, bytes: usize) -> usize {
    let header = server.header(FrameKind::Items, bytes as u32);
    server.give(header, &[], &vec![7; bytes])
}

#[test]
fn memory_of_readers_that_take_nothing_is_bounded_and_each_loses_on_its_own() {
    let (mut server, address) = server(Policy::Drop);
    let deaf: Vec<TcpStream> =
        (0..8).map(|n| reader(&mut server, address, &format!("deaf {n}"), NOTHING).0).collect();
    for _ in 0..200 {
        give(&mut server, 1 << 17);
        server.turn();
    }
    assert!(server.total.load(Ordering::Relaxed) <= (1 << 23) + (1 << 22), "{:?}", server.total);
    assert!(server.places.iter().all(|place| place.ring.bytes() <= (1 << 21) && place.lost > 0));
    drop(deaf);
    turns(&mut server, |server| server.readers() == 0);
    assert_eq!(server.places.len(), 8, "their places are kept");
}

#[test]
fn a_reader_that_comes_back_gets_what_it_has_not_acknowledged() {
    let (mut server, address) = server(Policy::Block);
    let (stream, welcome) = reader(&mut server, address, "a", NOTHING);
    assert_eq!((welcome.first, welcome.acknowledged), (0, NOTHING));
    (0..5).for_each(|_| assert_eq!(give(&mut server, 100), 0));
    turns(&mut server, |server| !server.has_unsent());
    drop(stream);
    turns(&mut server, |server| server.readers() == 0);
    let (stream, welcome) = reader(&mut server, address, "a", 250);
    assert_eq!((welcome.first, welcome.acknowledged), (200, 0), "the frame that has the item");
    drop(stream);
    turns(&mut server, |server| server.readers() == 0);
    let (stream, welcome) = reader(&mut server, address, "a", u64::MAX - 1);
    assert_eq!(welcome.first, 200, "an index that was never given says nothing");
    drop(stream);
    turns(&mut server, |server| server.readers() == 0);
    let (_other, welcome) = reader(&mut server, address, "b", 100);
    assert_eq!(welcome.first, 500, "nothing was kept for it");
    let events: Vec<&str> =
        server.events.iter().map(|event| event.get("event").and_then(Value::as_str).unwrap()).collect();
    assert_eq!(events.iter().filter(|event| **event == "came").count(), 2, "{events:?}");
}

#[test]
fn strangers_that_say_nothing_are_few_and_keep_nobody_out() {
    let (mut server, address) = server(Policy::Drop);
    let silent: Vec<TcpStream> = (0..200)
        .map(|_| {
            let stream = TcpStream::connect(address).unwrap();
            server.turn();
            stream
        })
        .collect();
    assert!(server.strangers.len() <= MOST_STRANGERS);
    reader(&mut server, address, "a", NOTHING);
    drop(silent);
}

#[test]
fn nonsense_and_words_that_only_sinks_say_end_a_connection() {
    let (mut server, address) = server(Policy::Drop);
    let mut rude = TcpStream::connect(address).unwrap();
    rude.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    // It gets a challenge, and then the end.
    let ended = std::thread::spawn(move || rude.read_to_end(&mut Vec::new()));
    turns(&mut server, |_| ended.is_finished());
    assert!(server.strangers.is_empty());
    let (mut stream, _) = reader(&mut server, address, "a", NOTHING);
    stream.write_all(&Header::new(FrameKind::End).frame(&[])).unwrap();
    turns(&mut server, |server| server.readers() == 0);
    let (mut stream, _) = reader(&mut server, address, "a", NOTHING);
    let header = Header { stream: server.stream, first: 1000, ..Header::new(FrameKind::Acknowledgement) };
    stream.write_all(&header.frame(&[])).unwrap();
    turns(&mut server, |server| server.readers() == 0);
    assert_eq!(server.places[0].acknowledged, 0, "it was never given");
    let (mut stream, _) = reader(&mut server, address, "a", NOTHING);
    stream.write_all(&Header { first: 0, ..header }.frame(&[])).unwrap();
    stream.write_all(&Header::new(FrameKind::Farewell).frame(&[])).unwrap();
    turns(&mut server, |server| server.is_empty());
}
