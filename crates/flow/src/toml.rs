//! Graph files as TOML: from text to what it says, not yet evaluated. [The crate](crate) has the format.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use superhet_runtime::Value;

use crate::connections::{self, Link, is_name};
use crate::error::{Mistake, Mistakes, Place, near, shown};
use crate::expression;
use crate::values::Located;
use crate::variables::{Variable, VariableValue};

/// The version of the format that this crate reads.
const FORMAT: i64 = 1;
/// The longest text in which all mistakes of syntax are looked for, not only the first.
const ALL_MISTAKES: usize = 64 << 10;
/// How many variables or keys of one block a file may have.
pub(crate) const MOST_KEYS: usize = 4096;
/// How many blocks a graph may have, with those of the files that it includes.
pub(crate) const MOST_BLOCKS: usize = 65_536;
/// How many connections a graph may have.
pub(crate) const MOST_LINKS: usize = 4 * MOST_BLOCKS;
/// How many devices a file may name.
const MOST_DEVICES: usize = 256;
/// The keys of a table of a device.
const DEVICE_KEYS: [&str; 4] = ["backend", "number", "batch", "depth"];
/// How many ports a file may show.
const MOST_PORTS: usize = 256;

/// What a file says, names as they are within the file.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub name: Option<String>,
    pub description: Option<String>,
    pub variables: Vec<Variable>,
    pub devices: Vec<DeviceTable>,
    pub blocks: Vec<BlockTable>,
    pub links: Vec<(Link, Place)>,
    /// What is named in connections that cannot be read.
    pub unreadable: Vec<String>,
    /// The ports that the file shows, and what inner port each is.
    pub ports: Vec<(String, String, Place)>,
}

/// A table `[blocks.NAME]`.
#[derive(Debug)]
pub(crate) struct BlockTable {
    pub name: String,
    pub place: Place,
    pub what: BlockKind,
    pub settings: Vec<Setting>,
}

/// A table `[devices.NAME]`.
#[derive(Debug)]
pub(crate) struct DeviceTable {
    pub name: String,
    pub place: Place,
    /// Those of [`DEVICE_KEYS`] that are there.
    pub settings: Vec<Setting>,
}

/// What a block is.
#[derive(Debug)]
pub(crate) enum BlockKind {
    /// A block of this type.
    Type(String, Place),
    /// The blocks of another file.
    File(String, Place),
    /// Unknown because of a mistake that has been reported.
    Unknown,
}

/// A key beside `type` or `graph`; no value where a mistake that has been reported prevented it.
#[derive(Debug)]
pub(crate) struct Setting {
    pub name: String,
    pub place: Place,
    pub value: VariableValue,
}

/// Reads `text`; `None` if it is not TOML. `file` is how messages name it, `folder` what its paths are relative to.
pub(crate) fn read(
    text: &str,
    file: Option<&Arc<str>>,
    folder: &Arc<Path>,
    mistakes: &mut Mistakes,
) -> Option<Document> {
    let lines = Lines::new(text, file);
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(first) => {
            let all = match text.len() <= ALL_MISTAKES {
                true => DeTable::parse_recoverable(text).1,
                false => vec![first],
            };
            for error in all {
                let at = error.span().map_or_else(|| lines.file(), |span| lines.at(&span));
                mistakes.add(|| Mistake::Syntax { at, problem: shown(error.message()) });
            }
            return None;
        }
    };
    let mut reader = Reader { lines, folder, mistakes, document: Document::default() };
    for (key, value) in in_order(&table) {
        match &**key.get_ref() {
            "graph" => reader.graph(value),
            "variables" => reader.variables(value),
            "devices" => reader.devices(value),
            "blocks" => reader.blocks(value),
            "connections" => reader.connections(value),
            "ports" => reader.ports(value),
            other => {
                let near = near(other, ["graph", "variables", "devices", "blocks", "connections", "ports"]);
                reader.shape(&key.span(), other, || format!("a graph file has no such key{near}"));
            }
        }
    }
    Some(reader.document)
}

