//! Sums over the last items as sums of sums of 4, of 16, of 64 … items.
//!
//! ```text
//! s₄[n] = x[n] + x[n+1] + x[n+2] + x[n+3];  s₁₆[n] = s₄[n] + s₄[n+4] + s₄[n+8] + s₄[n+12];  …
//! 100 items: s₁₆[n] + s₁₆[n+16] + … + s₁₆[n+80] + s₄[n+96]
//! ```
//!
//! Nothing goes from item to item, and each output is the same sum of the items of its window wherever the stream is cut. What
//! bounds it are loads: 15 of 8 floats for 8 outputs of 100 items. They are of level-1 cache, and most lie within cache lines.

use superhet_kernels::{Machine, Routine, run_routine};

/// The longest window: of longer ones other sums are the faster ones.
pub(super) const LONGEST: usize = 511;

/// Floats of a chunk.
const CHUNK: usize = 1024;

/// The most sums of the longest kind.
const MOST: usize = 7;

/// The most sums in the last step: those, and three of each shorter kind.
const MOST_TERMS: usize = MOST + 3 * 4;

/// Floats of a cache line.
const LINE: usize = 16;

/// The sums over the last `count` items of `PARTS` floats, with zeros before the first one.
#[derive(Debug)]
pub struct TreeSum<const PARTS: usize> {
    count: usize,
    /// The items of the window but the last one, then room for new ones; then sums of 4 items, of 16, …
    levels: Vec<Vec<f32>>,
    /// What is added up at the end: a level, and how many floats behind the window's beginning.
    terms: Vec<(usize, usize)>,
}

impl<const PARTS: usize> TreeSum<PARTS> {
    /// Sums of `count` items, 1 to [`LONGEST`].
    pub fn new(count: usize) -> Self {
        let mut top = 0;
        while count >> (2 * top) > MOST {
            top += 1;
        }
        let (mut terms, mut first) = (Vec::new(), 0);
        for level in (0..=top).rev() {
            let length = 1 << (2 * level);
            while first + length <= count {
                terms.push((level, first * PARTS));
                first += length;
            }
        }
        let room = count * PARTS + CHUNK + LINE;
        TreeSum { count, levels: vec![vec![0.0; room]; top + 1], terms }
    }

    /// The sums that end at each of `x`, of whole items.
    pub fn run(&mut self, x: &[f32], y: &mut [f32]) {
        let before = (self.count - 1) * PARTS;
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            let items = from_line(&mut self.levels[0]);
            items[before..before + x.len()].copy_from_slice(x);
            run_routine(Sums::<PARTS> { levels: &mut self.levels, terms: &self.terms, before, y });
            from_line(&mut self.levels[0]).copy_within(x.len()..x.len() + before, 0);
        }
    }
}

impl<const PARTS: usize> Clone for TreeSum<PARTS> {
    fn clone(&self) -> Self {
        let mut copy = TreeSum::new(self.count);
        let (items, before) = (&self.levels[0], (self.count - 1) * PARTS);
        // Its cache lines may begin elsewhere.
        from_line(&mut copy.levels[0])[..before].copy_from_slice(&items[line_of(items)..][..before]);
        copy
    }
}

/// Where the first cache line begins.
fn line_of(floats: &[f32]) -> usize {
    let first = floats.as_ptr().align_offset(LINE * size_of::<f32>());
    if first < LINE { first } else { 0 }
}

/// The floats from a cache line's beginning on.
fn from_line(floats: &mut [f32]) -> &mut [f32] {
    let first = line_of(floats);
    &mut floats[first..]
}

struct Sums<'a, const PARTS: usize> {
    levels: &'a mut [Vec<f32>],
    terms: &'a [(usize, usize)],
    /// Floats of the window before the first output.
    before: usize,
    y: &'a mut [f32],
}

impl<const PARTS: usize> Routine for Sums<'_, PARTS> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Sums { levels, terms, before, y } = self;
        let all = before + y.len();
        for level in 1..levels.len() {
            let (finer, coarser) = levels.split_at_mut(level);
            let (Some(finer), Some(coarser)) = (finer.last_mut(), coarser.first_mut()) else { return };
            let step = PARTS << (2 * (level - 1));
            // What begins with the last ones would need items that are not there.
            let n = all - (4 * step - PARTS);
            fours(&mut from_line(coarser)[..n], from_line(finer), step);
        }
        let mut sums: [&[f32]; MOST_TERMS] = [&[]; MOST_TERMS];
        for (sum, &(level, first)) in sums.iter_mut().zip(terms) {
            let level = &levels[level];
            *sum = &level[line_of(level) + first..][..y.len()];
        }
        add(y, &sums[..terms.len()]);
    }
}

/// `y[n] = x[n] + x[n + step] + x[n + 2 · step] + x[n + 3 · step]`.
#[inline(always)]
fn fours(y: &mut [f32], x: &[f32], step: usize) {
    let n = y.len();
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| &x[k * step..][..n]);
    for n in 0..n {
        y[n] = (a[n] + b[n]) + (c[n] + d[n]);
    }
}

/// The sum of slices that are as long as `y`, four at a time.
#[inline(always)]
fn add(y: &mut [f32], sums: &[&[f32]]) {
    for (place, four) in sums.chunks(4).enumerate() {
        match (place, four) {
            (0, &[a, b, c, d]) => terms::<4, true>(y, [a, b, c, d]),
            (0, &[a, b, c]) => terms::<3, true>(y, [a, b, c]),
            (0, &[a, b]) => terms::<2, true>(y, [a, b]),
            (0, &[a]) => terms::<1, true>(y, [a]),
            (_, &[a, b, c, d]) => terms::<4, false>(y, [a, b, c, d]),
            (_, &[a, b, c]) => terms::<3, false>(y, [a, b, c]),
            (_, &[a, b]) => terms::<2, false>(y, [a, b]),
            (_, &[a]) => terms::<1, false>(y, [a]),
            _ => {}
        }
    }
}

/// The sum of slices that are as long as `y`; unless they are the `FIRST`, on top of what is there.
#[inline(always)]
fn terms<const TERMS: usize, const FIRST: bool>(y: &mut [f32], sums: [&[f32]; TERMS]) {
    let sums = sums.map(|sum| &sum[..y.len()]);
    for (n, y) in y.iter_mut().enumerate() {
        let mut sum = sums[0][n];
        for others in &sums[1..] {
            sum += others[n];
        }
        *y = if FIRST { sum } else { *y + sum };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    #[test]
    fn sums_of_every_length_have_their_items_and_no_others() {
        let x = noise(1600);
        for count in (1..=LONGEST).step_by(61).chain([2, 3, 4, 7, 16, 100, 256, LONGEST]) {
            let (mut one, mut two) = (vec![0.0; x.len()], vec![0.0; x.len()]);
            TreeSum::<1>::new(count).run(&x, &mut one);
            TreeSum::<2>::new(count).run(&x, &mut two);
            for n in 0..x.len() {
                let of = |step: usize| (0..count).map_while(move |k| n.checked_sub(k * step));
                for (y, step) in [(one[n], 1), (two[n], 2)] {
                    let want: f64 = of(step).map(|n| f64::from(x[n])).sum();
                    let sizes: f64 = of(step).map(|n| f64::from(x[n].abs())).sum();
                    let off = (f64::from(y) - want).abs();
                    assert!(off <= sizes / (1 << 20) as f64, "{count}, {step}, {n}: {y}, wanted {want}");
                }
            }
        }
    }
}
