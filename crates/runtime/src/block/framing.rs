//! Packets in a stream: each begins with a tag that says how long it is.

use std::sync::Arc;

use crate::data::packet::Packet;
use crate::data::{Item, Tag, Value};
use crate::stream::port::{In, Out};

/// How packets lie in a stream: a tag on the first item of each says how many items it has.
///
/// | setting | means | default |
/// |---|---|---|
/// | `key` | the key of the tag | given to `new` |
/// | `resync` | what does not fit is dropped and counted, instead of ending the graph with an error | no |
/// | `most` | items of the longest packet | 2²⁴ |
#[derive(Clone, Debug)]
pub struct Framing {
    key: Arc<str>,
    resync: bool,
    most: usize,
}

/// What is wrong with the packets of a stream.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FramingError {
    /// A packet should begin, and nothing says how long it is.
    #[error("expected a packet at item {index}, but there is no tag `{key}`")]
    NoLength {
        /// The item.
        index: u64,
        /// The key of the tag that is missing.
        key: Arc<str>,
    },
    /// The tag does not say a possible length.
    #[error("the packet at item {index} has the length {length}: expected a whole number from 1 to {most}")]
    BadLength {
        /// The packet's first item.
        index: u64,
        /// What the tag says.
        length: Value,
        /// Items of the longest packet.
        most: usize,
    },
    /// A packet begins inside another.
    #[error("the packet of {length} items at item {index} is not over when another begins at item {next}")]
    Overlap {
        /// The first packet's first item.
        index: u64,
        /// Its length.
        length: usize,
        /// The second packet's first item.
        next: u64,
    },
    /// The stream has ended inside a packet.
    #[error(
        "the packet of {length} items at item {index} was cut short: the stream ended after {got} of them"
    )]
    Short {
        /// The packet's first item.
        index: u64,
        /// Its length.
        length: usize,
        /// Its items in the stream.
        got: usize,
    },
}

impl Framing {
    /// Packets whose first item has a tag `key` with their length.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        Framing { key: key.into(), resync: false, most: 1 << 24 }
    }

    /// The key of the tag.
    pub(super) fn key(&self) -> Arc<str> {
        self.key.clone()
    }

    /// Drops what is not in a packet, or in one that is not whole, instead of giving an error.
    #[must_use]
    pub fn resync(mut self) -> Self {
        self.resync = true;
        self
    }

    /// Sets how many items the longest packet may have.
    #[must_use]
    pub fn most(mut self, items: usize) -> Self {
        self.most = items;
        self
    }
}

impl From<&str> for Framing {
    fn from(key: &str) -> Self {
        Framing::new(key)
    }
}

/// A packet that is not whole yet.
#[derive(Debug)]
struct Part<T: Item> {
    packet: Packet<T>,
    /// The stream's index of its first item.
    index: u64,
    filled: usize,
}

/// Takes packets out of a stream: for blocks with several inputs, where [`PacketBlock`](crate::packet::PacketBlock) does not fit.
#[derive(Debug)]
pub struct Collector<T: Item> {
    framing: Framing,
    part: Option<Part<T>>,
    /// Items that were dropped to find a packet's start.
    dropped: u64,
}

impl<T: Item> Collector<T> {
    /// Takes packets framed as said.
    pub fn new(framing: impl Into<Framing>) -> Self {
        let framing = framing.into();
        Collector { framing, part: None, dropped: 0 }
    }

    /// Whether what does not fit is dropped.
    pub(super) fn resyncs(&self) -> bool {
        self.framing.resync
    }

    /// How many items it has of a packet that is not whole yet.
    pub(super) fn filled(&self) -> usize {
        self.part.as_ref().map_or(0, |part| part.filled)
    }

    /// Whether a packet begins at the first item of `input` that will lie there whole, if it is waited for.
    pub(super) fn comes_whole(&self, input: &In<T>) -> bool {
        if self.part.is_some() {
            return false;
        }
        let mut length = None;
        input.for_each_tag(1, |tag| {
            if tag.key == self.framing.key {
                length = tag.value.as_u64().and_then(|length| usize::try_from(length).ok());
            }
        });
        length.is_some_and(|length| length > input.available() && input.could_show(length))
    }

    /// How many items, of `most`, the whole packets have that lie at the front of `input`; their lengths go to `lengths`.
    /// Where anything is not as it should be they end before it.
    pub(super) fn whole(&self, input: &In<T>, most: usize, lengths: &mut Vec<usize>) -> usize {
        lengths.clear();
        let n = input.available().min(most);
        if self.part.is_some() || n == 0 {
            return 0;
        }
        let mut next = input.index();
        let (first, end) = (next, next + n as u64);
        let mut fits = true;
        let key = &self.framing.key;
        input.for_each_tag(n, |tag| {
            if !fits || !(Arc::ptr_eq(&tag.key, key) || tag.key == *key) {
                return;
            }
            let length = tag.value.as_u64().filter(|length| {
                let left = end - next;
                tag.index == next && (1..=left.min(self.framing.most as u64)).contains(length)
            });
            match length {
                Some(length) => {
                    lengths.push(length as usize);
                    next += length;
                }
                None => {
                    fits = false;
                    // A second tag within the packet: that is not to be passed on.
                    if tag.index < next {
                        next -= lengths.pop().unwrap_or(0) as u64;
                    }
                }
            }
        });
        (next - first) as usize
    }

    /// Takes items out of `input` until a packet is whole, which it gives with the stream's index of its first item, or
    /// until there are none.
    ///
    /// # Errors
    /// Where the stream does not consist of whole packets, unless the framing says to find the next one.
    pub fn next(&mut self, input: &mut In<T>) -> Result<Option<(Packet<T>, u64)>, FramingError> {
        self.next_with(input, |_| {})
    }

