//! What a viewer waits for: so many samples in one piece, or all of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

/// The most bytes that wait for a viewer who wants all.
const MOST_WAITING: usize = 4 << 20;

/// Where a tap puts samples for one viewer. The tap never waits: while the viewer looks, it goes by.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    state: Mutex<State>,
    filled: Notify,
    /// How many slots of the tap want samples just now: those that are between two pieces cost the tap nothing.
    wanting: Arc<AtomicUsize>,
}

/// Samples, as bytes of whole items.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Captured {
    /// The index of the first in its stream.
    pub first: u64,
    pub bytes: Vec<u8>,
    /// Items that were not taken before these, for want of room.
    pub lost: u64,
}

#[derive(Debug, Default)]
struct State {
    wanted: Wanted,
    captured: Captured,
    /// The index of the item behind those that are captured.
    next: u64,
    lost: u64,
    /// Nothing more can be added to what is captured.
    is_cut: bool,
    /// It is counted among those that want samples.
    is_wanting: bool,
}

/// How much of a stream a viewer wants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Wanted {
    #[default]
    Nothing,
    /// So many bytes in one piece.
    Piece(usize),
    /// All there is, at least so many bytes at a time.
    All(usize),
}

impl Slot {
    /// A slot that counts in `wanting` while it wants samples.
    pub fn counted(wanting: Arc<AtomicUsize>) -> Self {
        Slot { wanting, ..Slot::default() }
    }

    /// Asks for so many bytes in one piece, once.
    pub fn want(&self, bytes: usize) {
        let mut state = self.lock();
        state.wanted = Wanted::Piece(bytes.max(1));
        state.captured.bytes.clear();
        self.count(&mut state);
    }

    /// Asks for all items from now on, at least so many bytes at a time.
    pub fn want_all(&self, bytes: usize) {
        let mut state = self.lock();
        state.wanted = Wanted::All(bytes.max(1));
        self.count(&mut state);
    }

    /// Wants nothing any more.
    pub fn leave(&self) {
        let mut state = self.lock();
        state.wanted = Wanted::Nothing;
        self.count(&mut state);
    }

    /// Waits until what was asked for is there; `None` when `is_over` says that nothing more comes.
    pub async fn take(&self, is_over: impl Fn() -> bool) -> Option<Captured> {
        loop {
            if let Some(captured) = self.try_take() {
                return Some(captured);
            }
            if is_over() {
                return None;
            }
            self.filled.notified().await;
        }
    }

    /// What was asked for, if it is there.
    fn try_take(&self) -> Option<Captured> {
        let mut state = self.lock();
        let is_there = match state.wanted {
            Wanted::Nothing => false,
            Wanted::Piece(bytes) | Wanted::All(bytes) => state.captured.bytes.len() >= bytes,
        };
        if !is_there && !state.is_cut {
            return None;
        }
        state.is_cut = false;
        if matches!(state.wanted, Wanted::Piece(_)) {
            state.wanted = Wanted::Nothing;
        }
        let captured = std::mem::take(&mut state.captured);
        self.count(&mut state);
        Some(captured)
    }

    /// Has whoever waits look again.
    pub fn wake(&self) {
        self.filled.notify_one();
    }

    /// Offers items of `item` bytes each, the first of which has this index.
    pub fn offer(&self, index: u64, item: usize, bytes: &[u8]) {
        // Nobody is waited for: a viewer who is looking just now gets a piece that begins later.
        let Ok(mut state) = self.state.try_lock() else { return };
        let is_full = state.offer(index, item, bytes);
        self.count(&mut state);
        drop(state);
        if is_full {
            self.filled.notify_one();
        }
    }

