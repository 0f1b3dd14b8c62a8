//! What brokers of MQTT and NATS answer.

use superhet::io::fuzzing::{Answers, BROKERS, broker};

use crate::draw::Draw;
use crate::{assert_harmless, memory};

/// Each word of a broker is kept as text; each question is answered.
const TIMES: usize = 256;

/// How a server of each kind begins.
const OPENINGS: [&[u8]; BROKERS] = [
    b"\x20\x02\0\0",
    b"\x20\x02\0\0",
    b"INFO {\"max_payload\":1000}\r\nPONG\r\n",
    b"INFO {\"tls_required\":true}\r\n",
];

/// What a broker says is heard the same wherever it is cut, and no post is taken that was not sent.
pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let (kind, is_open, step) = (draw.below(BROKERS), draw.once_in(2), 1 + draw.below(40));
    let mut bytes = if is_open { OPENINGS[kind].to_vec() } else { Vec::new() };
    bytes.extend_from_slice(draw.rest());

    let whole = memory::within(&bytes, TIMES, || broker(kind, [&bytes[..]]));
    let cut = broker(kind, bytes.chunks(step));
    assert_eq!(whole, cut, "cut into pieces of {step} bytes");
    let Answers { said, trouble, .. } = whole;
    if let Some(trouble) = trouble {
        assert_harmless(&trouble);
    }
    let numbers =
        said.iter().filter_map(|word| word.split_once('(')?.1.strip_suffix(')')?.parse::<u64>().ok());
    assert!(numbers.clone().all(|number| number < 4), "{said:?}");
    let taken: Vec<&String> = said.iter().filter(|word| word.starts_with("Taken(")).collect();
    assert!(taken.len() <= 3, "a post is taken once: {said:?}");
}
