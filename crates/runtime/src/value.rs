//! The values that tags and messages carry.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::item::C64;
use crate::packet::AnyPacket;

/// One value of a tag or a message. Cheap to clone: what is long is shared.
///
/// Converts to JSON (`Display`, [`Value::to_json`]) and back ([`Value::from_json`]). What JSON cannot say is written
/// in a form that reads as what it is: a complex number as `{"re": …, "im": …}`, bytes as `{"hex": "…"}`, and a float
/// that is not finite as the string `"NaN"`, `"inf"` or `"-inf"`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number beyond `i64`, or an index.
    Uint(u64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(C64),
    /// Text.
    Text(Arc<str>),
    /// Raw bytes.
    Bytes(Arc<[u8]>),
    /// Values in order.
    List(Arc<[Value]>),
    /// Values by name, in the order of their names.
    Map(Arc<BTreeMap<Arc<str>, Value>>),
    /// A burst of items with metadata.
    Packet(AnyPacket),
}

impl Value {
    /// Builds a map from pairs; a name given twice keeps its last value.
    pub fn map<K: Into<Arc<str>>, V: Into<Value>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Value::Map(Arc::new(pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect()))
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

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::{Value as Json, json};
        match self {
            Value::Null => Json::Null,
            Value::Bool(b) => json!(b),
            Value::Int(n) => json!(n),
            Value::Uint(n) => json!(n),
            Value::Float(x) => float_to_json(*x),
            Value::Complex(z) => json!({ "re": float_to_json(z.re), "im": float_to_json(z.im) }),
            Value::Text(text) => json!(&**text),
            Value::Bytes(bytes) => {
                json!({ "hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() })
            }
            Value::List(list) => Json::Array(list.iter().map(Value::to_json).collect()),
            Value::Packet(packet) => packet.to_json(),
            Value::Map(map) => Json::Object(map.iter().map(|(k, v)| (k.to_string(), v.to_json())).collect()),
        }
    }

    /// The value that a JSON document says. Numbers become `Int`, else `Uint`, else `Float`.
    pub fn from_json(json: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => Value::Int(n),
                (None, Some(n)) => Value::Uint(n),
                _ => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::Text(text.as_str().into()),
            Json::Array(list) => Value::List(list.iter().map(Value::from_json).collect()),
            Json::Object(map) => Value::map(map.iter().map(|(k, v)| (k.as_str(), Value::from_json(v)))),
        }
    }
}

fn float_to_json(x: f64) -> serde_json::Value {
    match x {
        _ if x.is_nan() => "NaN".into(),
        _ if x == f64::INFINITY => "inf".into(),
        _ if x == f64::NEG_INFINITY => "-inf".into(),
        _ => x.into(),
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

macro_rules! from {
    ($($type:ty => |$x:ident| $value:expr),* $(,)?) => {
        $(impl From<$type> for Value { fn from($x: $type) -> Self { $value } })*
    };
}

from! {
    bool => |x| Value::Bool(x),
    i32 => |x| Value::Int(x.into()),
    i64 => |x| Value::Int(x),
    u32 => |x| Value::Int(x.into()),
    u64 => |x| Value::Uint(x),
    usize => |x| Value::Uint(x as u64),
    f32 => |x| Value::Float(x.into()),
    f64 => |x| Value::Float(x),
    C64 => |x| Value::Complex(x),
    &str => |x| Value::Text(x.into()),
    String => |x| Value::Text(x.into()),
    Arc<str> => |x| Value::Text(x),
    Vec<u8> => |x| Value::Bytes(x.into()),
    Vec<Value> => |x| Value::List(x.into()),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_what_json_can_say() {
        let text = r#"{"a":[1,2.5,"x",null,true],"b":{"c":-3},"d":18446744073709551615}"#;
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::from_json(&json).to_string(), text);
    }

    #[test]
    fn floats_that_json_has_no_word_for_become_text() {
        assert_eq!(Value::from(f64::NAN).to_string(), "\"NaN\"");
        assert_eq!(Value::from(f64::NEG_INFINITY).to_string(), "\"-inf\"");
    }
}
