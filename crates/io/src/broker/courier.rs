//! What brings posts to a broker: a queue, and a connection that may be lost.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use superhet_runtime::Context;

use super::place::Place;
use super::{Post, Protocol, Said, Trouble};
use crate::blocks::clients::not_yet;
use crate::blocks::link::{Link, TIMEOUT};
use crate::connecting::Connecting;
use crate::error::Error;
use crate::notices::Notices;
use crate::tls::Wire;

/// How long a broker has to let a client in.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// After so long without a word from here the broker is asked whether it is there, and so long it has for the answer.
pub(super) const ASK_AFTER: Duration = Duration::from_secs(15);
const ANSWER: Duration = Duration::from_secs(10);
/// Bytes that are read at once, and the most that a broker may say in one piece.
const READ: usize = 1 << 12;
const MOST_SAID: usize = 1 << 20;
/// Bytes that wait to be sent before more is said.
const AHEAD: usize = 1 << 16;
/// Bytes of answers that a broker may leave with us.
const MOST_ANSWERS: usize = 1 << 16;
/// Posts that are said before the broker is asked whether they have come.
const ASK_EVERY: u64 = 32;
/// How long the last word may take.
const LAST_WORD: Duration = Duration::from_millis(200);

/// A queue of posts, and a connection.
#[derive(Debug)]
pub(crate) struct Courier<P> {
    place: Place,
    protocol: P,
    /// What is said on each new connection, and what last.
    first_and_last: Option<(Post, Post)>,
    reconnect: bool,
    link: Link<Session>,
    /// What the broker has not taken, with its number, the oldest first; how many of them were said on this connection.
    queue: VecDeque<(u64, Post)>,
    said: usize,
    most: usize,
    /// The number of the last post, the last that was ever said, and the last that the broker was asked about.
    last: u64,
    last_said: u64,
    asked_to: u64,
    notices: Notices,
}

/// What has happened in a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Whether the broker has let this client in.
    pub has_come: bool,
    /// Whether the connection is lost.
    pub has_gone: bool,
}

/// A connection, or an attempt at one.
#[derive(Debug)]
struct Session {
    state: State,
    received: Vec<u8>,
    unsent: Vec<u8>,
    /// Bytes of answers since nothing was unsent last.
    answers: usize,
    since: Instant,
    /// When something was last heard and said, and since when an answer is waited for.
    heard: Instant,
    spoke: Instant,
    asked: Option<Instant>,
}

#[derive(Debug)]
enum State {
    Connecting(Connecting),
    Connected(Wire),
    Open(Wire),
    /// Between two of them.
    Lost,
}

/// What ends a connection.
#[derive(Debug)]
enum Broken {
    Io(&'static str, io::Error),
    Trouble(Trouble),
    Silent(&'static str),
}

impl Broken {
    fn is_final(&self) -> bool {
        match self {
            Broken::Trouble(trouble) => matches!(trouble, Trouble::Refused(_)),
            // A certificate that is not believed.
            Broken::Io(_, error) => error.kind() == ErrorKind::InvalidData,
            Broken::Silent(_) => false,
        }
    }

    fn text(&self) -> String {
        match self {
            Broken::Io(what, error) => format!("{what}: {error}"),
            Broken::Trouble(Trouble::Garbled(what)) => format!("the broker says what it should not: {what}"),
            Broken::Trouble(Trouble::Refused(why)) => format!("the broker refuses: {why}"),
            Broken::Silent(what) => (*what).to_owned(),
        }
    }
}

impl Session {
    fn wire(&mut self) -> Option<&mut Wire> {
        match &mut self.state {
            State::Connected(wire) | State::Open(wire) => Some(wire),
            State::Connecting(_) | State::Lost => None,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }

    /// Sends what the broker takes now.
    fn send(&mut self) -> Result<(), Broken> {
        let (State::Connected(wire) | State::Open(wire)) = &mut self.state else { return Ok(()) };
        let failed = |error| Broken::Io("the connection failed", error);
        while !self.unsent.is_empty() {
            match not_yet(wire.write(&self.unsent)).map_err(failed)? {
                Some(n) => drop(self.unsent.drain(..n)),
                None => break,
            }
            self.spoke = Instant::now();
        }
        not_yet(wire.flush()).map(|_| ()).map_err(failed)
    }

    /// Reads what has come; whether anything has.
    fn read(&mut self) -> Result<bool, Broken> {
        let Some(wire) = self.wire() else { return Ok(false) };
        let mut bytes = [0; READ];
        match not_yet(wire.read(&mut bytes)).map_err(|error| Broken::Io("the connection failed", error))? {
            None => Ok(false),
            Some(0) => Err(Broken::Silent("the broker has closed the connection")),
            Some(n) => {
                self.received.extend_from_slice(bytes.get(..n).unwrap_or_default());
                self.heard = Instant::now();
                if self.received.len() > MOST_SAID {
                    let what = format!("{} bytes in one piece", self.received.len());
                    return Err(Broken::Trouble(Trouble::Garbled(what)));
                }
                Ok(true)
            }
        }
    }

    /// Waits until the broker says something, or takes something where there is something for it.
    fn wait(&mut self, timeout: Duration) -> Result<(), Broken> {
        let has_more = !self.unsent.is_empty();
        let Some(wire) = self.wire() else { return Ok(()) };
        let mut wanted = PollFlags::IN;
        wanted.set(PollFlags::OUT, has_more || wire.wants_write());
        let timeout = Timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut [PollFd::new(wire.socket(), wanted)], Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Broken::Io("the connection failed", error.into())),
        }
    }
}

impl<P: Protocol> Courier<P> {
    /// Keeps up to `most` posts. Without `reconnect` a connection that cannot be made, or breaks, is an error. On each new connection the first
    /// of two posts is said, and the second last.
    pub fn new(
        place: Place,
        protocol: P,
        first_and_last: Option<(Post, Post)>,
        most: usize,
        reconnect: bool,
    ) -> Self {
        Courier {
            place,
            protocol,
            first_and_last,
            reconnect,
            link: Link::Fresh,
            queue: VecDeque::new(),
            said: 0,
            most: most.max(1),
            last: 0,
            last_said: 0,
            asked_to: 0,
            notices: Notices::default(),
        }
    }

