//! Joins the blocks of a domain that streams connect, so that the rest of the runtime sees blocks of the host only.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Node;
use super::checked::CheckedGraph;
use super::streams::Streams;
use crate::block::domain::{Domain, Feed, Member};
use crate::block::runnable::AnyBlock;
use crate::data::{CheckError, ConnectError};
use crate::stream::port::PortSpec;
use crate::stream::refs::{GraphNumber, PortId};

/// Blocks that one domain joins, by their places in the graph.
struct Region {
    domain: Arc<dyn Domain>,
    blocks: Vec<usize>,
}

/// The graph with one block in the place of each region. Graphs of host blocks alone stay as they are.
pub(super) fn join(mut graph: CheckedGraph) -> Result<CheckedGraph, CheckError> {
    let mut mistakes = Vec::new();
    // Each changes the blocks' places.
    while let Some(Region { domain, blocks }) = next_region(&graph) {
        let (members, ports) = members(&mut graph, &blocks);
        match domain.join(members) {
            Ok(block) => {
                let name = unused_name(&graph, domain.name());
                replace(&mut graph, &blocks, &name, block, &ports);
                // Handles that were given before do not say where the blocks are now.
                graph.number = GraphNumber::next();
            }
            Err(error) => {
                let names: Vec<_> = blocks.iter().map(|&b| graph.nodes[b].name.as_str()).collect();
                let sentence = format!("{} cannot run {}: {error}", domain.name(), names.join(", "));
                mistakes.push(ConnectError::Plan(sentence));
            }
        }
    }
    if mistakes.is_empty() { Ok(graph) } else { Err(CheckError(mistakes)) }
}

