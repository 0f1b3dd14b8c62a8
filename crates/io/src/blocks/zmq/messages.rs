//! Messages as PMTs: what the sinks and sources of messages share.

use std::time::Duration;

use superhet_runtime::{BlockError, Context, MsgIn, MsgOut, Step, Value, error::PmtError, packet::AnyPacket};

use super::{Line, TIMEOUT, ZmqSettings};
use crate::blocks::behind::Behind;
use crate::error::Error;
use crate::zmtp::{Received, Role};

/// Messages that are moved at once.
const AT_ONCE: usize = 64;
/// How long a source waits for those behind it, which have enough to do.
const SHORT: Duration = Duration::from_millis(2);

/// A sink for messages: PUB, PUSH or REP.
#[derive(Debug)]
pub(in crate::blocks) struct MessageSink {
    pub line: Line,
}

impl MessageSink {
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        Ok(MessageSink { line: Line::new(block, role, address, settings)? })
    }

    /// Sends the messages that have come, as far as the other side takes them.
    pub fn work(&mut self, input: &mut MsgIn, context: &Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.line.is_late(context);
        let role = self.line.role;
        let socket = self.line.open()?;
        for _ in 0..AT_ONCE {
            if !input.has_mail() {
                return Ok(Step::NeedInput);
            }
            let request = if role == Role::Rep { socket.request(TIMEOUT)? } else { None };
            let can_send =
                if role == Role::Rep { request.is_some() } else { socket.wait_for_room(TIMEOUT)? };
            if !can_send && is_late {
                self.line.tell_unsent();
                return Ok(Step::Done);
            }
            if !can_send {
                break;
            }
            let Some(message) = input.recv() else { break };
            let pmt = message.to_pmt()?;
            match &request {
                Some(request) => socket.answer(request, &[&[&pmt]]),
                None => socket.send(&[&[&pmt]]),
            }
        }
        Ok(Step::Ran)
    }

    /// Waits until the rest is sent, when no more messages will come.
    pub fn finish(&mut self, context: &Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.line.is_done(context)? { Step::Done } else { Step::Ran })
    }
}

/// A source of messages: SUB, PULL or REQ.
#[derive(Debug)]
pub(in crate::blocks) struct MessageSource {
    pub line: Line,
    behind: Behind,
}

impl MessageSource {
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        Ok(MessageSource { line: Line::new(block, role, address, settings)?, behind: Behind::default() })
    }

    /// Sends on what has come; if there is nothing, waits for it a little.
    pub fn work(&mut self, output: &mut MsgOut, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let memory = self.line.open()?.memory();
        if context.is_stopping() {
            return Ok(Step::Done);
        }
        for place in 0..AT_ONCE {
            if self.behind.is_full(output, memory.decoded_waiting()) {
                if place == 0 {
                    std::thread::sleep(SHORT);
                }
                break;
            }
            let Some(Received { from, parts }) = self.line.fetch(1, place == 0)? else { break };
            for part in parts {
                let mut left = memory.decoded();
                match whole(&part, &mut left) {
                    Ok(message) => {
                        output.send(unpacked(message))?;
                        self.behind.add(memory.decoded().saturating_sub(left));
                    }
                    Err(error) => {
                        output.count_dropped_packet();
                        self.line.refuse(from, format!("it sends what is no PMT: {error}"));
                        break;
                    }
                }
            }
        }
        (0..self.line.take_parted()).for_each(|_| output.count_dropped_packet());
        Ok(Step::Ran)
    }
}

/// The value of a PMT that takes up all of the bytes; what it takes is taken off `budget`.
fn whole(bytes: &[u8], budget: &mut usize) -> Result<Value, PmtError> {
    match Value::from_pmt_prefix_within(bytes, budget)? {
        (value, used) if used == bytes.len() => Ok(value),
        (_, used) => Err(PmtError::Trailing { offset: used, left: bytes.len().saturating_sub(used) }),
    }
}

/// A packet, where the message is the pair that a packet is as a PMT.
fn unpacked(message: Value) -> Value {
    AnyPacket::try_from(message.clone()).map_or(message, Value::Packet)
}
