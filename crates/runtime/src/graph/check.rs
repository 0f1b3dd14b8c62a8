//! Finds every mistake of a graph before a sample moves.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Node;
use super::build::Graph;
use super::checked::CheckedGraph;
use super::join::join;
use super::streams::{Stream, Streams};
use crate::data::{CheckError, ConnectError};
use crate::stream::refs::PortId;

impl Graph {
    /// Finds every mistake, or gives the graph that can be run.
    ///
    /// # Errors
    /// All mistakes at once, each naming blocks and ports.
    pub fn check(self) -> Result<CheckedGraph, CheckError> {
        let Graph { number, nodes, streams: mut links, mut messages, mut mistakes, .. } = self;
        let given = links.len() + messages.len();
        links.retain(|&(from, to)| {
            nodes.get(from.block).is_some_and(|node| from.port < node.ports.outputs.len())
                && nodes.get(to.block).is_some_and(|node| to.port < node.ports.inputs.len())
        });
        messages.retain(|&(from, to)| {
            nodes.get(from.block).is_some_and(|node| from.port < node.ports.message_outputs.len())
                && nodes.get(to.block).is_some_and(|node| to.port < node.ports.message_inputs.len())
        });
        for _ in links.len() + messages.len()..given {
            let hint =
                ": it is `set` of a block without parameters, or of a change that was not made".to_owned();
            let name = "of a connection".to_owned();
            mistakes.push(ConnectError::Unknown { what: "port", name, hint });
        }
        duplicate_names(&nodes, &mut mistakes);
        contracts(&nodes, &mut mistakes);
        connections(&nodes, &links, &mut mistakes);
        message_types(&nodes, &messages, &mut mistakes);
        let streams = gather(&links);
        let (order, cycle) = topological_order(&nodes, &streams);
        if !cycle.is_empty() {
            let path = cycle.iter().chain(cycle.first()).map(|&b| nodes[b].name.as_str());
            mistakes.push(ConnectError::Loop { path: path.collect::<Vec<_>>().join(" -> ") });
        }
        let streams = with_rates(&nodes, streams, &order, &mut mistakes);
        if mistakes.is_empty() {
            let streams = Streams::new(streams, nodes.len());
            join(CheckedGraph { number, nodes, streams, messages, queues: HashMap::new(), order })
        } else {
            Err(CheckError(mistakes))
        }
    }
}

/// Counts the steps of loops over blocks and connections, for the test that a check takes as many as there are of these.
#[inline(always)]
fn step() {
    #[cfg(all(test, not(loom)))]
    tests::STEPS.with(|steps| steps.set(steps.get() + 1));
}

fn duplicate_names(nodes: &[Node], mistakes: &mut Vec<ConnectError>) {
    let mut counts = BTreeMap::new();
    nodes.iter().for_each(|node| *counts.entry(&node.name).or_insert(0) += 1);
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > 1) {
        mistakes.push(ConnectError::DuplicateName { name: name.clone(), count });
    }
}

fn contracts(nodes: &[Node], mistakes: &mut Vec<ConnectError>) {
    for node in nodes {
        for (name, spec) in node.ports.inputs.iter().chain(&node.ports.outputs) {
            if let Some(problem) = spec.problem() {
                mistakes.push(ConnectError::Contract { port: format!("{}.{name}", node.name), problem });
            }
        }
        if node.spec.ratio.is_some_and(|ratio| ratio.interpolation == 0 || ratio.decimation == 0) {
            let problem = "a ratio with a zero in it".to_owned();
            mistakes.push(ConnectError::Contract { port: node.name.clone(), problem });
        }
    }
}

