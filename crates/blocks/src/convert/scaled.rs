//! What the conversions between integers and real samples share: a scale, the code for 1.0.

use superhet_kernels as kernels;
use superhet_runtime::{Item, Pure, declare};

use crate::error::{Error, check};

/// An integer that stands for a real sample.
pub trait Code: Item {
    /// `y[n] = x[n] / scale`.
    fn to_floats(y: &mut [f32], x: &[Self], scale: f32);
    /// `y[n] = scale · x[n]`, rounded half to even, saturated; 0 for NaN.
    fn from_floats(y: &mut [Self], x: &[f32], scale: f32);
}

macro_rules! code {
    ($($item:ty: $to:path, $from:path);+) => {$(
        impl Code for $item {
            fn to_floats(y: &mut [f32], x: &[$item], scale: f32) {
                $to(y, x, scale);
            }
            fn from_floats(y: &mut [$item], x: &[f32], scale: f32) {
                $from(y, x, scale);
            }
        }
    )+};
}

code! {
    u8: kernels::u8_to_f32_scaled, kernels::f32_to_u8_scaled;
    i8: kernels::i8_to_f32_scaled, kernels::f32_to_i8_scaled;
    i16: kernels::i16_to_f32_scaled, kernels::f32_to_i16_scaled;
    i32: kernels::i32_to_f32_scaled, kernels::f32_to_i32_scaled
}

/// That `scale` can be divided by.
pub(crate) fn check_scale(scale: f64) -> Result<f32, Error> {
    let single = scale as f32;
    check(single.is_finite() && single != 0.0, "scale", "a number within ±3.4e38, not 0", scale)?;
    Ok(single)
}

/// Integers to real samples, scaled: `y[n] = x[n] / scale`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i8`, `i16` or `i32` | code |
/// | out `out` | `f32` | `scale` becomes 1.0 |
/// | in `set` | messages | new values of `scale` |
///
/// | parameter | range |
/// |---|---|
/// | `scale` | any but 0; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::convert::ToFloat;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(ToFloat::<i32>::new(100.0)?, &[-100i32, 50]);
/// assert_eq!(y, [-1.0, 0.5]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ToFloat<T> {
    scale: f32,
    item: std::marker::PhantomData<fn(T)>,
}

/// Real samples to integers, scaled: `y[n] = scale · x[n]`.
///
/// Rounds half to even and saturates; NaN becomes 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | 1.0 becomes `scale` |
/// | out `out` | `u8`, `i8`, `i16` or `i32` | code |
/// | in `set` | messages | new values of `scale` |
///
/// | parameter | range |
/// |---|---|
/// | `scale` | any but 0; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::convert::FromFloat;
/// use superhet_runtime::harness;
///
/// let y: Vec<i32> = harness::run(FromFloat::<i32>::new(100.0)?, &[-1.0f32, 0.505]);
/// assert_eq!(y, [-100, 50]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FromFloat<T> {
    scale: f32,
    item: std::marker::PhantomData<fn() -> T>,
}

macro_rules! conversion {
    ($Block:ident, $In:ty, $Out:ty, $map:expr) => {
        #[declare]
        impl<T: Code> $Block<T> {
            /// With the code for 1.0.
            ///
            /// # Errors
            /// [`Error::OutOfRange`] where the scale is 0 or not finite.
            pub fn new(
                /// The code for 1.0, not 0.
                #[param(live)]
                scale: f64,
            ) -> Result<Self, Error> {
                Ok($Block { scale: check_scale(scale)?, item: std::marker::PhantomData })
            }
        }

        #[declare]
        impl<T: Code> Pure for $Block<T> {
            type In = $In;
            type Out = $Out;

            fn map(&self, x: &[$In], y: &mut [$Out]) {
                $map(y, x, self.scale);
            }
        }
    };
}

conversion!(ToFloat, T, f32, T::to_floats);
conversion!(FromFloat, f32, T, T::from_floats);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    #[test]
    fn codes_are_rounded_half_to_even_and_saturate() {
        let x = [0.5f32, 1.5, 2.5, -0.5, -1.5, 1e10, -1e10, f32::NAN];
        let y: Vec<i16> = harness::run(FromFloat::<i16>::new(1.0).unwrap(), &x);
        assert_eq!(y, [0, 2, 2, 0, -2, 32767, -32768, 0]);
        let y: Vec<u8> = harness::run(FromFloat::<u8>::new(1.0).unwrap(), &[127.6f32, -128.7, 255.5]);
        assert_eq!(y, [128, 0, 255]);
        let x = [f32::INFINITY, f32::NEG_INFINITY, 1e10, -1e10];
        let y: Vec<i32> = harness::run(FromFloat::<i32>::new(1.0).unwrap(), &x);
        assert_eq!(y, [i32::MAX, i32::MIN, i32::MAX, i32::MIN]);
        let y: Vec<f32> = harness::run(ToFloat::<i8>::new(3.0).unwrap(), &[1i8, -1, 127]);
        assert!(
            y.iter().zip([1.0f32 / 3.0, -1.0 / 3.0, 42.333332]).all(|(y, wanted)| (y - wanted).abs() < 1e-5)
        );
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| FromFloat::<i32>::new(1e6).unwrap(), &noise(1000));
        harness::assert_cut_invariant(|| ToFloat::<i32>::new(7.0).unwrap(), &(0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_scale_of_0_is_refused() {
        assert!(ToFloat::<i8>::new(0.0).is_err() && FromFloat::<i8>::new(f64::INFINITY).is_err());
        assert!(ToFloat::<i8>::new(1.0).unwrap().with_parameter("scale", &0.into()).is_err());
    }
}
