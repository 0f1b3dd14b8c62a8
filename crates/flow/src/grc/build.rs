//! From what a flowgraph says to blocks and connections of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use superhet_runtime::Value;
use superhet_runtime::catalog::{Direction, Entry, Kind};

use super::document::{Block, Document, Link, State};
use super::values::{self, Written};
use crate::connections::is_name;
use crate::error::{Mistake, Mistakes, Place, UnknownType, shown};
use crate::gnuradio::{Call, Grc, MakeError, Row, Setting, Table, item_size, stream_port};
use crate::load::{Flow, FlowBlock, FlowParam, Note};
use crate::python::{Library, Object, PythonError, Scope};
use crate::registry::Registry;
use crate::set::Set;
use crate::values::{Located, near, size};

/// How many elements and bytes of text the parameters of all blocks may come to.
const MOST_VALUES: usize = 16 << 20;
/// The largest port number.
const MOST_PORTS: usize = 1024;

pub(super) struct Builder<'a> {
    document: &'a Document,
    at: &'a dyn Fn(usize) -> Place,
    folder: Arc<Path>,
    sets: &'a [Set],
    registry: &'a Registry,
    library: &'a Library,
    flow: Flow,
    /// How much the parameters of blocks may still come to; `None` once it has been told that they are too much.
    left: Option<usize>,
}

/// A port of a block as the flowgraph names it.
type End<'a> = (&'a str, &'a str);

/// A connection between blocks that run.
#[derive(Clone, Copy, Debug)]
struct Edge<'a> {
    from: End<'a>,
    to: End<'a>,
    line: usize,
}

/// A block of the table, with what it is with us.
struct Known<'a> {
    row: &'a Row,
    /// Our blocks in a row: their names, types and parameters. `None` where a mistake that has been told prevented it.
    stages: Option<Vec<(String, String, BTreeMap<String, Value>)>>,
    item: String,
    vlen_in: usize,
    vlen_out: usize,
}

/// What a stream port of a block carries.
struct Port {
    /// `block.port`
    name: String,
    item: String,
    vlen: usize,
}

/// What becomes of a block.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It is a block of the graph, or has a mistake that has been told.
    Runs,
    /// It is not there: switched off, or no block at all.
    Gone,
    /// It is a display: what it would get goes nowhere.
    Dropped,
    VirtualSource,
    VirtualSink,
    Bypassed,
}

impl<'a> Builder<'a> {
    pub fn new(
        document: &'a Document,
        at: &'a dyn Fn(usize) -> Place,
        folder: Arc<Path>,
        sets: &'a [Set],
        registry: &'a Registry,
        library: &'a Library,
        mistakes: Mistakes,
    ) -> Self {
        let flow = Flow { mistakes, ..Flow::default() };
        Builder { document, at, folder, sets, registry, library, flow, left: Some(MOST_VALUES) }
    }

    fn tell(&mut self, mistake: Mistake) {
        self.flow.mistakes.add(|| mistake);
    }

    fn block_mistake(&mut self, line: usize, block: &str, problem: impl Into<String>) {
        let at = (self.at)(line);
        self.tell(Mistake::Block { at, block: shown(block), problem: problem.into() });
    }

    fn python(&mut self, block: &Block, problem: impl Into<String>) {
        let (at, subject) = ((self.at)(block.line), format!("block {}", shown(&block.name)));
        self.tell(Mistake::Python { at, subject, problem: problem.into() });
    }

    fn note(&mut self, line: usize, text: String) {
        let at = (self.at)(line);
        self.flow.notes.push(Note { at, text });
    }

    pub fn flow(mut self, table: &'a Table) -> Flow {
        self.options();
        self.names();
        let mut scope = Scope::new(self.library);
        self.imports(&mut scope);
        let failed = self.variables(&mut scope);
        let fates = self.fates(table);
        let edges = self.edges(&fates);
        let mut known: BTreeMap<&'a str, Known<'a>> = BTreeMap::new();
        let document = self.document;
        for block in &document.blocks {
            if fates.get(block.name.as_str()) == Some(&Fate::Runs) {
                if let Some((row, grc)) = table.grc(&block.id) {
                    let made = self.block(block, row, grc, &edges, &scope, &failed);
                    known.entry(&block.name).or_insert(made);
                }
            }
        }
        self.sets_of_blocks();
        self.connect(&edges, &known);
        self.loose_ends(&edges, &known);
        self.flow
    }

