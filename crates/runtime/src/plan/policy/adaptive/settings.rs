//! The policy with its settings.

use crate::metrics::Report;
use crate::plan::cost::Costs;

/// Some workers for the whole graph: each takes whatever lane has something to do.
///
/// Blocks are cut into lanes by what they cost, so that the workers get through as many samples as possible; chains of
/// pure and sync blocks are shared between all workers. Cheap graphs stay in one lane: handing samples over would cost more than
/// it gains. No hints are needed; those given are kept.
#[derive(Clone, Debug, Default)]
pub struct Adaptive {
    pub(super) workers: Option<usize>,
    pub(super) costs: Costs,
    pub(super) same_lane: Vec<Vec<String>>,
    pub(super) never_share: Vec<String>,
    pub(super) pinned: Vec<usize>,
}

impl Adaptive {
    /// A worker for each processor.
    pub fn new() -> Self {
        Adaptive::default()
    }

    /// So many workers, at least one.
    pub fn workers(workers: usize) -> Self {
        Adaptive { workers: Some(workers.max(1)), ..Adaptive::default() }
    }

    /// Takes the costs of the blocks from an earlier run of the graph, best one with one worker: there, no block's time
    /// has what it costs to hand samples over in it.
    #[must_use]
    pub fn with_costs(mut self, report: &Report) -> Self {
        self.costs.learn(report);
        self
    }

    /// Keeps these blocks, neighbours on a stream, in one lane.
    #[must_use]
    pub fn same_lane(mut self, blocks: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.same_lane.push(blocks.into_iter().map(Into::into).collect());
        self
    }

    /// Never lets several workers run this block at once, though it has no state.
    #[must_use]
    pub fn never_share(mut self, block: impl Into<String>) -> Self {
        self.never_share.push(block.into());
        self
    }

    /// Binds worker `i` to the processor `cpus[i]`; workers beyond the list are bound to none.
    ///
    /// Without this none is, and the system moves workers as it likes: what else runs on a machine would hold up the worker
    /// that is bound beside it. With a busy loop on one of two processors, filter -> demodulator -> filter went at 118 million
    /// items a second with free workers and at 64 with bound ones; a shared chain of saxpys, which its workers divide by
    /// themselves, at 3.3 and 3.6 thousand million.
    #[must_use]
    pub fn pin(mut self, cpus: impl IntoIterator<Item = usize>) -> Self {
        self.pinned = cpus.into_iter().collect();
        self
    }
}
