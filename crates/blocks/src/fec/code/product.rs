//! Product codes of two convolutional codes, as GNU Radio has them, and their decoder.

use crate::error::{Error, check};

/// A product code: bits in rows, each row a word of one code and each column one of another.
///
/// A word of a code with the polynomial `g` of degree `m` is `k` bits, and `m` bits that empty a register with the feedback `g`. The highest
/// bit of the number that says `g` is its constant term: 11, in binary 1011, is `1 + D² + D³`; 3 is a parity bit. So of
/// `row_bits · column_bits` bits `(row_bits + m) · (column_bits + m')` are sent, row by row; the columns go over the ends of rows, too.
///
/// The first bits of the first row may be zeros that nobody sees: first `omitted`, which are not sent, then `zeros`, which are.
///
/// The decoder runs a max-log-MAP decoder over all rows, then over all columns, and so on. What one tells the other counts 0.75 times. It
/// stops when both agree about all bits.
///
/// # Source
/// R. Pyndiah, IEEE Transactions on Communications 46, 1998 (products by turns); J. Hagenauer, E. Offer, L. Papke, IEEE Transactions on
/// Information Theory 42, 1996 (trellises of rows and columns). The order of bits is that of GNU Radio's `tpc_encoder`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    row: Side,
    column: Side,
    omitted: usize,
    zeros: usize,
    iterations: usize,
}

/// The most iterations of a decoder.
pub const MOST_ITERATIONS: usize = 64;
/// The largest number that says a polynomial.
pub const LARGEST_POLYNOMIAL: i64 = 1023;
/// The most bits in a row or a column, without its end.
pub const LONGEST_SIDE: usize = 4096;
/// The most bits that are sent at once.
const LONGEST: usize = 1 << 20;

/// What a word of one of the codes is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Side {
    bits: usize,
    memory: usize,
    /// Which bits of the register come back, the newest lowest.
    fed_back: usize,
}

impl Side {
    fn new(polynomial: i64, bits: usize) -> Self {
        let memory = polynomial.ilog2() as usize;
        let fed_back = (0..memory).fold(0, |mask, place| {
            let bit = (polynomial >> (memory - 1 - place)) as usize & 1;
            mask | bit << place
        });
        Side { bits, memory, fed_back }
    }

    fn len(&self) -> usize {
        self.bits + self.memory
    }

    fn states(&self) -> usize {
        1 << self.memory
    }

    /// What comes back in a state; as the next bit of the word it shifts in a zero.
    #[inline(always)]
    fn back(&self, state: usize) -> usize {
        (state & self.fed_back).count_ones() as usize & 1
    }

    /// The state behind a bit of the word.
    #[inline(always)]
    fn next(&self, state: usize, bit: usize) -> usize {
        (state << 1 | (bit ^ self.back(state))) & (self.states() - 1)
    }

    /// Ends a word whose bits are there.
    fn end(&self, word: &mut [u8]) {
        let (bits, end) = word.split_at_mut(self.bits);
        let mut state = bits.iter().fold(0, |state, bit| self.next(state, usize::from(*bit)));
        for bit in end {
            *bit = self.back(state) as u8;
            state = self.next(state, usize::from(*bit));
        }
    }
}

