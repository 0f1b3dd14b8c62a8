//! The other order of bytes.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::Pure;
use superhet_runtime::{C32, InPlace, Item, declare};

/// Turns the order of an item's bytes around. A complex item is one of 8 bytes.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32`, `i16` or `u8` | any |
/// | out `out` | the same | in the other order of bytes |
///
/// ```
/// use superhet_blocks::convert::EndianSwap;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(EndianSwap::<i16>::new(), &[0x0102]), [0x0201]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EndianSwap<T>(PhantomData<fn() -> T>);

#[declare(
    category = "convert",
    summary = "Turns the order of an item's bytes around.",
    items(C32, f32, i32, i16, u8),
    default_item = "i16",
    ports(input("in", "item", "x"), output("out", "item", "x in the other order of bytes"))
)]
impl<T: Item> EndianSwap<T> {
    /// Turns bytes around.
    pub fn new() -> Self {
        EndianSwap(PhantomData)
    }
}

impl<T: Item> Default for EndianSwap<T> {
    fn default() -> Self {
        EndianSwap::new()
    }
}

/// Turns around the bytes of each item.
fn swap<T: Item>(x: &mut [T]) {
    match size_of::<T>() {
        2 => kernels::swap_bytes_u16_in_place(bytemuck::cast_slice_mut(x)),
        4 => kernels::swap_bytes_u32_in_place(bytemuck::cast_slice_mut(x)),
        n => bytemuck::cast_slice_mut::<T, u8>(x).chunks_exact_mut(n).for_each(<[u8]>::reverse),
    }
}

impl<T: Item> Pure for EndianSwap<T> {
    type In = T;
    type Out = T;
    const IN_PLACE: Option<InPlace<Self>> = Some(|_, x| swap(x));

    fn map(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(x);
        swap(y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn bytes_are_turned_around_wherever_the_input_is_cut() {
        assert_eq!(harness::run(EndianSwap::<i32>::new(), &[0x0102_0304]), [0x0403_0201]);
        let x = [C32::new(f32::from_bits(0x0102_0304), f32::from_bits(0x0506_0708))];
        let y = harness::run(EndianSwap::<C32>::new(), &x);
        assert_eq!((y[0].re.to_bits(), y[0].im.to_bits()), (0x0807_0605, 0x0403_0201));
        harness::assert_cut_invariant(EndianSwap::<i16>::new, &(0..1000).collect::<Vec<_>>());
    }
}
