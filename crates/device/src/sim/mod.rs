//! A simulated device. It needs no hardware, and runs operations in any order that its user allowed. It reports mistakes
//! that a real device would only show as a wrong sample now and then.
//!
//! - **Order.** What is enqueued runs when the host waits, polls, or drops a stream. Of the streams that may go on, a seeded
//!   generator picks the next: over the seeds, everything happens that may happen.
//! - **Checks.** Two accesses to the same bytes are an error if one of them writes and nothing orders them: no stream, no
//!   event, no wait of the host. Reading bytes that were never written is an error, too. Both are found when the second
//!   operation is enqueued, whatever the seed. All threads of the host count as one: what one of them has waited for, all
//!   know.
//! - **Time** is virtual: an operation starts when its stream is free and what it waits for is over, and takes as long as
//!   [`Sim::with_delay`] says. [`Sim::elapsed`] is what a host would have seen that waits where this one did.
//! - **Faults** are put in with [`Sim::fail`]: errors, delays, and mistakes that the checks have to find.
//!
//! ```
//! use superhet_device::sim::{Sim, SimError};
//! use superhet_device::{Backend, Transfer};
//!
//! # fn main() -> Result<(), SimError> {
//! let sim = Sim::new();
//! let (mut frame, memory) = (sim.stage(4, Transfer::Upload)?, sim.allocate(4)?);
//! let mut stream = sim.stream()?;
//! sim.write(&mut frame, 0, &[1, 2, 3, 4])?;
//! sim.upload(&mut stream, &frame, &memory, 0, 4)?;
//! let too_early = sim.write(&mut frame, 0, &[5, 6, 7, 8]).unwrap_err();
//! assert_eq!(
//!     too_early.to_string(),
//!     "write 2 of the host writes bytes 0..4 of upload staging 0, which upload 1 of stream 0 reads: nothing makes the \
//!      one happen after the other (an event that the stream waits for, or the host's waiting)"
//! );
//! sim.drain(&mut stream)?;
//! sim.write(&mut frame, 0, &[5, 6, 7, 8])
//! # }
//! ```

mod backend;
mod bytes;
mod capture;
mod clock;
mod counters;
mod device;
mod direct;
mod error;
mod operation;
mod queue;
mod random;
mod storage;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::kernel::HostKernel;
use device::Device;
use storage::Block;

pub use counters::Counters;
pub use error::{Origin, SimError, Storage};
pub use operation::{Fault, Operation, Which};
pub use queue::Event;

/// A simulated device. Clones are the same device.
#[derive(Clone)]
pub struct Sim(Arc<Mutex<Device>>);

impl Sim {
    /// A device that takes no time, with 4 GiB of memory and an alignment of 4.
    pub fn new() -> Self {
        Self::seeded(0)
    }

    /// The same, with another order of whatever has no order.
    pub fn seeded(seed: u64) -> Self {
        Sim(Arc::new(Mutex::new(Device::new(seed))))
    }

    /// Gives the device a name other than `sim`.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        self.device().name = name.into();
        self
    }

    /// Asks for offsets in device memory that are multiples of `bytes`.
    ///
    /// # Panics
    /// If `bytes` is not a power of two.
    #[must_use]
    pub fn with_alignment(self, bytes: usize) -> Self {
        assert!(bytes.is_power_of_two(), "an alignment is a power of two, not {bytes}");
        self.device().alignment = bytes;
        self
    }

    /// Lets the device capture what is enqueued and replay it. A replay takes no time itself, and its operations happen one
    /// after the other.
    #[must_use]
    pub fn with_capture(self) -> Self {
        self.device().captures = true;
        self
    }

    /// Lets the device copy from and to the memory of the host's streams, without staging memory.
    #[must_use]
    pub fn with_lending(self) -> Self {
        self.device().reaches_streams = true;
        self
    }

    /// Makes the device say that it cannot run kernels of several streams at once, as some cannot. It runs them as before.
    #[must_use]
    pub fn without_overlap(self) -> Self {
        self.device().overlaps_kernels = false;
        self
    }

    /// Limits device and staging memory to so many bytes together.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        self.device().limit = bytes;
        self
    }

    /// Makes every copy, zeroing and launch take `time` on the device.
    #[must_use]
    pub fn with_delay(self, time: Duration) -> Self {
        use Operation::{Copy, Download, Launch, Upload, Zero};
        [Upload, Download, Copy, Zero, Launch]
            .into_iter()
            .fold(self, |sim, kind| sim.with_delay_of(kind, time))
    }

    /// Makes every operation of this kind take `time`: the host's for what the host does itself, else the device's. Waits
    /// and records take none.
    #[must_use]
    pub fn with_delay_of(self, operation: Operation, time: Duration) -> Self {
        self.device().times[operation as usize] = time;
        self
    }

    /// Puts in a fault, beside those that are there.
    pub fn fail(&self, fault: Fault) {
        self.device().faults.push(fault);
    }

    /// What has been counted.
    pub fn counters(&self) -> Counters {
        self.device().counters()
    }

    /// The virtual time of the host, which goes on where the host waits or hears that an event is done.
    pub fn elapsed(&self) -> Duration {
        self.device().host.time
    }

    fn device(&self) -> MutexGuard<'_, Device> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Sim {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device();
        f.debug_struct("Sim").field("name", &device.name).field("counters", &device.counters()).finish()
    }
}

/// Memory of a simulated device.
#[derive(Debug)]
pub struct Memory(Arc<Block>);

/// Host memory that a simulated device reaches.
#[derive(Debug)]
pub struct Staging(Arc<Block>);

/// A queue of a simulated device. What is left in it when it is dropped runs then.
pub struct Stream {
    sim: Sim,
    number: usize,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stream {}", self.number)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.sim.device().close(self.number);
    }
}

/// A kernel that a simulated device runs. Its function must not use that device: it would wait for itself.
#[derive(Clone)]
pub struct Program {
    name: Arc<str>,
    kernel: HostKernel,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}", self.name)
    }
}
