//! Streams and events: command queues, and markers in them.

use std::ptr;

use opencl3::command_queue::{
    CommandQueue, enqueue_barrier_with_wait_list, enqueue_marker_with_wait_list, enqueue_read_buffer,
    enqueue_write_buffer,
};
use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, wait_for_events};
use opencl3::memory::ClMem;
use opencl3::types::{cl_bool, cl_event};

use super::release::release;
use super::{Memory, OpenCl};
use crate::driver::{DriverError, fits};

/// A command queue that runs its commands in order.
pub struct Stream {
    pub(super) queue: CommandQueue,
}

/// A marker in a stream, once recorded.
#[derive(Default)]
pub struct Event {
    marker: Option<opencl3::event::Event>,
}

impl Stream {
    pub(super) fn new(device: &OpenCl) -> Result<Self, DriverError> {
        let queue = CommandQueue::create_default(&device.inner.context, 0)
            .map_err(device.failed("clCreateCommandQueue"))?;
        Ok(Stream { queue })
    }

    /// Other queues wait for a marker only once it was handed to the device, hence the flush.
    pub(super) fn record(&mut self, device: &OpenCl, event: &mut Event) -> Result<(), DriverError> {
        // SAFETY: The queue is alive, and the list of events to wait for is empty.
        let marker = unsafe { enqueue_marker_with_wait_list(self.queue.get(), 0, ptr::null()) }
            .map_err(|code| device.failed("clEnqueueMarkerWithWaitList")(ClError(code)))?;
        event.marker = Some(opencl3::event::Event::new(marker));
        self.queue.flush().map_err(device.failed("clFlush"))
    }

    pub(super) fn wait(&mut self, device: &OpenCl, event: &Event) -> Result<(), DriverError> {
        let Some(marker) = &event.marker else { return Ok(()) };
        let list = marker.get();
        // SAFETY: Queue and marker are alive, and the list has the one marker.
        let barrier = unsafe { enqueue_barrier_with_wait_list(self.queue.get(), 1, &raw const list) };
        release(barrier).map_err(device.failed("clEnqueueBarrierWithWaitList"))
    }
}

/// Whether a call returns when its copy is done, or once it is enqueued.
pub(super) type Waits = cl_bool;

impl Stream {
    /// Enqueues a copy of `bytes` bytes of the host to device memory from `at` on; its event.
    ///
    /// # Safety
    /// `from` has so many bytes, which stay as they are until the copy is done.
    pub(super) unsafe fn write(
        &self,
        device: &OpenCl,
        waits: Waits,
        (from, bytes): (*const u8, usize),
        (to, at): (&Memory, usize),
    ) -> Result<cl_event, DriverError> {
        fits(&device.inner.found.name, "device memory", at, bytes, to.bytes)?;
        let (queue, buffer) = (self.queue.get(), to.buffer.get());
        // SAFETY: The target was checked, and the source is as the caller says.
        unsafe { enqueue_write_buffer(queue, buffer, waits, at, bytes, from.cast(), 0, ptr::null()) }
            .map_err(|code| device.failed("clEnqueueWriteBuffer")(ClError(code)))
    }

    /// Enqueues a copy of device memory from `at` on to `bytes` bytes of the host; its event.
    ///
    /// # Safety
    /// `to` has room for so many bytes. They are not accessed until the copy is done.
    pub(super) unsafe fn read(
        &self,
        device: &OpenCl,
        waits: Waits,
        (from, at): (&Memory, usize),
        (to, bytes): (*mut u8, usize),
    ) -> Result<cl_event, DriverError> {
        fits(&device.inner.found.name, "device memory", at, bytes, from.bytes)?;
        let (queue, buffer) = (self.queue.get(), from.buffer.get());
        // SAFETY: The source was checked, and the target is as the caller says.
        unsafe { enqueue_read_buffer(queue, buffer, waits, at, bytes, to.cast(), 0, ptr::null()) }
            .map_err(|code| device.failed("clEnqueueReadBuffer")(ClError(code)))
    }
}

impl Event {
    /// That of a command; none counts as done.
    pub(super) fn of(marker: Option<opencl3::event::Event>) -> Self {
        Event { marker }
    }

    pub(super) fn is_done(&self, device: &OpenCl) -> Result<bool, DriverError> {
        let Some(marker) = &self.marker else { return Ok(true) };
        let status = marker.command_execution_status().map_err(device.failed("clGetEventInfo"))?;
        match status.0 {
            code if code < 0 => Err(device.failed("a command")(ClError(code))),
            code => Ok(code == CL_COMPLETE),
        }
    }

    pub(super) fn synchronize(&self, device: &OpenCl) -> Result<(), DriverError> {
        let Some(marker) = &self.marker else { return Ok(()) };
        wait_for_events(&[marker.get()]).map_err(|code| device.failed("clWaitForEvents")(ClError(code)))
    }
}
