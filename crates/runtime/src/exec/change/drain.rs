//! Empties the streams inside of a chain, so that workers can share it from there on.
//!
//! A lane stops wherever its strips end, with items between its blocks that do not make a whole step of the next one.
//! Workers that share a chain begin with nothing between its blocks. So the chain is run by hand on just as many of the
//! items before it as leave nothing inside. Each block does what it would have done in its lane: changes of its parameters
//! hold from their items on, and it goes on with what it has seen.

use crate::block::erased::{ErasedPure, LinkShape};
use crate::block::runnable::{AnyBlock, Runnable};
use crate::data::bytes::Bytes;
use crate::data::{BlockError, RunError, Tag};
use crate::exec::bind::States;
use crate::exec::chain::versions::{Changing, Versions};
use crate::exec::words::ports_in_words;
use crate::graph::CheckedGraph;
use crate::stream::buffer::{ReaderState, WriteEnd};
use crate::stream::port::AnyOut;
use crate::stream::refs::PortId;
use crate::stream::visit::PortVisitor;

/// Runs the chain of `blocks` by hand until nothing is left inside; false if what waits before it does not suffice, or if
/// there is no room for what comes out.
///
/// # Errors
/// Where a change of a parameter makes another block of one.
pub(super) fn drain(
    graph: &mut CheckedGraph,
    blocks: &[usize],
    states: &mut States,
) -> Result<bool, RunError> {
    let shape = |&block: &usize| {
        let node = &graph.nodes[block];
        node.shape.clone().map(|shape| LinkShape { base: node.base, ..shape })
    };
    let shapes: Option<Vec<LinkShape>> = blocks.iter().map(shape).collect();
    let (Some(shapes), Some(&last)) = (shapes, blocks.last()) else { return Ok(false) };
    let waiting = |states: &States, place: usize| {
        let state = states.readers.get(&PortId { block: blocks[place], port: 0 });
        state.map_or(0, |state| state.waiting(shapes[place].in_bytes.max(1)))
    };
    let inside: Vec<usize> = (1..blocks.len()).map(|place| waiting(states, place)).collect();
    if inside.iter().all(|waiting| *waiting == 0) {
        return Ok(true);
    }
    // What comes out for `n` items, where that leaves nothing inside.
    let given = |n: usize| {
        shapes.iter().enumerate().try_fold(n, |items, (place, shape)| {
            let items = items + if place > 0 { inside[place - 1] } else { 0 };
            let turns = items / shape.ratio.decimation;
            items.is_multiple_of(shape.ratio.decimation).then_some(turns * shape.ratio.interpolation)
        })
    };
    let before = if shapes[0].in_bytes == 0 { 0 } else { waiting(states, 0) };
    let Some((n, given)) = (0..=before).find_map(|n| Some((n, given(n)?))) else { return Ok(false) };
    // A ring that stays as it is has to take what comes out.
    let is_kept = graph.streams.written_by(last).any(|stream| stream.kept);
    if is_kept && !has_room(&mut graph.nodes[last].block, given) {
        return Ok(false);
    }
    for (place, &block) in blocks.iter().enumerate() {
        let port = PortId { block, port: 0 };
        let take = if place == 0 { n } else { waiting(states, place) };
        let runnable = &mut *graph.nodes[block].block.0;
        let Some(state) = states.readers.get_mut(&port).filter(|_| take > 0) else { continue };
        let stepped = step(runnable, &shapes[place], state, take);
        let Some((items, tags)) = stepped.map_err(|error| RunError::Block {
            block: graph.nodes[block].name.clone(),
            error,
            ports: ports_in_words(&mut *graph.nodes[block].block.0),
        })?
        else {
            continue;
        };
        let given = items.as_ref().len() / shapes[place].out_bytes.max(1);
        // A stream between two blocks that are new has no states yet.
        *states.writers.entry(port).or_default() += given as u64;
        give(graph, block, states, items.as_ref(), tags);
    }
    Ok(true)
}

