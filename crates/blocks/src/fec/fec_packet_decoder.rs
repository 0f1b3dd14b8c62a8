//! Decodes packets of soft bits.

use superhet_runtime::catalog::Parameters;
use superhet_runtime::{AnyBlock, BlockError, Packet, declare, packet::PacketBlock};

use super::code::Code;
use super::code::decode::{Decoder, Soft};
use super::fec_decoder::SoftItem;
use super::fec_packet_encoder::{check_length, pack};
use crate::bits::BitOrder;
use crate::error::MOST_TO_ONE;

/// Decodes each packet of soft bits by a [`Code`], whose frames become as long as the packet, where the code's can be of any
/// length: the counterpart of [`FecPacketEncoder`](super::FecPacketEncoder). A convolutional code without frames runs on from
/// packet to packet, so that the last bits of a packet are decided without those behind them.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` or `f32` | 0 to 255, or −1 to 1: from a sure zero to a sure one |
/// | out `out` | packets of `u8` | 0 or 1; or eight, packed, the last filled up with zeros |
///
/// Metadata stays, and of a low-density parity-check code gets `iterations`, the most that a block of the packet took; tags
/// on a packet's items end here.
///
/// # Errors
/// At run time: [`Error::NotWhole`](crate::Error::NotWhole) where the packet is not what an encoder gives, [`Error::OutOfRange`](crate::Error::OutOfRange) where it is too long.
///
/// ```
/// use superhet_blocks::fec::{Code, FecPacketDecoder};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut decoder = FecPacketDecoder::<f32>::new(Code::repetition(3, 0.5)?);
/// let packet = decoder.packet(Packet::from_items(&[1.0, -0.1, 0.2, -1.0, -1.0, 0.9]))?.unwrap();
/// assert_eq!(packet.items(), [1, 0]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FecPacketDecoder<T> {
    code: Code,
    decoder: Decoder,
    packed: Option<BitOrder>,
    max_bits: usize,
    bits: Vec<u8>,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Soft> FecPacketDecoder<T> {
    /// Decodes this code.
    pub fn new(code: Code) -> Self {
        let (decoder, bits, item) = Default::default();
        FecPacketDecoder { code, decoder, packed: None, max_bits: MOST_TO_ONE, bits, item }
    }

    /// The items that come hold eight bits each, in this order.
    #[must_use]
    pub fn packed(mut self, order: BitOrder) -> Self {
        self.packed = Some(order);
        self
    }

    /// Packets of more bits than this are errors.
    #[must_use]
    pub fn max_bits(mut self, bits: usize) -> Self {
        self.max_bits = bits;
        self
    }
}

impl<T: Soft> PacketBlock for FecPacketDecoder<T> {
    type In = T;
    type Out = u8;

    fn packet(&mut self, x: Packet<T>) -> Result<Option<Packet<u8>>, BlockError> {
        let (code, bits) = self.code.for_soft_bits(x.len())?;
        check_length(bits, self.max_bits, x.len())?;
        let mut y = x.with_meta(if self.packed.is_some() { bits.div_ceil(8) } else { bits });
        let iterations = match self.packed {
            None => self.decoder.decode(&code, x.items(), y.items_mut()),
            Some(order) => {
                self.bits.resize(bits, 0);
                let iterations = self.decoder.decode(&code, x.items(), &mut self.bits);
                pack(&self.bits, order, y.items_mut());
                iterations
            }
        };
        if let Some(iterations) = iterations {
            y.set("iterations", iterations);
        }
        Ok(Some(y))
    }
}

/// What is decoded, and how.
#[derive(Debug, Parameters)]
struct Decoding {
    #[param(group)]
    code: Code,
    /// The type of soft bits: u8 from 0 to 255, f32 from −1 to 1; auto takes u8 for convolutional codes, else f32.
    #[param(default = "auto")]
    soft_item: SoftItem,
    /// Whether items that go hold eight bits each.
    #[param(default = false)]
    packed: bool,
    /// Which bit of an item is first, where they are packed.
    #[param(default = "msb_first")]
    order: BitOrder,
    /// Longer packets are errors: the bits that are not encoded yet, or no longer.
    #[param(formerly = "most_bits", unit = "bits", range = 1..=MOST_TO_ONE, default = 16777216)]
    max_bits: usize,
}

