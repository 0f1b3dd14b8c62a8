//! NVIDIA's devices, through the CUDA driver.
//!
//! Nothing of NVIDIA's is needed to build. `libcuda.so.1` is loaded when the first device is looked for, NVRTC when the
//! first kernel in CUDA C is compiled, cuFFT when the first plan is made; `library.rs` says where they are looked for.
//!
//! | here | in CUDA |
//! |---|---|
//! | stream | stream that does not wait for the default stream |
//! | event | event without time, but for those that `Timing` makes |
//! | staging | pinned memory, write-combined for uploads |
//! | stream's memory that a device reaches | registered memory |
//! | program | module, from PTX or from CUDA C by NVRTC; blocks of 256 threads |
//! | captured graph | CUDA graph |

mod context;
mod direct;
mod fft;
mod frames;
mod library;
mod memory;
mod nvrtc;
mod program;
mod ptx;
mod quiet;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::{result, sys};

use crate::backend::{Backend, Capture, Direct, Launch, Pageable, Place, Replay, Timing, Transfer};
use crate::driver::{DriverError, Found, fits, pick};
use crate::kernel::{Language, Source};
use context::{Context, DRIVER};

pub use fft::Fft;
pub use frames::FftFrames;
pub use memory::{Memory, Staging};
pub use nvrtc::compile_ptx;
pub use program::Program;
pub use stream::{Event, Stream};

/// An NVIDIA device.
///
/// ```no_run
/// use superhet_device::Backend;
/// use superhet_device::cuda::Cuda;
///
/// let device = Cuda::open(0)?;
/// println!("{}", device.describe());
/// # Ok::<(), superhet_device::DriverError>(())
/// ```
#[derive(Clone)]
pub struct Cuda {
    context: Arc<Context>,
}

impl Cuda {
    /// The devices of the driver, in the order of their numbers.
    ///
    /// # Errors
    /// Where there is no driver, or it finds no device.
    pub fn devices() -> Result<Vec<Found>, DriverError> {
        Ok(context::listed()?.into_iter().map(|(_, found)| found).collect())
    }

    /// The device with the number `index`.
    ///
    /// # Errors
    /// As for [`devices`](Self::devices), or where there are not so many, or the device cannot be used.
    pub fn open(index: usize) -> Result<Self, DriverError> {
        let (device, found) = pick(DRIVER, index, context::listed()?, |(_, found)| found)?;
        Ok(Cuda { context: Context::new(device, found)? })
    }

    /// Checks a range of device memory; its address.
    fn address(&self, place: Place<'_, Cuda>, bytes: usize) -> Result<sys::CUdeviceptr, DriverError> {
        let block = &place.memory.block;
        self.context.owns(&block.context, "the use of device memory")?;
        fits(&self.context.found.name, "device memory", place.at, bytes, block.bytes)?;
        Ok(block.pointer + place.at as u64)
    }

    /// Checks a range of staging memory, and that the copy can be enqueued.
    fn check_copy(&self, stream: &Stream, staging: &Staging, bytes: usize) -> Result<(), DriverError> {
        self.context.owns(&staging.context, "the use of staging memory")?;
        self.context.owns(&stream.context, "the use of a stream")?;
        fits(&self.context.found.name, "staging memory", 0, bytes, staging.bytes)?;
        stream.refuse_while_capturing("cuMemcpyAsync")
    }

    /// Keeps the host out of staging memory until the copy that was enqueued last is done.
    fn guard(&self, stream: &mut Stream, staging: &Staging) -> Result<(), DriverError> {
        let guarded = staging.is_used_by(stream);
        if guarded.is_err() {
            // No event marks the end of the copy, so it must end now.
            let _ = stream.drain();
        }
        guarded
    }
}

impl Backend for Cuda {
    type Memory = Memory;
    type Staging = Staging;
    type Stream = Stream;
    type Event = Event;
    type Program = Program;
    type Error = DriverError;

    const LANGUAGE: Language = Language::Cuda;

    fn name(&self) -> String {
        self.context.found.name.clone()
    }

    fn describe(&self) -> String {
        self.context.found.description.clone()
    }

