//! What a driver offers: memory, staging memory, streams, events, copies that are only enqueued, and kernels.
//!
//! Everything enqueued in one stream happens in that order. Only events order work between streams: work enqueued after
//! `wait(event)` runs after all work enqueued before the last `record(event)`.

use std::error::Error;
use std::time::Duration;

use superhet_runtime::buffer::{LentItems, LentRoom, StreamMemory};

use crate::kernel::{Language, Source};

/// For which direction staging memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// The host writes, the device reads.
    Upload,
    /// The device writes, the host reads.
    Download,
}

/// A driver of devices of one kind.
///
/// None of the calls but [`synchronize`](Self::synchronize), [`drain`](Self::drain), [`mapped`](Self::mapped) and, where a
/// driver cannot do better, [`compile`](Self::compile) and allocation waits for the device. Who calls keeps these rules;
/// the simulated device checks them:
///
/// - Two accesses to the same bytes of which one writes are ordered by a stream, by events, or by the host's waiting.
/// - The host touches staging memory only when all copies from or to it are done.
///
/// A driver frees memory only when nothing enqueued uses it any more, whoever drops it when.
pub trait Backend: Send + Sync + Sized + 'static {
    /// Device memory. What is in it at first is unspecified.
    type Memory: Send + Sync + 'static;
    /// Host memory that the device can reach: pinned, where there is such a thing.
    type Staging: Send + 'static;
    /// An ordered queue of work.
    type Stream: Send + 'static;
    /// A point in a stream.
    type Event: Send + 'static;
    /// A compiled kernel.
    type Program: Send + Sync + 'static;
    /// What went wrong, as a sentence that helps.
    type Error: Error + Send + Sync + 'static;

    /// The language of the kernels that the driver compiles.
    const LANGUAGE: Language;

    /// A name that tells devices apart: `sim`, `cuda:0`.
    fn name(&self) -> String;

    /// What the device is, in words.
    fn describe(&self) -> String {
        self.name()
    }

    /// The alignment in bytes that copies and kernels ask of an offset in device memory, a power of two.
    fn alignment(&self) -> usize;

    /// Device memory of `bytes` bytes.
    ///
    /// # Errors
    /// Where there is not so much, or the device is gone.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory, Self::Error>;

    /// Staging memory of `bytes` bytes for one direction.
    ///
    /// # Errors
    /// As for `allocate`.
    fn stage(&self, bytes: usize, transfer: Transfer) -> Result<Self::Staging, Self::Error>;

    /// Copies `bytes` into staging memory from `at` on.
    ///
    /// # Errors
    /// Where they do not fit.
    fn write(&self, staging: &mut Self::Staging, at: usize, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Copies `bytes` out of staging memory from `at` on.
    ///
    /// # Errors
    /// Where there are not so many.
    fn read(&self, staging: &mut Self::Staging, at: usize, bytes: &mut [u8]) -> Result<(), Self::Error>;

    /// A new stream.
    ///
    /// # Errors
    /// Where the device is gone.
    fn stream(&self) -> Result<Self::Stream, Self::Error>;

    /// A new event, which counts as done until it is recorded.
    ///
    /// # Errors
    /// Where the device is gone.
    fn event(&self) -> Result<Self::Event, Self::Error>;

    /// Enqueues a copy of the first `bytes` bytes of staging memory to device memory from `at` on.
    ///
    /// # Errors
    /// Where they do not fit, or the device is gone.
    fn upload(
        &self,
        stream: &mut Self::Stream,
        from: &Self::Staging,
        to: &Self::Memory,
        at: usize,
        bytes: usize,
    ) -> Result<(), Self::Error>;

    /// Enqueues a copy of `bytes` bytes of device memory from `at` on to the start of staging memory.
    ///
    /// # Errors
    /// As for `upload`.
    fn download(
        &self,
        stream: &mut Self::Stream,
        from: &Self::Memory,
        at: usize,
        to: &Self::Staging,
        bytes: usize,
    ) -> Result<(), Self::Error>;

    /// Enqueues a copy between two places of device memory that do not overlap.
    ///
    /// # Errors
    /// As for `upload`.
    fn copy(
        &self,
        stream: &mut Self::Stream,
        from: Place<'_, Self>,
        to: Place<'_, Self>,
        bytes: usize,
    ) -> Result<(), Self::Error>;

    /// Enqueues the writing of zeros.
    ///
    /// # Errors
    /// As for `upload`.
    fn zero(&self, stream: &mut Self::Stream, at: Place<'_, Self>, bytes: usize) -> Result<(), Self::Error>;

    /// Compiles a kernel, or loads it.
    ///
    /// # Errors
    /// Where the source has none for this driver, or does not compile: then with the compiler's words.
    fn compile(&self, source: &Source) -> Result<Self::Program, Self::Error>;

    /// Enqueues a kernel.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel, or the device is gone.
    fn launch(
        &self,
        stream: &mut Self::Stream,
        program: &Self::Program,
        launch: &Launch<'_, Self>,
    ) -> Result<(), Self::Error>;

    /// Makes `event` stand for all that was enqueued in the stream up to now.
    ///
    /// # Errors
    /// Where the device is gone.
    fn record(&self, stream: &mut Self::Stream, event: &mut Self::Event) -> Result<(), Self::Error>;

    /// Makes all that is enqueued from now on happen after `event` as it stands now.
    ///
    /// # Errors
    /// Where the device is gone.
    fn wait(&self, stream: &mut Self::Stream, event: &Self::Event) -> Result<(), Self::Error>;

    /// Whether all that `event` stands for has happened. Also hands on to the device what was only enqueued so far.
    ///
    /// # Errors
    /// What went wrong on the device.
    fn is_done(&self, event: &Self::Event) -> Result<bool, Self::Error>;

    /// Waits, in the calling thread, until all that `event` stands for has happened.
    ///
    /// # Errors
    /// What went wrong on the device.
    fn synchronize(&self, event: &Self::Event) -> Result<(), Self::Error>;

    /// Waits, in the calling thread, until all of the stream has happened.
    ///
    /// # Errors
    /// What went wrong on the device.
    fn drain(&self, stream: &mut Self::Stream) -> Result<(), Self::Error>;

    /// Whether the device can run kernels of several streams at once, so that blocks are best given one each.
    fn overlaps_kernels(&self) -> bool {
        true
    }

    /// How the driver captures what is enqueued, where it can.
    fn capture(&self) -> Option<&dyn Capture<Self>> {
        None
    }

    /// The bytes of staging memory where they lie, if the host reaches them there: what [`write`](Self::write) and
    /// [`read`](Self::read) copy. Waits for the copies under way.
    ///
    /// # Errors
    /// What went wrong on the device.
    fn mapped<'a>(&self, staging: &'a mut Self::Staging) -> Result<Option<&'a mut [u8]>, Self::Error> {
        let _ = staging;
        Ok(None)
    }

    /// How the driver copies from and to any memory of the host, where it can.
    fn pageable(&self) -> Option<&dyn Pageable<Self>> {
        None
    }

    /// How the driver copies from and to the memory of the host's streams, where it can.
    fn direct(&self) -> Option<&dyn Direct<Self>> {
        None
    }

    /// The driver's times of events on the device, where it has them.
    fn timing(&self) -> Option<&dyn Timing<Self>> {
        None
    }
}

