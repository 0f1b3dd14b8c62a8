//! The turbo code of LTE, and its decoder.
//!
//! A step of the decoder waits for the one before it: an addition, a maximum, and the same less the first. The states before
//! state `m` and `m + 4` are `2 m` and `2 m + 1`, and the metrics of all ways differ in sign only, so a step takes two vectors of
//! states and one of metrics.

use crate::error::{Error, check};

/// The turbo code of LTE: two recursive systematic convolutional codes of eight states, the second of which gets the bits in another
/// order.
///
/// With `g₀ = 1 + D² + D³` and `g₁ = 1 + D + D³` each sends `g₁/g₀` of its bits. Of `K` bits 3 K + 12 are sent: for each bit itself
/// and the two parities, then the twelve of both codes' ends, in the order of the standard's three streams `d⁽⁰⁾`, `d⁽¹⁾`, `d⁽²⁾`, an item
/// of each in turn. The second code gets bit `(f₁ i + f₂ i²) mod K` at place `i`. Rate matching is not done here.
///
/// The decoder runs a max-log-MAP decoder over each code in turn, in windows of 64 steps that go on from what the iteration before
/// has found at their ends. What one tells the other counts 0.75 times. It stops when both agree about all bits.
///
/// # Source
/// 3GPP TS 36.212, section 5.1.3.2; P. Robertson, E. Villebrun, P. Hoeher, ICC 1995 (max-log-MAP); J. Vogt, A. Finger, Electronics
/// Letters 36, 2000 (the factor).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turbo {
    /// Which bit the second code gets at each place.
    order: Vec<u16>,
    iterations: usize,
}

/// The most iterations of a decoder.
pub const MOST_ITERATIONS: usize = 64;
/// Bits that are sent behind those of the frame.
const TAIL: usize = 12;
/// The memory of each code.
const MEMORY: usize = 3;

/// f₁ and f₂ for each length of frame: table 5.1.3-3.
#[rustfmt::skip]
const POLYNOMIALS: [(u16, u16); 188] = [
    (3, 10), (7, 12), (19, 42), (7, 16), (7, 18), (11, 20), (5, 22), (11, 24), (7, 26), (41, 84), (103, 90),
    (15, 32), (9, 34), (17, 108), (9, 38), (21, 120), (101, 84), (21, 44), (57, 46), (23, 48), (13, 50),
    (27, 52), (11, 36), (27, 56), (85, 58), (29, 60), (33, 62), (15, 32), (17, 198), (33, 68), (103, 210),
    (19, 36), (19, 74), (37, 76), (19, 78), (21, 120), (21, 82), (115, 84), (193, 86), (21, 44), (133, 90),
    (81, 46), (45, 94), (23, 48), (243, 98), (151, 40), (155, 102), (25, 52), (51, 106), (47, 72),
    (91, 110), (29, 168), (29, 114), (247, 58), (29, 118), (89, 180), (91, 122), (157, 62), (55, 84),
    (31, 64), (17, 66), (35, 68), (227, 420), (65, 96), (19, 74), (37, 76), (41, 234), (39, 80), (185, 82),
    (43, 252), (21, 86), (155, 44), (79, 120), (139, 92), (23, 94), (217, 48), (25, 98), (17, 80),
    (127, 102), (25, 52), (239, 106), (17, 48), (137, 110), (215, 112), (29, 114), (15, 58), (147, 118),
    (29, 60), (59, 122), (65, 124), (55, 84), (31, 64), (17, 66), (171, 204), (67, 140), (35, 72), (19, 74),
    (39, 76), (19, 78), (199, 240), (21, 82), (211, 252), (21, 86), (43, 88), (149, 60), (45, 92),
    (49, 846), (71, 48), (13, 28), (17, 80), (25, 102), (183, 104), (55, 954), (127, 96), (27, 110),
    (29, 112), (29, 114), (57, 116), (45, 354), (31, 120), (59, 610), (185, 124), (113, 420), (31, 64),
    (17, 66), (171, 136), (209, 420), (253, 216), (367, 444), (265, 456), (181, 468), (39, 80), (27, 164),
    (127, 504), (143, 172), (43, 88), (29, 300), (45, 92), (157, 188), (47, 96), (13, 28), (111, 240),
    (443, 204), (51, 104), (51, 212), (451, 192), (257, 220), (57, 336), (313, 228), (271, 232), (179, 236),
    (331, 120), (363, 244), (375, 248), (127, 168), (31, 64), (33, 130), (43, 264), (33, 134), (477, 408),
    (35, 138), (233, 280), (357, 142), (337, 480), (37, 146), (71, 444), (71, 120), (37, 152), (39, 462),
    (127, 234), (39, 158), (39, 80), (31, 96), (113, 902), (41, 166), (251, 336), (43, 170), (21, 86),
    (43, 174), (45, 176), (45, 178), (161, 120), (89, 182), (323, 184), (47, 186), (23, 94), (47, 190),
    (263, 480),
];