impl Product {
    /// The product of the codes of two polynomials, decoded with at most so many iterations.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless polynomials are 2 to 1023, rows and columns have 1 to 4096 bits and at most 2²⁰ are sent, `omitted` and
    /// `zeros` leave a bit of the first row, and there are 1 to 64 iterations.
    pub fn new(
        polynomials: [i64; 2],
        bits: [usize; 2],
        [omitted, zeros]: [usize; 2],
        iterations: usize,
    ) -> Result<Self, Error> {
        for (name, polynomial) in ["row_polynomial", "column_polynomial"].into_iter().zip(polynomials) {
            let fits = (2..=LARGEST_POLYNOMIAL).contains(&polynomial);
            check(fits, name, "a whole number from 2 to 1023", polynomial as f64)?;
        }
        for (name, bits) in ["row_bits", "column_bits"].into_iter().zip(bits) {
            check((1..=LONGEST_SIDE).contains(&bits), name, "a whole number from 1 to 4096", bits as f64)?;
        }
        let [row, column] = [0, 1].map(|side| Side::new(polynomials[side], bits[side]));
        let sent = row.len() * column.len();
        check(sent <= LONGEST, "row_bits", "at most 1048576 bits that are sent", sent as f64)?;
        let hidden = omitted.saturating_add(zeros);
        check(hidden < bits[0], "omitted and zeros", "together fewer than row_bits", hidden as f64)?;
        let fits = (1..=MOST_ITERATIONS).contains(&iterations);
        check(fits, "max_iterations", "a whole number from 1 to 64", iterations as f64)?;
        Ok(Product { row, column, omitted, zeros, iterations })
    }

    /// How many bits are encoded at once, and how many of them come.
    pub fn sizes(&self) -> [usize; 2] {
        let info = self.row.bits * self.column.bits - self.omitted - self.zeros;
        [info, self.row.len() * self.column.len() - self.omitted]
    }

    /// Encodes a frame; `y` has room for just what becomes of it.
    pub fn encode(&self, x: &[u8], y: &mut [u8]) {
        let (width, hidden) = (self.row.len(), self.omitted + self.zeros);
        let mut sent = vec![0; width * self.column.len()];
        for (place, bit) in x.iter().enumerate() {
            let place = place + hidden;
            sent[place / self.row.bits * width + place % self.row.bits] = bit & 1;
        }
        sent[..width * self.column.bits].chunks_exact_mut(width).for_each(|row| self.row.end(row));
        let mut column = vec![0; self.column.len()];
        for at in 0..width {
            column.iter_mut().zip(sent[at..].iter().step_by(width)).for_each(|(y, x)| *y = *x);
            self.column.end(&mut column);
            sent[at..].iter_mut().step_by(width).zip(&column).for_each(|(y, x)| *y = *x);
        }
        y.copy_from_slice(&sent[self.omitted..]);
    }
}

/// What a decoder has found out counts so much for the other one.
const EXTRINSIC: f32 = 0.75;
/// No word begins or ends in another state than 0.
const NEVER: f32 = -1e30;
/// A zero that nobody sees is so many times as sure as the surest bit.
const KNOWN: f32 = 16.0;

/// The memory of a decoder, which is kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct ProductDecoder {
    levels: Vec<f32>,
    /// What rows and what columns say beyond what they were told.
    told: [Vec<f32>; 2],
    /// What rows have decided.
    decided: Vec<bool>,
    word: Vec<f32>,
    forward: Vec<f32>,
    behind: Vec<f32>,
    before: Vec<f32>,
}

impl ProductDecoder {
    /// Decodes a frame of levels, > 0 for a one. How many iterations it took.
    pub fn decode(&mut self, code: &Product, levels: &[f32], bits: &mut [u8]) -> usize {
        let (width, height) = (code.row.len(), code.column.len());
        let hidden = code.omitted + code.zeros;
        let surest = levels.iter().fold(f32::MIN_POSITIVE, |most, level| most.max(level.abs()));
        self.levels.clear();
        self.levels.resize(code.omitted, 0.0);
        self.levels.extend_from_slice(levels);
        self.levels[..hidden].fill(-KNOWN * surest);
        for told in &mut self.told {
            told.clear();
            told.resize(width * height, 0.0);
        }
        self.decided.resize(width * height, false);
        let mut took = code.iterations;
        for iteration in 1..=code.iterations {
            for row in 0..height {
                self.word(&code.row, 0, row * width, 1);
            }
            let mut agree = true;
            for column in 0..width {
                agree &= self.word(&code.column, 1, column, width);
            }
            if agree {
                took = iteration;
                break;
            }
        }
        // As the columns have it, which came last.
        let found = |place: usize| self.levels[place] + self.told[0][place] + self.told[1][place] / EXTRINSIC;
        for (place, bit) in bits.iter_mut().enumerate() {
            let place = place + hidden;
            *bit = u8::from(found(place / code.row.bits * width + place % code.row.bits) > 0.0);
        }
        took
    }

