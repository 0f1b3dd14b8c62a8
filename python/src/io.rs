//! What a block that is written in Python sees during a call of its `work`, and what it says there.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use superhet_runtime::{Tag, Value};

use crate::value::{PythonTag, from_value, to_value};

/// What the ports have for a call.
#[derive(Default)]
pub struct Seen {
    /// Name, items, index of the first, tags, and whether the stream has ended.
    pub inputs: Vec<(String, usize, u64, Vec<Tag>, bool)>,
    /// Name, room, and index of the first item.
    pub outputs: Vec<(String, usize, u64)>,
    pub messages: Vec<(String, Vec<Value>)>,
    pub message_outputs: Vec<String>,
    /// The inputs have ended.
    pub ending: bool,
    /// The graph was asked to stop.
    pub stopping: bool,
    /// Values are the bytes of PMTs.
    pub pmt: bool,
}

/// What a call has done.
#[derive(Default)]
pub struct Done {
    pub consumed: Vec<usize>,
    pub produced: Vec<usize>,
    /// Output, absolute index, key, value, and who says it.
    pub tags: Vec<(usize, u64, String, Value, Option<String>)>,
    pub sent: Vec<(usize, Py<PyAny>)>,
}

/// The ports of a block during one call of its `work`.
///
/// `inputs` and `outputs` are lists of numpy arrays, in the order of the declaration, which are valid during the call
/// only. A port is named by its name or its place.
#[pyclass(module = "superhet._native")]
pub struct Io {
    seen: Seen,
    done: Done,
    is_done: bool,
    arrays: Option<(Py<PyList>, Py<PyList>)>,
}

/// A port, by its name or its place.
#[derive(FromPyObject)]
enum Port {
    Place(usize),
    Name(String),
}

impl Port {
    fn find<'a>(&self, what: &str, names: impl Iterator<Item = &'a str> + Clone) -> PyResult<usize> {
        let found = match self {
            Port::Place(place) => Some(*place).filter(|place| *place < names.clone().count()),
            Port::Name(name) => names.clone().position(|known| known == name),
        };
        found.ok_or_else(|| {
            let given = match self {
                Port::Place(place) => place.to_string(),
                Port::Name(name) => name.clone(),
            };
            let known: Vec<&str> = names.collect();
            PyValueError::new_err(format!("there is no {what} {given}; there are: {}", known.join(", ")))
        })
    }
}

impl Io {
    pub fn new(seen: Seen, inputs: Py<PyList>, outputs: Py<PyList>) -> Self {
        let done = Done {
            consumed: vec![0; seen.inputs.len()],
            produced: vec![0; seen.outputs.len()],
            ..Done::default()
        };
        Io { seen, done, is_done: false, arrays: Some((inputs, outputs)) }
    }

    /// The call is over: the arrays are gone.
    pub fn close(&mut self) {
        self.arrays = None;
    }

    pub fn take_done(&mut self) -> Done {
        std::mem::take(&mut self.done)
    }

    pub fn is_done(&self) -> bool {
        self.is_done
    }

    fn open(&self) -> PyResult<&(Py<PyList>, Py<PyList>)> {
        self.arrays.as_ref().ok_or_else(|| PyRuntimeError::new_err("the call of work is over"))
    }

    fn input(&self, port: &Port) -> PyResult<usize> {
        port.find("input", self.seen.inputs.iter().map(|input| input.0.as_str()))
    }

    fn output(&self, port: &Port) -> PyResult<usize> {
        port.find("output", self.seen.outputs.iter().map(|output| output.0.as_str()))
    }

    fn value<'py>(&self, py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        if self.seen.pmt { pmt_of(py, value) } else { from_value(py, value) }
    }
}

/// The bytes of the PMT that a value is.
pub fn pmt_of<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let bytes = value.to_pmt().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes).into_any())
}

#[pymethods]
impl Io {
    /// The items of the inputs, a numpy array each, with the history before the new ones.
    #[getter]
    fn inputs(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        Ok(self.open()?.0.clone_ref(py))
    }

    /// The room of the outputs, a numpy array each, to be written.
    #[getter]
    fn outputs(&self, py: Python<'_>) -> PyResult<Py<PyList>> {
        Ok(self.open()?.1.clone_ref(py))
    }

