//! The files of GNU Radio Companion 3.7, which are XML: of elements with text, without attributes that matter.

use super::document::{Block, Document, Link, MOST_BLOCKS, MOST_LINKS, State, Text};
use crate::error::{Mistake, Mistakes, Place, shown};

/// How deep elements may be inside each other.
const DEEPEST: usize = 16;
/// Words of 3.7 for ids that are others now.
const RENAMED: &[(&str, &str)] = &[
    ("random_source_x", "analog_random_source_x"),
    ("variable_slider", "variable_qtgui_range"),
    ("variable_chooser", "variable_qtgui_chooser"),
    ("variable_text_box", "variable_qtgui_entry"),
    ("variable_static_text", "variable_qtgui_label"),
    ("variable_check_box", "variable_qtgui_check_box"),
    ("wxgui_notebook", "qtgui_tab_widget"),
    ("notebook", "qtgui_tab_widget"),
    ("blks2_error_rate", "digital_error_rate"),
    ("blks2_packet_encoder", "digital_packet_encoder"),
    ("blks2_packet_decoder", "digital_packet_decoder"),
];

/// An element: its name, its text, and those inside.
#[derive(Debug, Default)]
struct Node {
    name: String,
    text: String,
    line: usize,
    inside: Vec<Node>,
}

impl Node {
    fn all(&self, name: &'static str) -> impl Iterator<Item = &Node> {
        self.inside.iter().filter(move |node| node.name == name)
    }

    fn word(&self, name: &'static str) -> &str {
        self.all(name).next().map_or("", |node| node.text.trim())
    }
}

/// Reads `text`; `None` if it is no flowgraph.
pub(super) fn read(text: &str, at: &dyn Fn(usize) -> Place, mistakes: &mut Mistakes) -> Option<Document> {
    let root = match (Reader { text, place: 0, line: 1 }).document() {
        Ok(root) if root.name == "flow_graph" => root,
        Ok(root) => {
            let problem = format!("expected a flowgraph of GNU Radio Companion, got {}", shown(&root.name));
            mistakes.add(|| Mistake::Shape { at: at(1), subject: "the file".to_owned(), problem });
            return None;
        }
        Err((line, problem)) => {
            mistakes.add(|| Mistake::Syntax { at: at(line), problem });
            return None;
        }
    };
    let mut document = Document::default();
    for (what, name, limit) in [("blocks", "block", MOST_BLOCKS), ("connections", "connection", MOST_LINKS)] {
        if root.all(name).count() > limit {
            mistakes.add(|| Mistake::TooMuch { at: at(1), what: what.to_owned(), limit });
            return None;
        }
    }
    for node in root.all("block") {
        let mut block = block(node);
        if block.id == "options" {
            document.options = block.params;
            continue;
        }
        if block.name.is_empty() || block.id.is_empty() {
            let problem = "expected a name and an id".to_owned();
            mistakes.add(|| Mistake::Shape { at: at(node.line), subject: "block".to_owned(), problem });
            continue;
        }
        if let Some((_, now)) = RENAMED.iter().find(|(before, _)| *before == block.id) {
            block.id = (*now).to_owned();
        }
        document.blocks.push(block);
    }
    let end = |node: &Node, block: &'static str, key: &'static str| {
        (node.word(block).to_owned(), node.word(key).to_owned())
    };
    document.links.extend(root.all("connection").map(|node| Link {
        from: end(node, "source_block_id", "source_key"),
        to: end(node, "sink_block_id", "sink_key"),
        line: node.line,
    }));
    Some(document)
}

fn block(node: &Node) -> Block {
    let mut block = Block {
        name: String::new(),
        id: node.word("key").to_owned(),
        line: node.line,
        params: Vec::new(),
        state: State::Enabled,
        buses: Vec::new(),
    };
    for param in node.all("param") {
        let value = param.all("value").next().map_or("", |node| node.text.as_str());
        match param.word("key") {
            "id" => {
                block.name = value.trim().to_owned();
                if block.id == "options" {
                    block.params.push(("id".to_owned(), Text { text: block.name.clone(), line: param.line }));
                }
            }
            "_enabled" => {
                block.state = match value.trim() {
                    "False" | "0" => State::Disabled,
                    "2" => State::Bypassed,
                    _ => State::Enabled,
                }
            }
            name if !name.starts_with('_') => {
                block.params.push((name.to_owned(), Text { text: value.to_owned(), line: param.line }));
            }
            _ => {}
        }
    }
    block
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
    line: usize,
}

