//! Workers and what they run.
//!
//! A region is some workers with some units: lanes, which one worker at a time runs, and chains, which all run at once.
//! `single` is a region of one with one lane, `threads` has a region of one for each block, `adaptive` one region for all but
//! the blocks that wait for the outside world.
//!
//! ```text
//! look at all units ── something moved ──> look
//!   │ nothing moved
//!   ├─ look again for a moment, where the others have processors of their own
//!   ├─ announce, look once more (see wake/park.rs)
//!   └─ note why each block waits; if all workers sleep, the graph is stuck; sleep
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::preempted::Preempted;
use super::region::Region;
use super::row::Row;
use super::shared::Shared;
use super::spin::{SpinBudget, WAIT_FOR_TURN};
use super::sweep::Visit;
use super::unit::{LaneTurn, LaneUnit, Unit};
use crate::block::{Share, Step};
use crate::data::RunError;
use crate::exec::chain::{ChainWorker, Portion, SharedChain};
use crate::exec::change::trial::Balance;
use crate::exec::change::worker_count::WorkerCount;

/// One thread of a region.
pub(super) struct Worker {
    /// Which of the graph's threads it is.
    pub thread: usize,
    /// Which of its region's workers it is.
    pub(super) place: usize,
    pub region: Arc<Region>,
    pub(super) units: Arc<Vec<Unit>>,
    pub shared: Arc<Shared>,
    seed: Option<u64>,
    spin_budget: SpinBudget,
    pub(super) preempted: Preempted,
    /// Since when it has had nothing to do.
    idle_since: Option<Instant>,
    /// There is more than one unit.
    pub(super) is_row: bool,
    row: Row,
    /// Its parts of the region's chains, by unit.
    pub(super) chain_workers: Vec<Option<ChainWorker>>,
    /// Blocks that had nothing to do in the last look, and why; those that have ended.
    steps: Vec<(usize, Step)>,
    /// When this worker gave up a lane that has more to do, in this look.
    gave_up: Option<Instant>,
    /// What was behind such a lane took less than [`CALL_OF_WAKING`] the last time: this worker is back before another is there.
    is_back_soon: bool,
    pub(super) balance: Balance,
    pub(super) worker_count: WorkerCount,
}

/// What a look at all units came to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Moved,
    Idle,
    /// All units have ended.
    Over,
}

/// About what it takes to wake another worker.
const CALL_OF_WAKING: Duration = Duration::from_micros(10);

/// How many sweeps a worker runs of a lane before it looks at the other units again.
const SWEEPS_PER_TURN: usize = 8;
/// The same where there is nothing else to look at.
const SWEEPS_ALONE: usize = 256;

impl Worker {
    pub fn new(
        thread: usize,
        place: usize,
        region: Arc<Region>,
        shared: Arc<Shared>,
        seed: Option<u64>,
    ) -> Self {
        let mut worker = Worker {
            thread,
            place,
            spin_budget: SpinBudget::new(),
            preempted: Preempted::new(),
            idle_since: None,
            seed,
            is_row: false,
            row: Row::default(),
            chain_workers: Vec::new(),
            steps: Vec::new(),
            gave_up: None,
            is_back_soon: false,
            balance: Balance::new(),
            worker_count: WorkerCount::new(seed),
            units: Arc::default(),
            region,
            shared,
        };
        worker.take_place();
        worker
    }

    /// Looks at what the region has to run.
    fn take_place(&mut self) {
        self.units = self.region.units();
        let on_duty = self.region.on_duty.load(Ordering::SeqCst);
        self.shared.threads[self.thread].off_duty.store(self.place >= on_duty, Ordering::SeqCst);
        self.is_row = self.units.len() > 1;
        let most = self.region.claim_strips.load(Ordering::SeqCst);
        self.row = Row::new(&self.units, &self.region.strips, most);
        self.chain_workers.clear();
    }

