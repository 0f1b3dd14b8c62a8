//! Copies between the simulated device and the memory of the host's streams.

use std::sync::{Arc, Mutex, PoisonError};

use superhet_runtime::buffer::{LentItems, LentRoom, StreamMemory};

use super::error::SimError;
use super::operation::Operation;
use super::queue::{Action, Event, Shared};
use super::storage::Want;
use super::{Memory, Sim, Stream};
use crate::backend::{Backend, Direct, Flight, Locked};

impl Direct<Sim> for Sim {
    fn lock(&self, memory: &StreamMemory) -> Result<Box<dyn Locked<Sim>>, SimError> {
        self.device().alive()?;
        Ok(Box::new(Reached { sim: self.clone(), memory: memory.clone() }))
    }
}

/// Memory of a stream that the simulated device reaches.
struct Reached {
    sim: Sim,
    memory: StreamMemory,
}

impl Reached {
    /// Enqueues the copy of what is lent.
    fn enqueue<L: Send + 'static>(
        &self,
        stream: &mut Stream,
        operation: Operation,
        (memory, at, bytes): (&Memory, usize, usize),
        lent: L,
        action: impl FnOnce(Shared<L>) -> Action,
    ) -> Result<Box<dyn Flight<L, SimError>>, SimError> {
        let lent = Arc::new(Mutex::new(lent));
        let want = Want { block: &memory.0, at, bytes, writes: operation == Operation::Upload };
        let mut device = self.sim.device_of(stream, operation)?;
        device.work(stream.number, operation, None, &[want], action(lent.clone()))?;
        drop(device);
        let mut done = self.sim.event()?;
        self.sim.record(stream, &mut done)?;
        Ok(Box::new(OnItsWay { sim: self.sim.clone(), lent, done }))
    }

    fn owns(&self, memory: &StreamMemory, operation: Operation) -> Result<(), SimError> {
        if *memory == self.memory {
            return Ok(());
        }
        Err(self.sim.device().foreign(operation, "stream's memory"))
    }
}

impl Locked<Sim> for Reached {
    fn upload(
        &self,
        stream: &mut Stream,
        from: LentItems,
        to: &Memory,
        at: usize,
    ) -> Result<Box<dyn Flight<LentItems, SimError>>, SimError> {
        self.owns(&from.memory(), Operation::Upload)?;
        let bytes = from.bytes().len();
        self.enqueue(stream, Operation::Upload, (to, at, bytes), from, Action::FromHost)
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        mut to: LentRoom,
    ) -> Result<Box<dyn Flight<LentRoom, SimError>>, SimError> {
        self.owns(&to.memory(), Operation::Download)?;
        let bytes = to.bytes_mut().len();
        self.enqueue(stream, Operation::Download, (from, at, bytes), to, Action::ToHost)
    }
}

struct OnItsWay<L> {
    sim: Sim,
    lent: Shared<L>,
    done: Event,
}

impl<L: Send> Flight<L, SimError> for OnItsWay<L> {
    fn is_done(&self) -> Result<bool, SimError> {
        self.sim.is_done(&self.done)
    }

    fn wait(&self) -> Result<(), SimError> {
        self.sim.synchronize(&self.done)
    }

    fn land(self: Box<Self>) -> Result<L, SimError> {
        self.wait()?;
        let lent = Arc::into_inner(self.lent).ok_or(SimError::StillLent)?;
        Ok(lent.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
