//! The one queue of a device, in which everything happens in the order of the calls.
//!
//! What is called goes into an open batch. The batch is submitted to the device when the host asks for something in it, or
//! when it is full. Each submission costs about as much as ten kernels.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use wgpu::{Buffer, BufferUsages, CommandEncoder, ComputePass, ErrorFilter, PollType, SubmissionIndex};

use crate::driver::{DriverError, Found};

/// Bytes for the numbers of one kernel call: its threads, first items and constants.
pub(super) const CALL_BYTES: usize = 256;
/// Bytes for all calls of a batch.
const CALLS_BYTES: usize = 256 * CALL_BYTES;

/// What all users of a device share.
pub(super) struct Shared {
    pub(super) device: wgpu::Device,
    queue: wgpu::Queue,
    pub(super) found: Found,
    pub(super) limits: wgpu::Limits,
    /// The numbers of the kernel calls of a batch.
    pub(super) calls: Buffer,
    state: Mutex<State>,
    /// The last batch that is done. Written by whoever polls the device, read by all.
    done: Arc<AtomicU64>,
    /// The first error that came outside of any call. All later calls return it.
    fault: Arc<Mutex<Option<String>>>,
}

/// The open batch and those under way.
struct State {
    encoder: Option<CommandEncoder>,
    /// The pass that kernels of the open batch go to. Copies end it.
    pass: Option<ComputePass<'static>>,
    calls: Vec<u8>,
    /// The number of the open batch; the first is 1.
    batch: u64,
    submitted: VecDeque<(u64, SubmissionIndex)>,
    /// Through which memory is copied to another place of the same memory.
    detour: Option<Buffer>,
}

