//! GNU Radio's blocks by their names there: which of ours each is, with which parameters.
//!
//! The table is a TOML file for each of GNU Radio's modules. A row has the name of a family of classes, without the letters
//! for its types:
//!
//! ```toml
//! [multiply_const]
//! types = { cc = "C32", ff = "f32" }            # the letters of each class, and what `type` is then
//! args = "k, vlen=1"                            # the Python signature
//! block = "multiply_const"                      # our block, or chain = [{ block = …, params = … }, …]
//! params = { item = "=type", constant = "=k" }  # our parameters: text that begins with = is a Python expression
//! vlen = "vlen"                                 # items in a vector, at all ports; or { in = …, out = … }
//! set = { set_k = "constant" }                  # methods that set a parameter; or { param = …, value = "=… x …" }, or
//!                                               # { args = ["k"] }: the block as if it were made with these arguments
//! get = { k = "constant" }                      # methods that read one; or { param = …, value = "=… value …" }, or an argument
//! messages = { in_msg = "in" }                  # message ports that have another name with us; "in|out" for both directions
//! inputs = ["a", "b"]                           # stream ports in GNU Radio's order, where ours is another; outputs too
//! grc = { id = "blocks_multiply_const_vxx", type = { complex = "cc", float = "ff" }, args = { k = "const" } }
//! ```
//!
//! A class that gets the size of its items as an argument has `itemsize = "…"`, the argument that says it, instead of
//! `types`; `type` is then the type of its neighbours' items, and `vlen` how many of them make that size. Expressions know
//! the arguments, `type`, `suffix`, `vlen`, and the numbers of connected streams, `inputs` and `outputs`. An expression
//! whose value is `None` leaves the parameter at its default.
//!
//! A type that Companion says by two parameters has `type_param = "in_type,out_type"`, and values of both: `"byte,float"`.
//!
//! In Python `set_NAME` and `NAME` change and read the argument `NAME` where no other method has that name.

mod coverage;
mod make;
mod row;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Value as Json, json};

use crate::error::near;

pub use coverage::Coverage;
pub use make::{Call, Made, MakeError, item_size, stream_port};
pub use row::{Argument, Grc, Row, RowError, Setter, Setting, Stage};

/// The modules and the text of their files.
const FILES: &[(&str, &str)] = &[
    ("analog", include_str!("analog.toml")),
    ("audio", include_str!("audio.toml")),
    ("blocks", include_str!("blocks.toml")),
    ("channels", include_str!("channels.toml")),
    ("digital", include_str!("digital.toml")),
    ("fec", include_str!("fec.toml")),
    ("fft", include_str!("fft.toml")),
    ("filter", include_str!("filter.toml")),
    ("network", include_str!("network.toml")),
    ("pdu", include_str!("pdu.toml")),
    ("vocoder", include_str!("vocoder.toml")),
    ("zeromq", include_str!("zeromq.toml")),
];

/// Which class each block of GNU Radio Companion's palette is, and how it is called, for Python: the first lines say how.
pub const PALETTE: &[&str] = &[include_str!("palette.txt"), include_str!("palette_more.txt")];

/// Whether the palette of GNU Radio Companion has a block of that id.
pub fn is_in_palette(id: &str) -> bool {
    static IDS: OnceLock<BTreeSet<&str>> = OnceLock::new();
    let entries =
        || PALETTE.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with(['#', '\t']));
    IDS.get_or_init(|| entries().filter_map(|line| line.split('\t').next()).collect()).contains(id)
}

/// The rows of the table.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    /// Rows and letters by `module.class`.
    classes: BTreeMap<String, (usize, Option<usize>)>,
    /// Rows by what GNU Radio Companion calls them, and which of their descriptions there it is.
    grc: BTreeMap<String, (usize, usize)>,
}

/// The table of GNU Radio's names.
///
/// ```
/// let (row, letters) = superhet_flow::gnuradio::table().class("blocks.multiply_const_cc").unwrap();
/// assert_eq!((row.name.as_str(), letters), ("multiply_const", "cc"));
/// ```
pub fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::read(FILES).0)
}

/// What is wrong with the rows of the table: nothing, as a test holds.
pub fn mistakes() -> Vec<RowError> {
    Table::read(FILES).1
}

impl Table {
    /// Reads files of rows, given by their modules; rows that cannot be read are left out and reported.
    pub fn read(files: &[(&str, &str)]) -> (Table, Vec<RowError>) {
        let (mut table, mut errors) = (Table::default(), Vec::new());
        for (module, text) in files {
            for row in row::read(module, text) {
                match row {
                    Ok(row) => table.add(row, &mut errors),
                    Err(error) => errors.push(error),
                }
            }
        }
        (table, errors)
    }

    fn add(&mut self, row: Row, errors: &mut Vec<RowError>) {
        let place = self.rows.len();
        let mut twice = |name: &str| errors.push(row.error(format!("{name} has another row, too")));
        for (letters, class) in row.classes() {
            if self.classes.insert(class.clone(), (place, letters)).is_some() {
                twice(&class);
            }
        }
        for (index, grc) in row.grc.iter().enumerate() {
            if self.grc.insert(grc.id.clone(), (place, index)).is_some() {
                twice(&grc.id);
            }
        }
        self.rows.push(row);
    }

    /// All rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a class, `blocks.multiply_const_cc`, and its letters, empty where it has none.
    pub fn class(&self, name: &str) -> Option<(&Row, &str)> {
        let (row, letters) = self.classes.get(name.strip_prefix("gnuradio.").unwrap_or(name))?;
        let row = &self.rows[*row];
        Some((row, letters.map_or("", |letters| row.types[letters].0.as_str())))
    }

    /// The row of a block of GNU Radio Companion, and how it is described there.
    pub fn grc(&self, id: &str) -> Option<(&Row, &Grc)> {
        let (row, index) = self.grc.get(id)?;
        let row = &self.rows[*row];
        Some((row, &row.grc[*index]))
    }

    /// `; did you mean X?` for an id that is not there.
    pub(crate) fn near_grc(&self, id: &str) -> String {
        near(id, self.grc.keys().map(String::as_str))
    }

    /// The names of all classes, `blocks.multiply_const_cc`, in order.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// The rows as they are written, each with its module and its name, and the constants of GNU Radio's modules.
    pub fn to_json(&self) -> Json {
        json!({
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<_>>(),
            "constants": crate::python::constants(),
        })
    }
}

#[cfg(test)]
mod tests;
