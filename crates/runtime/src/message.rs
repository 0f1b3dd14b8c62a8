//! Message ports: bounded queues of values between blocks, and from outside.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use crate::block::Readiness;
use crate::parameters::Parameters;
use crate::park::Parker;
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
    messages: Mutex<VecDeque<Value>>,
    /// Messages in the queue, so that looking for mail takes no lock.
    len: AtomicUsize,
    pub capacity: usize,
    pub when_full: WhenFull,
    /// Message outputs that still may send.
    senders: AtomicUsize,
    /// Whether any message output was ever connected.
    connected: AtomicBool,
    closed: AtomicBool,
    pub dropped: AtomicU64,
    reader: OnceLock<Arc<Parker>>,
    writers: Mutex<Vec<Arc<Parker>>>,
    /// Where messages go at once, instead of waiting for the block to take them: for the port `set`.
    parameters: Option<Parameters>,
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
            messages: Mutex::default(),
            len: AtomicUsize::new(0),
            capacity,
            when_full,
            senders: AtomicUsize::new(0),
            connected: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
            reader: OnceLock::new(),
            writers: Mutex::default(),
            parameters: None,
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

    fn lock(&self) -> MutexGuard<'_, VecDeque<Value>> {
        self.messages.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn is_full(&self) -> bool {
        self.len.load(Ordering::Acquire) >= self.capacity
    }

    fn push(&self, value: Value) -> Result<(), QueueFull> {
        if self.is_closed() {
            return Ok(());
        }
        if let Some(parameters) = &self.parameters {
            self.change(parameters, &value);
            return Ok(());
        }
        let mut messages = self.lock();
        if messages.len() >= self.capacity {
            match self.when_full {
                WhenFull::Block => {}
                WhenFull::DropOldest => {
                    messages.pop_front();
                    self.dropped.fetch_add(1, Ordering::Relaxed);
                }
                WhenFull::DropNewest => {
                    self.dropped.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                }
                WhenFull::Error => return Err(QueueFull { capacity: self.capacity }),
            }
        }
        messages.push_back(value);
        self.len.store(messages.len(), Ordering::Release);
        drop(messages);
        if let Some(reader) = self.reader.get() {
            reader.wake();
        }
        Ok(())
    }

    fn pop(&self) -> Option<Value> {
        if self.len.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut messages = self.lock();
        let value = messages.pop_front();
        let was_full = messages.len() + 1 >= self.capacity;
        self.len.store(messages.len(), Ordering::Release);
        drop(messages);
        if was_full {
            self.wake_writers();
        }
        value
    }

    fn wake_writers(&self) {
        for writer in self.writers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).iter() {
            writer.wake();
        }
    }

    /// Takes a message from outside the graph; refused when the queue is full and would have to block or fail.
    pub fn post(&self, value: Value) -> Result<(), QueueFull> {
        match self.when_full {
            WhenFull::Block if self.is_full() => Err(QueueFull { capacity: self.capacity }),
            _ => self.push(value),
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
        MsgIn { queue: Arc::new(Queue::new(capacity.max(1), when_full)) }
    }

    /// The input that changes parameters.
    pub(crate) fn changing(parameters: Parameters) -> Self {
        let queue = Queue { parameters: Some(parameters), ..Queue::new(1024, WhenFull::Block) };
        MsgIn { queue: Arc::new(queue) }
    }

    /// The next message, if one waits.
    pub fn recv(&mut self) -> Option<Value> {
        self.queue.pop()
    }

    /// Whether a message waits.
    pub fn has_mail(&self) -> bool {
        self.queue.len.load(Ordering::Acquire) > 0
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

    pub(crate) fn close(&mut self) {
        self.queue.closed.store(true, Ordering::Release);
        self.queue.wake_writers();
    }
}

/// A message output of a block; it may feed any number of inputs.
#[derive(Debug, Default)]
pub struct MsgOut {
    queues: Vec<Arc<Queue>>,
    finished: bool,
}

impl MsgOut {
    /// An output that is not connected yet.
    pub fn new() -> Self {
        MsgOut::default()
    }

    /// Sends a message to every input that this port is connected to.
    ///
    /// # Errors
    /// [`QueueFull`] where an input is full and its policy is [`WhenFull::Error`].
    pub fn send(&mut self, message: impl Into<Value>) -> Result<(), QueueFull> {
        let message = message.into();
        let Some((last, others)) = self.queues.split_last() else { return Ok(()) };
        for queue in others {
            queue.push(message.clone())?;
        }
        last.push(message)
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
            readiness.full |= open && queue.when_full == WhenFull::Block && queue.is_full();
            readiness.outputs += 1;
            readiness.open_outputs += u32::from(open);
        }
    }

    pub(crate) fn connect(&mut self, queue: &Arc<Queue>) {
        queue.senders.fetch_add(1, Ordering::AcqRel);
        queue.connected.store(true, Ordering::Relaxed);
        self.queues.push(queue.clone());
    }

    pub(crate) fn set_parker(&mut self, parker: &Arc<Parker>) {
        for queue in &self.queues {
            queue.writers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(parker.clone());
        }
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
mod tests {
    use super::*;

    fn pair(capacity: usize, when_full: WhenFull) -> (MsgOut, MsgIn) {
        let (mut output, input) = (MsgOut::new(), MsgIn::with(capacity, when_full));
        output.connect(input.queue());
        (output, input)
    }

    fn drain(input: &mut MsgIn) -> Vec<i64> {
        std::iter::from_fn(|| input.recv()).map(|v| v.as_i64().unwrap()).collect()
    }

    #[test]
    fn a_full_queue_does_what_its_policy_says_and_counts_what_it_drops() {
        for (policy, left, dropped) in [
            (WhenFull::Block, vec![0, 1, 2, 3], 0),
            (WhenFull::DropOldest, vec![2, 3], 2),
            (WhenFull::DropNewest, vec![0, 1], 2),
        ] {
            let (mut output, mut input) = pair(2, policy);
            (0..4).for_each(|n| output.send(n).unwrap());
            assert_eq!(drain(&mut input), left, "{policy:?}");
            assert_eq!(input.queue.dropped.load(Ordering::Relaxed), dropped);
        }
        let (mut output, _input) = pair(1, WhenFull::Error);
        output.send(1).unwrap();
        assert_eq!(output.send(2), Err(QueueFull { capacity: 1 }));
    }

    #[test]
    fn a_queue_is_finished_when_its_senders_are_and_all_mail_is_read() {
        let (mut output, mut input) = pair(2, WhenFull::Block);
        output.send(1).unwrap();
        output.finish();
        assert!(!input.is_finished());
        input.recv();
        assert!(input.is_finished());
    }
}
