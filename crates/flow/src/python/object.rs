//! What an expression comes to.

use std::fmt;
use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{C64, Value};

use super::items::{Counting, Items};
use super::{Problem, Result};
use crate::error::shown;

/// What is larger is not written out in messages.
const BRIEF: usize = 256;

/// A value of Python. Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Object {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(C64),
    /// Text.
    Text(Arc<str>),
    /// `[a, b]`
    List(Items),
    /// `(a, b)`
    Tuple(Items),
    /// `{a: b}`
    Dict(Items<(Object, Object)>),
    /// An array of `numpy` with one axis.
    Array(Items),
    /// A number that has a name, such as `analog.GR_COS_WAVE`.
    Constant(Arc<str>, i64),
    /// A value of a message, or what a function of a library gave that is no number, text or list.
    Value(Counting),
    /// A module by its name.
    Module(Arc<str>),
    /// A function by its name.
    Function(Arc<str>),
    /// A method of a value.
    Method(Arc<Object>, Arc<str>),
    /// Text that is no expression, where either may stand: the text, and why it is no expression.
    Raw(Arc<str>, Arc<super::PythonError>),
}

impl Object {
    pub(super) fn complex(re: f64, im: f64) -> Self {
        Object::Complex(C64::new(re, im))
    }

    pub(super) fn text(text: impl Into<Arc<str>>) -> Self {
        Object::Text(text.into())
    }

    /// A list from outside of expressions: what is in it, somebody else has bounded.
    pub fn list(items: impl IntoIterator<Item = Object>) -> Self {
        Object::List(Items::counted(items.into_iter().collect()))
    }

    /// A value of the runtime as it is. It is measured, which takes as long as it is large.
    pub(super) fn value(value: Value) -> Self {
        Object::Value(Counting::new(value))
    }

    /// Elements and bytes of text in all, at least 1. A part that several lists share counts in each.
    pub(crate) fn size(&self) -> usize {
        match self {
            Object::Text(text) | Object::Raw(text, _) => text.len().max(1),
            Object::List(items) | Object::Tuple(items) | Object::Array(items) => items.size(),
            Object::Dict(pairs) => pairs.size(),
            Object::Value(value) => value.size(),
            Object::Method(owner, _) => owner.size(),
            _ => 1,
        }
    }

    /// The value as messages show it: written out where it is short.
    pub(crate) fn brief(&self) -> String {
        if self.size() > BRIEF { self.describe() } else { shown(&self.to_string()) }
    }

    /// The number as Python has it where it is used as one.
    pub(crate) fn as_int(&self) -> Option<i128> {
        match self {
            Object::Bool(flag) => Some((*flag).into()),
            Object::Int(n) => Some(*n),
            Object::Constant(_, n) => Some((*n).into()),
            _ => None,
        }
    }

    pub(crate) fn as_float(&self) -> Option<f64> {
        match self {
            Object::Float(x) => Some(*x),
            other => other.as_int().map(|n| n as f64),
        }
    }

    pub(crate) fn as_complex(&self) -> Option<C64> {
        match self {
            Object::Complex(z) => Some(*z),
            other => other.as_float().map(|x| C64::new(x, 0.0)),
        }
    }

    /// The text, also where it is no expression.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Object::Text(text) | Object::Raw(text, _) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list, a tuple or an array.
    pub fn items(&self) -> Option<&[Object]> {
        match self {
            Object::List(items) | Object::Tuple(items) | Object::Array(items) => Some(items),
            _ => None,
        }
    }

    /// What messages call it.
    pub(super) fn describe(&self) -> String {
        match self {
            Object::None => "None".to_owned(),
            Object::Text(_) => "text".to_owned(),
            Object::List(_) => "a list".to_owned(),
            Object::Tuple(_) => "a tuple".to_owned(),
            Object::Dict(_) => "a dict".to_owned(),
            Object::Array(_) => "an array".to_owned(),
            Object::Value(_) => "a value of GNU Radio".to_owned(),
            Object::Module(name) => format!("the module {name}"),
            Object::Function(name) => format!("the function {name}"),
            Object::Method(_, name) => format!("the method {name}"),
            Object::Raw(text, _) => format!("`{}`", shown(text)),
            number => number.to_string(),
        }
    }

