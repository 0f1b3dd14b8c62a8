//! Encodes packets.

use superhet_runtime::catalog::Parameters;
use superhet_runtime::{AnyBlock, BlockError, Packet, declare, packet::PacketBlock};

use super::code::Code;
use super::code::encode::Encoder;
use crate::bits::BitOrder;
use crate::error::{Error, MOST_TO_ONE, check};

/// Encodes each packet by a [`Code`], whose frames become as long as the packet, where the code's can be of any length.
/// A convolutional code without frames runs on from packet to packet.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | a bit each, the lowest; or eight, packed |
/// | out `out` | packets of `u8` | 0 or 1; or eight, packed, the last filled up with zeros |
///
/// Metadata stays; tags on a packet's items end here.
///
/// # Errors
/// At run time: [`Error::NotWhole`] where a packet is no whole number of blocks of a polar or low-density parity-check code;
/// [`Error::OutOfRange`] where it is too long, or for a convolutional code too short.
///
/// ```
/// use superhet_blocks::fec::{Code, FecPacketEncoder};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut encoder = FecPacketEncoder::new(Code::repetition(3, 0.5)?);
/// let packet = encoder.packet(Packet::from_items(&[1, 0]))?.unwrap();
/// assert_eq!(packet.items(), [1, 1, 1, 0, 0, 0]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FecPacketEncoder {
    code: Code,
    encoder: Encoder,
    packed: Option<[BitOrder; 2]>,
    max_bits: usize,
    bits: Vec<u8>,
    coded: Vec<u8>,
}

impl FecPacketEncoder {
    /// Encodes by this code.
    pub fn new(code: Code) -> Self {
        let (encoder, bits, coded) = Default::default();
        FecPacketEncoder { code, encoder, packed: None, max_bits: MOST_TO_ONE, bits, coded }
    }

    /// Items hold eight bits each, in these orders: those that come, and those that go.
    #[must_use]
    pub fn packed(mut self, from: BitOrder, to: BitOrder) -> Self {
        self.packed = Some([from, to]);
        self
    }

    /// Packets of more bits than this are errors.
    #[must_use]
    pub fn max_bits(mut self, bits: usize) -> Self {
        self.max_bits = bits;
        self
    }
}

/// That a packet of bits is not too long, before and after it is encoded.
pub(super) fn check_length(bits: usize, max_bits: usize, coded: usize) -> Result<(), Error> {
    check(bits <= max_bits, "the bits of a packet", "at most what max_bits says", bits as f64)?;
    check(coded <= MOST_TO_ONE, "the coded bits of a packet", "at most 16777216", coded as f64)
}

/// Takes the bits out of bytes.
fn unpack(bytes: &[u8], order: BitOrder, bits: &mut Vec<u8>) {
    bits.clear();
    for byte in bytes {
        bits.extend((0..8).map(|place| match order {
            BitOrder::LsbFirst => byte >> place & 1,
            BitOrder::MsbFirst => byte >> (7 - place) & 1,
        }));
    }
}

/// Puts bits into bytes; zeros fill the last.
pub(super) fn pack(bits: &[u8], order: BitOrder, bytes: &mut [u8]) {
    for (byte, bits) in bytes.iter_mut().zip(bits.chunks(8)) {
        *byte = bits.iter().enumerate().fold(0, |byte, (place, bit)| match order {
            BitOrder::LsbFirst => byte | bit << place,
            BitOrder::MsbFirst => byte | bit << (7 - place),
        });
    }
}

impl PacketBlock for FecPacketEncoder {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let bits = if self.packed.is_some() { x.len().saturating_mul(8) } else { x.len() };
        let code = self.code.for_bits(bits)?;
        let [taken, given] = code.sizes();
        let n = (bits / taken).saturating_mul(given);
        check_length(bits, self.max_bits, n)?;
        let Some([from, to]) = self.packed else {
            let mut y = x.with_meta(n);
            self.encoder.encode(&code, x.items(), y.items_mut());
            return Ok(Some(y));
        };
        unpack(x.items(), from, &mut self.bits);
        self.coded.resize(n, 0);
        self.encoder.encode(&code, &self.bits, &mut self.coded);
        let mut y = x.with_meta(n.div_ceil(8));
        pack(&self.coded, to, y.items_mut());
        Ok(Some(y))
    }
}

/// What is encoded, and how.
#[derive(Debug, Parameters)]
struct Encoding {
    #[param(group)]
    code: Code,
    /// Whether items hold eight bits each.
    #[param(default = false)]
    packed: bool,
    /// Which bit of an item that comes is first, where they are packed.
    #[param(default = "msb_first")]
    order_in: BitOrder,
    /// Which bit of an item that goes is first, where they are packed.
    #[param(default = "msb_first")]
    order_out: BitOrder,
    /// Longer packets are errors: the bits that are not encoded yet, or no longer.
    #[param(formerly = "most_bits", unit = "bits", range = 1..=MOST_TO_ONE, default = 16777216)]
    max_bits: usize,
}

impl Encoding {
    fn block(self) -> FecPacketEncoder {
        let encoder = FecPacketEncoder::new(self.code).max_bits(self.max_bits);
        if self.packed { encoder.packed(self.order_in, self.order_out) } else { encoder }
    }
}

#[declare(
    category = "fec",
    summary = "Encodes packets by a code.",
    ports(
        input("in", "u8", "packets, in a stream: a bit each, the lowest; or eight"),
        output("out", "u8", "packets: 0 or 1; or eight bits")
    )
)]
fn fec_packet_encoder(
    #[param(group)] encoding: Encoding,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> AnyBlock {
    AnyBlock::new(encoding.block().tagged(length_tag))
}

