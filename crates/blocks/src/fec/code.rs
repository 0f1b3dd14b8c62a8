//! What code: convolutional, repetition, or none.

use superhet_kernels as kernels;
use superhet_runtime::Value;
use superhet_runtime::catalog::{Function, Kind, Param, Params, optional, required};

use crate::error::{Error, check};

/// How frames of a convolutional code begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// There are none: the code runs on.
    Streaming,
    /// Each begins in state 0 and ends there, by 6 zeros behind it.
    Terminated,
    /// Each begins in state 0 and ends anywhere.
    Truncated,
    /// Each begins in the state that it ends in.
    Tailbiting,
}

/// A code.
///
/// The convolutional code is that of constraint length 7 and rate 1/2 with the polynomials 0o171 and 0o133, in either order,
/// each inverted or not.
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

/// The bits of the shift register before the newest.
const MEMORY: usize = 6;
/// The most bits in a frame.
const LONGEST: usize = 1 << 20;
/// The register's bits, the newest lowest, that the polynomials 0o171 and 0o133 select.
const SELECTED: [i64; 2] = [79, 109];

impl Code {
    /// The convolutional code with polynomials as GNU Radio writes them: 79 for 0o171, 109 for 0o133, negative for an inverted bit.
    ///
    /// # Errors
    /// [`Error::WrongKind`] for other polynomials, [`Error::OutOfRange`] unless a frame has 1 to 2²⁰ bits, and at least 6 for
    /// [`Frames::Tailbiting`].
    pub fn convolutional(frames: Frames, frame_bits: usize, polynomials: [i64; 2]) -> Result<Self, Error> {
        let least = if frames == Frames::Tailbiting { MEMORY } else { 1 };
        let fits = (least..=LONGEST).contains(&frame_bits);
        check(fits, "frame_bits", "at least 1 (6 for tailbiting), and at most 1048576", frame_bits as f64)?;
        let sizes = polynomials.map(i64::abs);
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
            Code::Convolutional { frames: Frames::Streaming, .. } => [1, 2],
            Code::Convolutional { frames: Frames::Terminated, frame_bits, .. } => {
                [frame_bits, 2 * (frame_bits + MEMORY)]
            }
            Code::Convolutional { frame_bits, .. } => [frame_bits, 2 * frame_bits],
            Code::Repetition { times, .. } => [1, times],
            Code::Dummy => [1, 1],
        }
    }

    /// The code that a parameter says: a map as the functions `code.…` give it.
    ///
    /// # Errors
    /// Where it is none.
    pub fn from_value(parameter: &'static str, value: &Value) -> Result<Self, Error> {
        const WANTED: &str = "a map with the kind convolutional, repetition or dummy";
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
                    Some(Some("truncated")) => Frames::Truncated,
                    Some(Some("tailbiting")) => Frames::Tailbiting,
                    _ => return Err(wrong()),
                };
                let polynomials = match value.get("polynomials") {
                    Some(list) => polynomials(list).ok_or_else(wrong)?,
                    None => SELECTED,
                };
                Code::convolutional(frames, count("frame_bits")?, polynomials)
            }
            Some("repetition") => {
                let threshold = value.get("threshold").map_or(Some(0.5), Value::as_f64);
                Code::repetition(count("repetitions")?, threshold.ok_or_else(wrong)?)
            }
            Some("dummy") => Ok(Code::Dummy),
            _ => Err(wrong()),
        }
    }
}

fn polynomials(list: &Value) -> Option<[i64; 2]> {
    match &*list.as_list()? {
        [first, second] => Some([first.as_i64()?, second.as_i64()?]),
        _ => None,
    }
}

/// The convolutional encoder: a shift register.
#[derive(Clone, Debug, Default)]
pub(super) struct Register(u8);

impl Register {
    /// In the state that these bits, each 0 or 1, lead to.
    pub fn after(bits: &[u8]) -> Self {
        Register(bits.iter().fold(0, |register, bit| register << 1 | bit & 1))
    }

    /// The two bits that are sent for a bit: the parities of 0o171 and of 0o133.
    #[inline(always)]
    pub fn next(&mut self, bit: u8) -> [u8; 2] {
        self.0 = self.0 << 1 & 0x7f | bit & 1;
        SELECTED.map(|selected| ((self.0 & selected as u8).count_ones() & 1) as u8)
    }
}

/// The Viterbi algorithm, step by step, with decisions to trace back.
#[derive(Clone, Debug)]
pub(super) struct Trellis {
    metrics: [u16; 64],
    decisions: Vec<[u32; 2]>,
}

/// A start that is as good as impossible.
const UNLIKELY: u16 = 4000;

