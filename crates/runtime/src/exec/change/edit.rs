//! Changing a graph while it runs.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use super::partition::Partition;
use crate::block::any::IntoBlock;
use crate::block::runnable::AnyBlock;
use crate::data::{CheckError, ConnectError, ReconfigureError, suggestion};
use crate::exec::bind::disconnect_messages;
use crate::exec::region::Region;
use crate::exec::shared::{SPARE, Shared};
use crate::exec::thread::spawn;
use crate::exec::unit::Unit;
use crate::exec::worker::Worker;
use crate::graph::{CheckedGraph, Graph, Handle, Node};
use crate::plan::RegionPlan;
use crate::stream::refs::PortId;

/// Changes of a running graph, made all at once between two strips, or not at all.
///
/// It is a [`Graph`]: add blocks to it and connect their ports, or ports by name. What the streams hold stays in them:
/// a reader goes on with the items that wait before it, whoever writes its stream from now on; a new reader begins with
/// the next item that is written. What it finds before that is zeros, or what another reader of the stream has seen there.
///
/// A reader that comes to a stream with other readers gets a block before it that passes items on: what waits before it is
/// not what waits before those.
#[derive(Debug)]
pub struct Edit {
    graph: Graph,
    /// Blocks that were there before.
    known: usize,
    replaced: Vec<(usize, AnyBlock)>,
    removed: Vec<usize>,
    /// The items that wait before the first port go before those that wait before the second, in a removed block.
    spliced: Vec<(PortId, PortId)>,
}

/// Where a change took effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Per new or replaced block, those that the runtime adds included: its name, and the index of the first item that it
    /// takes (gives, for one without inputs).
    pub blocks: Vec<(String, u64)>,
    /// Per removed block: its name, and the index of the first item that it did not take (give, for one without inputs); 0
    /// where it had ended.
    pub removed: Vec<(String, u64)>,
}

impl Deref for Edit {
    type Target = Graph;
    fn deref(&self) -> &Graph {
        &self.graph
    }
}

impl DerefMut for Edit {
    fn deref_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }
}

impl Edit {
    /// A copy of the running graph without its blocks' code.
    fn new(graph: &CheckedGraph) -> Self {
        let nodes = graph.nodes.iter().map(|node| Node {
            name: node.name.clone(),
            block: AnyBlock::nothing(),
            spec: node.spec.clone(),
            ports: node.ports.clone(),
            shape: node.shape.clone(),
            joined: node.joined.clone(),
            ..*node
        });
        let links = graph.streams.iter().flat_map(|s| s.readers.iter().map(move |reader| (s.from, *reader)));
        let known = graph.nodes.len();
        let graph = Graph::of_parts(graph.number, nodes.collect(), links.collect(), graph.messages.clone());
        Edit { known, graph, replaced: Vec::new(), removed: Vec::new(), spliced: Vec::new() }
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        let found = self.graph.place_of(name).filter(|place| *place < self.known);
        if found.is_none() {
            let hint = suggestion(name, self.graph.blocks().map(|(name, _)| name));
            let mistake = match self.graph.joined_into(name) {
                Some(device) => ConnectError::Plan(format!(
                    "{name} lives on {device}: blocks of a device cannot be replaced or removed while the graph runs"
                )),
                None => ConnectError::Unknown { what: "block", name: name.to_owned(), hint },
            };
            self.graph.mistake(mistake);
        }
        found
    }

    /// Puts another block in the place of the one called `name`: it goes on with the items that wait there. Its ports
    /// must be of the same types. What the old block held inside is gone.
    pub fn replace<M, B: IntoBlock<M>>(&mut self, name: &str, block: B) -> Handle<B::Ports, B> {
        let place = self.find(name).unwrap_or(usize::MAX);
        let id = self.graph.id(place);
        let ports = block.ports(id);
        if place != usize::MAX {
            self.replace_any(place, block.into_block());
        }
        Handle::new(id, name.into(), ports)
    }

    /// As [`Edit::replace`], by a block whose type is known at run time only.
    pub fn replace_with(&mut self, name: &str, block: AnyBlock) {
        if let Some(place) = self.find(name) {
            self.replace_any(place, block);
        }
    }

