//! What the conversions between complex samples and streams of integers, real and imaginary parts in turn, share.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Item, Pure, Ratio, Shape, declare};

use super::scaled::check_scale;
use crate::error::Error;

/// An integer, two of which are a complex sample.
pub trait Part: Item {
    /// `y[n] = (x[2n] + j · x[2n + 1]) / scale`.
    fn to_complex(y: &mut [C32], x: &[Self], scale: f32);
    /// The reverse, rounded half to even, saturated; 0 for NaN.
    fn from_complex(y: &mut [Self], x: &[C32], scale: f32);
}

macro_rules! part {
    ($($item:ty: $to:path, $from:path);+) => {$(
        impl Part for $item {
            fn to_complex(y: &mut [C32], x: &[$item], scale: f32) {
                $to(y, bytemuck::cast_slice(x), scale);
            }
            fn from_complex(y: &mut [$item], x: &[C32], scale: f32) {
                $from(bytemuck::cast_slice_mut(y), x, scale);
            }
        }
    )+};
}

part! {
    i8: kernels::i8_to_c32_scaled, kernels::c32_to_i8_scaled;
    i16: kernels::i16_to_c32_scaled, kernels::c32_to_i16_scaled
}

/// Integers, real and imaginary parts in turn, to complex samples: `y[n] = (x[2n] + j · x[2n + 1]) / scale`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `i8` or `i16` | codes in turn | 2 |
/// | out `out` | `C32` | `scale` becomes 1.0 | 1 |
/// | in `set` | messages | new values of `scale` and `swap` | |
///
/// ```
/// use superhet_blocks::convert::InterleavedToComplex;
/// use superhet_runtime::{C32, harness};
///
/// let block = InterleavedToComplex::<i16>::new(2.0, false)?;
/// assert_eq!(harness::run(block, &[1, 2, 3, 4]), [C32::new(0.5, 1.0), C32::new(1.5, 2.0)]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InterleavedToComplex<T> {
    scale: f32,
    swap: bool,
    item: std::marker::PhantomData<fn(T)>,
}

#[declare]
impl<T: Part> InterleavedToComplex<T> {
    /// With the code for 1.0, and whether the imaginary part comes first.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the scale is 0 or not finite.
    pub fn new(
        /// The code for 1.0, not 0.
        #[param(live)]
        scale: f64,
        /// Whether the imaginary part comes first.
        #[param(live, any)]
        swap: bool,
    ) -> Result<Self, Error> {
        Ok(InterleavedToComplex { scale: check_scale(scale)?, swap, item: std::marker::PhantomData })
    }
}

#[declare]
impl<T: Part> Pure for InterleavedToComplex<T> {
    type In = T;
    type Out = C32;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::decimate(2), ..Shape::default() }
    }

    fn map(&self, x: &[T], y: &mut [C32]) {
        T::to_complex(y, x, self.scale);
        if self.swap {
            y.iter_mut().for_each(|y| *y = C32::new(y.im, y.re));
        }
    }
}

/// Complex samples to integers, real and imaginary parts in turn: `y[2n] = scale · re`, `y[2n + 1] = scale · im`.
///
/// Rounds half to even and saturates; NaN becomes 0.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | 1.0 becomes `scale` | 1 |
/// | out `out` | `i8` or `i16` | codes in turn | 2 |
/// | in `set` | messages | new values of `scale` | |
///
/// ```
/// use superhet_blocks::convert::ComplexToInterleaved;
/// use superhet_runtime::{C32, harness};
///
/// let block = ComplexToInterleaved::<i16>::new(2.0)?;
/// assert_eq!(harness::run(block, &[C32::new(0.5, 1e9)]), [1, 32767]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ComplexToInterleaved<T> {
    scale: f32,
    item: std::marker::PhantomData<fn() -> T>,
}

#[declare]
impl<T: Part> ComplexToInterleaved<T> {
    /// With the code for 1.0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the scale is 0 or not finite.
    pub fn new(
        /// The code for 1.0, not 0.
        #[param(live)]
        scale: f64,
    ) -> Result<Self, Error> {
        Ok(ComplexToInterleaved { scale: check_scale(scale)?, item: std::marker::PhantomData })
    }
}

#[declare]
impl<T: Part> Pure for ComplexToInterleaved<T> {
    type In = C32;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(2), ..Shape::default() }
    }

    fn map(&self, x: &[C32], y: &mut [T]) {
        T::from_complex(y, x, self.scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn codes_come_back_from_their_samples() {
        let codes: Vec<i16> = (-500..500).map(|n| n * 33).collect();
        let samples: Vec<C32> =
            harness::run(InterleavedToComplex::<i16>::new(32768.0, false).unwrap(), &codes);
        assert_eq!(harness::run(ComplexToInterleaved::<i16>::new(32768.0).unwrap(), &samples), codes);
        let swapped: Vec<C32> =
            harness::run(InterleavedToComplex::<i8>::new(1.0, true).unwrap(), &[1i8, 2, 3, -4, 5]);
        assert_eq!(swapped, [C32::new(2.0, 1.0), C32::new(-4.0, 3.0)]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || ComplexToInterleaved::<i8>::new(100.0).unwrap(),
            &complex_noise(500),
        );
        let codes: Vec<i16> = (0..1001).collect();
        harness::assert_cut_invariant(|| InterleavedToComplex::<i16>::new(7.0, true).unwrap(), &codes);
    }
}
