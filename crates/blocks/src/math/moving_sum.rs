//! Sums over the last items, each new one in a few instructions, without drift.
//!
//! Few items are added anew each time; those of windows of up to 511 items, as `tree_sum.rs` says. Of more, the stream is cut into blocks as long as the window: a window has the last
//! items of one block and the first ones of the next. The sums of the latter grow with each item; those of the former are made
//! of the block's items, from its end, in chunks that stay in the level-1 cache. Nothing is ever subtracted, so nothing is left
//! of an item that is no longer in the window.
//!
//! What bounds it is the arithmetic of [`moving_sum_f32`](fn@superhet_kernels::moving_sum_f32) and
//! [`sums_behind_f32`](fn@superhet_kernels::sums_behind_f32): some 20 vector instructions for 8 items.

use superhet_kernels as kernels;
use superhet_runtime::{C32, C64, Item};

use super::tree_sum::{self, TreeSum};

/// The longest window whose items are added anew each time.
const FEW: usize = 24;

/// Items of a chunk: a multiple of those of a kernel's group.
const CHUNK: usize = 1024;

/// Samples of which sums are made by kernels.
pub trait Summable: Item + Default + std::fmt::Debug {
    /// A sum in double precision.
    type Sum: Copy + Default + Send + std::ops::Add<Output = Self::Sum> + std::fmt::Debug;
    /// Items of a kernel's group.
    const GROUP: usize;
    /// `y[n] = sum + x[0] + … + x[n] + behind[n]`; the sum of all.
    fn moving(y: &mut [Self], x: &[Self], behind: &[Self::Sum], sum: Self::Sum) -> Self::Sum;
    /// `behind[n] = x[n + 1] + … + sum`.
    fn behind(behind: &mut [Self::Sum], x: &[Self], sum: Self::Sum);
    /// `y[n] = scale · (x[n] + … + x[n + count − 1])` in single precision, of up to [`tree_sum::LONGEST`] items.
    fn window(y: &mut [Self], x: &[Self], count: usize, scale: f32);
    /// `y[n] = scale · y[n]`.
    fn scale(y: &mut [Self], scale: f32);
    /// The sums that end at each of `x`, times a `scale` of the same type.
    fn run_scaled(sums: &mut MovingSum<Self>, x: &[Self], y: &mut [Self], scale: Self);
    /// `y[n] = x[n] − y[n]`.
    fn subtract_from(y: &mut [Self], x: &[Self]);
    /// `y[n] = x[n] + … + x[n + count − 1]`.
    fn few(y: &mut [Self], x: &[Self], count: usize);
}

impl Summable for f32 {
    type Sum = f64;
    const GROUP: usize = 8;
    fn moving(y: &mut [f32], x: &[f32], behind: &[f64], sum: f64) -> f64 {
        kernels::moving_sum_f32(y, x, behind, sum)
    }
    fn behind(behind: &mut [f64], x: &[f32], sum: f64) {
        kernels::sums_behind_f32(behind, x, sum);
    }
    fn window(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
        kernels::window_sum_f32(y, x, count, scale);
    }
    fn scale(y: &mut [f32], scale: f32) {
        kernels::multiply_const_f32_in_place(y, scale);
    }
    fn run_scaled(sums: &mut MovingSum<f32>, x: &[f32], y: &mut [f32], scale: f32) {
        sums.run(x, y, scale);
    }
    fn subtract_from(y: &mut [f32], x: &[f32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x - *y);
    }
    fn few(y: &mut [f32], x: &[f32], count: usize) {
        kernels::short_sum_f32(y, x, count);
    }
}

