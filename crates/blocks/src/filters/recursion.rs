//! Recursive filters eight items at a time.
//!
//! What `y[n] = Σ b[k] · x[n − k] + Σ a[k] · y[n − k]` makes of eight items is linear in those, in the items before them and in
//! the outputs before them: [`recursion_f64`](fn@superhet_kernels::recursion_f64) multiplies by the matrix of that. Groups of
//! eight are counted from the first item on, and a group that a call leaves unfinished is computed again by the next one, so
//! that cuts do not show.
//!
//! What bounds it: a group waits for the one before it for as many additions as the order, and for one multiplication. Beside
//! that there are 8 multiplications and additions of vectors and one for each tap, and samples are widened and narrowed. A filter
//! of order 2 takes some 28 cycles for 8 items, of which its latency would allow 10.

use superhet_kernels as kernels;

/// Items of a group.
const GROUP: usize = 8;

/// The highest order of feedback.
const MOST_FEEDBACK: usize = 8;

/// The most taps of the input before the present item.
const MOST_BEFORE: usize = 256;

/// Numbers of the matrix beyond that could make a sum infinite that is not.
const GREATEST: f64 = 1e30;

/// The most items of a call.
pub(crate) const CHUNK: usize = 512;

/// A recursive filter of real numbers in double precision.
#[derive(Clone, Debug)]
pub(crate) struct Recursion {
    forward: Vec<f64>,
    back: Vec<f64>,
    matrix: Vec<[f64; GROUP]>,
    /// The inputs before the group, the oldest first, those of the group, room for new ones.
    x: Vec<f64>,
    /// Likewise the outputs.
    y: Vec<f64>,
    /// Items that the group has.
    begun: usize,
    /// Items that have come since.
    new: usize,
}

impl Recursion {
    /// The filter with these taps, `back` from the last output on; `None` where it is not one for groups: without feedback, or
    /// with too many or too large taps.
    pub fn new(forward: &[f64], back: &[f64]) -> Option<Self> {
        let (before, order) = (forward.len() - 1, back.len());
        if !(1..=MOST_FEEDBACK).contains(&order) || before > MOST_BEFORE {
            return None;
        }
        let matrix = columns(forward, back);
        let fits = matrix.iter().flatten().all(|number| number.abs() <= GREATEST);
        fits.then(|| Recursion {
            forward: forward.to_vec(),
            back: back.to_vec(),
            matrix,
            x: vec![0.0; before + GROUP + CHUNK],
            y: vec![0.0; order + GROUP + CHUNK],
            begun: 0,
            new: 0,
        })
    }

    fn before(&self) -> usize {
        self.forward.len() - 1
    }

    fn order(&self) -> usize {
        self.back.len()
    }

    /// Goes on from these items, the newest first.
    pub fn set_past(&mut self, inputs: impl Iterator<Item = f64>, outputs: impl Iterator<Item = f64>) {
        let (before, order) = (self.before(), self.order());
        self.x[..before].iter_mut().rev().zip(inputs).for_each(|(x, input)| *x = input);
        self.y[..order].iter_mut().rev().zip(outputs).for_each(|(y, output)| *y = output);
        (self.begun, self.new) = (0, 0);
    }

    /// The last inputs, the newest first, as many as there are taps for.
    pub fn inputs(&self) -> impl Iterator<Item = f64> {
        let end = self.before() + self.begun + self.new;
        self.x[end - self.before()..end].iter().rev().copied()
    }

    /// The last outputs, the newest first.
    pub fn outputs(&self) -> impl Iterator<Item = f64> {
        let end = self.order() + self.begun + self.new;
        self.y[end - self.order()..end].iter().rev().copied()
    }

    /// Begins a group with the next item.
    pub fn restart(&mut self) {
        let (before, order, end) = (self.before(), self.order(), self.begun + self.new);
        self.x.copy_within(end..end + before, 0);
        self.y.copy_within(end..end + order, 0);
        (self.begun, self.new) = (0, 0);
    }

    /// Room for the next `n` items, at most [`CHUNK`].
    pub fn room(&mut self, n: usize) -> &mut [f64] {
        let (before, order, items) = (self.before(), self.order(), self.begun + self.new);
        let whole = items / GROUP * GROUP;
        if whole > 0 {
            self.x.copy_within(whole..before + items, 0);
            self.y.copy_within(whole..order + items, 0);
        }
        (self.begun, self.new) = (items - whole, n);
        &mut self.x[before + items - whole..][..n]
    }

    /// What the filter makes of the items in the room. Where it grows beyond all bounds, it begins anew at 0: the items that are
    /// infinite are in `infinite`, with their places.
    pub fn run(&mut self, infinite: &mut Vec<(usize, f64)>) -> &[f64] {
        let (before, order, items) = (self.before(), self.order(), self.begun + self.new);
        kernels::recursion_f64(&mut self.y[..order + items], &self.x[..before + items], &self.matrix, order);
        // With feedback an output that is infinite makes those behind it so: a look at the last ones tells.
        if !self.outputs().all(f64::is_finite) {
            self.run_with_care(infinite);
        }
        &self.y[order + self.begun..order + items]
    }

    /// Group after group, those with infinite outputs item by item.
    #[cold]
    fn run_with_care(&mut self, infinite: &mut Vec<(usize, f64)>) {
        let (before, order, items) = (self.before(), self.order(), self.begun + self.new);
        for first in (0..items).step_by(GROUP) {
            let end = items.min(first + GROUP);
            let (x, y) = (&self.x[first..before + end], &mut self.y[first..order + end]);
            kernels::recursion_f64(y, x, &self.matrix, order);
            if y[order..].iter().all(|y| y.is_finite()) {
                continue;
            }
            for n in 0..end - first {
                let of_x = self.forward.iter().zip(x[..=before + n].iter().rev()).map(|(tap, x)| tap * x);
                let of_y = self.back.iter().zip(y[..order + n].iter().rev()).map(|(tap, y)| tap * y);
                let sum = of_x.chain(of_y).fold(0.0, |sum, term| sum + term);
                y[order + n] = sum;
                if !sum.is_finite() {
                    y[order + n] = 0.0;
                    infinite.extend((first + n).checked_sub(self.begun).map(|place| (place, sum)));
                }
            }
        }
    }
}

/// What a 1 among the inputs before a group and in it, and then among the outputs before it, the newest first, makes of the
/// group: by the definition.
fn columns(forward: &[f64], back: &[f64]) -> Vec<[f64; GROUP]> {
    let (before, order) = (forward.len() - 1, back.len());
    let column = |unit: usize| {
        let mut x = vec![0.0; before + GROUP];
        let mut y = vec![0.0; order + GROUP];
        match unit.checked_sub(x.len()) {
            None => x[unit] = 1.0,
            Some(past) => y[order - 1 - past] = 1.0,
        }
        for n in 0..GROUP {
            let of_x = forward.iter().zip(x[..=before + n].iter().rev()).map(|(tap, x)| tap * x);
            let of_y = back.iter().zip(y[..order + n].iter().rev()).map(|(tap, y)| tap * y);
            y[order + n] = of_x.chain(of_y).sum();
        }
        std::array::from_fn(|n| y[order + n])
    };
    (0..before + GROUP + order).map(column).collect()
}
