//! Encodes packets by a Reed-Solomon code.

use superhet_runtime::{AnyBlock, BlockError, Packet, declare, packet::PacketBlock};

use super::block::ReedSolomon;
use super::reed_solomon_decode::{RsCode, check_depth};
use crate::error::{Error, check};

/// Puts check symbols behind each packet: the counterpart of [`ReedSolomonDecode`](super::ReedSolomonDecode).
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | a symbol each |
/// | out `out` | packets of `u8` | with their check symbols |
///
/// # Errors
/// At run time: [`Error::NotWhole`] for a packet that is no whole number of symbols of each block, [`Error::OutOfRange`] for one that
/// is empty or too long.
#[derive(Clone, Debug)]
pub struct ReedSolomonEncode {
    code: ReedSolomon,
    depth: usize,
}

impl ReedSolomonEncode {
    /// Encodes blocks of this code, `depth` of which lie in turn in a packet.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the depth is 1 to 256.
    pub fn new(code: ReedSolomon, depth: usize) -> Result<Self, Error> {
        check_depth(depth)?;
        Ok(ReedSolomonEncode { code, depth })
    }
}

impl PacketBlock for ReedSolomonEncode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let ([n, k], depth) = (self.code.sizes(), self.depth);
        if !x.len().is_multiple_of(depth) {
            return Err(Error::NotWhole { items: x.len(), of: "symbols", block: depth }.into());
        }
        let len = x.len() / depth;
        check((1..=k).contains(&len), "packet", "1 to k symbols for each block", len as f64)?;
        let mut y = x.with_meta(x.len() + depth * (n - k));
        y.items_mut()[..x.len()].copy_from_slice(x.items());
        for first in 0..depth {
            let mut block: Vec<u8> = y.items().iter().skip(first).step_by(depth).copied().collect();
            self.code.encode(&mut block);
            y.items_mut()
                .iter_mut()
                .skip(first)
                .step_by(depth)
                .zip(&block)
                .for_each(|(y, symbol)| *y = *symbol);
        }
        Ok(Some(y))
    }
}

#[declare(
    category = "fec",
    summary = "Puts the check symbols of a Reed-Solomon code behind packets.",
    ports(
        input("in", "u8", "packets of symbols, in a stream"),
        output("out", "u8", "packets with their check symbols")
    )
)]
fn reed_solomon_encode(
    #[param(group)] code: RsCode,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(ReedSolomonEncode::new(code.code()?, code.interleave)?.tagged(length_tag)))
}

#[declare(
    category = "fec",
    summary = "Puts the check symbols of a Reed-Solomon code behind packets.",
    entry = ENTRY_PDU,
    through = ReedSolomonEncode::messages,
    ports(
        input("in", "messages", "packets of symbols, u8"),
        output("out", "messages", "packets with their check symbols")
    )
)]
fn reed_solomon_encode_pdu(#[param(group)] code: RsCode) -> Result<ReedSolomonEncode, Error> {
    ReedSolomonEncode::new(code.code()?, code.interleave)
}
