//! A chain of blocks through which all workers of a region carry claims at once.
//!
//! A worker claims the next strips of the chain's stream, carries them through the whole chain in memory of its own, and
//! commits them. Blocks with a state are run in the order of the claims (`turns.rs`); see `stream/buffer/claim.rs` for the order
//! of commits, `carry.rs` for the way through the chain, and `plan/chain.rs` for what a claim needs to know of the one before.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use super::carry::{Carried, ChainWorker, Handed};
use super::memory::ClaimMemory;
use super::run::{Begin, ChainRun};
use super::turns::Turns;
use super::versions::Versions;
use crate::block::any::Runnable;
use crate::block::erased::ErasedPure;
use crate::block::parameters::{LinkChanges, NEVER};
use crate::block::{CloseAll, Step};
use crate::data::RunError;
use crate::exec::row::{Input, Rings, Row};
use crate::metrics::{Counters, add};
use crate::plan::ChainPlan;
use crate::plan::chain::{Boundary, ChainShape, Portions, StageShape, Way};
use crate::stream::buffer::{Claimed, Claims, ReadEnd, Strip, WriteEnd};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;
use crate::wake::Parker;
use crate::wake::sync::Padded;

/// A block of the chain.
pub(in crate::exec) struct Link {
    pub block: usize,
    pub name: Arc<str>,
    /// None of a block with a state.
    pub pure: Option<Arc<dyn ErasedPure>>,
    /// The block as a lane would run it. Where it has a state, the chain runs this, too.
    pub runnable: Box<dyn Runnable>,
    pub counters: Arc<Counters>,
    pub(super) handed: Handed,
}

impl Link {
    /// A block that is to be a link; `None` where it cannot be one.
    pub fn new(
        block: usize,
        name: Arc<str>,
        mut runnable: Box<dyn Runnable>,
        counters: Arc<Counters>,
    ) -> Option<Self> {
        let pure = runnable.link();
        (pure.is_some() || runnable.state().is_some()).then(|| Link {
            block,
            name,
            pure,
            runnable,
            counters,
            handed: Handed::default(),
        })
    }

    /// At which item a block with a state stands.
    pub(super) fn words(&mut self) -> Option<String> {
        struct FirstPort(Option<String>);
        impl PortVisitor for FirstPort {
            fn input(&mut self, name: &str, _: &mut dyn AnyIn) {
                self.0.get_or_insert_with(|| name.to_owned());
            }
            fn output(&mut self, name: &str, _: &mut dyn AnyOut) {
                self.0.get_or_insert_with(|| name.to_owned());
            }
        }
        let mut first = FirstPort(None);
        self.runnable.visit(&mut first);
        first.0.filter(|_| self.pure.is_none()).map(|name| format!("{name} at item {}", self.handed.at))
    }
}

/// A stage of the chain.
pub(super) struct Stage {
    /// The place of its first block in the chain.
    pub first: usize,
    pub has_state: bool,
    /// Its blocks as a chain of their own.
    pub shape: ChainShape,
    /// It writes below where it reads.
    pub slides: bool,
    /// How many items of its head stream it takes at once where it slides; how many it may, where it does not.
    pub strip: usize,
    /// Bytes of an item that it gives.
    pub out_bytes: usize,
    begin: Begin,
}

impl Stage {
    /// The places of its blocks.
    pub fn blocks(&self) -> Range<usize> {
        self.first..self.first + self.shape.links.len()
    }
}

pub(in crate::exec) struct SharedChain {
    links: Vec<Mutex<Option<Link>>>,
    pub blocks: Vec<usize>,
    pub names: Vec<Arc<str>>,
    pub shape: ChainShape,
    pub(super) stages: Vec<Stage>,
    pub(super) boundaries: Vec<Boundary>,
    pub(super) portions: Portions,
    in_place: bool,
    pub(super) begin: Begin,
    /// Per link, how many items it had taken and given where the chain begins.
    before: Vec<(u64, u64)>,
    progress: Mutex<Progress>,
    pub(super) turns: Turns<Carried>,
    counters: Vec<Arc<Counters>>,
    pures: Vec<Option<Arc<dyn ErasedPure>>>,
    pub rings: Rings,
    /// By place, the changes of the links that have parameters.
    changes: Vec<(usize, Arc<dyn LinkChanges>)>,
    done: AtomicBool,
    /// The number of the oldest claim that is not settled.
    settled: Padded<AtomicU64>,
}

