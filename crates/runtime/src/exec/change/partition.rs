//! A graph between two plans: taken apart with all that its streams hold, and put together again.

use std::collections::HashMap;
use std::sync::Arc;

use super::drain::{drain, pass_tags_on};
use super::settle::settle;
use crate::block::runnable::AnyBlock;
use crate::block::{CloseAll, Step};
use crate::data::{CheckError, ItemType, ReconfigureError, RunError};
use crate::exec::bind::{Shown, States, bind};
use crate::exec::region::Region;
use crate::exec::unit::Unit;
use crate::exec::units::{unit, units};
use crate::graph::{CheckedGraph, Node, PortList, Streams};
use crate::metrics::Counters;
use crate::plan::options::Options;
use crate::plan::policy::Scheduler;
use crate::plan::{Lane, Machine, Plan};
use crate::stream::buffer::{ReadEnd, ReaderState, WriteEnd};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::refs::PortId;
use crate::stream::visit::PortVisitor;
use crate::wake::Parker;

/// What is needed to plan a graph again while it runs.
pub(in crate::exec) struct Partition {
    /// The blocks at rest lie in its nodes; those that workers run are away.
    pub graph: CheckedGraph,
    pub scheduler: Box<dyn Scheduler + Send>,
    pub machine: Machine,
    pub options: Options,
    pub parkers: Vec<Arc<Parker>>,
    pub region: Arc<Region>,
    /// The lanes that the region runs.
    pub lanes: Vec<Lane>,
    pub counters: Vec<Arc<Counters>>,
    /// How often the graph was planned again.
    pub plans: u64,
}

/// Puts the rings back.
struct GiveRings {
    input: Option<ReadEnd>,
    output: Option<WriteEnd>,
}

impl PortVisitor for GiveRings {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        if let Some(end) = self.input.take() {
            *port.raw().end = end;
        }
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        if let Some(end) = self.output.take() {
            *port.raw().end = end;
        }
    }
}

/// Whether the stream at a port stays as it is, whatever becomes of the others.
fn is_kept(streams: &Streams, port: PortId, is_input: bool) -> bool {
    let stream = if is_input { streams.at_input(port) } else { streams.at_output(port) };
    stream.is_some_and(|stream| stream.kept)
}

/// Notes where the streams at a block's ports stand, but for those that stay as they are.
struct Collect<'a> {
    block: usize,
    shown: Shown<'a>,
    kept: &'a dyn Fn(PortId, bool) -> bool,
    states: &'a mut States,
}

impl PortVisitor for Collect<'_> {
    fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
        let Some(home) = self.shown.input(name, port) else { return };
        let id = PortId { block: self.block, port: home.port };
        let end = port.raw().end;
        if !matches!(end, ReadEnd::None) && !(self.kept)(id, true) {
            self.states.readers.insert(id, std::mem::take(end).state());
        }
    }
    fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
        let Some(home) = self.shown.output(name, port) else { return };
        let id = PortId { block: self.block, port: home.port };
        let end = port.raw().end;
        if !matches!(end, WriteEnd::None) && !(self.kept)(id, false) {
            self.states.writers.insert(id, std::mem::take(end).index());
        }
    }
}

/// Sends the tags that the outputs keep for items to come.
struct SendTags;

impl PortVisitor for SendTags {
    fn input(&mut self, _: &str, _: &mut dyn AnyIn) {}
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        port.raw().end.send_tags();
    }
}

impl std::fmt::Debug for Partition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partition").field("graph", &self.graph).finish_non_exhaustive()
    }
}

impl Partition {
    /// Takes the region's units apart: the blocks come to rest in the graph, what their streams held in the result.
    ///
    /// # Errors
    /// Where that cannot be done now; everything is as before then.
    pub fn take_apart(&mut self) -> Result<States, ReconfigureError> {
        let units = self.region.take_units().ok_or(ReconfigureError::Busy)?;
        if let Some(port) = self.lent(&units) {
            self.region.return_units(units);
            return Err(ReconfigureError::Lent { port });
        }
        let mut states = States::default();
        for unit in units {
            match unit {
                Unit::Lane(unit) => {
                    let mut lane = unit.into_lane();
                    lane.publish();
                    for task in lane.tasks {
                        let node = &mut self.graph.nodes[task.block];
                        node.ended = task.last == Step::Done;
                        node.block = AnyBlock(task.runnable);
                    }
                }
                Unit::Chain(chain) => {
                    let parts = chain.take_apart();
                    let (last, mut output) = (parts.links.len() - 1, Some(parts.output));
                    let mut input = Some(parts.input);
                    for (place, mut link) in parts.links.into_iter().enumerate() {
                        link.runnable.visit(&mut GiveRings {
                            input: input.take(),
                            output: output.take_if(|_| place == last),
                        });
                        let (taken, given) = parts.before[place];
                        let port = PortId { block: link.block, port: 0 };
                        if place > 0 && !parts.done {
                            let bytes = parts.histories[place].clone();
                            let item = self.graph.nodes[link.block].ports.inputs[0].1.item.size();
                            let history = bytes.len() / item;
                            let state =
                                ReaderState { index: taken, bytes, history, tags: Vec::new(), closed: false };
                            states.readers.insert(port, state);
                        }
                        if place < last && !parts.done {
                            states.writers.insert(port, given);
                        }
                        let node = &mut self.graph.nodes[link.block];
                        node.ended = parts.done;
                        node.block = AnyBlock(link.runnable);
                    }
                }
            }
        }
        let streams = &self.graph.streams;
        let kept = |port: PortId, is_input: bool| is_kept(streams, port, is_input);
        // A writer may have tags for items that it has not given yet; the readers are to have them.
        for node in self.graph.nodes.iter_mut().filter(|node| !node.spec.blocking) {
            node.block.visit(&mut SendTags);
        }
        for (block, node) in self.graph.nodes.iter_mut().enumerate() {
            if !node.spec.blocking {
                let shown = Shown::of(&node.name, &node.ports, node.block.0.runner());
                let mut collect = Collect { block, shown, kept: &kept, states: &mut states };
                node.block.visit(&mut collect);
                let mistakes = collect.shown.mistakes();
                states.mistakes.extend(mistakes);
            }
        }
        Ok(states)
    }

