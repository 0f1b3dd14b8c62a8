//! What users of a block or a function by name need: parameters, ports, units and docs.
//!
//! A block's file ends with its [`Entry`]; the library's list of entries has a line for it. Files, the command line and
//! Python find blocks there, and [`Entry::build`] checks what they are given.
//!
//! An entry makes its block for each type of items, so a list of entries is compiled with all of its blocks. A program that
//! builds its graphs in Rust needs none: only with the feature `catalog` are entries and lists of them public, and compiled.

use std::collections::BTreeMap;
use std::fmt;

pub use superhet_macros::{Choice, Parameters};

pub use crate::arguments::{Choice, Parameters, Plain, Reads, count_of, join, no_item_type};
use crate::block::runnable::AnyBlock;
use crate::data::{BlockError, Value, suggestion, warn_of_former_name};

/// A block as it can be found by name.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name: the field's standard term, in snake case.
    pub name: &'static str,
    /// What kind of block it is, such as `sources` or `filters`.
    pub category: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Its ports, streams and messages.
    pub ports: &'static [PortDoc],
    /// Makes the block.
    pub make: fn(&Params) -> Result<AnyBlock, BlockError>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({})", self.name)
    }
}

/// A parameter of a block.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The name.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The unit, empty where there is none.
    pub unit: &'static str,
    /// The default as JSON; without one the parameter must be given.
    pub default: Option<&'static str>,
    /// What it means, in a sentence.
    pub doc: &'static str,
    /// Names that it had before: they are understood for one version, with a warning.
    pub formerly: &'static [&'static str],
}

impl Param {
    /// The same with names that it had before.
    ///
    /// ```
    /// use superhet_runtime::catalog::{COUNT, required};
    ///
    /// let length = required("length", COUNT, "items", "How long it is.").formerly(&["len"]);
    /// assert!(length.is_called("length") && length.is_called("len") && !length.is_called("size"));
    /// ```
    pub const fn formerly(self, names: &'static [&'static str]) -> Self {
        Param { formerly: names, ..self }
    }

    /// Whether this is its name, or was it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.formerly.contains(&name)
    }

    /// Warns `owner`, a block, where `given` is not the parameter's name but one that it had before.
    pub fn warn_if_former(&self, owner: &str, given: &str) {
        if given != self.name {
            warn_of_former_name(owner, given, self.name);
        }
    }
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number between two bounds, inclusive.
    Float(f64, f64),
    /// A whole number between two bounds, inclusive.
    Integer(i64, i64),
    /// True or false.
    Bool,
    /// Text.
    Text,
    /// The path of a file.
    Path,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Numbers, each real or complex (`[re, im]`).
    Numbers,
    /// Any value. In files, text that is JSON stands for the value that it writes.
    Value,
}

/// A number without bounds.
pub const ANY_FLOAT: Kind = Kind::Float(f64::NEG_INFINITY, f64::INFINITY);
/// A whole number that counts something: 1 or more.
pub const COUNT: Kind = Kind::Integer(1, i64::MAX);
/// A whole number that is not negative.
pub const NOT_NEGATIVE: Kind = Kind::Integer(0, i64::MAX);

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Float(f64::NEG_INFINITY, f64::INFINITY) => f.write_str("number"),
            Kind::Float(low, f64::INFINITY) => write!(f, "number ≥ {low}"),
            Kind::Float(low, high) => write!(f, "number from {low} to {high}"),
            Kind::Integer(i64::MIN, i64::MAX) => f.write_str("whole number"),
            Kind::Integer(low, i64::MAX) => write!(f, "whole number ≥ {low}"),
            Kind::Integer(low, high) => write!(f, "whole number from {low} to {high}"),
            Kind::Bool => f.write_str("true or false"),
            Kind::Text => f.write_str("text"),
            Kind::Path => f.write_str("path of a file"),
            Kind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Kind::Numbers => f.write_str("list of numbers"),
            Kind::Value => f.write_str("value"),
        }
    }
}

/// What a port carries.
#[derive(Clone, Copy, Debug)]
pub struct PortDoc {
    /// The port's name.
    pub name: &'static str,
    /// Which way it goes.
    pub direction: Direction,
    /// The items; `item` where the parameter of that name says so, `messages` for a message port.
    pub items: &'static str,
    /// What they mean, with unit and range.
    pub doc: &'static str,
}

/// Which way a port goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the block.
    In,
    /// Out of the block.
    Out,
}

/// A stream or message input.
pub const fn input(name: &'static str, items: &'static str, doc: &'static str) -> PortDoc {
    PortDoc { name, direction: Direction::In, items, doc }
}

/// A stream or message output.
pub const fn output(name: &'static str, items: &'static str, doc: &'static str) -> PortDoc {
    PortDoc { name, direction: Direction::Out, items, doc }
}

/// The message input of a block whose parameters can be changed while it runs; `doc` says which.
pub const fn set_port(doc: &'static str) -> PortDoc {
    input("set", "messages", doc)
}

/// A parameter that must be given.
pub const fn required(name: &'static str, kind: Kind, unit: &'static str, doc: &'static str) -> Param {
    Param { name, kind, unit, default: None, doc, formerly: &[] }
}

