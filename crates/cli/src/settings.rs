//! How a graph is run: the options that several subcommands share.

use std::path::Path;

use clap::{Args, ValueEnum};
use superhet_runtime::{
    Adaptive, Machine, Options, Pinned, Priority, Report, RingFlavour, Scheduler, Single, Threads,
};

use crate::Usage;

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
    /// Keep these neighbours in one lane (adaptive); may be given several times
    #[arg(long, value_name = "A,B", value_parser = parse_names)]
    same_lane: Vec<Names>,
    /// Never run these blocks by several workers at once (adaptive)
    #[arg(long, value_name = "A,B", value_parser = parse_names)]
    never_share: Vec<Names>,
    /// Bind the workers to these processors, in this order (adaptive)
    #[arg(long, value_name = "CPU,CPU", value_delimiter = ',')]
    pin: Vec<usize>,
    /// Take what the blocks cost from a file that `run --report-json` wrote, best with one worker (adaptive, pinned)
    #[arg(long, value_name = "FILE", value_parser = read_report)]
    costs: Option<Report>,
    /// Run before all programs that have no real-time priority, from 1 to 99, where the system permits it
    #[arg(long, value_name = "PRIORITY", num_args = 0..=1, require_equals = true, default_missing_value = "10")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=99))]
    realtime: Option<u8>,
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

/// Blocks as given.
#[derive(Clone, Debug)]
struct Names(Vec<String>);

fn parse_names(text: &str) -> Result<Names, String> {
    match parse_lanes(text)? {
        Lanes(lanes) if lanes.len() == 1 => Ok(Names(lanes.concat())),
        _ => Err("expected names of blocks, as in \"filter,demod\"".to_owned()),
    }
}

fn read_report(path: &str) -> Result<Report, String> {
    let text = std::fs::read_to_string(Path::new(path)).map_err(|error| error.to_string())?;
    let json = serde_json::from_str(&text).map_err(|error| format!("no JSON: {error}"))?;
    let report = Report::from_json(&json).ok_or("not what `superhet run --report-json` writes")?;
    match report.source() {
        Some(_) => Ok(report),
        None => Err("in that run no source gave any item".to_owned()),
    }
}

/// A number of seconds that is worth waiting for.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=1000.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number from 0.001 to 1000".to_owned()),
    }
}

impl Settings {
    /// Finds what does not go together.
    pub fn check(&self) -> Result<(), Usage> {
        let is_adaptive = self.lanes.is_none() && matches!(self.scheduler, SchedulerName::Adaptive);
        let is_pinned = self.lanes.is_none() && matches!(self.scheduler, SchedulerName::Pinned);
        for (option, given, understood) in [
            ("--same-lane", !self.same_lane.is_empty(), is_adaptive),
            ("--never-share", !self.never_share.is_empty(), is_adaptive),
            ("--pin", !self.pin.is_empty(), is_adaptive),
            ("--costs", self.costs.is_some(), is_adaptive || is_pinned),
        ] {
            if given && !understood {
                let schedulers = if option == "--costs" { "adaptive and pinned" } else { "adaptive" };
                return Err(Usage(format!(
                    "{option} is for the scheduler {schedulers}, which cuts lanes itself"
                )));
            }
        }
        Ok(())
    }

    /// How many workers were asked for.
    pub fn workers(&self) -> usize {
        self.workers.map_or_else(|| Machine::detect().cpus.len().max(1), usize::from)
    }

    /// The scheduler, with costs known from `--costs`.
    pub fn scheduler(&self) -> Box<dyn Scheduler> {
        self.scheduler_with(self.costs())
    }

    /// What a file given by `--costs` tells.
    pub fn costs(&self) -> Option<&Report> {
        self.costs.as_ref()
    }

    /// The scheduler, with costs known from a run.
    pub fn scheduler_with(&self, known: Option<&Report>) -> Box<dyn Scheduler> {
        if let Some(Lanes(lanes)) = &self.lanes {
            return Box::new(Pinned::lanes(lanes.clone()));
        }
        match self.scheduler {
            SchedulerName::Adaptive => Box::new(self.adaptive(known)),
            SchedulerName::Single => Box::new(Single),
            SchedulerName::Threads => Box::new(Threads),
            SchedulerName::Pinned => {
                let pinned = Pinned::workers(self.workers());
                Box::new(match known {
                    Some(report) => pinned.with_costs(report),
                    None => pinned,
                })
            }
        }
    }

    fn adaptive(&self, known: Option<&Report>) -> Adaptive {
        let mut adaptive = self.workers.map_or_else(Adaptive::new, |n| Adaptive::workers(n.into()));
        if let Some(report) = known {
            adaptive = adaptive.with_costs(report);
        }
        for Names(names) in &self.same_lane {
            adaptive = adaptive.same_lane(names.clone());
        }
        for name in self.never_share.iter().flat_map(|Names(names)| names) {
            adaptive = adaptive.never_share(name.clone());
        }
        adaptive.pin(self.pin.iter().copied())
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
            priority: self.realtime.map_or(Priority::Normal, Priority::RealTime),
        }
    }
}
