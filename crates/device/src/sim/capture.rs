//! What is captured in a stream of the simulated device, and enqueued again.
//!
//! Bounds are checked at the capture, order at each replay. A replay enqueues every operation anew, in the order of the
//! capture. So counters, faults, time and checks treat it as if it were enqueued one by one.

use std::sync::Arc;

use super::device::Device;
use super::error::{Origin, SimError};
use super::operation::Operation;
use super::queue::{Action, Step};
use super::storage::{Touch, Want};
use super::{Sim, Stream};
use crate::backend::{Capture, Replay};

/// Captured operations, in order.
struct Captured {
    sim: Sim,
    steps: Vec<Step>,
}

impl Device {
    /// Begins to capture what is enqueued in a stream.
    fn begin_capture(&mut self, stream: usize) -> Result<(), SimError> {
        self.count(Operation::Capture)?;
        self.refuse_while_capturing(stream, Operation::Capture)?;
        self.queues.get(stream).captured = Some(Vec::new());
        Ok(())
    }

    fn end_capture(&mut self, stream: usize) -> Result<Vec<Step>, SimError> {
        self.alive()?;
        self.queues.get(stream).captured.take().ok_or(SimError::NothingCaptured { stream })
    }

    /// Fails while the stream captures: for what cannot be captured.
    pub(super) fn refuse_while_capturing(
        &mut self,
        stream: usize,
        operation: Operation,
    ) -> Result<(), SimError> {
        match self.queues.get(stream).captured {
            Some(_) => self.judge(Err(SimError::NotCaptured { operation, stream })),
            None => Ok(()),
        }
    }

    /// Takes down an operation in a stream that captures.
    pub(super) fn take_down(
        &mut self,
        stream: usize,
        operation: Operation,
        kernel: Option<Arc<str>>,
        wants: &[Want<'_>],
        action: Action,
    ) -> Result<(), SimError> {
        self.alive()?;
        if matches!(operation, Operation::Upload | Operation::Download) {
            return self.refuse_while_capturing(stream, operation);
        }
        let captured = self.queues.get(stream).captured.as_ref().map_or(0, Vec::len);
        let origin =
            Origin { operation, stream: Some(stream), sequence: captured as u64 + 1, kernel: kernel.clone() };
        let touches = wants.iter().map(|want| self.fit(&origin, want)).collect();
        let touches = self.judge(touches)?;
        self.queues.get(stream).captured.get_or_insert_default().push(Step {
            operation,
            kernel,
            touches,
            action,
        });
        Ok(())
    }
}

impl Capture<Sim> for Sim {
    fn begin(&self, stream: &mut Stream) -> Result<(), SimError> {
        self.device_of(stream, Operation::Capture)?.begin_capture(stream.number)
    }

    fn end(&self, stream: &mut Stream) -> Result<Box<dyn Replay<Sim>>, SimError> {
        let steps = self.device_of(stream, Operation::Capture)?.end_capture(stream.number)?;
        Ok(Box::new(Captured { sim: self.clone(), steps }))
    }
}

impl Replay<Sim> for Captured {
    fn replay(&mut self, stream: &mut Stream) -> Result<(), SimError> {
        let mut device = self.sim.device_of(stream, Operation::Replay)?;
        device.count(Operation::Replay)?;
        device.refuse_while_capturing(stream.number, Operation::Replay)?;
        for Step { operation, kernel, touches, action } in &self.steps {
            let wants: Vec<_> = touches.iter().map(Touch::again).collect();
            device.work(stream.number, *operation, kernel.clone(), &wants, action.clone())?;
        }
        Ok(())
    }
}
