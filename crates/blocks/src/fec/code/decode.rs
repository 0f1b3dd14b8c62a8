//! The decoder of every code that has frames: soft bits in, bits out.

use std::sync::Arc;

use superhet_runtime::Item;

use super::convolutional::Trellis;
use super::general::{GeneralTrellis, Generator};
use super::ldpc_decode::LdpcDecoder;
use super::polar_decode::PolarDecoder;
use super::product::ProductDecoder;
use super::turbo::TurboDecoder;
use super::{Code, Frames};

/// Soft bits.
pub trait Soft: Item {
    /// Whether it says a one.
    fn is_one(self) -> bool;
    /// As a byte: 0 is a sure zero, 255 a sure one.
    fn byte(self) -> u8;
    /// As a number: −1 for a sure zero, 1 for a sure one, or more where it says more; 0 where nothing is known.
    fn level(self) -> f32;
}

impl Soft for u8 {
    #[inline(always)]
    fn is_one(self) -> bool {
        self > 127
    }
    #[inline(always)]
    fn byte(self) -> u8 {
        self
    }
    #[inline(always)]
    fn level(self) -> f32 {
        (f32::from(self) - 127.5) / 127.5
    }
}

/// Larger numbers say no more: so that sums of whole blocks remain numbers.
const SUREST: f32 = 1e6;

impl Soft for f32 {
    #[inline(always)]
    fn is_one(self) -> bool {
        self > 0.0
    }
    #[inline(always)]
    fn byte(self) -> u8 {
        // Nothing is known where it is not a number.
        if self.is_nan() { 128 } else { (self * 127.5 + 128.0) as u8 }
    }
    #[inline(always)]
    fn level(self) -> f32 {
        if self.is_nan() { 0.0 } else { self.clamp(-SUREST, SUREST) }
    }
}

/// The symbols of a convolutional code in the order of the trellis, not inverted.
#[inline(always)]
pub fn pair<T: Soft>(soft: &[T], swapped: bool, inverted: [bool; 2]) -> [u8; 2] {
    let byte = |place: usize| if inverted[place] { 255 - soft[place].byte() } else { soft[place].byte() };
    if swapped { [byte(1), byte(0)] } else { [byte(0), byte(1)] }
}

/// So many steps make the way before them certain.
pub const DEPTH: usize = 96;

/// The memory of a decoder, which is kept from frame to frame.
#[derive(Clone, Debug)]
pub struct Decoder {
    symbols: Vec<[u8; 2]>,
    trellis: Trellis,
    bytes: Vec<u8>,
    general: Option<GeneralTrellis>,
    levels: Vec<f32>,
    polar: PolarDecoder,
    ldpc: LdpcDecoder,
    turbo: TurboDecoder,
    product: ProductDecoder,
}

impl Default for Decoder {
    fn default() -> Self {
        let (polar, ldpc, turbo, product) = Default::default();
        let (symbols, bytes, levels) = Default::default();
        Decoder {
            symbols,
            trellis: Trellis::new(true),
            bytes,
            general: None,
            levels,
            polar,
            ldpc,
            turbo,
            product,
        }
    }
}

impl Decoder {
    /// Decodes whole frames, or what comes next of a code without; `y` has room for just their bits. The most iterations that a frame took, where the code has any.
    pub fn decode<T: Soft>(&mut self, code: &Code, x: &[T], y: &mut [u8]) -> Option<usize> {
        let [given, taken] = if code.streams() { [y.len().max(1), x.len().max(1)] } else { code.sizes() };
        let sent = taken - code.behind()[1];
        let frames = y.chunks_exact_mut(given).zip(x.chunks_exact(taken));
        match *code {
            Code::Dummy => y.iter_mut().zip(x).for_each(|(y, x)| *y = x.is_one().into()),
            Code::Repetition { times, threshold } => {
                for (y, x) in y.iter_mut().zip(x.chunks_exact(times)) {
                    let ones = x.iter().filter(|x| x.is_one()).count();
                    *y = (ones as f64 > threshold * times as f64).into();
                }
            }
            Code::Polar(ref code) => {
                by_levels(frames, &mut self.levels, |x, y| {
                    self.polar.decode(code, x, y);
                    0
                });
            }
            Code::Ldpc(ref code) => {
                return Some(by_levels(frames, &mut self.levels, |x, y| self.ldpc.decode(code, x, y)));
            }
            Code::Turbo(ref code) => {
                return Some(by_levels(frames, &mut self.levels, |x, y| self.turbo.decode(code, x, y)));
            }
            Code::Product(ref code) => {
                return Some(by_levels(frames, &mut self.levels, |x, y| self.product.decode(code, x, y)));
            }
            Code::General { frames: kind, ref generator, .. } => {
                for (y, x) in frames {
                    self.bytes.clear();
                    self.bytes.extend(x[..sent].iter().map(|soft| soft.byte()));
                    self.general(kind, generator, y);
                }
            }
            Code::Convolutional { frames: kind, swapped, inverted, .. } => {
                for (y, x) in frames {
                    self.symbols.clear();
                    self.symbols.extend(x[..sent].chunks_exact(2).map(|soft| pair(soft, swapped, inverted)));
                    self.viterbi(kind, y);
                }
            }
        }
        None
    }

    /// Decodes the frame of the bytes, of a general convolutional code.
    fn general(&mut self, frames: Frames, generator: &Arc<Generator>, bits: &mut [u8]) {
        let Decoder { bytes, general, .. } = self;
        let fits = |trellis: &GeneralTrellis| trellis.generator() == generator;
        if !general.as_ref().is_some_and(fits) {
            *general = Some(GeneralTrellis::new(generator.clone(), true));
        }
        let Some(trellis) = general else { return };
        let steps = bytes.len() / generator.sent();
        let around = if frames == Frames::Tailbiting { generator.depth().min(steps) } else { 0 };
        if frames != Frames::Streaming {
            trellis.restart(frames != Frames::Tailbiting);
        }
        trellis.take(&bytes[bytes.len() - around * generator.sent()..]);
        trellis.forget(around);
        trellis.take(bytes);
        trellis.take(&bytes[..around * generator.sent()]);
        let end = if frames.end_in_zero() { 0 } else { trellis.best() };
        trellis.trace(end, bits);
        if frames == Frames::Streaming {
            trellis.forget(steps);
        }
    }

    /// Decodes the frame of the symbols.
    fn viterbi(&mut self, frames: Frames, bits: &mut [u8]) {
        let Decoder { symbols, trellis, .. } = self;
        let steps = symbols.len();
        let around = if frames == Frames::Tailbiting { DEPTH.min(steps) } else { 0 };
        if frames != Frames::Streaming {
            trellis.restart(frames != Frames::Tailbiting);
        }
        trellis.take(&symbols[symbols.len() - around..]);
        trellis.forget(around);
        trellis.take(symbols);
        trellis.take(&symbols[..around]);
        let end = if frames.end_in_zero() { 0 } else { trellis.best() };
        trellis.trace(end, bits);
        if frames == Frames::Streaming {
            trellis.forget(steps);
        }
    }
}

/// Decodes frames one by one from the levels of their soft bits; the most iterations that one of them took.
fn by_levels<'a, T: Soft>(
    frames: impl Iterator<Item = (&'a mut [u8], &'a [T])>,
    levels: &mut Vec<f32>,
    mut decode: impl FnMut(&[f32], &mut [u8]) -> usize,
) -> usize {
    let mut iterations = 0;
    for (y, x) in frames {
        levels.clear();
        levels.extend(x.iter().map(|soft| soft.level()));
        iterations = decode(levels, y).max(iterations);
    }
    iterations
}
