//! Device memory and pinned host memory.

use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{result, sys};

use super::context::{Context, words};
use super::quiet;
use super::stream::{Event, Stream};
use crate::backend::Transfer;
use crate::driver::DriverError;

/// Memory on the device. It is freed once nothing enqueued and no captured graph can use it any more.
pub struct Memory {
    pub(super) block: Arc<Block>,
}

pub(super) struct Block {
    pub(super) pointer: sys::CUdeviceptr,
    pub(super) bytes: usize,
    pub(super) context: Arc<Context>,
}

impl Memory {
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DriverError> {
        context.enter()?;
        // SAFETY: A context is current. What is in the memory is unspecified, as the trait says.
        let pointer = quiet::alone(|| unsafe { result::malloc_sync(bytes.max(1)) })
            .map_err(|error| no_memory(context, "device memory", bytes, error))?;
        Ok(Memory { block: Arc::new(Block { pointer, bytes, context: Arc::clone(context) }) })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let pointer = self.pointer;
        let free = move |context: &Context| {
            // SAFETY: The memory is ours, and the device is done with all that could use it.
            unsafe { result::free_sync(pointer) }.map_err(context.failed("cuMemFree"))
        };
        quiet::retire(&self.context, free, Vec::new());
    }
}

/// Pinned host memory. For uploads it is write-combined, which is slow to read and takes no cache from others.
pub struct Staging {
    pub(super) host: NonNull<u8>,
    pub(super) bytes: usize,
    pub(super) context: Arc<Context>,
    /// The last copy from or to it in each stream that had one, by the stream's number.
    copies: Mutex<Vec<(u64, Event)>>,
}

// SAFETY: The pinned memory belongs to this value alone, and CUDA's functions may be called from any thread.
unsafe impl Send for Staging {}

impl Staging {
    pub(super) fn new(context: &Arc<Context>, bytes: usize, transfer: Transfer) -> Result<Self, DriverError> {
        context.enter()?;
        let flags = match transfer {
            Transfer::Upload => sys::CU_MEMHOSTALLOC_WRITECOMBINED,
            Transfer::Download => 0,
        };
        // SAFETY: A context is current. The memory is initialized below.
        let pointer = quiet::alone(|| unsafe { result::malloc_host(bytes.max(1), flags) })
            .map_err(|error| no_memory(context, "staging memory", bytes, error))?;
        let host = NonNull::new(pointer.cast::<u8>()).ok_or_else(|| DriverError::NoMemory {
            device: context.found.name.clone(),
            what: "staging memory",
            bytes,
            reason: "the driver gives none".to_owned(),
        })?;
        // SAFETY: `bytes` bytes are at `host`, and nobody else has the pointer.
        unsafe { ptr::write_bytes(host.as_ptr(), 0, bytes) };
        Ok(Staging { host, bytes, context: Arc::clone(context), copies: Mutex::default() })
    }

    /// Keeps the host out of the memory until what is enqueued in the stream up to now is done.
    pub(super) fn is_used_by(&self, stream: &mut Stream) -> Result<(), DriverError> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match copies.iter().position(|(number, _)| *number == stream.number) {
            Some(index) => index,
            None => {
                copies.push((stream.number, Event::new(&self.context)?));
                copies.len() - 1
            }
        };
        stream.record(&mut copies[index].1)
    }

    /// What is in the memory, after all copies.
    pub(super) fn bytes_mut(&mut self) -> Result<&mut [u8], DriverError> {
        self.finish()?;
        // SAFETY: `bytes` bytes, all initialized, are at `host` as long as `self` lives, and no copy uses them.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.host.as_ptr(), self.bytes) })
    }

    /// Waits for the copies under way; whoever waited for them before pays a look at each.
    fn finish(&mut self) -> Result<(), DriverError> {
        let copies = self.copies.get_mut().unwrap_or_else(PoisonError::into_inner);
        copies.iter().try_for_each(|(_, copy)| copy.synchronize())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let freed = self.finish().and_then(|()| self.context.enter()).and_then(|()| {
            // SAFETY: The memory is ours, and all copies that used it are done.
            quiet::alone(|| unsafe { result::free_host(self.host.as_ptr().cast()) })
                .map_err(self.context.failed("cuMemFreeHost"))
        });
        if let Err(error) = freed {
            tracing::warn!("{} bytes of pinned memory are not given back: {error}", self.bytes);
        }
    }
}

fn no_memory(context: &Context, what: &'static str, bytes: usize, error: result::DriverError) -> DriverError {
    DriverError::NoMemory { device: context.found.name.clone(), what, bytes, reason: words(error) }
}
