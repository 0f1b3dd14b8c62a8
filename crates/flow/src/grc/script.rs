//! A flowgraph as a script for Python, `superhet.gnuradio.companion`: what only Python can do stays Python.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::document::{Block, Document, State};
use super::values;
use crate::error::{FlowError, Mistake, Mistakes, Place, near, shown};
use crate::load::{folder_of, read_file};
use crate::python::Object;
use crate::set::Set;

/// A flowgraph of GNU Radio Companion as it is written, as JSON: `options` by name, `blocks` with `name`, `id`, `line`, `state`,
/// `params` by name and `buses`, and `links` of block, port, block, port and line. Nothing of it is worked out.
///
/// # Errors
/// If the file cannot be read or is no flowgraph.
pub fn grc_document(path: impl AsRef<Path>) -> Result<String, FlowError> {
    let (document, mistakes) = read(path.as_ref());
    mistakes.or(to_json(&document).to_string())
}

/// A flowgraph of GNU Radio Companion as a script in Python: for `python -m superhet.gnuradio`, where it needs Python. What the
/// flowgraph has of Python code the script executes. If `only_check`, all blocks are made and connected, and nothing starts.
///
/// # Errors
/// If the file cannot be read or is no flowgraph, and for a setting that sets nothing.
pub fn grc_script(path: impl AsRef<Path>, sets: &[Set], only_check: bool) -> Result<String, FlowError> {
    let path = path.as_ref();
    let (document, mut mistakes) = read(path);
    let sets = settings(&document, sets, &mut mistakes);
    let file = quoted(&shown(&path.display().to_string()));
    let folder = quoted(&absolute(&folder_of(path)));
    let sets: Vec<String> =
        sets.iter().map(|(name, value)| format!("{}: {}", quoted(name), quoted(value))).collect();
    let only_check = if only_check { "True" } else { "False" };
    mistakes.or(format!(
        "import json\n\nfrom superhet.gnuradio import companion\n\nflowgraph = json.loads({})\n\
         companion.main(flowgraph, {file}, {folder}, {{{}}}, {only_check})\n",
        quoted(&to_json(&document).to_string()),
        sets.join(", "),
    ))
}

fn read(path: &Path) -> (Document, Mistakes) {
    let mut mistakes = Mistakes::default();
    let document = match read_file(path, &Place::Nowhere) {
        Ok(text) => {
            let file: Arc<str> = shown(&path.display().to_string()).into();
            super::document::read(&text, &move |line| Place::Line(Some(file.clone()), line), &mut mistakes)
        }
        Err(mistake) => {
            mistakes.add(|| mistake);
            None
        }
    };
    (document.unwrap_or_default(), mistakes)
}

/// What is set, as expressions of Python, by the name of a variable or by `BLOCK.PARAMETER`.
fn settings(document: &Document, sets: &[Set], mistakes: &mut Mistakes) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for set in sets {
        let mut wrong = |problem: String| mistakes.add(|| Mistake::Setting { at: set.place(), problem });
        let (owner, name) = set.target();
        let block = document.blocks.iter().find(|block| block.name == owner.unwrap_or(name));
        match (owner, block) {
            (None, None) => {
                let near = near(name, document.blocks.iter().map(|block| block.name.as_str()));
                wrong(format!("there is no variable {}{near}", shown(name)));
                continue;
            }
            (Some(owner), None) => {
                let near = near(owner, document.blocks.iter().map(|block| block.name.as_str()));
                wrong(format!("there is no block {}{near}", shown(owner)));
                continue;
            }
            (Some(owner), Some(block)) if !block.params.iter().any(|(known, _)| known == name) => {
                let near = near(name, block.params.iter().map(|(name, _)| name.as_str()));
                wrong(format!("{} has no parameter {}{near}", shown(owner), shown(name)));
                continue;
            }
            _ => {}
        }
        let target = owner.map_or(name.to_owned(), |owner| format!("{owner}.{name}"));
        match values::object_of(set) {
            Ok(Ok(object)) => drop(found.insert(target, object.to_string())),
            Ok(Err(expression)) => drop(found.insert(target, expression.text().to_owned())),
            Err(problem) => wrong(problem),
        }
    }
    found
}

fn to_json(document: &Document) -> Json {
    let texts = |params: &[(String, super::document::Text)]| -> Json {
        params.iter().map(|(name, text)| (name.clone(), Json::from(text.text.as_str()))).collect()
    };
    let block = |block: &Block| {
        let state = match block.state {
            State::Enabled => "enabled",
            State::Disabled => "disabled",
            State::Bypassed => "bypassed",
        };
        let buses: serde_json::Map<_, _> =
            block.buses.iter().map(|(name, text)| (name.clone(), Json::from(text.as_str()))).collect();
        json!({
            "name": block.name, "id": block.id, "line": block.line, "state": state, "params": texts(&block.params),
            "buses": buses,
        })
    };
    let links = document.links.iter();
    let links = links
        .map(|link| json!([link.from.0, link.from.1, link.to.0, link.to.1, link.line]))
        .collect::<Vec<_>>();
    json!({
        "options": texts(&document.options),
        "blocks": document.blocks.iter().map(block).collect::<Vec<_>>(),
        "links": links,
    })
}

/// Text as Python writes it.
fn quoted(text: &str) -> String {
    Object::Text(text.into()).to_string()
}

fn absolute(folder: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    shown(&folder.to_string_lossy())
}