type Parsed<T> = Result<T, (usize, String)>;

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.place..]
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.line += taken.bytes().filter(|byte| *byte == b'\n').count();
        self.place += bytes;
        taken
    }

    fn up_to(&mut self, mark: &str) -> Parsed<&'a str> {
        let Some(bytes) = self.rest().find(mark) else {
            return Err((self.line, format!("expected {mark}, got the end of the file")));
        };
        let taken = self.take(bytes);
        self.take(mark.len());
        Ok(taken)
    }

    /// What stands before the first element is passed over.
    fn document(mut self) -> Parsed<Node> {
        let mut open: Vec<Node> = Vec::new();
        loop {
            let Some(bytes) = self.rest().find('<') else {
                return Err((self.line, "expected an element, got the end of the file".to_owned()));
            };
            let text = self.take(bytes);
            if let Some(node) = open.last_mut() {
                node.text.push_str(&unescaped(text));
            }
            let line = self.line;
            if self.rest().starts_with("<!--") {
                self.up_to("-->")?;
            } else if self.rest().starts_with("<![CDATA[") {
                self.take("<![CDATA[".len());
                let text = self.up_to("]]>")?;
                if let Some(node) = open.last_mut() {
                    node.text.push_str(text);
                }
            } else if self.rest().starts_with("<?") || self.rest().starts_with("<!") {
                self.up_to(">")?;
            } else {
                let tag = self.up_to(">")?[1..].trim();
                let is_end = tag.starts_with('/');
                let is_whole = tag.ends_with('/');
                let name = tag.trim_matches('/').split_whitespace().next().unwrap_or("").to_owned();
                if !is_end {
                    if open.len() >= DEEPEST {
                        return Err((
                            line,
                            format!("elements are more than {DEEPEST} deep inside each other"),
                        ));
                    }
                    open.push(Node { name: name.clone(), line, ..Node::default() });
                }
                if is_end || is_whole {
                    match open.pop() {
                        Some(node) if node.name == name => match open.last_mut() {
                            Some(outer) => outer.inside.push(node),
                            None => return Ok(node),
                        },
                        Some(node) => {
                            let problem = format!(
                                "expected the end of {}, got that of {}",
                                shown(&node.name),
                                shown(&name)
                            );
                            return Err((line, problem));
                        }
                        None => return Err((line, format!("{} ends and has not begun", shown(&name)))),
                    }
                }
            }
        }
    }
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#10;", "\n"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (mark, letter)| text.replace(mark, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOWGRAPH: &str = "<?xml version='1.0' encoding='utf-8'?>\n<?grc format='1'?>\n<flow_graph>\n<timestamp>now</timestamp>\n\
        <block>\n<key>options</key>\n<param>\n<key>id</key>\n<value>old</value>\n</param>\n</block>\n\
        <block><key>variable</key><param><key>id</key><value>n</value></param><param><key>_enabled</key><value>True</value></param>\n\
        <param><key>value</key><value>1 &lt; 2 &amp;&amp; x</value></param><param><key>alias</key><value></value></param></block>\n\
        <block><key>variable_slider</key><param><key>id</key><value>s</value></param><param><key>_enabled</key><value>False</value></param>\
        </block>\n<connection><source_block_id>a</source_block_id><sink_block_id>b</sink_block_id><source_key>0</source_key>\
        <sink_key>1</sink_key></connection>\n</flow_graph>";

    fn parsed(text: &str) -> Result<Document, String> {
        let mut mistakes = Mistakes::default();
        let document = read(text, &|line| Place::Line(None, line), &mut mistakes);
        mistakes.or(()).map_err(|error| error.to_string())?;
        document.ok_or_else(|| "nothing".to_owned())
    }

    #[test]
    fn a_flowgraph_of_3_7_is_read() {
        let document = parsed(FLOWGRAPH).unwrap();
        assert_eq!((document.options[0].0.as_str(), document.options[0].1.text.as_str()), ("id", "old"));
        let blocks: Vec<_> = document
            .blocks
            .iter()
            .map(|block| (block.name.as_str(), block.id.as_str(), block.state))
            .collect();
        assert_eq!(
            blocks,
            [("n", "variable", State::Enabled), ("s", "variable_qtgui_range", State::Disabled)]
        );
        assert_eq!(document.blocks[0].param("value").unwrap().text, "1 < 2 && x");
        let link = &document.links[0];
        assert_eq!(
            (link.from.clone(), link.to.clone()),
            (("a".into(), "0".into()), ("b".into(), "1".into()))
        );
    }

    #[test]
    fn what_is_no_flowgraph_is_told_with_its_line() {
        for (text, expected) in [
            ("<a></a>", "line 1: the file: expected a flowgraph of GNU Radio Companion, got a"),
            ("<flow_graph>\n<block>", "line 2: expected an element, got the end of the file"),
            ("<flow_graph>\n</block>", "line 2: expected the end of flow_graph, got that of block"),
            ("</a>", "line 1: a ends and has not begun"),
            ("<flow_graph", "line 1: expected >, got the end of the file"),
            ("<flow_graph><block></block></flow_graph>", "line 1: block: expected a name and an id"),
            (&"<a>".repeat(40), "line 1: elements are more than 16 deep inside each other"),
        ] {
            assert_eq!(parsed(text).unwrap_err(), expected, "{text}");
        }
    }
}
