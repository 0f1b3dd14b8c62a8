//! Makes the buffers of a plan and gives every port its end.

use std::collections::{HashMap, HashSet, hash_map::Entry};
use std::sync::Arc;

use crate::data::{CheckError, ConnectError, RunError};
use crate::graph::{CheckedGraph, PortList};
use crate::plan::{BufferPlan, Plan, PoolPlan, StreamPlan};
use crate::stream::buffer::{
    Pool, ReadEnd, ReaderState, Runner, ScratchWriter, Start, WriteEnd, ring, scratch,
};
use crate::stream::message::{MsgIn, MsgOut, Queue};
use crate::stream::port::{AnyIn, AnyOut, Home, PortSpec};
use crate::stream::refs::PortId;
use crate::stream::visit::PortVisitor;
use crate::wake::Parker;

/// Where the streams of a graph that was running stand: what waits before each reader, and how far each writer is.
#[derive(Debug, Default)]
pub(super) struct States {
    pub readers: HashMap<PortId, ReaderState>,
    pub writers: HashMap<PortId, u64>,
    /// The next item of readers whose rings stay as they are.
    pub kept: HashMap<PortId, u64>,
    /// What the blocks have shown that was not as they had shown it before.
    pub mistakes: Vec<ConnectError>,
}

impl States {
    /// The index of the next item that a reader takes.
    pub fn read(&self, reader: PortId) -> u64 {
        let state = self.readers.get(&reader).filter(|state| !state.closed);
        state.map(|state| state.index).or_else(|| self.kept.get(&reader).copied()).unwrap_or(0)
    }

    /// The index of the next item of a stream: as its writer says, or as a reader knows.
    pub fn written(&self, from: PortId, readers: &[PortId], item_bytes: usize) -> u64 {
        let known = || {
            let mut open = readers.iter().filter_map(|r| self.readers.get(r)).filter(|r| !r.closed);
            open.next().map(|state| state.index + state.waiting(item_bytes) as u64)
        };
        self.writers.get(&from).copied().or_else(known).unwrap_or(0)
    }
}

/// Connects all ports of `graph` as `plan` says; `parkers` has one for each region. The streams go on from `states`; there, blocks
/// that run on have their ports already.
pub(super) fn bind(
    graph: &mut CheckedGraph,
    plan: &Plan,
    parkers: &[Arc<Parker>],
    states: Option<&States>,
) -> Result<(), RunError> {
    let (mut readers, mut writers) = ends(graph, plan, states)?;
    let mut mistakes = Vec::new();
    let mut lane_of = vec![usize::MAX; graph.nodes.len()];
    for (index, lane) in plan.lanes.iter().enumerate() {
        lane.blocks.iter().for_each(|&block| lane_of[block] = index);
    }
    connect_messages(graph);
    let crossing = Crossing::of(graph, plan);
    for (block, node) in graph.nodes.iter_mut().enumerate() {
        // Its ports are where its own thread has them.
        if states.is_some() && node.spec.blocking && !node.is_new {
            continue;
        }
        let mut bind = Bind {
            block,
            name: node.name.as_str().into(),
            shown: Shown::of(&node.name, &node.ports, node.block.0.runner()),
            readers: &mut readers,
            writers: &mut writers,
            parker: &parkers[node.region],
            crossing: &crossing,
            // Blocks with threads of their own are not asked again when the others' lanes change.
            lane: if node.spec.blocking { usize::MAX - 1 - block } else { lane_of[block] },
            is_new: std::mem::take(&mut node.is_new),
        };
        node.block.visit(&mut bind);
        mistakes.extend(bind.shown.mistakes());
    }
    if mistakes.is_empty() { Ok(()) } else { Err(CheckError(mistakes).into()) }
}

/// An end and the longest span that the plan allows there.
type Ends<E> = HashMap<PortId, (E, usize)>;

