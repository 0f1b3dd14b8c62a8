//! Absolute values.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::{InPlace, Item, Pure, declare};

use crate::elementwise::{Elementwise, pure_of_elementwise};

/// Absolute values: `y[n] = |x[n]|`. The smallest whole number, which has none, stays as it is.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32`, `i32` or `i16` | any |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::math::Abs;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Abs::<f32>::new(), &[-1.5, 2.0]), [1.5, 2.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Abs<T>(PhantomData<fn() -> T>);

#[declare(
    category = "math",
    summary = "Absolute values: y[n] = |x[n]|.",
    items(f32, i32, i16),
    ports(input("in", "item", "x"), output("out", "item", "|x|"))
)]
impl<T: Item> Abs<T> {
    /// Absolute values.
    pub fn new() -> Self {
        Abs(PhantomData)
    }
}

impl<T: Item> Default for Abs<T> {
    fn default() -> Self {
        Abs::new()
    }
}

impl Pure for Abs<f32> {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> = Some(|_, x| kernels::absolute_f32_in_place(x));

    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::absolute_f32(y, x);
    }
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl Elementwise for Abs<$item> {
            type In = $item;
            type Out = $item;

            #[inline(always)]
            fn apply(&self, x: $item) -> $item {
                x.wrapping_abs()
            }
            fn describe(&self) -> String {
                const { ENTRY.name }.to_owned()
            }
        }
    )+};
}

whole!(i32, i16);
pure_of_elementwise!(Abs<i32>, Abs<i16>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        let x = [i16::MIN, -3, 0, 5, i16::MAX];
        assert_eq!(harness::run(Abs::<i16>::new(), &x), [i16::MIN, 3, 0, 5, i16::MAX]);
        harness::assert_cut_invariant(Abs::<f32>::new, &noise(1000));
        harness::assert_cut_invariant(Abs::<i32>::new, &(-500..500).collect::<Vec<_>>());
    }
}
