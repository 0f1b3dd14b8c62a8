//! `superhet blocks`: the library, listed and explained.

use clap::Args;
use superhet_flow::Registry;

use crate::say;
use crate::usage::Usage;

/// `superhet blocks`
#[derive(Args, Debug)]
pub struct Blocks {
    /// The block to explain
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Blocks {
    /// Prints the list, or one block.
    pub fn run(self) -> anyhow::Result<()> {
        let registry = superhet::registry();
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
}
