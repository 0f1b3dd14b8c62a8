//! Peaks of a signal, against its average.
//!
//! The averages of a chunk come from `filters/recursion.rs`. What then goes from item to item is whether there is a peak, and its
//! largest item: comparisons of whole numbers, whose order is that of the floats, and choices without branches. Where there is no peak, the
//! largest item is a number below all others, so that from item to item only one number goes, through a comparison and two choices.

use std::hint::select_unpredictable;

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare};

use crate::error::{Error, check};
use crate::filters::recursion::{CHUNK, Recursion};

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
/// Tags end here. The average does not take items that are not finite; it is computed in double precision.
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
    average: Average,
    /// Of a peak that is not over: its largest item, and how many items came behind that.
    peak: Option<(f32, usize)>,
    /// What has been found and is not given: zeros, and whether a 1 comes before them.
    pending: Pending,
    chunk: Box<Chunk>,
}

/// The average of what has come: `m ← (1 − α) m + α x`, of items that are finite.
#[derive(Debug)]
pub(crate) struct Average(Recursion);

impl Average {
    /// One that takes `alpha` of each item.
    pub fn new(alpha: f32) -> Self {
        let alpha = f64::from(alpha);
        Average(Recursion::new(&[alpha], &[1.0 - alpha]).expect("one of order 1 is never refused"))
    }

    /// Takes finite items, at most [`CHUNK`]; the average behind each.
    pub fn take(&mut self, x: impl ExactSizeIterator<Item = f32>) -> &[f64] {
        let room = self.0.room(x.len());
        room.iter_mut().zip(x).for_each(|(room, x)| *room = x.into());
        // An average of finite floats is finite.
        self.0.run(&mut Vec::new())
    }

    /// As it is.
    pub fn now(&self) -> f64 {
        self.0.outputs().next().unwrap_or(0.0)
    }
}

/// The items of a chunk, and what they are compared with.
#[derive(Debug)]
struct Chunk {
    levels: [f32; CHUNK],
    /// The average before each.
    before: [f32; CHUNK],
    /// Numbers in the order of the items.
    keys: [i32; CHUNK],
    /// The same where a peak may begin, [`OUTSIDE`] elsewhere.
    begins: [i32; CHUNK],
    /// Whether a peak may go on.
    goes_on: [u8; CHUNK],
    /// The places of peaks.
    found: [u32; CHUNK],
}

/// In the place of the key of a peak's largest item where there is no peak: less than any key.
const OUTSIDE: i32 = i32::MIN;

/// A number for each float: their order is that of the floats, which are finite.
#[inline(always)]
fn key(x: f32) -> i32 {
    // −0 is 0.
    let bits = (x + 0.0).to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// The float that a number stands for.
fn float(key: i32) -> f32 {
    f32::from_bits((key ^ ((key >> 31) as u32 >> 1) as i32) as u32)
}

/// Looks for peaks in a chunk.
struct Look<'a> {
    chunk: &'a mut Chunk,
    n: usize,
    /// The average before the first item, and behind each.
    average: f64,
    averages: &'a [f64],
    rise: f32,
    fall: f32,
    /// Of a peak that is not over: the key of its largest item.
    largest: i32,
}

/// The place of the largest item of a peak that went on into the chunk.
const BEFORE: u32 = u32::MAX;

