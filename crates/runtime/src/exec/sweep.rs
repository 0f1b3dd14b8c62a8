//! A sweep: each block of a lane once, in order; segments at once.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::segment::{Passed, Segment};
use super::signals::Signals;
use super::task::Task;
use crate::block::{Context, Failed, Share};
use crate::data::BlockError;
use crate::wake::Parker;

/// What a worker brings along to run a lane.
pub(super) struct Visit<'a> {
    pub signals: &'a Signals,
    /// Set while workers are to come to the safepoint.
    pub requested: &'a AtomicBool,
    /// Which block of the graph is being run, for messages; `usize::MAX` between blocks.
    pub current: &'a AtomicUsize,
    /// Where a block that waits for a moment sleeps.
    pub nap: &'a Parker,
    /// What is the worker's to take of what lies before the lane; all of it, where that is not said.
    pub share: Option<Share<'a>>,
    /// After which time it makes no more sweeps.
    pub end: Option<Instant>,
}

impl Visit<'_> {
    /// Whether the worker is to go elsewhere: the graph ends at once, or is to be changed.
    #[inline(always)]
    pub fn is_called(&self) -> bool {
        self.signals.is_cancelled() || self.requested.load(Ordering::Relaxed)
    }
}

/// Consecutive blocks of a lane: a segment, or others.
pub(super) struct Part {
    tasks: Range<usize>,
    segment: Option<Segment>,
}

impl Part {
    /// Cuts the blocks of a lane into parts.
    pub fn of(tasks: &mut [Task]) -> Vec<Part> {
        let (mut parts, mut end) = (Vec::new(), 0);
        for (range, segment) in Segment::find(tasks) {
            parts.push(Part { tasks: end..range.start, segment: None });
            end = range.end;
            parts.push(Part { tasks: range, segment: Some(segment) });
        }
        parts.push(Part { tasks: end..tasks.len(), segment: None });
        parts.retain(|part| !part.tasks.is_empty());
        parts
    }
}

/// One sweep. With `INSIDE`, only what waits inside shall move: no sources run.
pub(super) struct Sweep<'a, const INSIDE: bool> {
    visit: &'a Visit<'a>,
    context: Context<'a>,
    stopping: bool,
}

impl<'a, const INSIDE: bool> Sweep<'a, INSIDE> {
    #[inline(always)]
    pub fn new(visit: &'a Visit<'a>, names: &'a [Arc<str>]) -> Self {
        let signals = visit.signals;
        Sweep {
            visit,
            context: Context::new(names, &signals.stopping, visit.nap, &signals.error),
            stopping: false,
        }
    }

    /// Runs the blocks from `first` on, and again where they are one segment, `most` times at most: how often anything moved, or
    /// which of them has failed. `lap` is called behind each.
    #[inline(always)]
    pub fn run(
        &mut self,
        tasks: &mut [Task],
        parts: &mut [Part],
        first: usize,
        most: usize,
        mut lap: impl FnMut(usize),
    ) -> Result<usize, (usize, BlockError)> {
        let is_stopping = || self.visit.signals.stopping.load(Ordering::Relaxed);
        self.stopping = is_stopping();
        let strips = if parts.len() == 1 { most } else { 1 };
        let ends = || self.visit.is_called() || is_stopping();
        let (mut moved, mut times) = (false, 1);
        for part in parts {
            let Range { start, end } = part.tasks;
            let mut next = start.max(first);
            let Some(segment) = &mut part.segment else {
                moved |= self.run_each(tasks, next..end, &mut lap)?;
                continue;
            };
            let mut is_behind = false;
            if !INSIDE && first <= start && !(self.stopping && tasks[start].is_source) {
                let current = self.visit.current;
                match segment.pass(&mut tasks[start..end], strips, ends, current, |place| lap(start + place))
                {
                    Passed::All(strips) => {
                        (moved, times) = (true, strips);
                        continue;
                    }
                    Passed::Nothing => {}
                    Passed::Backlog => {
                        is_behind = true;
                        next = start + 1;
                    }
                    Passed::Failed(place, error) => return Err((start + place, error)),
                }
            }
            let mut has_moved = self.run_each(tasks, next..end, &mut lap)?;
            // Nobody takes what waits inside.
            if is_behind && !has_moved {
                has_moved = self.run_each(tasks, start..next, &mut lap)?;
            }
            segment.note(has_moved);
            moved |= has_moved;
        }
        Ok(if moved { times } else { 0 })
    }

    /// Runs these blocks one after another.
    #[inline(always)]
    fn run_each(
        &mut self,
        tasks: &mut [Task],
        range: Range<usize>,
        lap: &mut impl FnMut(usize),
    ) -> Result<bool, (usize, BlockError)> {
        let mut moved = false;
        for index in range {
            let task = &mut tasks[index];
            if INSIDE && task.is_source {
                continue;
            }
            self.visit.current.store(task.block, Ordering::Relaxed);
            self.context.current = index;
            self.context.share = self.visit.share.filter(|_| task.reads_ring);
            match task.turn(&mut self.context, self.stopping) {
                Ok(ran) => moved |= ran,
                Err(Failed) => return Err((index, self.context.failure())),
            }
            lap(index);
        }
        Ok(moved)
    }
}
