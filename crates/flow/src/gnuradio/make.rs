//! From a row and its arguments to our blocks.

use std::collections::BTreeMap;

use superhet_runtime::Value;
use superhet_runtime::catalog::{Direction, Entry, Kind};

use super::row::{Row, Setting};
use crate::python::{Library, Object, PythonError, Scope};
use crate::registry::Registry;

/// How a class is called.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The letters of the class; empty where it has none.
    pub letters: String,
    /// What is given; all else has its default.
    pub args: BTreeMap<String, Object>,
    /// The type of the items, of a class that knows only their size.
    pub item: Option<String>,
    /// How many input streams are connected.
    pub inputs: usize,
    /// How many output streams are connected.
    pub outputs: usize,
}

/// What a class is with us.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Made {
    /// Our blocks in a row, and their parameters.
    pub stages: Vec<(String, BTreeMap<String, Value>)>,
    /// What `type` is.
    pub item: String,
    /// Items in a vector at the inputs.
    pub vlen_in: usize,
    /// Items in a vector at the outputs.
    pub vlen_out: usize,
}

/// Why a class cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeError {
    /// An argument is missing, or unknown.
    #[error("{argument}: {problem}")]
    Argument {
        /// The argument.
        argument: String,
        /// What is wrong.
        problem: String,
    },
    /// An expression has no value.
    #[error("{what}: {error}")]
    Expression {
        /// Which parameter.
        what: String,
        /// What is wrong.
        error: PythonError,
    },
}

impl MakeError {
    fn argument(argument: &str, problem: impl Into<String>) -> Self {
        MakeError::Argument { argument: argument.to_owned(), problem: problem.into() }
    }

    /// Whether Python could make it.
    pub fn needs_python(&self) -> bool {
        matches!(self, MakeError::Expression { error, .. } if error.needs_python)
    }
}

impl Row {
    /// Our blocks for this call.
    ///
    /// # Errors
    /// The first argument that is missing or unknown, or parameter that has no value.
    pub fn make(&self, call: &Call, registry: &Registry, library: &Library) -> Result<Made, MakeError> {
        if let Some(name) = call.args.keys().find(|name| !self.args.iter().any(|arg| arg.name == **name)) {
            return Err(MakeError::argument(name, format!("{self} has no such argument")));
        }
        let mut scope = Scope::new(library);
        for arg in &self.args {
            let value = match (call.args.get(&arg.name), &arg.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => {
                    let failed = |error| MakeError::Expression { what: arg.name.clone(), error };
                    default.evaluate(&scope).map_err(failed)?
                }
                (None, None) => return Err(MakeError::argument(&arg.name, "is missing")),
            };
            scope.set(arg.name.clone(), value);
        }
        let letters = call.letters.as_str();
        let item = match self.types.iter().find(|(known, _)| known == letters) {
            Some((_, item)) => item.clone(),
            None => call.item.clone().unwrap_or_default(),
        };
        let others = [
            ("type", Object::Text(item.as_str().into())),
            ("suffix", Object::Text(letters.into())),
            ("inputs", Object::Int(call.inputs as i128)),
            ("outputs", Object::Int(call.outputs as i128)),
        ];
        for (name, value) in others {
            // An argument of that name is what is meant.
            if scope.get(name).is_none() {
                scope.set(name, value);
            }
        }
        let vlen = match &self.itemsize {
            Some(name) => self.items_in(name, &item, &scope)?,
            None => 1,
        };
        if scope.get("vlen").is_none() {
            scope.set("vlen", Object::Int(vlen as i128));
        }
        let [vlen_in, vlen_out] = [&self.vlen[0], &self.vlen[1]].map(|setting| match setting {
            Some(setting) => length(setting, &scope),
            None => Ok(vlen),
        });
        let (vlen_in, vlen_out) = (vlen_in?, vlen_out?);
        if !self.args.iter().any(|arg| arg.name == "vlen") {
            scope.set("vlen", Object::Int(vlen_in as i128));
        }
        let mut stages = Vec::new();
        for stage in &self.stages {
            let entry = registry.get(&stage.block);
            let mut params = BTreeMap::new();
            for (name, setting) in &stage.params {
                let kind = entry.and_then(|entry| entry.params.iter().find(|param| param.name == name));
                if let Some(value) =
                    value(name, setting, kind.map_or(Kind::Value, |param| param.kind), &scope)?
                {
                    params.insert(name.clone(), value);
                }
            }
            stages.push((stage.block.clone(), params));
        }
        Ok(Made { stages, item, vlen_in, vlen_out })
    }

