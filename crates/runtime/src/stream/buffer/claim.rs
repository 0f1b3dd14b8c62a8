//! Strips of one stream for several workers at once: claimed in order, worked on in any order, committed in order.
//!
//! ```text
//!            committed                 claimed
//! input   ------|==1==|==2 done==|==3==|......       1, 2 and 3 are being worked on, or were
//! output  ------|--1--|--2 done--|--3--|             2 waits for 1: what comes out is in order
//! ```
//!
//! Claims and commits happen under one lock, which is held for some dozens of nanoseconds; a claim is long enough for
//! that to vanish. Nobody waits for another worker: who has finished a strip whose turn has not come leaves it, and
//! whoever commits the one before commits it too. The rings' memory is worked on outside the lock: a reader's window
//! stays as it is until its claim is committed, and a writer's window is one claim's alone.

#![allow(unsafe_code, reason = "slices of memory that is claimed")]

use std::collections::VecDeque;

use super::ring::{Gauge, RingId, RingReader, RingWriter, Window};
use super::{ReadEnd, WriteEnd};
use crate::data::Tag;

/// How items flow through a chain: what claims need to know of it.
pub(crate) trait Flow {
    /// Claims are whole multiples of so many items of the head stream, but at the end.
    fn period(&self) -> usize;
    /// Items that a worker reads before those that it was given.
    fn lead(&self) -> usize;
    /// Items that the chain gives for `n` items of the head stream.
    fn given(&self, n: usize) -> usize;
    /// Whether the chain makes the items of the head stream itself.
    fn is_source(&self) -> bool;
    /// Whether the chain gives any items.
    fn has_output(&self) -> bool;
    /// A tag of the chain's input as it leaves the chain, if it does. Per block, `given` counts the tags that leave it.
    fn map_tag(&self, tag: Tag, given: &mut Vec<u64>) -> Option<Tag>;
}

/// Items of the head stream for one worker to work on.
pub(crate) struct Strip<'a> {
    /// The first item's absolute index.
    pub start: u64,
    pub items: usize,
    /// The chain's input with `lead` items before the first; empty where the chain makes its items itself.
    pub input: &'a [u8],
    /// Where the chain's output goes; empty where it has none.
    pub output: &'a mut [u8],
}

/// Who is next: claims get numbers in order, and are settled in that order.
#[derive(Debug)]
pub(crate) struct Order<T> {
    /// The number of the oldest claim that is not settled.
    oldest: u64,
    open: VecDeque<(T, bool)>,
}

impl<T> Default for Order<T> {
    fn default() -> Self {
        Order { oldest: 0, open: VecDeque::new() }
    }
}

impl<T> Order<T> {
    /// The number of a new claim.
    pub fn claim(&mut self, what: T) -> u64 {
        self.open.push_back((what, false));
        self.oldest + self.open.len() as u64 - 1
    }

    /// Notes that a claim's work is done.
    pub fn finish(&mut self, number: u64) {
        self.open[(number - self.oldest) as usize].1 = true;
    }

    /// The oldest claim, if its work is done: it is settled by this.
    pub fn settle(&mut self) -> Option<T> {
        self.open.front().filter(|(_, done)| *done)?;
        self.oldest += 1;
        self.open.pop_front().map(|(what, _)| what)
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }
}

/// A strip that one worker works on.
#[derive(Debug)]
pub(crate) struct Claim {
    number: u64,
    start: u64,
    items: usize,
    input: Option<Window>,
    output: Option<Window>,
}

impl Claim {
    /// Its place among all claims.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The absolute index of its first item.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// How many items of the head stream it has.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The strip, to be taken through the chain.
    pub fn strip(&mut self) -> Strip<'_> {
        // SAFETY: the window lies inside the ring's memory, which `_ring` keeps. Its items were published by the writer
        // (Acquire, at the claim), and the ring's reader gives them back only when this claim is committed, which
        // consumes it.
        let read = |w: &Window| unsafe { std::slice::from_raw_parts(w.start.as_ptr(), w.bytes) };
        // SAFETY: as above; besides, nobody needs what lay there any more, no other claim has a part of it, and readers
        // see it only when this claim is committed. `&mut self` makes this the only slice.
        let write = |w: &mut Window| unsafe { std::slice::from_raw_parts_mut(w.start.as_ptr(), w.bytes) };
        Strip {
            start: self.start,
            items: self.items,
            input: self.input.as_ref().map_or(&[], read),
            output: self.output.as_mut().map_or(&mut [], write),
        }
    }
}

/// What came of asking for a strip.
#[derive(Debug)]
pub(crate) enum Claimed {
    Work(Claim),
    NeedInput,
    NeedOutput,
    /// All was claimed, and there will be no more. Other claims may still be open.
    Ended,
}

