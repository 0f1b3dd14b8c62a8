//! Puts packets of several streams together.

use std::sync::Arc;

use superhet_runtime::packet::{Collector, Emitter, Framing};
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Packet, Step, Tag, Work, declare};

use crate::error::{Error, check};

/// Makes one packet of one packet of each input, one after another: a header and its payload, say.
///
/// The tags of the packets stay on their items, but for their lengths. Ends with the first input that has no packet left.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1`, … | any | any |
/// | out `out` | the same | that of the inputs |
///
/// # Errors
/// At run time, where an input does not consist of whole packets.
///
/// ```
/// use superhet_blocks::{packets::TaggedStreamMux, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let header = VectorSource::new(vec![1u8, 2], false)?.with_tag(0, "packet_len", 1)?.with_tag(1, "packet_len", 1)?;
/// let payload = VectorSource::new(vec![7u8; 5], false)?.with_tag(0, "packet_len", 3)?.with_tag(3, "packet_len", 2)?;
/// let header = graph.add("header", header);
/// let payload = graph.add("payload", payload);
/// let mux = graph.add("mux", TaggedStreamMux::<u8>::new(2, "packet_len")?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(header.output, mux.input[0]);
/// graph.connect(payload.output, mux.input[1]);
/// graph.connect(mux.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1, 7, 7, 7, 2, 7, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TaggedStreamMux<T: Item> {
    #[port("in")]
    input: Vec<In<T>>,
    #[port("out")]
    output: Out<T>,
    collectors: Vec<Collector<T>>,
    /// The next packet of each input, as soon as it is whole.
    waiting: Vec<Option<Packet<T>>>,
    emitter: Emitter<T>,
}

#[declare(
    category = "packets",
    summary = "Makes one packet of one packet of each input, one after another.",
    items(any),
    ports(
        input("in0", "item", "the packets that come first"),
        input("in1", "item", "the packets that come next; more as inputs says"),
        output("out", "item", "the packets put together")
    )
)]
impl<T: Item> TaggedStreamMux<T> {
    /// Puts packets of so many inputs together, whose lengths `length_tag` says.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 64 inputs.
    pub fn new(
        /// How many inputs there are: in0, in1, ….
        #[param(range = 1..=64, default = 2)]
        inputs: usize,
        /// The key of the tag on the first item of each packet that says how many items it has.
        #[param(type = String, default = "packet_len")]
        length_tag: impl Into<Arc<str>>,
    ) -> Result<Self, Error> {
        check((1..=64).contains(&inputs), "inputs", "a whole number from 1 to 64", inputs as f64)?;
        let key = length_tag.into();
        let framing = Framing::new(key.clone());
        Ok(TaggedStreamMux {
            // A packet may be longer than the buffer of its stream: each is taken as it comes.
            input: (0..inputs).map(|_| In::new().min(0)).collect(),
            output: Out::new(),
            collectors: (0..inputs).map(|_| Collector::new(framing.clone())).collect(),
            waiting: vec![None; inputs],
            emitter: Emitter::new(key),
        })
    }

    /// Takes a packet of each input where it is whole; all together, if that is all of them.
    fn collect(&mut self) -> Result<Option<Packet<T>>, BlockError> {
        for (place, waiting) in self.waiting.iter_mut().enumerate() {
            if waiting.is_none() {
                let packet = self.collectors[place].next(&mut self.input[place]);
                *waiting = packet.map_err(|error| format!("in{place}: {error}"))?.map(|(packet, _)| packet);
            }
        }
        if self.waiting.iter().any(Option::is_none) {
            return Ok(None);
        }
        let packets: Vec<Packet<T>> = self.waiting.iter_mut().filter_map(Option::take).collect();
        let mut all = packets[0].with_meta(packets.iter().map(|packet| packet.len()).sum());
        let mut first = 0;
        for packet in &packets {
            all.items_mut()[first..first + packet.len()].copy_from_slice(packet.items());
            if first > 0 {
                for (key, value) in packet.entries() {
                    let (key, value, source) = (key.clone().into(), value.clone(), self.output.source());
                    all.put_tag(Tag { index: first as u64, key, value, source });
                }
            }
            for tag in packet.tags() {
                all.put_tag(Tag { index: first as u64 + tag.index, ..tag.clone() });
            }
            first += packet.len();
        }
        Ok(Some(all))
    }

