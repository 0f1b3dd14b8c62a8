//! Sockets with each other, and with peers that are up to no good.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

use super::*;

const TIMEOUT: Duration = Duration::from_secs(20);

fn options() -> Options {
    Options { high_water: 1000, topics: vec![Vec::new()], waits: false, memory: Memory::default() }
}

fn bind(role: Role, options: Options) -> Socket {
    Socket::open(role, &Address::parse("tcp://127.0.0.1:*").unwrap(), true, options).unwrap()
}

fn connect(role: Role, to: &Socket, options: Options) -> Socket {
    Socket::open(role, &Address::parse(to.endpoint()).unwrap(), false, options).unwrap()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn text(message: Option<Received>) -> Vec<String> {
    message.expect("a message").parts.into_iter().map(|part| String::from_utf8(part).unwrap()).collect()
}

fn send(socket: &Socket, part: &str) {
    assert!(socket.wait_for_room(TIMEOUT).unwrap());
    socket.send(&[&[part.as_bytes()]]);
}

/// What a peer of version 3.0 begins with.
fn hello(socket_type: &str) -> Vec<u8> {
    let mut hello = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL".to_vec();
    hello.resize(64, 0);
    wire::put_ready(&mut hello, socket_type);
    hello
}

/// A peer by hand, after both have greeted and said what they are.
fn by_hand(mut stream: TcpStream, socket_type: &str) -> TcpStream {
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.write_all(&hello(socket_type)).unwrap();
    let mut theirs = [0; 66];
    stream.read_exact(&mut theirs).unwrap();
    let mut ready = vec![0; theirs[65].into()];
    stream.read_exact(&mut ready).unwrap();
    stream
}

fn connect_by_hand(socket: &Socket, socket_type: &str) -> TcpStream {
    let address = socket.endpoint().strip_prefix("tcp://").unwrap();
    by_hand(TcpStream::connect(address).unwrap(), socket_type)
}

#[test]
fn push_sends_to_one_after_the_other_and_pull_takes_from_all() {
    let push = bind(Role::Push, options());
    assert!(!push.wait_for_room(Duration::ZERO).unwrap(), "there is nobody");
    let pulls = [connect(Role::Pull, &push, options()), connect(Role::Pull, &push, options())];
    wait_until("two peers", || push.shared.state().peers == 2);
    for n in 0..10 {
        send(&push, &n.to_string());
    }
    let mut got: Vec<Vec<String>> = pulls
        .iter()
        .map(|pull| (0..5).flat_map(|_| text(pull.receive(TIMEOUT).unwrap())).collect())
        .collect();
    got.sort();
    assert_eq!(got, [["0", "2", "4", "6", "8"], ["1", "3", "5", "7", "9"]]);
    assert_eq!(push.flush(TIMEOUT).unwrap(), (true, 10));

    let pull = bind(Role::Pull, options());
    let pushes = [connect(Role::Push, &pull, options()), connect(Role::Push, &pull, options())];
    for (push, part) in pushes.iter().zip(["a", "b"]) {
        send(push, part);
    }
    let mut got = [text(pull.receive(TIMEOUT).unwrap()), text(pull.receive(TIMEOUT).unwrap())].concat();
    got.sort();
    assert_eq!(got, ["a", "b"]);
}

#[test]
fn subscribers_get_what_they_have_subscribed_to() {
    let publisher = bind(Role::Pub, options());
    assert!(!publisher.has_peers());
    let all = connect(Role::Sub, &publisher, options());
    let some = connect(Role::Sub, &publisher, Options { topics: vec![b"ab".to_vec()], ..options() });
    wait_until("two peers", || publisher.shared.state().peers == 2);
    // A subscription comes behind READY, and may take a moment longer.
    let start = Instant::now();
    let next = |socket: &Socket| {
        text(
            socket
                .receive(Duration::from_millis(20))
                .unwrap()
                .or(Some(Received { from: 0, parts: Vec::new() })),
        )
    };
    while next(&all).is_empty() || next(&some).is_empty() {
        assert!(start.elapsed() < TIMEOUT);
        publisher.send(&[&[b"ab"], &[b"first"]]);
    }
    while !next(&all).is_empty() || !next(&some).is_empty() {}
    publisher.send(&[&[b"abc"], &[b"x", b"y"]]);
    publisher.send(&[&[b"a"], &[b"z"]]);
    assert_eq!(text(some.receive(TIMEOUT).unwrap()), ["abc", "xy"]);
    assert_eq!(text(all.receive(TIMEOUT).unwrap()), ["abc", "xy"]);
    assert_eq!(text(all.receive(TIMEOUT).unwrap()), ["a", "z"]);
    assert!(some.receive(Duration::from_millis(20)).unwrap().is_none());
}

#[test]
fn requests_are_answered_and_asked_again_of_the_next_where_the_answer_does_not_come() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let req =
        Socket::open(Role::Req, &Address::parse(&format!("tcp://{address}")).unwrap(), false, options())
            .unwrap();
    req.send(&[&[b"?"]]);
    let mut first = by_hand(listener.accept().unwrap().0, "REP");
    let mut request = [0; 5];
    first.read_exact(&mut request).unwrap();
    assert_eq!(request, *b"\x01\x00\x00\x01?");
    drop(first);
    let mut second = by_hand(listener.accept().unwrap().0, "ROUTER");
    second.read_exact(&mut request).unwrap();
    // What is no answer is passed over.
    second.write_all(b"\x00\x01x\x01\x00\x00\x01!\x01\x00\x00\x02!!").unwrap();
    assert_eq!(text(req.receive(TIMEOUT).unwrap()), ["!"]);
    assert!(req.receive(Duration::from_millis(20)).unwrap().is_none());

    let rep = bind(Role::Rep, options());
    let asks: Vec<Socket> = (0..3).map(|_| connect(Role::Req, &rep, options())).collect();
    for (n, ask) in asks.iter().enumerate() {
        ask.send(&[&[n.to_string().as_bytes()]]);
    }
    for _ in &asks {
        let request = rep.request(TIMEOUT).unwrap().expect("a request");
        rep.answer(&request, &[&[b"answer ", &request.body[0]]]);
    }
    for (n, ask) in asks.iter().enumerate() {
        assert_eq!(text(ask.receive(TIMEOUT).unwrap()), [format!("answer {n}")]);
    }
    // An envelope as a router makes it comes back.
    let mut router = connect_by_hand(&rep, "DEALER");
    router.write_all(b"\x01\x02id\x01\x00\x00\x01?").unwrap();
    let request = rep.request(TIMEOUT).unwrap().expect("a request");
    rep.answer(&request, &[&[b"!"]]);
    let mut answer = [0; 9];
    router.read_exact(&mut answer).unwrap();
    assert_eq!(answer, *b"\x01\x02id\x01\x00\x00\x01!");
}

