//! `superhet completions`: what makes a shell complete the words of the command.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use superhet_terminal::say;

/// `superhet completions`
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::Cli::command(), "superhet", &mut script);
        say::result(&String::from_utf8(script)?)
    }
}