fn ends(
    graph: &CheckedGraph,
    plan: &Plan,
    states: Option<&States>,
) -> Result<(Ends<ReadEnd>, Ends<WriteEnd>), RunError> {
    let (mut readers, mut writers) = (HashMap::new(), HashMap::new());
    let mut pools = HashMap::new();
    let mut streams_of = vec![Vec::new(); plan.buffers.len()];
    plan.streams.iter().for_each(|stream| streams_of[stream.buffer].push(stream));
    for (buffer, mut streams) in plan.buffers.iter().zip(streams_of) {
        streams.sort_by_key(|stream| stream.stage);
        let (Some(first), Some(last)) = (streams.first(), streams.last()) else { continue };
        let item = graph.nodes[first.from.block].ports.outputs[first.from.port].1.item;
        let no_memory = |kind: &str, items: usize, error| RunError::System {
            what: format!(
                "no {kind}memory for the stream from {} ({items} items of {} bytes)",
                graph.nodes[first.from.block].output_name(first.from.port),
                item.size()
            ),
            error,
        };
        let readers_of = |stream: &StreamPlan| stream.readers.clone();
        let in_buffer: Vec<PortId> = match buffer {
            BufferPlan::Scratch { .. } => streams.iter().flat_map(|stream| readers_of(stream)).collect(),
            _ => readers_of(first),
        };
        let start = states.and_then(|states| start(graph, states, &streams, &in_buffer));
        let start = start.as_ref();
        match buffer {
            BufferPlan::Kept => {}
            BufferPlan::Inside => {}
            BufferPlan::Scratch { spec, pool } => {
                let no_memory = |error| no_memory("", spec.capacity, error);
                let pool = match pool {
                    Some(place) => Some(pool_at(&mut pools, plan, *place).map_err(no_memory)?),
                    None => None,
                };
                let (writer, stages, ends) = scratch(item, spec, start, pool).map_err(no_memory)?;
                writers.insert(first.from, (WriteEnd::Scratch(writer), first.strip));
                for ((stage, before), after) in stages.into_iter().zip(&streams).zip(&streams[1..]) {
                    let writer = WriteEnd::Scratch(ScratchWriter::of_stage(&stage));
                    writers.insert(after.from, (writer, after.strip));
                    readers.insert(before.readers[0], (ReadEnd::Scratch(stage), before.strip));
                }
                for (reader, end) in last.readers.iter().zip(ends) {
                    // One that has ended gets none: what lies before it is the writer's.
                    let Some(end) = end else { continue };
                    readers.insert(*reader, (ReadEnd::Scratch(end), last.strip));
                }
            }
            BufferPlan::Ring(spec) => {
                let kind = if spec.mirrored { "mirrored " } else { "" };
                let (writer, ends) =
                    ring(item, spec, start).map_err(|error| no_memory(kind, spec.capacity, error))?;
                writers.insert(first.from, (WriteEnd::Ring(writer), first.strip));
                for (reader, end) in first.readers.iter().zip(ends) {
                    let Some(end) = end else { continue };
                    readers.insert(*reader, (ReadEnd::Ring(end), first.strip));
                }
            }
        }
    }
    Ok((readers, writers))
}

/// A pool of the plan, made where it is not there yet.
fn pool_at<'a>(
    pools: &'a mut HashMap<usize, Arc<Pool>>,
    plan: &Plan,
    place: usize,
) -> std::io::Result<&'a Arc<Pool>> {
    match pools.entry(place) {
        Entry::Occupied(known) => Ok(known.into_mut()),
        Entry::Vacant(vacant) => {
            let PoolPlan { pieces, bytes, .. } = plan.pools[place];
            // As the scratches that share it: their ends may be dropped by different threads.
            #[allow(clippy::arc_with_non_send_sync)]
            let pool = Arc::new(Pool::new(pieces, bytes)?);
            Ok(vacant.insert(pool))
        }
    }
}

