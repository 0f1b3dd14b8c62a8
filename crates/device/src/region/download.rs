//! A stream that goes to the host.

use std::collections::VecDeque;

use superhet_runtime::Tag;

use super::ring::Ring;
use super::staging::Frames;
use crate::backend::Backend;
use crate::counters::Counters;
use crate::ports::HostOut;

pub(super) struct Download<B: Backend> {
    /// What the port is called, and the block whose errors it has.
    pub name: String,
    pub member: String,
    pub port: Box<dyn HostOut>,
    pub ring: usize,
    pub reader: usize,
    pub frames: Frames<B>,
    pub stream: B::Stream,
    /// The items of the frames on their way.
    pub items: VecDeque<usize>,
    /// How many items of the oldest frame the host's blocks have been given.
    pub given: usize,
    /// The oldest frame's copy is known to be done.
    pub has_arrived: bool,
    /// Everything was given.
    pub is_done: bool,
}

impl<B: Backend> Download<B> {
    /// Whether nobody reads any more.
    pub fn is_unwanted(&self) -> bool {
        self.port.is_closed()
    }

    /// Asks for one batch, if there is one to be had. Whether it did something.
    pub fn step(&mut self, backend: &B, ring: &mut Ring<B>, counters: &Counters) -> Result<bool, B::Error> {
        if self.is_done {
            return Ok(false);
        }
        if self.is_unwanted() {
            ring.leave(self.reader, backend, &mut self.stream)?;
            self.is_done = true;
            return Ok(true);
        }
        let n = ring.available(self.reader, backend, &mut self.stream)?;
        let Some(frame) = self.frames.next() else { return Ok(false) };
        if n == 0 {
            return Ok(false);
        }
        ring.wait(self.reader, backend, &mut self.stream)?;
        let view = ring.view(self.reader, n);
        backend.download(&mut self.stream, view.place.memory, view.place.at, &frame.memory, view.bytes())?;
        counters.downloads.add(1);
        counters.downloaded_bytes.add(view.bytes() as u64);
        backend.record(&mut self.stream, &mut frame.done)?;
        self.frames.fill();
        self.items.push_back(n);
        ring.take(self.reader, n);
        Ok(true)
    }

    /// Whether the oldest frame is on its way, as far as is known.
    pub fn is_waiting_for_device(&mut self) -> bool {
        !self.is_done && self.frames.on_their_way() > 0 && !self.has_arrived
    }

    /// Gives what has come to the host's blocks. Whether it did something.
    pub fn give(&mut self, backend: &B, ring: &mut Ring<B>) -> Result<bool, B::Error> {
        if self.is_done {
            return Ok(false);
        }
        let (Some(frame), Some(&items)) = (self.frames.oldest(), self.items.front()) else {
            return Ok(self.end(ring));
        };
        if !self.has_arrived {
            self.has_arrived = backend.is_done(&frame.done)?;
        }
        if !self.has_arrived {
            return Ok(false);
        }
        let room = self.port.reserve();
        let n = (room.len() / ring.item_bytes).min(items - self.given);
        if n == 0 {
            return Ok(false);
        }
        backend.read(&mut frame.memory, self.given * ring.item_bytes, &mut room[..n * ring.item_bytes])?;
        let end = self.port.index() + n as u64;
        while let Some(tag) = ring.readers[self.reader].tags.pop_before(end) {
            self.port.put_tag(tag);
        }
        self.port.produce(n);
        self.given += n;
        if self.given == items {
            self.frames.empty();
            self.items.pop_front();
            (self.given, self.has_arrived) = (0, false);
        }
        Ok(true)
    }

    /// Ends the stream on the host, if it has ended on the device.
    fn end(&mut self, ring: &mut Ring<B>) -> bool {
        if !ring.is_over(self.reader) {
            return false;
        }
        // Those beyond the last item.
        ring.readers[self.reader].tags.drain().for_each(|tag: Tag| self.port.put_tag(tag));
        self.is_done = true;
        true
    }
}
