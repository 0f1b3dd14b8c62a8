//! Who gets a message: the rules of each kind of socket.

use std::time::{Duration, Instant};

use super::super::Role;
use super::super::shared::{Outgoing, State};
use super::super::wire;
use super::Engine;
use super::peer::Peer;

/// A peer of PUSH with so many bytes in its queue is passed over: another may be faster.
const SHARE: usize = 1 << 16;
/// How long a peer of PUSH may take nothing while others wait for the memory that its messages take up.
const HOLD_UP: Duration = Duration::from_millis(500);
/// How long REQ waits for an answer before it asks another peer, too.
const ANSWER: Duration = Duration::from_millis(2);

impl Engine {
    /// Puts messages into the queues of peers; whether there were any that could be, and `None` at the end.
    pub(super) fn distribute(&mut self) -> Option<bool> {
        let shared = self.shared.clone();
        let mut state = shared.look()?;
        let mut has_given = false;
        self.look_again = None;
        self.ask_another();
        while let Some(outgoing) = state.pop_unsent() {
            if let Err(outgoing) = self.give(&mut state, outgoing) {
                state.take_back(outgoing);
                break;
            }
            has_given = true;
            self.relieve(&mut state);
        }
        state.held = self.held();
        drop(state);
        if has_given {
            shared.changed.notify_all();
        }
        Some(has_given)
    }

    /// How many messages wait in the queues of peers.
    pub(super) fn held(&self) -> usize {
        self.peers.iter().filter(|peer| !peer.is_deaf).map(|peer| peer.session.waiting().0).sum()
    }

    /// Puts a message into the queues of those that it is for; gives it back where it has to wait.
    fn give(&mut self, state: &mut State, outgoing: Outgoing) -> Result<(), Outgoing> {
        match self.shared.role {
            Role::Pub => return self.publish(outgoing),
            Role::Push => {
                if !self.has_memory_for(state, outgoing.message.len()) {
                    return Err(outgoing);
                }
                let Some(place) = self.next_peer(|peer| peer.session.waiting().1 < SHARE) else {
                    return Err(outgoing);
                };
                if let Some(peer) = self.peers.get_mut(place) {
                    peer.session.send(outgoing.message);
                }
            }
            Role::Req => {
                if self.asked.is_some() || !self.ask(&outgoing) {
                    return Err(outgoing);
                }
                self.asked = Some((Instant::now(), outgoing));
            }
            Role::Rep => {
                if let Some(peer) = self.peers.iter_mut().find(|peer| Some(peer.id) == outgoing.to) {
                    peer.is_asking = false;
                    peer.session.send(outgoing.message);
                }
            }
            Role::Sub | Role::Pull => {}
        }
        Ok(())
    }

    /// Sends a request to the next peer that owes no answer; whether there is one.
    fn ask(&mut self, request: &Outgoing) -> bool {
        let place = self.next_peer(|peer| !peer.is_asking);
        self.ask_at(place, request)
    }

    /// The same, and to one that has answered before, if there is one: of those that come and keep silent there may be many.
    fn ask_one_that_answers(&mut self, request: &Outgoing) -> bool {
        let next = self.next;
        let place = self.next_peer(|peer| !peer.is_asking && peer.standing.has_done_something());
        if place.is_none() {
            return self.ask(request);
        }
        // It is nobody else's turn that it takes.
        self.next = next;
        self.ask_at(place, request)
    }

    fn ask_at(&mut self, place: Option<usize>, request: &Outgoing) -> bool {
        let Some(peer) = place.and_then(|place| self.peers.get_mut(place)) else { return false };
        peer.is_asking = true;
        peer.session.send(request.message.clone());
        true
    }

