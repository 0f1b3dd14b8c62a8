//! A stream on a device: slots of device memory that are filled in turn.
//!
//! ```text
//! slot 0  [ zeros      | batch 0               ]
//! slot 1  [  end of 0  | batch 1               ]     the end of a batch that a reader has not taken, or that it still
//! slot 0  [  end of 1  | batch 2               ]     sees as history, is carried to the next slot: every view is
//!         `- prefix ---´`- capacity -----------´     contiguous, and nothing ever wraps
//! ```
//!
//! A slot is written again when every reader has moved on from its last batch. The device waits for the work that they
//! enqueued: `released`. A reader's work waits for `ready`. The host waits for neither.

use superhet_runtime::{Tag, tag::TagQueue};

use crate::backend::{Backend, Place, Span};
use crate::counters::Counters;

/// What a reader needs of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// Items before the new ones.
    pub history: usize,
    /// It takes multiples of this many items.
    pub decimation: usize,
    /// It brings the stream to the host.
    pub is_download: bool,
}

impl Need {
    /// How many items it may see again in the next batch.
    pub fn most_carried(&self) -> usize {
        self.history + self.decimation - 1
    }
}

struct Slot<B: Backend> {
    memory: B::Memory,
    /// The batch is there.
    ready: B::Event,
    /// Its number.
    batch: u64,
    /// The index of the batch's first item.
    first: u64,
    items: usize,
}

pub(super) struct Reader<B: Backend> {
    need: Need,
    /// The batch that it reads, or waits for.
    batch: u64,
    /// The index of the next item that it takes.
    index: u64,
    /// Whether its stream waits for the batch already.
    has_waited: bool,
    /// Per slot: it has read what was there.
    released: Vec<B::Event>,
    is_gone: bool,
    pub tags: TagQueue,
}

pub(super) struct Ring<B: Backend> {
    pub item_bytes: usize,
    pub capacity: usize,
    prefix: usize,
    slots: Vec<Slot<B>>,
    /// Batches so far, and their items.
    written: u64,
    total: u64,
    pub readers: Vec<Reader<B>>,
    is_ended: bool,
    /// A mistake that is put in.
    #[cfg(test)]
    pub is_never_full: bool,
}

impl<B: Backend> Ring<B> {
    pub fn new(
        backend: &B,
        item_bytes: usize,
        capacity: usize,
        depth: usize,
        needs: &[Need],
    ) -> Result<Self, B::Error> {
        let most = needs.iter().map(Need::most_carried).max().unwrap_or(0);
        // Batches begin on lines.
        let line = backend.alignment().max(64);
        let step = (1..=line).find(|items| (items * item_bytes).is_multiple_of(line)).unwrap_or(1);
        let prefix = most.next_multiple_of(step);
        let slot = |_| {
            let memory = backend.allocate((prefix + capacity) * item_bytes)?;
            Ok(Slot { memory, ready: backend.event()?, batch: 0, first: 0, items: 0 })
        };
        let reader = |need: &Need| {
            let released = (0..depth).map(|_| backend.event()).collect::<Result<_, _>>()?;
            Ok(Reader {
                need: *need,
                batch: 0,
                index: 0,
                has_waited: false,
                released,
                is_gone: false,
                tags: TagQueue::default(),
            })
        };
        Ok(Ring {
            item_bytes,
            capacity,
            prefix,
            slots: (0..depth).map(slot).collect::<Result<_, B::Error>>()?,
            written: 0,
            total: 0,
            readers: needs.iter().map(reader).collect::<Result<_, B::Error>>()?,
            is_ended: false,
            #[cfg(test)]
            is_never_full: false,
        })
    }

    fn place_of(&self, batch: u64) -> usize {
        (batch % self.slots.len() as u64) as usize
    }

    /// The bytes of the largest batch.
    pub fn batch_bytes(&self) -> usize {
        self.capacity * self.item_bytes
    }

    /// How many items were written.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether nobody will read any more.
    pub fn is_unwanted(&self) -> bool {
        self.readers.iter().all(|reader| reader.is_gone)
    }

    /// Whether all readers have moved on from the slot that comes next.
    pub fn has_room(&self) -> bool {
        self.readers.iter().all(|reader| !self.is_kept_by(reader))
    }

    /// Whether there is no room only because of readers that bring the stream to the host.
    pub fn is_kept_by_host(&self) -> bool {
        let mut keeping = self.readers.iter().filter(|reader| self.is_kept_by(reader)).peekable();
        keeping.peek().is_some() && keeping.all(|reader| reader.need.is_download)
    }

    /// Whether a reader has not moved on from the slot that comes next.
    fn is_kept_by(&self, reader: &Reader<B>) -> bool {
        #[cfg(test)]
        if self.is_never_full {
            return false;
        }
        !reader.is_gone && self.written >= reader.batch + self.slots.len() as u64
    }

