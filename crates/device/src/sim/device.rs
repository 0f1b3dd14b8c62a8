//! The simulated device itself: it counts calls, applies faults, checks accesses, keeps virtual time, and enqueues.

use std::sync::Arc;
use std::time::Duration;

use super::bytes::common;
use super::clock::Moment;
use super::counters::Counters;
use super::error::{Origin, SimError, Storage};
use super::operation::{Fault, Operation, Verdict};
use super::queue::{Action, Entry, Event, Point, Queues};
use super::storage::{Block, Home, Touch, Want};
use crate::backend::Transfer;

/// How much memory a device has by default: 4 GiB.
const MEMORY: usize = 1 << 32;

/// A simulated device.
pub(super) struct Device {
    pub(super) name: String,
    pub(super) alignment: usize,
    pub(super) limit: usize,
    /// Whether it says that it can run kernels of several streams at once.
    pub(super) overlaps_kernels: bool,
    /// Whether it can capture.
    pub(super) captures: bool,
    /// Whether it copies from and to the memory of the host's streams.
    pub(super) reaches_streams: bool,
    /// How long each kind of operation takes.
    pub(super) times: [Duration; Operation::COUNT],
    pub(super) faults: Vec<Fault>,
    pub(super) home: Arc<Home>,
    pub(super) queues: Queues,
    /// What the host knows to be over, and its virtual time.
    ///
    /// The host is taken for one: threads that share a device also share what they have waited for.
    pub(super) host: Moment,
    /// What every call answers from now on.
    broken: Option<SimError>,
    calls: [u64; Operation::COUNT],
    /// How many calls have enqueued something.
    enqueued: u64,
    /// Bytes of each kind of work.
    bytes: [u64; Operation::COUNT],
    mistakes: u64,
    blocks: u64,
}

impl Device {
    pub(super) fn new(seed: u64) -> Self {
        Device {
            name: "sim".to_owned(),
            alignment: 4,
            limit: MEMORY,
            overlaps_kernels: true,
            captures: false,
            reaches_streams: false,
            times: [Duration::ZERO; Operation::COUNT],
            faults: Vec::new(),
            home: Arc::default(),
            queues: Queues::new(seed),
            host: Moment::default(),
            broken: None,
            calls: [0; Operation::COUNT],
            enqueued: 0,
            bytes: [0; Operation::COUNT],
            mistakes: 0,
            blocks: 0,
        }
    }

    /// What has been counted.
    pub(super) fn counters(&self) -> Counters {
        let calls = |operation: Operation| self.calls[operation as usize];
        let bytes = |operation: Operation| self.bytes[operation as usize];
        Counters {
            allocations: calls(Operation::Allocate),
            staged: calls(Operation::Write) + calls(Operation::Read),
            uploads: calls(Operation::Upload),
            downloads: calls(Operation::Download),
            copies: calls(Operation::Copy),
            zeros: calls(Operation::Zero),
            launches: calls(Operation::Launch),
            records: calls(Operation::Record),
            waits: calls(Operation::Wait),
            captures: calls(Operation::Capture),
            replays: calls(Operation::Replay),
            polls: calls(Operation::Poll),
            synchronisations: calls(Operation::Synchronize) + calls(Operation::Drain),
            uploaded_bytes: bytes(Operation::Upload),
            downloaded_bytes: bytes(Operation::Download),
            copied_bytes: bytes(Operation::Copy),
            live_memories: self.home.memories(),
            live_stagings: self.home.stagings(),
            live_bytes: self.home.bytes(),
            mistakes: self.mistakes,
        }
    }

    /// Fails once the device is lost.
    pub(super) fn alive(&self) -> Result<(), SimError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// Breaks the device for good if `result` is an error.
    fn survive<T>(&mut self, result: Result<T, SimError>) -> Result<T, SimError> {
        if let Err(error) = &result {
            self.broken = Some(error.clone());
            self.queues.clear();
        }
        result
    }