    /// Asks another peer, too, where the answer does not come soon: one that keeps silent keeps nobody from being asked. What
    /// the first answers later is taken all the same.
    fn ask_another(&mut self) {
        let Some((since, request)) = self.asked.take() else { return };
        let now = Instant::now();
        let is_late = now.saturating_duration_since(since) >= ANSWER;
        let has_asked = is_late && self.ask_one_that_answers(&request);
        let since = if has_asked { now } else { since };
        let is_free = |peer: &Peer| peer.session.is_open() && !peer.is_asking && !peer.has_ended;
        if self.peers.iter().any(is_free) {
            self.look_again = Some(since + ANSWER);
        }
        self.asked = Some((since, request));
    }

    /// Whether the queues of PUSH have memory for a message. A peer that holds others up is parted with, and what it has not got
    /// goes to them.
    fn has_memory_for(&mut self, state: &mut State, length: usize) -> bool {
        let most = self.shared.options.memory.queued();
        let queued = self.peers.iter().fold(0usize, |sum, peer| sum.saturating_add(peer.session.waiting().1));
        if queued == 0 || queued.saturating_add(length) <= most {
            return true;
        }
        let now = Instant::now();
        match self.furthest_behind() {
            Some((place, since)) if now.saturating_duration_since(since) >= HOLD_UP => {
                self.part_for(state, place, "it takes nothing, and others wait");
                // What it gives back is before this message.
                self.look_again = Some(now);
            }
            Some((_, since)) => self.look_again = Some(since + HOLD_UP),
            None => {}
        }
        false
    }

    /// The peer whose first message has waited for longest, and since when.
    fn furthest_behind(&self) -> Option<(usize, Instant)> {
        let waiting = self.peers.iter().enumerate();
        let waiting = waiting.filter_map(|(place, peer)| Some((place, peer.session.waits_since()?)));
        waiting.min_by_key(|(_, since)| *since)
    }

    /// Parts with peers that take nothing while more waits than there may: those that are furthest behind.
    fn relieve(&mut self, state: &mut State) {
        while self.shared.outgoing() > self.shared.options.memory.all() {
            let Some((place, _)) = self.furthest_behind() else { break };
            self.part_for(state, place, "it takes nothing, and its messages take up all memory for them");
        }
    }

    /// The place of the next peer that can be sent to, one after the other.
    fn next_peer(&mut self, fits: impl Fn(&Peer) -> bool) -> Option<usize> {
        let count = self.peers.len();
        let fits = |peer: &Peer| peer.session.is_open() && !peer.is_deaf && !peer.has_ended && fits(peer);
        let mut places = (0..count).map(|place| self.next.wrapping_add(place) % count);
        let place = places.find(|place| self.peers.get(*place).is_some_and(&fits))?;
        self.next = place.saturating_add(1);
        Some(place)
    }

    fn publish(&mut self, outgoing: Outgoing) -> Result<(), Outgoing> {
        let most = self.shared.options.high_water;
        let length = outgoing.message.len();
        let topic = match wire::read_frame(&outgoing.message, usize::MAX) {
            Ok(Some((frame, _))) => frame.body,
            _ => &[],
        };
        let share = self.shared.options.memory.for_subscriber();
        let has_room = |peer: &Peer| {
            let (messages, bytes) = peer.session.waiting();
            messages < most && (bytes == 0 || bytes.saturating_add(length) <= share)
        };
        let is_for = |peer: &Peer| peer.session.is_open() && !peer.is_deaf && peer.session.is_wanted(topic);
        if self.shared.options.waits && self.peers.iter().any(|peer| is_for(peer) && !has_room(peer)) {
            return Err(outgoing);
        }
        let mut has_dropped = false;
        for peer in self.peers.iter_mut().filter(|peer| is_for(peer)) {
            if has_room(peer) {
                peer.session.send(outgoing.message.clone());
            } else {
                has_dropped = true;
            }
        }
        if has_dropped && !std::mem::replace(&mut self.has_dropped, true) {
            tracing::warn!("a message was dropped, the first of its socket: a subscriber is too slow");
        }
        Ok(())
    }
}
