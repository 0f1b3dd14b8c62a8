//! Decodes soft bits.

use superhet_runtime::catalog::Choice;
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Out, Ratio, Shape, Step, SyncBlock, Tag, Work, declare,
    tag::Conversion,
};

pub use super::code::decode::Soft;
use super::code::decode::{DEPTH, Decoder, pair};
use super::code::{Code, Frames, GeneralTrellis, Trellis};
use crate::error::Error;

/// Decodes soft bits by a [`Code`] that has frames.
///
/// The convolutional code is decoded by the Viterbi algorithm; a tailbiting frame with the end of it before and its beginning
/// behind it, 96 steps at most. A polar code is decoded by successive cancellation or a list, a low-density parity-check code by
/// belief propagation or by flipping bits, as the code says, a turbo code as [`Turbo`](super::Turbo) says. A repeated bit is a one where more of the received ones say so
/// than the threshold.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | 0 to 255, or −1 to 1: from a sure zero to a sure one |
/// | out `out` | `u8` | 0 or 1 |
///
/// ```
/// use superhet_blocks::fec::{Code, FecDecoder};
/// use superhet_runtime::harness;
///
/// let decoder = FecDecoder::<f32>::new(Code::repetition(3, 0.5)?)?;
/// assert_eq!(harness::run(decoder, &[1.0, -0.1, 0.2, -1.0, -1.0, 0.9]), [1, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FecDecoder<T> {
    code: Code,
    decoder: Decoder,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Soft> FecDecoder<T> {
    /// Decodes this code.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a code that runs on: see [`StreamDecoder`].
    pub fn new(code: Code) -> Result<Self, Error> {
        if code.streams() {
            let got = "a convolutional code without frames".to_owned();
            return Err(Error::WrongKind { parameter: "code", wanted: "one with frames", got });
        }
        Ok(FecDecoder { code, decoder: Decoder::default(), item: std::marker::PhantomData })
    }
}

impl<T: Soft> SyncBlock for FecDecoder<T> {
    type In = T;
    type Out = u8;

    fn shape(&self) -> Shape {
        let [interpolation, decimation] = self.code.sizes();
        Shape { ratio: Ratio { interpolation, decimation }, ..Shape::default() }
    }

    fn process(&mut self, x: &[T], y: &mut [u8]) {
        self.decoder.decode(&self.code, x, y);
    }
}

/// Decodes a convolutional code that runs on, by the Viterbi algorithm: each bit is decided when 96 more have come, or of other
/// codes 14 for each bit of the constraint length, or at the end.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | 0 to 255, or −1 to 1: from a sure zero to a sure one; as many for each bit as the code sends |
/// | out `out` | `u8` | 0 or 1 |
///
/// The first symbols must be those of the code's first bit, in state 0. Tags end here.
///
/// ```
/// use superhet_blocks::fec::{Code, FecEncoder, Frames, StreamDecoder};
/// use superhet_runtime::harness;
///
/// let code = Code::convolutional(Frames::Streaming, 1, [109, 79])?;
/// let bits: Vec<u8> = (0..300u32).map(|n| (n * n / 7 % 2) as u8).collect();
/// let mut sent: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &bits);
/// sent.iter_mut().for_each(|bit| *bit *= 255);
/// sent[100] ^= 255;
/// assert_eq!(harness::run(StreamDecoder::<u8>::new(code)?, &sent), bits);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct StreamDecoder<T: Soft> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<u8>,
    way: Way,
    /// Bits that are decided and not given yet.
    decided: std::collections::VecDeque<u8>,
    has_ended: bool,
}

/// The trellis of a code that runs on.
#[derive(Debug)]
enum Way {
    /// Of the code with a decoder of its own.
    Usual { swapped: bool, inverted: [bool; 2], trellis: Trellis },
    /// Of any other.
    General(GeneralTrellis),
}

impl Way {
    /// Soft bits of a step.
    fn sent(&self) -> usize {
        match self {
            Way::Usual { .. } => 2,
            Way::General(trellis) => trellis.generator().sent(),
        }
    }