    /// Counts a call and looks what the faults make of it. Takes the host's time if the call is the host's.
    fn begin(&mut self, operation: Operation) -> Result<Verdict, SimError> {
        self.alive()?;
        self.calls[operation as usize] += 1;
        self.enqueued += u64::from(operation.is_enqueued());
        let count = self.calls[operation as usize];
        let verdict = Verdict::of(&self.faults, operation, count, self.enqueued);
        if let Some(after) = verdict.lose {
            return self.survive(Err(SimError::Lost { device: self.name.clone(), after }));
        }
        let makes_room = matches!(operation, Operation::Allocate | Operation::Stage);
        if verdict.refuse && !makes_room {
            return Err(SimError::Refused { operation, count });
        }
        if !operation.is_enqueued() {
            self.host.time += self.times[operation as usize] + verdict.delay;
        }
        Ok(verdict)
    }

    /// New memory.
    pub(super) fn block(&mut self, staging: Option<Transfer>, len: usize) -> Result<Arc<Block>, SimError> {
        let operation = if staging.is_some() { Operation::Stage } else { Operation::Allocate };
        let refused = self.begin(operation)?.refuse;
        let fits = |home: &Home, limit| home.bytes().checked_add(len).is_some_and(|bytes| bytes <= limit);
        if !refused && !fits(&self.home, self.limit) {
            // Memory that nobody holds any more is free when what is enqueued is over.
            let ran = self.queues.run_all();
            self.survive(ran)?;
        }
        let name = Storage { staging, number: self.blocks };
        let block =
            if !refused && fits(&self.home, self.limit) { Block::new(name, len, &self.home) } else { None };
        let full = SimError::OutOfMemory { asked: len, taken: self.home.bytes(), limit: self.limit };
        self.blocks += u64::from(block.is_some());
        block.map(Arc::new).ok_or(full)
    }

    /// Counts a call of the host that touches no memory.
    pub(super) fn count(&mut self, operation: Operation) -> Result<(), SimError> {
        self.begin(operation).map(|_| ())
    }

    /// Lets the host write `bytes` into staging memory.
    pub(super) fn write(&mut self, block: &Arc<Block>, at: usize, bytes: &[u8]) -> Result<(), SimError> {
        let want = Want { block, at, bytes: bytes.len(), writes: true };
        if self.touch(Operation::Write, want)? {
            block.store(at, bytes);
        }
        Ok(())
    }

    /// Lets the host read `bytes` out of staging memory.
    pub(super) fn read(&mut self, block: &Arc<Block>, at: usize, bytes: &mut [u8]) -> Result<(), SimError> {
        let want = Want { block, at, bytes: bytes.len(), writes: false };
        if self.touch(Operation::Read, want)? {
            bytes.copy_from_slice(block.load(&(at..at + bytes.len())).as_ref());
        }
        Ok(())
    }

    /// Checks an access of the host; false if it is to be left out.
    fn touch(&mut self, operation: Operation, want: Want<'_>) -> Result<bool, SimError> {
        if self.begin(operation)?.skip {
            return Ok(false);
        }
        let sequence = self.calls[operation as usize];
        let origin = Origin { operation, stream: None, sequence, kernel: None };
        let touches = self.admit(&origin, &[want], &self.host);
        let touches = self.judge(touches)?;
        touches.iter().for_each(|touch| touch.note(&origin, &self.host.clock));
        Ok(true)
    }

