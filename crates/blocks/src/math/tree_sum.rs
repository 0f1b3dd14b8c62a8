//! Sums over the last items, in single precision, as [`window_sum_f32`](fn@superhet_kernels::window_sum_f32) makes them.
//!
//! Nothing goes from item to item, and each output is the same sum of the items of its window wherever the stream is cut. Only the
//! sums whose windows began before the items at hand need a copy of these. What bounds it is that kernel: 8 additions of vectors for 16
//! floats and a window of 100.

use super::moving_sum::Summable;

/// The longest window: of longer ones other sums are the faster ones.
pub(super) const LONGEST: usize = 511;

/// The sums over the last `count` items, with zeros before the first one.
#[derive(Clone, Debug)]
pub struct TreeSum<T> {
    count: usize,
    /// The last `count − 1` items, then room for as many new ones.
    items: Vec<T>,
}

impl<T: Summable> TreeSum<T> {
    /// Sums of `count` items, at least 1 and at most [`LONGEST`].
    pub fn new(count: usize) -> Self {
        TreeSum { count, items: vec![T::default(); 2 * (count - 1)] }
    }

    /// The sums that end at each of `x`, times `scale`.
    pub fn run(&mut self, x: &[T], y: &mut [T], scale: f32) {
        let before = self.count - 1;
        let first = x.len().min(before);
        self.items[before..before + first].copy_from_slice(&x[..first]);
        T::window(&mut y[..first], &self.items[..before + first], self.count, scale);
        if first < before {
            self.items.copy_within(first..first + before, 0);
        } else {
            T::window(&mut y[first..], x, self.count, scale);
            self.items[..before].copy_from_slice(&x[x.len() - before..]);
        }
    }
}
