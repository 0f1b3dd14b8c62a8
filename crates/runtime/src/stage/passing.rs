//! A block that passes items on, for where the runtime needs one.

use std::marker::PhantomData;

use super::AnyBlock;
use crate::block::Pure;
use crate::item::Item;

struct Passing<T>(PhantomData<T>);

impl<T: Item> Pure for Passing<T> {
    type In = T;
    type Out = T;
    const IN_PLACE: bool = true;
    fn map(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(x);
    }
    fn map_in_place(&self, _: &mut [T]) {}
}

/// A block that passes items of this type on.
pub(crate) fn passing<T: Item>() -> AnyBlock {
    AnyBlock::new(Passing::<T>(PhantomData))
}