/// Unconnected ports, inputs with several writers, types that differ.
fn connections(nodes: &[Node], links: &[(PortId, PortId)], mistakes: &mut Vec<ConnectError>) {
    let mut writers: HashMap<PortId, Vec<PortId>> = HashMap::new();
    let mut are_read: HashSet<PortId> = HashSet::new();
    for &(from, to) in links {
        step();
        writers.entry(to).or_default().push(from);
        are_read.insert(from);
    }
    for (block, node) in nodes.iter().enumerate() {
        for (port, (_, spec)) in node.ports.inputs.iter().enumerate() {
            let writers = writers.get(&PortId { block, port }).map_or(&[][..], Vec::as_slice);
            let port = || node.input_name(port);
            match writers.len() {
                0 if !spec.optional => {
                    mistakes
                        .push(ConnectError::UnconnectedInput { port: port(), item: spec.item.to_string() });
                }
                0 | 1 => {}
                count => {
                    let names = writers.iter().map(|from| nodes[from.block].output_name(from.port));
                    let writers = names.collect::<Vec<_>>().join(", ");
                    mistakes.push(ConnectError::ManyWriters { port: port(), count, writers });
                }
            }
        }
        for (port, (_, spec)) in node.ports.outputs.iter().enumerate() {
            step();
            if !spec.optional && !are_read.contains(&PortId { block, port }) {
                let port = node.output_name(port);
                mistakes.push(ConnectError::UnconnectedOutput { port, item: spec.item.to_string() });
            }
        }
    }
    for (from, to) in links {
        let given = nodes[from.block].ports.outputs[from.port].1.item;
        let taken = nodes[to.block].ports.inputs[to.port].1.item;
        if given != taken {
            mistakes.push(ConnectError::TypeMismatch {
                from: nodes[from.block].output_name(from.port),
                from_item: given.to_string(),
                to: nodes[to.block].input_name(to.port),
                to_item: taken.to_string(),
                hint: String::new(),
            });
        }
    }
}

/// Message ports that can never fit.
fn message_types(nodes: &[Node], messages: &[(PortId, PortId)], mistakes: &mut Vec<ConnectError>) {
    for (from, to) in messages {
        let (output, given) = &nodes[from.block].ports.message_outputs[from.port];
        let (input, taken) = &nodes[to.block].ports.message_inputs[to.port];
        if !given.fits(*taken) {
            mistakes.push(ConnectError::TypeMismatch {
                from: format!("{}.{output}", nodes[from.block].name),
                from_item: given.to_string(),
                to: format!("{}.{input}", nodes[to.block].name),
                to_item: taken.to_string(),
                hint: String::new(),
            });
        }
    }
}

/// The streams: links of one output put together.
fn gather(links: &[(PortId, PortId)]) -> Vec<Stream> {
    let mut streams: Vec<Stream> = Vec::new();
    let mut places: HashMap<PortId, usize> = HashMap::new();
    for &(from, to) in links {
        step();
        let place = *places.entry(from).or_insert(streams.len());
        match streams.get_mut(place) {
            Some(stream) => stream.readers.push(to),
            None => streams.push(Stream { from, readers: vec![to], rate: 1.0, kept: false }),
        }
    }
    streams
}

