//! One block of a region.

use superhet_runtime::{BlockError, Ratio, Tag, domain::MemberError, parameter::Desk};

use super::ring::Ring;
use crate::backend::{Backend, Span};
use crate::block::Queue;
use crate::counters::Counters;
use crate::part::{Shape, Work};

/// Which stream a block's input reads, and as which of its readers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub ring: usize,
    pub reader: usize,
}

/// The error of a block, or of one of its ports.
pub(super) fn of_block<E: std::error::Error + Send + Sync + 'static>(
    block: &str,
) -> impl FnOnce(E) -> BlockError {
    move |error| Box::new(MemberError { block: block.to_owned(), error: Box::new(error) })
}

pub(super) struct Member<B: Backend> {
    pub name: String,
    pub work: Box<dyn Work<B>>,
    pub shape: Shape,
    pub desk: Option<Desk>,
    /// What the message input that changes parameters is called.
    pub set_port: String,
    pub stream: B::Stream,
    pub inputs: Vec<Read>,
    /// The streams of its outputs.
    pub outputs: Vec<usize>,
    /// The latest runs of a block that no stream holds back; and how many there were.
    pub pace: Vec<B::Event>,
    pub runs: u64,
    /// It has enqueued something in its own stream since it last took part in a joint run.
    pub has_run_alone: bool,
    /// The last of that.
    pub alone: B::Event,
    /// How many changes of parameters were applied.
    pub changes: u64,
    pub is_done: bool,
}

impl<B: Backend> Member<B> {
    /// Runs the block once, on the items that are there. Returns whether it did anything.
    pub fn step(
        &mut self,
        backend: &B,
        rings: &mut [Ring<B>],
        is_stopping: bool,
        counters: &Counters,
    ) -> Result<bool, B::Error> {
        if self.is_done {
            return Ok(false);
        }
        if self.is_ending(rings) || (is_stopping && self.inputs.is_empty()) {
            return self.end(backend, rings);
        }
        let rounds = self.rounds(backend, rings)?;
        if rounds == 0
            || !self.outputs.iter().all(|&ring| rings[ring].has_room())
            || self.is_ahead(backend)?
        {
            return Ok(false);
        }
        let rounds = rounds.min(self.change(rings));
        self.has_run_alone = true;
        let Ratio { interpolation, decimation } = self.shape.ratio;
        let (taken, given) = (rounds * decimation, rounds * interpolation);
        for read in &self.inputs {
            rings[read.ring].wait(read.reader, backend, &mut self.stream)?;
        }
        for &ring in &self.outputs {
            rings[ring].begin(backend, &mut self.stream, counters)?;
        }
        let x: Vec<Span<'_, B>> =
            self.inputs.iter().map(|read| rings[read.ring].view(read.reader, taken)).collect();
        let y: Vec<Span<'_, B>> = self.outputs.iter().map(|&ring| rings[ring].room(given)).collect();
        counters.runs.add(1);
        self.work.enqueue(&mut Queue { backend, stream: &mut self.stream, counters }, &x, &y)?;
        self.carry_tags(rings, Some(taken));
        for read in &self.inputs {
            rings[read.ring].take(read.reader, taken);
        }
        for &ring in &self.outputs {
            rings[ring].end(given, backend, &mut self.stream)?;
        }
        if !self.pace.is_empty() {
            let place = (self.runs % self.pace.len() as u64) as usize;
            backend.record(&mut self.stream, &mut self.pace[place])?;
        }
        self.runs += 1;
        Ok(true)
    }

    /// Whether an input has ended, or no output is wanted any more.
    pub fn is_ending(&self, rings: &[Ring<B>]) -> bool {
        let is_unwanted =
            !self.outputs.is_empty() && self.outputs.iter().all(|&ring| rings[ring].is_unwanted());
        is_unwanted || self.inputs.iter().any(|read| rings[read.ring].is_over(read.reader))
    }

