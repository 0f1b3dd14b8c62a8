//! What `run --trust` executes, and what it does not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::common::folder;

/// Modules that Python or the package would import, each of which would leave a file.
const BAITS: [&str; 8] = [
    "superhet/__init__",
    "superhet/gnuradio/__init__",
    "numpy",
    "runpy",
    "importlib/util",
    "json",
    "sitecustomize",
    "flowgraph",
];

/// Puts modules into a folder that say so when they are executed.
fn bait(folder: &Path, marker: &Path) {
    for name in BAITS {
        let path = folder.join(format!("{name}.py"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("open({}, 'a').write({name:?} + '\\n')\n", quoted(marker))).unwrap();
    }
}

/// What stands for the installed package: it writes which script it got, what that is, and which modules it imports.
const PACKAGE: &str = r#"
import os, stat, sys
import json, numpy
script = sys.argv[1]
folder = os.path.dirname(script)
print(json.dumps({
    "numpy": numpy.__file__, "mode": stat.S_IMODE(os.stat(folder).st_mode), "folder": folder,
    "cwd": os.getcwd(), "name": __name__, "text": open(script).read(),
}))
"#;

fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    let has = has.is_ok_and(|status| status.success());
    if !has {
        eprintln!("skipped: no python3 is installed");
    }
    has
}

#[test]
fn trust_executes_the_flowgraph_and_what_is_installed_and_nothing_that_lies_about() {
    if !has_python() {
        return;
    }
    let folder = folder("trust");
    let [installed, here, beside] = ["installed", "here", "beside"].map(|name| folder.join(name));
    let marker = folder.join("executed");
    fs::create_dir_all(installed.join("superhet/gnuradio")).unwrap();
    fs::write(installed.join("superhet/__init__.py"), "").unwrap();
    fs::write(installed.join("superhet/gnuradio/__init__.py"), "").unwrap();
    fs::write(installed.join("superhet/gnuradio/__main__.py"), PACKAGE).unwrap();
    fs::write(installed.join("numpy.py"), "").unwrap();
    bait(&here, &marker);
    bait(&beside, &marker);
    let flowgraph = beside.join("graph.grc");
    let text = "blocks:\n- {name: x, id: variable, parameters: {value: \"__import__('os').getpid()\"}}\n\
                metadata: {file_format: 1}\n";
    fs::write(&flowgraph, text).unwrap();

    // An empty folder in PYTHONPATH is the current one, as in PYTHONPATH=$PYTHONPATH:/more.
    let paths =
        [format!("{}", installed.display()), format!(":{}:", installed.display()), "../installed".to_owned()];
    let mut folders = Vec::new();
    for path in &paths {
        let mut command = superhet("true", &["run", "--trust", flowgraph.to_str().unwrap()]);
        command.env("PYTHONPATH", path).env_remove("PYTHONSAFEPATH").current_dir(&here);
        let output = output(command);
        let text = said(&output);
        assert!(!marker.exists(), "it executed {}", fs::read_to_string(&marker).unwrap());
        assert_eq!(output.status.code(), Some(0), "{path}: {text}");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["name"], "__main__");
        assert_eq!(answer["numpy"].as_str().map(Path::new).and_then(Path::parent), Some(&*installed));
        // Relative paths of the flowgraph are taken as without Python.
        assert_eq!(
            fs::canonicalize(answer["cwd"].as_str().unwrap()).unwrap(),
            fs::canonicalize(&beside).unwrap()
        );
        assert!(answer["text"].as_str().unwrap().contains("getpid"));
        assert_eq!(answer["mode"], 0o700);
        let used = PathBuf::from(answer["folder"].as_str().unwrap());
        assert!(!used.exists(), "{} is left behind", used.display());
        folders.push(used);
    }
    assert!(folders[0] != folders[1] && folders[1] != folders[2], "{folders:?}");
}

#[test]
fn a_package_that_lies_in_the_current_folder_is_not_taken_for_an_installed_one() {
    if !has_python() {
        return;
    }
    let folder = folder("trust-none");
    let marker = folder.join("executed");
    bait(&folder, &marker);
    fs::write(folder.join("graph.grc"), "blocks:\n- {name: e, id: epy_block, parameters: {_source_code: \"1\"}}\nmetadata: {file_format: 1}\n")
        .unwrap();
    // A Python without the package, wherever the tests run.
    let python = folder.join("python");
    fs::write(&python, "#!/bin/sh\nexec python3 -S \"$@\"\n").unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = superhet("true", &["run", "--trust", "graph.grc"]);
    command.env("SUPERHET_PYTHON", &python).env_remove("PYTHONPATH").current_dir(&folder);
    let output = output(command);
    let text = said(&output);
    assert!(!marker.exists(), "it executed {}", fs::read_to_string(&marker).unwrap());
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("has no package superhet.gnuradio"), "{text}");
}

#[test]
fn the_help_says_what_is_executed() {
    let output = output(superhet("true", &["run", "--help"]));
    let text = String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("none that lie beside the file or in the current folder"), "{text}");
}
