//! Decodes packets by a Reed-Solomon code.

use superhet_runtime::catalog::{Choice, Kind, Parameters};
use superhet_runtime::{AnyBlock, BlockError, Packet, Value, declare, packet::PacketBlock};

use super::block::{Corrected, ReedSolomon, RsSettings};
use crate::error::{Error, check};

/// Decodes each packet by a [`ReedSolomon`] code, or as many as its symbols lie in turn in.
///
/// A packet of `depth · m` symbols has `depth` blocks of `m ≤ n`: those of shortened codes, where `m < n`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | a symbol each |
/// | out `out` | packets of `u8` | without the check symbols |
///
/// The metadata gets `corrected`, how many symbols were wrong. The places in its list `erasures`, if there is one, are taken for
/// missing symbols. A packet with too many errors, or of a length that does not fit, is dropped; or it passes as it came, without its
/// last symbols, and `fec_ok` says which it is.
///
/// ```
/// use superhet_blocks::fec::{ReedSolomon, ReedSolomonDecode, RsSettings};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let code = ReedSolomon::new(&RsSettings::DVB)?;
/// let mut symbols = [b"hello".as_slice(), &[0; 16]].concat();
/// code.encode(&mut symbols);
/// symbols[1] = b'u';
/// let packet = ReedSolomonDecode::new(code, 1)?.packet(Packet::from_items(&symbols))?.unwrap();
/// assert_eq!(packet.items(), b"hello");
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReedSolomonDecode {
    code: ReedSolomon,
    depth: usize,
    mark: bool,
}

impl ReedSolomonDecode {
    /// Decodes blocks of this code, `depth` of which lie in turn in a packet.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the depth is 1 to 256.
    pub fn new(code: ReedSolomon, depth: usize) -> Result<Self, Error> {
        check_depth(depth)?;
        Ok(ReedSolomonDecode { code, depth, mark: false })
    }

    /// Bad packets pass, too, and the metadata says of each whether it is good.
    #[must_use]
    pub fn mark(mut self) -> Self {
        self.mark = true;
        self
    }

    /// Corrects the symbols of a packet; how many were wrong, where it can be said.
    fn correct(&self, symbols: &mut [u8], erasures: &[usize]) -> Option<usize> {
        let ([n, k], depth) = (self.code.sizes(), self.depth);
        let len = symbols.len() / depth;
        if !symbols.len().is_multiple_of(depth) || len > n || len <= n - k {
            return None;
        }
        let mut corrected = 0;
        for first in 0..depth {
            let mut block: Vec<u8> = symbols.iter().skip(first).step_by(depth).copied().collect();
            let missing: Vec<usize> =
                erasures.iter().filter(|place| *place % depth == first).map(|place| place / depth).collect();
            match self.code.decode(&mut block, &missing) {
                Corrected::Symbols(wrong) => corrected += wrong,
                Corrected::Failed => return None,
            }
            symbols
                .iter_mut()
                .skip(first)
                .step_by(depth)
                .zip(&block)
                .for_each(|(symbol, right)| *symbol = *right);
        }
        Some(corrected)
    }
}

/// The most blocks that lie in turn.
const MOST_DEPTH: usize = 256;

/// That so many blocks can lie in turn.
pub(super) fn check_depth(depth: usize) -> Result<(), Error> {
    check((1..=MOST_DEPTH).contains(&depth), "interleave", "a whole number from 1 to 256", depth as f64)
}

impl PacketBlock for ReedSolomonDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let place = |value: &Value| value.as_u64().and_then(|place| usize::try_from(place).ok());
        let erasures: Vec<usize> = x
            .get("erasures")
            .and_then(Value::as_list)
            .map(|list| list.iter().filter_map(place).filter(|place| *place < x.len()).collect())
            .unwrap_or_default();
        let mut erasures = erasures;
        erasures.sort_unstable();
        erasures.dedup();
        let before = x.items().to_vec();
        let corrected = self.correct(x.items_mut(), &erasures);
        if corrected.is_none() {
            if !self.mark {
                return Ok(None);
            }
            x.items_mut().copy_from_slice(&before);
        }
        let [n, k] = self.code.sizes();
        x.truncate(x.len().saturating_sub((n - k) * self.depth));
        if let Some(corrected) = corrected {
            x.set("corrected", corrected);
        }
        if self.mark {
            x.set("fec_ok", corrected.is_some());
        }
        Ok(Some(x))
    }
}

/// The parameters of a code.
#[derive(Debug, Parameters)]
pub(super) struct RsCode {
    /// CCSDS with 32 or 16 check symbols in the dual basis, DVB's RS(204, 188), or what the next parameters say.
    #[param(kind = Kind::Choice(&["ccsds_223", "ccsds_239", "dvb", "custom"]), default = "ccsds_223")]
    code: String,
    /// Of a custom code: the symbols of a block.
    #[param(unit = "symbols", range = 2..=255, default = 255)]
    n: usize,
    /// Of a custom code: those of them that say something.
    #[param(unit = "symbols", range = 1..=254, default = 223)]
    k: usize,
    /// Of a custom code: the bits of a symbol.
    #[param(unit = "bits", range = 2..=8, default = 8)]
    symbol_bits: u32,
    /// Of a custom code: the primitive polynomial, the highest power first.
    #[param(range = 0..=1 << 9, default = 285)]
    field_polynomial: u32,
    /// Of a custom code: the first root's exponent, in steps of root_step.
    #[param(range = 0..=254, default = 0)]
    first_root: usize,
    /// Of a custom code: the step of the roots' exponents.
    #[param(range = 1..=254, default = 1)]
    root_step: usize,
    /// Of a custom code: whether symbols are in CCSDS's dual basis.
    #[param(default = false)]
    dual_basis: bool,
    /// How many blocks lie in turn in a packet.
    #[param(unit = "blocks", range = 1..=MOST_DEPTH, default = 1)]
    pub interleave: usize,
}