impl Shared {
    pub(super) fn new(device: wgpu::Device, queue: wgpu::Queue, found: Found) -> Arc<Self> {
        let fault = Arc::new(Mutex::new(None));
        let (uncaptured, lost) = (Arc::clone(&fault), Arc::clone(&fault));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&uncaptured, error.to_string())));
        device.set_device_lost_callback(move |reason, text| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                note(&lost, format!("the device is lost: {text}"));
            }
        });
        let calls = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("superhet calls"),
            size: CALLS_BYTES as u64,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let state = State {
            encoder: None,
            pass: None,
            calls: Vec::with_capacity(CALLS_BYTES),
            batch: 1,
            submitted: VecDeque::new(),
            detour: None,
        };
        Arc::new(Shared {
            limits: device.limits(),
            device,
            queue,
            found,
            calls,
            state: Mutex::new(state),
            done: Arc::default(),
            fault,
        })
    }

    /// An error of a call.
    pub(super) fn failed(&self, call: &'static str, reason: impl Into<String>) -> DriverError {
        DriverError::Call { device: self.found.name.clone(), call, reason: reason.into() }
    }

    /// The first error that came outside of any call.
    fn healthy(&self) -> Result<(), DriverError> {
        match &*self.fault.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(self.failed("an earlier call", reason.clone())),
            None => Ok(()),
        }
    }

    /// An error for what belongs to another device.
    pub(super) fn owns(&self, other: &Shared, what: &'static str) -> Result<(), DriverError> {
        if std::ptr::eq(self, other) {
            return Ok(());
        }
        Err(self.failed(what, format!("it belongs to {}, or was opened apart", other.found.name)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts copies into the open batch; its number.
    pub(super) fn encode(&self, copies: impl FnOnce(&mut CommandEncoder)) -> Result<u64, DriverError> {
        self.healthy()?;
        let mut state = self.lock();
        state.pass = None;
        copies(state.encoder(&self.device));
        Ok(state.batch)
    }

    /// Puts a copy from one place of a buffer to another of the same into the open batch.
    pub(super) fn copy_within(
        &self,
        buffer: &Buffer,
        from: u64,
        to: u64,
        bytes: u64,
    ) -> Result<(), DriverError> {
        self.healthy()?;
        let mut state = self.lock();
        let detour = match state.detour.take().filter(|detour| detour.size() >= bytes) {
            Some(detour) => detour,
            None => self.buffer(
                "device memory",
                bytes as usize,
                BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
                false,
            )?,
        };
        state.pass = None;
        let encoder = state.encoder(&self.device);
        encoder.copy_buffer_to_buffer(buffer, from, &detour, 0, bytes);
        encoder.copy_buffer_to_buffer(&detour, 0, buffer, to, bytes);
        state.detour = Some(detour);
        Ok(())
    }

    /// Puts a kernel into the open batch. `run` gets the pass and the offset of `words` in [`calls`](Self::calls).
    pub(super) fn dispatch(
        &self,
        words: &[u32],
        run: impl FnOnce(&mut ComputePass<'static>, u32),
    ) -> Result<(), DriverError> {
        self.healthy()?;
        let mut state = self.lock();
        if state.calls.len() + CALL_BYTES > CALLS_BYTES {
            self.flush(&mut state);
        }
        let offset = state.calls.len();
        state.calls.extend_from_slice(bytemuck::cast_slice(words));
        state.calls.resize(offset + CALL_BYTES, 0);
        if state.pass.is_none() {
            let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: None };
            state.pass = Some(state.encoder(&self.device).begin_compute_pass(&descriptor).forget_lifetime());
        }
        if let Some(pass) = &mut state.pass {
            run(pass, offset as u32);
        }
        Ok(())
    }

    /// The number of the last batch that has anything in it.
    pub(super) fn now(&self) -> u64 {
        let state = self.lock();
        if state.encoder.is_some() { state.batch } else { state.batch - 1 }
    }

    /// Hands the open batch to the device.
    fn flush(&self, state: &mut State) {
        state.pass = None;
        let Some(encoder) = state.encoder.take() else { return };
        if !state.calls.is_empty() {
            // Happens before the batch, and after all earlier ones.
            self.queue.write_buffer(&self.calls, 0, &state.calls);
            state.calls.clear();
        }
        let index = self.queue.submit([encoder.finish()]);
        let (done, batch) = (Arc::clone(&self.done), state.batch);
        self.queue.on_submitted_work_done(move || {
            done.fetch_max(batch, Ordering::Release);
        });
        state.submitted.push_back((batch, index));
        state.batch += 1;
    }

    /// Whether a batch is done; hands it to the device first.
    pub(super) fn is_done(&self, batch: u64) -> Result<bool, DriverError> {
        if self.done.load(Ordering::Acquire) < batch {
            let mut state = self.lock();
            if batch == state.batch {
                self.flush(&mut state);
            }
            drop(state);
            self.poll(PollType::Poll)?;
        }
        self.healthy()?;
        Ok(self.done.load(Ordering::Acquire) >= batch)
    }

    /// Waits for a batch; hands it to the device first.
    pub(super) fn wait_for(&self, batch: u64) -> Result<(), DriverError> {
        if self.done.load(Ordering::Acquire) < batch {
            let mut state = self.lock();
            if batch == state.batch {
                self.flush(&mut state);
            }
            let done = self.done.load(Ordering::Acquire);
            state.submitted.retain(|(number, _)| *number > done);
            let index =
                state.submitted.iter().find(|(number, _)| *number >= batch).map(|(_, index)| index.clone());
            drop(state);
            if let Some(index) = index {
                self.poll(PollType::Wait { submission_index: Some(index), timeout: None })?;
                self.done.fetch_max(batch, Ordering::Release);
            }
        }
        self.healthy()
    }

    pub(super) fn poll(&self, how: PollType) -> Result<(), DriverError> {
        self.device
            .poll(how)
            .map(drop)
            .map_err(|error| self.failed("the wait for the device", error.to_string()))
    }

    /// A buffer of `bytes` bytes and some more.
    pub(super) fn buffer(
        &self,
        what: &'static str,
        bytes: usize,
        usage: BufferUsages,
        mapped_at_creation: bool,
    ) -> Result<Buffer, DriverError> {
        let no_memory =
            |reason: String| DriverError::NoMemory { device: self.found.name.clone(), what, bytes, reason };
        let size = (bytes as u64).checked_next_multiple_of(8).unwrap_or(u64::MAX).max(8);
        let largest = self.limits.max_buffer_size.min(self.limits.max_storage_buffer_binding_size);
        if size > largest {
            return Err(no_memory(format!("the device's largest has {largest} bytes")));
        }
        self.healthy()?;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation };
        self.scoped(|| self.device.create_buffer(&descriptor)).map_err(no_memory)
    }

    /// What a call gives, or the words of the error that it caused.
    pub(super) fn scoped<T>(&self, call: impl FnOnce() -> T) -> Result<T, String> {
        let scopes = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation]
            .map(|filter| self.device.push_error_scope(filter));
        let result = call();
        // Scopes end in the opposite order.
        let errors: Vec<_> = scopes.into_iter().rev().map(|scope| ready(scope.pop()).flatten()).collect();
        match errors.into_iter().flatten().next() {
            Some(error) => Err(error.to_string()),
            None => Ok(result),
        }
    }
}

impl State {
    fn encoder(&mut self, device: &wgpu::Device) -> &mut CommandEncoder {
        self.encoder.get_or_insert_with(|| {
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: None })
        })
    }
}

fn note(fault: &Mutex<Option<String>>, text: String) {
    tracing::error!("{text}");
    fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
}

/// What a future gives that is ready at once, as all of this library are outside of browsers.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
