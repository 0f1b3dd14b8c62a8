//! The guides: what their shell examples print, that nothing in them is left out, and that their links lead somewhere.
//!
//! | fence | is |
//! |---|---|
//! | `sh` | run here, in a folder with links to `data` and `examples`, all of a page in one folder; `text` directly behind it is what it prints |
//! | `sh,build` | how to build and install: its targets and folders are looked up, nothing is run |
//! | `sh,python` | run by `python/tests/test_documentation.py`, as `python` is |
//! | `rust` | a test of `crates/superhet/src/lib.rs` |
//! | anything | written to a file first where its first line is `# NAME.EXTENSION` or `// NAME.EXTENSION` |

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{folder, project};

/// What may stand behind the three backticks.
const LANGUAGES: [&str; 9] =
    ["rust", "sh", "sh,build", "sh,python", "python", "toml", "text", "json", "dockerfile"];

/// Pages that are made when the book is.
const MADE: &str = "blocks/";

struct Fence {
    language: String,
    text: String,
    line: usize,
    /// Whether nothing but empty lines lies between this and the fence before.
    is_next: bool,
}

/// README and the pages of the book, with their texts.
fn pages() -> Vec<(String, String)> {
    let read = |path: String| {
        let text = std::fs::read_to_string(project(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        (path, text)
    };
    let summary = read("docs/SUMMARY.md".to_owned()).1;
    let named = links(&summary).into_iter().filter(|link| !link.starts_with(MADE));
    let mut pages: Vec<_> = named.map(|page| read(format!("docs/{page}"))).collect();
    pages.push(read("README.md".to_owned()));
    pages
}

fn fences(text: &str) -> Vec<Fence> {
    let (mut found, mut open, mut is_next) = (Vec::<Fence>::new(), None::<Fence>, false);
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let language = language.to_owned();
                open = Some(Fence { language, text: String::new(), line: number + 1, is_next });
            }
            (Some(_), Some(_)) => {
                found.extend(open.take());
                is_next = true;
            }
            (Some(fence), None) => fence.text.extend([line, "\n"]),
            (None, None) => is_next &= line.is_empty(),
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    found
}

/// The targets of all links, without code.
fn links(text: &str) -> Vec<String> {
    let mut outside = String::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        // Every second piece between backticks is code.
        let pieces = line.split('`').step_by(2);
        outside.extend((!in_code).then(|| pieces.collect::<String>()));
    }
    let targets = outside.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The file that an example is, by its first line.
fn file_name(text: &str) -> Option<&str> {
    let first = text.lines().next()?;
    let name = first.strip_prefix("# ").or_else(|| first.strip_prefix("// "))?;
    (name.contains('.') && !name.contains([' ', ':'])).then_some(name)
}

/// Whether a line is as expected, where `…` stands for anything.
fn line_fits(line: &str, expected: &str) -> bool {
    let Some((before, behind)) = expected.split_once('…') else { return line == expected };
    let Some(rest) = line.strip_prefix(before) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| line_fits(&rest[at..], behind))
}

/// The same for lines: a line `…` stands for any number of them.
fn fits(lines: &[&str], expected: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|from| fits(&lines[from..], rest)),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| line_fits(line.trim_end(), first) && fits(lines, rest)),
    }
}

/// A folder as the guides have it, with the command on its path.
fn scratch(name: &str) -> PathBuf {
    let folder = folder(name);
    for linked in ["data", "examples"] {
        std::os::unix::fs::symlink(project(linked).canonicalize().unwrap(), folder.join(linked)).unwrap();
    }
    std::fs::create_dir(folder.join(".bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_superhet"), folder.join(".bin/superhet")).unwrap();
    folder
}

/// What a script prints, on both ways, and whether it succeeded.
fn run(script: &str, folder: &Path) -> (bool, String) {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join(".bin").display()))
        .env("XDG_CONFIG_HOME", folder)
        .env_remove("SUPERHET_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut printed).unwrap());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("hangs: {script}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    (status.success(), reader.join().unwrap())
}

