//! Who gets a message: the rules of each kind of socket.

use super::super::Role;
use super::super::socket::Outgoing;
use super::super::wire::{self, MOST_BYTES};
use super::{Engine, Peer};

/// A peer of PUSH with so many bytes in its queue is passed over: another may be faster.
const SHARE: usize = 1 << 16;

impl Engine {
    /// Puts messages into the queues of peers; whether there were any that could be, and `None` at the end.
    pub(super) fn deal(&mut self) -> Option<bool> {
        let shared = self.shared.clone();
        let mut state = shared.look()?;
        let mut dealt = false;
        while let Some(outgoing) = state.pop_unsent() {
            if let Err(outgoing) = self.give(outgoing) {
                state.take_back(outgoing);
                break;
            }
            dealt = true;
        }
        state.held = self.held();
        drop(state);
        if dealt {
            shared.changed.notify_all();
        }
        Some(dealt)
    }

    /// How many messages wait in the queues of peers.
    pub(super) fn held(&self) -> usize {
        self.peers.iter().filter(|peer| !peer.is_deaf).map(|peer| peer.session.waiting().0).sum()
    }

    /// Puts a message into the queues of those that it is for; gives it back where it has to wait.
    fn give(&mut self, outgoing: Outgoing) -> Result<(), Outgoing> {
        match self.shared.role {
            Role::Pub => return self.publish(outgoing),
            Role::Push => {
                let Some(place) = self.next_peer(|peer| peer.session.waiting().1 < SHARE) else {
                    return Err(outgoing);
                };
                self.peers[place].session.send(outgoing.message);
            }
            Role::Req => {
                let free = self.asked.is_none().then(|| self.next_peer(|_| true)).flatten();
                let Some(place) = free else { return Err(outgoing) };
                let peer = &mut self.peers[place];
                peer.session.send(outgoing.message.clone());
                self.asked = Some((peer.id, outgoing));
            }
            Role::Rep => {
                if let Some(peer) = self.peers.iter_mut().find(|peer| Some(peer.id) == outgoing.to) {
                    peer.session.send(outgoing.message);
                }
            }
            Role::Sub | Role::Pull => {}
        }
        Ok(())
    }

    /// The place of the next peer that can be sent to, one after the other.
    fn next_peer(&mut self, fits: impl Fn(&Peer) -> bool) -> Option<usize> {
        let count = self.peers.len();
        let fits = |peer: &Peer| peer.session.is_open() && !peer.is_deaf && !peer.has_ended && fits(peer);
        let mut places = (0..count).map(|place| (self.next + place) % count);
        let place = places.find(|place| fits(&self.peers[*place]))?;
        self.next = place + 1;
        Some(place)
    }

    fn publish(&mut self, outgoing: Outgoing) -> Result<(), Outgoing> {
        let most = self.shared.options.high_water;
        let length = outgoing.message.len();
        let topic = match wire::read_frame(&outgoing.message) {
            Ok(Some((frame, _))) => frame.body,
            _ => &[],
        };
        let has_room = |peer: &Peer| {
            let (messages, bytes) = peer.session.waiting();
            messages < most && (bytes == 0 || bytes + length <= MOST_BYTES)
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
