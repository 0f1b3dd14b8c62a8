//! Streams, events, and what is captured in a stream to be run again.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cudarc::driver::{result, sys};

use super::Cuda;
use super::context::Context;
use super::quiet::{self, Kept};
use crate::backend::Replay;
use crate::driver::DriverError;

/// A stream that waits for no other of itself.
pub struct Stream {
    pub(super) handle: sys::CUstream,
    pub(super) context: Arc<Context>,
    /// Tells it apart from all streams that there ever were.
    pub(super) number: u64,
    /// What was used since the capture began; none when nothing is captured.
    kept: Option<Vec<Kept>>,
}

// SAFETY: A stream may be used from any thread in which its context is current.
unsafe impl Send for Stream {}

impl Stream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        context.enter()?;
        let handle = quiet::alone(|| result::stream::create(result::stream::StreamKind::NonBlocking))
            .map_err(context.failed("cuStreamCreate"))?;
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Ok(Stream { handle, context: Arc::clone(context), number, kept: None })
    }

    pub(super) fn record(&mut self, event: &mut Event) -> Result<(), DriverError> {
        self.refuse_while_capturing("cuEventRecord")?;
        self.context.owns(&event.context, "cuEventRecord")?;
        self.context.enter()?;
        // SAFETY: Both are alive.
        unsafe { result::event::record(event.handle, self.handle) }
            .map_err(self.context.failed("cuEventRecord"))
    }

    pub(super) fn wait(&mut self, event: &Event) -> Result<(), DriverError> {
        self.refuse_while_capturing("cuStreamWaitEvent")?;
        self.context.enter()?;
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: Both are alive.
        unsafe { result::stream::wait_event(self.handle, event.handle, flags) }
            .map_err(self.context.failed("cuStreamWaitEvent"))
    }

    pub(super) fn drain(&mut self) -> Result<(), DriverError> {
        self.refuse_while_capturing("cuStreamSynchronize")?;
        self.context.enter()?;
        // SAFETY: The stream is alive.
        unsafe { result::stream::synchronize(self.handle) }
            .map_err(self.context.failed("cuStreamSynchronize"))
    }

    /// Whatever needs the host or another stream cannot be captured.
    pub(super) fn refuse_while_capturing(&self, call: &'static str) -> Result<(), DriverError> {
        if self.kept.is_none() {
            return Ok(());
        }
        let reason = "only copies on the device and kernels can be captured".to_owned();
        Err(DriverError::Call { device: self.context.found.name.clone(), call, reason })
    }

    /// Keeps something alive for the graph that is being captured, if there is one.
    pub(super) fn keep(&mut self, what: &Arc<impl Any + Send + Sync>) {
        if let Some(kept) = &mut self.kept {
            kept.push(Arc::clone(what) as Kept);
        }
    }

    pub(super) fn begin_capture(&mut self) -> Result<(), DriverError> {
        self.refuse_while_capturing("cuStreamBeginCapture")?;
        self.context.enter()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        quiet::begin(|| {
            // SAFETY: The stream is alive.
            unsafe { result::stream::begin_capture(self.handle, mode) }
                .map_err(self.context.failed("cuStreamBeginCapture"))
        })?;
        self.kept = Some(Vec::new());
        Ok(())
    }

    pub(super) fn end_capture(&mut self) -> Result<Captured, DriverError> {
        let Some(kept) = self.kept.take() else {
            let reason = "no capture was begun".to_owned();
            let device = self.context.found.name.clone();
            return Err(DriverError::Call { device, call: "cuStreamEndCapture", reason });
        };
        let made = quiet::end(|| {
            self.context.enter()?;
            // SAFETY: The stream is alive and captures.
            let graph = unsafe { result::stream::end_capture(self.handle) }
                .map_err(self.context.failed("cuStreamEndCapture"))?;
            // SAFETY: The graph is alive; what is made of it does not need it any more.
            let made = unsafe {
                let made = result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0));
                let _ = result::graph::destroy(graph);
                made
            };
            made.map_err(self.context.failed("cuGraphInstantiate"))
        });
        Ok(Captured { handle: made?, context: Arc::clone(&self.context), kept })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.kept.is_some() {
            let _ = self.end_capture();
        }
        let destroyed = self.context.enter().and_then(|()| {
            // SAFETY: The stream is ours. The driver lets what is enqueued in it happen.
            quiet::alone(|| unsafe { result::stream::destroy(self.handle) })
                .map_err(self.context.failed("cuStreamDestroy"))
        });
        if let Err(error) = destroyed {
            tracing::warn!("{error}");
        }
    }
}

