//! The queue behind a message input.
//!
//! Senders put messages into a queue under its lock. The reader takes all that wait at once, under the lock once, and then
//! gives them out one by one without it. How many messages wait is the difference of two counters, so that looking needs no
//! lock. Where the sender waits for room, the reader counts the messages that it gives out a few at a time. The fence for
//! each count cost more than the rest of `recv`. At most a quarter of the queue is counted late. When the last fetched
//! message is given out, everything is counted.
//!
//! Two orders make a wake-up impossible to lose (see `wake/park.rs` for `announce`):
//!
//! ```text
//! reader:  announce, fence          sender:  count the message as sent
//!          nothing sent? sleep               wake: fence, asleep? then notify
//!
//! sender:  announce, fence          reader:  count the message as taken
//!          say BLOCKED, fence                fence
//!          still full? sleep                 BLOCKED? then wake all senders
//! ```
//!
//! A sender that finds messages waiting already leaves the first fence out: whoever put in the first of them has woken the
//! reader, which cannot sleep again without having taken that one. A sender in the reader's own lane wakes no worker. Its
//! own worker looks at the whole lane once more before it sleeps, and any other would find the lane locked.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use crate::data::Value;
use crate::data::request::{Request, RequestError, TakesReplies};
use crate::stream::settable::Parameters;
use crate::wake::Parker;
use crate::wake::sync::{AtomicBool, AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, Padded, fence};

/// What happens to a message for a queue that is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// The sending block is not run until there is room. What one call of its `work` sends beyond the capacity is
    /// still taken. Posting from outside is refused.
    #[default]
    Block,
    /// The oldest message in the queue is dropped and counted.
    DropOldest,
    /// The new message is dropped and counted.
    DropNewest,
    /// Sending is an error.
    Error,
}

/// The queue behind one message input.
#[derive(Debug)]
pub(crate) struct Queue {
    /// What the reader has not fetched yet.
    pub(super) waiting: Mutex<VecDeque<Value>>,
    /// Messages ever put in. Written by senders under the lock, read by all.
    pub(super) sent: AtomicU64,
    /// Messages that are no longer in the queue. Written by the reader for each that it gives out, and under the lock where
    /// the policy is to drop the oldest; read by senders.
    pub(super) taken: Padded<AtomicU64>,
    /// Whether a sender has found the queue full and may sleep. Set by senders, read and cleared by the reader.
    pub(super) blocked: AtomicBool,
    pub capacity: usize,
    pub when_full: WhenFull,
    /// Message outputs that still may send.
    pub(super) senders: AtomicU32,
    /// Whether any message output was ever connected.
    pub(super) connected: AtomicBool,
    pub(super) closed: AtomicBool,
    /// Written under the lock.
    pub dropped: std::sync::atomic::AtomicU64,
    pub(super) reader: OnceLock<Arc<Parker>>,
    pub(super) writers: std::sync::Mutex<Vec<Arc<Parker>>>,
    /// Where messages go at once, instead of waiting for the block to take them: for the port `set`.
    pub(super) parameters: Option<Parameters>,
    /// Whether the block answers requests.
    pub(super) answers: bool,
    /// Bytes of the last message of those that were put in together, where that was a packet. Written under the lock.
    pub(super) last_bytes: std::sync::atomic::AtomicUsize,
    /// The reader's lane. Written while no worker runs.
    pub(super) lane: std::sync::atomic::AtomicUsize,
}

/// A queue was full, and its policy is to say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message queue is full: it holds {capacity} messages")]
pub struct QueueFull {
    /// How many messages the queue holds.
    pub capacity: usize,
}

impl Queue {
    pub(super) fn new(capacity: usize, when_full: WhenFull) -> Self {
        Queue {
            waiting: Mutex::new(VecDeque::new()),
            sent: AtomicU64::new(0),
            taken: Padded(AtomicU64::new(0)),
            blocked: AtomicBool::new(false),
            capacity,
            when_full,
            senders: AtomicU32::new(0),
            connected: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            dropped: std::sync::atomic::AtomicU64::new(0),
            reader: OnceLock::new(),
            writers: std::sync::Mutex::default(),
            parameters: None,
            answers: false,
            last_bytes: std::sync::atomic::AtomicUsize::new(0),
            lane: std::sync::atomic::AtomicUsize::new(usize::MAX),
        }
    }

