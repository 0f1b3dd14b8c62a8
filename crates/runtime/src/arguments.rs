//! How a parameter of the catalogue becomes an argument of a constructor, and the other way round, and what an entry becomes: what
//! `declare` uses.

use std::path::PathBuf;
use std::time::Duration;

use crate::catalog::{ANY_FLOAT, Kind, NOT_NEGATIVE, Param, Params};
use crate::data::{BlockError, C32, C64, Value};

/// An entry or a list of them: public with the feature `catalog`.
///
/// Code of `declare` calls this, as only the runtime knows which features it has.
#[cfg(feature = "catalog")]
#[doc(hidden)]
#[macro_export]
macro_rules! catalogued {
    ($(#[$attribute:meta])* $kind:ident $name:ident: $type:ty = $value:expr;) => {
        $(#[$attribute])*
        pub $kind $name: $type = $value;
    };
}

/// The same without that feature: a constant that the crate alone sees. What it makes is checked, so that what only an entry uses
/// is used, but is compiled no further while nothing else names it.
#[cfg(not(feature = "catalog"))]
#[doc(hidden)]
#[macro_export]
macro_rules! catalogued {
    ($(#[$attribute:meta])* $kind:ident $name:ident: $type:ty = $value:expr;) => {
        $(#[$attribute])*
        #[allow(dead_code, reason = "there is no catalogue")]
        pub(crate) const $name: $type = $value;
    };
}

/// Reads and says arguments of type `T`.
pub trait Reads<T> {
    /// What they are where the declaration does not say it.
    const KIND: Kind;

    /// The argument that checked parameters say.
    ///
    /// # Errors
    /// Where the parameter is none of the type.
    fn read(params: &Params, name: &'static str) -> Result<T, BlockError>;

    /// The argument that a new value of the parameter says.
    ///
    /// # Errors
    /// Where it is none of the type.
    fn change(name: &'static str, value: &Value) -> Result<T, BlockError>;

    /// The value that says the argument.
    fn say(argument: &T) -> Value;
}

/// Reads numbers, flags and texts as they are.
#[derive(Debug)]
pub enum Plain {}

fn expected<T>(found: Option<T>, name: &str, value: &Value, wanted: &str) -> Result<T, BlockError> {
    found.ok_or_else(|| format!("{name} = {value}: expected {wanted}").into())
}

macro_rules! plain {
    ($($type:ty, $kind:expr, $wanted:literal, |$params:ident, $name:ident| $read:expr, |$value:ident| $change:expr);+ $(;)?) => {$(
        impl Reads<$type> for Plain {
            const KIND: Kind = $kind;

            fn read($params: &Params, $name: &'static str) -> Result<$type, BlockError> {
                Ok($read)
            }
            fn change(name: &'static str, $value: &Value) -> Result<$type, BlockError> {
                expected($change, name, $value, $wanted)
            }
            fn say(argument: &$type) -> Value {
                argument.clone().into()
            }
        }
    )+};
}

plain! {
    f32, ANY_FLOAT, "a real number within ±3.4e38", |params, name| params.float(name) as f32, |value| single(value);
    f64, ANY_FLOAT, "a number", |params, name| params.float(name), |value| value.as_f64();
    bool, Kind::Bool, "true or false", |params, name| params.flag(name),
        |value| match value { Value::Bool(flag) => Some(*flag), _ => None };
    String, Kind::Text, "text", |params, name| params.text(name).to_owned(), |value| value.as_str().map(str::to_owned);
    C32, ANY_FLOAT, "a number", |params, name| to_c32(params.complex(name)), |value| value.as_complex().map(to_c32);
    C64, ANY_FLOAT, "a number", |params, name| params.complex(name), |value| value.as_complex();
    Value, Kind::Value, "a value", |params, name| params.value(name).clone(), |value| Some(value.clone());
    Vec<f32>, Kind::Numbers, "a list of real numbers within ±3.4e38",
        |params, name| each(params, name, "a real number within ±3.4e38", single)?,
        |value| value.as_list().and_then(|list| list.iter().map(single).collect::<Option<Vec<f32>>>());
    Vec<f64>, Kind::Numbers, "a list of real numbers",
        |params, name| each(params, name, "a real number", Value::as_f64)?,
        |value| value.as_list().and_then(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
    Vec<C32>, Kind::Numbers, "a list of numbers",
        |params, name| each(params, name, "a number or [re, im], within ±3.4e38", single_complex)?,
        |value| value.as_list().and_then(|list| list.iter().map(single_complex).collect::<Option<Vec<C32>>>());
    Vec<C64>, Kind::Numbers, "a list of numbers", |params, name| params.numbers(name),
        |value| value.as_list().and_then(|list| list.iter().map(Value::as_complex).collect::<Option<Vec<C64>>>());
}

macro_rules! whole {
    ($($type:ident, $kind:expr, $wanted:literal);+ $(;)?) => {$(
        impl Reads<$type> for Plain {
            const KIND: Kind = $kind;

            fn read(params: &Params, name: &'static str) -> Result<$type, BlockError> {
                Plain::change(name, params.value(name))
            }
            fn change(name: &'static str, value: &Value) -> Result<$type, BlockError> {
                expected(whole(value).and_then(|n| n.try_into().ok()), name, value, $wanted)
            }
            fn say(argument: &$type) -> Value {
                said(*argument as i128)
            }
        }
    )+};
}

whole! {
    usize, NOT_NEGATIVE, "a whole number ≥ 0";
    u64, NOT_NEGATIVE, "a whole number ≥ 0";
    u32, Kind::Integer(0, u32::MAX as i64), "a whole number from 0 to 4294967295";
    u16, Kind::Integer(0, u16::MAX as i64), "a whole number from 0 to 65535";
    u8, Kind::Integer(0, u8::MAX as i64), "a whole number from 0 to 255";
    i64, Kind::Integer(i64::MIN, i64::MAX), "a whole number";
    i32, Kind::Integer(i32::MIN as i64, i32::MAX as i64), "a whole number from -2147483648 to 2147483647";
    i8, Kind::Integer(i8::MIN as i64, i8::MAX as i64), "a whole number from -128 to 127";
}

fn said(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| (number as u64).into(), Value::Int)
}

/// The error of a block that is not made for items of a type.
pub fn no_item_type(name: &str) -> BlockError {
    format!("there is no item type {name}").into()
}

/// A whole number, which may come as a float.
fn whole(value: &Value) -> Option<i128> {
    let as_float = || value.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15).map(|x| x as i128);
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from)).or_else(as_float)
}

/// A whole number from 0 to 2³¹ − 1.
fn count(value: &Value) -> Option<usize> {
    whole(value).and_then(|n| i32::try_from(n).ok()).and_then(|n| n.try_into().ok())
}

/// The numbers of a list; which of them is wrong.
fn each<T>(
    params: &Params,
    name: &str,
    wanted: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, BlockError> {
    let list = params.value(name).as_list().unwrap_or_default();
    let item = |(place, value)| {
        read(value).ok_or_else(|| format!("{name}[{place}] = {value}: expected {wanted}").into())
    };
    list.iter().enumerate().map(item).collect()
}

impl Reads<Vec<usize>> for Plain {
    const KIND: Kind = Kind::Numbers;

    fn read(params: &Params, name: &'static str) -> Result<Vec<usize>, BlockError> {
        each(params, name, "a whole number from 0 to 2147483647", count)
    }
    fn change(name: &'static str, value: &Value) -> Result<Vec<usize>, BlockError> {
        let counts = value.as_list().and_then(|list| list.iter().map(count).collect());
        expected(counts, name, value, "a list of whole numbers from 0 to 2147483647")
    }
    fn say(argument: &Vec<usize>) -> Value {
        argument.iter().map(|count| Value::Int(*count as i64)).collect::<Vec<Value>>().into()
    }
}

/// Seconds.
impl Reads<Duration> for Plain {
    const KIND: Kind = Kind::Float(0.0, f64::INFINITY);

    fn read(params: &Params, name: &'static str) -> Result<Duration, BlockError> {
        Plain::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<Duration, BlockError> {
        let duration = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        expected(duration, name, value, "seconds, 0 or more")
    }
    fn say(argument: &Duration) -> Value {
        argument.as_secs_f64().into()
    }
}

impl Reads<PathBuf> for Plain {
    const KIND: Kind = Kind::Path;

    fn read(params: &Params, name: &'static str) -> Result<PathBuf, BlockError> {
        Ok(params.text(name).into())
    }
    fn change(name: &'static str, value: &Value) -> Result<PathBuf, BlockError> {
        expected(value.as_str().map(PathBuf::from), name, value, "the path of a file")
    }
    fn say(argument: &PathBuf) -> Value {
        argument.to_string_lossy().as_ref().into()
    }
}

/// Reads and says an argument that may be missing: where its value is 0, or an empty text.
impl<T: PartialEq + Default> Reads<Option<T>> for Plain
where
    Plain: Reads<T>,
{
    const KIND: Kind = <Plain as Reads<T>>::KIND;

    fn read(params: &Params, name: &'static str) -> Result<Option<T>, BlockError> {
        <Plain as Reads<T>>::read(params, name).map(there)
    }
    fn change(name: &'static str, value: &Value) -> Result<Option<T>, BlockError> {
        <Plain as Reads<T>>::change(name, value).map(there)
    }
    fn say(argument: &Option<T>) -> Value {
        match argument {
            Some(argument) => <Plain as Reads<T>>::say(argument),
            None => <Plain as Reads<T>>::say(&T::default()),
        }
    }
}

fn there<T: PartialEq + Default>(value: T) -> Option<T> {
    Some(value).filter(|value| *value != T::default())
}

/// An enum without fields whose variants are words; `derive(Choice)` makes it of one.
///
/// ```
/// use superhet_runtime::catalog::Choice;
///
/// #[derive(Choice, PartialEq, Debug)]
/// enum Shape {
///     Sine,
///     SawTooth,
///     #[word("none")]
///     Silence,
/// }
/// assert_eq!(Shape::WORDS, ["sine", "saw_tooth", "none"]);
/// assert_eq!((Shape::from_word("none"), Shape::Sine.word()), (Some(Shape::Silence), "sine"));
/// ```
pub trait Choice: Sized + 'static {
    /// The words.
    const WORDS: &'static [&'static str];

    /// The variant of a word.
    fn from_word(word: &str) -> Option<Self>;

    /// The word of the variant.
    fn word(&self) -> &'static str;
}

impl<T: Choice> Reads<T> for Plain {
    const KIND: Kind = Kind::Choice(T::WORDS);

    fn read(params: &Params, name: &'static str) -> Result<T, BlockError> {
        Plain::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<T, BlockError> {
        let choice = value.as_str().and_then(T::from_word);
        choice.ok_or_else(|| {
            let problem = Kind::Choice(T::WORDS).accept(value).err().unwrap_or_default();
            format!("{name}: {problem}").into()
        })
    }
    fn say(argument: &T) -> Value {
        argument.word().into()
    }
}

/// A struct whose fields are parameters; `derive(Parameters)` makes it of one.
///
/// ```
/// use superhet_runtime::catalog::Parameters;
///
/// /// A band.
/// #[derive(Parameters)]
/// struct Band {
///     /// Where it begins.
///     #[param(unit = "Hz", default = 300.0)]
///     low_hz: f64,
///     /// Where it ends.
///     #[param(unit = "Hz", range = 0.0..=1e12)]
///     high_hz: f64,
/// }
/// let names: Vec<&str> = Band::PARAMETERS.iter().map(|param| param.name).collect();
/// assert_eq!(names, ["low_hz", "high_hz"]);
/// # let _ = |band: Band| (band.low_hz, band.high_hz);
/// ```
pub trait Parameters: Sized {
    /// What they are.
    const PARAMETERS: &'static [Param];

    /// The struct that checked parameters say.
    ///
    /// # Errors
    /// Where one is none of its type.
    fn read(params: &Params) -> Result<Self, BlockError>;
}

/// How many parameters some lists have together.
pub const fn count_of(parts: &[&[Param]]) -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

/// Lists of `N` parameters together as one.
///
/// # Panics
/// Where they have not `N`.
pub const fn join<const N: usize>(parts: &[&[Param]]) -> [Param; N] {
    let nothing = Param { name: "", kind: Kind::Bool, unit: "", default: None, doc: "", formerly: &[] };
    let (mut all, mut next, mut part) = ([nothing; N], 0, 0);
    while part < parts.len() {
        let mut place = 0;
        while place < parts[part].len() {
            all[next] = parts[part][place];
            (next, place) = (next + 1, place + 1);
        }
        part += 1;
    }
    assert!(next == N, "as many as counted");
    all
}

/// The number in single precision, unless only that makes it infinite.
fn single_complex(value: &Value) -> Option<C32> {
    let part = |x: f64| Some(x as f32).filter(|single| single.is_finite() || !x.is_finite());
    let number = value.as_complex()?;
    Some(C32::new(part(number.re)?, part(number.im)?))
}

fn to_c32(number: C64) -> C32 {
    C32::new(number.re as f32, number.im as f32)
}

/// The number in single precision, unless only that makes it infinite.
fn single(value: &Value) -> Option<f32> {
    let number = value.as_complex().filter(|number| number.im == 0.0)?.re;
    Some(number as f32).filter(|single| single.is_finite() || !number.is_finite())
}

impl Kind {
    /// That the new value of a parameter is of this kind.
    ///
    /// # Errors
    /// The parameter, and what was expected.
    pub fn check(&self, name: &str, value: &Value) -> Result<(), BlockError> {
        self.accept(value).map(drop).map_err(|problem| format!("{name}: {problem}").into())
    }
}
