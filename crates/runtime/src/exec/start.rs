//! Starting a graph.

use super::run::RunningGraph;
use crate::data::{CheckError, ConnectError, RunError};
use crate::graph::{CheckedGraph, Graph};
use crate::metrics::Report;
use crate::plan::Plan;
use crate::plan::options::Options;
use crate::plan::policy::{Adaptive, Scheduler};

impl Graph {
    /// Checks the graph and runs it to its end, by [`Adaptive`] with a worker for each processor.
    ///
    /// # Errors
    /// Mistakes in the graph, or what ended it early.
    pub fn run(self) -> Result<Report, RunError> {
        self.check()?.start(&Adaptive::new(), &Options::default())?.wait()
    }
}

impl CheckedGraph {
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
