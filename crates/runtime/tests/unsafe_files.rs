//! The list of files with `unsafe` in CONTRIBUTING.md is the list of those that the compiler lets have it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => files.extend(self::files(&path)),
            false if path.extension().is_some_and(|extension| extension == "rs") => files.push(path),
            false => {}
        }
    }
    files
}

/// The sources of all crates: of each the folder.
fn crates() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("crates")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path().join("src"));
    folders.filter(|folder| folder.join("lib.rs").is_file()).collect()
}

/// What a file allows itself, or lets the module below `#[allow(unsafe_code)]` have.
fn allowed_in(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let name = |path: &Path| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let own = lines.iter().any(|line| line.starts_with("#![allow(unsafe_code")).then(|| name(path));
    let modules = lines.windows(2).filter(|pair| pair[0].starts_with("#[allow(unsafe_code"));
    let modules = modules.filter_map(|pair| {
        let module = pair[1].trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some(format!("{}/", name(&path.with_file_name(module))))
    });
    own.into_iter().chain(modules).collect()
}

#[test]
fn the_files_that_may_be_unsafe_are_those_that_contributors_are_reported() {
    let allowed: BTreeSet<String> =
        crates().iter().flat_map(|folder| files(folder)).flat_map(|path| allowed_in(&path)).collect();
    let contributing = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, section) = contributing.split_once("## unsafe").unwrap();
    let listed: BTreeSet<String> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |").map(|(files, _)| files))
        .flat_map(|files| files.split("`, `"))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, allowed);
}

#[test]
fn every_crate_forbids_unsafe_code_or_denies_it() {
    for folder in crates() {
        let lib = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
        let says = |level: &str| lib.lines().any(|line| line == format!("#![{level}(unsafe_code)]"));
        assert!(says("forbid") || says("deny"), "{}", folder.display());
    }
}
