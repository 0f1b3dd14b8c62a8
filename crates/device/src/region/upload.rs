//! A stream that comes from the host.

use superhet_runtime::Tag;

use super::ring::Ring;
use super::staging::Frames;
use crate::backend::Backend;
use crate::counters::Counters;
use crate::ports::HostIn;

pub(super) struct Upload<B: Backend> {
    /// What the port is called, and the block whose errors it has.
    pub name: String,
    pub member: String,
    pub port: Box<dyn HostIn>,
    pub ring: usize,
    pub frames: Frames<B>,
    pub stream: B::Stream,
    /// All of it was taken.
    pub is_done: bool,
}

impl<B: Backend> Upload<B> {
    /// Sends one batch, if there is one to be sent: a full one, or, where the device has nothing else to do, what there
    /// is. Whether it did something.
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
            self.port.consume(waiting);
            return Ok(waiting > 0);
        }
        if waiting == 0 {
            return Ok(self.end(ring));
        }
        let n = waiting.min(ring.capacity);
        self.frames.collect(backend)?;
        if (n < ring.capacity && !is_idle) || !ring.has_room() {
            return Ok(false);
        }
        let Some(frame) = self.frames.next() else { return Ok(false) };
        let bytes = n * ring.item_bytes;
        backend.write(&mut frame.memory, 0, &self.port.peek()[..bytes])?;
        ring.begin(backend, &mut self.stream, counters)?;
        let room = ring.room(n).place;
        backend.upload(&mut self.stream, &frame.memory, room.memory, room.at, bytes)?;
        backend.record(&mut self.stream, &mut frame.done)?;
        self.frames.fill();
        self.port.tags(n, &mut |tag| ring.tag(tag));
        ring.end(n, backend, &mut self.stream)?;
        self.port.consume(n);
        counters.uploads.add(1);
        counters.uploaded_bytes.add(bytes as u64);
        Ok(true)
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
