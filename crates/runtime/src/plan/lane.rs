//! What workers run: lanes, and the regions that they run together.

use super::chain::ChainPlan;

/// Blocks that are run together, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// The blocks, by their place in the graph.
    pub blocks: Vec<usize>,
    /// The processor that the lane's thread is bound to, where it has one of its own.
    pub cpu: Option<usize>,
    /// Whether all workers carry claims through the lane at once: a chain of pure and sync blocks.
    pub shared: bool,
    /// What that takes.
    pub(crate) chain: Option<ChainPlan>,
}

impl Lane {
    /// A lane of these blocks that one worker at a time runs.
    pub fn new(blocks: Vec<usize>) -> Self {
        Lane { blocks, ..Lane::default() }
    }

    /// Binds the lane's thread to a processor, where it has a thread of its own.
    #[must_use]
    pub fn pinned_to(self, cpu: usize) -> Self {
        Lane { cpu: Some(cpu), ..self }
    }

    /// Lets all workers carry claims through the lane at once: for chains of pure and sync blocks.
    #[must_use]
    pub fn shared(self) -> Self {
        Lane { shared: true, ..self }
    }
}

/// Workers and the lanes that they run together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegionPlan {
    /// By their place among the lanes.
    pub lanes: Vec<usize>,
    pub workers: usize,
    /// Workers that have something to do; the others sleep until the graph is planned again.
    pub on_duty: usize,
    /// The processors that the workers are bound to, as far as they are.
    pub cpus: Vec<usize>,
    /// How many strips a worker carries through the lanes at once, at most.
    pub claim_strips: usize,
}