    /// Decodes a word, whose bits begin at a place and lie so far apart. Whether it has the bits that the word across has.
    fn word(&mut self, side: &Side, which: usize, from: usize, apart: usize) -> bool {
        let ProductDecoder { levels, told, decided, word, forward, behind, before } = self;
        let places = (from..).step_by(apart).take(side.len());
        word.clear();
        word.extend(places.clone().map(|place| levels[place] + told[1 - which][place]));
        // The metrics of all states before each bit.
        let states = side.states();
        forward.clear();
        forward.resize(states, NEVER);
        forward[0] = 0.0;
        for (at, level) in word.iter().enumerate() {
            let (last, half) = (forward.len() - states, 0.5 * level);
            forward.resize(last + 2 * states, NEVER);
            let (known, next) = forward[last..].split_at_mut(states);
            for (state, metric) in known.iter().enumerate() {
                for bit in bits(side, at, state) {
                    let next = &mut next[side.next(state, bit)];
                    *next = next.max(metric + if bit == 1 { half } else { -half });
                }
            }
            levelled(next);
        }
        behind.clear();
        behind.resize(states, NEVER);
        behind[0] = 0.0;
        let mut agree = true;
        for (at, place) in places.enumerate().collect::<Vec<_>>().into_iter().rev() {
            let half = 0.5 * word[at];
            before.clear();
            before.resize(states, NEVER);
            let mut best = [NEVER; 2];
            for (state, metric) in forward[at * states..][..states].iter().enumerate() {
                for bit in bits(side, at, state) {
                    let on = behind[side.next(state, bit)] + if bit == 1 { half } else { -half };
                    before[state] = before[state].max(on);
                    best[bit] = best[bit].max(metric + on);
                }
            }
            levelled(before);
            std::mem::swap(behind, before);
            let found = best[1] - best[0];
            let is_one = found > 0.0;
            if which == 0 {
                decided[place] = is_one;
            } else {
                agree &= decided[place] == is_one;
            }
            told[which][place] = EXTRINSIC * (found - word[at]).clamp(-SUREST, SUREST);
        }
        agree
    }
}

/// Larger numbers say no more, so that sums remain numbers.
const SUREST: f32 = 1e7;

/// The bits that a word can have in a state: at its end only what empties the register.
#[inline(always)]
fn bits(side: &Side, at: usize, state: usize) -> std::ops::RangeInclusive<usize> {
    if at < side.bits { 0..=1 } else { side.back(state)..=side.back(state) }
}

