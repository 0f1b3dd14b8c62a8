//! Packets of bytes or soft bits behind a sync word.

mod layout;

use std::collections::VecDeque;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, MsgOut, Packet, Step, Value, Work, declare,
    message::MessageType,
};

use crate::bits::BitOrder;
use crate::digital::codes::Crc;
use crate::digital::framing::access_code::{AccessCode, BitItem};
use crate::digital::framing::hdlc::{Ends, Unstuffer};
use crate::digital::framing::whitening::Whitening;
use crate::error::{Error, check};
use crate::tags::{IndexClock, Piece};

use layout::FCS_16;
pub use layout::{Checked, Layout, Length};

/// Sends the packets of a stream of bits: the bytes behind each sync word, of a fixed length, of one that a field in them says,
/// or up to a closing flag, as HDLC frames them.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | a bit each: the lowest; of `f32`, 1 for 0 and more |
/// | out `out` | packets of `u8` | bytes, without the checksum |
/// | | packets of `f32` | or the soft bits of a fixed length, as they came; of `u8`, ±1 |
///
/// A packet's metadata says where in the stream it begins (`offset`, in bits, behind the sync word), how many bits of the sync word
/// were wrong (`sync_errors`), and whether it was inverted (`inverted`); behind [`IndexTags`](crate::tags::IndexTags) also which sample of
/// the recording that is (`sample_index`).
///
/// A sync word within a packet counts, too, up to four at once, until the packet has proved to be whole. So a false sync word in
/// noise takes no packet away, where there is a checksum; or where packets overlap ([`Layout::overlap`]), and a code behind this block
/// finds out which of them are any. What a stream ends within is no packet.
///
/// ```
/// use superhet_blocks::digital::{AccessCode, Layout, Length, SyncWordToPacket};
/// use superhet_blocks::{sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// // The sync word 1011, the length 2, the bytes "Hi".
/// let bits: Vec<u8> = "00010110000001001001000011010010".bytes().map(|digit| digit & 1).collect();
/// let length = Length::Field { offset: 0, bits: 8, little_endian: false, add: 1 };
/// let layout = Layout { length, max_length: 9, ..Layout::fixed(0) };
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(bits, false)?);
/// let packets = graph.add("packets", SyncWordToPacket::new(AccessCode::new("1011", 0)?, layout)?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, packets.input);
/// graph.connect(packets.output, print.input);
/// graph.run()?;
/// assert!(text.take().contains("024869"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct SyncWordToPacket<T: BitItem> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: MsgOut,
    code: AccessCode,
    layout: Layout,
    gives_soft: bool,
    /// The bits behind the first of the sync words that count, and the number of the first of them.
    bits: VecDeque<T>,
    first: u64,
    /// How many bits have come.
    taken: u64,
    candidates: Vec<Candidate>,
    /// The candidates of HDLC frames, and what has come of each.
    frames: Vec<(Candidate, Unstuffer)>,
    clock: IndexClock,
}

/// A sync word was found.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The bit behind it.
    start: u64,
    inverted: bool,
    wrong: u32,
    /// How many bits the packet has; or how many its length field ends behind.
    bits: u64,
    is_known: bool,
}

/// The longest packet, in bytes.
const LONGEST: usize = 1 << 20;
/// So many sync words count at once.
const MOST_CANDIDATES: usize = 4;

impl<T: BitItem> SyncWordToPacket<T> {
    /// Sends the bytes behind this sync word.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a length is, or does not fit in `max_length`.
    pub fn new(code: AccessCode, layout: Layout) -> Result<Self, Error> {
        let max = layout.max_length;
        check((1..=LONGEST).contains(&max), "max_length", "a whole number from 1 to 1048576", max as f64)?;
        match layout.length {
            Length::Fixed(bytes) => {
                check(
                    (1..=max).contains(&bytes),
                    "length",
                    "at least 1, and at most max_length",
                    bytes as f64,
                )?;
            }
            Length::Field { offset, bits, .. } => {
                check((1..=32).contains(&bits), "length_bits", "a whole number from 1 to 32", bits)?;
                let end = offset.saturating_add(bits.div_ceil(8) as usize);
                check(end <= max, "length_offset", "a field within max_length", offset as f64)?;
            }
            Length::Hdlc if layout.whitening != Whitening::None => {
                let wanted = "none, where packets are HDLC frames: their line is scrambled, not their bytes";
                return Err(Error::WrongKind { parameter: "whitening", wanted, got: "another".to_owned() });
            }
            Length::Hdlc => {}
        }
        Ok(SyncWordToPacket {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            code,
            layout,
            gives_soft: false,
            bits: VecDeque::new(),
            first: 0,
            taken: 0,
            candidates: Vec::new(),
            frames: Vec::new(),
            clock: IndexClock::default(),
        })
    }

