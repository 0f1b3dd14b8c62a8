//! What `deny.toml` wants of licences, crates and where they come from, without cargo-deny and without a network.
//!
//! Versions and sources are those of `Cargo.lock`, so of every platform and feature; licences those of the crates that this
//! machine builds by default. `cargo deny check`, where it is installed, looks at more: the texts of licences, all
//! features, advisories.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::common::project;
use serde_json::Value as Json;
use toml::{Table, Value};

fn read(path: &str) -> String {
    std::fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn parsed(path: &str) -> Table {
    read(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts of a list of `deny.toml`.
fn texts(deny: &Table, section: &str, key: &str) -> Vec<String> {
    let list = deny[section][key].as_array().unwrap();
    list.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// The crates that the entries of a list name, as `name` and perhaps a version.
fn crates(deny: &Table, section: &str, key: &str) -> Vec<(String, Option<String>)> {
    let list = deny[section][key].as_array().unwrap();
    let entry = |item: &Value| {
        let text = item["crate"].as_str().unwrap();
        match text.split_once('@') {
            Some((name, version)) => (name.to_owned(), Some(version.to_owned())),
            None => (text.to_owned(), None),
        }
    };
    list.iter().map(entry).collect()
}

/// Name, version and source of every package in `Cargo.lock`.
fn locked() -> Vec<(String, String, Option<String>)> {
    let lock = parsed("Cargo.lock");
    let text = |package: &Value, key: &str| package.get(key).map(|value| value.as_str().unwrap().to_owned());
    let packages = lock["package"].as_array().unwrap().iter();
    packages.map(|p| (text(p, "name").unwrap(), text(p, "version").unwrap(), text(p, "source"))).collect()
}

/// What cargo says of the packages that this machine builds.
fn metadata() -> Json {
    let host = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--offline", "--format-version=1", "--filter-platform", host])
        .current_dir(project("."))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata (does `cargo fetch --locked` help?): {text}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether an expression of licences is satisfied by those that are allowed: `A OR B` by either, `A AND B` by both.
fn is_allowed(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &tokens[..];
    let is = either(&mut rest, allowed);
    assert!(rest.is_empty(), "an expression of licences that is not understood: {expression}");
    is
}

fn either(tokens: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut is = both(tokens, allowed);
    while let ["OR", rest @ ..] = *tokens {
        *tokens = rest;
        is |= both(tokens, allowed);
    }
    is
}

fn both(tokens: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut is = licence(tokens, allowed);
    while let ["AND", rest @ ..] = *tokens {
        *tokens = rest;
        is &= licence(tokens, allowed);
    }
    is
}

fn licence(tokens: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    match *tokens {
        ["(", rest @ ..] => {
            *tokens = rest;
            let is = either(tokens, allowed);
            *tokens = tokens.strip_prefix(&[")"]).expect("a closing parenthesis");
            is
        }
        [name, "WITH", exception, rest @ ..] => {
            *tokens = rest;
            allowed(&format!("{name} WITH {exception}"))
        }
        [name, rest @ ..] => {
            *tokens = rest;
            allowed(name)
        }
        [] => panic!("a licence is missing"),
    }
}

#[test]
fn expressions_of_licences_are_read_as_spdx_has_them() {
    let mit = |name: &str| name == "MIT" || name == "Apache-2.0 WITH LLVM-exception";
    for (expression, expected) in [
        ("MIT", true),
        ("Apache-2.0", false),
        ("Apache-2.0/MIT", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", false),
        ("MIT AND (GPL-3.0 OR MIT)", true),
        ("GPL-3.0 OR MIT AND Zlib", false),
    ] {
        assert_eq!(is_allowed(expression, &mit), expected, "{expression}");
    }
}

#[test]
fn every_licence_is_one_that_is_allowed() {
    let deny = parsed("deny.toml");
    let allow = texts(&deny, "licenses", "allow");
    let exceptions = deny["licenses"]["exceptions"].as_array().unwrap();
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_else(|| panic!("{name} names no licence"));
        let own = exceptions.iter().filter(|entry| entry["crate"].as_str() == Some(name));
        let own: Vec<&str> =
            own.flat_map(|entry| entry["allow"].as_array().unwrap()).filter_map(Value::as_str).collect();
        let allowed = |licence: &str| own.contains(&licence) || allow.iter().any(|known| known == licence);
        assert!(is_allowed(licence, &allowed), "{name}: {licence} is not in deny.toml");
    }
}

#[test]
fn every_package_comes_from_a_source_that_is_allowed() {
    let deny = parsed("deny.toml");
    for kind in ["unknown-registry", "unknown-git"] {
        assert_eq!(deny["sources"][kind].as_str(), Some("deny"), "{kind}");
    }
    // Where deny.toml names none, the registry that cargo takes crates from is the only one.
    assert!(deny["sources"].get("allow-registry").is_none(), "a second registry");
    let all: Vec<_> = locked().into_iter().filter_map(|(name, _, source)| Some((name, source?))).collect();
    let (first, registry) = &all[0];
    for (name, source) in &all {
        assert!(source.starts_with("registry+"), "{name} comes from {source}");
        assert_eq!(source, registry, "{name} and {first} come from two registries");
    }
}

#[test]
fn no_banned_crate_is_there_and_none_twice_without_a_waiver() {
    let deny = parsed("deny.toml");
    let banned = crates(&deny, "bans", "deny");
    let skipped = crates(&deny, "bans", "skip");
    let matches = |version: &str, wanted: &str| {
        version.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version, _) in locked() {
        assert!(!banned.iter().any(|(banned, _)| *banned == name), "{name} is banned");
        versions.entry(name).or_default().push(version);
    }
    for (name, wanted) in &skipped {
        let wanted = wanted.as_deref().unwrap_or_default();
        let is_used =
            versions.get(name).is_some_and(|all| all.len() > 1 && all.iter().any(|v| matches(v, wanted)));
        assert!(is_used, "the waiver for {name}@{wanted} is no longer needed");
    }
    for (name, all) in &versions {
        let is_waived = |version: &&String| {
            skipped.iter().any(|(known, wanted)| {
                known == name && matches(version, wanted.as_deref().unwrap_or_default())
            })
        };
        let left = all.iter().filter(|version| !is_waived(version)).count();
        assert!(left <= 1, "{name} is there as {all:?}, and deny.toml has no waiver");
    }
}

#[test]
fn no_dependency_takes_any_version() {
    for package in metadata()["packages"].as_array().unwrap() {
        // Those of the workspace: what others want is their matter.
        if !package["source"].is_null() {
            continue;
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_any = dependency["req"] == "*" && dependency["path"].is_null();
            assert!(!is_any, "{}: {} has no version", package["name"], dependency["name"]);
        }
    }
}

/// Where `SUPERHET_REVIEW` is set, as the scheduled workflow does, a waiver whose day has come fails as well.
#[test]
fn every_waiver_says_why_and_when_to_look_again() {
    let now = std::time::SystemTime::now();
    let today = superhet::io::sigmf::datetime::format(now)[..10].to_owned();
    let text = read("deny.toml");
    let lines: Vec<&str> = text.lines().collect();
    let mut section = "";
    let mut waivers = 0;
    for (place, line) in lines.iter().enumerate() {
        if let Some((key, _)) = line.split_once(" = [").filter(|(key, _)| !key.starts_with(' ')) {
            section = key;
        }
        if !matches!(section, "exceptions" | "skip" | "ignore") || !line.trim_start().starts_with('{') {
            continue;
        }
        waivers += 1;
        let text = format!("{} {line}", lines[place - 1]);
        assert!(text.contains("reason"), "line {}: no reason", place + 1);
        let date = text.split_once("review: ").and_then(|(_, rest)| rest.get(..10));
        let date = date.unwrap_or_else(|| panic!("line {}: no `review: YYYY-MM-DD`", place + 1));
        assert!(superhet::io::sigmf::datetime::is_valid(&format!("{date}T00:00:00Z")), "{date} is no day");
        let is_due = std::env::var_os("SUPERHET_REVIEW").is_some() && *date <= *today;
        assert!(!is_due, "line {}: to be looked at since {date}", place + 1);
    }
    let deny = parsed("deny.toml");
    let lists = [("licenses", "exceptions"), ("bans", "skip"), ("advisories", "ignore")];
    let all = lists.map(|(section, key)| deny[section][key].as_array().unwrap().len());
    assert_eq!(waivers, all.iter().sum::<usize>(), "a waiver stands on a line of its own");
}

/// The crates of a command with these features, on this machine.
fn crates_of(features: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--offline", "-p", "superhet-cli", "-e", "normal", "--prefix", "none"])
        .args(features)
        .current_dir(project("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

#[test]
fn a_command_without_the_dashboard_has_none_of_its_crates() {
    let with = crates_of(&[]);
    let without = crates_of(&["--no-default-features", "--features", "tls"]);
    for name in ["superhet-monitor", "tokio", "axum", "hyper", "tower", "http", "tungstenite"] {
        assert!(with.contains(name), "{name} is not in the command: this test looks for the wrong crates");
        assert!(!without.contains(name), "{name} is there without the dashboard");
    }
    assert!(without.is_subset(&with), "{:?}", without.difference(&with).collect::<Vec<_>>());
}
