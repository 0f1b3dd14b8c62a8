//! Who sees what flows through a stream, without being a reader of it.

use std::fmt;
use std::sync::Arc;

use crate::data::Tag;

/// Sees the items and tags of a stream in which a tap lies: see [`AnyBlock::tap`](crate::AnyBlock::tap).
///
/// It is called by the worker that runs the stream, between two of its blocks, so it must neither wait nor take long. What it sees
/// belongs to the stream and goes on as it is.
pub trait Watcher: Send + Sync + 'static {
    /// Items that follow those of the call before, as bytes of whole items. The first of them is item `index` of the stream.
    fn items(&self, index: u64, items: &[u8]);

    /// A tag of the stream; `tag.index` says which item it belongs to. Tags come in their order, each about when its item does: before it
    /// or behind it.
    fn tag(&self, tag: &Tag) {
        let _ = tag;
    }
}

/// Who sees the tags that a block passes on, if anybody.
#[derive(Clone, Default)]
pub(crate) struct Seen(pub Option<Arc<dyn Watcher>>);

impl Seen {
    /// Shows a tag.
    #[inline]
    pub fn tag(&self, tag: &Tag) {
        if let Some(watcher) = &self.0 {
            watcher.tag(tag);
        }
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Seen").field(&self.0.is_some()).finish()
    }
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}