    /// Sends the soft bits instead, as they came.
    ///
    /// # Errors
    /// [`Error::WrongKind`] unless the length is fixed, and there are neither a checksum nor whitening.
    pub fn soft(mut self) -> Result<Self, Error> {
        let is_plain = self.layout.crc.is_none() && self.layout.whitening == Whitening::None;
        if !matches!(self.layout.length, Length::Fixed(_)) || !is_plain {
            return Err(Error::WrongKind {
                parameter: "give",
                wanted: "bytes, where there are a length field, a checksum or whitening",
                got: "soft_bits".to_owned(),
            });
        }
        self.gives_soft = true;
        self.output = MsgOut::new().sends(MessageType::packets_of::<f32>());
        Ok(self)
    }

    /// Takes a bit while sync words count.
    fn take(&mut self, item: T) -> Result<(), BlockError> {
        self.bits.push_back(item);
        self.taken += 1;
        let mut place = 0;
        while let Some(candidate) = self.candidates.get(place).copied() {
            if self.taken < candidate.start + candidate.bits {
                place += 1;
            } else if let Some(longer) = self.length_of(candidate) {
                self.candidates[place] = longer;
            } else if self.finish(candidate)? && self.proves() {
                // What began within the packet was a part of it.
                self.candidates.clear();
                self.code.restart();
            } else {
                self.candidates.remove(place);
            }
        }
        if let Some(candidate) = self.look(item) {
            self.candidates.push(candidate);
        }
        let first = self.candidates.first().map_or(self.taken, |candidate| candidate.start);
        self.bits.drain(..(first - self.first) as usize);
        self.first = first;
        Ok(())
    }

    /// Whether nothing that began within a packet that was sent can be another.
    fn proves(&self) -> bool {
        self.layout.crc.is_some() || !self.layout.overlap
    }

    /// Takes a bit of HDLC frames.
    fn take_framed(&mut self, item: T) -> Result<(), BlockError> {
        self.taken += 1;
        let mut place = 0;
        while let Some((candidate, unstuffer)) = self.frames.get_mut(place) {
            let candidate = *candidate;
            match unstuffer.take(item.bit() ^ u8::from(candidate.inverted)) {
                Ends::Nothing => place += 1,
                // What began within the packet was a part of it.
                Ends::Frame(bytes) if self.give(&bytes, candidate)? => self.frames.clear(),
                Ends::Frame(_) | Ends::Broken => drop(self.frames.remove(place)),
            }
        }
        // A flag that closes one frame may be the sync word of the next.
        if let Some(candidate) = self.look(item) {
            self.frames.push((candidate, Unstuffer::behind_flag(self.layout.max_length)));
        }
        Ok(())
    }

    /// Whether a sync word ends with this bit, the last that was taken.
    #[inline(always)]
    fn look(&mut self, item: T) -> Option<Candidate> {
        let (wrong, inverted) = match self.code.next(item.bit()) {
            Some(wrong) => (wrong, false),
            None if self.layout.either_polarity => (self.code.inverted()?, true),
            None => return None,
        };
        if self.candidates.len().max(self.frames.len()) == MOST_CANDIDATES {
            return None;
        }
        let (bytes, is_known) = match self.layout.length {
            Length::Fixed(bytes) => (bytes, true),
            Length::Field { offset, bits, .. } => (offset + bits.div_ceil(8) as usize, false),
            Length::Hdlc => (0, false),
        };
        Some(Candidate { start: self.taken, inverted, wrong, bits: 8 * bytes as u64, is_known })
    }

    /// The candidate whose length field has come, with the length that it says: one that is over if that is none.
    fn length_of(&self, candidate: Candidate) -> Option<Candidate> {
        let Length::Field { offset, bits, little_endian, add } = self.layout.length else { return None };
        if candidate.is_known {
            return None;
        }
        let bytes = self.bytes(candidate);
        let add_byte = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        let field = &bytes[offset..];
        let number =
            if little_endian { field.iter().rev().fold(0, add_byte) } else { field.iter().fold(0, add_byte) };
        let length = (number & ((1 << bits) - 1)) as i64 + add;
        let fits = length >= bytes.len() as i64 && length <= self.layout.max_length as i64;
        let bits = if fits { 8 * length as u64 } else { 0 };
        Some(Candidate { bits, is_known: true, ..candidate })
    }