#[declare(
    category = "fec",
    summary = "Encodes packets by a code.",
    entry = ENTRY_PDU,
    through = FecPacketEncoder::messages,
    ports(
        input("in", "messages", "packets of u8: a bit each, the lowest; or eight"),
        output("out", "messages", "packets of u8: 0 or 1; or eight bits")
    )
)]
fn fec_packet_encoder_pdu(#[param(group)] encoding: Encoding) -> FecPacketEncoder {
    encoding.block()
}

#[cfg(test)]
mod tests {
    use super::super::Frames;
    use super::super::code::{Design, Polar};
    use super::*;
    use std::sync::Arc;
    use superhet_runtime::Value;

    fn encoded(encoder: FecPacketEncoder, x: &[u8]) -> Result<String, String> {
        let mut encoder = encoder;
        let packet = encoder.packet(Packet::from_items(x)).map_err(|error| error.to_string())?;
        Ok(packet.unwrap().items().iter().map(|bit| char::from(b'0' + bit)).collect())
    }

    #[test]
    fn frames_are_as_long_as_packets_as_in_gnu_radio() {
        let x = [1, 0, 1, 1, 0, 0, 1, 0];
        for frame_bits in [8, 16] {
            for (frames, wanted) in [
                (Frames::Terminated, "1101000110101111100000101100"),
                (Frames::Padded, "11010001101011111000001011000000"),
                (Frames::Truncated, "1101000110101111"),
                (Frames::Tailbiting, "0101001101101111"),
            ] {
                let code = Code::convolutional(frames, frame_bits, [109, 79]).unwrap();
                assert_eq!(encoded(FecPacketEncoder::new(code), &x).unwrap(), wanted);
            }
        }
        let code = Code::repetition(3, 0.5).unwrap();
        let wanted = "111000111111000000111000";
        assert_eq!(encoded(FecPacketEncoder::new(code), &x).unwrap(), wanted);
    }

    #[test]
    fn bits_are_packed_in_any_order_as_in_gnu_radio() {
        use BitOrder::{LsbFirst, MsbFirst};
        let code = Code::repetition(3, 0.5).unwrap();
        for (from, to, wanted) in [
            (LsbFirst, LsbFirst, [0b0011_1000, 0b1111_0000, 0b1110_0011]),
            (LsbFirst, MsbFirst, [0b0001_1100, 0b0000_1111, 0b1100_0111]),
            (MsbFirst, LsbFirst, [0b1100_0111, 0b0000_1111, 0b0001_1100]),
            (MsbFirst, MsbFirst, [0b1110_0011, 0b1111_0000, 0b0011_1000]),
        ] {
            let mut encoder = FecPacketEncoder::new(code.clone()).packed(from, to);
            let packet = encoder.packet(Packet::from_items(&[0xb2])).unwrap().unwrap();
            assert_eq!(packet.items(), wanted);
        }
        let code = Code::convolutional(Frames::Terminated, 8, [109, 79]).unwrap();
        let mut encoder = FecPacketEncoder::new(code).packed(MsbFirst, MsbFirst);
        let packet = encoder.packet(Packet::from_items(&[0xb2])).unwrap().unwrap();
        assert_eq!(packet.items(), [0b1101_0001, 0b1010_1111, 0b1000_0010, 0b1100_0000]);
    }

    #[test]
    fn packets_that_do_not_fit_are_refused() {
        let code = Polar::designed(8, 4, Design::Erasure { probability: 0.5 }).unwrap();
        let polar = FecPacketEncoder::new(Code::Polar(Arc::new(code)));
        assert_eq!(encoded(polar.clone(), &[0; 12]).unwrap(), "0".repeat(24));
        let error = encoded(polar, &[0; 6]).unwrap_err();
        assert_eq!(error, "a packet of 6 bits: expected a whole number of blocks of 4");
        let code = Code::convolutional(Frames::Tailbiting, 8, [109, 79]).unwrap();
        assert!(encoded(FecPacketEncoder::new(code), &[0; 5]).unwrap_err().contains("frame_bits = 5"));
        let dummy = FecPacketEncoder::new(Code::Dummy).max_bits(8);
        assert_eq!(encoded(dummy.clone(), &[1; 8]).unwrap(), "11111111");
        assert!(encoded(dummy, &[1; 9]).unwrap_err().contains("max_bits"));
        let long = FecPacketEncoder::new(Code::repetition(65536, 0.5).unwrap());
        assert!(encoded(long, &[1; 257]).unwrap_err().contains("16777216"));
    }

    #[test]
    fn packets_in_a_stream_get_a_new_length_wherever_it_is_cut() {
        let code = Value::map([("kind", Value::from("repetition")), ("repetitions", 2.into())]);
        for options in crate::testing::cuts() {
            let given = [("code".to_owned(), code.clone())].into();
            let block = ENTRY.build(&given).unwrap();
            let tags = vec![(0, "packet_len", Value::from(3)), (3, "packet_len", Value::from(1))];
            let (items, tags) = crate::testing::run_any::<u8, u8>(block, vec![1, 0, 1, 1], tags, &options);
            assert_eq!(items, [1, 1, 0, 0, 1, 1, 1, 1]);
            let lengths: Vec<_> = tags.iter().map(|(index, _, value)| (*index, value.as_u64())).collect();
            assert_eq!(lengths, [(0, Some(6)), (6, Some(2))]);
        }
    }
}
