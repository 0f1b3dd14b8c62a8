//! The constructors of `pmt`: values of messages.

use superhet_runtime::value::{Map, Vector};
use superhet_runtime::{C32, Packet, Value, packet::AnyPacket};

use super::evaluate::Meter;
use super::items::{DEEPEST, Measured};
use super::object::Object;
use super::{Problem, Result};

pub(super) const NAMES: &[&str] = &[
    "cons",
    "dict_add",
    "from_bool",
    "from_complex",
    "from_double",
    "from_float",
    "from_long",
    "from_uint64",
    "init_c32vector",
    "init_f32vector",
    "init_f64vector",
    "init_s16vector",
    "init_s32vector",
    "init_s8vector",
    "init_u8vector",
    "intern",
    "list1",
    "list2",
    "list3",
    "make_c32vector",
    "make_dict",
    "make_f32vector",
    "make_tuple",
    "make_u8vector",
    "mp",
    "string_to_symbol",
    "to_pmt",
];

pub(super) fn constant(name: &str) -> Option<Object> {
    Some(Object::value(match name {
        "PMT_NIL" => Value::Null,
        "PMT_T" => Value::Bool(true),
        "PMT_F" => Value::Bool(false),
        _ => return None,
    }))
}

pub(super) fn call(name: &str, arguments: Vec<Object>, meter: &Meter) -> Result<Object> {
    let count = match name {
        "make_dict" => 0..=0,
        "cons" | "from_complex" => 1..=2,
        "dict_add" => 3..=3,
        "list1" => 1..=1,
        "list2" => 2..=2,
        "list3" => 3..=3,
        "make_tuple" => 0..=32,
        name if name.starts_with("init_") || name.ends_with("vector") => 2..=2,
        _ => 1..=1,
    };
    if !count.contains(&arguments.len()) {
        let expected =
            if count.start() == count.end() { format!("{}", count.end()) } else { format!("{count:?}") };
        return Err(Problem::new(format!(
            "pmt.{name} expects {expected} arguments, got {}",
            arguments.len()
        )));
    }
    // Values are made of the arguments, and measured.
    meter.spend(arguments.iter().map(Object::size).fold(1, usize::saturating_add))?;
    if arguments.iter().map(Measured::depth).max() >= Some(DEEPEST) {
        return Err(Problem::new(format!("expected at most {DEEPEST} lists within each other")));
    }
    let value = |object: &Object| object.to_value().map_err(Problem::new);
    let values = || arguments.iter().map(value).collect::<Result<Vec<Value>>>();
    let float = |object: &Object| {
        let wrong = || Problem::new(format!("pmt.{name} expects a number, got {}", object.describe()));
        object.as_float().ok_or_else(wrong)
    };
    Ok(Object::value(match name {
        "make_dict" => Value::map(Vec::<(&str, Value)>::new()),
        "cons" => pair(value(&arguments[0])?, value(arguments.get(1).unwrap_or(&Object::None))?),
        "dict_add" => match (value(&arguments[0])?, value(&arguments[1])?) {
            (Value::Map(map), Value::Text(key)) => {
                let mut map = (*map).clone();
                map.insert(key, value(&arguments[2])?);
                Value::Map(map.into())
            }
            _ => return Err(Problem::python("pmt.dict_add with a key that is no symbol")),
        },
        "from_complex" => {
            let z = match &arguments[..] {
                [re, im] => Object::complex(float(re)?, float(im)?),
                [z, ..] => z.clone(),
                [] => Object::None,
            };
            let z = z.as_complex().ok_or_else(|| Problem::new("pmt.from_complex expects a number"))?;
            Value::Complex(z)
        }
        "from_double" | "from_float" => Value::Float(float(&arguments[0])?),
        "from_long" | "from_uint64" if arguments[0].as_int().is_none() => {
            return Err(Problem::new(format!(
                "pmt.{name} expects a whole number, got {}",
                arguments[0].describe()
            )));
        }
        "intern" | "string_to_symbol" if arguments[0].as_text().is_none() => {
            return Err(Problem::new(format!("pmt.{name} expects text, got {}", arguments[0].describe())));
        }
        "make_tuple" => Value::Tuple(values()?.into()),
        "list1" | "list2" | "list3" => Value::pairs(values()?, Value::Null),
        _ if name.starts_with("init_") || name.ends_with("vector") => vector(name, &arguments, meter)?,
        _ => value(&arguments[0])?,
    }))
}