/// A value of TOML as it is, or what it should be instead.
pub(crate) fn plain(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::Text((&**text).into()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(time) => Value::Text(time.to_string().into()),
        DeValue::Integer(digits) => {
            let (text, radix) = (digits.as_str(), digits.radix());
            let signed = i64::from_str_radix(text, radix).map(Value::Int);
            let unsigned = || u64::from_str_radix(text, radix).map(Value::Uint);
            let limit = |_| format!("expected a whole number of at most 64 bits, got {}", shown(text));
            signed.or_else(|_| unsigned()).map_err(limit)?
        }
        DeValue::Float(digits) => {
            let number = digits.as_str().parse::<f64>().ok();
            let number = number.filter(|x| x.is_finite() || digits.as_str().contains(['i', 'n']));
            Value::Float(number.ok_or_else(|| format!("expected a number, got {}", shown(digits.as_str())))?)
        }
        DeValue::Array(values) => {
            let values = values.iter().map(|value| plain(value.get_ref()));
            values.collect::<Result<Vec<Value>, String>>()?.into()
        }
        DeValue::Table(_) => return Err("expected a value, got a table".to_owned()),
    })
}

type Entry<'a, 'i> = (&'a Spanned<::toml::de::DeString<'i>>, &'a Spanned<DeValue<'i>>);

/// The entries of a table in the order of the file.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<Entry<'a, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn describe(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Where each line of a text begins.
struct Lines<'a> {
    file: Option<&'a Arc<str>>,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &str, file: Option<&'a Arc<str>>) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { file, starts: std::iter::once(0).chain(starts).collect() }
    }

    fn at(&self, span: &Range<usize>) -> Place {
        Place::Line(self.file.cloned(), self.starts.partition_point(|start| *start <= span.start))
    }

    fn file(&self) -> Place {
        self.file.map_or(Place::Nowhere, |file| Place::File(file.clone()))
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    folder: &'a Arc<Path>,
    mistakes: &'a mut Mistakes,
    document: Document,
}

