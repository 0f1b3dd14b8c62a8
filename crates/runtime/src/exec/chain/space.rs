//! Where the items between two links lie.

use crate::data::bytes::Line;

/// Distances between the starts of spaces, modulo a page.
pub(super) const LEAD_STEP: usize = 512;

/// The items between two links, with the history that the second one asks for before them. Where it asks for none, nothing is left
/// in the space when its strip is through, and another two links may use it, whatever their items are.
///
/// ```text
///  line                     line
///   |   pad   |== history ==|========= strip =========|
/// ```
pub(super) struct Space {
    memory: Vec<Line>,
    /// Where the strip starts, in bytes, on a line.
    start: usize,
    /// The size of an item, in bytes.
    item: usize,
    pub history: usize,
    /// The bytes that a strip has room for.
    room: usize,
}

impl Space {
    /// Room for `items` items; the strip starts `lead` bytes (whole lines) behind a page boundary, more or less.
    pub fn new(item: usize, history: usize, items: usize, lead: usize) -> Self {
        let before = (history * item).next_multiple_of(64);
        let mut memory = vec![Line::ZERO; (before + items * item).div_ceil(64) + (4096 + 4096) / 64];
        // Spaces that are used together lie apart modulo a page.
        let base = (memory.as_mut_ptr().addr() + before) % 4096;
        let start = before + (4096 + lead - base) % 4096;
        Space { memory, start, item, history, room: items * item }
    }

    /// Whether strips of so many bytes have room, and nothing is kept between two.
    pub fn can_take(&self, bytes: usize) -> bool {
        self.history == 0 && bytes <= self.room
    }

    #[inline(always)]
    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.memory)
    }

    /// The first `n` bytes of the strip with `history` bytes before them.
    #[inline(always)]
    pub fn window(&mut self, history: usize, n: usize) -> &mut [u8] {
        let (start, end) = (self.start - history, self.start + n);
        &mut self.bytes()[start..end]
    }

    /// Keeps the last items as the history of the strip that comes after one of `n` items.
    pub fn keep_history(&mut self, n: usize) {
        if self.history > 0 {
            let (start, bytes, end) = (self.start, self.history * self.item, self.start + n * self.item);
            self.bytes().copy_within(end - bytes..end, start - bytes);
        }
    }

    pub fn history(&mut self) -> &mut [u8] {
        self.window(self.history * self.item, 0)
    }

    /// Sets the history to the end of `known`; what came before that counts as zeros.
    pub fn set_history(&mut self, known: &[u8]) {
        let history = self.history();
        let n = known.len().min(history.len());
        let (unknown, end) = history.split_at_mut(history.len() - n);
        unknown.fill(0);
        end.copy_from_slice(&known[known.len() - n..]);
    }
}
