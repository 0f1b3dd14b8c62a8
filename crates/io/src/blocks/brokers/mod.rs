//! What the sinks of message brokers share.

use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Kind, Param, optional};
use superhet_runtime::{BlockError, Context, MsgIn, MsgOut, Step, Value};

use crate::broker::courier::Courier;
use crate::broker::{Post, Protocol};

/// Messages that are taken at once.
const AT_ONCE: usize = 256;
/// How long a call waits where nothing moves; at the end.
const SHORT: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_millis(100);
/// So long messages wait for a broker that has gone, before the oldest are dropped.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the end waits for a broker that takes nothing, and how long a stop does.
const LINGER: Duration = Duration::from_secs(10);
const LAST_WORDS: Duration = Duration::from_millis(300);

/// What becomes of messages.
pub(super) trait Writer {
    /// The posts of a message.
    fn posts(&mut self, message: &Value) -> Vec<Post>;

    /// There is another connection.
    fn begin_again(&mut self) {}
}

/// A sink for messages: what comes goes to the broker.
#[derive(Debug)]
pub(super) struct Desk<P> {
    courier: Courier<P>,
    /// Since when nobody is connected.
    away: Instant,
    /// When the broker has last taken something, and how much waited then.
    moved: Instant,
    waited: usize,
    stopping: Option<Instant>,
    dropped: u64,
}

impl<P: Protocol> Desk<P> {
    pub fn new(courier: Courier<P>) -> Self {
        let now = Instant::now();
        Desk { courier, away: now, moved: now, waited: 0, stopping: None, dropped: 0 }
    }

    /// Takes what has come, and gets on with what the broker takes.
    pub fn work(
        &mut self,
        input: &mut MsgIn,
        events: &mut MsgOut,
        writer: &mut impl Writer,
        context: &mut Context<'_>,
    ) -> Result<Step, BlockError> {
        if self.is_late(context) {
            self.leave(events);
            return Ok(Step::Done);
        }
        let is_open = self.courier.is_open();
        let drops = !is_open && self.away.elapsed() > PATIENCE;
        let mut taken = 0usize;
        while taken < AT_ONCE
            && (drops || self.courier.has_room())
            && let Some(message) = input.recv()
        {
            for post in writer.posts(&message) {
                let dropped = self.courier.take(post, drops);
                self.count(dropped, events);
            }
            taken = taken.saturating_add(1);
        }
        self.turn(events, writer, context, if taken > 0 { Duration::ZERO } else { SHORT })?;
        Ok(if input.is_finished() { Step::NeedInput } else { Step::Ran })
    }

    /// Waits until the broker has taken everything, when no more messages come.
    pub fn finish(
        &mut self,
        events: &mut MsgOut,
        writer: &mut impl Writer,
        context: &mut Context<'_>,
    ) -> Result<Step, BlockError> {
        if self.courier.waiting() > 0 && !self.is_late(context) && self.moved.elapsed() < LINGER {
            self.turn(events, writer, context, LONG)?;
            return Ok(Step::Ran);
        }
        self.leave(events);
        Ok(Step::Done)
    }

    fn turn(
        &mut self,
        events: &mut MsgOut,
        writer: &mut impl Writer,
        context: &mut Context<'_>,
        timeout: Duration,
    ) -> Result<(), BlockError> {
        let was_open = self.courier.is_open();
        let turn = self.courier.turn(context, timeout)?;
        if turn.has_come {
            writer.begin_again();
            self.tell("connected", events)?;
        }
        if turn.has_gone && was_open {
            self.away = Instant::now();
            self.tell("lost", events)?;
        }
        let waiting = self.courier.waiting();
        if waiting < self.waited || self.waited == 0 {
            self.moved = Instant::now();
        }
        self.waited = waiting;
        Ok(())
    }

    fn tell(&mut self, what: &str, events: &mut MsgOut) -> Result<(), BlockError> {
        let map = [("event", Value::from(what)), ("dropped", self.dropped.into())];
        Ok(events.send(Value::map(map))?)
    }

    fn count(&mut self, dropped: u64, events: &mut MsgOut) {
        self.dropped = self.dropped.saturating_add(dropped);
        (0..dropped).for_each(|_| events.count_dropped_packet());
    }

    fn leave(&mut self, events: &mut MsgOut) {
        let dropped = self.courier.give_up();
        self.count(dropped, events);
        self.courier.leave();
    }

    /// Whether the graph was asked to stop so long ago that nobody is waited for any more.
    fn is_late(&mut self, context: &Context<'_>) -> bool {
        context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS
    }
}

/// The parameter `password_file`.
pub(super) const PASSWORD_FILE: Param = optional(
    "password_file",
    Kind::Path,
    "",
    "\"\"",
    "A file with the password, instead of one in the address, which others may see; empty: none.",
);
/// The parameter `queue`.
pub(super) const QUEUE: Param = optional(
    "queue",
    Kind::Integer(1, 1_000_000),
    "messages",
    "1000",
    "So many wait for a broker that is away; then the oldest is dropped for each that comes, and counted.",
);
