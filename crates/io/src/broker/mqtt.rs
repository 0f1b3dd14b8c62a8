//! MQTT 3.1.1, the part of a client that publishes (OASIS standard, 29 October 2014; ISO/IEC 20922:2016).

use std::collections::VecDeque;

use super::place::{Kind, Place};
use super::{Post, Protocol, Said, Trouble};

/// `mqtt://` and `mqtts://`.
pub(crate) const KIND: Kind = Kind { plain: ("mqtt", 1883), secure: ("mqtts", 8883) };

/// The types of packets, as their first byte has them (section 2.2.1).
const CONNECT: u8 = 0x10;
const CONNACK: u8 = 0x20;
const PUBLISH: u8 = 0x30;
const PUBACK: u8 = 0x40;
const PINGREQ: u8 = 0xc0;
const PINGRESP: u8 = 0xd0;
const DISCONNECT: u8 = 0xe0;
/// The flags of PUBLISH (3.3.1): sent again, at least once, kept.
const AGAIN: u8 = 0x08;
const AT_LEAST_ONCE: u8 = 0x02;
const RETAIN: u8 = 0x01;
/// The flags of CONNECT (3.1.2.3): user, password, a will that is kept, a session that begins anew.
const USER: u8 = 0x80;
const PASSWORD: u8 = 0x40;
const KEPT_WILL: u8 = 0x24;
const CLEAN: u8 = 0x02;
/// After so many seconds without a word a broker gives a client up (after half as many again).
const KEEP_ALIVE_S: u16 = 30;
/// The longest packet that we send, and the longest that a broker may send a client that subscribes to nothing.
const MOST_BYTES: usize = 1 << 22;
const MOST_HEARD: usize = 1 << 16;
/// How many posts may be on their way, where each is answered: what brokers take by default without a subscriber in hand.
const ON_WAY: usize = 20;

/// A client that publishes.
#[derive(Debug)]
pub(crate) struct Mqtt {
    client: String,
    user: String,
    password: String,
    /// Whether the broker answers each post: quality of service 1, else 0.
    is_answered: bool,
    /// What is said for this client when its connection breaks.
    will: Post,
    /// The numbers up to which the broker was asked.
    asked: VecDeque<u64>,
    /// The numbers of the posts on their way, where each is answered.
    on_way: VecDeque<u64>,
}

impl Mqtt {
    pub fn new(place: &Place, client: String, is_answered: bool, will: Post) -> Self {
        let (user, password) = (place.user.clone(), place.password.clone());
        Mqtt { client, user, password, is_answered, will, asked: VecDeque::new(), on_way: VecDeque::new() }
    }

    /// What a packet says, without its type and length.
    fn heard(&mut self, kind: u8, body: &[u8]) -> Result<Said, Trouble> {
        let garbled = |what: &str| Trouble::Garbled(what.to_owned());
        match (kind, body) {
            (CONNACK, [_, 0]) => Ok(Said::Welcome),
            // Section 3.2.2.3.
            (CONNACK, [_, code]) => Err(match code {
                1 => Trouble::Refused("it does not speak MQTT 3.1.1".to_owned()),
                2 => Trouble::Refused("the name of the client is not allowed".to_owned()),
                3 => garbled("it is not available"),
                4 => Trouble::Refused("the user or the password is wrong".to_owned()),
                5 => Trouble::Refused("the user may not connect".to_owned()),
                code => Trouble::Garbled(format!("the answer {code} to CONNECT")),
            }),
            (PUBACK, [high, low]) => {
                let id = u16::from_be_bytes([*high, *low]);
                let place = self.on_way.iter().position(|number| id_of(*number) == id);
                Ok(place.and_then(|place| self.on_way.remove(place)).map_or(Said::Nothing, Said::Taken))
            }
            (PINGRESP, []) => Ok(Said::TakenTo(self.asked.pop_front().unwrap_or(0))),
            (kind, body) => {
                Err(Trouble::Garbled(format!("a packet of type {kind:#04x} with {} bytes", body.len())))
            }
        }
    }
}

/// The identifier of a post: 1 to 65535, each once among those on their way.
fn id_of(number: u64) -> u16 {
    u16::try_from(number % 65_535).unwrap_or(0).saturating_add(1)
}

