//! `superhet blocks`: the library, listed and explained.

use clap::Args;
use superhet_flow::Registry;

use crate::Usage;

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
        match self.name {
            None if self.json => println!("{}", registry.to_json()),
            None => print!("{}", registry.to_text()),
            Some(name) => {
                let entry = registry.find(&name).map_err(|unknown| Usage(unknown.to_string()))?;
                match self.json {
                    true => println!("{}", Registry::block_json(entry)),
                    false => print!("{}", Registry::block_text(entry)),
                }
            }
        }
        Ok(())
    }
}
