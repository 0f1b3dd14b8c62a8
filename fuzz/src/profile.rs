//! `kernels.toml`, the profile of the machine.

use superhet::kernels::profile::{Choices, read, text};

use crate::{assert_harmless, memory};

/// Names and values of a profile, each a text of its own in a map.
const TIMES: usize = 64;

/// Reads a profile as it is, and behind the header that says this machine; choices are the same after they were written.
pub fn run(data: &[u8]) {
    let written = String::from_utf8_lossy(data);
    if let Err(error) = memory::within(data, TIMES, || read(&written)) {
        assert_harmless(&error);
    }
    match read(&(text(&Choices::new()) + &written)) {
        Ok(choices) => assert_eq!(read(&text(&choices)), Ok(choices)),
        Err(error) => assert_harmless(&error),
    }
}
