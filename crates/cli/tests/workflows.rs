//! The workflows of the forge are YAML, pin what they use, and get no more rights than they say why.

use crate::common::project;
use saphyr_parser::{Event, Parser};

/// The workflows: name and text.
fn workflows() -> Vec<(String, String)> {
    let files = std::fs::read_dir(project(".github/workflows")).unwrap();
    let mut workflows: Vec<(String, String)> = files
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    workflows.sort();
    workflows
}

/// The keys of the outermost table, and those of the one below each, as `on`, `jobs/test`.
fn keys(name: &str, text: &str) -> Vec<String> {
    let (mut keys, mut path) = (Vec::new(), Vec::<Option<String>>::new());
    let mut is_key = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.unwrap_or_else(|error| panic!("{name}: {error}"));
        match event {
            Event::MappingStart(..) => {
                path.push(None);
                is_key.push(true);
                continue;
            }
            Event::SequenceStart(..) => {
                path.push(None);
                is_key.push(false);
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                path.pop();
                is_key.pop();
            }
            Event::Scalar(text, ..) if is_key.last() == Some(&true) => {
                *path.last_mut().unwrap() = Some(text.into_owned());
                *is_key.last_mut().unwrap() = false;
                let whole: Option<Vec<&str>> = path.iter().map(Option::as_deref).collect();
                keys.extend(whole.filter(|path| path.len() <= 2).map(|path| path.join("/")));
                continue;
            }
            Event::Scalar(..) => {}
            _ => continue,
        }
        // A value has ended: in a table a key comes next. A list has no keys, and stays at nothing.
        if let (Some(next), Some(Some(_))) = (is_key.last_mut(), path.last()) {
            *next = true;
        }
    }
    keys
}

#[test]
fn every_workflow_says_when_it_runs_and_what_it_may() {
    let workflows = workflows();
    let names: Vec<&str> = workflows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["advisories.yml", "ci.yml", "fuzz.yml", "release.yml"]);
    for (name, text) in &workflows {
        let keys = keys(name, text);
        for key in ["name", "on", "permissions", "permissions/contents", "jobs"] {
            assert!(keys.iter().any(|known| known == key), "{name} has no {key}: {keys:?}");
        }
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{name} may write everywhere");
        assert!(!text.contains("pull_request_target"), "{name} gives strangers the rights of the repository");
        assert!(text.contains("timeout-minutes: "), "{name}");
        // Every right beyond reading has its reason behind it.
        for line in text.lines().filter(|line| line.trim_end().contains(": write")) {
            assert!(line.contains("# ") || line.contains("attestations"), "{name}: {line}");
        }
    }
}

#[test]
fn every_action_is_pinned_to_a_commit() {
    for (name, text) in workflows() {
        for line in
            text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "))
        {
            let (action, version) =
                line.split_once(" # v").unwrap_or_else(|| panic!("{name}: no version at {line}"));
            let (_, commit) = action.split_once('@').unwrap_or_else(|| panic!("{name}: {line}"));
            let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_commit && version.starts_with(|c: char| c.is_ascii_digit()), "{name}: {line}");
        }
    }
}

#[test]
fn nothing_that_somebody_types_is_a_part_of_a_script() {
    for (name, text) in workflows() {
        for line in text.lines().filter(|line| line.contains("${{")) {
            let is_setting = !line.trim_start().trim_start_matches("- ").starts_with("run:");
            assert!(is_setting, "{name}: {line}");
        }
    }
}

#[test]
fn what_the_workflows_run_is_in_the_makefile() {
    let makefile = std::fs::read_to_string(project("Makefile")).unwrap();
    for (name, text) in workflows() {
        for target in text.split("make ").skip(1).filter_map(|rest| rest.split_whitespace().next()) {
            if text.contains(&format!("run: make {target}")) {
                assert!(makefile.contains(&format!("\n{target}:")), "{name}: make {target}");
            }
        }
    }
}
