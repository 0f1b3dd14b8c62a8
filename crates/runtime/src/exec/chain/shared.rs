//! A chain of blocks through which all workers of a region carry claims at once.
//!
//! A worker claims the next strips of the chain's stream, carries them through the whole chain in memory of its own, and
//! commits them (`claim.rs`). Blocks with a state are run in the order of the claims (`turns.rs`); see `stream/buffer/claim.rs` for
//! the order of commits, `carry.rs` for the way through the chain, and `plan/chain.rs` for what a claim needs to know of the one
//! before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::begin::Begin;
use super::link::{Handed, Link};
use super::memory::ClaimMemory;
use super::run::ChainRun;
use super::stage::{Meet, Stage};
use super::turns::Turns;
use super::versions::Versions;
use super::worker::{Carried, ChainWorker};
use crate::block::erased::ErasedPure;
use crate::block::parameters::LinkChanges;
use crate::block::{CloseAll, Step};
use crate::exec::rings::{Input, Rings};
use crate::metrics::{Counters, add};
use crate::plan::ChainPlan;
use crate::plan::chain::{Boundary, ChainShape, Portions, StageShape, Way};
use crate::stream::buffer::{Claims, Flow};
use crate::wake::sync::Padded;

/// A chain of blocks that workers share.
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
    pub(super) before: Vec<(u64, u64)>,
    pub(super) progress: Mutex<Progress>,
    pub(super) turns: Turns<Carried>,
    pub(super) counters: Vec<Arc<Counters>>,
    pures: Vec<Option<Arc<dyn ErasedPure>>>,
    pub rings: Rings,
    /// By place, the changes of the links that have parameters.
    pub(super) changes: Vec<(usize, Arc<dyn LinkChanges>)>,
    pub(super) done: AtomicBool,
    /// The number of the oldest claim that is not settled.
    pub(super) settled: Padded<AtomicU64>,
}

/// What workers come to between two claims.
pub(super) struct Progress {
    pub claims: Claims<ChainShape>,
    pub versions: Versions,
    /// Memory that no claim lies in.
    pub memories: Vec<ClaimMemory>,
    /// How many more may be made: a worker that has left its claim needs one for the next.
    pub memories_to_make: usize,
}

impl Progress {
    /// Whether there is memory for another claim.
    pub fn has_memory(&self) -> bool {
        !self.memories.is_empty() || self.memories_to_make > 0
    }
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
                links[stage.first].handed = Handed::new(stage, &plan.shape, &begin, boundary);
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
            let strip = plan.shape.stage_strip(&stage, if slides { plan.shape.sliding(strip) } else { long });
            Stage {
                first: stage.first,
                has_state: stage.has_state,
                slides,
                begin: begin.of_stage(&stage),
                strip,
                strip_gives: stage.chain.given(strip),
                together: Meet::of(place, &boundaries).filter(|_| !stage.has_state),
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
    pub(super) fn runs(&self) -> Vec<Option<ChainRun>> {
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

    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The block at a place of the chain.
    pub(super) fn lock(&self, place: usize) -> MutexGuard<'_, Option<Link>> {
        self.links[place].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn end(&self, claims: &mut Claims<ChainShape>) {
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
