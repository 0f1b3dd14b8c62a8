//! The graphs of a process, and what is known of them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, Kind, Param};
use superhet_runtime::running::{BlockLayout, Control};
use superhet_runtime::{Value, report::Outcome};

use crate::api::{
    Block, GraphInfo, GraphSummary, Panel, Parameter, ParameterType, Port, PortRef, State, Stream, View,
};
use crate::error::Refusal;
use crate::shape::{Known, Shape};
use crate::tap::points::Points;

/// How long a layout is taken for that of the graph, where nobody here has changed it.
const SHAPE_STAYS: Duration = Duration::from_secs(1);

/// A graph, and what is known of it beyond what the runtime knows: what its blocks are called in graph files, what they were made
/// with, and rates and frequencies.
#[derive(Debug)]
pub struct Watch {
    name: String,
    control: Control,
    described: BTreeMap<String, Described>,
    known: HashMap<PortRef, Known>,
    views: Vec<(View, PortRef)>,
    again: Option<Again>,
}

/// Starts a graph anew.
#[derive(Clone)]
struct Again(Arc<dyn Fn() -> Result<Control, String> + Send + Sync>);

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Again")
    }
}

/// What a block was made of.
#[derive(Clone, Debug, Default)]
struct Described {
    kind: String,
    given: BTreeMap<String, Value>,
}

impl Watch {
    /// A running graph, called `name`.
    pub fn new(name: impl Into<String>, control: Control) -> Self {
        Watch {
            name: name.into(),
            control,
            described: BTreeMap::new(),
            known: HashMap::new(),
            views: Vec::new(),
            again: None,
        }
    }

    /// Says what a block of the graph is called in graph files, and which parameters it was made with.
    #[must_use]
    pub fn block(
        mut self,
        name: impl Into<String>,
        kind: impl Into<String>,
        given: BTreeMap<String, Value>,
    ) -> Self {
        self.described.insert(name.into(), Described { kind: kind.into(), given });
        self
    }

    /// Says the rate of what an output gives, in items a second, and the frequency that it is around, in Hz. Tags in the stream go
    /// before this.
    #[must_use]
    pub fn output(
        mut self,
        block: impl Into<String>,
        port: impl Into<String>,
        rate_hz: Option<f64>,
        center_hz: Option<f64>,
    ) -> Self {
        let output = PortRef { block: block.into(), port: port.into() };
        self.known.insert(output, Known { rate_hz, center_hz });
        self
    }

    /// Says what a page shows first, where its address names no views: this one, of what an output gives. Views that no output has are left
    /// out.
    #[must_use]
    pub fn view(mut self, view: View, block: impl Into<String>, port: impl Into<String>) -> Self {
        self.views.push((view, PortRef { block: block.into(), port: port.into() }));
        self
    }

    /// Says how the graph is started anew once it has ended: `start` builds and starts it, and gives the control of what runs then, or a
    /// sentence. It is called on a thread that may wait, whenever a viewer asks for it. Without this a graph that has ended stays so.
    #[must_use]
    pub fn again(mut self, start: impl Fn() -> Result<Control, String> + Send + Sync + 'static) -> Self {
        self.again = Some(Again(Arc::new(start)));
        self
    }
}

/// A graph that is watched.
#[derive(Debug)]
pub(crate) struct Watched {
    pub id: u32,
    pub name: String,
    control: Mutex<Control>,
    again: Option<Again>,
    views: Vec<(View, PortRef)>,
    pub points: Points,
    /// What blocks were made of at the start.
    first_described: BTreeMap<String, Described>,
    described: Mutex<BTreeMap<String, Described>>,
    /// Rate and centre of outputs, as the program or tags have said.
    known: Mutex<HashMap<PortRef, Known>>,
    shape: Mutex<Option<(Instant, Arc<Shape>)>>,
    /// Whether viewers have heard of its end.
    end_is_told: AtomicBool,
    /// Held while the graph ends or is started anew.
    pub transition: tokio::sync::Mutex<()>,
}

impl Watched {
    /// The control of what runs, or has run last.
    pub fn control(&self) -> Control {
        lock(&self.control).clone()
    }

    /// Whether it has ended and nobody was told so far; from now on they are. `transition` is held.
    pub fn has_just_ended(&self) -> bool {
        self.state().0 != State::Running && !self.end_is_told.swap(true, Ordering::Relaxed)
    }