impl Summable for C32 {
    type Sum = C64;
    const GROUP: usize = 4;
    fn moving(y: &mut [C32], x: &[C32], behind: &[C64], sum: C64) -> C64 {
        let [re, im] = kernels::moving_sum_c32(y, x, behind, [sum.re, sum.im]);
        C64::new(re, im)
    }
    fn behind(behind: &mut [C64], x: &[C32], sum: C64) {
        kernels::sums_behind_c32(behind, x, [sum.re, sum.im]);
    }
    fn window(y: &mut [C32], x: &[C32], count: usize, scale: f32) {
        kernels::window_sum_c32(y, x, count, scale);
    }
    fn scale(y: &mut [C32], scale: f32) {
        kernels::multiply_const_c32_in_place(y, scale.into());
    }
    fn run_scaled(sums: &mut MovingSum<C32>, x: &[C32], y: &mut [C32], scale: C32) {
        if scale.im == 0.0 {
            return sums.run(x, y, scale.re);
        }
        sums.run(x, y, 1.0);
        kernels::multiply_const_c32_in_place(y, scale);
    }
    fn subtract_from(y: &mut [C32], x: &[C32]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x - *y);
    }
    fn few(y: &mut [C32], x: &[C32], count: usize) {
        kernels::short_sum_c32(y, x, count);
    }
}

/// The sum over the last `count` items, with zeros before the first one.
#[derive(Clone, Debug)]
pub struct MovingSum<T: Summable> {
    count: usize,
    /// Where the sums are neither of few items nor of many.
    tree: Option<TreeSum<T>>,
    /// Few: the last `count − 1` items, then room for new ones. More: those of this block, then those of the block before.
    items: Vec<T>,
    /// The place in the block.
    place: usize,
    /// Of the chunk: what each item has behind it in the block before, and before the chunk in this one.
    behind: Vec<T::Sum>,
    /// What the chunk has up to its last whole group.
    sum: T::Sum,
    /// The sum of each chunk of this block.
    chunks: Vec<T::Sum>,
    /// Of the block before: what it has from each chunk on.
    from: Vec<T::Sum>,
    /// What this block has before the chunk.
    before: T::Sum,
}

impl<T: Summable> MovingSum<T> {
    /// Sums of `count` items, at least 1.
    pub fn new(count: usize) -> Self {
        let zero = T::Sum::default();
        let (items, behind, chunks) = match count {
            ..=FEW => (count - 1 + CHUNK, 0, 0),
            _ if count <= tree_sum::LONGEST => (0, 0, 0),
            _ => (count, CHUNK.min(count), count.div_ceil(CHUNK)),
        };
        MovingSum {
            count,
            tree: (FEW + 1..=tree_sum::LONGEST).contains(&count).then(|| TreeSum::new(count)),
            items: vec![T::default(); items],
            place: 0,
            behind: vec![zero; behind],
            sum: zero,
            chunks: vec![zero; chunks],
            from: vec![zero; chunks + 1],
            before: zero,
        }
    }

    /// The sums that end at each of `x`, times `scale`.
    pub fn run(&mut self, mut x: &[T], mut y: &mut [T], scale: f32) {
        if let Some(tree) = &mut self.tree {
            return tree.run(x, y, scale);
        }
        let few = self.count <= FEW;
        while !x.is_empty() {
            let n = if few { self.few(x, y) } else { self.part(x, y) };
            if scale != 1.0 {
                T::scale(&mut y[..n], scale);
            }
            (x, y) = (&x[n..], &mut y[n..]);
        }
    }

    /// As many as there is room for; returns how many.
    fn few(&mut self, x: &[T], y: &mut [T]) -> usize {
        let (n, before) = (x.len().min(CHUNK), self.count - 1);
        self.items[before..before + n].copy_from_slice(&x[..n]);
        T::few(&mut y[..n], &self.items[..before + n], self.count);
        self.items.copy_within(n..n + before, 0);
        n
    }

    /// As many as there are in the chunk; returns how many.
    fn part(&mut self, x: &[T], y: &mut [T]) -> usize {
        let chunk = self.place / CHUNK;
        let first = chunk * CHUNK;
        let last = (first + CHUNK).min(self.count);
        if self.place == first {
            let sum = self.from[chunk + 1] + self.before;
            T::behind(&mut self.behind[..last - first], &self.items[first..last], sum);
            self.sum = T::Sum::default();
        }
        let n = x.len().min(last - self.place);
        self.items[self.place..self.place + n].copy_from_slice(&x[..n]);
        let (mut from, to) = (self.place, self.place + n);
        self.place = to;

        // The group that has begun is summed up again, for the items that it did not have.
        let begun = (from - first) % T::GROUP;
        let mut done = 0;
        if begun > 0 {
            let start = from - begun;
            let end = to.min(start + T::GROUP);
            let mut group = [T::default(); 8];
            let group = &mut group[..end - start];
            let sum =
                T::moving(group, &self.items[start..end], &self.behind[start - first..end - first], self.sum);
            done = end - from;
            y[..done].copy_from_slice(&group[begun..]);
            if end == start + T::GROUP || end == last {
                self.sum = sum;
            }
            from = end;
        }
        let whole = from + (to - from) / T::GROUP * T::GROUP;
        for (start, end) in [(from, whole), (whole, to)] {
            if start < end {
                let y = &mut y[done..][..end - start];
                let sum =
                    T::moving(y, &self.items[start..end], &self.behind[start - first..end - first], self.sum);
                done += end - start;
                if end == whole || end == last {
                    self.sum = sum;
                }
            }
        }

        if to == last {
            self.chunks[chunk] = self.sum;
            self.before = self.before + self.sum;
            if to == self.count {
                self.end_block();
            }
        }
        n
    }

