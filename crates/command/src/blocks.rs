//! `superhet blocks`: the library, listed and explained.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use superhet_flow::Registry;
use superhet_flow::gnuradio::table;
use superhet_runtime::catalog::Entry;
use superhet_runtime::error::nearest;

use crate::reference;
use superhet_terminal::say;
use superhet_terminal::usage::Usage;

/// `superhet blocks`
#[derive(Args, Debug)]
pub struct Blocks {
    /// The block to explain
    name: Option<String>,
    /// List the blocks with all of these words in their name, their summary, or what GNU Radio calls them
    #[arg(long, value_name = "WORDS", num_args = 1.., conflicts_with = "name")]
    search: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write the reference as Markdown into a folder: a page for each block and one for all functions, with an index and the
    /// lines for the summary of an mdBook
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["name", "search", "json"])]
    markdown: Option<PathBuf>,
    /// Replace pages that are there already
    #[arg(long, requires = "markdown")]
    force: bool,
}

impl Blocks {
    /// Prints the list, or one block.
    pub fn run(self) -> anyhow::Result<()> {
        let registry = superhet::registry();
        if let Some(folder) = &self.markdown {
            let others = gnu_radio_names();
            let names =
                |block: &str| others.get(block).map_or(String::new(), |names| names.families.join(", "));
            return reference::write(&registry, names, folder, self.force);
        }
        if !self.search.is_empty() {
            return self.find(&registry);
        }
        let text = match self.name {
            None if self.json => format!("{}\n", registry.to_json()),
            None => registry.to_text(),
            Some(name) => {
                let entry = registry.find(&name).map_err(|unknown| Usage(unknown.to_string()))?;
                match self.json {
                    true => format!("{}\n", Registry::block_json(entry)),
                    false => Registry::block_text(entry),
                }
            }
        };
        say::result(&text)
    }

    /// Prints the blocks that fit the search.
    fn find(&self, registry: &Registry) -> anyhow::Result<()> {
        let words: Vec<String> =
            self.search.iter().flat_map(|words| words.split_whitespace()).map(str::to_lowercase).collect();
        let others = gnu_radio_names();
        let fits = |entry: &&Entry| {
            let others = others.get(entry.name).map_or("", |names| names.all.as_str());
            let text = format!("{} {} {others}", entry.name, entry.summary).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        let mut found: Vec<&Entry> = registry.entries().iter().filter(fits).collect();
        // Those whose name has a word in it are more likely meant.
        found.sort_by_key(|entry| !words.iter().any(|word| entry.name.contains(word.as_str())));
        if found.is_empty() {
            let near = nearest(&words.join("_"), registry.entries().iter().map(|entry| entry.name));
            let near = near.map_or(String::new(), |name| format!("; the nearest name is {name}"));
            return Err(
                Usage(format!("no block has {} in its name or summary{near}", words.join(" and "))).into()
            );
        }
        if self.json {
            let json: Vec<_> = found.into_iter().map(Registry::block_json).collect();
            return say::result(&format!("{}\n", serde_json::Value::from(json)));
        }
        let width = found.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
        let line = |entry: &&Entry| {
            let others = others.get(entry.name).map(|names| format!(" ({})", names.families.join(", ")));
            let others = others.unwrap_or_default();
            format!("{:width$}  {}{others}\n", entry.name, entry.summary)
        };
        say::result(&found.iter().map(line).collect::<String>())
    }
}

/// What GNU Radio calls a block: the families of classes that are this one, and all names by which they are known.
#[derive(Default)]
struct Names {
    families: Vec<String>,
    all: String,
}

fn gnu_radio_names() -> BTreeMap<&'static str, Names> {
    let mut names: BTreeMap<&str, Names> = BTreeMap::new();
    for row in table().rows() {
        // One that is made of several blocks is none of them.
        let [stage] = &row.stages[..] else { continue };
        let names = names.entry(stage.block.as_str()).or_default();
        names.families.push(row.to_string());
        let classes = row.types.iter().map(|(letters, _)| format!(" {row}_{letters}"));
        let ids = row.grc.iter().map(|grc| format!(" {}", grc.id));
        names.all.extend(std::iter::once(format!(" {row}")).chain(classes).chain(ids));
    }
    names
}
