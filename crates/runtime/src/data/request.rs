//! Requests: messages with a reply address.
//!
//! ```text
//! outside: RunningGraph::request(port, message, timeout) ──┐                   ┌─> the caller, who waits
//! a block: MsgOut::request(message, answers) ──────────────┴─> Value::Request ─┴─> the asking block's input `answers`
//!                                                                 │ .reply(value) or .refuse(reason)
//! ```
//!
//! A request waits in the queue of an input that answers ([`MsgIn::answering`](crate::MsgIn::answering)) as any message
//! does, behind those that came before. Dropping it without a reply is an answer, too. A block that ends drops its
//! requests, so no asker waits for a reply that cannot come.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Value;
use super::value::types::{Asked, ReplyTo};

pub use super::value::types::Request;
pub(crate) use super::value::types::{NoReply, TakesReplies, Waiter};

impl Request {
    /// A request from outside, and what its asker waits with.
    pub(crate) fn from_outside(message: Value) -> (Self, Arc<Waiter>) {
        let waiter = Arc::<Waiter>::default();
        (Request(Arc::new(Asked { message, reply_to: ReplyTo::Outside(waiter.clone()) })), waiter)
    }

    /// Request number `number` of a block that wants the answer in `answers`.
    pub(crate) fn from_block(message: Value, answers: Arc<dyn TakesReplies>, number: u64) -> Self {
        Request(Arc::new(Asked { message, reply_to: ReplyTo::Block(answers, number, Mutex::new(false)) }))
    }

    /// What is asked.
    pub fn message(&self) -> &Value {
        &self.0.message
    }

    /// Answers.
    pub fn reply(&self, value: impl Into<Value>) {
        self.0.resolve(Ok(value.into()));
    }

    /// Says why there is no answer.
    pub fn refuse(&self, reason: impl fmt::Display) {
        self.0.resolve(Err(NoReply::Refused(reason.to_string())));
    }
}

impl Asked {
    fn resolve(&self, outcome: Result<Value, NoReply>) {
        match &self.reply_to {
            ReplyTo::Outside(waiter) => waiter.resolve(outcome),
            ReplyTo::Block(answers, number, is_answered) => {
                let mut is_answered = is_answered.lock().unwrap_or_else(PoisonError::into_inner);
                if !std::mem::replace(&mut *is_answered, true) {
                    let (key, value) = match outcome {
                        Ok(value) => ("reply", value),
                        Err(NoReply::Refused(reason)) => ("error", reason.into()),
                        Err(NoReply::Dropped) => ("error", "the block has ended, or gives no reply".into()),
                    };
                    answers.push_reply(Value::map([("request", Value::Uint(*number)), (key, value)]));
                }
            }
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.resolve(Err(NoReply::Dropped));
    }
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Request").field(&self.0.message).finish()
    }
}

/// How often a waiting asker checks whether the block has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);

impl Waiter {
    fn resolve(&self, outcome: Result<Value, NoReply>) {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(outcome);
        self.known.notify_all();
    }

    /// The outcome of the request; `None` when the time is up. A block that has ended may still hold the request.
    pub fn wait(&self, timeout: Duration, has_ended: impl Fn() -> bool) -> Option<Result<Value, NoReply>> {
        let deadline = Instant::now().checked_add(timeout);
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if outcome.is_some() {
                return outcome.clone();
            }
            if has_ended() {
                return Some(Err(NoReply::Dropped));
            }
            let left = deadline.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return None;
            }
            let wait = left.min(LOOK_EVERY);
            outcome = self.known.wait_timeout(outcome, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Why a block cannot ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// A request goes to one block.
    #[error("a request goes to one input, the output is connected to {0}")]
    Receivers(usize),
    /// The other block does not answer there.
    #[error("the input that the output is connected to takes no requests")]
    TakesNone,
    /// The queue is full, whatever its policy.
    #[error("the message queue is full: it holds {0} messages")]
    Full(usize),
    /// The other block has ended.
    #[error("the block that was asked has ended")]
    Ended,
}
