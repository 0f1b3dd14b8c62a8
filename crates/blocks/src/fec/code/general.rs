//! Convolutional codes of any constraint length up to 15 and any rate 1/n up to 1/8, and the trellis that decodes them.

use std::sync::Arc;

use crate::error::{Error, check};

/// The longest register.
pub const LONGEST_REGISTER: u32 = 15;
/// The most bits that are sent for one.
pub const MOST_SENT: usize = 8;

/// What a convolutional encoder sends for each content of its register, the newest bit lowest.
#[derive(Debug, PartialEq)]
pub struct Generator {
    /// Bits in the register.
    constraint: u32,
    /// How many bits are sent for one.
    sent: usize,
    /// Bit `j` of entry `r` is what the polynomial `j` sends for the register `r`.
    outputs: Vec<u8>,
}

impl Generator {
    /// With polynomials as GNU Radio writes them: the newest bit lowest, negative where the sent bit is inverted.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the constraint length is 2 to 15, [`Error::WrongKind`] unless there are 1 to 8 polynomials that
    /// fit in it.
    pub fn new(constraint: usize, polynomials: &[i64]) -> Result<Arc<Self>, Error> {
        let fits = (2..=LONGEST_REGISTER as usize).contains(&constraint);
        check(fits, "constraint", "a whole number from 2 to 15", constraint as f64)?;
        let is_polynomial = |polynomial: &i64| (1..1 << constraint).contains(&polynomial.unsigned_abs());
        if !(1..=MOST_SENT).contains(&polynomials.len()) || !polynomials.iter().all(is_polynomial) {
            return Err(Error::WrongKind {
                parameter: "polynomials",
                wanted: "1 to 8 whole numbers other than 0, below 2 to the power of the constraint length, negative where the bit is inverted",
                got: format!("{polynomials:?}").chars().take(100).collect(),
            });
        }
        let sent = |register: u64| {
            polynomials.iter().enumerate().fold(0, |sent, (place, polynomial)| {
                let parity = (register & polynomial.unsigned_abs()).count_ones() as u8 & 1;
                sent | (parity ^ u8::from(*polynomial < 0)) << place
            })
        };
        let outputs = (0..1 << constraint).map(sent).collect();
        Ok(Arc::new(Generator { constraint: constraint as u32, sent: polynomials.len(), outputs }))
    }

    /// The bits of the register before the newest.
    pub fn memory(&self) -> usize {
        self.constraint as usize - 1
    }

    /// How many bits are sent for one.
    pub fn sent(&self) -> usize {
        self.sent
    }

    /// The register that these bits, each the lowest of its item, lead to.
    pub fn after(&self, bits: &[u8]) -> u32 {
        bits.iter().fold(0, |register, bit| self.shifted(register, *bit))
    }

    fn shifted(&self, register: u32, bit: u8) -> u32 {
        (register << 1 | u32::from(bit & 1)) & ((1 << self.constraint) - 1)
    }

    /// Sends the bits for one, and shifts the register.
    #[inline]
    pub fn encode(&self, register: &mut u32, bit: u8, y: &mut [u8]) {
        *register = self.shifted(*register, bit);
        let sent = self.outputs[*register as usize];
        y.iter_mut().enumerate().for_each(|(place, y)| *y = sent >> place & 1);
    }

    /// So many steps make the way before them certain.
    pub fn depth(&self) -> usize {
        14 * self.constraint as usize
    }
}

/// The Viterbi algorithm for any [`Generator`], step by step, with decisions to trace back.
#[derive(Clone, Debug)]
pub struct GeneralTrellis {
    generator: Arc<Generator>,
    metrics: Vec<u32>,
    next: Vec<u32>,
    /// For each step, bit `s` of its words says whether state `s` was come to from the upper half of the states.
    decisions: Vec<u64>,
    steps: usize,
    /// Steps since the metrics were last brought down.
    grown: usize,
}

/// A start that is as good as impossible.
const UNLIKELY: u32 = 1 << 20;
/// Metrics are brought down after so many steps, before they are too large: a step adds 8 · 255 at most.
const STEPS_TO_NORMALIZE: usize = 4096;

