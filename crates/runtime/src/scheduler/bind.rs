//! Makes the buffers of a plan and gives every port its end.

use std::collections::HashMap;
use std::sync::Arc;

use crate::buffer::{ReadEnd, ScratchWriter, WriteEnd, ring, scratch};
use crate::error::{CheckError, ConnectError, RunError};
use crate::graph::{CheckedGraph, PortId, PortList, PortVisitor};
use crate::message::{MsgIn, MsgOut, Queue};
use crate::park::Parker;
use crate::plan::{BufferPlan, Plan};
use crate::port::{AnyIn, AnyOut, PortSpec};

/// Connects all ports of `graph` as `plan` says; `parkers` has one for each crew.
pub(super) fn bind(graph: &mut CheckedGraph, plan: &Plan, parkers: &[Arc<Parker>]) -> Result<(), RunError> {
    let (mut readers, mut writers) = ends(graph, plan)?;
    let mut mistakes = Vec::new();
    let mut crew_of = vec![0; graph.nodes.len()];
    for (index, crew) in plan.crews.iter().enumerate() {
        let blocks = crew.lanes.iter().flat_map(|&lane| &plan.lanes[lane].blocks);
        blocks.for_each(|&block| crew_of[block] = index);
    }
    connect_messages(graph);
    for (block, node) in graph.nodes.iter_mut().enumerate() {
        let mut bind = Bind {
            block,
            name: node.name.as_str().into(),
            input: 0,
            output: 0,
            readers: &mut readers,
            writers: &mut writers,
            ports: &node.ports,
            mistakes: &mut mistakes,
            parker: &parkers[crew_of[block]],
        };
        node.block.visit(&mut bind);
    }
    if mistakes.is_empty() { Ok(()) } else { Err(CheckError(mistakes).into()) }
}

/// An end and the longest span that the plan allows there.
type Ends<E> = HashMap<PortId, (E, usize)>;

fn ends(graph: &CheckedGraph, plan: &Plan) -> Result<(Ends<ReadEnd>, Ends<WriteEnd>), RunError> {
    let (mut readers, mut writers) = (HashMap::new(), HashMap::new());
    for (index, buffer) in plan.buffers.iter().enumerate() {
        let mut streams: Vec<_> = plan.streams.iter().filter(|stream| stream.buffer == index).collect();
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
        match buffer {
            BufferPlan::Inside => {}
            BufferPlan::Scratch(spec) => {
                let (writer, stages, ends) =
                    scratch(item, spec).map_err(|error| no_memory("", spec.capacity, error))?;
                writers.insert(first.from, (WriteEnd::Scratch(writer), first.strip));
                for ((stage, before), after) in stages.into_iter().zip(&streams).zip(&streams[1..]) {
                    let writer = WriteEnd::Scratch(ScratchWriter::of_stage(&stage));
                    writers.insert(after.from, (writer, after.strip));
                    readers.insert(before.readers[0], (ReadEnd::Scratch(stage), before.strip));
                }
                for (reader, end) in last.readers.iter().zip(ends) {
                    readers.insert(*reader, (ReadEnd::Scratch(end), last.strip));
                }
            }
            BufferPlan::Ring(spec) => {
                let kind = if spec.mirrored { "mirrored " } else { "" };
                let (writer, ends) =
                    ring(item, spec).map_err(|error| no_memory(kind, spec.capacity, error))?;
                writers.insert(first.from, (WriteEnd::Ring(writer), first.strip));
                for (reader, end) in first.readers.iter().zip(ends) {
                    readers.insert(*reader, (ReadEnd::Ring(end), first.strip));
                }
            }
        }
    }
    Ok((readers, writers))
}