    fn replace_any(&mut self, place: usize, block: AnyBlock) {
        let name = self.graph.node(place).name.clone();
        let node = Node::new(name, block);
        let skeleton = Node { block: AnyBlock::nothing(), ..node };
        let block = node.block;
        *self.graph.node_mut(place) = skeleton;
        self.replaced.push((place, block));
    }

    /// Takes a block out. One that has one input and one output of the same type is bridged: who fed it feeds those
    /// that it fed, and they get what waited before it. Another block's streams have to be connected anew.
    pub fn remove(&mut self, name: &str) {
        let Some(block) = self.find(name) else { return };
        let port = PortId { block, port: 0 };
        let ports = &self.graph.node(block).ports;
        let bridged = match (&ports.inputs[..], &ports.outputs[..]) {
            ([(_, input)], [(_, output)]) => input.item == output.item,
            _ => false,
        };
        self.graph.messages_mut().retain(|(from, to)| from.block != block && to.block != block);
        let links = self.graph.links_mut();
        let writer = links.iter().find(|(_, to)| *to == port).map(|(from, _)| *from);
        let readers: Vec<PortId> =
            links.iter().filter(|(from, _)| *from == port).map(|(_, to)| *to).collect();
        links.retain(|(from, to)| from.block != block && to.block != block);
        if let (true, Some(writer)) = (bridged, writer) {
            links.extend(readers.iter().map(|reader| (writer, *reader)));
            self.spliced.extend(readers.iter().map(|reader| (*reader, port)));
        }
        let node = self.graph.node_mut(block);
        // By its place, too: another block of the name may come and go.
        let name = format!("{} (removed from {block})", node.name);
        *node = Node { ended: true, ..Node::new(name, AnyBlock::nothing()) };
        self.removed.push(block);
    }

    /// Puts a block between an output and all that read it. The output is `block.port`, or `block` where it has one; the block has one
    /// input and one output of those items. It takes what is given from now on: what waits before the readers, and what they have
    /// seen, stays theirs. [`Edit::remove`] makes all as it was.
    ///
    /// ```
    /// use superhet_runtime::{AnyBlock, Graph, Options, Pure, Single, harness::{VecSink, VecSource}};
    ///
    /// struct Negate;
    /// impl Pure for Negate {
    ///     type In = f32;
    ///     type Out = f32;
    ///     fn map(&self, x: &[f32], y: &mut [f32]) { y.iter_mut().zip(x).for_each(|(y, x)| *y = -x); }
    /// }
    ///
    /// let mut graph = Graph::new();
    /// graph.add("source", VecSource::new(vec![1.0f32; 10_000_000]));
    /// let sink = VecSink::<f32>::new();
    /// let items = sink.items();
    /// graph.add("sink", sink);
    /// graph.connect_names("source", "sink");
    /// let running = graph.check()?.start(&Single, &Options::default())?;
    /// // A graph that has come to its end is changed no more.
    /// let changed = running.reconfigure(|edit| edit.insert("negate", AnyBlock::new(Negate), "source.out"));
    /// running.wait()?;
    /// let from = changed.map_or(10_000_000, |(_, changed)| changed.blocks[0].1) as usize;
    /// let items = items.take();
    /// assert!(items[..from].iter().all(|x| *x == 1.0) && items[from..].iter().all(|x| *x == -1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert(&mut self, name: impl Into<String>, block: AnyBlock, output: &str) {
        let Some(from) = self.graph.find_output(output) else { return };
        let place = self.graph.add_any(name, block).place;
        let Node { name, ports, .. } = self.graph.node(place);
        if (ports.inputs.len(), ports.outputs.len()) != (1, 1) {
            let mistake = format!(
                "{name} cannot be put behind {output}: expected a block with one input and one output, got {} and {}",
                ports.inputs.len(),
                ports.outputs.len()
            );
            return self.graph.mistake(ConnectError::Plan(mistake));
        }
        let end = PortId { block: place, port: 0 };
        let links = self.graph.links_mut();
        links.iter_mut().filter(|(writer, _)| *writer == from).for_each(|(writer, _)| *writer = end);
        links.push((from, end));
    }

    /// Takes the connection between two ports away, both given as for [`Graph::connect_names`]. An input for messages that
    /// nothing is connected to any more waits for what comes from outside.
    pub fn disconnect_names(&mut self, from: &str, to: &str) {
        self.graph.unlink(from, to);
    }
}