/// What workers come to between two claims.
struct Progress {
    claims: Claims<ChainShape>,
    versions: Versions,
    /// Memory that no claim lies in.
    memories: Vec<ClaimMemory>,
    /// How many more may be made: a worker that has left its claim needs one for the next.
    memories_to_make: usize,
}

impl Progress {
    /// Whether there is memory for another claim.
    fn has_memory(&self) -> bool {
        !self.memories.is_empty() || self.memories_to_make > 0
    }
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
    /// A chain of these blocks. `memories`: how many claims are open at once, at most, where they lie in memory of their own.
    pub fn new(
        mut links: Vec<Link>,
        plan: &ChainPlan,
        in_place: bool,
        begin: Begin,
        before: Vec<(u64, u64)>,
        claims: Claims<ChainShape>,
        memories: usize,
    ) -> Self {
        let stages = plan.shape.stages().unwrap_or_default();
        let boundaries = plan.shape.boundaries(&stages, in_place, plan.portions.strip);
        for (stage, boundary) in stages.iter().zip(boundaries.iter().map(Some).chain([None])) {
            if stage.has_state {
                links[stage.first].handed = handed(stage, &plan.shape, &begin, boundary);
            }
        }
        let pures: Vec<_> = links.iter().map(|link| link.pure.clone()).collect();
        let changes_of = |(place, link): (usize, &Link)| Some((place, link.runnable.link_changes()?));
        let rings = Rings {
            read: claims.gauge().map(Input::new).into_iter().collect(),
            written: claims.output().into_iter().collect(),
        };
        let progress = Progress {
            claims,
            versions: Versions::new(pures.iter().cloned()),
            memories: Vec::new(),
            memories_to_make: if boundaries.is_empty() { 0 } else { memories },
        };
        let Portions { strip, long, .. } = plan.portions;
        let stage = |(place, stage): (usize, StageShape)| {
            let slides = matches!(boundaries.get(place), Some(Boundary { way: Way::Down(_), .. }));
            Stage {
                first: stage.first,
                has_state: stage.has_state,
                slides,
                begin: begin.of_stage(&stage),
                strip: plan.shape.stage_strip(&stage, if slides { strip } else { long }),
                out_bytes: stage.chain.links.last().map_or(0, |last| last.out_bytes),
                shape: stage.chain,
            }
        };
        SharedChain {
            rings,
            blocks: links.iter().map(|link| link.block).collect(),
            names: links.iter().map(|link| link.name.clone()).collect(),
            counters: links.iter().map(|link| link.counters.clone()).collect(),
            changes: links.iter().enumerate().filter_map(changes_of).collect(),
            progress: Mutex::new(progress),
            turns: Turns::new(stages.len()),
            stages: stages.into_iter().enumerate().map(stage).collect(),
            boundaries,
            pures,
            links: links.into_iter().map(|link| Mutex::new(Some(link))).collect(),
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
        ChainWorker::new(self.runs(), self.portions, self.blocks.len(), seed)
    }

    /// Per stage without a state, what runs its blocks.
    fn runs(&self) -> Vec<Option<ChainRun>> {
        let run = |stage: &Stage| {
            let pures: Option<Vec<_>> = self.pures[stage.blocks()].iter().cloned().collect();
            let blocks = &self.blocks[stage.blocks()];
            Some(ChainRun::new(&stage.shape, pures?, blocks, stage.strip, self.in_place, stage.begin.clone()))
        };
        self.stages.iter().map(run).collect()
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The block at a place of the chain.
    pub(super) fn lock(&self, place: usize) -> MutexGuard<'_, Option<Link>> {
        self.links[place].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

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
            let may_claim = self.boundaries.is_empty() || progress.has_memory();
            drop(progress);
            moved = true;
            // Whoever is idle may find more to claim. If that comes too late for one that falls asleep, this worker goes on.
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
        while !self.is_settled(claim) && start.elapsed() < Row::WAIT {
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
    fn publish(&self, progress: MutexGuard<'_, Progress>, worker: &mut ChainWorker) {
        let (fill, capacity) = progress.claims.fill();
        let total = (progress.claims.committed() - self.begin.origin) as usize;
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
                output.fetch_max(given_before + given as u64, Ordering::Relaxed);
            }
        }
        for (stage, calls) in self.stages.iter().zip(&mut worker.calls) {
            let calls = std::mem::take(calls);
            self.counters[stage.blocks()].iter().for_each(|counters| add(&counters.calls, calls));
        }
    }

    fn end(&self, claims: &mut Claims<ChainShape>) {
        claims.close();
        // Nobody sends messages to blocks that have ended, or waits for them to change.
        for place in 0..self.links.len() {
            self.lock(place).iter_mut().for_each(|link| link.runnable.visit(&mut CloseAll));
        }
        self.done.store(true, Ordering::Release);
    }

    /// Takes the blocks out, to be dropped.
    pub fn take_links(&self) -> Vec<Link> {
        (0..self.links.len()).filter_map(|place| self.lock(place).take()).collect()
    }

    /// Ends the chain, so that the others see it.
    pub fn close(&self) {
        self.end(&mut self.progress().claims);
    }

    /// Takes the chain apart, when no worker is in it any more, and no claim was left.
    pub fn take_apart(self) -> Parts {
        let mut progress = self.progress();
        // What does not make whole steps at the end of a stream is gone already: no block may go on from there.
        if !self.is_done() && progress.claims.is_over() {
            self.end(&mut progress.claims);
        }
        drop(progress);
        let mut runs = self.runs();
        let mut links = self.take_links();
        let progress = self.progress.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Progress { claims, versions, .. } = progress;
        let total = (claims.committed() - self.begin.origin) as usize;
        let mut before = self.before;
        for (before, (taken, given)) in before.iter_mut().zip(self.shape.flow(total)) {
            *before = (before.0 + taken as u64, before.1 + given as u64);
        }
        let done = self.done.load(Ordering::Acquire);
        let mut histories = vec![Vec::new(); links.len()];
        let mut warm_up = claims.warm_up();
        for (place, (stage, run)) in self.stages.iter().zip(&mut runs).enumerate() {
            let first = stage.first;
            let Some(run) = run else {
                histories[first] = std::mem::take(&mut links[first].handed.taken);
                continue;
            };
            let head = stage.shape.links[0].history * stage.shape.head_bytes();
            let strip = if place == 0 {
                warm_up.strip()
            } else {
                let known = &links[first - 1].handed.given;
                histories[first] = known[known.len() - head..].to_vec();
                let start = before[first].0;
                Strip { start, items: 0, input: known, output: &mut [] }
            };
            if !done {
                // A strip without items: the warm-up alone.
                run.follow(&versions, first);
                run.run(&mut Strip { ..strip }, &AtomicUsize::new(0), &mut []);
            }
            let inside = histories[stage.blocks()].iter_mut().zip(run.histories()).skip(1);
            inside.for_each(|(history, known)| *history = known);
        }
        drop(warm_up);
        let (input, output) = claims.into_ends();
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

    /// Where a block stands, for a message.
    pub fn words(&self, place: usize) -> String {
        let at = self.lock(place).as_mut().and_then(Link::words);
        self.words_of(at)
    }

    /// The same of a block that says where it stands itself.
    pub(super) fn words_of(&self, at: Option<String>) -> String {
        let progress = self.progress();
        format!(
            "{}in a chain shared between workers, {} items in, {} claims open",
            at.map_or_else(String::new, |at| at + ", "),
            progress.claims.committed(),
            progress.claims.open()
        )
    }
}

/// What a block with a state knows where the chain begins.
fn handed(stage: &StageShape, shape: &ChainShape, begin: &Begin, behind: Option<&Boundary>) -> Handed {
    let link = &shape.links[stage.first];
    let known = |place: usize| begin.histories.get(place).map_or(&[][..], |known| known);
    // What came before what is known counts as zeros.
    let end_of = |known: &[u8], bytes: usize| {
        let mut end = vec![0; bytes];
        let n = known.len().min(bytes);
        end[bytes - n..].copy_from_slice(&known[known.len() - n..]);
        end
    };
    let taken = if stage.first == 0 { 0 } else { link.history * link.in_bytes };
    // A next stage with a state has its history itself.
    let next = shape.links.get(stage.first + 1).filter(|next| !next.has_state);
    let given = behind.filter(|_| next.is_some()).map_or(0, |behind| behind.lead * behind.item_bytes);
    Handed {
        at: begin.positions.get(stage.first).copied().unwrap_or(0),
        taken: end_of(known(stage.first), taken),
        given: end_of(known(stage.first + 1), given),
    }
}
