//! Schedulers: who runs what. Each deals the blocks into lanes; `crew.rs` has the workers that run them, `lane.rs` and
//! `farm.rs` what they do, `run.rs` starts and ends them.
//!
//! | name | policy | when |
//! |---|---|---|
//! | [`Single`] | one lane | tests, embedded, lowest latency |
//! | [`Pinned`] | lanes given, or cut evenly by cost; threads bound to processors | known graphs, known machine |
//! | [`Adaptive`] | lanes cut by cost, run by whoever is free; chains of pure blocks shared | everything else |
//! | [`Threads`] | a thread per block | blocks that wait, comparison with GNU Radio |

mod adaptive;
mod balance;
mod bind;
mod cost;
mod crew;
mod drain;
mod edit;
mod endless;
mod farm;
mod gate;
mod lane;
mod patience;
mod pinned;
mod priority;
mod run;
mod settle;
mod shared;
mod single;
mod site;
mod strip;
mod stuck;
mod thread;
mod threads;
mod timing;
mod wanted;

pub use adaptive::Adaptive;
#[doc(hidden)]
pub use adaptive::Load;
pub(crate) use adaptive::SECONDS_PER_BYTE;
pub(crate) use cost::Costs;
pub use edit::{Changed, Edit};
pub(crate) use farm::Portions;
pub use pinned::Pinned;
pub use priority::Priority;
pub use run::{Control, RunningGraph};
pub use single::Single;
pub use threads::Threads;

use crate::error::{CheckError, ConnectError, RunError};
use crate::graph::CheckedGraph;
use crate::plan::{Lane, Machine, Plan};

/// A policy that deals the blocks of a graph into lanes.
///
/// To write one, deal every block into exactly one lane; in a lane, blocks run in the order given, which should follow
/// [`CheckedGraph::order`]. Blocks that wait for the outside world are given lanes of their own afterwards.
pub trait Scheduler {
    /// The name, as on the command line.
    fn name(&self) -> &'static str;

    /// Deals the blocks into lanes.
    ///
    /// # Errors
    /// Where the policy's settings do not fit the graph.
    fn lanes(&self, graph: &CheckedGraph, machine: &Machine) -> Result<Vec<Lane>, ConnectError>;

    /// How many workers run all lanes together; `None` for one of its own for each lane.
    fn workers(&self, machine: &Machine) -> Option<usize> {
        let _ = machine;
        None
    }

    /// Other lanes that would do better than `lanes`, by what the blocks cost while they run.
    #[doc(hidden)]
    fn better(&self, graph: &CheckedGraph, lanes: &[Lane], load: &Load, workers: usize) -> Option<Vec<Lane>> {
        let _ = (graph, lanes, load, workers);
        None
    }

    /// A copy that plans the graph again when it is changed while it runs; `None` where that is not possible.
    fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
        None
    }

    /// The processors that those workers are bound to, in their order; workers beyond the list are bound to none.
    fn pinned(&self) -> &[usize] {
        &[]
    }
}

/// How streams between workers are mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RingFlavour {
    /// The same pages twice in a row, where the system can.
    #[cfg_attr(all(target_os = "linux", not(miri)), default)]
    Mirrored,
    /// One piece of memory with explicit wrap.
    #[cfg_attr(not(all(target_os = "linux", not(miri))), default)]
    Single,
}

/// Settings that every scheduler understands.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Spans of at most this many items everywhere, instead of what the caches suggest.
    pub strip_items: Option<usize>,
    /// Draws the length of every span at random, between the least that the ports allow and the strip: the same seed
    /// gives the same lengths under [`Single`]. For tests.
    pub seed: Option<u64>,
    /// How streams between workers are mapped.
    pub rings: RingFlavour,
    /// Whether blocks that can work in place do.
    pub in_place: bool,
    /// How urgent the workers' threads are to the system.
    pub priority: Priority,
    /// How much may lie between a source and a sink.
    pub max_latency: Option<MaxLatency>,
    /// The same for single streams, each named by the output that writes it, `block` or `block.port`.
    pub max_stream_latency: Vec<(String, MaxLatency)>,
}

/// How long a sample may be on its way: a limit to what buffers hold, which the plan divides between them.
///
/// Nothing is held back to fill a buffer: a sample waits only behind others, where a block further down is slower than
/// the source. What a block keeps inside, and the spans that ports insist on, come on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxLatency {
    /// So many items: of the stream, or for a whole graph of its source's.
    Items(usize),
    /// So many seconds, at so many items per second.
    Seconds {
        /// The time, in seconds.
        seconds: f64,
        /// The rate of the stream, or for a whole graph of its source, in Hz.
        rate_hz: f64,
    },
}

impl MaxLatency {
    /// The limit in items, at least one.
    pub fn items(self) -> usize {
        match self {
            MaxLatency::Items(items) => items.max(1),
            MaxLatency::Seconds { seconds, rate_hz } => ((seconds * rate_hz) as usize).max(1),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strip_items: None,
            seed: None,
            rings: RingFlavour::default(),
            in_place: true,
            max_latency: None,
            max_stream_latency: Vec::new(),
            priority: Priority::Normal,
        }
    }
}

impl CheckedGraph {
    /// The blocks by their place in the graph, such that each comes after what feeds it.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The name of a block by its place in the graph.
    pub fn block_name(&self, block: usize) -> &str {
        &self.nodes[block].name
    }

    /// Whether these blocks, by their place in the graph, can be shared between workers: a chain of pure blocks of one
    /// input and one output at most, each the only reader of the one before.
    pub fn is_chain(&self, blocks: &[usize]) -> bool {
        !blocks.is_empty() && crate::plan::chain_of(self, blocks).is_some()
    }

    /// What would run where on this machine.
    ///
    /// # Errors
    /// Where the scheduler's settings do not fit the graph.
    pub fn plan(&self, scheduler: &dyn Scheduler, options: &Options) -> Result<Plan, CheckError> {
        Plan::new(self, scheduler, &Machine::detect(), options)
    }

    /// Starts the graph.
    ///
    /// # Errors
    /// Where the scheduler's settings do not fit the graph, or the system gives no memory or thread.
    pub fn start(self, scheduler: &dyn Scheduler, options: &Options) -> Result<RunningGraph, RunError> {
        let plan = self.plan(scheduler, options)?;
        RunningGraph::start(self, &plan, scheduler, options)
    }

    /// Starts the graph by a plan that was made for it, by the same scheduler and with the same options.
    ///
    /// # Errors
    /// Where the plan was made for other blocks, or the system gives no memory or thread.
    pub fn start_by(
        self,
        plan: &Plan,
        scheduler: &dyn Scheduler,
        options: &Options,
    ) -> Result<RunningGraph, RunError> {
        if !self.nodes.iter().map(|node| node.name.as_str()).eq(plan.block_names()) {
            let sentence = "the plan was made for another graph".to_owned();
            return Err(CheckError(vec![ConnectError::Plan(sentence)]).into());
        }
        RunningGraph::start(self, plan, scheduler, options)
    }
}

/// Gives every port that it visits a buffer of its own: inputs full of zeros, outputs with room.
pub(crate) fn probe_buffers(taken: usize, given: usize, history: usize) -> impl crate::PortVisitor {
    bind::Probe { taken, given, history, writers: Vec::new(), readers: Vec::new() }
}