    /// The bits of a candidate, not inverted.
    fn bits(&self, candidate: Candidate) -> impl Iterator<Item = u8> {
        let from = (candidate.start - self.first) as usize;
        let inverted = u8::from(candidate.inverted);
        self.bits.range(from..from + candidate.bits as usize).map(move |item| item.bit() ^ inverted)
    }

    /// The bytes of a candidate.
    fn bytes(&self, candidate: Candidate) -> Vec<u8> {
        let mut bytes = vec![0u8; candidate.bits as usize / 8];
        for (n, bit) in self.bits(candidate).enumerate() {
            let place = if self.layout.order == BitOrder::MsbFirst { 7 - n % 8 } else { n % 8 };
            bytes[n / 8] |= bit << place;
        }
        self.layout.whitening.apply(&mut bytes);
        bytes
    }

    /// Sends a packet that has come whole; whether it is one.
    fn finish(&mut self, candidate: Candidate) -> Result<bool, BlockError> {
        if candidate.bits == 0 {
            return Ok(false);
        }
        if self.gives_soft {
            let from = (candidate.start - self.first) as usize;
            let sign = if candidate.inverted { -1.0 } else { 1.0 };
            let soft = self.bits.range(from..from + candidate.bits as usize).map(|item| item.soft() * sign);
            let packet = Packet::from_items(&soft.collect::<Vec<f32>>());
            self.send(packet, candidate)?;
            return Ok(true);
        }
        self.give(&self.bytes(candidate), candidate)
    }

    /// Sends the bytes of a packet without their checksum; whether that is right.
    fn give(&mut self, bytes: &[u8], candidate: Candidate) -> Result<bool, BlockError> {
        let Some(checked) = &self.layout.crc else {
            self.send(Packet::from_items(bytes), candidate)?;
            return Ok(true);
        };
        let data = bytes.len().checked_sub(checked.crc.bytes()).filter(|n| *n >= checked.skip);
        let Some((data, sum)) = data.map(|n| bytes.split_at(n)) else { return Ok(false) };
        let is_right = checked.crc.bytes_of(&data[checked.skip..], checked.little_endian) == sum;
        if is_right || checked.mark {
            let mut packet = Packet::from_items(data);
            if checked.mark {
                packet.set("crc_ok", is_right);
            }
            self.send(packet, candidate)?;
        }
        Ok(is_right)
    }

    fn send<U: superhet_runtime::Item>(
        &mut self,
        mut packet: Packet<U>,
        candidate: Candidate,
    ) -> Result<(), BlockError> {
        packet.set("offset", candidate.start);
        if let Some(sample) = self.clock.sample_of(candidate.start) {
            packet.set("sample_index", sample);
        }
        packet.set("sync_errors", candidate.wrong);
        if self.layout.either_polarity {
            packet.set("inverted", candidate.inverted);
        }
        Ok(self.output.send(Value::from(packet))?)
    }
}

/// So many bits are taken in one call.
const AT_ONCE: usize = 4096;

impl<T: BitItem> Work for SyncWordToPacket<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (_, item, tags) in piece.each() {
            tags.iter().for_each(|tag| self.clock.note(tag));
            if self.layout.length == Length::Hdlc {
                self.take_framed(item)?;
            } else if self.candidates.is_empty() {
                self.taken += 1;
                if let Some(candidate) = self.look(item) {
                    self.candidates.push(candidate);
                    self.first = self.taken;
                }
            } else {
                self.take(item)?;
            }
        }
        Ok(piece.step())
    }
}