/// What a buffer of these streams begins with, where they were running before.
fn start(
    graph: &CheckedGraph,
    states: &States,
    streams: &[&StreamPlan],
    readers: &[PortId],
) -> Option<Start> {
    let is_known = |stream: &&StreamPlan| {
        states.writers.contains_key(&stream.from)
            || stream.readers.iter().any(|reader| states.readers.contains_key(reader))
    };
    if !streams.iter().any(is_known) {
        return None;
    }
    let written = |stream: &StreamPlan| states.written(stream.from, &stream.readers, stream.item_bytes);
    let reader = |port: &PortId| {
        let Some(stream) = streams.iter().find(|stream| stream.readers.contains(port)) else {
            return ReaderState::default();
        };
        let mut state = match states.readers.get(port) {
            Some(state) => state.clone(),
            None => ReaderState { index: written(stream), ..ReaderState::default() },
        };
        state.closed |= graph.nodes[port.block].ended;
        state
    };
    Some(Start {
        written: streams.first().map_or(0, |first| written(first)),
        readers: readers.iter().map(reader).collect(),
        finished: streams.iter().map(|stream| graph.nodes[stream.from.block].ended).collect(),
    })
}

/// Connects the message ports that are not connected yet.
fn connect_messages(graph: &mut CheckedGraph) {
    struct Collect<'a> {
        block: usize,
        port: usize,
        queues: &'a mut HashMap<PortId, Arc<Queue>>,
    }
    impl PortVisitor for Collect<'_> {
        fn message_input(&mut self, _: &str, port: &mut MsgIn) {
            self.queues.insert(PortId { block: self.block, port: self.port }, port.queue().clone());
            self.port += 1;
        }
    }
    for (block, node) in graph.nodes.iter_mut().enumerate() {
        node.block.visit(&mut Collect { block, port: 0, queues: &mut graph.queues });
    }
    for (from, to) in graph.messages.clone() {
        with_queue(graph, from, to, MsgOut::connect);
    }
}

/// Takes away those connections of message ports that are not among `kept`.
pub(super) fn disconnect_messages(graph: &mut CheckedGraph, kept: &[(PortId, PortId)]) {
    for (from, to) in graph.messages.clone() {
        if !kept.contains(&(from, to)) {
            with_queue(graph, from, to, MsgOut::disconnect);
        }
    }
}

/// Calls `change` with the message output `from` and the queue of the message input `to`.
fn with_queue(graph: &mut CheckedGraph, from: PortId, to: PortId, change: fn(&mut MsgOut, &Arc<Queue>)) {
    struct Change<'a> {
        port: usize,
        queue: &'a Arc<Queue>,
        change: fn(&mut MsgOut, &Arc<Queue>),
    }
    impl PortVisitor for Change<'_> {
        fn message_output(&mut self, _: &str, port: &mut MsgOut) {
            if self.port == 0 {
                (self.change)(port, self.queue);
            }
            self.port = self.port.wrapping_sub(1);
        }
    }
    if let Some(queue) = graph.queues.get(&to) {
        graph.nodes[from.block].block.visit(&mut Change { port: from.port, queue, change });
    }
}

/// Compares the ports that a block shows with those that it has shown when it was added: an end must never get to a port of other
/// items, nor be taken for another's.
pub(super) struct Shown<'a> {
    block: &'a str,
    ports: &'a PortList,
    runner: Runner,
    inputs: usize,
    outputs: usize,
    mistakes: Vec<ConnectError>,
}

impl<'a> Shown<'a> {
    /// Of a block that is about to be visited.
    pub fn of(block: &'a str, ports: &'a PortList, runner: Runner) -> Self {
        Shown { block, ports, runner, inputs: 0, outputs: 0, mistakes: Vec::new() }
    }

    /// The home of the next input; `None` where the port that is shown is another.
    pub fn input(&mut self, name: &str, port: &mut dyn AnyIn) -> Option<Home> {
        let home = Home { runner: self.runner, port: self.inputs };
        self.inputs += 1;
        let known = self.ports.inputs.get(home.port);
        let is_its_own = {
            let raw = port.raw();
            matches!(raw.end, ReadEnd::None) || *raw.home == home
        };
        self.compare(name, port.spec(), known, is_its_own).then_some(home)
    }

    /// As `input`, of an output.
    pub fn output(&mut self, name: &str, port: &mut dyn AnyOut) -> Option<Home> {
        let home = Home { runner: self.runner, port: self.outputs };
        self.outputs += 1;
        let known = self.ports.outputs.get(home.port);
        let is_its_own = {
            let raw = port.raw();
            matches!(raw.end, WriteEnd::None) || *raw.home == home
        };
        self.compare(name, port.spec(), known, is_its_own).then_some(home)
    }