/// A point in a stream.
pub struct Event {
    handle: sys::CUevent,
    context: Arc<Context>,
}

// SAFETY: An event may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, DriverError> {
        Self::create(context, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// One that notes when it is done.
    pub(super) fn with_time(context: &Arc<Context>) -> Result<Self, DriverError> {
        Self::create(context, sys::CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn create(context: &Arc<Context>, flags: sys::CUevent_flags) -> Result<Self, DriverError> {
        context.enter()?;
        let handle = result::event::create(flags).map_err(context.failed("cuEventCreate"))?;
        Ok(Event { handle, context: Arc::clone(context) })
    }

    /// The time from another event to this one.
    pub(super) fn since(&self, first: &Event) -> Result<Duration, DriverError> {
        self.context.owns(&first.context, "cuEventElapsedTime")?;
        self.context.enter()?;
        // SAFETY: Both are alive.
        let milliseconds = unsafe { result::event::elapsed(first.handle, self.handle) }
            .map_err(self.context.failed("cuEventElapsedTime"))?;
        Ok(Duration::try_from_secs_f32(milliseconds * 1e-3).unwrap_or_default())
    }

    pub(super) fn is_done(&self) -> Result<bool, DriverError> {
        self.context.enter()?;
        // SAFETY: The event is alive.
        match unsafe { result::event::query(self.handle) } {
            Ok(()) => Ok(true),
            Err(result::DriverError(sys::CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            Err(error) => Err(self.context.failed("cuEventQuery")(error)),
        }
    }

    pub(super) fn synchronize(&self) -> Result<(), DriverError> {
        self.context.enter()?;
        // SAFETY: The event is alive.
        unsafe { result::event::synchronize(self.handle) }.map_err(self.context.failed("cuEventSynchronize"))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let destroyed = self.context.enter().and_then(|()| {
            // SAFETY: The event is ours. The driver frees it once it is over.
            unsafe { result::event::destroy(self.handle) }.map_err(self.context.failed("cuEventDestroy"))
        });
        if let Err(error) = destroyed {
            tracing::warn!("{error}");
        }
    }
}

/// What was captured, ready to be enqueued as one.
pub(super) struct Captured {
    handle: sys::CUgraphExec,
    context: Arc<Context>,
    kept: Vec<Kept>,
}

// SAFETY: A graph may be used from any thread, by one at a time.
unsafe impl Send for Captured {}

impl Replay<Cuda> for Captured {
    fn replay(&mut self, stream: &mut Stream) -> Result<(), DriverError> {
        stream.refuse_while_capturing("cuGraphLaunch")?;
        self.context.owns(&stream.context, "cuGraphLaunch")?;
        self.context.enter()?;
        // SAFETY: Graph and stream are alive, and the graph keeps all memory and kernels that it uses.
        unsafe { result::graph::launch(self.handle, stream.handle) }
            .map_err(self.context.failed("cuGraphLaunch"))
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        let handle = self.handle as usize;
        let destroy = move |context: &Context| {
            // SAFETY: The graph is ours, and not running.
            unsafe { result::graph::exec_destroy(handle as sys::CUgraphExec) }
                .map_err(context.failed("cuGraphExecDestroy"))
        };
        quiet::retire(&self.context, destroy, std::mem::take(&mut self.kept));
    }
}
