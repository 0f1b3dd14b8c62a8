//! Device memory, and staging memory that belongs to the host and the device in turns.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use wgpu::{Buffer, BufferUsages, MapMode, PollType};

use super::queue::Shared;
use crate::backend::Transfer;
use crate::driver::DriverError;

/// A buffer on the device. The library itself keeps it as long as a batch uses it.
pub struct Memory {
    pub(super) buffer: Buffer,
    pub(super) bytes: usize,
    pub(super) shared: Arc<Shared>,
    /// Tells it apart from all memory that there ever was.
    pub(super) number: u64,
}

impl Memory {
    pub(super) fn new(shared: &Arc<Shared>, bytes: usize) -> Result<Self, DriverError> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = shared.buffer("device memory", bytes, usage, false)?;
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Ok(Memory { buffer, bytes, shared: Arc::clone(shared), number })
    }
}

/// A buffer that is mapped for the host, or given to the device.
pub struct Staging {
    pub(super) buffer: Buffer,
    pub(super) bytes: usize,
    pub(super) shared: Arc<Shared>,
    pub(super) transfer: Transfer,
    turn: Mutex<Turn>,
}

/// Whose turn it is.
#[derive(Clone, Copy)]
enum Turn {
    Host,
    /// The device's, until this batch is done.
    Device(u64),
}

impl Staging {
    pub(super) fn new(shared: &Arc<Shared>, bytes: usize, transfer: Transfer) -> Result<Self, DriverError> {
        let (usage, turn) = match transfer {
            Transfer::Upload => (BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC, Turn::Host),
            Transfer::Download => (BufferUsages::MAP_READ | BufferUsages::COPY_DST, Turn::Device(0)),
        };
        let buffer = shared.buffer("staging memory", bytes, usage, transfer == Transfer::Upload)?;
        let (shared, turn) = (Arc::clone(shared), Mutex::new(turn));
        Ok(Staging { buffer, bytes, shared, transfer, turn })
    }

    /// Refuses the direction that the memory is not for.
    pub(super) fn is_for(&self, transfer: Transfer, call: &'static str) -> Result<(), DriverError> {
        if self.transfer == transfer {
            return Ok(());
        }
        let kind = match self.transfer {
            Transfer::Upload => "it is staging memory for uploads",
            Transfer::Download => "it is staging memory for downloads",
        };
        Err(self.shared.failed(call, kind))
    }

    /// Gives it to the device for a copy, which `enqueue` puts into a batch whose number it returns.
    pub(super) fn lend(&self, enqueue: impl FnOnce() -> Result<u64, DriverError>) -> Result<(), DriverError> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Turn::Host = *turn {
            self.buffer.unmap();
            *turn = Turn::Device(0);
        }
        *turn = Turn::Device(enqueue()?);
        Ok(())
    }

    /// Makes it the host's turn, after all copies.
    pub(super) fn take_back(&mut self) -> Result<(), DriverError> {
        let turn = self.turn.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Turn::Device(batch) = *turn else { return Ok(()) };
        self.shared.wait_for(batch)?;
        let mode = match self.transfer {
            Transfer::Upload => MapMode::Write,
            Transfer::Download => MapMode::Read,
        };
        let (sender, receiver) = mpsc::channel();
        self.buffer.map_async(mode, .., move |result| {
            // Nobody listens any more if the wait below failed.
            let _ = sender.send(result);
        });
        let mut how = PollType::Poll;
        let result = loop {
            self.shared.poll(how)?;
            match receiver.try_recv() {
                Ok(result) => break result,
                Err(mpsc::TryRecvError::Empty) => how = PollType::wait_indefinitely(),
                Err(mpsc::TryRecvError::Disconnected) => break Err(wgpu::BufferAsyncError),
            }
        };
        result.map_err(|error| self.shared.failed("the mapping of staging memory", error.to_string()))?;
        *turn = Turn::Host;
        Ok(())
    }
}
