//! A flowgraph as a script in GNU Radio's style, for Python: what only Python can do stays Python.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::build::Builder;
use super::build::Fate;
use super::document::{Block, State};
use super::values::{self, Written};
use crate::error::{FlowError, shown};
use crate::gnuradio::{Row, Setting, Table, item_size};
use crate::python::{Expression, Object, Scope};

/// What comes before the flowgraph. Modules that are not there are missed only by who uses them.
const HEAD: &str = r#"import cmath
import importlib
import math
import sys
import types

import numpy
import numpy as np
import pmt
from gnuradio import gr

for _name in "analog blocks channels digital fec fft filter pdu".split():
    try:
        globals()[_name] = importlib.import_module(f"gnuradio.{_name}")
    except ImportError:
        pass
try:
    from gnuradio.filter import firdes
    from gnuradio.fft import window
except ImportError:
    pass


def _module(name, source):
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, name + ".py", "exec"), module.__dict__)
    return module


def _block_class(module):
    own = [it for it in vars(module).values() if isinstance(it, type) and it.__module__ == module.__name__]
    return getattr(module, "blk", None) or own[0]


"#;

/// Parameters that GNU Radio Companion gives every block.
const COMMON: &[&str] =
    &["affinity", "alias", "comment", "maxoutbuf", "minoutbuf", "_source_code", "_io_cache"];

impl<'a> Builder<'a> {
    /// The script.
    ///
    /// # Errors
    /// Every mistake that Python would not help with.
    pub fn script(mut self, table: &'a Table) -> Result<String, FlowError> {
        self.options();
        self.names();
        let mut scope = Scope::new(self.library);
        self.imports(&mut scope);
        let failed = self.variables(&mut scope);
        let fates = self.fates(table);
        let edges = self.edges(&fates);
        self.sets_of_blocks();
        let mut out = HEAD.to_owned();
        // Writing to text cannot fail.
        let _ = writeln!(out, "sys.path.insert(0, {})", quoted(&absolute(&self.folder)));
        let document = self.document;
        let on = || document.blocks.iter().filter(|block| block.state == State::Enabled);
        for block in on() {
            if !is_identifier(&block.name) && values_or_runs(block, &fates) {
                self.block_mistake(block.line, &block.name, "expected a name that Python takes");
            }
            let text = block.param("imports").or_else(|| block.param("import"));
            if let ("import", Some(text)) = (block.id.as_str(), text) {
                let _ = writeln!(out, "{}", text.text.trim());
            }
            if let ("epy_module", Some(source)) = (block.id.as_str(), block.param("source_code")) {
                let name = quoted(&block.name);
                let _ = writeln!(out, "{} = _module({name}, {})", block.name, quoted(&source.text));
            }
        }
        let title = self.flow.name.clone().unwrap_or_default();
        let _ = writeln!(out, "\ntop = gr.top_block({})\n", quoted(&title));
        for name in std::mem::take(&mut self.order) {
            let Some(block) = on().find(|block| block.name == name) else { continue };
            let Written::Text(text) = values::written(block) else { continue };
            let set = self.sets.iter().rev().find(|set| set.target() == (None, name.as_str()));
            let value = match set.map(|_| scope.get(&name)) {
                Some(Some(object)) => object.to_string(),
                _ if values::is_text(block) => self.text(&text.text, &scope, &failed),
                _ => format!("({})", text.text.trim()),
            };
            let _ = writeln!(out, "{name} = {value}");
        }
        let _ = writeln!(out);
        for block in on().filter(|block| fates.get(block.name.as_str()) == Some(&Fate::Runs)) {
            let name = &block.name;
            if block.id == "epy_block" {
                let source = block.param("_source_code").map_or("", |text| &text.text);
                let params = block.params.iter().filter(|(param, _)| !COMMON.contains(&param.as_str()));
                let params =
                    params.filter_map(|(param, _)| Some((param, self.param(block, param, &scope, &failed)?)));
                let params: Vec<String> = params.map(|(param, value)| format!("{param}={value}")).collect();
                let module = format!("_module({}, {})", quoted(name), quoted(source));
                let _ = writeln!(out, "{name} = _block_class({module})({})", params.join(", "));
            } else if let Some((row, grc)) = table.grc(&block.id) {
                let params = block.params.iter().filter(|(_, text)| !text.text.trim().is_empty());
                let params = params.map(|(name, text)| (name.as_str(), values::object(&text.text, &scope)));
                let params = params.collect();
                let parts =
                    grc.type_param.split(',').map(|name| block.param(name).map(|text| text.text.as_str()));
                let kind = parts.collect::<Option<Vec<_>>>().map(|parts| parts.join(","));
                let Some(call) = self.call(block, row, grc, kind.as_deref(), &params, &edges) else {
                    continue;
                };
                let mut args = Vec::new();
                for arg in &row.args {
                    let size = call.item.as_deref().filter(|_| row.itemsize.as_ref() == Some(&arg.name));
                    let value = match grc.args.iter().find(|(known, _)| *known == arg.name) {
                        Some((_, Setting::Literal(param))) => {
                            self.param(block, param.as_str().unwrap_or(""), &scope, &failed)
                        }
                        Some((_, Setting::Expression(expression))) => {
                            Some(self.applied(block, expression, &scope, &failed))
                        }
                        None => match size.and_then(item_size) {
                            Some(size) => {
                                let vlen = self.param(block, "vlen", &scope, &failed);
                                Some(format!("{size} * {}", vlen.as_deref().unwrap_or("1")))
                            }
                            None => self.param(block, &arg.name, &scope, &failed),
                        },
                    };
                    args.extend(value.map(|value| format!("{}={value}", arg.name)));
                }
                let class = class(row, &call.letters);
                let _ = writeln!(out, "{name} = {class}({})", args.join(", "));
            }
        }
        let _ = writeln!(out);
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        for edge in &edges {
            let ((from, output), (to, input)) = (edge.from, edge.to);
            let _ = match is_number(output) && is_number(input) {
                true => writeln!(out, "top.connect(({from}, {output}), ({to}, {input}))"),
                false => {
                    let (output, input) = (quoted(output), quoted(input));
                    writeln!(out, "top.msg_connect(({from}, {output}), ({to}, {input}))")
                }
            };
        }
        self.snippets(&mut out, &fates.keys().copied().collect::<Vec<_>>());
        let mistakes = self.flow.mistakes.without_python();
        mistakes.or(out)
    }