    /// The parameters that messages change, where this is a port for that.
    pub fn parameters(&self) -> Option<&Parameters> {
        self.parameters.as_ref()
    }

    /// Changes parameters as a message says. A sender gets no answer: a refused change is
    /// counted as dropped.
    #[cold]
    fn change(&self, parameters: &Parameters, message: &Value) {
        if let Err(error) = parameters.message(message)
            && self.dropped.fetch_add(1, Ordering::Relaxed) == 0
        {
            tracing::warn!("a message to change parameters was dropped, the first of its port: {error}");
        }
    }

    /// Messages ever put in.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// About how many bytes of packets a message refers to.
    pub fn message_bytes(&self) -> usize {
        self.last_bytes.load(Ordering::Relaxed)
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// How many messages wait, those that the reader has fetched and not handed out included.
    pub(super) fn len(&self) -> u64 {
        // In this order: `taken` never overtakes `sent`.
        let taken = self.taken.load(Ordering::Acquire);
        self.sent.load(Ordering::Acquire) - taken
    }

    fn is_full(&self) -> bool {
        self.len() >= self.capacity as u64
    }

    /// As `is_full`, for a sender that may go to sleep if so: the reader will wake it when there is room.
    pub(super) fn blocks_its_senders(&self) -> bool {
        if !self.is_full() {
            return false;
        }
        self.blocked.store(true, Ordering::Relaxed);
        // Pairs with the fence of `count_taken`: either that sees `blocked`, or this sees what it has taken.
        fence(Ordering::SeqCst);
        self.is_full()
    }

    pub(super) fn push(&self, value: Value, wakes: bool) -> Result<(), QueueFull> {
        if self.is_closed() {
            return Ok(());
        }
        if let Some(parameters) = &self.parameters {
            self.change(parameters, &value);
            return Ok(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let is_first = waiting.is_empty();
        // Dropped when the lock is not held any more: a dropped request may have to answer somebody.
        let mut oldest = None;
        if self.when_full != WhenFull::Block && self.is_full() {
            oldest = self.makes_room(&mut waiting)?;
            if oldest.is_none() {
                return Ok(());
            }
        }
        waiting.push_back(value);
        self.put(waiting, is_first, 1, wakes);
        drop(oldest);
        Ok(())
    }

    /// Takes all of several messages, under the lock once where nothing can be wrong with any of them.
    pub(super) fn push_all(&self, messages: &mut VecDeque<Value>, wakes: bool) -> Result<(), QueueFull> {
        if self.when_full != WhenFull::Block || self.parameters.is_some() || self.is_closed() {
            return messages.drain(..).try_for_each(|message| self.push(message, wakes));
        }
        let count = messages.len() as u64;
        if count == 0 {
            return Ok(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let is_first = waiting.is_empty();
        if is_first {
            std::mem::swap(&mut *waiting, messages);
            messages.clear();
        } else {
            waiting.append(messages);
        }
        self.put(waiting, is_first, count, wakes);
        Ok(())
    }

    /// Counts messages that were put in, and wakes the reader where that is to be done.
    fn put(&self, waiting: MutexGuard<'_, VecDeque<Value>>, is_first: bool, messages: u64, wakes: bool) {
        self.sent.store(self.sent.load(Ordering::Relaxed) + messages, Ordering::Release);
        if let Some(Value::Packet(packet)) = waiting.back() {
            self.last_bytes.store(packet.bytes().len(), Ordering::Relaxed);
        }
        drop(waiting);
        if wakes && let Some(reader) = self.reader.get() {
            if is_first {
                reader.wake()
            } else {
                reader.wake_after_fence()
            };
        }
    }

    /// Does for a full queue what its policy says: the oldest message, where the new one takes its place. The lock is
    /// held.
    #[cold]
    fn makes_room(&self, waiting: &mut VecDeque<Value>) -> Result<Option<Value>, QueueFull> {
        if self.when_full == WhenFull::Error {
            return Err(QueueFull { capacity: self.capacity });
        }
        self.dropped.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        // The reader fetches one at a time under that policy: the oldest is here.
        Ok(if self.when_full == WhenFull::DropOldest { self.pop(waiting) } else { None })
    }

    /// Takes a request, where the block answers such. No policy drops a message for its sake: a full queue refuses it.
    pub fn post_request(&self, request: impl FnOnce() -> Request) -> Result<(), RequestError> {
        if !self.answers {
            return Err(RequestError::TakesNone);
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Under the lock: what is put in is either seen by `close`, or not put in.
        if self.is_closed() {
            return Err(RequestError::Ended);
        }
        if self.is_full() {
            return Err(RequestError::Full(self.capacity));
        }
        let is_first = waiting.is_empty();
        waiting.push_back(Value::Request(request()));
        self.put(waiting, is_first, 1, true);
        Ok(())
    }

    /// Takes the oldest message out of those that the reader has not fetched; the lock is held.
    fn pop(&self, waiting: &mut VecDeque<Value>) -> Option<Value> {
        let value = waiting.pop_front();
        self.count_taken(u64::from(value.is_some()));
        value
    }

    /// The next message for the reader, which keeps what it has `fetched`.
    ///
    /// The value is passed on as a whole, never taken out of its `Option` and put into another. That would write it in
    /// pieces, and the next read of the whole would wait for all of them (9 instead of 13 million messages/s in `superhet
    /// bench messages`).
    #[inline]
    pub(super) fn recv(&self, fetched: &mut VecDeque<Value>, uncounted: &mut u64) -> Option<Value> {
        if fetched.is_empty() {
            if self.len() == 0 {
                return None;
            }
            let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if self.when_full == WhenFull::DropOldest {
                // What has been fetched cannot be dropped any more.
                return self.pop(&mut waiting);
            }
            // From the start of its memory again, so that short queues stay in the cache.
            fetched.clear();
            std::mem::swap(fetched, &mut waiting);
        }
        let value = fetched.pop_front();
        *uncounted += u64::from(value.is_some());
        if fetched.is_empty() || *uncounted >= self.count_every() {
            self.count_taken(std::mem::take(uncounted));
        }
        value
    }

    /// As `recv` for `most` messages at most, which go into `to`. Where all that wait are taken, none is moved by itself.
    pub(super) fn recv_some(
        &self,
        fetched: &mut VecDeque<Value>,
        uncounted: &mut u64,
        to: &mut VecDeque<Value>,
        most: usize,
    ) {
        if self.when_full == WhenFull::DropOldest {
            to.extend(std::iter::from_fn(|| self.recv(fetched, uncounted)).take(most));
            return;
        }
        if fetched.is_empty() && self.len() > 0 {
            let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            fetched.clear();
            std::mem::swap(fetched, &mut waiting);
        }
        let count = fetched.len().min(most);
        if count == fetched.len() && to.is_empty() {
            to.clear();
            std::mem::swap(fetched, to);
        } else {
            to.extend(fetched.drain(..count));
        }
        if count > 0 {
            self.count_taken(std::mem::take(uncounted) + count as u64);
        }
    }

    /// How many messages the reader may give out before it counts them.
    fn count_every(&self) -> u64 {
        if self.when_full == WhenFull::Block { (self.capacity as u64 / 4).clamp(1, 32) } else { 1 }
    }

    #[inline]
    fn count_taken(&self, messages: u64) {
        self.taken.store(self.taken.load(Ordering::Relaxed) + messages, Ordering::Release);
        if self.when_full == WhenFull::Block {
            // Pairs with the fence of `blocks_its_senders`.
            fence(Ordering::SeqCst);
            if self.blocked.load(Ordering::Relaxed) && !self.is_full() {
                self.wake_writers();
            }
        }
    }

    /// Has a sender woken where there is room again.
    pub(super) fn add_writer(&self, parker: &Arc<Parker>) {
        self.writers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(parker.clone());
    }

    #[cold]
    pub(super) fn wake_writers(&self) {
        // Before they are woken: one that still finds the queue full says so again.
        self.blocked.store(false, Ordering::Relaxed);
        for writer in self.writers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).iter() {
            writer.wake();
        }
    }

    /// Takes a message from outside the graph; refused when the queue is full and would have to block or fail.
    pub fn post(&self, value: Value) -> Result<(), QueueFull> {
        match self.when_full {
            WhenFull::Block if self.is_full() => Err(QueueFull { capacity: self.capacity }),
            _ => self.push(value, true),
        }
    }
}

impl TakesReplies for Queue {
    fn push_reply(&self, reply: Value) {
        let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !self.is_closed() {
            let is_first = waiting.is_empty();
            waiting.push_back(reply);
            self.put(waiting, is_first, 1, true);
        }
    }
}