/// The ends of a chain, and what of its stream was claimed.
#[derive(Debug)]
pub(crate) struct Claims<F> {
    flow: F,
    reader: Option<RingReader>,
    writer: Option<RingWriter>,
    /// Per open claim: items of the head stream, items given.
    order: Order<(usize, usize)>,
    /// Items of the head stream that were committed; those of open claims come behind.
    committed: u64,
    ahead: usize,
    given_ahead: usize,
    ended: bool,
    /// Per block, how many tags have left it since that was asked; empty where none has.
    tags_given: Vec<u64>,
}

impl<F: Flow> Claims<F> {
    /// The claims on a chain between two rings; a chain that makes its items itself, or keeps what comes out, has no
    /// end there. `start` items of the head stream have gone through already.
    pub fn new(flow: F, input: ReadEnd, output: WriteEnd, start: u64) -> Self {
        let reader = if let ReadEnd::Ring(reader) = input { Some(reader) } else { None };
        let writer = if let WriteEnd::Ring(writer) = output { Some(writer) } else { None };
        let ended = (reader.is_none() && !flow.is_source()) || (writer.is_none() && flow.has_output());
        let (order, committed) = (Order::default(), start);
        let (ahead, given_ahead, tags_given) = (0, 0, Vec::new());
        Claims { flow, reader, writer, order, committed, ahead, given_ahead, ended, tags_given }
    }

    /// The number of the oldest claim that is not settled.
    pub fn oldest(&self) -> u64 {
        self.order.oldest
    }

    /// How far the ring is that the chain reads, if it reads one.
    pub fn gauge(&self) -> Option<Gauge> {
        self.reader.as_ref().map(RingReader::gauge)
    }

    /// The ring that the chain writes, if it writes one.
    pub fn output(&self) -> Option<RingId> {
        self.writer.as_ref().map(RingWriter::ring_id)
    }

    /// How many items there are to claim before `position` of the ring that the chain reads; `None` where it reads none.
    pub fn items_before(&self, position: u64) -> Option<usize> {
        let next = self.reader.as_ref()?.position() + self.ahead as u64;
        Some(position.saturating_sub(next) as usize)
    }

    /// How many claims are open.
    pub fn open(&self) -> usize {
        self.order.len()
    }

    /// Whether all was claimed that there will ever be.
    pub fn is_over(&self) -> bool {
        let is_used_up = |reader: &RingReader| {
            reader.refresh(self.ahead + 1);
            reader.is_finished() && reader.waiting() == self.ahead
        };
        self.ended || self.reader.as_ref().is_some_and(is_used_up)
    }

    /// Items of the head stream that were committed.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// The absolute index of the first item that was not claimed yet.
    pub fn frontier(&self) -> u64 {
        self.committed + self.ahead as u64
    }

    /// Whether there are so many items to claim for another worker.
    pub fn has(&self, items: usize) -> bool {
        self.reader.as_ref().is_none_or(|reader| {
            reader.refresh(self.ahead + items);
            reader.available_ahead(self.ahead) >= items
        })
    }

    /// Claims at most `most` items of the head stream, whole periods but at the end. While others work, fewer than
    /// `least` are left to them.
    pub fn claim(&mut self, least: usize, most: usize, stopping: bool) -> Claimed {
        if !self.ended && self.writer.as_ref().is_some_and(RingWriter::is_closed) {
            self.ended = true;
        }
        if self.ended {
            return Claimed::Ended;
        }
        let period = self.flow.period();
        let most = (most - most % period).max(period);
        let mut items = most;
        match &self.reader {
            None if stopping => {
                self.ended = true;
                return Claimed::Ended;
            }
            None => {}
            Some(reader) => {
                reader.refresh(self.ahead + most);
                items = reader.available_ahead(self.ahead).min(most);
                let is_rest = reader.is_finished() && reader.waiting() - self.ahead == items;
                if is_rest && items == 0 {
                    self.ended = true;
                    return Claimed::Ended;
                }
                if !is_rest {
                    items -= items % period;
                    if items == 0 || (items < least && self.order.len() > 0) {
                        return Claimed::NeedInput;
                    }
                }
            }
        }
        let mut given = self.flow.given(items);
        if let Some(writer) = &self.writer {
            writer.refresh(self.given_ahead + given);
            let room = writer.room_ahead(self.given_ahead);
            if room < given {
                let per_period = self.flow.given(period).max(1);
                items = room / per_period * period;
                if items == 0 || (items < least && self.order.len() > 0) {
                    return Claimed::NeedOutput;
                }
                given = self.flow.given(items);
            }
        }
        let lead = self.flow.lead();
        let claim = Claim {
            number: self.order.claim((items, given)),
            start: self.frontier(),
            items,
            input: self.reader.as_ref().map(|reader| reader.window_ahead(self.ahead, lead, items)),
            output: self.writer.as_ref().map(|writer| writer.window_ahead(self.given_ahead, given)),
        };
        self.ahead += items;
        self.given_ahead += given;
        Claimed::Work(claim)
    }

