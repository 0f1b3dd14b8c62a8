//! A block on a lane: one call of it, its end, and its counters.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::idle::Idle;
use crate::block::runnable::Runnable;
use crate::block::{CloseAll, Context, Failed, Step};
use crate::metrics::{Counters, Publish, add};

/// A block on a lane.
pub(super) struct Task {
    pub block: usize,
    pub name: Arc<str>,
    pub runnable: Box<dyn Runnable>,
    pub counters: Arc<Counters>,
    /// Has no inputs at all: ends when the graph is stopped.
    pub is_source: bool,
    pub last: Step,
    /// Reads a stream that comes from another lane.
    pub reads_ring: bool,
    pub idle: Idle,
}

impl Task {
    /// Runs the block once; whether anything moved.
    #[inline(always)]
    pub fn turn(&mut self, context: &mut Context<'_>, stopping: bool) -> Result<bool, Failed> {
        if self.last == Step::Done {
            return Ok(false);
        }
        let step = if stopping && self.is_source { Step::Done } else { self.runnable.run(context)? };
        match step {
            Step::Ran => {
                self.last = Step::Ran;
                return Ok(true);
            }
            Step::Done => self.end(),
            step => self.last = step,
        }
        Ok(step == Step::Done)
    }

    /// Ends the block, so that the others see it.
    #[cold]
    pub fn end(&mut self) {
        self.last = Step::Done;
        self.publish();
        self.runnable.visit(&mut CloseAll);
    }

    /// Brings the block's counters up to date.
    pub fn publish(&mut self) {
        let counters = self.counters.clone();
        counters.calls.store(self.runnable.calls(), Ordering::Relaxed);
        let mut publish = Publish::new(&counters);
        self.runnable.visit(&mut publish);
        let moved = publish.moved;
        let idle_calls = self.idle.look(self.runnable.said_ran(), moved, &self.name);
        add(&counters.idle_calls, idle_calls);
    }
}