/// A driver that copies from and to any memory of the host, which it cannot do without waiting: what programs use that know
/// nothing of staging memory.
pub trait Pageable<B: Backend> {
    /// Copies `from` to device memory, after all of the stream, and waits for that.
    ///
    /// # Errors
    /// Where they do not fit, or the device is gone.
    fn send(&self, stream: &mut B::Stream, from: &[u8], to: Place<'_, B>) -> Result<(), B::Error>;

    /// Copies device memory to `to`, after all of the stream, and waits for that.
    ///
    /// # Errors
    /// As for `send`.
    fn fetch(&self, stream: &mut B::Stream, from: Place<'_, B>, to: &mut [u8]) -> Result<(), B::Error>;
}

/// A driver that copies from and to the memory of the host's streams itself, without staging memory in between.
pub trait Direct<B: Backend> {
    /// Locks a stream's memory in place, so that the device reaches it, for as long as the result lives.
    ///
    /// # Errors
    /// Where the driver cannot do that with this memory.
    fn lock(&self, memory: &StreamMemory) -> Result<Box<dyn Locked<B>>, B::Error>;
}

/// The memory of a stream that a device reaches.
pub trait Locked<B: Backend>: Send {
    /// Enqueues a copy of items that the stream lends to device memory from `at` on.
    ///
    /// # Errors
    /// Where they do not fit, lie in other memory, or the device is gone.
    fn upload(
        &self,
        stream: &mut B::Stream,
        from: LentItems,
        to: &B::Memory,
        at: usize,
    ) -> Result<Box<dyn Flight<LentItems, B::Error>>, B::Error>;

    /// Enqueues a copy of device memory from `at` on to room that the stream lends, as many bytes as it has.
    ///
    /// # Errors
    /// As for `upload`.
    fn download(
        &self,
        stream: &mut B::Stream,
        from: &B::Memory,
        at: usize,
        to: LentRoom,
    ) -> Result<Box<dyn Flight<LentRoom, B::Error>>, B::Error>;
}

/// What a stream has lent, and the copy that uses it. Dropped, it keeps what is lent until the copy is done.
pub trait Flight<L, E>: Send {
    /// Whether the copy is done. Also hands on to the device what was only enqueued so far.
    ///
    /// # Errors
    /// What went wrong on the device.
    fn is_done(&self) -> Result<bool, E>;

    /// Waits for the copy.
    ///
    /// # Errors
    /// As for `is_done`.
    fn wait(&self) -> Result<(), E>;

    /// Waits for the copy, and gives back what was lent.
    ///
    /// # Errors
    /// As for `is_done`.
    fn land(self: Box<Self>) -> Result<L, E>;
}

/// A driver whose device notes when things happened, by a clock of its own.
///
/// ```
/// use superhet_device::{Backend, Place, Sim};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), superhet_device::sim::SimError> {
/// let sim = Sim::new().with_delay(Duration::from_micros(5));
/// let timing = sim.timing().expect("the simulated device has a clock");
/// let (memory, mut stream) = (sim.allocate(64)?, sim.stream()?);
/// let [mut first, mut last] = [timing.event()?, timing.event()?];
/// sim.record(&mut stream, &mut first)?;
/// sim.zero(&mut stream, Place { memory: &memory, at: 0 }, 64)?;
/// sim.record(&mut stream, &mut last)?;
/// sim.drain(&mut stream)?;
/// assert_eq!(timing.between(&first, &last)?, Duration::from_micros(5));
/// # Ok(())
/// # }
/// ```
pub trait Timing<B: Backend> {
    /// A new event that notes the time when it is done; it costs the device more than one without a time.
    ///
    /// # Errors
    /// Where the device is gone.
    fn event(&self) -> Result<B::Event, B::Error>;

    /// The time from `first` to `last`, zero where `last` was done before `first`. The events may be of two streams.
    ///
    /// # Errors
    /// Where one of them was never recorded, is not done yet, or has no time.
    fn between(&self, first: &B::Event, last: &B::Event) -> Result<Duration, B::Error>;
}

/// A driver that can take down what is enqueued in a stream, to enqueue it again at the price of one call.
pub trait Capture<B: Backend> {
    /// From now on, what is enqueued in the stream is taken down and does not happen.
    ///
    /// Copies on the device, zeros and kernels can be captured; all else is an error until the capture ends.
    ///
    /// # Errors
    /// Where the stream captures already, or the device is gone.
    fn begin(&self, stream: &mut B::Stream) -> Result<(), B::Error>;

    /// What was captured. From now on, what is enqueued in the stream happens again.
    ///
    /// # Errors
    /// Where no capture was begun, or it failed on the way.
    fn end(&self, stream: &mut B::Stream) -> Result<Box<dyn Replay<B>>, B::Error>;
}

/// Captured work, with the places and constants of its capture. It keeps the memory that it uses.
pub trait Replay<B: Backend>: Send {
    /// Enqueues it in a stream, which need not be that of the capture.
    ///
    /// # Errors
    /// Where the device is gone.
    fn replay(&mut self, stream: &mut B::Stream) -> Result<(), B::Error>;
}

/// A place in device memory.
pub struct Place<'a, B: Backend> {
    /// The memory.
    pub memory: &'a B::Memory,
    /// The offset in bytes.
    pub at: usize,
}

impl<B: Backend> Clone for Place<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Backend> Copy for Place<'_, B> {}

/// Items in device memory, as a driver sees them.
pub struct Span<'a, B: Backend> {
    /// Where the first item lies.
    pub place: Place<'a, B>,
    /// How many items.
    pub items: usize,
    /// The size of an item in bytes.
    pub item_bytes: usize,
}

impl<B: Backend> Clone for Span<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B: Backend> Copy for Span<'_, B> {}

impl<B: Backend> Span<'_, B> {
    /// How many bytes the items take.
    pub fn bytes(&self) -> usize {
        self.items * self.item_bytes
    }
}

/// One run of a kernel. [`Source`] says how each language gets what is in it.
pub struct Launch<'a, B: Backend> {
    /// What it reads.
    pub inputs: &'a [Span<'a, B>],
    /// What it writes.
    pub outputs: &'a [Span<'a, B>],
    /// Its constants: 32-bit words.
    pub constants: &'a [u8],
    /// How many threads it needs; some more may run.
    pub threads: usize,
}
