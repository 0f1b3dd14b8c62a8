//! The definition of magnitudes.

use crate::elementwise::map;
use crate::{C32, item};

#[inline(always)]
pub(super) fn magnitude(y: &mut [f32], x: &[C32]) {
    map(y, x, item::magnitude);
}

#[inline(always)]
pub(super) fn magnitude_squared(y: &mut [f32], x: &[C32]) {
    map(y, x, item::magnitude_squared);
}
