//! Connections: ports by their numbers and names, and the conversions between ports that differ.

use std::collections::BTreeMap;

use superhet_runtime::catalog::{Direction, Entry};

use super::build::{Builder, Edge, End, Known};
use crate::error::{Place, shown};
use crate::flow::{FlowBlock, FlowParam};
use crate::gnuradio::{item_size, stream_port};
use crate::values::Located;

/// The largest port number.
const MOST_PORTS: usize = 1024;

/// What a stream port of a block carries.
struct Port {
    /// `block.port`
    name: String,
    item: String,
    vlen: usize,
}

impl<'a> Builder<'a> {
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
        // A block that the registry does not have is reported when the graph is made.
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

    pub(super) fn connect(&mut self, edges: &[Edge<'_>], known: &BTreeMap<&str, Known<'_>>) {
        let mut adapted: BTreeMap<(String, String), String> = BTreeMap::new();
        for edge in edges {
            if !self.link(edge, known, &mut adapted) {
                // What is not connected because of a mistake is not reported again.
                let stages = |name: &str| known.get(name).and_then(|known| known.stages.as_ref());
                let from = stages(edge.from.0).and_then(|stages| stages.last());
                let to = stages(edge.to.0).and_then(|stages| stages.first());
                self.flow.unreadable.extend([from, to].into_iter().flatten().map(|(name, ..)| name.clone()));
            }
        }
    }

    /// Connects two ports; false if a mistake, which has been reported, prevents it.
    fn link(
        &mut self,
        edge: &Edge<'_>,
        known: &BTreeMap<&str, Known<'_>>,
        adapted: &mut BTreeMap<(String, String), String>,
    ) -> bool {
        let (Some(source), Some(sink)) = (known.get(edge.from.0), known.get(edge.to.0)) else { return false };
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let place = (self.at)(edge.line);
        if !is_number(edge.from.1) || !is_number(edge.to.1) {
            let from = self.message_port(source, edge.from, Direction::Out, edge.line);
            let to = self.message_port(sink, edge.to, Direction::In, edge.line);
            let (Some(from), Some(to)) = (from, to) else { return false };
            self.flow.links.push(((from, to), place));
            return true;
        }
        let from = self.port(source, edge.from, Direction::Out, edge.line);
        let to = self.port(sink, edge.to, Direction::In, edge.line);
        let (Some(from), Some(to)) = (from, to) else { return false };
        let size = |port: &Port| item_size(&port.item).map(|size| size.saturating_mul(port.vlen));
        if size(&from) != size(&to) {
            let words = |port: &Port| match port.vlen {
                1 => format!("{} ({} bytes)", port.item, size(port).unwrap_or(0)),
                n => format!("vectors of {n} {} ({} bytes)", port.item, size(port).unwrap_or(0)),
            };
            let problem = format!("gives {}, and {} expects {}", words(&from), shown(edge.to.0), words(&to));
            self.block_mistake(edge.line, edge.from.0, problem);
            return false;
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
        true
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
    pub(super) fn loose_ends(&mut self, edges: &[Edge<'_>], known: &BTreeMap<&str, Known<'_>>) {
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
