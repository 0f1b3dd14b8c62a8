//! How a graph is run: the options that several subcommands share.

use std::path::Path;

use clap::{Args, ValueEnum};
use superhet_runtime::plan::{Machine, MaxLatency, Priority};
use superhet_runtime::{Adaptive, Options, Pinned, Report, Scheduler, Single, Threads, buffer::RingFlavour};

use crate::usage::Usage;

/// The scheduler, its workers, and the lengths of strips.
#[derive(Args, Clone, Debug, Default)]
pub struct Settings {
    /// The scheduler [default: adaptive]
    #[arg(long)]
    scheduler: Option<SchedulerName>,
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
    /// Let no more lie between a source and a sink: items of the source, or a time at its rate in Hz, as in 1ms@2e6
    #[arg(long, value_name = "ITEMS|TIME@RATE", value_parser = parse_latency)]
    max_latency: Option<MaxLatency>,
    /// The same for the stream that an output writes
    #[arg(long, value_name = "BLOCK.PORT=ITEMS|TIME@RATE", value_parser = parse_stream_latency)]
    max_stream_latency: Vec<(String, MaxLatency)>,
}

/// The schedulers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchedulerName {
    /// Lanes cut by cost and run by whoever is free, chains shared between workers
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

fn parse_latency(text: &str) -> Result<MaxLatency, String> {
    let expected =
        || format!("expected items, as in 1000, or a time at a rate in Hz, as in 1ms@2e6, not {text:?}");
    let Some((time, rate)) = text.split_once('@') else {
        return match text.parse() {
            Ok(items) if items > 0 => Ok(MaxLatency::Items(items)),
            _ => Err(expected()),
        };
    };
    let (number, unit) =
        time.split_at(time.find(|c: char| c.is_alphabetic() && c != 'e').unwrap_or(time.len()));
    let unit = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" | "µs" => 1e-6,
        _ => return Err(expected()),
    };
    match (number.parse::<f64>(), rate.parse::<f64>()) {
        (Ok(number), Ok(rate_hz)) if number > 0.0 && rate_hz > 0.0 && (number * rate_hz).is_finite() => {
            Ok(MaxLatency::Seconds { seconds: number * unit, rate_hz })
        }
        _ => Err(expected()),
    }
}

fn parse_stream_latency(text: &str) -> Result<(String, MaxLatency), String> {
    let (name, latency) = text.split_once('=').ok_or("expected BLOCK.PORT=LATENCY")?;
    Ok((name.to_owned(), parse_latency(latency)?))
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
        let is_adaptive =
            self.lanes.is_none() && matches!(self.scheduler, None | Some(SchedulerName::Adaptive));
        let is_pinned = self.lanes.is_none() && matches!(self.scheduler, Some(SchedulerName::Pinned));
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

    /// Whether a scheduler was named.
    pub fn names_a_scheduler(&self) -> bool {
        self.scheduler.is_some() || self.lanes.is_some()
    }

    /// The same settings under another scheduler.
    pub fn under(&self, scheduler: SchedulerName) -> Self {
        let workers = if scheduler == SchedulerName::Single { Some(1) } else { self.workers };
        Settings { scheduler: Some(scheduler), lanes: None, workers, ..self.clone() }
    }

    /// The scheduler, with costs known from `--costs`.
    pub fn scheduler(&self) -> Box<dyn Scheduler> {
        self.scheduler_with(self.costs())
    }

    /// The costs in a file given by `--costs`.
    pub fn costs(&self) -> Option<&Report> {
        self.costs.as_ref()
    }

    /// The scheduler, with costs known from a run.
    pub fn scheduler_with(&self, known: Option<&Report>) -> Box<dyn Scheduler> {
        if let Some(Lanes(lanes)) = &self.lanes {
            return Box::new(Pinned::lanes(lanes.clone()));
        }
        match self.scheduler.unwrap_or(SchedulerName::Adaptive) {
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
            max_latency: self.max_latency,
            max_stream_latency: self.max_stream_latency.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_items_or_a_time_at_a_rate() {
        assert_eq!(parse_latency("1000"), Ok(MaxLatency::Items(1000)));
        assert_eq!(parse_latency("1.5ms@2e6").map(MaxLatency::items), Ok(3000));
        assert_eq!(parse_latency("1e-3s@48000").map(MaxLatency::items), Ok(48));
        for wrong in ["", "0", "1ms", "1ms@", "1 parsec@3", "-1ms@5", "x@y"] {
            assert!(parse_latency(wrong).is_err(), "{wrong}");
        }
    }
}
