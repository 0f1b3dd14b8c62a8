//! From what a file says to a graph: makes the blocks, connects them, and reports all mistakes.

use std::collections::{BTreeMap, BTreeSet};

use superhet_runtime::catalog::{Entry, Kind, ParamError};
use superhet_runtime::{AnyBlock, CheckedGraph, Graph, Value, error::ConnectError, graph::PortList};

use crate::error::{FlowError, LONGEST_NAME, Mistake, Mistakes, Place, near, shown};
use crate::flow::{Flow, FlowBlock, FlowParam};
use crate::registry::Registry;
use crate::resolve::{Names, NoPort, Side};
use crate::values::Located;

impl Flow {
    /// Makes the blocks and connects them. [`Graph::check`] still has to find the mistakes of the graph itself; use
    /// [`Flow::check`] unless something is to be added to the graph.
    ///
    /// # Errors
    /// All mistakes of the file, of its blocks and of the names in its connections at once.
    pub fn build(&self, registry: &Registry) -> Result<Graph, FlowError> {
        let Assembly { graph, mistakes, .. } = Assembly::new(self, registry);
        mistakes.or(graph)
    }

    /// Makes the blocks, connects them and checks the graph.
    ///
    /// Blocks are made even where others have mistakes, so that all is found at once: a block that opens a file or a
    /// device as soon as it is made does so here.
    ///
    /// # Errors
    /// All mistakes of the file, of its blocks and of the graph at once. Consequences of another mistake are left out, such
    /// as the unconnected neighbour of a block that could not be made.
    pub fn check(&self, registry: &Registry) -> Result<CheckedGraph, FlowError> {
        let Assembly { graph, mut mistakes, loose, places } = Assembly::new(self, registry);
        let found = match graph.check() {
            Ok(checked) => return mistakes.or(checked),
            Err(error) => error.0,
        };
        // Without a first mistake nothing follows from one.
        let follows = |error: &ConnectError| !loose.is_empty() && loose.explain(error);
        for error in found.into_iter().filter(|error| !follows(error)) {
            mistakes
                .add(|| Mistake::Graph { at: places.of(&error), error: with_hint(error, registry).into() });
        }
        Err(mistakes.into_error())
    }
}

/// A graph as far as it could be put together.
struct Assembly {
    graph: Graph,
    mistakes: Mistakes,
    loose: Loose,
    places: Places,
}

/// Ports that are not connected, or seem not to be, because of a mistake that has been reported.
#[derive(Debug, Default)]
struct Loose {
    /// `block.port`, or `block` where it is not known which port.
    ends: BTreeSet<(Side, String)>,
    /// Whether it is not known at all which ports they are.
    any: bool,
}

impl Loose {
    fn is_empty(&self) -> bool {
        self.ends.is_empty() && !self.any
    }

    fn add(&mut self, side: Side, end: &str) {
        self.ends.insert((side, end.to_owned()));
    }

    fn explain(&self, error: &ConnectError) -> bool {
        let (side, port) = match error {
            ConnectError::UnconnectedInput { port, .. } => (Side::Input, port),
            ConnectError::UnconnectedOutput { port, .. } => (Side::Output, port),
            _ => return false,
        };
        let block = port.split_once('.').map_or(port.as_str(), |(block, _)| block);
        let has = |end: &str| self.ends.contains(&(side, end.to_owned()));
        self.any || has(port) || has(block)
    }
}

/// Where blocks and connections are written.
#[derive(Debug, Default)]
struct Places {
    blocks: BTreeMap<String, Place>,
    links: BTreeMap<(String, String), Place>,
}

impl Places {
    /// Where the subject of `error` is written.
    fn of(&self, error: &ConnectError) -> Place {
        let block = |port: &str| {
            let name = port.split_once('.').map_or(port, |(block, _)| block);
            self.blocks.get(name).cloned().unwrap_or_default()
        };
        match error {
            ConnectError::TypeMismatch { from, to, .. } => {
                self.links.get(&(from.clone(), to.clone())).cloned().unwrap_or_default()
            }
            ConnectError::UnconnectedInput { port, .. }
            | ConnectError::UnconnectedOutput { port, .. }
            | ConnectError::ManyWriters { port, .. }
            | ConnectError::Contract { port, .. } => block(port),
            ConnectError::RateConflict { block: name, .. } => block(name),
            _ => Place::Nowhere,
        }
    }
}

