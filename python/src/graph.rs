//! Graphs: blocks by name, connected by name.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use superhet_flow::Registry;
use superhet_runtime::catalog::ParamError;
use superhet_runtime::{AnyBlock, Graph, Value, graph::PortList, running::Edit};

use crate::arrays::{self, Sink};
use crate::block::Declared;
use crate::error;
use crate::running::{Running, Settings};
use crate::value::{PythonTag, to_value};

/// The blocks of the library.
pub fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(superhet::registry)
}

/// Parameters or arguments as Python gives them.
///
/// # Errors
/// A `ParameterError` of what they are for, with each parameter that is no value.
pub fn named_values(of: &str, given: &Bound<'_, PyDict>) -> PyResult<BTreeMap<String, Value>> {
    let (mut values, mut wrong) = (BTreeMap::new(), Vec::new());
    for (name, value) in given {
        let param: String = name.extract()?;
        match to_value(&value) {
            Ok(value) => drop(values.insert(param, value)),
            Err(error) if error::is_about_a_value(given.py(), &error) => {
                let problem = error.value(given.py()).str()?.to_string();
                wrong.push(ParamError { param, problem });
            }
            Err(error) => return Err(error),
        }
    }
    if wrong.is_empty() { Ok(values) } else { Err(error::parameters(given.py(), of, &wrong)) }
}

/// A graph as it is put together, or what changes in one that runs; each can be used once.
#[pyclass(frozen, module = "superhet._native")]
pub struct Builder(Mutex<Option<Parts>>);

/// By name, how long each block that is written in Python waits for Python's lock, in nanoseconds.
pub type Waits = Vec<(String, Arc<AtomicU64>)>;

/// What is to be in a graph.
#[derive(Default)]
pub struct Parts {
    blocks: Vec<(String, AnyBlock, PortList)>,
    links: Vec<(String, String)>,
    /// Connections and blocks that are to go, from a graph that runs.
    cut: Vec<(String, String)>,
    removed: Vec<String>,
    waits: Waits,
    /// Parameters, as `block.parameter`, that blocks get before their first item.
    settings: Vec<(String, Value)>,
}

impl Parts {
    /// Takes out and puts in what is said here. Connections go first, so that a removed block's neighbours are connected
    /// across it only where both were left.
    pub fn apply(self, edit: &mut Edit) -> Waits {
        self.cut.iter().for_each(|(from, to)| edit.disconnect_names(from, to));
        self.removed.iter().for_each(|name| edit.remove(name));
        self.fill(edit)
    }

    fn into_graph(self) -> (Graph, Waits) {
        let mut graph = Graph::new();
        let waits = self.fill(&mut graph);
        (graph, waits)
    }

    fn fill(self, graph: &mut Graph) -> Waits {
        for (name, block, _) in self.blocks {
            graph.add_any(name, block);
        }
        self.links.iter().for_each(|(from, to)| graph.connect_names(from, to));
        self.waits
    }
}

impl Builder {
    /// What has been said, once.
    pub fn take(&self) -> PyResult<Parts> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        parts.ok_or_else(|| PyRuntimeError::new_err("the graph was started already"))
    }

    fn add_block(&self, name: String, mut block: AnyBlock) -> PyResult<()> {
        let ports = PortList::of(&mut block);
        self.with(|parts| parts.blocks.push((name, block, ports)))
    }

    fn with<R>(&self, change: impl FnOnce(&mut Parts) -> R) -> PyResult<R> {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = parts.as_mut().ok_or_else(|| PyRuntimeError::new_err("the graph was started already"))?;
        Ok(change(parts))
    }
}

