//! The content of a file of GNU Radio Companion: options, blocks and connections, not interpreted yet.

use super::yaml::{self, Node};
use crate::error::{Mistake, Mistakes, Place, shown};

/// How many blocks and connections a file may have.
pub(super) const MOST_BLOCKS: usize = 65_536;
pub(super) const MOST_LINKS: usize = 4 * MOST_BLOCKS;

#[derive(Debug, Default)]
pub(super) struct Document {
    pub options: Vec<(String, Text)>,
    pub blocks: Vec<Block>,
    pub links: Vec<Link>,
}

/// Text, and the line where it stands.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub text: String,
    pub line: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub name: String,
    pub id: String,
    pub line: usize,
    pub params: Vec<(String, Text)>,
    pub state: State,
    /// Which streams each of its buses has, `bus_structure_source` and `bus_structure_sink`, as it is written.
    pub buses: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Enabled,
    Disabled,
    Bypassed,
}

/// A connection: block and port at both ends.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub from: (String, String),
    pub to: (String, String),
    pub line: usize,
}

impl Block {
    /// A parameter that is not empty.
    pub fn param(&self, name: &str) -> Option<&Text> {
        let found = self.params.iter().find(|(known, _)| known == name).map(|(_, text)| text);
        found.filter(|text| !text.text.trim().is_empty())
    }
}

/// Reads `text`; `None` if it is no flowgraph.
pub(super) fn read(text: &str, at: &dyn Fn(usize) -> Place, mistakes: &mut Mistakes) -> Option<Document> {
    if text.trim_start().starts_with('<') {
        return super::xml::read(text, at, mistakes);
    }
    let root = match yaml::read(text, at) {
        Ok(root) => root,
        Err(mistake) => {
            mistakes.add(|| mistake);
            return None;
        }
    };
    let mut reader = Reader { at, mistakes };
    reader.document(&root)
}

struct Reader<'a> {
    at: &'a dyn Fn(usize) -> Place,
    mistakes: &'a mut Mistakes,
}

impl Reader<'_> {
    fn shape(&mut self, line: usize, subject: &str, problem: impl Into<String>) {
        let (at, problem) = ((self.at)(line), problem.into());
        self.mistakes.add(|| Mistake::Shape { at, subject: shown(subject), problem });
    }

    fn document(&mut self, root: &Node) -> Option<Document> {
        if root.table().is_none() {
            let got = root.describe();
            self.shape(
                root.line,
                "the file",
                format!("expected a flowgraph of GNU Radio Companion, got {got}"),
            );
            return None;
        }
        let format = root.get("metadata").and_then(|metadata| metadata.get("file_format"));
        match format.and_then(Node::text) {
            Some("1") => {}
            Some(other) => {
                let problem = format!("the known version of the format is 1, got {}", shown(other));
                self.shape(format.map_or(1, |node| node.line), "metadata: file_format", problem);
                return None;
            }
            None => {
                let problem =
                    "expected metadata with file_format: 1, as GNU Radio Companion 3.8 and later write it";
                self.shape(root.line, "the file", problem);
                return None;
            }
        }
        let mut document = Document::default();
        if let Some(parameters) = root.get("options").and_then(|options| options.get("parameters")) {
            document.options = self.params("options", parameters);
        }
        for node in self.list(root, "blocks", MOST_BLOCKS) {
            document.blocks.extend(self.block(node));
        }
        for node in self.list(root, "connections", MOST_LINKS) {
            document.links.extend(self.link(node));
        }
        Some(document)
    }

    fn list<'a>(&mut self, root: &'a Node, key: &str, most: usize) -> &'a [Node] {
        let Some(node) = root.get(key).filter(|node| node.text() != Some("")) else { return &[] };
        let Some(list) = node.list() else {
            self.shape(node.line, key, format!("expected a list, got {}", node.describe()));
            return &[];
        };
        if list.len() > most {
            let at = (self.at)(node.line);
            self.mistakes.add(|| Mistake::TooMuch { at, what: key.to_owned(), limit: most });
        }
        &list[..list.len().min(most)]
    }

    fn params(&mut self, subject: &str, node: &Node) -> Vec<(String, Text)> {
        let Some(table) = node.table() else {
            self.shape(node.line, subject, format!("parameters: expected a table, got {}", node.describe()));
            return Vec::new();
        };
        let mut params = Vec::new();
        for (name, node) in table {
            match node.text() {
                Some(text) => params.push((name.clone(), Text { text: text.to_owned(), line: node.line })),
                None => {
                    let problem = format!("{}: expected text, got {}", shown(name), node.describe());
                    self.shape(node.line, subject, problem);
                }
            }
        }
        params
    }

    fn block(&mut self, node: &Node) -> Option<Block> {
        if node.table().is_none() {
            self.shape(
                node.line,
                "blocks",
                format!("expected a table for each block, got {}", node.describe()),
            );
            return None;
        }
        let mut word = |key: &str| {
            let text = node.get(key).and_then(Node::text).filter(|text| !text.is_empty()).map(str::to_owned);
            if text.is_none() {
                self.shape(node.line, "block", format!("expected {key}: and text"));
            }
            text
        };
        let (name, id) = (word("name")?, word("id")?);
        let params = node.get("parameters").map(|params| self.params(&name, params)).unwrap_or_default();
        let states = node.get("states");
        let buses = ["bus_structure", "bus_structure_source", "bus_structure_sink"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), states?.get(name)?.text()?.to_owned())));
        let buses = buses.filter(|(_, text)| !matches!(text.as_str(), "" | "null" | "~")).collect();
        let state = states.and_then(|states| states.get("state"));
        let state = match state.and_then(Node::text).unwrap_or("enabled") {
            "enabled" | "True" | "true" | "1" => State::Enabled,
            "disabled" | "False" | "false" | "0" => State::Disabled,
            "bypassed" | "bypass" => State::Bypassed,
            other => {
                let problem = format!("state: expected enabled, disabled or bypassed, got {}", shown(other));
                self.shape(state.map_or(node.line, |state| state.line), &name, problem);
                State::Enabled
            }
        };
        Some(Block { name, id, line: node.line, params, state, buses })
    }

    fn link(&mut self, node: &Node) -> Option<Link> {
        let texts =
            || node.list()?.iter().map(|end| end.text().map(str::to_owned)).collect::<Option<Vec<String>>>();
        match texts().and_then(|texts| <[String; 4]>::try_from(texts).ok()) {
            Some([from, output, to, input]) => {
                Some(Link { from: (from, output), to: (to, input), line: node.line })
            }
            None => {
                self.shape(node.line, "connections", "expected [block, output, block, input]");
                None
            }
        }
    }
}
