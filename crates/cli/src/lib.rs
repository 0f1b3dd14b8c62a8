//! superhet.
#![forbid(unsafe_code)]
