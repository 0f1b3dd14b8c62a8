//! Devices with a Vulkan driver, by way of WebGPU: graphics cards, and processors through Mesa's lavapipe.
//!
//! The library `libvulkan.so.1` is loaded when the first device is looked for.
//!
//! | here | in WebGPU |
//! |---|---|
//! | stream | a name: there is one queue, in which everything happens in the order of the calls |
//! | event | number of a batch of that queue |
//! | staging | buffer that is mapped whenever it is the host's turn |
//!
//! Copies and their offsets are multiples of 4 bytes, and a kernel cannot read and write the same memory by two names.

mod memory;
mod program;
mod queue;

use std::sync::Arc;

use crate::backend::{Backend, Launch, Place, Transfer};
use crate::driver::{DriverError, Found, fits, pick};
use crate::kernel::{Language, Source};
use queue::{Shared, ready};

pub use memory::{Memory, Staging};
pub use program::Program;

const DRIVER: &str = "wgpu";
const HINT: &str =
    "install libvulkan1 and the device's Vulkan driver, or for the processor itself mesa-vulkan-drivers";

/// A device with a Vulkan driver.
///
/// ```no_run
/// use superhet_device::Backend;
/// use superhet_device::wgpu::Wgpu;
///
/// let device = Wgpu::open(0)?;
/// println!("{}", device.describe());
/// # Ok::<(), superhet_device::DriverError>(())
/// ```
#[derive(Clone)]
pub struct Wgpu {
    shared: Arc<Shared>,
}

/// The name of an order of calls, which is that of all calls.
pub struct Stream {
    shared: Arc<Shared>,
}

/// A batch of a device's queue, once recorded.
#[derive(Default)]
pub struct Event {
    batch: Option<(Arc<Shared>, u64)>,
}

impl Wgpu {
    /// The devices of all Vulkan drivers, in the order of their numbers.
    ///
    /// # Errors
    /// Where there is no Vulkan library, or it finds no device.
    pub fn devices() -> Result<Vec<Found>, DriverError> {
        Ok(listed()?.into_iter().map(|(_, found)| found).collect())
    }

    /// The device with the number `index`.
    ///
    /// # Errors
    /// As for [`devices`](Self::devices), or where there are not so many, or the device cannot be used.
    pub fn open(index: usize) -> Result<Self, DriverError> {
        let (adapter, found) = pick(DRIVER, index, listed()?, |(_, found)| found)?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("superhet"),
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let opened = match ready(adapter.request_device(&descriptor)) {
            Some(opened) => opened.map_err(|error| error.to_string()),
            None => Err("it does not answer at once".to_owned()),
        };
        let (device, queue) = opened.map_err(|reason| DriverError::Call {
            device: found.name.clone(),
            call: "the request for a device",
            reason,
        })?;
        Ok(Wgpu { shared: Shared::new(device, queue, found) })
    }

    /// Checks a range of device memory, and that its ends can be those of a copy.
    fn check(&self, place: Place<'_, Self>, bytes: usize) -> Result<(), DriverError> {
        let shared = &self.shared;
        shared.owns(&place.memory.shared, "the use of device memory")?;
        fits(&shared.found.name, "device memory", place.at, bytes, place.memory.bytes)?;
        self.check_multiple("an offset", place.at)?;
        self.check_multiple("a copy", bytes)
    }

    fn check_multiple(&self, what: &'static str, bytes: usize) -> Result<(), DriverError> {
        if bytes.is_multiple_of(4) {
            return Ok(());
        }
        let device = self.shared.found.name.clone();
        Err(DriverError::Misaligned { device, what, bytes, multiple: 4 })
    }

    fn check_staging(
        &self,
        staging: &Staging,
        transfer: Transfer,
        call: &'static str,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.shared.owns(&staging.shared, "the use of staging memory")?;
        fits(&self.shared.found.name, "staging memory", 0, bytes, staging.bytes)?;
        staging.is_for(transfer, call)
    }
}

/// All devices of all drivers.
fn listed() -> Result<Vec<(wgpu::Adapter, Found)>, DriverError> {
    let none = |reason: String| DriverError::NoDevice { driver: DRIVER, reason, hint: HINT };
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = ready(instance.enumerate_adapters(wgpu::Backends::VULKAN)).unwrap_or_default();
    if adapters.is_empty() {
        let reason = match ready(instance.request_adapter(&wgpu::RequestAdapterOptions::default())) {
            Some(Err(error)) => error.to_string(),
            _ => "libvulkan.so.1 or a driver in /usr/share/vulkan/icd.d or VK_DRIVER_FILES is missing"
                .to_owned(),
        };
        return Err(none(reason));
    }
    Ok(adapters.into_iter().enumerate().map(|(index, adapter)| describe(index, adapter)).collect())
}

fn describe(index: usize, adapter: wgpu::Adapter) -> (wgpu::Adapter, Found) {
    let info = adapter.get_info();
    let driver = format!("{} {}", info.driver, info.driver_info);
    let description = format!("{} ({}, {:?})", info.name, driver.trim(), info.backend);
    (adapter, Found { name: format!("wgpu:{index}"), description, memory_bytes: 0 })
}

impl Backend for Wgpu {
    type Memory = Memory;
    type Staging = Staging;
    type Stream = Stream;
    type Event = Event;
    type Program = Program;
    type Error = DriverError;

