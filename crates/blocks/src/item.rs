//! Blocks for items of several types: the parameter `item`, and the block that it chooses.

use superhet_runtime::catalog::{ANY_FLOAT, Kind, Params, Plain, Reads};
use superhet_runtime::{BlockError, C32, C64, Item, Value};

use crate::error::Error;

/// The block `$block`, in which `$T` stands for the type that the parameter `item` names.
macro_rules! block_of_item {
    ($item:expr, $T:ident => $block:expr) => {
        $crate::item::block_of_item!($item, $T => $block;
            "C32" = ::superhet_runtime::C32, "f32" = f32, "u8" = u8, "i8" = i8, "i16" = i16, "i32" = i32,
            "cu8" = [u8; 2], "cs8" = [i8; 2], "cs16" = [i16; 2])
    };
    ($item:expr, $T:ident => $block:expr; $($name:literal = $type:ty),+) => {
        match $item {
            $($name => {
                type $T = $type;
                ::superhet_runtime::AnyBlock::new($block)
            })+
            other => return Err(superhet_runtime::catalog::no_item_type(other)),
        }
    };
}
pub(crate) use block_of_item;

/// The words that [`block_of_item`] knows.
pub(crate) const ITEMS: Kind = Kind::Choice(&["C32", "f32", "u8", "i8", "i16", "i32", "cu8", "cs8", "cs16"]);

/// As [`block_of_item`], for samples: `C32` and `f32`.
macro_rules! block_of_sample {
    ($item:expr, $T:ident => $block:expr) => {
        $crate::item::block_of_item!($item, $T => $block; "C32" = ::superhet_runtime::C32, "f32" = f32)
    };
}
pub(crate) use block_of_sample;

/// As [`block_of_item`], for `C32`, `f32`, `i32` and `i16`.
macro_rules! block_of_number {
    ($item:expr, $T:ident => $block:expr) => {
        $crate::item::block_of_item!($item, $T => $block;
            "C32" = ::superhet_runtime::C32, "f32" = f32, "i32" = i32, "i16" = i16)
    };
}
pub(crate) use block_of_number;

/// Items that can be written as numbers in a file.
pub trait FromNumber: Item {
    /// What numbers fit.
    const WANTED: &'static str;

    /// The item, where `number` is one.
    fn from_number(number: C64) -> Option<Self>;
}

fn in_words(number: C64) -> String {
    if number.im == 0.0 { number.re.to_string() } else { format!("[{}, {}]", number.re, number.im) }
}

/// The item that `number` says.
pub(crate) fn from_number<T: FromNumber>(parameter: &'static str, number: C64) -> Result<T, Error> {
    let wrong = || Error::WrongKind { parameter, wanted: T::WANTED, got: in_words(number) };
    T::from_number(number).ok_or_else(wrong)
}

/// The items that `numbers` say.
pub(crate) fn from_numbers<T: FromNumber>(parameter: &'static str, numbers: &[C64]) -> Result<Vec<T>, Error> {
    let item = |(place, &number): (usize, &C64)| {
        T::from_number(number).ok_or_else(|| Error::Element {
            parameter,
            place,
            wanted: T::WANTED,
            got: in_words(number),
        })
    };
    numbers.iter().enumerate().map(item).collect()
}

/// Whole numbers that are not negative.
pub(crate) fn counts_of(parameter: &'static str, numbers: &[C64]) -> Result<Vec<usize>, Error> {
    let numbers: Vec<i32> = from_numbers(parameter, numbers)?;
    let count = |(place, n): (usize, i32)| {
        let wanted = "a whole number from 0 to 2147483647";
        usize::try_from(n).map_err(|_| Error::Element { parameter, place, wanted, got: n.to_string() })
    };
    numbers.into_iter().enumerate().map(count).collect()
}

/// The item that a parameter's new value says.
pub(crate) fn from_value<T: FromNumber>(parameter: &'static str, value: &Value) -> Result<T, Error> {
    let wrong = || Error::WrongKind { parameter, wanted: T::WANTED, got: value.to_string() };
    from_number(parameter, value.as_complex().ok_or_else(wrong)?)
}

