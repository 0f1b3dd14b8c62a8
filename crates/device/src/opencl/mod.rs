//! Devices with an OpenCL driver: graphics cards, and processors through PoCL.
//!
//! The library `libOpenCL.so.1` is loaded when the first device is looked for; `OPENCL_DYLIB_PATH` names another file.
//!
//! | here | in OpenCL |
//! |---|---|
//! | stream | command queue in order |
//! | event | event of a marker; waiting is a barrier |
//! | staging | mapped buffer in the driver's own host memory, which is pinned where the driver pins |

mod direct;
mod memory;
mod program;
mod release;
mod stream;

use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use opencl3::command_queue as queue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::error_codes::{CL_DEVICE_NOT_FOUND, ClError, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::memory::ClMem;
use opencl3::platform::Platform;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};

use crate::backend::{Backend, Direct, Launch, Pageable, Place, Transfer};
use crate::driver::{DriverError, Found, fits, pick};
use crate::kernel::{Language, Source};

pub use memory::{Memory, Staging};
pub use program::Program;
pub use stream::{Event, Stream};

const DRIVER: &str = "OpenCL";
const HINT: &str =
    "install the device's OpenCL driver, or for the processor itself ocl-icd-libopencl1 and pocl-opencl-icd";
/// The code that the loader of drivers gives where none is registered.
const PLATFORM_NOT_FOUND: i32 = -1001;

/// A device with an OpenCL driver.
///
/// ```no_run
/// use superhet_device::Backend;
/// use superhet_device::opencl::OpenCl;
///
/// for found in OpenCl::devices()? {
///     println!("{}: {}", found.name, found.description);
/// }
/// let device = OpenCl::open(0)?;
/// let memory = device.allocate(1 << 20)?;
/// # Ok::<(), superhet_device::DriverError>(())
/// ```
#[derive(Clone)]
pub struct OpenCl {
    inner: Arc<Inner>,
}

struct Inner {
    context: Context,
    device: Device,
    found: Found,
    /// Threads of a work group.
    group: usize,
}

impl OpenCl {
    /// The devices of all OpenCL drivers, in the order of their numbers.
    ///
    /// # Errors
    /// Where there is no OpenCL library, or it finds no device.
    pub fn devices() -> Result<Vec<Found>, DriverError> {
        Ok(listed()?.into_iter().map(|(_, found)| found).collect())
    }

    /// The device with the number `index`.
    ///
    /// # Errors
    /// As for [`devices`](Self::devices), or where there are not so many, or the device cannot be used.
    pub fn open(index: usize) -> Result<Self, DriverError> {
        let (device, found) = pick(DRIVER, index, listed()?, |(_, found)| found)?;
        let name = &found.name;
        let failed = |call| move |error| failure(name, call, error);
        let context = Context::from_device(&device).map_err(failed("clCreateContext"))?;
        let group = device.max_work_group_size().map_err(failed("clGetDeviceInfo"))?.clamp(1, 64);
        Ok(OpenCl { inner: Arc::new(Inner { context, device, found, group }) })
    }

    /// Makes an error of a call's code.
    fn failed(&self, call: &'static str) -> impl Fn(ClError) -> DriverError {
        move |error| failure(&self.inner.found.name, call, error)
    }
}

fn failure(device: &str, call: &'static str, error: ClError) -> DriverError {
    DriverError::Call { device: device.to_owned(), call, reason: words(error) }
}

/// A code in words: `CL_OUT_OF_RESOURCES (-5)`.
fn words(error: ClError) -> String {
    format!("{error} ({})", error.0)
}

