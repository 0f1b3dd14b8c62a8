//! The definition of `map`.

use super::ItemFunction;

#[inline(always)]
pub(super) fn map<F: ItemFunction>(y: &mut [F::Out], x: &[F::In], function: &F) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = function.apply(x);
    }
}

#[inline(always)]
pub(super) fn map_in_place<T: Copy, F: ItemFunction<In = T, Out = T>>(x: &mut [T], function: &F) {
    for x in x {
        *x = function.apply(*x);
    }
}
