//! Messages as PMTs: what the sinks and sources of messages share.

use superhet_runtime::{AnyPacket, BlockError, Context, MsgIn, MsgOut, Step, Value};

use super::{Line, PATIENCE, ZmqSettings};
use crate::error::Error;
use crate::zmtp::Role;

/// Messages that are moved at once.
const AT_ONCE: usize = 64;

/// A sink for messages: PUB, PUSH or REP.
#[derive(Debug)]
pub(in crate::blocks) struct MessageSink {
    pub line: Line,
}

impl MessageSink {
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        Ok(MessageSink { line: Line::new(block, role, address, settings)? })
    }

    /// Sends what has come, as far as the other side takes it.
    pub fn work(&mut self, input: &mut MsgIn, context: &Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.line.is_late(context);
        let role = self.line.role;
        let socket = self.line.open()?;
        for _ in 0..AT_ONCE {
            if !input.has_mail() {
                return Ok(Step::NeedInput);
            }
            let request = if role == Role::Rep { socket.request(PATIENCE)? } else { None };
            let can_send =
                if role == Role::Rep { request.is_some() } else { socket.wait_for_room(PATIENCE)? };
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

    /// Waits for what is left, when no more messages will come.
    pub fn finish(&mut self, context: &Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.line.is_done(context)? { Step::Done } else { Step::Ran })
    }
}

/// A source of messages: SUB, PULL or REQ.
#[derive(Debug)]
pub(in crate::blocks) struct MessageSource {
    pub line: Line,
}

impl MessageSource {
    pub fn new(block: &str, role: Role, address: &str, settings: &ZmqSettings) -> Result<Self, Error> {
        Ok(MessageSource { line: Line::new(block, role, address, settings)? })
    }

    /// Sends on what has come; if there is nothing, waits for it a little.
    pub fn work(&mut self, output: &mut MsgOut, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.line.open()?;
        if context.is_stopping() {
            return Ok(Step::Done);
        }
        for place in 0..AT_ONCE {
            let Some(parts) = self.line.fetch(1, place == 0)? else { break };
            for part in parts {
                match Value::from_pmt(&part) {
                    Ok(message) => output.send(unpacked(message))?,
                    Err(error) => {
                        let address = self.line.endpoint().unwrap_or_default().to_owned();
                        let message = error.to_string();
                        return Ok(context.end_with(Error::Message { address, message }));
                    }
                }
            }
        }
        Ok(Step::Ran)
    }
}

/// A packet, where the message is the pair that a packet is as a PMT.
fn unpacked(message: Value) -> Value {
    AnyPacket::try_from(message.clone()).map_or(message, Value::Packet)
}
