//! The streams of a graph, and which of them lie at each block.

use std::ops::Deref;

use crate::stream::refs::PortId;

/// An output and all that read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stream {
    pub from: PortId,
    pub readers: Vec<PortId>,
    /// Items for each item of the stream's origin, the nearest block upstream that has no fixed ratio.
    pub rate: f64,
    /// Its ring stays as it is, in a graph that is being changed.
    pub kept: bool,
}

/// The streams of a graph in a fixed order. Those at one block are found without a look at the others; there are none at a block
/// that the graph does not have.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    all: Vec<Stream>,
    /// Per block, the places of the streams that it reads, each once, and of those that it writes.
    read: Vec<Vec<usize>>,
    written: Vec<Vec<usize>>,
}

impl Streams {
    /// Of a graph with so many blocks.
    pub fn new(all: Vec<Stream>, blocks: usize) -> Self {
        let (mut read, mut written) = (vec![Vec::new(); blocks], vec![Vec::new(); blocks]);
        for (place, stream) in all.iter().enumerate() {
            written[stream.from.block].push(place);
            for reader in &stream.readers {
                let read: &mut Vec<usize> = &mut read[reader.block];
                if read.last() != Some(&place) {
                    read.push(place);
                }
            }
        }
        Streams { all, read, written }
    }

    /// The streams alone, to be changed.
    pub fn into_all(self) -> Vec<Stream> {
        self.all
    }

    /// The places of the streams that a block reads, in their order.
    pub fn places_read_by(&self, block: usize) -> &[usize] {
        self.read.get(block).map_or(&[], Vec::as_slice)
    }

    /// The streams that a block reads, in their order.
    pub fn read_by(&self, block: usize) -> impl Iterator<Item = &Stream> {
        self.places_read_by(block).iter().map(|&place| &self.all[place])
    }

    /// The places of the streams that a block writes, in their order.
    pub fn places_written_by(&self, block: usize) -> &[usize] {
        self.written.get(block).map_or(&[], Vec::as_slice)
    }

    /// The streams that a block writes, in their order.
    pub fn written_by(&self, block: usize) -> impl Iterator<Item = &Stream> {
        self.places_written_by(block).iter().map(|&place| &self.all[place])
    }

    /// The stream that an input reads.
    pub fn at_input(&self, port: PortId) -> Option<&Stream> {
        self.read_by(port.block).find(|stream| stream.readers.contains(&port))
    }

    /// The stream that an output writes.
    pub fn at_output(&self, port: PortId) -> Option<&Stream> {
        self.written_by(port.block).find(|stream| stream.from == port)
    }

    /// Says of each stream whether its ring stays as it is.
    pub fn keep(&mut self, is_kept: impl Fn(&Stream) -> bool) {
        self.all.iter_mut().for_each(|stream| stream.kept = is_kept(stream));
    }
}

impl Deref for Streams {
    type Target = [Stream];
    fn deref(&self) -> &[Stream] {
        &self.all
    }
}

impl<'a> IntoIterator for &'a Streams {
    type Item = &'a Stream;
    type IntoIter = std::slice::Iter<'a, Stream>;
    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_streams_at_a_block_are_those_that_a_look_at_all_finds() {
        let port = |block, port| PortId { block, port };
        let stream =
            |from, readers: &[PortId]| Stream { from, readers: readers.to_vec(), rate: 1.0, kept: false };
        let all = vec![
            stream(port(0, 1), &[port(2, 0), port(1, 0), port(2, 1)]),
            stream(port(1, 0), &[port(2, 2)]),
            stream(port(0, 0), &[port(2, 3), port(2, 4)]),
        ];
        let streams = Streams::new(all.clone(), 4);
        for block in 0..5 {
            let reads = |stream: &&Stream| stream.readers.iter().any(|reader| reader.block == block);
            assert!(streams.read_by(block).eq(all.iter().filter(reads)), "read by {block}");
            assert!(streams.written_by(block).eq(all.iter().filter(|s| s.from.block == block)));
            for port in (0..5).map(|number| port(block, number)) {
                assert_eq!(streams.at_input(port), all.iter().find(|s| s.readers.contains(&port)));
                assert_eq!(streams.at_output(port), all.iter().find(|s| s.from == port));
            }
        }
    }
}
