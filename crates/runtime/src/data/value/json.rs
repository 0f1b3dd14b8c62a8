//! Values as JSON, and back.

use serde_json::{Map, Value as Json, json};

use super::vector::Element;
use super::{Value, Vector};
use crate::data::C64;
use crate::data::packet::AnyPacket;

impl Value {
    /// The value as JSON. What JSON has no word for is an object of a fixed form:
    ///
    /// | value | form |
    /// |---|---|
    /// | a float that is not finite | `{"float": "NaN"}`, `"inf"`, `"-inf"` |
    /// | a complex number | `{"re": 1.0, "im": -0.5}` |
    /// | bytes | `{"hex": "00ff"}` |
    /// | a vector | `{"i16": [1, -1]}`, named after its type; complex numbers in it are `[re, im]`: `{"C32": [[1.0, 0.0]]}` |
    /// | a tuple | `{"tuple": [1, 0.5]}` |
    /// | linked pairs | `{"pairs": ["a", "b", 1]}`: the items, then the end (`null` for a list) |
    /// | a dictionary with keys of any kind | `{"dict": [[1, "one"], [2, "two"]]}` |
    /// | a packet | `{"packet": [{"snr_db": 9.5}, {"f32": [0.5]}]}`: the metadata, the items as a vector; tags are left out |
    /// | a map that would read as a form | `{"map": {"hex": "00ff"}}`: a map whose entry `hex` is the text `00ff` |
    ///
    /// In complex numbers and vectors, too, `"NaN"`, `"inf"` and `"-inf"` stand for a float that is not finite.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Null => Json::Null,
            Value::Bool(b) => json!(b),
            Value::Int(n) => json!(n),
            Value::Uint(n) => json!(n),
            Value::Float(x) if !x.is_finite() => json!({ "float": x.to_json() }),
            Value::Float(x) => json!(x),
            Value::Complex(z) => json!({ "re": z.re.to_json(), "im": z.im.to_json() }),
            Value::Text(text) => json!(&**text),
            Value::Bytes(bytes) => {
                json!({ "hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() })
            }
            Value::Vector(vector) => json!({ vector.item(): vector.to_json() }),
            Value::List(list) => list.iter().map(Value::to_json).collect(),
            Value::Packet(packet) => {
                // Items that no vector has are bytes, with the name of their type.
                let (meta, items) = (packet.meta().to_json(), packet.to_vector());
                let other = items.is_none().then(|| json!(packet.item().name()));
                let items = items.unwrap_or_else(|| packet.bytes().to_vec().into()).to_json();
                let parts: Json = [meta, items].into_iter().chain(other).collect();
                json!({ "packet": parts })
            }
            Value::Map(map) => {
                let plain: Map<_, _> = map.iter().map(|(k, v)| (k.to_string(), v.to_json())).collect();
                match form(&plain) {
                    Some(_) => json!({ "map": plain }),
                    None => Json::Object(plain),
                }
            }
            Value::Tuple(values) => json!({ "tuple": values.iter().map(Value::to_json).collect::<Json>() }),
            Value::Pairs(pairs) => json!({ "pairs": pairs.0.iter().map(Value::to_json).collect::<Json>() }),
            Value::Dict(entries) => {
                let entries = entries.iter().map(|(k, v)| json!([k.to_json(), v.to_json()]));
                json!({ "dict": entries.collect::<Json>() })
            }
            Value::Request(request) => request.message().to_json(),
        }
    }

    /// The value of a JSON document: `from_json(to_json(v)) == v`, with three exceptions. JSON has one kind of whole number
    /// (they become `Int`, beyond `i64` `Uint`), one NaN, and no requests.
    ///
    /// An object is read as one of the forms of [`Value::to_json`] where it has exactly the form's keys and their
    /// values fit; every other object is a map. To say a map that looks like a form, wrap it: `{"map": …}`.
    ///
    /// ```
    /// use superhet_runtime::Value;
    /// let value = |text| Value::from_json(&serde_json::from_str(text).unwrap());
    /// assert_eq!(value(r#"{"hex": "00ff"}"#), vec![0u8, 255].into());
    /// assert_eq!(value(r#"{"i8": [1, -1]}"#), vec![1i8, -1].into());
    /// assert_eq!(value(r#"{"i8": [300]}"#), Value::map([("i8", vec![Value::Int(300)])]));
    /// assert_eq!(value(r#"{"map": {"hex": "00ff"}}"#), Value::map([("hex", "00ff")]));
    /// ```
    pub fn from_json(json: &Json) -> Self {
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
            Json::Object(object) => form(object).unwrap_or_else(|| map(object)),
        }
    }
}

fn map(object: &Map<String, Json>) -> Value {
    Value::map(object.iter().map(|(k, v)| (k.as_str(), Value::from_json(v))))
}

