//! The guides of the repository name only files and folders that are there.

use std::path::Path;

const GUIDES: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md"];
/// Where paths may begin.
const BASES: [&str; 3] = ["", "crates", "crates/runtime/src"];

/// The texts in backticks on a page, outside of blocks of code. Behind an arrow a page names files of other projects.
fn quoted(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let lines = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    let mut is_other = false;
    let ours = lines.filter_map(|line| {
        // Such a list goes on to the end of its paragraph.
        is_other &= !line.is_empty() && line.starts_with('`');
        let (ours, others) = line.split_once('←').map_or((line, None), |(ours, others)| (ours, Some(others)));
        is_other |= others.is_some();
        (!is_other || others.is_some()).then_some(ours)
    });
    ours.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Whether a text is a path: it has a slash, and nothing that a path of ours has not.
fn is_path(text: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-./<>*".contains(letter);
    text.contains('/') && !text.starts_with('/') && text.chars().all(fits)
}

/// Whether something is there under `folder`. A part of the path with `<name>` or `*` in it stands for any that ends so.
fn is_there(folder: &Path, path: &str) -> bool {
    let (part, rest) = path.split_once('/').unwrap_or((path, ""));
    if part.is_empty() {
        return folder.exists();
    }
    let Some((_, end)) = part.rsplit_once(['>', '*']) else { return is_there(&folder.join(part), rest) };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut fitting = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(end));
    fitting.any(|entry| is_there(&entry.path(), rest))
}

#[test]
fn each_path_that_a_guide_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut missing = Vec::new();
    let mut count = 0;
    for guide in GUIDES {
        let page = std::fs::read_to_string(root.join(guide)).unwrap();
        for path in quoted(&page).into_iter().filter(|text| is_path(text)) {
            count += 1;
            if !BASES.iter().any(|base| is_there(&root.join(base), path)) {
                missing.push(format!("{guide}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(count > 50, "only {count} paths: they are no longer found");
}
