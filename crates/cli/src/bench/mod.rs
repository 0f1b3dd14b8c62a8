//! `superhet bench`: what the runtime costs, beside the limit.

mod blocks;
mod chain;
mod overhead;
mod stats;

use clap::Subcommand;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Dummy source -> M saxpys -> benchmark sink, against the kernel's own peak in the level-1 cache
    Chain(chain::Chain),
    /// What a work call costs beyond the block's own work
    Overhead(overhead::Overhead),
}

impl Bench {
    /// Runs the benchmark and prints its result.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Bench::Chain(chain) => chain.run(),
            Bench::Overhead(overhead) => overhead.run(),
        }
    }
}