/// All devices of all drivers.
fn listed() -> Result<Vec<(Device, Found)>, DriverError> {
    // PoCL 3.1 finds no device, or crashes, where two threads look for its devices at once for the first time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let none = |reason| DriverError::NoDevice { driver: DRIVER, reason, hint: HINT };
    let platforms = opencl3::platform::platform::get_platform_ids().map_err(|code| match code {
        DLOPEN_RUNTIME_LOAD_FAILED => DriverError::NoLibrary {
            driver: DRIVER,
            library: "libOpenCL.so.1".to_owned(),
            reason: "it is not found, or no library; OPENCL_DYLIB_PATH can name another".to_owned(),
            hint: HINT,
        },
        PLATFORM_NOT_FOUND => {
            none("no driver is registered in /etc/OpenCL/vendors or OCL_ICD_VENDORS".to_owned())
        }
        code => none(words(ClError(code))),
    })?;
    let mut all = Vec::new();
    for platform in platforms.into_iter().map(Platform::new) {
        let ids = match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Ok(ids) => ids,
            Err(ClError(CL_DEVICE_NOT_FOUND)) => continue,
            Err(error) => return Err(failure(DRIVER, "clGetDeviceIDs", error)),
        };
        for id in ids {
            let device = Device::new(id);
            let found =
                describe(all.len(), &device).map_err(|error| failure(DRIVER, "clGetDeviceInfo", error))?;
            all.push((device, found));
        }
    }
    if all.is_empty() {
        return Err(none("the drivers that are registered have none".to_owned()));
    }
    Ok(all)
}

fn describe(index: usize, device: &Device) -> opencl3::Result<Found> {
    let (name, vendor, version) = (device.name()?, device.vendor()?, device.version()?);
    Ok(Found {
        name: format!("opencl:{index}"),
        description: format!("{} ({}, {})", name.trim(), vendor.trim(), version.trim()),
        memory_bytes: device.global_mem_size()?,
    })
}

impl Backend for OpenCl {
    type Memory = Memory;
    type Staging = Staging;
    type Stream = Stream;
    type Event = Event;
    type Program = Program;
    type Error = DriverError;

    const LANGUAGE: Language = Language::OpenCl;

    fn name(&self) -> String {
        self.inner.found.name.clone()
    }

    fn describe(&self) -> String {
        self.inner.found.description.clone()
    }

