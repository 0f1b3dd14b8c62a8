//! One connection, without its socket: incoming bytes make events, outgoing ones wait to be written.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::time::Instant;

use super::memory::Outbound;
use super::wire::{self, GREETING, MOST_COMMAND, MOST_PARTS};
use super::{Breach, Role};

/// The parts of a message.
pub(crate) type Parts = Vec<Vec<u8>>;

/// What has come of a peer's bytes.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// The handshake is done.
    Open,
    Message(Parts),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Greeting,
    Handshake,
    Open,
}

/// The subscriptions that a peer may have, and their bytes.
const MOST_TOPICS: usize = 1000;
const MOST_TOPIC_BYTES: usize = 1 << 16;
/// Answers to PING that may wait for a peer that takes nothing, and what they repeat of it at most.
const MOST_ANSWERS: usize = 64;
const MOST_CONTEXT: usize = 16;
/// Memory that is kept for a peer of which nothing waits to be read.
const KEPT: usize = 1 << 12;
/// What a part takes up beside its bytes.
const PART: usize = 64;

/// One connection.
#[derive(Debug)]
pub(super) struct Session {
    role: Role,
    stage: Stage,
    /// The minor version of both.
    minor: u8,
    /// What has come; the first `used` bytes have been read.
    inbox: Vec<u8>,
    used: usize,
    /// The longest message that it takes.
    longest: usize,
    /// The parts of the message that is coming, and their bytes.
    parts: Parts,
    part_bytes: usize,
    /// For SUB, the topics that this side subscribes to. For PUB, those of the peer.
    topics: Vec<Vec<u8>>,
    /// Greeting and commands that go out before the next message.
    commands: VecDeque<Vec<u8>>,
    /// Messages that go out, and their bytes.
    messages: VecDeque<Arc<Outbound>>,
    bytes: usize,
    /// Since when the first of them is the first.
    since: Instant,
    /// How much of the first message, or of the first command, has gone out.
    written: usize,
    is_in_message: bool,
}

impl Session {
    /// A connection of a socket of that kind, which subscribes to `topics` if it is SUB, and takes messages of at most
    /// `longest` bytes.
    pub fn new(role: Role, topics: &[Vec<u8>], longest: usize) -> Self {
        // Sockets that only send take nothing but subscriptions.
        let longest = if matches!(role, Role::Pub | Role::Push) { MOST_COMMAND } else { longest };
        Session {
            role,
            stage: Stage::Greeting,
            minor: 0,
            inbox: Vec::new(),
            used: 0,
            longest,
            parts: Vec::new(),
            part_bytes: 0,
            topics: topics.to_vec(),
            commands: [wire::greeting().to_vec()].into(),
            messages: VecDeque::new(),
            bytes: 0,
            since: Instant::now(),
            written: 0,
            is_in_message: false,
        }
    }

