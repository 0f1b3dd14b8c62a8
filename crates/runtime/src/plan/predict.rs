//! What a plan promises, from what a run has shown.
//!
//! A lane that one worker at a time runs needs the time of its blocks for each item; a chain that workers share, that of its
//! costliest block with a state; the workers of a region need the time
//! of all its lanes, divided by their number; so do the processors. The largest of these is the least time per item, the
//! *period*. Samples that go from lane to lane cost something too, which is charged to the lane that reads them.

use std::fmt;

use super::Plan;
use super::cost::{Costs, SECONDS_PER_BYTE, SECONDS_PER_CARRIED_BYTE, SECONDS_PER_STAGE_BYTE};
use crate::metrics::Report;

/// How fast a graph can go, and what sets that bound.
///
/// Items are those that the graph's source gives: of all blocks without stream inputs, the one that gives most.
///
/// ```
/// use superhet_runtime::{Adaptive, Graph, Options, harness::{VecSink, VecSource}, plan::{Machine, Plan}};
///
/// let graph = || {
///     let mut graph = Graph::new();
///     let source = graph.add("source", VecSource::new(vec![1u32; 100_000]));
///     let sink = graph.add("sink", VecSink::<u32>::new());
///     graph.connect(source.output, sink.input);
///     graph.check()
/// };
/// let report = graph()?.start(&Adaptive::workers(1), &Options::default())?.wait()?;
/// let scheduler = Adaptive::workers(2).with_costs(&report);
/// let prediction = graph()?.plan(&scheduler, &Options::default())?.predict(&report).expect("items went through");
/// println!("{prediction}");
/// assert!(prediction.rate_hz() >= prediction.one_lane_rate_hz());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The block whose items are counted.
    pub source: String,
    /// What each block costs, in the order in which they were added.
    pub blocks: Vec<BlockCost>,
    /// What each lane costs.
    pub lanes: Vec<LaneCost>,
    /// Seconds for each item that the plan cannot get below.
    pub period_s: f64,
    /// The same with all blocks in one lane.
    pub one_lane_period_s: f64,
    /// What sets the bound.
    pub bound: Bound,
}

/// What a block costs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockCost {
    /// The block's name.
    pub name: String,
    /// Seconds for each item of the source.
    pub seconds: f64,
    /// Its share in the time of all blocks that do not wait for the outside world.
    pub share: f64,
    /// The lane that runs it.
    pub lane: usize,
    /// Whether it waits for the outside world: that is part of its time.
    pub blocking: bool,
}

/// What a lane costs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LaneCost {
    /// Its blocks, by their place in [`Prediction::blocks`].
    pub blocks: Vec<usize>,
    /// Seconds for each item of the source, of its blocks and for taking what other lanes hand over.
    pub seconds: f64,
    /// Whether all workers run it at once.
    pub shared: bool,
}

/// What sets the bound on a graph's throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// This lane, which one worker at a time runs.
    Lane(usize),
    /// This block with a state, by its place in [`Prediction::blocks`]: of a chain that workers share, it takes one claim at a time.
    State(usize),
    /// So many workers together: none of them ever waits.
    Workers(usize),
    /// So many processors together, on which there are more workers.
    Processors(usize),
}

impl Plan {
    /// How fast the graph can go by this plan, from the report of a run of the same graph on one worker.
    ///
    /// What it costs to hand samples over between lanes is added. What it costs to wake a worker that sleeps is not: a plan
    /// that cuts between blocks that send messages now and then may reach a third less. `None` where no source gave an item.
    pub fn predict(&self, report: &Report) -> Option<Prediction> {
        self.prediction(report, true)
    }

    /// How fast the graph could have gone, from the report of a run by this very plan: as fast as it did, but for the
    /// times in which workers had nothing to do.
    ///
    /// `None` where no source gave an item.
    pub fn explain(&self, report: &Report) -> Option<Prediction> {
        self.prediction(report, false)
    }

