//! How a graph is run: the options that several subcommands share.

use clap::{Args, ValueEnum};
use superhet_runtime::{Adaptive, Machine, Options, Pinned, RingFlavour, Scheduler, Single, Threads};

/// Who runs what, and in which portions.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Who runs what
    #[arg(long, default_value = "adaptive")]
    scheduler: SchedulerName,
    /// Lanes for `pinned`: blocks separated by commas, lanes by semicolons; blocks not named get lanes of their own
    #[arg(long, value_name = "A,B;C", conflicts_with = "workers", value_parser = parse_lanes)]
    lanes: Option<Lanes>,
    /// Worker threads [default: one for each processor]; blocks that wait for the outside world get theirs besides
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// Spans of at most this many items, instead of what the caches suggest
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    strip_items: Option<u32>,
    /// Draw the length of every span at random from this seed; under `single` a run is then repeatable
    #[arg(long)]
    seed: Option<u64>,
    /// How streams between workers are mapped
    #[arg(long)]
    rings: Option<RingName>,
    /// Give every block a buffer of its own instead of working in place
    #[arg(long)]
    out_of_place: bool,
}

/// The schedulers by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchedulerName {
    /// Lanes cut by cost and run by whoever is free, chains of pure blocks shared between workers
    Adaptive,
    /// One lane in topological order
    Single,
    /// Blocks cut into as many lanes as there are workers, evenly by cost, each on a processor of its own
    Pinned,
    /// A thread per block
    Threads,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RingName {
    /// The same pages twice in a row
    Mirrored,
    /// One piece of memory with explicit wrap
    Single,
}

/// Lanes as given: the names of their blocks.
#[derive(Clone, Debug)]
struct Lanes(Vec<Vec<String>>);

fn parse_lanes(text: &str) -> Result<Lanes, String> {
    let lane = |lane: &str| lane.split(',').map(|block| block.trim().to_owned()).collect::<Vec<_>>();
    let lanes: Vec<_> = text.split(';').map(lane).collect();
    match lanes.concat().iter().any(String::is_empty) {
        true => Err("expected names of blocks, as in \"source,filter;sink\"".to_owned()),
        false => Ok(Lanes(lanes)),
    }
}

impl Settings {
    /// How many workers were asked for.
    pub fn workers(&self) -> usize {
        self.workers.map_or_else(|| Machine::detect().cpus.len().max(1), usize::from)
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Box<dyn Scheduler> {
        if let Some(Lanes(lanes)) = &self.lanes {
            return Box::new(Pinned::lanes(lanes.clone()));
        }
        match self.scheduler {
            SchedulerName::Adaptive => {
                Box::new(self.workers.map_or_else(Adaptive::new, |n| Adaptive::workers(n.into())))
            }
            SchedulerName::Single => Box::new(Single),
            SchedulerName::Threads => Box::new(Threads),
            SchedulerName::Pinned => Box::new(Pinned::workers(self.workers())),
        }
    }

    /// The options.
    pub fn options(&self) -> Options {
        let rings = match self.rings {
            None => RingFlavour::default(),
            Some(RingName::Mirrored) => RingFlavour::Mirrored,
            Some(RingName::Single) => RingFlavour::Single,
        };
        Options {
            strip_items: self.strip_items.map(|n| n as usize),
            seed: self.seed,
            rings,
            in_place: !self.out_of_place,
        }
    }
}