    /// Takes bytes of the peer.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.forget();
        self.inbox.extend_from_slice(bytes);
    }

    /// Forgets what has been read, and gives its memory back where that is much.
    fn forget(&mut self) {
        self.inbox.drain(..self.used.min(self.inbox.len()));
        self.used = 0;
        let needed = self.inbox.len().max(KEPT);
        if self.inbox.capacity() / 4 > needed {
            self.inbox.shrink_to(needed);
        }
    }

    /// The memory that is taken for what has come and was not handed on.
    pub fn held(&self) -> usize {
        let parts = self.parts.len().saturating_mul(PART).saturating_add(self.part_bytes);
        self.inbox.len().saturating_sub(self.used).saturating_add(parts)
    }

    /// Whether anything has come.
    pub fn has_begun(&self) -> bool {
        self.has_greeted() || !self.inbox.is_empty()
    }

    /// Whether the peer has said what it speaks.
    pub fn has_greeted(&self) -> bool {
        self.stage != Stage::Greeting
    }

    /// Whether the handshake is done.
    pub fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    /// What has come next, if all of it has.
    pub fn next(&mut self) -> Result<Option<Event>, Breach> {
        let event = self.read()?;
        if event.is_none() {
            self.forget();
        }
        Ok(event)
    }

    fn read(&mut self) -> Result<Option<Event>, Breach> {
        loop {
            let bytes = self.inbox.get(self.used..).unwrap_or_default();
            if self.stage == Stage::Greeting {
                let Some(minor) = wire::read_greeting(bytes)? else { return Ok(None) };
                (self.minor, self.stage) = (minor.min(1), Stage::Handshake);
                self.used = self.used.saturating_add(GREETING);
                let mut ready = Vec::new();
                wire::put_ready(&mut ready, self.role.name());
                self.commands.push_back(ready);
                continue;
            }
            if !self.is_open() && bytes.first().is_some_and(|flags| !wire::is_command(*flags)) {
                return Err(Breach::new("it sends a message before its READY"));
            }
            let most = self.longest.saturating_sub(self.part_bytes);
            let Some((frame, used)) = wire::read_frame(bytes, most)? else { return Ok(None) };
            let (more, is_command, body) = (frame.more, frame.is_command, frame.body.to_vec());
            self.used = self.used.saturating_add(used);
            if is_command {
                let was_open = self.is_open();
                self.command(&body)?;
                if self.is_open() && !was_open {
                    return Ok(Some(Event::Open));
                }
                continue;
            }
            self.part_bytes = self.part_bytes.saturating_add(body.len());
            if self.parts.len() >= MOST_PARTS {
                return Err(Breach::new(format!("a message has more than {MOST_PARTS} parts")));
            }
            self.parts.push(body);
            if !more {
                self.part_bytes = 0;
                let parts = std::mem::take(&mut self.parts);
                match self.role {
                    Role::Pub => self.old_subscription(&parts)?,
                    Role::Push => {}
                    Role::Sub if !parts.first().is_some_and(|topic| self.is_wanted(topic)) => {}
                    Role::Sub | Role::Pull | Role::Req | Role::Rep => return Ok(Some(Event::Message(parts))),
                }
            }
        }
    }

    fn command(&mut self, body: &[u8]) -> Result<(), Breach> {
        let (name, data) = wire::read_command(body)?;
        match (name, self.stage) {
            (b"READY", Stage::Handshake) => {
                let other = wire::socket_type(data)?;
                if !self.role.fits(other) {
                    let (other, mine) = (String::from_utf8_lossy(other), self.role.name());
                    let other = other.escape_default();
                    return Err(Breach::new(format!("it is a {other} socket, which does not fit {mine}")));
                }
                self.stage = Stage::Open;
                self.subscribe();
            }
            (b"ERROR", _) => {
                let reason = String::from_utf8_lossy(data.get(1..).unwrap_or_default());
                return Err(Breach::new(format!("it refuses: {}", reason.escape_default())));
            }
            (_, Stage::Handshake | Stage::Greeting) => {
                return Err(Breach::new("it sends another command before its READY"));
            }
            (b"SUBSCRIBE", _) if self.role == Role::Pub => self.add_topic(data)?,
            (b"CANCEL", _) if self.role == Role::Pub => self.remove_topic(data),
            // The time to live, and what the answer is to have.
            (b"PING", _) if self.commands.len() < MOST_ANSWERS => {
                let mut answer = Vec::new();
                let context = data.get(2..).unwrap_or_default();
                let context = context.get(..MOST_CONTEXT).unwrap_or(context);
                wire::put_command(&mut answer, "PONG", context);
                self.commands.push_back(answer);
            }
            // Commands that are not known are passed over, as the specification wants it.
            _ => {}
        }
        Ok(())
    }

    /// Says what this side subscribes to: by commands from version 3.1 on, before that by messages.
    fn subscribe(&mut self) {
        if self.role != Role::Sub {
            return;
        }
        for topic in &self.topics {
            let mut bytes = Vec::new();
            match self.minor {
                0 => wire::put_part(&mut bytes, false, &[&[1], topic]),
                _ => wire::put_command(&mut bytes, "SUBSCRIBE", topic),
            }
            self.commands.push_back(bytes);
        }
    }

    /// Takes a subscription of version 3.0: a message whose first byte is 1, or 0 to cancel it.
    fn old_subscription(&mut self, parts: &[Vec<u8>]) -> Result<(), Breach> {
        match parts {
            [part] => match part.split_first() {
                Some((1, topic)) => self.add_topic(topic),
                Some((0, topic)) => {
                    self.remove_topic(topic);
                    Ok(())
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn add_topic(&mut self, topic: &[u8]) -> Result<(), Breach> {
        let bytes: usize = self.topics.iter().map(Vec::len).sum();
        if self.topics.len() >= MOST_TOPICS || bytes.saturating_add(topic.len()) > MOST_TOPIC_BYTES {
            return Err(Breach::new(format!(
                "it subscribes to more than {MOST_TOPICS} topics or {MOST_TOPIC_BYTES} bytes of them"
            )));
        }
        self.topics.push(topic.to_vec());
        Ok(())
    }

    /// Cancels a subscription once: of two to the same topic one remains.
    fn remove_topic(&mut self, topic: &[u8]) {
        if let Some(place) = self.topics.iter().position(|known| known == topic) {
            self.topics.swap_remove(place);
        }
    }

    /// Whether somebody has subscribed to messages that begin like this.
    pub fn is_wanted(&self, topic: &[u8]) -> bool {
        self.topics.iter().any(|wanted| topic.starts_with(wanted))
    }

    /// Sends a message, behind those that wait.
    pub fn send(&mut self, message: Arc<Outbound>) {
        if self.messages.is_empty() {
            self.since = Instant::now();
        }
        self.bytes = self.bytes.saturating_add(message.len());
        self.messages.push_back(message);
    }

    /// Since when the first message waits, and no other was before it.
    pub fn waits_since(&self) -> Option<Instant> {
        (!self.messages.is_empty()).then_some(self.since)
    }

    /// How many messages wait to go out, and their bytes.
    pub fn waiting(&self) -> (usize, usize) {
        (self.messages.len(), self.bytes)
    }

    /// The messages that have not gone out as a whole: the peer is gone.
    pub fn into_unsent(self) -> VecDeque<Arc<Outbound>> {
        self.messages
    }

    /// Whether anything is to be written.
    pub fn has_output(&self) -> bool {
        !self.commands.is_empty() || (self.is_open() && !self.messages.is_empty())
    }

    /// Writes what the peer takes.
    pub fn write(&mut self, stream: &mut impl Write) -> io::Result<()> {
        while self.has_output() {
            // A command does not go into the middle of a message.
            let is_message = self.is_in_message || self.commands.is_empty();
            let next: Option<&[u8]> = match is_message {
                true => self.messages.front().map(|message| &message[..]),
                false => self.commands.front().map(|command| &command[..]),
            };
            let Some(next) = next else { break };
            let (length, left) = (next.len(), next.get(self.written..).unwrap_or_default());
            match stream.write(left) {
                Ok(0) if !left.is_empty() => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => self.written = self.written.saturating_add(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            self.is_in_message = is_message && self.written < length;
            if self.written < length {
                continue;
            }
            self.written = 0;
            if is_message {
                self.bytes = self.bytes.saturating_sub(length);
                self.messages.pop_front();
                self.since = Instant::now();
            } else {
                self.commands.pop_front();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