    /// What Python takes for true.
    pub(super) fn truth(&self) -> Result<bool> {
        Ok(match self {
            Object::None => false,
            Object::Complex(z) => *z != C64::new(0.0, 0.0),
            Object::Text(text) => !text.is_empty(),
            Object::List(items) | Object::Tuple(items) => !items.is_empty(),
            Object::Array(items) => match &items[..] {
                [one] => one.truth()?,
                _ => return Err(Problem::new("an array is neither true nor false")),
            },
            Object::Dict(pairs) => !pairs.is_empty(),
            Object::Raw(_, error) => return Err(Problem::from_cause(error)),
            Object::Value(_) | Object::Module(_) | Object::Function(_) | Object::Method(..) => true,
            number => number.as_float() != Some(0.0),
        })
    }

    /// As [`Object`] sees a value of the runtime.
    pub fn from_value(value: &Value) -> Object {
        match value {
            Value::Null => Object::None,
            Value::Bool(flag) => Object::Bool(*flag),
            Value::Int(n) => Object::Int((*n).into()),
            Value::Uint(n) => Object::Int((*n).into()),
            Value::Float(x) => Object::Float(*x),
            Value::Complex(z) => Object::Complex(*z),
            Value::Text(text) => Object::Text(text.clone().into()),
            Value::List(items) => Object::list(items.iter().map(Object::from_value)),
            Value::Tuple(items) => {
                Object::Tuple(Items::counted(items.iter().map(Object::from_value).collect()))
            }
            other => Object::value(other.clone()),
        }
    }

    /// The value of the runtime.
    ///
    /// # Errors
    /// For what is none: modules, functions, numbers of more than 64 bits.
    pub fn to_value(&self) -> Result<Value, String> {
        // Of its final size from the beginning: it may be large.
        let list = |items: &[Object]| {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                values.push(item.to_value()?);
            }
            Ok::<_, String>(values)
        };
        Ok(match self {
            Object::None => Value::Null,
            Object::Bool(flag) => Value::Bool(*flag),
            Object::Int(n) => match (i64::try_from(*n), u64::try_from(*n)) {
                (Ok(n), _) => Value::Int(n),
                (_, Ok(n)) => Value::Uint(n),
                _ => return Err(format!("expected a whole number of at most 64 bits, got {n}")),
            },
            Object::Float(x) => Value::Float(*x),
            Object::Complex(z) => Value::Complex(*z),
            Object::Text(text) => text.clone().into(),
            Object::List(items) | Object::Tuple(items) | Object::Array(items) => list(items)?.into(),
            Object::Dict(pairs) => {
                let pair = |(key, value): &(Object, Object)| {
                    let key = key.as_text().map_or_else(|| key.to_string(), str::to_owned);
                    Ok::<_, String>((key, value.to_value()?))
                };
                Value::map(pairs.iter().map(pair).collect::<Result<Vec<_>, _>>()?)
            }
            Object::Constant(_, n) => Value::Int(*n),
            Object::Value(value) => (**value).clone(),
            Object::Raw(_, error) => return Err(error.to_string()),
            Object::Module(_) | Object::Function(_) | Object::Method(..) => {
                return Err(format!("expected a value, got {}", self.describe()));
            }
        })
    }

    /// The value in the form that a parameter of that kind takes. A named number stands for a word, text that is no
    /// expression for text, and numbers for true and false.
    ///
    /// # Errors
    /// As for [`Object::to_value`]. Whether the parameter takes the value is not looked at.
    pub fn to_parameter(&self, kind: Kind) -> Result<Value, String> {
        match (kind, self) {
            (Kind::Choice(words), Object::Constant(name, _)) => {
                // The longest word that the name ends or begins with: WIN_BLACKMAN_hARRIS is blackman_harris.
                let name = name.to_ascii_lowercase();
                let fits = |word: &&&str| {
                    let ends = name.ends_with(&format!("_{word}")) || name.starts_with(&format!("{word}_"));
                    name == **word || ends || (**word == "none" && name.starts_with("no_"))
                };
                let word = words.iter().filter(fits).max_by_key(|word| word.len());
                word.map_or_else(|| self.to_value(), |word| Ok((*word).into()))
            }
            (Kind::Choice(_) | Kind::Text | Kind::Path, Object::Raw(text, _)) => Ok(text.clone().into()),
            (Kind::Float(..) | Kind::Integer(..), Object::Bool(flag)) => Ok(Value::Int((*flag).into())),
            (Kind::Bool, Object::Int(n @ 0..=1)) => Ok(Value::Bool(*n == 1)),
            (Kind::Float(..), Object::Complex(z)) if z.im == 0.0 => Ok(Value::Float(z.re)),
            (Kind::Float(..), Object::Int(n)) => Ok(Value::Float(*n as f64)),
            (Kind::Numbers, number) if number.as_complex().is_some() => Ok(vec![number.to_value()?].into()),
            _ => self.to_value(),
        }
    }
}