/// A text with its length before it (1.5.3); what is longer is cut, which callers rule out.
fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    out.extend(length.to_be_bytes());
    out.extend(text.iter().take(length.into()));
}

/// The length of a packet behind its first byte, 7 bits a byte, the lowest first (2.2.3).
fn put_length(out: &mut Vec<u8>, mut length: usize) {
    loop {
        let byte = (length % 128) as u8;
        length /= 128;
        out.push(if length > 0 { byte | 0x80 } else { byte });
        if length == 0 {
            return;
        }
    }
}

/// The length of a packet, and the bytes that it is written in; `None` where there are too few.
fn length(bytes: &[u8]) -> Result<Option<(usize, usize)>, Trouble> {
    let mut length = 0usize;
    for (place, byte) in bytes.iter().take(4).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(Some((length, place.saturating_add(1))));
        }
    }
    match bytes.len() {
        0..4 => Ok(None),
        _ => Err(Trouble::Garbled("a length of more than 4 bytes".to_owned())),
    }
}

impl Protocol for Mqtt {
    const SECURE_AT_ONCE: bool = true;

    fn begin(&mut self, _: bool, out: &mut Vec<u8>) {
        self.asked.clear();
        self.on_way.clear();
        let mut flags = CLEAN | KEPT_WILL;
        let mut body = Vec::new();
        put_text(&mut body, self.client.as_bytes());
        put_text(&mut body, self.will.topic.as_bytes());
        put_text(&mut body, &self.will.body);
        if !self.user.is_empty() {
            flags |= USER;
            put_text(&mut body, self.user.as_bytes());
            if !self.password.is_empty() {
                flags |= PASSWORD;
                put_text(&mut body, self.password.as_bytes());
            }
        }
        out.push(CONNECT);
        // The name and the level of the protocol, flags, and the time (3.1.2).
        put_length(out, body.len().saturating_add(10));
        put_text(out, b"MQTT");
        out.extend([4, flags]);
        out.extend(KEEP_ALIVE_S.to_be_bytes());
        out.extend(body);
    }

    fn hear(&mut self, bytes: &[u8], _: &mut Vec<u8>) -> Result<(usize, Said), Trouble> {
        let Some((kind, rest)) = bytes.split_first() else { return Ok((0, Said::Part)) };
        if ![CONNACK, PUBACK, PINGRESP].contains(kind) {
            // Something else is known by its first byte.
            return Err(Trouble::Garbled(format!("a packet of type {kind:#04x}")));
        }
        let Some((length, used)) = length(rest)? else { return Ok((0, Said::Part)) };
        if length > MOST_HEARD {
            return Err(Trouble::Garbled(format!("a packet of {length} bytes")));
        }
        let Some(body) = rest.get(used..used.saturating_add(length)) else { return Ok((0, Said::Part)) };
        let said = self.heard(*kind, body)?;
        Ok((used.saturating_add(length).saturating_add(1), said))
    }

    fn post(&mut self, number: u64, post: &Post, again: bool, out: &mut Vec<u8>) {
        let mut flags = if post.retain { RETAIN } else { 0 };
        let mut id_bytes = 0usize;
        if self.is_answered {
            flags |= if again { AT_LEAST_ONCE | AGAIN } else { AT_LEAST_ONCE };
            id_bytes = 2;
            self.on_way.push_back(number);
        }
        out.push(PUBLISH | flags);
        put_length(
            out,
            post.topic.len().saturating_add(post.body.len()).saturating_add(2).saturating_add(id_bytes),
        );
        put_text(out, post.topic.as_bytes());
        if self.is_answered {
            out.extend(id_of(number).to_be_bytes());
        }
        out.extend_from_slice(&post.body);
    }

    fn say(&mut self, post: &Post, out: &mut Vec<u8>) {
        let is_answered = std::mem::replace(&mut self.is_answered, false);
        self.post(0, post, false, out);
        self.is_answered = is_answered;
    }

    fn ask(&mut self, number: u64, out: &mut Vec<u8>) {
        // Where each post is answered, this one says no more than that the broker is there.
        self.asked.push_back(if self.is_answered { 0 } else { number });
        out.extend([PINGREQ, 0]);
    }

    fn asks(&self) -> bool {
        !self.is_answered
    }

    fn most_on_way(&self) -> usize {
        if self.is_answered { ON_WAY } else { usize::MAX }
    }

