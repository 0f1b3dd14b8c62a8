//! Decodes packets by a Reed-Solomon code.

use superhet_runtime::catalog::{Entry, Kind, Param, Params, input, optional, output};
use superhet_runtime::{AnyBlock, BlockError, Packet, PacketBlock, Value};

use super::block::{Corrected, ReedSolomon, RsSettings};
use crate::error::{Error, check};
use crate::packets::LENGTH_TAG;

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
/// use superhet_runtime::{Packet, PacketBlock};
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

/// The parameters that say a Reed-Solomon code.
pub(super) const RS: [Param; 9] = [
    optional(
        "code",
        Kind::Choice(&["ccsds_223", "ccsds_239", "dvb", "custom"]),
        "",
        "\"ccsds_223\"",
        "CCSDS with 32 or 16 check symbols in the dual basis, DVB's RS(204, 188), or what the next parameters say.",
    ),
    optional("n", Kind::Integer(2, 255), "symbols", "255", "Of a custom code: the symbols of a block."),
    optional(
        "k",
        Kind::Integer(1, 254),
        "symbols",
        "223",
        "Of a custom code: those of them that say something.",
    ),
    optional("symbol_bits", Kind::Integer(2, 8), "bits", "8", "Of a custom code: the bits of a symbol."),
    optional(
        "field_polynomial",
        Kind::Integer(0, 1 << 9),
        "",
        "285",
        "Of a custom code: the primitive polynomial, the highest power first.",
    ),
    optional(
        "first_root",
        Kind::Integer(0, 254),
        "",
        "0",
        "Of a custom code: the first root's exponent, in steps of root_step.",
    ),
    optional(
        "root_step",
        Kind::Integer(1, 254),
        "",
        "1",
        "Of a custom code: the step of the roots' exponents.",
    ),
    optional(
        "dual_basis",
        Kind::Bool,
        "",
        "false",
        "Of a custom code: whether symbols are in CCSDS's dual basis.",
    ),
    optional(
        "interleave",
        Kind::Integer(1, MOST_DEPTH as i64),
        "blocks",
        "1",
        "How many blocks lie in turn in a packet.",
    ),
];

/// The code that the parameters [`RS`] say.
pub(super) fn code_of(params: &Params) -> Result<ReedSolomon, Error> {
    ReedSolomon::new(&match params.text("code") {
        "ccsds_223" => RsSettings::CCSDS_223,
        "ccsds_239" => RsSettings::CCSDS_239,
        "dvb" => RsSettings::DVB,
        _ => RsSettings {
            symbol_bits: params.count("symbol_bits") as u32,
            field_polynomial: params.count("field_polynomial") as u32,
            n: params.count("n"),
            k: params.count("k"),
            first_root: params.count("first_root"),
            root_step: params.count("root_step"),
            dual_basis: params.flag("dual_basis"),
        },
    })
}

/// The parameter `when_bad`.
pub(super) const WHEN_BAD: Param = optional(
    "when_bad",
    Kind::Choice(&["drop", "mark"]),
    "",
    "\"drop\"",
    "Whether packets with too many errors are dropped, or all pass with fec_ok in their metadata.",
);

fn block(params: &Params) -> Result<ReedSolomonDecode, BlockError> {
    let block = ReedSolomonDecode::new(code_of(params)?, params.count("interleave"))?;
    Ok(if params.text("when_bad") == "mark" { block.mark() } else { block })
}

/// How files and the command line find [`ReedSolomonDecode`] on streams.
pub const ENTRY: Entry = Entry {
    name: "reed_solomon_decode",
    category: "fec",
    summary: "Decodes packets by a Reed-Solomon code.",
    params: &[RS[0], RS[1], RS[2], RS[3], RS[4], RS[5], RS[6], RS[7], RS[8], WHEN_BAD, LENGTH_TAG],
    ports: &[
        input("in", "u8", "packets of symbols, in a stream"),
        output("out", "u8", "packets without their check symbols"),
    ],
    make: |params| Ok(AnyBlock::new(block(params)?.tagged(params.text("length_tag")))),
};

/// How files and the command line find [`ReedSolomonDecode`] on messages.
pub const ENTRY_PDU: Entry = Entry {
    name: "reed_solomon_decode_pdu",
    category: "fec",
    summary: "Decodes packets by a Reed-Solomon code.",
    params: &[RS[0], RS[1], RS[2], RS[3], RS[4], RS[5], RS[6], RS[7], RS[8], WHEN_BAD],
    ports: &[
        input("in", "messages", "packets of symbols, u8"),
        output("out", "messages", "packets without their check symbols"),
    ],
    make: |params| Ok(AnyBlock::new(block(params)?.messages())),
};

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
