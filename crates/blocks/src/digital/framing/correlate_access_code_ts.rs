//! Packets out of a stream of bits.

use std::sync::Arc;
use superhet_runtime::catalog::Kind;

use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Out, Step, Work, declare};

use crate::digital::framing::access_code::{AccessCode, BitItem};

/// Gives the packets of a stream of bits: behind each access code lie 16 bits that say how many bytes follow, the highest
/// first, twice, and then the bits of these.
///
/// The search begins anew behind the packet; or right behind a header whose halves differ or say 0 bytes: a code lies wholly
/// in the bits that are searched. Tags end here.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | a bit each: the lowest; of `f32`, 1 for 0 and more |
/// | out `out` | the same | the bits of the packets, each with the tag `length_tag` that counts them |
///
/// ```
/// use superhet_blocks::digital::{AccessCode, CorrelateAccessCodeTs};
/// use superhet_runtime::harness;
///
/// let one_byte = [[0; 15].as_slice(), &[1]].concat();
/// let bits = [&[1, 0, 1, 1][..], &one_byte, &one_byte, &[1, 1, 0, 0, 1, 1, 0, 1], &[0; 5]].concat();
/// let packets = CorrelateAccessCodeTs::<u8>::new(AccessCode::new("1011", 0)?, "packet_len");
/// assert_eq!(harness::run(packets, &bits), [1, 1, 0, 0, 1, 1, 0, 1]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct CorrelateAccessCodeTs<T: BitItem> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    code: AccessCode,
    key: Arc<str>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Search,
    /// The bits of the header, and how many there are.
    Header(u32, u32),
    /// How many bits are left of a packet, and whether it is its first.
    Packet(usize, bool),
}

impl<T: BitItem> CorrelateAccessCodeTs<T> {
    /// Looks for this code; the tag with this key says how many bits a packet has.
    pub fn new(code: AccessCode, length_tag: impl Into<Arc<str>>) -> Self {
        let (input, output) = (In::new(), Out::new());
        CorrelateAccessCodeTs { input, output, code, key: length_tag.into(), state: State::Search }
    }
}

impl<T: BitItem> Work for CorrelateAccessCodeTs<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (x, room) = (self.input.peek(), self.output.room());
        let (mut taken, mut given, mut firsts) = (0, 0, Vec::new());
        let y = self.output.reserve();
        while taken < x.len() {
            match &mut self.state {
                State::Search => {
                    let found = x[taken..].iter().position(|x| self.code.next(x.bit()).is_some());
                    taken += found.map_or(x.len() - taken, |place| place + 1);
                    if found.is_some() {
                        self.code.restart();
                        self.state = State::Header(0, 0);
                    }
                }
                State::Header(bits, count) => {
                    (*bits, *count) = (*bits << 1 | u32::from(x[taken].bit()), *count + 1);
                    taken += 1;
                    if *count == 32 {
                        let (length, again) = (*bits >> 16, *bits & 0xffff);
                        let is_packet = length == again && length > 0;
                        self.state =
                            if is_packet { State::Packet(8 * length as usize, true) } else { State::Search };
                    }
                }
                State::Packet(left, is_first) => {
                    let n = (*left).min(x.len() - taken).min(room - given);
                    if n == 0 {
                        break;
                    }
                    if std::mem::take(is_first) {
                        firsts.push((given, *left));
                    }
                    y[given..given + n].copy_from_slice(&x[taken..taken + n]);
                    (taken, given, *left) = (taken + n, given + n, *left - n);
                    if *left == 0 {
                        self.state = State::Search;
                    }
                }
            }
        }
        for (place, length) in firsts {
            self.output.tag(place, self.key.clone(), length);
        }
        self.input.consume(taken);
        self.output.produce(given);
        Ok(match taken {
            0 if self.input.available() == 0 => Step::NeedInput,
            0 => Step::NeedOutput,
            _ => Step::Ran,
        })
    }
}

