//! A thread per block, as in GNU Radio.

use super::Scheduler;
use crate::data::ConnectError;
use crate::graph::CheckedGraph;
use crate::plan::{Lane, Machine};

/// Every block on a thread of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Scheduler for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
        Ok(graph.order().iter().map(|&block| Lane::new(vec![block])).collect())
    }
}