    fn compare(
        &mut self,
        name: &str,
        spec: &PortSpec,
        known: Option<&(String, PortSpec)>,
        is_its_own: bool,
    ) -> bool {
        let port = format!("{}.{name}", self.block);
        let is_as_added = known.is_some_and(|(known, as_added)| known == name && as_added == spec);
        if !is_as_added {
            let problem =
                "other items or spans than when it was added: a block shows the same ports each time";
            self.mistakes.push(ConnectError::Contract { port, problem: problem.to_owned() });
        } else if !is_its_own {
            let problem =
                format!("{port} has what was connected to another port: ports stay with their block");
            self.mistakes.push(ConnectError::Plan(problem));
        }
        is_as_added && is_its_own
    }

    /// What was not as before, ports that were not shown among it.
    pub fn mistakes(mut self) -> Vec<ConnectError> {
        let hidden = self.ports.inputs.iter().skip(self.inputs);
        let hidden = hidden.chain(self.ports.outputs.iter().skip(self.outputs));
        let sentence = |(name, _): &(String, PortSpec)| {
            format!("{}.{name} is not shown any more: a block shows the same ports each time", self.block)
        };
        self.mistakes.extend(hidden.map(sentence).map(ConnectError::Plan).collect::<Vec<_>>());
        self.mistakes
    }
}

/// The ends of streams whose other end is in another region: whoever moves items there wakes workers here.
///
/// A worker that moves items within its region goes on with them itself, and wakes others for what it leaves to them.
struct Crossing(HashSet<PortId>, HashSet<PortId>);

impl Crossing {
    fn of(graph: &CheckedGraph, plan: &Plan) -> Self {
        let region = |port: &PortId| graph.nodes[port.block].region;
        let (mut readers, mut writers) = (HashSet::new(), HashSet::new());
        for stream in &plan.streams {
            let crossing = stream.readers.iter().filter(|reader| region(reader) != region(&stream.from));
            readers.extend(crossing.copied());
            if stream.readers.iter().any(|reader| region(reader) != region(&stream.from)) {
                writers.insert(stream.from);
            }
        }
        Crossing(readers, writers)
    }
}

struct Bind<'a> {
    block: usize,
    name: Arc<str>,
    shown: Shown<'a>,
    readers: &'a mut Ends<ReadEnd>,
    writers: &'a mut Ends<WriteEnd>,
    parker: &'a Arc<Parker>,
    crossing: &'a Crossing,
    lane: usize,
    is_new: bool,
}

impl PortVisitor for Bind<'_> {
    fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
        let Some(home) = self.shown.input(name, port) else { return };
        let spec = port.spec().clone();
        let raw = port.raw();
        *raw.home = home;
        let id = PortId { block: self.block, port: home.port };
        if let Some((mut end, strip)) = self.readers.remove(&id) {
            if let ReadEnd::Ring(ring) = &mut end
                && self.crossing.0.contains(&id)
            {
                ring.set_parker(self.parker);
            }
            (*raw.end, *raw.limit) = (end, spec.limit(strip));
        }
    }

    fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
        let Some(home) = self.shown.output(name, port) else { return };
        let id = PortId { block: self.block, port: home.port };
        let spec = port.spec().clone();
        let raw = port.raw();
        (*raw.home, *raw.source) = (home, self.name.clone());
        if let Some((mut end, strip)) = self.writers.remove(&id) {
            if let WriteEnd::Ring(ring) = &mut end
                && self.crossing.1.contains(&id)
            {
                ring.set_parker(self.parker);
            }
            (*raw.end, *raw.limit) = (end, spec.limit(strip));
        }
    }

    fn message_input(&mut self, _: &str, port: &mut MsgIn) {
        port.set_lane(self.lane);
        if self.is_new {
            port.set_parker(self.parker);
        }
    }

    fn message_output(&mut self, _: &str, port: &mut MsgOut) {
        port.set_lane(self.lane);
        if self.is_new {
            port.set_parker(self.parker);
        }
    }
}