/// Where the polynomial for frames of so many bits stands in the table.
fn place(frame_bits: usize) -> Option<usize> {
    let (first, from, step) = match frame_bits {
        40..=512 => (0, 40, 8),
        528..=1024 => (60, 528, 16),
        1056..=2048 => (92, 1056, 32),
        2112..=6144 => (124, 2112, 64),
        _ => return None,
    };
    (frame_bits - from).is_multiple_of(step).then(|| first + (frame_bits - from) / step)
}

impl Turbo {
    /// The code for frames of so many bits, decoded with at most so many iterations.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the length is one of the 188 of the standard (40 to 512 by 8, to 1024 by 16, to 2048 by 32, to 6144 by
    /// 64), and there are 1 to 64 iterations.
    pub fn new(frame_bits: usize, iterations: usize) -> Result<Self, Error> {
        let wanted = "40 to 512 by 8, to 1024 by 16, to 2048 by 32, or to 6144 by 64";
        let polynomial = place(frame_bits).map(|place| POLYNOMIALS[place]);
        check(polynomial.is_some(), "frame_bits", wanted, frame_bits as f64)?;
        let fits = (1..=MOST_ITERATIONS).contains(&iterations);
        check(fits, "max_iterations", "a whole number from 1 to 64", iterations as f64)?;
        let (first, second) = polynomial.unwrap_or_default();
        let (first, second) = (usize::from(first), usize::from(second));
        // At most 6144: it fits.
        let order = (0..frame_bits).map(|i| ((first * i + second * i * i) % frame_bits) as u16).collect();
        Ok(Turbo { order, iterations })
    }

    /// How many bits are encoded at once, and how many of them come.
    pub fn sizes(&self) -> [usize; 2] {
        [self.order.len(), 3 * self.order.len() + TAIL]
    }

    /// Encodes a frame; `y` has room for just what becomes of it.
    pub fn encode(&self, x: &[u8], y: &mut [u8]) {
        let (body, tail) = y.split_at_mut(3 * self.order.len());
        let (mut first, mut second) = (Register(0), Register(0));
        for ((y, bit), other) in body.chunks_exact_mut(3).zip(x).zip(&self.order) {
            y[0] = bit & 1;
            y[1] = first.take(bit & 1);
            y[2] = second.take(x[usize::from(*other)] & 1);
        }
        for (y, register) in tail.chunks_exact_mut(2 * MEMORY).zip([&mut first, &mut second]) {
            for y in y.chunks_exact_mut(2) {
                y[0] = register.fed_back();
                y[1] = register.take(y[0]);
            }
        }
    }
}

/// The register of one of the codes: the newest bit highest.
#[derive(Clone, Copy, Debug)]
struct Register(u8);

impl Register {
    /// What comes back into the register: taken as the next bit, it shifts in a zero.
    fn fed_back(self) -> u8 {
        (self.0 >> 1 ^ self.0) & 1
    }

    /// Takes a bit and gives its parity.
    fn take(&mut self, bit: u8) -> u8 {
        let new = bit ^ self.fed_back();
        let parity = new ^ self.0 >> 2 ^ self.0 & 1;
        self.0 = new << 2 | self.0 >> 1;
        parity
    }
}

