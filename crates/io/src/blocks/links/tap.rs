//! The reader's side of a link.

use superhet_runtime::Context;

use super::{LinkSourceSettings, place};
use crate::blocks::link::{Link, TIMEOUT};
use crate::error::Error;
use crate::link::connection::{Body, Broken, Connection, Secrets};
use crate::link::place::Place;
use crate::link::{FrameKind, Header, handshake, item_name, nonce};
use crate::notices::Notices;

/// The reader's side of a link: a connection that may be lost, and where in the stream it is.
#[derive(Debug)]
pub(in crate::blocks) struct Tap {
    place: Place,
    item: u8,
    settings: LinkSourceSettings,
    link: Link<Connection>,
    /// The stream, 0 before the first; and the index of what it has not given yet.
    stream: u64,
    next: u64,
    /// Bytes that were given and not acknowledged.
    unacknowledged: usize,
    notices: Notices,
}

/// What has come.
#[derive(Debug)]
pub(in crate::blocks) enum Heard {
    /// Nothing.
    Nothing,
    /// Another stream than before. So much of it is missing before its first item; `None` where nobody knows.
    Begins { missing: Option<u64> },
    /// A frame of items, of messages or of the end, and where its body lies.
    Frame(Header, Body),
}

/// How many bytes are acknowledged at once, while more has come already.
const ACKNOWLEDGED: usize = 1 << 18;

impl Tap {
    /// For items of that code, 0 for messages.
    pub fn new(
        block: &'static str,
        address: &str,
        item: u8,
        mut settings: LinkSourceSettings,
    ) -> Result<Self, Error> {
        let place = place(block, address, settings.authority.as_ref().map(|_| "an authority"))?;
        if settings.name.is_empty() {
            let failed =
                |source| Error::Socket { address: address.to_owned(), action: "name a reader of", source };
            settings.name = handshake::random_name().map_err(failed)?;
        }
        if !handshake::is_name(&settings.name) {
            let expected = format!("1 to {} bytes without control characters", handshake::LONGEST_NAME);
            let got = format!("{:?}", settings.name);
            return Err(Error::Setting { path: block.into(), parameter: "reader", got, expected });
        }
        Ok(Tap {
            place,
            item,
            settings,
            link: Link::Fresh,
            stream: 0,
            next: handshake::NOTHING,
            unacknowledged: 0,
            notices: Notices::default(),
        })
    }

    /// Bytes of items that are in a frame.
    pub fn at_once(&self) -> usize {
        self.place.at_once()
    }

    /// The index of what has not been given yet.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Copies what lies `skipped` bytes behind the beginning of a frame's body; otherwise the connection is given up. Whether it did.
    pub fn copy(&mut self, body: &Body, skipped: usize, into: &mut [u8]) -> Result<bool, Error> {
        let copied = self
            .link
            .connection()
            .map_or(Err(Broken::Closed), |connection| connection.copy(body, skipped, into));
        match copied {
            Ok(()) => Ok(true),
            Err(broken) => self.lose(&broken).map(|()| false),
        }
    }

    /// What has come, waiting a little for it. An error where it is not to be tried again.
    pub fn hear(&mut self, context: &mut Context<'_>) -> Result<Heard, Error> {
        match self.receive(context) {
            Ok(heard) => Ok(heard),
            Err(broken) => self.lose(&broken).map(|()| Heard::Nothing),
        }
    }

    fn receive(&mut self, context: &mut Context<'_>) -> Result<Heard, Broken> {
        let (place, settings) = (&self.place, &self.settings);
        let (item, stream, next) = (self.item, self.stream, self.next);
        let connect = || {
            let nonce = nonce().map_err(Broken::Failed)?;
            let hello = handshake::Hello { name: settings.name.clone(), item, stream, next, nonce };
            let secrets = Secrets { token: settings.token.clone(), authority: settings.authority.clone() };
            Connection::to(place, hello, secrets)
        };
        let Some((connection, attempts)) = self.link.up(context, connect)? else { return Ok(Heard::Nothing) };
        if !connection.is_open() {
            let Some(welcome) = connection.open(TIMEOUT)? else { return Ok(Heard::Nothing) };
            self.unacknowledged = 0;
            if welcome.stream == self.stream {
                return Ok(Heard::Nothing);
            }
            let is_first = std::mem::replace(&mut self.stream, welcome.stream) == 0;
            let known = (welcome.acknowledged != handshake::NOTHING).then_some(welcome.acknowledged);
            self.next = welcome.first;
            let missing = match known {
                _ if self.settings.from_start && is_first => Some(welcome.first),
                Some(acknowledged) if is_first => Some(welcome.first.saturating_sub(acknowledged)),
                None if is_first => Some(0),
                _ => None,
            };
            return Ok(Heard::Begins { missing });
        }
        let frame = match connection.next_frame()? {
            Some(frame) => frame,
            None => {
                if std::mem::take(&mut self.unacknowledged) > 0 {
                    connection.acknowledge(self.next)?;
                }
                if !connection.read(TIMEOUT)? {
                    return Ok(Heard::Nothing);
                }
                *attempts = 0;
                let Some(frame) = connection.next_frame()? else { return Ok(Heard::Nothing) };
                frame
            }
        };
        let (header, body) = frame;
        let wanted = if self.item == 0 { FrameKind::Messages } else { FrameKind::Items };
        let fits = header.kind == FrameKind::End || (header.kind == wanted && header.item == self.item);
        match fits && header.stream == self.stream {
            true => Ok(Heard::Frame(header, body)),
            false => {
                let (kind, item) = (header.kind, item_name(header.item));
                Err(Broken::Garbled(format!("{kind:?} of {item} in stream {:x}", header.stream)))
            }
        }
    }

    /// Gives the connection up for what it has sent.
    pub fn refuse(&mut self, problem: String) -> Result<(), Error> {
        self.lose(&Broken::Garbled(problem))
    }

    /// Tries again later, or ends.
    fn lose(&mut self, broken: &Broken) -> Result<(), Error> {
        let place = self.place.to_string();
        if broken.is_final() || !self.settings.reconnect {
            let source = std::io::Error::other(broken.to_string());
            return Err(Error::Socket { address: place, action: "read from", source });
        }
        let wait = self.link.lose();
        self.notices.warn(|| format!("{place}: {broken}; tries again in {:.1} s", wait.as_secs_f64()));
        Ok(())
    }

    /// Notes that what lies before an index was given, of a frame whose rest is not to be had.
    pub fn given_in_part(&mut self, next: u64) {
        self.next = next;
    }

    /// Notes that a frame was given as a whole, and acknowledges it now and then.
    pub fn given(&mut self, end: u64, bytes: usize) -> Result<(), Error> {
        self.next = end;
        self.unacknowledged = self.unacknowledged.saturating_add(bytes);
        if self.unacknowledged < ACKNOWLEDGED {
            return Ok(());
        }
        self.unacknowledged = 0;
        let said = self.link.connection().map_or(Ok(()), |connection| connection.acknowledge(end));
        said.or_else(|broken| self.lose(&broken))
    }

    /// Says that this reader does not come back.
    pub fn leave(&mut self) {
        let next = self.next;
        if let Some(connection) = self.link.connection() {
            connection.leave(next);
        }
        self.link = Link::Fresh;
    }
}
