//! The `superhet` command.
#![forbid(unsafe_code)]

mod bench;

use clap::{Parser, Subcommand};

/// A software-radio runtime.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure the runtime
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Bench(bench) => bench.run(),
    }
}