impl Assembly {
    fn new(flow: &Flow, registry: &Registry) -> Self {
        let (mut graph, mut mistakes) = (Graph::new(), flow.mistakes.clone());
        let mut failed = BTreeSet::new();
        for block in &flow.blocks {
            match make(block, registry, &mut mistakes) {
                Some(made) => {
                    graph.add_any(block.name.as_str(), made);
                }
                None => {
                    failed.insert(block.name.as_str());
                }
            }
        }
        let ports: BTreeMap<String, PortList> =
            graph.blocks().map(|(name, list)| (name.to_owned(), list.clone())).collect();
        let blocks = flow.blocks.iter().map(|block| (block.name.clone(), block.place.clone())).collect();
        let places = Places { blocks, links: BTreeMap::new() };
        let mut assembly = Assembly { graph, mistakes, loose: Loose::default(), places };
        assembly.connect(flow, &Names { ports: &ports, failed: &failed, parts: &flow.parts });
        assembly
    }

    fn connect(&mut self, flow: &Flow, names: &Names<'_>) {
        let report = |mistakes: &mut Mistakes, place: &Place, why: NoPort| {
            if let NoPort::Wrong(error) = why {
                mistakes.add(|| Mistake::Graph { at: place.clone(), error: names.with_near(error).into() });
            }
        };
        for (target, place) in flow.parts.values().flat_map(|part| part.ports.values()) {
            if let Err(why) = names.shown_port(target) {
                report(&mut self.mistakes, place, why);
                self.loosen(target, names);
            }
        }
        for ((from, to), place) in &flow.links {
            match names.ends(from, to) {
                (Ok(from), Ok(to)) => {
                    self.graph.connect_names(&from, &to);
                    self.places.links.insert((from, to), place.clone());
                }
                (output, input) => {
                    for (side, name, port) in [(Side::Output, from, output), (Side::Input, to, input)] {
                        match port {
                            Ok(port) => self.loose.add(side, &port),
                            Err(why) => {
                                report(&mut self.mistakes, place, why);
                                self.loosen(name, names);
                            }
                        }
                    }
                }
            }
        }
        for name in &flow.unreadable {
            self.loose.any |= name == "*";
            self.loosen(name, names);
        }
    }

    /// Nothing is known of the connections of the block that `name` names, or of the blocks that it stands for.
    fn loosen(&mut self, name: &str, names: &Names<'_>) {
        let block = name.split_once('.').map_or(name, |(block, _)| block);
        let shown = names.parts.get(block).into_iter().flat_map(|part| part.ports.values());
        let inner = shown.filter_map(|(target, _)| {
            [Side::Input, Side::Output].into_iter().find_map(|side| names.port(target, side).ok())
        });
        let inner: Vec<String> = inner.collect();
        for end in inner.iter().map(String::as_str).chain([block]) {
            self.loose.add(Side::Input, end);
            self.loose.add(Side::Output, end);
        }
    }
}

