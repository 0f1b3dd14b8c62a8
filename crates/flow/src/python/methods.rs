//! Attributes and methods of values.

use super::arithmetic::find;
use super::evaluate::Meter;
use super::functions::{self, iterate, list, map, same};
use super::items::Items;
use super::object::Object;
use super::{Problem, Result};
use crate::error::shown;

const METHODS: &[&str] = &[
    "astype",
    "base",
    "conj",
    "conjugate",
    "copy",
    "count",
    "endswith",
    "find",
    "get",
    "index",
    "items",
    "join",
    "keys",
    "lower",
    "lstrip",
    "max",
    "mean",
    "min",
    "replace",
    "rstrip",
    "split",
    "startswith",
    "strip",
    "sum",
    "tolist",
    "upper",
    "values",
    "zfill",
];

/// `owner.name`.
pub(super) fn attribute(owner: &Object, name: &str, meter: &Meter) -> Result<Object> {
    if let Object::Value(value) = owner {
        // What a function of a library gave: its parts, which Python has as methods.
        if value.get(name).is_some() || name == "base" {
            return Ok(Object::Method(owner.clone().into(), name.into()));
        }
    }
    if let (Object::Array(items), "real" | "imag") = (owner, name) {
        return map(items, meter, |item| attribute(item, name, meter));
    }
    match (name, owner.as_complex()) {
        ("real", Some(z)) => {
            return Ok(if matches!(owner, Object::Complex(_)) { Object::Float(z.re) } else { owner.clone() });
        }
        ("imag", Some(z)) => {
            let real = matches!(owner, Object::Int(_) | Object::Bool(_));
            return Ok(if real { Object::Int(0) } else { Object::Float(z.im) });
        }
        ("value", Some(_)) if matches!(owner, Object::Constant(..)) => return Ok(owner.clone()),
        _ => {}
    }
    match (name, owner) {
        ("size", Object::Array(items)) => return Ok(Object::Int(items.len() as i128)),
        (_, Object::Raw(_, error)) => return Err(Problem::from_cause(error)),
        _ => {}
    }
    // Methods have none themselves: no chain of them can grow.
    let has_methods = !matches!(owner, Object::Method(..) | Object::Function(_) | Object::Module(_));
    if has_methods && METHODS.contains(&name) {
        return Ok(Object::Method(owner.clone().into(), name.into()));
    }
    Err(Problem::python(format!(".{} of {}", shown(name), owner.describe())))
}

