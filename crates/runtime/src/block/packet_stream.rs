//! Packets from streams to messages and back.

use std::sync::Arc;

use superhet_macros::Block;

use super::framing::{Collector, Emitter, Framing};
use super::{Context, Step, Work};
use crate::data::packet::Packet;
use crate::data::{BlockError, Item, MessageType, Value};
use crate::stream::message::{MsgIn, MsgOut};
use crate::stream::port::{In, Out};

/// Packets in a stream become messages.
///
/// The tags of a packet's first item become its metadata, with `index`, the stream's index of that item; other tags stay
/// on their items. The stream is framed as [`Framing`] says.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | packets | that of `in` |
///
/// # Errors
/// At run time, a [`FramingError`](crate::packet::FramingError) where the stream does not consist of whole packets.
#[derive(Debug, Block)]
pub struct StreamToPackets<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: MsgOut,
    collector: Collector<T>,
    index: Arc<str>,
}

/// The entry of a packet's metadata that says where in its stream it began.
const INDEX: &str = "index";
/// Packets that one call of `work` handles at most: queues are looked at between calls.
const AT_ONCE: usize = 64;

impl<T: Item> StreamToPackets<T> {
    /// Packets framed as said.
    pub fn new(framing: impl Into<Framing>) -> Self {
        let collector = Collector::new(framing.into());
        let output = MsgOut::new().sends(MessageType::packets_of::<T>());
        StreamToPackets { input: In::new(), output, collector, index: INDEX.into() }
    }
}

impl<T: Item> Work for StreamToPackets<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.input.index();
        for _ in 0..AT_ONCE {
            let Some((mut packet, index)) = self.collector.next(&mut self.input)? else { break };
            packet.set(self.index.clone(), index);
            self.output.send(packet)?;
        }
        Ok(if self.input.index() > before { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.collector.finish()?;
        Ok(Step::Done)
    }
}

/// Packets that come as messages become a stream, framed by a tag with their length.
///
/// A packet's metadata becomes tags on its first item, but for `index`. Where gaps are filled, `index` says at which item
/// of the stream the packet is to begin, and zeros come before it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | any |
/// | out `out` | any | that of `in` |
///
/// # Errors
/// At run time: a message that is no packet of such items; with gaps filled, an `index` that is missing or already past.
#[derive(Debug, Block)]
pub struct PacketsToStream<T: Item> {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: Out<T>,
    emitter: Emitter<T>,
    fills_gaps: bool,
    /// Zeros to come before the packet that waits.
    zeros: u64,
    waiting: Option<Packet<T>>,
}

impl<T: Item> PacketsToStream<T> {
    /// Packets one right after another; the tag `key` says how long each is.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        PacketsToStream {
            input: MsgIn::new().takes(MessageType::packets_of::<T>()),
            output: Out::new(),
            emitter: Emitter::new(key),
            fills_gaps: false,
            zeros: 0,
            waiting: None,
        }
    }

    /// Puts each packet at the item that its `index` says, and zeros between them.
    #[must_use]
    pub fn fill_gaps(mut self) -> Self {
        self.fills_gaps = true;
        self
    }

    /// Takes the next packet; whether there was one.
    fn fetch(&mut self) -> Result<bool, BlockError> {
        let Some(message) = self.input.recv() else { return Ok(false) };
        let mut packet = Packet::<T>::try_from(message)?;
        let index = packet.unset(INDEX);
        if self.fills_gaps {
            let at = self.output.index();
            let index = index.as_ref().and_then(Value::as_u64).ok_or("expected packets with an `index`")?;
            let zeros = index.checked_sub(at);
            self.zeros = zeros.ok_or_else(|| {
                format!("a packet is to begin at item {index}, but {at} items have been given already")
            })?;
        }
        self.waiting = Some(packet);
        Ok(true)
    }

    /// Gives zeros; whether nothing is left.
    fn write_zeros(&mut self) -> bool {
        let room = self.output.reserve();
        let n = usize::try_from(self.zeros).unwrap_or(usize::MAX).min(room.len());
        room[..n].fill(T::zeroed());
        self.output.produce(n);
        self.zeros -= n as u64;
        self.zeros == 0
    }

    /// Writes all that has come; what is lacking to go on.
    fn pass(&mut self) -> Result<Step, BlockError> {
        let before = self.output.index();
        let lacks = loop {
            if !self.emitter.write(&mut self.output) || (self.zeros > 0 && !self.write_zeros()) {
                break Step::NeedOutput;
            }
            match self.waiting.take() {
                Some(packet) => self.emitter.begin(packet),
                None if self.fetch()? => {}
                None => break Step::NeedInput,
            }
        };
        Ok(if self.output.index() > before { Step::Ran } else { lacks })
    }
}

impl<T: Item> Work for PacketsToStream<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass()
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass()
    }
}
