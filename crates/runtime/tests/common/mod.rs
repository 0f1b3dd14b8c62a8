//! Small blocks that the whole-graph tests share.
#![allow(dead_code)] // each test file uses some of them

use superhet_runtime::harness::{Items, VecSink, VecSource};
use superhet_runtime::prelude::*;
use superhet_runtime::{CheckedGraph, ConnectError, Lane, Machine, RingFlavour, RunError, Scheduler};

/// `y[n] = x[n] + by`, in place where the plan can.
pub struct AddConst(pub u32);

impl Pure for AddConst {
    type In = u32;
    type Out = u32;
    const IN_PLACE: bool = true;
    fn map(&self, x: &[u32], y: &mut [u32]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = x.wrapping_add(self.0);
        }
    }
    fn map_in_place(&self, y: &mut [u32]) {
        y.iter_mut().for_each(|y| *y = y.wrapping_add(self.0));
    }
}

/// `y[n] = Σ x[n·D - k]` for k below the length: history and decimation.
pub struct MovingSum {
    pub length: usize,
    pub decimation: usize,
}

impl Pure for MovingSum {
    type In = u32;
    type Out = u32;
    fn ratio(&self) -> Ratio {
        Ratio::decimate(self.decimation)
    }
    fn history(&self) -> usize {
        self.length - 1
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        for (y, x) in
            y.iter_mut().zip(x.windows(self.length).skip(self.decimation - 1).step_by(self.decimation))
        {
            *y = x.iter().copied().fold(0, u32::wrapping_add);
        }
    }
}

/// Gives every item `times` times.
pub struct Repeat(pub usize);

impl Pure for Repeat {
    type In = u32;
    type Out = u32;
    fn ratio(&self) -> Ratio {
        Ratio::interpolate(self.0)
    }
    fn map(&self, x: &[u32], y: &mut [u32]) {
        for (y, x) in y.chunks_exact_mut(self.0).zip(x) {
            y.fill(*x);
        }
    }
}

/// The sum of two streams.
pub struct Add;

impl Pure for Add {
    type In = (u32, u32);
    type Out = u32;
    fn map(&self, (a, b): (&[u32], &[u32]), y: &mut [u32]) {
        for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
            *y = a.wrapping_add(*b);
        }
    }
}

/// The running sum: a state that depends on the order.
pub struct Accumulate(pub u32);

impl SyncBlock for Accumulate {
    type In = u32;
    type Out = u32;
    fn process(&mut self, x: &[u32], y: &mut [u32]) {
        for (y, x) in y.iter_mut().zip(x) {
            self.0 = self.0.wrapping_add(*x);
            *y = self.0;
        }
    }
}

/// A general block that copies packets of exactly `length` items and checks its ports' contracts.
#[derive(Block)]
pub struct Packets {
    #[port]
    input: In<u32>,
    #[port]
    output: Out<u32>,
    length: usize,
}

impl Packets {
    pub fn new(length: usize) -> Self {
        Packets { input: In::new().min(length), output: Out::new().min(length), length }
    }
}

impl Work for Packets {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (x, y) = (self.input.peek(), self.output.reserve());
        if x.len() < self.length || y.len() < self.length {
            return Err(format!("spans of {} and {} items, not {}", x.len(), y.len(), self.length).into());
        }
        y[..self.length].copy_from_slice(&x[..self.length]);
        self.input.consume(self.length);
        self.output.produce(self.length);
        Ok(Step::Ran)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let rest = self.input.rest().to_vec();
        let y = self.output.reserve();
        if y.len() < rest.len() {
            return Ok(Step::NeedOutput);
        }
        y[..rest.len()].copy_from_slice(&rest);
        self.input.consume(rest.len());
        self.output.produce(rest.len());
        Ok(Step::Done)
    }
}

/// An endless source of zeros.
pub struct Zeros;

impl SyncBlock for Zeros {
    type In = ();
    type Out = u32;
    fn process(&mut self, _: (), y: &mut [u32]) {
        y.fill(0);
    }
}

/// Drops everything.
pub struct Drain;

impl SyncBlock for Drain {
    type In = u32;
    type Out = ();
    fn process(&mut self, _: &[u32], _: ()) {}
}