    /// How many items of that type make the size that the argument `name` says.
    fn items_in(&self, name: &str, item: &str, scope: &Scope<'_>) -> Result<usize, MakeError> {
        let size = scope.get(name).and_then(|size| size.to_value().ok()?.as_u64()).unwrap_or(0) as usize;
        let one = item_size(item).unwrap_or(1);
        match size > 0 && size.is_multiple_of(one) {
            true => Ok(size / one),
            false => Err(MakeError::argument(name, format!("{size} bytes are no whole number of {item}"))),
        }
    }
}

fn length(setting: &Setting, scope: &Scope<'_>) -> Result<usize, MakeError> {
    let value = value("vlen", setting, Kind::Integer(1, i64::MAX), scope)?;
    let wrong = || MakeError::argument("vlen", "expected a whole number ≥ 1");
    value.and_then(|value| usize::try_from(value.as_u64()?).ok()).filter(|n| *n > 0).ok_or_else(wrong)
}

fn value(name: &str, setting: &Setting, kind: Kind, scope: &Scope<'_>) -> Result<Option<Value>, MakeError> {
    match setting {
        Setting::Literal(value) => Ok(Some(value.clone())),
        Setting::Expression(expression) => {
            let failed = |error| MakeError::Expression { what: name.to_owned(), error };
            match expression.evaluate(scope).map_err(failed)? {
                Object::None => Ok(None),
                Object::Raw(_, error)
                    if !matches!(kind, Kind::Choice(_) | Kind::Text | Kind::Path | Kind::Value) =>
                {
                    Err(MakeError::Expression { what: name.to_owned(), error: (*error).clone() })
                }
                // Where any value may stand, text that is no expression is text.
                Object::Raw(text, _) => Ok(Some(text.into())),
                object => {
                    let failed = |problem: String| MakeError::argument(name, problem);
                    object.to_parameter(kind).map(Some).map_err(failed)
                }
            }
        }
    }
}

/// The size in bytes of an item of that type.
pub fn item_size(item: &str) -> Option<usize> {
    Some(match item {
        "i8" | "u8" => 1,
        "i16" | "u16" | "cs8" | "cu8" => 2,
        "i32" | "u32" | "f32" | "cs16" | "cu16" => 4,
        "i64" | "u64" | "f64" | "C32" => 8,
        "C64" => 16,
        _ => return None,
    })
}

/// The name and the item type of a block's n-th stream port, by what its entry says; `order` is GNU Radio's order where it
/// is another. The type is `None` where only the block itself knows it.
///
/// A block whose number of ports is a parameter shows the first of them, `in0` and `in1`; one whose `channels` are a port each shows the
/// one that it has for a single channel, `in`.
pub fn stream_port(
    entry: &Entry,
    params: &BTreeMap<String, Value>,
    direction: Direction,
    order: &[String],
    n: usize,
) -> Option<(String, Option<String>)> {
    let ports: Vec<_> =
        entry.ports.iter().filter(|port| port.direction == direction && port.items != "messages").collect();
    let by_name = |name: &str| ports.iter().find(|port| port.name == name);
    let has_channels = params.get("channels").and_then(Value::as_u64).is_some_and(|channels| channels > 1);
    let numbered = |last: &str| {
        let stem = last.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.len() < last.len()).then(|| stem.to_owned())
    };
    let (name, items) = match order.get(n) {
        Some(name) => {
            let port = by_name(name).or(ports.last())?;
            (name.clone(), port.items)
        }
        None => match ports.get(n) {
            _ if has_channels && ports.len() == 1 && numbered(ports[0].name).is_none() => {
                (format!("{}{n}", ports[0].name), ports[0].items)
            }
            Some(port) => (port.name.to_owned(), port.items),
            None => {
                let last = ports.last()?;
                (format!("{}{n}", numbered(last.name)?), last.items)
            }
        },
    };
    let item = match item_size(items) {
        Some(_) => Some(items.to_owned()),
        None => {
            let param = entry.params.iter().find(|param| param.name == items);
            param.and_then(|param| match (params.get(items), param.default) {
                (Some(value), _) => value.as_str().map(str::to_owned),
                (None, Some(default)) => serde_json::from_str(default).ok(),
                (None, None) => None,
            })
        }
    };
    // What is no type, such as `auto`, is for the block to say.
    Some((name, item.filter(|item| item_size(item).is_some())))
}
