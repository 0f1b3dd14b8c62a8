//! Sums over the last items as sums of sums of 16 floats and of 64.
//!
//! ```text
//! s₁₆[n] = x[n−15] + … + x[n];  s₆₄[n] = s₁₆[n−48] + s₁₆[n−32] + s₁₆[n−16] + s₁₆[n]
//! 100 items: s₁₆[n] + s₁₆[n−16] + … + s₁₆[n−80] + (x[n−99] + … + x[n−96])
//! ```
//!
//! Nothing goes from item to item, and each output is the same sum of the items of its window wherever the stream is cut. What
//! bounds it are [`group_sums_f32`](fn@superhet_kernels::group_sums_f32), which makes `s₁₆` and what is left of it, and loads of the
//! level-1 cache behind it: one of each term, all of whole cache lines.

use superhet_kernels::{Machine, Routine, group_sums_f32, run_routine};

/// The longest window: of longer ones other sums are the faster ones.
pub(super) const LONGEST: usize = 511;

/// Floats of a chunk, whole cache lines.
const CHUNK: usize = 1024;

/// Floats of a cache line, and of a group.
const LINE: usize = 16;

/// The most sums of groups in a window before sums of four of them are made.
const MOST: usize = 7;

/// The most terms: sums of four groups, of one and of what is left. A complex item is two floats, so there are 63 groups at most.
const MOST_TERMS: usize = 15 + 3 + 1;

/// The sums of groups, of what is left of a window, and of four groups.
const GROUPS: usize = 0;
const FEW: usize = 1;
const FOURS: usize = 2;

/// The sums over the last `count` items of `PARTS` floats, with zeros before the first one.
#[derive(Debug)]
pub struct TreeSum<const PARTS: usize> {
    count: usize,
    /// The last floats, a line, then room for new ones.
    items: Vec<f32>,
    /// Sums that end at each item, the last `past` of them and room for new ones; new ones begin a cache line.
    levels: Vec<Vec<f32>>,
    past: usize,
    /// What is added up at the end: a level, and how many floats before the item.
    terms: Vec<(usize, usize)>,
}

impl<const PARTS: usize> TreeSum<PARTS> {
    /// Sums of `count` items, at least a group of floats and at most [`LONGEST`] items.
    pub fn new(count: usize) -> Self {
        let groups = count * PARTS / LINE;
        let fours = if groups > MOST { groups / 4 } else { 0 };
        let mut terms: Vec<(usize, usize)> = (0..fours).map(|four| (FOURS, four * 4 * LINE)).collect();
        terms.extend((4 * fours..groups).map(|group| (GROUPS, group * LINE)));
        if !(count * PARTS).is_multiple_of(LINE) {
            terms.push((FEW, count * PARTS - LINE));
        }
        let past = (count * PARTS - LINE).next_multiple_of(LINE);
        let level = vec![0.0; past + CHUNK + LINE];
        let levels = vec![level; if fours > 0 { 3 } else { 2 }];
        TreeSum { count, items: vec![0.0; CHUNK + 2 * LINE], levels, past, terms }
    }

    /// The sums that end at each of `x`, of whole items.
    pub fn run(&mut self, x: &[f32], y: &mut [f32]) {
        let past = self.past;
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            let items = from_line(&mut self.items);
            items[LINE..LINE + x.len()].copy_from_slice(x);
            let all = x.len().next_multiple_of(LINE);
            let mut levels = self.levels.iter_mut().map(|level| from_line(level));
            if let (Some(groups), Some(few)) = (levels.next(), levels.next()) {
                let (now, few) = (&mut groups[past..past + all], &mut few[past..past + all]);
                group_sums_f32(now, few, &items[PARTS..LINE + all], PARTS, self.count % (LINE / PARTS));
                if let Some(fours) = levels.next() {
                    run_routine(Fours { y: &mut fours[past..past + all], x: &groups[past - 3 * LINE..] });
                }
            }
            let mut sums: [&[f32]; MOST_TERMS] = [&[]; MOST_TERMS];
            for (sum, &(level, before)) in sums.iter_mut().zip(&self.terms) {
                let level = &self.levels[level];
                *sum = &level[line_of(level) + past - before..][..y.len()];
            }
            run_routine(Add { y, sums: &sums[..self.terms.len()] });
            from_line(&mut self.items).copy_within(x.len()..x.len() + LINE, 0);
            for level in &mut self.levels {
                from_line(level).copy_within(x.len()..x.len() + past, 0);
            }
        }
    }
}

impl<const PARTS: usize> Clone for TreeSum<PARTS> {
    fn clone(&self) -> Self {
        let mut copy = TreeSum::new(self.count);
        // Cache lines may begin elsewhere.
        let both = copy.levels.iter_mut().zip(&self.levels).chain([(&mut copy.items, &self.items)]);
        for (copy, of) in both {
            let of = &of[line_of(of)..];
            let n = of.len().min(copy.len() - line_of(copy));
            from_line(copy)[..n].copy_from_slice(&of[..n]);
        }
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

/// `y[n] = x[n] + x[n + 16] + x[n + 32] + x[n + 48]`: sums that end at the last of them.
struct Fours<'a> {
    y: &'a mut [f32],
    x: &'a [f32],
}

impl Routine for Fours<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Fours { y, x } = self;
        let n = y.len();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| &x[k * LINE..][..n]);
        for n in 0..n {
            y[n] = (a[n] + b[n]) + (c[n] + d[n]);
        }
    }
}

/// The sum of slices that are as long as `y`, at most eight at a time.
struct Add<'a> {
    y: &'a mut [f32],
    sums: &'a [&'a [f32]],
}

impl Routine for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Add { y, sums } = self;
        for (place, sums) in sums.chunks(8).enumerate() {
            match (place, sums) {
                (0, &[a, b, c, d, e, f, g, h]) => terms::<8, true>(y, [a, b, c, d, e, f, g, h]),
                (0, &[a, b, c, d, e, f, g]) => terms::<7, true>(y, [a, b, c, d, e, f, g]),
                (0, &[a, b, c, d, e, f]) => terms::<6, true>(y, [a, b, c, d, e, f]),
                (0, &[a, b, c, d, e]) => terms::<5, true>(y, [a, b, c, d, e]),
                (0, &[a, b, c, d]) => terms::<4, true>(y, [a, b, c, d]),
                (0, &[a, b, c]) => terms::<3, true>(y, [a, b, c]),
                (0, &[a, b]) => terms::<2, true>(y, [a, b]),
                (0, &[a]) => terms::<1, true>(y, [a]),
                (_, &[a, b, c, d, e, f, g, h]) => terms::<8, false>(y, [a, b, c, d, e, f, g, h]),
                (_, others) => others.iter().for_each(|other| terms::<1, false>(y, [other])),
            }
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
        for count in (16..=LONGEST).step_by(61).chain([17, 24, 25, 31, 32, 100, 127, 128, 256, LONGEST]) {
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
