//! Passes items on as they are.

use std::marker::PhantomData;

use superhet_runtime::{InPlace, Item, Pure, declare};

use crate::elementwise::Elementwise;

/// Passes items on as they are: `y[n] = x[n]`; in place, and then free, where the plan can.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::flow::Copy;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Copy::<u8>::new(), &[1, 2, 3]), [1, 2, 3]);
/// ```
#[derive(Debug)]
pub struct Copy<T>(PhantomData<fn() -> T>);

#[declare(
    category = "flow",
    summary = "Passes items on as they are.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x"))
)]
impl<T: Item> Copy<T> {
    /// A copy.
    pub fn new() -> Self {
        Copy(PhantomData)
    }
}

impl<T: Item> Default for Copy<T> {
    fn default() -> Self {
        Copy::new()
    }
}

impl<T: Item> Pure for Copy<T> {
    type In = T;
    type Out = T;
    const IN_PLACE: Option<InPlace<Self>> = Some(|_, _| {});

    fn map(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(x);
    }
}

impl<T: Item> Elementwise for Copy<T> {
    type In = T;
    type Out = T;

    #[inline(always)]
    fn apply(&self, x: T) -> T {
        x
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn the_output_is_the_input_wherever_it_is_cut() {
        let x = noise(1000);
        assert_eq!(harness::run(Copy::<f32>::new(), &x), x);
        harness::assert_cut_invariant(Copy::<f32>::new, &x);
    }
}
