//! The items that blocks calculate with, real and complex.

use std::fmt;
use std::ops::{Add, Mul};

use superhet_runtime::{C32, C64, Item, Value};

use super::error::{Error, check};

/// A sample: `f32` or `C32`.
pub trait Sample: sealed::Sample + Item + Add<Output = Self> + Mul<Output = Self> {}

impl Sample for f32 {}
impl Sample for C32 {}

pub(super) mod sealed {
    use super::*;

    pub trait Sample: Sized + fmt::Display {
        /// The one of the two that is for samples of this type.
        fn either<K>(real: K, complex: K) -> K;
        /// The number that a parameter's value says.
        fn of(parameter: &'static str, value: &Value) -> Result<Self, Error>;
        /// As a parameter's value.
        fn value(&self) -> Value;
        /// Whether it is neither infinite nor NaN.
        fn is_finite(&self) -> bool;
    }
}

impl sealed::Sample for f32 {
    fn either<K>(real: K, _: K) -> K {
        real
    }

    fn of(parameter: &'static str, value: &Value) -> Result<Self, Error> {
        let wrong = || wrong(parameter, "a real number within ±3.4e38", value);
        let number = value.as_complex().filter(|number| number.im == 0.0).ok_or_else(wrong)?;
        single(number.re).ok_or_else(wrong)
    }

    fn value(&self) -> Value {
        (*self).into()
    }

    fn is_finite(&self) -> bool {
        f32::is_finite(*self)
    }
}

impl sealed::Sample for C32 {
    fn either<K>(_: K, complex: K) -> K {
        complex
    }

    fn of(parameter: &'static str, value: &Value) -> Result<Self, Error> {
        let wrong = || wrong(parameter, "a number or [re, im], within ±3.4e38", value);
        let number = value.as_complex().ok_or_else(wrong)?;
        Ok(C32::new(single(number.re).ok_or_else(wrong)?, single(number.im).ok_or_else(wrong)?))
    }

    fn value(&self) -> Value {
        C64::new(self.re.into(), self.im.into()).into()
    }

    fn is_finite(&self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

/// The numbers that a parameter's value says.
pub(super) fn samples<T: Sample>(parameter: &'static str, value: &Value) -> Result<Vec<T>, Error> {
    let list = value.as_list().ok_or_else(|| wrong(parameter, "a list of numbers", value))?;
    list.iter().map(|value| T::of(parameter, value)).collect()
}

/// The number in single precision, unless only that makes it infinite.
fn single(x: f64) -> Option<f32> {
    Some(x as f32).filter(|single| single.is_finite() || !x.is_finite())
}

fn wrong(parameter: &'static str, wanted: &'static str, value: &Value) -> Error {
    Error::WrongKind { parameter, wanted, got: value.to_string() }
}

/// The most taps.
const MOST_TAPS: usize = 1 << 22;

/// Checks that `taps` are at least one number, not too many, and all finite.
pub(super) fn check_taps<T: Sample>(taps: &[T]) -> Result<(), Error> {
    if taps.is_empty() {
        return Err(Error::Empty { parameter: "taps", wanted: "at least one number" });
    }
    check(taps.len() <= MOST_TAPS, "taps", "at most 4194304 numbers", taps.len())?;
    match taps.iter().position(|tap| !tap.is_finite()) {
        Some(place) => {
            let got = taps[place].to_string();
            Err(Error::Element { parameter: "taps", place, wanted: "a finite number", got })
        }
        None => Ok(()),
    }
}
