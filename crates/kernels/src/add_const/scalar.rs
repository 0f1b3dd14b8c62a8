//! The definition of addition of a constant.

use crate::elementwise::{map_in_place, map_on_lines, zip_in_place, zip_on_lines};
use crate::{C32, floats, floats_mut, item};

#[inline(always)]
pub(super) fn add_const_f32(y: &mut [f32], x: &[f32], offset: f32) {
    map_on_lines(y, x, |x| item::add_const_f32(x, offset));
}

#[inline(always)]
pub(super) fn add_const_f32_in_place(x: &mut [f32], offset: f32) {
    map_in_place(x, |x| item::add_const_f32(x, offset));
}

/// Floats of several vectors.
const PAIRS: usize = 32;

/// Both parts, over and over, as they lie in samples.
#[inline(always)]
fn pairs(x: C32) -> [f32; PAIRS] {
    std::array::from_fn(|n| if n % 2 == 0 { x.re } else { x.im })
}

#[inline(always)]
pub(super) fn add_const_c32(y: &mut [C32], x: &[C32], offset: C32) {
    let offsets = pairs(offset);
    let ((y, y_rest), (x, x_rest)) = (floats_mut(y).as_chunks_mut::<PAIRS>(), floats(x).as_chunks::<PAIRS>());
    for (y, x) in y.iter_mut().zip(x) {
        zip_on_lines(y, x, &offsets, item::add_const_f32);
    }
    zip_on_lines(y_rest, x_rest, &offsets, item::add_const_f32);
}

#[inline(always)]
pub(super) fn add_const_c32_in_place(x: &mut [C32], offset: C32) {
    let offsets = pairs(offset);
    let (x, x_rest) = floats_mut(x).as_chunks_mut::<PAIRS>();
    for x in x {
        zip_in_place(x, &offsets, item::add_const_f32);
    }
    zip_in_place(x_rest, &offsets, item::add_const_f32);
}
