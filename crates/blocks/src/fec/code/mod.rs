//! What code: convolutional, polar, low-density parity-check, turbo, product, repetition, or none.
//!
//! A [`Code`] says which code it is, for the encoder and for the decoder. Functions `code.…` give it to files and scripts, as
//! a map; what such a map says becomes a code here.

pub mod alist;
mod convolutional;
pub(super) mod decode;
pub(super) mod encode;
pub(crate) mod functions;
pub(super) mod general;
mod ldpc;
mod ldpc_decode;
mod polar;
mod polar_decode;
mod product;
mod turbo;

use std::sync::Arc;

use superhet_runtime::catalog::{Kind, Param, Parameters, Params, required};
use superhet_runtime::{BlockError, Value};

use crate::error::{Error, check};

pub(super) use convolutional::Trellis;
use convolutional::{MEMORY, SELECTED};
pub(crate) use general::GeneralTrellis;
pub use general::Generator;
pub use ldpc::{Decoding, Ldpc};
pub use polar::{Design, Polar};
pub use product::Product;
pub use turbo::Turbo;

/// How frames of a convolutional code begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// There are none: the code runs on.
    Streaming,
    /// Each begins in state 0 and ends there, by as many zeros behind it as the code has memory.
    Terminated,
    /// As `Terminated`, and zeros fill what is sent behind the frame's bits up to whole bytes.
    Padded,
    /// Each begins in state 0 and ends anywhere.
    Truncated,
    /// Each begins in the state that it ends in.
    Tailbiting,
}

impl Frames {
    /// Whether frames end in state 0.
    fn end_in_zero(self) -> bool {
        matches!(self, Frames::Terminated | Frames::Padded)
    }

    /// How many bits are sent behind those of a frame, and how many of these are filled up, for so many sent bits each and so
    /// many bits of memory.
    fn behind(self, sent: usize, memory: usize) -> [usize; 2] {
        let tail = sent * memory;
        match self {
            Frames::Terminated => [tail, 0],
            Frames::Padded => [tail.next_multiple_of(8), tail.next_multiple_of(8) - tail],
            _ => [0, 0],
        }
    }
}

/// A code.
///
/// The convolutional code of constraint length 7 and rate 1/2 with the polynomials 0o171 and 0o133, in either order, each inverted
/// or not, has a decoder of its own; there are others of constraint lengths up to 15 and rates 1/n up to 1/8.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// A convolutional code.
    Convolutional {
        /// How frames begin and end.
        frames: Frames,
        /// Bits in a frame; of no meaning for [`Frames::Streaming`].
        frame_bits: usize,
        /// Whether the second polynomial comes first.
        swapped: bool,
        /// Which of the two bits that are sent are inverted, in the order in which they are sent.
        inverted: [bool; 2],
    },
    /// Another convolutional code.
    General {
        /// How frames begin and end.
        frames: Frames,
        /// Bits in a frame; of no meaning for [`Frames::Streaming`].
        frame_bits: usize,
        /// What is sent.
        generator: Arc<Generator>,
    },
    /// A polar code.
    Polar(Arc<Polar>),
    /// A low-density parity-check code.
    Ldpc(Arc<Ldpc>),
    /// The turbo code of LTE.
    Turbo(Arc<Turbo>),
    /// A product code.
    Product(Arc<Product>),
    /// Each bit several times.
    Repetition {
        /// How often.
        times: usize,
        /// A one was sent where more than this part of the received bits are ones.
        threshold: f64,
    },
    /// Each bit once.
    Dummy,
}

/// The most bits in a frame.
const LONGEST: usize = 1 << 20;
/// What a parameter may be that says a code.
const WANTED: &str = "a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy";

impl Code {
    /// The convolutional code with polynomials as GNU Radio writes them: 79 for 0o171, 109 for 0o133, negative for an inverted bit.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for other polynomials, [`Error::OutOfRange`] unless a frame has 1 to 2²⁰ bits, and at least 6 for
    /// [`Frames::Tailbiting`].
    pub fn convolutional(frames: Frames, frame_bits: usize, polynomials: [i64; 2]) -> Result<Self, Error> {
        check_frame(frames, frame_bits)?;
        let sizes = polynomials.map(i64::wrapping_abs);
        if sizes != SELECTED && sizes != [SELECTED[1], SELECTED[0]] {
            return Err(Error::WrongKind {
                parameter: "polynomials",
                wanted: "79 and 109 in any order, negative where the bit is inverted",
                got: format!("{polynomials:?}"),
            });
        }
        let (swapped, inverted) = (sizes != SELECTED, polynomials.map(|polynomial| polynomial < 0));
        Ok(Code::Convolutional { frames, frame_bits, swapped, inverted })
    }

