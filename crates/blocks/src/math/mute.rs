//! Silence on demand.

use std::marker::PhantomData;

use superhet_runtime::{C32, InPlace, Item, Pure, declare};

/// Passes items on, or zeros in their place while it is muted.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32` or `i16` | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `mute` |
///
/// ```
/// use superhet_blocks::math::Mute;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Mute::<f32>::new(true), &[1.0, 2.0]), [0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mute<T> {
    mute: bool,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "math",
    summary = "Passes items on, or zeros in their place while it is muted.",
    items(C32, f32, i32, i16),
    ports(input("in", "item", "x"), output("out", "item", "x or 0"))
)]
impl<T: Item> Mute<T> {
    /// Begins muted, or not.
    pub fn new(
        /// Whether it begins muted.
        #[param(live, default = false)]
        mute: bool,
    ) -> Self {
        Mute { mute, item: PhantomData }
    }
}

#[declare]
impl<T: Item> Pure for Mute<T> {
    type In = T;
    type Out = T;
    const IN_PLACE: Option<InPlace<Self>> = Some(|block, x| {
        if block.mute {
            x.fill(T::zeroed());
        }
    });
    fn map(&self, x: &[T], y: &mut [T]) {
        match self.mute {
            true => y.fill(T::zeroed()),
            false => y.copy_from_slice(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn items_or_zeros_pass_wherever_the_input_is_cut() {
        let x = noise(500);
        assert_eq!(harness::run(Mute::<f32>::new(false), &x), x);
        assert_eq!(harness::run(Mute::<f32>::new(true), &x), [0.0; 500]);
        harness::assert_cut_invariant(|| Mute::<f32>::new(true), &x);
        assert!(Mute::<f32>::new(true).with_parameter("mute", &1.into()).is_err());
    }
}