/// Half of the states of a code.
const HALF: usize = 4;
type Half = [f32; HALF];
/// A number for each of the states 0, 2, 4 and 6, and of 1, 3, 5 and 7.
type Metrics = [Half; 2];
/// Steps of a window.
const WINDOW: usize = 64;
/// What a decoder has found out counts so much for the other one.
const EXTRINSIC: f32 = 0.75;
/// No frame begins or ends in another state than 0.
const NEVER: f32 = -1e9;
const BEGIN: Metrics = [[0.0, NEVER, NEVER, NEVER], [NEVER; HALF]];
/// Larger numbers say no more, so that sums remain numbers.
const SUREST: f32 = 1e7;

/// The memory of a decoder, which is kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct TurboDecoder {
    /// Of both codes: the bits themselves, in its order, their parities, what the other one says of the bits, and what comes out.
    systematic: [Vec<f32>; 2],
    parity: [Vec<f32>; 2],
    told: [Vec<f32>; 2],
    found: [Vec<f32>; 2],
    /// The metrics at the ends of windows, from behind, as of the iteration before.
    ends: [Vec<Metrics>; 2],
    forward: Vec<Metrics>,
}

impl TurboDecoder {
    /// Decodes a frame of levels, > 0 for a one. How many iterations it took.
    pub fn decode(&mut self, code: &Turbo, levels: &[f32], bits: &mut [u8]) -> usize {
        let n = code.order.len();
        let (body, tail) = levels.split_at(3 * n);
        let part = |place: usize| body.iter().skip(place).step_by(3).copied();
        for side in 0..2 {
            self.systematic[side].clear();
            self.parity[side].clear();
            self.parity[side].extend(part(1 + side));
            self.told[side].clear();
            self.told[side].resize(n, 0.0);
            self.found[side].resize(n, 0.0);
            self.ends[side].clear();
            self.ends[side].resize(n.div_ceil(WINDOW) + 1, [[0.0; HALF]; 2]);
            // Behind the tail is state 0.
            let mut end = BEGIN;
            for pair in tail[2 * MEMORY * side..][..2 * MEMORY].chunks_exact(2).rev() {
                end = backward(end, branches(pair[0], pair[1]));
            }
            self.ends[side][n.div_ceil(WINDOW)] = end;
        }
        self.systematic[0].extend(part(0));
        let in_order = code.order.iter().map(|place| body[3 * usize::from(*place)]);
        self.systematic[1].extend(in_order);

        for iteration in 1..=code.iterations {
            self.run(0);
            let [first, second] = &mut self.told;
            for (told, place) in second.iter_mut().zip(&code.order) {
                let place = usize::from(*place);
                *told = news(self.found[0][place], self.systematic[0][place], first[place]);
            }
            self.run(1);
            let [first, second] = &mut self.told;
            let mut agree = true;
            for (i, place) in code.order.iter().enumerate() {
                let (place, found) = (usize::from(*place), self.found[1][i]);
                bits[place] = u8::from(found > 0.0);
                agree &= (found > 0.0) == (self.found[0][place] > 0.0);
                first[place] = news(found, self.systematic[1][i], second[i]);
            }
            if agree {
                return iteration;
            }
        }
        code.iterations
    }

    /// Decodes one of the codes, window by window.
    fn run(&mut self, side: usize) {
        let TurboDecoder { systematic, parity, told, found, ends, forward } = self;
        let (systematic, parity, told) = (&systematic[side], &parity[side], &told[side]);
        let (found, ends) = (&mut found[side], &mut ends[side]);
        let mut metrics = BEGIN;
        for (window, found) in found.chunks_mut(WINDOW).enumerate() {
            let at = window * WINDOW..window * WINDOW + found.len();
            let steps = systematic[at.clone()].iter().zip(&told[at.clone()]).zip(&parity[at]);
            let steps = steps.map(|((bit, told), parity)| branches(bit + told, *parity));
            forward.clear();
            for branch in steps.clone() {
                forward.push(metrics);
                metrics = onward(metrics, branch);
            }
            let mut behind = ends[window + 1];
            for ((branch, before), found) in steps.rev().zip(forward.iter().rev()).zip(found.iter_mut().rev())
            {
                *found = ratio(*before, branch, behind);
                behind = backward(behind, branch);
            }
            ends[window] = behind;
        }
    }
}

/// What a decoder has found beyond what it was told.
fn news(found: f32, systematic: f32, told: f32) -> f32 {
    (EXTRINSIC * (found - systematic - told)).clamp(-SUREST, SUREST)
}

