//! One mistake in the metadata of a recording.

use std::fmt;

/// One mistake in metadata: the place, the content, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The field as a JSON pointer without its first slash, `captures/1/core:sample_start`, or `data`.
    pub at: String,
    /// What stands there.
    pub got: String,
    /// What should.
    pub expected: String,
}

impl Problem {
    pub(super) fn new(at: impl Into<String>, got: impl Into<String>, expected: impl Into<String>) -> Self {
        Problem { at: at.into(), got: got.into(), expected: expected.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, expected {}", self.at, self.got, self.expected)
    }
}
