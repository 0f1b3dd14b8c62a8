//! Samples in datagrams: the headers before them, and a thread that receives them whatever the graph does.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

/// What stands before the samples of a datagram, as GNU Radio's UDP blocks have it; all numbers little-endian.
///
/// **Source**: the behaviour of GNU Radio 3.10's `network.udp_sink` and `udp_source` on a machine of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UdpHeader {
    /// Nothing. What gets lost on the way leaves no trace.
    #[default]
    None,
    /// The number of the datagram in 8 bytes; the first has 1.
    Sequence,
    /// The same, the length of the whole datagram in bytes as an `i16`, and 6 bytes without a meaning.
    SequenceAndSize,
}

impl UdpHeader {
    /// The words for a parameter `header`, in the order of the variants.
    pub(super) const WORDS: &'static [&'static str] = &["none", "sequence", "sequence_size"];

    /// What a word says.
    pub(super) fn of_word(word: &str) -> Self {
        match word {
            "sequence" => UdpHeader::Sequence,
            "sequence_size" => UdpHeader::SequenceAndSize,
            _ => UdpHeader::None,
        }
    }

    /// How many bytes it has.
    pub fn bytes(self) -> usize {
        match self {
            UdpHeader::None => 0,
            UdpHeader::Sequence => 8,
            UdpHeader::SequenceAndSize => 16,
        }
    }

    /// The longest datagram with this header, in bytes.
    pub(super) fn most(self) -> usize {
        match self {
            UdpHeader::SequenceAndSize => i16::MAX as usize,
            _ => 65_507,
        }
    }

    /// Makes a datagram of samples that lie behind room for the header.
    pub(super) fn fill(self, datagram: &mut [u8], sequence: u64) {
        let length = datagram.len() as u16;
        if self != UdpHeader::None {
            datagram[..8].copy_from_slice(&sequence.to_le_bytes());
        }
        if self == UdpHeader::SequenceAndSize {
            datagram[8..16].fill(0);
            datagram[8..10].copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// What is missing before a datagram, in items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    Nothing,
    Items(u64),
    Unknown,
}

impl Lost {
    fn and(self, other: Lost) -> Lost {
        match (self, other) {
            (Lost::Unknown, _) | (_, Lost::Unknown) => Lost::Unknown,
            (Lost::Nothing, lost) | (lost, Lost::Nothing) => lost,
            (Lost::Items(a), Lost::Items(b)) => Lost::Items(a.saturating_add(b)),
        }
    }
}

/// How datagrams lie on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub header: UdpHeader,
    /// Bytes of a full datagram.
    pub full: usize,
    pub item_bytes: usize,
    /// Whether a datagram without a byte is the end, where it comes from where the last samples have come from.
    pub eof: bool,
}

impl Shape {
    /// Items of a full datagram.
    pub fn items(&self) -> usize {
        self.full.saturating_sub(self.header.bytes()) / self.item_bytes
    }
}

/// What a datagram is.
#[derive(Debug, PartialEq)]
enum Look {
    /// Samples, behind so much that is missing.
    Samples(Lost),
    /// One that was counted as lost, or came twice.
    Late,
    /// Not what was agreed on, in words.
    Bad(String),
    End,
}

/// Datagrams that come so much too late are still known as such; what is older begins a new count.
const LATE: u64 = 64;
/// A number that jumps farther is no loss but another count.
const FAR: u64 = 1 << 32;

/// Follows the numbers of the datagrams.
#[derive(Debug)]
struct Sequence {
    shape: Shape,
    next: Option<u64>,
    /// How many in a row came too late: a sender that has begun anew looks like that, too.
    late: u64,
}

impl Sequence {
    fn look(&mut self, datagram: &[u8]) -> Look {
        let Shape { header, full, item_bytes, eof } = self.shape;
        let (length, before) = (datagram.len(), header.bytes());
        if length == 0 && eof {
            return Look::End;
        }
        if length > full {
            return Look::Bad(format!("it has more than the {full} bytes of the payload size"));
        }
        if length <= before || !length.saturating_sub(before).is_multiple_of(item_bytes) {
            return Look::Bad(format!(
                "its {length} bytes are not a header of {before} bytes and whole samples of {item_bytes} bytes"
            ));
        }
        let number = |range: std::ops::Range<usize>| {
            datagram[range].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte))
        };
        if header == UdpHeader::None {
            return Look::Samples(Lost::Nothing);
        }
        if header == UdpHeader::SequenceAndSize && number(8..10) != length as u64 {
            return Look::Bad(format!("it has {length} bytes, its header says {}", number(8..10)));
        }
        let sequence = number(0..8);
        let lost = match self.next {
            None => Lost::Nothing,
            Some(next) if sequence == next => Lost::Nothing,
            Some(next) if sequence < next && next - sequence <= LATE && self.late < LATE => {
                self.late += 1;
                return Look::Late;
            }
            Some(next) if sequence > next && sequence - next <= FAR => {
                Lost::Items((sequence - next).saturating_mul(self.shape.items() as u64))
            }
            Some(_) => Lost::Unknown,
        };
        self.late = 0;
        self.next = Some(sequence.wrapping_add(1));
        Look::Samples(lost)
    }
}