/// A block that was added and waits for the outside world, with the thread that is to run it.
struct Outsider {
    unit: Unit,
    thread: usize,
}

/// The changed graph, checked, with the blocks that are new.
struct Checked {
    graph: CheckedGraph,
    known: usize,
    replaced: Vec<(usize, AnyBlock)>,
    removed: Vec<usize>,
    spliced: Vec<(PortId, PortId)>,
}

/// Leads readers that come to a stream with other readers through a block of their own: what waits before them, and what they
/// have seen, is not that stream's.
fn keep_apart(graph: &mut Graph, old: &CheckedGraph) {
    let stream_before = |reader: PortId| old.streams.at_input(reader).map(|stream| stream.from);
    let links = graph.links_mut().clone();
    let mut readers: HashMap<PortId, Vec<PortId>> = HashMap::new();
    links.iter().for_each(|&(from, reader)| readers.entry(from).or_default().push(reader));
    for (place, &(from, reader)) in links.iter().enumerate() {
        let before = stream_before(reader);
        let is_apart = readers[&from].iter().any(|other| *other != reader && stream_before(*other) != before);
        if before.is_none() || before == Some(from) || !is_apart {
            continue;
        }
        graph.pass_on(place);
    }
}

/// What blocks ask for that come to others' places, and streams that stay as they are do not have.
fn asks_too_much(graph: &CheckedGraph, old: &CheckedGraph, replaced: &[(usize, AnyBlock)]) -> Vec<String> {
    let kept = graph.streams.iter().filter(|stream| stream.kept).flat_map(|stream| &stream.readers);
    let replaced = kept.filter(|reader| replaced.iter().any(|(place, _)| *place == reader.block));
    let histories = replaced.map(|reader| {
        let history = |graph: &CheckedGraph| {
            let inputs = &graph.nodes[reader.block].ports.inputs;
            inputs.get(reader.port).map_or(0, |(_, spec)| spec.history)
        };
        (graph.nodes[reader.block].input_name(reader.port), history(graph), history(old))
    });
    let mistake = |(port, new, old)| {
        format!(
            "{port} asks for {new} items before the next, but its stream keeps {old}, and stays as it is: one of its blocks \
             waits for the outside world"
        )
    };
    histories.filter(|(_, new, old)| new > old).map(mistake).collect()
}