/// The metrics of the ways out of states 0, 2, 4 and 6 by which a 0 comes into the register. Those by which a 1 comes have the
/// other sign, and those out of states 1, 3, 5 and 7 too.
#[inline(always)]
fn branches(bit: f32, parity: f32) -> Half {
    let (same, other) = (0.5 * (bit + parity), 0.5 * (bit - parity));
    [-same, other, -other, same]
}

/// The metrics of the states one step on, by the best way there.
#[inline(always)]
fn onward([even, odd]: Metrics, branch: Half) -> Metrics {
    let low = greater(plus(even, branch), minus(odd, branch));
    let high = greater(minus(even, branch), plus(odd, branch));
    levelled([[low[0], low[2], high[0], high[2]], [low[1], low[3], high[1], high[3]]])
}

/// The metrics of the states one step before.
#[inline(always)]
fn backward(behind: Metrics, branch: Half) -> Metrics {
    let [low, high] = halves(behind);
    let even = greater(plus(low, branch), minus(high, branch));
    let odd = greater(minus(low, branch), plus(high, branch));
    levelled([even, odd])
}

/// By how much the best way with a one is better than the best with a zero.
#[inline(always)]
fn ratio([even, odd]: Metrics, branch: Half, behind: Metrics) -> f32 {
    let [low, high] = halves(behind);
    // The bit is what comes into the register and what comes back: of half of the states the one, of the others the other.
    let a = greater(plus(minus(odd, branch), low), plus(minus(even, branch), high));
    let b = greater(plus(plus(even, branch), low), plus(plus(odd, branch), high));
    let best = |[a, b, c, d]: Half| greater_of(greater_of(a, b), greater_of(c, d));
    best([a[0], b[1], a[2], b[3]]) - best([b[0], a[1], b[2], a[3]])
}

/// The metrics of states 0 to 3 and of 4 to 7.
#[inline(always)]
fn halves([even, odd]: Metrics) -> Metrics {
    [[even[0], odd[0], even[1], odd[1]], [even[2], odd[2], even[3], odd[3]]]
}

#[inline(always)]
fn plus(a: Half, b: Half) -> Half {
    std::array::from_fn(|place| a[place] + b[place])
}

#[inline(always)]
fn minus(a: Half, b: Half) -> Half {
    std::array::from_fn(|place| a[place] - b[place])
}

