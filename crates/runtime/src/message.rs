//! Message ports: bounded queues of values between blocks, and from outside.
//!
//! Senders put messages into a queue under its lock. The reader takes all that wait at once, under the lock once, and
//! then hands them out one by one without it. How many messages wait is the difference of two counters, so that nobody
//! needs the lock to look. Where the sender waits for room, the reader counts what it hands out a few at a time: the fence
//! that this takes cost more than all the rest of `recv`. A quarter of the queue at most looks taken late, nothing for ever:
//! what is not counted yet is when the last message is handed out that was fetched.
//!
//! Two orders make a wake-up impossible to lose (see `park.rs` for `announce`):
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
//! A sender that finds messages waiting already leaves the first fence out: whoever put in the first of them has woken
//! the reader, which cannot sleep again without having taken that one. A sender of the reader's own lane wakes nobody: its
//! worker looks at the whole lane once more before it sleeps, and any other would find the lane taken.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use crate::block::Readiness;
use crate::message_type::MessageType;
use crate::parameters::Parameters;
use crate::park::Parker;
use crate::port::Losses;
use crate::request::{Request, RequestError};
use crate::sync::{AtomicBool, AtomicU32, AtomicU64, Mutex, MutexGuard, Ordering, Padded, fence};
use crate::value::Value;

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
    waiting: Mutex<VecDeque<Value>>,
    /// Messages ever put in. Written by senders under the lock, read by all.
    sent: AtomicU64,
    /// Messages that are no longer in the queue. Written by the reader for each that it hands out, and under the lock
    /// where the policy is to drop the oldest; read by senders.
    taken: Padded<AtomicU64>,
    /// Whether a sender has found the queue full and may sleep. Set by senders, read and cleared by the reader.
    blocked: AtomicBool,
    pub capacity: usize,
    pub when_full: WhenFull,
    /// Message outputs that still may send.
    senders: AtomicU32,
    /// Whether any message output was ever connected.
    connected: AtomicBool,
    closed: AtomicBool,
    /// Written under the lock.
    pub dropped: std::sync::atomic::AtomicU64,
    reader: OnceLock<Arc<Parker>>,
    writers: std::sync::Mutex<Vec<Arc<Parker>>>,
    /// Where messages go at once, instead of waiting for the block to take them: for the port `set`.
    parameters: Option<Parameters>,
    /// Whether the block answers requests.
    answers: bool,
    /// Bytes of the last message of those that were put in together, where that was a packet. Written under the lock.
    last_bytes: std::sync::atomic::AtomicUsize,
    /// The reader's lane. Written while no worker runs.
    lane: std::sync::atomic::AtomicUsize,
}

/// A queue was full, and its policy is to say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message queue is full: it holds {capacity} messages")]
pub struct QueueFull {
    /// How many messages the queue holds.
    pub capacity: usize,
}