impl GeneralTrellis {
    /// In state 0 for sure, or in any.
    pub fn new(generator: Arc<Generator>, in_zero: bool) -> Self {
        let states = 1 << generator.memory();
        let mut trellis = GeneralTrellis {
            generator,
            metrics: vec![0; states],
            next: vec![0; states],
            decisions: Vec::new(),
            steps: 0,
            grown: 0,
        };
        trellis.restart(in_zero);
        trellis
    }

    /// The code.
    pub fn generator(&self) -> &Arc<Generator> {
        &self.generator
    }

    /// Begins anew, in state 0 for sure, or in any.
    pub fn restart(&mut self, in_zero: bool) {
        self.metrics.fill(if in_zero { UNLIKELY } else { 0 });
        self.metrics[0] = 0;
        self.decisions.clear();
        (self.steps, self.grown) = (0, 0);
    }

    fn words(&self) -> usize {
        self.metrics.len().div_ceil(64)
    }

    /// Takes soft bits, as many as are sent for each step: 0 is a sure zero, 255 a sure one.
    pub fn take(&mut self, soft: &[u8]) {
        let (sent, words, half) = (self.generator.sent, self.words(), self.metrics.len() / 2);
        let mut costs = [0u32; 1 << MOST_SENT];
        for soft in soft.chunks_exact(sent) {
            // What each pattern of sent bits would cost.
            costs[0] = soft.iter().map(|soft| u32::from(*soft)).sum();
            for (place, soft) in soft.iter().enumerate() {
                let (without, with) = costs.split_at_mut(1 << place);
                for (with, without) in with.iter_mut().zip(without) {
                    *with = *without + 255 - 2 * u32::from(*soft);
                }
            }
            let from = self.decisions.len();
            self.decisions.resize(from + words, 0);
            let decisions = &mut self.decisions[from..];
            let outputs = self.generator.outputs.as_slice();
            let (lower, upper) = self.metrics.split_at(half);
            let (from_lower, from_upper) = outputs.split_at(outputs.len() / 2);
            let pairs = self.next.chunks_exact_mut(2).zip(lower.iter().zip(upper));
            let outputs = from_lower.chunks_exact(2).zip(from_upper.chunks_exact(2));
            for (state, ((next, (lower, upper)), (from_lower, from_upper))) in pairs.zip(outputs).enumerate()
            {
                let mut word = 0;
                for bit in 0..2 {
                    let a = lower + costs[usize::from(from_lower[bit])];
                    let b = upper + costs[usize::from(from_upper[bit])];
                    next[bit] = a.min(b);
                    word |= u64::from(b < a) << bit;
                }
                decisions[state / 32] |= word << (state % 32 * 2);
            }
            std::mem::swap(&mut self.metrics, &mut self.next);
            self.steps += 1;
            self.grown += 1;
            if self.grown == STEPS_TO_NORMALIZE {
                self.grown = 0;
                let least = self.metrics.iter().copied().min().unwrap_or(0);
                self.metrics.iter_mut().for_each(|metric| *metric -= least);
            }
        }
    }

    /// How many steps there are decisions of.
    pub fn len(&self) -> usize {
        self.steps
    }

    /// The most likely state now.
    pub fn best(&self) -> usize {
        let states = self.metrics.iter().enumerate().min_by_key(|(_, metric)| **metric);
        states.map_or(0, |(state, _)| state)
    }

    /// The bits of the first steps, on the way that ends in `state` now.
    pub fn trace(&self, mut state: usize, bits: &mut [u8]) {
        let half = self.metrics.len() / 2;
        for (step, decisions) in self.decisions.chunks_exact(self.words()).enumerate().rev() {
            if let Some(bit) = bits.get_mut(step) {
                *bit = (state & 1) as u8;
            }
            let is_upper = decisions[state / 64] >> (state % 64) & 1;
            state = (state >> 1) + is_upper as usize * half;
        }
    }

    /// Forgets the first steps.
    pub fn forget(&mut self, steps: usize) {
        self.decisions.drain(..steps * self.words());
        self.steps -= steps;
    }
}