impl Reader<'_> {
    fn shape(&mut self, span: &Range<usize>, subject: &str, problem: impl FnOnce() -> String) {
        let at = self.lines.at(span);
        self.mistakes.add(|| Mistake::Shape { at, subject: shown(subject), problem: problem() });
    }

    fn too_much(&mut self, span: &Range<usize>, what: String, limit: usize) {
        let at = self.lines.at(span);
        self.mistakes.add(|| Mistake::TooMuch { at, what, limit });
    }

    /// The entries of what must be a table, in order and not too many.
    fn table<'a, 'i>(
        &mut self,
        value: &'a Spanned<DeValue<'i>>,
        subject: &str,
        most: usize,
    ) -> Vec<Entry<'a, 'i>> {
        let Some(table) = value.get_ref().as_table() else {
            let got = describe(value.get_ref());
            self.shape(&value.span(), subject, || format!("expected a table, got {got}"));
            return Vec::new();
        };
        let mut entries = in_order(table);
        if entries.len() > most {
            self.too_much(&value.span(), format!("entries in {} ({})", shown(subject), entries.len()), most);
            entries.truncate(most);
        }
        entries
    }

    /// What must be text.
    fn text(&mut self, value: &Spanned<DeValue<'_>>, subject: &str) -> Option<String> {
        if let Some(text) = value.get_ref().as_str() {
            return Some(text.to_owned());
        }
        let got = describe(value.get_ref());
        self.shape(&value.span(), subject, || format!("expected text, got {got}"));
        None
    }

    /// A value to be evaluated later.
    fn value(&mut self, value: &Spanned<DeValue<'_>>, subject: &str) -> VariableValue {
        match plain(value.get_ref()) {
            Ok(plain) => VariableValue::Written(Located::new(plain, self.folder)),
            Err(problem) => {
                self.shape(&value.span(), subject, || problem);
                VariableValue::Ready(None)
            }
        }
    }

    fn graph(&mut self, value: &Spanned<DeValue<'_>>) {
        for (key, value) in self.table(value, "[graph]", MOST_KEYS) {
            match &**key.get_ref() {
                "name" => self.document.name = self.text(value, "name"),
                "description" => self.document.description = self.text(value, "description"),
                "format" => {
                    if plain(value.get_ref()) != Ok(Value::Int(FORMAT)) {
                        let got = plain(value.get_ref())
                            .map_or_else(|_| "a table".to_owned(), |got| shown(&got.to_string()));
                        self.shape(&value.span(), "format", || {
                            format!("the known version of the format is {FORMAT}, got {got}")
                        });
                    }
                }
                "connections" => self.connections_misplaced(key, "[graph]"),
                other => {
                    self.shape(&key.span(), other, || {
                        format!("[graph] has no such key{}", near(other, ["name", "description", "format"]))
                    });
                }
            }
        }
    }

    fn variables(&mut self, value: &Spanned<DeValue<'_>>) {
        for (key, value) in self.table(value, "[variables]", MOST_KEYS) {
            let name = &**key.get_ref();
            if name == "connections" {
                self.connections_misplaced(key, "[variables]");
                continue;
            }
            if expression::constant(name).is_some() {
                self.shape(&key.span(), name, || "is a constant, a variable cannot have its name".to_owned());
            } else if !expression::is_name(name) || !is_name(name) {
                let problem = "the name of a variable has letters, digits and _, and begins with no digit";
                self.shape(&key.span(), name, || problem.to_owned());
                continue;
            }
            let value = self.value(value, &format!("variable {name}"));
            let place = self.lines.at(&key.span());
            self.document.variables.push(Variable { name: name.to_owned(), place, value });
        }
    }

    fn devices(&mut self, value: &Spanned<DeValue<'_>>) {
        for (key, value) in self.table(value, "[devices]", MOST_DEVICES) {
            let name = &**key.get_ref();
            if name == "connections" && !value.get_ref().is_table() {
                self.connections_misplaced(key, "[devices]");
                continue;
            }
            if !is_name(name) {
                self.shape(&key.span(), name, || {
                    "the name of a device has letters, digits, _ and -".to_owned()
                });
                continue;
            }
            let (subject, place) = (format!("[devices.{name}]"), self.lines.at(&key.span()));
            let mut device = DeviceTable { name: name.to_owned(), place, settings: Vec::new() };
            for (key, value) in self.table(value, &subject, MOST_KEYS) {
                match &**key.get_ref() {
                    "connections" => self.connections_misplaced(key, &subject),
                    known if DEVICE_KEYS.contains(&known) => {
                        let place = self.lines.at(&key.span());
                        let value = self.value(value, &format!("device {name}: {known}"));
                        device.settings.push(Setting { name: known.to_owned(), place, value });
                    }
                    other => self.shape(&key.span(), other, || {
                        format!("a device has no such key{}", near(other, DEVICE_KEYS))
                    }),
                }
            }
            if value.get_ref().is_table() && device.settings.iter().all(|known| known.name != "backend") {
                self.shape(&key.span(), &subject, || {
                    r#"expected backend = "…", which says what drives it"#.to_owned()
                });
            }
            self.document.devices.push(device);
        }
    }

    fn blocks(&mut self, value: &Spanned<DeValue<'_>>) {
        for (key, value) in self.table(value, "[blocks]", MOST_BLOCKS) {
            let name = &**key.get_ref();
            if name == "connections" && !value.get_ref().is_table() {
                self.connections_misplaced(key, "[blocks]");
            } else if is_name(name) {
                self.block(key, name, value);
            } else {
                self.shape(&key.span(), name, || {
                    "the name of a block has letters, digits, _ and -".to_owned()
                });
            }
        }
    }

    fn block(&mut self, key: &Spanned<::toml::de::DeString<'_>>, name: &str, value: &Spanned<DeValue<'_>>) {
        let subject = format!("[blocks.{name}]");
        let place = self.lines.at(&key.span());
        let mut block =
            BlockTable { name: name.to_owned(), place, what: BlockKind::Unknown, settings: Vec::new() };
        let known = value.get_ref().is_table();
        let mut given = (false, false);
        for (key, value) in self.table(value, &subject, MOST_KEYS) {
            let place = self.lines.at(&key.span());
            match &**key.get_ref() {
                "type" => {
                    given.0 = true;
                    let text = self.text(value, &format!("type of block {name}"));
                    block.what = text.map_or(BlockKind::Unknown, |text| BlockKind::Type(text, place));
                }
                "graph" => {
                    given.1 = true;
                    let text = self.text(value, &format!("graph of block {name}"));
                    block.what = text.map_or(BlockKind::Unknown, |text| BlockKind::File(text, place));
                }
                "connections" => self.connections_misplaced(key, &subject),
                key => {
                    let value = self.value(value, &format!("block {name}: {key}"));
                    block.settings.push(Setting { name: key.to_owned(), place, value });
                }
            }
        }
        match given {
            (true, true) => {
                block.what = BlockKind::Unknown;
                let problem = "has a type and a graph: a block is either of a type or the blocks of a file";
                self.shape(&key.span(), &format!("block {name}"), || problem.to_owned());
            }
            (false, false) if known => {
                let problem = r#"expected type = "…" (or graph = "FILE"), which says what the block is"#;
                self.shape(&key.span(), &format!("block {name}"), || problem.to_owned());
            }
            _ => {}
        }
        self.document.blocks.push(block);
    }

    /// What is written below a table belongs to it, which is easily forgotten.
    fn connections_misplaced(&mut self, key: &Spanned<::toml::de::DeString<'_>>, table: &str) {
        let problem = format!(
            "stands inside of {table}: move it above the first table of the file, or write [[connections]] with from \
             and to"
        );
        self.shape(&key.span(), "connections", || problem);
        self.document.unreadable.push("*".to_owned());
    }

    fn connections(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(list) = value.get_ref().as_array() else {
            let got = describe(value.get_ref());
            self.shape(&value.span(), "connections", || {
                format!(r#"expected a list such as ["a -> b"], got {got}"#)
            });
            self.document.unreadable.push("*".to_owned());
            return;
        };
        for value in list.iter() {
            match value.get_ref() {
                DeValue::String(text) => self.chain(text, &value.span()),
                DeValue::Table(table) => self.link_table(table, &value.span()),
                other => {
                    let got = describe(other);
                    self.shape(&value.span(), "connections", || format!(r#"expected "a -> b", got {got}"#));
                    self.document.unreadable.push("*".to_owned());
                }
            }
        }
    }

    fn chain(&mut self, text: &str, span: &Range<usize>) {
        match connections::links(text) {
            Ok(links) => {
                let place = self.lines.at(span);
                if self.document.links.len() + links.len() > MOST_LINKS {
                    self.too_much(span, "connections".to_owned(), MOST_LINKS);
                    self.document.unreadable.push("*".to_owned());
                } else {
                    self.document.links.extend(links.into_iter().map(|link| (link, place.clone())));
                }
            }
            Err(problem) => {
                self.shape(span, &format!("connection {text:?}"), || problem);
                self.document.unreadable.extend(connections::names(text));
            }
        }
    }

    /// `[[connections]]` with `from` and `to`.
    fn link_table(&mut self, table: &DeTable<'_>, span: &Range<usize>) {
        let (mut from, mut to) = (None, None);
        for (key, value) in in_order(table).into_iter().take(MOST_KEYS) {
            match &**key.get_ref() {
                "from" => from = self.text(value, "from"),
                "to" => to = self.text(value, "to"),
                other => {
                    self.shape(&key.span(), other, || {
                        format!("a connection has from and to only{}", near(other, ["from", "to"]))
                    });
                }
            }
        }
        match (from, to) {
            (Some(from), Some(to)) => self.chain(&format!("{from} -> {to}"), span),
            _ => {
                // A key with a wrong value has been reported already.
                if !["from", "to"].iter().all(|key| table.contains_key(*key)) {
                    self.shape(span, "[[connections]]", || r#"expected from = "…" and to = "…""#.to_owned());
                }
                self.document.unreadable.push("*".to_owned());
            }
        }
    }

    fn ports(&mut self, value: &Spanned<DeValue<'_>>) {
        for (key, value) in self.table(value, "[ports]", MOST_PORTS) {
            let name = &**key.get_ref();
            if name == "connections" {
                self.connections_misplaced(key, "[ports]");
                continue;
            }
            let Some(target) = self.text(value, &format!("port {name}")) else { continue };
            let whole = target.split_once('.').is_some_and(|(block, port)| is_name(block) && is_name(port));
            if !is_name(name) {
                self.shape(&key.span(), name, || {
                    "the name of a port has letters, digits, _ and -".to_owned()
                });
            } else if !whole {
                self.shape(&value.span(), &format!("port {name}"), || {
                    format!("expected a port of a block as block.port, got {}", shown(&target))
                });
            } else {
                let place = self.lines.at(&key.span());
                self.document.ports.push((name.to_owned(), target, place));
            }
        }
    }
}
