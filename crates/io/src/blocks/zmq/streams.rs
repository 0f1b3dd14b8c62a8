//! Streams as messages: what the sinks and sources of samples share.

use std::collections::VecDeque;

use superhet_runtime::{BlockError, Context, In, Item, Out, Step, Tag};

use super::{Line, TIMEOUT, ZmqSettings, tags};
use crate::error::Error;
use crate::zmtp::{Parts, Received, Request, Role};

/// The most bytes of items in a message, except where a single vector is longer.
const MOST_MESSAGE: usize = 1 << 20;

/// Tags that a message may have for each of its vectors, and besides: they take memory until the items are used.
const TAGS_PER_VECTOR: u64 = 2;
const MOST_TAGS: u64 = 32;

/// The settings that say how items lie in messages.
#[derive(Debug)]
struct Layout {
    vector: usize,
    pass_tags: bool,
    key: Vec<u8>,
}

impl Layout {
    fn new(block: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        if settings.vector == 0 {
            return Err(Error::Setting {
                path: block.into(),
                parameter: "length",
                got: "0".to_owned(),
                expected: "1 item or more".to_owned(),
            });
        }
        let key = settings.key.clone().into_bytes();
        Ok(Layout { vector: settings.vector, pass_tags: settings.pass_tags, key })
    }

    /// Bytes of a vector.
    fn bytes<T: Item>(&self) -> usize {
        self.vector.saturating_mul(size_of::<T>())
    }
}

/// A sink for items: PUB, PUSH or REP.
#[derive(Debug)]
pub(in crate::blocks) struct StreamSink {
    pub line: Line,
    layout: Layout,
}

impl StreamSink {
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let layout = Layout::new(block, settings)?;
        Ok(StreamSink { line: Line::new(block, role, address, settings)?, layout })
    }

    /// The input of such a block: it runs before there is any item, to open its socket.
    pub fn input<T: Item>(&self) -> In<T> {
        In::new().min(0).multiple(self.layout.vector)
    }

    /// Sends the items that have come, as far as the other side takes them.
    pub fn work<T: Item>(&mut self, input: &mut In<T>, context: &Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.line.is_late(context);
        let role = self.line.role;
        let socket = self.line.open()?;
        let vectors = input.available() / self.layout.vector;
        if vectors == 0 {
            return Ok(Step::NeedInput);
        }
        let most = (MOST_MESSAGE / self.layout.bytes::<T>()).max(1);
        let request = if role == Role::Rep { socket.request(TIMEOUT)? } else { None };
        let can_send = if role == Role::Rep { request.is_some() } else { socket.wait_for_room(TIMEOUT)? };
        if !can_send && is_late {
            self.line.tell_unsent();
            return Ok(Step::Done);
        }
        if !can_send {
            return Ok(Step::Ran);
        }
        let n = request.as_ref().map_or(most, |request| most.min(wanted(request)));
        let items = n.min(vectors) * self.layout.vector;
        if role != Role::Pub || socket.has_peers() {
            let header = self.header(input, items)?;
            let bytes: &[u8] = bytemuck::cast_slice(&input.peek()[..items]);
            let message: &[&[u8]] = &[&header, bytes];
            let socket = self.line.open()?;
            match &request {
                Some(request) => socket.answer(request, &[message]),
                None if self.layout.key.is_empty() => socket.send(&[message]),
                None => socket.send(&[&[&self.layout.key], message]),
            }
        }
        input.consume(items);
        Ok(Step::Ran)
    }

    /// The header with the tags of the first items, where such are sent.
    fn header<T: Item>(&self, input: &In<T>, items: usize) -> Result<Vec<u8>, BlockError> {
        if !self.layout.pass_tags {
            return Ok(Vec::new());
        }
        let mut found: Vec<Tag> = Vec::new();
        let end = input.index() + items as u64;
        input.for_each_tag(items, |tag| {
            // Without an item, those behind the end of the stream are shown.
            if tag.index < end {
                found.push(tag.clone());
            }
        });
        Ok(tags::header(input.index() / self.layout.vector as u64, &found, self.layout.vector)?)
    }

    /// Waits until the rest is sent, when no more items will come.
    pub fn finish(&mut self, context: &Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.line.is_done(context)? { Step::Done } else { Step::Ran })
    }
}

/// How many vectors a request wants. GNU Radio says it in 4 bytes, little-endian. A request without a number wants all that
/// are there.
fn wanted(request: &Request) -> usize {
    let number = request.body.first().and_then(|body| body.first_chunk::<4>());
    number.map_or(usize::MAX, |number| usize::try_from(i32::from_le_bytes(*number)).unwrap_or(0))
}

