//! What the automatic gain controls share.

use superhet_runtime::catalog::{Kind, Param, optional};
use superhet_runtime::{C32, Item, Value};

use crate::error::{Error, check};
use crate::item::float_of;

/// Items that have a magnitude.
pub trait Level: Item {
    /// The magnitude.
    fn level(self) -> f32;
    /// Times a gain.
    fn times(self, gain: f32) -> Self;
    /// Whether it is a complex sample.
    const COMPLEX: bool;
}

impl Level for f32 {
    const COMPLEX: bool = false;
    #[inline(always)]
    fn level(self) -> f32 {
        self.abs()
    }
    #[inline(always)]
    fn times(self, gain: f32) -> Self {
        self * gain
    }
}

impl Level for C32 {
    const COMPLEX: bool = true;
    #[inline(always)]
    fn level(self) -> f32 {
        self.norm_sqr().sqrt()
    }
    #[inline(always)]
    fn times(self, gain: f32) -> Self {
        self * gain
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
                _ => return Err(::superhet_runtime::no_parameter(name, Self::PARAMETERS)),
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

const NUMBER: Kind = Kind::Float(-3.4e38, 3.4e38);

pub(super) const fn number(name: &'static str, default: &'static str, doc: &'static str) -> Param {
    optional(name, NUMBER, "", default, doc)
}

pub(super) const REFERENCE: Param = number("reference", "1.0", "The magnitude that the output shall have.");
pub(super) const GAIN: Param = number("gain", "1.0", "The gain at first.");
pub(super) const MAX_GAIN: Param = number("max_gain", "65536.0", "The greatest gain; 0: any.");
pub(super) const ATTACK: Param = number("attack_rate", "0.1", "How fast the gain falls.");
pub(super) const DECAY: Param = number("decay_rate", "0.01", "How fast the gain rises.");
