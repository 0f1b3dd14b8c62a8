//! Blocks that turn packets into packets, on streams and on messages alike.

use std::collections::VecDeque;

use super::framing::{Collector, Emitter, Framing};
use super::{Context, Step, Work};
use crate::data::packet::{AnyPacket, Packet, WrongItems};
use crate::data::{BlockError, Conversion, Item, ItemType, MessageType, Ratio, Tag, TagQueue, Value};
use crate::stream::message::{MsgIn, MsgOut};
use crate::stream::port::{In, Out, forward_tags};
use superhet_macros::Block;

/// What a packet block makes of the items of a packet, as many of others: see [`PacketBlock::ITEMS`]. Any error ends the graph.
pub type PacketItems<B> =
    fn(&mut B, &[<B as PacketBlock>::In], &mut [<B as PacketBlock>::Out]) -> Result<(), BlockError>;

/// A block that turns each packet into one of any length, or into none.
///
/// One definition, two ways to connect it: [`tagged`](Self::tagged) for streams whose packets begin with a length tag,
/// [`messages`](Self::messages) for packets that are sent as messages.
///
/// ```
/// use superhet_runtime::{BlockError, Packet, packet::PacketBlock};
///
/// /// Gives each packet twice over.
/// struct Twice;
///
/// impl PacketBlock for Twice {
///     type In = u8;
///     type Out = u8;
///     fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
///         let mut y = x.with_meta(2 * x.len());
///         y.items_mut().chunks_mut(x.len().max(1)).for_each(|half| half.copy_from_slice(x.items()));
///         Ok(Some(y))
///     }
/// }
///
/// let twice = Twice.packet(Packet::from_items(&[1, 2]))?.unwrap();
/// assert_eq!(twice.items(), [1, 2, 1, 2]);
/// # Ok::<(), BlockError>(())
/// ```
pub trait PacketBlock: Send + Sized + 'static {
    /// The items that it takes.
    type In: Item;
    /// The items that it gives.
    type Out: Item;

    /// Computes the items of the packet that [`packet`](Self::packet) makes of one: of a block that gives one packet for each, as
    /// long as that, and leaves metadata and tags as they are. In a stream it works right on it, without a copy of the packet.
    const ITEMS: Option<PacketItems<Self>> = None;

    /// What becomes of a packet; none, and the metrics count it as dropped. The metadata is the block's business: change
    /// `x` itself, or take it over ([`Packet::with_meta`]).
    ///
    /// # Errors
    /// Any ends the graph.
    fn packet(&mut self, x: Packet<Self::In>) -> Result<Option<Packet<Self::Out>>, BlockError>;

    /// Items out for items in, where that is the same for each packet: the tags of a stream that say its rate say then that
    /// behind the block.
    fn ratio(&self) -> Ratio {
        Ratio::ONE
    }

    /// The block on streams, whose packets lie in them as said; a key alone says the key of the length tag.
    fn tagged(self, framing: impl Into<Framing>) -> TaggedPackets<Self> {
        let framing = framing.into();
        let span = |item_bytes: usize| Self::ITEMS.map_or(0, |_| (SPAN_BYTES / item_bytes.max(1)).max(1));
        TaggedPackets {
            // Also without items there may be a part of a packet to give.
            input: In::new().min(0).batch(span(size_of::<Self::In>())),
            output: Out::new().batch(span(size_of::<Self::Out>())).converted(Conversion::new(self.ratio())),
            emitter: Emitter::new(framing.key()),
            collector: Collector::new(framing),
            lengths: Vec::new(),
            part: None,
            passing: TagQueue::default(),
            block: self,
        }
    }

    /// The block on messages.
    fn messages(self) -> Packets<Self> {
        Packets {
            input: MsgIn::new().takes(MessageType::packets_of::<Self::In>()),
            output: MsgOut::new().sends(MessageType::packets_of::<Self::Out>()),
            packets: VecDeque::new(),
            block: self,
        }
    }
}

/// A [`PacketBlock`] on messages.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | that of the block |
/// | out `out` | packets | that of the block |
///
/// # Errors
/// At run time: a message that is no packet of the block's items, and the block's own.
#[derive(Debug, Block)]
pub struct Packets<B: PacketBlock> {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    /// Packets that have come together, and what has been made of them, to be sent on together: each stays where it lies.
    packets: VecDeque<Value>,
    block: B,
}