/// A source of items: SUB, PULL or REQ.
#[derive(Debug)]
pub(in crate::blocks) struct StreamSource {
    pub line: Line,
    layout: Layout,
    /// What has come and was not given yet: whole vectors each.
    waiting: VecDeque<Vec<u8>>,
    /// How many bytes of the first have been given.
    given: usize,
}

impl StreamSource {
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        let layout = Layout::new(block, settings)?;
        let line = Line::new(block, role, address, settings)?;
        Ok(StreamSource { line, layout, waiting: VecDeque::new(), given: 0 })
    }

    /// The output of such a block.
    pub fn output<T: Item>(&self) -> Out<T> {
        Out::new().multiple(self.layout.vector)
    }

    /// Gives what has come; if there is nothing, waits for it a little.
    pub fn work<T: Item>(
        &mut self,
        output: &mut Out<T>,
        context: &mut Context<'_>,
    ) -> Result<Step, BlockError> {
        self.line.open()?;
        if context.is_stopping() {
            return Ok(Step::Done);
        }
        let mut has_given = false;
        while output.room() > 0 {
            if let Some(bytes) = self.waiting.front() {
                let room: &mut [u8] = bytemuck::cast_slice_mut(output.reserve());
                let left = bytes.get(self.given..).unwrap_or_default();
                let n = room.len().min(left.len());
                room[..n].copy_from_slice(&left[..n]);
                self.given = self.given.saturating_add(n);
                if self.given == bytes.len() {
                    self.waiting.pop_front();
                    self.given = 0;
                }
                output.produce(n / size_of::<T>());
                has_given = true;
                continue;
            }
            let room = output.room() / self.layout.vector;
            let Some(Received { from, parts }) = self.line.fetch(room, !has_given)? else { break };
            match self.take(parts, T::NAME, size_of::<T>()) {
                Ok(tags) => tags.into_iter().for_each(|tag| {
                    output.put_tag(Tag { index: output.index().saturating_add(tag.index), ..tag });
                }),
                Err(problem) => {
                    output.count_dropped_packet();
                    self.line.refuse(from, format!("it sends a message that is none: {problem}"));
                }
            }
        }
        (0..self.line.take_parted()).for_each(|_| output.count_dropped_packet());
        // Also when nothing has come: it looks again.
        Ok(Step::Ran)
    }

    /// Takes the parts of a message whose items are `item`, of so many bytes: keeps the items and gives the tags, whose indices count
    /// from the next item.
    fn take(&mut self, mut parts: Parts, item: &str, bytes: usize) -> Result<Vec<Tag>, String> {
        let vector = self.layout.vector.saturating_mul(bytes);
        // Where nothing was said about a key, the first of several parts is one if it cannot be items.
        let is_no_data = |part: &Vec<u8>| match self.layout.pass_tags {
            true => !tags::begins_header(part),
            false => !part.len().is_multiple_of(vector),
        };
        let has_key = !self.layout.key.is_empty() || parts.len() > 1 && parts.first().is_some_and(is_no_data);
        if self.line.role == Role::Sub && has_key {
            if parts.len() < 2 {
                return Err("it has one part, expected a key and the items".to_owned());
            }
            parts.remove(0);
        }
        let mut found = Vec::new();
        if let Some(first) = parts.first_mut().filter(|first| self.layout.pass_tags && !first.is_empty()) {
            let header;
            let budget = self.line.open().map_err(|error| error.to_string())?.memory().decoded();
            (found, header) = tags::read_header(first, budget)?;
            first.drain(..header);
        }
        if let Some(part) = parts.iter().find(|part| !part.len().is_multiple_of(vector)) {
            let items = self.layout.vector;
            let expected = format!("whole vectors of {items} {item}, {vector} bytes each");
            return Err(format!("it has {} bytes of items, expected {expected}", part.len()));
        }
        let vectors = (parts.iter().map(Vec::len).sum::<usize>() / vector) as u64;
        if let Some(Tag { key, index, .. }) = found.iter().find(|tag| tag.index >= vectors) {
            return Err(format!("the tag {key} is at item {index} of the message, which has {vectors}"));
        }
        let most = vectors.saturating_mul(TAGS_PER_VECTOR).saturating_add(MOST_TAGS);
        if found.len() as u64 > most {
            return Err(format!("it has {} tags on {vectors} items, expected at most {most}", found.len()));
        }
        for tag in &mut found {
            tag.index = tag.index.saturating_mul(self.layout.vector as u64);
        }
        self.waiting.extend(parts.into_iter().filter(|part| !part.is_empty()));
        Ok(found)
    }
}
