//! The likeliest message where halves hold much of their neighbours: at 2 MHz samples may lie where the halves meet.
//!
//! Each half is a sum of the pulses about it,
//!
//! ```text
//! y[k] = floor + Σ g[j] · h[k + j],   |j| ≤ REACH,   h ∈ {0, 1}
//! ```
//!
//! where `g` depends on the receiver's filter and on where the samples lie. It is fitted by least squares to a first reading
//! with some wrong bits. A bit is `10` or `01`, so a half depends on the bit it is of and on those beside it, and the
//! likeliest message is the cheapest path through four states (the last two bits), found by the Viterbi algorithm.
//!
//! **Source**: G. D. Forney, "Maximum-likelihood sequence estimation of digital sequences in the presence of intersymbol
//! interference", IEEE Transactions on Information Theory 18 (3), 1972.

use super::preamble::PULSES;
use super::slicer::{PREAMBLE, Sliced};

/// Halves on each side of one that it holds a part of.
const REACH: usize = 2;

/// Unknowns of the fit: the taps and the floor.
const UNKNOWNS: usize = 2 * REACH + 2;

/// Halves of the longest message with its preamble, and the silence on both sides that is looked at.
const MOST_HALVES: usize = PREAMBLE + 224 + 2 * REACH;

/// No bit, before the first one and after the last one.
const NO_BIT: usize = 2;

/// What the halves of a bit hold where it and its neighbours are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    taps: [f32; UNKNOWNS - 1],
    floor: f32,
}

impl Response {
    /// What explains `halves` best if the message is `bits`, the first one as the most significant of `count`; `None` if
    /// nothing does.
    pub fn fit(halves: &[f32], bits: u128, count: usize) -> Option<Self> {
        let pulses = pulses(bits, count);
        let mut sums = [[0.0_f32; UNKNOWNS + 1]; UNKNOWNS];
        for (y, about) in halves.iter().zip(pulses.windows(2 * REACH + 1)).take(PREAMBLE + 2 * count) {
            let row: [f32; UNKNOWNS + 1] = std::array::from_fn(|n| match n {
                n if n < about.len() => about[n],
                n if n < UNKNOWNS => 1.0,
                _ => *y,
            });
            for (sums, by) in sums.iter_mut().zip(row) {
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += by * value);
            }
        }
        let solution = solve(sums)?;
        let floor = solution[UNKNOWNS - 1];
        Some(Self { taps: std::array::from_fn(|n| solution[n]), floor })
    }

    /// The likeliest message of `count` bits after a preamble at `halves[0]`. Its cost is the mean squared difference
    /// relative to the squared taps.
    pub fn likeliest(&self, halves: &[f32], count: usize) -> Option<Sliced> {
        let message = halves.get(PREAMBLE..PREAMBLE + 2 * count)?.as_chunks::<2>().0;
        let levels = self.levels();
        let apart = |y: &[f32; 2], [before, bit, after]: [usize; 3]| {
            let [first, second] = levels[before][bit][after];
            (y[0] - first) * (y[0] - first) + (y[1] - second) * (y[1] - second)
        };
        // Paths by the bit that is decided last and the one after it.
        let first = |bit, after| (apart(&message[0], [NO_BIT, bit, after]), bit as u128);
        let mut paths = by_bits(first);
        for y in &message[1..count - 1] {
            paths = by_bits(|bit, after| {
                let through = |before: usize| paths[before][bit].0 + apart(y, [before, bit, after]);
                let (zero, one) = (through(0), through(1));
                let (cost, before) = if one < zero { (one, 1) } else { (zero, 0) };
                (cost, paths[before][bit].1 << 1 | bit as u128)
            });
        }
        let ends = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[before, bit]: [usize; 2]| {
            let (cost, bits) = paths[before][bit];
            (cost + apart(&message[count - 1], [before, bit, NO_BIT]), bits << 1 | bit as u128)
        });
        let (cost, bits) = ends.into_iter().reduce(|best, next| if next.0 < best.0 { next } else { best })?;
        let energy: f32 = self.taps.iter().map(|tap| tap * tap).sum();
        Sliced::of(bits, count, cost / (2 * count) as f32 / energy)
    }

    /// Both halves by the bit before, the bit itself and the one after.
    fn levels(&self) -> [[[[f32; 2]; 3]; 2]; 3] {
        let halves = |bit| match bit {
            0 => [0.0, 1.0],
            1 => [1.0, 0.0],
            _ => [0.0, 0.0],
        };
        let level = |before, bit, after| {
            let around = [halves(before), halves(bit), halves(after)];
            let around = around.as_flattened();
            [0, 1]
                .map(|n| self.floor + (0..self.taps.len()).map(|j| self.taps[j] * around[n + j]).sum::<f32>())
        };
        std::array::from_fn(|before| {
            std::array::from_fn(|bit| std::array::from_fn(|after| level(before, bit, after)))
        })
    }
}

