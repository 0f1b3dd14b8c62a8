//! One row of the table, read and checked as far as that goes without the blocks.

use std::fmt;

use serde_json::{Value as Json, json};
use superhet_runtime::Value;

use crate::python::{Expression, parameters};

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{module}.toml: {row}: {problem}")]
pub struct RowError {
    /// The module whose file it is in.
    pub module: String,
    /// The row, empty where the file cannot be read.
    pub row: String,
    /// What was expected.
    pub problem: String,
}

/// A family of GNU Radio's classes that differ in the types of their items, and what it is with us.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// GNU Radio's module.
    pub module: String,
    /// The name of the family.
    pub name: String,
    /// The letters of each class, and what `type` is then; empty where the class has no letters.
    pub types: Vec<(String, String)>,
    /// The argument that says the size of an item in bytes.
    pub itemsize: Option<String>,
    /// The arguments in their order.
    pub args: Vec<Argument>,
    /// Our blocks, in a row.
    pub stages: Vec<Stage>,
    /// Items in a vector, at the inputs and at the outputs; 1 where it is not said.
    pub vlen: [Option<Setting>; 2],
    /// Methods that set a parameter, over `x`.
    pub set: Vec<Setter>,
    /// Methods that read a parameter, over `value`.
    pub get: Vec<Setter>,
    /// GNU Radio's names of message ports, and ours.
    pub messages: Vec<(String, String)>,
    /// Our stream inputs in GNU Radio's order; empty where that is ours.
    pub inputs: Vec<String>,
    /// Our stream outputs in GNU Radio's order.
    pub outputs: Vec<String>,
    /// What GNU Radio Companion calls it.
    pub grc: Vec<Grc>,
    raw: Json,
}

/// An argument of a class.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it is if it is left out.
    pub default: Option<Expression>,
}

/// One of our blocks.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its type.
    pub block: String,
    /// Its parameters.
    pub params: Vec<(String, Setting)>,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub enum Setting {
    /// As it is.
    Literal(Value),
    /// To be worked out.
    Expression(Expression),
}

/// A method that sets or reads a parameter.
#[derive(Clone, Debug)]
pub struct Setter {
    /// Its name.
    pub method: String,
    /// Our parameter.
    pub param: String,
    /// Which of the row's blocks has it.
    pub stage: usize,
    /// The expression that converts the argument, or the value that is read; without one it stays as it is.
    pub value: Option<Expression>,
}

/// How GNU Radio Companion knows a family.
#[derive(Clone, Debug)]
pub struct Grc {
    /// Its id there.
    pub id: String,
    /// The parameter that says the type; or two, with a comma between, whose values together say it.
    pub type_param: String,
    /// Its values, and the letters that each stands for; empty where they are the letters.
    pub types: Vec<(String, String)>,
    /// Arguments that are not the parameter of that name: another parameter, or an expression over all of them.
    pub args: Vec<(String, Setting)>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.module, self.name)
    }
}

impl Row {
    /// The place of the letters in `types`, and the whole name, of each class.
    pub(super) fn classes(&self) -> Vec<(Option<usize>, String)> {
        let name = |letters: &str| format!("{}.{}_{letters}", self.module, self.name);
        match self.types.is_empty() {
            true => vec![(None, format!("{}.{}", self.module, self.name))],
            false => {
                let letters = self.types.iter().enumerate();
                letters.map(|(place, (letters, _))| (Some(place), name(letters))).collect()
            }
        }
    }

    /// A mistake of this row.
    pub fn error(&self, problem: impl Into<String>) -> RowError {
        RowError { module: self.module.clone(), row: self.name.clone(), problem: problem.into() }
    }

    /// Our name of a message port, and which of the row's blocks has it: `1.in` is `in` of the second.
    pub fn message_port<'a>(&'a self, name: &'a str, from: bool) -> (usize, &'a str) {
        let port = self.messages.iter().find(|(theirs, _)| theirs == name).map_or(name, |(_, ours)| ours);
        // One name of theirs for both directions: `in|out`.
        let port = port.split_once('|').map_or(port, |(input, output)| if from { output } else { input });
        let default = if from { self.stages.len() - 1 } else { 0 };
        match port.split_once('.').and_then(|(stage, port)| Some((stage.parse().ok()?, port))) {
            Some((stage, port)) if stage < self.stages.len() => (stage, port),
            _ => (default, port),
        }
    }

    pub(super) fn to_json(&self) -> Json {
        let mut json = self.raw.clone();
        json["module"] = self.module.as_str().into();
        json["name"] = self.name.as_str().into();
        json
    }
}