    /// Whether the broker lets this client post.
    pub fn is_open(&self) -> bool {
        matches!(&self.link, Link::Up { connection, .. } if connection.is_open())
    }

    /// Whether there is room for a post.
    pub fn has_room(&self) -> bool {
        self.queue.len() < self.most
    }

    /// How many posts the broker has not taken.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Takes a post; how many are dropped for it: itself where it is too long, or, where `drops`, the oldest if there is no room.
    pub fn take(&mut self, post: Post, drops: bool) -> u64 {
        let (bytes, most) = (post.body.len().saturating_add(post.topic.len()), self.protocol.most_bytes());
        if bytes > most {
            let (place, topic) = (self.place.name(), post.topic);
            self.notices.warn(|| {
                format!("{place}: a message for {topic} has {bytes} bytes, expected at most {most}")
            });
            return 1;
        }
        let is_full = drops && !self.has_room();
        if is_full {
            self.queue.pop_front();
            self.said = self.said.saturating_sub(1);
            let (place, most) = (self.place.name(), self.most);
            self.notices.warn(|| format!("{place}: a message is dropped: {most} wait for the broker"));
        }
        self.last = self.last.saturating_add(1);
        self.queue.push_back((self.last, post));
        is_full.into()
    }

    /// Forgets what the broker has not taken; how much that was.
    pub fn give_up(&mut self) -> u64 {
        let n = self.queue.len() as u64;
        if n > 0 {
            tracing::warn!("{}: {n} messages were not taken by the broker", self.place.name());
        }
        self.queue.clear();
        self.said = 0;
        n
    }

    /// Connects, hears, says what there is. Where nothing has moved it waits, no longer than `timeout`.
    pub fn turn(&mut self, context: &mut Context<'_>, timeout: Duration) -> Result<Turn, Error> {
        match self.try_turn(context, timeout) {
            Ok(has_come) => Ok(Turn { has_come, has_gone: false }),
            Err(broken) => self.lose(&broken).map(|()| Turn { has_come: false, has_gone: true }),
        }
    }

    fn try_turn(&mut self, context: &mut Context<'_>, timeout: Duration) -> Result<bool, Broken> {
        let unreachable = |error| Broken::Io("cannot connect", error);
        let place = &self.place;
        let connect = || {
            let now = Instant::now();
            let connecting = Connecting::to(&place.host, place.port).map_err(unreachable)?;
            Ok(Session {
                state: State::Connecting(connecting),
                received: Vec::new(),
                unsent: Vec::new(),
                answers: 0,
                since: now,
                heard: now,
                spoke: now,
                asked: None,
            })
        };
        let Some((session, attempts)) = self.link.up(context, connect)? else { return Ok(false) };
        if let State::Connecting(connecting) = &mut session.state {
            let Some(socket) = connecting.poll(TIMEOUT).map_err(unreachable)? else { return Ok(false) };
            let authority = place.authority.as_ref().filter(|_| P::SECURE_AT_ONCE);
            let wire = Wire::connect(socket, &place.host, authority).map_err(unreachable)?;
            (session.state, session.since, session.heard) =
                (State::Connected(wire), Instant::now(), Instant::now());
            self.protocol.begin(place.authority.is_some(), &mut session.unsent);
        }
        let (was_open, mut has_moved) = (session.is_open(), session.read()?);
        has_moved |= hear(session, &mut self.protocol, place, &mut self.queue, &mut self.said)?;
        if session.is_open() {
            *attempts = 0;
            if let Some((first, _)) = self.first_and_last.as_ref().filter(|_| !was_open) {
                self.protocol.say(first, &mut session.unsent);
            }
            has_moved |= self.speak();
        }
        let Some(session) = self.link.connection() else { return Ok(false) };
        session.send()?;
        let (is_open, now) = (session.is_open(), Instant::now());
        if !is_open && now.saturating_duration_since(session.since) > HANDSHAKE {
            return Err(Broken::Silent("the broker has not let this client in within 5 s"));
        }
        if session.asked.is_some_and(|asked| now.saturating_duration_since(asked.max(session.heard)) > ANSWER)
        {
            return Err(Broken::Silent("the broker has not answered for 10 s"));
        }
        if !has_moved && !timeout.is_zero() {
            session.wait(timeout)?;
        }
        Ok(is_open && !was_open)
    }

