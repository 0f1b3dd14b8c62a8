//! What pure blocks cost, timed on made-up data.

use std::time::Instant;

use super::erased::ErasedPure;
use super::ports::Ports;
use super::streams::Streams;
use super::{Pure, Shape};
use crate::data::Ratio;
use crate::stream::buffer::{ReadEnd, ScratchReader, ScratchSpec, ScratchWriter, WriteEnd, scratch};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::visit::PortVisitor;

/// Runs that are timed: the fastest counts.
const RUNS: usize = 8;
/// Items that one of them takes at most.
const MOST_ITEMS: usize = 2048;

/// Seconds per input item (output item for a source) of a pure block on zeros; `None` where that takes too many items.
///
/// For those that are no links: what this is for one type of block comes once for each of them.
pub(crate) fn time_pure<P: Pure>(block: &P) -> Option<f64> {
    time_ports::<P::In, P::Out>(&block.shape(), &mut |inputs, outputs, taken, given| {
        block.map(P::In::windows(inputs, taken), P::Out::spans(outputs, given));
    })
}

/// What takes and gives so many items at some ports.
type Call<'a, I, O> = &'a mut dyn FnMut(&<I as Ports>::Inputs, &mut <O as Ports>::Outputs, usize, usize);

/// As `time_pure`, for any block with such ports.
#[inline(never)]
fn time_ports<I: Ports, O: Ports>(shape: &Shape, call: Call<'_, I, O>) -> Option<f64> {
    let Shape { ratio, history, .. } = *shape;
    let (taken, given) = extent(ratio, history)?;
    let mut inputs = I::inputs(history, ratio.decimation, 1);
    let mut outputs = O::outputs(ratio.interpolation, 1);
    let mut buffers = Buffers { taken, given, history, writers: Vec::new(), readers: Vec::new() };
    I::visit_inputs(&mut inputs, &mut buffers);
    O::visit_outputs(&mut outputs, &mut buffers);
    let best = fastest(&mut || call(&inputs, &mut outputs, taken, given));
    Some(best / if I::PORTS > 0 { taken } else { given } as f64)
}

/// As `time_pure`, for a link of a chain.
pub(super) fn time_link(block: &dyn ErasedPure) -> Option<f64> {
    let shape = block.link_shape();
    let (taken, given) = extent(shape.ratio, shape.history)?;
    let mut x = lines((shape.history + taken) * shape.in_bytes);
    let mut y = lines(given * shape.out_bytes);
    let x = &bytemuck::cast_slice_mut(&mut x)[..(shape.history + taken) * shape.in_bytes];
    let y = &mut bytemuck::cast_slice_mut(&mut y)[..given * shape.out_bytes];
    let best = fastest(&mut || block.map(x, y));
    Some(best / if shape.in_bytes > 0 { taken } else { given } as f64)
}

/// Memory for so many bytes, as buffers have it: it begins on a cache line.
fn lines(bytes: usize) -> Vec<Line> {
    vec![Line([0; 64]); bytes.div_ceil(64)]
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// How many items a run takes and gives; `None` where those are too many.
fn extent(ratio: Ratio, history: usize) -> Option<(usize, usize)> {
    const ITEMS: usize = 1 << 16;
    let turns = (ITEMS / ratio.decimation.max(ratio.interpolation).max(1)).clamp(1, MOST_ITEMS);
    let (taken, given) = (turns * ratio.decimation, turns * ratio.interpolation);
    (taken.max(given).max(history) <= 16 * ITEMS).then_some((taken, given))
}

/// The seconds that the fastest of some runs takes.
fn fastest(run: &mut dyn FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// Seconds per item of so many bytes that is copied.
pub(super) fn time_copy(item_bytes: usize) -> f64 {
    let (from, mut to) = (vec![0u8; MOST_ITEMS * item_bytes], vec![0u8; MOST_ITEMS * item_bytes]);
    let copy = &mut || {
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
    };
    fastest(copy) / MOST_ITEMS as f64
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