/// Checks what can be checked before any worker pauses. So many threads can be started as are `spare`.
fn check(edit: Edit, old: &CheckedGraph, spare: usize) -> Result<Checked, ReconfigureError> {
    let Edit { mut graph, known, replaced, removed, spliced } = edit;
    keep_apart(&mut graph, old);
    let mut graph = graph.check()?;
    let mut mistakes = Vec::new();
    let mut added = 0;
    for (place, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.spec.blocking) {
        if replaced.iter().any(|(p, _)| *p == place) {
            mistakes.push(format!(
                "{} waits for the outside world: such a block can be added, but not take another's place",
                node.name
            ));
        } else if place >= known && !node.joined.is_empty() {
            mistakes.push(format!(
                "{} would live on {}: blocks of a device cannot be added while the graph runs",
                node.joined.join(", "),
                node.name
            ));
        } else if place >= known {
            added += 1;
            if added > spare {
                mistakes.push(format!(
                    "{} waits for the outside world: of such blocks only {SPARE} can run at a time that were added later",
                    node.name
                ));
            }
        }
    }
    // A stream between new blocks is made as all others are, and is in its blocks' own hands from then on.
    let waits = |block: usize| block < known && graph.nodes[block].spec.blocking;
    graph
        .streams
        .keep(|stream| waits(stream.from.block) || stream.readers.iter().any(|reader| waits(reader.block)));
    for stream in &graph.streams {
        let is_as_before = old.streams.at_output(stream.from).is_some_and(|known| {
            known.readers.len() == stream.readers.len()
                && stream.readers.iter().all(|reader| known.readers.contains(reader))
        });
        if stream.kept && !is_as_before {
            mistakes.push(format!(
                "the stream from {} cannot be rewired: one of its blocks waits for the outside world",
                graph.nodes[stream.from.block].output_name(stream.from.port)
            ));
        }
    }
    mistakes.extend(asks_too_much(&graph, old, &replaced));
    let is_new = |link: &&(PortId, PortId)| !old.messages.contains(link);
    let is_gone = |link: &&(PortId, PortId)| !graph.messages.contains(link);
    let changed = graph.messages.iter().filter(is_new).chain(old.messages.iter().filter(is_gone));
    // A block that comes to another's place has a queue of its own.
    let is_led_elsewhere = |(_, to): &&(PortId, PortId)| replaced.iter().any(|(place, _)| *place == to.block);
    let changed = changed.chain(graph.messages.iter().filter(is_led_elsewhere));
    // A block that waits for the outside world has its ports in its own hands, but for the queues of its messages.
    for (from, _) in changed {
        if let Some(node) = old.nodes.get(from.block).filter(|node| node.spec.blocking) {
            mistakes.push(format!(
                "the messages that {} sends cannot be rewired: it waits for the outside world",
                node.name
            ));
        }
    }
    let waits = |block: usize| old.nodes[block].spec.blocking;
    for block in removed.iter().chain(replaced.iter().map(|(place, _)| place)).filter(|b| waits(**b)) {
        mistakes
            .push(format!("{} waits for the outside world, and cannot be taken out", old.nodes[*block].name));
    }
    match mistakes.is_empty() {
        true => Ok(Checked { graph, known, replaced, removed, spliced }),
        false => Err(CheckError(mistakes.into_iter().map(ConnectError::Plan).collect()).into()),
    }
}

impl Checked {
    /// Makes the changes in a graph that was taken apart.
    fn apply(
        self,
        partition: &mut Partition,
        shared: &Shared,
    ) -> Result<(Changed, Vec<Outsider>), ReconfigureError> {
        let mut states = partition.take_apart()?;
        let Checked { mut graph, known, replaced, removed, spliced } = self;
        let mut old = std::mem::replace(&mut partition.graph, CheckedGraph::empty());
        disconnect_messages(&mut old, &graph.messages);
        graph.queues = std::mem::take(&mut old.queues);
        let last_item = |&place: &usize| {
            let (name, port) = (old.nodes[place].name.clone(), PortId { block: place, port: 0 });
            let is_source = old.nodes[place].ports.inputs.is_empty();
            let given = states.writers.get(&port).copied().unwrap_or(0);
            (name, if is_source { given } else { states.read(port) })
        };
        let removed_at = removed.iter().map(last_item).collect();
        let mut retired = Vec::new();
        for (place, node) in old.nodes.into_iter().enumerate() {
            let new = &mut graph.nodes[place];
            let is_replaced = replaced.iter().any(|(p, _)| *p == place);
            if is_replaced || removed.contains(&place) {
                retired.push((place, node.block));
            } else {
                *new = node;
            }
        }
        let mut places: Vec<usize> = (known..graph.nodes.len()).collect();
        let mut threads = Vec::new();
        for node in graph.nodes[known..].iter_mut().filter(|node| node.spec.blocking) {
            let Some(thread) = shared.take_thread() else { continue };
            node.region = shared.threads[thread].region;
            threads.push(thread);
        }
        for (place, block) in replaced {
            graph.nodes[place].block = block;
            places.push(place);
        }
        for (reader, removed) in spliced {
            if let Some(more) = states.readers.get(&removed).cloned()
                && let Some(state) = states.readers.get_mut(&reader)
            {
                let item = graph.nodes[reader.block].ports.inputs[reader.port].1.item.size();
                let shift = state.index.wrapping_add(state.waiting(item) as u64).wrapping_sub(more.index);
                state.bytes.extend_from_slice(&more.bytes[more.history * item..]);
                state.tags.extend(more.tags.into_iter().map(|mut tag| {
                    tag.index = tag.index.wrapping_add(shift);
                    tag
                }));
            }
        }
        for (place, block) in &mut retired {
            // A ring that stays goes to the block that comes after.
            Partition::hand_over(block, &mut graph.nodes[*place], &mut states);
        }
        for place in removed {
            states.readers.retain(|port, _| port.block != place);
            states.writers.retain(|port, _| port.block != place);
        }
        partition.graph = graph;
        shared.take_view(partition, &|place| places.contains(&place));
        let begun = partition.put_together(&mut states, None).map_err(|error| {
            shared.give_back(&threads);
            ReconfigureError::Run(error)
        })?;
        let outsiders = begun.into_iter().zip(threads).map(|(unit, thread)| Outsider { unit, thread });
        let outsiders = outsiders.collect();
        retired.into_iter().for_each(|(_, block)| Partition::retire(block));
        let first_item = |place: &usize| {
            let node = &partition.graph.nodes[*place];
            let index = if node.ports.inputs.is_empty() { node.base.output } else { node.base.input };
            (node.name.clone(), index)
        };
        Ok((Changed { blocks: places.iter().map(first_item).collect(), removed: removed_at }, outsiders))
    }
}

