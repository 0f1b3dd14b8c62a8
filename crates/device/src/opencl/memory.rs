//! Device memory and staging memory.

use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

use opencl3::command_queue::{CommandQueue, enqueue_map_buffer};
use opencl3::error_codes::ClError;
use opencl3::event::{CL_COMPLETE, Event, wait_for_events};
use opencl3::memory::{
    Buffer, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem, cl_mem_flags,
};
use opencl3::types::{CL_BLOCKING, cl_event};

use super::{OpenCl, words};
use crate::backend::Transfer;
use crate::driver::DriverError;

/// A buffer on the device. OpenCL itself keeps it as long as enqueued commands use it.
pub struct Memory {
    pub(super) buffer: Buffer<u8>,
    pub(super) bytes: usize,
}

impl Memory {
    pub(super) fn new(device: &OpenCl, bytes: usize) -> Result<Self, DriverError> {
        let buffer = buffer(device, "device memory", bytes, CL_MEM_READ_WRITE)?;
        Ok(Memory { buffer, bytes })
    }
}

/// A buffer in the host's memory, mapped as long as it lives.
pub struct Staging {
    buffer: Buffer<u8>,
    /// Maps and unmaps.
    queue: CommandQueue,
    pub(super) host: NonNull<u8>,
    pub(super) bytes: usize,
    /// The copies from or to it that may still be under way.
    copies: Mutex<Vec<Event>>,
}

// SAFETY: OpenCL's objects may be used from any thread, and what is mapped at `host` belongs to this value alone.
unsafe impl Send for Staging {}

impl Staging {
    pub(super) fn new(device: &OpenCl, bytes: usize, transfer: Transfer) -> Result<Self, DriverError> {
        let buffer = buffer(device, "staging memory", bytes, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR)?;
        let queue = CommandQueue::create_default(&device.inner.context, 0)
            .map_err(device.failed("clCreateCommandQueue"))?;
        let flags = match transfer {
            Transfer::Upload => CL_MAP_READ | CL_MAP_WRITE,
            Transfer::Download => CL_MAP_READ,
        };
        let mut host = ptr::null_mut();
        // SAFETY: The buffer has at least `max(bytes, 1)` bytes. The call blocks, so that `host` is valid after it.
        let mapped = unsafe {
            enqueue_map_buffer(
                queue.get(),
                buffer.get(),
                CL_BLOCKING,
                flags,
                0,
                bytes.max(1),
                &mut host,
                0,
                ptr::null(),
            )
        };
        super::release::release(mapped).map_err(device.failed("clEnqueueMapBuffer"))?;
        let host = NonNull::new(host.cast::<u8>()).ok_or_else(|| {
            device.failed("clEnqueueMapBuffer")(ClError(opencl3::error_codes::CL_MAP_FAILURE))
        })?;
        // SAFETY: `bytes` bytes are mapped at `host`, and nobody else has the pointer. Zeros make the memory initialized.
        unsafe { ptr::write_bytes(host.as_ptr(), 0, bytes) };
        Ok(Staging { buffer, queue, host, bytes, copies: Mutex::default() })
    }

    /// Keeps the host out of the memory until the copy with this event is done.
    pub(super) fn is_used_until(&self, event: cl_event) {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.retain(|copy| copy.command_execution_status().is_ok_and(|status| status.0 > CL_COMPLETE));
        copies.push(Event::new(event));
    }

    /// What is in the memory, after all copies.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.finish();
        // SAFETY: `bytes` bytes, all initialized, are mapped at `host` as long as `self` lives, and no copy uses them.
        unsafe { std::slice::from_raw_parts_mut(self.host.as_ptr(), self.bytes) }
    }

    /// Waits for the copies under way; whoever waited for them before pays a look at each.
    fn finish(&mut self) {
        let copies = self.copies.get_mut().unwrap_or_else(PoisonError::into_inner);
        for copy in copies.drain(..) {
            // A copy that failed is over as well; its stream says so.
            let _ = wait_for_events(&[copy.get()]);
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.finish();
        // SAFETY: The buffer is mapped at `host`, and nothing uses the pointer after this.
        let unmapped =
            unsafe { self.queue.enqueue_unmap_mem_object(self.buffer.get(), self.host.as_ptr().cast(), &[]) };
        if unmapped.is_ok() {
            // An error can reach nobody here; the buffer is given back in any case.
            let _ = self.queue.finish();
        }
    }
}

fn buffer(
    device: &OpenCl,
    what: &'static str,
    bytes: usize,
    flags: cl_mem_flags,
) -> Result<Buffer<u8>, DriverError> {
    // SAFETY: The flags ask for no memory of ours, so that the pointer is null.
    unsafe { Buffer::create(&device.inner.context, flags, bytes.max(1), ptr::null_mut()) }.map_err(|error| {
        DriverError::NoMemory { device: device.inner.found.name.clone(), what, bytes, reason: words(error) }
    })
}
