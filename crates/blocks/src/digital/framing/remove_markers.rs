//! Markers that come again and again, found, turned upright by, and taken out.

use std::collections::VecDeque;

use superhet_runtime::{
    Block, BlockError, Context, In, Out, Ratio, Step, Tag, Work, declare, tag::Conversion,
};

use crate::digital::framing::access_code::AccessCode;
use crate::error::{Error, check};

/// Finds a word that begins every so many soft bits, turns the bits as it says, and gives those between.
///
/// The means of 64 periods show where the bits are that stay the same. What a demodulator of QPSK or OQPSK cannot know, which quarter of a
/// turn its carrier is off by, makes of a stream one in which even bits, odd bits or both are inverted, or in which the two bits of each
/// pair have also changed places. The word is looked for in each of these, and they are undone. Where the word fades for 64 periods
/// or so, it is looked for again. What comes before it is found does not pass.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | soft bits, positive for 1, those of the two axes in turn |
/// | out `out` | `f32` | the same, upright, without the words |
///
/// Tags move to the next bit that is given. What is not finite counts as 0.
///
/// ```
/// use superhet_blocks::digital::RemoveMarkers;
/// use superhet_runtime::harness;
///
/// // The word 00100111, and behind it twelve bits that change.
/// let bit = |n: usize| if n % 20 < 8 { 0x27 >> (7 - n % 20) & 1 } else { n * n / 7 % 2 };
/// let sent: Vec<f32> = (0..4000).map(|n| bit(n) as f32 * 2.0 - 1.0).collect();
/// let inverted: Vec<f32> = sent.iter().map(|x| -x).collect();
/// let got: Vec<f32> = harness::run(RemoveMarkers::new("0x27", 20)?, &inverted[3..]);
/// assert_eq!(got[..24], [&sent[28..40], &sent[48..60]].concat());
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct RemoveMarkers {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: Out<f32>,
    /// −1 or 1 for each bit of the word.
    word: Vec<f32>,
    period: usize,
    /// What was taken and is not given yet; while the word is followed, it begins with it.
    waiting: VecDeque<f32>,
    /// How many items were taken before these.
    before: u64,
    turn: Option<Turn>,
    /// The mean of what the word came to lately, 1 for one without noise.
    quality: f32,
    ready: VecDeque<f32>,
    tags: VecDeque<Tag>,
}

/// What became of the bits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Whether pairs, counted from the first item of the stream, have changed places.
    swapped: bool,
    /// By what even and odd bits of a period are multiplied.
    signs: [f32; 2],
}

/// So many periods make a mean.
const PERIODS: usize = 64;
/// The word is there where the mean, in parts of what it is without noise, is more than this; it was lost where it is less than the other.
const FOUND: f32 = 0.5;
const LOST: f32 = 0.2;

impl RemoveMarkers {
    /// Finds a word of 4 to 64 bits that begins every `period` soft bits.
    ///
    /// # Errors
    /// [`Error::WrongKind`] where the word is none, [`Error::OutOfRange`] where it is too short or the period is out of its range.
    pub fn new(access_code: &str, period: usize) -> Result<Self, Error> {
        let word = AccessCode::new(access_code, 0)?.signs();
        check(word.len() >= 4, "access_code", "4 to 64 bits", word.len() as f64)?;
        let fits = period <= 65536 && period.is_multiple_of(2) && period > word.len();
        check(fits, "period", "an even number beyond the word's length, at most 65536", period as f64)?;
        let ratio = Ratio { interpolation: period - word.len(), decimation: period };
        Ok(RemoveMarkers {
            input: In::new(),
            output: Out::new().converted(Conversion::new(ratio)),
            word,
            period,
            waiting: VecDeque::new(),
            before: 0,
            turn: None,
            quality: 0.0,
            ready: VecDeque::new(),
            tags: VecDeque::new(),
        })
    }

    /// Item `place` of those that wait, with pairs as `swapped` says.
    fn item(&self, place: usize, swapped: bool) -> Option<f32> {
        if !swapped {
            return self.waiting.get(place).copied();
        }
        // An odd item comes from one place before, an even one from one behind.
        let other = if (self.before + place as u64) % 2 == 1 { place.checked_sub(1)? } else { place + 1 };
        self.waiting.get(other).copied()
    }