    /// Starts it anew, where the program has said how; it has ended. May wait. `transition` is held.
    pub fn start_again(&self) -> Result<(), Refusal> {
        let Some(Again(start)) = &self.again else {
            return Err(Refusal::conflict(format!(
                "the program that runs {} does not start it again",
                self.name
            )));
        };
        let control = start().map_err(Refusal::conflict)?;
        *lock(&self.control) = control;
        *lock(&self.described) = self.first_described.clone();
        self.changed();
        self.end_is_told.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// The layout; one that is a second old at most, but for changes made here.
    pub fn shape(&self) -> Arc<Shape> {
        let mut kept = lock(&self.shape);
        match &*kept {
            Some((at, shape)) if at.elapsed() < SHAPE_STAYS => shape.clone(),
            _ => {
                let shape = Arc::new(Shape::new(self.control().layout()));
                *kept = Some((Instant::now(), shape.clone()));
                shape
            }
        }
    }

    /// The layout as it is now.
    pub fn fresh_shape(&self) -> Arc<Shape> {
        self.changed();
        self.shape()
    }

    /// The graph was changed.
    pub fn changed(&self) {
        *lock(&self.shape) = None;
    }

    /// Notes what tags have said of an output.
    pub fn note(&self, output: &PortRef, said: Known) {
        let mut known = lock(&self.known);
        let entry = known.entry(output.clone()).or_default();
        entry.rate_hz = said.rate_hz.or(entry.rate_hz);
        entry.center_hz = said.center_hz.or(entry.center_hz);
    }

    /// Rate and centre of an output, as far as they are known.
    pub fn known(&self, output: &PortRef) -> Known {
        let shape = self.shape();
        let rates = self.rates(&shape);
        let found = rates.into_iter().find(|(place, _)| shape.output_ref(*place) == *output);
        found.map(|(_, known)| known).unwrap_or_default()
    }

    fn rates(&self, shape: &Shape) -> HashMap<superhet_runtime::running::PortPlace, Known> {
        let mut known = lock(&self.known).clone();
        for (_, block) in shape.blocks() {
            let said = self.says_rate(block);
            for (port, _) in block.ports.outputs.iter().filter(|_| said != Known::default()) {
                let output = PortRef { block: block.name.clone(), port: port.clone() };
                known.entry(output).or_insert(said);
            }
        }
        shape.rates(&known)
    }

    /// What the parameters of a source, or of a block that sets the pace, say of what it gives.
    fn says_rate(&self, block: &BlockLayout) -> Known {
        let described = lock(&self.described).get(&block.name).cloned().unwrap_or_default();
        if !block.ports.inputs.is_empty() && described.kind != "throttle" {
            return Known::default();
        }
        let number = |name: &str| {
            let live = self.control().get(format!("{}.{name}", block.name).as_str()).ok();
            let found = live.or_else(|| described.given.get(name).cloned()).and_then(|value| value.as_f64());
            found.filter(|value| value.is_finite() && *value > 0.0)
        };
        let rate_hz = number("rate_hz");
        // A block that only sets the pace knows nothing of frequencies.
        let center_hz = number("frequency_hz").filter(|_| block.ports.inputs.is_empty());
        Known { rate_hz, center_hz }
    }

    /// Whether it runs.
    pub fn state(&self) -> (State, Option<String>) {
        let control = self.control();
        match (control.outcome(), control.failure()) {
            (Outcome::Running, _) => (State::Running, None),
            (_, Some(failure)) => (State::Failed, Some(failure)),
            _ => (State::Ended, None),
        }
    }

    /// Its line in the list of graphs.
    pub fn summary(&self) -> GraphSummary {
        let (state, error) = self.state();
        let seconds = self.control().metrics().elapsed.as_secs_f64();
        let restarts = self.again.is_some();
        GraphSummary { id: self.id, name: self.name.clone(), state, error, seconds, restarts }
    }

    /// What it is made of.
    pub fn info(&self, catalog: &[Entry]) -> GraphInfo {
        let shape = self.shape();
        let rates = self.rates(&shape);
        let settable = self.control().parameters();
        let port =
            |name: &String, item: &str, message| Port { name: name.clone(), item: item.to_owned(), message };
        let blocks = shape.blocks().map(|(_, block)| {
            let described = lock(&self.described).get(&block.name).cloned().unwrap_or_default();
            let entry = catalog.iter().find(|entry| entry.name == described.kind);
            let ports = &block.ports;
            Block {
                id: block.name.clone(),
                name: block.name.clone(),
                kind: described.kind.clone(),
                doc: entry.map(|entry| entry.summary.to_owned()),
                region: block.region,
                waits_outside: block.blocking,
                parameters: self.parameters(&block.name, &described, entry, &settable),
                inputs: (ports.inputs.iter().map(|(name, spec)| port(name, spec.item.name(), false)))
                    .chain(ports.message_inputs.iter().map(|(name, _)| port(name, "message", true)))
                    .collect(),
                outputs: (ports.outputs.iter().map(|(name, spec)| port(name, spec.item.name(), false)))
                    .chain(ports.message_outputs.iter().map(|(name, _)| port(name, "message", true)))
                    .collect(),
            }
        });
        let streams = shape.edges.iter().map(|edge| Stream {
            id: edge.id.clone(),
            from: shape.output_ref(edge.from),
            to: shape.input_ref(edge.to),
            item: shape.item(edge.from).unwrap_or_default().to_owned(),
            rate_hz: rates.get(&edge.from).and_then(|known| known.rate_hz),
        });
        GraphInfo {
            id: self.id,
            name: self.name.clone(),
            blocks: blocks.collect(),
            streams: streams.collect(),
            messages: shape.messages(),
            workers: shape.layout.workers.iter().sum(),
            views: self.views.iter().filter_map(|(view, from)| panel(&shape, *view, from)).collect(),
        }
    }

    /// The parameters of a block: those of its entry in the catalogue, then those that it shows besides.
    fn parameters(
        &self,
        block: &str,
        described: &Described,
        entry: Option<&Entry>,
        settable: &[String],
    ) -> Vec<Parameter> {
        let live = |name: &str| {
            settable
                .iter()
                .any(|path| path.strip_prefix(block).is_some_and(|rest| rest.strip_prefix('.') == Some(name)))
        };
        let value = |name: &str| {
            let shown = self.control().get(format!("{block}.{name}").as_str()).ok();
            shown.or_else(|| described.given.get(name).cloned())
        };
        let declared = entry.map_or(&[][..], |entry| entry.params);
        let mut parameters: Vec<Parameter> = declared
            .iter()
            .map(|param| {
                let default = || param.default.and_then(|json| serde_json::from_str(json).ok());
                let value = value(param.name).map(|value| value.to_json()).or_else(default);
                let (kind, min, max) = shown_as(param);
                Parameter {
                    name: param.name.to_owned(),
                    kind,
                    value: value.unwrap_or_default(),
                    unit: Some(param.unit.to_owned()).filter(|unit| !unit.is_empty()),
                    min,
                    max,
                    choices: if let Kind::Choice(words) = param.kind { Some(words.to_vec()) } else { None },
                    live: live(param.name),
                    doc: param.doc.to_owned(),
                }
            })
            .collect();
        let others = settable.iter().filter_map(|path| path.strip_prefix(block)?.strip_prefix('.'));
        for name in others.filter(|name| !declared.iter().any(|param| param.name == *name)) {
            let value = value(name).unwrap_or(Value::Null);
            parameters.push(Parameter {
                name: name.to_owned(),
                kind: kind_of(&value),
                value: value.to_json(),
                unit: None,
                min: None,
                max: None,
                choices: None,
                live: true,
                doc: String::new(),
            });
        }
        parameters
    }

    /// Notes that a block was replaced.
    pub fn describe(&self, block: &str, kind: &str, given: BTreeMap<String, Value>) {
        lock(&self.described).insert(block.to_owned(), Described { kind: kind.to_owned(), given });
    }
}

/// A view of what an output gives, if it does: of a stream to its first reader.
fn panel(shape: &Shape, view: View, from: &PortRef) -> Option<Panel> {
    if shape.message_output(from).is_some() {
        return Some(Panel { view, stream: None, port: Some(from.clone()) });
    }
    let edge = shape.edges.iter().find(|edge| shape.output_ref(edge.from) == *from)?;
    Some(Panel { view, stream: Some(edge.id.clone()), port: None })
}

/// How a parameter is shown, and its bounds.
fn shown_as(param: &Param) -> (ParameterType, Option<f64>, Option<f64>) {
    let bound = |x: f64| Some(x).filter(|x| x.is_finite());
    match param.kind {
        Kind::Float(low, high) => (ParameterType::Number, bound(low), bound(high)),
        Kind::Integer(low, high) => {
            let low = Some(low as f64).filter(|_| low != i64::MIN);
            (ParameterType::Number, low, Some(high as f64).filter(|_| high != i64::MAX))
        }
        Kind::Bool => (ParameterType::Switch, None, None),
        Kind::Numbers => (ParameterType::List, None, None),
        Kind::Text | Kind::Path | Kind::Choice(_) | Kind::Value => (ParameterType::Text, None, None),
    }
}

fn kind_of(value: &Value) -> ParameterType {
    match value {
        Value::Bool(_) => ParameterType::Switch,
        Value::List(_) | Value::Vector(_) => ParameterType::List,
        value if value.as_f64().is_some() => ParameterType::Number,
        _ => ParameterType::Text,
    }
}

/// All graphs that are watched.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    all: Mutex<Vec<Arc<Watched>>>,
    next: AtomicU32,
}

impl Graphs {
    /// Adds a graph; gives its number.
    pub fn add(&self, watch: Watch) -> u32 {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let Watch { name, control, described, known, views, again } = watch;
        let watched = Watched {
            id,
            name,
            control: Mutex::new(control),
            again,
            views,
            points: Points::default(),
            first_described: described.clone(),
            described: Mutex::new(described),
            known: Mutex::new(known),
            shape: Mutex::default(),
            end_is_told: AtomicBool::new(false),
            transition: tokio::sync::Mutex::default(),
        };
        lock(&self.all).push(Arc::new(watched));
        id
    }

    /// Forgets a graph.
    pub fn remove(&self, id: u32) {
        lock(&self.all).retain(|graph| graph.id != id);
    }

    /// All of them.
    pub fn all(&self) -> Vec<Arc<Watched>> {
        lock(&self.all).clone()
    }

    /// The one with this number.
    pub fn get(&self, id: u32) -> Result<Arc<Watched>, Refusal> {
        let found = lock(&self.all).iter().find(|graph| graph.id == id).cloned();
        found.ok_or_else(|| Refusal::unknown(format!("there is no graph {id}: GET /api/graphs has all")))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