/// A parameter with a default, written as JSON.
pub const fn optional(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    default: &'static str,
    doc: &'static str,
) -> Param {
    Param { name, kind, unit, default: Some(default), doc, formerly: &[] }
}

/// A parameter that does not fit its block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{param}: {problem}")]
pub struct ParamError {
    /// The parameter.
    pub param: String,
    /// What is wrong with it, and what was expected.
    pub problem: String,
}

impl ParamError {
    /// What the values are together, for `owner`.
    fn of_all(owner: &str, error: BlockError) -> Self {
        ParamError { param: owner.to_owned(), problem: error.to_string() }
    }
}

/// Parameters that have been checked: all there, all of the right kind.
#[derive(Clone, Debug, Default)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// The value itself.
    ///
    /// # Panics
    /// If the entry does not declare `name`; so do the other getters.
    pub fn value(&self, name: &str) -> &Value {
        // An entry that asks for a parameter that it does not declare is a bug, which the library's tests find.
        self.0.get(name).unwrap_or_else(|| panic!("the entry declares no parameter {name}"))
    }

    /// A number.
    pub fn float(&self, name: &str) -> f64 {
        self.value(name).as_f64().unwrap_or(f64::NAN)
    }

    /// A whole number that is not negative.
    pub fn count(&self, name: &str) -> usize {
        self.value(name).as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> i64 {
        self.value(name).as_i64().unwrap_or(0)
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> bool {
        *self.value(name) == Value::Bool(true)
    }

    /// Text, a path or a word.
    pub fn text(&self, name: &str) -> &str {
        self.value(name).as_str().unwrap_or("")
    }

    /// A number whose imaginary part is the parameter `name` with `_imag` behind it, where the entry declares that.
    pub fn complex(&self, name: &str) -> crate::C64 {
        let imaginary = self.0.get(format!("{name}_imag").as_str()).and_then(Value::as_f64);
        crate::C64::new(self.float(name), imaginary.unwrap_or(0.0))
    }

    /// Numbers; complex ones where any is.
    pub fn numbers(&self, name: &str) -> Vec<crate::C64> {
        let value = self.value(name);
        match value.as_list() {
            Some(list) => list.iter().filter_map(Value::as_complex).collect(),
            None => value.as_complex().into_iter().collect(),
        }
    }
}

impl Kind {
    /// The value in the form of this kind, or the mistake in it.
    pub(crate) fn accept(&self, value: &Value) -> Result<Value, String> {
        let wrong = || Err(format!("expected a {self}, got {value}").replace("a one of", "one of"));
        match *self {
            Kind::Float(low, high) => match value.as_f64() {
                Some(x) if x >= low && x <= high => Ok(Value::Float(x)),
                _ => wrong(),
            },
            Kind::Integer(low, high) => {
                // A whole number may come written as 1e6.
                let whole = value.as_i64().or_else(|| {
                    value.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 9e15).map(|x| x as i64)
                });
                match whole {
                    Some(n) if n >= low && n <= high => Ok(Value::Int(n)),
                    _ => wrong(),
                }
            }
            Kind::Bool => match value {
                Value::Bool(_) => Ok(value.clone()),
                _ => wrong(),
            },
            Kind::Text | Kind::Path => match value {
                Value::Text(_) => Ok(value.clone()),
                _ => wrong(),
            },
            Kind::Choice(words) => match value.as_str() {
                Some(word) if words.contains(&word) => Ok(value.clone()),
                Some(word) => Err(format!(
                    "expected one of {}, got {word}{}",
                    words.join(", "),
                    suggestion(word, words.iter().copied())
                )),
                None => wrong(),
            },
            Kind::Numbers => match value.as_list() {
                Some(list) if list.iter().all(|v| v.as_complex().is_some()) => Ok(value.clone()),
                _ => wrong(),
            },
            Kind::Value => Ok(value.clone()),
        }
    }
}

impl Params {
    /// Checks `given` against `declared` and fills in the defaults; `owner` is whose parameters they are.
    fn checked(
        owner: &str,
        declared: &'static [Param],
        given: &BTreeMap<String, Value>,
    ) -> Result<Params, Vec<ParamError>> {
        let mut errors = Vec::new();
        let mut params = Params::default();
        let mut values: BTreeMap<&str, &Value> = BTreeMap::new();
        for (name, value) in given {
            let Some(param) = declared.iter().find(|param| param.is_called(name)) else {
                let near = suggestion(name, declared.iter().map(|param| param.name));
                let problem = format!("{owner} has no such parameter{near}");
                errors.push(ParamError { param: name.clone(), problem });
                continue;
            };
            if param.name != name && given.contains_key(param.name) {
                let problem = format!("is what {} was called before: expected one of the two", param.name);
                errors.push(ParamError { param: name.clone(), problem });
                continue;
            }
            param.warn_if_former(owner, name);
            values.insert(param.name, value);
        }
        for param in declared {
            let default = || param.default.and_then(|json| serde_json::from_str(json).ok());
            let given = values.get(param.name).copied().cloned();
            let value = given.or_else(|| default().map(|json| Value::from_json(&json)));
            let accepted = match value {
                // Only where it is the default does an empty path mean anything.
                Some(Value::Text(path))
                    if param.kind == Kind::Path && path.is_empty() && param.default.is_none() =>
                {
                    Err(format!("expected a {}, got an empty text", param.kind))
                }
                Some(value) => param.kind.accept(&value),
                None => Err(format!("is missing: expected a {}", param.kind).replace("a one of", "one of")),
            };
            match accepted {
                Ok(value) => {
                    params.0.insert(param.name, value);
                }
                Err(problem) => errors.push(ParamError { param: param.name.to_owned(), problem }),
            }
        }
        if errors.is_empty() { Ok(params) } else { Err(errors) }
    }
}

