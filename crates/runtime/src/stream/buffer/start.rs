//! Where a buffer goes on: what its ends had before them, when another one took its place.

use crate::data::Tag;

/// Where one reader of a stream stands, and what it has before it: a buffer can be made that goes on from there.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReaderState {
    /// The absolute index of the next item to read.
    pub index: u64,
    /// The items before the next one that are kept, then those that wait.
    pub bytes: Vec<u8>,
    /// How many of them come before the next one.
    pub history: usize,
    pub tags: Vec<Tag>,
    /// Reads no more.
    pub closed: bool,
}

impl ReaderState {
    /// Of a reader that reads no more, and has nothing before it.
    pub fn closed(index: u64) -> Self {
        ReaderState { index, closed: true, ..ReaderState::default() }
    }

    /// How many items wait.
    pub fn waiting(&self, item_size: usize) -> usize {
        (self.bytes.len() / item_size).saturating_sub(self.history)
    }
}

/// What a buffer begins with, where it does not begin with a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// The absolute index of the next item to write.
    pub written: u64,
    /// Per reading end: in-place blocks in order, then the readers of the last stream.
    pub readers: Vec<ReaderState>,
    /// Per stream: its writer has ended.
    pub finished: Vec<bool>,
}
