//! A chain of pure blocks that all workers of a region run at once.
//!
//! A worker claims the next strip of the chain's stream, takes it through the whole chain in scratch memory of its own,
//! and commits it; see `stream/buffer/claim.rs` for the order and `plan/chain.rs` for what a strip needs to know of the one before.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::run::{Begin, ChainRun};
use super::strip::StripChoice;
use super::versions::Versions;
use crate::block::any::Runnable;
use crate::block::erased::ErasedPure;
use crate::block::parameters::{LinkChanges, NEVER};
use crate::block::{CloseAll, Step};
use crate::exec::row::{Input, Rings, Row};
use crate::metrics::{Counters, add};
use crate::plan::ChainPlan;
use crate::plan::chain::{ChainShape, Portions};
use crate::stream::buffer::{Claim, Claimed, Claims, ReadEnd, WriteEnd};
use crate::wake::Parker;
use crate::wake::sync::Padded;

/// A block of the chain.
pub(in crate::exec) struct Link {
    pub block: usize,
    pub name: Arc<str>,
    pub pure: Arc<dyn ErasedPure>,
    /// The block as a lane would run it, for when it is moved to one.
    pub runnable: Box<dyn Runnable>,
    pub counters: Arc<Counters>,
}

pub(in crate::exec) struct SharedChain {
    links: Mutex<Vec<Link>>,
    pub blocks: Vec<usize>,
    pub names: Vec<Arc<str>>,
    pub shape: ChainShape,
    portions: Portions,
    in_place: bool,
    begin: Begin,
    /// Per link, how many items it had taken and given where the chain begins.
    before: Vec<(u64, u64)>,
    progress: Mutex<Progress>,
    counters: Vec<Arc<Counters>>,
    pures: Vec<Arc<dyn ErasedPure>>,
    pub rings: Rings,
    /// By place, the changes of the links that have parameters.
    changes: Vec<(usize, Arc<dyn LinkChanges>)>,
    done: AtomicBool,
    /// The number of the oldest claim that is not settled.
    settled: Padded<AtomicU64>,
}

/// What workers come to between two strips.
struct Progress {
    claims: Claims<ChainShape>,
    versions: Versions,
}

/// What is left of a chain that was taken apart.
pub(in crate::exec) struct Parts {
    pub links: Vec<Link>,
    /// Per link, what it has seen of its input, as in [`Begin`].
    pub histories: Vec<Vec<u8>>,
    /// Per link, how many items it has taken and given.
    pub before: Vec<(u64, u64)>,
    pub input: ReadEnd,
    pub output: WriteEnd,
    pub done: bool,
}

/// One worker's part of a chain.
pub(in crate::exec) struct ChainWorker {
    run: ChainRun,
    strip: StripChoice,
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
/// How much of a chain a worker is to take in its row.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Portion {
    /// So many strips, where it does not end before; `None` where the chain is all that there is.
    pub strips: Option<usize>,
    /// Up to this position in the chain's input.
    pub end: Option<u64>,
    /// Whether to wait a moment for those who have claimed before.
    pub may_wait: bool,
}

/// One claim in so many is timed block by block.
const TIMED_ONE_IN: u64 = 64;

impl SharedChain {
    pub fn new(
        links: Vec<Link>,
        plan: &ChainPlan,
        in_place: bool,
        begin: Begin,
        before: Vec<(u64, u64)>,
        claims: Claims<ChainShape>,
    ) -> Self {
        let pures: Vec<_> = links.iter().map(|link| link.pure.clone()).collect();
        let changes_of = |(place, link): (usize, &Link)| Some((place, link.runnable.link_changes()?));
        let rings = Rings {
            read: claims.gauge().map(Input::new).into_iter().collect(),
            written: claims.output().into_iter().collect(),
        };
        SharedChain {
            rings,
            blocks: links.iter().map(|link| link.block).collect(),
            names: links.iter().map(|link| link.name.clone()).collect(),
            counters: links.iter().map(|link| link.counters.clone()).collect(),
            changes: links.iter().enumerate().filter_map(changes_of).collect(),
            progress: Mutex::new(Progress { claims, versions: Versions::new(pures.iter().cloned()) }),
            pures,
            links: Mutex::new(links),
            shape: plan.shape.clone(),
            portions: plan.portions,
            in_place,
            begin,
            before,
            done: AtomicBool::new(false),
            settled: Padded(AtomicU64::new(0)),
        }
    }