#[test]
fn a_side_that_connects_waits_for_the_other_and_comes_again() {
    let push = bind(Role::Push, options());
    let address = Address::parse(push.endpoint()).unwrap();
    let pull = connect(Role::Pull, &push, options());
    send(&push, "one");
    assert_eq!(text(pull.receive(TIMEOUT).unwrap()), ["one"]);
    drop(push);
    assert!(pull.receive(Duration::from_millis(20)).unwrap().is_none());
    let push = Socket::open(Role::Push, &address, true, options()).unwrap();
    send(&push, "two");
    assert_eq!(text(pull.receive(TIMEOUT).unwrap()), ["two"]);
}

#[test]
fn a_message_that_a_peer_has_not_got_goes_to_the_next() {
    let push = bind(Role::Push, options());
    let first = connect_by_hand(&push, "PULL");
    wait_until("a peer", || push.shared.state().peers == 1);
    // Too long for the buffers of the system: it cannot have gone out as a whole.
    let long = "x".repeat(1 << 24);
    send(&push, &long);
    send(&push, "behind");
    drop(first);
    let large = Options { memory: Memory::new(1 << 28), ..options() };
    let pull = connect(Role::Pull, &push, large);
    assert!(text(pull.receive(TIMEOUT).unwrap()) == [long]);
    assert_eq!(text(pull.receive(TIMEOUT).unwrap()), ["behind"]);
}

#[test]
fn a_slow_subscriber_loses_messages_or_makes_the_publisher_wait() {
    for waits in [false, true] {
        let publisher = bind(Role::Pub, Options { high_water: 4, waits, ..options() });
        let mut slow = connect_by_hand(&publisher, "SUB");
        slow.write_all(b"\x00\x01\x01").unwrap();
        let message = "x".repeat(1 << 20);
        let mut sent = 0;
        wait_until("the buffers to be full", || {
            if publisher.wait_for_room(Duration::from_millis(100)).unwrap() {
                publisher.send(&[&[message.as_bytes()]]);
                sent += 1;
                return sent == 200;
            }
            true
        });
        assert_eq!(sent == 200, !waits, "{sent} messages");
        let (is_sent, gone) = publisher.flush(Duration::ZERO).unwrap();
        assert!(!is_sent && gone < 200);
    }
}

