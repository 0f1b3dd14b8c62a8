//! Which blocks run, and which of them are connected: what is switched off, bypassed or virtual is resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::build::{Builder, Edge, Fate};
use super::document::{Link, State};
use super::values::{self, Written};
use crate::error::{LONGEST_NAME, Mistake, UnknownType, near, shown};
use crate::gnuradio::{Table, is_in_palette};

impl<'a> Builder<'a> {
    /// The fate of each block. A block that cannot run is reported.
    pub(super) fn fates(&mut self, table: &Table) -> BTreeMap<&'a str, Fate> {
        let document = self.document;
        let mut fates = BTreeMap::new();
        for block in &document.blocks {
            let id = block.id.as_str();
            let fate = match block.state {
                State::Disabled => Fate::Gone,
                _ if matches!(values::written(block), Written::Text(_) | Written::Unknown) => Fate::Gone,
                _ if matches!(id, "options" | "import" | "note") => Fate::Gone,
                State::Bypassed => Fate::Bypassed,
                State::Enabled => match id {
                    "virtual_source" => Fate::VirtualSource,
                    "virtual_sink" => Fate::VirtualSink,
                    "epy_block" => {
                        self.python(block, "Python code in the flowgraph needs Python");
                        Fate::Runs
                    }
                    "epy_module" | "snippet" => {
                        self.python(block, "Python code in the flowgraph needs Python");
                        Fate::Gone
                    }
                    "pad_source" | "pad_sink" => {
                        let problem = "a pad is a port of a block of others, which does not run by itself";
                        self.block_mistake(block.line, &block.name, problem);
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
                    _ if is_in_palette(id) => {
                        self.python(block, format!("{} is made in Python", shown(id)));
                        Fate::Runs
                    }
                    _ if self.is_of_others(id) => {
                        let problem = format!("{}, which another flowgraph makes, needs Python", shown(id));
                        self.python(block, problem);
                        Fate::Runs
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
                        self.report(Mistake::UnknownType { at, block: name, error });
                        Fate::Runs
                    }
                },
            };
            match block.state {
                State::Disabled => fates.entry(block.name.as_str()).or_insert(fate),
                _ => fates.entry(block.name.as_str()).insert_entry(fate).into_mut(),
            };
        }
        fates
    }

    /// Whether a flowgraph beside this one, `ID.grc`, may make the block.
    fn is_of_others(&self, id: &str) -> bool {
        let is_word = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_word && id.len() <= LONGEST_NAME && self.folder.join(format!("{id}.grc")).is_file()
    }

    /// The connections between blocks that run, and to displays.
    pub(super) fn edges(&mut self, fates: &BTreeMap<&'a str, Fate>) -> Vec<Edge<'a>> {
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
        let mut reported = BTreeSet::new();
        for link in &document.links {
            let (from, to) = (&link.from, &link.to);
            let mut unknown = false;
            for (name, _) in [from, to] {
                if !fates.contains_key(name.as_str()) {
                    unknown = true;
                    if !reported.insert(name.as_str()) {
                        continue;
                    }
                    let near = near(name, fates.keys().copied());
                    let (at, subject) = ((self.at)(link.line), "connections".to_owned());
                    let problem = format!("there is no block {}{near}", shown(name));
                    self.report(Mistake::Shape { at, subject, problem });
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
                        if found.is_none() && reported.insert(name) {
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
                        if reported.insert(name) {
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
}

/// Whether a block shows something, or belongs to a user interface in another way.
fn is_display(id: &str) -> bool {
    ["qtgui_", "bokehgui_", "wxgui_", "fosphor_"].iter().any(|prefix| id.starts_with(prefix))
}
