//! Peaks of a signal, against its average.

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare};

use crate::error::{Error, check};

/// Gives 1 at each peak, else 0.
///
/// The average is `m ← (1 − α) m + α x`, from 0 on. A peak begins above `rise · m` and ends where an item that is not its largest
/// is not above `fall · m`; the 1 comes at its largest item. A peak that the stream's end cuts off is none.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32`, `i32` or `i16` | any |
/// | out `out` | `u8` | 1 at a peak |
///
/// Tags end here. The average does not take items that are not finite.
///
/// ```
/// use superhet_blocks::math::PeakDetector;
/// use superhet_runtime::harness;
///
/// let y: Vec<u8> = harness::run(PeakDetector::<f32>::new(2.0, 1.0, 0.1)?, &[0.1f32, 0.0, 1.0, 3.0, 2.0, 0.1, 0.0]);
/// assert_eq!(y, [1, 0, 0, 1, 0, 0, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct PeakDetector<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<u8>,
    rise: f32,
    fall: f32,
    alpha: f32,
    average: f32,
    /// Of a peak that is not over: its largest item, and how many items came behind that.
    peak: Option<(f32, usize)>,
    /// What has been found and is not given: zeros, and whether a 1 comes before them.
    pending: Pending,
}

/// Ones and zeros that are to be given: runs of zeros, each behind a 1 or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending(std::collections::VecDeque<(bool, usize)>);

impl Pending {
    /// So many zeros, behind a 1 or not.
    pub fn push(&mut self, one: bool, zeros: usize) {
        match self.0.back_mut() {
            Some((_, last)) if !one => *last += zeros,
            _ if one || zeros > 0 => self.0.push_back((one, zeros)),
            _ => {}
        }
    }

    /// Whether there is nothing to give.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives what there is room for.
    pub fn write(&mut self, output: &mut Out<u8>) {
        let room = output.reserve();
        let mut given = 0;
        while given < room.len() {
            let Some((one, zeros)) = self.0.front_mut() else { break };
            if std::mem::take(one) {
                room[given] = 1;
                given += 1;
                continue;
            }
            let n = (*zeros).min(room.len() - given);
            room[given..given + n].fill(0);
            *zeros -= n;
            given += n;
            if *zeros == 0 {
                self.0.pop_front();
            }
        }
        // A 1 at the end of the room leaves a run of no zeros.
        if self.0.front() == Some(&(false, 0)) {
            self.0.pop_front();
        }
        output.produce(given);
    }

    /// What a block says that has run: it took `taken` items and gave what there was room for.
    pub fn step(&self, taken: usize, before: u64, output: &Out<u8>) -> Step {
        match (taken > 0 || output.index() > before, self.is_empty()) {
            (true, _) => Step::Ran,
            (false, true) => Step::NeedInput,
            (false, false) => Step::NeedOutput,
        }
    }
}

/// Real items that a peak is looked for in.
pub trait Level: Item {
    /// The item as a number.
    fn level(self) -> f32;
}

macro_rules! level {
    ($($type:ty),*) => { $(impl Level for $type {
        fn level(self) -> f32 {
            self as f32
        }
    })* };
}
level!(f32, i32, i16);

#[declare(
    category = "math",
    summary = "Gives 1 at each peak of a signal, against its average.",
    items(f32, i32, i16),
    ports(input("in", "item", "x"), output("out", "u8", "1 at a peak"))
)]
impl<T: Level> PeakDetector<T> {
    /// A detector with these factors, whose average takes `alpha` of each new item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `alpha` is from 0 to 1.
    pub fn new(
        /// Times the average: what a peak begins above.
        #[param(default = 0.25)]
        rise: f32,
        /// Times the average: what a peak ends at.
        #[param(default = 0.4)]
        fall: f32,
        /// How much of each item the average takes.
        #[param(range = 0.0..=1.0, default = 0.001)]
        alpha: f32,
    ) -> Result<Self, Error> {
        check((0.0..=1.0).contains(&alpha), "alpha", "a number from 0 to 1", alpha)?;
        let (input, output) = (In::new().min(0), Out::new());
        Ok(PeakDetector {
            input,
            output,
            rise,
            fall,
            alpha,
            average: 0.0,
            peak: None,
            pending: Pending::default(),
        })
    }