/// Every scheduler with one and two workers, by name.
pub fn schedulers() -> Vec<(&'static str, Box<dyn Scheduler>)> {
    vec![
        ("single", Box::new(Single)),
        ("pinned 1", Box::new(Pinned::workers(1))),
        ("pinned 2", Box::new(Pinned::workers(2))),
        ("threads", Box::new(Threads)),
        ("adaptive 1", Box::new(Adaptive::workers(1))),
        ("adaptive 2", Box::new(Adaptive::workers(2))),
        ("shared by 2", Box::new(Shared { workers: 2, seed: 0 })),
        ("shared by 3", Box::new(Shared { workers: 3, seed: 1 })),
    ]
}

/// Some workers for lanes cut at random, of which chains of pure blocks are shared, whether that pays or not.
pub struct Shared {
    pub workers: usize,
    /// Where to cut; 0 cuts as little as the sharing of all pure blocks needs.
    pub seed: u64,
}

impl Scheduler for Shared {
    fn name(&self) -> &'static str {
        "shared"
    }
    fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
        let mut random = Random::new(self.seed);
        let mut lanes: Vec<Lane> = Vec::new();
        for &block in graph.order() {
            let shareable = graph.is_chain(&[block]) && (self.seed == 0 || !random.one_in(4));
            let cut = self.seed != 0 && random.one_in(3);
            match lanes.last_mut() {
                Some(lane) if !cut && lane.shared == shareable => {
                    let longer = [lane.blocks.clone(), vec![block]].concat();
                    match !shareable || graph.is_chain(&longer) {
                        true => lane.blocks = longer,
                        false => lanes.push(Lane::new(vec![block]).shared()),
                    }
                }
                _ if shareable => lanes.push(Lane::new(vec![block]).shared()),
                _ => lanes.push(Lane::new(vec![block])),
            }
        }
        Ok(lanes)
    }
    fn workers(&self, _: &Machine) -> Option<usize> {
        Some(self.workers)
    }
    fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(Shared { ..*self }))
    }
}

/// Options that cut spans in every way.
pub fn all_options() -> Vec<Options> {
    let mut all = vec![Options::default()];
    for strip_items in [Some(1), Some(7), Some(4096)] {
        all.push(Options { strip_items, ..Options::default() });
        all.push(Options { strip_items, rings: RingFlavour::Single, in_place: false, ..Options::default() });
    }
    for seed in 0..3 {
        all.push(Options { seed: Some(seed), strip_items: Some(100), ..Options::default() });
        all.push(Options {
            seed: Some(seed),
            strip_items: Some(30),
            rings: RingFlavour::Single,
            ..Options::default()
        });
    }
    all
}

/// Runs what `make` builds, which hands out its sink's items, with a time limit.
pub fn run(
    make: impl Fn(&mut Graph) -> Items<u32>,
    scheduler: &dyn Scheduler,
    options: &Options,
) -> Result<Vec<u32>, RunError> {
    let mut graph = Graph::new();
    let items = make(&mut graph);
    finish(graph.check()?, scheduler, options)?;
    Ok(items.take())
}

/// Runs a graph to its end; a graph that hangs fails the test.
pub fn finish(graph: CheckedGraph, scheduler: &dyn Scheduler, options: &Options) -> Result<(), RunError> {
    let mut running = graph.start(scheduler, options)?;
    match running.wait_for(std::time::Duration::from_secs(20)) {
        Some(result) => result.map(|_| ()),
        None => panic!("the graph hangs under {}: {:#?}", scheduler.name(), running.metrics()),
    }
}

/// A source of 0, 1, 2, …
pub fn counting(graph: &mut Graph, items: u32) -> superhet_runtime::OutRef<u32> {
    graph.add("source", VecSource::new((0..items).collect())).output
}

/// A sink that keeps what it gets.
pub fn keeping(graph: &mut Graph) -> (Items<u32>, superhet_runtime::InRef<u32>) {
    let sink = VecSink::<u32>::new();
    let items = sink.items();
    (items, graph.add("sink", sink).input)
}

/// The workers of this process that are alive.
pub fn threads_of_this_process() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, |tasks| {
        let names = tasks.flatten().filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok());
        names.filter(|name| name.starts_with("superhet-")).count()
    })
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, 2014): a hash of 64 bits.
pub fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// SplitMix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(mix(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From `least` to `most`, both included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + (self.next() % (most - least + 1) as u64) as usize
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    /// Mostly none.
    pub fn align(&mut self) -> usize {
        if self.one_in(4) { self.between(1, 40) } else { 1 }
    }
}
