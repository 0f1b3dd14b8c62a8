//! Any function of one item, compiled for each instruction set: what fused blocks run.

#![allow(unsafe_code, reason = "calls of variants whose instructions were detected")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::{Compiled, same_length};

/// A function of one item, to be run over slices by [`map`](fn@map).
///
/// `apply` needs `#[inline(always)]`: only what is inlined into the loop becomes vectors, and takes over the
/// instruction set that the loop is compiled for. Of a function that calls others, those need it as well.
///
/// ```
/// use superhet_kernels::{ItemFunction, map};
///
/// struct Square;
///
/// impl ItemFunction for Square {
///     type In = f32;
///     type Out = f32;
///     #[inline(always)]
///     fn apply(&self, x: f32) -> f32 { x * x }
/// }
///
/// let mut y = [0.0; 2];
/// map(&mut y, &[2.0, -3.0], &Square);
/// assert_eq!(y, [4.0, 9.0]);
/// ```
pub trait ItemFunction {
    /// What it takes.
    type In: Copy;
    /// What it gives.
    type Out: Copy;

    /// The item that comes of `x`.
    fn apply(&self, x: Self::In) -> Self::Out;
}

/// Applies a function to each item: `y[n] = function(x[n])`.
///
/// **Accuracy**: that of the function, and the same bits in every variant: a product and a sum are each rounded, never
/// contracted.
#[doc = same_length!(@doc (y, x))]
#[inline]
pub fn map<F: ItemFunction>(y: &mut [F::Out], x: &[F::In], function: &F) {
    same_length!(map(y, x));
    let run = const { out_of_place::<F>() }.chosen();
    // SAFETY: `chosen` gives the function of an instruction set that was detected.
    unsafe { run(y, x, function) }
}

/// Applies a function to each item in place: `x[n] = function(x[n])`, the values of [`map`](fn@map).
///
/// ```
/// use superhet_kernels::{ItemFunction, map_in_place};
///
/// struct Negate;
///
/// impl ItemFunction for Negate {
///     type In = i16;
///     type Out = i16;
///     #[inline(always)]
///     fn apply(&self, x: i16) -> i16 { -x }
/// }
///
/// let mut x = [1, -2];
/// map_in_place(&mut x, &Negate);
/// assert_eq!(x, [-1, 2]);
/// ```
#[inline]
pub fn map_in_place<T: Copy, F: ItemFunction<In = T, Out = T>>(x: &mut [T], function: &F) {
    let run = const { in_place::<T, F>() }.chosen();
    // SAFETY: `chosen` gives the function of an instruction set that was detected.
    unsafe { run(x, function) }
}

/// `map` for one type of functions; to be called where the CPU features of its instruction set are.
type Map<F> = unsafe fn(&mut [<F as ItemFunction>::Out], &[<F as ItemFunction>::In], &F);
/// As [`Map`], in place.
type MapInPlace<T, F> = unsafe fn(&mut [T], &F);

const fn out_of_place<F: ItemFunction>() -> Compiled<Map<F>> {
    Compiled {
        scalar: scalar::map,
        #[cfg(target_arch = "x86_64")]
        avx2: avx2::map,
        #[cfg(target_arch = "x86_64")]
        avx512: avx512::map,
    }
}

const fn in_place<T: Copy, F: ItemFunction<In = T, Out = T>>() -> Compiled<MapInPlace<T, F>> {
    Compiled {
        scalar: scalar::map_in_place,
        #[cfg(target_arch = "x86_64")]
        avx2: avx2::map_in_place,
        #[cfg(target_arch = "x86_64")]
        avx512: avx512::map_in_place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};
    use crate::{C32, item};

    /// Four times `gain · x + offset`.
    struct Saxpys;

    const STAGES: [(f32, f32); 4] = [(1.7, -0.3), (0.9, 0.1), (-1.1, 0.7), (0.3, -0.2)];

    impl ItemFunction for Saxpys {
        type In = f32;
        type Out = f32;
        #[inline(always)]
        fn apply(&self, x: f32) -> f32 {
            STAGES.iter().fold(x, |x, &(gain, offset)| item::saxpy(x, gain, offset))
        }
    }

    /// Items of one size in, of another out.
    struct ToPower;

    impl ItemFunction for ToPower {
        type In = C32;
        type Out = i16;
        #[inline(always)]
        fn apply(&self, x: C32) -> i16 {
            item::f32_to_i16(item::magnitude_squared(x))
        }
    }

    #[test]
    fn every_variant_applies_the_function() {
        let saxpys = |x: f32| {
            let fold = |x, &(gain, offset): &(f32, f32)| gain as f64 * x + offset as f64;
            Want::within(STAGES.iter().fold(x as f64, fold), 8.0 * f32::EPSILON as f64)
        };
        // SAFETY: `op` gives out only what was compiled for instruction sets that this machine has.
        check::unary(&out_of_place().op("map"), |run, y, x| unsafe { run(y, x, &Saxpys) }, saxpys);
        // SAFETY: as before.
        check::unary_in_place(&in_place().op("map_in_place"), |run, x| unsafe { run(x, &Saxpys) }, saxpys);

        let power = |x: C32| Want::within((wide(x).norm_sqr() * 32768.0).min(32767.0), 0.51);
        // SAFETY: as before.
        check::unary(&out_of_place().op("map"), |run, y, x| unsafe { run(y, x, &ToPower) }, power);
    }

    #[test]
    fn a_fused_loop_gives_the_bits_of_the_kernels_one_after_the_other() {
        let x: Vec<f32> = (0..1000).map(|n| (n as f32).sin() * 3.0).collect();
        let mut one_by_one = x.clone();
        for (gain, offset) in STAGES {
            crate::saxpy_in_place(&mut one_by_one, gain, offset);
        }
        let mut fused = vec![0.0; x.len()];
        map(&mut fused, &x, &Saxpys);
        assert_eq!(fused, one_by_one);
    }

    #[test]
    #[should_panic(expected = "map needs y.len() == x.len(), got 2 and 3")]
    fn unequal_lengths_panic_with_the_inequality_and_the_lengths() {
        map(&mut [0.0; 2], &[0.0; 3], &Saxpys);
    }
}
