//! Decoded values under their names, for tables and JSON.

use std::fmt;

use superhet_runtime::Text;

/// A decoded value; its unit is in the name that stands beside it.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Words, hexadecimal digits, octal squawks.
    Text(Text),
    /// A whole number.
    Int(i64),
    /// A number with a fraction; always finite.
    Float(f64),
    /// Yes or no.
    Bool(bool),
}

/// Names and values in a stable order.
pub type Fields = Vec<(&'static str, Field)>;

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Field::Text(value) => value.fmt(f),
            Field::Int(value) => value.fmt(f),
            Field::Float(value) => value.fmt(f),
            Field::Bool(value) => value.fmt(f),
        }
    }
}

impl From<&str> for Field {
    fn from(value: &str) -> Self {
        Field::Text(value.into())
    }
}

impl From<String> for Field {
    fn from(value: String) -> Self {
        Field::Text(value.into())
    }
}

impl From<f64> for Field {
    fn from(value: f64) -> Self {
        Field::Float(value)
    }
}

impl From<bool> for Field {
    fn from(value: bool) -> Self {
        Field::Bool(value)
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Field {
            fn from(value: $integer) -> Self {
                Field::Int(i64::from(value))
            }
        }
    )*};
}

from_integer!(u8, u16, u32, i32, i64);

/// Appends `name` if there is a value for it.
pub(super) fn push_some<T: Into<Field>>(fields: &mut Fields, name: &'static str, value: Option<T>) {
    if let Some(value) = value {
        fields.push((name, value.into()));
    }
}