    /// Makes the next slot ready to be written in `stream`: waits for its readers, and carries over what they still need.
    pub fn begin(
        &mut self,
        backend: &B,
        stream: &mut B::Stream,
        counters: &Counters,
    ) -> Result<(), B::Error> {
        self.await_readers(backend, stream, |_| true)?;
        self.open();
        self.carry(backend, stream, counters)
    }

    /// Makes `stream` wait until those of the readers that `which` picks have read what is in the next slot.
    pub fn await_readers(
        &self,
        backend: &B,
        stream: &mut B::Stream,
        which: impl Fn(&Need) -> bool,
    ) -> Result<(), B::Error> {
        debug_assert!(self.has_room());
        if self.written >= self.slots.len() as u64 {
            let next = self.place_of(self.written);
            for reader in self.readers.iter().filter(|reader| which(&reader.need)) {
                backend.wait(stream, &reader.released[next])?;
            }
        }
        Ok(())
    }

    /// The next slot is the one that is written.
    pub fn open(&mut self) {
        let next = self.place_of(self.written);
        let slot = &mut self.slots[next];
        (slot.batch, slot.first) = (self.written, self.total);
    }

    /// How many items the next batch takes over from the last one; none if there is no last one.
    fn carried(&self) -> Option<usize> {
        let needed = |reader: &Reader<B>| {
            // What it leaves of a stream that it takes in whole rounds.
            let rest = (self.total % reader.need.decimation as u64) as usize;
            if reader.is_gone { 0 } else { reader.need.history + rest }
        };
        (self.written > 0).then(|| self.readers.iter().map(needed).max().unwrap_or(0))
    }

    /// Carries what readers still need over to the slot that was opened.
    pub fn carry(&self, backend: &B, stream: &mut B::Stream, counters: &Counters) -> Result<(), B::Error> {
        let next = self.place_of(self.written);
        let Some(carried) = self.carried() else {
            if self.prefix > 0 {
                let place = Place { memory: &self.slots[next].memory, at: 0 };
                backend.zero(stream, place, self.prefix * self.item_bytes)?;
            }
            return Ok(());
        };
        if carried > 0 {
            let last = &self.slots[self.place_of(self.written - 1)];
            let from =
                Place { memory: &last.memory, at: (self.prefix + last.items - carried) * self.item_bytes };
            let to =
                Place { memory: &self.slots[next].memory, at: (self.prefix - carried) * self.item_bytes };
            counters.carries.add(1);
            backend.copy(stream, from, to, carried * self.item_bytes)?;
        }
        Ok(())
    }

