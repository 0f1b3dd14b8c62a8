//! A chain of pure blocks that all workers of a crew run at once.
//!
//! A worker claims the next strip of the chain's stream, takes it through the whole chain in scratch memory of its own,
//! and commits it; see `buffer/claim.rs` for the order and `chain/` for what a strip needs to know of the one before.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::block::Step;
use crate::buffer::{Claim, Claimed, Claims};
use crate::chain::{ChainRun, ChainShape, ErasedPure};
use crate::metrics::{Counters, add};
use crate::park::Parker;
use crate::stage::Runnable;

/// A block of the chain.
pub(super) struct Link {
    pub block: usize,
    pub name: Arc<str>,
    pub pure: Arc<dyn ErasedPure>,
    /// The block as a lane would run it, for when it is moved to one.
    pub runnable: Box<dyn Runnable>,
    pub counters: Arc<Counters>,
}

/// How much a worker takes at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portions {
    /// What fits the cache, in items of the head stream.
    pub strip: usize,
    /// The longest claim, in items of the head stream.
    pub most: usize,
}

pub(super) struct Farm {
    pub links: Mutex<Vec<Link>>,
    pub blocks: Vec<usize>,
    pub names: Vec<Arc<str>>,
    pub shape: ChainShape,
    portions: Portions,
    in_place: bool,
    desk: Mutex<Claims>,
    counters: Vec<Arc<Counters>>,
    pures: Vec<Arc<dyn ErasedPure>>,
    done: AtomicBool,
}

/// One worker's part of a farm.
pub(super) struct Hand {
    run: ChainRun,
    /// How much to claim: as much as takes about [`CLAIM_TIME`].
    portion: usize,
    claims: u64,
    passes: u64,
    busy: Duration,
    /// Per block, its share of the time.
    shares: Vec<f64>,
    /// Draws the size of each claim, for tests.
    random: Option<u64>,
}

/// A claim this long makes the hand-over of a few cache lines between cores vanish (0.1 to 0.5 µs each).
const CLAIM_TIME: Duration = Duration::from_micros(30);
/// How many claims a worker takes before it looks at the other lanes again.
const CLAIMS_PER_TURN: usize = 16;
/// One claim in so many is timed block by block.
const TIMED_ONE_IN: u64 = 64;

impl Farm {
    pub fn new(
        links: Vec<Link>,
        shape: ChainShape,
        portions: Portions,
        in_place: bool,
        claims: Claims,
    ) -> Self {
        Farm {
            blocks: links.iter().map(|link| link.block).collect(),
            names: links.iter().map(|link| link.name.clone()).collect(),
            counters: links.iter().map(|link| link.counters.clone()).collect(),
            pures: links.iter().map(|link| link.pure.clone()).collect(),
            links: Mutex::new(links),
            shape,
            portions,
            in_place,
            desk: Mutex::new(claims),
            done: AtomicBool::new(false),
        }
    }