    /// The index of the next item that it takes, and how many items make a round. A block without inputs counts the items
    /// that it gives.
    fn position(&self, rings: &[Ring<B>]) -> (u64, usize) {
        match (self.inputs.first(), self.outputs.first()) {
            (Some(read), _) => (rings[read.ring].index(read.reader), self.shape.ratio.decimation),
            (None, Some(&ring)) => (rings[ring].total(), self.shape.ratio.interpolation),
            (None, None) => (0, 1),
        }
    }

    /// Whether a parameter changes within the next `rounds` rounds.
    pub fn changes_within(&self, rounds: usize, rings: &[Ring<B>]) -> bool {
        let Some(desk) = self.desk.as_ref().filter(|desk| desk.next() != u64::MAX) else { return false };
        let (position, step) = self.position(rings);
        desk.next() < position + (rounds * step) as u64
    }

    /// Applies the changes of parameters whose items have come; how many rounds there are until the next one.
    fn change(&mut self, rings: &[Ring<B>]) -> usize {
        let Some(desk) = self.desk.as_ref().filter(|desk| desk.next() != u64::MAX) else { return usize::MAX };
        let (position, step) = self.position(rings);
        if desk.next() <= position {
            self.changes += 1;
            let work = &mut *self.work;
            desk.apply(
                position,
                work,
                |work, name, value| work.set_parameter(name, value),
                |work| work.parameters(),
            );
        }
        // Both are whole steps.
        let rounds = desk.next().saturating_sub(position) / step as u64;
        usize::try_from(rounds).unwrap_or(usize::MAX).max(1)
    }

    /// How many times `decimation` items can be taken and `interpolation` items be given.
    fn rounds(&mut self, backend: &B, rings: &mut [Ring<B>]) -> Result<usize, B::Error> {
        let mut rounds = usize::MAX;
        for read in &self.inputs {
            let there = rings[read.ring].available(read.reader, backend, &mut self.stream)?;
            rounds = rounds.min(there / self.shape.ratio.decimation);
        }
        for &ring in &self.outputs {
            rounds = rounds.min(rings[ring].capacity / self.shape.ratio.interpolation);
        }
        Ok(rounds)
    }

    /// Whether as many runs are on their way as there may be, of a block without inputs: others are held back by theirs.
    fn is_ahead(&self, backend: &B) -> Result<bool, B::Error> {
        if self.pace.is_empty() || self.runs < self.pace.len() as u64 {
            return Ok(false);
        }
        Ok(!backend.is_done(&self.pace[(self.runs % self.pace.len() as u64) as usize])?)
    }

    /// The run that a block that is ahead waits for.
    pub fn oldest_run(&self) -> Option<&B::Event> {
        (!self.is_done && self.runs >= self.pace.len() as u64 && !self.pace.is_empty())
            .then(|| &self.pace[(self.runs % self.pace.len() as u64) as usize])
    }

    /// Forwards the tags of the next `n` items; without `n`, all there are.
    pub fn carry_tags(&self, rings: &mut [Ring<B>], n: Option<usize>) {
        let Shape { ratio, delay, tags: policy, .. } = self.shape;
        for (input, read) in self.inputs.iter().enumerate() {
            let end = n.map_or(u64::MAX, |n| rings[read.ring].index(read.reader) + n as u64);
            while let Some(tag) = rings[read.ring].readers[read.reader].tags.pop_before(end) {
                for (output, &ring) in self.outputs.iter().enumerate() {
                    let carried: Option<Tag> = policy.carry(tag.clone(), ratio, delay, input, output);
                    carried.iter().for_each(|tag| rings[ring].tag(tag));
                }
            }
        }
    }

    /// The block has run for the last time.
    fn end(&mut self, backend: &B, rings: &mut [Ring<B>]) -> Result<bool, B::Error> {
        self.carry_tags(rings, None);
        for read in &self.inputs {
            rings[read.ring].leave(read.reader, backend, &mut self.stream)?;
        }
        self.outputs.iter().for_each(|&ring| rings[ring].finish());
        self.has_run_alone = true;
        self.is_done = true;
        Ok(true)
    }
}