impl RsCode {
    /// The code.
    pub fn code(&self) -> Result<ReedSolomon, Error> {
        ReedSolomon::new(&match &self.code[..] {
            "ccsds_223" => RsSettings::CCSDS_223,
            "ccsds_239" => RsSettings::CCSDS_239,
            "dvb" => RsSettings::DVB,
            _ => RsSettings {
                symbol_bits: self.symbol_bits,
                field_polynomial: self.field_polynomial,
                n: self.n,
                k: self.k,
                first_root: self.first_root,
                root_step: self.root_step,
                dual_basis: self.dual_basis,
            },
        })
    }
}

/// What becomes of packets with too many errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub(super) enum BadBlocks {
    Drop,
    Mark,
}

fn block(code: &RsCode, when_bad: BadBlocks) -> Result<ReedSolomonDecode, Error> {
    let block = ReedSolomonDecode::new(code.code()?, code.interleave)?;
    Ok(if when_bad == BadBlocks::Mark { block.mark() } else { block })
}

#[declare(
    category = "fec",
    summary = "Decodes packets by a Reed-Solomon code.",
    ports(
        input("in", "u8", "packets of symbols, in a stream"),
        output("out", "u8", "packets without their check symbols")
    )
)]
fn reed_solomon_decode(
    #[param(group)] code: RsCode,
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
    summary = "Decodes packets by a Reed-Solomon code.",
    entry = ENTRY_PDU,
    through = ReedSolomonDecode::messages,
    ports(
        input("in", "messages", "packets of symbols, u8"),
        output("out", "messages", "packets without their check symbols")
    )
)]
fn reed_solomon_decode_pdu(
    #[param(group)] code: RsCode,
    /// Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.
    #[param(default = "drop")]
    when_bad: BadBlocks,
) -> Result<ReedSolomonDecode, Error> {
    block(&code, when_bad)
}

#[cfg(test)]
mod tests {
    use super::super::ReedSolomonEncode;
    use super::*;
    use crate::testing::noise;

    #[test]
    fn blocks_in_turn_come_back_and_bad_ones_are_dropped_or_marked() {
        for (settings, depth, len) in
            [(RsSettings::CCSDS_223, 5, 5 * 223), (RsSettings::DVB, 1, 100), (RsSettings::CCSDS_239, 2, 20)]
        {
            let code = ReedSolomon::new(&settings).unwrap();
            let mut encode = ReedSolomonEncode::new(code.clone(), depth).unwrap();
            let mut decode = ReedSolomonDecode::new(code, depth).unwrap();
            let data: Vec<u8> = noise(len).iter().map(|x| (x * 127.0) as i8 as u8).collect();
            let mut packet = Packet::from_items(&data);
            packet.set("from", "here");
            let mut sent = encode.packet(packet.clone()).unwrap().unwrap();
            assert_eq!(sent.len(), len + depth * (settings.n - settings.k));
            assert_eq!(sent.items()[..len], data);
            // A burst of errors is shared by the blocks.
            let most = (settings.n - settings.k) / 2 * depth;
            sent.items_mut()[3..3 + most].iter_mut().for_each(|symbol| *symbol ^= 0x5a);
            let got = decode.packet(sent.clone()).unwrap().unwrap();
            assert_eq!((got.items(), got.get("from")), (&data[..], Some(&"here".into())));
            assert_eq!(got.get("corrected").and_then(Value::as_u64), Some(most as u64));
            // One more is too many, unless it is known where some are.
            sent.items_mut()[3 + most] ^= 1;
            assert!(decode.packet(sent.clone()).unwrap().is_none());
            let bad = decode.clone().mark().packet(sent.clone()).unwrap().unwrap();
            assert_eq!((bad.len(), bad.get("fec_ok")), (len, Some(&false.into())));
            sent.set("erasures", (3..3 + most).map(Value::from).collect::<Vec<_>>());
            assert_eq!(decode.packet(sent).unwrap().unwrap().items(), data);
        }
    }

    #[test]
    fn packets_of_lengths_that_do_not_fit_are_dropped() {
        let mut decode = ReedSolomonDecode::new(ReedSolomon::new(&RsSettings::DVB).unwrap(), 2).unwrap();
        for len in [0, 1, 32, 33, 410] {
            assert!(decode.packet(Packet::from_items(&vec![0; len])).unwrap().is_none(), "{len}");
        }
        assert!(ReedSolomonDecode::new(ReedSolomon::new(&RsSettings::DVB).unwrap(), 0).is_err());
    }
}
