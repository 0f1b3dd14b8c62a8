//! How a worker claims parts of a chain's stream, and commits them when they are through.

use std::sync::MutexGuard;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::memory::ClaimMemory;
use super::shared::{Progress, SharedChain};
use super::worker::{Carried, ChainWorker};
use crate::block::Step;
use crate::block::parameters::NEVER;
use crate::data::RunError;
use crate::exec::spin::WAIT_FOR_TURN;
use crate::metrics::add;
use crate::stream::buffer::Claimed;
use crate::wake::Parker;

/// How many claims a worker takes before it looks at the other lanes again.
const CLAIMS_PER_TURN: usize = 16;

/// How much of a chain a worker is to take in its row.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Portion {
    /// So many strips, where it does not end before; `None` where the chain is all that there is.
    pub strips: Option<usize>,
    /// Up to this position in the chain's input.
    pub end: Option<u64>,
    /// Whether to wait a moment for other workers.
    pub may_wait: bool,
    /// Whether other units want what the chain gives.
    pub has_others: bool,
}

impl SharedChain {
    /// Carries a few claims; `Ran` if anything moved. `current` is told which block runs.
    ///
    /// # Errors
    /// Where a change of a parameter makes another block of one.
    pub fn turn(
        &self,
        worker: &mut ChainWorker,
        current: &AtomicUsize,
        stopping: bool,
        parker: &Parker,
        portion: Portion,
    ) -> Result<Step, RunError> {
        let mut finished: Option<Carried> = None;
        let mut step = Step::NeedInput;
        let (mut moved, mut last) = (false, None);
        for round in 0..=CLAIMS_PER_TURN {
            let is_last = round == CLAIMS_PER_TURN;
            let left = if is_last { None } else { self.turns.take() };
            let mut progress = self.progress();
            if let Some(carried) = finished.take() {
                last = Some(carried.claim.number());
                self.commit(&mut progress, carried, worker);
            }
            let carried = match left {
                Some(carried) => {
                    self.follow(&progress, worker);
                    Some(carried)
                }
                None => {
                    let mine = portion.end.and_then(|end| progress.claims.items_before(end));
                    let is_through = portion.strips.is_some() && mine.is_none_or(|mine| mine == 0);
                    if is_last || round > 0 && is_through {
                        self.publish(progress, worker);
                        break;
                    }
                    let most = self.next_portion(worker, portion, mine);
                    match self.claim(&mut progress, worker, most, stopping) {
                        Ok(carried) => Some(carried),
                        Err(wanted) => {
                            step = wanted;
                            // Others may find something to claim while this worker sleeps.
                            progress.memories.extend(worker.memory.take());
                            None
                        }
                    }
                }
            };
            let Some(carried) = carried else {
                if moved {
                    self.publish(progress, worker);
                }
                break;
            };
            let may_claim = (self.boundaries.is_empty() || progress.has_memory())
                && progress.claims.has(self.portions.strip);
            drop(progress);
            moved = true;
            // Whoever is idle finds more to claim. If that comes too late for one that falls asleep, this worker goes on.
            if may_claim {
                parker.wake_after_fence();
            }
            finished = self.carry(worker, carried, current, parker, portion.may_wait)?;
        }
        if let Some(last) = last
            && portion.may_wait
            && portion.has_others
            && !self.is_settled(last)
        {
            self.wait_for(last);
        }
        Ok(if moved { Step::Ran } else { step })
    }

    /// Carries on what was left, until nothing is left but what other workers have to come before, and gives the worker's memory
    /// back.
    pub fn finish(
        &self,
        worker: &mut ChainWorker,
        current: &AtomicUsize,
        parker: &Parker,
    ) -> Result<(), RunError> {
        while let Some(carried) = self.turns.take() {
            self.follow(&self.progress(), worker);
            if let Some(carried) = self.carry(worker, carried, current, parker, false)? {
                self.commit(&mut self.progress(), carried, worker);
            }
        }
        let mut progress = self.progress();
        progress.memories.extend(worker.memory.take());
        self.publish(progress, worker);
        Ok(())
    }

    /// Gives a worker's memory back, for others to claim with.
    pub fn give_back(&self, worker: &mut ChainWorker) {
        if let Some(memory) = worker.memory.take() {
            self.progress().memories.push(memory);
        }
    }

    /// Claims at most `most` items; else what is missing.
    fn claim(
        &self,
        progress: &mut Progress,
        worker: &mut ChainWorker,
        most: usize,
        stopping: bool,
    ) -> Result<Carried, Step> {
        if !self.boundaries.is_empty() && worker.memory.is_none() {
            worker.memory = progress.memories.pop();
            if worker.memory.is_none() {
                // All lie with claims that were left: others have to go on first.
                progress.memories_to_make =
                    progress.memories_to_make.checked_sub(1).ok_or(Step::NeedInput)?;
                worker.memory = Some(ClaimMemory::new(&self.shape, &self.boundaries, self.portions.most));
            }
        }
        let start = progress.claims.frontier();
        match progress.claims.claim(self.portions.strip, most, stopping) {
            Claimed::Work(claim) => {
                self.take_changes(progress, start, claim.items());
                self.follow(progress, worker);
                Ok(Carried { claim, stage: 0, memory: worker.memory.take() })
            }
            Claimed::NeedInput => Err(Step::NeedInput),
            Claimed::NeedOutput => Err(Step::NeedOutput),
            Claimed::Ended => {
                if progress.claims.open() == 0 {
                    self.end(&mut progress.claims);
                }
                Err(if self.is_done() { Step::Done } else { Step::NeedInput })
            }
        }
    }