#[declare(
    category = "digital",
    summary = "Sends the packets of a stream of bits, each behind a sync word.",
    items(u8, f32),
    item_doc = "u8 has a bit each, the lowest; f32 is a soft bit, 1 for 0 and more.",
    ports(input("in", "item", "bits"), output("out", "messages", "packets of u8, or of f32 as give says"))
)]
fn sync_word_to_packet<T: BitItem>(
    /// The word, up to 64 digits, each 0 or 1, or 0x….
    access_code: &str,
    /// How many bits may be wrong.
    #[param(unit = "bits", range = 0..=64, default = 0)]
    threshold: u32,
    /// Whether the word is also found inverted.
    #[param(default = false)]
    either_polarity: bool,
    /// Whether a sync word within a packet counts, too, where there is no checksum: for packets that a code behind this block proves.
    #[param(default = false)]
    overlap: bool,
    /// Whether a packet has a length, or is an HDLC frame: lowest bits first, zeros stuffed, up to a flag.
    #[param(kind = Kind::Choice(&["length", "hdlc"]), default = "length")]
    framing: &str,
    /// The length of a packet behind the word; 0: a field in it says it.
    #[param(unit = "bytes", range = 0..=LONGEST, default = 0)]
    length: usize,
    /// Where behind the word the length field begins.
    #[param(unit = "bytes", range = 0..=LONGEST, default = 0)]
    length_offset: usize,
    /// The length field's width; it lies in the lowest bits of its bytes.
    #[param(unit = "bits", range = 1..=32, default = 8)]
    length_bits: u32,
    /// Which byte of the length field is first.
    #[param(kind = Kind::Choice(&["big", "little"]), default = "big")]
    length_order: &str,
    /// A packet has so many bytes behind the word more than the field says: those of the field and the checksum, if it
    /// does not count them.
    #[param(unit = "bytes", range = -(LONGEST as i64)..=LONGEST, default = 0)]
    length_add: i64,
    /// The longest packet behind the word with its checksum, where a field or a flag says the length; a longer one is
    /// none.
    #[param(unit = "bytes", range = 1..=LONGEST, default = 4096)]
    max_length: usize,
    /// Which bit of a byte is first.
    #[param(kind = Kind::Choice(&["msb_first", "lsb_first"]), default = "msb_first")]
    order: &str,
    /// What was added to the bytes behind the word: pn9 as the CC1101 has it, or ccsds.
    #[param(default = "none")]
    whitening: Whitening,
    /// The name of the checksum at the end, in the CRC catalogue, such as CRC-16/IBM-3740; if empty none, or FCS-16 of
    /// hdlc.
    #[param(default = "")]
    crc: &str,
    /// Which byte of the checksum is first.
    #[param(kind = Kind::Choice(&["big", "little"]), default = "big")]
    crc_order: &str,
    /// How many bytes behind the word do not count.
    #[param(unit = "bytes", range = 0..=LONGEST, default = 0)]
    crc_skip: usize,
    /// Whether packets with a wrong checksum are dropped, or all pass with crc_ok in their metadata.
    #[param(kind = Kind::Choice(&["drop", "mark"]), default = "drop")]
    when_bad: &str,
    /// Packets of bytes, or of the soft bits (f32) of a fixed length.
    #[param(kind = Kind::Choice(&["bytes", "soft_bits"]), default = "bytes")]
    give: &str,
) -> Result<AnyBlock, BlockError> {
    let code = AccessCode::new(access_code, threshold)?;
    let is_hdlc = framing == "hdlc";
    let length = match length {
        0 if is_hdlc => Length::Hdlc,
        0 => Length::Field {
            offset: length_offset,
            bits: length_bits,
            little_endian: length_order == "little",
            add: length_add,
        },
        bytes => {
            check(!is_hdlc, "length", "0, where framing is hdlc", bytes as f64)?;
            Length::Fixed(bytes)
        }
    };
    let crc = match crc {
        "" if is_hdlc => FCS_16,
        name => name,
    };
    let crc = match crc {
        "" => None,
        name => Some(Checked {
            crc: Crc::named(name)?,
            little_endian: is_hdlc || crc_order == "little",
            skip: crc_skip,
            mark: when_bad == "mark",
        }),
    };
    let max_length = match length {
        Length::Fixed(bytes) => bytes,
        Length::Field { .. } | Length::Hdlc => max_length,
    };
    let is_lsb_first = is_hdlc || order == "lsb_first";
    let order = if is_lsb_first { BitOrder::LsbFirst } else { BitOrder::MsbFirst };
    let layout = Layout { length, max_length, order, whitening, crc, either_polarity, overlap };
    let block = SyncWordToPacket::<T>::new(code, layout)?;
    Ok(AnyBlock::new(if give == "soft_bits" { block.soft()? } else { block }))
}

#[cfg(test)]
mod tests;
