//! What a worker can run: a lane, which one worker at a time has, or a chain, which all run at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use super::lane::Lane;
use super::rings::Rings;
use super::wanted::Wanted;
use crate::block::Step;
use crate::exec::chain::SharedChain;
use crate::wake::sync::Padded;

/// What a worker can run.
pub(super) enum Unit {
    Lane(Box<LaneUnit>),
    Chain(Box<SharedChain>),
}

/// A lane that one worker at a time runs.
pub(super) struct LaneUnit {
    lane: Mutex<Lane>,
    pub done: AtomicBool,
    /// Another worker has found it taken.
    pub wanted: Wanted,
    /// Whether a worker has it: a hint, for those who wait for that to end. They look at it all the time.
    is_taken: Padded<AtomicBool>,
    pub rings: Rings,
}

/// A lane while one worker has it.
pub(super) struct LaneTurn<'a> {
    pub lane: MutexGuard<'a, Lane>,
    is_taken: &'a AtomicBool,
}

impl Drop for LaneTurn<'_> {
    fn drop(&mut self) {
        self.is_taken.store(false, Ordering::Relaxed);
    }
}

impl LaneUnit {
    pub fn new(mut lane: Lane) -> Self {
        let (done, rings) = (AtomicBool::new(lane.is_done()), lane.find_rings());
        let is_taken = Padded(AtomicBool::new(false));
        LaneUnit { lane: Mutex::new(lane), done, wanted: Wanted::new(), is_taken, rings }
    }

    /// One without blocks, with these rings at its ends.
    #[cfg(all(test, not(loom)))]
    pub fn of_rings(rings: Rings) -> Self {
        LaneUnit { rings, ..LaneUnit::new(Lane::new(Vec::new(), None, false, None)) }
    }

    /// The lane for good.
    pub fn into_lane(self) -> Lane {
        self.lane.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The lane, when no worker runs it.
    pub fn lane(&self) -> MutexGuard<'_, Lane> {
        self.lane.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The lane, where no worker has it.
    pub fn try_turn(&self) -> Option<LaneTurn<'_>> {
        let lane = match self.lane.try_lock() {
            Ok(lane) => lane,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.is_taken.store(true, Ordering::Relaxed);
        Some(LaneTurn { lane, is_taken: &self.is_taken })
    }

    /// Whether it is worth while to try.
    pub fn is_taken(&self) -> bool {
        self.is_taken.load(Ordering::Relaxed)
    }
}

impl Unit {
    pub fn is_done(&self) -> bool {
        match self {
            Unit::Lane(unit) => unit.done.load(Ordering::Acquire),
            Unit::Chain(chain) => chain.is_done(),
        }
    }

    /// Notes that its blocks have ended: what they said last is not true any more.
    pub fn note_done(&self, steps: &mut Vec<(usize, Step)>) {
        match self {
            Unit::Lane(unit) => steps.extend(unit.lane().tasks.iter().map(|task| (task.block, Step::Done))),
            Unit::Chain(chain) => steps.extend(chain.blocks.iter().map(|&block| (block, Step::Done))),
        }
    }

    /// The rings at its ends.
    pub fn rings(&self) -> &Rings {
        match self {
            Unit::Lane(unit) => &unit.rings,
            Unit::Chain(chain) => &chain.rings,
        }
    }

    /// Where the ports of a block of this unit stand.
    pub fn words(&self, block: usize) -> Option<(String, String)> {
        match self {
            Unit::Lane(unit) => {
                let mut lane = unit.lane();
                let name = lane.tasks.iter().find(|task| task.block == block)?.name.to_string();
                Some((name, lane.words(block)?))
            }
            Unit::Chain(chain) => {
                let place = chain.blocks.iter().position(|&b| b == block)?;
                Some((chain.names[place].to_string(), chain.words(place)))
            }
        }
    }
}
