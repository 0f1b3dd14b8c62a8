//! Marks: at which values of the channel a message may begin. They depend on the values next to them and on nothing else, so
//! any worker can make those of any piece.

use superhet_kernels as kernels;
use superhet_runtime::C32;

use super::preamble::{self, BitSums, Bits};
use crate::transforms::with_floats;
use std::ops::{Range, RangeInclusive};

/// Values of the channel per half of a bit.
pub(super) const STRIDE: usize = 2;

/// Parts of the time between two values.
pub(super) const PARTS: usize = 8;

/// Values that a mark depends on: the one before the place it is about, that place, and what follows.
pub(super) const WINDOW: usize = 258;

/// Nothing begins here.
pub(super) const NONE: u8 = 0;

/// What looks like a preamble, but is not followed by bits.
const NO_MESSAGE: u8 = 1;

/// What looks like a preamble; whether a message begins here is still to be looked at.
pub(super) const HIT: u8 = 255;

/// A message that begins at the place itself; each part earlier or later is one less or more.
const HERE: u8 = 16;

/// What the contrast of [`preamble::Bits`] must be at least, where a message is read; 3 % of the noise that looks like
/// a preamble has so much.
const LEAST_CONTRAST: f32 = 0.36;

/// How far the pulses of a preamble stand above its quiet halves where no noise looks like it.
const CLEAR: f32 = 4.0;

/// [`LEAST_CONTRAST`] after a clear preamble: at 2 MHz the halves of many equal bits differ little, as the band ends where
/// their difference is.
const LEAST_CONTRAST_IF_CLEAR: f32 = 0.2;

/// What their level may be, relative to that of the preamble.
const LEVELS: RangeInclusive<f32> = 0.6..=2.2;

/// Marks that are made at a time.
const PIECE: usize = 2048;

/// Gives the mark of each place: `marks[n]` is about `values[n + 1]`.
///
/// `values` has `WINDOW - 1` values more than there are marks.
pub(super) fn find(values: &[C32], marks: &mut [u8]) {
    with_floats(PIECE + WINDOW - 1, |magnitudes| {
        for (n, marks) in marks.chunks_mut(PIECE).enumerate() {
            let magnitudes = &mut magnitudes[..marks.len() + WINDOW - 1];
            kernels::magnitude(magnitudes, &values[n * PIECE..][..marks.len() + WINDOW - 1]);
            marks.fill(NONE);
            let magnitudes = &*magnitudes;
            search(magnitudes, marks, |found, marks| {
                let (mut before, mut sums) = ([0; AT_ONCE], [BitSums::default(); AT_ONCE]);
                before.iter_mut().zip(found).for_each(|(before, found)| *before = found - 1);
                let sums = &mut sums[..found.len()];
                preamble::sums_of_bits(magnitudes, &before[..found.len()], sums);
                for (found, sums) in found.iter().zip(sums) {
                    marks[found - 1] = mark(magnitudes, *found, *sums);
                }
            });
        }
    });
}

/// As [`find`] in the magnitudes of the values, but says [`HIT`] wherever [`look`] would have to be called for the mark, and leaves
/// the other marks.
pub(super) fn hits(magnitudes: &[f32], marks: &mut [u8]) {
    search(magnitudes, marks, |found, marks| found.iter().for_each(|found| marks[found - 1] = HIT));
}

/// The mark of the hit `magnitudes[1]`.
pub(super) fn look(magnitudes: &[f32; WINDOW]) -> u8 {
    let mut sums = [BitSums::default()];
    preamble::sums_of_bits(magnitudes, &[0], &mut sums);
    mark(magnitudes, 1, sums[0])
}

/// Blocks that are searched at a time, and hits that are marked at a time: each call of a kernel takes some nanoseconds.
const BLOCKS: usize = 32;
const AT_ONCE: usize = 32;