/// A stream port: name, item, smallest span, multiple, history.
type StreamOf = (String, &'static str, usize, usize, usize, bool);

#[pymethods]
impl Builder {
    #[new]
    fn new() -> Self {
        Builder(Mutex::new(Some(Parts::default())))
    }

    /// Adds a block of the library.
    fn add(&self, py: Python<'_>, name: String, kind: &str, params: &Bound<'_, PyDict>) -> PyResult<()> {
        let entry = registry().find(kind).map_err(|unknown| error::unknown_block(py, &unknown))?;
        let params = named_values(kind, params)?;
        let block =
            py.detach(|| entry.build(&params)).map_err(|errors| error::parameters(py, kind, &errors))?;
        self.add_block(name, block)
    }

    /// Sets the parameter `block.parameter` before the first item, where the graph starts.
    fn set(&self, parameter: String, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = to_value(value)?;
        self.with(|parts| parts.settings.push((parameter, value)))
    }

    /// Adds a source that gives the items of a contiguous numpy array.
    #[pyo3(signature = (name, array, item, repeat, tags, pmt=false))]
    fn add_array(
        &self,
        name: String,
        array: &Bound<'_, PyAny>,
        item: &str,
        repeat: bool,
        tags: Vec<PythonTag<'_>>,
        pmt: bool,
    ) -> PyResult<()> {
        let block = arrays::source(array, item, repeat, tags, pmt)?;
        self.add_block(name, block)
    }

    /// Adds a block that fills `sink`.
    fn add_sink(&self, name: String, sink: &Sink) -> PyResult<()> {
        let block = sink.block();
        self.add_block(name, block)
    }

    /// Adds a block that is written in Python: `object.work` is called with an `Io`.
    fn add_python(
        &self,
        name: String,
        object: Bound<'_, PyAny>,
        declaration: Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let (block, waited) = Declared { object, declaration }.make()?;
        self.with(|parts| parts.waits.push((name.clone(), waited)))?;
        self.add_block(name, AnyBlock::new(block))
    }

    /// Connects an output to an input, each `block.port`, or `block` where it has one that fits.
    fn connect(&self, source: &str, sink: &str) -> PyResult<()> {
        self.with(|parts| parts.links.push((source.to_owned(), sink.to_owned())))
    }

    /// Takes a connection of a running graph away; the ends as for `connect`.
    fn disconnect(&self, source: &str, sink: &str) -> PyResult<()> {
        self.with(|parts| parts.cut.push((source.to_owned(), sink.to_owned())))
    }

    /// Takes a block of a running graph out. Where its one input and its one output are still connected, its neighbours are
    /// connected instead.
    fn remove(&self, name: String) -> PyResult<()> {
        self.with(|parts| parts.removed.push(name))
    }

    /// The ports of a block: stream inputs and outputs, message inputs and outputs.
    #[allow(clippy::type_complexity, reason = "a tuple of lists is what Python takes apart")]
    fn ports(
        &self,
        name: &str,
    ) -> PyResult<Option<(Vec<StreamOf>, Vec<StreamOf>, Vec<String>, Vec<String>)>> {
        let streams = |ports: &[(String, superhet_runtime::port::PortSpec)]| -> Vec<StreamOf> {
            ports
                .iter()
                .map(|(name, s)| (name.clone(), s.item.name(), s.min, s.multiple, s.history, s.optional))
                .collect()
        };
        let of = |ports: &PortList| {
            let messages = |ports: &[(String, _)]| ports.iter().map(|(name, _)| name.clone()).collect();
            let (inputs, outputs) = (streams(&ports.inputs), streams(&ports.outputs));
            (inputs, outputs, messages(&ports.message_inputs), messages(&ports.message_outputs))
        };
        self.with(|parts| {
            parts.blocks.iter().find(|(known, ..)| *known == name).map(|(_, _, ports)| of(ports))
        })
    }

    /// Checks the graph and starts it. `loosened`: also what goes into and out of blocks that wait for the outside world can be
    /// changed and looked at while it runs.
    fn start(&self, py: Python<'_>, settings: Settings, loosened: bool) -> PyResult<Running> {
        let (scheduler, options) = settings.read()?;
        let mut parts = self.take()?;
        let settings = std::mem::take(&mut parts.settings);
        let (graph, waits) = parts.into_graph();
        let checked = graph.check().and_then(|graph| if loosened { graph.loosened() } else { Ok(graph) });
        let mut checked = checked.map_err(|mistakes| error::check(py, &mistakes))?;
        for (parameter, value) in settings {
            checked.set_at(parameter.as_str(), value, 0).map_err(|refused| error::message(py, &refused))?;
        }
        let running = py.detach(move || checked.start(&*scheduler, &options));
        Ok(Running::new(running.map_err(|failed| error::run(py, failed))?, waits))
    }

    /// Checks the graph, which is gone then.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.take()?.into_graph().0.check().map(drop).map_err(|mistakes| error::check(py, &mistakes))
    }
}