    /// Says what may be said now; whether that was anything.
    fn speak(&mut self) -> bool {
        let Courier { protocol, link, queue, said, last_said, asked_to, .. } = self;
        let Some(session) = link.connection() else { return false };
        let before = session.unsent.len();
        let most = protocol.most_on_way();
        while *said < most
            && session.unsent.len() < AHEAD
            && let Some((number, post)) = queue.get(*said)
        {
            protocol.post(*number, post, *number <= *last_said, &mut session.unsent);
            *last_said = (*last_said).max(*number);
            *said = said.saturating_add(1);
            if protocol.asks() && number.saturating_sub(*asked_to) >= ASK_EVERY {
                protocol.ask(*number, &mut session.unsent);
                *asked_to = *number;
                session.asked.get_or_insert_with(Instant::now);
            }
        }
        let on_way = said.checked_sub(1).and_then(|place| queue.get(place)).map_or(0, |(number, _)| *number);
        let is_idle = session.asked.is_none() && session.spoke.elapsed() > ASK_AFTER;
        if (protocol.asks() && on_way > *asked_to) || is_idle {
            protocol.ask(on_way, &mut session.unsent);
            *asked_to = on_way.max(*asked_to);
            session.asked.get_or_insert_with(Instant::now);
        }
        session.unsent.len() > before
    }

    /// Tries again later, or ends.
    fn lose(&mut self, broken: &Broken) -> Result<(), Error> {
        let address = self.place.name();
        (self.said, self.asked_to) = (0, 0);
        if broken.is_final() || !self.reconnect {
            self.link = Link::Fresh;
            return Err(Error::Socket {
                address,
                action: "send to",
                source: io::Error::other(broken.text()),
            });
        }
        let wait = self.link.lose();
        let text = broken.text();
        self.notices.warn(|| format!("{address}: {text}; tries again in {:.1} s", wait.as_secs_f64()));
        Ok(())
    }

    /// Says what is said last, and goodbye, as far as the broker takes it soon.
    pub fn leave(&mut self) {
        if let Some(session) = self.link.connection().filter(|session| session.is_open()) {
            if let Some((_, last)) = &self.first_and_last {
                self.protocol.say(last, &mut session.unsent);
            }
            self.protocol.end(&mut session.unsent);
            let since = Instant::now();
            // One that has gone needs not be told.
            while session.send().is_ok()
                && !session.unsent.is_empty()
                && since.elapsed() < LAST_WORD
                && session.wait(TIMEOUT).is_ok()
            {}
            if let Some(wire) = session.wire() {
                wire.close();
            }
        }
        self.link = Link::Fresh;
    }
}

/// Takes what the broker has said; whether that was anything.
fn hear<P: Protocol>(
    session: &mut Session,
    protocol: &mut P,
    place: &Place,
    queue: &mut VecDeque<(u64, Post)>,
    said: &mut usize,
) -> Result<bool, Broken> {
    let mut used = 0usize;
    loop {
        let rest = session.received.get(used..).unwrap_or_default();
        let before = session.unsent.len();
        let (n, word) = protocol.hear(rest, &mut session.unsent).map_err(Broken::Trouble)?;
        if before == 0 {
            session.answers = 0;
        }
        session.answers = session.answers.saturating_add(session.unsent.len().saturating_sub(before));
        if session.answers > MOST_ANSWERS {
            return Err(Broken::Silent("the broker asks, and does not take the answers"));
        }
        used = used.saturating_add(n);
        match word {
            Said::Part => break,
            Said::Nothing => {}
            Said::Secure => {
                if used < session.received.len() {
                    let what = "it speaks on before the connection is encrypted".to_owned();
                    return Err(Broken::Trouble(Trouble::Garbled(what)));
                }
                if let State::Connected(wire) = std::mem::replace(&mut session.state, State::Lost)
                    && let Some(socket) = wire.into_plain()
                {
                    let wire = Wire::connect(socket, &place.host, place.authority.as_ref());
                    let wire = wire.map_err(|error| Broken::Io("cannot encrypt", error))?;
                    session.state = State::Connected(wire);
                }
                protocol.is_secured(&mut session.unsent);
            }
            Said::Welcome => {
                if let State::Connected(wire) = std::mem::replace(&mut session.state, State::Lost) {
                    session.state = State::Open(wire);
                }
            }
            Said::Taken(number) => {
                let found = queue.iter().take(*said).position(|(one, _)| *one == number);
                if found.and_then(|found| queue.remove(found)).is_some() {
                    *said = said.saturating_sub(1);
                }
            }
            Said::TakenTo(number) => {
                session.asked = None;
                while *said > 0 && queue.pop_front_if(|(one, _)| *one <= number).is_some() {
                    *said = said.saturating_sub(1);
                }
            }
        }
    }
    session.received.drain(..used);
    Ok(used > 0)
}
