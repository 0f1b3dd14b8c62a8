//! What is wrong with a block's parameters.

/// What is wrong with a block's parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number that is out of its range.
    #[error("{parameter} = {got}: expected {wanted}")]
    OutOfRange {
        /// The parameter.
        parameter: &'static str,
        /// What it may be.
        wanted: &'static str,
        /// What it is.
        got: usize,
    },
    /// A list with nothing in it.
    #[error("{parameter} is empty: expected {wanted}")]
    Empty {
        /// The parameter.
        parameter: &'static str,
        /// What it needs.
        wanted: &'static str,
    },
    /// A number of a list that does not fit.
    #[error("{parameter}[{place}] = {got}: expected {wanted}")]
    Element {
        /// The parameter.
        parameter: &'static str,
        /// Where in the list, counted from 0.
        place: usize,
        /// What would fit.
        wanted: &'static str,
        /// What is there.
        got: String,
    },
    /// A value of the wrong kind, such as a complex number for real items.
    #[error("{parameter} = {got}: expected {wanted}")]
    WrongKind {
        /// The parameter.
        parameter: &'static str,
        /// What would fit.
        wanted: &'static str,
        /// What is there.
        got: String,
    },
}

/// `Ok` where `fits`, else that `parameter` is out of its range.
pub(super) fn check(
    fits: bool,
    parameter: &'static str,
    wanted: &'static str,
    got: usize,
) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::OutOfRange { parameter, wanted, got }) }
}