/// The rows of a file.
pub(super) fn read(module: &str, text: &str) -> Vec<Result<Row, RowError>> {
    let error =
        |row: &str, problem: String| RowError { module: module.to_owned(), row: row.to_owned(), problem };
    match text.parse::<toml::Table>() {
        Err(wrong) => vec![Err(error("", wrong.message().to_owned()))],
        Ok(table) => {
            let rows = table
                .iter()
                .map(|(name, value)| row(module, name, value).map_err(|problem| error(name, problem)));
            rows.collect()
        }
    }
}

const KEYS: &[&str] = &[
    "types", "itemsize", "args", "block", "params", "chain", "vlen", "set", "get", "messages", "inputs",
    "outputs", "grc",
];

fn row(module: &str, name: &str, value: &toml::Value) -> Result<Row, String> {
    let table = table("the row", value)?;
    known_keys("the row", table, KEYS)?;
    let types = texts("types", table.get("types"))?;
    let itemsize = table.get("itemsize").map(|value| text("itemsize", value)).transpose()?;
    if !types.is_empty() && itemsize.is_some() {
        return Err("has types or itemsize, not both".to_owned());
    }
    let signature = table.get("args").map_or(Ok(""), |value| text("args", value))?;
    let args = parameters(signature).map_err(|error| format!("args: {error}"))?;
    let args: Vec<Argument> = args.into_iter().map(|(name, default)| Argument { name, default }).collect();
    let stages = match (table.get("block"), table.get("chain")) {
        (Some(_), None) => vec![stage(table)?],
        (None, Some(toml::Value::Array(chain))) if !chain.is_empty() => {
            let stages = chain.iter().map(|value| {
                let table = self::table("chain", value)?;
                known_keys("chain", table, &["block", "params"])?;
                stage(table)
            });
            stages.collect::<Result<_, _>>()?
        }
        _ => return Err("expected block, or chain with at least one block".to_owned()),
    };
    let vlen = match table.get("vlen") {
        None => [None, None],
        Some(toml::Value::Table(both)) => {
            known_keys("vlen", both, &["in", "out"])?;
            let side = |key| both.get(key).map(|value| number("vlen", value)).transpose();
            [side("in")?, side("out")?]
        }
        Some(value) => [Some(number("vlen", value)?), Some(number("vlen", value)?)],
    };
    let grc = match table.get("grc") {
        None => Vec::new(),
        Some(toml::Value::Array(several)) => several.iter().map(grc).collect::<Result<_, _>>()?,
        Some(one) => vec![grc(one)?],
    };
    let row = Row {
        module: module.to_owned(),
        name: name.to_owned(),
        types,
        itemsize: itemsize.map(str::to_owned),
        set: setters("set", table.get("set"), stages.len(), &args)?,
        get: setters("get", table.get("get"), stages.len(), &args)?,
        args,
        stages,
        vlen,
        messages: texts("messages", table.get("messages"))?,
        inputs: list("inputs", table.get("inputs"))?,
        outputs: list("outputs", table.get("outputs"))?,
        grc,
        raw: json(value),
    };
    let is_arg = |name: &str| row.args.iter().any(|arg| arg.name == name);
    if let Some(itemsize) = row.itemsize.as_deref().filter(|name| !is_arg(name)) {
        return Err(format!("itemsize: there is no argument {itemsize}"));
    }
    for grc in &row.grc {
        if let Some((arg, _)) = grc.args.iter().find(|(arg, _)| !is_arg(arg)) {
            return Err(format!("grc.args: there is no argument {arg}"));
        }
        let is_type = |letters: &str| row.types.iter().any(|(known, _)| known == letters);
        if let Some((_, letters)) =
            grc.types.iter().find(|(_, letters)| !is_type(letters) && !row.types.is_empty())
        {
            return Err(format!("grc.type: there is no type {letters}"));
        }
    }
    Ok(row)
}

fn stage(table: &toml::Table) -> Result<Stage, String> {
    let block = table.get("block").map(|value| text("block", value)).transpose()?;
    let params = match table.get("params") {
        None => Vec::new(),
        Some(value) => {
            let params = self::table("params", value)?.iter();
            params
                .map(|(name, value)| Ok((name.clone(), setting(name, value)?)))
                .collect::<Result<_, String>>()?
        }
    };
    Ok(Stage { block: block.ok_or("expected block")?.to_owned(), params })
}

fn grc(value: &toml::Value) -> Result<Grc, String> {
    let table = table("grc", value)?;
    known_keys("grc", table, &["id", "type", "type_param", "args"])?;
    let id = table.get("id").map(|value| text("grc.id", value)).transpose()?;
    let args = texts("grc.args", table.get("args"))?.into_iter().map(|(arg, written)| {
        let value = match written.strip_prefix('=') {
            Some(expression) => Setting::Expression(parsed("grc.args", expression)?),
            None => Setting::Literal(written.into()),
        };
        Ok((arg, value))
    });
    Ok(Grc {
        id: id.ok_or("grc: expected id")?.to_owned(),
        type_param: table
            .get("type_param")
            .map_or(Ok("type"), |value| text("grc.type_param", value))?
            .to_owned(),
        types: texts("grc.type", table.get("type"))?,
        args: args.collect::<Result<_, String>>()?,
    })
}