    /// Pieces of code, and the run.
    fn snippets(&self, out: &mut String, names: &[&str]) {
        let on = self.document.blocks.iter().filter(|block| block.state == State::Enabled);
        let mut snippets: Vec<&Block> = on.filter(|block| block.id == "snippet").collect();
        let priority = |block: &&Block| {
            let text = block.param("priority").map(|text| text.text.as_str());
            std::cmp::Reverse(text.and_then(|text| text.parse::<i64>().ok()).unwrap_or(0))
        };
        snippets.sort_by_key(priority);
        if !snippets.is_empty() {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            let _ = writeln!(out, "\nfor _name in [{}]:", names.join(", "));
            let _ =
                writeln!(out, "    if _name in globals():\n        setattr(top, _name, globals()[_name])");
        }
        let section = |out: &mut String, section: &str| {
            for block in &snippets {
                let of = block.param("section").map_or("main_after_init", |text| &text.text);
                if let Some(code) = block.param("code").filter(|_| of == section) {
                    let code = quoted(&code.text);
                    let _ = writeln!(
                        out,
                        "exec(compile({code}, {}, \"exec\"), globals() | {{\"self\": top}})",
                        quoted(&block.name)
                    );
                }
            }
        };
        section(out, "main_after_init");
        out.push_str("\ntry:\n    top.start()\nexcept KeyboardInterrupt:\n    pass\n");
        section(out, "main_after_start");
        out.push_str("try:\n    top.wait()\nexcept KeyboardInterrupt:\n    top.stop()\n    top.wait()\n");
        section(out, "main_after_stop");
    }

    /// A parameter of a block as Python has it; `None` of one that is empty or not there.
    fn param(
        &self,
        block: &Block,
        name: &str,
        scope: &Scope<'_>,
        failed: &BTreeSet<String>,
    ) -> Option<String> {
        let set = self.sets.iter().rev().find(|set| set.target() == (Some(block.name.as_str()), name));
        match set.map(values::object_of) {
            Some(Ok(Ok(object))) => return Some(object.to_string()),
            Some(Ok(Err(expression))) => return Some(format!("({})", expression.text())),
            _ => {}
        }
        Some(self.text(&block.param(name)?.text, scope, failed))
    }

    /// An expression as it is written, or text in quotes where it is none.
    fn text(&self, text: &str, scope: &Scope<'_>, failed: &BTreeSet<String>) -> String {
        let expression = format!("({})", text.trim());
        match values::object(text, scope) {
            Object::Raw(_, error) => {
                let is_known = error.unknown.as_ref().is_some_and(|name| failed.contains(name));
                let is_word = error.unknown.is_some() || error.problem.contains("expected");
                match is_known || error.needs_python || !is_word {
                    true => expression,
                    false => quoted(text),
                }
            }
            _ => expression,
        }
    }

    /// An expression over the parameters of a block.
    fn applied(
        &self,
        block: &Block,
        expression: &Expression,
        scope: &Scope<'_>,
        failed: &BTreeSet<String>,
    ) -> String {
        let names: BTreeSet<&str> = expression.names().into_iter().collect();
        let given = names.iter().filter_map(|name| Some((*name, self.param(block, name, scope, failed)?)));
        let (names, values): (Vec<&str>, Vec<String>) = given.unzip();
        format!("(lambda {}: {})({})", names.join(", "), expression.text(), values.join(", "))
    }
}

fn class(row: &Row, letters: &str) -> String {
    match letters {
        "" => format!("{}.{}", row.module, row.name),
        letters => format!("{}.{}_{letters}", row.module, row.name),
    }
}

fn values_or_runs(block: &Block, fates: &std::collections::BTreeMap<&str, Fate>) -> bool {
    let is_variable = matches!(values::written(block), Written::Text(_));
    is_variable || block.id == "epy_module" || fates.get(block.name.as_str()) == Some(&Fate::Runs)
}

fn is_identifier(name: &str) -> bool {
    let parsed = Expression::parse(name).is_ok_and(|expression| expression.names() == [name]);
    parsed && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Text as Python writes it.
fn quoted(text: &str) -> String {
    Object::Text(text.into()).to_string()
}

fn absolute(folder: &std::path::Path) -> String {
    let folder = if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    shown(&folder.to_string_lossy())
}
