//! Decodes packets of bits by a Hamming, Golay or BCH code.

use superhet_runtime::catalog::{Kind, Parameters};
use superhet_runtime::{AnyBlock, BlockError, Packet, declare, packet::PacketBlock};

use super::block::Cyclic;
use super::reed_solomon_decode::BadBlocks;
use crate::error::Error;

/// Decodes each packet of bits by a [`Cyclic`] code, word by word.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | a bit each, the lowest; whole words |
/// | out `out` | packets of `u8` | 0 or 1, without the check bits |
///
/// The metadata gets `corrected`, how many bits were wrong. A packet with a word that has too many wrong bits is dropped; or it
/// passes with that word as it came, and `fec_ok` says which it is. Bits that are no whole word are dropped.
///
/// ```
/// use superhet_blocks::fec::{Cyclic, CyclicDecode};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut decode = CyclicDecode::new(Cyclic::named("hamming_7_4")?);
/// let packet = decode.packet(Packet::from_items(&[1, 0, 1, 0, 1, 0, 1]))?.unwrap();
/// assert_eq!(packet.items(), [1, 0, 0, 0]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CyclicDecode {
    code: Cyclic,
    mark: bool,
}

impl CyclicDecode {
    /// Decodes words of this code.
    pub fn new(code: Cyclic) -> Self {
        CyclicDecode { code, mark: false }
    }

    /// Bad packets pass, too, and the metadata says of each whether it is good.
    #[must_use]
    pub fn mark(mut self) -> Self {
        self.mark = true;
        self
    }
}

impl PacketBlock for CyclicDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let [n, k] = self.code.sizes();
        let mut y = x.with_meta(x.len() / n * k);
        let (mut corrected, mut is_right) = (0, true);
        for (y, x) in y.items_mut().chunks_exact_mut(k).zip(x.items().chunks_exact(n)) {
            let word = x.iter().fold(0, |word, bit| word << 1 | u64::from(bit & 1));
            let bits = match self.code.decode(word) {
                Some((bits, wrong)) => {
                    corrected += wrong;
                    bits
                }
                None => {
                    is_right = false;
                    word >> (n - k)
                }
            };
            y.iter_mut().rev().enumerate().for_each(|(place, y)| *y = (bits >> place & 1) as u8);
        }
        if !is_right && !self.mark {
            return Ok(None);
        }
        y.set("corrected", corrected);
        if self.mark {
            y.set("fec_ok", is_right);
        }
        Ok(Some(y))
    }
}

/// The names of codes, and `custom`.
const CODES: [&str; Cyclic::NAMES.len() + 1] = {
    let mut codes = ["custom"; Cyclic::NAMES.len() + 1];
    let mut place = 0;
    while place < Cyclic::NAMES.len() {
        codes[place] = Cyclic::NAMES[place];
        place += 1;
    }
    codes
};

/// The parameters of a code.
#[derive(Debug, Parameters)]
pub(super) struct CyclicCode {
    /// The code by its name, length and bits that say something, or what the next parameters say.
    #[param(kind = Kind::Choice(&CODES), default = "hamming_7_4")]
    code: String,
    /// Of a custom code: the bits of a word, without parity.
    #[param(unit = "bits", range = 3..=63, default = 7)]
    n: u32,
    /// Of a custom code: the generator polynomial, the highest power first.
    #[param(range = 1..=(1 << 21) - 1, default = 11)]
    generator: u64,
    /// Of a custom code: how many wrong bits it corrects.
    #[param(formerly = "most_wrong", unit = "bits", range = 0..=5, default = 1)]
    max_errors: u32,
    /// Of a custom code: whether a bit of even parity lies behind each word.
    #[param(default = false)]
    parity: bool,
}

impl CyclicCode {
    /// The code.
    pub fn code(&self) -> Result<Cyclic, Error> {
        match &self.code[..] {
            "custom" => Cyclic::new(self.n, self.generator, self.max_errors, self.parity),
            name => Cyclic::named(name),
        }
    }
}

fn block(code: &CyclicCode, when_bad: BadBlocks) -> Result<CyclicDecode, Error> {
    let block = CyclicDecode::new(code.code()?);
    Ok(if when_bad == BadBlocks::Mark { block.mark() } else { block })
}

#[declare(
    category = "fec",
    summary = "Decodes packets of bits by a Hamming, Golay or BCH code.",
    ports(
        input("in", "u8", "packets of words, a bit each, in a stream"),
        output("out", "u8", "packets without the check bits")
    )
)]
fn cyclic_decode(
    #[param(group)] code: CyclicCode,
    /// Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.
    #[param(default = "drop")]
    when_bad: BadBlocks,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(block(&code, when_bad)?.tagged(length_tag)))
}

#[declare(
    category = "fec",
    summary = "Decodes packets of bits by a Hamming, Golay or BCH code.",
    entry = ENTRY_PDU,
    through = CyclicDecode::messages,
    ports(
        input("in", "messages", "packets of words, u8, a bit each"),
        output("out", "messages", "packets without the check bits")
    )
)]
fn cyclic_decode_pdu(
    #[param(group)] code: CyclicCode,
    /// Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.
    #[param(default = "drop")]
    when_bad: BadBlocks,
) -> Result<CyclicDecode, Error> {
    block(&code, when_bad)
}

#[cfg(test)]
mod tests {
    use super::super::CyclicEncode;
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::Value;

    #[test]
    fn packets_of_every_code_come_back_with_wrong_bits() {
        let bits: Vec<u8> = noise(4 * 3 * 5 * 7 * 11 * 13).iter().map(|x| u8::from(*x > 0.0)).collect();
        for name in Cyclic::NAMES {
            let code = Cyclic::named(name).unwrap();
            let [n, k] = code.sizes();
            let bits = &bits[..9 * k];
            let mut packet = Packet::from_items(bits);
            packet.set("from", "here");
            let mut sent = CyclicEncode::new(code.clone()).packet(packet).unwrap().unwrap();
            assert_eq!(sent.len(), 9 * n);
            sent.items_mut().iter_mut().step_by(n + 1).for_each(|bit| *bit ^= 1);
            let got = CyclicDecode::new(code).packet(sent).unwrap().unwrap();
            assert_eq!((got.items(), got.get("from")), (bits, Some(&"here".into())), "{name}");
            assert!(got.get("corrected").and_then(Value::as_u64) >= Some(8), "{name}");
        }
    }

    #[test]
    fn a_packet_with_a_bad_word_is_dropped_or_marked() {
        let mut decode = CyclicDecode::new(Cyclic::named("hamming_8_4").unwrap());
        let packet = Packet::from_items(&[1, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert!(decode.packet(packet.clone()).unwrap().is_none());
        let got = decode.mark().packet(packet).unwrap().unwrap();
        assert_eq!((got.items(), got.get("fec_ok")), (&[1, 1, 0, 0][..], Some(&false.into())));
    }
}
