//! What `SECURITY.md` names is there: tests that hold promises, variables that are honoured.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::project;

fn read(path: &str) -> String {
    std::fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pieces of a text between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_test_that_holds_a_promise_is_there() {
    let security = read("SECURITY.md");
    let (_, table) = security.split_once("| promise | held by |").unwrap();
    let tests: Vec<(&str, &str)> = quoted(table).filter_map(|code| code.split_once(": ")).collect();
    assert!(tests.len() > 20, "{} tests are named", tests.len());
    for (path, name) in tests {
        let text = read(path);
        // A function, or a row of the macro that makes tests of names.
        let found = [format!("fn {name}("), format!("def {name}("), format!("\n    {name}: \"")];
        assert!(found.iter().any(|form| text.contains(form)), "{path} has no test {name}");
    }
}

#[test]
fn every_row_of_promises_names_a_test() {
    let security = read("SECURITY.md");
    let (_, table) = security.split_once("| promise | held by |").unwrap();
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 8, "{} promises", rows.len());
    for row in rows {
        assert!(quoted(row).any(|code| code.contains(": ")), "no test for {row}");
    }
}

#[test]
fn environment_variables_that_are_honoured_are_reported() {
    let security = read("SECURITY.md");
    for path in [
        "crates/bench/src",
        "crates/command/src",
        "crates/terminal/src",
        "crates/kernels/src",
        "crates/device/src/cuda",
        "crates/runtime/src",
        "python/src",
    ] {
        for text in sources(&project(path)) {
            let names = text
                .split("\"SUPERHET_")
                .skip(1)
                .filter_map(|rest| rest.split_once('"'))
                .map(|(name, _)| name);
            let is_name = |name: &&str| name.bytes().all(|byte| byte.is_ascii_uppercase());
            for name in names.filter(is_name) {
                assert!(
                    security.contains(&format!("SUPERHET_{name}")),
                    "SUPERHET_{name} is not in SECURITY.md"
                );
            }
        }
    }
}

/// The texts of the Rust files below a folder.
fn sources(folder: &std::path::Path) -> Vec<String> {
    let mut texts = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
    texts
}

/// Names of Rust files and of folders with a `mod.rs` in a folder of tests, as modules have them.
fn modules(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").exists())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn no_file_of_tests_is_left_out() {
    for entry in std::fs::read_dir(project("crates")).unwrap() {
        let root = entry.unwrap().path();
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        if !manifest.contains("autotests = false") {
            continue;
        }
        let programs: Vec<&str> =
            manifest.split("[[test]]\nname = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let mut known: BTreeSet<String> = programs.iter().map(|program| program.to_string()).collect();
        for program in programs {
            // A program in a folder has its files there.
            if root.join(format!("tests/{program}/main.rs")).exists() {
                continue;
            }
            let text = std::fs::read_to_string(root.join(format!("tests/{program}.rs"))).unwrap();
            let named = text.lines().filter_map(|line| line.trim().strip_prefix("mod ")?.strip_suffix(';'));
            known.extend(named.map(str::to_owned));
        }
        for file in modules(&root.join("tests")) {
            assert!(known.contains(&file), "{}/tests/{file} is run by nothing", root.display());
        }
    }
}

#[test]
fn every_crate_says_what_it_is_and_has_its_licences() {
    for entry in std::fs::read_dir(project("crates")).unwrap() {
        let root = entry.unwrap().path();
        let read = |name: &str| {
            let path = root.join(name);
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
        let package = manifest["package"].as_table().unwrap();
        let name = package["name"].as_str().unwrap();
        let words = |key: &str| -> Vec<String> {
            let list =
                package.get(key).and_then(|list| list.as_array()).unwrap_or_else(|| panic!("{name}: {key}"));
            list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
        };
        // What the registry takes.
        for (key, longest) in [("keywords", 20), ("categories", 64)] {
            let fits = |word: &String| !word.is_empty() && word.len() <= longest && !word.contains(' ');
            assert!((1..=5).contains(&words(key).len()) && words(key).iter().all(fits), "{name}: {key}");
        }
        assert!(package["description"].as_str().unwrap().len() > 20, "{name}");
        assert!(read(package["readme"].as_str().unwrap()).starts_with(&format!("# {name}\n")), "{name}");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(read(licence), std::fs::read_to_string(project(licence)).unwrap(), "{name}");
        }
    }
}