    fn prediction(&self, report: &Report, hand_over: bool) -> Option<Prediction> {
        let source = report.source()?.name.clone();
        let mut costs = Costs::default();
        costs.learn(report);
        let mut lane_of = vec![0; self.names.len()];
        for (index, lane) in self.lanes.iter().enumerate() {
            lane.blocks.iter().for_each(|&block| lane_of[block] = index);
        }
        let seconds = |block: usize| costs.seconds(&self.names[block].name).unwrap_or(0.0);
        let is_work = |block: &usize| !self.names[*block].blocking;
        let work: f64 = (0..self.names.len()).filter(is_work).map(seconds).sum();
        let mut lanes: Vec<LaneCost> = self
            .lanes
            .iter()
            .map(|lane| LaneCost {
                blocks: lane.blocks.clone(),
                seconds: lane.blocks.iter().map(|&block| seconds(block)).sum(),
                shared: lane.shared,
            })
            .collect();
        let states = self.states();
        let mut carrying = vec![0.0; self.names.len()];
        // Blocks that wait for the outside world have threads of their own in every run: that is in their time.
        for stream in self.streams.iter().filter(|stream| hand_over && is_work(&stream.from.block)) {
            let rate = costs.rate(&self.names[stream.from.block].name, stream.from.port).unwrap_or(0.0);
            let here = lane_of[stream.from.block];
            for reader in stream.readers.iter().filter(|reader| is_work(&reader.block)) {
                let there = lane_of[reader.block];
                if there == here {
                    if states.contains(&stream.from.block) || states.contains(&reader.block) {
                        let seconds = rate * stream.item_bytes as f64 * SECONDS_PER_STAGE_BYTE;
                        lanes[here].seconds += seconds;
                        carrying[reader.block] = seconds;
                    }
                    continue;
                }
                let is_carried =
                    self.regions.iter().any(|r| r.lanes.contains(&here) && r.lanes.contains(&there));
                let each = if is_carried { SECONDS_PER_CARRIED_BYTE } else { SECONDS_PER_BYTE };
                lanes[there].seconds += rate * stream.item_bytes as f64 * each;
            }
        }
        let in_order = states.iter().map(|&block| (seconds(block) + carrying[block], block));
        let (period_s, bound) = self.bound(&lanes, in_order);
        let waits = (0..self.names.len()).filter(|block| !is_work(block)).map(seconds);
        Some(Prediction {
            source,
            blocks: (self.names.iter().enumerate())
                .map(|(block, names)| BlockCost {
                    name: names.name.clone(),
                    seconds: seconds(block),
                    share: if names.blocking { 0.0 } else { seconds(block) / work.max(f64::MIN_POSITIVE) },
                    lane: lane_of[block],
                    blocking: names.blocking,
                })
                .collect(),
            one_lane_period_s: waits.fold(work, f64::max),
            lanes,
            period_s,
            bound,
        })
    }

    /// The blocks with a state in chains that workers share.
    fn states(&self) -> Vec<usize> {
        let chains = self.lanes.iter().filter_map(|lane| Some((&lane.blocks, lane.chain.as_ref()?)));
        let links = chains.flat_map(|(blocks, chain)| blocks.iter().zip(&chain.shape.links));
        links.filter(|(_, link)| link.has_state).map(|(&block, _)| block).collect()
    }

    /// The least time per item, and what sets it. `in_order`: what blocks take that take one claim at a time.
    fn bound(&self, lanes: &[LaneCost], in_order: impl Iterator<Item = (f64, usize)>) -> (f64, Bound) {
        let waits = |lane: usize| self.lanes[lane].blocks.iter().all(|&block| self.names[block].blocking);
        let mut bounds = Vec::new();
        for (lane, cost) in lanes.iter().enumerate().filter(|(_, lane)| !lane.shared) {
            bounds.push((cost.seconds, Bound::Lane(lane)));
        }
        bounds.extend(in_order.map(|(seconds, block)| (seconds, Bound::State(block))));
        let (mut work, mut workers) = (0.0, 0);
        for region in self.regions.iter().filter(|region| !region.lanes.iter().all(|&lane| waits(lane))) {
            let seconds: f64 = region.lanes.iter().map(|&lane| lanes[lane].seconds).sum();
            bounds.push((seconds / region.workers.max(1) as f64, Bound::Workers(region.workers)));
            (work, workers) = (work + seconds, workers + region.workers);
        }
        let processors = self.machine.cpus.len().max(1);
        if processors < workers {
            bounds.push((work / processors as f64, Bound::Processors(processors)));
        }
        // Of equal bounds, the first says most.
        let larger = |a: (f64, Bound), b: (f64, Bound)| if b.0 > a.0 * 1.001 { b } else { a };
        bounds.into_iter().reduce(larger).unwrap_or((0.0, Bound::Workers(workers)))
    }
}