/// The blocks in topological order: each comes after the blocks that feed it. The order follows each path as far as it
/// goes, so that neighbours in it are neighbours on a stream. Streams that begin with items may point backwards.
///
/// Besides the order, the blocks of a cycle in which no stream begins with items; empty where there is none.
fn topological_order(nodes: &[Node], streams: &[Stream]) -> (Vec<usize>, Vec<usize>) {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waiting = vec![0usize; nodes.len()];
    for stream in streams {
        if nodes[stream.from.block].ports.outputs[stream.from.port].1.preload == 0 {
            for reader in &stream.readers {
                after[stream.from.block].push(reader.block);
                waiting[reader.block] += 1;
            }
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len()).rev().filter(|&b| waiting[b] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(block) = ready.pop() {
        order.push(block);
        for &next in after[block].iter().rev() {
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        }
    }
    if order.len() == nodes.len() {
        return (order, Vec::new());
    }
    // Every block left waits for another one left: walking backwards must meet a block twice.
    let left = |b: usize| waiting[b] > 0;
    let mut before: Vec<Option<usize>> = vec![None; nodes.len()];
    for a in (0..nodes.len()).filter(|&a| left(a)) {
        after[a].iter().for_each(|&b| _ = before[b].get_or_insert(a));
    }
    let mut path = vec![(0..nodes.len()).find(|&b| left(b)).unwrap_or(0)];
    let mut places: HashMap<usize, usize> = HashMap::new();
    loop {
        step();
        let Some(&last) = path.last() else { return (order, path) };
        places.insert(last, path.len() - 1);
        let Some(previous) = before[last] else { return (order, path) };
        if let Some(&start) = places.get(&previous) {
            let mut cycle = path.split_off(start);
            cycle.reverse();
            return (order, cycle);
        }
        path.push(previous);
    }
}

/// A rate relative to the output that it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rate {
    origin: PortId,
    up: u128,
    down: u128,
}

impl Rate {
    fn new(origin: PortId) -> Self {
        Rate { origin, up: 1, down: 1 }
    }

    fn factor(self) -> f64 {
        self.up as f64 / self.down as f64
    }

    fn times(self, up: usize, down: usize) -> Option<Self> {
        let (up, down) = (self.up.checked_mul(up as u128)?, self.down.checked_mul(down as u128)?);
        let common = gcd(up, down);
        Some(Rate { up: up / common, down: down / common, ..self })
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// Fills in the streams' rates, and finds blocks whose inputs have one origin but different rates.
fn with_rates(
    nodes: &[Node],
    mut streams: Vec<Stream>,
    order: &[usize],
    mistakes: &mut Vec<ConnectError>,
) -> Vec<Stream> {
    let mut rates: Vec<Option<Rate>> = vec![None; streams.len()];
    // How fast each stream's origin is, as far as that can be guessed.
    let mut scales = vec![1.0; streams.len()];
    // Per block, the streams that it writes, and those that it reads with the port.
    let mut written: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut read: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes.len()];
    for (place, stream) in streams.iter().enumerate() {
        written[stream.from.block].push(place);
        stream.readers.iter().for_each(|reader| read[reader.block].push((reader.port, place)));
    }
    for &block in order {
        step();
        let node = &nodes[block];
        let known = |&(port, place): &(usize, usize)| rates[place].map(|rate| (port, rate));
        let inputs: Vec<(usize, Rate)> = read[block].iter().filter_map(known).collect();
        if let (Some(_), Some(&(first_port, first))) = (node.spec.ratio, inputs.first()) {
            for &(port, rate) in &inputs[1..] {
                if rate.origin == first.origin && rate != first {
                    let words =
                        |port, rate: Rate| format!("{}/{} on {}", rate.up, rate.down, node.input_name(port));
                    mistakes.push(ConnectError::RateConflict {
                        block: node.name.clone(),
                        origin: nodes[first.origin.block].name.clone(),
                        first: words(first_port, first),
                        second: words(port, rate),
                    });
                }
            }
        }
        let one_origin =
            inputs.first().filter(|(_, first)| inputs.iter().all(|(_, r)| r.origin == first.origin));
        let inherited = node
            .spec
            .ratio
            .zip(one_origin)
            .and_then(|(ratio, (_, rate))| rate.times(ratio.interpolation, ratio.decimation));
        // What does not say how much it gives is taken to give as much as the fastest of its inputs brings.
        let scale = match (inherited, one_origin) {
            (Some(_), Some(&(port, _))) => {
                read[block].iter().find(|input| input.0 == port).map(|&(_, place)| scales[place])
            }
            _ => read[block]
                .iter()
                .filter_map(|&(_, place)| Some(scales[place] * rates[place]?.factor()))
                .reduce(f64::max),
        };
        for &place in &written[block] {
            step();
            rates[place] = Some(inherited.unwrap_or_else(|| Rate::new(streams[place].from)));
            scales[place] = scale.unwrap_or(1.0);
        }
    }
    for ((stream, rate), scale) in streams.iter_mut().zip(&rates).zip(scales) {
        stream.rate = rate.map_or(1.0, |rate| scale * rate.factor());
    }
    streams
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use crate::block::Pure;
    use crate::block::any::StreamPorts;
    use crate::data::{CheckError, ConnectError};
    use crate::graph::{Graph, Handle, Hier};
    use crate::harness::VecSource;

    thread_local! {
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    struct Pass;

    impl Pure for Pass {
        type In = f32;
        type Out = f32;
        fn map(&self, x: &[f32], y: &mut [f32]) {
            y.copy_from_slice(x);
        }
    }

    type Passes = Vec<Handle<StreamPorts<f32, f32>, Pass>>;

    fn long(blocks: usize) -> (Graph, Passes) {
        let mut graph = Graph::new();
        let chain = graph.chain((0..blocks).map(|n| (format!("pass{n}"), Pass)).collect::<Vec<_>>());
        (graph, chain)
    }

    struct Two(&'static str);

    impl Hier for Two {
        type Ports = ();
        fn build(self, graph: &mut Graph) {
            let pass = graph.add(self.0, Pass);
            graph.chain((("source", VecSource::new(vec![1.0f32])), &pass));
            graph.collect(pass.output);
        }
    }

    #[test]
    fn names_that_no_block_can_have_are_mistakes_and_a_stroke_is_none() {
        let mut graph = Graph::new();
        graph.add_hier("good", Two("also/good"));
        assert_eq!(graph.check().map(drop), Ok(()));

        let mut graph = Graph::new();
        graph.add_hier("outer", Two("a.b"));
        graph.add_hier("", Two("inner"));
        let pass = graph.chain((("", VecSource::new(vec![1.0f32])), ("v1.0", Pass))).1;
        graph.collect(pass.output);
        let CheckError(mistakes) = graph.check().unwrap_err();
        let bad = |block: &str, name: &str| ConnectError::BadName { block: block.into(), name: name.into() };
        let before = "the hierarchical block before block 3";
        let wanted =
            [bad("block 0", "outer/a.b"), bad(before, ""), bad("block 6", ""), bad("block 7", "v1.0")];
        assert_eq!(mistakes, wanted);
        let words = "block 6 has the name \"\": expected a text that is not empty, without a dot, which stands before the port's name";
        assert_eq!(mistakes[2].to_string(), words);
    }

    #[test]
    fn a_check_takes_some_steps_for_each_block() {
        const BLOCKS: usize = 20_000;
        let (mut graph, chain) = long(BLOCKS);
        graph.chain((("source", VecSource::new(vec![1.0f32])), &chain[0]));
        graph.collect(chain[BLOCKS - 1].output);
        STEPS.set(0);
        let graph = graph.check().unwrap();
        let steps = STEPS.get();
        let wanted = [BLOCKS].into_iter().chain(0..BLOCKS).chain([BLOCKS + 1]);
        assert!(graph.order().iter().copied().eq(wanted), "the order is the chain's");
        assert!((BLOCKS..=8 * BLOCKS).contains(&steps), "{steps} steps");
    }

    #[test]
    fn a_long_loop_is_found_in_some_steps_for_each_block() {
        const BLOCKS: usize = 20_000;
        let (mut graph, chain) = long(BLOCKS);
        graph.connect(chain[BLOCKS - 1].output, chain[0].input);
        STEPS.set(0);
        let CheckError(mistakes) = graph.check().unwrap_err();
        let [ConnectError::Loop { path }] = &mistakes[..] else { panic!("{} mistakes", mistakes.len()) };
        assert_eq!(path.split(" -> ").count(), BLOCKS + 1);
        assert!((BLOCKS..=8 * BLOCKS).contains(&STEPS.get()), "{} steps", STEPS.get());
    }
}
