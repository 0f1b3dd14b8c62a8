//! The simulated device as a driver.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use super::bytes::Bytes;
use super::device::Device;
use super::error::SimError;
use super::operation::Operation;
use super::queue::{Action, Event};
use super::storage::Want;
use super::{Memory, Program, Sim, Staging, Stream};
use crate::backend::{Backend, Capture, Direct, Launch, Place, Span, Timing, Transfer};
use crate::kernel::{Language, Source};

impl Sim {
    /// The device, if the stream is one of its.
    pub(super) fn device_of(
        &self,
        stream: &Stream,
        operation: Operation,
    ) -> Result<MutexGuard<'_, Device>, SimError> {
        if Arc::ptr_eq(&self.0, &stream.sim.0) {
            Ok(self.device())
        } else {
            Err(self.device().foreign(operation, "stream"))
        }
    }
}

fn reads<'a>(place: &Place<'a, Sim>, bytes: usize) -> Want<'a> {
    Want { block: &place.memory.0, at: place.at, bytes, writes: false }
}

fn writes<'a>(place: &Place<'a, Sim>, bytes: usize) -> Want<'a> {
    Want { writes: true, ..reads(place, bytes) }
}

/// The size of a span in bytes; larger than any memory where it overflows.
fn size(span: &Span<'_, Sim>) -> usize {
    span.items.saturating_mul(span.item_bytes)
}

impl Backend for Sim {
    type Memory = Memory;
    type Staging = Staging;
    type Stream = Stream;
    type Event = Event;
    type Program = Program;
    type Error = SimError;

    const LANGUAGE: Language = Language::Host;

    fn name(&self) -> String {
        self.device().name.clone()
    }

    fn describe(&self) -> String {
        "a simulated device".to_owned()
    }

    fn alignment(&self) -> usize {
        self.device().alignment
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, SimError> {
        self.device().block(None, bytes).map(Memory)
    }

    fn stage(&self, bytes: usize, transfer: Transfer) -> Result<Staging, SimError> {
        self.device().block(Some(transfer), bytes).map(Staging)
    }

    fn write(&self, staging: &mut Staging, at: usize, bytes: &[u8]) -> Result<(), SimError> {
        self.device().write(&staging.0, at, bytes)
    }

    fn read(&self, staging: &mut Staging, at: usize, bytes: &mut [u8]) -> Result<(), SimError> {
        self.device().read(&staging.0, at, bytes)
    }

    fn stream(&self) -> Result<Stream, SimError> {
        let mut device = self.device();
        device.alive()?;
        Ok(Stream { sim: self.clone(), number: device.queues.open() })
    }

    fn event(&self) -> Result<Event, SimError> {
        let device = self.device();
        device.alive()?;
        Ok(Event { home: device.home.clone(), point: None })
    }

    fn upload(
        &self,
        stream: &mut Stream,
        from: &Staging,
        to: &Memory,
        at: usize,
        bytes: usize,
    ) -> Result<(), SimError> {
        let from = Want { block: &from.0, at: 0, bytes, writes: false };
        let wants = [from, writes(&Place { memory: to, at }, bytes)];
        let mut device = self.device_of(stream, Operation::Upload)?;
        device.work(stream.number, Operation::Upload, None, &wants, Action::Copy)
    }

    fn download(
        &self,
        stream: &mut Stream,
        from: &Memory,
        at: usize,
        to: &Staging,
        bytes: usize,
    ) -> Result<(), SimError> {
        let to = Want { block: &to.0, at: 0, bytes, writes: true };
        let wants = [reads(&Place { memory: from, at }, bytes), to];
        let mut device = self.device_of(stream, Operation::Download)?;
        device.work(stream.number, Operation::Download, None, &wants, Action::Copy)
    }

    fn copy(
        &self,
        stream: &mut Stream,
        from: Place<'_, Self>,
        to: Place<'_, Self>,
        bytes: usize,
    ) -> Result<(), SimError> {
        let wants = [reads(&from, bytes), writes(&to, bytes)];
        let mut device = self.device_of(stream, Operation::Copy)?;
        device.work(stream.number, Operation::Copy, None, &wants, Action::Copy)
    }

    fn zero(&self, stream: &mut Stream, at: Place<'_, Self>, bytes: usize) -> Result<(), SimError> {
        let mut device = self.device_of(stream, Operation::Zero)?;
        device.work(stream.number, Operation::Zero, None, &[writes(&at, bytes)], Action::Zero)
    }

    fn compile(&self, source: &Source) -> Result<Program, SimError> {
        self.device().count(Operation::Compile)?;
        match &source.host {
            Some(kernel) => Ok(Program { name: source.entry.as_ref().into(), kernel: kernel.clone() }),
            None => Err(SimError::NoKernel(source.not_in(Self::LANGUAGE))),
        }
    }

    fn launch(
        &self,
        stream: &mut Stream,
        program: &Program,
        launch: &Launch<'_, Self>,
    ) -> Result<(), SimError> {
        let inputs = launch.inputs.iter().map(|span| reads(&span.place, size(span)));
        let outputs = launch.outputs.iter().map(|span| writes(&span.place, size(span)));
        let wants: Vec<_> = inputs.chain(outputs).collect();
        let action = Action::Launch {
            kernel: program.kernel.clone(),
            constants: Bytes::copy_of(launch.constants),
            threads: launch.threads,
        };
        let mut device = self.device_of(stream, Operation::Launch)?;
        if !launch.constants.len().is_multiple_of(4) {
            let (kernel, bytes) = (program.name.clone(), launch.constants.len());
            return device.judge(Err(SimError::Constants { kernel, bytes }));
        }
        device.work(stream.number, Operation::Launch, Some(program.name.clone()), &wants, action)
    }

    fn record(&self, stream: &mut Stream, event: &mut Event) -> Result<(), SimError> {
        self.device_of(stream, Operation::Record)?.record(stream.number, event)
    }

    fn wait(&self, stream: &mut Stream, event: &Event) -> Result<(), SimError> {
        self.device_of(stream, Operation::Wait)?.wait(stream.number, event)
    }

    fn is_done(&self, event: &Event) -> Result<bool, SimError> {
        self.device().poll(event)
    }

    fn synchronize(&self, event: &Event) -> Result<(), SimError> {
        self.device().synchronize(event)
    }

    fn drain(&self, stream: &mut Stream) -> Result<(), SimError> {
        self.device_of(stream, Operation::Drain)?.drain(stream.number)
    }

    fn overlaps_kernels(&self) -> bool {
        self.device().overlaps_kernels
    }

    fn capture(&self) -> Option<&dyn Capture<Self>> {
        self.device().captures.then_some(self)
    }

    fn direct(&self) -> Option<&dyn Direct<Self>> {
        self.device().reaches_streams.then_some(self)
    }

    fn timing(&self) -> Option<&dyn Timing<Self>> {
        Some(self)
    }
}

impl Timing<Sim> for Sim {
    fn event(&self) -> Result<Event, SimError> {
        Backend::event(self)
    }

    fn between(&self, first: &Event, last: &Event) -> Result<Duration, SimError> {
        self.device().between(first, last)
    }
}