    /// Lets the graph be changed, and waits for that.
    #[cold]
    fn pause(&mut self) -> Result<(), RunError> {
        // A claim that was left is somebody's to finish: the last worker that pauses finds all that there are.
        let current = &self.shared.threads[self.thread].current;
        for (unit, worker) in self.units.iter().zip(&mut self.chain_workers) {
            if let (Unit::Chain(chain), Some(worker)) = (unit, worker) {
                chain.finish(worker, current, &self.region.parker)?;
            }
        }
        self.chain_workers.clear();
        self.units = Arc::default();
        self.shared.safepoint.pause(&*self.shared, || self.shared.is_cancelled());
        self.take_place();
        self.make_chain_workers();
        Ok(())
    }

    /// Makes what only this worker uses. On its own thread: memory lies near the processor that touches it first.
    fn make_chain_workers(&mut self) {
        let seed = self.seed.map(|seed| seed.wrapping_add(self.thread as u64));
        let worker = |unit: &Unit| match unit {
            Unit::Lane(_) => None,
            Unit::Chain(chain) => Some(chain.worker(seed)),
        };
        self.chain_workers = self.units.iter().map(worker).collect();
    }

    /// Runs the region's units until all have ended.
    pub fn run(&mut self) -> Result<(), RunError> {
        self.make_chain_workers();
        self.preempted.restart();
        while !self.shared.is_cancelled() {
            if self.shared.safepoint.is_requested() && self.region.changes {
                self.pause()?;
                continue;
            }
            if self.place >= self.region.on_duty.load(Ordering::Relaxed) {
                if self.units.iter().all(Unit::is_done) {
                    return Ok(());
                }
                self.stand_by()?;
                continue;
            }
            if self.place == 0 && self.region.changes {
                self.decide();
            }
            let look = match self.look(false)? {
                Look::Idle => self.look_again()?,
                look => look,
            };
            match look {
                Look::Over => {
                    self.units.iter().for_each(|unit| unit.note_done(&mut self.steps));
                    self.shared.note(&self.steps);
                    // Those that stand by see that it is over.
                    self.shared.wake_all();
                    return Ok(());
                }
                Look::Moved => self.stand_aside(),
                Look::Idle => {
                    self.rest()?;
                    self.preempted.restart();
                }
            }
        }
        Ok(())
    }

    /// Runs every unit for a while. `is_last` if the worker goes to sleep where there is nothing to do.
    fn look(&mut self, is_last: bool) -> Result<Look, RunError> {
        // Not a copy: its count would go from worker to worker.
        let units = std::mem::take(&mut self.units);
        let start = self.is_row.then(|| self.row.begin());
        let look = self.look_at(&units, is_last);
        if let (Some(start), Ok(Look::Moved)) = (start, &look) {
            self.row.note(start.elapsed());
        }
        self.units = units;
        look
    }

    fn look_at(&mut self, units: &[Unit], is_last: bool) -> Result<Look, RunError> {
        let mut look = Look::Over;
        self.steps.clear();
        for (index, unit) in units.iter().enumerate() {
            if unit.is_done() {
                if is_last {
                    unit.note_done(&mut self.steps);
                }
                continue;
            }
            let moved = match unit {
                Unit::Lane(unit) => self.run_lane(unit, index, units, is_last)?,
                Unit::Chain(chain) => self.run_chain(chain, index, units)?,
            };
            look = if moved || look == Look::Moved { Look::Moved } else { Look::Idle };
        }
        if let Some(since) = self.gave_up.take() {
            self.is_back_soon = since.elapsed() < CALL_OF_WAKING;
        }
        Ok(look)
    }