/// The spans that a block asks for which passes packets on where they lie: most packets lie in one span whole then.
const SPAN_BYTES: usize = 1 << 15;

/// Packets that one call of `work` handles at most: queues are looked at between calls.
const AT_ONCE: usize = 64;

impl<B: PacketBlock> Work for Packets<B> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.input.recv_some(&mut self.packets, AT_ONCE);
        if self.packets.is_empty() {
            return Ok(Step::NeedInput);
        }
        let mut result = Ok(());
        self.packets.retain_mut(|message| {
            if result.is_err() {
                return false;
            }
            match Packet::take_from(message).map_err(BlockError::from).and_then(|x| self.block.packet(x)) {
                Ok(Some(made)) => made.put_into(message),
                Ok(None) => {
                    self.output.count_dropped_packet();
                    return false;
                }
                Err(error) => {
                    result = Err(error);
                    return false;
                }
            }
            true
        });
        // Also what came before a mistake.
        self.output.send_all(&mut self.packets)?;
        result.map(|()| Step::Ran)
    }
}

/// A [`PacketBlock`] on streams whose packets begin with a length tag.
///
/// The tags of a packet's first item are its metadata, before the block and behind it; other tags stay on their items, as
/// far as the block leaves them there. Of a block that keeps lengths ([`PacketBlock::ITEMS`]) all tags pass as they are,
/// where the framing drops nothing.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | the block's | that of the block |
/// | out `out` | the block's | that of the block |
///
/// # Errors
/// At run time: a [`FramingError`](super::framing::FramingError) where the stream does not consist of whole packets, and
/// the block's own.
#[derive(Debug, Block)]
pub struct TaggedPackets<B: PacketBlock> {
    #[port("in")]
    input: In<B::In>,
    #[port("out")]
    output: Out<B::Out>,
    collector: Collector<B::In>,
    emitter: Emitter<B::Out>,
    /// The lengths of the packets that are being passed on where they lie.
    lengths: Vec<usize>,
    /// What has been made of a packet that did not lie in one piece, and how much of that has been written.
    part: Option<(Packet<B::Out>, usize)>,
    /// Empty but while tags are handed on.
    passing: TagQueue,
    block: B,
}

/// Blocks that keep lengths pass packets on where they lie, if that is in one piece and there is room. Tags go from each
/// item to the same one, whatever way the items take.
impl<B: PacketBlock> TaggedPackets<B> {
    /// Whether the stream has nothing but packets, each of which the block keeps at its place.
    fn keeps_places(&self) -> bool {
        B::ITEMS.is_some() && !self.collector.resyncs()
    }

    /// Passes on all packets that lie before it whole; whether there was one.
    fn pass_whole(&mut self) -> Result<bool, BlockError> {
        let Some(items) = B::ITEMS else { return Ok(false) };
        let whole = self.collector.whole(&self.input, self.output.room(), &mut self.lengths);
        if whole == 0 {
            return Ok(false);
        }
        let (mut x, mut y) = (&self.input.peek()[..whole], &mut self.output.reserve()[..whole]);
        for &length in &self.lengths {
            let (packet, made);
            (packet, x) = x.split_at(length);
            (made, y) = y.split_at_mut(length);
            items(&mut self.block, packet, made)?;
        }
        if self.input.index() == self.output.index() {
            self.input.move_tags(whole, &mut self.passing);
            self.output.attach_all(&mut self.passing);
        } else {
            forward_tags(&mut self.input, &mut self.output, whole);
        }
        self.input.consume(whole);
        self.output.produce(whole);
        Ok(true)
    }

    /// Takes what there is of a packet that does not lie before it whole, and passes it on once it is; whether it was.
    fn pass_pieces(&mut self) -> Result<bool, BlockError> {
        let (from, to) = (self.input.index(), self.output.index() + self.collector.filled() as u64);
        let mut tags = Vec::new();
        let packet = self.collector.next_with(&mut self.input, |tag| tags.push(tag.clone()))?;
        for tag in tags {
            self.output.put_tag(Tag { index: tag.index - from + to, ..tag });
        }
        let Some((packet, _)) = packet else { return Ok(false) };
        let length = packet.len();
        let made = self.block.packet(packet)?.filter(|made| made.len() == length);
        let made = made.ok_or("a packet changed its length, and the block says that it keeps it")?;
        self.part = Some((made, 0));
        Ok(true)
    }

