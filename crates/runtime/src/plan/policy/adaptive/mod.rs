//! The default: lanes cut by cost, chains shared between all workers.

mod balance;
mod cut;
mod pieces;
mod settings;
mod unit;

pub use settings::Adaptive;

use super::{Load, Scheduler};
use crate::data::ConnectError;
use crate::graph::CheckedGraph;
use crate::plan::{Lane, Machine};
use pieces::lanes_of;

impl Scheduler for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn lanes(&self, graph: &CheckedGraph, machine: &Machine) -> Result<Vec<Lane>, ConnectError> {
        if let Some(cpu) = self.pinned.iter().find(|cpu| !machine.cpus.contains(cpu)) {
            return Err(ConnectError::Plan(format!(
                "processor {cpu} is none of those that this process may run on ({})",
                machine.cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            )));
        }
        let (order, cut) = self.cut(graph, machine)?;
        Ok(lanes_of(graph, &order, &cut))
    }

    fn workers(&self, machine: &Machine) -> Option<usize> {
        Some(self.workers.unwrap_or(machine.cpus.len().max(1)))
    }

    fn better(&self, graph: &CheckedGraph, lanes: &[Lane], load: &Load, workers: usize) -> Option<Vec<Lane>> {
        balance::better(self, graph, lanes, load, workers)
    }

    fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(self.clone()))
    }

    fn pinned(&self) -> &[usize] {
        &self.pinned
    }
}
