//! The highest items behind where a signal crosses a threshold.
//!
//! The averages of a chunk come from `filters/recursion.rs`; an item outside of a window costs a comparison then, and one in a window
//! the search for the highest, by a kernel.

use superhet_kernels as kernels;
use superhet_runtime::{Block, BlockError, Context, In, Out, Step, Work, declare, tag::forward_tags};

use super::peak_detector::Average;
use crate::error::{Error, check, check_to_one};
use crate::filters::recursion::CHUNK;

/// Gives 1 at the highest item of each window that begins where a signal crosses a threshold, else 0.
///
/// The average is `m ← (1 − α) m + α x`, from 0 on. A window of `look_ahead` items begins with an item outside all windows that
/// is above `(1 + rise) m`, which it is part of itself. The first of its highest items gets the 1. A window that the stream's end
/// cuts off is as long as there are items.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `u8` | 1 at a peak |
/// | out `average` | `f32` | `m`, that of `in`; may stay unconnected |
///
/// The average is computed in double precision. An item that is not finite gives the average that the formula says, once, and the average does not take it.
///
/// ```
/// use superhet_blocks::math::PeakDetector2;
/// use superhet_runtime::{AnyBlock, Options, harness};
///
/// let block = AnyBlock::new(PeakDetector2::new(1.0, 3, 0.1)?);
/// let y: Vec<u8> = harness::run_any(block, &[0.0f32, -0.1, 1.0, 3.0, 2.0, 0.1, 0.0], &Options::default())?;
/// assert_eq!(y, [0, 0, 0, 1, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PeakDetector2 {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: Out<u8>,
    #[port("average")]
    average_output: Out<f32>,
    rise: f32,
    look_ahead: usize,
    alpha: f32,
    average: Average,
    /// The averages of items that are not given yet: of the chunk, those from `given` on.
    averages: Vec<f32>,
    given: usize,
    /// Of the window that goes on: the items to come, and how many of them come up to its peak, if that is one of them.
    window: (usize, Option<usize>),
}

#[declare(
    name = "peak_detector2",
    category = "math",
    summary = "Gives 1 at the highest item behind where a signal crosses a threshold.",
    ports(
        input("in", "f32", "x"),
        output("out", "u8", "1 at a peak"),
        output("average", "f32", "the average; may stay unconnected")
    )
)]
impl PeakDetector2 {
    /// A detector of peaks, whose average takes `alpha` of each new item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `look_ahead` is 1 to 2²⁴ and `alpha` is from 0 to 1.
    pub fn new(
        /// A window begins above (1 + this) times the average.
        #[param(default = 7.0)]
        rise: f32,
        /// How long a window is.
        #[param(unit = "items", range = 1.., default = 1000)]
        look_ahead: usize,
        /// What the average takes of each new item.
        #[param(range = 0.0..=1.0, default = 0.001)]
        alpha: f32,
    ) -> Result<Self, Error> {
        check_to_one("look_ahead", look_ahead)?;
        check((0.0..=1.0).contains(&alpha), "alpha", "a number from 0 to 1", alpha)?;
        Ok(PeakDetector2 {
            input: In::new().min(look_ahead),
            output: Out::new(),
            average_output: Out::new().optional(),
            rise,
            look_ahead,
            alpha,
            average: Average::new(alpha),
            averages: Vec::new(),
            given: 0,
            window: (0, None),
        })
    }

    /// Gives what there is room for of what is decided; `is_end` says that no more items come.
    fn give(&mut self, is_end: bool) -> Step {
        let x = if is_end { self.input.rest() } else { self.input.peek() };
        let peaks = self.output.reserve();
        let mut room = peaks.len();
        let is_connected = self.average_output.is_connected();
        let average_room = self.average_output.reserve();
        if is_connected {
            room = room.min(average_room.len());
        }
        let had_room = room;
        let room = room.min(x.len());
        let mut n = 0;
        while n < room {
            if self.given == self.averages.len() {
                self.averages.clear();
                self.given = 0;
                let next = &x[n..x.len().min(n + CHUNK)];
                average_each(&mut self.average, self.alpha, next, &mut self.averages);
            }
            let averages = &self.averages[self.given..];
            // Of this round: a window, what lies before one, or what there is of either.
            let mut items = averages.len().min(room - n);
            if self.window.0 == 0 {
                let above = |(x, average): (&f32, &f32)| *x > (1.0 + self.rise) * average;
                match x[n..n + items].iter().zip(averages).position(above) {
                    Some(0) => {
                        let left = &x[n..];
                        if left.len() < self.look_ahead && !is_end {
                            break;
                        }
                        let window = &left[..self.look_ahead.min(left.len())];
                        self.window = (window.len(), Some(highest(window)));
                    }
                    Some(outside) => items = outside,
                    None => {}
                }
            }
            let (to_come, peak) = &mut self.window;
            if *to_come > 0 {
                items = items.min(*to_come);
            }
            peaks[n..n + items].fill(0);
            if let Some(ahead) = peak.filter(|ahead| *ahead < items) {
                peaks[n + ahead] = 1;
            }
            *peak = peak.and_then(|ahead| ahead.checked_sub(items));
            *to_come = to_come.saturating_sub(items);
            if is_connected {
                average_room[n..n + items].copy_from_slice(&averages[..items]);
            }
            self.given += items;
            n += items;
        }
        let had = x.len();
        forward_tags(&mut self.input, &mut self.output, n);
        self.input.consume(n);
        self.output.produce(n);
        if is_connected {
            self.average_output.produce(n);
        }
        match n {
            0 if had > 0 && had_room == 0 => Step::NeedOutput,
            0 => Step::NeedInput,
            _ => Step::Ran,
        }
    }
}

