//! The definition of moving sums.
//!
//! ```text
//! for n in 0..len { sum += x[n]; y[n] = sum + behind[n] }
//! ```
//!
//! 1. Groups of eight numbers, as a vector has them: three additions of the group to itself, moved by one item, by two and
//!    by four, make its sums. An addition has to wait for the one before it once a group, not for each item.
//! 2. Complex items lie in pairs: the group moves by one item and by two.
//! 3. What a group lacks at the end is zeros, so that its items have the same sums as in a whole one.

use crate::{C32, C64, floats, floats_mut};

/// Numbers of a group.
pub(super) const GROUP: usize = 8;

type Group = [f64; GROUP];

#[inline(always)]
fn add(a: Group, b: Group) -> Group {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

/// The group moved up by so many lanes, zeros behind it.
#[inline(always)]
fn up<const LANES: usize>(a: Group) -> Group {
    std::array::from_fn(|lane| if lane >= LANES { a[lane - LANES] } else { 0.0 })
}

/// The group moved down by so many lanes, zeros behind it.
#[inline(always)]
fn down<const LANES: usize>(a: Group) -> Group {
    std::array::from_fn(|lane| if lane + LANES < GROUP { a[lane + LANES] } else { 0.0 })
}

/// The group with zeros in the place of what it lacks.
#[inline(always)]
fn padded(x: &[f32]) -> Group {
    std::array::from_fn(|lane| x.get(lane).copied().map_or(0.0, f64::from))
}

/// Sums up to each item of `PARTS` numbers.
#[inline(always)]
fn sums_before<const PARTS: usize>(x: Group) -> Group {
    if PARTS == 1 {
        let x = add(x, up::<1>(x));
        let x = add(x, up::<2>(x));
        add(x, up::<4>(x))
    } else {
        let x = add(x, up::<2>(x));
        add(x, up::<4>(x))
    }
}

/// Sums from each item on.
#[inline(always)]
fn sums_from<const PARTS: usize>(x: Group) -> Group {
    if PARTS == 1 {
        let x = add(x, down::<1>(x));
        let x = add(x, down::<2>(x));
        add(x, down::<4>(x))
    } else {
        let x = add(x, down::<2>(x));
        add(x, down::<4>(x))
    }
}

#[inline(always)]
pub(super) fn moving_sum<const PARTS: usize>(
    y: &mut [f32],
    x: &[f32],
    behind: &[f64],
    mut sum: [f64; PARTS],
) -> [f64; PARTS] {
    let ((y, y_rest), (x, x_rest)) = (y.as_chunks_mut::<GROUP>(), x.as_chunks::<GROUP>());
    let (behind, behind_rest) = behind.as_chunks::<GROUP>();
    for ((y, x), behind) in y.iter_mut().zip(x).zip(behind) {
        let sums = sums_before::<PARTS>(x.map(f64::from));
        *y = std::array::from_fn(|lane| ((sums[lane] + sum[lane % PARTS]) + behind[lane]) as f32);
        sum = std::array::from_fn(|part| sum[part] + sums[GROUP - PARTS + part]);
    }
    if !x_rest.is_empty() {
        let sums = sums_before::<PARTS>(padded(x_rest));
        for (lane, (y, behind)) in y_rest.iter_mut().zip(behind_rest).enumerate() {
            *y = ((sums[lane] + sum[lane % PARTS]) + behind) as f32;
        }
        sum = std::array::from_fn(|part| sum[part] + sums[GROUP - PARTS + part]);
    }
    sum
}

/// Returns the sum of all, `sum` included.
#[inline(always)]
pub(super) fn sums_behind<const PARTS: usize>(
    behind: &mut [f64],
    x: &[f32],
    mut sum: [f64; PARTS],
) -> [f64; PARTS] {
    let (x, x_rest) = x.as_chunks::<GROUP>();
    let (behind, behind_rest) = behind.as_chunks_mut::<GROUP>();
    if !x_rest.is_empty() {
        let sums = sums_from::<PARTS>(padded(x_rest));
        for (lane, behind) in behind_rest.iter_mut().enumerate() {
            *behind = sums.get(lane + PARTS).unwrap_or(&0.0) + sum[lane % PARTS];
        }
        sum = std::array::from_fn(|part| sum[part] + sums[part]);
    }
    for (behind, x) in behind.iter_mut().zip(x).rev() {
        let sums = sums_from::<PARTS>(x.map(f64::from));
        let others = down::<PARTS>(sums);
        *behind = std::array::from_fn(|lane| others[lane] + sum[lane % PARTS]);
        sum = std::array::from_fn(|part| sum[part] + sums[part]);
    }
    sum
}

#[inline(always)]
pub(super) fn moving_sum_f32(y: &mut [f32], x: &[f32], behind: &[f64], sum: f64) -> f64 {
    let [sum] = moving_sum::<1>(y, x, behind, [sum]);
    sum
}

#[inline(always)]
pub(super) fn moving_sum_c32(y: &mut [C32], x: &[C32], behind: &[C64], sum: [f64; 2]) -> [f64; 2] {
    moving_sum::<2>(floats_mut(y), floats(x), bytemuck::cast_slice(behind), sum)
}

#[inline(always)]
pub(super) fn sums_behind_f32(behind: &mut [f64], x: &[f32], sum: f64) {
    sums_behind::<1>(behind, x, [sum]);
}

#[inline(always)]
pub(super) fn sums_behind_c32(behind: &mut [C64], x: &[C32], sum: [f64; 2]) {
    sums_behind::<2>(bytemuck::cast_slice_mut(behind), floats(x), sum);
}

/// Groups of numbers that are summed up side by side.
const TOGETHER: usize = 4;

#[inline(always)]
fn short_sum<const PARTS: usize>(y: &mut [f32], x: &[f32], count: usize) {
    const ITEMS: usize = TOGETHER * GROUP;
    let (groups, rest) = y.as_chunks_mut::<ITEMS>();
    let first = groups.len() * ITEMS;
    for (y, x) in groups.iter_mut().zip(x.windows(ITEMS + PARTS * (count - 1)).step_by(ITEMS)) {
        let mut sums = [[0.0; GROUP]; TOGETHER];
        for x in x.windows(ITEMS).step_by(PARTS) {
            let x = x.as_chunks::<GROUP>().0;
            for (sums, x) in sums.iter_mut().zip(x) {
                *sums = std::array::from_fn(|lane| sums[lane] + f64::from(x[lane]));
            }
        }
        for (y, sums) in y.as_chunks_mut::<GROUP>().0.iter_mut().zip(sums) {
            *y = sums.map(|sum| sum as f32);
        }
    }
    for (at, y) in rest.iter_mut().enumerate() {
        let items = x[first + at..].iter().step_by(PARTS).take(count);
        *y = items.fold(0.0, |sum, x| sum + f64::from(*x)) as f32;
    }
}

#[inline(always)]
pub(super) fn short_sum_f32(y: &mut [f32], x: &[f32], count: usize) {
    short_sum::<1>(y, x, count);
}

#[inline(always)]
pub(super) fn short_sum_c32(y: &mut [C32], x: &[C32], count: usize) {
    short_sum::<2>(floats_mut(y), floats(x), count);
}
