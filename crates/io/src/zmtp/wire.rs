//! The bytes of ZMTP 3: greeting, frames and commands.

use super::Breach;

/// How long a greeting is.
pub(super) const GREETING: usize = 64;
/// The most parts of a message.
pub(super) const MOST_PARTS: usize = 10_000;
/// The longest command that is taken. Those that there are have less than 1 KiB; subscriptions may be longer.
pub(super) const MOST_COMMAND: usize = 1 << 16;

const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// The greeting for version 3.1 and the mechanism NULL: nobody has to say who they are.
pub(super) fn greeting() -> [u8; GREETING] {
    let mut greeting = [0; GREETING];
    (greeting[0], greeting[9]) = (0xff, 0x7f);
    (greeting[10], greeting[11]) = (3, 1);
    greeting[12..16].copy_from_slice(b"NULL");
    greeting
}

/// The minor version that a peer's greeting says, once all of it is there. A mistake is an error as soon as it is seen.
pub(super) fn read_greeting(bytes: &[u8]) -> Result<Option<u8>, Breach> {
    let is_signed = bytes.first().is_none_or(|byte| *byte == 0xff) && bytes.get(9).is_none_or(|b| *b == 0x7f);
    if !is_signed {
        return Err(Breach::new("it does not begin with the signature of ZMTP"));
    }
    if let Some(major) = bytes.get(10).filter(|major| **major < 3) {
        return Err(Breach::new(format!("it speaks version {major} of ZMTP, expected 3")));
    }
    let Some(greeting) = bytes.get(..GREETING) else { return Ok(None) };
    let mechanism = &greeting[12..32];
    if mechanism[..4] != *b"NULL" || mechanism[4..].iter().any(|byte| *byte != 0) {
        let name = String::from_utf8_lossy(mechanism);
        let name = name.trim_end_matches('\0').escape_default();
        return Err(Breach::new(format!("its security mechanism is {name}, expected NULL")));
    }
    Ok(Some(greeting[11]))
}

/// Whether a frame that begins with this byte is a command.
pub(super) fn is_command(flags: u8) -> bool {
    flags & COMMAND != 0
}

/// A part of a message, or a command.
#[derive(Debug, PartialEq)]
pub(super) struct Frame<'a> {
    pub body: &'a [u8],
    /// Whether more parts of the message follow.
    pub more: bool,
    pub is_command: bool,
}

/// The frame at the start of `bytes` and how many bytes it takes up, once all of it is there. One that announces a part of
/// more than `most` bytes is refused before they come.
pub(super) fn read_frame(bytes: &[u8], most: usize) -> Result<Option<(Frame<'_>, usize)>, Breach> {
    let Some(&flags) = bytes.first() else { return Ok(None) };
    let (more, is_long, is_command) = (flags & MORE != 0, flags & LONG != 0, flags & COMMAND != 0);
    if flags > 7 || (is_command && more) {
        return Err(Breach::new(format!("a frame has the flags {flags:#04x}, expected at most 0x06")));
    }
    let header = if is_long { 9 } else { 2 };
    let Some(length) = bytes.get(1..header) else { return Ok(None) };
    let length = length.iter().fold(0u64, |length, byte| length << 8 | u64::from(*byte));
    let most = if is_command { MOST_COMMAND } else { most };
    let Some(length) = usize::try_from(length).ok().filter(|length| *length <= most) else {
        return Err(Breach::new(format!("a frame has {length} bytes, expected at most {most}")));
    };
    let end = header.saturating_add(length);
    let Some(body) = bytes.get(header..end) else { return Ok(None) };
    Ok(Some((Frame { body, more, is_command }, end)))
}

