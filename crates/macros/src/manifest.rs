//! What the crate that is being compiled calls the runtime: its manifest says it.

use std::path::Path;

/// The path of the runtime where the manifest of the crate says it: by the runtime itself, under whatever name, or by the crate
/// `superhet`, which has it as `runtime`.
pub fn runtime() -> Option<String> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR")?;
    of_manifest(&std::fs::read_to_string(Path::new(&folder).join("Cargo.toml")).ok()?)
}

fn of_manifest(text: &str) -> Option<String> {
    let known = |package: &str| dependencies(text).into_iter().find(|(_, of)| of == package);
    let path = |name: String| format!("::{}", name.replace('-', "_"));
    match known("superhet-runtime") {
        Some((name, _)) => Some(path(name)),
        None => known("superhet").map(|(name, _)| format!("{}::runtime", path(name))),
    }
}

/// The dependencies: what each is called, and the package that it is.
fn dependencies(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut section = Section::Other;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = Section::of(name);
            if let Section::One(name) = &section {
                found.push((name.clone(), name.clone()));
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        match &section {
            Section::All => {
                let name = key.split('.').next().unwrap_or(key).to_owned();
                let package = value.split_once("package").and_then(|(_, rest)| quoted(rest));
                found.push((name.clone(), package.unwrap_or(name)));
            }
            Section::One(_) if key == "package" => {
                if let (Some(last), Some(package)) = (found.last_mut(), quoted(value)) {
                    last.1 = package;
                }
            }
            _ => {}
        }
    }
    found
}

/// The first text in quotes.
fn quoted(text: &str) -> Option<String> {
    text.split('"').nth(1).map(str::to_owned)
}

enum Section {
    /// Dependencies, a line each.
    All,
    /// One dependency.
    One(String),
    Other,
}

impl Section {
    fn of(name: &str) -> Self {
        let is_of = |word: &str| matches!(word, "dependencies" | "dev-dependencies");
        match name.rsplit_once('.') {
            None if is_of(name) => Section::All,
            Some((_, last)) if is_of(last) => Section::All,
            Some((before, last)) if is_of(before.rsplit('.').next().unwrap_or(before)) => {
                Section::One(last.trim_matches('"').to_owned())
            }
            _ => Section::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_manifest;

    #[test]
    fn the_runtime_is_found_under_any_name() {
        for (text, path) in [
            ("[dependencies]\nsuperhet-runtime.workspace = true", Some("::superhet_runtime")),
            ("[dependencies]\nsuperhet = \"0.1\"", Some("::superhet::runtime")),
            (
                "[dependencies]\nradio = { package = \"superhet\", version = \"0.1\" }",
                Some("::radio::runtime"),
            ),
            (
                "[dev-dependencies]\nthe-core = { path = \"..\", package = \"superhet-runtime\" }",
                Some("::the_core"),
            ),
            ("[dependencies.radio]\nversion = \"0.1\"\npackage = \"superhet\"", Some("::radio::runtime")),
            ("[target.'cfg(unix)'.dependencies]\nsuperhet = \"0.1\"", Some("::superhet::runtime")),
            ("[package]\nname = \"superhet\"\n[dependencies]\n# superhet = \"1\"\nserde = \"1\"", None),
        ] {
            assert_eq!(of_manifest(text).as_deref(), path, "{text}");
        }
    }
}
