//! Empties the streams inside of a chain, so that workers can share it from there on.
//!
//! A lane stops wherever its strips end, with items between its blocks that do not make a whole step of the next one.
//! Workers that share a chain begin with nothing between its blocks. So the chain is run by hand on just as many of the
//! items before it as leave nothing inside.

use super::bind::States;
use crate::buffer::ReaderState;
use crate::chain::{Bytes, ErasedPure, Shape};
use crate::graph::{CheckedGraph, PortId};
use crate::tag::Tag;

/// Runs the chain of `blocks` by hand until nothing is left inside; false if what waits before it does not suffice.
pub(super) fn drain(graph: &CheckedGraph, blocks: &[usize], states: &mut States) -> bool {
    let shapes: Option<Vec<Shape>> = blocks.iter().map(|&block| graph.nodes[block].shape.clone()).collect();
    let Some(shapes) = shapes else { return false };
    let waiting = |states: &States, place: usize| {
        let state = states.readers.get(&PortId { block: blocks[place], port: 0 });
        state.map_or(0, |state| state.waiting(shapes[place].in_bytes.max(1)))
    };
    let inside: Vec<usize> = (1..blocks.len()).map(|place| waiting(states, place)).collect();
    if inside.iter().all(|waiting| *waiting == 0) {
        return true;
    }
    let leaves_nothing = |n: &usize| {
        let mut items = *n;
        shapes.iter().enumerate().all(|(place, shape)| {
            items += if place > 0 { inside[place - 1] } else { 0 };
            let is_whole = items.is_multiple_of(shape.ratio.decimation);
            items = items / shape.ratio.decimation * shape.ratio.interpolation;
            is_whole
        })
    };
    let before = if shapes[0].in_bytes == 0 { 0 } else { waiting(states, 0) };
    let Some(n) = (0..=before).find(leaves_nothing) else { return false };
    for (place, &block) in blocks.iter().enumerate() {
        let port = PortId { block, port: 0 };
        let take = if place == 0 { n } else { waiting(states, place) };
        let shape = Shape { base: graph.nodes[block].base, ..shapes[place].clone() };
        let (Some(link), Some(state)) = (graph.nodes[block].block.0.link(), states.readers.get_mut(&port))
        else {
            continue;
        };
        let (items, tags) = step(&*link, &shape, state, take);
        let given = items.as_ref().len() / shape.out_bytes.max(1);
        for stream in graph.streams.iter().filter(|stream| stream.from == port) {
            let written = states.written(port, &stream.readers, shape.out_bytes);
            for reader in &stream.readers {
                // A reader that is new to the stream begins here.
                let state = states.readers.entry(*reader);
                let state = state.or_insert_with(|| ReaderState { index: written, ..ReaderState::default() });
                state.bytes.extend_from_slice(items.as_ref());
                state.tags.extend(tags.iter().cloned());
            }
        }
        if let Some(written) = states.writers.get_mut(&port) {
            *written += given as u64;
        }
    }
    true
}

/// Takes `take` items out of what waits before a block; gives what the block makes of them.
fn step(link: &dyn ErasedPure, shape: &Shape, state: &mut ReaderState, take: usize) -> (Bytes, Vec<Tag>) {
    let known = shape.history.min(state.history);
    let window = (state.history - known) * shape.in_bytes..(state.history + take) * shape.in_bytes;
    let x = Bytes::padded((shape.history - known) * shape.in_bytes, &state.bytes[window]);
    let turns = take / shape.ratio.decimation;
    let mut y = Bytes::zeroed(turns * shape.ratio.interpolation * shape.out_bytes);
    if turns > 0 {
        link.map(x.as_ref(), y.as_mut());
    }
    state.bytes.drain(..take * shape.in_bytes);
    state.index += take as u64;
    let passed = state.tags.iter().take_while(|tag| tag.index < state.index).count();
    let map = |mut tag: Tag| {
        shape.base.carry(&mut tag, shape.ratio, shape.delay);
        shape.tags.apply(tag, 0, 0)
    };
    (y, state.tags.drain(..passed).filter_map(map).collect())
}
