//! Values as JSON, as message ports, tags and parameters of graph files bring them.

use superhet::runtime::Value;

use crate::memory;

/// A number of two bytes is a value of JSON, then one of ours; a list of them is made and then handed over.
const TIMES: usize = 256;

/// Reads JSON as a value; what is written of it reads as the same value.
pub fn run(data: &[u8]) {
    let read = || serde_json::from_slice(data).ok().map(|json| Value::from_json(&json));
    let Some(value) = memory::within(data, TIMES, read) else { return };
    let json = value.to_json();
    let again = Value::from_json(&json);
    // As text, since a NaN is not equal to itself.
    assert_eq!(again.to_json().to_string(), json.to_string(), "{value:?} became {again:?}");
    let _ = value.to_pmt();
}
