//! Where the streams of a graph that was taken apart stand, before it is planned again.
//!
//! A stream's count is that of its writer. So a reader counts otherwise from now on where another writes what it reads, and
//! its tags go with their items; blocks are told from where on they count, as new ones are told where they begin.

use crate::data::Base;
use crate::exec::bind::States;
use crate::graph::CheckedGraph;
use crate::stream::buffer::{ReadEnd, ReaderState, WriteEnd};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::refs::PortId;
use crate::stream::visit::PortVisitor;

/// Brings what the readers have before them in line with the streams as they are now, and tells the blocks.
pub(super) fn settle(graph: &mut CheckedGraph, states: &mut States) {
    for (block, node) in graph.nodes.iter_mut().enumerate() {
        node.block.visit(&mut Kept { block, input: 0, output: 0, states });
    }
    for stream in graph.streams.iter().filter(|stream| !stream.kept) {
        let mut readers = stream.readers.iter();
        if !states.writers.contains_key(&stream.from)
            && !readers.any(|reader| states.readers.contains_key(reader))
        {
            continue;
        }
        let item = graph.nodes[stream.from.block].ports.outputs[stream.from.port].1.item.size();
        let written = states.written(stream.from, &stream.readers, item);
        states.writers.insert(stream.from, written);
        for reader in &stream.readers {
            // A new reader begins with what comes next.
            let (state, closed) = (states.readers.entry(*reader), graph.nodes[reader.block].ended);
            let state =
                state.or_insert_with(|| ReaderState { index: written, closed, ..ReaderState::default() });
            if !state.closed {
                let index = written.wrapping_sub(state.waiting(item) as u64);
                let by = index.wrapping_sub(state.index);
                state.tags.iter_mut().for_each(|tag| tag.index = tag.index.wrapping_add(by));
                state.index = index;
            }
        }
    }
    for (block, node) in graph.nodes.iter_mut().enumerate() {
        let away = node.spec.blocking && !node.is_new;
        if away || node.ended {
            continue;
        }
        let position = |port: usize| states.read(PortId { block, port });
        let inputs: Vec<u64> = (0..node.ports.inputs.len()).map(position).collect();
        let position = |port: usize| states.writers.get(&PortId { block, port }).copied().unwrap_or(0);
        let outputs: Vec<u64> = (0..node.ports.outputs.len()).map(position).collect();
        let first = |ports: &[u64]| ports.first().copied().unwrap_or(0);
        node.base = Base { input: first(&inputs), output: first(&outputs) };
        node.block.0.set_base(&inputs, &outputs);
    }
}

/// Notes where the rings stand that stay as they are: the only ends that are left in the ports.
struct Kept<'a> {
    block: usize,
    input: usize,
    output: usize,
    states: &'a mut States,
}

impl PortVisitor for Kept<'_> {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let id = PortId { block: self.block, port: self.input };
        self.input += 1;
        if let ReadEnd::Ring(end) = port.raw().end {
            self.states.kept.insert(id, end.index());
        }
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let id = PortId { block: self.block, port: self.output };
        self.output += 1;
        if let WriteEnd::Ring(end) = port.raw().end {
            self.states.writers.insert(id, end.index());
        }
    }
}