    fn options(&mut self) {
        let option = |name: &str| {
            let found = self.document.options.iter().find(|(known, _)| known == name);
            found.map(|(_, text)| text).filter(|text| !text.text.is_empty())
        };
        let id = option("id").map(|text| text.text.clone());
        let description = option("title").map(|text| text.text.clone());
        let kind = option("generate_options").map(|text| (text.text.clone(), text.line));
        self.flow.name = id;
        self.flow.description = description.filter(|title| title != "Not titled yet");
        if let Some((kind, line)) = kind.filter(|(kind, _)| kind.starts_with("hb")) {
            let problem = format!(
                "the flowgraph makes a block of others ({}) and does not run by itself",
                shown(&kind)
            );
            let at = (self.at)(line);
            self.tell(Mistake::Python { at, subject: "options".to_owned(), problem });
        }
    }

    /// Names that come twice.
    fn names(&mut self) {
        let mut seen = BTreeSet::new();
        let document = self.document;
        for block in &document.blocks {
            if !seen.insert(block.name.as_str()) {
                self.block_mistake(block.line, &block.name, "the name comes twice");
            }
        }
    }

    fn imports(&mut self, scope: &mut Scope<'_>) {
        let document = self.document;
        for block in
            document.blocks.iter().filter(|block| block.id == "import" && block.state == State::Enabled)
        {
            let text = block.param("imports").or_else(|| block.param("import"));
            if let Some(Err(problem)) = text.map(|text| values::imported(&text.text, scope)) {
                self.python(block, problem);
            }
        }
    }

    fn variables(&mut self, scope: &mut Scope<'_>) -> BTreeSet<String> {
        let mut blocks = Vec::new();
        let mut failed = BTreeSet::new();
        let document = self.document;
        for block in document.blocks.iter().filter(|block| block.state == State::Enabled) {
            match values::written(block) {
                Written::Text(text) => blocks.push((block, text)),
                Written::Python(problem) => {
                    self.python(block, problem);
                    failed.insert(block.name.clone());
                }
                Written::No => continue,
            }
            if values::is_widget(&block.id) {
                self.note(
                    block.line,
                    format!("block {}: a widget is a variable here, which --set sets", shown(&block.name)),
                );
            }
            if block.id == "variable_function_probe" {
                self.note(
                    block.line,
                    format!("block {}: a probe of a function keeps its first value", shown(&block.name)),
                );
            }
        }
        let mut sets = Vec::new();
        for set in self.sets {
            let (None, name) = set.target() else { continue };
            if blocks.iter().any(|(block, _)| block.name == name) {
                sets.push((name, set));
            } else if !failed.contains(name) {
                let near = near(name, blocks.iter().map(|(block, _)| block.name.as_str()));
                let problem = format!("there is no variable {}{near}", shown(name));
                self.tell(Mistake::Setting { at: set.place(), problem });
            }
        }
        failed.extend(values::variables(&blocks, self.at, &sets, scope, &mut self.flow.mistakes));
        for (block, _) in &blocks {
            if let Some(value) = scope.get(&block.name).and_then(|object| object.to_value().ok()) {
                self.flow.variables.insert(block.name.clone(), value);
            }
        }
        failed
    }