    /// Enqueues work on data.
    pub(super) fn work(
        &mut self,
        stream: usize,
        operation: Operation,
        kernel: Option<Arc<str>>,
        wants: &[Want<'_>],
        action: Action,
    ) -> Result<(), SimError> {
        if self.queues.get(stream).captured.is_some() {
            return self.take_down(stream, operation, kernel, wants, action);
        }
        let verdict = self.begin(operation)?;
        if verdict.skip {
            return Ok(());
        }
        self.flush(stream, operation);
        let stream = if verdict.misplace { self.queues.open() } else { stream };
        let (host, queue) = (&self.host, self.queues.get(stream));
        let origin = Origin { operation, stream: Some(stream), sequence: queue.next(), kernel };
        let mut moment = queue.end.clone();
        moment.join(host);
        moment.clock.set(stream, origin.sequence);
        moment.time += self.times[operation as usize] + verdict.delay;

        let touches = self.admit(&origin, wants, &moment);
        let touches = self.judge(touches)?;
        touches.iter().for_each(|touch| touch.note(&origin, &self.host.clock));
        self.bytes[operation as usize] += wants.first().map_or(0, |want| want.bytes as u64);
        self.queues.get(stream).end = moment;
        self.queues.push(stream, Entry { origin, touches, action, fails: verdict.fail });
        Ok(())
    }

    /// Counts a mistake.
    pub(super) fn judge<T>(&mut self, result: Result<T, SimError>) -> Result<T, SimError> {
        self.mistakes += u64::from(result.is_err());
        result
    }

    /// Checks the accesses of one operation that happens at `moment`.
    fn admit(&self, origin: &Origin, wants: &[Want<'_>], moment: &Moment) -> Result<Vec<Touch>, SimError> {
        let touches: Vec<Touch> =
            wants.iter().map(|want| self.fit(origin, want)).collect::<Result<_, _>>()?;
        for (index, touch) in touches.iter().enumerate() {
            let others = touches[..index].iter().filter(|other| other.writes || touch.writes);
            for other in others.filter(|other| Arc::ptr_eq(&other.block, &touch.block)) {
                if let Some(bytes) = common(&other.range, &touch.range) {
                    let storage = touch.block.name;
                    return Err(SimError::Overlap { origin: origin.clone(), storage, bytes });
                }
            }
        }
        touches.iter().try_for_each(|touch| touch.check(origin, &moment.clock))?;
        Ok(touches)
    }

    /// Checks that an access is to memory of this device, inside of it, aligned, and in its direction.
    pub(super) fn fit(&self, origin: &Origin, want: &Want<'_>) -> Result<Touch, SimError> {
        let &Want { block, at, bytes, writes } = want;
        let (storage, size) = (block.name, block.len);
        if !block.is_of(&self.home) {
            return Err(self.foreign(origin.operation, "memory"));
        }
        let Some(end) = at.checked_add(bytes).filter(|&end| end <= size) else {
            return Err(SimError::OutOfBounds { origin: origin.clone(), storage, at, bytes, size });
        };
        let by_host = origin.stream.is_none();
        match storage.staging {
            None if !at.is_multiple_of(self.alignment) => {
                let alignment = self.alignment;
                Err(SimError::Misaligned { origin: origin.clone(), storage, at, alignment })
            }
            Some(transfer) if (transfer == Transfer::Upload) != (writes == by_host) => {
                Err(SimError::Direction { origin: origin.clone(), storage })
            }
            _ => Ok(Touch { block: block.clone(), range: at..end, writes }),
        }
    }

    /// The error for something of another device.
    pub(super) fn foreign(&self, operation: Operation, what: &'static str) -> SimError {
        SimError::Foreign { operation, device: self.name.clone(), what }
    }

    /// Enqueues the waits that belong to what comes next, unless they are to be forgotten.
    fn flush(&mut self, stream: usize, next: Operation) {
        let waits = std::mem::take(&mut self.queues.get(stream).waits);
        if self.faults.contains(&Fault::SkipWaitsBefore(next)) {
            return;
        }
        for Point { stream: other, sequence, moment } in waits {
            let queue = self.queues.get(stream);
            let origin = Origin {
                operation: Operation::Wait,
                stream: Some(stream),
                sequence: queue.next(),
                kernel: None,
            };
            queue.end.join(&moment);
            queue.end.clock.set(stream, origin.sequence);
            let action = Action::Wait { stream: other, sequence };
            self.queues.push(stream, Entry { origin, touches: Vec::new(), action, fails: false });
        }
    }

    /// Makes `event` stand for all of the stream up to now.
    pub(super) fn record(&mut self, stream: usize, event: &mut Event) -> Result<(), SimError> {
        self.refuse_while_capturing(stream, Operation::Record)?;
        let skip = self.begin(Operation::Record)?.skip;
        self.point(event, Operation::Record)?;
        if !skip {
            self.flush(stream, Operation::Record);
            let mut point = self.end(stream);
            // In a stream that has nothing to do, it happens when the host says so.
            point.moment.time = point.moment.time.max(self.host.time);
            event.point = Some(point);
        }
        Ok(())
    }

    /// What `event` stands for; nothing if it was never recorded.
    fn point<'a>(&self, event: &'a Event, operation: Operation) -> Result<Option<&'a Point>, SimError> {
        if Arc::ptr_eq(&self.home, &event.home) {
            Ok(event.point.as_ref())
        } else {
            Err(self.foreign(operation, "event"))
        }
    }