    /// One worker's part.
    pub fn hand(&self, seed: Option<u64>) -> Hand {
        Hand {
            run: ChainRun::new(
                &self.shape,
                self.pures.clone(),
                &self.blocks,
                self.portions.strip,
                self.in_place,
            ),
            portion: self.portions.strip,
            claims: 0,
            passes: 0,
            busy: Duration::ZERO,
            shares: vec![1.0 / self.blocks.len() as f64; self.blocks.len()],
            random: seed,
        }
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    fn desk(&self) -> MutexGuard<'_, Claims> {
        self.desk.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Works on a few claims; `Ran` if there was one. `current` is told which block runs.
    pub fn turn(&self, hand: &mut Hand, current: &AtomicUsize, stopping: bool, parker: &Parker) -> Step {
        let mut finished: Option<Claim> = None;
        let mut step = Step::NeedInput;
        let mut ran = false;
        for round in 0..=CLAIMS_PER_TURN {
            let mut desk = self.desk();
            if let Some(claim) = finished.take() {
                self.commit(&mut desk, claim, hand);
            }
            if round == CLAIMS_PER_TURN {
                break;
            }
            let claimed = desk.claim(self.portions.strip, hand.next_portion(self.portions), stopping);
            if matches!(claimed, Claimed::Ended) && desk.open() == 0 {
                self.end(&mut desk);
            }
            drop(desk);
            match claimed {
                Claimed::Work(mut claim) => {
                    // Whoever is idle may find more to claim.
                    parker.wake();
                    ran = true;
                    hand.work(&mut claim, current, self.portions);
                    finished = Some(claim);
                }
                Claimed::NeedInput => step = Step::NeedInput,
                Claimed::NeedOutput => step = Step::NeedOutput,
                Claimed::Ended => step = if self.is_done() { Step::Done } else { Step::NeedInput },
            }
            if finished.is_none() {
                break;
            }
        }
        if ran { Step::Ran } else { step }
    }

    fn commit(&self, desk: &mut Claims, claim: Claim, hand: &mut Hand) {
        desk.commit(claim);
        let (fill, capacity) = desk.fill();
        let total = desk.committed() as usize;
        for ((place, counters), (taken, given)) in
            self.counters.iter().enumerate().zip(self.shape.flow(total))
        {
            add(&counters.calls, hand.passes);
            add(&counters.busy_ns, (hand.busy.as_nanos() as f64 * hand.shares[place]) as u64);
            if let Some(input) = counters.inputs.first() {
                input.items.store(taken as u64, Ordering::Relaxed);
                if place == 0 {
                    input.fill.store(fill as u64, Ordering::Relaxed);
                    input.capacity.store(capacity as u64, Ordering::Relaxed);
                }
            }
            if let Some(output) = counters.outputs.first() {
                output.store(given as u64, Ordering::Relaxed);
            }
        }
        hand.passes = 0;
        hand.busy = Duration::ZERO;
    }

    fn end(&self, desk: &mut Claims) {
        desk.close();
        self.done.store(true, Ordering::Release);
    }

    /// Ends the chain, so that the others see it.
    pub fn close(&self) {
        self.end(&mut self.desk());
    }

    /// Notes that nobody had anything to do here for so long.
    pub fn slept(&self, nanoseconds: u64, step: Step) {
        for counters in &self.counters {
            match step {
                Step::NeedInput => add(&counters.blocked_input_ns, nanoseconds),
                Step::NeedOutput => add(&counters.blocked_output_ns, nanoseconds),
                _ => {}
            }
        }
    }

    /// Where the chain stands, for a message.
    pub fn words(&self) -> String {
        let desk = self.desk();
        format!(
            "in a chain shared between workers, {} items in, {} strips open",
            desk.committed(),
            desk.open()
        )
    }
}

impl Hand {
    fn next_portion(&mut self, portions: Portions) -> usize {
        match &mut self.random {
            None => self.portion,
            Some(state) => {
                *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                1 + (*state >> 33) as usize % portions.most
            }
        }
    }

    fn work(&mut self, claim: &mut Claim, current: &AtomicUsize, portions: Portions) {
        let items = claim.items();
        let passes = self.run.passes;
        let start = Instant::now();
        let is_timed = self.claims.is_multiple_of(TIMED_ONE_IN);
        self.claims += 1;
        if is_timed {
            self.run.run_timed(&mut claim.strip(), current, &mut self.shares);
        } else {
            self.run.run(&mut claim.strip(), current);
        }
        current.store(usize::MAX, Ordering::Relaxed);
        let took = start.elapsed();
        self.passes += self.run.passes - passes;
        self.busy += took;
        // Towards claims of the right length, by steps that a late return of this thread cannot spoil.
        if items == self.portion && took < CLAIM_TIME / 2 {
            self.portion = (self.portion * 2).min(portions.most);
        } else if items == self.portion && took > CLAIM_TIME * 2 {
            self.portion = (self.portion / 2).max(portions.strip);
        }
    }
}