/// The value that the object stands for, where it has one of the forms.
fn form(object: &Map<String, Json>) -> Option<Value> {
    if let (2, Some(re), Some(im)) = (object.len(), object.get("re"), object.get("im")) {
        return Some(Value::Complex(C64::new(f64::from_json(re)?, f64::from_json(im)?)));
    }
    let (1, Some((name, json))) = (object.len(), object.iter().next()) else { return None };
    let values = || json.as_array().map(|list| list.iter().map(Value::from_json));
    match name.as_str() {
        "float" if json.is_string() => f64::from_json(json).map(Value::Float),
        "hex" => bytes(json.as_str()?).map(Value::from),
        "tuple" => values().map(|values| Value::Tuple(values.collect())),
        "pairs" => {
            let mut chain: Vec<Value> = values()?.collect();
            let end = chain.pop().filter(|_| !chain.is_empty())?;
            Some(Value::pairs(chain, end))
        }
        "dict" => json.as_array()?.iter().map(entry).collect::<Option<_>>().map(Value::Dict),
        "packet" => match &json.as_array()?[..] {
            [meta, items] => {
                AnyPacket::from_pdu(&Value::from_json(meta), &Value::from_json(items)).map(Value::Packet)
            }
            _ => None,
        },
        "map" => json.as_object().map(map),
        item => Vector::from_json(item, json).map(Value::Vector),
    }
}

fn entry(json: &Json) -> Option<(Value, Value)> {
    match &json.as_array()?[..] {
        [key, value] => Some((Value::from_json(key), Value::from_json(value))),
        _ => None,
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |c: &u8| char::from(*c).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| Some(digit(&pair[0])? << 4 | digit(&pair[1])?);
    hex.len().is_multiple_of(2).then(|| hex.as_bytes().chunks_exact(2).map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Packet;

    #[test]
    fn json_keeps_what_json_can_say() {
        let text = r#"{"a":[1,2.5,"x",null,true],"b":{"c":-3},"d":18446744073709551615}"#;
        let json: Json = serde_json::from_str(text).unwrap();
        assert_eq!(Value::from_json(&json).to_string(), text);
    }

    #[test]
    fn a_value_as_text_has_no_control_characters_and_says_the_same() {
        let text = (0..0x100).filter_map(char::from_u32).collect::<String>();
        let value = Value::map([(text.as_str(), text.as_str())]);
        let shown = value.to_string();
        assert!(!shown.contains(char::is_control), "{shown:?}");
        assert_eq!(Value::from_json(&serde_json::from_str(&shown).unwrap()), value);
    }

    #[test]
    fn each_form_reads_back_as_what_it_was() {
        let chain = Value::pairs(["a", "b"], 1);
        let values = [
            (f64::NEG_INFINITY.into(), r#"{"float":"-inf"}"#),
            (C64::new(1.0, f64::INFINITY).into(), r#"{"im":"inf","re":1.0}"#),
            (vec![0u8, 255].into(), r#"{"hex":"00ff"}"#),
            (vec![0.1f32, f32::INFINITY, f32::MAX].into(), r#"{"f32":[0.1,"inf",3.4028235e+38]}"#),
            (vec![u64::MAX].into(), r#"{"u64":[18446744073709551615]}"#),
            (vec![C64::new(0.0, -0.0)].into(), r#"{"C64":[[0.0,-0.0]]}"#),
            (
                Value::Tuple([Value::Uint(u64::MAX), 0.5.into()].into()),
                r#"{"tuple":[18446744073709551615,0.5]}"#,
            ),
            (chain.clone(), r#"{"pairs":["a","b",1]}"#),
            (Packet::from_items(&[1i16, -1]).into(), r#"{"packet":[{},{"i16":[1,-1]}]}"#),
            (Value::Dict([(1.into(), chain)].into()), r#"{"dict":[[1,{"pairs":["a","b",1]}]]}"#),
        ];
        for (value, text) in values {
            assert_eq!(value.to_string(), text);
            assert_eq!(Value::from_json(&serde_json::from_str(text).unwrap()), value, "{text}");
        }
        assert_eq!(Value::from(f64::NAN).to_string(), r#"{"float":"NaN"}"#);
        assert!(Value::from_json(&json!({ "float": "NaN" })).as_f64().unwrap().is_nan());
    }

    #[test]
    fn a_map_that_looks_like_a_form_stays_a_map() {
        let maps = [
            (Value::map([("hex", "00")]), r#"{"map":{"hex":"00"}}"#),
            (Value::map([("re", 1), ("im", 2)]), r#"{"map":{"im":2,"re":1}}"#),
            (Value::map([("map", Value::map([("a", 1)]))]), r#"{"map":{"map":{"a":1}}}"#),
            (Value::map([("map", Value::map([("hex", "00")]))]), r#"{"map":{"map":{"map":{"hex":"00"}}}}"#),
            (Value::map([("tuple", Value::List([].into()))]), r#"{"map":{"tuple":[]}}"#),
            (Value::map([("f32", Value::List([true.into()].into()))]), r#"{"f32":[true]}"#),
            (Value::map([("hex", 5)]), r#"{"hex":5}"#),
            (Value::map([("hex", "é0")]), r#"{"hex":"é0"}"#),
            (Value::map([("float", 1.0)]), r#"{"float":1.0}"#),
            (Value::map([("pairs", Value::List([1.into()].into()))]), r#"{"pairs":[1]}"#),
            (Value::map([("re", 1), ("im", 2), ("x", 3)]), r#"{"im":2,"re":1,"x":3}"#),
        ];
        for (map, text) in maps {
            assert_eq!(map.to_string(), text);
            assert_eq!(Value::from_json(&serde_json::from_str(text).unwrap()), map, "{text}");
        }
    }
}
