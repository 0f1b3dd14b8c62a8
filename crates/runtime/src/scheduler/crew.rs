//! Workers and what they run.
//!
//! A crew is some workers with some units: lanes, which one worker at a time runs, and farms, which all run at once.
//! `single` is a crew of one with one lane, `threads` has a crew of one for each block, `adaptive` one crew for all but
//! the blocks that wait for the outside world.
//!
//! ```text
//! look at all units ── something moved ──> look
//!   │ nothing moved
//!   ├─ look again for a moment, where the others have processors of their own
//!   ├─ announce, look once more (see park.rs)
//!   └─ note why each block waits; if all workers sleep, the graph is stuck; sleep
//! ```

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use super::farm::{Farm, Hand};
use super::lane::{Lane, Seat};
use super::run::Shared;
use crate::block::Step;
use crate::error::RunError;
use crate::park::Parker;

/// What a worker can run.
pub(super) enum Unit {
    Lane(LaneUnit),
    Farm(Box<Farm>),
}

/// A lane that one worker at a time runs.
pub(super) struct LaneUnit {
    lane: Mutex<Lane>,
    done: AtomicBool,
    /// Another worker has found it taken.
    wanted: AtomicBool,
}

impl LaneUnit {
    pub fn new(lane: Lane) -> Self {
        LaneUnit { lane: Mutex::new(lane), done: AtomicBool::new(false), wanted: AtomicBool::new(false) }
    }

    /// The lane, when no worker runs it.
    pub fn lane(&self) -> MutexGuard<'_, Lane> {
        self.lane.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn try_lane(&self) -> Option<MutexGuard<'_, Lane>> {
        match self.lane.try_lock() {
            Ok(lane) => Some(lane),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Unit {
    pub fn is_done(&self) -> bool {
        match self {
            Unit::Lane(unit) => unit.done.load(Ordering::Acquire),
            Unit::Farm(farm) => farm.is_done(),
        }
    }

    /// Where the ports of a block of this unit stand.
    fn words(&self, block: usize) -> Option<(String, String)> {
        match self {
            Unit::Lane(unit) => {
                let mut lane = unit.lane();
                let name = lane.tasks.iter().find(|task| task.block == block)?.name.to_string();
                Some((name, lane.words(block)?))
            }
            Unit::Farm(farm) => {
                let place = farm.blocks.iter().position(|&b| b == block)?;
                Some((farm.names[place].to_string(), farm.words()))
            }
        }
    }
}

/// Some workers and what they run.
pub(super) struct Crew {
    pub parker: Arc<Parker>,
    pub units: Vec<Unit>,
    pub workers: usize,
    /// Workers that have not ended.
    pub alive: AtomicUsize,
}

/// One thread of a crew.
pub(super) struct Worker {
    /// Which of the graph's threads it is.
    pub thread: usize,
    /// Which of its crew's workers it is.
    place: usize,
    pub crew: Arc<Crew>,
    pub shared: Arc<Shared>,
    /// How long to look for work before sleeping.
    patience: Duration,
    /// Where it starts to look.
    first: usize,
    /// Its parts of the crew's farms, by unit.
    hands: Vec<Option<Hand>>,
    /// Draws the size of each claim, for tests.
    seed: Option<u64>,
    /// The last unit that had something to do, in the last look.
    steps: Vec<(usize, Step)>,
}

/// What a look at all units came to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    Moved,
    Idle,
    /// All units have ended.
    Over,
}

/// How many sweeps a worker runs of a lane before it looks at the other units again.
const SWEEPS_PER_TURN: usize = 8;
/// The same where there is nothing else to look at.
const SWEEPS_ALONE: usize = 64;

impl Worker {
    pub fn new(
        thread: usize,
        place: usize,
        crew: Arc<Crew>,
        shared: Arc<Shared>,
        patience: Duration,
        seed: Option<u64>,
    ) -> Self {
        Worker {
            thread,
            place,
            patience,
            first: place * crew.units.len() / crew.workers.max(1),
            hands: Vec::new(),
            seed,
            steps: Vec::new(),
            crew,
            shared,
        }
    }

    /// Makes what only this worker uses. On its own thread: memory lies near the processor that touches it first.
    fn make_hands(&mut self) {
        let seed = self.seed.map(|seed| seed.wrapping_add(self.thread as u64));
        let hand = |unit: &Unit| match unit {
            Unit::Lane(_) => None,
            Unit::Farm(farm) => Some(farm.hand(seed)),
        };
        self.hands = self.crew.units.iter().map(hand).collect();
    }

    /// Runs the crew's units until all have ended.
    pub fn run(&mut self) -> Result<(), RunError> {
        self.make_hands();
        while !self.shared.is_cancelled() {
            let look = match self.look(false)? {
                Look::Idle => self.look_again()?,
                look => look,
            };
            match look {
                Look::Over => return Ok(()),
                Look::Moved => {}
                Look::Idle => self.rest()?,
            }
        }
        Ok(())
    }

