//! PMTs, as messages of ZeroMQ sockets bring them.

use superhet::runtime::Value;

use crate::{assert_harmless, memory};

/// A value of 24 bytes and what holds it for each byte: a vector of nulls, made and then handed over.
const TIMES: usize = 256;

/// Reads a PMT; what is read says the same after it was written, and its bytes are then stable.
pub fn run(data: &[u8]) {
    let value = memory::within(data, TIMES, || Value::from_pmt(data));
    let value = match value {
        Ok(value) => value,
        Err(error) => return assert_harmless(&error),
    };
    let Ok(bytes) = value.to_pmt() else { panic!("what was read cannot be written: {value:?}") };
    let again = match Value::from_pmt(&bytes) {
        Ok(again) => again,
        Err(error) => panic!("what was written cannot be read: {error}"),
    };
    assert_eq!(again.to_pmt().as_ref(), Ok(&bytes));
    let prefix = Value::from_pmt_prefix(&[&bytes[..], data].concat()).map(|(_, used)| used);
    assert_eq!(prefix, Ok(bytes.len()));
}
