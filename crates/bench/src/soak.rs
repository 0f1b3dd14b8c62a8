//! A graph that is changed at random for a long time: nothing may be lost, and memory must not grow.
//!
//! A source counts, blocks of every level pass on what they get, and the sink checks that no number is missing. Blocks
//! are put in, taken out and replaced while it runs; now and then the graph is stopped and another one started.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use serde_json::json;
use superhet_blocks::flow::Copy;
use superhet_runtime::prelude::*;
use superhet_runtime::{AnyBlock, RunningGraph, Shape};

use superhet_terminal::say;
use superhet_terminal::settings::Settings;

/// `superhet bench soak`
#[derive(Args, Debug)]
pub struct Soak {
    /// How long
    #[arg(long, default_value_t = 1.0, value_parser = parse_minutes)]
    minutes: f64,
    /// Where the random changes begin
    #[arg(long, default_value_t = 0)]
    first_seed: u64,
    #[command(flatten)]
    settings: Settings,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads a number of minutes.
pub(super) fn parse_minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.001..=10_000.0).contains(&minutes) => Ok(minutes),
        _ => Err("expected a number from 0.001 to 10000".to_owned()),
    }
}

/// 0, 1, 2, … until it is stopped.
#[derive(Block)]
struct Count {
    #[port("out")]
    output: Out<u64>,
    end: Arc<AtomicBool>,
}

impl Work for Count {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index();
        let room = self.output.reserve();
        let n = room.len();
        room.iter_mut().zip(first..).for_each(|(y, n)| *y = n);
        self.output.produce(n);
        Ok(if self.end.load(Ordering::Relaxed) { Step::Done } else { Step::Ran })
    }
}

/// Fails when a number is missing, repeated, or out of its order.
struct Check {
    next: u64,
    wrong: Arc<AtomicU64>,
    items: Arc<AtomicU64>,
}

impl SyncBlock for Check {
    type In = u64;
    type Out = ();
    fn process(&mut self, x: &[u64], _: ()) {
        let wrong = x.iter().zip(self.next..).filter(|(x, n)| **x != *n).count();
        self.next += x.len() as u64;
        self.wrong.fetch_add(wrong as u64, Ordering::Relaxed);
        self.items.store(self.next, Ordering::Relaxed);
    }
}

/// Passes what it gets; has a history, which it compares.
struct Look(usize);

impl Pure for Look {
    type In = u64;
    type Out = u64;
    fn shape(&self) -> Shape {
        Shape { history: self.0, ..Shape::default() }
    }

    fn map(&self, x: &[u64], y: &mut [u64]) {
        for (y, x) in y.iter_mut().zip(x.windows(self.0 + 1)) {
            // A new block has seen zeros.
            let (then, now) = (x[0], x[self.0]);
            *y = if then == 0 || then + self.0 as u64 == now { now } else { u64::MAX };
        }
    }
}

/// Passes what it gets, in order, with a state.
struct Keep(u64);

impl SyncBlock for Keep {
    type In = u64;
    type Out = u64;
    fn process(&mut self, x: &[u64], y: &mut [u64]) {
        y.copy_from_slice(x);
        self.0 = self.0.wrapping_add(x.len() as u64);
    }
}

/// Passes packets of some length, and what is left at the end.
#[derive(Block)]
struct Packets {
    #[port("in")]
    input: In<u64>,
    #[port("out")]
    output: Out<u64>,
}

impl Packets {
    fn new(length: usize) -> Self {
        Packets { input: In::new().multiple(length), output: Out::new().min(length) }
    }

    fn pass(&mut self, n: usize) {
        let x = &self.input.rest()[..n];
        self.output.reserve()[..n].copy_from_slice(x);
        self.input.consume(n);
        self.output.produce(n);
    }
}

impl Work for Packets {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass(self.input.available().min(self.output.room()));
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.rest().len();
        if n > self.output.room() {
            return Ok(Step::NeedOutput);
        }
        self.pass(n);
        Ok(Step::Done)
    }
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn block(&mut self) -> AnyBlock {
        match self.below(4) {
            0 => AnyBlock::new(Copy::<u64>::new()),
            1 => AnyBlock::new(Look(1 + self.below(500))),
            2 => AnyBlock::new(Keep(0)),
            _ => AnyBlock::new(Packets::new(1 + self.below(300))),
        }
    }
}

#[derive(Default)]
struct Totals {
    graphs: u64,
    changes: u64,
    items: u64,
}

/// The longest that one graph is kept.
const ONE_GRAPH: Duration = Duration::from_secs(20);