    /// Looks for the word in as many periods as make a mean; where it begins, and what became of the bits.
    fn search(&self) -> Option<(usize, Turn)> {
        let (period, n) = (self.period, self.period * PERIODS);
        let size = (0..n).filter_map(|place| self.item(place, false)).map(f32::abs).sum::<f32>() / n as f32;
        let mut best = (FOUND * self.word.len() as f32 * size, None);
        for swapped in [false, true] {
            let mut means = vec![0.0; period];
            for place in 0..n {
                // At an end the other one of a pair may not be there.
                means[place % period] += self.item(place, swapped).unwrap_or(0.0) / PERIODS as f32;
            }
            for begin in 0..period {
                let part = |first: usize| -> f32 {
                    let bits = self.word.iter().enumerate().skip(first).step_by(2);
                    bits.map(|(bit, sign)| sign * means[(begin + bit) % period]).sum()
                };
                let (even, odd) = (part(0), part(1));
                let score = even.abs() + odd.abs();
                if score > best.0 {
                    let signs = [even, odd].map(|sum| if sum < 0.0 { -1.0 } else { 1.0 });
                    best = (score, Some((begin, Turn { swapped, signs })));
                }
            }
        }
        best.1
    }

    /// Forgets the first items that wait.
    fn drop_first(&mut self, items: usize) {
        self.waiting.drain(..items);
        self.before += items as u64;
    }

    /// Does what can be done with the items that wait.
    fn go_on(&mut self) {
        loop {
            let Some(turn) = self.turn else {
                // One more, whose pair may lie behind.
                if self.waiting.len() <= self.period * PERIODS {
                    return;
                }
                match self.search() {
                    Some((begin, turn)) => {
                        self.turn = Some(turn);
                        self.quality = 1.0;
                        self.drop_first(begin);
                    }
                    None => self.drop_first(self.period * PERIODS / 2),
                }
                continue;
            };
            if self.waiting.len() <= self.period {
                return;
            }
            let upright: Vec<f32> = (0..self.period)
                .map(|place| turn.signs[place % 2] * self.item(place, turn.swapped).unwrap_or(0.0))
                .collect();
            let size = upright.iter().map(|soft| soft.abs()).sum::<f32>() / self.period as f32;
            let sum: f32 = upright.iter().zip(&self.word).map(|(soft, sign)| soft * sign).sum();
            let now = if size > 0.0 { sum / (size * self.word.len() as f32) } else { 0.0 };
            self.quality += (now.clamp(-2.0, 2.0) - self.quality) / (PERIODS as f32 / 2.0);
            if self.quality < LOST {
                self.turn = None;
                continue;
            }
            self.ready.extend(&upright[self.word.len()..]);
            self.drop_first(self.period);
        }
    }

    /// Gives what is ready; whether nothing is left.
    fn give(&mut self) -> bool {
        let room = self.output.reserve();
        let n = room.len().min(self.ready.len());
        room.iter_mut().zip(self.ready.drain(..n)).for_each(|(y, soft)| *y = soft);
        self.output.produce(n);
        self.ready.is_empty()
    }

    /// Hands on the tags of items that are dealt with.
    fn pass_tags(&mut self, end: u64) {
        while let Some(tag) = self.tags.pop_front_if(|tag| tag.index < end) {
            let index = self.output.index() + self.ready.len() as u64;
            self.output.put_tag(Tag { index, ..tag });
        }
    }
}

/// So many items are taken in one call.
const AT_ONCE: usize = 4096;

impl Work for RemoveMarkers {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let had = self.ready.len();
        if !self.give() {
            return Ok(if self.ready.len() < had { Step::Ran } else { Step::NeedOutput });
        }
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            return Ok(if had > 0 { Step::Ran } else { Step::NeedInput });
        }
        let RemoveMarkers { input, waiting, tags, .. } = self;
        input.for_each_tag(n, |tag| tags.push_back(tag.clone()));
        waiting.extend(input.peek()[..n].iter().map(|soft| if soft.is_finite() { *soft } else { 0.0 }));
        input.consume(n);
        self.go_on();
        self.pass_tags(self.before);
        self.give();
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.give() {
            return Ok(Step::NeedOutput);
        }
        self.pass_tags(u64::MAX);
        Ok(Step::Done)
    }
}

