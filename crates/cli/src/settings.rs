//! How a graph is run: the options that several subcommands share.

use clap::{Args, ValueEnum};
use superhet_runtime::{
    Adaptive, Machine, MaxLatency, Options, Pinned, RingFlavour, Scheduler, Single, Threads,
};

/// Who runs what, and in which portions.
#[derive(Args, Clone, Debug)]
pub struct Settings {
    /// Who runs what [default: adaptive]
    #[arg(long)]
    scheduler: Option<SchedulerName>,
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

impl Settings {
    /// How many workers were asked for.
    pub fn workers(&self) -> usize {
        self.workers.map_or_else(|| Machine::detect().cpus.len().max(1), usize::from)
    }

    /// Whether it was said who runs what.
    pub fn names_a_scheduler(&self) -> bool {
        self.scheduler.is_some() || self.lanes.is_some()
    }

    /// The same settings under another scheduler.
    pub fn under(&self, scheduler: SchedulerName) -> Self {
        let workers = if scheduler == SchedulerName::Single { Some(1) } else { self.workers };
        Settings { scheduler: Some(scheduler), lanes: None, workers, ..self.clone() }
    }

    /// The scheduler.
    pub fn scheduler(&self) -> Box<dyn Scheduler> {
        if let Some(Lanes(lanes)) = &self.lanes {
            return Box::new(Pinned::lanes(lanes.clone()));
        }
        match self.scheduler.unwrap_or(SchedulerName::Adaptive) {
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
