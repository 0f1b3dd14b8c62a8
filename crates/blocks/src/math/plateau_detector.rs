//! The middles of plateaus.
//!
//! Where a plateau begins or ends is looked for in blocks of items, by comparisons of vectors; what costs time is plateaus, not
//! items.

use superhet_runtime::{Block, BlockError, Context, In, Out, Step, Work, declare};

use super::peak_detector::Pending;
use crate::error::{Error, check_to_one};

/// Gives 1 in the middle of each run of two or more items at or above a threshold, else 0. A single such item is a spike.
///
/// Behind the item that ends a plateau no other begins for `max_length` items.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `u8` | 1 in the middle of a plateau; of an even number of items the second one there |
///
/// Tags end here. A plateau that the stream's end cuts off is none.
///
/// ```
/// use superhet_blocks::math::PlateauDetector;
/// use superhet_runtime::harness;
///
/// let y: Vec<u8> = harness::run(PlateauDetector::new(2, 0.9)?, &[0.0f32, 1.0, 1.0, 1.0, 0.0]);
/// assert_eq!(y, [0, 0, 1, 0, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct PlateauDetector {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: Out<u8>,
    detector: Detector,
}

/// What the block knows of the plateau that goes on.
#[derive(Debug)]
struct Detector {
    max_length: usize,
    threshold: f32,
    /// Items of the plateau that goes on.
    run: usize,
    /// Items in which none begins.
    rest: usize,
    pending: Pending,
}

#[declare(
    category = "math",
    summary = "Gives 1 in the middle of each run of items at or above a threshold.",
    ports(input("in", "f32", "x"), output("out", "u8", "1 in the middle of a plateau"))
)]
impl PlateauDetector {
    /// Looks for items of `threshold` and more.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `max_length` is 1 to 2²⁴.
    pub fn new(
        /// Behind a plateau, how long none begins.
        #[param(unit = "items", range = 1..)]
        max_length: usize,
        /// The least value of the items of a plateau.
        #[param(default = 0.9)]
        threshold: f32,
    ) -> Result<Self, Error> {
        check_to_one("max_length", max_length)?;
        let (input, output) = (In::new().min(0), Out::new());
        let detector = Detector { max_length, threshold, run: 0, rest: 0, pending: Pending::default() };
        Ok(PlateauDetector { input, output, detector })
    }
}

impl Detector {
    fn take(&mut self, mut x: &[f32]) {
        let threshold = self.threshold;
        let belongs = |x: f32| x >= threshold;
        while !x.is_empty() {
            if self.rest > 0 {
                let n = self.rest.min(x.len());
                self.rest -= n;
                self.pending.push(false, n);
                x = &x[n..];
                continue;
            }
            if self.run == 0 {
                let n = first(x, belongs);
                self.pending.push(false, n);
                x = &x[n..];
            }
            let n = first(x, |x| !belongs(x));
            self.run += n;
            x = &x[n..];
            if !x.is_empty() {
                self.end();
                x = &x[1..];
            }
        }
    }

    /// The item behind a plateau, or behind a spike.
    fn end(&mut self) {
        match std::mem::take(&mut self.run) {
            run @ ..2 => self.pending.push(false, run),
            run => {
                self.pending.push(false, run / 2);
                self.pending.push(true, run - run / 2 - 1);
                self.rest = self.max_length;
            }
        }
        self.pending.push(false, 1);
    }
}

/// The place of the first item that is what is looked for, or behind the last one.
#[inline(always)]
fn first(x: &[f32], is_it: impl Fn(f32) -> bool + Copy) -> usize {
    const BLOCK: usize = 32;
    let blocks = x.as_chunks::<BLOCK>().0;
    let without =
        blocks.iter().take_while(|block| !block.iter().fold(false, |any, x| any | is_it(*x))).count();
    let from = without * BLOCK;
    from + x[from..].iter().position(|x| is_it(*x)).unwrap_or(x.len() - from)
}

impl Work for PlateauDetector {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.output.index();
        self.detector.pending.write(&mut self.output);
        let mut taken = 0;
        if self.detector.pending.is_empty() {
            taken = self.input.available();
            self.detector.take(self.input.peek());
            self.input.consume(taken);
            self.detector.pending.write(&mut self.output);
        }
        Ok(self.detector.pending.step(taken, before, &self.output))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.detector.pending.push(false, std::mem::take(&mut self.detector.run));
        self.detector.pending.write(&mut self.output);
        Ok(if self.detector.pending.is_empty() { Step::Done } else { Step::NeedOutput })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_gives;

    /// Checks that the middles lie at `places`.
    fn assert_middles(max_length: usize, threshold: f32, x: &[f32], places: &[usize]) {
        let wanted: Vec<u8> = (0..x.len()).map(|place| u8::from(places.contains(&place))).collect();
        assert_gives(|| PlateauDetector::new(max_length, threshold).unwrap(), x, &wanted);
    }

    fn levels(runs: &[(u8, usize)]) -> Vec<f32> {
        runs.iter().flat_map(|&(level, n)| vec![f32::from(level); n]).collect()
    }

    #[test]
    fn middles_are_those_of_gnu_radio_wherever_the_stream_is_cut() {
        let x = levels(&[(0, 2), (1, 3), (0, 3), (1, 10), (0, 2), (1, 1), (0, 4), (1, 5), (0, 2)]);
        for (length, places) in [(1, &[3, 13, 27][..]), (5, &[3, 14, 27]), (3, &[3, 13, 27]), (10, &[3, 17])]
        {
            assert_middles(length, 0.9, &x, places);
        }
    }

    #[test]
    fn the_rest_begins_behind_the_item_that_ends_a_plateau() {
        for (gap, places) in [(4, &[5][..]), (5, &[5, 15]), (6, &[5, 15]), (7, &[5, 16])] {
            assert_middles(6, 0.9, &levels(&[(0, 3), (1, 4), (0, gap), (1, 4), (0, 9)]), places);
        }
    }

    #[test]
    fn items_that_equal_the_threshold_belong_to_a_plateau_and_one_alone_is_none() {
        assert_middles(4, 1.0, &levels(&[(0, 3), (1, 1), (0, 1), (1, 2), (0, 9)]), &[6]);
    }

    #[test]
    fn plateaus_are_those_that_items_one_by_one_make() {
        let (mut state, x) = (7u32, 20_000);
        let x: Vec<f32> = (0..x)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if state >> 29 == 0 { f32::NAN } else { ((state >> 24) as f32 / 256.0).sqrt() }
            })
            .collect();
        for (max_length, threshold) in [(1, 0.5), (3, 0.3), (40, 0.9), (1, 2.0), (1, 0.0)] {
            let (mut wanted, mut run, mut rest) = (vec![0u8; x.len()], 0, 0);
            for (n, x) in x.iter().enumerate() {
                if rest > 0 {
                    rest -= 1;
                } else if *x >= threshold {
                    run += 1;
                } else {
                    if run > 1 {
                        wanted[n - run + run / 2] = 1;
                        rest = max_length;
                    }
                    run = 0;
                }
            }
            assert_gives(|| PlateauDetector::new(max_length, threshold).unwrap(), &x, &wanted);
        }
    }

    #[test]
    fn a_plateau_that_is_not_over_is_none() {
        assert_gives(|| PlateauDetector::new(3, 0.9).unwrap(), &[0.0f32, 1.0, 1.0], &[0u8; 3]);
        assert!(PlateauDetector::new(0, 0.9).is_err());
    }
}