    fn alignment(&self) -> usize {
        16
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, DriverError> {
        Memory::new(&self.context, bytes)
    }

    fn stage(&self, bytes: usize, transfer: Transfer) -> Result<Staging, DriverError> {
        Staging::new(&self.context, bytes, transfer)
    }

    fn write(&self, staging: &mut Staging, at: usize, bytes: &[u8]) -> Result<(), DriverError> {
        fits(&self.context.found.name, "staging memory", at, bytes.len(), staging.bytes)?;
        staging.bytes_mut()?[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, staging: &mut Staging, at: usize, bytes: &mut [u8]) -> Result<(), DriverError> {
        fits(&self.context.found.name, "staging memory", at, bytes.len(), staging.bytes)?;
        bytes.copy_from_slice(&staging.bytes_mut()?[at..at + bytes.len()]);
        Ok(())
    }

    fn stream(&self) -> Result<Stream, DriverError> {
        Stream::new(&self.context)
    }

    fn event(&self) -> Result<Event, DriverError> {
        Event::new(&self.context)
    }

    fn upload(
        &self,
        stream: &mut Stream,
        from: &Staging,
        to: &Memory,
        at: usize,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.check_copy(stream, from, bytes)?;
        let target = self.address(Place { memory: to, at }, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.enter()?;
        // SAFETY: Both ranges were checked. `from` keeps its memory, and keeps the host out of it, until the copy is done.
        let copied =
            unsafe { sys::cuMemcpyHtoDAsync_v2(target, from.host.as_ptr().cast(), bytes, stream.handle) };
        copied.result().map_err(self.context.failed("cuMemcpyHtoDAsync"))?;
        self.guard(stream, from)
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        to: &Staging,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.check_copy(stream, to, bytes)?;
        let source = self.address(Place { memory: from, at }, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.enter()?;
        // SAFETY: Both ranges were checked. `to` keeps its memory, and keeps the host out of it, until the copy is done.
        let copied =
            unsafe { sys::cuMemcpyDtoHAsync_v2(to.host.as_ptr().cast(), source, bytes, stream.handle) };
        copied.result().map_err(self.context.failed("cuMemcpyDtoHAsync"))?;
        self.guard(stream, to)
    }

    fn copy(
        &self,
        stream: &mut Stream,
        from: Place<'_, Self>,
        to: Place<'_, Self>,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.context.owns(&stream.context, "the use of a stream")?;
        let (source, target) = (self.address(from, bytes)?, self.address(to, bytes)?);
        if bytes == 0 {
            return Ok(());
        }
        self.context.enter()?;
        // SAFETY: Both ranges were checked, and memory is freed only after what is enqueued.
        unsafe { result::memcpy_dtod_async(target, source, bytes, stream.handle) }
            .map_err(self.context.failed("cuMemcpyDtoDAsync"))?;
        stream.keep(&from.memory.block);
        stream.keep(&to.memory.block);
        Ok(())
    }

    fn zero(&self, stream: &mut Stream, at: Place<'_, Self>, bytes: usize) -> Result<(), DriverError> {
        self.context.owns(&stream.context, "the use of a stream")?;
        let target = self.address(at, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        self.context.enter()?;
        // SAFETY: The range was checked, and memory is freed only after what is enqueued.
        unsafe { result::memset_d8_async(target, 0, bytes, stream.handle) }
            .map_err(self.context.failed("cuMemsetD8Async"))?;
        stream.keep(&at.memory.block);
        Ok(())
    }

    fn compile(&self, source: &Source) -> Result<Program, DriverError> {
        Program::new(&self.context, source)
    }

    fn launch(
        &self,
        stream: &mut Stream,
        program: &Program,
        launch: &Launch<'_, Self>,
    ) -> Result<(), DriverError> {
        program.launch(stream, launch)
    }

    fn record(&self, stream: &mut Stream, event: &mut Event) -> Result<(), DriverError> {
        stream.record(event)
    }

    fn wait(&self, stream: &mut Stream, event: &Event) -> Result<(), DriverError> {
        stream.wait(event)
    }

    fn is_done(&self, event: &Event) -> Result<bool, DriverError> {
        event.is_done()
    }

    fn synchronize(&self, event: &Event) -> Result<(), DriverError> {
        event.synchronize()
    }

    fn drain(&self, stream: &mut Stream) -> Result<(), DriverError> {
        stream.drain()
    }

    fn capture(&self) -> Option<&dyn Capture<Self>> {
        Some(self)
    }

    fn mapped<'a>(&self, staging: &'a mut Staging) -> Result<Option<&'a mut [u8]>, DriverError> {
        staging.bytes_mut().map(Some)
    }

    fn pageable(&self) -> Option<&dyn Pageable<Self>> {
        Some(self)
    }

    fn direct(&self) -> Option<&dyn Direct<Self>> {
        Some(self)
    }

    fn timing(&self) -> Option<&dyn Timing<Self>> {
        context::has_event_times().then_some(self)
    }
}

impl Pageable<Cuda> for Cuda {
    fn send(&self, stream: &mut Stream, from: &[u8], to: Place<'_, Cuda>) -> Result<(), DriverError> {
        self.context.owns(&stream.context, "the use of a stream")?;
        stream.refuse_while_capturing("cuMemcpyAsync")?;
        let target = self.address(to, from.len())?;
        self.context.enter()?;
        // SAFETY: The target was checked; the host waits below, so that nothing uses `from` any more.
        let copied = unsafe { result::memcpy_htod_async(target, from, stream.handle) };
        let drained = stream.drain();
        copied.map_err(self.context.failed("cuMemcpyHtoDAsync")).and(drained)
    }

    fn fetch(&self, stream: &mut Stream, from: Place<'_, Cuda>, to: &mut [u8]) -> Result<(), DriverError> {
        self.context.owns(&stream.context, "the use of a stream")?;
        stream.refuse_while_capturing("cuMemcpyAsync")?;
        let source = self.address(from, to.len())?;
        self.context.enter()?;
        // SAFETY: The source was checked; the host waits below, so that nothing uses `to` any more.
        let copied = unsafe { result::memcpy_dtoh_async(to, source, stream.handle) };
        let drained = stream.drain();
        copied.map_err(self.context.failed("cuMemcpyDtoHAsync")).and(drained)
    }
}

impl Timing<Cuda> for Cuda {
    fn event(&self) -> Result<Event, DriverError> {
        Event::with_time(&self.context)
    }

    fn between(&self, first: &Event, last: &Event) -> Result<Duration, DriverError> {
        last.since(first)
    }
}

impl Capture<Cuda> for Cuda {
    fn begin(&self, stream: &mut Stream) -> Result<(), DriverError> {
        stream.begin_capture()
    }

    fn end(&self, stream: &mut Stream) -> Result<Box<dyn Replay<Cuda>>, DriverError> {
        Ok(Box::new(stream.end_capture()?))
    }
}
