//! A stream that goes to the host.

use std::collections::VecDeque;

use superhet_runtime::{Tag, buffer::LentRoom};

use super::ring::Ring;
use super::staging::Way;
use crate::backend::{Backend, Transfer};
use crate::counters::Counters;
use crate::ports::HostOut;

pub(super) struct Download<B: Backend> {
    /// What the port is called, and the block whose errors it has.
    pub name: String,
    pub member: String,
    pub port: Box<dyn HostOut>,
    pub ring: usize,
    pub reader: usize,
    pub way: Way<B, LentRoom>,
    pub stream: B::Stream,
    /// The items of the frames on their way.
    pub items: VecDeque<usize>,
    /// How many items of the oldest frame the host's blocks have been given.
    pub given: usize,
    /// The oldest frame's copy is known to be done.
    pub has_arrived: bool,
    /// A batch has no room in the host's stream.
    pub lacks_room: bool,
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
        let n = match &mut self.way {
            Way::Staged(frames) => frames.next().map_or(0, |_| n),
            Way::Direct(flights) if flights.is_full() => 0,
            Way::Direct(_) => {
                let room = self.port.lendable(n);
                self.lacks_room = n > 0 && room == 0;
                room
            }
        };
        if n == 0 {
            return Ok(false);
        }
        ring.wait(self.reader, backend, &mut self.stream)?;
        let view = ring.view(self.reader, n);
        let (place, bytes) = (view.place, view.bytes());
        match &mut self.way {
            Way::Staged(frames) => {
                let Some(frame) = frames.next() else { return Ok(false) };
                backend.download(&mut self.stream, place.memory, place.at, &frame.memory, bytes)?;
                backend.record(&mut self.stream, &mut frame.done)?;
                frames.fill();
            }
            Way::Direct(flights) => {
                let Some(room) = self.port.lend(n) else { return Ok(false) };
                flights.push(flights.locked.download(&mut self.stream, place.memory, place.at, room)?);
            }
        }
        counters.downloads.add(1);
        counters.downloaded_bytes.add(bytes as u64);
        self.items.push_back(n);
        ring.take(self.reader, n);
        Ok(true)
    }

    /// Settles how what comes is copied: to room that the port lends, if that can be.
    pub fn settle(&mut self, backend: &B, ring: &Ring<B>, most: usize) -> Result<(), B::Error> {
        self.way = match Way::lending(backend, self.port.memory(), most, &self.name) {
            Some(lending) => lending,
            None => Way::staged(backend, ring.batch_bytes(), most, Transfer::Download)?,
        };
        Ok(())
    }

    /// Whether the oldest frame is on its way, as far as is known.
    pub fn is_waiting_for_device(&mut self) -> bool {
        !self.is_done && self.way.on_their_way() > 0 && !self.has_arrived
    }

    /// Gives what has come to the host's blocks. Whether it did something.
    pub fn give(&mut self, backend: &B, ring: &mut Ring<B>) -> Result<bool, B::Error> {
        if self.is_done {
            return Ok(false);
        }
        let Some(&items) = self.items.front() else { return Ok(self.end(ring)) };
        match &mut self.way {
            Way::Staged(frames) => {
                let Some(frame) = frames.oldest() else { return Ok(false) };
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
                let room = &mut room[..n * ring.item_bytes];
                backend.read(&mut frame.memory, self.given * ring.item_bytes, room)?;
                put_tags(&mut *self.port, ring, self.reader, n);
                self.port.produce(n);
                self.given += n;
                if self.given < items {
                    return Ok(true);
                }
                frames.empty();
            }
            Way::Direct(flights) => {
                let Some(room) = flights.land()? else { return Ok(false) };
                put_tags(&mut *self.port, ring, self.reader, items);
                self.port.give_back(room);
            }
        }
        self.items.pop_front();
        (self.given, self.has_arrived) = (0, false);
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

/// Puts the tags of the next `n` items on the host's stream.
fn put_tags<B: Backend>(port: &mut dyn HostOut, ring: &mut Ring<B>, reader: usize, n: usize) {
    let end = port.index() + n as u64;
    while let Some(tag) = ring.readers[reader].tags.pop_before(end) {
        port.put_tag(tag);
    }
}
