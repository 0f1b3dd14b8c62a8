//! How a worker carries a claim through a chain, from stage to stage.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::link::Link;
use super::shared::SharedChain;
use super::spans::{Part, Spans, hand_over};
use super::stage::Meet;
use super::worker::{Carried, ChainWorker};
use crate::data::RunError;
use crate::exec::spin::WAIT_FOR_TURN;
use crate::stream::buffer::Strip;
use crate::wake::Parker;

/// One claim in so many is timed block by block, and all are where the last one took long.
const TIMED_ONE_IN: u64 = 64;

impl SharedChain {
    /// Takes a claim through the stages that are left. Gives it back when it is through; `None` where its turn at a stage has not
    /// come: then it was left to whoever finds that it has.
    pub(super) fn carry(
        &self,
        worker: &mut ChainWorker,
        mut carried: Carried,
        current: &AtomicUsize,
        parker: &Parker,
        may_wait: bool,
    ) -> Result<Option<Carried>, RunError> {
        let (first, items, number) = (carried.stage, carried.claim.items(), carried.claim.number());
        let is_timed = worker.is_slow || worker.claims.is_multiple_of(TIMED_ONE_IN);
        let mut seconds = if is_timed { vec![0.0; self.blocks.len()] } else { Vec::new() };
        worker.claims += 1;
        worker.flow.clear();
        worker.flow.extend(self.shape.flow(items));
        self.begin.positions_into(&self.shape, carried.claim.start(), &mut worker.starts);
        let strip = worker.strip.next();
        let (start, mut waited) = (Instant::now(), Duration::ZERO);
        let mut is_left = false;
        while carried.stage < self.stages.len() {
            let stage = &self.stages[carried.stage];
            if stage.has_state && !self.turns.has_come(carried.stage, number) {
                let since = Instant::now();
                is_left = !(may_wait && self.wait_for_turn(carried.stage, number));
                waited += since.elapsed();
                if is_left {
                    break;
                }
            }
            let through = match stage.together {
                Some(meet) => self.run_together(worker, &mut carried, meet, strip, current, &mut seconds)?,
                None => {
                    self.run_stage(worker, &mut carried, strip, current, &mut seconds)?;
                    1
                }
            };
            for place in carried.stage..carried.stage + through {
                if self.stages[place].has_state && self.turns.pass_on(place, number) {
                    parker.wake();
                }
            }
            carried.stage += through;
        }
        current.store(usize::MAX, Ordering::Relaxed);
        let took = start.elapsed().saturating_sub(waited);
        let is_whole = first == 0 && !is_left;
        if is_timed && is_whole {
            worker.note_shares(&seconds);
        } else if carried.stage > first {
            let end = self.stages.get(carried.stage).map_or(self.blocks.len(), |stage| stage.first);
            worker.charge(self.stages[first].first..end, took);
        }
        if is_whole {
            let is_trial = worker.strip.is_trying();
            if !is_timed {
                worker.strip.note(items, took);
            }
            if !is_trial {
                worker.adapt(items, took, self.portions);
            }
        }
        if is_left {
            self.turns.leave(carried.stage, number, carried);
            return Ok(None);
        }
        Ok(Some(carried))
    }

    /// Waits a moment for a claim's turn; whether it has come.
    fn wait_for_turn(&self, stage: usize, number: u64) -> bool {
        let start = Instant::now();
        loop {
            for _ in 0..32 {
                if self.turns.has_come(stage, number) {
                    return true;
                }
                std::hint::spin_loop();
            }
            if start.elapsed() >= WAIT_FOR_TURN {
                return false;
            }
        }
    }

    /// Takes a claim through the next stage. `strip` is how many items of the chain's head stream go through it at once, `seconds`
    /// has the time of each of the chain's blocks, where these are timed.
    fn run_stage(
        &self,
        worker: &mut ChainWorker,
        carried: &mut Carried,
        strip: usize,
        current: &AtomicUsize,
        seconds: &mut [f64],
    ) -> Result<(), RunError> {
        let place = carried.stage;
        let stage = &self.stages[place];
        let part = self.part(place, carried.claim.items(), &worker.flow);
        if stage.has_state {
            return self.run_state(
                worker,
                carried,
                (place, part),
                &mut self.lock(stage.first),
                current,
                seconds,
            );
        }
        let at_once = (strip * part.taken / carried.claim.items().max(1)).max(1);
        self.run_pure(worker, carried, part, at_once, current, seconds);
        Ok(())
    }