/// What comes of datagrams in a row: the bytes of samples and the items that are missing before them, where that is known.
pub(super) fn look<'a>(
    shape: Shape,
    datagrams: impl IntoIterator<Item = &'a [u8]>,
    words: &mut dyn FnMut(&str),
) -> Vec<Option<(usize, Option<u64>)>> {
    let mut sequence = Sequence { shape, next: None, late: 0 };
    let mut taken = |datagram: &[u8]| match sequence.look(datagram) {
        Look::Samples(lost) => {
            let lost = match lost {
                Lost::Nothing => Some(0),
                Lost::Items(items) => Some(items),
                Lost::Unknown => None,
            };
            Some((datagram.len() - shape.header.bytes(), lost))
        }
        Look::Bad(problem) => {
            words(&problem);
            None
        }
        Look::Late | Look::End => None,
    };
    datagrams.into_iter().map(&mut taken).collect()
}

/// Samples of a datagram, and what is missing before them.
#[derive(Debug)]
pub(super) struct Datagram {
    pub bytes: Vec<u8>,
    /// Where the samples begin.
    pub start: usize,
    pub lost: Lost,
    pub arrived: SystemTime,
}

/// What has come next.
#[derive(Debug)]
pub(super) enum Next {
    Datagram(Datagram),
    Nothing,
    /// The sender has said that this is all; what is missing before that.
    End(Lost),
}

/// Receives datagrams in a thread of its own, into a ring of so many. Datagrams that come while it is full are dropped and
/// counted.
#[derive(Debug)]
pub(super) struct Receiver {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    ring: Mutex<Ring>,
    /// Rung when something comes into an empty ring.
    arrived: Condvar,
    stop: AtomicBool,
    capacity: usize,
}

#[derive(Debug)]
struct Ring {
    waiting: VecDeque<Datagram>,
    /// Memory to be used again.
    spare: Vec<Vec<u8>>,
    /// What is missing before the next datagram that has room.
    lost: Lost,
    /// How many datagrams had the wrong shape, and what was wrong with the last one.
    bad: u64,
    problem: Option<String>,
    ended: Option<io::Result<()>>,
}

