//! Blocks and a scheduler with which a test says how far a graph runs, and who runs what after each new partition.
#![allow(dead_code)] // each test file uses some of them

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use superhet_runtime::plan::{Lane, Machine};
use superhet_runtime::prelude::*;
use superhet_runtime::{CheckedGraph, RunningGraph, Scheduler, error::ConnectError, tag::forward_tags};

use super::mix;

/// Up to which item a block may go; shared with the test.
pub type Limit = Arc<AtomicU64>;

pub fn limit(items: u64) -> Limit {
    Arc::new(AtomicU64::new(items))
}

/// Item `index` of a [`Tap`].
pub fn item(index: u64) -> u32 {
    mix(index) as u32
}

/// Whether item `index` of a [`Tap`] has a tag, whose value is the index.
pub fn is_tagged(index: u64) -> bool {
    index.is_multiple_of(7) || index.is_multiple_of(11)
}

fn moment() -> Instant {
    Instant::now() + Duration::from_micros(50)
}

/// A source of `items` items that gives those below its limit, with a thread of its own or without.
#[derive(Block)]
pub struct Tap {
    #[port("out")]
    output: Out<u32>,
    items: u64,
    may: Limit,
    given: Limit,
    blocking: bool,
}

impl Tap {
    pub fn new(items: u64, may: &Limit, blocking: bool) -> Self {
        Tap { output: Out::new(), items, may: may.clone(), given: limit(0), blocking }
    }

    /// How many items it has given.
    pub fn given(&self) -> Limit {
        self.given.clone()
    }
}

impl Work for Tap {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let first = self.output.index();
        let end = self.may.load(Ordering::Acquire).min(self.items);
        let n = self.output.room().min(end.saturating_sub(first) as usize);
        for i in 0..n {
            let index = first + i as u64;
            if is_tagged(index) {
                self.output.tag(i, "t", index);
            }
            self.output.reserve()[i] = item(index);
        }
        self.output.produce(n);
        self.given.store(first + n as u64, Ordering::Release);
        if first + n as u64 == self.items || (n == 0 && context.is_stopping()) {
            return Ok(Step::Done);
        }
        if n == 0 {
            context.sleep_until(moment());
        }
        Ok(Step::Ran)
    }
    fn blocking(&self) -> bool {
        self.blocking
    }
}

/// What a [`Valve`] got.
#[derive(Debug, Default)]
pub struct Got {
    pub items: Vec<u32>,
    /// Index and value.
    pub tags: Vec<(u64, u64)>,
}

pub type Kept = Arc<Mutex<Got>>;

pub fn lock(kept: &Kept) -> MutexGuard<'_, Got> {
    kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A sink that keeps the items below its limit and leaves the others, with a thread of its own or without.
#[derive(Block)]
pub struct Valve {
    #[port("in")]
    input: In<u32>,
    may: Limit,
    kept: Kept,
    blocking: bool,
}

impl Valve {
    pub fn new(may: &Limit, blocking: bool) -> Self {
        Valve { input: In::new(), may: may.clone(), kept: Kept::default(), blocking }
    }

    pub fn kept(&self) -> Kept {
        self.kept.clone()
    }
}

impl Work for Valve {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut kept = lock(&self.kept);
        let left = self.may.load(Ordering::Acquire).saturating_sub(kept.items.len() as u64);
        let n = self.input.available().min(usize::try_from(left).unwrap_or(usize::MAX));
        let end = self.input.index() + n as u64;
        let tags = self.input.tags().into_iter().filter(|tag| tag.index < end);
        let tags: Vec<_> = tags.map(|tag| (tag.index, tag.value.as_u64().unwrap_or(u64::MAX))).collect();
        kept.tags.extend(tags);
        kept.items.extend_from_slice(&self.input.peek()[..n]);
        self.input.consume(n);
        if n == 0 {
            context.sleep_until(moment());
        }
        Ok(Step::Ran)
    }
    fn blocking(&self) -> bool {
        self.blocking
    }
}

/// Passes items and tags on, at least so many at a time.
#[derive(Block)]
pub struct Pass {
    #[port("in")]
    input: In<u32>,
    #[port("out")]
    output: Out<u32>,
}

impl Pass {
    pub fn new(least: usize) -> Self {
        Pass { input: In::new().min(least), output: Out::new() }
    }
}

impl Work for Pass {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.rest().len().min(self.output.room());
        forward_tags(&mut self.input, &mut self.output, n);
        self.output.reserve()[..n].copy_from_slice(&self.input.rest()[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(Step::Ran)
    }
    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work(context)?;
        Ok(if self.input.rest().is_empty() { Step::Done } else { Step::Ran })
    }
}

/// Makes partitions of the blocks as its texts say: `"source | *a b | sink"` are three lanes, of which the second is shared. A block that is not
/// named has a lane of its own. The last partition is that of all later times, too.
#[derive(Clone, Debug)]
pub struct Partitions {
    workers: usize,
    partitions: Vec<&'static str>,
    next: Limit,
}

impl Partitions {
    pub fn new(workers: usize, partitions: &[&'static str]) -> Self {
        Partitions { workers, partitions: partitions.to_vec(), next: limit(0) }
    }
}

impl Scheduler for Partitions {
    fn name(&self) -> &'static str {
        "partitions"
    }
    fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
        let next = self.next.fetch_add(1, Ordering::Relaxed) as usize;
        let partition = self.partitions[next.min(self.partitions.len() - 1)];
        let place_of = |name: &str| graph.order().iter().copied().find(|&b| graph.block_name(b) == name);
        let mut lanes = Vec::new();
        for words in partition.split('|').map(str::trim) {
            let names = words.trim_start_matches('*').split_whitespace();
            let lane = Lane::new(names.filter_map(place_of).collect());
            let shared = words.starts_with('*') && graph.is_chain(&lane.blocks);
            lanes.push(if shared { lane.shared() } else { lane });
        }
        let is_named = |block: &usize| lanes.iter().any(|lane| lane.blocks.contains(block));
        let others: Vec<_> = graph.order().iter().filter(|block| !is_named(block)).collect();
        lanes.extend(others.into_iter().map(|&block| Lane::new(vec![block])));
        lanes.retain(|lane| !lane.blocks.is_empty());
        Ok(lanes)
    }
    fn workers(&self, _: &Machine) -> Option<usize> {
        Some(self.workers)
    }
    fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(self.clone()))
    }
}

/// How many items `block` has taken, as far as is known.
pub fn taken(running: &RunningGraph, block: &str) -> u64 {
    running.metrics().block(block).map_or(0, |block| block.inputs[0].items)
}

/// Waits until `what` holds.
pub fn wait_until(running: &RunningGraph, mut what: impl FnMut() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(60), "the graph hangs: {:#?}", running.metrics());
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Waits until all streams are full, most probably: no block has taken anything for a while.
pub fn wait_until_full(running: &RunningGraph) {
    let taken = || -> Vec<u64> {
        let blocks = running.metrics().blocks;
        blocks.iter().flat_map(|block| block.inputs.iter().map(|input| input.items)).collect()
    };
    let (mut last, mut since) = (taken(), Instant::now());
    while since.elapsed() < Duration::from_millis(20) {
        std::thread::sleep(Duration::from_millis(2));
        let now = taken();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}
