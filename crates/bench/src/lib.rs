//! `superhet bench`: what the runtime costs, beside the limit.
//!
//! Each bench makes its cases (`output::Case`) and gives them to `output::Output`, which prints and draws.
#![forbid(unsafe_code)]

mod align;
mod blocks;
mod burst_blocks;
mod bursts;
mod chain;
mod clock;
mod device;
mod fanout;
mod fft;
mod fusion;
pub mod kernels;
mod latency;
mod library;
mod link;
mod measure;
mod messages;
mod noise;
mod output;
mod overhead;
mod plot;
mod receiver;
mod saxpys;
mod soak;
mod stats;
mod tags;

use clap::Subcommand;

pub use measure::seconds_of_call;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Dummy source -> M saxpys -> benchmark sink, against the kernel's own peak in the level-1 cache
    Chain(chain::Chain),
    /// Saxpys fused into one block, against the same saxpys one after the other
    Fusion(fusion::Fusion),
    /// What a work call costs beyond the block's own work
    Overhead(overhead::Overhead),
    /// Fourier transforms through the scheduler, against the same in a loop; beside them, a FIR filter of 64 taps
    Fft(fft::FftBench),
    /// How long samples take from a paced source through a few blocks to the sink
    Latency(latency::Latency),
    /// One stream read by many: what each reader costs
    Fanout(fanout::Fanout),
    /// Whether spans that start on cache lines pay, for kernels and through the scheduler
    Align(align::Align),
    /// Each SIMD kernel, against the plain one and against what the caches and the memory allow
    Kernels(kernels::Kernels),
    /// Each elementwise block of the library through the scheduler, with SIMD and without, against its bare kernel
    Blocks(library::Library),
    /// One block of the library on noise, any of them: for comparisons with other runtimes
    Noise(noise::Noise),
    /// Copies on a device: there and back at every block, or once
    Device(device::DeviceBench),
    /// A stream from one graph to another over loopback: GB/s beside TCP alone, and how long chunks of 64 KiB take
    Link(link::Link),
    /// Messages a second through a chain of blocks that pass them on
    Messages(messages::Messages),
    /// What a tag costs in each block, with few tags and with many
    Tags(tags::Tags),
    /// Bursts through a few blocks: in a stream with length tags, and as packets
    Bursts(bursts::Bursts),
    /// FIR filter -> quadrature demodulator -> decimating FIR filter -> magnitude, on several workers against one
    Receiver(receiver::Receiver),
    /// A graph that is changed at random for a long time: nothing is lost, memory does not grow
    Soak(soak::Soak),
}

impl Bench {
    /// Runs the benchmark and prints its result.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Bench::Chain(chain) => chain.run(),
            Bench::Fusion(fusion) => fusion.run(),
            Bench::Fft(fft) => fft.run(),
            Bench::Overhead(overhead) => overhead.run(),
            Bench::Latency(latency) => latency.run(),
            Bench::Link(link) => link.run(),
            Bench::Fanout(fanout) => fanout.run(),
            Bench::Align(align) => align.run(),
            Bench::Kernels(kernels) => kernels.run(),
            Bench::Blocks(blocks) => blocks.run(),
            Bench::Noise(noise) => noise.run(),
            Bench::Device(device) => device.run(),
            Bench::Messages(messages) => messages.run(),
            Bench::Tags(tags) => tags.run(),
            Bench::Bursts(bursts) => bursts.run(),
            Bench::Receiver(receiver) => receiver.run(),
            Bench::Soak(soak) => soak.run(),
        }
    }
}
