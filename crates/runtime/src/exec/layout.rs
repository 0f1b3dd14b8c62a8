//! What a running graph looks like: its blocks, their ports, and what is connected.

use crate::block::Step;
use crate::block::runnable::Level;
use crate::data::Ratio;
use crate::graph::{Node, PortList, Stream};
use crate::stream::refs::PortId;

/// What a running graph looks like at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The blocks, in the order of [`Report::blocks`](crate::Report::blocks).
    pub blocks: Vec<BlockLayout>,
    /// The streams.
    pub streams: Vec<StreamLayout>,
    /// The connections for messages, from an output to an input.
    pub messages: Vec<(PortPlace, PortPlace)>,
    /// How many workers run each region. The blocks that were added to the running graph and wait for the outside world have regions
    /// of their own behind these.
    pub workers: Vec<usize>,
}

/// A block of a running graph.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockLayout {
    /// The block's name.
    pub name: String,
    /// Its ports.
    pub ports: PortList,
    /// Whether it waits for the outside world: a thread of its own runs it then.
    pub blocking: bool,
    /// The region whose workers run it.
    pub region: usize,
    /// Items out for items in, where that is fixed.
    pub ratio: Option<Ratio>,
    /// Whether its output is around the same frequency as its input, as far as the block says.
    pub keeps_frequency: bool,
    /// The runtime has added it: it passes items on.
    pub passes: bool,
    /// It was taken out of the graph; its place stays.
    pub removed: bool,
    /// It has come to its end, as far as is known.
    pub ended: bool,
}

/// A stream of a running graph: an output, and all inputs that read it.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamLayout {
    /// Who writes it.
    pub from: PortPlace,
    /// Who read it.
    pub readers: Vec<PortPlace>,
    /// Items for each item of a source. A block that does not say its ratio is taken to give as many as the fastest of its inputs
    /// brings.
    pub ratio: f64,
    /// Whether it stays as it is while the graph runs: one of its blocks waits for the outside world.
    pub fixed: bool,
}

/// A port, by the places of its block and of itself among the block's ports of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortPlace {
    /// The place of the block in the graph.
    pub block: usize,
    /// The place of the port.
    pub port: usize,
}

impl From<PortId> for PortPlace {
    fn from(id: PortId) -> Self {
        PortPlace { block: id.block, port: id.port }
    }
}

impl BlockLayout {
    pub(super) fn of(node: &Node) -> Self {
        let is_gone = node.ports == PortList::default() && node.ended;
        BlockLayout {
            name: node.name.clone(),
            ports: node.ports.clone(),
            blocking: node.spec.blocking,
            region: node.region,
            ratio: node.spec.ratio,
            // A link of a chain shifts nothing.
            keeps_frequency: node.shape.is_some() || node.passes || node.spec.level == Level::General,
            passes: node.passes,
            removed: is_gone,
            ended: node.ended,
        }
    }
}

impl Layout {
    /// Of blocks, what is connected, and the last step of each block.
    pub(super) fn new(
        mut blocks: Vec<BlockLayout>,
        streams: &[Stream],
        messages: &[(PortId, PortId)],
        workers: Vec<usize>,
        steps: &[Step],
    ) -> Self {
        for (block, step) in blocks.iter_mut().zip(steps) {
            block.ended |= *step == Step::Done;
        }
        let waits = |port: &PortId| blocks[port.block].blocking;
        let streams = streams.iter().map(|stream| StreamLayout {
            from: stream.from.into(),
            readers: stream.readers.iter().map(|&reader| reader.into()).collect(),
            ratio: stream.rate,
            fixed: waits(&stream.from) || stream.readers.iter().any(waits),
        });
        let streams = streams.collect();
        let messages = messages.iter().map(|&(from, to)| (from.into(), to.into())).collect();
        Layout { blocks, streams, messages, workers }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::harness::{VecSink, VecSource};
    use crate::{Adaptive, BlockError, Graph, Options, Pure, Shape, SyncBlock};

    struct Half;
    impl Pure for Half {
        type In = u32;
        type Out = u32;
        fn shape(&self) -> Shape {
            Shape { ratio: Ratio { interpolation: 1, decimation: 2 }, ..Shape::default() }
        }

        fn map(&self, x: &[u32], y: &mut [u32]) {
            y.iter_mut().zip(x.chunks(2)).for_each(|(y, x)| *y = x[0]);
        }
    }

    struct Fails;
    impl SyncBlock for Fails {
        type In = ();
        type Out = u32;
        fn process(&mut self, (): (), _: &mut [u32]) {
            panic!("of no use");
        }
    }

    #[test]
    fn a_layout_names_blocks_streams_and_ends() {
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(vec![0u32; 10_000]));
        let half = graph.add("half", Half);
        let sink = graph.add("sink", VecSink::<u32>::new());
        graph.connect(source.output, half.input);
        graph.connect(half.output, sink.input);
        let running = graph.check().unwrap().start(&Adaptive::workers(2), &Options::default()).unwrap();
        let control = running.control();
        let layout = control.layout();
        running.wait().unwrap();
        let names: Vec<_> = layout.blocks.iter().map(|block| block.name.as_str()).collect();
        assert_eq!(names, ["source", "half", "sink"]);
        let place = |block| PortPlace { block, port: 0 };
        let half = layout.streams.iter().find(|stream| stream.from == place(1)).unwrap();
        assert_eq!((half.readers.as_slice(), half.ratio, half.fixed), (&[place(2)][..], 0.5, false));
        assert_eq!(layout.workers, [2]);
        assert!(control.layout().blocks.iter().all(|block| block.ended && !block.removed));
        assert_eq!((control.outcome(), control.failure()), (crate::report::Outcome::Completed, None));
    }

