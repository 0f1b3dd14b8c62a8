//! How a parameter of the catalogue becomes an argument of a constructor, and the other way round: what `declare` uses.

use crate::catalog::{ANY_FLOAT, Kind, NOT_NEGATIVE, Params};
use crate::data::{BlockError, C32, C64, Value};

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
    usize, NOT_NEGATIVE, "a whole number ≥ 0", |params, name| params.count(name),
        |value| value.as_u64().and_then(|count| count.try_into().ok());
    i64, Kind::Integer(i64::MIN, i64::MAX), "a whole number", |params, name| params.integer(name), |value| value.as_i64();
    bool, Kind::Bool, "true or false", |params, name| params.flag(name),
        |value| match value { Value::Bool(flag) => Some(*flag), _ => None };
    String, Kind::Text, "text", |params, name| params.text(name).to_owned(), |value| value.as_str().map(str::to_owned);
    Vec<f32>, Kind::Numbers, "a list of real numbers within ±3.4e38",
        |params, name| Plain::change(name, params.value(name))?,
        |value| value.as_list().and_then(|list| list.iter().map(single).collect::<Option<Vec<f32>>>());
    Vec<C32>, Kind::Numbers, "a list of numbers",
        |params, name| Plain::change(name, params.value(name))?,
        |value| value.as_list().and_then(|list| list.iter().map(|item| item.as_complex().map(to_c32)).collect::<Option<Vec<C32>>>());
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
