//! Messages of the Emergency Alert System, out of soft bits.

use std::collections::VecDeque;

use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Step, Value, Work, declare, message::MessageType,
};

use crate::tags::{IndexClock, Piece};

/// Sends the messages that weather radios and broadcasters announce by SAME: headers (`ZCZC-…-`) and ends (`NNNN`).
///
/// Each message is sent three times. Its bursts are found by a byte of the preamble and the four letters behind it, with up to three
/// wrong bits; the soft bits of those that came are added, and a message counts when two bursts make one whose form is right.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | soft bits at 520.83 symbols/s, about 1 for mark and −1 for space |
/// | out `out` | maps | messages |
///
/// | entry | is |
/// |---|---|
/// | `text` | the message as it was sent |
/// | `bursts` | how many bursts it was made of, so far |
/// | `originator`, `event` | of a header: its codes |
/// | `locations` | of a header: a list of codes |
/// | `valid_for`, `issued`, `sender` | of a header: HHMM; day of the year and HHMM, UTC; the call sign |
/// | `sample_index` | behind [`IndexTags`](crate::tags::IndexTags): where the first of its bursts begins |
///
/// # Source
/// 47 CFR 11.31 and 11.33.
#[derive(Debug, Block)]
pub struct SameDecoder {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    /// The last bits, the newest lowest.
    last: u64,
    taken: u64,
    burst: Option<Burst>,
    /// The bursts of one message, and whether it was sent.
    group: VecDeque<Burst>,
    is_sent: bool,
    clock: IndexClock,
}

/// The soft bits behind the preamble.
#[derive(Clone, Debug)]
struct Burst {
    /// The number of the first.
    start: u64,
    /// Its sample, where that is known.
    sample: Option<u64>,
    is_header: bool,
    soft: Vec<f32>,
}

/// A byte of the preamble and four letters, in the order of time, the newest bit lowest.
const fn sync(letter: [u8; 4]) -> u64 {
    let bytes = [0xab, letter[0], letter[1], letter[2], letter[3]];
    let mut word = 0;
    let mut n = 0;
    while n < 5 {
        word = word << 8 | bytes[n].reverse_bits() as u64;
        n += 1;
    }
    word
}

const HEADER: u64 = sync(*b"ZCZC");
const END: u64 = sync(*b"NNNN");
const MASK: u64 = (1 << 40) - 1;
/// So many bits of them may be wrong.
const MOST_WRONG: u32 = 3;
/// The letters that a burst begins with.
const LETTERS: usize = 4;
/// The longest header, in bytes: 31 locations.
const LONGEST: usize = 268;
/// The bursts of a message begin no more bits apart: the longest, its preamble, and a second and a half between.
const MOST_APART: u64 = 8 * (LONGEST as u64 + 16) + 782;
/// A burst that is further from zero says no more.
const SUREST: f32 = 1.0;

impl Default for SameDecoder {
    fn default() -> Self {
        SameDecoder::new()
    }
}