#[test]
fn what_nobody_takes_stays_with_the_sender() {
    let pull = bind(Role::Pull, Options { high_water: 3, ..options() });
    let push = connect(Role::Push, &pull, Options { high_water: 2, ..options() });
    let message = "x".repeat(1 << 20);
    let mut sent = 0;
    while push.wait_for_room(Duration::from_millis(300)).unwrap() {
        push.send(&[&[format!("{sent}{message}").as_bytes()]]);
        sent += 1;
        assert!(sent < 100, "nobody takes so many");
    }
    assert_eq!(pull.shared.state().received.len(), 3);
    for n in 0..sent {
        assert!(text(pull.receive(TIMEOUT).unwrap())[0].starts_with(&format!("{n}x")));
    }
    assert!(pull.receive(Duration::ZERO).unwrap().is_none());
}

#[test]
fn peers_that_break_the_protocol_are_parted_with_and_harm_nobody() {
    let pull = bind(Role::Pull, options());
    let address = pull.endpoint().strip_prefix("tcp://").unwrap().to_owned();
    let is_closed = |mut stream: TcpStream| {
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut rest = Vec::new();
        // It may come as a reset, too: not everything was read.
        let _ = stream.read_to_end(&mut rest);
    };
    let mut greeting = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0PLAIN".to_vec();
    greeting.resize(64, 0);
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x01\0", &greeting] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(bytes).unwrap();
        is_closed(stream);
    }
    for bytes in [&b"\x02\xff\0\0\0\0\0\0\0"[..], b"\xf0", b"\x04\0", b"\x04\x06\x05ERROR"] {
        let mut stream = connect_by_hand(&pull, "PUSH");
        stream.write_all(bytes).unwrap();
        is_closed(stream);
    }
    let mut other = TcpStream::connect(&address).unwrap();
    other.write_all(&hello("SUB")).unwrap();
    is_closed(other);
    // One that goes in the middle of a message has sent those before it.
    let mut stream = connect_by_hand(&pull, "PUSH");
    stream.write_all(b"\x00\x01a\x01\x01b\x00\x7fc").unwrap();
    drop(stream);
    assert_eq!(text(pull.receive(TIMEOUT).unwrap()), ["a"]);
    wait_until("all to be gone", || pull.shared.state().peers == 0);
    assert!(pull.receive(Duration::ZERO).unwrap().is_none());
}

#[test]
fn unix_sockets_do_the_same_and_their_files_go_with_them() {
    let folder = std::env::temp_dir().join(format!("superhet-zmq-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let address = Address::Ipc(folder.join("socket"));
    let pull = Socket::open(Role::Pull, &address, false, options()).unwrap();
    let push = Socket::open(Role::Push, &address, true, options()).unwrap();
    assert_eq!(push.endpoint(), pull.endpoint());
    send(&push, "over a file");
    assert_eq!(text(pull.receive(TIMEOUT).unwrap()), ["over a file"]);
    let error = Socket::open(Role::Push, &address, true, options()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot listen at {address}: ")), "{error}");
    drop(push);
    assert!(!folder.join("socket").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_peer_with_one_message_is_heard_among_those_that_never_end() {
    let few = Options { high_water: 2, ..options() };
    let pull = bind(Role::Pull, few);
    let mut floods: Vec<TcpStream> = (0..4).map(|_| connect_by_hand(&pull, "PUSH")).collect();
    let mut honest = connect_by_hand(&pull, "PUSH");
    for flood in &mut floods {
        flood.write_all(&b"\x00\x05flood".repeat(4000)).unwrap();
    }
    let mut heard = Vec::new();
    while heard.len() < 20 {
        heard.push(text(pull.receive(TIMEOUT).unwrap()).concat());
    }
    honest.write_all(b"\x00\x06honest").unwrap();
    // The thread of the socket has time to hear it between two messages.
    let is_heard = (0..400).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        text(pull.receive(TIMEOUT).unwrap()) == ["honest"]
    });
    assert!(is_heard, "not within 400 messages of others");
}