    /// Whether the inputs have ended: what is there now is all that is left.
    #[getter]
    fn ending(&self) -> bool {
        self.seen.ending
    }

    /// Whether the graph was asked to stop.
    #[getter]
    fn stopping(&self) -> bool {
        self.seen.stopping
    }

    /// How many new items an input has.
    fn available(&self, port: Port) -> PyResult<usize> {
        Ok(self.seen.inputs[self.input(&port)?].1)
    }

    /// Whether an input has ended.
    fn is_finished(&self, port: Port) -> PyResult<bool> {
        Ok(self.seen.inputs[self.input(&port)?].4)
    }

    /// The absolute index of the first new item of an input.
    fn read_index(&self, port: Port) -> PyResult<u64> {
        Ok(self.seen.inputs[self.input(&port)?].2)
    }

    /// The absolute index of the first item of an output's room.
    fn written_index(&self, port: Port) -> PyResult<u64> {
        Ok(self.seen.outputs[self.output(&port)?].2)
    }

    /// Takes the first `items` new items of an input. Calls add up.
    fn consume(&mut self, port: Port, items: i64) -> PyResult<()> {
        self.open()?;
        let place = self.input(&port)?;
        let (name, there, ..) = &self.seen.inputs[place];
        count(&mut self.done.consumed[place], items, *there, "consumed", name)
    }

    /// Gives the first `items` items of an output's room to its readers. Calls add up.
    fn produce(&mut self, port: Port, items: i64) -> PyResult<()> {
        self.open()?;
        let place = self.output(&port)?;
        let (name, room, _) = &self.seen.outputs[place];
        count(&mut self.done.produced[place], items, *room, "produced", name)
    }

    /// The tags of an input's new items: `(index, key, value, source)`, the index absolute.
    fn tags<'py>(&self, py: Python<'py>, port: Port) -> PyResult<Vec<PythonTag<'py>>> {
        let tags = self.seen.inputs[self.input(&port)?].3.iter();
        tags.map(|tag| {
            Ok((tag.index, tag.key.to_string(), self.value(py, &tag.value)?, tag.source.to_string()))
        })
        .collect()
    }

    /// Puts a tag on the item of an output with this absolute index, which is not given yet.
    #[pyo3(signature = (port, index, key, value, source=None))]
    fn put_tag(
        &mut self,
        port: Port,
        index: u64,
        key: String,
        value: &Bound<'_, PyAny>,
        source: Option<String>,
    ) -> PyResult<()> {
        self.open()?;
        let place = self.output(&port)?;
        let (name, _, first) = &self.seen.outputs[place];
        if index < *first {
            let problem =
                format!("item {index} of {name} was given before this call, which begins at {first}");
            return Err(PyValueError::new_err(problem));
        }
        let value = if self.seen.pmt { super::block::value_of_pmt(value)? } else { to_value(value)? };
        self.done.tags.push((place, index, key, value, source));
        Ok(())
    }

    /// The messages that have come to a port, oldest first; each is given once.
    fn messages<'py>(&mut self, py: Python<'py>, port: Port) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let place = port.find("message input", self.seen.messages.iter().map(|(name, _)| name.as_str()))?;
        let messages = std::mem::take(&mut self.seen.messages[place].1);
        messages.iter().map(|message| self.value(py, message)).collect()
    }

    /// Sends a message.
    fn send(&mut self, port: Port, value: Py<PyAny>) -> PyResult<()> {
        self.open()?;
        let place = port.find("message output", self.seen.message_outputs.iter().map(String::as_str))?;
        self.done.sent.push((place, value));
        Ok(())
    }

    /// Ends the block: it will not be called again.
    fn finish(&mut self) {
        self.is_done = true;
    }
}

/// Adds to what was consumed or produced, which is at most what is there.
fn count(counted: &mut usize, items: i64, there: usize, what: &str, port: &str) -> PyResult<()> {
    let sum = usize::try_from(items).ok().and_then(|items| counted.checked_add(items));
    match sum.filter(|sum| *sum <= there) {
        Some(sum) => {
            *counted = sum;
            Ok(())
        }
        None => {
            let items = items.saturating_add_unsigned(*counted as u64);
            Err(PyValueError::new_err(format!(
                "work says {items} items {what} at {port}, but there are {there}"
            )))
        }
    }
}