/// Hands the tags inside of a chain on that lie ahead of the items there, as blocks with a delay leave them: a chain that workers
/// share takes each tag through all of its blocks at once.
pub(super) fn pass_tags_on(graph: &mut CheckedGraph, blocks: &[usize], states: &mut States) {
    let Some(&last) = blocks.last() else { return };
    for (place, &block) in blocks.iter().enumerate().skip(1) {
        let state = states.readers.get_mut(&PortId { block, port: 0 });
        let mut tags = state.map(|state| std::mem::take(&mut state.tags)).unwrap_or_default();
        for &block in &blocks[place..] {
            let node = &graph.nodes[block];
            let Some(shape) = &node.shape else { continue };
            let shape = LinkShape { base: node.base, ..shape.clone() };
            tags = tags.into_iter().filter_map(|tag| shape.carry(tag)).collect();
        }
        if !tags.is_empty() {
            give(graph, last, states, &[], tags);
        }
    }
}

/// Gives items of a block, and tags, to those who read them.
fn give(graph: &mut CheckedGraph, block: usize, states: &mut States, items: &[u8], tags: Vec<Tag>) {
    let port = PortId { block, port: 0 };
    let Some(stream) = graph.streams.at_output(port) else { return };
    if stream.kept {
        return graph.nodes[block].block.visit(&mut Give { items, tags });
    }
    for reader in &stream.readers {
        let state = states.readers.entry(*reader).or_default();
        if !state.closed {
            state.bytes.extend_from_slice(items);
            state.tags.extend(tags.iter().cloned());
        }
    }
}

/// Takes `take` items out of what waits before a block; gives what the block makes of them.
fn step(
    runnable: &mut dyn Runnable,
    shape: &LinkShape,
    state: &mut ReaderState,
    take: usize,
) -> Result<Option<(Bytes, Vec<Tag>)>, BlockError> {
    let known = shape.history.min(state.history);
    let window = (state.history - known) * shape.in_bytes..(state.history + take) * shape.in_bytes;
    let x = Bytes::padded((shape.history - known) * shape.in_bytes, &state.bytes[window]);
    let turns = take / shape.ratio.decimation;
    let mut y = Bytes::zeroed(turns * shape.ratio.interpolation * shape.out_bytes);
    let end = state.index + take as u64;
    if let Some(block) = runnable.state() {
        block.process(state.index, x.as_ref(), y.as_mut())?;
    } else {
        let Some(link) = runnable.link() else { return Ok(None) };
        let mut versions = Versions::new([Some(link)]);
        if let Some(changes) = runnable.link_changes().filter(|changes| changes.next() < end) {
            changes.take(state.index, end).into_iter().for_each(|(from, pure)| versions.push(0, from, pure));
        }
        let Some(link) = Changing::new(&versions.links()[0]) else { return Ok(None) };
        link.place(state.index);
        link.map(x.as_ref(), y.as_mut());
        runnable.recall();
    }
    // What the block asks to see before the next item, even if it has not seen as much until now.
    let seen = state.history + take;
    let kept = seen.min(shape.history.max(state.history));
    state.bytes.drain(..(seen - kept) * shape.in_bytes);
    state.history = kept;
    state.index = end;
    state.tags.sort_by_key(|tag| tag.index);
    let passed = state.tags.partition_point(|tag| tag.index < end);
    Ok(Some((y, state.tags.drain(..passed).filter_map(|tag| shape.carry(tag)).collect())))
}

/// Whether the ring that a block writes has room for `n` items.
fn has_room(block: &mut AnyBlock, n: usize) -> bool {
    struct Room(usize);
    impl PortVisitor for Room {
        fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
            if let WriteEnd::Ring(end) = port.raw().end {
                self.0 = end.look(self.0);
            }
        }
    }
    let mut room = Room(n);
    block.visit(&mut room);
    room.0 >= n
}

/// Writes to a ring that stays as it is, and has room.
struct Give<'a> {
    items: &'a [u8],
    tags: Vec<Tag>,
}

impl PortVisitor for Give<'_> {
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let end = port.raw().end;
        self.tags.drain(..).for_each(|tag| end.push_tag(tag));
        if !self.items.is_empty() {
            port.give(std::mem::take(&mut self.items));
        }
    }
}