    /// As `next`, showing the tags of all items that it takes.
    pub(super) fn next_with(
        &mut self,
        input: &mut In<T>,
        mut look: impl FnMut(&Tag),
    ) -> Result<Option<(Packet<T>, u64)>, FramingError> {
        loop {
            let n = input.available();
            if n == 0 {
                return Ok(None);
            }
            let Some(part) = &mut self.part else {
                self.begin(input, n)?;
                continue;
            };
            let mut take = n.min(part.packet.len() - part.filled);
            let first = input.index();
            let (mut next, mut inner) = (None, Vec::new());
            input.for_each_tag(take, |tag| {
                look(tag);
                if tag.index == part.index {
                    // The packet's own.
                } else if tag.key == self.framing.key {
                    next = next.or(Some(tag.index));
                } else {
                    inner.push(tag.clone());
                }
            });
            if let Some(next) = next {
                let (index, length) = (part.index, part.packet.len());
                if !self.framing.resync {
                    return Err(FramingError::Overlap { index, length, next });
                }
                take = (next - first) as usize;
                self.drop_items(input, take);
                self.drop_part();
                continue;
            }
            part.packet.items_mut()[part.filled..part.filled + take].copy_from_slice(&input.peek()[..take]);
            inner.into_iter().for_each(|tag| {
                part.packet.put_tag(Tag { index: tag.index - part.index, ..tag });
            });
            part.filled += take;
            input.consume(take);
            if part.filled == part.packet.len() {
                return Ok(self.part.take().map(|part| (part.packet, part.index)));
            }
        }
    }

    /// Starts a packet at the first of the `n` items that wait; or drops items, where none begins there.
    fn begin(&mut self, input: &mut In<T>, n: usize) -> Result<(), FramingError> {
        let index = input.index();
        let key = &self.framing.key;
        let possible = |items: &u64| (1..=self.framing.most as u64).contains(items);
        let (mut length, mut impossible) = (None, None);
        let mut others = Vec::new();
        input.for_each_tag(1, |tag| {
            if tag.key != *key {
                others.push((tag.key.clone(), tag.value.clone()));
                return;
            }
            length = tag.value.as_u64().filter(possible);
            impossible = if length.is_none() { Some(tag.value.clone()) } else { None };
        });
        match length {
            Some(items) => {
                let mut packet = Packet::unspecified(items as usize);
                packet.set_all(others);
                self.part = Some(Part { packet, index, filled: 0 });
                Ok(())
            }
            None if self.framing.resync => {
                let mut next = n;
                input.for_each_tag(n, |tag| {
                    if tag.key == *key && tag.index > index {
                        next = next.min((tag.index - index) as usize);
                    }
                });
                self.drop_items(input, next);
                Ok(())
            }
            None => Err(match impossible {
                Some(length) => FramingError::BadLength { index, length, most: self.framing.most },
                None => FramingError::NoLength { index, key: key.clone() },
            }),
        }
    }

    fn drop_items(&mut self, input: &mut In<T>, n: usize) {
        if self.dropped == 0 {
            tracing::warn!(
                "items from {} on are in no whole packet and were dropped, the first of their stream",
                input.index()
            );
        }
        self.dropped += n as u64;
        input.consume(n);
    }

    fn drop_part(&mut self) {
        self.dropped += self.part.take().map_or(0, |part| part.filled as u64);
    }

    /// The stream has ended.
    ///
    /// # Errors
    /// [`FramingError::Short`] where that is inside a packet, unless the framing says to drop such.
    pub fn finish(&mut self) -> Result<(), FramingError> {
        match &self.part {
            Some(part) if !self.framing.resync => {
                let (index, length, got) = (part.index, part.packet.len(), part.filled);
                Err(FramingError::Short { index, length, got })
            }
            _ => {
                self.drop_part();
                if self.dropped > 0 {
                    tracing::warn!("{} items in all were in no whole packet and were dropped", self.dropped);
                }
                Ok(())
            }
        }
    }
}

/// Puts packets into a stream, framed by a tag with their length; the counterpart of [`Collector`].
#[derive(Debug)]
pub struct Emitter<T: Item> {
    key: Arc<str>,
    /// The packet that is being written, and how much of it has been.
    part: Option<(Packet<T>, usize)>,
}

impl<T: Item> Emitter<T> {
    /// The tag `key` says how long each packet is.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        Emitter { key: key.into(), part: None }
    }

    /// Takes the next packet, when the one before is written. One without items leaves no trace.
    pub fn begin(&mut self, packet: Packet<T>) {
        self.part = (!packet.is_empty()).then_some((packet, 0));
    }

    /// Writes as much as there is room for; whether nothing is left.
    pub fn write(&mut self, output: &mut Out<T>) -> bool {
        let Some((packet, written)) = &mut self.part else { return true };
        let room = output.reserve();
        let n = room.len().min(packet.len() - *written);
        if n == 0 {
            return false;
        }
        room[..n].copy_from_slice(&packet.items()[*written..*written + n]);
        if *written == 0 {
            output.tag(0, self.key.clone(), packet.len());
            for (key, value) in packet.entries() {
                output.tag(0, key.clone(), value.clone());
            }
        }
        let (from, to) = (*written as u64, (*written + n) as u64);
        let first = output.index();
        for tag in packet.tags().iter().filter(|tag| (from..to).contains(&tag.index)) {
            output.put_tag(Tag { index: first + tag.index - from, ..tag.clone() });
        }
        output.produce(n);
        *written += n;
        let is_whole = *written == packet.len();
        if is_whole {
            self.part = None;
        }
        is_whole
    }
}
