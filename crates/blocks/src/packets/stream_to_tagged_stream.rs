//! Makes packets of a stream.

use std::sync::Arc;

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare, tag::forward_tags};

use super::PACKET_LENGTH;
use crate::error::{Error, check_to_one};
use crate::flow;

/// Makes packets of a stream: each `packet_length` items get a tag with that length on the first of them.
///
/// What is left at the end is a shorter packet, and its tag says so.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `packet_len` | items | 1 to 2²⁴; so many are held in memory |
///
/// ```
/// use superhet_blocks::{packets::StreamToTaggedStream, sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::{Graph, packet::StreamToPackets};
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1u8, 2, 3, 4, 5], false)?);
/// let frame = graph.add("frame", StreamToTaggedStream::<u8>::new(3, "packet_len")?);
/// let packets = graph.add("packets", StreamToPackets::<u8>::new("packet_len"));
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, frame.input);
/// graph.connect(frame.output, packets.input);
/// graph.connect(packets.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "\
/// {\"packet\":[{\"index\":0},{\"hex\":\"010203\"}]}
/// {\"packet\":[{\"index\":3},{\"hex\":\"0405\"}]}
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct StreamToTaggedStream<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    length: usize,
    key: Arc<str>,
}

#[declare(
    category = "packets",
    summary = "Makes packets of a stream, each of so many items.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x, in packets"))
)]
impl<T: Item> StreamToTaggedStream<T> {
    /// Packets of `packet_length` items; the tag `length_tag` says so.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `packet_length` is 0 or beyond 2²⁴.
    pub fn new(
        /// How many items a packet has.
        #[param(formerly = "packet_len", unit = "items", kind = PACKET_LENGTH)]
        packet_length: usize,
        /// The key of the tag on the first item of each packet that says how many items it has.
        #[param(type = String, default = "packet_len")]
        length_tag: impl Into<Arc<str>>,
    ) -> Result<Self, Error> {
        check_to_one("packet_length", packet_length)?;
        // Whole packets only: it is known that the stream does not end inside one.
        let (input, output) = (In::new().multiple(packet_length), Out::new().multiple(packet_length));
        Ok(StreamToTaggedStream { input, output, length: packet_length, key: length_tag.into() })
    }
}

impl<T: Item> Work for StreamToTaggedStream<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        for first in (0..n).step_by(self.length) {
            self.output.tag(first, self.key.clone(), self.length);
        }
        let n = flow::pass(&mut self.input, &mut self.output, n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.rest().len();
        if n > 0 {
            let room = self.output.reserve();
            if room.len() < n {
                return Ok(Step::NeedOutput);
            }
            room[..n].copy_from_slice(self.input.rest());
            self.output.tag(0, self.key.clone(), n);
            forward_tags(&mut self.input, &mut self.output, n);
            self.input.consume(n);
            self.output.produce(n);
        }
        Ok(flow::end(&mut self.input, &mut self.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::Value;

    #[test]
    fn each_packet_has_its_length_and_the_last_one_too() {
        for options in cuts() {
            for (length, items) in [(1, 5), (7, 21), (7, 23), (100, 30), (100, 0)] {
                let block = StreamToTaggedStream::<u8>::new(length, "len").unwrap();
                let x: Vec<u8> = (0..items).collect();
                let late = vec![(40, "late", Value::Null)];
                let (y, tags) = run_tagged::<u8, u8, _, _>(block, x.clone(), late, &options);
                assert_eq!(y, x);
                let mut wanted: Vec<_> = (x.chunks(length).enumerate())
                    .map(|(n, packet)| ((n * length) as u64, "len".to_owned(), Value::from(packet.len())))
                    .collect();
                wanted.push((40, "late".to_owned(), Value::Null));
                assert_eq!(tags, wanted, "{length} {items}");
            }
        }
    }
}
