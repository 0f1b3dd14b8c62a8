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