/// Calls `mark` with the places from 1 to `marks.len()` that look like a preamble, some at a time.
fn search(magnitudes: &[f32], marks: &mut [u8], mut mark: impl FnMut(&[usize], &mut [u8])) {
    let (mut masks, mut found, mut count) = ([0; BLOCKS], [0; AT_ONCE], 0);
    // Whole blocks: there are values enough for the last one.
    for from in (1..=marks.len()).step_by(BLOCKS * preamble::BLOCK) {
        let starts: [usize; BLOCKS] = std::array::from_fn(|n| from + n * preamble::BLOCK);
        let blocks = (marks.len() + 1 - from).div_ceil(preamble::BLOCK).min(BLOCKS);
        preamble::hits::<STRIDE>(magnitudes, preamble::CHANNEL, &starts[..blocks], &mut masks[..blocks]);
        for (start, mut mask) in starts.into_iter().zip(masks).take(blocks) {
            while mask != 0 && start + mask.trailing_zeros() as usize <= marks.len() {
                found[count] = start + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                count += 1;
                if count == AT_ONCE {
                    mark(&found, marks);
                    count = 0;
                }
            }
        }
    }
    mark(&found[..count], marks);
}

/// The place of the message that a mark at `position` speaks of, in parts after the first position; `None` if it speaks of none.
pub(super) fn place(mark: u8, position: usize) -> Option<usize> {
    (mark > NO_MESSAGE)
        .then(|| (position * PARTS).saturating_add_signed(isize::from(mark) - isize::from(HERE)))
}

/// Whether [`place`] gives one for any of the marks.
pub(super) fn speak_of_messages(marks: &[u8]) -> bool {
    marks.iter().fold(0, |most, mark| most.max(*mark)) > NO_MESSAGE
}

/// The last of the marks that may matter to those behind them: a mark decides about the next place, too, so what comes before two
/// places without marks does not.
pub(super) fn last_row(marks: &[u8]) -> Range<usize> {
    marks.windows(2).rposition(|two| *two == [NONE; 2]).map_or(0, |n| n + 2)..marks.len()
}

/// The mark of the hit `found`, by the sums of the bits from the place before it on.
fn mark(magnitudes: &[f32], found: usize, sums: BitSums) -> u8 {
    let Some(candidate) = Candidate::near(found, preamble::bits(sums)) else { return NONE };
    match candidate.part(magnitudes) {
        Some(part) if preamble::has_bits::<STRIDE>(&magnitudes[candidate.best..]) => {
            // `best` is one place before `found` at the earliest.
            let later = ((candidate.best + 1 - found) * PARTS) as isize - PARTS as isize;
            (isize::from(HERE) + later + part) as u8
        }
        _ => NO_MESSAGE,
    }
}

/// The value about which a message may begin.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    best: usize,
    /// What its bits are together.
    level: f32,
    /// Their contrast if the message begins one value earlier, here, and one later.
    contrasts: [f32; 3],
}

impl Candidate {
    /// The likeliest beginning next to the hit `found`; `None` if it is further behind, where there will be another hit.
    fn near(found: usize, bits: [Bits; 4]) -> Option<Self> {
        let best = (0..4).max_by(|&a, &b| bits[a].contrast.total_cmp(&bits[b].contrast))?;
        // Half a bit later and earlier are the same.
        let contrasts = [(best + 3) % 4, best, (best + 1) % 4].map(|n| bits[n].contrast);
        (best < 3).then_some(Self { best: found - 1 + best, level: bits[best].level, contrasts })
    }