/// The average behind each of at most [`CHUNK`] items; one that is not finite gives what the formula says, and changes nothing.
fn average_each(average: &mut Average, alpha: f32, mut x: &[f32], averages: &mut Vec<f32>) {
    while !x.is_empty() {
        let all_finite = x.iter().fold(true, |all, x| all & x.is_finite());
        let n = if all_finite { x.len() } else { x.iter().position(|x| !x.is_finite()).unwrap_or(x.len()) };
        let (finite, others) = x.split_at(n);
        if n > 0 {
            averages.extend(average.take(finite.iter().copied()).iter().map(|average| *average as f32));
        }
        x = others;
        if let [bad, behind @ ..] = others {
            let now = average.now() as f32;
            averages.push(now + alpha * (bad - now));
            x = behind;
        }
    }
}

/// The place of the first of the highest items, the first of which is a number.
fn highest(window: &[f32]) -> usize {
    kernels::index_of_max_f32(window).unwrap_or(0)
}

impl Work for PeakDetector2 {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(self.give(false))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.input.rest().is_empty() {
            forward_tags(&mut self.input, &mut self.output, 0);
            return Ok(Step::Done);
        }
        Ok(self.give(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, cuts};
    use superhet_runtime::harness::{self, VecSink, VecSource};
    use superhet_runtime::{AnyBlock, Graph, Options, Single};

    #[test]
    fn peaks_are_those_of_gnu_radio_wherever_the_stream_is_cut() {
        let mut x = vec![0.1f32; 300];
        let peaks =
            [(50, 1.0), (53, 2.0), (57, 1.5), (100, 3.0), (101, 2.0), (150, 1.0), (160, 1.0), (170, 1.0)];
        peaks.iter().chain(&[(250, 4.0)]).for_each(|&(place, level)| x[place] = level);
        for (look_ahead, places) in [
            (10, &[0, 53, 100, 150, 160, 170, 250][..]),
            (3, &[0, 3, 6, 50, 53, 57, 100, 150, 160, 170, 250]),
            (50, &[0, 53, 100, 150, 250]),
        ] {
            let wanted: Vec<u8> = (0..x.len()).map(|place| u8::from(places.contains(&place))).collect();
            assert_gives(|| PeakDetector2::new(2.0, look_ahead, 0.05).unwrap(), &x, &wanted);
        }
    }

    #[test]
    fn the_average_is_a_stream_of_its_own() {
        for options in cuts() {
            let mut graph = Graph::new();
            graph.add("source", VecSource::new(vec![0.0f32, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0]));
            graph.add("detector", PeakDetector2::new(2.0, 3, 0.1).unwrap());
            let (peaks, averages) = (VecSink::<u8>::new(), VecSink::<f32>::new());
            let (places, levels) = (peaks.items(), averages.items());
            graph.add("peaks", peaks);
            graph.add("averages", averages);
            graph.connect_names("source", "detector");
            graph.connect_names("detector.out", "peaks");
            graph.connect_names("detector.average", "averages");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            assert_eq!(places.take(), [0, 0, 0, 0, 1, 0, 0]);
            let wanted = [0.0, 0.0, 0.0, -0.1, 0.01, 0.009, 0.0081f32];
            assert!(levels.take().iter().zip(wanted).all(|(level, wanted)| (level - wanted).abs() < 1e-6));
        }
    }

    #[test]
    fn what_is_no_number_is_a_peak_only_where_it_begins_a_window() {
        let x = [f32::NAN, 1.0, 2.0];
        assert_gives(|| PeakDetector2::new(2.0, 2, 0.1).unwrap(), &x, &[0u8, 0, 1]);
        assert!(PeakDetector2::new(2.0, 0, 0.1).is_err() && PeakDetector2::new(2.0, 1, f32::NAN).is_err());
    }

    #[test]
    fn peaks_are_found_behind_an_item_that_is_no_number() {
        let x = [0.0, f32::NAN, -0.1, 1.0, 3.0, 2.0, 0.1, 0.0];
        let block = AnyBlock::new(PeakDetector2::new(1.0, 3, 0.1).unwrap());
        let y: Vec<u8> = harness::run_any(block, &x, &Options::default()).unwrap();
        assert_eq!(y, [0, 0, 0, 0, 1, 0, 0, 0]);
    }
}