    /// Runs a lane for a strip or more, where no other worker has it, or gives it up in a moment.
    fn run_lane(
        &mut self,
        unit: &LaneUnit,
        index: usize,
        units: &[Unit],
        is_last: bool,
    ) -> Result<bool, RunError> {
        let is_alone = self.region.on_duty.load(Ordering::Relaxed) == 1;
        let turn =
            unit.try_turn().or_else(|| if is_last { None } else { self.wait_for(unit) }).or_else(|| {
                unit.wanted.set();
                unit.try_turn()
            });
        let Some(mut turn) = turn else { return Ok(false) };
        let lane = &mut turn.lane;
        if !is_alone {
            // This worker sees what those were woken for who have found it taken.
            unit.wanted.take();
        }
        let has_others = self.is_row;
        let thread = &self.shared.threads[self.thread];
        let is_through = || self.row.is_through(index, &unit.rings);
        let share = (has_others && !is_alone).then_some(Share(&is_through));
        let (signals, requested) = (&self.shared.signals, &self.shared.safepoint.requested);
        let head = (has_others && !is_alone && self.row.is_head(index)).then(Instant::now);
        let end = head.map(|since| since + self.row.stay());
        let visit = Visit { signals, requested, current: &thread.current, nap: &thread.nap, share, end };
        let most = match (has_others, is_alone) {
            (false, _) => SWEEPS_ALONE,
            (true, true) => SWEEPS_PER_TURN,
            (true, false) => self.row.strips(index).min(SWEEPS_ALONE),
        };
        let (moved, more) = lane.turn(&visit, most)?;
        thread.current.store(usize::MAX, Ordering::Relaxed);
        self.row.leave_head(head);
        if !is_alone {
            if !more && !lane.needs_output() {
                self.row.note_left(index, &unit.rings);
            }
            self.row.take_along(index, units);
        }
        self.ends_waiting(moved);
        // The only lane has nothing more to do: no need to look twice.
        let is_idle = !more && !has_others;
        if moved && lane.is_done() {
            unit.done.store(true, Ordering::Release);
            self.region.parker.wake_all();
        } else if !more {
            self.steps.extend(lane.tasks.iter().map(|task| (task.block, task.last)));
            if is_last {
                lane.publish();
            }
        }
        if !is_alone {
            drop(turn);
            if more {
                // It has more to do, and this worker looks elsewhere first. Whatever those who found it taken were woken for, it
                // sees when it comes back.
                if has_others {
                    unit.wanted.take();
                    if !self.is_back_soon {
                        self.region.parker.wake();
                    }
                    self.gave_up.get_or_insert_with(Instant::now);
                }
            } else if unit.wanted.take() {
                // Who found it taken may have been woken for what this worker did not see, and may sleep again by now.
                return Ok(self.run_lane(unit, index, units, is_last)? || (moved && !is_idle));
            }
        }
        Ok(moved && !is_idle)
    }

