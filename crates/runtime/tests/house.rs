//! The floors of `src`: each knows only those before it. No file is longer than a reader has patience for.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

/// From the ground up. The files beside them are the roof, which knows all.
const FLOORS: [&str; 8] = ["data", "wake", "stream", "block", "graph", "metrics", "plan", "exec"];
const MOST_LINES: usize = 500;

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All files below a folder that end so.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).filter(rust).collect()
}

/// A file without comments and test modules, and the test modules that lie in files of their own.
fn code(path: &Path) -> (String, Vec<PathBuf>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let (mut code, mut tests) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next() {
        if !(line.starts_with("#[cfg(") && line.contains("test")) {
            code.push(line);
        } else if let Some(file) = lines.next().and_then(|item| item.strip_prefix("mod ")?.strip_suffix(';'))
        {
            tests.push(path.with_file_name(format!("{file}.rs")));
        } else {
            lines.by_ref().take_while(|line| *line != "}").for_each(drop);
        }
    }
    (code.join("\n"), tests)
}

/// What a file `depth` modules below the root of the crate names there: by `crate::`, or by enough `super::`. A group has no
/// name, and so belongs to no floor: there is a `use` for each.
fn names_at_the_root(code: &str, depth: usize) -> Vec<&str> {
    let up = "super::".repeat(depth);
    let behind = ["crate::", "superhet_runtime::", &up].map(|from| code.split(from).skip(1));
    let end = |letter: char| !letter.is_alphanumeric() && letter != '_';
    behind.into_iter().flatten().map(|path| path.split(end).next().unwrap_or("")).collect()
}

#[test]
fn every_floor_knows_only_those_before_it() {
    let all = files(&src());
    let tests: Vec<PathBuf> = all.iter().flat_map(|path| code(path).1).collect();
    let mut mistakes = Vec::new();
    for path in all.iter().filter(|path| !tests.contains(path)) {
        let module: Vec<&str> =
            path.strip_prefix(src()).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
        let [folder, .., last] = module[..] else { continue };
        let floor = FLOORS.iter().position(|floor| *floor == folder);
        let floor = floor.unwrap_or_else(|| panic!("{folder}/ is not among the floors"));
        let depth = module.len() - usize::from(last == "mod.rs");
        let code = code(path).0;
        let names = names_at_the_root(&code, depth).into_iter();
        let above = names.filter(|name| !FLOORS[..=floor].contains(name));
        mistakes.extend(above.map(|name| format!("{} knows {name}", module.join("/"))));
    }
    assert!(mistakes.is_empty(), "from the ground up: {}\n{}", FLOORS.join(", "), mistakes.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<PathBuf> = files(&src()).into_iter().filter(|path| lines(path) > MOST_LINES).collect();
    assert!(long.is_empty(), "more than {MOST_LINES} lines: {long:?}");
}
