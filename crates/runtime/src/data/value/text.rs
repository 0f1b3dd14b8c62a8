//! Values as text: a line of JSON without control characters.

use std::fmt::{self, Write};

use serde_json::Number;

use super::Value;

/// What [`Value::to_json`] says, without a tree of JSON in between where that can do without one.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Uint(n) => write!(f, "{n}"),
            Value::Float(x) if let Some(number) = Number::from_f64(*x) => write!(f, "{number}"),
            Value::Text(text) => quote(text, f),
            Value::List(list) => separate('[', list.iter(), ']', f, |value, f| write!(f, "{value}")),
            // One with fewer entries may have to be told from a form.
            Value::Map(map) if map.len() > 2 => separate('{', map.iter(), '}', f, |(key, value), f| {
                quote(key, f)?;
                write!(f, ":{value}")
            }),
            _ => escape(&self.to_json().to_string(), f),
        }
    }
}

fn separate<T>(
    open: char,
    all: impl Iterator<Item = T>,
    close: char,
    f: &mut fmt::Formatter<'_>,
    write: impl Fn(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_char(open)?;
    for (place, one) in all.enumerate() {
        if place > 0 {
            f.write_char(',')?;
        }
        write(one, f)?;
    }
    f.write_char(close)
}

fn quote(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if text.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        return escape(&serde_json::Value::from(text).to_string(), f);
    }
    f.write_char('"')?;
    f.write_str(text)?;
    f.write_char('"')
}

/// JSON leaves the control characters from U+007F on as they are; they stand in its texts only.
fn escape(json: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut rest = json;
    while let Some((at, control)) = rest.char_indices().find(|(_, c)| c.is_control()) {
        write!(f, "{}\\u{:04x}", &rest[..at], u32::from(control))?;
        rest = &rest[at + control.len_utf8()..];
    }
    f.write_str(rest)
}