impl Soak {
    pub fn run(self) -> anyhow::Result<()> {
        let (start, length) = (Instant::now(), Duration::from_secs_f64(self.minutes * 60.0));
        let mut totals = Totals::default();
        // What the first graphs touch for the first time is no growth.
        let mut first_bytes = None;
        while start.elapsed() < length {
            let seed = self.first_seed + totals.graphs;
            let left = length.saturating_sub(start.elapsed()).min(ONE_GRAPH);
            self.one_graph(seed, left, &mut totals).with_context(|| format!("with the seed {seed}"))?;
            if first_bytes.is_none() && (totals.graphs >= 3 || start.elapsed() * 4 > length) {
                first_bytes = resident_bytes();
            }
        }
        let grown = resident_bytes().zip(first_bytes).map(|(last, first)| last as i64 - first as i64);
        let mut out = String::new();
        let Totals { graphs, changes, items } = totals;
        if self.json {
            let seconds = start.elapsed().as_secs_f64();
            let object = json!({
                "bench": "soak", "seconds": seconds, "graphs": graphs, "changes": changes, "items": items,
                "lost": 0, "grown_bytes": grown,
            });
            writeln!(out, "{object}")?;
        } else {
            let grown = grown.map_or("unknown".to_owned(), |bytes| format!("{} KiB", bytes / 1024));
            writeln!(
                out,
                "{graphs} graphs, {changes} changes, {items} items: none lost; memory has grown by {grown}"
            )?;
        }
        say::result(&out)
    }

    fn one_graph(&self, seed: u64, length: Duration, totals: &mut Totals) -> anyhow::Result<()> {
        let mut random = Random(seed);
        let (end, wrong, items) =
            (Arc::new(AtomicBool::new(false)), Arc::<AtomicU64>::default(), Arc::default());
        let mut graph = Graph::new();
        graph.add("source", Count { output: Out::new(), end: end.clone() });
        let mut names = vec!["source".to_owned()];
        for place in 0..3 {
            let name = format!("first{place}");
            graph.add_any(name.clone(), random.block());
            graph.connect_names(&names[place], &name);
            names.push(name);
        }
        graph.add("sink", Check { next: 0, wrong: wrong.clone(), items: Arc::clone(&items) });
        graph.connect_names(&names[3], "sink");
        names.push("sink".to_owned());
        let running = graph.check()?.start(&*self.settings.scheduler(), &self.settings.options())?;
        let start = Instant::now();
        let mut number = 0;
        while start.elapsed() < length {
            std::thread::sleep(Duration::from_millis(random.below(40) as u64));
            change(&running, &mut random, &mut names, number)?;
            number += 1;
            ensure!(wrong.load(Ordering::Relaxed) == 0, "numbers are wrong after {number} changes");
        }
        end.store(true, Ordering::Relaxed);
        let mut running = running;
        match running.wait_for(Duration::from_secs(30)) {
            Some(report) => report?,
            None => bail!("the graph does not end: {}", running.metrics()),
        };
        let items = items.load(Ordering::Relaxed);
        ensure!(wrong.load(Ordering::Relaxed) == 0, "numbers are wrong at the end, of {items}");
        ensure!(items > 0, "no item came");
        *totals = Totals {
            graphs: totals.graphs + 1,
            changes: totals.changes + number,
            items: totals.items + items,
        };
        Ok(())
    }
}

/// Puts a block in, takes one out, replaces one, or partitions the blocks anew.
fn change(
    running: &RunningGraph,
    random: &mut Random,
    names: &mut Vec<String>,
    number: u64,
) -> anyhow::Result<()> {
    let inner = names.len() - 2;
    match random.below(4) {
        0 if inner < 8 => {
            let place = 1 + random.below(names.len() - 1);
            let (before, after, name) =
                (names[place - 1].clone(), names[place].clone(), format!("b{number}"));
            let block = random.block();
            running.reconfigure(|edit| {
                edit.add_any(name.clone(), block);
                edit.disconnect_names(&before, &after);
                edit.connect_names(&before, &name);
                edit.connect_names(&name, &after);
            })?;
            names.insert(place, name);
        }
        1 if inner > 1 => {
            let name = names.remove(1 + random.below(inner));
            running.reconfigure(|edit| edit.remove(&name))?;
        }
        2 if inner > 0 => {
            let name = &names[1 + random.below(inner)];
            let length = 1 + random.below(500);
            running.reconfigure(|edit| edit.replace(name, Look(length)).id())?;
        }
        _ => {
            running.reconfigure(|_| ())?;
        }
    }
    Ok(())
}

/// The memory of this process that is in use, where the system reports it.
pub(super) fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        soak: Soak,
    }

    #[test]
    fn a_short_soak_loses_nothing() {
        let arguments = ["soak", "--minutes", "0.02", "--workers", "2", "--json"];
        Arguments::try_parse_from(arguments).unwrap().soak.run().unwrap();
    }
}
