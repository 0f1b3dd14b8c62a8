//! A stream that comes from the host.

use superhet_runtime::{Tag, buffer::LentItems};

use super::ring::Ring;
use super::staging::Way;
use crate::backend::{Backend, Transfer};
use crate::counters::Counters;
use crate::ports::HostIn;

pub(super) struct Upload<B: Backend> {
    /// What the port is called, and the block whose errors it has.
    pub name: String,
    pub member: String,
    pub port: Box<dyn HostIn>,
    pub ring: usize,
    pub way: Way<B, LentItems>,
    pub stream: B::Stream,
    /// All of it was taken.
    pub is_done: bool,
}

impl<B: Backend> Upload<B> {
    /// Takes note of the copies that are done.
    pub fn collect(&mut self, backend: &B) -> Result<(), B::Error> {
        match &mut self.way {
            Way::Staged(frames) => frames.collect(backend)?,
            Way::Direct(flights) => {
                while let Some(items) = flights.land()? {
                    self.port.take_back(items);
                }
            }
        }
        Ok(())
    }

    /// Sends one batch, if there is one: a full one, or whatever is there if the device is idle. Whether it did something.
    pub fn step(
        &mut self,
        backend: &B,
        ring: &mut Ring<B>,
        is_idle: bool,
        counters: &Counters,
    ) -> Result<bool, B::Error> {
        if self.is_done {
            return Ok(false);
        }
        let waiting = self.port.available();
        if ring.is_unwanted() {
            if self.port.lent() > 0 {
                return Ok(false);
            }
            self.port.consume(waiting);
            return Ok(waiting > 0);
        }
        if waiting == 0 {
            return Ok(self.end(ring));
        }
        let n = waiting.min(ring.capacity);
        self.collect(backend)?;
        if (n < ring.capacity && !is_idle) || !ring.has_room() {
            return Ok(false);
        }
        let bytes = n * ring.item_bytes;
        match &mut self.way {
            Way::Staged(frames) => {
                let Some(frame) = frames.next() else { return Ok(false) };
                backend.write(&mut frame.memory, 0, &self.port.peek()[..bytes])?;
                ring.begin(backend, &mut self.stream, counters)?;
                let room = ring.room(n).place;
                backend.upload(&mut self.stream, &frame.memory, room.memory, room.at, bytes)?;
                backend.record(&mut self.stream, &mut frame.done)?;
                frames.fill();
                self.port.tags(n, &mut |tag| ring.tag(tag));
                self.port.consume(n);
            }
            Way::Direct(flights) => {
                if flights.is_full() {
                    return Ok(false);
                }
                // Before the items are lent: the port shows the tags of those that are not.
                self.port.tags(n, &mut |tag| ring.tag(tag));
                let Some(items) = self.port.lend(n) else { return Ok(false) };
                ring.begin(backend, &mut self.stream, counters)?;
                let room = ring.room(n).place;
                flights.push(flights.locked.upload(&mut self.stream, items, room.memory, room.at)?);
            }
        }
        ring.end(n, backend, &mut self.stream)?;
        counters.uploads.add(1);
        counters.uploaded_bytes.add(bytes as u64);
        Ok(true)
    }

    /// Settles how what is sent is copied: lent by the port, if that can be.
    pub fn settle(&mut self, backend: &B, ring: &Ring<B>, most: usize) -> Result<(), B::Error> {
        self.way = match Way::lending(backend, self.port.memory(), most, &self.name) {
            Some(lending) => lending,
            None => Way::staged(backend, ring.batch_bytes(), most, Transfer::Upload)?,
        };
        Ok(())
    }

    /// Ends the stream on the device, if it has ended on the host.
    fn end(&mut self, ring: &mut Ring<B>) -> bool {
        if !self.port.is_finished() {
            return false;
        }
        // Those beyond the last item.
        self.port.tags(0, &mut |tag: &Tag| ring.tag(tag));
        ring.finish();
        self.is_done = true;
        true
    }
}
