//! The floors of `src`: each knows only those before it, and the files of one floor form no circle. No file is too long to
//! read, and the root names little.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// From the ground up. The files beside them are the roof, which knows all.
const FLOORS: [&str; 8] = ["data", "wake", "stream", "block", "graph", "metrics", "plan", "exec"];
const MOST_LINES: usize = 500;
const MOST_NAMES: usize = 45;

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

/// A module, by its path from the root of the crate: `["graph", "build"]`.
type Module = Vec<String>;

/// What a module names elsewhere.
struct Names {
    /// The paths of its `use` lines, and whether the line is `pub`.
    used: Vec<(Vec<String>, bool)>,
    /// Paths in its code that begin with `crate`, `self` or `super`.
    inline: Vec<Vec<String>>,
}

/// The paths of a tree of imports: `a::{b, c::d}` has two.
fn paths_of(tree: &str) -> Vec<Vec<String>> {
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or("").split("::");
        return vec![path.map(|name| name.trim().to_owned()).collect()];
    };
    let before: Vec<String> =
        tree[..open].split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let (mut depth, mut start, mut found) = (0, open + 1, Vec::new());
    for (at, letter) in tree.char_indices().skip_while(|(at, _)| *at <= open) {
        match letter {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                let part = tree[start..at].trim();
                if !part.is_empty() {
                    found.extend(paths_of(part).into_iter().map(|path| [&before[..], &path].concat()));
                }
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    found
}

fn names_in(code: &str) -> Names {
    let code = code.replace("pub(crate) ", "pub ").replace("pub(super) ", "pub ");
    let (mut used, mut rest) = (Vec::new(), String::new());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        let (is_pub, import) = match line.strip_prefix("pub use ") {
            Some(import) => (true, Some(import)),
            None => (false, line.strip_prefix("use ")),
        };
        let Some(import) = import else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut import = import.to_owned();
        while !import.contains(';') {
            let Some(more) = lines.next() else { break };
            import.push_str(more);
        }
        used.extend(paths_of(import.trim_end_matches(';')).into_iter().map(|path| (path, is_pub)));
    }
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let paths = rest.split(|letter| !is_part(letter)).filter(|path| path.contains("::"));
    let inline = paths.map(|path| path.split("::").map(str::to_owned).collect()).collect();
    Names { used, inline }
}

/// The modules of the crate, and what each names.
struct Modules(BTreeMap<Module, Names>);

impl Modules {
    fn read() -> Self {
        let all = files(&src());
        let tests: Vec<PathBuf> = all.iter().flat_map(|path| code(path).1).collect();
        let mut modules = BTreeMap::new();
        for path in all.iter().filter(|path| !tests.contains(path)) {
            let inside = path.strip_prefix(src()).unwrap().with_extension("");
            let mut module: Module = inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            module.pop_if(|last| matches!(last.as_str(), "mod" | "lib"));
            modules.insert(module, names_in(&code(path).0));
        }
        Modules(modules)
    }

    /// A path as seen from the root, where it leads into the crate.
    fn path_from_root(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([&module[..], &path[1..]].concat()),
            "super" => Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat()),
            part => {
                let is_own_part = self.0.contains_key(&[&module[..], &[part.to_owned()]].concat());
                is_own_part.then(|| [&module[..], path].concat())
            }
        }
    }

    /// The module that defines what a path from the root leads to, through all `use` lines on the way.
    fn defines(&self, path: &[String], most: usize) -> Option<Module> {
        let known = (0..=path.len()).rev().find(|&n| self.0.contains_key(&path[..n]))?;
        let (module, rest) = (path[..known].to_vec(), &path[known..]);
        let Some(name) = rest.first().filter(|_| most > 0) else { return Some(module) };
        let uses = self.0[&module].used.iter();
        let through = uses.map(|(path, _)| path).find(|path| path.last() == Some(name));
        let next = through.and_then(|path| self.path_from_root(&module, path));
        match next {
            Some(next) => self.defines(&[&next[..], &rest[1..]].concat(), most - 1),
            // From another crate.
            None if through.is_some() => None,
            None => Some(module),
        }
    }

    /// The other modules of the same floor that a module needs. What a folder shows of its own parts does not count.
    fn needs(&self, module: &Module) -> BTreeSet<Module> {
        let names = &self.0[module];
        let used = names.used.iter().map(|(path, is_pub)| (path, *is_pub));
        let all = used.chain(names.inline.iter().map(|path| (path, false)));
        let found = all.filter_map(|(path, is_pub)| {
            let needed = self.defines(&self.path_from_root(module, path)?, 8)?;
            let is_shown = is_pub && needed.starts_with(module);
            (!is_shown && needed != *module && needed.first() == module.first()).then_some(needed)
        });
        found.collect()
    }

    /// Modules from which a way of needs leads back to them, each with the way.
    fn circles(&self, floor: &str) -> Vec<String> {
        let is_here = |module: &&Module| module.first().is_some_and(|first| first == floor);
        let here: Vec<&Module> = self.0.keys().filter(is_here).collect();
        let needs: BTreeMap<&Module, BTreeSet<Module>> =
            here.iter().map(|module| (*module, self.needs(module))).collect();
        let back = |start: &Module| {
            let (mut seen, mut ways) = (BTreeSet::new(), vec![vec![start.clone()]]);
            while let Some(way) = ways.pop() {
                for next in needs.get(way.last()?).into_iter().flatten() {
                    let way: Vec<Module> = way.iter().chain([next]).cloned().collect();
                    if next == start {
                        return Some(
                            way.iter().map(|module| module.join("/")).collect::<Vec<_>>().join(" -> "),
                        );
                    }
                    if seen.insert(next.clone()) {
                        ways.push(way);
                    }
                }
            }
            None
        };
        here.into_iter().filter_map(back).collect()
    }
}

#[test]
fn the_files_of_a_floor_form_no_circle() {
    let modules = Modules::read();
    let circles: Vec<String> = FLOORS.iter().flat_map(|floor| modules.circles(floor)).collect();
    assert!(circles.is_empty(), "definitions that belong elsewhere:\n{}", circles.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let lines = |path: &PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<PathBuf> = files(&src()).into_iter().filter(|path| lines(path) > MOST_LINES).collect();
    assert!(long.is_empty(), "more than {MOST_LINES} lines: {long:?}");
}

/// All else has a public module of its subject.
#[test]
fn the_root_has_only_what_most_programs_name() {
    let code = code(&src().join("lib.rs")).0;
    let (mut root, mut lines) = (String::new(), code.lines());
    while let Some(line) = lines.next() {
        if line.starts_with("pub mod ") && line.ends_with('{') {
            lines.by_ref().take_while(|line| *line != "}").for_each(drop);
        } else {
            root.push_str(line);
            root.push('\n');
        }
    }
    let modules = Modules::read();
    let shown =
        names_in(&root).used.into_iter().filter(|(path, is_pub)| *is_pub && !modules.0.contains_key(path));
    let names: BTreeSet<String> = shown.filter_map(|(mut path, _)| path.pop()).collect();
    assert!(names.contains("Graph") && !names.contains("gap") && !names.contains("prelude"), "{names:?}");
    assert!(names.len() <= MOST_NAMES, "{} names, and at most {MOST_NAMES} may be: {names:?}", names.len());
}