impl Entry {
    /// The parameter that has this name, or had it before.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.is_called(name))
    }

    /// Checks `given` without making the block.
    ///
    /// # Errors
    /// As for [`build`](Self::build), but for what values are together.
    pub fn check(&self, given: &BTreeMap<String, Value>) -> Result<(), Vec<ParamError>> {
        Params::checked(self.name, self.params, given).map(drop)
    }

    /// Checks `given`, fills in the defaults and makes the block.
    ///
    /// # Errors
    /// Every parameter that is missing, unknown or out of range, all at once.
    pub fn build(&self, given: &BTreeMap<String, Value>) -> Result<AnyBlock, Vec<ParamError>> {
        let params = Params::checked(self.name, self.params, given)?;
        (self.make)(&params).map_err(|error| vec![ParamError::of_all(self.name, error)])
    }
}

/// A function that files and people can call by name, such as one that designs the taps of a filter.
///
/// ```
/// use superhet_runtime::catalog::{COUNT, Function, required};
/// use superhet_runtime::Value;
///
/// const ONES: Function = Function {
///     name: "window.rectangular",
///     summary: "Ones.",
///     params: &[required("length", COUNT, "", "How many.")],
///     call: |params| Ok(vec![Value::from(1.0); params.count("length")].into()),
/// };
///
/// let given = [("length".to_owned(), Value::from(2))].into();
/// assert_eq!(ONES.call(&given)?, vec![Value::from(1.0), Value::from(1.0)].into());
/// assert_eq!(ONES.call(&Default::default()).unwrap_err()[0].param, "length");
/// # Ok::<(), Vec<superhet_runtime::catalog::ParamError>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Function {
    /// The name, with that of its group before a point.
    pub name: &'static str,
    /// What it gives, in a sentence.
    pub summary: &'static str,
    /// Its parameters, in the order in which they are given without names.
    pub params: &'static [Param],
    /// Computes the value.
    pub call: fn(&Params) -> Result<Value, BlockError>,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

impl Function {
    /// Checks `given`, fills in the defaults and computes the value.
    ///
    /// # Errors
    /// As for [`Entry::build`].
    pub fn call(&self, given: &BTreeMap<String, Value>) -> Result<Value, Vec<ParamError>> {
        let params = Params::checked(self.name, self.params, given)?;
        (self.call)(&params).map_err(|error| vec![ParamError::of_all(self.name, error)])
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::harness::VecSink;

    const ENTRY: Entry = Entry {
        name: "sink",
        category: "sinks",
        summary: "Keeps items.",
        params: &[
            required("count", COUNT, "items", "How many."),
            optional("mode", Kind::Choice(&["fast", "slow"]), "", "\"fast\"", "How."),
        ],
        ports: &[input("in", "f32", "anything")],
        make: |params| {
            assert_eq!((params.count("count"), params.text("mode")), (1_000_000, "fast"));
            Ok(AnyBlock::new(VecSink::<f32>::new()))
        },
    };

    fn given(pairs: &[(&str, Value)]) -> BTreeMap<String, Value> {
        pairs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect()
    }

    #[test]
    fn defaults_are_filled_in_and_whole_numbers_may_be_written_as_floats() {
        assert!(ENTRY.build(&given(&[("count", 1e6.into())])).is_ok());
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let errors = ENTRY.build(&given(&[("cuont", 1.into()), ("mode", "fats".into())])).unwrap_err();
        let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "cuont: sink has no such parameter; did you mean count?",
                "count: is missing: expected a whole number ≥ 1",
                "mode: expected one of fast, slow, got fats; did you mean fast?",
            ]
        );
    }

    #[test]
    fn a_former_name_is_understood_but_not_beside_the_name() {
        let params: &'static [Param] =
            const { &[required("count", COUNT, "", "How many.").formerly(&["n"])] };
        let checked = Params::checked("sink", params, &given(&[("n", 3.into())])).unwrap();
        assert_eq!(checked.count("count"), 3);
        let errors =
            Params::checked("sink", params, &given(&[("n", 3.into()), ("count", 3.into())])).unwrap_err();
        assert_eq!(errors[0].to_string(), "n: is what count was called before: expected one of the two");
        let errors = Params::checked("sink", params, &given(&[("n", 0.into())])).unwrap_err();
        assert_eq!(errors[0].to_string(), "count: expected a whole number ≥ 1, got 0");
    }
}
