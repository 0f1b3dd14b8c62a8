//! What pure blocks cost, timed on made-up data.

use std::time::Instant;

use super::Pure;
use super::ports::Ports;
use super::streams::Streams;
use crate::stream::buffer::{ReadEnd, ScratchReader, ScratchSpec, ScratchWriter, WriteEnd, scratch};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;

/// Runs that are timed: the fastest counts.
const RUNS: usize = 8;
/// Items that one of them takes at most.
const MOST_ITEMS: usize = 2048;

/// Seconds per input item (output item for a source) of a pure block on zeros; `None` where that takes too many items.
pub(crate) fn time_pure<P: Pure>(block: &P) -> Option<f64> {
    const ITEMS: usize = 1 << 16;
    let ratio = block.ratio();
    let turns = (ITEMS / ratio.decimation.max(ratio.interpolation).max(1)).clamp(1, MOST_ITEMS);
    let (taken, given) = (turns * ratio.decimation, turns * ratio.interpolation);
    if taken.max(given).max(block.history()) > 16 * ITEMS {
        return None;
    }
    let mut inputs = P::In::inputs(block.history(), ratio.decimation, 1);
    let mut outputs = P::Out::outputs(ratio.interpolation, 1);
    let mut buffers =
        Buffers { taken, given, history: block.history(), writers: Vec::new(), readers: Vec::new() };
    P::In::visit_inputs(&mut inputs, &mut buffers);
    P::Out::visit_outputs(&mut outputs, &mut buffers);
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        block.map(P::In::windows(&inputs, taken), P::Out::spans(&mut outputs, given));
        best = best.min(start.elapsed().as_secs_f64());
    }
    Some(best / if P::In::PORTS > 0 { taken } else { given } as f64)
}

/// Seconds per item of so many bytes that is copied.
pub(super) fn time_copy(item_bytes: usize) -> f64 {
    let (from, mut to) = (vec![0u8; MOST_ITEMS * item_bytes], vec![0u8; MOST_ITEMS * item_bytes]);
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
        best = best.min(start.elapsed().as_secs_f64());
    }
    best / MOST_ITEMS as f64
}

/// Gives every port that it visits a buffer of its own: inputs full of zeros, outputs with room.
struct Buffers {
    taken: usize,
    given: usize,
    history: usize,
    writers: Vec<ScratchWriter>,
    readers: Vec<ScratchReader>,
}

impl Buffers {
    fn spec(&self, capacity: usize) -> ScratchSpec {
        ScratchSpec { history: self.history, capacity, readers: 1, ..Default::default() }
    }
}

impl PortVisitor for Buffers {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let Ok((mut writer, _, mut readers)) = scratch(port.spec().item, &self.spec(self.taken), None, None)
        else {
            return;
        };
        writer.produce(self.taken);
        self.writers.push(writer);
        if let Some(reader) = readers.pop().flatten() {
            *port.raw().end = ReadEnd::Scratch(reader);
        }
    }

    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let Ok((writer, _, readers)) = scratch(port.spec().item, &self.spec(self.given), None, None) else {
            return;
        };
        self.readers.extend(readers.into_iter().flatten());
        *port.raw().end = WriteEnd::Scratch(writer);
    }
}
