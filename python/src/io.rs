//! The arguments of `work` of a block in Python, and the answers that it gives through them.

use std::sync::Arc;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use superhet_runtime::{Tag, Value};

use crate::value::{PythonTag, from_value, pmt_of, to_value, value_of_pmt};

/// What an input has for a call.
pub struct SeenInput {
    pub name: Arc<str>,
    /// How many new items there are.
    pub items: usize,
    /// The absolute index of the first of them.
    pub index: u64,
    pub tags: Vec<Tag>,
    /// Whether the stream has ended.
    pub finished: bool,
    /// No more items come than those of this call.
    pub last: bool,
}

/// What an output has for a call.
pub struct SeenOutput {
    pub name: Arc<str>,
    /// For how many items there is room.
    pub room: usize,
    /// The absolute index of the first of them.
    pub index: u64,
}

/// What the ports have for a call.
#[derive(Default)]
pub struct Seen {
    pub inputs: Vec<SeenInput>,
    pub outputs: Vec<SeenOutput>,
    /// By the names of their ports, oldest first.
    pub messages: Vec<(Arc<str>, Vec<Value>)>,
    pub message_outputs: Vec<Arc<str>>,
    /// The inputs have ended.
    pub ending: bool,
    /// The graph was asked to stop.
    pub stopping: bool,
    /// Values are the bytes of PMTs.
    pub pmt: bool,
}

/// A tag that a call has put on an output.
pub struct NewTag {
    /// Which output.
    pub output: usize,
    pub index: u64,
    pub key: String,
    pub value: Value,
    /// Who says it, if not the block.
    pub source: Option<String>,
}

/// What a call has done.
#[derive(Default)]
pub struct Done {
    pub consumed: Vec<usize>,
    pub produced: Vec<usize>,
    pub tags: Vec<NewTag>,
    /// Messages, each for one of the outputs.
    pub sent: Vec<(usize, Value)>,
    /// The block will do nothing any more.
    pub ends: bool,
}

/// The ports of a block during one call of its `work`.
///
/// `inputs` and `outputs` are lists of numpy arrays, in the order of the declaration, which are valid during the call
/// only. A port is named by its name or its place.
#[pyclass(module = "superhet._native")]
pub struct Io {
    seen: Seen,
    done: Done,
    arrays: Option<(Py<PyList>, Py<PyList>)>,
}

/// A port, by its name or its place.
enum Port {
    Place(usize),
    Name(String),
}

impl FromPyObject<'_, '_> for Port {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.cast::<PyString>() {
            Ok(name) => Ok(Port::Name(name.extract()?)),
            Err(_) => Ok(Port::Place(given.extract()?)),
        }
    }
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
        Io { seen, done, arrays: Some((inputs, outputs)) }
    }

    /// The call is over: the arrays are gone.
    pub fn close(&mut self) {
        self.arrays = None;
    }

    /// What the call has done, and the messages that it did not ask for.
    pub fn take(&mut self) -> (Done, Vec<Vec<Value>>) {
        let left = self.seen.messages.drain(..).map(|(_, messages)| messages).collect();
        (std::mem::take(&mut self.done), left)
    }

    fn open(&self) -> PyResult<&(Py<PyList>, Py<PyList>)> {
        self.arrays.as_ref().ok_or_else(|| PyRuntimeError::new_err("the call of work is over"))
    }

    fn input(&self, port: &Port) -> PyResult<usize> {
        port.find("input", self.seen.inputs.iter().map(|input| &*input.name))
    }

    fn output(&self, port: &Port) -> PyResult<usize> {
        port.find("output", self.seen.outputs.iter().map(|output| &*output.name))
    }

    fn value<'py>(&self, py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
        if self.seen.pmt { pmt_of(py, value) } else { from_value(py, value) }
    }
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
        Ok(self.seen.inputs[self.input(&port)?].items)
    }

    /// Whether an input has ended.
    fn is_finished(&self, port: Port) -> PyResult<bool> {
        Ok(self.seen.inputs[self.input(&port)?].finished)
    }

    /// Whether no more items of an input come than those of this call.
    fn is_last(&self, port: Port) -> PyResult<bool> {
        Ok(self.seen.inputs[self.input(&port)?].last)
    }

    /// The absolute index of the first new item of an input.
    fn read_index(&self, port: Port) -> PyResult<u64> {
        Ok(self.seen.inputs[self.input(&port)?].index)
    }

    /// The absolute index of the first item of an output's room.
    fn written_index(&self, port: Port) -> PyResult<u64> {
        Ok(self.seen.outputs[self.output(&port)?].index)
    }

    /// Takes the first `items` new items of an input. Calls add up.
    fn consume(&mut self, port: Port, items: i64) -> PyResult<()> {
        self.open()?;
        let place = self.input(&port)?;
        let SeenInput { name, items: there, .. } = &self.seen.inputs[place];
        count(&mut self.done.consumed[place], items, *there, "consumed", name)
    }

    /// Gives the first `items` items of an output's room to its readers. Calls add up.
    fn produce(&mut self, port: Port, items: i64) -> PyResult<()> {
        self.open()?;
        let place = self.output(&port)?;
        let SeenOutput { name, room, .. } = &self.seen.outputs[place];
        count(&mut self.done.produced[place], items, *room, "produced", name)
    }

    /// The tags of an input's new items: `(index, key, value, source)`, the index absolute.
    fn tags<'py>(&self, py: Python<'py>, port: Port) -> PyResult<Vec<PythonTag<'py>>> {
        let tags = self.seen.inputs[self.input(&port)?].tags.iter();
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
        let output = self.output(&port)?;
        let SeenOutput { name, index: first, .. } = &self.seen.outputs[output];
        if index < *first {
            let problem =
                format!("item {index} of {name} was given before this call, which begins at {first}");
            return Err(PyValueError::new_err(problem));
        }
        let value = if self.seen.pmt { value_of_pmt(value)? } else { to_value(value)? };
        self.done.tags.push(NewTag { output, index, key, value, source });
        Ok(())
    }

    /// The messages that have come to a port, oldest first; each is given once. Those that a call does not ask for wait for
    /// the next.
    fn messages<'py>(&mut self, py: Python<'py>, port: Port) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let place = port.find("message input", self.seen.messages.iter().map(|(name, _)| &**name))?;
        let messages = std::mem::take(&mut self.seen.messages[place].1);
        messages.iter().map(|message| self.value(py, message)).collect()
    }

    /// The messages that have come to all ports: `(port, message)`, those of a port oldest first.
    fn mail<'py>(&mut self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let mut mail = Vec::new();
        for place in 0..self.seen.messages.len() {
            let messages = std::mem::take(&mut self.seen.messages[place].1);
            for message in &messages {
                mail.push((self.seen.messages[place].0.to_string(), self.value(py, message)?));
            }
        }
        Ok(mail)
    }

    /// Sends a message.
    fn send(&mut self, port: Port, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.open()?;
        let place = port.find("message output", self.seen.message_outputs.iter().map(|name| &**name))?;
        let value = if self.seen.pmt { value_of_pmt(value)? } else { to_value(value)? };
        self.done.sent.push((place, value));
        Ok(())
    }

    /// Ends the block: it will not be called again.
    fn finish(&mut self) {
        self.done.ends = true;
    }
}

/// Adds to the number of items consumed or produced, which is at most the number that is there.
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