    /// The convolutional code of this constraint length, and polynomials as GNU Radio writes them: the newest bit lowest, negative
    /// where the sent bit is inverted.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the constraint length is 2 to 15, a frame has 1 to 2²⁰ bits, for [`Frames::Tailbiting`] as many as
    /// the code has memory, and its bits times the states of the code are at most 2³¹; [`Error::WrongKind`] unless there are 1 to 8
    /// polynomials that fit.
    ///
    /// ```
    /// use superhet_blocks::fec::{Code, FecEncoder, Frames};
    /// use superhet_runtime::harness;
    /// let code = Code::any_convolutional(Frames::Streaming, 1, 3, &[0b111, 0b101])?;
    /// assert_eq!(harness::run(FecEncoder::new(code), &[1, 0, 1]), [1, 1, 1, 0, 0, 0]);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    pub fn any_convolutional(
        frames: Frames,
        frame_bits: usize,
        constraint: usize,
        polynomials: &[i64],
    ) -> Result<Self, Error> {
        if let (7, [first, second]) = (constraint, polynomials) {
            let sizes = [first, second].map(|polynomial| polynomial.wrapping_abs());
            if sizes == SELECTED || sizes == [SELECTED[1], SELECTED[0]] {
                return Code::convolutional(frames, frame_bits, [*first, *second]);
            }
        }
        let generator = Generator::new(constraint, polynomials)?;
        check_general(frames, frame_bits, &generator)?;
        Ok(Code::General { frames, frame_bits, generator })
    }

    /// Each bit `times` times.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless that is 1 to 65536, and `threshold` is 0 to 1.
    pub fn repetition(times: usize, threshold: f64) -> Result<Self, Error> {
        check((1..=65536).contains(&times), "repetitions", "a whole number from 1 to 65536", times as f64)?;
        check((0.0..=1.0).contains(&threshold), "threshold", "a number from 0 to 1", threshold)?;
        Ok(Code::Repetition { times, threshold })
    }

    /// How many bits are encoded at once, and how many of them come.
    pub(super) fn sizes(&self) -> [usize; 2] {
        match *self {
            Code::Polar(ref code) => code.sizes(),
            Code::Ldpc(ref code) => code.sizes(),
            Code::Turbo(ref code) => code.sizes(),
            Code::Product(ref code) => code.sizes(),
            Code::Convolutional { frames: Frames::Streaming, .. } => [1, 2],
            Code::General { frames: Frames::Streaming, ref generator, .. } => [1, generator.sent()],
            Code::Convolutional { frame_bits, .. } => [frame_bits, 2 * frame_bits + self.behind()[0]],
            Code::General { frame_bits, ref generator, .. } => {
                [frame_bits, generator.sent() * frame_bits + self.behind()[0]]
            }
            Code::Repetition { times, .. } => [1, times],
            Code::Dummy => [1, 1],
        }
    }

    /// How many bits are sent behind those of a frame, and how many of these are filled up.
    fn behind(&self) -> [usize; 2] {
        match self {
            Code::Convolutional { frames, .. } => frames.behind(2, MEMORY),
            Code::General { frames, generator, .. } => frames.behind(generator.sent(), generator.memory()),
            _ => [0, 0],
        }
    }

    /// Whether there are no frames.
    pub(super) fn streams(&self) -> bool {
        matches!(
            self,
            Code::Convolutional { frames: Frames::Streaming, .. }
                | Code::General { frames: Frames::Streaming, .. }
        )
    }

    /// The code for a packet of so many bits: its frames become as long as the packet, where the code's can be of any length.
    ///
    /// # Errors
    /// Unless the packet is a whole number of blocks of another code, and for a convolutional code not empty.
    pub(super) fn for_bits(&self, bits: usize) -> Result<Code, Error> {
        match *self {
            Code::Convolutional { frames, swapped, inverted, .. } => {
                check_frame(frames, bits)?;
                Ok(Code::Convolutional { frames, frame_bits: bits, swapped, inverted })
            }
            Code::General { frames, ref generator, .. } => {
                check_general(frames, bits, generator)?;
                Ok(Code::General { frames, frame_bits: bits, generator: generator.clone() })
            }
            _ if bits.is_multiple_of(self.sizes()[0]) => Ok(self.clone()),
            _ => Err(Error::NotWhole { items: bits, of: "bits", block: self.sizes()[0] }),
        }
    }

    /// The code for a packet of so many soft bits, and how many bits these are: see [`for_bits`](Self::for_bits).
    ///
    /// # Errors
    /// Unless the packet is what the encoder gives for some bits.
    pub(super) fn for_soft_bits(&self, soft_bits: usize) -> Result<(Code, usize), Error> {
        let [given, taken] = match self {
            Code::Convolutional { .. } => [1, 2],
            Code::General { generator, .. } => [1, generator.sent()],
            _ => self.sizes(),
        };
        let of_bits = soft_bits.saturating_sub(self.behind()[0]);
        if !of_bits.is_multiple_of(taken) {
            return Err(Error::NotWhole { items: soft_bits, of: "soft bits", block: taken });
        }
        let bits = of_bits / taken * given;
        Ok((self.for_bits(bits)?, bits))
    }

    /// The code that a parameter says: a map as the functions `code.…` give it.
    ///
    /// # Errors
    /// Where it is none.
    pub fn from_value(parameter: &'static str, value: &Value) -> Result<Self, Error> {
        let wrong = || Error::WrongKind { parameter, wanted: WANTED, got: value.to_string() };
        let whole = |key: &str, default: i64| match value.get(key) {
            Some(number) => number.as_i64().ok_or_else(wrong),
            None => Ok(default),
        };
        let count = |key: &str| usize::try_from(whole(key, 1)?).map_err(|_| wrong());
        match value.get("kind").and_then(Value::as_str) {
            Some("convolutional") => {
                let frames = match value.get("frames").map(Value::as_str) {
                    None | Some(Some("streaming")) => Frames::Streaming,
                    Some(Some("terminated")) => Frames::Terminated,
                    Some(Some("padded")) => Frames::Padded,
                    Some(Some("truncated")) => Frames::Truncated,
                    Some(Some("tailbiting")) => Frames::Tailbiting,
                    _ => return Err(wrong()),
                };
                let polynomials = match value.get("polynomials") {
                    Some(list) => polynomials(list).ok_or_else(wrong)?,
                    None => SELECTED.to_vec(),
                };
                let constraint = value.get("constraint").map_or(Ok(7), |_| count("constraint"))?;
                Code::any_convolutional(frames, count("frame_bits")?, constraint, &polynomials)
            }
            Some("polar") => functions::polar(value),
            Some("ldpc") => functions::ldpc(value),
            Some("turbo") => functions::turbo(value),
            Some("product") => functions::product(value),
            Some("repetition") => {
                let threshold = value.get("threshold").map_or(Some(0.5), Value::as_f64);
                Code::repetition(count("repetitions")?, threshold.ok_or_else(wrong)?)
            }
            Some("dummy") => Ok(Code::Dummy),
            _ => Err(wrong()),
        }
    }
}

