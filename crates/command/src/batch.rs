//! `superhet batch`: said here, and done by the Python package.

use std::ffi::OsString;

use clap::Args;

use superhet_terminal::usage::Usage;

/// `superhet batch`
#[derive(Args, Debug)]
pub struct Batch {
    /// What `python -m superhet batch --help` explains
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Batch {
    /// Says where it is.
    ///
    /// # Errors
    /// Always.
    pub fn run(self) -> anyhow::Result<()> {
        let words: Vec<_> = self.arguments.iter().map(|word| word.to_string_lossy()).collect();
        let problem = format!(
            "batch is a part of the Python package: pip install 'superhet[batch]', then python -m superhet batch {}",
            words.join(" ")
        );
        Err(Usage(problem.trim_end().to_owned()).into())
    }
}
