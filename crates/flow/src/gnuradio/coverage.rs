//! Which of GNU Radio's classes are there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value as Json, json};

use super::Table;

/// The block classes of GNU Radio 3.10 that its modules show, a line for each module.
const CLASSES: &str = include_str!("classes.txt");

/// Those that Python alone has, besides the table.
const PYTHON: &str = include_str!("python.txt");

/// The classes that a list of these says for a module.
fn listed(list: &'static str, module: &str) -> impl Iterator<Item = &'static str> {
    let line = list.lines().find_map(|line| line.strip_prefix(module)?.strip_prefix(": "));
    line.into_iter().flat_map(|classes| classes.split(' '))
}

/// For each of GNU Radio's modules, the classes that are here and those that are not.
#[derive(Clone, Debug)]
pub struct Coverage {
    modules: Vec<Module>,
}

#[derive(Clone, Debug)]
struct Module {
    name: &'static str,
    /// Families, with the letters of their classes.
    here: BTreeMap<String, Vec<String>>,
    /// Classes that Python alone has.
    python: Vec<&'static str>,
    known: usize,
    missing: Vec<&'static str>,
}

impl Coverage {
    /// Compares a table with GNU Radio's classes.
    pub fn of(table: &Table) -> Self {
        let lines = CLASSES.lines().filter(|line| !line.starts_with('#'));
        let modules = lines.filter_map(|line| {
            let (name, classes) = line.split_once(": ")?;
            let classes: BTreeSet<&str> = classes.split(' ').collect();
            let mut here: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for row in table.rows().iter().filter(|row| row.module == name) {
                let letters = row.types.iter().map(|(letters, _)| letters.clone());
                here.entry(row.name.clone()).or_default().extend(letters);
            }
            let python: Vec<&str> = listed(PYTHON, name).collect();
            let is_here =
                |class: &&str| table.class(&format!("{name}.{class}")).is_some() || python.contains(class);
            let known = classes.iter().copied().filter(is_here).count();
            let missing = classes.iter().copied().filter(|class| !is_here(class)).collect();
            Some(Module { name, here, python, known, missing })
        });
        Coverage { modules: modules.collect() }
    }

    /// Names in the table that GNU Radio 3.10 does not have.
    pub fn unknown(table: &Table) -> Vec<&str> {
        let has = |class: &str| {
            let (module, name) = class.split_once('.').unwrap_or_default();
            listed(CLASSES, module).any(|known| known == name)
        };
        table.classes().filter(|class| !has(class)).collect()
    }

    /// The same as JSON.
    pub fn to_json(&self) -> Json {
        let modules = self.modules.iter().map(|module| {
            let value = json!({
                "here": module.here,
                "python": module.python,
                "classes_here": module.known,
                "missing": module.missing,
            });
            (module.name.to_owned(), value)
        });
        json!(modules.collect::<serde_json::Map<_, _>>())
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |count: fn(&Module) -> usize| self.modules.iter().map(count).sum::<usize>();
        let (known, all) = (sum(|module| module.known), sum(|module| module.known + module.missing.len()));
        writeln!(f, "{known} of the {all} block classes of GNU Radio 3.10")?;
        for Module { name, here, python, known, missing } in &self.modules {
            writeln!(f, "\n{name}: {known} of {}", known + missing.len())?;
            for (family, letters) in here {
                let letters =
                    if letters.is_empty() { String::new() } else { format!(" ({})", letters.join(", ")) };
                writeln!(f, "  {family}{letters}")?;
            }
            if !python.is_empty() {
                writeln!(f, "  in Python: {}", python.join(" "))?;
            }
            if !missing.is_empty() {
                writeln!(f, "  not here: {}", missing.join(" "))?;
            }
        }
        Ok(())
    }
}