#[declare(
    category = "digital",
    summary = "Sends the messages of the Emergency Alert System (SAME) that soft bits say.",
    ports(
        input("in", "f32", "soft bits, about 1 for mark and −1 for space"),
        output("out", "messages", "maps: text, originator, event, locations and so on")
    )
)]
impl SameDecoder {
    /// A decoder.
    pub fn new() -> Self {
        SameDecoder {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::Map),
            last: 0,
            taken: 0,
            burst: None,
            group: VecDeque::new(),
            is_sent: false,
            clock: IndexClock::default(),
        }
    }

    /// Takes a soft bit; the message that is whole with it.
    fn take(&mut self, soft: f32) -> Option<Value> {
        self.last = self.last << 1 | u64::from(soft >= 0.0);
        self.taken += 1;
        let is_found = |word: u64| ((self.last ^ word) & MASK).count_ones() <= MOST_WRONG;
        let (is_header, is_end) = (is_found(HEADER), is_found(END));
        let mut message = None;
        if is_header || is_end {
            message = self.finish();
            let letters = if is_header { b"ZCZC" } else { b"NNNN" };
            let bit = |n: usize| if letters[n / 8] >> (n % 8) & 1 == 1 { SUREST } else { -SUREST };
            let start = self.taken - 8 * LETTERS as u64;
            let sample = self.clock.sample_of(start);
            self.burst = Some(Burst { start, sample, is_header, soft: (0..8 * LETTERS).map(bit).collect() });
        } else if let Some(burst) = &mut self.burst {
            burst.soft.push(if soft.is_nan() { 0.0 } else { soft.clamp(-SUREST, SUREST) });
        }
        let burst = self.burst.as_ref()?;
        let is_byte = burst.soft.len().is_multiple_of(8);
        let is_over = burst.soft.len() == 8 * LONGEST || is_byte && ends(&bytes_of(&burst.soft));
        if is_over { self.finish().or(message) } else { message }
    }

    /// The burst is over; the message that it makes with those before.
    fn finish(&mut self) -> Option<Value> {
        let burst = self.burst.take()?;
        let goes_on = self.group.back().is_some_and(|before| {
            before.is_header == burst.is_header && burst.start - before.start <= MOST_APART
        });
        if !goes_on || self.group.len() == 3 {
            self.group.clear();
            self.is_sent = false;
        }
        self.group.push_back(burst);
        if self.group.len() < 2 || self.is_sent {
            return None;
        }
        let longest = self.group.iter().map(|burst| burst.soft.len()).max().unwrap_or(0);
        let mut sums = vec![0.0; longest];
        for burst in &self.group {
            sums.iter_mut().zip(&burst.soft).for_each(|(sum, soft)| *sum += soft);
        }
        let first = self.group.front().and_then(|burst| burst.sample);
        let message = message(&bytes_of(&sums), self.group.len(), first)?;
        self.is_sent = true;
        Some(message)
    }
}

/// The bytes that soft bits say, the lowest bit of each first.
fn bytes_of(soft: &[f32]) -> Vec<u8> {
    let byte = |soft: &[f32]| soft.iter().rev().fold(0, |byte, soft| byte << 1 | u8::from(*soft >= 0.0));
    soft.chunks_exact(8).map(byte).collect()
}

/// The parts of a header behind `ZCZC-`, and where it ends.
struct Header<'a> {
    originator: &'a str,
    event: &'a str,
    locations: Vec<&'a str>,
    valid_for: &'a str,
    issued: &'a str,
    sender: &'a str,
    end: usize,
}

/// The header that bytes begin with.
fn header(bytes: &[u8]) -> Option<Header<'_>> {
    let text = bytes.iter().position(|byte| !(b' '..=b'~').contains(byte)).map_or(bytes, |end| &bytes[..end]);
    let text = std::str::from_utf8(text).ok()?;
    let mut rest = text.strip_prefix("ZCZC-")?;
    // So many characters that fit, and the sign behind them.
    let mut part = |len: usize, fits: fn(u8) -> bool, behind: &[u8]| -> Option<(&str, u8)> {
        let (part, others) = (rest.get(..len)?, rest.get(len..)?);
        let sign = *others.as_bytes().first()?;
        rest = &others[1..];
        (part.bytes().all(fits) && behind.contains(&sign)).then_some((part, sign))
    };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric();
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let (originator, _) = part(3, is_letter, b"-")?;
    let (event, _) = part(3, is_letter, b"-")?;
    let mut locations = Vec::new();
    loop {
        let (location, sign) = part(6, is_letter, b"-+")?;
        locations.push(location);
        match sign {
            b'+' => break,
            _ if locations.len() == 31 => return None,
            _ => {}
        }
    }
    let (valid_for, _) = part(4, is_digit, b"-")?;
    let (issued, _) = part(7, is_digit, b"-")?;
    let (sender, _) = part(8, |byte| byte != b'-', b"-")?;
    let end = text.len() - rest.len();
    Some(Header { originator, event, locations, valid_for, issued, sender, end })
}

/// Whether a message ends with these bytes.
fn ends(bytes: &[u8]) -> bool {
    bytes == b"NNNN" || header(bytes).is_some()
}

