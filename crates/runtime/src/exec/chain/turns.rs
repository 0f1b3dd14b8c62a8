//! Whose turn it is at the stages of a chain that have a state, and the claims that wait for theirs.
//!
//! A stage with a state has a *turn*: the number of the claim that may go through it. Claims have numbers in the order of their
//! items, and pass the turn on to the next one. Nothing else crosses cores while a claim goes through a chain.
//!
//! ```text
//! worker a:  has claim 4, runs the stage       stores turn = 5, goes on with claim 4
//! worker b:  has claim 5, waits for a moment, then leaves it: adds it to the list, goes on with something else
//! anybody:   looks for a claim that was left and whose turn has come, and carries it on
//! ```
//!
//! The turn's store is a release, its load an acquire: who has the turn sees what the worker before has done to the block.
//!
//! No claim is left for good. Before a worker sleeps it fences and looks once more (`wake/park.rs`). So of "store the turn, fence,
//! look at `left`" and "add to `left`, fence, look at the turn" one sees the other: the worker that has passed the turn on finds
//! the claim, or the one that has left it finds that its turn has come. Who sees the claim earlier wakes somebody, which is for
//! speed alone: a fence for each turn would cost more.
//!
//! The oldest open claim can always go on: every claim before it has gone through all stages, so its turn has come wherever it is.

use crate::wake::sync::{AtomicU64, Mutex, MutexGuard, Ordering, Padded};

/// The turns of a chain's stages, and the claims that were left: `C` is what goes with a claim.
pub(super) struct Turns<C> {
    /// Per stage, which claim's turn it is. Written by the worker that has it, read by those that wait.
    turns: Vec<Padded<AtomicU64>>,
    /// How many claims were left. Written under the lock, read without it by whoever passes a turn on.
    left: AtomicU64,
    claims: Mutex<Vec<Left<C>>>,
}

struct Left<C> {
    number: u64,
    stage: usize,
    claim: C,
}

impl<C> Turns<C> {
    /// Of so many stages; claim 0 is the first.
    pub fn new(stages: usize) -> Self {
        let turns = (0..stages).map(|_| Padded(AtomicU64::new(0))).collect();
        Turns { turns, left: AtomicU64::new(0), claims: Mutex::new(Vec::new()) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Left<C>>> {
        self.claims.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether it is this claim's turn at a stage.
    #[inline]
    pub fn has_come(&self, stage: usize, number: u64) -> bool {
        self.turns[stage].load(Ordering::Acquire) == number
    }

    /// Passes the turn on from claim `number` to the next. True if a claim was left, for which somebody may be woken.
    #[inline]
    pub fn pass_on(&self, stage: usize, number: u64) -> bool {
        self.turns[stage].store(number + 1, Ordering::Release);
        self.left.load(Ordering::Relaxed) > 0
    }

    /// Leaves a claim until its turn has come at a stage.
    pub fn leave(&self, stage: usize, number: u64, claim: C) {
        let mut claims = self.lock();
        claims.push(Left { number, stage, claim });
        self.left.store(claims.len() as u64, Ordering::Relaxed);
    }

    /// The oldest claim that was left and whose turn has come.
    #[inline]
    pub fn take(&self) -> Option<C> {
        if self.left.load(Ordering::Relaxed) == 0 { None } else { self.find() }
    }

    #[cold]
    fn find(&self) -> Option<C> {
        let mut claims = self.lock();
        let has_come = |(_, left): &(usize, &Left<C>)| self.has_come(left.stage, left.number);
        let oldest = claims.iter().enumerate().filter(has_come).min_by_key(|(_, left)| left.number);
        let left = oldest.map(|(place, _)| place).map(|place| claims.swap_remove(place))?;
        self.left.store(claims.len() as u64, Ordering::Relaxed);
        Some(left.claim)
    }
}
