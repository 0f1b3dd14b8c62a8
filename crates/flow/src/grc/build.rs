//! From what a flowgraph says to blocks and connections of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use superhet_runtime::Value;

use super::document::{Block, Document, State};
use super::values::{self, Written};
use crate::error::{Mistake, Mistakes, Place, near, shown};
use crate::flow::{Flow, Note};
use crate::gnuradio::{Row, Table, is_in_palette};
use crate::python::{Library, Object, Scope};
use crate::registry::Registry;
use crate::set::Set;

/// How many elements and bytes of text the variables and the parameters of all blocks may come to.
const MOST_VALUES: usize = 16 << 20;

/// What becomes of a block.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    /// It is a block of the graph, or has a mistake that has been reported.
    Runs,
    /// It is not there: switched off, or no block at all.
    Gone,
    /// It is a display: what it would get goes nowhere.
    Dropped,
    VirtualSource,
    VirtualSink,
    Bypassed,
}

pub(super) struct Builder<'a> {
    pub document: &'a Document,
    pub at: &'a dyn Fn(usize) -> Place,
    pub folder: Arc<Path>,
    pub sets: &'a [Set],
    pub registry: &'a Registry,
    pub library: &'a Library,
    pub flow: Flow,
    /// How much variables and the parameters of blocks may still come to; `None` once it is reported that they are too much.
    pub left: Option<usize>,
    /// The variables, each behind those that it mentions.
    pub order: Vec<String>,
}

/// A port of a block as the flowgraph names it.
pub(super) type End<'a> = (&'a str, &'a str);

/// A connection between blocks that run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<'a> {
    pub from: End<'a>,
    pub to: End<'a>,
    pub line: usize,
}

/// The name, the type and the parameters of a block of ours.
pub(super) type OurBlock = (String, String, BTreeMap<String, Value>);

/// A block of the table, with what it is with us.
pub(super) struct Known<'a> {
    pub row: &'a Row,
    /// Our blocks in a row: their names, types and parameters. `None` where a mistake that has been reported prevented it.
    pub stages: Option<Vec<OurBlock>>,
    pub item: String,
    pub vlen_in: usize,
    pub vlen_out: usize,
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
        Builder {
            document,
            at,
            folder,
            sets,
            registry,
            library,
            flow,
            left: Some(MOST_VALUES),
            order: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, mistake: Mistake) {
        self.flow.mistakes.add(|| mistake);
    }

    pub(super) fn block_mistake(&mut self, line: usize, block: &str, problem: impl Into<String>) {
        let at = (self.at)(line);
        self.report(Mistake::Block { at, block: shown(block), problem: problem.into() });
    }

    pub(super) fn python(&mut self, block: &Block, problem: impl Into<String>) {
        let (at, subject) = ((self.at)(block.line), format!("block {}", shown(&block.name)));
        self.report(Mistake::Python { at, subject, problem: problem.into() });
    }

    pub(super) fn note(&mut self, line: usize, text: String) {
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
            let runs = block.state == State::Enabled && fates.get(block.name.as_str()) == Some(&Fate::Runs);
            if let Some((row, grc)) = table.grc(&block.id).filter(|_| runs) {
                let made = self.block(block, row, grc, &edges, &scope, &failed);
                known.entry(&block.name).or_insert(made);
            }
        }
        self.sets_of_blocks();
        self.connect(&edges, &known);
        self.loose_ends(&edges, &known);
        self.keep_variables(&scope);
        self.flow
    }

    pub(super) fn options(&mut self) {
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
            self.report(Mistake::Shape { at, subject: "options".to_owned(), problem });
        }
    }

    /// Names that come twice.
    pub(super) fn names(&mut self) {
        let mut seen = BTreeSet::new();
        let document = self.document;
        // Of several with one name all but one may be switched off.
        for block in document.blocks.iter().filter(|block| block.state != State::Disabled) {
            if !seen.insert(block.name.as_str()) {
                self.block_mistake(block.line, &block.name, "the name comes twice");
            }
        }
    }

    pub(super) fn imports(&mut self, scope: &mut Scope<'_>) {
        let document = self.document;
        for block in
            document.blocks.iter().filter(|block| block.id == "import" && block.state == State::Enabled)
        {
            let text = block.param("imports").or_else(|| block.param("import"));
            if let Some(Err(problem)) = text.map(|text| values::imported(&text.text, scope)) {
                self.python(block, problem);
            }
        }
        // What expressions take from modules in the flowgraph only Python knows.
        for block in document.blocks.iter().filter(|block| block.id == "epy_module") {
            scope.set(block.name.clone(), Object::Module(block.name.as_str().into()));
        }
    }

    pub(super) fn variables(&mut self, scope: &mut Scope<'_>) -> BTreeSet<String> {
        let mut blocks = Vec::new();
        let mut failed = BTreeSet::new();
        let document = self.document;
        for block in document.blocks.iter().filter(|block| block.state == State::Enabled) {
            match values::written(block) {
                Written::Text(text) => blocks.push((block, text)),
                Written::Unknown if is_in_palette(&block.id) || values::is_object(&block.id) => {
                    self.python(block, format!("{} is an object of Python", shown(&block.id)));
                    failed.insert(block.name.clone());
                }
                Written::Unknown => {
                    let problem = format!("there is no variable block {} here", shown(&block.id));
                    self.block_mistake(block.line, &block.name, problem);
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
                self.report(Mistake::Setting { at: set.place(), problem });
            }
        }
        let order = values::variables(&blocks, self.at, &sets, scope, &mut failed, &mut self.flow.mistakes);
        self.order = order;
        failed
    }

    /// The values of the variables of a flowgraph without mistakes. With mistakes they are not needed, and may be large.
    fn keep_variables(&mut self, scope: &Scope<'_>) {
        if !self.flow.mistakes.is_empty() {
            return;
        }
        // All are counted before the first is made.
        let document = self.document;
        let named: BTreeSet<String> = self.order.iter().cloned().collect();
        for block in document.blocks.iter().filter(|block| named.contains(&block.name)) {
            let size = scope.get(&block.name).map_or(0, Object::size);
            if !self.takes(block.line, size) {
                return;
            }
        }
        for name in std::mem::take(&mut self.order) {
            if let Some(Ok(value)) = scope.get(&name).map(Object::to_value) {
                self.flow.variables.insert(name, value);
            }
        }
    }

    /// Whether there may be values of so many elements and bytes of text more; that there may not is reported once.
    pub(super) fn takes(&mut self, line: usize, size: usize) -> bool {
        let Some(left) = self.left else { return false };
        self.left = left.checked_sub(size);
        if self.left.is_none() {
            let (at, what) = ((self.at)(line), "elements and bytes of variables and parameters".to_owned());
            self.report(Mistake::TooMuch { at, what, limit: MOST_VALUES });
        }
        self.left.is_some()
    }

    /// Settings for blocks that are not there.
    pub(super) fn sets_of_blocks(&mut self) {
        let document = self.document;
        for set in self.sets {
            let (Some(block), _) = set.target() else { continue };
            if !document.blocks.iter().any(|known| known.name == block) {
                let near = near(block, document.blocks.iter().map(|block| block.name.as_str()));
                let problem = format!("there is no block {}{near}", shown(block));
                self.report(Mistake::Setting { at: set.place(), problem });
            }
        }
    }
}