    /// Waits for a moment for a lane that another worker has: what this worker has brought along lies in its own cache.
    fn wait_for<'u>(&self, unit: &'u LaneUnit) -> Option<LaneTurn<'u>> {
        if !self.may_wait() {
            return None;
        }
        let start = Instant::now();
        while start.elapsed() < WAIT_FOR_TURN
            && !self.shared.is_cancelled()
            && !self.shared.safepoint.is_requested()
        {
            for _ in 0..32 {
                if !unit.is_taken()
                    && let Some(turn) = unit.try_turn()
                {
                    return Some(turn);
                }
                std::hint::spin_loop();
            }
        }
        None
    }

    /// Whether to wait for the region's other workers: not where they need the processor to go on.
    fn may_wait(&self) -> bool {
        let on_duty = self.region.on_duty.load(Ordering::Relaxed);
        on_duty > 1 && self.fits(on_duty)
    }

    /// Whether each worker that has something to do can have a processor to itself, and is not the only one.
    fn has_processor(&self) -> bool {
        let busy =
            self.shared.threads.iter().filter(|thread| !thread.off_duty.load(Ordering::Relaxed)).count();
        busy > 1 && self.fits(busy)
    }

    /// Whether there are processors for so many workers, but for those of this region that rest.
    fn fits(&self, workers: usize) -> bool {
        workers.saturating_sub(self.region.resting()) <= self.region.processors
    }

    fn run_chain(&mut self, chain: &SharedChain, index: usize, units: &[Unit]) -> Result<bool, RunError> {
        let may_wait = self.may_wait();
        let Some(worker) = &mut self.chain_workers[index] else { return Ok(false) };
        let current = &self.shared.threads[self.thread].current;
        let stopping = self.shared.signals.stopping.load(Ordering::Relaxed);
        let portion = Portion {
            strips: self.is_row.then(|| self.row.strips(index)),
            end: self.row.end(index),
            may_wait,
            has_others: self.is_row,
        };
        let step = chain.turn(worker, current, stopping, &self.region.parker, portion)?;
        self.row.take_along(index, units);
        let moved = matches!(step, Step::Ran | Step::Done);
        if step == Step::Done {
            self.region.parker.wake_all();
        } else if step != Step::Ran {
            self.steps.extend(chain.blocks.iter().map(|&block| (block, step)));
        }
        self.ends_waiting(moved);
        Ok(moved)
    }

    /// A unit was run: where something has moved, the worker has waited for that until now.
    fn ends_waiting(&mut self, moved: bool) {
        if moved && let Some(since) = self.idle_since.take() {
            self.spin_budget.waited(since.elapsed());
        }
    }

    /// Looks for as long as the spin budget lasts.
    fn look_again(&mut self) -> Result<Look, RunError> {
        // Who has no processor to himself must not look in vain, and who is alone has nobody to wait for.
        let has_time = self.has_processor();
        loop {
            let waited = self.idle_since.get_or_insert_with(Instant::now).elapsed();
            if !has_time
                || waited >= self.spin_budget.time()
                || self.shared.is_cancelled()
                || self.shared.safepoint.is_requested()
            {
                return Ok(Look::Idle);
            }
            std::hint::spin_loop();
            let look = self.look(false)?;
            if look != Look::Idle {
                return Ok(look);
            }
        }
    }

    /// Sleeps until somebody has something for this region.
    fn rest(&mut self) -> Result<(), RunError> {
        let region = self.region.clone();
        region.parker.announce();
        // Who cancels wakes only those that have announced themselves, and there may be nothing left to look at: a lane whose
        // block has failed does not run again.
        if self.shared.is_cancelled() || self.shared.safepoint.is_requested() && region.changes {
            region.parker.withdraw();
            return Ok(());
        }
        let look = self.look(true);
        if !matches!(look, Ok(Look::Idle)) {
            region.parker.withdraw();
            return look.map(|_| ());
        }
        if let Some(stuck) = self.shared.goes_to_sleep(self.thread, &self.steps) {
            region.parker.withdraw();
            return Err(stuck);
        }
        let start = Instant::now();
        region.parker.sleep(None);
        self.shared.wakes_up(self.thread);
        let slept = start.elapsed().as_nanos() as u64;
        // A lane that is taken has not waited for anything. Nobody sleeps for good because this one has it: who was
        // woken looks at everything next.
        for unit in self.units.iter().filter(|_| self.place == 0) {
            match unit {
                Unit::Lane(unit) => {
                    if let Some(turn) = unit.try_turn() {
                        turn.lane.slept(slept);
                    }
                }
                Unit::Chain(chain) => {
                    let step = self.steps.iter().find(|(block, _)| chain.blocks.first() == Some(block));
                    if let Some((_, step)) = step {
                        chain.slept(slept, *step);
                    }
                }
            }
        }
        Ok(())
    }

    /// What to report when the block that this thread ran has panicked.
    pub fn panicked(&self, message: String) -> RunError {
        let current = self.shared.threads[self.thread].current.load(Ordering::Relaxed);
        let units = self.region.units();
        let (block, ports) = units.iter().find_map(|unit| unit.words(current)).unwrap_or_else(|| {
            ("the runtime".to_owned(), format!("between blocks on thread {}", self.thread))
        });
        RunError::Panic { block, message, ports }
    }
}