/// What is wrong with the examples of a page.
fn try_page(page: &str, text: &str) -> Vec<String> {
    let folder = scratch(&format!("guide-{}", page.replace(['/', '.'], "-")));
    let (mut mistakes, mut printed) = (Vec::new(), None);
    for fence in fences(text) {
        let at = format!("{page}:{}", fence.line);
        if let Some(name) = file_name(&fence.text) {
            std::fs::write(folder.join(name), &fence.text).unwrap();
        } else if fence.language == "sh" {
            let (is_fine, output) = run(&fence.text, &folder);
            if !is_fine {
                mistakes.push(format!("{at}: {}\n{output}", fence.text));
            }
            printed = Some(output);
            continue;
        } else if let (true, "text", Some(printed)) = (fence.is_next, &*fence.language, &printed) {
            let (lines, expected): (Vec<_>, Vec<_>) =
                (printed.lines().collect(), fence.text.lines().collect());
            if !fits(&lines, &expected) {
                mistakes.push(format!("{at}: it prints\n{printed}and not\n{}", fence.text));
            }
        }
        printed = None;
    }
    std::fs::remove_dir_all(folder).unwrap();
    mistakes
}

#[test]
fn every_shell_example_runs_and_prints_what_stands_behind_it() {
    let mistakes: Vec<String> = pages().iter().flat_map(|(page, text)| try_page(page, text)).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn every_example_is_of_a_kind_that_something_runs() {
    let facade = std::fs::read_to_string(project("crates/superhet/src/lib.rs")).unwrap();
    for (page, text) in pages() {
        for fence in fences(&text) {
            let (language, line) = (fence.language.as_str(), fence.line);
            assert!(
                LANGUAGES.contains(&language),
                "{page}:{line}: expected one of {LANGUAGES:?}, got {language:?}"
            );
            let is_tested = language != "rust" || facade.contains(&format!("\"../../../{page}\""));
            assert!(is_tested, "{page} has examples in Rust and is not named in crates/superhet/src/lib.rs");
        }
    }
}

/// What is not run names targets and folders that are there.
#[test]
fn what_builds_and_installs_is_there() {
    let makefile = std::fs::read_to_string(project("Makefile")).unwrap();
    let mut found = 0;
    for (page, text) in pages() {
        for fence in fences(&text).iter().filter(|fence| fence.language == "sh,build") {
            for line in fence.text.lines() {
                let words: Vec<&str> =
                    line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
                match words[..] {
                    ["make", target, ..] => {
                        assert!(makefile.contains(&format!("\n{target}:")), "{page}: {line}")
                    }
                    ["cargo", .., "--path", folder] | ["cargo", _, "--path", folder, ..] => {
                        assert!(project(folder).join("Cargo.toml").exists(), "{page}: {line}");
                    }
                    [program, ..] if program.contains('/') => {
                        assert!(project(program).exists(), "{page}: {line}")
                    }
                    _ => continue,
                }
                found += 1;
            }
        }
    }
    assert!(found > 5, "{found} commands are looked up");
}

#[test]
fn every_link_leads_to_a_file_and_every_page_is_in_the_book() {
    let pages = pages();
    for (page, text) in &pages {
        let folder = Path::new(page).parent().unwrap();
        for link in
            links(text).into_iter().filter(|link| !link.starts_with("http") && !link.starts_with(MADE))
        {
            let path = link.split('#').next().unwrap_or("");
            let is_there = path.is_empty() || project(folder.join(path).to_str().unwrap()).exists();
            assert!(is_there, "{page}: nothing is at {link}");
        }
    }
    for file in std::fs::read_dir(project("docs")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_known = !name.ends_with(".md") || name == "SUMMARY.md";
        assert!(
            is_known || pages.iter().any(|(page, _)| *page == format!("docs/{name}")),
            "docs/{name} is in no book"
        );
    }
}

#[test]
fn what_is_printed_is_compared_line_by_line() {
    assert!(fits(&["one", "took 3 ms", "end"], &["one", "took … ms", "end"]));
    assert!(fits(&["a", "b", "c"], &["…", "c"]) && fits(&["a"], &["a", "…"]));
    assert!(!fits(&["a", "b"], &["a"]) && !fits(&["took ms"], &["took … ms"]) && !fits(&[], &["a"]));
    assert_eq!(file_name("# receiver.toml\nx = 1\n"), Some("receiver.toml"));
    assert_eq!(file_name("# Not one. Really.\n"), None);
    assert_eq!(links("[a](b.md) `[c](d)` [e](https://f)"), ["b.md", "https://f"]);
}