/// The numbers, real or complex, that a parameter says.
pub(crate) fn complexes_of(parameter: &'static str, value: &Value) -> Result<Vec<C64>, Error> {
    let wrong = || Error::WrongKind { parameter, wanted: "a list of numbers", got: value.to_string() };
    value.as_list().and_then(|list| list.iter().map(Value::as_complex).collect()).ok_or_else(wrong)
}

/// The items that a parameter's new value says.
pub(crate) fn from_values<T: FromNumber>(parameter: &'static str, value: &Value) -> Result<Vec<T>, Error> {
    from_numbers(parameter, &complexes_of(parameter, value)?)
}

/// The value that says a complex parameter.
pub(crate) fn to_value(number: C32) -> Value {
    C64::new(number.re.into(), number.im.into()).into()
}

/// The number that a parameter's new value says.
pub(crate) fn float_of(parameter: &'static str, value: &Value) -> Result<f64, Error> {
    let wrong = || Error::WrongKind { parameter, wanted: "a number", got: value.to_string() };
    value.as_f64().ok_or_else(wrong)
}

/// Reads and says items of any type as numbers, with an imaginary part where the catalogue has a parameter for it.
pub enum Number {}

impl<T: FromNumber + ToValue> Reads<T> for Number {
    const KIND: Kind = ANY_FLOAT;

    fn read(params: &Params, name: &'static str) -> Result<T, BlockError> {
        Ok(from_number(name, params.complex(name))?)
    }
    fn change(name: &'static str, value: &Value) -> Result<T, BlockError> {
        Ok(from_value(name, value)?)
    }
    fn say(item: &T) -> Value {
        item.to_value()
    }
}

impl<T: FromNumber + ToValue> Reads<Vec<T>> for Number {
    const KIND: Kind = Kind::Numbers;

    fn read(params: &Params, name: &'static str) -> Result<Vec<T>, BlockError> {
        Ok(from_numbers(name, &params.numbers(name))?)
    }
    fn change(name: &'static str, value: &Value) -> Result<Vec<T>, BlockError> {
        Ok(from_values(name, value)?)
    }
    fn say(items: &Vec<T>) -> Value {
        items.iter().map(|item| item.to_value()).collect::<Vec<Value>>().into()
    }
}

/// Reads and says complex numbers, as `x` or `[re, im]`.
pub enum Complex {}

impl Reads<C64> for Complex {
    const KIND: Kind = Kind::Value;

    fn read(params: &Params, name: &'static str) -> Result<C64, BlockError> {
        Complex::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<C64, BlockError> {
        value.as_complex().ok_or_else(|| format!("{name}: expected a number, got {value}").into())
    }
    fn say(number: &C64) -> Value {
        if number.im == 0.0 { number.re.into() } else { (*number).into() }
    }
}

/// Reads and says what random numbers begin with: any whole number.
pub enum Seed {}

impl Reads<u64> for Seed {
    const KIND: Kind = Kind::Integer(i64::MIN, i64::MAX);

