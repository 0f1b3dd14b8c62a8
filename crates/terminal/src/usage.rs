//! A mistake in what was asked: exit code 2.

use std::error::Error;
use std::fmt;

/// A mistake in the command line that clap cannot see.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Usage {}
