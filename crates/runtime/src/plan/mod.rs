//! What runs where: lanes, strips and buffers. A pure function of graph, lanes, machine and options.
//!
//! 1. The scheduler partitions the blocks into lanes; blocks that wait for the outside world get lanes of their own.
//! 2. A stream within a lane lies in a scratch; one that leaves its lane, in a ring. Streams of a lane take turns in memory
//!    where their blocks leave nothing in them (see `pools.rs`). Within a lane that is shared between workers, each worker
//!    has scratch memory of its own (see `exec/chain/`).
//! 3. A block that can work in place does so where its input and its output are scratches and it is the only reader.
//! 4. Strips are as long as lets all buffers of a lane stay in the level-1 cache, or those of each block where that would
//!    be too short, in proportion to the streams' rates.
//! 5. Workers: one for each lane, or a region for all lanes together, as the scheduler says.

mod buffers;
pub(crate) mod chain;
pub(crate) mod cost;
mod lane;
mod layout;
mod machine;
pub(crate) mod options;
pub(crate) mod policy;
mod pools;
mod predict;
mod regions;
pub(crate) mod share;
mod show;
mod streams;
mod strips;

pub(crate) use chain::ChainPlan;
pub use lane::Lane;
pub(crate) use lane::RegionPlan;
pub(crate) use layout::{BufferPlan, StreamPlan};
pub use machine::Machine;
pub use options::{MaxLatency, Priority};
pub(crate) use pools::PoolPlan;
pub use predict::{BlockCost, Bound, LaneCost, Prediction};

use layout::Layout;
use options::Options;
use policy::Scheduler;

use crate::data::CheckError;
use crate::graph::CheckedGraph;

/// What runs where.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) scheduler: &'static str,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) regions: Vec<RegionPlan>,
    pub(crate) buffers: Vec<BufferPlan>,
    pub(crate) pools: Vec<PoolPlan>,
    /// In the order of the graph's streams.
    pub(crate) streams: Vec<StreamPlan>,
    pub(crate) names: Vec<BlockNames>,
    pub(crate) machine: Machine,
}

/// What a printed plan says of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockNames {
    pub name: String,
    pub level: &'static str,
    pub blocking: bool,
}

impl Plan {
    /// Plans `graph`.
    ///
    /// # Errors
    /// Where the scheduler's settings do not fit the graph.
    pub fn new(
        graph: &CheckedGraph,
        scheduler: &dyn Scheduler,
        machine: &Machine,
        options: &Options,
    ) -> Result<Self, CheckError> {
        let lanes = scheduler.lanes(graph, machine).map_err(|error| CheckError(vec![error]))?;
        Plan::of_lanes(graph, scheduler, lanes, scheduler.workers(machine), machine, options)
    }

    /// Plans `graph` with these lanes, for one region of `workers` or a worker for each lane.
    pub(crate) fn of_lanes(
        graph: &CheckedGraph,
        scheduler: &dyn Scheduler,
        lanes: Vec<Lane>,
        workers: Option<usize>,
        machine: &Machine,
        options: &Options,
    ) -> Result<Self, CheckError> {
        let mut lanes = regions::own_lanes_for_blocking(graph, lanes);
        regions::validate(graph, &lanes)?;
        streams::named_streams(graph, options)?;
        for lane in lanes.iter_mut().filter(|lane| lane.shared) {
            lane.chain = Some(share::plan_chain(graph, &lane.blocks, machine, options)?);
        }
        share::limit_what_is_held_back(graph, &mut lanes);
        let mut regions = regions::regions(graph, &lanes, workers, scheduler.pinned());
        let mut lane_of = vec![0; graph.nodes.len()];
        for (index, lane) in lanes.iter().enumerate() {
            lane.blocks.iter().for_each(|&block| lane_of[block] = index);
        }
        let mut region_of = vec![0; lanes.len()];
        for (index, region) in regions.iter().enumerate() {
            region.lanes.iter().for_each(|&lane| region_of[lane] = index);
        }
        // The strips of each lane by itself come first: those of a row are made as long as each other below.
        let alone = lanes.clone();
        let mut layout = Layout {
            graph,
            lanes: &alone,
            lane_of,
            region_of,
            workers: workers.unwrap_or(1),
            l2_bytes: machine.l2_bytes,
            options,
            longest_path: streams::longest_path(graph),
            claim_strips: 1,
        };
        let mut sweeps = layout.sweeps(machine);
        // Workers carry strips through the lanes of a region: they are as long in all of them.
        let is_free = options.strip_items.is_none() && options.max_latency.is_none();
        let is_row = |region: &&mut RegionPlan| is_free && region.lanes.len() > 1 && region.on_duty > 1;
        for region in regions.iter_mut().filter(is_row) {
            share::as_long(graph, &mut lanes, region, &mut sweeps, &layout.lane_of, (machine, options));
        }
        layout.claim_strips = regions.iter().map(|region| region.claim_strips).max().unwrap_or(1);
        layout.lanes = &lanes;
        let strips = layout.strips(&sweeps);
        let (mut buffers, streams) = layout.buffers(&strips);
        let pools = layout.pools(&mut buffers, &streams);
        let names = graph
            .nodes
            .iter()
            .map(|node| BlockNames {
                name: node.name.clone(),
                level: node.spec.level.name(),
                blocking: node.spec.blocking,
            })
            .collect();
        let scheduler = scheduler.name();
        Ok(Plan { scheduler, lanes, regions, buffers, pools, streams, names, machine: machine.clone() })
    }