    fn read(params: &Params, name: &'static str) -> Result<u64, BlockError> {
        Ok(params.integer(name) as u64)
    }
    fn change(name: &'static str, value: &Value) -> Result<u64, BlockError> {
        Plain::change(name, value).map(|seed: i64| seed as u64)
    }
    fn say(seed: &u64) -> Value {
        Value::Int(*seed as i64)
    }
}

/// Items that a parameter's value can be made of.
pub trait ToValue: Copy {
    /// The value that says the item.
    fn to_value(self) -> Value;
}

impl ToValue for C32 {
    fn to_value(self) -> Value {
        to_value(self)
    }
}

impl ToValue for f32 {
    fn to_value(self) -> Value {
        self.into()
    }
}

macro_rules! to_value_of_whole {
    ($($item:ty),*) => { $(impl ToValue for $item {
        fn to_value(self) -> Value {
            Value::Int(self.into())
        }
    })* };
}
to_value_of_whole!(u8, i8, i16, i32);

impl FromNumber for C32 {
    const WANTED: &'static str = "a number or [re, im], within ±3.4e38";
    fn from_number(number: C64) -> Option<Self> {
        Some(C32::new(single(number.re)?, single(number.im)?))
    }
}

impl FromNumber for f32 {
    const WANTED: &'static str = "a real number within ±3.4e38";
    fn from_number(number: C64) -> Option<Self> {
        single(number.re).filter(|_| number.im == 0.0)
    }
}

/// The number in single precision, unless only that makes it infinite.
fn single(x: f64) -> Option<f32> {
    Some(x as f32).filter(|single| single.is_finite() || !x.is_finite())
}

macro_rules! from_whole_numbers {
    ($($type:ident $wanted:literal $pair:literal),+) => {$(
        impl FromNumber for $type {
            const WANTED: &'static str = $wanted;
            fn from_number(number: C64) -> Option<Self> {
                let in_range = (f64::from($type::MIN)..=f64::from($type::MAX)).contains(&number.re);
                (number.im == 0.0 && number.re.fract() == 0.0 && in_range).then_some(number.re as $type)
            }
        }
        impl FromNumber for [$type; 2] {
            const WANTED: &'static str = $pair;
            fn from_number(number: C64) -> Option<Self> {
                let part = |x: f64| $type::from_number(C64::new(x, 0.0));
                Some([part(number.re)?, part(number.im)?])
            }
        }
    )+};
}

from_whole_numbers! {
    u8 "a whole number from 0 to 255" "[i, q], each from 0 to 255",
    i8 "a whole number from -128 to 127" "[i, q], each from -128 to 127",
    i16 "a whole number from -32768 to 32767" "[i, q], each from -32768 to 32767"
}

impl FromNumber for i32 {
    const WANTED: &'static str = "a whole number from -2147483648 to 2147483647";
    fn from_number(number: C64) -> Option<Self> {
        let in_range = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number.re);
        (number.im == 0.0 && number.re.fract() == 0.0 && in_range).then_some(number.re as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_items_or_an_error_that_names_the_place() {
        let numbers = [C64::new(1.0, 0.0), C64::new(-2.0, 3.0)];
        assert_eq!(from_numbers::<[i8; 2]>("values", &numbers).unwrap(), [[1, 0], [-2, 3]]);
        assert_eq!(from_numbers::<C32>("values", &numbers).unwrap()[1], C32::new(-2.0, 3.0));
        let error = from_numbers::<f32>("values", &numbers).unwrap_err();
        assert_eq!(error.to_string(), "values[1] = [-2, 3]: expected a real number within ±3.4e38");
        assert!(from_numbers::<f32>("values", &[C64::new(1e300, 0.0)]).is_err());
        assert!(from_numbers::<C32>("values", &[C64::new(0.0, 1e300)]).is_err());
        assert_eq!(from_numbers::<f32>("values", &[C64::new(f64::INFINITY, 0.0)]).unwrap(), [f32::INFINITY]);
        let error = from_numbers::<u8>("values", &[C64::new(256.0, 0.0)]).unwrap_err();
        assert_eq!(error.to_string(), "values[0] = 256: expected a whole number from 0 to 255");
        assert!(from_numbers::<i32>("values", &[C64::new(0.5, 0.0)]).is_err());
    }

    #[test]
    fn lists_tuples_and_vectors_are_numbers() {
        let tuple = Value::Tuple([1.into(), 2.into()].into());
        for value in
            [vec![Value::Int(1), 2.0.into()].into(), vec![1f32, 2.0].into(), vec![1u8, 2].into(), tuple]
        {
            assert_eq!(from_values::<f32>("taps", &value).unwrap(), [1.0, 2.0], "{value}");
        }
        assert!(from_values::<f32>("taps", &vec![C32::new(0.0, 1.0)].into()).is_err());
        assert!(from_values::<f32>("taps", &Value::map([("a", 1)])).is_err());
    }
}
