//! How far the ends of a ring are, for somebody who has neither.

use std::sync::Arc;

use super::reader::RingReader;
use super::shared::Ring;
use super::writer::RingWriter;

/// Tells rings apart that are there at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RingId(usize);

/// How far a ring's writer and one of its readers are.
#[derive(Debug)]
pub(crate) struct Gauge {
    shared: Arc<Ring>,
    reader: usize,
}

impl RingReader {
    /// How far this reader and its writer are.
    pub fn gauge(&self) -> Gauge {
        Gauge { shared: self.shared.clone(), reader: self.me }
    }

    /// The position of the next item.
    pub fn position(&self) -> u64 {
        self.position
    }
}

impl RingWriter {
    /// Which ring it writes.
    pub fn ring_id(&self) -> RingId {
        RingId(Arc::as_ptr(&self.shared).addr())
    }
}

impl Gauge {
    /// Which ring it is of.
    pub fn ring_id(&self) -> RingId {
        RingId(Arc::as_ptr(&self.shared).addr())
    }

    /// The position behind the last item that was written.
    #[inline]
    pub fn written(&self) -> u64 {
        self.shared.indices.written()
    }

    /// The position of the next item that the reader takes; the last there is, where it reads no more.
    #[inline]
    pub fn read(&self) -> u64 {
        self.shared.indices.needed(self.reader).saturating_add(self.shared.histories[self.reader] as u64)
    }

    /// Whether the reader has taken all items before `position`, or reads no more.
    #[inline]
    pub fn has_read(&self, position: u64) -> bool {
        self.read() >= position
    }
}
