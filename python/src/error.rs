//! Errors as exceptions: one class for each kind, in `superhet.errors`.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superhet_flow::UnknownType;
use superhet_runtime::RunError;
use superhet_runtime::catalog::ParamError;
use superhet_runtime::error::{CheckError, ConnectError, MessageError, ReconfigureError};

/// An exception of the class `name` of `superhet.errors`, with what it says and its attributes.
fn exception(py: Python<'_>, name: &str, message: String, attributes: &[(&str, &str)]) -> PyErr {
    let make = || -> PyResult<Bound<'_, PyAny>> {
        let exception = py.import("superhet.errors")?.getattr(name)?.call1((message,))?;
        for (name, value) in attributes {
            exception.setattr(*name, *value)?;
        }
        Ok(exception)
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// The block of a port that is named `block.port`.
fn block_of(port: &str) -> &str {
    port.split_once('.').map_or(port, |(block, _)| block)
}

/// The exception for one mistake in a graph.
fn mistake(py: Python<'_>, mistake: &ConnectError) -> PyErr {
    let of_port = |class: &str, port: &str| {
        exception(py, class, mistake.to_string(), &[("block", block_of(port)), ("port", port)])
    };
    match mistake {
        ConnectError::UnconnectedInput { port, .. } => of_port("UnconnectedInput", port),
        ConnectError::UnconnectedOutput { port, .. } => of_port("UnconnectedOutput", port),
        ConnectError::ManyWriters { port, .. } => of_port("ManyWriters", port),
        ConnectError::Contract { port, .. } => of_port("ContractError", port),
        ConnectError::TypeMismatch { from, from_item, to, to_item, .. } => {
            let attributes = [
                ("block", block_of(to)),
                ("port", to),
                ("item", to_item),
                ("source", from),
                ("source_item", from_item),
            ];
            exception(py, "TypeMismatch", mistake.to_string(), &attributes)
        }
        ConnectError::RateConflict { block, .. } => {
            exception(py, "RateConflict", mistake.to_string(), &[("block", block)])
        }
        ConnectError::BadName { name, .. } => {
            exception(py, "GraphError", mistake.to_string(), &[("block", name)])
        }
        ConnectError::DuplicateName { name, .. } => {
            exception(py, "DuplicateName", mistake.to_string(), &[("block", name)])
        }
        ConnectError::Unknown { name, .. } => {
            exception(py, "UnknownPort", mistake.to_string(), &[("block", block_of(name)), ("port", name)])
        }
        ConnectError::Loop { .. } => exception(py, "LoopError", mistake.to_string(), &[]),
        _ => exception(py, "GraphError", mistake.to_string(), &[]),
    }
}

/// The exception for all mistakes of a graph: the one there is, or a `GraphError` with the list `mistakes`.
pub fn check(py: Python<'_>, error: &CheckError) -> PyErr {
    match &error.0[..] {
        [one] => mistake(py, one),
        all => {
            let several = exception(py, "GraphError", error.to_string(), &[]);
            let list: Vec<_> = all.iter().map(|one| mistake(py, one).into_value(py)).collect();
            match several.value(py).setattr("mistakes", list) {
                Ok(()) => several,
                Err(error) => error,
            }
        }
    }
}

/// The exception for what ended a graph. A block's own exception is its cause, with the traceback.
pub fn run(py: Python<'_>, error: RunError) -> PyErr {
    let words = error.to_string();
    match error {
        RunError::Check(error) => check(py, &error),
        RunError::Block { block, error, ports } => {
            let own = error.downcast::<PyErr>().ok();
            // What Python says comes with its traceback, as the cause.
            let failed = exception(py, "BlockFailed", words, &[("block", &block), ("ports", &ports)]);
            failed.set_cause(py, own.map(|own| *own));
            failed
        }
        RunError::Panic { block, ports, .. } => {
            exception(py, "BlockPanicked", words, &[("block", &block), ("ports", &ports)])
        }
        RunError::Stuck { .. } => exception(py, "StuckError", words, &[]),
        RunError::DidNotStop { blocks, .. } => exception(py, "DidNotStop", words, &[("block", &blocks)]),
        RunError::OnlyGives { block, .. } => exception(py, "DidNotStop", words, &[("block", &block)]),
        _ => exception(py, "RunError", words, &[]),
    }
}

/// The exception for changes of a running graph that were not made.
pub fn reconfigure(py: Python<'_>, error: ReconfigureError) -> PyErr {
    match error {
        ReconfigureError::Check(error) => check(py, &error),
        ReconfigureError::Run(error) => run(py, error),
        other => exception(py, "ChangeRefused", other.to_string(), &[]),
    }
}

/// The exception for a message or a parameter that was not taken.
pub fn message(py: Python<'_>, error: &MessageError) -> PyErr {
    let words = error.to_string();
    let of = |class: &str, port: &str| {
        exception(py, class, words.clone(), &[("block", block_of(port)), ("port", port)])
    };
    match error {
        MessageError::Unknown { port, .. } => of("UnknownPort", port),
        MessageError::UnknownParameter { parameter, .. } => of("UnknownParameter", parameter),
        MessageError::Refused { parameter, .. } => of("ParameterError", parameter),
        MessageError::Full { port, .. } => of("QueueFull", port),
        MessageError::Ended { port } => of("BlockEnded", port),
        MessageError::NotInTime { port, .. } => of("NotInTime", port),
        _ => exception(py, "MessageError", words, &[]),
    }
}

/// The exception for parameters of `block` that it does not take.
pub fn parameters(py: Python<'_>, block: &str, errors: &[ParamError]) -> PyErr {
    let words: Vec<String> = errors
        .iter()
        .map(|error| if error.param == block { error.problem.clone() } else { error.to_string() })
        .collect();
    let words = format!("{block}: {}", words.join("; "));
    let exception = exception(py, "ParameterError", words, &[("block", block)]);
    let names = PyDict::new(py);
    let filled = errors.iter().try_for_each(|error| names.set_item(&error.param, &error.problem));
    match filled.and_then(|()| exception.value(py).setattr("problems", names)) {
        Ok(()) => exception,
        Err(error) => error,
    }
}

/// Whether an exception says that a value is of a wrong kind or beyond its range.
pub fn is_about_a_value(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
}

/// The exception for a block that is not there.
pub fn unknown_block(py: Python<'_>, error: &UnknownType) -> PyErr {
    exception(py, "UnknownBlock", error.to_string(), &[("block", &error.name)])
}
