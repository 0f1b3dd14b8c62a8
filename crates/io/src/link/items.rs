//! Items of a stream with their tags as frames, and out of them again, whatever carries the frames.

use std::collections::VecDeque;

use superhet_runtime::{BlockError, In, Item, MsgIn, Out, Tag, clock::StreamClock};

use super::frame::{Header, MOST_BODY, MOST_TAGS};
use super::payload::{read_tags, said, say_clock, tags_to_bytes};

/// Takes items from an input for frames, with their tags, and follows what is known of the stream.
#[derive(Debug, Default)]
pub struct Packer {
    clock: StreamClock,
    found: Vec<Tag>,
}

/// What one frame has.
#[derive(Debug)]
pub struct Packed<'a> {
    /// How many items.
    pub count: usize,
    /// Their tags, which stand before them.
    pub tags: &'a [u8],
    /// The items, as they lie in memory.
    pub items: &'a [u8],
    clock: &'a StreamClock,
    first: u64,
}

impl Packed<'_> {
    /// Writes what is known of the first item into a header: its time, rate and frequency.
    pub fn say(&self, header: &mut Header) {
        say_clock(header, self.clock, self.first);
    }
}

impl Packer {
    /// The tags of the first items, up to `n` of them, as bytes; of how many items.
    fn tags<T: Item>(&mut self, input: &In<T>, mut n: usize) -> Result<(Vec<u8>, usize), BlockError> {
        loop {
            let end = input.index() + n as u64;
            self.found.clear();
            let found = &mut self.found;
            input.for_each_tag(n, |tag| {
                // Without an item, those behind the end of the stream are shown.
                if tag.index < end {
                    found.push(tag.clone());
                }
            });
            let bytes = tags_to_bytes(input.index(), &self.found)?;
            match bytes.len() > MOST_TAGS {
                false => return Ok((bytes, n)),
                true if n > 1 => n /= 2,
                true => {
                    let (index, bytes) = (input.index(), bytes.len());
                    return Err(format!(
                        "the tags of item {index} have {bytes} bytes, expected at most {MOST_TAGS}"
                    )
                    .into());
                }
            }
        }
    }

    /// Shows `give` the first items of an input, up to `most` of those that are there, and consumes them; how many.
    ///
    /// # Errors
    /// A tag that no PMT can hold, tags of one item that have more than [`MOST_TAGS`] bytes; those of `give`, when nothing is consumed.
    pub fn pack<T: Item>(
        &mut self,
        input: &mut In<T>,
        most: usize,
        give: impl FnOnce(&Packed<'_>) -> Result<(), BlockError>,
    ) -> Result<usize, BlockError> {
        let (tags, count) = self.tags(input, most.min(input.available()))?;
        let first = input.index();
        // What is said of the first item itself counts for it; the rest for what follows.
        let (now, later) = self.found.split_at(self.found.partition_point(|tag| tag.index <= first));
        now.iter().for_each(|tag| self.clock.note(tag));
        let items = bytemuck::cast_slice(input.peek().get(..count).unwrap_or_default());
        give(&Packed { count, tags: &tags, items, clock: &self.clock, first })?;
        later.iter().for_each(|tag| self.clock.note(tag));
        input.consume(count);
        Ok(count)
    }
}

/// Messages of a frame, and its bytes: what comes at once goes at once.
const MOST_MESSAGES: usize = 256;
const AT_ONCE: usize = 1 << 16;

/// The messages that have come, as the bytes of a frame; how many.
///
/// # Errors
/// A message that no PMT can hold, or that is too long for a frame.
pub fn pack_messages(input: &mut MsgIn) -> Result<(Vec<u8>, usize), BlockError> {
    let (mut bytes, mut count) = (Vec::new(), 0usize);
    while count < MOST_MESSAGES && bytes.len() < AT_ONCE {
        let Some(message) = input.recv() else { break };
        let pmt = message.to_pmt()?;
        if pmt.len() > MOST_BODY - AT_ONCE {
            let problem =
                format!("a message has {} bytes, expected at most {}", pmt.len(), MOST_BODY - AT_ONCE);
            return Err(problem.into());
        }
        bytes.extend(pmt);
        count = count.saturating_add(1);
    }
    Ok((bytes, count))
}

/// Gives the items of frames to an output, with their tags.
#[derive(Debug)]
pub struct Unpacker {
    /// Whether the next item has to be told what its header says.
    is_new: bool,
    current: Option<Current>,
}

/// A frame that is being given.
#[derive(Debug)]
struct Current {
    header: Header,
    /// How many bytes of the body are given, or were had before.
    given: usize,
    /// Whether nothing of it was had before.
    is_whole: bool,
    /// Tags that are not on the stream yet, by their indices, which count from the next item to be given.
    tags: VecDeque<Tag>,
}

/// How far [`Unpacker::give`] has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// All that there was: the index behind the frame's last item; `None` where there was no frame.
    All(Option<u64>),
    /// As much as there is room for.
    NoRoom,
    /// The rest is not to be had: the index of the first item that was not given.
    Broken(u64),
}