    fn most_bytes(&self) -> usize {
        MOST_BYTES
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        out.extend([DISCONNECT, 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mqtt(user: &str, is_answered: bool) -> Mqtt {
        let place = Place::parse("mqtt_sink", &KIND, &format!("mqtt://{user}host"), "", None).unwrap();
        let will = Post { topic: "s".to_owned(), body: b"off".to_vec(), retain: true };
        Mqtt::new(&place, "me".to_owned(), is_answered, will)
    }

    fn post() -> Post {
        Post { topic: "a/b".to_owned(), body: b"xyz".to_vec(), retain: true }
    }

    #[test]
    fn a_connection_begins_as_section_3_1_says() {
        let mut out = Vec::new();
        mqtt("", true).begin(false, &mut out);
        assert_eq!(out, b"\x10\x16\0\x04MQTT\x04\x26\0\x1e\0\x02me\0\x01s\0\x03off");
        out.clear();
        mqtt("u:p@", true).begin(false, &mut out);
        assert_eq!(out, b"\x10\x1c\0\x04MQTT\x04\xe6\0\x1e\0\x02me\0\x01s\0\x03off\0\x01u\0\x01p");
    }

    #[test]
    fn posts_are_numbered_answered_and_marked_where_they_are_sent_again() {
        let (mut mqtt, mut out) = (mqtt("", true), Vec::new());
        mqtt.post(1, &post(), false, &mut out);
        assert_eq!(out, b"\x33\x0a\0\x03a/b\0\x02xyz");
        out.clear();
        mqtt.post(65_535, &post(), true, &mut out);
        assert_eq!(out, b"\x3b\x0a\0\x03a/b\0\x01xyz");
        assert_eq!(mqtt.hear(b"\x40\x02\0\x01\x40", &mut out), Ok((4, Said::Taken(65_535))));
        assert_eq!(mqtt.hear(b"\x40\x02\0\x02", &mut out), Ok((4, Said::Taken(1))));
        assert_eq!(mqtt.hear(b"\x40\x02\0\x02", &mut out), Ok((4, Said::Nothing)), "of none on its way");
    }

    #[test]
    fn posts_without_answers_are_asked_about() {
        let (mut mqtt, mut out) = (mqtt("", false), Vec::new());
        mqtt.post(1, &post(), true, &mut out);
        assert_eq!(out, b"\x31\x08\0\x03a/bxyz");
        mqtt.ask(1, &mut out);
        assert!(out.ends_with(b"\xc0\0"));
        assert_eq!(mqtt.hear(b"\xd0\0", &mut out), Ok((2, Said::TakenTo(1))));
    }

    #[test]
    fn lengths_take_one_to_four_bytes() {
        for (value, bytes) in [
            (0, &b"\0"[..]),
            (127, b"\x7f"),
            (128, b"\x80\x01"),
            (16_384, b"\x80\x80\x01"),
            (268_435_455, b"\xff\xff\xff\x7f"),
        ] {
            let mut out = Vec::new();
            put_length(&mut out, value);
            assert_eq!(out, bytes);
            assert_eq!(length(bytes), Ok(Some((value, bytes.len()))));
            assert_eq!(length(&bytes[..bytes.len() - 1]), Ok(None), "{value}");
        }
        assert!(length(b"\x80\x80\x80\x80").is_err());
    }

    #[test]
    fn what_a_broker_refuses_is_said_and_nonsense_ends_the_connection() {
        let (mut mqtt, mut out) = (mqtt("", true), Vec::new());
        assert_eq!(mqtt.hear(b"\x20\x02\0", &mut out), Ok((0, Said::Part)));
        assert_eq!(mqtt.hear(b"\x20\x02\0\0", &mut out), Ok((4, Said::Welcome)));
        let refused = mqtt.hear(b"\x20\x02\0\x04", &mut out);
        assert_eq!(refused, Err(Trouble::Refused("the user or the password is wrong".to_owned())));
        for wrong in [&b"\x20\x02\0\x09"[..], b"\x20\x01\0", b"HTTP/1.1 400", b"\x30\xff\xff\xff\x7f"] {
            assert!(matches!(mqtt.hear(wrong, &mut out), Err(Trouble::Garbled(_))), "{wrong:?}");
        }
    }
}