    /// How many items were taken and given.
    fn moved(&self) -> u64 {
        self.input.iter().map(In::index).sum::<u64>() + self.output.index()
    }

    /// Whether an input will bring no packet any more.
    fn is_over(&self) -> bool {
        self.input.iter().zip(&self.waiting).any(|(input, waiting)| waiting.is_none() && input.is_finished())
    }

    fn run(&mut self) -> Result<Step, BlockError> {
        let before = self.moved();
        let step = loop {
            if !self.emitter.write(&mut self.output) {
                break Step::NeedOutput;
            }
            match self.collect()? {
                Some(packet) => self.emitter.begin(packet),
                None if self.is_over() => {
                    for (place, collector) in self.collectors.iter_mut().enumerate() {
                        let ended = self.input[place].is_finished().then(|| collector.finish());
                        ended.unwrap_or(Ok(())).map_err(|error| format!("in{place}: {error}"))?;
                    }
                    return Ok(Step::Done);
                }
                None => break Step::NeedInput,
            }
        };
        Ok(if self.moved() > before { Step::Ran } else { step })
    }
}

impl<T: Item> Work for TaggedStreamMux<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.run()
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TagSink, Tagged, Tags, cuts, named};
    use superhet_runtime::{Graph, Options, RunError, Single, Value};

    type Stream = (Vec<u8>, Vec<(u64, &'static str, Value)>);

    fn run(streams: Vec<Stream>, options: &Options) -> Result<(Vec<u8>, Tags), RunError> {
        let mut graph = Graph::new();
        graph.add("mux", TaggedStreamMux::<u8>::new(streams.len(), "len").unwrap());
        for (place, (items, tags)) in streams.into_iter().enumerate() {
            graph.add(format!("s{place}"), Tagged::new(items, tags));
            graph.connect_names(&format!("s{place}"), &format!("mux.in{place}"));
        }
        let sink = TagSink::<u8>::new();
        let seen = sink.seen.clone();
        graph.add("sink", sink);
        graph.connect_names("mux", "sink");
        graph.check().unwrap().start(&Single, options).unwrap().wait()?;
        let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
        Ok((items, named(tags)))
    }

    fn len(index: u64, length: usize) -> (u64, &'static str, Value) {
        (index, "len", length.into())
    }

    #[test]
    fn packets_are_put_together_with_their_tags_wherever_the_streams_are_cut() {
        for options in cuts() {
            let a = (vec![1, 1, 2], vec![len(0, 2), (1, "in", Value::Null), len(2, 1)]);
            let b = (
                vec![7; 300],
                vec![len(0, 290), (0, "head", Value::Null), (5, "in", Value::Null), len(290, 10)],
            );
            let (items, tags) = run(vec![a, b], &options).unwrap();
            assert_eq!(items, [vec![1; 2], vec![7; 290], vec![2], vec![7; 10]].concat());
            let null = |index, key: &str| (index, key.to_owned(), Value::Null);
            let len = |index, length: usize| (index, "len".to_owned(), Value::from(length));
            let wanted = [len(0, 292), null(1, "in"), null(2, "head"), null(7, "in"), len(292, 11)];
            assert_eq!(tags, wanted);
        }
    }

    #[test]
    fn it_ends_with_the_first_input_that_has_no_packet_left() {
        for options in cuts() {
            let a = (vec![1; 4], vec![len(0, 1), len(1, 1), len(2, 1), len(3, 1)]);
            let b = (vec![7; 4], vec![len(0, 2), len(2, 2)]);
            let (items, _) = run(vec![a, b], &options).unwrap();
            assert_eq!(items, [1, 7, 7, 1, 7, 7]);
        }
    }

    #[test]
    fn a_length_that_lies_is_an_error_that_names_the_input() {
        let a = (vec![1; 4], vec![len(0, 4)]);
        let b = (vec![7; 4], vec![len(0, 5)]);
        let error = run(vec![a, b], &Options::default()).unwrap_err().to_string();
        assert!(error.contains("in1: the packet of 5 items at item 0 was cut short"), "{error}");
    }
}
