//! The reference of blocks for a book: a page for each, from the catalogue.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use superhet_flow::Registry;
use superhet_runtime::catalog::{Direction, Entry, Param};

use crate::target::expect_free;
use superhet_terminal::say;

/// A file: its name, and its text.
type Page = (String, String);

/// Writes all pages into a folder: `index.md`, one for each block, `functions.md`, and `SUMMARY.md`, the lines for the summary
/// of a book in whose folder this one lies.
pub fn write(
    registry: &Registry,
    names: impl Fn(&str) -> String,
    folder: &Path,
    force: bool,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let called = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut pages: Vec<Page> = vec![
        ("index.md".to_owned(), index(registry)),
        ("functions.md".to_owned(), functions()),
        ("SUMMARY.md".to_owned(), summary(registry, &called)),
    ];
    pages.extend(registry.entries().iter().map(|entry| (file_of(entry), block(entry, &names(entry.name)))));
    pages.iter().try_for_each(|(name, _)| expect_free(&folder.join(name), force))?;
    for (name, text) in &pages {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    say::line(format_args!("{} pages in {}", pages.len(), folder.display()));
    Ok(())
}

fn file_of(entry: &Entry) -> String {
    format!("{}.md", entry.name)
}

/// Text in Markdown, also within a table.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        match letter {
            '|' | '*' | '[' | ']' | '\\' | '`' | '_' => plain.extend(['\\', letter]),
            '<' => plain.push_str("&lt;"),
            '\n' => plain.push(' '),
            _ => plain.push(letter),
        }
    }
    plain
}

fn index(registry: &Registry) -> String {
    let mut text = format!("# Blocks\n\n{} blocks, by what they are for. ", registry.entries().len());
    text.push_str("[Functions](functions.md) design filters, constellations and codes.\n");
    for (category, entries) in registry.by_category() {
        // Writing to a string does not fail; here and below.
        let _ = write!(text, "\n## {category}\n\n| block | does |\n|---|---|\n");
        for entry in entries {
            let _ = writeln!(text, "| [`{}`]({}) | {} |", entry.name, file_of(entry), plain(entry.summary));
        }
    }
    text
}

fn summary(registry: &Registry, folder: &str) -> String {
    let mut text = format!("- [Blocks]({folder}/index.md)\n");
    for (category, entries) in registry.by_category() {
        let _ = writeln!(text, "  - [{category}]()");
        for entry in entries {
            let _ = writeln!(text, "    - [{}]({folder}/{})", entry.name, file_of(entry));
        }
    }
    let _ = writeln!(text, "  - [functions]({folder}/functions.md)");
    text
}

fn block(entry: &Entry, gnu_radio: &str) -> String {
    let mut text = format!("# {}\n\n{}\n\n", entry.name, plain(entry.summary));
    let _ = writeln!(text, "One of the [{}](index.md#{}).", entry.category, entry.category.replace(' ', "-"));
    if !entry.params.is_empty() {
        let _ = write!(text, "\n## Parameters\n\n{}", parameters(entry.params));
    }
    if !entry.ports.is_empty() {
        text.push_str("\n## Ports\n\n| port | | items | means |\n|---|---|---|---|\n");
        for port in entry.ports {
            let direction = match port.direction {
                Direction::In => "input",
                Direction::Out => "output",
            };
            let _ =
                writeln!(text, "| `{}` | {direction} | {} | {} |", port.name, port.items, plain(port.doc));
        }
    }
    if !gnu_radio.is_empty() {
        let _ = write!(text, "\n## In GNU Radio\n\n{}\n", plain(gnu_radio));
    }
    text
}

fn parameters(params: &[Param]) -> String {
    let mut text = "| parameter | takes | unit | default | means |\n|---|---|---|---|---|\n".to_owned();
    for param in params {
        let default = param
            .default
            .map_or_else(|| "required".to_owned(), |json| format!("`{}`", json.replace('|', "\\|")));
        let (takes, means) = (plain(&param.kind.to_string()), plain(param.doc));
        let _ =
            writeln!(text, "| `{}` | {takes} | {} | {default} | {means} |", param.name, plain(param.unit));
    }
    text
}

fn functions() -> String {
    let mut text =
        "# Functions\n\nWhat expressions in flowgraphs of GNU Radio Companion call, and Python as \
                    `superhet.firdes.low_pass` and so on.\n"
            .to_owned();
    for function in superhet::blocks::FUNCTIONS.iter().copied().flatten() {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n{}",
            function.name,
            plain(function.summary),
            parameters(function.params)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_mean_something_in_markdown_stand_for_themselves() {
        assert_eq!(plain("y = |x|² · a_b * <c>"), "y = \\|x\\|² · a\\_b \\* &lt;c>");
    }

    #[test]
    fn every_block_has_a_page_and_a_line_in_index_and_summary() {
        let registry = superhet::registry();
        let (index, summary) = (index(&registry), summary(&registry, "blocks"));
        for entry in registry.entries() {
            assert!(index.contains(&format!("]({})", file_of(entry))), "{}", entry.name);
            assert!(summary.contains(&format!("](blocks/{})", file_of(entry))), "{}", entry.name);
            let page = block(entry, "");
            let rows = page.lines().filter(|line| line.starts_with("| `")).count();
            assert_eq!(rows, entry.params.len() + entry.ports.len(), "{page}");
        }
    }
}