    /// The first port that has lent something of a stream that would not stay as it is.
    fn lent(&self, units: &[Unit]) -> Option<String> {
        struct Lent<'a> {
            block: usize,
            inputs: usize,
            outputs: usize,
            streams: &'a Streams,
            found: Option<String>,
        }
        impl Lent<'_> {
            fn look(&mut self, name: &str, port: usize, is_input: bool, lent: usize) {
                let id = PortId { block: self.block, port };
                if lent > 0 && !is_kept(self.streams, id, is_input) {
                    self.found.get_or_insert_with(|| name.to_owned());
                }
            }
        }
        impl PortVisitor for Lent<'_> {
            fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
                let lent = port.raw().end.ring().map_or(0, |ring| ring.lent());
                self.look(name, self.inputs, true, lent);
                self.inputs += 1;
            }
            fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
                let lent = port.raw().end.ring().map_or(0, |ring| ring.lent());
                self.look(name, self.outputs, false, lent);
                self.outputs += 1;
            }
        }
        // The chains of chains are of blocks that lend nothing.
        let lanes =
            units.iter().filter_map(|unit| if let Unit::Lane(unit) = unit { Some(unit) } else { None });
        for unit in lanes {
            for task in &mut unit.lane().tasks {
                let streams = &self.graph.streams;
                let mut lent = Lent { block: task.block, inputs: 0, outputs: 0, streams, found: None };
                task.runnable.visit(&mut lent);
                if let Some(port) = lent.found {
                    return Some(format!("{}.{port}", task.name));
                }
            }
        }
        None
    }

    /// Plans the graph and sets it to work again, from where its streams stand.
    ///
    /// The lanes are those given, or those that the scheduler gives. Gives what the threads of those blocks are to run that are
    /// new and wait for the outside world, in the order of the blocks.
    pub fn put_together(
        &mut self,
        states: &mut States,
        lanes: Option<Vec<Lane>>,
    ) -> Result<Vec<Unit>, RunError> {
        if !states.mistakes.is_empty() {
            return Err(CheckError(std::mem::take(&mut states.mistakes)).into());
        }
        self.plans += 1;
        self.graph.nodes.iter_mut().for_each(|node| node.has_waiting = false);
        let mut lanes = match lanes {
            Some(lanes) => lanes,
            None => {
                let lanes = self.scheduler.lanes(&self.graph, &self.machine);
                lanes.map_err(|error| CheckError(vec![error]))?
            }
        };
        settle(&mut self.graph, states);
        for lane in lanes.iter().filter(|lane| lane.shared) {
            if self.graph.is_chain(&lane.blocks) {
                drain(&mut self.graph, &lane.blocks, states)?;
            }
        }
        self.note(states);
        lanes.iter_mut().for_each(|lane| lane.shared &= self.graph.is_chain(&lane.blocks));
        for lane in lanes.iter().filter(|lane| lane.shared) {
            pass_tags_on(&mut self.graph, &lane.blocks, states);
        }
        let (scheduler, workers) = (&*self.scheduler, Some(self.region.workers));
        let plan = Plan::of_lanes(&self.graph, scheduler, lanes, workers, &self.machine, &self.options)?;
        let is_outsider = |node: &Node| node.spec.blocking && node.is_new;
        let nodes = self.graph.nodes.iter().enumerate();
        let outsiders: Vec<usize> =
            nodes.filter(|(_, node)| is_outsider(node)).map(|(place, _)| place).collect();
        bind(&mut self.graph, &plan, &self.parkers, Some(states))?;
        self.graph.keep_streams();
        let units = units(&mut self.graph, &plan, 0, &self.counters, &self.options, Some(states));
        self.region.set_units(units, plan.regions.first());
        let lane_of = |block: usize| plan.lanes.iter().position(|lane| lane.blocks == [block]);
        let lanes = outsiders.into_iter().filter_map(lane_of);
        let begun =
            lanes.map(|lane| unit(&mut self.graph, &plan, lane, &self.counters, &self.options, Some(states)));
        let begun = begun.collect();
        self.lanes = plan.lanes;
        Ok(begun)
    }

    /// Deals the blocks into other lanes, unless the graph was planned again since there were so many `plans`: those lanes
    /// are of another graph then.
    pub fn rebalance(&mut self, lanes: Vec<Lane>, plans: u64) -> Result<(), RunError> {
        if plans != self.plans {
            return Ok(());
        }
        match self.take_apart() {
            Ok(mut states) => self.put_together(&mut states, Some(lanes)).map(|_| ()),
            // They stay where they are.
            Err(_) => Ok(()),
        }
    }

    /// Marks the nodes with what planning needs to know of the streams.
    fn note(&mut self, states: &States) {
        let streams = std::mem::take(&mut self.graph.streams);
        let item = |graph: &CheckedGraph, from: PortId| {
            graph.nodes[from.block].ports.outputs[from.port].1.item.size()
        };
        let written: HashMap<PortId, u64> = streams
            .iter()
            .map(|stream| {
                let bytes = item(&self.graph, stream.from);
                (stream.from, states.written(stream.from, &stream.readers, bytes))
            })
            .collect();
        for block in 0..self.graph.nodes.len() {
            let reads = |port: usize| {
                let id = PortId { block, port };
                let stream = streams.at_input(id)?;
                let waiting =
                    states.readers.get(&id).map_or(0, |state| state.waiting(item(&self.graph, stream.from)));
                Some((states.read(id), waiting, stream.kept))
            };
            let inputs: Vec<_> = (0..self.graph.nodes[block].ports.inputs.len()).map(reads).collect();
            let output = written.get(&PortId { block, port: 0 }).copied();
            let first = inputs.first().copied().flatten();
            let node = &mut self.graph.nodes[block];
            node.has_waiting = inputs.iter().flatten().any(|(_, waiting, _)| *waiting > 0);
            // A ring that stays was made for what the port asks, not for a chain.
            let kept = inputs.iter().flatten().any(|(_, _, kept)| *kept);
            node.kept_input =
                kept.then(|| node.ports.inputs.first().map_or((0, 1), |(_, s)| (s.history, s.needed())));
            let kept = streams.written_by(block).any(|stream| stream.kept);
            node.kept_output = kept.then(|| node.ports.outputs.first().map_or(1, |(_, spec)| spec.needed()));
            let in_step = match (first, output) {
                (Some((input, ..)), Some(output)) => input == output,
                _ => true,
            };
            node.spec.in_place = node.block.spec().in_place && in_step && !node.ended;
        }
        self.graph.streams = streams;
    }

    /// Gives the rings that are left in one block's ports to another's, which takes its place: they stay as they are.
    pub fn hand_over(old: &mut AnyBlock, new: &mut Node, states: &mut States) {
        struct Take<'a>(Shown<'a>, Rings);
        impl PortVisitor for Take<'_> {
            fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
                let Some(home) = self.0.input(name, port) else { return };
                let (item, raw) = (port.spec().item, port.raw());
                if matches!(raw.end, ReadEnd::Ring(_)) {
                    self.1.readers.insert(home.port, (item, std::mem::take(raw.end), *raw.limit));
                }
            }
            fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
                let Some(home) = self.0.output(name, port) else { return };
                let (item, raw) = (port.spec().item, port.raw());
                if matches!(raw.end, WriteEnd::Ring(_)) {
                    self.1.writers.insert(home.port, (item, std::mem::take(raw.end), *raw.limit));
                }
            }
        }
        /// Per port: what its items are, its end, and the longest span there.
        #[derive(Default)]
        struct Rings {
            readers: HashMap<usize, (ItemType, ReadEnd, usize)>,
            writers: HashMap<usize, (ItemType, WriteEnd, usize)>,
        }
        struct Give<'a>(Shown<'a>, Rings);
        impl PortVisitor for Give<'_> {
            fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
                let Some(home) = self.0.input(name, port) else { return };
                let Some((item, end, limit)) = self.1.readers.remove(&home.port) else { return };
                let spec = port.spec().clone();
                if item == spec.item {
                    let raw = port.raw();
                    (*raw.end, *raw.home, *raw.limit) = (end, home, spec.limit(limit));
                }
            }
            fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
                let Some(home) = self.0.output(name, port) else { return };
                let Some((item, end, limit)) = self.1.writers.remove(&home.port) else { return };
                let spec = port.spec().clone();
                if item == spec.item {
                    let raw = port.raw();
                    (*raw.end, *raw.home, *raw.limit) = (end, home, spec.limit(limit));
                }
            }
        }
        let mut shown = PortList::default();
        old.visit(&mut shown);
        let mut take = Take(Shown::of(&new.name, &shown, old.0.runner()), Rings::default());
        old.visit(&mut take);
        let mut give = Give(Shown::of(&new.name, &new.ports, new.block.0.runner()), take.1);
        new.block.visit(&mut give);
        states.mistakes.extend(give.0.mistakes());
    }

    /// Ends a block that was taken out of the graph, and drops it.
    pub fn retire(mut block: AnyBlock) {
        block.visit(&mut CloseAll);
    }
}