#[declare(
    category = "digital",
    summary = "Finds a word that begins every so many soft bits, turns them upright by it, and gives those between.",
    ports(
        input("in", "f32", "soft bits, positive for 1"),
        output("out", "f32", "the soft bits between the words, upright")
    )
)]
fn remove_markers(
    /// The word, up to 64 digits, each 0 or 1, or 0x….
    access_code: &str,
    /// From one word to the next, an even number.
    #[param(unit = "bits", range = 6..=65536)]
    period: usize,
) -> Result<RemoveMarkers, Error> {
    RemoveMarkers::new(access_code, period)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    /// Soft bits with a word of 0x27 before each 72 others, and those others.
    fn sent(periods: usize) -> (Vec<f32>, Vec<f32>) {
        let data: Vec<f32> = noise(72 * periods).iter().map(|x| x.signum()).collect();
        let word = AccessCode::new("0x27", 0).unwrap().signs();
        (data.chunks(72).flat_map(|data| word.iter().chain(data).copied()).collect(), data)
    }

    fn block() -> RemoveMarkers {
        RemoveMarkers::new("0x27", 80).unwrap()
    }

    #[test]
    fn what_a_carrier_makes_of_the_bits_is_undone_wherever_the_stream_begins() {
        let (all, data) = sent(200);
        for skipped in [0, 1, 21, 78, 79] {
            let x = &all[skipped..];
            let pairs = x.len() / 2 * 2;
            let turned: [Vec<f32>; 5] = [
                x.to_vec(),
                x.iter().map(|x| -x).collect(),
                x.iter().enumerate().map(|(n, x)| if n % 2 == 0 { *x } else { -x }).collect(),
                // (I, Q) becomes (−Q, I) and (Q, −I).
                x[..pairs].chunks(2).flat_map(|pair| [-pair[1], pair[0]]).collect(),
                x[..pairs].chunks(2).flat_map(|pair| [pair[1], -pair[0]]).collect(),
            ];
            for (number, x) in turned.iter().enumerate() {
                let y: Vec<f32> = harness::run(block(), x);
                let first = if skipped == 0 { 0 } else { 72 };
                assert!(y.len() > 72 * 190, "{number}, {skipped}: {}", y.len());
                assert_eq!(y, data[first..first + y.len()], "{number}, {skipped}");
            }
        }
    }

    #[test]
    fn the_word_is_found_in_noise_as_strong_as_the_signal_and_not_in_noise_alone() {
        let (all, data) = sent(400);
        let noise = noise(12 * all.len());
        let noise = noise.chunks(12).map(|parts| parts.iter().sum::<f32>() / 2.0);
        let x: Vec<f32> = all.iter().zip(noise.clone()).map(|(x, noise)| x + noise).collect();
        let y: Vec<f32> = harness::run(block(), &x);
        assert!(y.len() >= 72 * 398);
        let wrong = y.iter().zip(&data).filter(|(y, sent)| *y * *sent < 0.0).count();
        assert!(wrong * 5 < y.len(), "{wrong} of {}", y.len());
        let x: Vec<f32> = noise.collect();
        let y: Vec<f32> = harness::run(block(), &x);
        assert!(y.is_empty(), "{}", y.len());
    }

    #[test]
    fn a_word_that_was_lost_is_found_again() {
        let (all, data) = sent(1000);
        // Seven bits are missing, and the rest is inverted.
        let x: Vec<f32> = all[..40_000].iter().copied().chain(all[40_007..].iter().map(|x| -x)).collect();
        let y: Vec<f32> = harness::run(block(), &x);
        assert_eq!(y[..36_000], data[..36_000]);
        let last = &y[y.len() - 20_000..];
        let end = data.len() - 72;
        assert!(last == &data[end - 20_000..end] || last == &data[data.len() - 20_000..]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (all, _) = sent(150);
        let x: Vec<f32> = all[11..].iter().zip(noise(all.len())).map(|(x, noise)| x + noise).collect();
        harness::assert_cut_invariant(block, &x);
    }

    #[test]
    fn words_and_periods_that_do_not_fit_are_refused() {
        for (word, period) in [("0x27", 8), ("0x27", 81), ("0x27", 65538), ("101", 80), ("x", 80)] {
            assert!(RemoveMarkers::new(word, period).is_err(), "{word}, {period}");
        }
    }
}
