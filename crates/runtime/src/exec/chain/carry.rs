//! How a worker carries a claim through a chain, from stage to stage.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::link::Link;
use super::shared::SharedChain;
use super::stage::Stage;
use super::worker::{Carried, ChainWorker};
use crate::data::RunError;
use crate::exec::spin::WAIT_FOR_TURN;
use crate::plan::chain::{Boundary, Way};
use crate::stream::buffer::{Flow, Strip};
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
            let blocks = stage.blocks();
            let seconds = seconds.get_mut(blocks).unwrap_or_default();
            self.run_stage(worker, &mut carried, stage, strip, current, seconds)?;
            if stage.has_state && self.turns.pass_on(carried.stage, number) {
                parker.wake();
            }
            carried.stage += 1;
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

    /// Takes a claim through one stage. `strip` is how many items of the chain's head stream go through it at once, `seconds` gets
    /// the time of each of its blocks, if it has room for that.
    fn run_stage(
        &self,
        worker: &mut ChainWorker,
        carried: &mut Carried,
        stage: &Stage,
        strip: usize,
        current: &AtomicUsize,
        seconds: &mut [f64],
    ) -> Result<(), RunError> {
        let place = carried.stage;
        let claimed = carried.claim.items();
        let items = if place == 0 { claimed } else { worker.flow[stage.first - 1].1 };
        let given = worker.flow[stage.blocks().end - 1].1;
        if stage.has_state {
            let taken = worker.flow[stage.first].0;
            worker.calls[place] += if stage.slides { taken.div_ceil(stage.strip) as u64 } else { 1 };
            return self.run_state(carried, stage, (taken, given), current, seconds);
        }
        let Some(run) = &mut worker.runs[place] else { return Ok(()) };
        let passes = run.passes;
        run.set_strip(if stage.slides { stage.strip } else { (strip * items / claimed.max(1)).max(1) });
        let start = worker.starts[stage.first];
        match self.spans(carried, place, items, given) {
            Spans::OnTop(y) => run.run_on_top(start, y, current, seconds),
            Spans::Apart(input, output) => {
                run.run(&mut Strip { start, items, input, output }, current, seconds);
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
        Ok(())
    }

    /// Takes a claim through a block with a state, whose turn it is: `taken` items of its input, for which it gives `given`.
    fn run_state(
        &self,
        carried: &mut Carried,
        stage: &Stage,
        (taken, given): (usize, usize),
        current: &AtomicUsize,
        seconds: &mut [f64],
    ) -> Result<(), RunError> {
        let start = (!seconds.is_empty()).then(Instant::now);
        let mut link = self.lock(stage.first);
        let Some(link) = &mut *link else { return Ok(()) };
        let Link { runnable, handed, block, .. } = link;
        current.store(*block, Ordering::Relaxed);
        let place = carried.stage;
        let (before, behind) =
            (place.checked_sub(1).map(|before| &self.boundaries[before]), self.boundaries.get(place));
        if let (Some(before), Some(memory)) = (before, &mut carried.memory) {
            hand_over(&mut handed.taken, memory.window(before, taken * before.item_bytes));
        }
        let shape = &self.shape.links[stage.first];
        let outcome = match (self.spans(carried, place, taken, given), runnable.state()) {
            (Spans::OnTop(y), Some(block)) => block.process_in_place(handed.at, y),
            (Spans::Apart(x, y), Some(block)) => {
                // At the end of a stream there may be more than whole steps.
                let read = if shape.in_bytes == 0 { 0 } else { (shape.history + taken) * shape.in_bytes };
                block.process(handed.at, &x[..read], y)
            }
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
            hand_over(&mut handed.given, memory.window(behind, given * behind.item_bytes));
        }
        handed.at += if shape.in_bytes == 0 { given } else { taken } as u64;
        if let (Some(start), [seconds]) = (start, seconds) {
            *seconds = start.elapsed().as_secs_f64();
        }
        Ok(())
    }

    /// What a stage reads, with what comes before it, and where it writes, for so many items taken and given.
    fn spans<'a>(&self, carried: &'a mut Carried, place: usize, taken: usize, given: usize) -> Spans<'a> {
        let ends = carried.claim.strip();
        let (before, behind) =
            (place.checked_sub(1).map(|before| &self.boundaries[before]), self.boundaries.get(place));
        let Some(memory) = &mut carried.memory else { return Spans::Apart(ends.input, ends.output) };
        match (before, behind) {
            (Some(before), Some(behind)) if behind.way == Way::OnTop => {
                Spans::OnTop(memory.items(before, taken * before.item_bytes))
            }
            (Some(before), Some(Boundary { way: Way::Down(_), offset, .. })) => Spans::Down(Down {
                piece: memory.piece(before, taken * before.item_bytes),
                items: taken,
                taken: 0,
                read: before.offset,
                written: *offset,
            }),
            (Some(before), Some(behind)) => {
                let (x, y) =
                    memory.between(before, taken * before.item_bytes, behind, given * behind.item_bytes);
                Spans::Apart(x, y)
            }
            (Some(before), None) => {
                Spans::Apart(memory.window(before, taken * before.item_bytes), ends.output)
            }
            (None, Some(behind)) => Spans::Apart(ends.input, memory.items(behind, given * behind.item_bytes)),
            (None, None) => Spans::Apart(ends.input, ends.output),
        }
    }
}

/// Where a stage reads and writes.
enum Spans<'a> {
    Apart(&'a [u8], &'a mut [u8]),
    OnTop(&'a mut [u8]),
    Down(Down<'a>),
}

/// A claim's items in memory in which a stage slides down.
struct Down<'a> {
    piece: &'a mut [u8],
    items: usize,
    /// How many of them were taken, and where the next ones are to be read and written.
    taken: usize,
    read: usize,
    written: usize,
}

impl Down<'_> {
    /// The next strip: how many items come before it, its items, what is read with the lead before it, and where to write.
    fn next(&mut self, stage: &Stage) -> Option<(usize, usize, &[u8], &mut [u8])> {
        let items = (self.items - self.taken).min(stage.strip);
        if items == 0 {
            return None;
        }
        let (lead, read) = (stage.shape.lead() * stage.shape.head_bytes(), items * stage.shape.head_bytes());
        let (below, above) = self.piece.split_at_mut(self.read - lead);
        let given = stage.shape.given(items) * stage.out_bytes;
        let strip = (self.taken, items, &above[..lead + read], &mut below[self.written..][..given]);
        self.taken += items;
        self.read += read;
        self.written += given;
        Some(strip)
    }
}

/// Puts what is known of the items before a claim in front of it, and keeps as much of its end for the next.
fn hand_over(known: &mut [u8], window: &mut [u8]) {
    if !known.is_empty() {
        window[..known.len()].copy_from_slice(known);
        known.copy_from_slice(&window[window.len() - known.len()..]);
    }
}
