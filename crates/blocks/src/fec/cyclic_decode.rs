//! Decodes packets of bits by a Hamming, Golay or BCH code.

use superhet_runtime::catalog::{Entry, Kind, Param, Params, input, optional, output};
use superhet_runtime::{AnyBlock, BlockError, Packet, PacketBlock};

use super::block::Cyclic;
use super::reed_solomon_decode::WHEN_BAD;
use crate::error::Error;
use crate::packets::LENGTH_TAG;

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
/// use superhet_runtime::{Packet, PacketBlock};
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

/// The parameters that say a cyclic code.
pub(super) const CYCLIC: [Param; 5] = [
    optional(
        "code",
        Kind::Choice(&CODES),
        "",
        "\"hamming_7_4\"",
        "The code by its name, length and bits that say something, or what the next parameters say.",
    ),
    optional("n", Kind::Integer(3, 63), "bits", "7", "Of a custom code: the bits of a word, without parity."),
    optional(
        "generator",
        Kind::Integer(1, (1 << 21) - 1),
        "",
        "11",
        "Of a custom code: the generator polynomial, the highest power first.",
    ),
    optional(
        "most_wrong",
        Kind::Integer(0, 5),
        "bits",
        "1",
        "Of a custom code: how many wrong bits it corrects.",
    ),
    optional(
        "parity",
        Kind::Bool,
        "",
        "false",
        "Of a custom code: whether a bit of even parity lies behind each word.",
    ),
];

/// The code that the parameters [`CYCLIC`] say.
pub(super) fn code_of(params: &Params) -> Result<Cyclic, Error> {
    match params.text("code") {
        "custom" => {
            let [n, most_wrong] = ["n", "most_wrong"].map(|name| params.count(name) as u32);
            Cyclic::new(n, params.count("generator") as u64, most_wrong, params.flag("parity"))
        }
        name => Cyclic::named(name),
    }
}

fn block(params: &Params) -> Result<CyclicDecode, BlockError> {
    let block = CyclicDecode::new(code_of(params)?);
    Ok(if params.text("when_bad") == "mark" { block.mark() } else { block })
}

/// How files and the command line find [`CyclicDecode`] on streams.
pub const ENTRY: Entry = Entry {
    name: "cyclic_decode",
    category: "fec",
    summary: "Decodes packets of bits by a Hamming, Golay or BCH code.",
    params: &[CYCLIC[0], CYCLIC[1], CYCLIC[2], CYCLIC[3], CYCLIC[4], WHEN_BAD, LENGTH_TAG],
    ports: &[
        input("in", "u8", "packets of words, a bit each, in a stream"),
        output("out", "u8", "packets without the check bits"),
    ],
    make: |params| Ok(AnyBlock::new(block(params)?.tagged(params.text("length_tag")))),
};

/// How files and the command line find [`CyclicDecode`] on messages.
pub const ENTRY_PDU: Entry = Entry {
    name: "cyclic_decode_pdu",
    category: "fec",
    summary: "Decodes packets of bits by a Hamming, Golay or BCH code.",
    params: &[CYCLIC[0], CYCLIC[1], CYCLIC[2], CYCLIC[3], CYCLIC[4], WHEN_BAD],
    ports: &[
        input("in", "messages", "packets of words, u8, a bit each"),
        output("out", "messages", "packets without the check bits"),
    ],
    make: |params| Ok(AnyBlock::new(block(params)?.messages())),
};

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
