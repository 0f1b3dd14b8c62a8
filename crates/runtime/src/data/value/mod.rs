//! The values that tags and messages carry.

mod json;
mod map;
mod pmt;
mod short;
mod text;
pub(in crate::data) mod types;
mod vector;

use std::borrow::Cow;
use std::sync::Arc;

pub use short::Text;
pub use types::{Map, Pairs, Tag, Value};
pub use vector::Vector;

use super::{C32, C64};
use vector::Number;

impl Pairs {
    /// The first values of the pairs, in order.
    pub fn items(&self) -> &[Value] {
        &self.0[..self.0.len() - 1]
    }

    /// The second value of the last pair.
    pub fn end(&self) -> &Value {
        &self.0[self.0.len() - 1]
    }
}

impl Value {
    /// Builds a map from pairs; a name given twice keeps its last value.
    pub fn map<K: Into<Text>, V: Into<Value>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Value::Map(Arc::new(pairs.into_iter().collect()))
    }

    /// Links `items` to pairs, the last of which holds `end`; without items this is `end` itself.
    ///
    /// ```
    /// use superhet_runtime::Value;
    /// let pair = Value::pairs(["freq"], 1e6);                       // (freq . 1e6), a command to a radio
    /// let list = Value::pairs([1, 2, 3], Value::Null);              // (1 2 3)
    /// assert_eq!(Value::pairs([1], Value::pairs([2, 3], Value::Null)), list);
    /// ```
    pub fn pairs<V: Into<Value>>(items: impl IntoIterator<Item = V>, end: impl Into<Value>) -> Self {
        let mut chain: Vec<Value> = items.into_iter().map(Into::into).collect();
        match end.into() {
            end if chain.is_empty() => return end,
            Value::Pairs(rest) => chain.extend_from_slice(&rest.0),
            end => chain.push(end),
        }
        Value::Pairs(Pairs(chain.into()))
    }

    /// The metadata of a packet, as a map; any other value as it is.
    #[must_use]
    pub fn into_meta(self) -> Value {
        match self {
            Value::Packet(packet) => packet.meta(),
            value => value,
        }
    }

    /// The entry `key` of a map, or of a packet's metadata; `None` for another kind of value.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(map) => map.get(key),
            Value::Packet(packet) => packet.get(key),
            _ => None,
        }
    }

    /// The number as `f64`, where this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(n) => Some(*n as f64),
            Value::Uint(n) => Some(*n as f64),
            Value::Float(x) => Some(*x),
            _ => None,
        }
    }

    /// The number, real or complex, where this is one: `x` or `[re, im]`.
    pub fn as_complex(&self) -> Option<C64> {
        match self {
            Value::Complex(z) => Some(*z),
            Value::List(parts) => match &parts[..] {
                [re, im] => Some(C64::new(re.as_f64()?, im.as_f64()?)),
                _ => None,
            },
            value => value.as_f64().map(|re| C64::new(re, 0.0)),
        }
    }

    /// The whole number as `i64`, where this is one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            Value::Uint(n) => i64::try_from(*n).ok(),
            _ => None,
        }
    }

    /// The whole number as `u64`, where this is one and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(n) => u64::try_from(*n).ok(),
            Value::Uint(n) => Some(*n),
            _ => None,
        }
    }

    /// The text, where this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values in order, where this holds such: a list, a tuple, linked pairs that end in `Null`, a vector, bytes.
    ///
    /// ```
    /// use superhet_runtime::Value;
    /// assert_eq!(Value::from(vec![1i16, -1]).as_list().unwrap()[1], Value::Int(-1));
    /// ```
    pub fn as_list(&self) -> Option<Cow<'_, [Value]>> {
        match self {
            Value::List(values) | Value::Tuple(values) => Some(Cow::Borrowed(values)),
            Value::Pairs(pairs) if *pairs.end() == Value::Null => Some(Cow::Borrowed(pairs.items())),
            Value::Vector(vector) => Some(Cow::Owned(vector.values())),
            Value::Bytes(bytes) => {
                Some(Cow::Owned(bytes.iter().map(|&byte| Value::Int(byte.into())).collect()))
            }
            _ => None,
        }
    }
}

impl Vector {
    /// The numbers, a value each.
    pub fn values(&self) -> Vec<Value> {
        let value = |number: Number| match number {
            Number::Int(n) => Value::Int(n),
            Number::Uint(n) => Value::Uint(n),
            Number::Float(x) => Value::Float(x),
            Number::Complex(z) => Value::Complex(z),
        };
        self.map(value)
    }
}

macro_rules! from {
    ($($type:ty => |$x:ident| $value:expr),* $(,)?) => {
        $(impl From<$type> for Value { fn from($x: $type) -> Self { $value } })*
    };
}

from! {
    () => |_x| Value::Null,
    bool => |x| Value::Bool(x),
    i8 => |x| Value::Int(x.into()),
    u8 => |x| Value::Int(x.into()),
    i16 => |x| Value::Int(x.into()),
    u16 => |x| Value::Int(x.into()),
    i32 => |x| Value::Int(x.into()),
    i64 => |x| Value::Int(x),
    u32 => |x| Value::Int(x.into()),
    u64 => |x| Value::Uint(x),
    usize => |x| Value::Uint(x as u64),
    f32 => |x| Value::Float(x.into()),
    f64 => |x| Value::Float(x),
    C32 => |x| Value::Complex(C64::new(x.re.into(), x.im.into())),
    C64 => |x| Value::Complex(x),
    &str => |x| Value::Text(x.into()),
    String => |x| Value::Text(x.into()),
    Arc<str> => |x| Value::Text(x.into()),
    Text => |x| Value::Text(x),
    Vec<u8> => |x| Value::Bytes(x.into()),
    Vector => |x| Value::Vector(x),
    Vec<i8> => |x| Value::Vector(Vector::I8(x.into())),
    Vec<u16> => |x| Value::Vector(Vector::U16(x.into())),
    Vec<i16> => |x| Value::Vector(Vector::I16(x.into())),
    Vec<u32> => |x| Value::Vector(Vector::U32(x.into())),
    Vec<i32> => |x| Value::Vector(Vector::I32(x.into())),
    Vec<u64> => |x| Value::Vector(Vector::U64(x.into())),
    Vec<i64> => |x| Value::Vector(Vector::I64(x.into())),
    Vec<f32> => |x| Value::Vector(Vector::F32(x.into())),
    Vec<f64> => |x| Value::Vector(Vector::F64(x.into())),
    Vec<C32> => |x| Value::Vector(Vector::C32(x.into())),
    Vec<C64> => |x| Value::Vector(Vector::C64(x.into())),
    Vec<Value> => |x| Value::List(x.into()),
}