    /// Takes a claim through the next stage, which is pure, and from where its turn has come at the stage behind, through that as
    /// well: strip by strip, each in the place of the one before, which the level-1 cache holds. Returns how many stages the claim is
    /// through.
    ///
    /// The turn is kept for longer. Of two workers none waits for that: the other prepares the next claim meanwhile, in the level-2
    /// cache, and is not ready earlier. Of more, one may be. All of its claim is prepared then, and it keeps the turn for a short time.
    fn run_together(
        &self,
        worker: &mut ChainWorker,
        carried: &mut Carried,
        meet: Meet,
        strip: usize,
        current: &AtomicUsize,
        seconds: &mut [f64],
    ) -> Result<usize, RunError> {
        let (place, items, number) = (carried.stage, carried.claim.items(), carried.claim.number());
        let whole_strip = self.parts(worker, place, strip);
        let last = self.part(place, items, &worker.flow).given.saturating_sub(whole_strip.0.given);
        let mut link = None;
        // The part of the first stage that came last, and what of it the second stage has taken or is to take.
        let (mut pure, mut state) = (Part::default(), Part::default());
        for done in (0..items).step_by(strip) {
            let is_whole = items - done >= strip;
            let (first, second) =
                if is_whole { whole_strip } else { self.parts(worker, place, items - done) };
            if link.is_none() && self.turns.has_come(place + 1, number) {
                let link = link.insert(self.lock(self.stages[place + 1].first));
                self.run_state(worker, carried, (place + 1, state), link, current, seconds)?;
            }
            pure = pure.next(first);
            match &mut link {
                None => {
                    self.run_pure(worker, carried, pure, whole_strip.0.taken, current, seconds);
                    state = Part {
                        taken: state.taken + second.taken,
                        given: state.given + second.given,
                        ..state
                    };
                }
                Some(link) => {
                    let there = match meet {
                        Meet::AtFirstStrip => 0,
                        // The last strip may be shorter than others.
                        Meet::AtLastStrip => last.max(pure.gives_at),
                    };
                    let part = Part { gives_at: there, ..pure };
                    self.run_pure(worker, carried, part, whole_strip.0.taken, current, seconds);
                    state = Part { takes_at: there, ..state.next(second) };
                    self.run_state(worker, carried, (place + 1, state), link, current, seconds)?;
                }
            }
        }
        Ok(if link.is_some() { 2 } else { 1 })
    }

    /// All of so many items of the chain's head stream, as the stage at `place` and the one behind it take and give them.
    fn parts(&self, worker: &mut ChainWorker, place: usize, items: usize) -> (Part, Part) {
        worker.strip_flow.clear();
        worker.strip_flow.extend(self.shape.flow(items));
        (self.part(place, items, &worker.strip_flow), self.part(place + 1, items, &worker.strip_flow))
    }

    /// The same of one stage, where each block takes and gives what `flow` says.
    fn part(&self, place: usize, items: usize, flow: &[(usize, usize)]) -> Part {
        let stage = &self.stages[place];
        let taken = match stage.first.checked_sub(1) {
            _ if stage.has_state => flow[stage.first].0,
            None => items,
            Some(before) => flow[before].1,
        };
        Part { taken, given: flow[stage.blocks().end - 1].1, ..Part::default() }
    }

    /// Takes a part of a claim through the next stage, which is pure: so many items at once, where it does not slide down.
    fn run_pure(
        &self,
        worker: &mut ChainWorker,
        carried: &mut Carried,
        part: Part,
        at_once: usize,
        current: &AtomicUsize,
        seconds: &mut [f64],
    ) {
        let place = carried.stage;
        let stage = &self.stages[place];
        let Some(run) = &mut worker.runs[place] else { return };
        let seconds = seconds.get_mut(stage.blocks()).unwrap_or_default();
        let passes = run.passes;
        run.set_strip(if stage.slides { stage.strip } else { at_once });
        let start = worker.starts[stage.first] + part.takes_at as u64;
        match self.spans(carried, place, part) {
            Spans::OnTop(y) => run.run_on_top(start, y, current, seconds),
            Spans::Apart(input, output) => {
                run.run(&mut Strip { start, items: part.taken, input, output }, current, seconds);
            }
            Spans::Down(mut spans) => {
                while let Some((done, items, input, output)) = spans.next(stage) {
                    run.run(
                        &mut Strip { start: start + done as u64, items, input, output },
                        current,
                        seconds,
                    );
                }
            }
        }
        worker.calls[place] += run.passes - passes;
    }

    /// Takes a part of a claim through the block with a state at `place`, whose turn it is.
    fn run_state(
        &self,
        worker: &mut ChainWorker,
        carried: &mut Carried,
        (place, part): (usize, Part),
        link: &mut Option<Link>,
        current: &AtomicUsize,
        seconds: &mut [f64],
    ) -> Result<(), RunError> {
        let stage = &self.stages[place];
        let (Some(link), false) = (link, part.is_empty()) else { return Ok(()) };
        let start = (!seconds.is_empty()).then(Instant::now);
        worker.calls[place] += if stage.slides { part.taken.div_ceil(stage.strip) as u64 } else { 1 };
        let Link { runnable, handed, block, .. } = link;
        current.store(*block, Ordering::Relaxed);
        let (before, behind) =
            (place.checked_sub(1).map(|before| &self.boundaries[before]), self.boundaries.get(place));
        if let (Some(before), Some(memory)) = (before, &mut carried.memory) {
            hand_over(&mut handed.taken, memory.window(before, part.read(before.item_bytes)));
        }
        let outcome = match (self.spans(carried, place, part), runnable.state()) {
            (Spans::OnTop(y), Some(block)) => block.process_in_place(handed.at, y),
            (Spans::Apart(x, y), Some(block)) => block.process(handed.at, x, y),
            (Spans::Down(mut spans), Some(block)) => {
                let mut outcome = Ok(());
                while let (true, Some((done, _, x, y))) = (outcome.is_ok(), spans.next(stage)) {
                    outcome = block.process(handed.at + done as u64, x, y);
                }
                outcome
            }
            (_, None) => Ok(()),
        };
        if let Err(error) = outcome {
            return Err(RunError::Block {
                block: link.name.to_string(),
                error,
                ports: self.words_of(link.words()),
            });
        }
        if let (Some(behind), Some(memory)) = (behind, &mut carried.memory) {
            hand_over(&mut handed.given, memory.window(behind, part.written(behind.item_bytes)));
        }
        let is_source = self.shape.links[stage.first].in_bytes == 0;
        handed.at += if is_source { part.given } else { part.taken } as u64;
        if let (Some(start), Some(seconds)) = (start, seconds.get_mut(stage.first)) {
            *seconds += start.elapsed().as_secs_f64();
        }
        Ok(())
    }
}
