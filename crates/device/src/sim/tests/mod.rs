//! What the simulated device promises.

mod capture;
mod checks;
mod faults;
mod order;
mod pipeline;
mod programs;

use std::sync::{Arc, Mutex};

use super::*;
use crate::backend::{Backend, Launch, Place, Span, Transfer};
use crate::kernel::Source;

/// Upload staging with these bytes in it.
fn frame_of(sim: &Sim, bytes: &[u8]) -> Staging {
    let mut frame = sim.stage(bytes.len(), Transfer::Upload).unwrap();
    sim.write(&mut frame, 0, bytes).unwrap();
    frame
}

/// Device memory with these bytes in it, which the host knows to be there.
fn memory_of(sim: &Sim, bytes: &[u8]) -> Memory {
    let (frame, memory) = (frame_of(sim, bytes), sim.allocate(bytes.len()).unwrap());
    let mut stream = sim.stream().unwrap();
    sim.upload(&mut stream, &frame, &memory, 0, bytes.len()).unwrap();
    sim.drain(&mut stream).unwrap();
    memory
}

/// The bytes of device memory from `at` on, after all that the host knows of.
fn bytes_of(sim: &Sim, memory: &Memory, at: usize, bytes: usize) -> Result<Vec<u8>, SimError> {
    let (mut stream, mut frame) = (sim.stream()?, sim.stage(bytes, Transfer::Download)?);
    sim.download(&mut stream, memory, at, &frame, bytes)?;
    sim.drain(&mut stream)?;
    let mut read = vec![0; bytes];
    sim.read(&mut frame, 0, &mut read)?;
    Ok(read)
}

fn place(memory: &Memory, at: usize) -> Place<'_, Sim> {
    Place { memory, at }
}

fn span(memory: &Memory, at: usize, bytes: usize) -> Span<'_, Sim> {
    Span { place: place(memory, at), items: bytes, item_bytes: 1 }
}

/// Enqueues a kernel without constants.
fn launch(
    sim: &Sim,
    stream: &mut Stream,
    program: &Program,
    inputs: &[Span<'_, Sim>],
    outputs: &[Span<'_, Sim>],
) -> Result<(), SimError> {
    sim.launch(stream, program, &Launch { inputs, outputs, constants: &[], threads: 1 })
}

/// A kernel that adds one to each byte.
fn increment(sim: &Sim) -> Program {
    let source = Source::new("increment").host(|call| {
        for (y, x) in call.outputs[0].iter_mut().zip(call.inputs[0]) {
            *y = x.wrapping_add(1);
        }
    });
    sim.compile(&source).unwrap()
}

/// A list that kernels write their names to.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<&'static str>>>);

impl Log {
    fn kernel(&self, sim: &Sim, name: &'static str) -> Program {
        let log = self.clone();
        sim.compile(&Source::new(name).host(move |_| log.0.lock().unwrap().push(name))).unwrap()
    }

    fn names(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

fn record(sim: &Sim, stream: &mut Stream) -> Event {
    let mut event = sim.event().unwrap();
    sim.record(stream, &mut event).unwrap();
    event
}