impl Decoding {
    fn is_float(&self) -> bool {
        self.soft_item.is_float(&self.code)
    }

    fn block<T: Soft>(self) -> FecPacketDecoder<T> {
        let decoder = FecPacketDecoder::new(self.code).max_bits(self.max_bits);
        if self.packed { decoder.packed(self.order) } else { decoder }
    }
}

#[declare(
    category = "fec",
    summary = "Decodes packets of soft bits by a code.",
    ports(
        input("in", "u8", "packets of soft bits, in a stream; f32 as soft_item says"),
        output("out", "u8", "packets: 0 or 1; or eight bits")
    )
)]
fn fec_packet_decoder(
    #[param(group)] decoding: Decoding,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> AnyBlock {
    match decoding.is_float() {
        true => AnyBlock::new(decoding.block::<f32>().tagged(length_tag)),
        false => AnyBlock::new(decoding.block::<u8>().tagged(length_tag)),
    }
}

#[declare(
    category = "fec",
    summary = "Decodes packets of soft bits by a code.",
    entry = ENTRY_PDU,
    ports(
        input("in", "messages", "packets of soft bits: u8, or f32 as soft_item says"),
        output("out", "messages", "packets of u8: 0 or 1; or eight bits")
    )
)]
fn fec_packet_decoder_pdu(#[param(group)] decoding: Decoding) -> AnyBlock {
    match decoding.is_float() {
        true => AnyBlock::new(decoding.block::<f32>().messages()),
        false => AnyBlock::new(decoding.block::<u8>().messages()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::alist::Sparse;
    use super::super::code::{Design, Ldpc, Polar, Product};
    use super::super::{FecPacketEncoder, Frames};
    use super::*;
    use crate::testing::noise;
    use std::sync::Arc;
    use superhet_runtime::Value;

    fn codes() -> Vec<Code> {
        let polar = Polar::designed(64, 30, Design::Noise { snr_db: 1.0 }).unwrap().ways(4).unwrap();
        // Each of six bits is the sum of two of twelve.
        let rows = (0..6).map(|n| vec![n, 6 + n, (n + 1) % 6 + 12]);
        let ldpc = Ldpc::new(&Sparse { columns: 18, rows: rows.collect() }).unwrap();
        let frames = [Frames::Terminated, Frames::Padded, Frames::Truncated, Frames::Tailbiting];
        let convolutional = frames.map(|frames| Code::convolutional(frames, 10, [79, 109]).unwrap());
        let product = Product::new([3, 7], [7, 9], [2, 1], 8).unwrap();
        let others = [
            Code::Polar(Arc::new(polar)),
            Code::Ldpc(Arc::new(ldpc)),
            Code::Product(Arc::new(product)),
            Code::Dummy,
        ];
        convolutional.into_iter().chain(others).chain([Code::repetition(3, 0.5).unwrap()]).collect()
    }

    #[test]
    fn packets_of_every_code_come_back_with_their_metadata() {
        for code in codes() {
            let mut encoder = FecPacketEncoder::new(code.clone());
            let mut decoder = FecPacketDecoder::<f32>::new(code.clone());
            let mut of_bytes = FecPacketDecoder::<u8>::new(code.clone());
            let mut packed = of_bytes.clone().packed(BitOrder::LsbFirst);
            for bits in [60, 240] {
                let bits: Vec<u8> = noise(bits).iter().map(|x| u8::from(*x > 0.0)).collect();
                let mut packet = Packet::from_items(&bits);
                packet.set("from", "here");
                let sent = encoder.packet(packet).unwrap().unwrap();
                assert_eq!(sent.get("from"), Some(&"here".into()));
                let mut soft = sent.with_meta::<f32>(sent.len());
                soft.items_mut()
                    .iter_mut()
                    .zip(sent.items())
                    .for_each(|(y, x)| *y = f32::from(*x) * 2.0 - 1.0);
                let back = decoder.packet(soft).unwrap().unwrap();
                assert_eq!(back.items(), bits, "{code:?}");
                assert_eq!(back.get("from"), Some(&"here".into()));
                let iterations = match code {
                    Code::Ldpc(_) => Some(0.0),
                    Code::Product(_) => Some(1.0),
                    _ => None,
                };
                assert_eq!(back.get("iterations").and_then(Value::as_f64), iterations);

                let bytes: Vec<u8> = sent.items().iter().map(|bit| bit * 255).collect();
                let back = of_bytes.packet(Packet::from_items(&bytes)).unwrap().unwrap();
                assert_eq!(back.items(), bits, "{code:?}");
                let back = packed.packet(Packet::from_items(&bytes)).unwrap().unwrap();
                let first = bits[..8].iter().rev().fold(0, |byte, bit| byte << 1 | bit);
                assert_eq!((back.len(), back.items()[0]), (bits.len().div_ceil(8), first));
            }
        }
    }

    #[test]
    fn packets_that_no_encoder_gives_are_refused() {
        for code in codes() {
            let mut decoder = FecPacketDecoder::<u8>::new(code.clone());
            let refused = (0..20).filter(|n| {
                let soft = vec![255; 2 * n + 1];
                decoder.packet(Packet::from_items(&soft)).is_err()
            });
            let wanted = match code {
                Code::Dummy => 0,
                Code::Repetition { .. } => 13,
                _ => 20,
            };
            assert_eq!(refused.count(), wanted, "{code:?}");
            assert!(decoder.max_bits(29).packet(Packet::from_items(&[255; 576])).is_err());
        }
    }

    #[test]
    fn a_code_without_frames_runs_on_from_packet_to_packet() {
        for (constraint, polynomials) in [(7, [109, 79]), (5, [19, 29])] {
            let code = Code::any_convolutional(Frames::Streaming, 1, constraint, &polynomials).unwrap();
            let bits: Vec<u8> = noise(90).iter().map(|x| u8::from(*x > 0.0)).collect();
            let whole: Vec<u8> =
                superhet_runtime::harness::run(super::super::FecEncoder::new(code.clone()), &bits);
            let mut encoder = FecPacketEncoder::new(code.clone());
            let mut decoder = FecPacketDecoder::<f32>::new(code);
            let mut sent = Vec::new();
            for bits in [&bits[..30], &bits[30..30], &bits[30..80], &bits[80..]] {
                if bits.is_empty() {
                    assert!(encoder.packet(Packet::from_items(bits)).is_err());
                    continue;
                }
                let packet = encoder.packet(Packet::from_items(bits)).unwrap().unwrap();
                let soft: Vec<f32> = packet.items().iter().map(|bit| f32::from(*bit) * 2.0 - 1.0).collect();
                sent.extend_from_slice(packet.items());
                assert_eq!(decoder.packet(Packet::from_items(&soft)).unwrap().unwrap().items(), bits);
            }
            assert_eq!(sent, whole);
        }
    }

    #[test]
    fn frames_that_are_filled_up_are_whole_bytes_behind_their_bits() {
        let code = Code::any_convolutional(Frames::Padded, 10, 5, &[19, 29, 23]).unwrap();
        let bits = [1, 0, 1, 1, 1, 0, 0, 1, 0, 1];
        let sent = FecPacketEncoder::new(code.clone()).packet(Packet::from_items(&bits)).unwrap().unwrap();
        assert_eq!((sent.len(), &sent.items()[42..]), (46, &[0; 4][..]));
        // What fills a frame up says nothing.
        let mut soft: Vec<u8> = sent.items().iter().map(|bit| bit * 255).collect();
        soft[42..].fill(255);
        let mut decoder = FecPacketDecoder::<u8>::new(code);
        assert_eq!(decoder.packet(Packet::from_items(&soft)).unwrap().unwrap().items(), bits);
        assert!(decoder.packet(Packet::from_items(&soft[..44])).is_err());
    }
}
