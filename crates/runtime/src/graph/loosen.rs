//! Blocks that pass items on, for graphs that are to be changed while they run.

use super::{CheckedGraph, Graph};
use crate::block::runnable::AnyBlock;
use crate::data::CheckError;
use crate::stream::refs::PortId;

impl Graph {
    /// Puts a block that passes items on into the connection at this place of the list; gives the place of its own connection to
    /// the reader.
    pub(crate) fn pass_on(&mut self, place: usize) -> usize {
        let (from, reader) = self.streams[place];
        let node = &self.nodes[reader.block];
        let name = format!("to {} ({})", node.name, self.nodes.len());
        let passing = AnyBlock::passing(&node.ports.inputs[reader.port].1);
        let block = self.add_named(name, passing).place;
        self.nodes[block].passes = true;
        self.streams[place] = (from, PortId { block, port: 0 });
        self.streams.push((PortId { block, port: 0 }, reader));
        self.streams.len() - 1
    }
}

impl CheckedGraph {
    /// The same graph with blocks that pass items on where a block waits for the outside world, so that every stream has a part
    /// that can be rewired while the graph runs: see [`RunningGraph::reconfigure`](crate::RunningGraph::reconfigure).
    ///
    /// A stream from such a block goes through one that passes its items on, before all of its readers; a stream to such a block
    /// through another. They copy the items once.
    ///
    /// # Errors
    /// As for [`Graph::check`]; a graph that was checked has no mistakes.
    pub fn loosened(self) -> Result<CheckedGraph, CheckError> {
        let links = self.streams.iter().flat_map(|s| s.readers.iter().map(move |reader| (s.from, *reader)));
        let links: Vec<_> = links.collect();
        let mut graph = Graph::of_parts(self.number, self.nodes, Vec::new(), self.messages);
        let waits = |graph: &Graph, port: PortId| graph.nodes[port.block].spec.blocking;
        let mut writers: Vec<PortId> = links.iter().map(|(from, _)| *from).collect();
        writers.sort_unstable();
        writers.dedup();
        for from in writers {
            let readers: Vec<PortId> =
                links.iter().filter(|link| link.0 == from).map(|link| link.1).collect();
            let mut source = from;
            if waits(&graph, from)
                && let Some(&first) = readers.first()
            {
                graph.streams.push((from, first));
                let behind = graph.pass_on(graph.streams.len() - 1);
                source = graph.streams.remove(behind).0;
            }
            for reader in readers {
                graph.streams.push((source, reader));
                if waits(&graph, reader) {
                    graph.pass_on(graph.streams.len() - 1);
                }
            }
        }
        graph.check()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::harness::{VecSink, VecSource};
    use crate::{Adaptive, Block, BlockError, Context, Graph, In, Options, Out, Step, Work};

    /// Passes items on, and waits for the outside world.
    #[derive(Block)]
    struct Waits {
        #[port("in")]
        input: In<u32>,
        #[port("out")]
        output: Out<u32>,
    }

    impl Work for Waits {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let n = self.input.available().min(self.output.reserve().len());
            self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
            self.input.consume(n);
            self.output.produce(n);
            Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
        }
        fn blocking(&self) -> bool {
            true
        }
    }

    #[test]
    fn every_stream_of_a_block_that_waits_has_a_part_between_others() {
        let numbers: Vec<u32> = (0..100_000).collect();
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(numbers.clone()));
        let waits =
            ["one", "two"].map(|name| graph.add(name, Waits { input: In::new(), output: Out::new() }));
        let sink = VecSink::<u32>::new();
        let items = sink.items();
        let sink = graph.add("sink", sink);
        graph.connect(source.output, waits[0].input);
        graph.connect(waits[0].output, waits[1].input);
        graph.connect(waits[1].output, sink.input);
        let graph = graph.check().unwrap().loosened().unwrap();
        // One before, two between and one behind those that wait.
        assert_eq!(graph.nodes.iter().filter(|node| node.passes).count(), 4);
        let waits = |block: usize| graph.nodes[block].spec.blocking;
        for stream in &graph.streams {
            let both = waits(stream.from.block) && stream.readers.iter().any(|reader| waits(reader.block));
            assert!(!both, "{stream:?}");
        }
        graph.start(&Adaptive::workers(1), &Options::default()).unwrap().wait().unwrap();
        assert_eq!(items.take(), numbers);
    }
}
