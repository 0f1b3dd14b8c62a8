//! Connections against bytes as the specifications have them: RFC 23 (ZMTP 3.0) and RFC 37 (ZMTP 3.1).

use super::*;

const LONGEST: usize = 1 << 20;

fn outbound(bytes: Vec<u8>) -> Arc<Outbound> {
    Outbound::new(bytes, &Arc::default())
}

/// A greeting of version 3, and READY of a socket of that type.
fn hello(minor: u8, socket_type: &str) -> Vec<u8> {
    let mut bytes = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03".to_vec();
    bytes.push(minor);
    bytes.extend(b"NULL");
    bytes.resize(GREETING, 0);
    bytes.extend([4, 22 + socket_type.len() as u8]);
    bytes.extend(b"\x05READY\x0bSocket-Type\0\0\0");
    bytes.push(socket_type.len() as u8);
    bytes.extend(socket_type.as_bytes());
    bytes
}

fn open(role: Role, minor: u8, peer: &str, topics: &[Vec<u8>]) -> Session {
    let mut session = Session::new(role, topics, LONGEST);
    session.feed(&hello(minor, peer));
    assert_eq!(session.next(), Ok(Some(Event::Open)));
    session
}

/// What it writes after its greeting and its READY.
fn written(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    session.write(&mut bytes).unwrap();
    let ready = 2 + usize::from(bytes[GREETING + 1]);
    bytes.split_off(GREETING + ready)
}

#[test]
fn subscriptions_go_out_as_messages_in_3_0_and_as_commands_in_3_1() {
    let topics = [b"ab".to_vec(), Vec::new()];
    let mut old = open(Role::Sub, 0, "PUB", &topics);
    assert_eq!(written(&mut old), b"\x00\x03\x01ab\x00\x01\x01");
    let mut new = open(Role::Sub, 1, "XPUB", &topics);
    assert_eq!(written(&mut new), b"\x04\x0c\x09SUBSCRIBEab\x04\x0a\x09SUBSCRIBE");
}

#[test]
fn subscriptions_come_in_both_forms_and_are_cancelled_once_each() {
    let mut session = open(Role::Pub, 1, "SUB", &[]);
    assert!(!session.is_wanted(b"abc"));
    session.feed(b"\x04\x0c\x09SUBSCRIBEab\x00\x03\x01ab\x00\x02\x01x");
    assert_eq!(session.next(), Ok(None));
    assert!(session.is_wanted(b"abc") && session.is_wanted(b"x") && !session.is_wanted(b"a"));
    session.feed(b"\x04\x09\x06CANCELab\x00\x02\x00x");
    assert_eq!(session.next(), Ok(None));
    assert!(session.is_wanted(b"ab") && !session.is_wanted(b"x"), "one of the two to ab is left");
    session.feed(b"\x00\x03\x00ab\x00\x03\x00zz\x00\x00\x00\x02\x07!");
    assert_eq!(session.next(), Ok(None));
    assert!(!session.is_wanted(b"ab"));
}

#[test]
fn messages_come_whole_wherever_their_bytes_are_cut() {
    let mut bytes = hello(1, "PUSH");
    bytes.extend(b"\x01\x03one\x00\x03two\x04\x09\x04PING\0\x05ab\x02\0\0\0\0\0\0\0\x05three\x00\x00");
    for chunk in [1, 2, 7, 64, 1000] {
        let mut session = Session::new(Role::Pull, &[], LONGEST);
        let mut events = Vec::new();
        for bytes in bytes.chunks(chunk) {
            session.feed(bytes);
            while let Some(event) = session.next().unwrap() {
                events.push(event);
            }
        }
        let message =
            |parts: &[&[u8]]| Event::Message(parts.iter().map(|part| part.to_vec()).collect::<Parts>());
        let wanted = [Event::Open, message(&[b"one", b"two"]), message(&[b"three"]), message(&[b""])];
        assert_eq!(events, wanted);
        assert_eq!(written(&mut session), b"\x04\x07\x04PONGab");
    }
}

/// Takes a few bytes at a time.
struct Slow(Vec<u8>, usize);

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.1) == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let n = bytes.len().min(3);
        self.0.extend(&bytes[..n]);
        Ok(n)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_command_waits_for_the_end_of_the_message_that_is_going_out() {
    let mut session = open(Role::Push, 1, "PULL", &[]);
    written(&mut session);
    let mut message = Vec::new();
    wire::put_part(&mut message, false, &[b"12345678"]);
    session.send(outbound(message.clone()));
    session.send(outbound(message));
    let mut slow = Slow(Vec::new(), 1);
    session.write(&mut slow).unwrap();
    session.feed(b"\x04\x07\x04PING\0\x05");
    assert_eq!((session.next(), session.waiting()), (Ok(None), (2, 20)));
    while session.has_output() {
        slow.1 = 1;
        session.write(&mut slow).unwrap();
    }
    assert_eq!(slow.0, b"\x00\x0812345678\x04\x05\x04PONG\x00\x0812345678");
    assert_eq!(session.waiting(), (0, 0));
}

