//! The registry for reading: as text, and as JSON for programs.

use std::fmt::Write;

use serde_json::{Value as Json, json};
use superhet_runtime::catalog::{Direction, Entry, Function, Kind, Param, PortDoc};

use crate::registry::Registry;

impl Registry {
    /// All blocks by category, a line each.
    ///
    /// ```text
    /// sinks
    ///   null_sink  Drops what it gets.
    /// ```
    pub fn to_text(&self) -> String {
        let sections = self.by_category().into_iter().map(|(category, entries)| {
            let rows = entries.iter().map(|entry| [entry.name.to_owned(), entry.summary.to_owned()]);
            format!("{category}\n{}", columns(rows.collect()))
        });
        sections.collect::<Vec<String>>().join("\n")
    }

    /// All blocks as a list, each as [`Registry::block_json`] has it.
    pub fn to_json(&self) -> Json {
        self.entries().iter().map(Registry::block_json).collect()
    }

    /// One block: what it does, its parameters, its ports.
    ///
    /// ```text
    /// fir_filter (filters)
    ///   Filters with the given taps.
    ///
    /// parameters
    ///   taps        list of numbers   required   The impulse response.
    ///   decimation  whole number ≥ 1  default 1  How many samples become one.
    ///
    /// ports
    ///   in   input   C32  Samples.
    ///   out  output  C32  Filtered samples.
    /// ```
    pub fn block_text(entry: &Entry) -> String {
        let mut text = format!("{} ({})\n  {}\n", entry.name, entry.category, entry.summary);
        // Writing to a string does not fail.
        if !entry.params.is_empty() {
            let _ = write!(text, "\nparameters\n{}", columns(entry.params.iter().map(param_row).collect()));
        }
        if !entry.ports.is_empty() {
            let _ = write!(text, "\nports\n{}", columns(entry.ports.iter().map(port_row).collect()));
        }
        text
    }

    /// One block as JSON: `name`, `category`, `summary`, `params` and `ports`.
    ///
    /// A parameter has `name`, `kind` (in words), `type` (`float`, `integer`, `bool`, `text`, `path`, `choice`,
    /// `numbers`, `value`), `min` and `max` where it has bounds, `choices`, `unit`, `required`, `default` and `doc`. A port has
    /// `name`, `direction` (`in` or `out`), `items` and `doc`.
    pub fn block_json(entry: &Entry) -> Json {
        json!({
            "name": entry.name,
            "category": entry.category,
            "summary": entry.summary,
            "params": entry.params.iter().map(param_json).collect::<Vec<Json>>(),
            "ports": entry.ports.iter().map(port_json).collect::<Vec<Json>>(),
        })
    }

    /// Functions of several lists as one, each with `name`, `summary` and `params` as blocks have them.
    pub fn functions_json(lists: &[&[Function]]) -> Json {
        let function = |function: &Function| {
            json!({
                "name": function.name,
                "summary": function.summary,
                "params": function.params.iter().map(param_json).collect::<Vec<Json>>(),
            })
        };
        lists.iter().copied().flatten().map(function).collect()
    }
}

fn param_row(param: &Param) -> [String; 4] {
    let unit = if param.unit.is_empty() { String::new() } else { format!(" [{}]", param.unit) };
    let default = param.default.map_or_else(|| "required".to_owned(), |default| format!("default {default}"));
    [param.name.to_owned(), format!("{}{unit}", param.kind), default, param.doc.to_owned()]
}

fn port_row(port: &PortDoc) -> [String; 4] {
    let direction = match port.direction {
        Direction::In => "input",
        Direction::Out => "output",
    };
    [port.name, direction, port.items, port.doc].map(str::to_owned)
}

fn param_json(param: &Param) -> Json {
    let default = param.default.and_then(|default| serde_json::from_str::<Json>(default).ok());
    let mut json = json!({
        "name": param.name,
        "kind": param.kind.to_string(),
        "unit": param.unit,
        "required": param.default.is_none(),
        "default": default,
        "doc": param.doc,
    });
    let mut set = |key: &str, value: Json| json[key] = value;
    if !param.formerly.is_empty() {
        set("formerly", param.formerly.into());
    }
    match param.kind {
        Kind::Float(min, max) => {
            set("type", "float".into());
            for (key, bound) in [("min", min), ("max", max)] {
                if bound.is_finite() {
                    set(key, bound.into());
                }
            }
        }
        Kind::Integer(min, max) => {
            set("type", "integer".into());
            for (key, bound, none) in [("min", min, i64::MIN), ("max", max, i64::MAX)] {
                if bound != none {
                    set(key, bound.into());
                }
            }
        }
        Kind::Bool => set("type", "bool".into()),
        Kind::Text => set("type", "text".into()),
        Kind::Path => set("type", "path".into()),
        Kind::Choice(words) => {
            set("type", "choice".into());
            set("choices", words.into());
        }
        Kind::Numbers => set("type", "numbers".into()),
        Kind::Value => set("type", "value".into()),
    }
    json
}

fn port_json(port: &PortDoc) -> Json {
    let direction = match port.direction {
        Direction::In => "in",
        Direction::Out => "out",
    };
    json!({ "name": port.name, "direction": direction, "items": port.items, "doc": port.doc })
}

/// Rows indented by two spaces, their columns aligned.
fn columns<const N: usize>(rows: Vec<[String; N]>) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("  {cell:width$}"));
        format!("{}\n", cells.collect::<String>().trim_end())
    });
    lines.collect()
}
