//! YAML as trees of text, with the line of each part: values stay as they are written.
//!
//! The parser is `saphyr-parser`, which gives events only; what is made of them is bounded here. An alias is a copy of the
//! node that it stands for. Copies count like written nodes.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser};

use crate::error::{Mistake, Place, shown};

/// How deep lists and tables may be nested.
const DEEPEST: usize = 32;
/// How many values a file may have, with the copies that aliases are.
const MOST: usize = 400_000;

/// A value, and the line at which it begins.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub line: usize,
    pub what: What,
    /// How many values it has in all.
    size: usize,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Text(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl Node {
    /// The text of a value that is none of several.
    pub fn text(&self) -> Option<&str> {
        match &self.what {
            What::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.what {
            What::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn table(&self) -> Option<&[(String, Node)]> {
        match &self.what {
            What::Table(table) => Some(table),
            // A table without entries is written as nothing.
            What::Text(text) if text.is_empty() => Some(&[]),
            _ => None,
        }
    }

    /// The entry of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.table()?.iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    pub fn describe(&self) -> &'static str {
        match self.what {
            What::Text(_) => "text",
            What::List(_) => "a list",
            What::Table(_) => "a table",
        }
    }
}

/// A list or a table that is being read.
struct Open {
    node: Node,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<String>,
}

/// Reads the first document of `text`.
pub(super) fn read(text: &str, at: &dyn Fn(usize) -> Place) -> Result<Node, Mistake> {
    let syntax = |line: usize, problem: String| Mistake::Syntax { at: at(line), problem };
    let mut open: Vec<Open> = Vec::new();
    let mut anchors: BTreeMap<usize, Node> = BTreeMap::new();
    let mut size = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            syntax(error.marker().line(), format!("expected YAML: {}", shown(error.info())))
        })?;
        let line = span.start.line();
        let node = |what| Node { line, what, size: 1 };
        let (done, anchor) = match event {
            Event::Scalar(text, _, anchor, _) => (node(What::Text(text.into_owned())), anchor),
            Event::Alias(anchor) => match anchors.get(&anchor) {
                Some(known) => (known.clone(), 0),
                None => return Err(syntax(line, "an alias within what it stands for".to_owned())),
            },
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                if open.len() == DEEPEST {
                    return Err(Mistake::TooMuch {
                        at: at(line),
                        what: "lists within lists".to_owned(),
                        limit: DEEPEST,
                    });
                }
                let what = if matches!(event, Event::SequenceStart(..)) {
                    What::List(Vec::new())
                } else {
                    What::Table(Vec::new())
                };
                open.push(Open { node: node(what), anchor, key: None });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open { node, anchor, .. }) => (node, anchor),
                None => continue,
            },
            Event::DocumentEnd => break,
            _ => continue,
        };
        size += done.size;
        if size > MOST {
            return Err(Mistake::TooMuch { at: at(line), what: "values".to_owned(), limit: MOST });
        }
        if anchor > 0 {
            anchors.insert(anchor, done.clone());
        }
        let Some(outer) = open.last_mut() else { return Ok(done) };
        outer.node.size += done.size;
        match (&mut outer.node.what, outer.key.take()) {
            (What::List(list), _) => list.push(done),
            (What::Table(table), Some(key)) => {
                if table.len() < 256 && table.iter().any(|(known, _)| *known == key) {
                    return Err(syntax(done.line, format!("the key {} comes twice", shown(&key))));
                }
                table.push((key, done));
            }
            (What::Table(_), None) => match done.what {
                What::Text(key) => outer.key = Some(key),
                _ => return Err(syntax(done.line, "expected a key that is text".to_owned())),
            },
            (What::Text(_), _) => {}
        }
    }
    Err(syntax(1, "expected a flowgraph, the file is empty".to_owned()))
}
