//! What can go wrong with a dashboard.

use std::net::SocketAddr;

/// What can go wrong with a dashboard.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MonitorError {
    /// Nobody can listen at the address.
    #[error("no dashboard at {address}: {error}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// The system gives no thread, no random numbers, or nothing that wakes it.
    #[error("no dashboard: {0}")]
    System(std::io::Error),
}

/// Why a request is refused: the status of the answer, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub status: u16,
    pub sentence: String,
}

impl Refusal {
    /// A mistake in what was asked.
    pub fn wrong(sentence: impl Into<String>) -> Self {
        Refusal { status: 400, sentence: sentence.into() }
    }

    /// What was asked for is not there.
    pub fn unknown(sentence: impl Into<String>) -> Self {
        Refusal { status: 404, sentence: sentence.into() }
    }

    /// It cannot be done as things are.
    pub fn conflict(sentence: impl Into<String>) -> Self {
        Refusal { status: 409, sentence: sentence.into() }
    }

    /// Whoever asks may not.
    pub fn forbidden(sentence: impl Into<String>) -> Self {
        Refusal { status: 403, sentence: sentence.into() }
    }

    /// There are too many already.
    pub fn too_many(sentence: impl Into<String>) -> Self {
        Refusal { status: 429, sentence: sentence.into() }
    }
}
