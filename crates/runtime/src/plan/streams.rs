//! What a plan asks of a graph's streams: what lies at their ends, and how many lie one behind the other.

use super::options::Options;
use crate::data::{CheckError, ConnectError, suggestion};
use crate::graph::{CheckedGraph, Stream};
use crate::stream::port::PortSpec;
use crate::stream::refs::PortId;

/// Every stream whose latency is limited exists.
pub(super) fn named_streams(graph: &CheckedGraph, options: &Options) -> Result<(), CheckError> {
    let all =
        || graph.streams.iter().map(|stream| graph.nodes[stream.from.block].output_name(stream.from.port));
    let is_known = |name: &String| {
        all().any(|known| known == *name)
            || graph.nodes.iter().any(|node| node.name == *name && node.ports.outputs.len() == 1)
    };
    let unknown = options.max_stream_latency.iter().map(|(name, _)| name).filter(|name| !is_known(name));
    let mistakes: Vec<ConnectError> = unknown
        .map(|name| {
            let known: Vec<String> = all().collect();
            let hint = suggestion(name, known.iter().map(String::as_str));
            ConnectError::Unknown { what: "stream", name: name.clone(), hint }
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(CheckError(mistakes)) }
}

/// How many streams lie one behind the other, at most; at least one.
pub(super) fn longest_path(graph: &CheckedGraph) -> usize {
    let mut before = vec![0usize; graph.nodes.len()];
    for &block in &graph.order {
        for stream in graph.streams.written_by(block) {
            for reader in &stream.readers {
                before[reader.block] = before[reader.block].max(before[block] + 1);
            }
        }
    }
    before.into_iter().max().unwrap_or(0).max(1)
}

/// The blocks at the ends of a stream.
pub(super) fn blocks_at(stream: &Stream) -> impl Iterator<Item = usize> + Clone {
    stream.readers.iter().map(|reader| reader.block).chain([stream.from.block])
}

pub(super) fn spec_of_output(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.outputs[port.port].1
}

pub(super) fn spec_of_input(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.inputs[port.port].1
}
