//! How a client of a server, or a peer of a socket, stands, and which of several has to go where there is no room for all.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

/// How long one with which something is exchanged all along may be silent.
const SILENCE: Duration = Duration::from_secs(1);
/// How long a client has to say or take something before those that come later may take its place, also where turns are short.
const GRACE: Duration = Duration::from_millis(10);
/// How many bytes a client must take in that time.
const ENOUGH: u64 = 1 << 16;

/// What is known of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    origin: IpAddr,
    /// How long something must have been exchanged with it until others go before it.
    trial: Duration,
    /// When it has come, and when something has last come of it, or all was taken.
    since: Instant,
    pub active: Instant,
    /// How many bytes it has sent, and how many it has taken.
    pub received: u64,
    pub taken: u64,
    /// Whether it will send nothing more.
    pub has_closed: bool,
}

impl Standing {
    /// One that has come now, and is on trial for that time.
    pub fn new(address: IpAddr, now: Instant, trial: Duration) -> Self {
        Standing {
            origin: origin(address),
            trial,
            since: now,
            active: now,
            received: 0,
            taken: 0,
            has_closed: false,
        }
    }

    /// It has sent so many bytes.
    pub fn has_sent(&mut self, bytes: usize, now: Instant) {
        self.active = now;
        self.received = self.received.saturating_add(bytes as u64);
    }

    /// It has taken all of a message, or of what there was, of so many bytes.
    pub fn has_taken(&mut self, bytes: usize, now: Instant) {
        self.active = now;
        self.taken = self.taken.saturating_add(bytes as u64);
    }

    /// Whether something is exchanged with it all along.
    fn is_established(&self, now: Instant) -> bool {
        self.active.saturating_duration_since(self.since) > self.trial
            && now.saturating_duration_since(self.active) < SILENCE
    }

    /// Whether something has been exchanged with it since it has come.
    pub fn has_done_something(&self) -> bool {
        self.active > self.since
    }

    /// How many bytes have come of it in a second.
    fn rate(&self, now: Instant) -> u128 {
        let microseconds = now.saturating_duration_since(self.since).as_micros();
        u128::from(self.received).saturating_mul(1_000_000) / microseconds.max(1)
    }

    /// Whether it has had too few turns, or was just accepted and has done nothing yet.
    fn is_new(&self, turn: Instant, now: Instant) -> bool {
        let has_done_something = self.received > 0 || self.taken >= ENOUGH;
        let is_young = now.saturating_duration_since(self.since) < GRACE;
        self.since >= turn || (is_young && !has_done_something)
    }
}