impl Queue {
    fn new(capacity: usize, when_full: WhenFull) -> Self {
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

    /// Changes parameters as a message says. Who sends messages is not told what came of them: what is refused is
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
    fn len(&self) -> u64 {
        // In this order: `taken` never overtakes `sent`.
        let taken = self.taken.load(Ordering::Acquire);
        self.sent.load(Ordering::Acquire) - taken
    }

    fn is_full(&self) -> bool {
        self.len() >= self.capacity as u64
    }

    /// As `is_full`, for a sender that may go to sleep if so: the reader will wake it when there is room.
    fn blocks_its_senders(&self) -> bool {
        if !self.is_full() {
            return false;
        }
        self.blocked.store(true, Ordering::Relaxed);
        // Pairs with the fence of `count_taken`: either that sees `blocked`, or this sees what it has taken.
        fence(Ordering::SeqCst);
        self.is_full()
    }

    fn push(&self, value: Value, wakes: bool) -> Result<(), QueueFull> {
        if self.is_closed() {
            return Ok(());
        }
        if let Some(parameters) = &self.parameters {
            self.change(parameters, &value);
            return Ok(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let is_first = waiting.is_empty();
        // Dropped when the lock is not held any more: a request may have somebody to tell.
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
    fn push_all(&self, messages: &mut VecDeque<Value>, wakes: bool) -> Result<(), QueueFull> {
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

    /// Takes the answer to a request, for which there is always room: there are no more of them than requests.
    pub fn push_reply(&self, reply: Value) {
        let mut waiting = self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !self.is_closed() {
            let is_first = waiting.is_empty();
            waiting.push_back(reply);
            self.put(waiting, is_first, 1, true);
        }
    }

    /// Takes the oldest message out of those that the reader has not fetched; the lock is held.
    fn pop(&self, waiting: &mut VecDeque<Value>) -> Option<Value> {
        let value = waiting.pop_front();
        self.count_taken(u64::from(value.is_some()));
        value
    }

    /// The next message for the reader, which keeps what it has `fetched`.
    ///
    /// The value is passed on as a whole, never taken out of its `Option` and put into another: that writes it piece by
    /// piece, and who then reads it as a whole waits for all of them (9 instead of 13 million messages/s in
    /// `superhet bench messages`).
    #[inline]
    fn recv(&self, fetched: &mut VecDeque<Value>, uncounted: &mut u64) -> Option<Value> {
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
    fn recv_some(
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

    /// How many messages the reader may hand out before it counts them.
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
    fn add_writer(&self, parker: &Arc<Parker>) {
        self.writers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(parker.clone());
    }

    #[cold]
    fn wake_writers(&self) {
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

/// A message input of a block.
///
/// | setting | means | default |
/// |---|---|---|
/// | `capacity` | messages that wait at most | 1024 |
/// | `when_full` | what happens to one more | [`WhenFull::Block`] |
#[derive(Debug)]
pub struct MsgIn {
    queue: Arc<Queue>,
    /// Messages taken out of the queue's lock, to be handed out next.
    fetched: VecDeque<Value>,
    /// How many of them were handed out and are not counted as taken yet.
    uncounted: u64,
    of: MessageType,
}

impl Default for MsgIn {
    fn default() -> Self {
        MsgIn::new()
    }
}

impl MsgIn {
    /// An input with the default settings.
    pub fn new() -> Self {
        MsgIn::with(1024, WhenFull::Block)
    }

    /// An input whose queue holds `capacity` messages (at least 1) and treats one more as `when_full` says.
    pub fn with(capacity: usize, when_full: WhenFull) -> Self {
        MsgIn::of_queue(Queue::new(capacity.max(1), when_full), MessageType::Any)
    }

    fn of_queue(queue: Queue, of: MessageType) -> Self {
        MsgIn { queue: Arc::new(queue), fetched: VecDeque::new(), uncounted: 0, of }
    }

    /// The input that changes parameters.
    pub(crate) fn changing(parameters: Parameters) -> Self {
        let queue = Queue { parameters: Some(parameters), ..Queue::new(1024, WhenFull::Block) };
        MsgIn::of_queue(queue, MessageType::Map)
    }

    /// Says what the block takes here; any values, where nothing is said.
    #[must_use]
    pub fn takes(mut self, of: MessageType) -> Self {
        self.of = of;
        self
    }

    /// Says that the block answers requests here, which come as [`Value::Request`] among the messages. Where it does not,
    /// a request is an error for who asks.
    #[must_use]
    pub fn answering(self) -> Self {
        let (capacity, when_full) = (self.queue.capacity, self.queue.when_full);
        MsgIn::of_queue(Queue { answers: true, ..Queue::new(capacity, when_full) }, self.of)
    }

    /// What the block takes here.
    pub fn message_type(&self) -> MessageType {
        self.of
    }

    /// The next message, if one waits.
    #[inline]
    pub fn recv(&mut self) -> Option<Value> {
        self.queue.recv(&mut self.fetched, &mut self.uncounted)
    }

    /// Takes some of the messages that wait, `most` at most and the oldest first, and puts them into `to`: cheaper than one
    /// call for each. None only where none waits.
    pub fn recv_some(&mut self, to: &mut VecDeque<Value>, most: usize) {
        self.queue.recv_some(&mut self.fetched, &mut self.uncounted, to, most);
    }

    /// Whether a message waits.
    pub fn has_mail(&self) -> bool {
        !self.fetched.is_empty() || self.queue.len() > 0
    }

    /// Whether any block of the graph feeds this port.
    pub fn is_connected(&self) -> bool {
        self.queue.connected.load(Ordering::Relaxed)
    }

    /// Whether the queue is empty and every block that feeds it has ended. A port that only the outside can feed is
    /// never finished.
    pub fn is_finished(&self) -> bool {
        // Senders first: what they sent before they ended is seen then.
        self.is_connected() && self.queue.senders.load(Ordering::Acquire) == 0 && !self.has_mail()
    }

    /// Adds what this port has to say about whether its block can run.
    #[inline]
    pub fn poll(&self, readiness: &mut Readiness) {
        readiness.mail |= self.has_mail();
        readiness.message_inputs += 1;
        readiness.connected_message_inputs += u32::from(self.is_connected());
        readiness.finished_message_inputs += u32::from(self.is_finished());
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    pub(crate) fn set_parker(&mut self, parker: &Arc<Parker>) {
        let _ = self.queue.reader.set(parker.clone());
    }

    pub(crate) fn set_lane(&mut self, lane: usize) {
        self.queue.lane.store(lane, Ordering::Relaxed);
    }

    pub(crate) fn close(&mut self) {
        self.queue.closed.store(true, Ordering::Release);
        self.queue.wake_writers();
        // Whoever waits for an answer hears that there is none.
        let waiting = std::mem::take(&mut *self.queue.waiting.lock().unwrap_or_else(|p| p.into_inner()));
        drop(waiting);
        self.fetched.clear();
    }
}

/// A message output of a block; it may feed any number of inputs.
#[derive(Debug, Default)]
pub struct MsgOut {
    queues: Vec<Arc<Queue>>,
    of: MessageType,
    /// The sender's lane.
    lane: Option<usize>,
    /// Where the sender waits for room.
    parker: Option<Arc<Parker>>,
    /// Requests so far.
    asked: u64,
    finished: bool,
    pub(crate) losses: Losses,
}

impl MsgOut {
    /// An output that is not connected yet.
    pub fn new() -> Self {
        MsgOut::default()
    }

    /// Says what the block sends here; any values, where nothing is said.
    #[must_use]
    pub fn sends(mut self, of: MessageType) -> Self {
        self.of = of;
        self
    }

    /// What the block sends here.
    pub fn message_type(&self) -> MessageType {
        self.of
    }

    /// Asks the block that this port is connected to, and gives the number of the request. The answer will come as a
    /// message to `answers`, an input of the asking block: a map with that number as `request`, and either `reply` or, in
    /// words, `error`.
    ///
    /// # Errors
    /// [`RequestError`] where the port is not connected to exactly one input that answers requests, or there is no room.
    pub fn request(&mut self, message: impl Into<Value>, answers: &MsgIn) -> Result<u64, RequestError> {
        let [queue] = &self.queues[..] else { return Err(RequestError::Receivers(self.queues.len())) };
        let number = self.asked;
        queue.post_request(|| Request::from_block(message.into(), answers.queue.clone(), number))?;
        self.asked += 1;
        Ok(number)
    }

    /// Sends a message to every input that this port is connected to.
    ///
    /// # Errors
    /// [`QueueFull`] where an input is full and its policy is [`WhenFull::Error`].
    pub fn send(&mut self, message: impl Into<Value>) -> Result<(), QueueFull> {
        let message = message.into();
        let Some((last, others)) = self.queues.split_last() else { return Ok(()) };
        for queue in others {
            queue.push(message.clone(), self.wakes(queue))?;
        }
        last.push(message, self.wakes(last))
    }

    /// As [`send`](Self::send) of each message in turn, which leaves `messages` empty: one call for what a block has made
    /// of several messages costs each of them less.
    ///
    /// # Errors
    /// As for `send`; what comes behind the message that there is no room for is not sent.
    pub fn send_all(&mut self, messages: &mut VecDeque<Value>) -> Result<(), QueueFull> {
        let Some((last, others)) = self.queues.split_last() else {
            messages.clear();
            return Ok(());
        };
        for queue in others {
            queue.push_all(&mut messages.clone(), self.wakes(queue))?;
        }
        last.push_all(messages, self.wakes(last))
    }

    /// Whether the queue's reader is to be woken: its lane is another one.
    fn wakes(&self, queue: &Queue) -> bool {
        self.lane != Some(queue.lane.load(Ordering::Relaxed))
    }

    /// How many messages wait at the input that has the most of them, for a sender that minds the memory they take.
    pub fn waiting(&self) -> usize {
        let most = self.queues.iter().map(|queue| queue.len()).max().unwrap_or(0);
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// Counts a packet that the block has taken and does not send on, for the metrics.
    pub fn count_dropped_packet(&mut self) {
        self.losses.packets += 1;
    }

    /// Whether anything is connected.
    pub fn is_connected(&self) -> bool {
        !self.queues.is_empty()
    }

    /// Whether every block that was connected has ended, so that nobody would get a message.
    pub fn is_closed(&self) -> bool {
        self.is_connected() && self.queues.iter().all(|queue| queue.is_closed())
    }

    /// Adds what this port has to say about whether its block can run.
    #[inline]
    pub fn poll(&self, readiness: &mut Readiness) {
        for queue in &self.queues {
            let open = !queue.is_closed();
            readiness.full |= open && queue.when_full == WhenFull::Block && queue.blocks_its_senders();
            readiness.outputs += 1;
            readiness.open_outputs += u32::from(open);
        }
    }

    /// Connects the port to the queue, unless it is connected to it already.
    pub(crate) fn connect(&mut self, queue: &Arc<Queue>) {
        if self.queues.iter().any(|known| Arc::ptr_eq(known, queue)) {
            return;
        }
        queue.senders.fetch_add(1, Ordering::AcqRel);
        queue.connected.store(true, Ordering::Relaxed);
        if let Some(parker) = &self.parker {
            queue.add_writer(parker);
        }
        self.queues.push(queue.clone());
    }

    /// Takes the connection to the queue away. Where it was the last one, only the outside feeds the queue from now on: its
    /// reader does not end for that.
    pub(crate) fn disconnect(&mut self, queue: &Arc<Queue>) {
        let before = self.queues.len();
        self.queues.retain(|known| !Arc::ptr_eq(known, queue));
        if self.queues.len() < before && !self.finished && queue.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            queue.connected.store(false, Ordering::Relaxed);
        }
    }

    pub(crate) fn set_lane(&mut self, lane: usize) {
        self.lane = Some(lane);
    }

    pub(crate) fn set_parker(&mut self, parker: &Arc<Parker>) {
        self.queues.iter().for_each(|queue| queue.add_writer(parker));
        self.parker = Some(parker.clone());
    }

    pub(crate) fn finish(&mut self) {
        if !std::mem::replace(&mut self.finished, true) {
            for queue in &self.queues {
                queue.senders.fetch_sub(1, Ordering::AcqRel);
                if let Some(reader) = queue.reader.get() {
                    reader.wake();
                }
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod loom_tests;