/// Appends a frame, whose body is these pieces in a row.
fn put_frame(bytes: &mut Vec<u8>, flags: u8, pieces: &[&[u8]]) {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    match u8::try_from(length) {
        Ok(length) => bytes.extend([flags, length]),
        Err(_) => {
            bytes.push(flags | LONG);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
}

/// Appends a part of a message.
pub(super) fn put_part(bytes: &mut Vec<u8>, more: bool, pieces: &[&[u8]]) {
    put_frame(bytes, if more { MORE } else { 0 }, pieces);
}

/// Appends a command.
pub(super) fn put_command(bytes: &mut Vec<u8>, name: &str, data: &[u8]) {
    put_frame(bytes, COMMAND, &[&[name.len() as u8], name.as_bytes(), data]);
}

/// Appends the command READY, which says what kind of socket this is.
pub(super) fn put_ready(bytes: &mut Vec<u8>, socket_type: &str) {
    let mut data = b"\x0bSocket-Type".to_vec();
    data.extend((socket_type.len() as u32).to_be_bytes());
    data.extend_from_slice(socket_type.as_bytes());
    put_command(bytes, "READY", &data);
}

/// The name of a command, and what it says.
pub(super) fn read_command(body: &[u8]) -> Result<(&[u8], &[u8]), Breach> {
    let split = body.split_first().and_then(|(length, rest)| rest.split_at_checked(usize::from(*length)));
    split.ok_or_else(|| Breach::new("a command ends within its name"))
}

/// The type of socket that the data of a READY say.
pub(super) fn socket_type(mut data: &[u8]) -> Result<&[u8], Breach> {
    let broken = || Breach::new("its READY ends within a property");
    while let Some((length, rest)) = data.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(broken)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(broken)?;
        let (value, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or_else(broken)?;
        if name.eq_ignore_ascii_case(b"Socket-Type") {
            return Ok(value);
        }
        data = rest;
    }
    Err(Breach::new("its READY does not say what kind of socket it is"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 1000;

    fn problem<T: std::fmt::Debug>(result: Result<T, Breach>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_greeting_is_that_of_the_specification() {
        let greeting = greeting();
        assert_eq!(greeting[..16], *b"\xff\0\0\0\0\0\0\0\0\x7f\x03\x01NULL");
        assert_eq!(greeting[16..], [0; 48]);
        assert_eq!(read_greeting(&greeting), Ok(Some(1)));
        for n in 0..GREETING {
            assert_eq!(read_greeting(&greeting[..n]), Ok(None), "{n} bytes");
        }
    }

    #[test]
    fn a_greeting_of_something_else_is_reported_at_once() {
        assert_eq!(problem(read_greeting(b"GET")), "it does not begin with the signature of ZMTP");
        assert!(read_greeting(b"\xff\0\0\0\0\0\0\0\x01\x01").is_err());
        let old = problem(read_greeting(b"\xff\0\0\0\0\0\0\0\x01\x7f\x01"));
        assert_eq!(old, "it speaks version 1 of ZMTP, expected 3");
        let mut secure = greeting();
        secure[12..18].copy_from_slice(b"CURVE\n");
        assert_eq!(problem(read_greeting(&secure)), "its security mechanism is CURVE\\n, expected NULL");
    }

    #[test]
    fn frames_are_short_or_long_and_wait_for_their_last_byte() {
        let mut bytes = Vec::new();
        put_part(&mut bytes, true, &[b"a", b"bc"]);
        assert_eq!(bytes, b"\x01\x03abc");
        let long = vec![7; 256];
        put_part(&mut bytes, false, &[&long]);
        assert_eq!(bytes[5..14], *b"\x02\0\0\0\0\0\0\x01\0");
        let (frame, used) = read_frame(&bytes, MOST).unwrap().unwrap();
        assert_eq!((frame, used), (Frame { body: b"abc", more: true, is_command: false }, 5));
        for n in 5..bytes.len() {
            assert_eq!(read_frame(&bytes[5..n], MOST), Ok(None));
        }
        let (frame, used) = read_frame(&bytes[5..], MOST).unwrap().unwrap();
        assert_eq!((frame.body, frame.more, used), (&long[..], false, 265));
        // A short body may come in a long frame.
        assert_eq!(read_frame(b"\x02\0\0\0\0\0\0\0\x01x", MOST).unwrap().unwrap().0.body, b"x");
    }

    #[test]
    fn a_frame_cannot_claim_more_than_is_taken() {
        let huge = problem(read_frame(b"\x02\x7f\xff\xff\xff\xff\xff\xff\xff", MOST));
        assert_eq!(huge, "a frame has 9223372036854775807 bytes, expected at most 1000");
        assert!(problem(read_frame(b"\x06\0\0\0\0\0\x02\0\0", MOST)).ends_with("at most 65536"));
        assert!(problem(read_frame(b"\x08\0", MOST)).contains("0x08"));
        assert!(problem(read_frame(b"\x05\0", MOST)).contains("0x05"));
    }

    #[test]
    fn ready_says_the_type_of_socket() {
        let mut bytes = Vec::new();
        put_ready(&mut bytes, "PUB");
        assert_eq!(bytes, b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03PUB");
        let (name, data) = read_command(&bytes[2..]).unwrap();
        assert_eq!((name, socket_type(data)), (&b"READY"[..], Ok(&b"PUB"[..])));
        assert_eq!(socket_type(b"\x01x\0\0\0\0\x0bsocket-type\0\0\0\x03SUB"), Ok(&b"SUB"[..]));
        for n in 1..data.len() {
            assert!(socket_type(&data[..n]).is_err(), "{n} bytes");
        }
        assert!(problem(socket_type(b"\x01x\xff\xff\xff\xff")).contains("ends within"));
        assert!(problem(socket_type(b"")).contains("what kind of socket"));
        assert!(read_command(b"\x05PING").is_err());
        assert!(read_command(b"").is_err());
    }
}
