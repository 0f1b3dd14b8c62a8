//! Sums of products with taps that are laid out in lines of the cache.

use super::Machine;

/// Taps for as many numbers, in a line of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Line(pub [f32; Line::LANES]);

impl Line {
    /// How many there are: a vector of AVX-512, two of AVX2.
    pub const LANES: usize = 16;

    /// The lines of a row of taps, one for each number of a window.
    ///
    /// The last line is for the last numbers of the window, of which some are in the line before it: their taps are 0. So no line goes beyond
    /// a window. Of a row of less than a line but half of one or more, the halves are laid out like that; a shorter one has zeros behind it.
    ///
    /// ```
    /// use superhet_kernels::Line;
    /// let lines = Line::row(&[1.0; 20]);
    /// assert_eq!((lines.len(), lines[1].0[..12].to_vec(), lines[1].0[12]), (2, vec![0.0; 12], 1.0));
    /// ```
    pub fn row(taps: &[f32]) -> Vec<Line> {
        let together = if taps.len() < Line::LANES { HALF } else { Line::LANES };
        let beyond = taps.len().saturating_sub(together);
        let tap = |place: usize| {
            let first = place / together * together;
            let at = first.min(beyond) + place % together;
            if at < first { 0.0 } else { taps.get(at).copied().unwrap_or(0.0) }
        };
        let line = |first: usize| Line(std::array::from_fn(|lane| tap(first + lane)));
        (0..taps.len()).step_by(Line::LANES).map(line).collect()
    }
}

/// Half a line: numbers that are summed side by side.
pub(super) const HALF: usize = Line::LANES / 2;

/// The definition of [`Machine::sums`].
#[inline(always)]
pub(super) fn sums<M: Machine, const PARTS: usize, const ROWS: usize>(
    x: &[f32],
    rows: [&[Line]; ROWS],
) -> [(f32, f32); ROWS] {
    by_length::<PARTS, ROWS>(x, rows, half::<PARTS>, products::<M, PARTS>, many_products::<M, PARTS, ROWS>)
}

/// Picks the sums of half a line, of a line, whose halves may lie one over the other, or of more, for all rows: the choice is always the same
/// for a bank of rows.
#[inline(always)]
pub(super) fn by_length<const PARTS: usize, const ROWS: usize>(
    x: &[f32],
    rows: [&[Line]; ROWS],
    half: impl Fn(&[f32; HALF], &[f32; HALF]) -> (f32, f32),
    line: impl Fn([&[f32; HALF]; 2], &Line) -> (f32, f32),
    many: impl Fn(&[f32], &[f32; Line::LANES], [&[Line]; ROWS]) -> [(f32, f32); ROWS],
) -> [(f32, f32); ROWS] {
    let lines = x.len().div_ceil(Line::LANES);
    let mut totals = [(0.0, 0.0); ROWS];
    for row in rows {
        if row.len() != lines {
            wrong_lengths(x.len(), row.len());
        }
    }
    if let (2.., Some(last)) = (lines, x.last_chunk()) {
        return many(x, last, rows);
    }
    let (Some(first), Some(last)) = (x.first_chunk(), x.last_chunk()) else {
        return few::<PARTS, ROWS>(x, rows);
    };
    for row in 0..ROWS {
        totals[row] = match rows[row][0].0.first_chunk() {
            Some(taps) if x.len() == HALF => half(first, taps),
            _ => line([first, last], &rows[row][0]),
        };
    }
    totals
}

#[inline(always)]
fn half<const PARTS: usize>(x: &[f32; HALF], taps: &[f32; HALF]) -> (f32, f32) {
    total::<PARTS>(std::array::from_fn(|lane| x[lane] * taps[lane]))
}

#[inline(always)]
fn products<M: Machine, const PARTS: usize>(
    [first, last]: [&[f32; HALF]; 2],
    Line(taps): &Line,
) -> (f32, f32) {
    total::<PARTS>(std::array::from_fn(|lane| {
        M::multiply_add(last[lane], taps[lane + HALF], first[lane] * taps[lane])
    }))
}

#[inline(always)]
fn many_products<M: Machine, const PARTS: usize, const ROWS: usize>(
    x: &[f32],
    last: &[f32; Line::LANES],
    rows: [&[Line]; ROWS],
) -> [(f32, f32); ROWS] {
    let mut totals = [(0.0, 0.0); ROWS];
    for (sum, row) in totals.iter_mut().zip(rows) {
        let mut sums = [0.0; HALF];
        let before = x.as_chunks::<{ Line::LANES }>().0[..row.len() - 1].iter();
        for (x, line) in before.chain([last]).zip(row) {
            for (x, taps) in x.as_chunks::<HALF>().0.iter().zip(line.0.as_chunks::<HALF>().0) {
                for lane in 0..HALF {
                    sums[lane] = M::multiply_add(x[lane], taps[lane], sums[lane]);
                }
            }
        }
        *sum = total::<PARTS>(sums);
    }
    totals
}

/// Sums of less than half a line.
#[cold]
#[inline(never)]
fn few<const PARTS: usize, const ROWS: usize>(x: &[f32], rows: [&[Line]; ROWS]) -> [(f32, f32); ROWS] {
    let mut totals = [(0.0, 0.0); ROWS];
    for (sums, row) in totals.iter_mut().zip(rows) {
        let taps = row.iter().flat_map(|line| line.0);
        for (place, (x, tap)) in x.iter().zip(taps).enumerate() {
            *(if place % PARTS == 0 { &mut sums.0 } else { &mut sums.1 }) += x * tap;
        }
    }
    totals
}

/// The sum of all lanes, or of the even and the odd ones.
#[inline(always)]
fn total<const PARTS: usize>(sums: [f32; HALF]) -> (f32, f32) {
    let four: [f32; 4] = std::array::from_fn(|lane| sums[lane] + sums[lane + 4]);
    let (first, second) = (four[0] + four[2], four[1] + four[3]);
    if PARTS == 1 { (first + second, 0.0) } else { (first, second) }
}

#[cold]
#[inline(never)]
fn wrong_lengths(numbers: usize, lines: usize) -> ! {
    panic!(
        "sums needs rows with a line of taps for each {} numbers or fewer, got {numbers} numbers and {lines} lines",
        Line::LANES
    )
}
