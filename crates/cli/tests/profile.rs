//! The profile of the kernels: what is written is followed, and what is wrong with it is reported once and ignored.

use std::path::Path;
use std::process::Output;

use crate::common::*;
use serde_json::Value;

/// Writes a profile of the kernels with saxpy in their names to the file, measured as briefly as can be.
fn write(file: &Path, more: &[&str]) -> String {
    let brief = ["profile", "--kernel", "saxpy", "--seconds", "0.001", "--output", file.to_str().unwrap()];
    stdout(&[&brief, more].concat())
}

/// Runs `superhet profile --list --json` under a profile and the given cap.
fn list(profile: &Path, cap: &str) -> Output {
    let arguments = ["profile", "--list", "--json"];
    superhet(&arguments).env("SUPERHET_KERNELS", profile).env("SUPERHET_KERNEL", cap).output().unwrap()
}

/// The variant that calls of an op go to.
fn chosen(output: &Output, op: &str) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let objects = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let row = objects.into_iter().find(|object| object["name"] == op).unwrap();
    row["chosen"].as_str().unwrap().to_owned()
}

fn complaints(output: &Output) -> Vec<String> {
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect()
}

#[test]
fn a_profile_is_written_and_followed() {
    let file = folder("profile-written").join("deep/kernels.toml");
    assert!(write(&file, &[]).contains("2 kernels"));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("cpu = ") && text.contains("version = ") && text.contains("saxpy_in_place = "),
        "{text}"
    );

    let all_scalar = text.lines().map(|line| match line.split_once(" = ") {
        Some((op, _)) if op.starts_with("saxpy") => format!("{op} = \"scalar\"\n"),
        _ => format!("{line}\n"),
    });
    std::fs::write(&file, all_scalar.collect::<String>()).unwrap();
    let output = list(&file, "");
    assert_eq!(complaints(&output), Vec::<String>::new());
    assert_eq!(chosen(&output, "saxpy"), "scalar");
}

#[test]
fn a_cap_overrides_the_profile() {
    let file = folder("profile-cap").join("kernels.toml");
    write(&file, &[]);
    let text = std::fs::read_to_string(&file).unwrap();
    let best = chosen(&list(Path::new(""), ""), "saxpy");
    std::fs::write(&file, text.replace("[variants]", &format!("[variants]\nadd_f32 = \"{best}\""))).unwrap();
    assert_eq!(chosen(&list(&file, ""), "add_f32"), best);
    assert_eq!(chosen(&list(&file, "scalar"), "add_f32"), "scalar");
}

#[test]
fn the_default_is_the_configuration_folder() {
    let folder = folder("profile-default");
    let arguments = ["profile", "--kernel", "saxpy", "--seconds", "0.001"];
    let config = |arguments: &[&str]| {
        let mut command = superhet(arguments);
        // A cap leaves the profile unread.
        command.env_remove("SUPERHET_KERNELS").env_remove("SUPERHET_KERNEL");
        command.env("XDG_CONFIG_HOME", &folder).output().unwrap()
    };
    assert!(complaints(&config(&["profile", "--list"])).is_empty());
    assert!(config(&arguments).status.success());
    let file = folder.join("superhet/kernels.toml");
    assert!(file.exists());
    std::fs::write(&file, "nonsense").unwrap();
    assert_eq!(complaints(&config(&["profile", "--list"])).len(), 1);
}

#[test]
fn a_wrong_profile_is_reported_once_and_ignored() {
    let folder = folder("profile-wrong");
    let file = folder.join("kernels.toml");
    write(&file, &[]);
    let mine = std::fs::read_to_string(&file).unwrap();
    let cpu = mine.lines().find(|line| line.starts_with("cpu")).unwrap();
    let best = chosen(&list(Path::new(""), ""), "saxpy");
    for (text, why) in [
        (mine.replace(cpu, "cpu = \"Abacus 3000\""), "Abacus 3000"),
        (mine.replace("version = \"", "version = \"9"), "version"),
        ("{ \"json\": true }".to_owned(), "line 1"),
        (String::new(), "does not say its cpu"),
    ] {
        std::fs::write(&file, text).unwrap();
        let output = list(&file, "");
        let said = complaints(&output);
        assert!(said.len() == 1 && said[0].contains(why) && said[0].contains("is ignored"), "{said:?}");
        assert_eq!(chosen(&output, "saxpy"), best);
    }
    std::fs::write(&file, mine.replace("saxpy_in_place = \"", "saxpy_in_place = \"no")).unwrap();
    let said = complaints(&list(&file, ""));
    assert!(said.len() == 1 && said[0].contains("asks for what is not here: saxpy_in_place"), "{said:?}");
    let said = complaints(&list(&folder.join("nowhere"), ""));
    assert!(said.len() == 1 && said[0].contains("nowhere"), "{said:?}");
}

#[test]
fn choices_for_other_kernels_are_kept() {
    let file = folder("profile-kept").join("kernels.toml");
    write(&file, &[]);
    write(&file, &["--kernel", "dot_f32", "--kernel", "conjugate_in"]);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\nsaxpy = ") && text.contains("\ndot_f32 = "), "{text}");
}

#[test]
fn json_tells_the_gain_of_each_variant() {
    let file = folder("profile-json").join("kernels.toml");
    let text = write(&file, &["--json"]);
    let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2);
    let object = &objects[0];
    assert_eq!(object["gain_over_first"][object["first"].as_str().unwrap()], 1.0);
    assert!(object["gain_over_first"]["scalar"].as_f64() > Some(0.0), "{object}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let (text, code) =
        failure(&["profile", "--kernel", "saxpy", "--seconds", "0.001", "--output", "/proc/no/kernels.toml"]);
    assert!(text.contains("/proc/no") && code == 1, "{text}");
}