/// Less the greatest: only differences count.
fn levelled(metrics: &mut [f32]) {
    let most = metrics.iter().fold(f32::MIN, |most, metric| most.max(*metric));
    metrics.iter_mut().for_each(|metric| *metric -= most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    fn encoded(code: &Product, bits: &[u8]) -> Vec<u8> {
        let mut sent = vec![0; code.sizes()[1]];
        code.encode(bits, &mut sent);
        sent
    }

    fn levels(bits: &[u8]) -> Vec<f32> {
        bits.iter().map(|bit| f32::from(*bit) * 2.0 - 1.0).collect()
    }

    fn text(bits: &[u8]) -> String {
        bits.iter().map(|bit| char::from(b'0' + bit)).collect()
    }

    #[test]
    fn bits_are_sent_as_gnu_radio_3_10_5_sends_them() {
        // fec.tpc_encoder_make([11], [13], 4, 3, 1, 1), of each bit alone.
        let code = Product::new([11, 13], [4, 3], [1, 1], 6).unwrap();
        assert_eq!(code.sizes(), [10, 41]);
        for (place, wanted) in [
            (0, "01011000000000000000000000000101100010110"),
            (3, "00000001001110000000010011101001110100111"),
            (9, "00000000000000001011000101100000000001011"),
        ] {
            let mut bits = [0; 10];
            bits[place] = 1;
            assert_eq!(text(&encoded(&code, &bits)), wanted);
        }
        // fec.tpc_encoder_make([3], [43], 26, 6, 9, 3)
        let code = Product::new([3, 43], [26, 6], [9, 3], 6).unwrap();
        assert_eq!(code.sizes(), [144, 288]);
        let bits: Vec<u8> = (0..144u32).map(|n| (n * n / 3 % 2) as u8).collect();
        let sent = text(&encoded(&code, &bits));
        let bytes = (0..288).step_by(4).map(|at| u8::from_str_radix(&sent[at..at + 4], 2).unwrap());
        assert_eq!(bytes.map(|digit| format!("{digit:x}")).collect::<String>(), GNU_RADIO);
    }

    const GNU_RADIO: &str = "071c38e38e3471c71d38e38e1c71c71a38e38e8001c70e38e38d6db6db76db8e35b6c71d";

    #[test]
    fn frames_come_back_through_noise_that_turns_bits() {
        for polynomials in [[3, 43], [7, 11], [5, 3]] {
            let code = Product::new(polynomials, [26, 9], [9, 3], 16).unwrap();
            let [info, sent] = code.sizes();
            let mut decoder = ProductDecoder::default();
            let (mut turned, mut wrong) = (0, 0);
            for frame in 0..20 {
                let random = noise(frame * 10 + 2 * (info + sent))[frame * 10..].to_vec();
                let bits: Vec<u8> = random[..info].iter().map(|x| u8::from(*x > 0.0)).collect();
                let mut soft = levels(&encoded(&code, &bits));
                let mut back = vec![0; info];
                assert_eq!(decoder.decode(&code, &soft, &mut back), 1);
                assert_eq!(back, bits);
                let noisy: Vec<f32> =
                    soft.iter().zip(&random[info..]).map(|(x, noise)| x + 1.1 * noise).collect();
                turned += noisy.iter().zip(&soft).filter(|(a, b)| (**a > 0.0) != (**b > 0.0)).count();
                soft = noisy;
                assert!(decoder.decode(&code, &soft, &mut back) <= 16);
                wrong += back.iter().zip(&bits).filter(|(a, b)| a != b).count();
            }
            assert!(turned > 0 && wrong * 4 < turned, "{polynomials:?}: {wrong} wrong of {turned} turned");
        }
    }

    #[test]
    fn levels_of_any_size_give_bits() {
        let code = Product::new([3, 43], [26, 6], [9, 3], 3).unwrap();
        let mut back = vec![9; 144];
        for level in [0.0, 1e6, -1e6, 1e-30] {
            let took = ProductDecoder::default().decode(&code, &vec![level; 288], &mut back);
            assert!((1..=3).contains(&took) && back.iter().all(|bit| *bit <= 1), "{level}");
        }
    }

    #[test]
    fn what_is_no_product_is_refused() {
        for (polynomials, bits, hidden, iterations, name) in [
            ([1, 3], [4, 4], [0, 0], 6, "row_polynomial"),
            ([3, 1024], [4, 4], [0, 0], 6, "column_polynomial"),
            ([3, 3], [0, 4], [0, 0], 6, "row_bits"),
            ([3, 3], [4, 4097], [0, 0], 6, "column_bits"),
            ([3, 3], [4096, 4096], [0, 0], 6, "row_bits"),
            ([3, 3], [4, 4], [3, 1], 6, "omitted"),
            ([3, 3], [4, 4], [usize::MAX, 1], 6, "omitted"),
            ([3, 3], [4, 4], [0, 0], 0, "max_iterations"),
        ] {
            let error = Product::new(polynomials, bits, hidden, iterations).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