    /// Runs every unit for a while. `is_last` if the worker goes to sleep where there is nothing to do.
    fn look(&mut self, is_last: bool) -> Result<Look, RunError> {
        let crew = self.crew.clone();
        let units = crew.units.len();
        let mut look = Look::Over;
        self.steps.clear();
        for place in 0..units {
            let index = (self.first + place) % units;
            let unit = &crew.units[index];
            if unit.is_done() {
                continue;
            }
            let moved = match unit {
                Unit::Lane(unit) => self.run_lane(unit, is_last)?,
                Unit::Farm(farm) => self.run_farm(farm, index),
            };
            look = if moved || look == Look::Moved { Look::Moved } else { Look::Idle };
        }
        Ok(look)
    }

    fn run_lane(&mut self, unit: &LaneUnit, is_last: bool) -> Result<bool, RunError> {
        let shared = self.shared.clone();
        let seat = Seat {
            shared: &shared,
            current: &shared.threads[self.thread].current,
            nap: &shared.threads[self.thread].nap,
        };
        let is_alone = self.crew.workers == 1;
        let lane = unit.try_lane().or_else(|| {
            unit.wanted.store(true, Ordering::SeqCst);
            unit.try_lane()
        });
        let Some(mut lane) = lane else { return Ok(false) };
        lane.adopt()?;
        let sweeps = if self.crew.units.len() == 1 { SWEEPS_ALONE } else { SWEEPS_PER_TURN };
        let (moved, more) = lane.turn(&seat, sweeps)?;
        seat.current.store(usize::MAX, Ordering::Relaxed);
        if moved && lane.is_done() {
            unit.done.store(true, Ordering::Release);
            self.crew.parker.wake_all();
        } else if !more {
            self.steps.extend(lane.tasks.iter().map(|task| (task.block, task.last)));
            if is_last {
                lane.publish();
            }
        }
        if !is_alone {
            lane.hand_on();
            drop(lane);
            // It has more to do, and this worker looks elsewhere first.
            if more && self.crew.units.len() > 1 && unit.wanted.swap(false, Ordering::SeqCst) {
                self.crew.parker.wake();
            }
        }
        Ok(moved)
    }

    fn run_farm(&mut self, farm: &Farm, index: usize) -> bool {
        let Some(hand) = &mut self.hands[index] else { return false };
        let current = &self.shared.threads[self.thread].current;
        let stopping = self.shared.stopping.load(Ordering::Relaxed);
        let step = farm.turn(hand, current, stopping, &self.crew.parker);
        if step == Step::Done {
            self.crew.parker.wake_all();
        } else if step != Step::Ran {
            self.steps.extend(farm.blocks.iter().map(|&block| (block, step)));
        }
        matches!(step, Step::Ran | Step::Done)
    }

    /// Looks for as long as patience lasts.
    fn look_again(&mut self) -> Result<Look, RunError> {
        if self.patience.is_zero() {
            return Ok(Look::Idle);
        }
        let start = Instant::now();
        while start.elapsed() < self.patience && !self.shared.is_cancelled() {
            std::hint::spin_loop();
            let look = self.look(false)?;
            if look != Look::Idle {
                return Ok(look);
            }
        }
        Ok(Look::Idle)
    }

    /// Sleeps until somebody has something for this crew.
    fn rest(&mut self) -> Result<(), RunError> {
        let crew = self.crew.clone();
        crew.parker.announce();
        let look = self.look(true);
        if !matches!(look, Ok(Look::Idle)) {
            crew.parker.withdraw();
            return look.map(|_| ());
        }
        if let Some(stuck) = self.shared.goes_to_sleep(self.thread, &self.steps) {
            crew.parker.withdraw();
            return Err(stuck);
        }
        let start = Instant::now();
        crew.parker.sleep(None);
        self.shared.wakes_up(self.thread);
        let slept = start.elapsed().as_nanos() as u64;
        // A lane that is taken has not waited for anything. Nobody sleeps for good because this one has it: who was
        // woken looks at everything next.
        for unit in crew.units.iter().filter(|_| self.place == 0) {
            match unit {
                Unit::Lane(unit) => {
                    if let Some(lane) = unit.try_lane() {
                        lane.slept(slept);
                    }
                }
                Unit::Farm(farm) => {
                    let step = self.steps.iter().find(|(block, _)| farm.blocks.first() == Some(block));
                    if let Some((_, step)) = step {
                        farm.slept(slept, *step);
                    }
                }
            }
        }
        Ok(())
    }

    /// What to report when the block that this thread ran has panicked.
    pub fn panicked(&self, message: String) -> RunError {
        let current = self.shared.threads[self.thread].current.load(Ordering::Relaxed);
        let (block, ports) =
            self.crew.units.iter().find_map(|unit| unit.words(current)).unwrap_or_else(|| {
                ("the runtime".to_owned(), format!("between blocks on thread {}", self.thread))
            });
        RunError::Panic { block, message, ports }
    }
}