    fn end_block(&mut self) {
        (self.place, self.before) = (0, T::Sum::default());
        let mut sum = T::Sum::default();
        for (from, chunk) in self.from.iter_mut().zip(&self.chunks).rev() {
            sum = sum + *chunk;
            *from = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};

    /// The definition, in f64.
    fn plain(x: &[f64], count: usize, n: usize) -> f64 {
        x[(n + 1).saturating_sub(count)..=n].iter().sum()
    }

    const COUNTS: [usize; 16] = [1, 2, 24, 25, 31, 32, 33, 100, 511, 512, 1023, 1024, 1025, 2048, 2500, 5000];

    #[test]
    fn sums_are_those_of_the_definition() {
        let x = noise(12_000);
        let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
        let z = complex_noise(12_000);
        let parts: [Vec<f64>; 2] =
            [z.iter().map(|z| z.re.into()).collect(), z.iter().map(|z| z.im.into()).collect()];
        for count in COUNTS {
            let mut y = vec![0f32; x.len()];
            MovingSum::new(count).run(&x, &mut y, 1.0);
            let mut w = vec![C32::ZERO; z.len()];
            MovingSum::new(count).run(&z, &mut w, 1.0);
            for n in (0..x.len()).step_by(29) {
                // The items are below 1 in size.
                let of_tree = if (25..=511).contains(&count) { count as f64 / (1 << 20) as f64 } else { 0.0 };
                let bound = |want: f64| 6e-8 * want.abs() + 1e-11 + of_tree;
                let want = plain(&wide, count, n);
                assert!(
                    (f64::from(y[n]) - want).abs() <= bound(want),
                    "{count}, {n}: {}, wanted {want}",
                    y[n]
                );
                for (part, got) in parts.iter().zip([w[n].re, w[n].im]) {
                    let want = plain(part, count, n);
                    assert!(
                        (f64::from(got) - want).abs() <= bound(want),
                        "{count}, {n}: {got}, wanted {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn cuts_do_not_show() {
        let x = noise(9000);
        for count in COUNTS {
            let mut whole = vec![0f32; x.len()];
            MovingSum::new(count).run(&x, &mut whole, 1.0);
            for step in [1, 3, 8, 100, 1025] {
                let (mut sums, mut cut) = (MovingSum::new(count), vec![0f32; x.len()]);
                for (x, y) in x.chunks(step).zip(cut.chunks_mut(step)) {
                    sums.run(x, y, 1.0);
                }
                assert_eq!(whole, cut, "{count}, {step}");
            }
        }
    }

    #[test]
    fn an_item_is_gone_with_its_window() {
        for count in COUNTS {
            for bad in [f32::NAN, f32::INFINITY, 3e38] {
                let mut x = vec![1e-3f32; 12_000];
                x[700] = bad;
                let mut y = vec![0f32; x.len()];
                MovingSum::new(count).run(&x, &mut y, 1.0);
                let wanted = |n: usize| count.min(n + 1) as f64 * f64::from(1e-3f32);
                for (n, y) in y.iter().enumerate() {
                    let has = (700..700 + count).contains(&n);
                    let is_near = (f64::from(*y) - wanted(n)).abs() <= 1e-6 * wanted(n);
                    assert!(is_near != has, "{count}, {bad}, {n}: {y}");
                }
            }
        }
    }
}
