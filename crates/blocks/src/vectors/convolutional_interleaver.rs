//! Items that take turns through delays of different lengths.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, Item, SyncBlock, declare};

use crate::error::{Error, check};

/// The most items that are held.
const MOST: usize = 1 << 26;

/// Convolutional interleaving, as of Forney: item `n` takes branch `j = n mod branches`, which delays by `j · depth` of its own items, so
/// `y[n] = x[n − j · depth · branches]`; the way back by `(branches − 1 − j) · depth`.
///
/// Both one after the other delay by `(branches − 1) · depth · branches` items, and a burst of errors comes apart by at least `depth ·
/// branches − 1` items. Before the first item there were zeros. The first item takes branch 0, on the way back too: where a stream
/// does not begin with it, its sync words say where it is. What is still in the delays at the end of a stream stays there.
///
/// | used for | items | `branches` | `depth` |
/// |---|---|---|---|
/// | DVB-S, DVB-T (ETSI EN 300 421, 4.4.2; EN 300 744, 4.3.1) | bytes | 12 | 17 |
/// | ITU-T J.83 B, level 1 | symbols of 7 bits | 128 | 1 |
/// | Meteor-M, LRPT at 80 kBd | soft bits, without the sync word before each 72 | 36 | 2048 |
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// # Source
/// G. D. Forney, Burst-Correcting Codes for the Classic Bursty Channel, IEEE Transactions on Communication Technology 19, 1971.
///
/// ```
/// use superhet_blocks::vectors::ConvolutionalInterleaver;
/// use superhet_runtime::harness;
///
/// let block = ConvolutionalInterleaver::<u8>::new(3, 1, false)?;
/// assert_eq!(harness::run(block, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), [1, 0, 0, 4, 2, 0, 7, 5, 3]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvolutionalInterleaver<T> {
    branches: usize,
    /// By how many items each branch delays more than the one before it.
    step: usize,
    reverse: bool,
    /// The branch of the next item.
    branch: usize,
    /// As many items as the longest delay, the oldest at `oldest`.
    past: Vec<T>,
    oldest: usize,
}

#[declare(
    category = "vectors",
    summary = "Items that take turns through delays of different lengths, as of Forney, or back again.",
    items(C32, f32, u8, i8, i16, i32),
    ports(input("in", "item", "x"), output("out", "item", "x in another order"))
)]
impl<T: Item> ConvolutionalInterleaver<T> {
    /// Puts items in another order, or undoes that.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is, or the delays hold more than 2²⁶ items.
    pub fn new(
        /// How many delays there are.
        #[param(kind = Kind::Integer(1, 4096), default = 12)]
        branches: usize,
        /// By how many items each delays more than the one before it, of those that take it.
        #[param(kind = Kind::Integer(1, 1 << 24), unit = "items", default = 17)]
        depth: usize,
        /// Whether the order is undone: the first branch delays most.
        #[param(default = false)]
        reverse: bool,
    ) -> Result<Self, Error> {
        let fits = (1..=4096).contains(&branches);
        check(fits, "branches", "a whole number from 1 to 4096", branches as f64)?;
        let longest = (branches - 1).checked_mul(branches).and_then(|turns| turns.checked_mul(depth));
        let longest = longest.filter(|longest| depth >= 1 && *longest <= MOST);
        let wanted = "at least 1, and (branches − 1) · branches · depth at most 67108864";
        check(longest.is_some(), "depth", wanted, depth as f64)?;
        let past = vec![T::zeroed(); longest.unwrap_or_default()];
        Ok(ConvolutionalInterleaver { branches, step: depth * branches, reverse, branch: 0, past, oldest: 0 })
    }
}

impl<T: Item> SyncBlock for ConvolutionalInterleaver<T> {
    type In = T;
    type Out = T;

    fn process(&mut self, x: &[T], y: &mut [T]) {
        if self.past.is_empty() {
            y.copy_from_slice(x);
            return;
        }
        for (y, x) in y.iter_mut().zip(x) {
            let place = if self.reverse { self.branches - 1 - self.branch } else { self.branch };
            let delay = place * self.step;
            // The longest delay is that of what is overwritten now.
            let at = if self.oldest >= delay {
                self.oldest - delay
            } else {
                self.oldest + self.past.len() - delay
            };
            *y = if delay == 0 { *x } else { self.past[at] };
            self.past[self.oldest] = *x;
            self.oldest = if self.oldest + 1 == self.past.len() { 0 } else { self.oldest + 1 };
            self.branch = if self.branch + 1 == self.branches { 0 } else { self.branch + 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    /// By the definition: a queue of zeros for each branch.
    fn queues(x: &[i32], branches: usize, depth: usize, reverse: bool) -> Vec<i32> {
        let queue = |branch| {
            let place = if reverse { branches - 1 - branch } else { branch };
            std::collections::VecDeque::from(vec![0; place * depth])
        };
        let mut queues: Vec<_> = (0..branches).map(queue).collect();
        let through = |(n, x): (usize, &i32)| {
            let queue = &mut queues[n % branches];
            queue.push_back(*x);
            queue.pop_front().unwrap()
        };
        x.iter().enumerate().map(through).collect()
    }

    #[test]
    fn each_branch_is_a_queue() {
        let x: Vec<i32> = (1..2000).collect();
        for (branches, depth) in [(1, 5), (2, 1), (3, 4), (12, 17), (36, 1)] {
            for reverse in [false, true] {
                let block = ConvolutionalInterleaver::<i32>::new(branches, depth, reverse).unwrap();
                assert_eq!(
                    harness::run(block, &x),
                    queues(&x, branches, depth, reverse),
                    "{branches}, {depth}"
                );
            }
        }
    }

    #[test]
    fn the_way_back_gives_the_items_later_and_takes_a_burst_apart() {
        let x: Vec<i32> = (1..12_000).collect();
        let mut there: Vec<i32> =
            harness::run(ConvolutionalInterleaver::<i32>::new(12, 17, false).unwrap(), &x);
        there[6000..6012].fill(-1);
        let back: Vec<i32> =
            harness::run(ConvolutionalInterleaver::<i32>::new(12, 17, true).unwrap(), &there);
        let delay = 11 * 12 * 17;
        let wrong: Vec<usize> = (delay..x.len()).filter(|n| back[*n] != x[n - delay]).collect();
        assert_eq!(wrong.len(), 12);
        assert!(wrong.windows(2).all(|pair| pair[1] - pair[0] >= 12 * 17 - 1), "{wrong:?}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<i32> = (0..700).collect();
        for reverse in [false, true] {
            harness::assert_cut_invariant(
                || ConvolutionalInterleaver::<i32>::new(5, 3, reverse).unwrap(),
                &x,
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (branches, depth) in [(0, 1), (4097, 1), (12, 0), (4096, 5), (2, usize::MAX)] {
            assert!(
                ConvolutionalInterleaver::<u8>::new(branches, depth, false).is_err(),
                "{branches}, {depth}"
            );
        }
    }
}
