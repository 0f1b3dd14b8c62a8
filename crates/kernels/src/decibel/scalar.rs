//! The definition of levels in dB and octaves.

use crate::elementwise::map;
use crate::{C32, item};

#[inline(always)]
pub(super) fn power_to_db(y: &mut [f32], x: &[f32], offset_db: f32, floor_db: f32) {
    map(y, x, |x| item::power_to_db(x, offset_db, floor_db));
}

#[inline(always)]
pub(super) fn complex_to_db(y: &mut [f32], x: &[C32], offset_db: f32, floor_db: f32) {
    map(y, x, |x| item::complex_to_db(x, offset_db, floor_db));
}

#[inline(always)]
pub(super) fn complex_to_log2(y: &mut [f32], x: &[C32]) {
    map(y, x, item::complex_to_log2);
}
