//! A block of the flowgraph: from its parameters to our blocks.

use std::collections::{BTreeMap, BTreeSet};

use superhet_runtime::Value;
use superhet_runtime::catalog::Kind;

use super::build::{Builder, Edge, Known};
use super::document::Block;
use super::values;
use crate::connections::is_name;
use crate::error::{Mistake, Place, near, shown};
use crate::flow::{FlowBlock, FlowParam};
use crate::gnuradio::{Call, Grc, MakeError, Row, Setting, item_size};
use crate::python::{Object, PythonError, Scope};
use crate::values::{Located, size};

impl<'a> Builder<'a> {
    /// A block of the table.
    pub(super) fn block(
        &mut self,
        block: &'a Block,
        row: &'a Row,
        grc: &Grc,
        edges: &[Edge<'_>],
        scope: &Scope<'_>,
        failed: &BTreeSet<String>,
    ) -> Known<'a> {
        let none = Known { row, stages: None, item: String::new(), vlen_in: 1, vlen_out: 1 };
        // That there is too much has been reported.
        if self.left.is_none() || scope.is_used_up() && !self.flow.mistakes.is_empty() {
            return none;
        }
        if !is_name(&block.name) {
            self.block_mistake(block.line, &block.name, "expected a name of letters, digits and _");
            return none;
        }
        let mut params: BTreeMap<&str, Object> = BTreeMap::new();
        for (name, text) in &block.params {
            if !text.text.trim().is_empty() {
                let object = match values::object(&text.text, scope) {
                    // The options of a list are often constants of the block's module, without its name.
                    raw @ Object::Raw(..) => {
                        match values::object(&format!("{}.{}", row.module, text.text.trim()), scope) {
                            constant @ Object::Constant(..) => constant,
                            _ => raw,
                        }
                    }
                    object => object,
                };
                params.insert(name, object);
            }
        }
        for set in self.sets.iter().filter(|set| set.target().0 == Some(block.name.as_str())) {
            let (_, name) = set.target();
            let Some((name, _)) = block.params.iter().find(|(known, _)| known == name) else {
                let near = near(name, block.params.iter().map(|(name, _)| name.as_str()));
                let problem = format!("{} has no parameter {}{near}", shown(&block.name), shown(name));
                self.report(Mistake::Setting { at: set.place(), problem });
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
                Err(problem) => self.report(Mistake::Setting { at: set.place(), problem }),
            }
        }
        // An expression with a variable that has no value is no mistake of its own.
        let consequence = |object: &Object| match object {
            Object::Raw(_, error) => error.unknown.as_ref().is_some_and(|name| failed.contains(name)),
            _ => false,
        };
        // A type that two parameters say together: `in_type,out_type`.
        let parts = grc.type_param.split(',').map(|name| {
            params.get(name).map(|kind| kind.as_text().map_or_else(|| kind.brief(), str::to_owned))
        });
        let kind = parts.collect::<Option<Vec<_>>>().map(|parts| parts.join(","));
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
        if !self.takes(block.line, sizes.fold(0, usize::saturating_add)) {
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
    pub(super) fn call(
        &mut self,
        block: &Block,
        row: &Row,
        grc: &Grc,
        kind: Option<&str>,
        params: &BTreeMap<&str, Object>,
        edges: &[Edge<'_>],
    ) -> Option<Call> {
        let is_type = |letters: &&str| row.types.iter().any(|(known, _)| known == letters);
        let given = match grc.types.is_empty() {
            true => kind.filter(is_type).or_else(|| {
                // The id says it, or there is one only.
                let only = (row.types.len() == 1).then(|| row.types[0].0.as_str());
                grc.id.rsplit('_').next().filter(is_type).or(only)
            }),
            false => {
                let given = grc.types.iter().find(|(known, _)| Some(known.as_str()) == kind);
                given.map(|(_, letters)| letters.as_str())
            }
        };
        let letters = match (row.types.is_empty(), given) {
            (true, _) => String::new(),
            (false, Some(letters)) => letters.to_owned(),
            (false, None) => {
                let known = if grc.types.is_empty() { &row.types } else { &grc.types };
                let known: Vec<&str> = known.iter().map(|(kind, _)| kind.as_str()).collect();
                let got = kind.map_or("nothing".to_owned(), shown);
                let problem = format!("{}: expected {}, got {got}", grc.type_param, known.join(", "));
                self.block_mistake(block.line, &block.name, problem);
                return None;
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
                            self.report(values::wrong((self.at)(block.line), &subject, &error));
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
                let name = match grc.args.iter().find(|(known, _)| *known == arg.name) {
                    Some((_, Setting::Literal(Value::Text(name)))) => name,
                    _ => arg.name.as_str(),
                };
                let error = PythonError {
                    expression: String::new(),
                    position: 1,
                    problem: format!("the parameter {name} is missing or empty"),
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
                let text = block
                    .params
                    .iter()
                    .find(|(_, text)| !text.text.is_empty() && text.text == error.expression);
                let (what, line) =
                    text.map_or((what.as_str(), line), |(name, text)| (name.as_str(), text.line));
                let subject = format!("block {}: {}", block.name, shown(what));
                self.report(values::wrong((self.at)(line), &subject, error));
            }
            MakeError::Argument { argument, problem } => {
                let named = grc.args.iter().find(|(known, _)| known == argument);
                let name = match named {
                    Some((_, Setting::Literal(Value::Text(name)))) => name.to_string(),
                    _ => argument.clone(),
                };
                let (at, block) = ((self.at)(line), block.name.clone());
                self.report(Mistake::Parameter { at, block, param: shown(&name), problem: shown(problem) });
            }
        }
    }
}