    fn end(&mut self, stream: usize) -> Point {
        let queue = self.queues.get(stream);
        Point { stream, sequence: queue.last(), moment: queue.end.clone() }
    }

    /// Makes what comes next in the stream happen after `event`.
    pub(super) fn wait(&mut self, stream: usize, event: &Event) -> Result<(), SimError> {
        self.refuse_while_capturing(stream, Operation::Wait)?;
        let skip = self.begin(Operation::Wait)?.skip;
        let point = self.point(event, Operation::Wait)?.filter(|_| !skip);
        self.queues.get(stream).waits.extend(point.cloned());
        Ok(())
    }

    /// Whether `event` is done. If it is not, one thing runs first.
    pub(super) fn poll(&mut self, event: &Event) -> Result<bool, SimError> {
        let skip = self.begin(Operation::Poll)?.skip;
        let Some(point) = self.point(event, Operation::Poll)?.filter(|_| !skip) else { return Ok(true) };
        if !self.queues.is_done(point.stream, point.sequence) {
            let ran = self.queues.step();
            self.survive(ran)?;
        }
        let done = self.queues.is_done(point.stream, point.sequence);
        if done {
            self.host.join(&point.moment);
        }
        Ok(done)
    }

    /// Runs what `event` stands for, and perhaps more.
    pub(super) fn synchronize(&mut self, event: &Event) -> Result<(), SimError> {
        let skip = self.begin(Operation::Synchronize)?.skip;
        let point = self.point(event, Operation::Synchronize)?.filter(|_| !skip);
        point.map_or(Ok(()), |point| self.await_point(point))
    }

    /// The virtual time from `first` to `last`.
    pub(super) fn between(&self, first: &Event, last: &Event) -> Result<Duration, SimError> {
        let time = |event| match self.point(event, Operation::Record)? {
            Some(point) if self.queues.is_done(point.stream, point.sequence) => Ok(point.moment.time),
            _ => Err(SimError::NoTime),
        };
        Ok(time(last)?.saturating_sub(time(first)?))
    }

    /// Runs all of a stream.
    pub(super) fn drain(&mut self, stream: usize) -> Result<(), SimError> {
        self.refuse_while_capturing(stream, Operation::Drain)?;
        if self.begin(Operation::Drain)?.skip {
            return Ok(());
        }
        self.flush(stream, Operation::Drain);
        let end = self.end(stream);
        self.await_point(&end)
    }

    fn await_point(&mut self, point: &Point) -> Result<(), SimError> {
        let ran = self.queues.run_until(point.stream, point.sequence);
        self.survive(ran)?;
        self.host.join(&point.moment);
        Ok(())
    }

    /// Runs what is left of a stream that nobody holds any more.
    pub(super) fn close(&mut self, stream: usize) {
        self.queues.get(stream).captured = None;
        let last = self.queues.get(stream).last();
        let ran = self.queues.run_until(stream, last);
        // Whoever comes next hears of it.
        let _ = self.survive(ran);
    }
}
