//! The server's side: any number of clients get one stream, and may send commands.
//!
//! The stream never waits for a client. Each has a queue of at most [`QUEUE`] bytes; a block of samples that finds it full is
//! lost to that client, as a whole, so that what it gets next begins with a sample again. How many clients there may be, and
//! which of them goes when one more comes, [`Clients`] says. Commands change nothing: a stream or a recording has one rate and
//! one frequency. They are read, checked, logged, and compared with what the stream has.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

use super::Greeting;
use super::command::{Command, Commands};
use crate::blocks::clients::{Clients, Words};
use crate::notices::Notices;

/// How many bytes may wait for one client: half a second at 1 MHz. The system's own buffers come on top of it.
pub(crate) const QUEUE: usize = 1 << 20;
/// Bytes that are read of a client at once.
const READ: usize = 1 << 12;
/// Commands that are told of in one turn.
const MOST_WORDS: usize = 64;

/// What the stream is that clients get, as far as it is known, in hertz.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Offer {
    pub rate_hz: Option<f64>,
    pub center_hz: Option<f64>,
}

impl Offer {
    /// What a client that asks for something else has to know.
    fn problem(&self, command: Command) -> Option<String> {
        let differs = |asked: u32, is: Option<f64>| is.filter(|is| (is - f64::from(asked)).abs() >= 1.0);
        match command {
            Command::RateHz(hz) => {
                differs(hz, self.rate_hz).map(|is| format!("the samples come at {is} Hz all the same"))
            }
            Command::FrequencyHz(hz) => {
                differs(hz, self.center_hz).map(|is| format!("the samples are those at {is} Hz all the same"))
            }
            _ => None,
        }
    }
}

/// A server and its clients.
#[derive(Debug)]
pub(crate) struct Server {
    clients: Clients<Arc<Vec<u8>>>,
    /// What each client has sent of a command, by its name.
    begun: HashMap<Arc<str>, Commands>,
    offer: Offer,
    /// Bytes that were lost to some client.
    lost: u64,
    notices: Notices,
}

impl Server {
    /// Listens at the first of the addresses where that is possible.
    pub fn listen(addresses: &[SocketAddr], offer: Offer) -> io::Result<Self> {
        let greeting = Arc::new(Greeting::R820T.bytes().to_vec());
        let clients = Clients::listen(addresses, Duration::MAX)?.greeting(greeting);
        Ok(Server { clients, begun: HashMap::new(), offer, lost: 0, notices: Notices::default() })
    }

