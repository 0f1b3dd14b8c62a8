//! How a graph is run: the options that several subcommands share.

use clap::{Args, ValueEnum};
use superhet_runtime::{Options, Pinned, RingFlavour, Scheduler, Single, Threads};

/// Who runs what, and in which portions.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Who runs what [default: single for one worker, pinned for more]
    #[arg(long)]
    scheduler: Option<SchedulerName>,
    /// Lanes for `pinned`: blocks separated by commas, lanes by semicolons; blocks not named get lanes of their own
    #[arg(long, value_name = "A,B;C", conflicts_with = "workers", value_parser = parse_lanes)]
    lanes: Option<Lanes>,
    /// Worker threads; blocks that wait for the outside world get theirs besides
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchedulerName {
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
        self.workers.unwrap_or(1).into()
    }

    /// Whether it was said who runs what.
    pub fn names_a_scheduler(&self) -> bool {
        self.scheduler.is_some() || self.lanes.is_some()
    }

    /// The same settings under another scheduler. Where nobody said how many workers there are, it gets as many as
    /// there are processors.
    pub fn under(&self, scheduler: SchedulerName) -> Self {
        let processors =
            || std::thread::available_parallelism().ok().and_then(|n| u16::try_from(n.get()).ok());
        let workers = match scheduler {
            SchedulerName::Single => Some(1),
            _ => self.workers.or_else(processors),
        };
        Settings { scheduler: Some(scheduler), lanes: None, workers, ..self.clone() }
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Box<dyn Scheduler> {
        if let Some(Lanes(lanes)) = &self.lanes {
            return Box::new(Pinned::lanes(lanes.clone()));
        }
        match self.scheduler {
            Some(SchedulerName::Single) => Box::new(Single),
            Some(SchedulerName::Threads) => Box::new(Threads),
            Some(SchedulerName::Pinned) => Box::new(Pinned::workers(self.workers())),
            None if self.workers() > 1 => Box::new(Pinned::workers(self.workers())),
            None => Box::new(Single),
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
