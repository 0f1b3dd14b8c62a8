//! The message ports of a block.

use std::collections::VecDeque;
use std::sync::Arc;

use super::queue::{Queue, QueueFull, WhenFull};
use crate::data::request::{Request, RequestError};
use crate::data::{MessageType, Value};
use crate::stream::port::Losses;
use crate::stream::readiness::Readiness;
use crate::stream::settable::Parameters;
use crate::wake::Parker;
use crate::wake::sync::Ordering;

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

    /// Messages that the block has taken so far.
    pub(crate) fn taken(&self) -> u64 {
        self.queue.taken.load(Ordering::Relaxed) + self.uncounted
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

    /// Asks the block that this port is connected to, and gives the number of the request. The answer comes as a message to
    /// `answers`, an input of the asking block. It is a map with that number as `request`, and with `reply`, or a text as
    /// `error`.
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

    /// Messages put into the queues that this port feeds, by whomever.
    pub(crate) fn sent(&self) -> u64 {
        self.queues.iter().map(|queue| queue.sent()).fold(0, u64::wrapping_add)
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
