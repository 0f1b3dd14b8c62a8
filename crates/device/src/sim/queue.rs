//! Streams of the simulated device: their operations, which of them may run, and running one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use superhet_runtime::buffer::{LentItems, LentRoom};

use super::bytes::Bytes;
use super::clock::Moment;
use super::error::{Origin, SimError};
use super::operation::Operation;
use super::random::Random;
use super::storage::{Home, Touch};
use crate::kernel::{HostCall, HostKernel};

/// Lent items or room, shared by the enqueued copy and its flight.
pub(super) type Shared<L> = Arc<Mutex<L>>;

/// An operation that was captured.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) kernel: Option<Arc<str>>,
    /// What it touches; this keeps the memory.
    pub(super) touches: Vec<Touch>,
    pub(super) action: Action,
}

/// A point in a stream of a simulated device.
#[derive(Debug)]
pub struct Event {
    pub(super) home: Arc<Home>,
    pub(super) point: Option<Point>,
}

/// What an event stands for: all of `stream` up to `sequence`.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) stream: usize,
    pub(super) sequence: u64,
    pub(super) moment: Moment,
}

/// One thing in a stream.
pub(super) struct Entry {
    pub(super) origin: Origin,
    /// What it touches: reads before writes.
    pub(super) touches: Vec<Touch>,
    pub(super) action: Action,
    /// Whether it was made to fail.
    pub(super) fails: bool,
}

#[derive(Clone)]
pub(super) enum Action {
    /// Copies from the first touch to the second.
    Copy,
    /// Copies what a stream lends to the touch.
    FromHost(Shared<LentItems>),
    /// Copies the touch to room that a stream lends.
    ToHost(Shared<LentRoom>),
    /// Writes zeros.
    Zero,
    /// Runs a kernel on its reads and writes.
    Launch { kernel: HostKernel, constants: Bytes, threads: usize },
    /// Waits until a stream has come to this number.
    Wait { stream: usize, sequence: u64 },
}

/// A stream.
#[derive(Default)]
pub(super) struct Queue {
    /// When all that is enqueued will be over.
    pub(super) end: Moment,
    /// Waits that belong to whatever is enqueued next.
    pub(super) waits: Vec<Point>,
    /// What was captured, while the stream captures.
    pub(super) captured: Option<Vec<Step>>,
    entries: VecDeque<Entry>,
    enqueued: u64,
    done: u64,
}

impl Queue {
    /// The number that the next entry will have.
    pub(super) fn next(&self) -> u64 {
        self.enqueued + 1
    }

    /// The number of the last entry.
    pub(super) fn last(&self) -> u64 {
        self.enqueued
    }
}

/// All streams of a device.
pub(super) struct Queues {
    all: Vec<Queue>,
    random: Random,
}

impl Queues {
    /// No streams yet; `seed` says in which order things will happen.
    pub(super) fn new(seed: u64) -> Self {
        Queues { all: Vec::new(), random: Random::new(seed) }
    }

    /// Adds a stream and returns its number.
    pub(super) fn open(&mut self) -> usize {
        self.all.push(Queue::default());
        self.all.len() - 1
    }

    /// The stream of this number.
    pub(super) fn get(&mut self, stream: usize) -> &mut Queue {
        &mut self.all[stream]
    }

    /// Appends to a stream.
    pub(super) fn push(&mut self, stream: usize, entry: Entry) {
        let queue = &mut self.all[stream];
        queue.enqueued += 1;
        queue.entries.push_back(entry);
    }

    /// Whether the stream has come to this number.
    pub(super) fn is_done(&self, stream: usize, sequence: u64) -> bool {
        self.all[stream].done >= sequence
    }

    /// Runs things, in any order that is allowed, until the stream has come to this number.
    ///
    /// It always does: a wait is for what was enqueued before it, so of all that is left the oldest may run.
    pub(super) fn run_until(&mut self, stream: usize, sequence: u64) -> Result<(), SimError> {
        while !self.is_done(stream, sequence) && self.step()? {}
        Ok(())
    }

    /// Runs everything.
    pub(super) fn run_all(&mut self) -> Result<(), SimError> {
        while self.step()? {}
        Ok(())
    }

    /// Runs one thing that may run; false if there is none.
    pub(super) fn step(&mut self) -> Result<bool, SimError> {
        let ready: Vec<usize> = (0..self.all.len()).filter(|&stream| self.is_ready(stream)).collect();
        if ready.is_empty() {
            return Ok(false);
        }
        let queue = &mut self.all[ready[self.random.below(ready.len())]];
        queue.done += 1;
        queue.entries.pop_front().map_or(Ok(false), |entry| entry.run().map(|()| true))
    }

    fn is_ready(&self, stream: usize) -> bool {
        match self.all[stream].entries.front().map(|entry| &entry.action) {
            None => false,
            Some(&Action::Wait { stream, sequence }) => self.is_done(stream, sequence),
            Some(_) => true,
        }
    }

    /// Forgets all that is enqueued.
    pub(super) fn clear(&mut self) {
        self.all.iter_mut().for_each(|queue| queue.entries.clear());
    }
}

impl Entry {
    fn run(self) -> Result<(), SimError> {
        if self.fails {
            return Err(SimError::Failed(self.origin));
        }
        match self.action {
            Action::Wait { .. } => Ok(()),
            Action::Copy => {
                let (from, to) = (&self.touches[0], &self.touches[1]);
                to.block.store(to.range.start, from.block.load(&from.range).as_ref());
                Ok(())
            }
            Action::FromHost(items) => {
                let items = items.lock().unwrap_or_else(PoisonError::into_inner);
                let to = &self.touches[0];
                to.block.store(to.range.start, items.bytes());
                Ok(())
            }
            Action::ToHost(room) => {
                let mut room = room.lock().unwrap_or_else(PoisonError::into_inner);
                let from = &self.touches[0];
                room.bytes_mut().copy_from_slice(from.block.load(&from.range).as_ref());
                Ok(())
            }
            Action::Zero => {
                let to = &self.touches[0];
                to.block.store(to.range.start, &vec![0; to.range.len()]);
                Ok(())
            }
            Action::Launch { kernel, constants, threads } => {
                let constants = constants.as_ref();
                launch(&kernel, &self.touches, constants, threads)
                    .map_err(|message| SimError::Kernel { origin: self.origin, message })
            }
        }
    }
}

/// Runs a kernel on copies of its arguments, so that it can reach nothing else.
fn launch(kernel: &HostKernel, touches: &[Touch], constants: &[u8], threads: usize) -> Result<(), String> {
    let mut copies: Vec<Bytes> = touches.iter().map(|touch| touch.block.load(&touch.range)).collect();
    let inputs = touches.iter().take_while(|touch| !touch.writes).count();
    let (read, written) = copies.split_at_mut(inputs);
    let read: Vec<&[u8]> = read.iter().map(AsRef::as_ref).collect();
    let mut views: Vec<&mut [u8]> = written.iter_mut().map(AsMut::as_mut).collect();
    let call = HostCall { inputs: &read, outputs: &mut views, constants, threads };
    catch_unwind(AssertUnwindSafe(|| kernel(call))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
    })?;
    for (touch, bytes) in touches[inputs..].iter().zip(written) {
        touch.block.store(touch.range.start, (*bytes).as_ref());
    }
    Ok(())
}