    /// What comes before the next item to claim, as a claim without items; not to be committed.
    pub fn warm_up(&self) -> Claim {
        let (ahead, lead) = (self.ahead, self.flow.lead());
        let input = self.reader.as_ref().map(|reader| reader.window_ahead(ahead, lead, 0));
        Claim { number: u64::MAX, start: self.frontier(), items: 0, input, output: None }
    }

    /// Commits a claim whose work is done, and those done before that waited for it. Returns how many items of the
    /// head stream were committed.
    pub fn commit(&mut self, claim: Claim) -> usize {
        self.order.finish(claim.number);
        drop(claim);
        let mut total = 0;
        while let Some((items, given)) = self.order.settle() {
            self.pass_tags(items as u64);
            if let Some(writer) = &mut self.writer {
                writer.produce(given);
            }
            if let Some(reader) = &mut self.reader {
                reader.consume(items);
            }
            self.ahead -= items;
            self.given_ahead -= given;
            self.committed += items as u64;
            total += items;
        }
        total
    }

    /// Gives the tags of the next `items` items to the output, before their items.
    fn pass_tags(&mut self, items: u64) {
        let Some(reader) = &mut self.reader else { return };
        let end = reader.index().saturating_add(items);
        while let Some(tag) = reader.pop_tag(end) {
            let tag = self.flow.map_tag(tag, &mut self.tags_given);
            if let (Some(writer), Some(tag)) = (&mut self.writer, tag) {
                writer.push_tag(tag);
            }
        }
    }

    /// Per block, how many tags have left it since this was asked; empty where none has.
    pub fn take_tags_given(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.tags_given)
    }

    /// Items that wait and what the ring holds, for the chain's input.
    pub fn fill(&self) -> (usize, usize) {
        self.reader.as_ref().map_or((0, 0), RingReader::fill)
    }

    /// Gives the ends back; no claim may be open.
    pub fn into_ends(self) -> (ReadEnd, WriteEnd) {
        debug_assert_eq!(self.order.len(), 0, "claims are open");
        (self.reader.map_or(ReadEnd::None, ReadEnd::Ring), self.writer.map_or(WriteEnd::None, WriteEnd::Ring))
    }

    /// Closes both ends: the writer before the chain and the readers behind it hear that it has ended. Where claims are
    /// open the memory that they use stays untouched: nothing is given back to the writer.
    pub fn close(&mut self) {
        if self.order.len() == 0 && self.reader.as_ref().is_some_and(RingReader::is_finished) {
            // What lies beyond the last item that was given.
            self.pass_tags(u64::MAX);
        }
        if let Some(mut writer) = self.writer.take() {
            writer.finish();
        }
        if self.order.len() == 0
            && let Some(reader) = self.reader.take()
        {
            reader.close();
        }
        self.ended = true;
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::stream::buffer::indices::Indices;
    use crate::wake::sync::Mutex;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Two workers that claim strips of one item from a stream that is there, and commit to one that a reader follows.
    struct Model {
        desk: Mutex<Order<usize>>,
        output: Indices,
        slots: [UnsafeCell<u64>; STRIPS],
    }

    const STRIPS: usize = 3;

    // SAFETY: a slot is written by the worker that has its claim, and read when it was committed; that this suffices is
    // what loom checks.
    unsafe impl Sync for Model {}

    fn work(model: &Model) {
        let mut finished = None;
        loop {
            let mut desk = model.desk.lock().unwrap();
            if let Some(number) = finished.take() {
                desk.finish(number);
                while let Some(place) = desk.settle() {
                    model.output.publish_written(place as u64 + 1);
                }
            }
            let next = desk.oldest as usize + desk.len();
            if next == STRIPS {
                return;
            }
            let number = desk.claim(next);
            drop(desk);
            // SAFETY: this slot is the claim's.
            model.slots[next].with_mut(|slot| unsafe { *slot = next as u64 + 100 });
            finished = Some(number);
        }
    }

    #[test]
    fn loom_strips_are_committed_in_order_and_once_whoever_works_on_them() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let model = Arc::new(Model {
                desk: Mutex::new(Order::default()),
                output: Indices::new(0, &[0]),
                slots: std::array::from_fn(|_| UnsafeCell::new(0)),
            });
            let workers: Vec<_> = (0..2)
                .map(|_| {
                    let model = model.clone();
                    loom::thread::spawn(move || work(&model))
                })
                .collect();
            // What is published is there, whenever one looks.
            let written = model.output.written();
            for place in 0..written as usize {
                // SAFETY: published.
                assert_eq!(model.slots[place].with(|slot| unsafe { *slot }), place as u64 + 100);
            }
            workers.into_iter().for_each(|worker| worker.join().unwrap());
            assert_eq!(model.output.written(), STRIPS as u64);
            assert_eq!(model.desk.lock().unwrap().len(), 0);
        });
    }
}
