//! What the automatic gain controls share.
//!
//! The magnitude of an output is that of the input times that of the gain, so magnitudes and products are taken by kernels, a
//! chunk at a time, and only the gains wait for each other. What a gain must not become is looked for by a branch that is hardly
//! ever taken: it costs no latency.

use superhet_kernels as kernels;
use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, Item, Value};

use crate::error::{Error, check};
use crate::item::float_of;

/// Items that have a magnitude.
pub trait Level: Item {
    /// The magnitude.
    fn level(self) -> f32;
    /// Its square.
    fn power(self) -> f64;
    /// Times a gain.
    fn times(self, gain: f32) -> Self;
    /// Whether it is a complex sample.
    const COMPLEX: bool;
    /// The magnitudes of samples: exact for `f32`, within 2⁻²³ of themselves for `C32`.
    fn levels(levels: &mut [f32], x: &[Self]);
    /// `y[n] = gains[n] · x[n]`.
    fn amplify(y: &mut [Self], x: &[Self], gains: &[f32]);
}

impl Level for f32 {
    const COMPLEX: bool = false;
    #[inline(always)]
    fn level(self) -> f32 {
        self.abs()
    }
    #[inline(always)]
    fn power(self) -> f64 {
        f64::from(self) * f64::from(self)
    }
    #[inline(always)]
    fn times(self, gain: f32) -> Self {
        self * gain
    }
    fn levels(levels: &mut [f32], x: &[f32]) {
        kernels::absolute_f32(levels, x);
    }
    fn amplify(y: &mut [f32], x: &[f32], gains: &[f32]) {
        kernels::multiply_f32(y, x, gains);
    }
}

impl Level for C32 {
    const COMPLEX: bool = true;
    #[inline(always)]
    fn level(self) -> f32 {
        self.norm_sqr().sqrt()
    }
    #[inline(always)]
    fn power(self) -> f64 {
        f64::from(self.norm_sqr())
    }
    #[inline(always)]
    fn times(self, gain: f32) -> Self {
        self * gain
    }
    fn levels(levels: &mut [f32], x: &[C32]) {
        kernels::magnitude(levels, x);
        // Squares that do not fit in single precision.
        let fits = |level: f32| (1e-18..1e18).contains(&level);
        if !levels.iter().fold(true, |all, level| all & fits(*level)) {
            for (level, x) in levels.iter_mut().zip(x).filter(|(level, _)| !fits(**level)) {
                *level = f64::from(x.re).hypot(x.im.into()) as f32;
            }
        }
    }
    fn amplify(y: &mut [C32], x: &[C32], gains: &[f32]) {
        kernels::multiply_c32_f32(y, x, gains);
    }
}

/// Items of a chunk.
pub(super) const CHUNK: usize = 256;

/// Levels items by gains that `track` finds of their magnitudes, at most a chunk at a time: it writes the gain of each.
pub(super) fn level<T: Level>(x: &[T], y: &mut [T], mut track: impl FnMut(&[f32], &mut [f32])) {
    let (mut levels, mut gains) = ([0.0; CHUNK], [0.0; CHUNK]);
    for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
        let (levels, gains) = (&mut levels[..x.len()], &mut gains[..x.len()]);
        T::levels(levels, x);
        track(levels, gains);
        T::amplify(y, x, gains);
    }
}

/// A finite number as a new value of `parameter`, in single precision.
pub(super) fn finite(parameter: &'static str, got: f64) -> Result<f32, Error> {
    check((got as f32).is_finite(), parameter, "a finite number", got)?;
    Ok(got as f32)
}

/// As [`finite`], of a value.
pub(super) fn finite_of(parameter: &'static str, value: &Value) -> Result<f32, Error> {
    finite(parameter, float_of(parameter, value)?)
}

/// Fields of a block that are finite numbers, as parameters that are changed and read by their names.
macro_rules! settings {
    ($($name:ident),+) => {
        const PARAMETERS: &'static [&'static str] = &[$(stringify!($name)),+];

        fn set_parameter(
            &mut self,
            name: &str,
            value: &::superhet_runtime::Value,
        ) -> Result<(), ::superhet_runtime::BlockError> {
            match name {
                $(stringify!($name) => self.$name = $crate::analog::gain::finite_of(stringify!($name), value)?,)+
                _ => return Err(::superhet_runtime::parameter::no_parameter(name, Self::PARAMETERS)),
            }
            Ok(())
        }

        fn parameter(&self, name: &str) -> Option<::superhet_runtime::Value> {
            match name {
                $(stringify!($name) => Some(self.$name.into()),)+
                _ => None,
            }
        }
    };
}
pub(super) use settings;

/// What such numbers may be.
pub(super) const NUMBER: Kind = Kind::Float(-3.4e38, 3.4e38);