    /// Whether a claim and those before it are committed.
    fn is_settled(&self, claim: u64) -> bool {
        self.settled.load(Ordering::Acquire) > claim
    }

    /// Waits a moment for those who have claimed before: what was given goes on with this worker then.
    #[cold]
    fn wait_for(&self, claim: u64) {
        let start = Instant::now();
        while !self.is_settled(claim) && start.elapsed() < WAIT_FOR_TURN {
            std::hint::spin_loop();
        }
    }

    /// How much to claim, where `mine` is left of what the worker has brought along.
    fn next_portion(&self, worker: &mut ChainWorker, portion: Portion, mine: Option<usize>) -> usize {
        match (portion.strips, mine) {
            _ if worker.is_random() => worker.next_portion(self.portions),
            (None, _) => worker.next_portion(self.portions),
            (Some(_), Some(mine)) if mine > 0 => mine.min(self.portions.most),
            (Some(strips), _) => strips.saturating_mul(self.portions.strip).min(self.portions.most),
        }
    }

    /// Has a worker run the versions of the links that open claims need.
    #[inline]
    fn follow(&self, progress: &Progress, worker: &mut ChainWorker) {
        for (run, stage) in worker.runs.iter_mut().zip(&self.stages) {
            run.iter_mut().for_each(|run| run.follow(&progress.versions, stage.first));
        }
    }

    /// Notes which versions of the links work on the `items` items from `start` on, which were just claimed.
    #[inline]
    fn take_changes(&self, progress: &mut Progress, start: u64, items: usize) {
        if progress.versions.is_mixed() || self.changes.iter().any(|(_, changes)| changes.next() != NEVER) {
            self.take_due_changes(progress, start, items);
        }
    }

    #[cold]
    fn take_due_changes(&self, progress: &mut Progress, start: u64, items: usize) {
        let positions = |at: u64| self.begin.positions_at(&self.shape, at);
        let (first, end) = (positions(start), positions(start + items as u64));
        // The oldest open claim needs those from its warm-up on.
        let oldest = progress.claims.committed().saturating_sub(self.shape.warm_up as u64);
        progress.versions.forget(&positions(oldest.max(self.begin.origin)));
        for (place, changes) in &self.changes {
            let (first, end) = (first[*place], end[*place]);
            if changes.next() < end && first < end {
                for (from, pure) in changes.take(first, end) {
                    progress.versions.push(*place, from, pure);
                }
            }
        }
    }

    /// Commits a claim that is through.
    fn commit(&self, progress: &mut Progress, carried: Carried, worker: &mut ChainWorker) {
        if let Some(memory) = carried.memory {
            progress.memories.extend(worker.memory.replace(memory));
        }
        progress.claims.commit(carried.claim);
        self.settled.store(progress.claims.oldest(), Ordering::Release);
    }

    /// Brings the blocks' counters up to date. Their lines go from worker to worker: not after each claim.
    fn publish(&self, mut progress: MutexGuard<'_, Progress>, worker: &mut ChainWorker) {
        let (fill, capacity) = progress.claims.fill();
        let total = (progress.claims.committed() - self.begin.origin) as usize;
        let tags_given = progress.claims.take_tags_given();
        drop(progress);
        for ((place, counters), (taken, given)) in
            self.counters.iter().enumerate().zip(self.shape.flow(total))
        {
            let (taken_before, given_before) = self.before[place];
            add(&counters.busy_ns, std::mem::take(&mut worker.busy[place]) as u64);
            if let Some(input) = counters.inputs.first() {
                // Another worker may have come to more.
                input.items.fetch_max(taken_before + taken as u64, Ordering::Relaxed);
                if place == 0 {
                    input.fill.store(fill as u64, Ordering::Relaxed);
                    input.capacity.store(capacity as u64, Ordering::Relaxed);
                }
            }
            if let Some(output) = counters.outputs.first() {
                output.items.fetch_max(given_before + given as u64, Ordering::Relaxed);
                if let Some(&tags) = tags_given.get(place) {
                    output.tags.fetch_add(tags, Ordering::Relaxed);
                }
            }
        }
        for (stage, calls) in self.stages.iter().zip(&mut worker.calls) {
            let calls = std::mem::take(calls);
            self.counters[stage.blocks()].iter().for_each(|counters| add(&counters.calls, calls));
        }
    }
}