/// The block as the registry makes it, if it has no mistake.
pub(crate) fn make(block: &FlowBlock, registry: &Registry, mistakes: &mut Mistakes) -> Option<AnyBlock> {
    let (name, place) = block.what.as_ref()?;
    let Some(entry) = registry.get(name) else {
        mistakes.add(|| Mistake::UnknownType {
            at: place.clone(),
            block: block.name.clone(),
            error: registry.unknown(name),
        });
        return None;
    };
    let mut given = BTreeMap::new();
    let mut good = true;
    let has = |name: &str| block.params.iter().any(|param| param.name == name);
    for param in &block.params {
        match entry.param(&param.name) {
            None => {
                good = false;
                mistakes.add(|| {
                    let near = near(&param.name, entry.params.iter().map(|known| known.name));
                    let problem = format!("{} has no such parameter{near}", entry.name);
                    mistake_of(block, &param.name, problem, Some(param))
                });
            }
            Some(known) if known.name != param.name && has(known.name) => {
                good = false;
                let problem = format!("is what {} was called before: expected one of the two", known.name);
                mistakes.add(|| mistake_of(block, &param.name, problem, Some(param)));
            }
            Some(known) => match param.value.as_ref().map(|located| fitting(known.kind, located)) {
                Some(Ok(value)) => {
                    known.warn_if_former(&block.name, &param.name);
                    given.insert(known.name.to_owned(), value);
                }
                Some(Err(problem)) => {
                    good = false;
                    mistakes.add(|| mistake_of(block, &param.name, problem, Some(param)));
                }
                None => good = false,
            },
        }
    }
    // First only the parameters, so that mistakes in them are reported apart from those of the block itself.
    let unmade = Entry { make: |_| Err("".into()), ..*entry };
    let errors = unmade.build(&given).err().unwrap_or_default();
    for ParamError { param, problem } in errors.into_iter().filter(|error| !error.problem.is_empty()) {
        good = false;
        let is_it =
            |written: &&FlowParam| entry.param(&written.name).is_some_and(|known| known.name == param);
        let written = block.params.iter().find(is_it);
        // What is written but has no value is not missing: that it has none has been reported.
        if written.is_none() || given.contains_key(&param) {
            mistakes.add(|| mistake_of(block, &param, problem, written));
        }
    }
    if !good {
        return None;
    }
    let errors = match entry.build(&given) {
        Ok(made) => return Some(made),
        Err(errors) => errors,
    };
    for ParamError { problem, .. } in errors {
        let (at, block) = (block.place.clone(), block.name.clone());
        mistakes.add(|| Mistake::Block { at, block, problem: shown(&problem) });
    }
    None
}

fn mistake_of(block: &FlowBlock, param: &str, problem: String, written: Option<&FlowParam>) -> Mistake {
    let at = written.map_or(&block.place, |written| &written.place).clone();
    Mistake::Parameter { at, block: block.name.clone(), param: shown(param), problem: shown(&problem) }
}

/// The value in the form that a parameter of that kind takes: a path from the right folder, text as it was written. Where
/// any value may stand, text is read as JSON.
fn fitting(kind: Kind, located: &Located) -> Result<Value, String> {
    let text = match kind {
        Kind::Text | Kind::Path | Kind::Choice(_) | Kind::Value => located.text(),
        _ => None,
    };
    match (kind, text) {
        (Kind::Choice(_), Some(word)) if word.len() > LONGEST_NAME => {
            Err(format!("expected a {kind}, got {}", shown(word)).replace("a one of", "one of"))
        }
        (Kind::Path, Some(path)) if path != "-" && !path.is_empty() => {
            Ok(located.folder.join(path).to_string_lossy().into_owned().into())
        }
        (Kind::Value, Some(text)) => {
            Ok(serde_json::from_str(text).map_or_else(|_| text.into(), |json| Value::from_json(&json)))
        }
        (_, Some(text)) => Ok(text.into()),
        (_, None) => Ok(located.value.clone()),
    }
}

/// The error, with a block of the registry that would convert.
fn with_hint(error: ConnectError, registry: &Registry) -> ConnectError {
    match error {
        ConnectError::TypeMismatch { from, from_item, to, to_item, hint } => {
            let blocks = registry.converting(&from_item, &to_item);
            let hint = match blocks.split_last() {
                None => hint,
                Some((last, [])) => format!("; convert with {last}"),
                Some((last, others)) => format!("; convert with {} or {last}", others.join(", ")),
            };
            ConnectError::TypeMismatch { from, from_item, to, to_item, hint }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_parameter_for_any_value_reads_json_and_takes_other_text_as_it_is() {
        let folder: Arc<Path> = Path::new("").into();
        let fit = |text: &str| fitting(Kind::Value, &Located::new(text.into(), &folder)).unwrap();
        assert_eq!(fit("hello"), "hello".into());
        assert_eq!(fit("\"7\""), "7".into());
        assert_eq!(fit("7"), 7.into());
        assert_eq!(fit("{\"gain_db\": 3}").to_string(), "{\"gain_db\":3}");
        assert_eq!(fitting(Kind::Value, &Located::new(2.5.into(), &folder)).unwrap(), 2.5.into());
    }
}
