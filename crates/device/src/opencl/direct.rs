//! Copies between the device and the memory of the host's streams: OpenCL copies from and to any memory.

use opencl3::types::{CL_NON_BLOCKING, cl_event};
use superhet_runtime::buffer::{LentItems, LentRoom, StreamMemory};

use super::{Memory, OpenCl, Stream};
use crate::backend::{Direct, Flight, Locked};
use crate::driver::DriverError;

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
        let source = (bytes.as_ptr(), bytes.len());
        let copy = match bytes.is_empty() {
            true => None,
            // SAFETY: The items stay, unchanged, until the flight has landed.
            false => Some(unsafe { stream.write(self, CL_NON_BLOCKING, source, (to, at)) }?),
        };
        OnItsWay::start(self, stream, from, copy)
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        mut to: LentRoom,
    ) -> Result<Box<dyn Flight<LentRoom, DriverError>>, DriverError> {
        let bytes = to.bytes_mut();
        let target = (bytes.as_mut_ptr(), bytes.len());
        let copy = match bytes.is_empty() {
            true => None,
            // SAFETY: Nobody else has the room until the flight has landed.
            false => Some(unsafe { stream.read(self, CL_NON_BLOCKING, (from, at), target) }?),
        };
        OnItsWay::start(self, stream, to, copy)
    }
}

struct OnItsWay<L> {
    device: OpenCl,
    /// None once it has landed.
    lent: Option<L>,
    done: super::Event,
}

impl<L: Send + 'static> OnItsWay<L> {
    /// The flight of a copy that was enqueued, which is handed on to the device.
    fn start(
        device: &OpenCl,
        stream: &Stream,
        lent: L,
        copy: Option<cl_event>,
    ) -> Result<Box<dyn Flight<L, DriverError>>, DriverError> {
        let done = super::Event::of(copy.map(opencl3::event::Event::new));
        let flight = OnItsWay { device: device.clone(), lent: Some(lent), done };
        stream.queue.flush().map_err(device.failed("clFlush"))?;
        Ok(Box::new(flight))
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