    /// One worker's part.
    pub fn worker(&self, seed: Option<u64>) -> ChainWorker {
        ChainWorker {
            run: self.chain_run(),
            strip: StripChoice::new(self.portions.strip, self.portions.long),
            portion: self.portions.strip,
            claims: 0,
            passes: 0,
            busy: Duration::ZERO,
            shares: vec![1.0 / self.blocks.len() as f64; self.blocks.len()],
            random: seed,
        }
    }

    fn chain_run(&self) -> ChainRun {
        let (links, begin) = (self.pures.clone(), self.begin.clone());
        ChainRun::new(&self.shape, links, &self.blocks, self.portions.long, self.in_place, begin)
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Works on a few claims; `Ran` if there was one. `current` is told which block runs.
    pub fn turn(
        &self,
        worker: &mut ChainWorker,
        current: &AtomicUsize,
        stopping: bool,
        parker: &Parker,
        portion: Portion,
    ) -> Step {
        let mut finished: Option<Claim> = None;
        let mut step = Step::NeedInput;
        let mut last = None;
        for round in 0..=CLAIMS_PER_TURN {
            let mut progress = self.progress();
            if let Some(claim) = finished.take() {
                last = Some(claim.number());
                self.commit(&mut progress.claims, claim, worker);
            }
            let mine = portion.end.and_then(|end| progress.claims.items_before(end));
            let is_through = portion.strips.is_some() && mine.is_none_or(|mine| mine == 0);
            if round == CLAIMS_PER_TURN || round > 0 && is_through {
                break;
            }
            let start = progress.claims.frontier();
            let most = self.next_portion(worker, portion, mine);
            let claimed = progress.claims.claim(self.portions.strip, most, stopping);
            match &claimed {
                Claimed::Work(claim) => {
                    self.take_changes(&mut progress.versions, start, claim.items());
                    worker.run.follow(&progress.versions);
                }
                Claimed::Ended if progress.claims.open() == 0 => self.end(&mut progress.claims),
                _ => {}
            }
            drop(progress);
            match claimed {
                Claimed::Work(mut claim) => {
                    // Whoever is idle may find more to claim.
                    parker.wake();
                    worker.work(&mut claim, current, self.portions);
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
        let Some(last) = last else { return step };
        if portion.may_wait && !self.is_settled(last) {
            self.wait_for(last);
        }
        Step::Ran
    }

    /// Whether a claim and those before it are committed.
    fn is_settled(&self, claim: u64) -> bool {
        self.settled.load(Ordering::Acquire) > claim
    }

    /// Waits a moment for those who have claimed before: what was given goes on with this worker then.
    #[cold]
    fn wait_for(&self, claim: u64) {
        let start = Instant::now();
        while !self.is_settled(claim) && start.elapsed() < Row::WAIT {
            std::hint::spin_loop();
        }
    }

    /// How much to claim, where `mine` is left of what the worker has brought along.
    fn next_portion(&self, worker: &mut ChainWorker, portion: Portion, mine: Option<usize>) -> usize {
        match (portion.strips, mine) {
            _ if worker.random.is_some() => worker.next_portion(self.portions),
            (None, _) => worker.next_portion(self.portions),
            (Some(_), Some(mine)) if mine > 0 => mine.min(self.portions.most),
            (Some(strips), _) => strips.saturating_mul(self.portions.strip).min(self.portions.most),
        }
    }

    /// Notes which versions of the links work on the `items` items from `start` on, which were just claimed.
    #[inline]
    fn take_changes(&self, versions: &mut Versions, start: u64, items: usize) {
        if versions.is_mixed() || self.changes.iter().any(|(_, changes)| changes.next() != NEVER) {
            self.take_due_changes(versions, start, items);
        }
    }

    #[cold]
    fn take_due_changes(&self, versions: &mut Versions, start: u64, items: usize) {
        let positions = |at: u64| self.begin.positions_at(&self.shape, at);
        let (first, end) = (positions(start), positions(start + items as u64));
        // Nobody who claims from here on computes anything that comes before the warm-up.
        let oldest = start.saturating_sub(self.shape.warm_up as u64).max(self.begin.origin);
        versions.forget(&positions(oldest));
        for (place, changes) in &self.changes {
            let (first, end) = (first[*place], end[*place]);
            if changes.next() < end && first < end {
                for (from, pure) in changes.take(first, end) {
                    versions.push(*place, from, pure);
                }
            }
        }
    }

    fn commit(&self, claims: &mut Claims<ChainShape>, claim: Claim, worker: &mut ChainWorker) {
        claims.commit(claim);
        self.settled.store(claims.oldest(), Ordering::Release);
        let (fill, capacity) = claims.fill();
        let total = (claims.committed() - self.begin.origin) as usize;
        for ((place, counters), (taken, given)) in
            self.counters.iter().enumerate().zip(self.shape.flow(total))
        {
            let (taken_before, given_before) = self.before[place];
            add(&counters.calls, worker.passes);
            add(&counters.busy_ns, (worker.busy.as_nanos() as f64 * worker.shares[place]) as u64);
            if let Some(input) = counters.inputs.first() {
                input.items.store(taken_before + taken as u64, Ordering::Relaxed);
                if place == 0 {
                    input.fill.store(fill as u64, Ordering::Relaxed);
                    input.capacity.store(capacity as u64, Ordering::Relaxed);
                }
            }
            if let Some(output) = counters.outputs.first() {
                output.store(given_before + given as u64, Ordering::Relaxed);
            }
        }
        worker.passes = 0;
        worker.busy = Duration::ZERO;
    }

    fn end(&self, claims: &mut Claims<ChainShape>) {
        claims.close();
        // Nobody sends messages to blocks that have ended, or waits for them to change.
        let mut links = self.links.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        links.iter_mut().for_each(|link| link.runnable.visit(&mut CloseAll));
        self.done.store(true, Ordering::Release);
    }

    /// Takes the blocks out, to be dropped.
    pub fn take_links(&self) -> Vec<Link> {
        std::mem::take(&mut self.links.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// Ends the chain, so that the others see it.
    pub fn close(&self) {
        self.end(&mut self.progress().claims);
    }

    /// Takes the chain apart, when no worker is in it any more.
    pub fn take_apart(self) -> Parts {
        let mut run = self.chain_run();
        let progress = self.progress.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Progress { claims, versions } = progress;
        let total = (claims.committed() - self.begin.origin) as usize;
        let mut before = self.before;
        for (before, (taken, given)) in before.iter_mut().zip(self.shape.flow(total)) {
            *before = (before.0 + taken as u64, before.1 + given as u64);
        }
        let done = self.done.load(Ordering::Acquire);
        if !done {
            // A strip without items: the warm-up alone.
            run.follow(&versions);
            run.run(&mut claims.warm_up().strip(), &AtomicUsize::new(0));
        }
        let histories = run.histories();
        let (input, output) = claims.into_ends();
        let mut links = self.links.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        links.iter_mut().for_each(|link| link.runnable.recall());
        Parts { links, histories, before, input, output, done }
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
        let progress = self.progress();
        format!(
            "in a chain shared between workers, {} items in, {} strips open",
            progress.claims.committed(),
            progress.claims.open()
        )
    }
}

impl ChainWorker {
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
        self.run.set_strip(self.strip.next());
        if is_timed {
            self.run.run_timed(&mut claim.strip(), current, &mut self.shares);
        } else {
            self.run.run(&mut claim.strip(), current);
        }
        current.store(usize::MAX, Ordering::Relaxed);
        let took = start.elapsed();
        if !is_timed {
            self.strip.note(items, took);
        }
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
