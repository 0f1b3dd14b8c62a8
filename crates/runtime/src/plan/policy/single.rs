//! One lane in topological order.

use super::Scheduler;
use crate::data::ConnectError;
use crate::graph::CheckedGraph;
use crate::plan::{Lane, Machine};

/// All blocks on one thread, each strip through all of them. With [`Options::seed`](crate::Options::seed) a run can be
/// repeated exactly, span by span.
#[derive(Clone, Copy, Debug, Default)]
pub struct Single;

impl Scheduler for Single {
    fn name(&self) -> &'static str {
        "single"
    }

    fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
        Ok(vec![Lane::new(graph.order().to_vec())])
    }

    fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(*self))
    }
}