/// The first blocks of one domain that are not joined yet. They are connected by streams, directly or through other blocks
/// of the domain. Blocks that read the same stream of the host belong together, too, since it goes to the domain only once.
fn next_region(graph: &CheckedGraph) -> Option<Region> {
    let domains: Vec<_> = graph.nodes.iter().map(|node| node.block.0.domain()).collect();
    // Most graphs live on the host.
    domains.iter().flatten().next()?;
    let same = |a: usize, b: usize| match (&domains[a], &domains[b]) {
        (Some(a), Some(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
        _ => false,
    };
    let links = || {
        graph.streams.iter().flat_map(|stream| {
            let ends = std::iter::once(stream.from).chain(stream.readers.iter().copied());
            let others = ends.clone();
            ends.flat_map(move |a| others.clone().map(move |b| (a.block, b.block)))
        })
    };
    let mut region_of: Vec<usize> = (0..graph.nodes.len()).collect();
    // The least number spreads along the streams.
    loop {
        let mut changed = false;
        for (a, b) in links().filter(|&(a, b)| same(a, b)) {
            let least = region_of[a].min(region_of[b]);
            changed |= region_of[a] != least || region_of[b] != least;
            (region_of[a], region_of[b]) = (least, least);
        }
        if !changed {
            break;
        }
    }
    let mut blocks = graph.order.iter().copied();
    let (first, domain) = blocks.find_map(|block| Some((block, domains[block].clone()?)))?;
    let others = blocks.filter(|&block| domains[block].is_some() && region_of[block] == region_of[first]);
    Some(Region { domain, blocks: std::iter::once(first).chain(others).collect() })
}

/// The name of a joined block's port.
fn port_name(graph: &CheckedGraph, port: PortId, is_input: bool) -> String {
    let node = &graph.nodes[port.block];
    if is_input { node.input_name(port.port) } else { node.output_name(port.port) }
}

/// The ports of a joined block by the ports that they stand for.
#[derive(Default)]
struct Joined {
    inputs: HashMap<PortId, String>,
    outputs: HashMap<PortId, String>,
}

/// Takes the blocks of a region out of the graph.
fn members(graph: &mut CheckedGraph, blocks: &[usize]) -> (Vec<Member>, Joined) {
    let place: HashMap<usize, usize> = blocks.iter().enumerate().map(|(place, &b)| (b, place)).collect();
    let mut joined = Joined::default();
    let mut numbers: HashMap<PortId, usize> = HashMap::new();
    let mut feeds = Vec::new();
    for &block in blocks {
        let of = |port: usize| {
            let port = PortId { block, port };
            let Some(stream) = graph.streams.at_input(port) else {
                return Feed::Unconnected;
            };
            if let Some(&member) = place.get(&stream.from.block) {
                return Feed::Member { member, output: stream.from.port };
            }
            let next = numbers.len();
            let number = *numbers.entry(stream.from).or_insert(next);
            if number == next {
                joined.inputs.insert(port, port_name(graph, port, true));
            }
            Feed::Host(number)
        };
        feeds.push((0..graph.nodes[block].ports.inputs.len()).map(of).collect::<Vec<_>>());
    }
    let mut members = Vec::new();
    for (&block, inputs) in blocks.iter().zip(feeds) {
        let reaches = |port: usize| {
            let from = PortId { block, port };
            let stream = graph.streams.at_output(from);
            stream.is_some_and(|stream| stream.readers.iter().any(|r| !place.contains_key(&r.block)))
        };
        let outputs: Vec<bool> = (0..graph.nodes[block].ports.outputs.len()).map(reaches).collect();
        for (port, _) in outputs.iter().enumerate().filter(|(_, reaches)| **reaches) {
            let port = PortId { block, port };
            joined.outputs.insert(port, port_name(graph, port, false));
        }
        let node = &mut graph.nodes[block];
        let name = node.name.clone();
        let resident = std::mem::replace(&mut node.block, AnyBlock::nothing()).0.take_resident();
        if let Some(block) = resident {
            members.push(Member { name, block, inputs, outputs });
        }
    }
    (members, joined)
}

/// A name that no block has.
fn unused_name(graph: &CheckedGraph, name: String) -> String {
    let is_used = |name: &str| graph.nodes.iter().any(|node| node.name == name);
    let numbered = (2..).map(|number| format!("{name}#{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_used(name)).unwrap_or(name)
}

/// Puts `block` in the place of the first of `blocks`, and takes the others out.
fn replace(graph: &mut CheckedGraph, blocks: &[usize], name: &str, block: AnyBlock, joined: &Joined) {
    let gone: HashSet<usize> = blocks.iter().copied().collect();
    let mut node = Node::new(name.to_owned(), block);
    node.joined = blocks.iter().map(|&block| graph.nodes[block].name.clone()).collect();
    let find = |ports: &[(String, PortSpec)], name: &String| ports.iter().position(|(n, _)| n == name);
    let first = blocks[0];
    let messages: HashMap<String, usize> =
        node.ports.message_inputs.iter().enumerate().map(|(port, (name, _))| (name.clone(), port)).collect();
    graph.messages.retain_mut(|(_, to)| {
        if gone.contains(&to.block) {
            let old = &graph.nodes[to.block];
            let name = format!("{}.{}", old.name, old.ports.message_inputs[to.port].0);
            let Some(&port) = messages.get(&name) else { return false };
            *to = PortId { block: first, port };
        }
        true
    });
    // Streams inside of the region are the domain's.
    let mut streams = Vec::new();
    for mut stream in std::mem::take(&mut graph.streams).into_all() {
        if gone.contains(&stream.from.block) {
            let Some(name) = joined.outputs.get(&stream.from) else { continue };
            let Some(port) = find(&node.ports.outputs, name) else { continue };
            stream.from = PortId { block: first, port };
            stream.readers.retain(|reader| !gone.contains(&reader.block));
        } else {
            stream.readers.retain_mut(|reader| {
                if !gone.contains(&reader.block) {
                    return true;
                }
                // Of several readers in the region one stands for all.
                let port = joined.inputs.get(reader).and_then(|name| find(&node.ports.inputs, name));
                *reader = PortId { block: first, port: port.unwrap_or(0) };
                port.is_some()
            });
        }
        streams.push(stream);
    }
    graph.nodes[first] = node;
    // The places of those that are left.
    let mut place = Vec::with_capacity(graph.nodes.len());
    let mut next = 0;
    for block in 0..graph.nodes.len() {
        place.push(next);
        next += usize::from(block == first || !gone.contains(&block));
    }
    let is_left = |block: usize| block == first || !gone.contains(&block);
    let mut index = 0;
    graph.nodes.retain(|_| {
        index += 1;
        is_left(index - 1)
    });
    graph.order.retain(|&block| is_left(block));
    graph.order.iter_mut().for_each(|block| *block = place[*block]);
    let moved = |port: &mut PortId| port.block = place[port.block];
    for stream in &mut streams {
        moved(&mut stream.from);
        stream.readers.iter_mut().for_each(moved);
    }
    graph.streams = Streams::new(streams, graph.nodes.len());
    for (from, to) in &mut graph.messages {
        moved(from);
        moved(to);
    }
}