#[test]
fn a_message_that_has_not_gone_out_as_a_whole_is_unsent() {
    let mut session = open(Role::Push, 1, "PULL", &[]);
    written(&mut session);
    for _ in 0..2 {
        session.send(outbound(b"\x00\x0412345".to_vec()));
    }
    session.write(&mut Slow(Vec::new(), 1)).unwrap();
    assert_eq!(session.into_unsent().len(), 2);
}

#[test]
fn peers_that_break_the_rules_are_told_apart() {
    let breach = |role, bytes: &[u8]| {
        let mut session = Session::new(role, &[], LONGEST);
        session.feed(bytes);
        loop {
            match session.next() {
                Err(breach) => return breach.to_string(),
                Ok(None) => return String::new(),
                Ok(Some(_)) => {}
            }
        }
    };
    let after = |role, peer: &str, bytes: &[u8]| breach(role, &[&hello(0, peer)[..], bytes].concat());
    assert_eq!(after(Role::Pub, "PULL", b""), "it is a PULL socket, which does not fit PUB");
    assert_eq!(
        breach(Role::Pub, &[&hello(0, "")[..64], b"\x00\x01x"].concat()),
        "it sends a message before its READY"
    );
    let early = breach(Role::Pub, &[&hello(0, "")[..64], b"\x04\x05\x04PING"].concat());
    assert_eq!(early, "it sends another command before its READY");
    let refused = breach(Role::Pub, &[&hello(0, "")[..64], b"\x04\x0a\x05ERROR\x03no\n"].concat());
    assert_eq!(refused, "it refuses: no\\n");
    assert_eq!(after(Role::Pull, "PUSH", b"\x04\x00"), "a command ends within its name");
    let huge = after(Role::Pull, "PUSH", b"\x02\xff\xff\xff\xff\xff\xff\xff\xff");
    assert!(huge.ends_with("expected at most 1048576"), "{huge}");
    let topics = b"\x00\x02\x01x".repeat(MOST_TOPICS + 1);
    assert!(after(Role::Pub, "SUB", &topics).contains("more than 1000 topics"));
}

#[test]
fn a_message_of_very_many_empty_parts_ends() {
    let mut session = open(Role::Pull, 1, "PUSH", &[]);
    session.feed(&b"\x01\x00".repeat(MOST_PARTS + 1));
    assert!(session.next().unwrap_err().to_string().ends_with("more than 10000 parts"));
}

#[test]
fn a_message_is_refused_by_the_header_of_the_part_that_makes_it_too_long() {
    let mut session = open(Role::Pull, 1, "PUSH", &[]);
    session.feed(b"\x03\0\0\0\0\0\x08\0\0");
    session.feed(&vec![0; 1 << 19]);
    assert_eq!(session.next(), Ok(None));
    assert!(session.held() > 1 << 19);
    session.feed(b"\x02\0\0\0\0\0\x08\0\0");
    assert_eq!(session.next(), Ok(None), "half and half make a whole");
    let mut session = open(Role::Push, 1, "PULL", &[]);
    session.feed(b"\x02\0\0\0\0\0\x08\0\0");
    let refused = session.next().unwrap_err().to_string();
    assert_eq!(refused, "a frame has 524288 bytes, expected at most 65536", "nobody wants to hear so much");
    let mut session = Session::new(Role::Pull, &[], LONGEST);
    session.feed(&[&hello(1, "")[..64], b"\x02\0\0\0\0\0\x08\0\0"].concat());
    assert!(session.next().is_err(), "before the handshake is done");
}

#[test]
fn the_memory_of_what_was_read_is_given_back() {
    let mut session = open(Role::Pull, 1, "PUSH", &[]);
    for n in 0..3 {
        session.feed(b"\x02\0\0\0\0\0\x08\0\0");
        session.feed(&vec![n; 1 << 19]);
        // The beginning of another keeps what is left of the memory in use.
        session.feed(b"\x02\0\0");
        assert!(matches!(session.next(), Ok(Some(Event::Message(_)))));
        assert_eq!((session.next(), session.held()), (Ok(None), 3));
        assert!(session.inbox.capacity() < 4 * KEPT + 16, "{}", session.inbox.capacity());
        session.feed(b"\0\0\0\0\0\x01x");
        assert!(matches!(session.next(), Ok(Some(Event::Message(_)))));
    }
}

#[test]
fn an_answer_to_ping_repeats_no_more_than_the_specification_allows() {
    let mut session = open(Role::Pull, 1, "PUSH", &[]);
    session.feed(&[&b"\x06\0\0\0\0\0\0\x10\x07\x04PING\0\x05"[..], &[b'x'; 4096]].concat());
    assert_eq!(session.next(), Ok(None));
    assert_eq!(written(&mut session), [&b"\x04\x15\x04PONG"[..], &[b'x'; 16]].concat());
}
