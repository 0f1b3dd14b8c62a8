//! `superhet bench`: what the runtime costs, beside the limit.

mod blocks;
mod chain;
mod fusion;
mod overhead;
mod stats;

use clap::Subcommand;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Dummy source -> M saxpys -> benchmark sink, against the kernel's own peak in the level-1 cache
    Chain(chain::Chain),
    /// Saxpys fused into one block, against the same saxpys one after the other
    Fusion(fusion::Fusion),
    /// What a work call costs beyond the block's own work
    Overhead(overhead::Overhead),
}

impl Bench {
    /// Runs the benchmark and prints its result.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Bench::Chain(chain) => chain.run(),
            Bench::Fusion(fusion) => fusion.run(),
            Bench::Overhead(overhead) => overhead.run(),
        }
    }
}