    /// Where it listens.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.clients.local_addr()
    }

    /// Whether nobody is there.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// Whether samples wait to be sent.
    pub fn has_unsent(&self) -> bool {
        self.clients.has_unsent()
    }

    /// Tells the clients that nothing more comes.
    pub fn shut(&mut self) {
        self.clients.shut();
    }

    /// Says what the stream is from now on.
    pub fn change(&mut self, offer: Offer) {
        self.offer = offer;
    }

    /// Gives every client that has room for them these bytes, whole samples.
    pub fn give(&mut self, bytes: &Arc<Vec<u8>>) {
        let notices = &mut self.notices;
        let lost = &mut self.lost;
        self.clients.offer(bytes, QUEUE, |name| {
            *lost = lost.saturating_add(bytes.len() as u64);
            notices.warn(|| format!("{name}: is too slow, {} samples were dropped for it", bytes.len() / 2));
        });
    }

    /// Takes clients that have come, hears those that are there, and sends what they take; whether anything was sent.
    pub fn turn(&mut self) -> bool {
        let Server { clients, begun, offer, notices, .. } = self;
        let mut heard: Vec<(Arc<str>, Command)> = Vec::new();
        let mut wrong: Vec<(Arc<str>, String)> = Vec::new();
        let mut hear = |name: &Arc<str>, bytes: &[u8]| {
            let commands = begun.entry(name.clone()).or_default();
            commands.feed(bytes, |bytes| match Command::parse(bytes, Greeting::R820T) {
                Ok(command) if heard.len() < MOST_WORDS => heard.push((name.clone(), command)),
                // One is enough to be told.
                Err(problem) if wrong.is_empty() => wrong.push((name.clone(), problem)),
                _ => {}
            });
        };
        let mut buffer = [0; READ];
        clients.accept(&mut buffer, Words::Shown, notices, &mut hear);
        clients.receive(&mut buffer, notices, &mut hear);
        for (name, problem) in wrong {
            notices.warn(|| format!("{name} asks for {problem}"));
        }
        for (name, command) in heard {
            tracing::info!("{name} asks for {command}");
            if let Some(problem) = offer.problem(command) {
                notices.warn(|| format!("{name} asks for {command}: {problem}"));
            }
        }
        let moved = clients.send_to_each(notices);
        begun.retain(|name, _| clients.has(name));
        moved
    }

    /// Waits until a client comes, says or takes something, but no longer than `timeout`.
    pub fn wait(&self, timeout: Duration) -> io::Result<()> {
        let mut looks: Vec<PollFd<'_>> = self.clients.looks();
        let timeout = Timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut looks, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    fn server() -> (Server, SocketAddr) {
        let offer = Offer { rate_hz: Some(250e3), center_hz: None };
        let server = Server::listen(&["127.0.0.1:0".parse().unwrap()], offer).unwrap();
        let address = server.local_addr().unwrap();
        (server, address)
    }

    fn turns(server: &mut Server, done: impl Fn(&Server) -> bool) {
        for _ in 0..1000 {
            server.turn();
            if done(server) {
                return;
            }
            server.wait(Duration::from_millis(10)).unwrap();
        }
        panic!("it did not come to it");
    }

    #[test]
    fn what_a_client_asks_for_is_compared_with_what_there_is() {
        let offer = Offer { rate_hz: Some(250e3), center_hz: None };
        assert_eq!(offer.problem(Command::RateHz(250_000)), None);
        assert!(offer.problem(Command::RateHz(1_000_000)).unwrap().contains("250000 Hz"));
        assert_eq!(offer.problem(Command::FrequencyHz(1)), None, "it is not known");
    }

    #[test]
    fn a_client_that_never_reads_loses_whole_blocks_and_others_none() {
        let (mut server, address) = server();
        let _deaf = TcpStream::connect(address).unwrap();
        let reader = TcpStream::connect(address).unwrap();
        let mut greeting = [0; 12];
        turns(&mut server, |server| server.clients.len() == 2);
        (&reader).read_exact(&mut greeting).unwrap();
        assert_eq!(Greeting::parse(&greeting), Some(Greeting::R820T));
        let blocks = 64u8;
        let thread = std::thread::spawn(move || {
            let mut all = Vec::new();
            (&reader).read_to_end(&mut all).unwrap();
            all
        });
        for number in 0..blocks {
            // The reader takes it before the next one is given.
            server.give(&Arc::new(vec![number; QUEUE / 2]));
            turns(&mut server, |server| server.clients.unsent().filter(|bytes| *bytes > 0).count() <= 1);
        }
        assert!(server.lost > 0, "what nobody takes does not pile up");
        assert!(server.clients.unsent().all(|bytes| bytes <= QUEUE));
        assert_eq!(server.lost % (QUEUE as u64 / 2), 0, "blocks are lost as a whole");
        turns(&mut server, |server| server.clients.unsent().any(|bytes| bytes == 0));
        drop(server);
        let all = thread.join().unwrap();
        let wanted: Vec<u8> = (0..blocks).flat_map(|number| vec![number; QUEUE / 2]).collect();
        assert!(all == wanted, "{} bytes of {}", all.len(), wanted.len());
    }

    #[test]
    fn garbage_half_commands_and_a_client_that_goes_do_no_harm() {
        let (mut server, address) = server();
        let mut rude = TcpStream::connect(address).unwrap();
        rude.write_all(&[0xff; 4099]).unwrap();
        let mut gone = TcpStream::connect(address).unwrap();
        gone.write_all(&[1, 2]).unwrap();
        turns(&mut server, |server| server.begun.len() == 2);
        drop(gone);
        turns(&mut server, |server| server.begun.len() == 1);
        rude.write_all(&[1, 0, 0]).unwrap();
        drop(rude);
        turns(&mut server, |server| server.is_empty());
        assert!(server.begun.is_empty());
    }
}