/// One instruction, as no metric is no number.
#[inline(always)]
fn greater_of(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn greater(a: Half, b: Half) -> Half {
    std::array::from_fn(|place| greater_of(a[place], b[place]))
}

/// Less that of the first state: only differences count.
#[inline(always)]
fn levelled([even, odd]: Metrics) -> Metrics {
    let first = [even[0]; HALF];
    [minus(even, first), minus(odd, first)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    fn bits(n: usize, seed: usize) -> Vec<u8> {
        noise(n + seed)[seed..].iter().map(|x| u8::from(*x > 0.0)).collect()
    }

    fn encoded(code: &Turbo, bits: &[u8]) -> Vec<u8> {
        let mut sent = vec![0; code.sizes()[1]];
        code.encode(bits, &mut sent);
        sent
    }

    /// The power series `bits · numerator / (1 + D² + D³)`.
    fn series(bits: &[u8], numerator: [u8; 4]) -> Vec<u8> {
        let mut y = vec![0u8; bits.len()];
        for n in 0..bits.len() {
            let past = |y: &[u8], delay: usize| if n >= delay { y[n - delay] } else { 0 };
            let product = (0..4).map(|delay| numerator[delay] & past(bits, delay)).fold(0, |a, b| a ^ b);
            y[n] = product ^ past(&y, 2) ^ past(&y, 3);
        }
        y
    }

    #[test]
    fn every_length_of_the_standard_has_an_order_of_its_bits_and_no_other_length_has() {
        let lengths: Vec<usize> = (0..7000).filter(|bits| place(*bits).is_some()).collect();
        assert_eq!((lengths.len(), lengths[59], lengths[60], lengths[187]), (188, 512, 528, 6144));
        for (expected, bits) in lengths.into_iter().enumerate() {
            assert_eq!(place(bits), Some(expected));
            let mut order = Turbo::new(bits, 8).unwrap().order;
            order.sort_unstable();
            assert!(order.iter().enumerate().all(|(place, bit)| place == usize::from(*bit)), "{bits}");
        }
        assert_eq!(Turbo::new(40, 1).unwrap().order[..6], [0, 13, 6, 19, 12, 25]);
        assert!(Turbo::new(41, 8).unwrap_err().to_string().contains("frame_bits"));
        assert!(Turbo::new(40, 0).is_err() && Turbo::new(40, 65).is_err());
    }

    #[test]
    fn what_is_sent_are_the_power_series_of_the_codes_and_ends_that_clear_them() {
        for n in [40, 528, 6144] {
            let code = Turbo::new(n, 1).unwrap();
            let x = bits(n, n);
            let sent = encoded(&code, &x);
            for side in 0..2 {
                let mut fed: Vec<u8> = if side == 0 {
                    x.clone()
                } else {
                    code.order.iter().map(|at| x[usize::from(*at)]).collect()
                };
                let tail = &sent[3 * n + 6 * side..][..6];
                fed.extend(tail.iter().step_by(2));
                let wanted = series(&fed, [1, 1, 0, 1]);
                let parity: Vec<u8> = sent[..3 * n].iter().skip(1 + side).step_by(3).copied().collect();
                assert_eq!(parity, wanted[..n]);
                assert_eq!(tail.iter().skip(1).step_by(2).copied().collect::<Vec<_>>(), wanted[n..]);
                // What is in the register after that.
                assert_eq!(series(&fed, [1, 0, 0, 0])[n..], [0, 0, 0]);
            }
            assert_eq!(sent[..3 * n].iter().step_by(3).copied().collect::<Vec<_>>(), x);
        }
    }

    /// Levels with Gaussian noise, by the energy of a bit over the noise density.
    fn received(sent: &[u8], eb_n0_db: f64, bits: usize, seed: usize) -> Vec<f32> {
        let per_sent = bits as f64 / sent.len() as f64;
        let sigma = (0.5 / (per_sent * 10f64.powf(eb_n0_db / 10.0))).sqrt() as f32;
        let noise = noise(12 * (sent.len() + seed));
        // The sum of twelve from -1 to 1 has variance 4.
        let noise = noise[12 * seed..].chunks(12).map(|parts| parts.iter().sum::<f32>() / 2.0);
        sent.iter().zip(noise).map(|(bit, noise)| f32::from(*bit) * 2.0 - 1.0 + sigma * noise).collect()
    }

    #[test]
    fn frames_are_decoded_one_decibel_above_the_limit_of_the_channel() {
        let mut decoder = TurboDecoder::default();
        // At rate 1/3 the limit is -0.55 dB; longer frames come nearer to it.
        for (n, eb_n0_db, frames) in [(40, 4.5, 20), (512, 1.8, 8), (2048, 1.2, 3), (6144, 1.0, 1)] {
            let code = Turbo::new(n, 8).unwrap();
            for frame in 0..frames {
                let x = bits(n, frame * 7 + n);
                let sent = encoded(&code, &x);
                let levels = received(&sent, eb_n0_db, n, 31 * frame + n);
                let wrong = levels.iter().zip(&sent).filter(|(level, bit)| (**level > 0.0) != (**bit == 1));
                assert!(n == 40 || wrong.count() > sent.len() / 20);
                let mut decoded = vec![2; n];
                let iterations = decoder.decode(&code, &levels, &mut decoded);
                assert!(decoded == x && (1..=8).contains(&iterations), "{n}, frame {frame}");
            }
        }
    }

    #[test]
    fn a_clean_frame_takes_one_iteration_whatever_its_size() {
        for scale in [1e-6f32, 1.0, 1e6] {
            let code = Turbo::new(320, 8).unwrap();
            let x = bits(320, 5);
            let levels: Vec<f32> =
                encoded(&code, &x).iter().map(|bit| scale * (f32::from(*bit) * 2.0 - 1.0)).collect();
            let mut decoded = vec![2; 320];
            assert_eq!(TurboDecoder::default().decode(&code, &levels, &mut decoded), 1);
            assert_eq!(decoded, x);
        }
    }
}
