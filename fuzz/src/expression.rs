//! Expressions: those of TOML graphs, and the Python of `.grc` files.

use std::sync::OnceLock;

use superhet::flow::python::{Expression, Library, Object, Scope};
use superhet::flow::{Set, expression};
use superhet::runtime::Value;

use crate::assert_harmless;

/// Reads a text as every kind of expression, and works it out with some variables.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let variable = |name: &str| match name {
        "a" => Ok(2.0),
        "samp_rate" => Ok(2e6),
        other => Err(format!("there is no variable {}", other.escape_debug())),
    };
    match expression::evaluate(&text, &variable) {
        Ok(value) => assert!(value.is_finite()),
        Err(error) => assert_harmless(&error),
    }
    if let Err(error) = text.parse::<Set>() {
        assert_harmless(&error);
    }
    python(&text);
}

fn python(text: &str) {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = LIBRARY.get_or_init(superhet::library);
    let expression = match Expression::parse(text) {
        Ok(expression) => expression,
        Err(error) => return assert_harmless(&error),
    };
    let list = Object::from_value(&[1.0, 2.0, 3.0].map(Value::from).to_vec().into());
    let scope = Scope::new(library)
        .with("a", Object::Int(2))
        .with("samp_rate", Object::Float(2e6))
        .with("taps", list)
        .with("name", Object::from_value(&"x".into()));
    match expression.evaluate(&scope) {
        Ok(value) => {
            let _ = value.to_string();
            if let Ok(value) = value.to_value() {
                let _ = Object::from_value(&value);
            }
        }
        Err(error) => assert_harmless(&error),
    }
}
