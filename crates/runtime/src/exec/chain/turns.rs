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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_was_left_is_found_when_its_turn_has_come() {
        let turns = Turns::new(2);
        turns.leave(0, 2, "c");
        turns.leave(0, 1, "b");
        assert_eq!(turns.take(), None);
        assert!(turns.has_come(0, 0) && turns.pass_on(0, 0));
        assert_eq!((turns.take(), turns.take()), (Some("b"), None));
        assert!(turns.pass_on(0, 1));
        assert_eq!(turns.take(), Some("c"));
        assert!(!turns.pass_on(1, 0), "nobody waits");
    }

    #[test]
    fn of_claims_whose_turn_has_come_the_oldest_is_first() {
        let turns = Turns::new(2);
        turns.leave(0, 1, "behind");
        turns.leave(1, 0, "ahead");
        turns.pass_on(0, 0);
        assert_eq!((turns.take(), turns.take()), (Some("ahead"), Some("behind")));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::wake::Parker;
    use loom::sync::Arc;

    /// Claims that go through stages with a state, and a place where workers sleep that find nothing to do.
    struct Model {
        turns: Turns<(usize, u64)>,
        /// What was claimed, and how many claims are through.
        claimed: AtomicU64,
        through: AtomicU64,
        /// Per stage, how many claims the block has seen. Only the turn makes sure that a worker sees what the one before wrote.
        seen: Vec<AtomicU64>,
        parker: Parker,
        claims: u64,
    }

    impl Model {
        fn new(stages: usize, claims: u64) -> Self {
            Model {
                turns: Turns::new(stages),
                claimed: AtomicU64::new(0),
                through: AtomicU64::new(0),
                seen: (0..stages).map(|_| AtomicU64::new(0)).collect(),
                parker: Parker::new(),
                claims,
            }
        }

        fn next(&self) -> Option<(usize, u64)> {
            let one_more = |claimed: u64| (claimed < self.claims).then_some(claimed + 1);
            let claim = || self.claimed.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok();
            self.turns.take().or_else(|| Some((0, claim()?)))
        }

        fn is_over(&self) -> bool {
            self.through.load(Ordering::Acquire) == self.claims
        }

        fn carry(&self, (mut stage, number): (usize, u64)) {
            while stage < self.seen.len() {
                if !self.turns.has_come(stage, number) {
                    return self.turns.leave(stage, number, (stage, number));
                }
                let seen = self.seen[stage].load(Ordering::Relaxed);
                assert_eq!(seen, number, "claims come in order");
                self.seen[stage].store(seen + 1, Ordering::Relaxed);
                if self.turns.pass_on(stage, number) {
                    self.parker.wake_after_fence();
                }
                stage += 1;
            }
            self.through.fetch_add(1, Ordering::AcqRel);
        }

        /// What a worker does until all claims are through.
        fn work(&self) {
            while !self.is_over() {
                if let Some(claim) = self.next() {
                    self.carry(claim);
                    continue;
                }
                self.parker.announce();
                let found = self.next();
                if found.is_some() || self.is_over() {
                    self.parker.withdraw();
                    found.into_iter().for_each(|claim| self.carry(claim));
                } else {
                    self.parker.sleep(None);
                }
            }
            self.parker.wake_all();
        }
    }

    fn check(stages: usize, claims: u64, preemptions: usize) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.check(move || {
            let model = Arc::new(Model::new(stages, claims));
            let other = {
                let model = model.clone();
                loom::thread::spawn(move || model.work())
            };
            model.work();
            other.join().unwrap();
            for seen in &model.seen {
                assert_eq!(seen.load(Ordering::Relaxed), claims);
            }
        });
    }

    #[test]
    fn loom_claims_that_were_left_go_through_a_stage_in_order_and_no_worker_sleeps_for_good() {
        check(1, 3, 3);
    }

    #[test]
    fn loom_claims_go_through_two_stages_whoever_carries_them() {
        check(2, 2, 3);
    }
}
