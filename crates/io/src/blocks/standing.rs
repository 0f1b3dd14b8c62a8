//! How a client of a server stands, and which of several has to go where there is no room for all.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

/// How long something must have been exchanged with a client until others go before it.
const TRIAL: Duration = Duration::from_secs(1);
/// How long a client has to say or take something until those that come later may take its place.
const GRACE: Duration = Duration::from_millis(5);

/// What is known of a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    origin: IpAddr,
    /// When it has come, and when something has last come of it, or all was taken.
    since: Instant,
    pub active: Instant,
    /// How many bytes have come of it.
    pub received: u64,
    /// Whether it will send nothing more.
    pub has_closed: bool,
}

impl Standing {
    pub fn new(address: IpAddr, now: Instant) -> Self {
        Standing { origin: origin(address), since: now, active: now, received: 0, has_closed: false }
    }

    /// Whether something is exchanged with it all along.
    fn is_established(&self, now: Instant) -> bool {
        self.active.saturating_duration_since(self.since) > TRIAL
            && now.saturating_duration_since(self.active) < TRIAL
    }

    fn is_new(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < GRACE
    }
}

/// Whose address it is, as far as can be told: with IPv6, everybody has a network of 64 bits.
fn origin(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// The one to go: of the address with the most clients, the first of
///
/// 1. those that have closed their side,
/// 2. those with which something is exchanged all along, where they have more than three quarters of all places: the one that
///    sends most,
/// 3. those that have had their time: the one that was silent for longest,
/// 4. those that have just come: the last,
/// 5. those with which something is exchanged all along: the one that sends most.
pub(super) fn next_to_go<'a>(
    clients: impl Iterator<Item = &'a Standing> + Clone,
    now: Instant,
) -> Option<usize> {
    let mut of_origin: HashMap<IpAddr, usize> = HashMap::new();
    let (mut count, mut established) = (0usize, 0usize);
    for client in clients.clone() {
        let of_origin = of_origin.entry(client.origin).or_default();
        *of_origin = of_origin.saturating_add(1);
        count = count.saturating_add(1);
        established = established.saturating_add(usize::from(client.is_established(now)));
    }
    let are_too_many = established > count - count / 4;
    let rank = |client: &Standing| {
        let Standing { since, active, received, .. } = *client;
        let (class, received, last, first) = match client {
            _ if client.has_closed => (1, 0, None, active),
            _ if client.is_established(now) => (if are_too_many { 2 } else { 5 }, received, None, active),
            _ if client.is_new(now) => (4, 0, Some(since), since),
            _ => (3, 0, None, active),
        };
        (Reverse(of_origin.get(&client.origin).copied()), class, Reverse(received), Reverse(last), first)
    };
    clients.enumerate().min_by_key(|(_, client)| rank(client)).map(|(place, _)| place)
}