/// `owner.name(arguments)`.
pub(super) fn call(
    owner: &Object,
    name: &str,
    arguments: Vec<Object>,
    named: Vec<(String, Object)>,
    meter: &Meter,
) -> Result<Object> {
    if !named.is_empty() {
        return Err(Problem::python(format!(".{name} with names of arguments")));
    }
    match (owner, name) {
        (Object::Value(_), "base") => return Ok(owner.clone()),
        (Object::Value(value), name) => {
            if let (Some(part), true) = (value.get(name), arguments.is_empty()) {
                // A list of it is taken over element by element.
                meter.spend(value.size())?;
                return Ok(Object::from_value(part));
            }
        }
        (Object::Text(text), name) => return text_method(text, name, &arguments, meter),
        (Object::Dict(pairs), "keys" | "values" | "items") => {
            meter.spend(pairs.len())?;
            let part = |(key, value): &(Object, Object)| match name {
                "keys" => Ok(key.clone()),
                "values" => Ok(value.clone()),
                _ => Ok(Object::Tuple(Items::new([key.clone(), value.clone()], 0, meter)?)),
            };
            return list(pairs.iter().map(part).collect::<Result<Vec<_>>>()?, meter);
        }
        (Object::Dict(pairs), "get") => {
            meter.spend(pairs.len())?;
            let place = arguments.first().map_or(Ok(None), |wanted| find(pairs, wanted, meter))?;
            let default = || arguments.get(1).cloned().unwrap_or(Object::None);
            return Ok(place.map_or_else(default, |place| pairs[place].1.clone()));
        }
        (Object::Array(items), "tolist") => return Ok(Object::List(items.clone())),
        (_, "copy") => return Ok(owner.clone()),
        (Object::Array(_), "astype") => {
            let kind = arguments.first().cloned().unwrap_or(Object::None);
            return functions::call(
                "numpy.array",
                vec![owner.clone()],
                vec![("dtype".to_owned(), kind)],
                meter,
            );
        }
        (Object::Array(_), "sum" | "mean" | "max" | "min" | "conj" | "conjugate") => {
            return functions::call(&format!("numpy.{name}"), vec![owner.clone()], Vec::new(), meter);
        }
        (number, "conjugate") if number.as_complex().is_some() => {
            return functions::call("numpy.conj", vec![number.clone()], Vec::new(), meter);
        }
        (owner, "count" | "index") if owner.items().is_some() => {
            let wanted = arguments.first().cloned().unwrap_or(Object::None);
            let items = iterate(owner, meter)?;
            let mut places = Vec::new();
            for (place, item) in items.iter().enumerate() {
                if same(item, &wanted, meter)? {
                    places.push(place);
                }
            }
            return match (name, places.first()) {
                ("count", _) => Ok(Object::Int(places.len() as i128)),
                (_, Some(place)) => Ok(Object::Int(*place as i128)),
                _ => Err(Problem::new(format!("the list has no {}", wanted.brief()))),
            };
        }
        _ => {}
    }
    Err(Problem::python(format!(".{name}() of {}", owner.describe())))
}

fn text_method(text: &str, name: &str, arguments: &[Object], meter: &Meter) -> Result<Object> {
    meter.spend(text.len())?;
    let argument = |place: usize| {
        let object = arguments.get(place);
        let wrong = || Problem::new(format!(".{name}() of text expects text"));
        object.and_then(Object::as_text).ok_or_else(wrong)
    };
    Ok(match (name, arguments.len()) {
        ("lower", 0) => Object::text(text.to_lowercase()),
        ("upper", 0) => Object::text(text.to_uppercase()),
        ("strip", 0) => Object::text(text.trim()),
        ("lstrip", 0) => Object::text(text.trim_start()),
        ("rstrip", 0) => Object::text(text.trim_end()),
        ("startswith", 1) => Object::Bool(text.starts_with(argument(0)?)),
        ("endswith", 1) => Object::Bool(text.ends_with(argument(0)?)),
        ("count", 1) if !argument(0)?.is_empty() => Object::Int(text.matches(argument(0)?).count() as i128),
        ("find", 1) => {
            let found = text.find(argument(0)?).map(|place| text[..place].chars().count() as i128);
            Object::Int(found.unwrap_or(-1))
        }
        ("split", 0) => list(text.split_whitespace().map(Object::text).collect(), meter)?,
        ("split", 1) if !argument(0)?.is_empty() => {
            list(text.split(argument(0)?).map(Object::text).collect(), meter)?
        }
        ("replace", 2) => {
            let (from, to) = (argument(0)?, argument(1)?);
            let count = if from.is_empty() { text.len() + 1 } else { text.matches(from).count() };
            meter.spend(count.saturating_mul(to.len()))?;
            Object::text(text.replace(from, to))
        }
        ("join", 1) => {
            let mut joined = String::new();
            for (index, item) in iterate(&arguments[0], meter)?.iter().enumerate() {
                let wrong = || Problem::new(format!(".join() expects texts, got {}", item.describe()));
                let item = item.as_text().ok_or_else(wrong)?;
                meter.spend(text.len().saturating_add(item.len()))?;
                if index > 0 {
                    joined += text;
                }
                joined += item;
            }
            Object::text(joined)
        }
        _ => return Err(Problem::python(format!(".{name}() of text with these arguments"))),
    })
}