    const LANGUAGE: Language = Language::Wgsl;

    fn name(&self) -> String {
        self.shared.found.name.clone()
    }

    fn describe(&self) -> String {
        self.shared.found.description.clone()
    }

    fn alignment(&self) -> usize {
        4
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, DriverError> {
        Memory::new(&self.shared, bytes)
    }

    fn stage(&self, bytes: usize, transfer: Transfer) -> Result<Staging, DriverError> {
        Staging::new(&self.shared, bytes, transfer)
    }

    fn write(&self, staging: &mut Staging, at: usize, bytes: &[u8]) -> Result<(), DriverError> {
        fits(&self.shared.found.name, "staging memory", at, bytes.len(), staging.bytes)?;
        staging.is_for(Transfer::Upload, "the writing of staging memory")?;
        staging.take_back()?;
        let mut view = staging
            .buffer
            .get_mapped_range_mut(..)
            .map_err(|error| self.shared.failed("the mapping of staging memory", error.to_string()))?;
        view.slice(at..at + bytes.len()).copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, staging: &mut Staging, at: usize, bytes: &mut [u8]) -> Result<(), DriverError> {
        fits(&self.shared.found.name, "staging memory", at, bytes.len(), staging.bytes)?;
        staging.is_for(Transfer::Download, "the reading of staging memory")?;
        staging.take_back()?;
        let view = staging
            .buffer
            .get_mapped_range(..)
            .map_err(|error| self.shared.failed("the mapping of staging memory", error.to_string()))?;
        bytes.copy_from_slice(&view[at..at + bytes.len()]);
        Ok(())
    }

    fn stream(&self) -> Result<Stream, DriverError> {
        Ok(Stream { shared: Arc::clone(&self.shared) })
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
        self.shared.owns(&stream.shared, "the use of a stream")?;
        self.check_staging(from, Transfer::Upload, "the upload", bytes)?;
        self.check(Place { memory: to, at }, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        from.lend(|| {
            self.shared.encode(|encoder| {
                encoder.copy_buffer_to_buffer(&from.buffer, 0, &to.buffer, at as u64, bytes as u64);
            })
        })
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        to: &Staging,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.shared.owns(&stream.shared, "the use of a stream")?;
        self.check(Place { memory: from, at }, bytes)?;
        self.check_staging(to, Transfer::Download, "the download", bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        to.lend(|| {
            self.shared.encode(|encoder| {
                encoder.copy_buffer_to_buffer(&from.buffer, at as u64, &to.buffer, 0, bytes as u64);
            })
        })
    }

    fn copy(
        &self,
        stream: &mut Stream,
        from: Place<'_, Self>,
        to: Place<'_, Self>,
        bytes: usize,
    ) -> Result<(), DriverError> {
        self.shared.owns(&stream.shared, "the use of a stream")?;
        self.check(from, bytes)?;
        self.check(to, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let (start, target, size) = (from.at as u64, to.at as u64, bytes as u64);
        if from.memory.number == to.memory.number {
            return self.shared.copy_within(&from.memory.buffer, start, target, size);
        }
        let copied = self.shared.encode(|encoder| {
            encoder.copy_buffer_to_buffer(&from.memory.buffer, start, &to.memory.buffer, target, size);
        });
        copied.map(drop)
    }

    fn zero(&self, stream: &mut Stream, at: Place<'_, Self>, bytes: usize) -> Result<(), DriverError> {
        self.shared.owns(&stream.shared, "the use of a stream")?;
        self.check(at, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let zeroed = self.shared.encode(|encoder| {
            encoder.clear_buffer(&at.memory.buffer, at.at as u64, Some(bytes as u64));
        });
        zeroed.map(drop)
    }

    fn compile(&self, source: &Source) -> Result<Program, DriverError> {
        Program::new(&self.shared, source)
    }

    fn launch(
        &self,
        stream: &mut Stream,
        program: &Program,
        launch: &Launch<'_, Self>,
    ) -> Result<(), DriverError> {
        program.launch(&stream.shared, launch)
    }

    /// WebGPU has one queue.
    fn overlaps_kernels(&self) -> bool {
        false
    }

    fn record(&self, stream: &mut Stream, event: &mut Event) -> Result<(), DriverError> {
        event.batch = Some((Arc::clone(&stream.shared), stream.shared.now()));
        Ok(())
    }

    /// Within one device, what is called later happens later; only an event of another is waited for, by the host.
    fn wait(&self, stream: &mut Stream, event: &Event) -> Result<(), DriverError> {
        match &event.batch {
            Some((shared, batch)) if !Arc::ptr_eq(shared, &stream.shared) => shared.wait_for(*batch),
            _ => Ok(()),
        }
    }

    fn is_done(&self, event: &Event) -> Result<bool, DriverError> {
        event.batch.as_ref().map_or(Ok(true), |(shared, batch)| shared.is_done(*batch))
    }

    fn synchronize(&self, event: &Event) -> Result<(), DriverError> {
        event.batch.as_ref().map_or(Ok(()), |(shared, batch)| shared.wait_for(*batch))
    }

    fn drain(&self, stream: &mut Stream) -> Result<(), DriverError> {
        stream.shared.wait_for(stream.shared.now())
    }
}
