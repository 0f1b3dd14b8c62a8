//! Graphs as text in TOML.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use superhet_runtime::Value;
use superhet_runtime::catalog::Kind;

use crate::error::FlowError;
use crate::expression::is_name;
use crate::flow::Flow;
use crate::registry::Registry;

impl Flow {
    /// The graph as a TOML file that runs the same, with the values that variables and expressions come to. Relative paths
    /// are written as they are seen from `folder`, the one that the file will be in.
    ///
    /// # Errors
    /// If the graph has mistakes that stand in its file; those that only its blocks know are not looked for.
    pub fn to_toml(&self, registry: &Registry, folder: &Path) -> Result<String, FlowError> {
        self.mistakes.clone().or(())?;
        let mut text = String::new();
        // Writing to text cannot fail.
        let _ = self.write(registry, folder, &mut text);
        Ok(text)
    }

    fn write(&self, registry: &Registry, folder: &Path, out: &mut String) -> std::fmt::Result {
        writeln!(out, "connections = [")?;
        for ((from, to), _) in &self.links {
            writeln!(out, "    {},", quoted(&format!("{from} -> {to}")))?;
        }
        writeln!(out, "]")?;
        if self.name.is_some() || self.description.is_some() {
            writeln!(out, "\n[graph]")?;
            for (key, value) in [("name", &self.name), ("description", &self.description)] {
                if let Some(value) = value {
                    writeln!(out, "{key} = {}", quoted(value))?;
                }
            }
        }
        // Flowgraphs may have names that graph files have not. Nothing refers to them: values are worked out.
        let named = self.variables.iter().filter(|(name, _)| is_name(name));
        let variables = named.filter_map(|(name, value)| Some((name, plain(value)?)));
        let variables: BTreeMap<&String, String> = variables.collect();
        if !variables.is_empty() {
            writeln!(out, "\n[variables]")?;
            for (name, value) in variables {
                writeln!(out, "{} = {value}", quoted(name))?;
            }
        }
        for block in &self.blocks {
            let Some((kind, _)) = &block.what else { continue };
            writeln!(out, "\n[blocks.{}]\ntype = {}", quoted(&block.name), quoted(kind))?;
            let entry = registry.get(kind);
            for param in &block.params {
                let Some(located) = &param.value else { continue };
                let known = entry.and_then(|entry| entry.param(&param.name));
                let value = match (known.map(|known| known.kind), &located.value) {
                    (Some(Kind::Path), Value::Text(path)) => {
                        let path: &str = path;
                        let same = path.is_empty() || path == "-" || same_folder(&located.folder, folder);
                        match same {
                            true => protected(path),
                            false => protected(&absolute(&located.folder.join(path)).to_string_lossy()),
                        }
                    }
                    // Text stands for the value that it writes in JSON, as it does here.
                    (Some(Kind::Value), Value::Text(text)) => protected(text),
                    (Some(Kind::Value), value) => protected(&value.to_json().to_string()),
                    (_, value) => plain(value).unwrap_or_else(|| protected(&value.to_json().to_string())),
                };
                writeln!(out, "{} = {value}", quoted(&param.name))?;
            }
        }
        Ok(())
    }
}

fn same_folder(a: &Path, b: &Path) -> bool {
    absolute(a) == absolute(b)
}

fn absolute(path: &Path) -> std::path::PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// A key or a name as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Text that is a value, and not the expression that it looks like. What follows `==` is taken as it is.
fn protected(text: &str) -> String {
    quoted(&match text.strip_prefix('=') {
        Some(rest) => format!("=={rest}"),
        None => text.replace("${", "$${"),
    })
}

/// A value as TOML has it; `None` of one that it does not have.
fn plain(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Uint(n) => n.to_string(),
        Value::Float(x) => toml::Value::Float(*x).to_string(),
        Value::Complex(z) => format!("[{}, {}]", toml::Value::Float(z.re), toml::Value::Float(z.im)),
        Value::Text(text) => protected(text),
        value => {
            let items = value.as_list()?;
            format!("[{}]", items.iter().map(plain).collect::<Option<Vec<_>>>()?.join(", "))
        }
    })
}