    /// So many steps make the way before them certain.
    fn depth(&self) -> usize {
        match self {
            Way::Usual { .. } => DEPTH,
            Way::General(trellis) => trellis.generator().depth(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Way::Usual { trellis, .. } => trellis.len(),
            Way::General(trellis) => trellis.len(),
        }
    }

    fn take<T: Soft>(&mut self, soft: &[T]) {
        match self {
            Way::Usual { swapped, inverted, trellis } => {
                let symbols: Vec<[u8; 2]> =
                    soft.chunks_exact(2).map(|soft| pair(soft, *swapped, *inverted)).collect();
                trellis.take(&symbols);
            }
            Way::General(trellis) => {
                let bytes: Vec<u8> = soft.iter().map(|soft| soft.byte()).collect();
                trellis.take(&bytes);
            }
        }
    }

    /// Decides about the first bits, and forgets them.
    fn decide(&mut self, bits: &mut [u8]) {
        match self {
            Way::Usual { trellis, .. } => {
                trellis.trace(trellis.best(), bits);
                trellis.forget(bits.len());
            }
            Way::General(trellis) => {
                trellis.trace(trellis.best(), bits);
                trellis.forget(bits.len());
            }
        }
    }
}

/// So many bits are decided at once.
const AT_ONCE: usize = 512;

impl<T: Soft> StreamDecoder<T> {
    /// Decodes this code.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a code with frames: see [`FecDecoder`].
    pub fn new(code: Code) -> Result<Self, Error> {
        let way = match code {
            Code::Convolutional { frames: Frames::Streaming, swapped, inverted, .. } => {
                Way::Usual { swapped, inverted, trellis: Trellis::new(true) }
            }
            Code::General { frames: Frames::Streaming, generator, .. } => {
                Way::General(GeneralTrellis::new(generator, true))
            }
            _ => {
                let got = "one with frames".to_owned();
                let wanted = "a convolutional code without frames";
                return Err(Error::WrongKind { parameter: "code", wanted, got });
            }
        };
        Ok(StreamDecoder {
            input: In::new().multiple(way.sent()),
            output: Out::new().converted(Conversion::new(Ratio::decimate(way.sent()))),
            way,
            decided: std::collections::VecDeque::new(),
            has_ended: false,
        })
    }

    /// Hands the tags of the next `items` items on; with 0, those beyond the last.
    fn pass_tags(&mut self, items: usize) {
        let from = self.input.index();
        let to = self.output.index() + (self.decided.len() + self.way.len()) as u64;
        let (output, sent) = (&mut self.output, self.way.sent() as u64);
        self.input.for_each_tag(items, |tag| {
            output.put_tag(Tag { index: to + (tag.index - from) / sent, ..tag.clone() });
        });
    }

    /// Gives decided bits; whether there are none left.
    fn give(&mut self) -> bool {
        let room = self.output.reserve();
        let n = room.len().min(self.decided.len());
        for (y, bit) in room.iter_mut().zip(self.decided.drain(..n)) {
            *y = bit;
        }
        self.output.produce(n);
        self.decided.is_empty()
    }

    /// Decides about the first bits that are not decided yet.
    fn decide(&mut self, bits: usize) {
        let mut decided = vec![0; bits];
        self.way.decide(&mut decided);
        self.decided.extend(decided);
    }
}

impl<T: Soft> Work for StreamDecoder<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = (self.input.index(), self.output.index());
        while self.give() {
            let (sent, whole) = (self.way.sent(), AT_ONCE + self.way.depth());
            let n = (whole - self.way.len()).min(self.input.available() / sent);
            if n == 0 {
                break;
            }
            self.pass_tags(sent * n);
            self.way.take(&self.input.peek()[..sent * n]);
            self.input.consume(sent * n);
            // Always at the same places, so that cuts make no difference.
            if self.way.len() == whole {
                self.decide(AT_ONCE);
            }
        }
        let lacks = if self.decided.is_empty() { Step::NeedInput } else { Step::NeedOutput };
        Ok(if (self.input.index(), self.output.index()) == before { lacks } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.has_ended {
            self.has_ended = true;
            let rest = self.input.rest().len();
            self.pass_tags(rest);
            self.input.consume(rest);
        }
        if self.way.len() > 0 {
            self.decide(self.way.len());
        }
        Ok(if self.give() { Step::Done } else { Step::NeedOutput })
    }
}