    /// What becomes of each block; what cannot run is told.
    fn fates(&mut self, table: &Table) -> BTreeMap<&'a str, Fate> {
        let document = self.document;
        let mut fates = BTreeMap::new();
        for block in &document.blocks {
            let id = block.id.as_str();
            let fate = match block.state {
                State::Disabled => Fate::Gone,
                _ if matches!(values::written(block), Written::Text(_) | Written::Python(_)) => Fate::Gone,
                _ if matches!(id, "options" | "import" | "note") => Fate::Gone,
                State::Bypassed => Fate::Bypassed,
                State::Enabled => match id {
                    "virtual_source" => Fate::VirtualSource,
                    "virtual_sink" => Fate::VirtualSink,
                    "epy_block" | "epy_module" | "snippet" => {
                        self.python(block, "Python code in the flowgraph needs Python");
                        Fate::Runs
                    }
                    "pad_source" | "pad_sink" => {
                        self.python(
                            block,
                            "a pad is a port of a block of others, which does not run by itself",
                        );
                        Fate::Runs
                    }
                    _ if table.grc(id).is_some() => Fate::Runs,
                    _ if is_display(id) => {
                        let text = format!(
                            "block {}: {} is left out: there is no display here",
                            shown(&block.name),
                            shown(id)
                        );
                        self.note(block.line, text);
                        Fate::Dropped
                    }
                    _ => {
                        let hint = match table.near_grc(id) {
                            near if near.is_empty() => {
                                ", one of GNU Radio that is not here, or of somebody else".to_owned()
                            }
                            near => near,
                        };
                        let error = UnknownType { name: shown(id), hint };
                        let (at, name) = ((self.at)(block.line), shown(&block.name));
                        self.tell(Mistake::UnknownType { at, block: name, error });
                        Fate::Runs
                    }
                },
            };
            fates.entry(block.name.as_str()).or_insert(fate);
        }
        fates
    }

    /// The connections between blocks that run, and to displays.
    fn edges(&mut self, fates: &BTreeMap<&'a str, Fate>) -> Vec<Edge<'a>> {
        let document = self.document;
        let streams: BTreeMap<&str, &str> = document
            .blocks
            .iter()
            .filter(|block| matches!(block.id.as_str(), "virtual_source" | "virtual_sink"))
            .filter_map(|block| Some((block.name.as_str(), block.param("stream_id")?.text.as_str())))
            .collect();
        let mut edges = Vec::new();
        // Of each port of a bypassed block or a virtual sink, the connection that leads there.
        let mut into: BTreeMap<(&str, &str), &Link> = BTreeMap::new();
        let mut sinks: BTreeMap<&str, &Link> = BTreeMap::new();
        for link in &document.links {
            match fates.get(link.to.0.as_str()) {
                Some(Fate::Bypassed) => {
                    into.entry((&link.to.0, &link.to.1)).or_insert(link);
                }
                Some(Fate::VirtualSink) => {
                    if let Some(stream) = streams.get(link.to.0.as_str()) {
                        sinks.entry(stream).or_insert(link);
                    }
                }
                _ => {}
            }
        }
        let mut told = BTreeSet::new();
        for link in &document.links {
            let (from, to) = (&link.from, &link.to);
            let mut unknown = false;
            for (name, _) in [from, to] {
                if !fates.contains_key(name.as_str()) {
                    unknown = true;
                    if !told.insert(name.as_str()) {
                        continue;
                    }
                    let near = near(name, fates.keys().copied());
                    let (at, subject) = ((self.at)(link.line), "connections".to_owned());
                    let problem = format!("there is no block {}{near}", shown(name));
                    self.tell(Mistake::Shape { at, subject, problem });
                }
            }
            if unknown || !matches!(fates.get(to.0.as_str()), Some(Fate::Runs | Fate::Dropped)) {
                continue;
            }
            // Back through what only hands on.
            let (mut end, mut seen) = (link, BTreeSet::new());
            let source = loop {
                let (name, port) = (end.from.0.as_str(), end.from.1.as_str());
                let next = match fates.get(name) {
                    Some(Fate::Runs) => break Some((name, port)),
                    Some(Fate::VirtualSource) => {
                        let found = streams.get(name).and_then(|stream| sinks.get(stream));
                        if found.is_none() && told.insert(name) {
                            let problem = "there is no virtual sink for it, or nothing leads there";
                            self.block_mistake(end.line, name, problem);
                        }
                        found
                    }
                    Some(Fate::Bypassed) => into.get(&(name, port)),
                    _ => None,
                };
                match next {
                    Some(next) if seen.insert(name) => end = next,
                    Some(_) => {
                        if told.insert(name) {
                            self.block_mistake(
                                end.line,
                                name,
                                "the connection leads back to itself, without a block in it",
                            );
                        }
                        break None;
                    }
                    None => break None,
                }
            };
            if let Some(source) = source {
                edges.push(Edge { from: source, to: (&to.0, &to.1), line: link.line });
            }
        }
        // To displays nothing leads; what then leads nowhere is found later.
        edges.retain(|edge| fates.get(edge.to.0) == Some(&Fate::Runs));
        edges
    }

    /// A block of the table.
    fn block(
        &mut self,
        block: &'a Block,
        row: &'a Row,
        grc: &Grc,
        edges: &[Edge<'_>],
        scope: &Scope<'_>,
        failed: &BTreeSet<String>,
    ) -> Known<'a> {
        let none = Known { row, stages: None, item: String::new(), vlen_in: 1, vlen_out: 1 };
        if !is_name(&block.name) {
            self.block_mistake(block.line, &block.name, "expected a name of letters, digits and _");
            return none;
        }
        let mut params: BTreeMap<&str, Object> = BTreeMap::new();
        for (name, text) in &block.params {
            if !text.text.trim().is_empty() {
                params.insert(name, values::object(&text.text, scope));
            }
        }
        for set in self.sets.iter().filter(|set| set.target().0 == Some(block.name.as_str())) {
            let (_, name) = set.target();
            let Some((name, _)) = block.params.iter().find(|(known, _)| known == name) else {
                let near = near(name, block.params.iter().map(|(name, _)| name.as_str()));
                let problem = format!("{} has no parameter {}{near}", shown(&block.name), shown(name));
                self.tell(Mistake::Setting { at: set.place(), problem });
                continue;
            };
            let object = values::object_of(set).and_then(|object| match object {
                Ok(object) => Ok(object),
                Err(expression) => expression.evaluate(scope).map_err(|error| error.to_string()),
            });
            match object {
                Ok(object) => {
                    params.insert(name, object);
                }
                Err(problem) => self.tell(Mistake::Setting { at: set.place(), problem }),
            }
        }
        // What comes of a variable that has no value is no mistake of its own.
        let consequence = |object: &Object| match object {
            Object::Raw(_, error) => error.unknown.as_ref().is_some_and(|name| failed.contains(name)),
            _ => false,
        };
        let kind = params
            .get(grc.type_param.as_str())
            .map(|kind| kind.as_text().map_or_else(|| kind.to_string(), str::to_owned));
        let call = match self.call(block, row, grc, kind.as_deref(), &params, edges) {
            Some(call) => call,
            None => return none,
        };
        if call.args.values().any(consequence) {
            return none;
        }
        let made = match row.make(&call, self.registry, self.library) {
            Ok(made) => made,
            Err(error) => {
                self.make_error(block, grc, error);
                return none;
            }
        };
        let sizes = made.stages.iter().flat_map(|(_, params)| params.values()).map(size);
        let Some(left) = self.left else { return none };
        self.left = left.checked_sub(sizes.sum());
        if self.left.is_none() {
            let at = (self.at)(block.line);
            self.tell(Mistake::TooMuch {
                at,
                what: "elements and bytes of parameters".to_owned(),
                limit: MOST_VALUES,
            });
            return none;
        }
        let several = made.stages.len() > 1;
        let name =
            |stage: usize| if several { format!("{}-{stage}", block.name) } else { block.name.clone() };
        let stages: Vec<_> =
            made.stages.into_iter().enumerate().map(|(n, (kind, params))| (name(n), kind, params)).collect();
        let place = (self.at)(block.line);
        for (name, kind, params) in &stages {
            let entry = self.registry.get(kind);
            let params = params.iter().map(|(param, value)| {
                let known = entry.and_then(|entry| entry.params.iter().find(|known| known.name == param));
                let value = match (known.map(|known| known.kind), value) {
                    // In files such text stands for the value that it writes in JSON.
                    (Some(Kind::Value), Value::Text(_)) => value.to_json().to_string().into(),
                    _ => value.clone(),
                };
                let place = self.place_of(block, grc, row, param);
                FlowParam { name: param.clone(), place, value: Some(Located::new(value, &self.folder)) }
            });
            let params = params.collect();
            let what = Some((kind.clone(), place.clone()));
            self.flow.blocks.push(FlowBlock { name: name.clone(), place: place.clone(), what, params });
        }
        for n in 1..stages.len() {
            let link = (stages[n - 1].0.clone(), stages[n].0.clone());
            self.flow.links.push((link, place.clone()));
        }
        Known { row, stages: Some(stages), item: made.item, vlen_in: made.vlen_in, vlen_out: made.vlen_out }
    }

    /// The line of the parameter that most likely says what ours is; else that of the block.
    fn place_of(&self, block: &Block, grc: &Grc, row: &Row, param: &str) -> Place {
        let setting = row.stages.iter().flat_map(|stage| &stage.params).find(|(name, _)| name == param);
        let arg = setting.and_then(|(_, setting)| match setting {
            Setting::Expression(expression) => {
                let names = expression.names();
                row.args.iter().find(|arg| names.contains(&arg.name.as_str())).map(|arg| arg.name.as_str())
            }
            Setting::Literal(_) => None,
        });
        let named = arg.map(|arg| match grc.args.iter().find(|(known, _)| known == arg) {
            Some((_, Setting::Literal(Value::Text(name)))) => name.to_string(),
            _ => arg.to_owned(),
        });
        let line = named.and_then(|name| block.param(&name)).map_or(block.line, |text| text.line);
        (self.at)(line)
    }

    /// The class's arguments, from the parameters that GNU Radio Companion has.
    fn call(
        &mut self,
        block: &Block,
        row: &Row,
        grc: &Grc,
        kind: Option<&str>,
        params: &BTreeMap<&str, Object>,
        edges: &[Edge<'_>],
    ) -> Option<Call> {
        let letters = match (row.types.is_empty(), kind) {
            (true, _) => String::new(),
            (false, None) if row.types.len() == 1 => row.types[0].0.clone(),
            (false, kind) => {
                let kind = kind.unwrap_or("");
                let given =
                    grc.types.iter().find(|(known, _)| known == kind).map(|(_, letters)| letters.as_str());
                let letters = if grc.types.is_empty() { Some(kind) } else { given };
                match letters.and_then(|letters| row.types.iter().find(|(known, _)| known == letters)) {
                    Some((letters, _)) => letters.clone(),
                    None => {
                        let known: Vec<&str> = match grc.types.is_empty() {
                            true => row.types.iter().map(|(letters, _)| letters.as_str()).collect(),
                            false => grc.types.iter().map(|(kind, _)| kind.as_str()).collect(),
                        };
                        let problem =
                            format!("{}: expected {}, got {}", grc.type_param, known.join(", "), shown(kind));
                        self.block_mistake(block.line, &block.name, problem);
                        return None;
                    }
                }
            }
        };
        let item = row.itemsize.as_ref().map(|_| match kind.unwrap_or("complex") {
            "float" => "f32",
            "int" => "i32",
            "short" => "i16",
            "byte" | "char" => "u8",
            _ => "C32",
        });
        let mut args = BTreeMap::new();
        for arg in &row.args {
            let value = match grc.args.iter().find(|(known, _)| *known == arg.name).map(|(_, value)| value) {
                Some(Setting::Literal(name)) => params.get(name.as_str().unwrap_or("")).cloned(),
                Some(Setting::Expression(expression)) => {
                    let mut scope = Scope::new(self.library);
                    params.iter().for_each(|(name, object)| scope.set(*name, object.clone()));
                    match expression.evaluate(&scope) {
                        Ok(object) => Some(object),
                        Err(error) => {
                            let subject = format!("block {}: {}", block.name, arg.name);
                            self.tell(values::wrong((self.at)(block.line), &subject, &error));
                            return None;
                        }
                    }
                }
                None if row.itemsize.as_ref() == Some(&arg.name) => {
                    let vlen = params.get("vlen").map_or(Some(1), Object::as_int).unwrap_or(0);
                    let size = item.and_then(item_size).unwrap_or(1) as i128;
                    Some(Object::Int(vlen.saturating_mul(size)))
                }
                None => params.get(arg.name.as_str()).cloned(),
            };
            if let Some(value) = value {
                args.insert(arg.name.clone(), value);
            } else if arg.default.is_none() {
                // What is left empty may be text that is empty.
                let error = PythonError {
                    expression: arg.name.clone(),
                    position: 1,
                    problem: "the parameter is missing or empty".to_owned(),
                    needs_python: false,
                    unknown: None,
                };
                args.insert(arg.name.clone(), Object::Raw("".into(), error.into()));
            }
        }
        let count = |end: &dyn Fn(&Edge<'_>) -> (String, String)| {
            let ports = edges.iter().map(end).filter(|(name, _)| *name == block.name);
            ports.filter_map(|(_, port)| port.parse::<usize>().ok()).max().map_or(0, |port| port + 1)
        };
        let inputs = count(&|edge| (edge.to.0.to_owned(), edge.to.1.to_owned()));
        let outputs = count(&|edge| (edge.from.0.to_owned(), edge.from.1.to_owned()));
        Some(Call { letters, args, item: item.map(str::to_owned), inputs, outputs })
    }

    fn make_error(&mut self, block: &Block, grc: &Grc, error: MakeError) {
        let (what, line) = match &error {
            MakeError::Argument { argument, .. } => (argument, block.line),
            MakeError::Expression { what, .. } => (what, block.line),
        };
        let line = block.param(what).map_or(line, |text| text.line);
        match &error {
            MakeError::Expression { what, error } => {
                // The text of the parameter says more than the name that the table has for it.
                let text = block.params.iter().find(|(_, text)| text.text == error.expression);
                let (what, line) =
                    text.map_or((what.as_str(), line), |(name, text)| (name.as_str(), text.line));
                let subject = format!("block {}: {}", block.name, shown(what));
                self.tell(values::wrong((self.at)(line), &subject, error));
            }
            MakeError::Argument { argument, problem } => {
                let named = grc.args.iter().find(|(known, _)| known == argument);
                let name = match named {
                    Some((_, Setting::Literal(Value::Text(name)))) => name.to_string(),
                    _ => argument.clone(),
                };
                let (at, block) = ((self.at)(line), block.name.clone());
                self.tell(Mistake::Parameter { at, block, param: shown(&name), problem: shown(problem) });
            }
        }
    }

    /// Settings for blocks that are not there.
    fn sets_of_blocks(&mut self) {
        let document = self.document;
        for set in self.sets {
            let (Some(block), _) = set.target() else { continue };
            if !document.blocks.iter().any(|known| known.name == block) {
                let near = near(block, document.blocks.iter().map(|block| block.name.as_str()));
                let problem = format!("there is no block {}{near}", shown(block));
                self.tell(Mistake::Setting { at: set.place(), problem });
            }
        }
    }

    fn entry(&self, kind: &str) -> Option<&'a Entry> {
        self.registry.get(kind)
    }

    /// A stream port by its number; a mistake if there is none.
    fn port(&mut self, known: &Known<'_>, end: End<'_>, direction: Direction, line: usize) -> Option<Port> {
        let stages = known.stages.as_ref()?;
        let (stage, order, vlen) = match direction {
            Direction::In => (stages.first()?, &known.row.inputs, known.vlen_in),
            Direction::Out => (stages.last()?, &known.row.outputs, known.vlen_out),
        };
        let (name, kind, params) = stage;
        // A block that the registry does not have is told when the graph is made.
        let entry = self.entry(kind)?;
        let n = end.1.parse::<usize>().ok().filter(|n| *n < MOST_PORTS);
        match n.and_then(|n| stream_port(entry, params, direction, order, n)) {
            Some((port, item)) => {
                let item = item.unwrap_or_else(|| known.item.clone());
                Some(Port { name: format!("{name}.{port}"), item, vlen })
            }
            None => {
                let side = if direction == Direction::In { "input" } else { "output" };
                self.block_mistake(line, end.0, format!("there is no {side} {}", shown(end.1)));
                None
            }
        }
    }

    fn connect(&mut self, edges: &[Edge<'_>], known: &BTreeMap<&str, Known<'_>>) {
        let mut adapted: BTreeMap<(String, String), String> = BTreeMap::new();
        for edge in edges {
            let (Some(source), Some(sink)) = (known.get(edge.from.0), known.get(edge.to.0)) else { continue };
            let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
            let place = (self.at)(edge.line);
            if !is_number(edge.from.1) || !is_number(edge.to.1) {
                let from = self.message_port(source, edge.from, Direction::Out, edge.line);
                let to = self.message_port(sink, edge.to, Direction::In, edge.line);
                if let (Some(from), Some(to)) = (from, to) {
                    self.flow.links.push(((from, to), place));
                }
                continue;
            }
            let from = self.port(source, edge.from, Direction::Out, edge.line);
            let to = self.port(sink, edge.to, Direction::In, edge.line);
            let (Some(from), Some(to)) = (from, to) else { continue };
            let size = |port: &Port| item_size(&port.item).map(|size| size * port.vlen);
            if size(&from) != size(&to) {
                let words = |port: &Port| match port.vlen {
                    1 => format!("{} ({} bytes)", port.item, size(port).unwrap_or(0)),
                    n => format!("vectors of {n} {} ({} bytes)", port.item, size(port).unwrap_or(0)),
                };
                let problem =
                    format!("gives {}, and {} expects {}", words(&from), shown(edge.to.0), words(&to));
                self.block_mistake(edge.line, edge.from.0, problem);
                continue;
            }
            let mut start = from.name.clone();
            if from.item != to.item {
                start = match adapted.get(&(from.name.clone(), to.item.clone())) {
                    Some(name) => name.clone(),
                    None => {
                        let name = format!("{}-{}-as-{}", edge.from.0, edge.from.1, to.item);
                        self.add(&name, "reinterpret", &[("from", &from.item), ("to", &to.item)], &place);
                        self.flow.links.push(((from.name.clone(), name.clone()), place.clone()));
                        adapted.insert((from.name.clone(), to.item.clone()), name.clone());
                        name
                    }
                };
            }
            self.flow.links.push(((start, to.name), place));
        }
    }

    fn message_port(
        &mut self,
        known: &Known<'_>,
        end: End<'_>,
        direction: Direction,
        line: usize,
    ) -> Option<String> {
        let stages = known.stages.as_ref()?;
        let (stage, port) = known.row.message_port(end.1, direction == Direction::Out);
        let (name, kind, _) = &stages[stage];
        let entry = self.entry(kind)?;
        let mut ports =
            entry.ports.iter().filter(|port| port.direction == direction && port.items == "messages");
        match ports.any(|known| known.name == port) {
            true => Some(format!("{name}.{port}")),
            false => {
                self.block_mistake(line, end.0, format!("there is no message port {}", shown(end.1)));
                None
            }
        }
    }

    fn add(&mut self, name: &str, kind: &str, params: &[(&str, &str)], place: &Place) {
        let params = params.iter().map(|(param, value)| FlowParam {
            name: (*param).to_owned(),
            place: place.clone(),
            value: Some(Located::new((*value).into(), &self.folder)),
        });
        let params = params.collect();
        let what = Some((kind.to_owned(), place.clone()));
        self.flow.blocks.push(FlowBlock { name: name.to_owned(), place: place.clone(), what, params });
    }

    /// Outputs that lead nowhere get a sink.
    fn loose_ends(&mut self, edges: &[Edge<'_>], known: &BTreeMap<&str, Known<'_>>) {
        let document = self.document;
        for block in &document.blocks {
            let Some(known) = known.get(block.name.as_str()) else { continue };
            let Some((name, kind, params)) = known.stages.as_ref().and_then(|stages| stages.last()) else {
                continue;
            };
            let Some(entry) = self.entry(kind) else { continue };
            let documented = entry
                .ports
                .iter()
                .filter(|port| port.direction == Direction::Out && port.items != "messages")
                .count();
            for n in 0..documented {
                let wanted =
                    edges.iter().any(|edge| edge.from.0 == block.name && edge.from.1.parse() == Ok(n));
                let port = stream_port(entry, params, Direction::Out, &known.row.outputs, n);
                let Some((port, item)) = port.filter(|_| !wanted) else { continue };
                let item = item.unwrap_or_else(|| known.item.clone());
                let place = (self.at)(block.line);
                let sink = format!("{}-{n}-unused", block.name);
                self.add(&sink, "null_sink", &[("item", &item)], &place);
                self.flow.links.push(((format!("{name}.{port}"), sink), place));
            }
        }
    }
}

/// Whether a block shows something, or belongs to a user interface in another way.
fn is_display(id: &str) -> bool {
    ["qtgui_", "bokehgui_", "wxgui_", "fosphor_"].iter().any(|prefix| id.starts_with(prefix))
}