impl Routine for Look<'_> {
    /// How many peaks were found; the key of the largest item of one that is not over, and the place of that.
    type Output = (usize, i32, u32);

    #[inline(always)]
    fn run<M: Machine>(self) -> Self::Output {
        let Look { chunk, n, average, averages, rise, fall, mut largest } = self;
        let Chunk { levels, before, keys, begins, goes_on, found } = chunk;
        before[0] = average as f32;
        before[1..].iter_mut().zip(averages).for_each(|(before, average)| *before = *average as f32);
        for at in 0..n {
            let (x, average) = (levels[at], before[at]);
            let key = key(x);
            keys[at] = key;
            begins[at] = if x > rise * average { key } else { OUTSIDE };
            goes_on[at] = u8::from(x > fall * average);
        }
        let (mut count, mut place) = (0, BEFORE);
        let items = keys[..n].iter().zip(&begins[..n]).zip(&goes_on[..n]);
        for (at, ((&key, &begins), &goes_on)) in (0..).zip(items) {
            let (outside, goes_on) = (largest == OUTSIDE, goes_on != 0);
            let is_higher = (key > largest) & !outside;
            // Two answers that do not wait for each other: of an item with which a peak may go on, and of another.
            let kept = select_unpredictable(outside, begins, largest.max(key));
            let other = select_unpredictable(is_higher, key, begins);
            let ends = !(outside | is_higher | goes_on);
            found[count] = place;
            count += usize::from(ends);
            // The item that ends a peak may begin the next.
            let takes = is_higher | ((outside | ends) & (begins != OUTSIDE));
            place = select_unpredictable(takes, at, place);
            largest = select_unpredictable(goes_on, kept, other);
        }
        (count, largest, place)
    }
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
            average: Average::new(alpha),
            peak: None,
            pending: Pending::default(),
            chunk: Box::new(Chunk {
                levels: [0.0; CHUNK],
                before: [0.0; CHUNK],
                keys: [0; CHUNK],
                begins: [0; CHUNK],
                goes_on: [0; CHUNK],
                found: [0; CHUNK],
            }),
        })
    }

    /// Takes the first `n` levels of the chunk, which are finite.
    fn take(&mut self, n: usize) {
        let chunk = &mut *self.chunk;
        let average = self.average.now();
        let averages = self.average.take(chunk.levels[..n].iter().copied());
        let largest = self.peak.map_or(OUTSIDE, |(largest, _)| key(largest));
        let (rise, fall) = (self.rise, self.fall);
        let (count, largest, place) = run_routine(Look { chunk, n, average, averages, rise, fall, largest });
        let inside = largest != OUTSIDE;

        // From there on nothing is given yet.
        let first = self.peak.map_or(0, |(_, behind)| -(behind as i64 + 1));
        let at = |place: u32| if place == BEFORE { first } else { i64::from(place) };
        let decided = if inside { at(place) } else { n as i64 };
        let zeros = (decided - first) as usize;
        let found = self.chunk.found[..count].iter().map(|place| (at(*place) - first) as usize);
        if self.pending.is_empty() && self.output.room() >= zeros {
            let y = &mut self.output.reserve()[..zeros];
            y.fill(0);
            found.for_each(|place| y[place] = 1);
            self.output.produce(zeros);
        } else {
            let mut given = 0;
            for place in found {
                self.pending.push(false, place - given);
                self.pending.push(true, 0);
                given = place + 1;
            }
            self.pending.push(false, zeros - given);
        }
        self.peak = inside.then(|| (float(largest), (n as i64 - 1 - decided) as usize));
    }

    /// Takes an item that is not finite: the average stays.
    fn take_bad(&mut self, x: f32) {
        let average = self.average.now() as f32;
        loop {
            match &mut self.peak {
                None if x > self.rise * average => {
                    self.peak = Some((x, 0));
                    break;
                }
                None => {
                    self.pending.push(false, 1);
                    break;
                }
                Some((largest, behind)) if x > *largest => {
                    // What was the largest so far is none.
                    let zeros = std::mem::take(behind) + 1;
                    *largest = x;
                    self.pending.push(false, zeros);
                    break;
                }
                Some((_, behind)) if x > self.fall * average => {
                    *behind += 1;
                    break;
                }
                Some((_, behind)) => {
                    self.pending.push(true, *behind);
                    // The item that ends it may begin the next.
                    self.peak = None;
                }
            }
        }
    }
}

impl<T: Level> Work for PeakDetector<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.output.index();
        self.pending.write(&mut self.output);
        let mut taken = 0;
        while self.pending.is_empty() {
            let x = self.input.peek();
            let x = &x[..x.len().min(CHUNK)];
            if x.is_empty() {
                break;
            }
            let levels = &mut self.chunk.levels[..x.len()];
            levels.iter_mut().zip(x).for_each(|(level, x)| *level = x.level());
            let all_finite = levels.iter().fold(true, |all, level| all & level.is_finite());
            let mut n = x.len();
            if !all_finite {
                n = levels.iter().position(|level| !level.is_finite()).unwrap_or(n);
            }
            match n {
                0 => self.take_bad(self.chunk.levels[0]),
                _ => self.take(n),
            }
            self.input.consume(n.max(1));
            taken += n.max(1);
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
    fn peaks_of_noise_are_those_of_the_definition() {
        for (rise, fall, alpha, offset) in
            [(0.25, 0.4, 0.001, 0.0), (1.5, 1.0, 0.01, 1.0), (2.0, 0.1, 0.5, 0.0), (-1.0, -2.0, 0.1, 0.5)]
        {
            let x: Vec<f32> = crate::testing::noise(3000).iter().map(|x| x + offset).collect();
            let (mut average, mut peak, mut places) = (0.0f64, None::<usize>, Vec::new());
            let (rise64, fall64, alpha64) = (f64::from(rise), f64::from(fall), f64::from(alpha));
            for (n, level) in x.iter().enumerate() {
                let level = f64::from(*level);
                let begins = level > rise64 * average;
                peak = match peak {
                    Some(at) if *x.get(at).unwrap() < x[n] => Some(n),
                    Some(at) if level > fall64 * average => Some(at),
                    Some(at) => {
                        places.push(at);
                        begins.then_some(n)
                    }
                    None => begins.then_some(n),
                };
                average += alpha64 * (level - average);
            }
            let wanted = ones(&places, x.len());
            assert_gives(|| PeakDetector::<f32>::new(rise, fall, alpha).unwrap(), &x, &wanted);
        }
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