/// The owner of an address, as far as it can be known: with IPv6 each owner has a network of 64 bits.
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
///    sends most, of several the last to come,
/// 3. those that have had their time: the one that was silent for longest,
/// 4. those that have come since `turn`, or some milliseconds ago and have done nothing yet: the last,
/// 5. those with which something is exchanged all along: the one that sends most.
pub(crate) fn next_to_go<'a>(
    clients: impl Iterator<Item = &'a Standing> + Clone,
    turn: Instant,
    now: Instant,
) -> Option<usize> {
    let mut of_origin: HashMap<IpAddr, usize> = HashMap::new();
    for client in clients.clone() {
        let of_origin = of_origin.entry(client.origin).or_default();
        *of_origin = of_origin.saturating_add(1);
    }
    let (count, most) = (clients.clone().count(), of_origin.values().copied().max());
    let established = clients.clone().filter(|client| client.is_established(now)).count();
    // Newcomers keep a quarter of the places.
    let are_too_many = established > count.saturating_sub(count / 4);
    let rank = |client: &Standing| {
        let Standing { since, active, .. } = *client;
        let (class, rate, last, first) = match client {
            _ if client.has_closed => (1, 0, None, active),
            _ if client.is_established(now) => {
                (if are_too_many { 2 } else { 5 }, client.rate(now), Some(since), active)
            }
            _ if client.is_new(turn, now) => (4, 0, Some(since), since),
            _ => (3, 0, None, active),
        };
        (class, Reverse(rate), Reverse(last), first)
    };
    let crowd = clients.enumerate().filter(|(_, client)| of_origin.get(&client.origin).copied() == most);
    crowd.min_by_key(|(_, client)| rank(client)).map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clients whose times are in milliseconds before now.
    struct Crowd {
        now: Instant,
        clients: Vec<Standing>,
    }

    impl Crowd {
        fn new() -> Self {
            Crowd { now: Instant::now() + Duration::from_secs(1000), clients: Vec::new() }
        }

        fn add(&mut self, address: &str, came: u64, active: u64) -> &mut Standing {
            let ago = |milliseconds| self.now - Duration::from_millis(milliseconds);
            let mut client = Standing::new(address.parse().unwrap(), ago(came), Duration::from_secs(1));
            client.active = ago(active);
            self.clients.push(client);
            self.clients.last_mut().unwrap()
        }

        fn next(&self) -> Option<usize> {
            next_to_go(self.clients.iter(), self.now, self.now)
        }

        /// The same where those have not had their turns that have come later than so many milliseconds ago.
        fn next_in_turn(&self, turn: u64) -> Option<usize> {
            next_to_go(self.clients.iter(), self.now - Duration::from_millis(turn), self.now)
        }

        /// The places of the next ones, as they were at first.
        fn next_ones(mut self, count: usize) -> Vec<usize> {
            let mut places: Vec<usize> = (0..self.clients.len()).collect();
            (0..count)
                .map(|_| {
                    let place = self.next().unwrap();
                    self.clients.remove(place);
                    places.remove(place)
                })
                .collect()
        }
    }

    #[test]
    fn where_nobody_is_nobody_goes() {
        assert_eq!(Crowd::new().next(), None);
    }

    #[test]
    fn an_address_with_many_clients_loses_its_own_and_a_stranger_keeps_a_silent_one() {
        let mut crowd = Crowd::new();
        crowd.add("192.0.2.1", 900_000, 900_000);
        for n in 0..63 {
            crowd.add("198.51.100.7", 10_000, n);
        }
        assert_eq!(crowd.next_ones(62), (2..64).rev().collect::<Vec<_>>());
    }

    #[test]
    fn clients_of_as_many_addresses_as_there_are_places_go_by_what_they_do() {
        let mut crowd = Crowd::new();
        for n in 0..64 {
            crowd.add(&format!("192.0.2.{n}"), 10_000, if n == 7 { 5000 } else { 2000 });
        }
        crowd.add("198.51.100.7", 0, 0);
        assert_eq!(crowd.next(), Some(7));
    }

    #[test]
    fn of_one_address_the_silent_go_first_and_those_that_do_something_all_along_last() {
        let mut crowd = Crowd::new();
        crowd.add("192.0.2.1", 5000, 10).received = 1 << 20;
        crowd.add("192.0.2.1", 5000, 10).received = 100;
        crowd.add("192.0.2.1", 1, 0);
        crowd.add("192.0.2.1", 2, 2);
        crowd.add("192.0.2.1", 300, 20);
        crowd.add("192.0.2.1", 4000, 3900);
        crowd.add("192.0.2.1", 100, 100);
        crowd.add("192.0.2.1", 5000, 0).has_closed = true;
        assert_eq!(crowd.next_ones(8), [7, 5, 6, 4, 2, 3, 0, 1]);
    }

    #[test]
    fn of_those_that_do_something_all_along_it_counts_what_they_send_in_a_second() {
        let mut crowd = Crowd::new();
        crowd.add("192.0.2.1", 3_600_000, 10).received = 1 << 20;
        crowd.add("192.0.2.1", 2000, 10).received = 1 << 19;
        crowd.add("192.0.2.1", 3_600_000, 20).received = 1 << 20;
        assert_eq!(crowd.next(), Some(1));
    }

    #[test]
    fn of_those_that_do_something_all_along_and_send_nothing_the_first_stays() {
        let mut crowd = Crowd::new();
        crowd.add("192.0.2.1", 5000, 200);
        crowd.add("192.0.2.1", 2000, 10);
        crowd.add("192.0.2.1", 3000, 20);
        assert_eq!(crowd.next_ones(3), [1, 2, 0]);
    }

    #[test]
    fn a_flood_of_newcomers_ends_with_the_last_and_not_with_one_that_has_just_come() {
        let mut crowd = Crowd::new();
        for came in (0..5).rev() {
            crowd.add("192.0.2.1", came, came);
        }
        assert_eq!(crowd.next(), Some(4));
    }

    #[test]
    fn a_newcomer_keeps_its_place_for_some_turns_however_long_they_take() {
        let mut crowd = Crowd::new();
        crowd.add("192.0.2.1", 500, 0).received = 100;
        crowd.add("192.0.2.1", 100, 50).taken = 1 << 20;
        assert_eq!(crowd.next(), Some(1));
        assert_eq!(crowd.next_in_turn(200), Some(0));
    }

    #[test]
    fn a_newcomer_that_has_got_enough_is_none_any_more() {
        let mut crowd = Crowd::new();
        crowd.add("192.0.2.1", 2, 0).taken = 1 << 16;
        crowd.add("192.0.2.1", 3, 3);
        crowd.add("192.0.2.1", 1, 0).received = 1;
        assert_eq!(crowd.next_ones(2), [0, 2]);
    }

    #[test]
    fn those_that_do_something_all_along_leave_newcomers_a_quarter_of_the_places() {
        let mut crowd = Crowd::new();
        for n in 0..50 {
            crowd.add("192.0.2.1", 5000, n).received = n;
        }
        for came in (1..16).rev() {
            crowd.add("192.0.2.1", came, came);
        }
        // Fifty of 65, then 49 of 64: those that send most.
        assert_eq!(crowd.next(), Some(49));
        crowd.clients.remove(49);
        assert_eq!(crowd.next(), Some(48));
        crowd.clients.remove(48);
        // 48 of 63: the newcomer that has been there for longest.
        assert_eq!(crowd.next(), Some(48));
    }

    #[test]
    fn an_address_is_a_network_of_64_bits_or_one_of_32() {
        let same = |a: &str, b: &str| origin(a.parse().unwrap()) == origin(b.parse().unwrap());
        assert!(same("2001:db8::1", "2001:db8::ffff:0:0:1"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
    }
}