    fn alignment(&self) -> usize {
        4
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, DriverError> {
        Memory::new(self, bytes)
    }

    fn stage(&self, bytes: usize, transfer: Transfer) -> Result<Staging, DriverError> {
        Staging::new(self, bytes, transfer)
    }

    fn write(&self, staging: &mut Staging, at: usize, bytes: &[u8]) -> Result<(), DriverError> {
        fits(&self.inner.found.name, "staging memory", at, bytes.len(), staging.bytes)?;
        staging.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, staging: &mut Staging, at: usize, bytes: &mut [u8]) -> Result<(), DriverError> {
        fits(&self.inner.found.name, "staging memory", at, bytes.len(), staging.bytes)?;
        bytes.copy_from_slice(&staging.bytes_mut()[at..at + bytes.len()]);
        Ok(())
    }

    fn stream(&self) -> Result<Stream, DriverError> {
        Stream::new(self)
    }

    fn event(&self) -> Result<Event, DriverError> {
        Ok(Event::default())
    }

    fn upload(
        &self,
        stream: &mut Stream,
        from: &Staging,
        to: &Memory,
        at: usize,
        bytes: usize,
    ) -> Result<(), DriverError> {
        fits(&self.inner.found.name, "staging memory", 0, bytes, from.bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: The source was checked. `from` keeps its memory, and keeps the host out of it, until the copy is done.
        let event = unsafe { stream.write(self, CL_NON_BLOCKING, (from.host.as_ptr(), bytes), (to, at)) }?;
        from.is_used_until(event);
        Ok(())
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        to: &Staging,
        bytes: usize,
    ) -> Result<(), DriverError> {
        fits(&self.inner.found.name, "staging memory", 0, bytes, to.bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: The target was checked. `to` keeps its memory, and keeps the host out of it, until the copy is done.
        let event = unsafe { stream.read(self, CL_NON_BLOCKING, (from, at), (to.host.as_ptr(), bytes)) }?;
        to.is_used_until(event);
        Ok(())
    }

    fn copy(
        &self,
        stream: &mut Stream,
        from: Place<'_, Self>,
        to: Place<'_, Self>,
        bytes: usize,
    ) -> Result<(), DriverError> {
        fits(&self.inner.found.name, "device memory", from.at, bytes, from.memory.bytes)?;
        fits(&self.inner.found.name, "device memory", to.at, bytes, to.memory.bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let (source, target) = (from.memory.buffer.get(), to.memory.buffer.get());
        // SAFETY: Both ranges were checked, and OpenCL keeps buffers that enqueued commands use.
        let event = unsafe {
            queue::enqueue_copy_buffer(
                stream.queue.get(),
                source,
                target,
                from.at,
                to.at,
                bytes,
                0,
                ptr::null(),
            )
        };
        release::release(event).map_err(self.failed("clEnqueueCopyBuffer"))
    }

    fn zero(&self, stream: &mut Stream, at: Place<'_, Self>, bytes: usize) -> Result<(), DriverError> {
        fits(&self.inner.found.name, "device memory", at.at, bytes, at.memory.bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let pattern = 0_u32;
        let pattern_bytes = if at.at.is_multiple_of(4) && bytes.is_multiple_of(4) { 4 } else { 1 };
        // SAFETY: The range was checked, and the pattern is copied before the call returns.
        let event = unsafe {
            queue::enqueue_fill_buffer(
                stream.queue.get(),
                at.memory.buffer.get(),
                (&raw const pattern).cast(),
                pattern_bytes,
                at.at,
                bytes,
                0,
                ptr::null(),
            )
        };
        release::release(event).map_err(self.failed("clEnqueueFillBuffer"))
    }

    fn compile(&self, source: &Source) -> Result<Program, DriverError> {
        Program::new(self, source)
    }

    fn launch(
        &self,
        stream: &mut Stream,
        program: &Program,
        launch: &Launch<'_, Self>,
    ) -> Result<(), DriverError> {
        program.launch(self, stream, launch)
    }

    /// A kernel takes the whole processor, or nearly so; what streams and events cost is more than they gain.
    fn overlaps_kernels(&self) -> bool {
        false
    }

    fn record(&self, stream: &mut Stream, event: &mut Event) -> Result<(), DriverError> {
        stream.record(self, event)
    }

    fn wait(&self, stream: &mut Stream, event: &Event) -> Result<(), DriverError> {
        stream.wait(self, event)
    }

    fn is_done(&self, event: &Event) -> Result<bool, DriverError> {
        event.is_done(self)
    }

    fn mapped<'a>(&self, staging: &'a mut Staging) -> Result<Option<&'a mut [u8]>, DriverError> {
        Ok(Some(staging.bytes_mut()))
    }

    fn pageable(&self) -> Option<&dyn Pageable<Self>> {
        Some(self)
    }

    fn direct(&self) -> Option<&dyn Direct<Self>> {
        Some(self)
    }

    fn synchronize(&self, event: &Event) -> Result<(), DriverError> {
        event.synchronize(self)
    }

    fn drain(&self, stream: &mut Stream) -> Result<(), DriverError> {
        stream.queue.finish().map_err(self.failed("clFinish"))
    }
}

impl Pageable<OpenCl> for OpenCl {
    fn send(&self, stream: &mut Stream, from: &[u8], to: Place<'_, OpenCl>) -> Result<(), DriverError> {
        if from.is_empty() {
            return self.drain(stream);
        }
        let source = (from.as_ptr(), from.len());
        // SAFETY: The call returns when nothing uses `from` any more.
        let event = unsafe { stream.write(self, CL_BLOCKING, source, (to.memory, to.at)) };
        release::release(Ok(event?)).map_err(self.failed("clEnqueueWriteBuffer"))
    }

    fn fetch(&self, stream: &mut Stream, from: Place<'_, OpenCl>, to: &mut [u8]) -> Result<(), DriverError> {
        if to.is_empty() {
            return self.drain(stream);
        }
        let target = (to.as_mut_ptr(), to.len());
        // SAFETY: The call returns when nothing uses `to` any more.
        let event = unsafe { stream.read(self, CL_BLOCKING, (from.memory, from.at), target) };
        release::release(Ok(event?)).map_err(self.failed("clEnqueueReadBuffer"))
    }
}