/// The type of soft bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub(super) enum SoftItem {
    Auto,
    U8,
    F32,
}

impl SoftItem {
    /// Whether it is `f32`.
    pub fn is_float(self, code: &Code) -> bool {
        match self {
            SoftItem::Auto => !matches!(code, Code::Convolutional { .. } | Code::General { .. }),
            item => item == SoftItem::F32,
        }
    }
}

#[declare(
    category = "fec",
    summary = "Decodes soft bits by a code.",
    ports(
        input("in", "u8", "soft bits; f32 as soft_item says"),
        output("out", "u8", "0 or 1: those of whole frames of the code")
    )
)]
fn fec_decoder(
    #[param(group)] code: Code,
    /// The type of soft bits: u8 from 0 to 255, f32 from −1 to 1; auto takes u8 for convolutional codes, else f32.
    #[param(default = "auto")]
    soft_item: SoftItem,
) -> Result<AnyBlock, BlockError> {
    Ok(match (code.streams(), soft_item.is_float(&code)) {
        (true, true) => AnyBlock::new(StreamDecoder::<f32>::new(code)?),
        (true, false) => AnyBlock::new(StreamDecoder::<u8>::new(code)?),
        (false, true) => AnyBlock::new(FecDecoder::<f32>::new(code)?),
        (false, false) => AnyBlock::new(FecDecoder::<u8>::new(code)?),
    })
}

#[cfg(test)]
mod tests {
    use super::super::code::alist::Sparse;
    use super::super::fec_encoder::tests::KINDS;
    use super::super::{Decoding, Design, FecEncoder, Ldpc, Polar, Turbo};
    use super::*;
    use crate::testing::{assert_gives, noise};
    use std::sync::Arc;
    use superhet_runtime::harness;

    fn bits(n: usize) -> Vec<u8> {
        noise(n).iter().map(|x| u8::from(*x > 0.0)).collect()
    }

    /// Bits as they are sent, with noise that makes some of them wrong.
    fn received(code: &Code, bits: &[u8]) -> Vec<f32> {
        let sent: Vec<u8> = harness::run(FecEncoder::new(code.clone()), bits);
        let noise = noise(7 * sent.len());
        let noise = noise.chunks(7).map(|parts| parts.iter().sum::<f32>() * 0.3);
        sent.iter().zip(noise).map(|(bit, noise)| (f32::from(*bit) * 2.0 - 1.0 + noise) / 3.0).collect()
    }