    fn take(&mut self, x: f32) {
        loop {
            match &mut self.peak {
                None if x > self.rise * self.average => self.peak = Some((f32::NEG_INFINITY, 0)),
                None => {
                    self.pending.push(false, 1);
                    break;
                }
                Some((largest, behind)) if x > *largest => {
                    let before = std::mem::take(behind);
                    // What was the largest so far is none.
                    let zeros = if *largest == f32::NEG_INFINITY { 0 } else { before + 1 };
                    *largest = x;
                    self.pending.push(false, zeros);
                    break;
                }
                Some((_, behind)) if x > self.fall * self.average => {
                    *behind += 1;
                    break;
                }
                // No number is above nothing: it begins no peak.
                Some((f32::NEG_INFINITY, _)) => {
                    self.peak = None;
                    self.pending.push(false, 1);
                    break;
                }
                Some((_, behind)) => {
                    self.pending.push(true, *behind);
                    // The item that ends it may begin the next.
                    self.peak = None;
                }
            }
        }
        let next = self.average + self.alpha * (x - self.average);
        self.average = if next.is_finite() { next } else { self.average };
    }
}

impl<T: Level> Work for PeakDetector<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.output.index();
        self.pending.write(&mut self.output);
        let mut taken = 0;
        if self.pending.is_empty() {
            taken = self.input.available();
            for place in 0..taken {
                self.take(self.input.peek()[place].level());
            }
            self.input.consume(taken);
            self.pending.write(&mut self.output);
        }
        Ok(self.pending.step(taken, before, &self.output))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if let Some((_, behind)) = self.peak.take() {
            self.pending.push(false, behind + 1);
        }
        self.pending.write(&mut self.output);
        Ok(if self.pending.is_empty() { Step::Done } else { Step::NeedOutput })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_gives;
    use superhet_runtime::harness;

    /// The ones at these places.
    fn ones(places: &[usize], length: usize) -> Vec<u8> {
        (0..length).map(|place| u8::from(places.contains(&place))).collect()
    }

    #[test]
    fn peaks_are_those_of_gnu_radio_wherever_the_stream_is_cut() {
        let mut x = vec![0.1f32; 300];
        for (place, level) in [
            (50, 1.0),
            (53, 2.0),
            (57, 1.5),
            (100, 3.0),
            (101, 2.0),
            (150, 1.0),
            (160, 1.0),
            (170, 1.0),
            (250, 4.0),
        ] {
            x[place] = level;
        }
        let wanted = ones(&[50, 53, 57, 100, 150, 160, 170, 250], 300);
        assert_gives(|| PeakDetector::<f32>::new(2.0, 1.0, 0.05).unwrap(), &x, &wanted);
        let whole: Vec<i16> = x.iter().map(|x| (10.0 * x) as i16).collect();
        assert_gives(|| PeakDetector::<i16>::new(2.0, 1.0, 0.05).unwrap(), &whole, &wanted);
    }

    #[test]
    fn a_peak_that_is_not_over_at_the_end_is_none() {
        assert_gives(
            || PeakDetector::<f32>::new(2.0, 1.0, 0.1).unwrap(),
            &[0.0f32, 1.0, 2.0, 1.0],
            &[0u8; 4],
        );
        assert_gives(|| PeakDetector::<f32>::new(2.0, 1.0, 0.1).unwrap(), &[f32::NAN, -1.0, -1.0], &[0u8; 3]);
        assert!(PeakDetector::<f32>::new(1.0, 1.0, 2.0).is_err());
    }

    #[test]
    fn peaks_are_found_behind_an_item_that_is_no_number() {
        for bad in [f32::NAN, f32::NEG_INFINITY] {
            let x = [0.1, 0.1, bad, 0.1, 1.0, 3.0, 2.0, 0.1, 0.0];
            let y: Vec<u8> = harness::run(PeakDetector::<f32>::new(2.0, 1.0, 0.1).unwrap(), &x);
            assert_eq!(y[3..], [0, 0, 1, 0, 0, 0], "{bad}");
        }
    }
}