/// A path, as its cost and its bits so far, for each bit and the one after it.
fn by_bits(path: impl Fn(usize, usize) -> (f32, u128)) -> [[(f32, u128); 2]; 2] {
    [[path(0, 0), path(0, 1)], [path(1, 0), path(1, 1)]]
}

/// 1 for each half with a pulse, with [`REACH`] halves of silence on both sides.
fn pulses(bits: u128, count: usize) -> [f32; MOST_HALVES] {
    let mut pulses = [0.0; MOST_HALVES];
    let ones = (0..count).map(|bit| PREAMBLE + 2 * bit + usize::from(bits >> (count - 1 - bit) & 1 == 0));
    PULSES.into_iter().chain(ones).for_each(|half| pulses[REACH + half] = 1.0);
    pulses
}

/// Solves the normal equations, whose right side is the last column, by Gauss's elimination; a matrix that is positive needs no
/// pivoting. `None` if it is singular.
fn solve(mut rows: [[f32; UNKNOWNS + 1]; UNKNOWNS]) -> Option<[f32; UNKNOWNS]> {
    for n in 0..UNKNOWNS {
        let pivot = rows[n];
        if pivot[n].is_nan() || pivot[n] <= 1e-3 {
            return None;
        }
        for (m, row) in rows.iter_mut().enumerate() {
            if m != n {
                let by = row[n] / pivot[n];
                row.iter_mut().zip(pivot).for_each(|(value, above)| *value -= by * above);
            }
        }
    }
    let solution: [f32; UNKNOWNS] = std::array::from_fn(|n| rows[n][UNKNOWNS] / rows[n][n]);
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adsb::slicer;

    const MESSAGE: u128 = 0x8d48_40d6_202c_c371_c32c_e057_6098;

    const COUNT: usize = 112;

    /// Samples of which each lies between a half and the next one.
    fn between(noise: f32) -> Vec<f32> {
        let pulses = pulses(MESSAGE, COUNT);
        let mut state = 1_u32;
        let halves = pulses.windows(2 * REACH + 1).map(|about| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let random = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
            0.1 - 0.05 * about[1] + 0.5 * about[2] + 0.5 * about[3] - 0.05 * about[4] + noise * random
        });
        halves.collect()
    }

    #[test]
    fn the_taps_and_the_floor_are_those_of_the_samples() {
        let response = Response::fit(&between(0.0), MESSAGE, COUNT).unwrap();
        for (tap, wanted) in response.taps.into_iter().zip([0.0, -0.05, 0.5, 0.5, -0.05]) {
            assert!((tap - wanted).abs() < 1e-3, "{:?}", response.taps);
        }
        assert!((response.floor - 0.1).abs() < 1e-3, "{}", response.floor);
    }

    #[test]
    fn samples_between_two_halves_are_read_from_a_first_reading_with_wrong_bits() {
        let samples = between(0.2);
        // Where bits are equal both halves are the same, and comparing them says nothing.
        let compared = slicer::compare(&samples, 1).map(|sliced| sliced.bits().0);
        assert!(compared.is_none_or(|bits| (bits ^ MESSAGE).count_ones() > 20));
        let wrong = MESSAGE ^ (1 << 3 | 1 << 20 | 1 << 37 | 1 << 64 | 1 << 80 | 1 << 90);
        let response = Response::fit(&samples, wrong, COUNT).unwrap();
        let sliced = response.likeliest(&samples, COUNT).unwrap();
        assert_eq!(sliced.bits(), (MESSAGE, COUNT));
        // A third of the squared noise, relative to the squared taps.
        assert!((0.01..0.06).contains(&sliced.cost), "{}", sliced.cost);
    }

    #[test]
    fn a_message_of_56_bits_is_read() {
        let bits = 0x005d_4d20_237a_55a6;
        let pulses = pulses(bits, 56);
        let halves: Vec<f32> = pulses[REACH..][..PREAMBLE + 112].to_vec();
        let response = Response::fit(&halves, bits, 56).unwrap();
        assert_eq!(response.likeliest(&halves, 56).unwrap().bits(), (bits, 56));
    }

    #[test]
    fn what_is_no_number_or_ends_early_is_no_message() {
        let halves = between(0.1);
        let response = Response::fit(&halves, MESSAGE, COUNT).unwrap();
        assert!(response.likeliest(&halves[..PREAMBLE + 2 * COUNT - 1], COUNT).is_none());
        for value in [f32::NAN, f32::INFINITY, f32::MAX] {
            assert!(Response::fit(&[value; 240], MESSAGE, COUNT).is_none());
        }
    }
}
