//! The native part of the Python package `superhet`: what `superhet/_native.pyi` lists. Users see the modules around it.

mod arrays;
mod block;
mod dashboard;
mod error;
mod graph;
mod io;
mod item;
mod kernels;
mod memory;
mod messages;
mod running;
mod stream;
mod thread;
mod value;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use superhet::io::wav::WavReader;
use superhet_flow::{Registry, Set};
use superhet_runtime::catalog::Kind;

use crate::value::{from_value, pmt_of, to_value, value_of_pmt};

#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::arrays::Sink;
    #[pymodule_export]
    use super::dashboard::Dashboard;
    #[pymodule_export]
    use super::graph::Builder;
    #[pymodule_export]
    use super::io::Io;
    #[pymodule_export]
    use super::kernels::{kernel_table, run_kernel};
    #[pymodule_export]
    use super::memory::Memory;
    #[pymodule_export]
    use super::messages::message_columns;
    #[pymodule_export]
    use super::running::Running;
    #[pymodule_export]
    use super::thread::{calls_in_progress, leave};
    #[pymodule_export]
    use super::{
        blocks_json, call_function, check_block, command, from_pmt, functions_json, gnuradio_json,
        gnuradio_palette, grc_document, grc_script, item_of, to_pmt, version, wav_format,
    };
}

/// The version of the library.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Every block of the library, with its parameters and ports, as JSON.
#[pyfunction]
fn blocks_json() -> String {
    Registry::to_json(graph::registry()).to_string()
}

/// Checks the parameters of a block. Where making one touches nothing outside of the process, one is made: that checks what
/// they are together.
#[pyfunction]
fn check_block(py: Python<'_>, kind: &str, params: &Bound<'_, PyDict>) -> PyResult<()> {
    let entry = graph::registry().find(kind).map_err(|unknown| error::unknown_block(py, &unknown))?;
    let params = graph::named_values(kind, params)?;
    let is_path = |param: &superhet_runtime::catalog::Param| param.kind == Kind::Path;
    let is_apart = superhet::blocks::ENTRIES.iter().any(|entry| entry.name == kind);
    let checked = py.detach(|| match is_apart && !entry.params.iter().any(is_path) {
        true => entry.build(&params).map(drop),
        false => entry.check(&params),
    });
    checked.map_err(|errors| error::parameters(py, kind, &errors))
}

/// Runs the command `superhet` with these arguments, and gives its exit code; `program` is how this was called.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>, program: Vec<OsString>) -> u8 {
    py.detach(|| superhet_command::main(arguments, Some(program)))
}

/// Every function of the library, with its parameters, as JSON.
#[pyfunction]
fn functions_json() -> String {
    Registry::functions_json(superhet::blocks::FUNCTIONS).to_string()
}

/// Calls a function of the library with arguments by name.
#[pyfunction]
fn call_function<'py>(
    py: Python<'py>,
    name: &str,
    arguments: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = superhet::blocks::FUNCTIONS.iter().copied().flatten().find(|function| function.name == name);
    let function = found.ok_or_else(|| PyValueError::new_err(format!("there is no function {name}")))?;
    let arguments = graph::named_values(name, arguments)?;
    let value = py.detach(|| function.call(&arguments));
    from_value(py, &value.map_err(|errors| error::parameters(py, name, &errors))?)
}

/// The table of GNU Radio's names, as JSON.
#[pyfunction]
fn gnuradio_json() -> String {
    superhet_flow::gnuradio::table().to_json().to_string()
}

/// Channels, frames per second and bits of a number of a WAV file, as its header says.
#[pyfunction]
fn wav_format(path: PathBuf) -> PyResult<(u16, u32, usize)> {
    let reader = WavReader::open_lenient(path).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let header = reader.header();
    Ok((header.channels, header.sample_rate_hz, 8 * header.encoding.bytes()))
}

/// A flowgraph of GNU Radio Companion as a Python script, with variables set as `NAME=VALUE` says; one that only checks it.
#[pyfunction]
fn grc_script(path: PathBuf, sets: Vec<String>, only_check: bool) -> PyResult<String> {
    let sets = sets.iter().map(|set| set.parse()).collect::<Result<Vec<Set>, _>>();
    let sets = sets.map_err(|error| PyValueError::new_err(error.to_string()))?;
    superhet_flow::grc_script(&path, &sets, only_check)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A flowgraph of GNU Radio Companion as it is written, as JSON.
#[pyfunction]
fn grc_document(path: PathBuf) -> PyResult<String> {
    superhet_flow::grc_document(&path).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Which class each block of GNU Radio Companion's palette is, and how it is called.
#[pyfunction]
fn gnuradio_palette() -> String {
    superhet_flow::gnuradio::PALETTE.concat()
}

/// The name of the item type of a numpy array.
#[pyfunction]
fn item_of(array: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    value::item_of_numpy(array)
}

/// The bytes of the PMT that a Python object is.
#[pyfunction]
fn to_pmt<'py>(py: Python<'py>, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    pmt_of(py, &to_value(object)?)?.cast_into().map_err(Into::into)
}

/// The Python object that the bytes of a PMT are.
#[pyfunction]
fn from_pmt<'py>(py: Python<'py>, bytes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    from_value(py, &value_of_pmt(bytes)?)
}
