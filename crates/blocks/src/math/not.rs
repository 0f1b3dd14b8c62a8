//! The bits that a stream does not have.

use std::marker::PhantomData;

use superhet_runtime::{Item, declare};

use crate::elementwise::{Elementwise, pure_of_elementwise};

/// Bitwise not: every bit of an item is turned over.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i32` or `i16` | bits |
/// | out `out` | the same | bits |
///
/// ```
/// use superhet_blocks::math::Not;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Not::<u8>::new(), &[0x0f, 0]), [0xf0, 0xff]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Not<T>(PhantomData<fn() -> T>);

#[declare(
    category = "math",
    summary = "Bitwise not: every bit is turned over.",
    items(u8, i32, i16),
    ports(input("in", "item", "x"), output("out", "item", "!x"))
)]
impl<T: Item> Not<T> {
    /// Turns bits over.
    pub fn new() -> Self {
        Not(PhantomData)
    }
}

impl<T: Item> Default for Not<T> {
    fn default() -> Self {
        Not::new()
    }
}

impl<T: Item + std::ops::Not<Output = T>> Elementwise for Not<T> {
    type In = T;
    type Out = T;

    #[inline(always)]
    fn apply(&self, x: T) -> T {
        !x
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

pure_of_elementwise!(Not<u8>, Not<i32>, Not<i16>);

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        assert_eq!(harness::run(Not::<i16>::new(), &[0, 255, 5]), [-1, -256, -6]);
        harness::assert_cut_invariant(Not::<u8>::new, &(0..=255).collect::<Vec<_>>());
        harness::assert_cut_invariant(Not::<i32>::new, &(0..1000).collect::<Vec<_>>());
    }
}
