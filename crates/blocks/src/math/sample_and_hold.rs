//! Keeps an item for as long as a control input says.

use superhet_runtime::{Item, SyncBlock, declare};

/// Gives the last item of `in0` for which `in1` was not 0; 0 before there was one.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `f32`, `i32`, `i16` or `u8` | any |
/// | in `in1` | `u8` | 0: hold, else sample |
/// | out `out` | that of `in0` | that of `in0` |
///
/// ```
/// use superhet_blocks::math::SampleAndHold;
/// use superhet_runtime::SyncBlock;
///
/// let mut y = [0.0; 5];
/// SampleAndHold::new().process((&[1.0f32, 2.0, 3.0, 4.0, 5.0], &[0, 1, 0, 0, 2]), &mut y);
/// assert_eq!(y, [0.0, 2.0, 2.0, 2.0, 5.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SampleAndHold<T> {
    held: T,
}

#[declare(
    category = "math",
    summary = "Keeps an item for as long as another stream says so.",
    items(f32, i32, i16, u8),
    ports(
        input("in0", "item", "x"),
        input("in1", "u8", "0: hold, else sample"),
        output("out", "item", "the item held")
    )
)]
impl<T: Item> SampleAndHold<T> {
    /// Holds 0 at first.
    pub fn new() -> Self {
        SampleAndHold { held: T::zeroed() }
    }
}

impl<T: Item> Default for SampleAndHold<T> {
    fn default() -> Self {
        SampleAndHold::new()
    }
}

impl<T: Item> SyncBlock for SampleAndHold<T> {
    type In = (T, u8);
    type Out = T;

    fn process(&mut self, (x, sample): (&[T], &[u8]), y: &mut [T]) {
        for ((y, &x), &sample) in y.iter_mut().zip(x).zip(sample) {
            if sample != 0 {
                self.held = x;
            }
            *y = self.held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_gives_of_two;

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let x: Vec<i32> = (1..=1000).collect();
        let sample: Vec<u8> = (0..1000).map(|n| u8::from(n % 10 == 3)).collect();
        let wanted: Vec<i32> = (0..1000).map(|n| if n < 3 { 0 } else { (n - 3) / 10 * 10 + 4 }).collect();
        assert_gives_of_two(SampleAndHold::<i32>::new, (&x, &sample), &wanted);
    }
}