impl Trellis {
    /// In state 0 for sure, or in any.
    pub fn new(in_zero: bool) -> Self {
        let metrics = std::array::from_fn(|state| if in_zero && state > 0 { UNLIKELY } else { 0 });
        Trellis { metrics, decisions: Vec::new() }
    }

    /// Takes symbols of 0o171 and 0o133: 0 is a sure zero, 255 a sure one.
    pub fn take(&mut self, symbols: &[[u8; 2]]) {
        let first = self.decisions.len();
        self.decisions.resize(first + symbols.len(), [0; 2]);
        kernels::viterbi_k7(&mut self.decisions[first..], &mut self.metrics, symbols);
    }

    /// How many steps there are decisions of.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// The most likely state now.
    pub fn best(&self) -> usize {
        let states = self.metrics.iter().enumerate().min_by_key(|(_, metric)| **metric);
        states.map_or(0, |(state, _)| state)
    }

    /// The bits of the first steps, on the way that ends in `state` now.
    pub fn trace(&self, mut state: usize, bits: &mut [u8]) {
        for (step, decision) in self.decisions.iter().enumerate().rev() {
            if let Some(bit) = bits.get_mut(step) {
                *bit = (state & 1) as u8;
            }
            let oldest = decision[state & 1] >> (state >> 1) & 1;
            state = state >> 1 | (oldest as usize) << 5;
        }
    }

    /// Forgets the first steps.
    pub fn forget(&mut self, steps: usize) {
        self.decisions.drain(..steps);
    }
}

/// The parameter `code`.
pub(super) const CODE: Param = required(
    "code",
    Kind::Value,
    "",
    "What a function code.… gives: a map with the kind convolutional, repetition or dummy.",
);

/// The code that the parameter [`CODE`] says.
pub(super) fn code_of(params: &Params) -> Result<Code, Error> {
    Code::from_value("code", params.value("code"))
}

/// How files find the functions that give codes.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "code.convolutional",
        summary: "The convolutional code of constraint length 7 and rate 1/2.",
        params: &[
            optional(
                "frame_bits",
                Kind::Integer(1, LONGEST as i64),
                "bits",
                "1",
                "How many bits a frame has.",
            ),
            optional(
                "frames",
                Kind::Choice(&["streaming", "terminated", "truncated", "tailbiting"]),
                "",
                "\"streaming\"",
                "How frames begin and end.",
            ),
            optional(
                "polynomials",
                Kind::Numbers,
                "",
                "[109, 79]",
                "79 for 0o171 and 109 for 0o133, negative where the bit is inverted.",
            ),
        ],
        call: |params| {
            let value = Value::map([
                ("kind", Value::from("convolutional")),
                ("frame_bits", params.count("frame_bits").into()),
                ("frames", params.text("frames").into()),
                ("polynomials", params.value("polynomials").clone()),
            ]);
            Ok(Code::from_value("polynomials", &value).map(|_| value)?)
        },
    },
    Function {
        name: "code.repetition",
        summary: "Each bit several times.",
        params: &[
            optional("repetitions", Kind::Integer(1, 65536), "", "3", "How often."),
            optional(
                "threshold",
                Kind::Float(0.0, 1.0),
                "",
                "0.5",
                "More ones than this part of all are a one.",
            ),
        ],
        call: |params| {
            Ok(Value::map([
                ("kind", Value::from("repetition")),
                ("repetitions", params.count("repetitions").into()),
                ("threshold", params.float("threshold").into()),
            ]))
        },
    },
    Function {
        name: "code.dummy",
        summary: "Each bit once.",
        params: &[],
        call: |_| Ok(Value::map([("kind", "dummy")])),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_give_codes() {
        for function in FUNCTIONS {
            let value = function.call(&Default::default()).unwrap();
            assert!(Code::from_value("code", &value).is_ok(), "{value}");
        }
        let given = [("polynomials".to_owned(), vec![Value::from(1), Value::from(2)].into())].into();
        assert!(FUNCTIONS[0].call(&given).is_err());
    }

    #[test]
    fn what_is_no_code_is_refused() {
        for wrong in [Value::Null, "dummy".into(), Value::map([("kind", "turbo")])] {
            assert!(Code::from_value("code", &wrong).is_err(), "{wrong}");
        }
        assert!(Code::convolutional(Frames::Tailbiting, 5, [79, 109]).is_err());
        assert!(Code::convolutional(Frames::Terminated, 0, [79, 109]).is_err());
        assert!(Code::repetition(0, 0.5).is_err() && Code::repetition(3, 1.5).is_err());
    }
}