impl Prediction {
    /// Items of the source a second that the plan cannot get above.
    pub fn rate_hz(&self) -> f64 {
        1.0 / self.period_s
    }

    /// The same with all blocks in one lane.
    pub fn one_lane_rate_hz(&self) -> f64 {
        1.0 / self.one_lane_period_s
    }

    /// The block that takes the most time of what sets the bound.
    pub fn bottleneck(&self) -> Option<&BlockCost> {
        let blocks = self.blocks.iter().filter(|block| match self.bound {
            Bound::Lane(lane) => block.lane == lane,
            Bound::State(block_with_it) => block.name == self.blocks[block_with_it].name,
            _ => !block.blocking,
        });
        blocks.max_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// What sets the bound, in words.
    pub fn bound_words(&self) -> String {
        let Some(block) = self.bottleneck() else { return "nothing".to_owned() };
        let name = &block.name;
        let most = |seconds: f64| {
            format!(
                "{name} takes {:.0} % of its time",
                100.0 * block.seconds / seconds.max(f64::MIN_POSITIVE)
            )
        };
        match self.bound {
            Bound::Lane(_) if block.blocking => format!("the outside world behind {name}"),
            Bound::Lane(lane) if self.lanes[lane].blocks.len() == 1 => name.clone(),
            Bound::State(_) => format!("{name}, whose state takes one claim at a time"),
            Bound::Lane(lane) => format!("lane {lane}, {}", most(self.lanes[lane].seconds)),
            Bound::Workers(1) => format!("the only worker, {}", most(self.work_s())),
            Bound::Workers(n) => format!("all {n} workers together, {} takes most", name),
            Bound::Processors(n) => format!("all {n} processors together, {} takes most", name),
        }
    }

    /// Seconds of work for each item.
    fn work_s(&self) -> f64 {
        self.blocks.iter().filter(|block| !block.blocking).map(|block| block.seconds).sum()
    }

    /// The prediction as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::json;
        let (kind, count) = match self.bound {
            Bound::Lane(lane) => ("lane", lane),
            Bound::State(block) => ("state_of", block),
            Bound::Workers(n) => ("workers", n),
            Bound::Processors(n) => ("processors", n),
        };
        json!({
            "source": self.source,
            "rate_hz": self.rate_hz(), "period_s": self.period_s,
            "one_lane_rate_hz": self.one_lane_rate_hz(),
            "bound": { kind: count, "block": self.bottleneck().map(|block| &block.name), "words": self.bound_words() },
            "blocks": self.blocks.iter().map(|block| json!({
                "name": block.name, "seconds_per_item": block.seconds, "share": block.share, "lane": block.lane,
                "blocking": block.blocking,
            })).collect::<Vec<_>>(),
            "lanes": self.lanes.iter().map(|lane| json!({
                "seconds_per_item": lane.seconds, "shared": lane.shared,
            })).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.blocks.iter().map(|block| block.name.len()).max().unwrap_or(0).max(5);
        writeln!(f, "{:width$} {:>12} {:>8} {:>5}", "block", "ns per item", "share", "lane")?;
        for block in &self.blocks {
            let share = match block.blocking {
                true => "waits".to_owned(),
                false => format!("{:.1} %", 100.0 * block.share),
            };
            let nanoseconds = 1e9 * block.seconds;
            writeln!(f, "{:width$} {nanoseconds:>12.4} {share:>8} {:>5}", block.name, block.lane)?;
        }
        let mega = |rate_hz: f64| rate_hz / 1e6;
        writeln!(
            f,
            "at most {:.2} Mitems/s of {}, set by {}",
            mega(self.rate_hz()),
            self.source,
            self.bound_words()
        )?;
        writeln!(
            f,
            "in one lane {:.2} Mitems/s, so that is {:.2} times as fast",
            mega(self.one_lane_rate_hz()),
            self.one_lane_period_s / self.period_s
        )
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::harness::{VecSink, VecSource};
    use crate::metrics::{BlockReport, OutputReport};
    use crate::{
        Adaptive, CheckedGraph, Graph, Options, Pinned, Pure, Scheduler, Single, SyncBlock, plan::Machine,
    };
    use std::time::Duration;

    struct Pass;
    impl Pure for Pass {
        type In = u32;
        type Out = u32;
        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.copy_from_slice(x);
        }
    }

    struct Sum(u32);
    impl SyncBlock for Sum {
        type In = u32;
        type Out = u32;
        fn process(&mut self, x: &[u32], y: &mut [u32]) {
            for (y, x) in y.iter_mut().zip(x) {
                self.0 = self.0.wrapping_add(*x);
                *y = self.0;
            }
        }
    }

    /// source -> pass -> sum -> sink
    fn graph() -> CheckedGraph {
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(vec![0u32; 10]));
        let pass = graph.add("pass", Pass);
        let sum = graph.add("sum", Sum(0));
        let sink = graph.add("sink", VecSink::<u32>::new());
        graph.connect(source.output, pass.input);
        graph.connect(pass.output, sum.input);
        graph.connect(sum.output, sink.input);
        graph.check().unwrap()
    }

    const ITEMS: u64 = 1_000_000;

    /// A run in which the blocks took so many nanoseconds for each item.
    fn report(nanoseconds: [f64; 4]) -> Report {
        let block = |(name, ns): (&str, f64)| BlockReport {
            name: name.to_owned(),
            blocking: false,
            calls: 1,
            idle_calls: 0,
            busy: Duration::from_secs_f64(ns * 1e-9 * ITEMS as f64),
            blocked_input: Duration::ZERO,
            blocked_output: Duration::ZERO,
            inputs: match name {
                "source" => Vec::new(),
                _ => {
                    vec![crate::report::InputReport { name: "in".into(), items: ITEMS, fill: 0, capacity: 1 }]
                }
            },
            outputs: match name {
                "sink" => Vec::new(),
                _ => vec![OutputReport { name: "out".into(), items: ITEMS, tags: 0, expected_items: None }],
            },
            dropped_messages: 0,
            gaps: 0,
            lost_items: 0,
            dropped_packets: 0,
        };
        let blocks = ["source", "pass", "sum", "sink"].into_iter().zip(nanoseconds).map(block).collect();
        Report { elapsed: Duration::from_secs(1), blocks, ..Report::default() }
    }

    fn machine(cpus: usize) -> Machine {
        Machine { cpus: (0..cpus).collect(), ..Machine::detect() }
    }

    fn predict(scheduler: &dyn Scheduler, cpus: usize, report: &Report) -> Prediction {
        let graph = graph();
        let plan = Plan::new(&graph, scheduler, &machine(cpus), &Options::default()).unwrap();
        plan.predict(report).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-6
    }

    #[test]
    fn one_lane_is_bounded_by_the_sum_of_its_blocks() {
        let report = report([1.0, 2.0, 4.0, 1.0]);
        let prediction = predict(&Single, 2, &report);
        assert!(close(prediction.rate_hz(), 1e9 / 8.0), "{prediction:?}");
        assert_eq!(prediction.bound, Bound::Lane(0));
        assert_eq!(prediction.bottleneck().unwrap().name, "sum");
        assert_eq!(prediction.bound_words(), "lane 0, sum takes 50 % of its time");
        assert!(prediction.to_string().contains("125.00 Mitems/s of source"), "{prediction}");
        assert!(close(prediction.blocks[1].seconds, 2e-9) && close(prediction.blocks[1].share, 0.25));
    }

    #[test]
    fn handing_over_is_counted_in_seconds_for_each_item_as_the_blocks_are() {
        // 0.12 ns for each byte: 0.48 ns for each item that goes from lane to lane.
        let report = report([1.0, 2.0, 4.0, 1.0]);
        let lanes = |names: [&[&str]; 2]| {
            Pinned::lanes(names.map(|lane| lane.iter().map(ToString::to_string).collect()).into())
        };
        let prediction = predict(&lanes([&["source", "pass"], &["sum", "sink"]]), 2, &report);
        assert!(close(prediction.lanes[0].seconds, 3e-9) && close(prediction.lanes[1].seconds, 5.48e-9));
        assert!(close(prediction.period_s, 5.48e-9));
        assert_eq!(
            (prediction.bound, prediction.bottleneck().unwrap().name.as_str()),
            (Bound::Lane(1), "sum")
        );
        assert!(close(prediction.one_lane_period_s, 8e-9));
        // Two workers on one processor.
        let prediction = predict(&lanes([&["source", "pass"], &["sum", "sink"]]), 1, &report);
        assert!(close(prediction.period_s, 8.48e-9), "{prediction:?}");
        assert_eq!(prediction.bound, Bound::Processors(1));
    }

    #[test]
    fn the_adaptive_scheduler_decides_by_the_numbers_that_are_predicted() {
        for (nanoseconds, workers) in [
            ([1.0, 2.0, 4.0, 1.0], 2),
            ([0.1, 20.0, 1.0, 0.1], 2),
            ([0.1, 20.0, 1.0, 0.1], 4),
            ([0.01, 0.01, 0.01, 0.01], 2),
        ] {
            let report = report(nanoseconds);
            let scheduler = Adaptive::workers(workers).with_costs(&report);
            let prediction = predict(&scheduler, 8, &report);
            let (_, cut) = scheduler.cut(&graph(), &machine(8)).unwrap();
            assert!(close(prediction.period_s, cut.period), "{nanoseconds:?}: {prediction:?} {cut:?}");
            assert!(prediction.period_s <= prediction.one_lane_period_s * 1.001);
        }
    }

    #[test]
    fn costs_do_not_depend_on_how_long_the_run_was() {
        let short = report([0.02, 0.4, 0.1, 0.02]);
        let mut long = short.clone();
        for block in &mut long.blocks {
            block.busy *= 1000;
            block.outputs.iter_mut().for_each(|output| output.items *= 1000);
        }
        let lanes = |report| {
            let scheduler = Adaptive::workers(2).with_costs(report);
            scheduler.lanes(&graph(), &machine(2)).unwrap()
        };
        assert_eq!(lanes(&short), lanes(&long));
        assert!(close(predict(&Single, 2, &short).period_s, predict(&Single, 2, &long).period_s));
    }

    #[test]
    fn a_device_sets_the_bound_where_all_keep_up_with_it() {
        let graph = graph();
        let mut plan = Plan::new(&graph, &Pinned::workers(2), &machine(4), &Options::default()).unwrap();
        plan = Plan {
            lanes: vec![super::super::Lane::new(vec![0]), super::super::Lane::new(vec![1, 2, 3])],
            regions: (0..2)
                .map(|lane| super::super::RegionPlan {
                    lanes: vec![lane],
                    workers: 1,
                    on_duty: 1,
                    cpus: vec![],
                    claim_strips: 1,
                })
                .collect(),
            ..plan
        };
        plan.names[0].blocking = true;
        let prediction = plan.predict(&report([500.0, 2.0, 4.0, 1.0])).unwrap();
        assert!(close(prediction.rate_hz(), 2e6), "{prediction:?}");
        assert_eq!(prediction.bound_words(), "the outside world behind source");
        assert!(prediction.to_string().contains("waits"), "{prediction}");
    }

    #[test]
    fn without_items_nothing_is_predicted() {
        let plan = Plan::new(&graph(), &Single, &machine(1), &Options::default()).unwrap();
        assert_eq!(plan.predict(&Report::default()), None);
    }
}
