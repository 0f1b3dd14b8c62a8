//! `superhet man`: the manual pages, one for each command.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command, CommandFactory};

use crate::target::expect_free;
use superhet_terminal::say;

/// `superhet man`
#[derive(Args, Debug)]
pub struct Man {
    /// The folder for superhet.1, superhet-run.1 and so on; without it, superhet.1 goes to stdout
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Replace pages that are there already
    #[arg(long, requires = "out")]
    force: bool,
}

impl Man {
    /// Writes the pages.
    pub fn run(self) -> anyhow::Result<()> {
        let mut command = crate::Cli::command();
        command.build();
        let Some(folder) = &self.out else { return say::result(&String::from_utf8(page(&command)?)?) };
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut pages = Vec::new();
        collect(&command, &mut pages)?;
        let path = |name: &str| folder.join(format!("{name}.1"));
        pages.iter().try_for_each(|(name, _)| expect_free(&path(name), self.force))?;
        for (name, page) in &pages {
            std::fs::write(path(name), page)
                .with_context(|| format!("cannot write {}", path(name).display()))?;
        }
        say::line(format_args!("{} pages in {}", pages.len(), folder.display()));
        Ok(())
    }
}

/// The page of a command and of those below it, by their names.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((name.to_owned(), page(command)?));
    let mut below = command.get_subcommands().filter(|command| command.get_name() != "help");
    below.try_for_each(|command| collect(command, pages))
}

fn page(command: &Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