/// The message that bytes begin with, made of so many bursts, of which the first begins with this sample.
fn message(bytes: &[u8], bursts: usize, first: Option<u64>) -> Option<Value> {
    let mut entries = vec![("bursts", Value::from(bursts))];
    entries.extend(first.map(|first| ("sample_index", first.into())));
    if bytes.starts_with(b"NNNN") {
        entries.push(("text", "NNNN".into()));
        return Some(Value::map(entries));
    }
    let header = header(bytes)?;
    let text = String::from_utf8_lossy(&bytes[..header.end]).into_owned();
    let locations: Vec<Value> = header.locations.into_iter().map(Value::from).collect();
    entries.extend([
        ("text", Value::from(text)),
        ("originator", header.originator.into()),
        ("event", header.event.into()),
        ("locations", locations.into()),
        ("valid_for", header.valid_for.into()),
        ("issued", header.issued.into()),
        ("sender", header.sender.trim_end().into()),
    ]);
    Some(Value::map(entries))
}

/// So many bits are taken in one call.
const AT_ONCE: usize = 1024;

impl Work for SameDecoder {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (_, soft, tags) in piece.each() {
            tags.iter().for_each(|tag| self.clock.note(tag));
            if let Some(message) = self.take(soft) {
                self.output.send(message)?;
            }
        }
        Ok(piece.step())
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if let Some(message) = SameDecoder::finish(self) {
            self.output.send(message)?;
        }
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    const TEXT: &str = "ZCZC-WXR-SVR-012079-013019+0130-0462024-N0C4LL  -";

    fn burst(text: &str) -> Vec<f32> {
        let bytes = [0xab; 16].into_iter().chain(text.bytes());
        bytes.flat_map(|byte| (0..8).map(move |n| if byte >> n & 1 == 1 { 1.0 } else { -1.0 })).collect()
    }

    fn decode(stream: &[f32]) -> Vec<Value> {
        let mut decoder = SameDecoder::new();
        let mut messages: Vec<Value> = stream.iter().filter_map(|soft| decoder.take(*soft)).collect();
        messages.extend(decoder.finish());
        messages
    }

    fn texts(messages: &[Value]) -> Vec<&str> {
        messages.iter().map(|message| message.get("text").unwrap().as_str().unwrap()).collect()
    }

    #[test]
    fn a_message_comes_once_when_two_bursts_agree() {
        let pause = noise(520);
        let one = [burst(TEXT), pause.clone()].concat();
        let end = [burst("NNNN"), pause.clone()].concat();
        let messages = decode(&[pause, one.repeat(3), end.repeat(3), one.repeat(2)].concat());
        assert_eq!(texts(&messages), [TEXT, "NNNN", TEXT]);
        let value = |key: &str| messages[0].get(key).cloned().unwrap();
        assert_eq!(
            (value("event"), value("sender"), value("bursts").as_i64()),
            ("SVR".into(), "N0C4LL".into(), Some(2))
        );
        assert_eq!(value("locations").as_list().unwrap().len(), 2);
        assert!(decode(&one).is_empty(), "one burst is not enough");
    }

    #[test]
    fn wrong_bits_of_each_burst_are_right_in_the_sum() {
        let mut stream = Vec::new();
        for spoilt in 0..3 {
            let mut bits = burst(TEXT);
            for n in (0..40).map(|n| 170 + 7 * n + 2 * spoilt) {
                bits[n] *= -0.4;
            }
            stream.extend([bits, noise(520)].concat());
        }
        assert_eq!(texts(&decode(&stream)), [TEXT]);
    }

    #[test]
    fn what_is_no_header_is_none() {
        for wrong in [
            "ZCZC-WXR-SVR-012079+0130-0462024-N0C4LL  x",
            "ZCZC-WXR-SVR-01207+0130-0462024-N0C4LL  -",
            "ZCZC-W R-SVR-012079+0130-0462024-N0C4LL  -",
            "ZCZC-WXR-SVR-012079+013x-0462024-N0C4LL  -",
            "ZCZC-WXR",
        ] {
            assert!(header(wrong.as_bytes()).is_none(), "{wrong}");
            assert!(decode(&[burst(wrong), noise(520)].concat().repeat(3)).is_empty(), "{wrong}");
        }
        assert!(decode(&noise(100_000)).is_empty());
    }
}
