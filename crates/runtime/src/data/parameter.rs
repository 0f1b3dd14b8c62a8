//! Parameters by their names and types.

use std::fmt;
use std::marker::PhantomData;

use super::value::Value;
use super::{C32, C64};

/// A parameter that every block of type `B` has, with values of type `T`; a constant of the block.
///
/// ```
/// use superhet_runtime::parameter::Declared;
///
/// struct Amp { gain: f32 }
///
/// impl Amp {
///     /// The factor.
///     pub const GAIN: Declared<Amp, f32> = Declared::new("gain");
/// }
/// assert_eq!(Amp::GAIN.name(), "gain");
/// ```
pub struct Declared<B, T> {
    name: &'static str,
    of: PhantomData<fn() -> (B, T)>,
}

impl<B, T> Declared<B, T> {
    /// The parameter of this name.
    pub const fn new(name: &'static str) -> Self {
        Declared { name, of: PhantomData }
    }

    /// Its name, without that of a block.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl<B, T> Clone for Declared<B, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, T> Copy for Declared<B, T> {}

impl<B, T> fmt::Debug for Declared<B, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Declared").field(&self.name).finish()
    }
}

/// A parameter of one block of a graph, with values of type `T`; [`Handle::parameter`](crate::graph::Handle::parameter) gives it.
pub struct Parameter<T> {
    name: String,
    of: PhantomData<fn() -> T>,
}

impl<T> Parameter<T> {
    pub(crate) fn new(name: String) -> Self {
        Parameter { name, of: PhantomData }
    }

    /// Its name, as `block.parameter`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<T> Clone for Parameter<T> {
    fn clone(&self) -> Self {
        Parameter::new(self.name.clone())
    }
}

impl<T> fmt::Debug for Parameter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parameter").field(&self.name).finish()
    }
}

/// What names a parameter that can be set to a `V`: a [`Parameter`] of that type, or text, `block.parameter`, for any value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no parameter that can be set to a `{V}`",
    note = "a typed parameter takes values of its own type; its name as text takes any value"
)]
pub trait ParameterName<V> {
    #[doc(hidden)]
    fn path(&self) -> &str;
    #[doc(hidden)]
    fn value(value: V) -> Value;
}

/// What names a parameter whose value can be had: a [`Parameter`], which gives its own type, or text, which gives a [`Value`].
pub trait ParameterPath {
    /// The type of the value.
    type Value;
    #[doc(hidden)]
    fn path(&self) -> &str;
    #[doc(hidden)]
    fn of(value: Value) -> Result<Self::Value, Value>;
}

macro_rules! by_text {
    ($($text:ty),+) => {$(
        impl<V: Into<Value>> ParameterName<V> for $text {
            fn path(&self) -> &str {
                self
            }
            fn value(value: V) -> Value {
                value.into()
            }
        }
        impl ParameterPath for $text {
            type Value = Value;
            fn path(&self) -> &str {
                self
            }
            fn of(value: Value) -> Result<Value, Value> {
                Ok(value)
            }
        }
    )+};
}

by_text!(&str, &String, String);

macro_rules! by_type {
    ($($parameter:ty),+) => {$(
        impl<T: Into<Value>> ParameterName<T> for $parameter {
            fn path(&self) -> &str {
                &self.name
            }
            fn value(value: T) -> Value {
                value.into()
            }
        }
        impl<T: FromValue> ParameterPath for $parameter {
            type Value = T;
            fn path(&self) -> &str {
                &self.name
            }
            fn of(value: Value) -> Result<T, Value> {
                T::from_value(&value).ok_or(value)
            }
        }
    )+};
}

by_type!(Parameter<T>, &Parameter<T>);

/// Types that the value of a parameter can be read as.
pub trait FromValue: Sized {
    /// The value as this type, where it is one.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($type:ty => |$value:ident| $read:expr),+ $(,)?) => {$(
        impl FromValue for $type {
            fn from_value($value: &Value) -> Option<Self> {
                $read
            }
        }
    )+};
}

from_value! {
    bool => |value| match value { Value::Bool(flag) => Some(*flag), _ => None },
    i8 => |value| value.as_i64()?.try_into().ok(),
    u8 => |value| value.as_i64()?.try_into().ok(),
    i16 => |value| value.as_i64()?.try_into().ok(),
    u16 => |value| value.as_i64()?.try_into().ok(),
    i32 => |value| value.as_i64()?.try_into().ok(),
    u32 => |value| value.as_i64()?.try_into().ok(),
    i64 => |value| value.as_i64(),
    u64 => |value| value.as_u64(),
    usize => |value| value.as_u64()?.try_into().ok(),
    f32 => |value| value.as_f64().map(|x| x as f32),
    f64 => |value| value.as_f64(),
    C32 => |value| value.as_complex().map(|x| C32::new(x.re as f32, x.im as f32)),
    C64 => |value| value.as_complex(),
    String => |value| value.as_str().map(str::to_owned),
    Value => |value| Some(value.clone()),
}

impl<T: FromValue> FromValue for Vec<T>
where
    Vec<T>: Into<Value>,
{
    fn from_value(value: &Value) -> Option<Self> {
        value.as_list()?.iter().map(T::from_value).collect()
    }
}