    /// Gives the same number until it is stopped, and waits for the outside world.
    #[derive(crate::Block)]
    struct Constant {
        #[port("out")]
        output: crate::Out<u32>,
        value: u32,
    }

    impl crate::Tunable for Constant {
        const PARAMETERS: &'static [&'static str] = &["value"];
        fn position(&self) -> u64 {
            self.output.index()
        }
        fn set_parameter(&mut self, _: &str, value: &crate::Value) -> Result<(), BlockError> {
            self.value = value.as_u64().ok_or("value: expected a count")? as u32;
            Ok(())
        }
        fn parameter(&self, _: &str) -> Option<crate::Value> {
            Some(u64::from(self.value).into())
        }
        fn work_on(&mut self, most: usize, context: &mut crate::Context<'_>) -> Result<Step, BlockError> {
            if context.is_stopping() {
                return Ok(Step::Done);
            }
            let room = self.output.reserve();
            let n = room.len().min(most);
            room[..n].fill(self.value);
            self.output.produce(n);
            Ok(Step::Ran)
        }
    }

    impl crate::Work for Constant {
        fn work(&mut self, context: &mut crate::Context<'_>) -> Result<Step, BlockError> {
            crate::Tunable::work_on(self, usize::MAX, context)
        }
        fn blocking(&self) -> bool {
            true
        }
    }

    #[test]
    fn parameters_of_a_block_that_waits_stay_when_the_graph_is_changed() {
        let mut graph = Graph::new();
        let source = graph.add("source", crate::Tuned::new(Constant { output: crate::Out::new(), value: 1 }));
        let half = graph.add("half", Half);
        graph.connect(source.output, half.input);
        // Nobody takes what comes: all wait.
        let (sink, _receiver) = crate::channel::sink::<u32>(16);
        let sink = graph.add("sink", sink);
        graph.connect(half.output, sink.input);
        let graph = graph.check().unwrap().loosened().unwrap();
        let running = graph.start(&Adaptive::workers(1), &Options::default()).unwrap();
        let (_, changed) = running.reconfigure(|edit| _ = edit.replace("half", Half)).unwrap();
        assert_eq!(changed.blocks[0].0, "half");
        assert_eq!(running.get("source.value").unwrap().as_u64(), Some(1));
        assert_eq!(running.control().parameters(), ["source.value"]);
        running.cancel();
        running.wait().unwrap();
    }

    #[test]
    fn why_a_graph_failed_is_known_afterwards() {
        let mut graph = Graph::new();
        let source = graph.add("source", Fails);
        let sink = graph.add("sink", VecSink::<u32>::new());
        graph.connect(source.output, sink.input);
        let running = graph.check().unwrap().start(&Adaptive::workers(1), &Options::default()).unwrap();
        let control = running.control();
        let error: BlockError = running.wait().unwrap_err().to_string().into();
        assert_eq!(control.failure(), Some(error.to_string()));
    }
}