/// The methods of a row that are about one parameter; those that change arguments are checked and left out.
fn setters(
    key: &str,
    value: Option<&toml::Value>,
    stages: usize,
    args: &[Argument],
) -> Result<Vec<Setter>, String> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let of_arguments = |value: &toml::Value| value.get("args").is_some();
    for (method, value) in table(key, value)?.iter().filter(|(_, value)| of_arguments(value)) {
        known_keys(key, table(key, value)?, &["args"])?;
        let names = list(&format!("{key}.{method}"), value.get("args"))?;
        if let Some(name) = names.iter().find(|name| !args.iter().any(|arg| arg.name == **name)) {
            return Err(format!("{key}.{method}: there is no argument {name}"));
        }
    }
    let setters =
        table(key, value)?.iter().filter(|(_, value)| !of_arguments(value)).map(|(method, value)| {
            let (param, value) = match value {
                toml::Value::Table(table) => {
                    known_keys(key, table, &["param", "value"])?;
                    let param =
                        table.get("param").ok_or_else(|| format!("{key}.{method}: expected param"))?;
                    let value = table.get("value").map(|value| text(key, value)).transpose()?;
                    let value = value
                        .map(|value| parsed(key, value.strip_prefix('=').unwrap_or(value)))
                        .transpose()?;
                    (text(key, param)?, value)
                }
                value => (text(key, value)?, None),
            };
            let (stage, param) = match param.split_once('.') {
                None => (0, param),
                Some((stage, param)) => {
                    let stage = stage.parse().ok().filter(|stage| *stage < stages);
                    (
                        stage
                            .ok_or_else(|| format!("{key}.{method}: there is no such block in the chain"))?,
                        param,
                    )
                }
            };
            Ok(Setter { method: method.clone(), param: param.to_owned(), stage, value })
        });
    setters.collect()
}

fn setting(name: &str, value: &toml::Value) -> Result<Setting, String> {
    match value {
        toml::Value::String(text) => match text.strip_prefix('=') {
            Some(expression) => Ok(Setting::Expression(parsed(name, expression)?)),
            None => Ok(Setting::Literal(text.as_str().into())),
        },
        value => Ok(Setting::Literal(Value::from_json(&json(value)))),
    }
}

/// A number, or an expression with or without `=` before it.
fn number(name: &str, value: &toml::Value) -> Result<Setting, String> {
    match value {
        toml::Value::String(text) => {
            Ok(Setting::Expression(parsed(name, text.strip_prefix('=').unwrap_or(text))?))
        }
        value => setting(name, value),
    }
}

fn parsed(name: &str, text: &str) -> Result<Expression, String> {
    Expression::parse(text).map_err(|error| format!("{name}: {error}"))
}

fn table<'a>(name: &str, value: &'a toml::Value) -> Result<&'a toml::Table, String> {
    value.as_table().ok_or_else(|| format!("{name}: expected a table, got {}", value.type_str()))
}

fn text<'a>(name: &str, value: &'a toml::Value) -> Result<&'a str, String> {
    value.as_str().ok_or_else(|| format!("{name}: expected text, got {}", value.type_str()))
}

fn texts(name: &str, value: Option<&toml::Value>) -> Result<Vec<(String, String)>, String> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let texts = table(name, value)?.iter();
    texts.map(|(key, value)| Ok((key.clone(), text(name, value)?.to_owned()))).collect()
}

fn list(name: &str, value: Option<&toml::Value>) -> Result<Vec<String>, String> {
    match value {
        None => Ok(Vec::new()),
        Some(toml::Value::Array(values)) => {
            values.iter().map(|value| Ok(text(name, value)?.to_owned())).collect()
        }
        Some(other) => Err(format!("{name}: expected a list, got {}", other.type_str())),
    }
}

fn known_keys(name: &str, table: &toml::Table, known: &[&str]) -> Result<(), String> {
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{name} has no key {key}: expected {}", known.join(", "))),
        None => Ok(()),
    }
}

fn json(value: &toml::Value) -> Json {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(n) => (*n).into(),
        toml::Value::Float(x) => (*x).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(values) => values.iter().map(json).collect(),
        toml::Value::Table(table) => {
            let entries = table.iter().map(|(key, value)| (key.clone(), json(value)));
            json!(entries.collect::<serde_json::Map<_, _>>())
        }
    }
}