impl Outsider {
    /// Starts its thread, which counts as one of the graph's already. Not on a worker's thread: one that is bound to a processor
    /// would bind it, too.
    fn start(self, shared: &Arc<Shared>) {
        let Outsider { unit, thread } = self;
        let parker = shared.parkers[shared.threads[thread].region].clone();
        let plan =
            RegionPlan { lanes: Vec::new(), workers: 1, on_duty: 1, cpus: Vec::new(), claim_strips: 1 };
        let (processors, seed, priority) = match shared.partition().as_ref() {
            Some(partition) => {
                (partition.machine.cpus.len(), partition.options.seed, partition.options.priority)
            }
            None => Default::default(),
        };
        let region = Arc::new(Region::new(parker, vec![unit], &plan, false, processors, seed));
        match spawn(Worker::new(thread, 0, region, shared.clone(), seed), None, priority) {
            Ok(handle) => shared.keep(handle),
            Err(error) => {
                shared.fail(error);
                shared.thread_ended(thread);
            }
        }
    }
}

/// Changes a running graph; see [`RunningGraph::reconfigure`](crate::RunningGraph::reconfigure).
pub(in crate::exec) fn reconfigure<R>(
    shared: &Arc<Shared>,
    timeout: Duration,
    change: impl FnOnce(&mut Edit) -> R,
) -> Result<(R, Changed), ReconfigureError> {
    let _one_at_a_time = shared.editing.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (checked, result) = {
        let partition = shared.partition();
        let Some(partition) = partition.as_ref() else { return Err(ReconfigureError::Scheduler) };
        let mut edit = Edit::new(&partition.graph);
        let result = change(&mut edit);
        (check(edit, &partition.graph, shared.spare_threads())?, result)
    };
    let (sender, receiver) = mpsc::channel();
    let number = shared.safepoint.ask(Box::new(move |shared: &Shared| {
        let mut partition = shared.partition();
        let outcome = match partition.as_mut() {
            Some(partition) => checked.apply(partition, shared),
            None => Err(ReconfigureError::Ended),
        };
        let _ = sender.send(outcome);
    }));
    let Some(number) = number else { return Err(ReconfigureError::Ended) };
    shared.wake_all();
    let finish = |outcome: Result<(Changed, Vec<Outsider>), ReconfigureError>| {
        // A graph that could not be put together again cannot go on.
        if matches!(outcome, Err(ReconfigureError::Run(_))) {
            shared.cancel();
        }
        let (changed, outsiders) = outcome?;
        outsiders.into_iter().for_each(|outsider| outsider.start(shared));
        Ok::<_, ReconfigureError>(changed)
    };
    match receiver.recv_timeout(timeout) {
        Ok(outcome) => Ok((result, finish(outcome)?)),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(ReconfigureError::Ended),
        Err(mpsc::RecvTimeoutError::Timeout) => match shared.safepoint.withdraw(number) {
            true => Err(ReconfigureError::DidNotPause { blocks: shared.missing(), waited: timeout }),
            // It is being made this moment.
            false => Ok((result, finish(receiver.recv().unwrap_or(Err(ReconfigureError::Ended)))?)),
        },
    }
}