impl Shared {
    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the thread waits for a datagram before it looks whether it is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Receiver {
    /// Begins to receive.
    pub fn start(socket: UdpSocket, shape: Shape, capacity: usize) -> io::Result<Self> {
        socket.set_read_timeout(Some(LOOK_EVERY))?;
        let ring = Ring {
            waiting: VecDeque::new(),
            spare: Vec::new(),
            lost: Lost::Nothing,
            bad: 0,
            problem: None,
            ended: None,
        };
        let shared = Arc::new(Shared {
            ring: Mutex::new(ring),
            arrived: Condvar::new(),
            stop: AtomicBool::new(false),
            capacity: capacity.max(1),
        });
        let others = shared.clone();
        let receive = move || receive(&others, &socket, Sequence { shape, next: None, late: 0 });
        let thread = std::thread::Builder::new().name("superhet-udp".to_owned()).spawn(receive)?;
        Ok(Receiver { shared, thread: Some(thread) })
    }

    /// How many datagrams were dropped since this was asked last, and what was wrong with the last of them.
    pub fn take_bad(&self) -> (u64, Option<String>) {
        let mut ring = self.shared.ring();
        (std::mem::take(&mut ring.bad), ring.problem.take())
    }

    /// What has come next, waiting for so long at most. `used` is memory to be used again.
    pub fn next(&self, used: Vec<u8>, timeout: Duration) -> io::Result<Next> {
        let mut ring = self.shared.ring();
        if used.capacity() > 0 {
            ring.spare.push(used);
        }
        let is_idle = |ring: &mut Ring| ring.waiting.is_empty() && ring.ended.is_none();
        if !timeout.is_zero() {
            let wait = self.shared.arrived.wait_timeout_while(ring, timeout, is_idle);
            ring = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(datagram) = ring.waiting.pop_front() {
            return Ok(Next::Datagram(datagram));
        }
        match ring.ended.take() {
            None => Ok(Next::Nothing),
            Some(Ok(())) => {
                ring.ended = Some(Ok(()));
                Ok(Next::End(std::mem::replace(&mut ring.lost, Lost::Nothing)))
            }
            Some(Err(error)) => Err(error),
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It looks within `LOOK_EVERY`.
            let _ = thread.join();
        }
    }
}

fn receive(shared: &Shared, socket: &UdpSocket, mut sequence: Sequence) {
    let mut bytes = Vec::new();
    // Where the last samples have come from.
    let mut sender: Option<SocketAddr> = None;
    let ended = loop {
        if shared.stop.load(Ordering::Relaxed) {
            break Ok(());
        }
        // One byte more shows a datagram that is too long.
        bytes.resize(sequence.shape.full.saturating_add(1), 0);
        let (length, from) = match socket.recv_from(&mut bytes) {
            Ok(received) => received,
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => continue,
                // An earlier datagram of this socket has found nobody.
                ErrorKind::ConnectionRefused => continue,
                _ => break Err(error),
            },
        };
        bytes.truncate(length);
        let look = match sequence.look(&bytes) {
            // Anybody can send it: one of another sender says nothing about these samples.
            Look::End if sender != Some(from) => {
                Look::Bad("it has no byte, and its sender has sent no samples before it".to_owned())
            }
            look => look,
        };
        let start = sequence.shape.header.bytes();
        let lost = match look {
            Look::Samples(lost) => lost,
            Look::Late => continue,
            Look::End => break Ok(()),
            Look::Bad(problem) => {
                let mut ring = shared.ring();
                ring.bad = ring.bad.saturating_add(1);
                ring.problem = Some(format!("from {from}: {problem}"));
                if sequence.shape.header == UdpHeader::None && sender == Some(from) {
                    ring.lost = Lost::Unknown;
                }
                continue;
            }
        };
        sender = Some(from);
        let mut ring = shared.ring();
        let lost = ring.lost.and(lost);
        if ring.waiting.len() >= shared.capacity {
            let items = length.saturating_sub(start) / sequence.shape.item_bytes;
            ring.lost = lost.and(Lost::Items(items as u64));
            continue;
        }
        ring.lost = Lost::Nothing;
        let datagram = std::mem::replace(&mut bytes, ring.spare.pop().unwrap_or_default());
        let arrived = SystemTime::now();
        ring.waiting.push_back(Datagram { bytes: datagram, start, lost, arrived });
        let is_first = ring.waiting.len() == 1;
        drop(ring);
        if is_first {
            shared.arrived.notify_one();
        }
    };
    shared.ring().ended = Some(ended);
    shared.arrived.notify_one();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(header: UdpHeader) -> Sequence {
        Sequence { shape: Shape { header, full: 40, item_bytes: 4, eof: true }, next: None, late: 0 }
    }

    fn datagram(header: UdpHeader, number: u64, items: usize) -> Vec<u8> {
        let mut datagram = vec![7; header.bytes() + 4 * items];
        header.fill(&mut datagram, number);
        datagram
    }

    #[test]
    fn numbers_tell_what_is_missing_and_what_comes_late() {
        let mut follow = sequence(UdpHeader::Sequence);
        let mut look = |number| follow.look(&datagram(UdpHeader::Sequence, number, 8));
        assert_eq!(look(5), Look::Samples(Lost::Nothing));
        assert_eq!(look(6), Look::Samples(Lost::Nothing));
        assert_eq!(look(9), Look::Samples(Lost::Items(16)));
        assert_eq!((look(8), look(9)), (Look::Late, Look::Late));
        assert_eq!(look(10), Look::Samples(Lost::Nothing));
        assert_eq!(look(1 << 40), Look::Samples(Lost::Unknown), "no loss is that long");
        assert_eq!(look(1), Look::Samples(Lost::Unknown), "the sender has begun anew");
        // One that begins anew soon after it began is believed in the end.
        for number in 2..=30 {
            look(number);
        }
        for _ in 0..LATE {
            assert_eq!(look(1), Look::Late);
        }
        assert_eq!(look(1), Look::Samples(Lost::Unknown));
        assert_eq!(look(2), Look::Samples(Lost::Nothing));
        assert_eq!(look(u64::MAX), Look::Samples(Lost::Unknown));
        assert_eq!(look(0), Look::Samples(Lost::Nothing));
    }

    #[test]
    fn what_is_no_datagram_of_the_agreed_shape_says_why() {
        let mut follow = sequence(UdpHeader::SequenceAndSize);
        let good = datagram(UdpHeader::SequenceAndSize, 1, 3);
        assert_eq!(good[..12], [1, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0]);
        let bad = |look| match look {
            Look::Bad(problem) => problem,
            other => panic!("{other:?}"),
        };
        let mut lies = good.clone();
        lies[9] = 1;
        assert_eq!(bad(follow.look(&lies)), "it has 28 bytes, its header says 284");
        for length in [3, 16, 17, 27] {
            let wanted =
                format!("its {length} bytes are not a header of 16 bytes and whole samples of 4 bytes");
            assert_eq!(bad(follow.look(&good[..length])), wanted);
        }
        assert!(bad(follow.look(&[0; 41])).contains("40 bytes"));
        assert_eq!(follow.look(&good), Look::Samples(Lost::Nothing));
        assert_eq!(follow.look(&[]), Look::End);
    }
}
