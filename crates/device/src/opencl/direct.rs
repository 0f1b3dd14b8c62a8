//! Copies between the device and the memory of the host's streams: OpenCL copies from and to any memory.

use std::ptr;

use opencl3::command_queue as queue;
use opencl3::error_codes::ClError;
use opencl3::memory::ClMem;
use opencl3::types::CL_NON_BLOCKING;
use superhet_runtime::{LentItems, LentRoom, StreamMemory};

use super::{Memory, OpenCl, Stream};
use crate::backend::{Direct, Flight, Locked};
use crate::driver::{DriverError, fits};

impl Direct<OpenCl> for OpenCl {
    fn lock(&self, _: &StreamMemory) -> Result<Box<dyn Locked<OpenCl>>, DriverError> {
        Ok(Box::new(self.clone()))
    }
}

impl Locked<OpenCl> for OpenCl {
    fn upload(
        &self,
        stream: &mut Stream,
        from: LentItems,
        to: &Memory,
        at: usize,
    ) -> Result<Box<dyn Flight<LentItems, DriverError>>, DriverError> {
        let bytes = from.bytes();
        fits(&self.inner.found.name, "device memory", at, bytes.len(), to.bytes)?;
        if bytes.is_empty() {
            return Ok(Box::new(OnItsWay::new(self, from, None)));
        }
        // SAFETY: The target was checked. The items stay, unchanged, until the flight has landed.
        let event = unsafe {
            queue::enqueue_write_buffer(
                stream.queue.get(),
                to.buffer.get(),
                CL_NON_BLOCKING,
                at,
                bytes.len(),
                bytes.as_ptr().cast(),
                0,
                ptr::null(),
            )
        };
        let event = event.map_err(|code| self.failed("clEnqueueWriteBuffer")(ClError(code)))?;
        let flight = OnItsWay::new(self, from, Some(opencl3::event::Event::new(event)));
        stream.queue.flush().map_err(self.failed("clFlush"))?;
        Ok(Box::new(flight))
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        mut to: LentRoom,
    ) -> Result<Box<dyn Flight<LentRoom, DriverError>>, DriverError> {
        let bytes = to.bytes_mut();
        fits(&self.inner.found.name, "device memory", at, bytes.len(), from.bytes)?;
        if bytes.is_empty() {
            return Ok(Box::new(OnItsWay::new(self, to, None)));
        }
        // SAFETY: The source was checked. Nobody else has the room until the flight has landed.
        let event = unsafe {
            queue::enqueue_read_buffer(
                stream.queue.get(),
                from.buffer.get(),
                CL_NON_BLOCKING,
                at,
                bytes.len(),
                bytes.as_mut_ptr().cast(),
                0,
                ptr::null(),
            )
        };
        let event = event.map_err(|code| self.failed("clEnqueueReadBuffer")(ClError(code)))?;
        let flight = OnItsWay::new(self, to, Some(opencl3::event::Event::new(event)));
        stream.queue.flush().map_err(self.failed("clFlush"))?;
        Ok(Box::new(flight))
    }
}

struct OnItsWay<L> {
    device: OpenCl,
    /// None once it has landed.
    lent: Option<L>,
    done: super::Event,
}

impl<L> OnItsWay<L> {
    fn new(device: &OpenCl, lent: L, copy: Option<opencl3::event::Event>) -> Self {
        OnItsWay { device: device.clone(), lent: Some(lent), done: super::Event::of(copy) }
    }
}

impl<L: Send> Flight<L, DriverError> for OnItsWay<L> {
    fn is_done(&self) -> Result<bool, DriverError> {
        self.done.is_done(&self.device)
    }

    fn wait(&self) -> Result<(), DriverError> {
        self.done.synchronize(&self.device)
    }

    fn land(mut self: Box<Self>) -> Result<L, DriverError> {
        self.wait()?;
        Ok(self.lent.take().expect("a flight lands once, which consumes it"))
    }
}

impl<L> Drop for OnItsWay<L> {
    fn drop(&mut self) {
        // What the device may still use is lost to the process.
        if self.lent.is_some() && self.done.synchronize(&self.device).is_err() {
            std::mem::forget(self.lent.take());
        }
    }
}