impl fmt::Display for Object {
    /// As `repr` writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[Object]| {
            items.iter().enumerate().try_for_each(|(index, item)| {
                let comma = if index > 0 { ", " } else { "" };
                write!(f, "{comma}{item}")
            })
        };
        match self {
            Object::None => f.write_str("None"),
            Object::Bool(true) => f.write_str("True"),
            Object::Bool(false) => f.write_str("False"),
            Object::Int(n) => write!(f, "{n}"),
            Object::Float(x) => f.write_str(&real(*x)),
            Object::Complex(z) => {
                let im = whole(z.im);
                if z.re == 0.0 && z.re.is_sign_positive() {
                    write!(f, "{im}j")
                } else {
                    let sign = if im.starts_with('-') { "" } else { "+" };
                    write!(f, "({}{sign}{im}j)", whole(z.re))
                }
            }
            Object::Text(text) => {
                let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
                write!(f, "{quote}")?;
                for c in text.chars() {
                    match c {
                        '\n' => f.write_str("\\n")?,
                        '\r' => f.write_str("\\r")?,
                        '\t' => f.write_str("\\t")?,
                        '\\' => f.write_str("\\\\")?,
                        c if c == quote => write!(f, "\\{c}")?,
                        c => write!(f, "{c}")?,
                    }
                }
                write!(f, "{quote}")
            }
            Object::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Object::Tuple(items) => {
                f.write_str("(")?;
                list(f, items)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Object::Array(items) => {
                f.write_str("array([")?;
                list(f, items)?;
                f.write_str("])")
            }
            Object::Dict(pairs) => {
                f.write_str("{")?;
                for (index, (key, value)) in pairs.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{key}: {value}")?;
                }
                f.write_str("}")
            }
            Object::Constant(_, n) => write!(f, "{n}"),
            Object::Value(value) => write!(f, "{}", **value),
            Object::Raw(text, _) => f.write_str(text),
            Object::Module(_) | Object::Function(_) | Object::Method(..) => {
                write!(f, "<{}>", self.describe())
            }
        }
    }
}

/// A float as Python writes it.
fn real(x: f64) -> String {
    let text = whole(x);
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') { text + ".0" } else { text }
}

/// As [`real`], without `.0` behind whole numbers, as in complex ones.
fn whole(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if x != 0.0 && !(1e-4..1e16).contains(&x.abs()) {
        let text = format!("{x:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{x}")
}