#[declare(
    category = "digital",
    summary = "Gives the packets of a stream of bits, each behind an access code and its length.",
    ports(input("in", "item", "bits"), output("out", "item", "the bits of the packets, in a stream"))
)]
fn correlate_access_code_ts(
    /// u8 has a bit each, the lowest; f32 is a soft bit, 1 for 0 and more.
    #[param(kind = Kind::Choice(&["u8", "f32"]), default = "u8")]
    item: &str,
    /// The word, up to 64 digits, each 0 or 1, or 0x….
    access_code: &str,
    /// How many bits may be wrong.
    #[param(unit = "bits", range = 0..=64, default = 0)]
    threshold: u32,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> Result<AnyBlock, BlockError> {
    let code = AccessCode::new(access_code, threshold)?;
    Ok(match item {
        "u8" => AnyBlock::new(CorrelateAccessCodeTs::<u8>::new(code, length_tag)),
        _ => AnyBlock::new(CorrelateAccessCodeTs::<f32>::new(code, length_tag)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::Value;

    #[test]
    fn packets_come_out_and_bad_headers_do_not_wherever_the_stream_is_cut() {
        let bits = |number: u32, n: u32| (0..n).rev().map(move |place| (number >> place & 1) as u8);
        let code: Vec<u8> = bits(0xb3, 8).collect();
        let frame = |length: u32, again: u32| -> Vec<u8> {
            let header = bits(length, 16).chain(bits(again, 16));
            code.iter().copied().chain(header).collect()
        };
        let payload: Vec<u8> = (0..16 * 8).map(|n| (n * n / 3 % 2) as u8).collect();
        let x = [
            vec![0, 0, 0],
            frame(16, 17),
            vec![0; 9],
            frame(0, 0),
            frame(16, 16),
            payload.clone(),
            vec![0; 3],
            frame(1, 1),
            payload[..8].to_vec(),
            vec![0; 20],
        ]
        .concat();
        let soft: Vec<f32> = x.iter().map(|bit| f32::from(*bit) - 0.5).collect();
        for options in cuts() {
            let code = || AccessCode::new("10110011", 0).unwrap();
            let block = CorrelateAccessCodeTs::<u8>::new(code(), "len");
            let (y, tags) =
                run_tagged::<u8, u8, _, _>(block, x.clone(), vec![(1, "lost", Value::Null)], &options);
            assert_eq!(y, [&payload[..], &payload[..8]].concat());
            let wanted = [(0, "len".to_owned(), Value::from(128)), (128, "len".to_owned(), Value::from(8))];
            assert_eq!(tags.len(), 2);
            assert!(
                tags.iter()
                    .zip(wanted)
                    .all(|(tag, wanted)| tag.0 == wanted.0 && tag.2.as_i64() == wanted.2.as_i64())
            );
            let block = CorrelateAccessCodeTs::<f32>::new(code(), "len");
            let (y, _) = run_tagged::<f32, f32, _, _>(block, soft.clone(), vec![], &options);
            assert_eq!(y.len(), 136);
        }
    }

    #[test]
    fn neither_bits_before_the_stream_nor_those_before_a_packet_are_of_a_code() {
        let count = |code: &str, bits: &[&[u8]]| {
            let block = CorrelateAccessCodeTs::<u8>::new(AccessCode::new(code, 0).unwrap(), "len");
            superhet_runtime::harness::run(block, &bits.concat()).len()
        };
        let one_byte = [&[0u8; 15][..], &[1], &[0; 15], &[1], &[0; 8]].concat();
        let bad_header = [[0u8; 31].as_slice(), &[1]].concat();
        assert_eq!(count("0011", &[&[0, 0, 1, 1], &one_byte]), 8);
        assert_eq!(count("0011", &[&[0, 1, 1], &one_byte]), 0, "a zero before the stream");
        assert_eq!(count("1111", &[&[1; 4], &one_byte, &[1; 4], &one_byte]), 16);
        assert_eq!(count("1111", &[&[1; 4], &one_byte, &[1; 3], &one_byte]), 8, "a one of the code before");
        assert_eq!(count("1111", &[&[1; 4], &bad_header, &[1; 3], &one_byte]), 0, "a one before a header");
    }

    #[test]
    fn a_packet_of_no_bytes_leaves_no_tag() {
        let header = |bytes: u8| [[0; 15].as_slice(), &[bytes], &[0; 15], &[bytes]].concat();
        let bits = [&[1, 0, 1, 1], &header(0)[..], &[1, 0, 1, 1], &header(1), &[1; 8]].concat();
        let block = CorrelateAccessCodeTs::<u8>::new(AccessCode::new("1011", 0).unwrap(), "len");
        let (y, tags) = run_tagged::<u8, u8, _, _>(block, bits, vec![], &Default::default());
        assert_eq!((y.len(), tags), (8, vec![(0, "len".to_owned(), Value::from(8u64))]));
    }

    #[test]
    fn a_long_packet_has_all_of_its_bits() {
        let header = [&[0u8; 2][..], &[1], &[0; 13]].concat().repeat(2);
        let bits = [&[1, 0, 1, 1], &header[..], &[1; 65_536], &[0; 9]].concat();
        let block = CorrelateAccessCodeTs::<u8>::new(AccessCode::new("1011", 0).unwrap(), "len");
        let (y, tags) = run_tagged::<u8, u8, _, _>(block, bits, vec![], &Default::default());
        assert_eq!((y.len(), tags), (65_536, vec![(0, "len".to_owned(), Value::from(65_536u64))]));
    }
}
