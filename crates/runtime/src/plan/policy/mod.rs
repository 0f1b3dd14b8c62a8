//! Policies: who runs what. Each partitions the blocks into lanes.
//!
//! | name | policy | when |
//! |---|---|---|
//! | [`Single`] | one lane | tests, embedded, lowest latency |
//! | [`Pinned`] | lanes given, or cut evenly by cost; threads bound to processors | known graphs, known machine |
//! | [`Adaptive`] | lanes cut by cost, run by whoever is free; chains shared | everything else |
//! | [`Threads`] | a thread per block | blocks that wait, comparison with GNU Radio |

mod adaptive;
mod load;
mod pinned;
mod single;
mod threads;

pub use adaptive::Adaptive;
#[doc(hidden)]
pub use load::Load;
pub use pinned::Pinned;
pub use single::Single;
pub use threads::Threads;

use super::{Lane, Machine};
use crate::data::ConnectError;
use crate::graph::CheckedGraph;

/// A policy that partitions the blocks of a graph into lanes.
///
/// To write one, put every block into exactly one lane; in a lane, blocks run in the order given, which should follow
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