    /// Notes whether the slot wants samples.
    fn count(&self, state: &mut State) {
        let is_wanting = match state.wanted {
            Wanted::Nothing => false,
            Wanted::Piece(bytes) => state.captured.bytes.len() < bytes,
            Wanted::All(_) => true,
        };
        match (std::mem::replace(&mut state.is_wanting, is_wanting), is_wanting) {
            (false, true) => _ = self.wanting.fetch_add(1, Ordering::Release),
            (true, false) => _ = self.wanting.fetch_sub(1, Ordering::Release),
            _ => {}
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl State {
    /// Takes what is wanted of the items; whether all of it is there now.
    fn offer(&mut self, index: u64, item: usize, bytes: &[u8]) -> bool {
        let follows = !self.captured.bytes.is_empty() && self.next == index;
        let items = (bytes.len() / item) as u64;
        match self.wanted {
            Wanted::Nothing => return false,
            Wanted::Piece(wanted) => {
                if self.captured.bytes.len() >= wanted {
                    return false;
                }
                if !follows {
                    self.captured = Captured { first: index, ..Captured::default() };
                }
                let left = (wanted - self.captured.bytes.len()).min(bytes.len());
                self.captured.bytes.extend_from_slice(&bytes[..left]);
            }
            Wanted::All(_) if self.captured.bytes.is_empty() => {
                self.lost += index.saturating_sub(self.next) * u64::from(self.next > 0);
                self.captured =
                    Captured { first: index, bytes: bytes.to_vec(), lost: std::mem::take(&mut self.lost) };
            }
            Wanted::All(_) if follows && self.captured.bytes.len() + bytes.len() <= MOST_WAITING => {
                self.captured.bytes.extend_from_slice(bytes);
            }
            // What comes next begins a piece of its own, and says how much is missing.
            Wanted::All(_) => {
                self.is_cut = true;
                return true;
            }
        }
        self.next = index + items;
        match self.wanted {
            Wanted::Piece(wanted) | Wanted::All(wanted) => self.captured.bytes.len() >= wanted,
            Wanted::Nothing => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(range: std::ops::Range<u8>) -> Vec<u8> {
        range.collect()
    }

    #[test]
    fn a_piece_is_of_items_that_follow_each_other() {
        let slot = Slot::default();
        slot.offer(0, 1, &bytes(0..10));
        slot.want(6);
        slot.offer(10, 1, &bytes(10..14));
        // Those in between went by while the viewer looked.
        slot.offer(20, 1, &bytes(20..24));
        assert_eq!(slot.try_take(), None);
        slot.offer(24, 1, &bytes(24..40));
        assert_eq!(slot.try_take(), Some(Captured { first: 20, bytes: bytes(20..26), lost: 0 }));
        slot.offer(40, 1, &bytes(40..50));
        assert_eq!(slot.try_take(), None);
    }

    #[test]
    fn who_wants_all_gets_all_and_hears_what_is_missing() {
        let slot = Slot::default();
        slot.want_all(1);
        slot.offer(100, 2, &bytes(0..4));
        slot.offer(102, 2, &bytes(4..8));
        assert_eq!(slot.try_take(), Some(Captured { first: 100, bytes: bytes(0..8), lost: 0 }));
        slot.offer(104, 2, &bytes(8..10));
        assert_eq!(slot.try_take(), Some(Captured { first: 104, bytes: bytes(8..10), lost: 0 }));
        slot.offer(110, 2, &bytes(0..2));
        assert_eq!(slot.try_take(), Some(Captured { first: 110, bytes: bytes(0..2), lost: 5 }));
    }

    #[test]
    fn memory_is_bounded_when_nobody_takes() {
        let slot = Slot::default();
        slot.want_all(1);
        let strip = vec![0u8; 1 << 20];
        for n in 0..10 {
            slot.offer(n << 20, 1, &strip);
        }
        assert_eq!(slot.try_take().map(|captured| captured.bytes.len()), Some(MOST_WAITING));
        slot.offer(10 << 20, 1, &strip);
        assert_eq!(slot.try_take().map(|captured| captured.lost), Some(6 << 20));
    }
}
