//! Encodes packets of bits by a Hamming, Golay or BCH code.

use superhet_runtime::{AnyBlock, BlockError, Packet, declare, packet::PacketBlock};

use super::block::Cyclic;
use super::cyclic_decode::CyclicCode;
use crate::error::Error;

/// Encodes each packet of bits by a [`Cyclic`] code, word by word: the counterpart of [`CyclicDecode`](super::CyclicDecode).
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | a bit each, the lowest |
/// | out `out` | packets of `u8` | 0 or 1, the check bits behind those of each word |
///
/// # Errors
/// At run time: [`Error::NotWhole`] for a packet that is no whole number of words.
#[derive(Clone, Debug)]
pub struct CyclicEncode(Cyclic);

impl CyclicEncode {
    /// Encodes words of this code.
    pub fn new(code: Cyclic) -> Self {
        CyclicEncode(code)
    }
}

impl PacketBlock for CyclicEncode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let [n, k] = self.0.sizes();
        if !x.len().is_multiple_of(k) {
            return Err(Error::NotWhole { items: x.len(), of: "bits", block: k }.into());
        }
        let mut y = x.with_meta(x.len() / k * n);
        for (y, x) in y.items_mut().chunks_exact_mut(n).zip(x.items().chunks_exact(k)) {
            let word = self.0.encode(x.iter().fold(0, |bits, bit| bits << 1 | u64::from(bit & 1)));
            y.iter_mut().rev().enumerate().for_each(|(place, y)| *y = (word >> place & 1) as u8);
        }
        Ok(Some(y))
    }
}

#[declare(
    category = "fec",
    summary = "Encodes packets of bits by a Hamming, Golay or BCH code.",
    ports(
        input("in", "u8", "packets of bits, in a stream"),
        output("out", "u8", "packets of words, a bit each")
    )
)]
fn cyclic_encode(
    #[param(group)] code: CyclicCode,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(CyclicEncode::new(code.code()?).tagged(length_tag)))
}

#[declare(
    category = "fec",
    summary = "Encodes packets of bits by a Hamming, Golay or BCH code.",
    entry = ENTRY_PDU,
    through = CyclicEncode::messages,
    ports(
        input("in", "messages", "packets of bits, u8"),
        output("out", "messages", "packets of words, a bit each")
    )
)]
fn cyclic_encode_pdu(#[param(group)] code: CyclicCode) -> Result<CyclicEncode, BlockError> {
    Ok(CyclicEncode::new(code.code()?))
}