    /// Writes what is left of a packet; whether nothing is left any more.
    fn write_part(&mut self) -> bool {
        let Some((packet, written)) = &mut self.part else { return true };
        let room = self.output.reserve();
        let n = room.len().min(packet.len() - *written);
        room[..n].copy_from_slice(&packet.items()[*written..*written + n]);
        self.output.produce(n);
        *written += n;
        let is_whole = *written == packet.len();
        if is_whole {
            self.part = None;
        }
        is_whole
    }

    fn work_in_place(&mut self) -> Result<Step, BlockError> {
        let before = (self.input.index(), self.output.index());
        let lacks = loop {
            // Without room no packet is taken apart: the next is passed on where it lies, tags and all.
            if !self.write_part() || self.output.room() == 0 {
                break Step::NeedOutput;
            }
            if !self.pass_whole()? && (self.collector.comes_whole(&self.input) || !self.pass_pieces()?) {
                break Step::NeedInput;
            }
        };
        Ok(if (self.input.index(), self.output.index()) == before { lacks } else { Step::Ran })
    }
}

impl<B: PacketBlock> Work for TaggedPackets<B> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.keeps_places() {
            return self.work_in_place();
        }
        let before = (self.input.index(), self.output.index());
        let lacks = loop {
            if !self.emitter.write(&mut self.output) {
                break Step::NeedOutput;
            }
            let Some((packet, _)) = self.collector.next(&mut self.input)? else { break Step::NeedInput };
            match self.block.packet(packet)? {
                Some(packet) => self.emitter.begin(packet),
                None => self.output.count_dropped_packet(),
            }
        };
        Ok(if (self.input.index(), self.output.index()) == before { lacks } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.emitter.write(&mut self.output) || !self.write_part() {
            return Ok(Step::NeedOutput);
        }
        if self.keeps_places() {
            // What was waited for to come whole.
            while self.pass_pieces()? {
                if !self.write_part() {
                    return Ok(Step::NeedOutput);
                }
            }
            forward_tags(&mut self.input, &mut self.output, 0);
        }
        self.collector.finish()?;
        Ok(Step::Done)
    }
}

/// Packets that are taken out of the place of a message and put back there. A message that is moved as a whole and then read
/// as its parts, or the other way round, has to wait until the processor has it in its cache: a third of the time for a short
/// packet.
impl<T: Item> Packet<T> {
    /// Takes a packet out of a message, which is to be written anew or to be dropped then.
    #[inline]
    fn take_from(message: &mut Value) -> Result<Self, NotThatPacket> {
        match message {
            Value::Packet(packet) if packet.item() == ItemType::of::<T>() => Ok(packet.take().of()?),
            other => std::mem::replace(other, Value::Null).try_into(),
        }
    }

    /// Makes a message of the packet, at the place of another.
    #[inline]
    fn put_into(self, message: &mut Value) {
        match message {
            Value::Packet(packet) => *packet = self.into(),
            other => *other = self.into(),
        }
    }
}

/// A message is not the packet that was expected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotThatPacket {
    /// It is no packet at all.
    #[error("expected a packet, got the message {0}")]
    NoPacket(Value),
    /// It is one of other items.
    #[error(transparent)]
    WrongItems(#[from] WrongItems),
}

impl<T: Item> TryFrom<Value> for Packet<T> {
    type Error = NotThatPacket;

    #[inline]
    fn try_from(value: Value) -> Result<Self, NotThatPacket> {
        Ok(AnyPacket::try_from(value)?.of()?)
    }
}

impl TryFrom<Value> for AnyPacket {
    type Error = NotThatPacket;

    fn try_from(value: Value) -> Result<Self, NotThatPacket> {
        match value {
            Value::Packet(packet) => Ok(packet),
            value => match AnyPacket::from_pairs(&value) {
                Some(packet) => Ok(packet),
                None => Err(NotThatPacket::NoPacket(value)),
            },
        }
    }
}