    /// The room of the slot that was begun, for `n` items.
    pub fn room(&self, n: usize) -> Span<'_, B> {
        let memory = &self.slots[self.place_of(self.written)].memory;
        let place = Place { memory, at: self.prefix * self.item_bytes };
        Span { place, items: n, item_bytes: self.item_bytes }
    }

    /// Gives the `n` items that were written in `stream` to the readers.
    pub fn end(&mut self, n: usize, backend: &B, stream: &mut B::Stream) -> Result<(), B::Error> {
        self.close(n);
        self.mark_ready(backend, stream)
    }

    /// The slot that was opened has `n` items.
    pub fn close(&mut self, n: usize) {
        let place = self.place_of(self.written);
        self.slots[place].items = n;
        self.written += 1;
        self.total += n as u64;
    }

    /// What was written last is there when `stream` has done all that is enqueued.
    pub fn mark_ready(&mut self, backend: &B, stream: &mut B::Stream) -> Result<(), B::Error> {
        let place = self.place_of(self.written - 1);
        backend.record(stream, &mut self.slots[place].ready)
    }

    /// There will be no more items.
    pub fn finish(&mut self) {
        self.is_ended = true;
    }

    /// Gives a tag to all readers.
    pub fn tag(&mut self, tag: &Tag) {
        let open = self.readers.iter_mut().filter(|reader| !reader.is_gone);
        open.for_each(|reader| reader.tags.push(tag.clone()));
    }

    /// How many items `reader` sees beyond its history. It moves on to the next batch where it can take nothing more of the
    /// present one.
    pub fn available(
        &mut self,
        reader: usize,
        backend: &B,
        stream: &mut B::Stream,
    ) -> Result<usize, B::Error> {
        loop {
            let Reader { batch, index, need, .. } = self.readers[reader];
            if batch >= self.written {
                return Ok(0);
            }
            let place = self.place_of(batch);
            let slot = &self.slots[place];
            debug_assert_eq!(slot.batch, batch, "a batch was overwritten before it was read");
            let there = (slot.first + slot.items as u64 - index) as usize;
            if there >= need.decimation || batch + 1 >= self.written {
                return Ok(there);
            }
            let reader = &mut self.readers[reader];
            backend.record(stream, &mut reader.released[place])?;
            reader.batch += 1;
            reader.has_waited = false;
        }
    }

    /// Makes `stream` wait for what `available` has shown.
    pub fn wait(&mut self, reader: usize, backend: &B, stream: &mut B::Stream) -> Result<(), B::Error> {
        let place = self.place_of(self.readers[reader].batch);
        if !std::mem::replace(&mut self.readers[reader].has_waited, true) {
            backend.wait(stream, &self.slots[place].ready)?;
        }
        Ok(())
    }

    /// The next `n` items of a reader with its history before them.
    pub fn view(&self, reader: usize, n: usize) -> Span<'_, B> {
        let Reader { batch, index, need, .. } = &self.readers[reader];
        let slot = &self.slots[self.place_of(*batch)];
        let start = self.prefix as u64 + index - need.history as u64 - slot.first;
        let place = Place { memory: &slot.memory, at: start as usize * self.item_bytes };
        Span { place, items: need.history + n, item_bytes: self.item_bytes }
    }

    /// The index of the next item that the reader takes.
    pub fn index(&self, reader: usize) -> u64 {
        self.readers[reader].index
    }

    /// The reader has enqueued work on the next `n` items.
    pub fn take(&mut self, reader: usize, n: usize) {
        self.readers[reader].index += n as u64;
    }

    /// How many items a reader will have when a batch of `n` comes; none if it can still take of those before.
    pub fn foresee(&self, reader: usize, n: usize) -> Option<usize> {
        let Reader { index, need, .. } = &self.readers[reader];
        let left = (self.total - index) as usize;
        (left < need.decimation).then_some(left + n)
    }

    /// Where a reader reads: the slot, and the first byte of its view there. With `is_next`, of the batch that comes next.
    pub fn reads_at(&self, reader: usize, is_next: bool) -> [u64; 2] {
        let Reader { batch, index, need, .. } = &self.readers[reader];
        let place = self.place_of(if is_next { self.written } else { *batch });
        let first = if is_next { self.total } else { self.slots[place].first };
        [place as u64, self.prefix as u64 + index - need.history as u64 - first]
    }

    /// Where the next batch is written: the slot, and what is carried over to it from where.
    pub fn writes_at(&self) -> [u64; 3] {
        let last = self.written.checked_sub(1).map_or(0, |last| self.slots[self.place_of(last)].items);
        let carried = self.carried().map_or(u64::MAX, |carried| carried as u64);
        [self.place_of(self.written) as u64, last as u64, carried]
    }

    /// Whether the batch that a reader is at has as many items as a batch can have.
    pub fn is_whole(&self, reader: usize) -> bool {
        self.slots[self.place_of(self.readers[reader].batch)].items == self.capacity
    }

    /// Makes `stream` wait for the batch that a reader is at.
    pub fn await_ready(&self, reader: usize, backend: &B, stream: &mut B::Stream) -> Result<(), B::Error> {
        backend.wait(stream, &self.slots[self.place_of(self.readers[reader].batch)].ready)
    }

    /// The reader, which has left no whole round of the batches before, is at the one that was written last, or beyond it.
    pub fn arrive(&mut self, reader: usize) {
        let reader = &mut self.readers[reader];
        reader.batch = reader.batch.max(self.written.saturating_sub(1));
        reader.has_waited = false;
    }

    /// The reader has taken `n` items, all that it can of its batch, and is at the next.
    pub fn pass(&mut self, reader: usize, n: usize) {
        let reader = &mut self.readers[reader];
        reader.index += n as u64;
        reader.batch += 1;
        reader.has_waited = false;
    }

    /// What the reader has passed last is free when `stream` has done all that is enqueued.
    pub fn mark_released(
        &mut self,
        reader: usize,
        backend: &B,
        stream: &mut B::Stream,
    ) -> Result<(), B::Error> {
        let place = self.place_of(self.readers[reader].batch - 1);
        backend.record(stream, &mut self.readers[reader].released[place])
    }

    /// Whether a reader brings the stream to the host.
    pub fn has_download(&self) -> bool {
        self.readers.iter().any(|reader| reader.need.is_download && !reader.is_gone)
    }

    /// Whether the stream has ended and the reader can take nothing more.
    pub fn is_over(&self, reader: usize) -> bool {
        let Reader { index, need, .. } = &self.readers[reader];
        self.is_ended && self.total - index < need.decimation as u64
    }

    /// The reader will read nothing more; `stream` is where it has.
    pub fn leave(&mut self, reader: usize, backend: &B, stream: &mut B::Stream) -> Result<(), B::Error> {
        let place = self.place_of(self.readers[reader].batch);
        let reader = &mut self.readers[reader];
        if !std::mem::replace(&mut reader.is_gone, true) {
            backend.record(stream, &mut reader.released[place])?;
        }
        Ok(())
    }
}