impl Default for Unpacker {
    fn default() -> Self {
        Unpacker { is_new: true, current: None }
    }
}

impl Unpacker {
    /// Whether no frame is being given.
    pub fn is_empty(&self) -> bool {
        self.current.is_none()
    }

    /// Says that something is missing before the next item, which is told anew what its header says.
    pub fn breaks(&mut self) {
        self.is_new = true;
    }

    /// Takes a frame of items whose tags have these bytes; of those items that lie before the index `next`, which were had before, none
    /// will be given.
    ///
    /// # Errors
    /// What is wrong with the frame.
    pub fn take<T: Item>(&mut self, header: Header, tags: &[u8], next: u64) -> Result<(), String> {
        self.take_items_of(size_of::<T>(), header, tags, next)
    }

    /// As `take`, for items of so many bytes.
    fn take_items_of(&mut self, bytes: usize, header: Header, tags: &[u8], next: u64) -> Result<(), String> {
        let mut tags = read_tags(&header, tags, bytes)?;
        let had = usize::try_from(next.saturating_sub(header.first)).unwrap_or(usize::MAX);
        let had = had.min(header.count as usize);
        tags.retain_mut(|tag| {
            let index = tag.index.checked_sub(had as u64);
            tag.index = index.unwrap_or(0);
            index.is_some()
        });
        tags.sort_by_key(|tag| tag.index);
        let given = (header.tags as usize).saturating_add(had.saturating_mul(bytes));
        self.current = Some(Current { header, given, is_whole: had == 0, tags: tags.into() });
        Ok(())
    }

    /// Puts the tags of a frame on the stream that are at the next `count` items.
    fn tag<T: Item>(&mut self, current: &mut Current, count: u64, output: &mut Out<T>) {
        if std::mem::take(&mut self.is_new) && current.is_whole {
            for (key, value) in said(&current.header) {
                if !current.tags.iter().any(|tag| tag.index == 0 && *tag.key == *key) {
                    output.tag(0, key, value);
                }
            }
        }
        let first = output.index();
        while let Some(tag) = current.tags.pop_front_if(|tag| tag.index < count) {
            output.put_tag(Tag { index: first.saturating_add(tag.index), ..tag });
        }
        current.tags.iter_mut().for_each(|tag| tag.index = tag.index.saturating_sub(count));
    }

    /// Gives what there is room for. `copy` copies what lies so many bytes behind the beginning of the frame's body, or says that it is
    /// not to be had any more.
    ///
    /// # Errors
    /// Those of `copy`.
    pub fn give<T: Item, E>(
        &mut self,
        output: &mut Out<T>,
        mut copy: impl FnMut(usize, &mut [u8]) -> Result<bool, E>,
    ) -> Result<Given, E> {
        let Some(mut current) = self.current.take() else { return Ok(Given::All(None)) };
        let end = current.header.end();
        while current.given < current.header.body as usize {
            let left = (current.header.body as usize).saturating_sub(current.given);
            let room: &mut [u8] = bytemuck::cast_slice_mut(output.reserve());
            let n = room.len().min(left);
            let Some(room) = room.get_mut(..n).filter(|room| !room.is_empty()) else {
                self.current = Some(current);
                return Ok(Given::NoRoom);
            };
            if !copy(current.given, room)? {
                return Ok(Given::Broken(end.saturating_sub((left / size_of::<T>()) as u64)));
            }
            let count = n / size_of::<T>();
            self.tag(&mut current, count as u64, output);
            output.produce(count);
            current.given = current.given.saturating_add(n);
        }
        Ok(Given::All(Some(end)))
    }
}