#[cfg(test)]
mod tests {
    use crate::fec::{Code, FecDecoder, FecEncoder, Frames, StreamDecoder};
    use crate::testing::{assert_gives, noise};
    use superhet_runtime::harness;

    /// Constraint lengths and polynomials, the newest bit lowest: of a textbook, GSM, the Deep Space Network, IS-95, LTE and Cassini.
    const CODES: [(usize, &[i64]); 6] = [
        (3, &[0b111, 0b101]),
        (5, &[0b11001, 0b11011]),
        (7, &[79, 109, -87]),
        (9, &[0o753, 0o561]),
        (7, &[0o133, 0o171, 0o165]),
        (15, &[0o46321, 0o51271, 0o63667, 0o70535]),
    ];

    fn bits(n: usize) -> Vec<u8> {
        noise(n).iter().map(|x| u8::from(*x > 0.0)).collect()
    }

    #[test]
    fn the_bits_of_the_textbook_code_are_those_of_the_textbook() {
        // S. Lin, D. Costello, Error Control Coding, of the polynomials 7 and 5.
        let code = Code::any_convolutional(Frames::Terminated, 4, 3, &[0b111, 0b101]).unwrap();
        let sent: Vec<u8> = harness::run(FecEncoder::new(code), &[1u8, 0, 1, 1]);
        assert_eq!(sent, [1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1]);
    }

    #[test]
    fn the_code_of_constraint_7_is_the_same_both_ways() {
        let [one, other] = [7, 8].map(|constraint| {
            Code::any_convolutional(Frames::Truncated, 300, constraint, &[109, -79]).unwrap()
        });
        assert!(one != other);
        let x = bits(300);
        let sent: [Vec<u8>; 2] = [one, other].map(|code| harness::run(FecEncoder::new(code), &x));
        assert_eq!(sent[0], sent[1]);
    }

    #[test]
    fn every_code_is_decoded_with_wrong_bits_however_frames_begin_and_end() {
        for (constraint, polynomials) in CODES {
            let frame = if constraint > 9 { 64 } else { 200 };
            for frames in [Frames::Streaming, Frames::Terminated, Frames::Truncated, Frames::Tailbiting] {
                let code = Code::any_convolutional(frames, frame, constraint, polynomials).unwrap();
                let x = bits(3 * frame);
                let mut soft: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &x);
                soft.iter_mut().for_each(|bit| *bit *= 255);
                soft.iter_mut().skip(11).step_by(23).for_each(|bit| *bit ^= 255);
                if frames == Frames::Truncated {
                    // The last bits of such a frame are protected by less than all of the polynomials.
                    let sent = soft.len() / 3;
                    let clean: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &x);
                    for (n, soft) in soft.iter_mut().enumerate() {
                        if n % sent + 40 > sent {
                            *soft = 255 * clean[n];
                        }
                    }
                }
                if constraint > 9 {
                    let y: Vec<u8> = match frames {
                        Frames::Streaming => harness::run(StreamDecoder::<u8>::new(code).unwrap(), &soft),
                        _ => harness::run(FecDecoder::<u8>::new(code).unwrap(), &soft),
                    };
                    assert_eq!(y, x, "{constraint} {frames:?}");
                } else if frames == Frames::Streaming {
                    assert_gives(|| StreamDecoder::<u8>::new(code.clone()).unwrap(), &soft, &x);
                } else {
                    assert_gives(|| FecDecoder::<u8>::new(code.clone()).unwrap(), &soft, &x);
                }
            }
        }
    }

    #[test]
    fn codes_that_are_none_are_refused() {
        let code = |constraint, polynomials: &[i64]| {
            Code::any_convolutional(Frames::Streaming, 1, constraint, polynomials).is_err()
        };
        assert!(code(1, &[1]) && code(16, &[1, 3]) && code(5, &[32, 1]) && code(5, &[0, 1]) && code(5, &[]));
        assert!(code(5, &[3; 9]) && code(5, &[i64::MIN, 1]));
        let longest = Code::any_convolutional(Frames::Terminated, 1 << 20, 15, &[0o46321, 0o51271]);
        assert!(longest.unwrap_err().to_string().contains("frame_bits"));
    }
}
