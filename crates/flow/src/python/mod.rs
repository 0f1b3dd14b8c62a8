//! Evaluates the Python expressions in GNU Radio Companion's files and in the table of GNU Radio's names. No Python runs,
//! and an expression reaches nothing outside of itself.
//!
//! | | |
//! |---|---|
//! | values | whole numbers of 127 bits, `float`, `complex`, text, lists, tuples, dicts, arrays of `numpy` with one axis |
//! | operators | `+ - * / // % **`, `& \| ^ ~ << >>`, comparisons and their chains, `in`, `and or not`, `a if c else b` |
//! | parts | indexing, slices, `.real`, `.imag`, a few methods of text, lists and arrays |
//! | comprehensions | of lists, and as the only argument of a function |
//! | functions | `abs bool complex float int len list max min pow range reversed round sorted str sum tuple zip enumerate any all`, of `math`, `cmath` and `numpy` what is common, `pmt`'s constructors, and those of a [`Library`] (`firdes`, `window`) |
//! | constants | of `math`, `numpy` and of GNU Radio's modules (`analog.GR_COS_WAVE`) |
//!
//! All else is an error that says that it takes Python. Steps, sizes, powers and nesting are bounded. A part that lists
//! share counts in each of them, and a walk over a list pays for all of it.
//!
//! ```
//! use superhet_flow::python::{Expression, Library, Object, Scope};
//! let library = Library::new([]);
//! let scope = Scope::new(&library).with("samp_rate", Object::Int(48_000));
//! let value = Expression::parse("[int(samp_rate // n) for n in (2, 3)]")?.evaluate(&scope)?;
//! assert_eq!(value.to_string(), "[24000, 16000]");
//! let error = Expression::parse("__import__('os').system('ls')")?.evaluate(&scope).unwrap_err();
//! assert!(error.needs_python);
//! # Ok::<(), superhet_flow::python::PythonError>(())
//! ```

mod arithmetic;
mod evaluate;
mod functions;
mod items;
mod library;
mod methods;
mod numpy;
mod object;
mod parse;
mod pmt;
mod token;

use std::sync::Arc;

use crate::error::shown;

pub use evaluate::Scope;
pub use items::{Counting, Items};
pub use library::Library;
pub use object::Object;
pub use parse::Expression;

pub(crate) use functions::members;
pub(crate) use library::{constants, module};
pub(crate) use parse::parameters;

/// What is wrong with a Python expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expression:?}, character {position}: {problem}")]
pub struct PythonError {
    /// The expression, cut short where it is long.
    pub expression: String,
    /// Which character of it, counted from 1.
    pub position: usize,
    /// What was expected, and what was found.
    pub problem: String,
    /// Whether Python could work it out.
    pub needs_python: bool,
    /// The unknown name, where that is the mistake.
    pub unknown: Option<String>,
}

/// What is wrong, before it is known where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problem {
    /// The character, counted from 1; 0 where it is not known.
    at: usize,
    text: String,
    needs_python: bool,
    unknown: Option<String>,
    /// The mistake of another expression, whose value this one would need.
    cause: Option<Arc<PythonError>>,
}

impl Problem {
    fn new(text: impl Into<String>) -> Self {
        Problem { text: text.into(), ..Problem::default() }
    }

    /// Python has it, and this has not.
    fn python(what: impl std::fmt::Display) -> Self {
        Problem { needs_python: true, ..Problem::new(format!("{what} needs Python")) }
    }

    /// The value of another expression is needed, and has this mistake.
    fn from_cause(cause: &Arc<PythonError>) -> Self {
        Problem { cause: Some(cause.clone()), ..Problem::default() }
    }

    /// The same, at `at` where no place is known.
    fn at(self, at: usize) -> Self {
        Problem { at: if self.at == 0 { at } else { self.at }, ..self }
    }

    fn of(self, expression: &str) -> PythonError {
        if let Some(cause) = self.cause {
            return (*cause).clone();
        }
        PythonError {
            expression: shown(expression),
            position: self.at.max(1),
            problem: shown(&self.text),
            needs_python: self.needs_python,
            unknown: self.unknown,
        }
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Problem::new(text)
    }
}

type Result<T, E = Problem> = std::result::Result<T, E>;

#[cfg(test)]
mod tests;
