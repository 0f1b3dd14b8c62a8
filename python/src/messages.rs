//! Messages, each a line of JSON, as the columns of a batch's table.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::value::RawValue;

/// A message, as the columns have it.
struct Row<'a> {
    sample_index: Option<u64>,
    frequency_hz: Option<f64>,
    snr_db: Option<f64>,
    protocol: Option<String>,
    fields: &'a str,
    raw: Option<Vec<u8>>,
    json: &'a str,
}

/// The columns `sample_index`, `frequency_hz`, `snr_db`, `protocol`, `fields`, `raw` and `json`.
type Columns<'py> = (
    Vec<Option<u64>>,
    Vec<Option<f64>>,
    Vec<Option<f64>>,
    Vec<Option<String>>,
    Vec<String>,
    Vec<Option<Bound<'py, PyBytes>>>,
    Vec<String>,
);

/// The columns of messages, in the order of their samples; those without a sample come last. `ValueError` where one is not as
/// messages of receivers are.
#[pyfunction]
pub fn message_columns(py: Python<'_>, lines: Vec<PyBackedBytes>) -> PyResult<Columns<'_>> {
    let mut rows = lines
        .iter()
        .map(|line| row_of(line))
        .collect::<Result<Vec<_>, _>>()
        .map_err(PyValueError::new_err)?;
    rows.sort_by_key(|row| (row.sample_index.is_none(), row.sample_index));
    let bytes = |row: &Row<'_>| row.raw.as_ref().map(|raw| PyBytes::new(py, raw));
    Ok((
        rows.iter().map(|row| row.sample_index).collect(),
        rows.iter().map(|row| row.frequency_hz).collect(),
        rows.iter().map(|row| row.snr_db).collect(),
        rows.iter_mut().map(|row| row.protocol.take()).collect(),
        rows.iter().map(|row| row.fields.to_owned()).collect(),
        rows.iter().map(bytes).collect(),
        rows.iter().map(|row| row.json.to_owned()).collect(),
    ))
}

fn row_of(line: &[u8]) -> Result<Row<'_>, String> {
    let json = std::str::from_utf8(line).map_err(|error| format!("a message is no text: {error}"))?.trim();
    let mut entries: BTreeMap<String, &RawValue> = serde_json::from_str(json)
        .map_err(|error| format!("a message is {json}: expected an object: {error}"))?;
    let mut take = |name| entries.remove(name).map(RawValue::get).filter(|text| *text != "null");
    Ok(Row {
        sample_index: take("sample_index").map(index_of).transpose()?,
        frequency_hz: take("frequency_hz").map(|text| number_of("frequency_hz", text)).transpose()?,
        snr_db: take("snr_db").map(|text| number_of("snr_db", text)).transpose()?,
        protocol: take("protocol").map(|text| text_of(text).unwrap_or_else(|| text.to_owned())),
        raw: take("hex").and_then(text_of).map(|digits| bytes_of(&digits)).transpose()?,
        fields: take("fields").unwrap_or("{}"),
        json,
    })
}

fn index_of(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a message has sample_index {text}: expected a whole number from 0 on"))
}

fn number_of(name: &str, text: &str) -> Result<f64, String> {
    serde_json::from_str(text).map_err(|_| format!("a message has {name} {text}: expected a number"))
}

fn text_of(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

fn bytes_of(digits: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("a message has hex {digits:?}: expected pairs of hexadecimal digits");
    let pairs = digits.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(wrong());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).ok_or_else(wrong);
    pairs.map(|pair| Ok((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}