    #[test]
    fn every_kind_of_frame_is_decoded_with_wrong_bits_and_wherever_the_stream_is_cut() {
        let bits = bits(4 * 240);
        for frames in KINDS {
            for polynomials in [[109, 79], [79, 109], [79, -109]] {
                let code = Code::convolutional(frames, 240, polynomials).unwrap();
                let soft = received(&code, &bits);
                let hard: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &bits);
                let wrong =
                    soft.iter().zip(&hard).filter(|(soft, bit)| soft.is_one() != (**bit == 1)).count();
                assert!(wrong > 10, "{wrong}");
                let bytes: Vec<u8> = soft.iter().map(|soft| soft.byte()).collect();
                if frames == Frames::Streaming {
                    assert_gives(|| StreamDecoder::<f32>::new(code.clone()).unwrap(), &soft, &bits);
                    assert_gives(|| StreamDecoder::<u8>::new(code.clone()).unwrap(), &bytes, &bits);
                } else {
                    assert_gives(|| FecDecoder::<f32>::new(code.clone()).unwrap(), &soft, &bits);
                    assert_gives(|| FecDecoder::<u8>::new(code.clone()).unwrap(), &bytes, &bits);
                }
            }
        }
    }

    /// Codes of blocks.
    fn block_codes() -> Vec<Code> {
        let polar = Polar::designed(64, 32, Design::Noise { snr_db: 1.0 }).unwrap();
        let systematic = polar.clone().systematic().unwrap();
        let listed = polar.clone().ways(4).unwrap();
        // Turned identities of 13 places: an array code of 78 bits.
        let row = |n: usize| (0..6).map(|b| b * 13 + (n % 13 + n / 13 * b) % 13).collect();
        let matrix = Sparse { columns: 78, rows: (0..39).map(row).collect() };
        let checked = Ldpc::new(&matrix).unwrap();
        let least = checked.clone().decoded(Decoding::MinSum, 50, 0.5).unwrap();
        let polar = [polar, systematic, listed].map(|code| Code::Polar(Arc::new(code)));
        let checked = [checked, least].map(|code| Code::Ldpc(Arc::new(code)));
        let turbo = Code::Turbo(Arc::new(Turbo::new(40, 8).unwrap()));
        polar.into_iter().chain(checked).chain([turbo]).collect()
    }

    #[test]
    fn blocks_are_decoded_with_noise_and_wherever_the_stream_is_cut() {
        for code in block_codes() {
            let [info, block] = code.sizes();
            let bits = bits(8 * info);
            harness::assert_cut_invariant(|| FecEncoder::new(code.clone()), &bits);
            let sent: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &bits);
            let noise = noise(3 * 8 * block);
            let noise = noise.chunks(3).map(|parts| parts.iter().sum::<f32>() * 0.5);
            let soft: Vec<f32> =
                sent.iter().zip(noise).map(|(bit, noise)| f32::from(*bit) * 2.0 - 1.0 + noise).collect();
            assert!(soft.iter().zip(&sent).any(|(soft, bit)| soft.is_one() != (*bit == 1)));
            assert_gives(|| FecDecoder::<f32>::new(code.clone()).unwrap(), &soft, &bits);
            harness::assert_cut_invariant(|| FecDecoder::<f32>::new(code.clone()).unwrap(), &soft);
        }
    }

    #[test]
    fn soft_bits_that_are_no_numbers_leave_bits() {
        for code in block_codes() {
            let [info, block] = code.sizes();
            for soft in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, f32::MAX] {
                let decoder = FecDecoder::<f32>::new(code.clone()).unwrap();
                let soft: Vec<f32> = (0..block).map(|n| if n % 2 == 0 { soft } else { -soft }).collect();
                let bits: Vec<u8> = harness::run(decoder, &soft);
                assert!(bits.len() == info && bits.iter().all(|bit| *bit < 2), "{bits:?}");
            }
        }
    }

    #[test]
    fn short_frames_are_decoded() {
        for (frames, n) in [(Frames::Terminated, 1), (Frames::Truncated, 8), (Frames::Tailbiting, 16)] {
            let code = Code::convolutional(frames, n, [109, 79]).unwrap();
            let bits = bits(5 * n);
            let mut sent: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &bits);
            sent.iter_mut().for_each(|bit| *bit *= 255);
            assert_eq!(harness::run(FecDecoder::<u8>::new(code).unwrap(), &sent), bits);
        }
    }

    #[test]
    fn repeated_bits_are_decided_by_the_majority() {
        let soft = [-1.0, -1.0, 2.5, 1.0, 1.0, -5.0, 0.1, 0.1, -0.1, 0.0, 0.0, 0.0];
        let decoder = FecDecoder::<f32>::new(Code::repetition(3, 0.5).unwrap()).unwrap();
        assert_eq!(harness::run(decoder, &soft), [0, 1, 1, 0]);
        let decoder = FecDecoder::<f32>::new(Code::Dummy).unwrap();
        assert_eq!(harness::run(decoder, &[0.1, f32::NAN, -3.0]), [1, 0, 0]);
    }

    #[test]
    fn each_decoder_takes_its_own_codes_only() {
        assert!(StreamDecoder::<u8>::new(Code::Dummy).is_err());
        assert!(
            FecDecoder::<u8>::new(Code::convolutional(Frames::Streaming, 1, [79, 109]).unwrap()).is_err()
        );
    }
}
