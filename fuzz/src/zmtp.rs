//! ZMTP, the protocol of ZeroMQ sockets, and what messages begin with: PMTs are a target of their own.

use superhet::io::fuzzing::{Heard, ROLES, tags_header, zmtp};

use crate::draw::Draw;
use crate::{assert_harmless, memory};

/// Parts of one byte are lists of their own; a message is kept, sent back and compared.
const TIMES: usize = 256;

/// The greeting and the READY of a peer that fits, by the number of the socket's kind.
fn opening(role: usize) -> Vec<u8> {
    let kind: &[u8] = [&b"SUB"[..], b"PUB", b"PULL", b"PUSH", b"REP", b"REQ"][role % ROLES];
    let mut bytes = vec![0; 64];
    (bytes[0], bytes[9], bytes[10], bytes[11]) = (0xff, 0x7f, 3, 1);
    bytes[12..16].copy_from_slice(b"NULL");
    let ready = [b"\x05READY\x0bSocket-Type\0\0\0", &[kind.len() as u8][..], kind].concat();
    bytes.extend([4, ready.len() as u8]);
    bytes.extend(ready);
    bytes
}

/// What a peer sends is heard the same wherever it is cut; what is sent back is heard as the same messages.
pub fn run(data: &[u8]) {
    if let Err(problem) = memory::within(data, TIMES, || tags_header(data)) {
        assert_harmless(&problem);
    }
    let mut draw = Draw::new(data);
    let (role, is_open, step) = (draw.below(ROLES), draw.once_in(2), 1 + draw.below(40));
    let mut bytes = if is_open { opening(role) } else { Vec::new() };
    bytes.extend_from_slice(draw.rest());

    let whole = memory::within(&bytes, TIMES, || zmtp(role, [&bytes[..]]));
    let cut = zmtp(role, bytes.chunks(step));
    assert_eq!(whole, cut, "cut into pieces of {step} bytes");
    let Heard { is_open: was_open, messages, breach, sent } = whole;
    if let Some(breach) = breach {
        assert_harmless(&breach);
    }
    assert!(messages.is_empty() || was_open);
    // To a peer of version 3.0 a SUB socket sends its subscriptions as messages.
    const SUB: usize = 1;
    if was_open && !messages.is_empty() && role != SUB {
        echo(role, &messages, &sent);
    }
}

/// What went out is the greeting, commands, and the messages: heard by a socket that takes all, they are the same.
fn echo(role: usize, messages: &[Vec<Vec<u8>>], sent: &[u8]) {
    const PULL: usize = 3;
    let Some(commands) = sent.get(64..) else { panic!("no greeting was sent") };
    // Its READY says another kind of socket than one that PULL fits: the opening of one is put in its place.
    let Some(ready) = commands.get(1).map(|length| 2 + usize::from(*length)) else {
        panic!("no READY was sent")
    };
    let heard = zmtp(PULL, [&opening(PULL)[..], &commands[ready..]]);
    assert_eq!(heard.breach, None, "role {role}");
    assert_eq!(heard.messages, messages, "role {role}");
}