fn connect_messages(graph: &mut CheckedGraph) {
    /// Finds the queue of one message input, or connects one message output to a queue.
    struct Find {
        port: usize,
        queue: Option<Arc<Queue>>,
    }
    impl PortVisitor for Find {
        fn message_input(&mut self, _: &str, port: &mut MsgIn) {
            if self.port == 0 && self.queue.is_none() {
                self.queue = Some(port.queue().clone());
            }
            self.port = self.port.wrapping_sub(1);
        }
    }
    struct Connect {
        port: usize,
        queue: Arc<Queue>,
    }
    impl PortVisitor for Connect {
        fn message_output(&mut self, _: &str, port: &mut MsgOut) {
            if self.port == 0 {
                port.connect(&self.queue);
            }
            self.port = self.port.wrapping_sub(1);
        }
    }
    for (from, to) in std::mem::take(&mut graph.messages) {
        let mut find = Find { port: to.port, queue: None };
        graph.nodes[to.block].block.visit(&mut find);
        if let Some(queue) = find.queue {
            graph.nodes[from.block].block.visit(&mut Connect { port: from.port, queue });
        }
    }
}

struct Bind<'a> {
    block: usize,
    name: Arc<str>,
    input: usize,
    output: usize,
    readers: &'a mut Ends<ReadEnd>,
    writers: &'a mut Ends<WriteEnd>,
    /// What the block has shown when it was added.
    ports: &'a PortList,
    mistakes: &'a mut Vec<ConnectError>,
    parker: &'a Arc<Parker>,
}

impl Bind<'_> {
    /// Whether the port is the one that was checked. An end must never get to a port of other items.
    fn is_as_checked(&mut self, name: &str, spec: &PortSpec, checked: Option<&(String, PortSpec)>) -> bool {
        let is_same = checked.is_some_and(|(_, checked)| checked == spec);
        if !is_same {
            let port = format!("{}.{name}", self.name);
            let problem =
                "other items or spans than when it was added: a block shows the same ports each time";
            self.mistakes.push(ConnectError::Contract { port, problem: problem.to_owned() });
        }
        is_same
    }
}

impl PortVisitor for Bind<'_> {
    fn input(&mut self, name: &str, port: &mut dyn AnyIn) {
        let id = PortId { block: self.block, port: self.input };
        self.input += 1;
        let spec = port.spec().clone();
        if !self.is_as_checked(name, &spec, self.ports.inputs.get(id.port)) {
            return;
        }
        if let Some((mut end, strip)) = self.readers.remove(&id) {
            if let ReadEnd::Ring(ring) = &mut end {
                ring.set_parker(self.parker);
            }
            let raw = port.raw();
            (*raw.end, *raw.limit) = (end, spec.limit(strip));
        }
    }

    fn output(&mut self, name: &str, port: &mut dyn AnyOut) {
        let id = PortId { block: self.block, port: self.output };
        self.output += 1;
        let spec = port.spec().clone();
        if !self.is_as_checked(name, &spec, self.ports.outputs.get(id.port)) {
            return;
        }
        let raw = port.raw();
        *raw.source = self.name.clone();
        if let Some((mut end, strip)) = self.writers.remove(&id) {
            if let WriteEnd::Ring(ring) = &mut end {
                ring.set_parker(self.parker);
            }
            (*raw.end, *raw.limit) = (end, spec.limit(strip));
        }
    }

    fn message_input(&mut self, _: &str, port: &mut MsgIn) {
        port.set_parker(self.parker);
    }

    fn message_output(&mut self, _: &str, port: &mut MsgOut) {
        port.set_parker(self.parker);
    }
}

/// See [`probe_buffers`](super::probe_buffers).
pub(super) struct Probe {
    pub taken: usize,
    pub given: usize,
    pub history: usize,
    pub writers: Vec<ScratchWriter>,
    pub readers: Vec<crate::buffer::ScratchReader>,
}

impl Probe {
    fn spec(&self, capacity: usize) -> crate::buffer::ScratchSpec {
        crate::buffer::ScratchSpec { history: self.history, capacity, readers: 1, ..Default::default() }
    }
}

impl PortVisitor for Probe {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let Ok((mut writer, _, mut readers)) = scratch(port.spec().item, &self.spec(self.taken)) else {
            return;
        };
        writer.produce(self.taken);
        self.writers.push(writer);
        if let Some(reader) = readers.pop() {
            *port.raw().end = ReadEnd::Scratch(reader);
        }
    }

    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let Ok((writer, _, readers)) = scratch(port.spec().item, &self.spec(self.given)) else { return };
        self.readers.extend(readers);
        *port.raw().end = WriteEnd::Scratch(writer);
    }
}