    /// By how many parts it begins after `best`, if the halves of the bits differ enough and are as loud as the preamble.
    fn part(&self, magnitudes: &[f32]) -> Option<isize> {
        let [before, top, after] = self.contrasts;
        let (pulse, quiet) = preamble::means::<STRIDE>(&magnitudes[self.best..]);
        let least = if pulse > CLEAR * quiet { LEAST_CONTRAST_IF_CLEAR } else { LEAST_CONTRAST };
        if !(top > least && LEVELS.contains(&(self.level / (pulse + quiet)))) {
            return None;
        }
        // The top of the parabola through the three.
        let bend = before + after - 2.0 * top;
        let part = if bend < 0.0 { ((before - after) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 };
        Some((part * PARTS as f32).round() as isize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    /// The magnitudes of an all-call reply whose preamble begins at value `at`.
    fn reply(at: usize) -> Vec<C32> {
        let bytes = [0x5d, 0x4d, 0x20, 0x23, 0x7a, 0x55, 0xa6_u8];
        let ones = (0..56).map(|bit| 16 + 2 * bit + usize::from(bytes[bit / 8] >> (7 - bit % 8) & 1 == 0));
        let mut values: Vec<C32> = complex_noise(at + 1000).iter().map(|value| *value * 0.01).collect();
        for half in [0, 2, 7, 9].into_iter().chain(ones) {
            values[at + 2 * half] = C32::ONE;
            values[at + 2 * half + 1] += C32::new(0.5, 0.0);
        }
        values
    }

    fn marks(values: &[C32]) -> Vec<u8> {
        let mut marks = vec![77; values.len() + 1 - WINDOW];
        find(values, &mut marks);
        marks
    }

    #[test]
    fn a_message_is_marked_where_it_begins() {
        for at in [3, 100, 2040, 2049, 5000] {
            let marks = marks(&reply(at));
            let places: Vec<usize> = (0..marks.len()).filter_map(|n| place(marks[n], n + 1)).collect();
            assert!(
                !places.is_empty() && places.iter().all(|place| place.abs_diff(at * PARTS) <= PARTS),
                "{places:?}"
            );
        }
    }

    #[test]
    fn marks_do_not_depend_on_where_the_values_are_cut() {
        let values: Vec<C32> = (0..3).flat_map(|n| reply(2000 + n)).collect();
        let whole = marks(&values);
        assert!(whole.iter().any(|mark| *mark > NO_MESSAGE) && whole.contains(&NONE));
        // Also where the first place of a piece is that of a message.
        for length in [1, 7, 64, 500, 2047, 2048] {
            let cut = (0..whole.len()).step_by(length).flat_map(|from| {
                let count = length.min(whole.len() - from);
                marks(&values[from..][..count + WINDOW - 1])
            });
            assert_eq!(cut.collect::<Vec<u8>>(), whole, "pieces of {length}");
        }
    }

    #[test]
    fn hits_looked_at_one_by_one_give_the_same_marks() {
        let values = reply(3000);
        let whole = marks(&values);
        let magnitudes: Vec<f32> = values.iter().map(|value| value.norm()).collect();
        let mut hits = vec![NONE; whole.len()];
        super::hits(&magnitudes, &mut hits);
        for (n, hit) in hits.into_iter().enumerate() {
            let mark = if hit == HIT { look(magnitudes[n..].first_chunk().unwrap()) } else { hit };
            assert_eq!(mark, whole[n], "at {n}");
        }
    }

    #[test]
    fn the_last_row_begins_behind_two_places_without_marks() {
        for (marks, row) in [
            (&[1, 1, 0, 1, 1][..], 0..5),
            (&[1, 0, 0, 1, 0, 1], 3..6),
            (&[0, 0, 0, 1], 3..4),
            (&[1, 1, 0, 0], 4..4),
            (&[0], 0..1),
            (&[], 0..0),
        ] {
            assert_eq!(last_row(marks), row, "{marks:?}");
        }
        assert!(!speak_of_messages(&[NONE, NO_MESSAGE]) && speak_of_messages(&[NONE, NO_MESSAGE + 1, NONE]));
    }

    #[test]
    fn values_that_are_no_numbers_are_no_messages() {
        for value in [f32::NAN, f32::INFINITY, f32::MAX, 0.0] {
            assert!(marks(&[C32::new(value, value); 1000]).iter().all(|mark| place(*mark, 1).is_none()));
        }
    }
}