/// That a frame of the convolutional code can have so many bits.
fn check_frame(frames: Frames, frame_bits: usize) -> Result<(), Error> {
    let least = if frames == Frames::Tailbiting { MEMORY } else { 1 };
    let fits = (least..=LONGEST).contains(&frame_bits);
    check(fits, "frame_bits", "at least 1 (6 for tailbiting), and at most 1048576", frame_bits as f64)
}

/// The most bits of a frame times the states of its code: what the decoder keeps of it, in bits.
const MOST_DECISIONS: usize = 1 << 31;

/// That a frame of a convolutional code can have so many bits.
fn check_general(frames: Frames, frame_bits: usize, generator: &Generator) -> Result<(), Error> {
    let least = if frames == Frames::Tailbiting { generator.memory() } else { 1 };
    let fits = (least..=LONGEST).contains(&frame_bits);
    let wanted = "at least 1 (the code's memory for tailbiting), and at most 1048576";
    check(fits, "frame_bits", wanted, frame_bits as f64)?;
    let fits = frame_bits << generator.memory() <= MOST_DECISIONS;
    check(fits, "frame_bits", "at most 2147483648 by the states of the code", frame_bits as f64)
}

fn polynomials(list: &Value) -> Option<Vec<i64>> {
    list.as_list()?.iter().map(Value::as_i64).collect()
}

/// The parameter `code`.
impl Parameters for Code {
    const PARAMETERS: &'static [Param] = &[required(
        "code",
        Kind::Value,
        "",
        "What a function code.… gives: a map with the kind convolutional, polar, ldpc, turbo, product, repetition or dummy.",
    )];

    fn read(params: &Params) -> Result<Self, BlockError> {
        Ok(Code::from_value("code", params.value("code"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_refused() {
        for wrong in
            [Value::Null, "dummy".into(), Value::map([("kind", "turbo")]), Value::map([("kind", "fountain")])]
        {
            assert!(Code::from_value("code", &wrong).is_err(), "{wrong}");
        }
        assert!(Code::convolutional(Frames::Tailbiting, 5, [79, 109]).is_err());
        assert!(Code::convolutional(Frames::Terminated, 0, [79, 109]).is_err());
        assert!(Code::convolutional(Frames::Streaming, 1, [i64::MIN, 109]).is_err());
        assert!(Code::repetition(0, 0.5).is_err() && Code::repetition(3, 1.5).is_err());
    }
}