/// A pair; of metadata and a vector a packet.
fn pair(first: Value, second: Value) -> Value {
    let meta = match &first {
        Value::Null => Some(Map::default()),
        Value::Map(map) => Some((**map).clone()),
        _ => None,
    };
    let packet: Option<AnyPacket> = match &second {
        Value::Bytes(bytes) => Some(Packet::from_items(&bytes[..]).into()),
        Value::Vector(vector) => match vector {
            Vector::I8(items) => Some(Packet::from_items(&items[..]).into()),
            Vector::I16(items) => Some(Packet::from_items(&items[..]).into()),
            Vector::I32(items) => Some(Packet::from_items(&items[..]).into()),
            Vector::F32(items) => Some(Packet::from_items(&items[..]).into()),
            Vector::F64(items) => Some(Packet::from_items(&items[..]).into()),
            Vector::C32(items) => Some(Packet::from_items(&items[..]).into()),
            _ => None,
        },
        _ => None,
    };
    if let (Some(meta), Some(mut packet)) = (meta, packet) {
        packet.set_all(meta);
        return packet.into();
    }
    Value::pairs([first], second)
}

/// `init_u8vector(n, values)` and `make_u8vector(n, value)`.
fn vector(name: &str, arguments: &[Object], meter: &Meter) -> Result<Value> {
    let wrong = || Problem::new(format!("pmt.{name} expects a length and numbers"));
    let length = arguments[0].as_int().and_then(|n| usize::try_from(n).ok()).ok_or_else(wrong)?;
    if length > 1 << 20 {
        return Err(Problem::new(format!("pmt.{name} expects a length of at most {}", 1 << 20)));
    }
    meter.spend(length)?;
    let items = match (arguments[1].items(), name.starts_with("make_")) {
        (None, true) => vec![arguments[1].clone(); length],
        (Some(items), false) if items.len() >= length => items[..length].to_vec(),
        _ => return Err(wrong()),
    };
    let whole = |low: i128, high: i128| -> Result<Vec<i128>> {
        let range = || Problem::new(format!("pmt.{name} expects numbers from {low} to {high}"));
        items.iter().map(|x| x.as_int().filter(|n| (low..=high).contains(n)).ok_or_else(range)).collect()
    };
    let floats = || items.iter().map(|x| x.as_float().ok_or_else(wrong)).collect::<Result<Vec<f64>>>();
    macro_rules! of {
        ($type:ty, $numbers:expr) => {
            Value::from($numbers.into_iter().map(|x| x as $type).collect::<Vec<$type>>())
        };
    }
    Ok(match name.rsplit_once('_').map_or("", |(_, kind)| kind) {
        "u8vector" => Value::Bytes(whole(0, 255)?.into_iter().map(|n| n as u8).collect()),
        "s8vector" => of!(i8, whole(-128, 127)?),
        "s16vector" => of!(i16, whole(-32768, 32767)?),
        "s32vector" => of!(i32, whole(i32::MIN.into(), i32::MAX.into())?),
        "f32vector" => of!(f32, floats()?),
        "f64vector" => of!(f64, floats()?),
        "c32vector" => {
            let items = items.iter().map(|x| x.as_complex().ok_or_else(wrong)).collect::<Result<Vec<_>>>()?;
            let items: Vec<C32> = items.into_iter().map(|z| C32::new(z.re as f32, z.im as f32)).collect();
            Value::from(items)
        }
        _ => return Err(wrong()),
    })
}