    /// The lanes, each with its blocks in the order in which they run.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The blocks' names, by their place in the graph.
    pub fn block_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|names| names.name.as_str())
    }
}

impl CheckedGraph {
    /// What would run where on this machine.
    ///
    /// # Errors
    /// Where the scheduler's settings do not fit the graph.
    pub fn plan(&self, scheduler: &dyn Scheduler, options: &Options) -> Result<Plan, CheckError> {
        Plan::new(self, scheduler, &Machine::detect(), options)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::harness::{VecSink, VecSource};
    use crate::{BlockError, Context, Graph, Out, Pure, Ratio, Shape, Step, Work, error::ConnectError};

    struct Keep;

    impl Pure for Keep {
        type In = f32;
        type Out = f32;
        fn shape(&self) -> Shape {
            Shape { ratio: Ratio::decimate(1000), ..Shape::default() }
        }

        fn map(&self, x: &[f32], y: &mut [f32]) {
            y.iter_mut().zip(x.chunks(1000)).for_each(|(y, x)| *y = x[0]);
        }
    }

    /// Shares every block that can be.
    struct Shares;

    impl Scheduler for Shares {
        fn name(&self) -> &'static str {
            "shares"
        }
        fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
            let lane = |&block: &usize| Lane { shared: graph.is_chain(&[block]), ..Lane::new(vec![block]) };
            Ok(graph.order().iter().map(lane).collect())
        }
        fn workers(&self, _: &Machine) -> Option<usize> {
            Some(2)
        }
    }

    /// Waits for the outside world.
    #[derive(crate::Block)]
    struct Radio {
        #[port]
        output: Out<f32>,
    }

    impl Work for Radio {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            Ok(Step::Done)
        }
        fn blocking(&self) -> bool {
            true
        }
    }

    #[test]
    fn what_workers_carry_from_a_ring_of_the_outside_world_fits_the_level_2_cache() {
        let mut graph = Graph::new();
        let radio = graph.add("radio", Radio { output: Out::new() });
        let keep = graph.add("keep", Keep);
        let sink = graph.add("sink", VecSink::<f32>::new());
        graph.connect(radio.output, keep.input);
        graph.connect(keep.output, sink.input);
        let machine = Machine { l1_bytes: 32 << 10, l2_bytes: 1 << 20, ..Machine::detect() };
        let plan = Plan::new(&graph.check().unwrap(), &Shares, &machine, &crate::Options::default()).unwrap();
        assert!(plan.regions.iter().any(|region| region.lanes.len() > 1 && region.on_duty > 1));
        for stream in &plan.streams {
            if let BufferPlan::Ring(ring) = &plan.buffers[stream.buffer] {
                assert!(ring.capacity * stream.item_bytes <= machine.l2_bytes, "{} items", ring.capacity);
            }
        }
    }

    #[test]
    fn a_ring_of_the_outside_world_is_as_large_for_many_workers_as_for_few() {
        let rings = |workers: usize| {
            let mut graph = Graph::new();
            let radio = graph.add("radio", Radio { output: Out::new().batch(1 << 16) });
            let sink = graph.add("sink", VecSink::<f32>::new());
            graph.connect(radio.output, sink.input);
            let machine = Machine { cpus: (0..workers).collect(), l2_bytes: 1 << 20, ..Machine::detect() };
            let scheduler = crate::Adaptive::workers(workers);
            Plan::new(&graph.check().unwrap(), &scheduler, &machine, &crate::Options::default())
                .unwrap()
                .buffers
        };
        let BufferPlan::Ring(ring) = &rings(2)[0] else { panic!("a ring lies between two regions") };
        assert!((2 << 16..=8 << 16).contains(&ring.capacity), "{} items", ring.capacity);
        assert_eq!(rings(2), rings(32));
    }

    struct Window;

    impl Pure for Window {
        type In = f32;
        type Out = f32;
        fn shape(&self) -> Shape {
            Shape { history: 5000, ..Shape::default() }
        }

        fn map(&self, x: &[f32], y: &mut [f32]) {
            y.copy_from_slice(&x[5000..]);
        }
    }

    /// Shares the last two blocks before the sink; the others have lanes of their own.
    struct SharesTwo;

    impl Scheduler for SharesTwo {
        fn name(&self) -> &'static str {
            "shares two"
        }
        fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
            let (sink, rest) = graph.order().split_last().unwrap();
            let (alone, two) = rest.split_at(rest.len() - 2);
            let mut lanes: Vec<Lane> = alone.iter().map(|&block| Lane::new(vec![block])).collect();
            lanes.extend([Lane::new(two.to_vec()).shared(), Lane::new(vec![*sink])]);
            Ok(lanes)
        }
        fn workers(&self, _: &Machine) -> Option<usize> {
            Some(2)
        }
    }

    #[test]
    fn a_chain_that_has_to_warm_up_behind_great_decimations_makes_no_buffer_larger_than_memory() {
        let mut graph = Graph::new();
        let mut stream = graph.add("source", VecSource::new(vec![0f32; 10])).output;
        for place in 0..2 {
            let keep = graph.add(format!("keep{place}"), Keep);
            graph.connect(stream, keep.input);
            stream = keep.output;
        }
        for place in 0..2 {
            let window = graph.add(format!("window{place}"), Window);
            graph.connect(stream, window.input);
            stream = window.output;
        }
        let sink = graph.add("sink", VecSink::<f32>::new());
        graph.connect(stream, sink.input);
        let (graph, machine) = (graph.check().unwrap(), Machine::detect());
        let plan = Plan::new(&graph, &SharesTwo, &machine, &crate::Options::default()).unwrap();
        for buffer in &plan.buffers {
            if let BufferPlan::Ring(ring) = buffer {
                assert!(ring.capacity < 1 << 22, "{} items", ring.capacity);
            }
        }
    }

    #[test]
    fn a_chain_behind_great_decimations_makes_no_buffer_larger_than_memory() {
        let mut graph = Graph::new();
        let mut stream = graph.add("source", VecSource::new(vec![0f32; 10])).output;
        for place in 0..3 {
            let keep = graph.add(format!("keep{place}"), Keep);
            graph.connect(stream, keep.input);
            stream = keep.output;
        }
        let sink = graph.add("sink", VecSink::<f32>::new());
        graph.connect(stream, sink.input);
        let (graph, machine) = (graph.check().unwrap(), Machine::detect());
        let plan = Plan::new(&graph, &Shares, &machine, &crate::Options::default()).unwrap();
        let shared = |name: &str| {
            let block = plan.block_names().position(|known| known == name).unwrap();
            plan.lanes().iter().any(|lane| lane.shared && lane.blocks == [block])
        };
        assert!(shared("keep0") && !shared("keep2"));
        for buffer in &plan.buffers {
            if let BufferPlan::Ring(ring) = buffer {
                assert!(ring.capacity < 1 << 22, "{} items", ring.capacity);
            }
        }
    }
}
