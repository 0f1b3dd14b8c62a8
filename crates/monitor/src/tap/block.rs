//! What is added to a graph: a tap that lies in a stream and a block that takes messages. Neither keeps anybody waiting.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, Item, MsgIn, Step, Tag, Value, Work, block::Watcher,
    message::WhenFull,
};

use super::log::Log;
use super::slot::Slot;
use crate::shape::Known;

/// What a tap of a stream and its viewers share: it sees what the stream gives.
#[derive(Debug)]
pub(crate) struct StreamTap {
    /// Bytes of an item.
    item_bytes: usize,
    slots: Mutex<Vec<Arc<Slot>>>,
    /// How many slots want samples just now: without any, the tap only counts.
    wanting: Arc<AtomicUsize>,
    /// Tags that came by, while somebody wants them.
    pub tags: Log<TagRow>,
    tag_viewers: AtomicUsize,
    known: Mutex<Known>,
    over: AtomicBool,
}

/// A tag, with the index of its item.
pub(crate) type TagRow = Tag;

/// A message, with the seconds since the tap was put there.
#[derive(Clone, Debug)]
pub(crate) struct MessageRow {
    pub seconds: f64,
    pub value: Value,
}

/// What a tap of messages and its viewers share.
#[derive(Debug, Default)]
pub(crate) struct MessageTap {
    pub messages: Log<MessageRow>,
    over: AtomicBool,
}

impl StreamTap {
    /// Of a stream of such items.
    fn new(item_bytes: usize) -> Self {
        StreamTap {
            item_bytes,
            slots: Mutex::default(),
            wanting: Arc::default(),
            tags: Log::default(),
            tag_viewers: AtomicUsize::new(0),
            known: Mutex::default(),
            over: AtomicBool::new(false),
        }
    }

    /// A slot that is filled from now on.
    pub fn slot(&self) -> Arc<Slot> {
        let slot = Arc::new(Slot::counted(self.wanting.clone()));
        self.slots().push(slot.clone());
        slot
    }

    /// Fills a slot no more.
    pub fn remove(&self, slot: &Arc<Slot>) {
        self.slots().retain(|known| !Arc::ptr_eq(known, slot));
        slot.leave();
    }

    /// Counts viewers of tags.
    pub fn add_tag_viewer(&self) {
        self.tag_viewers.fetch_add(1, Ordering::Relaxed);
    }

    /// One viewer of tags less.
    pub fn remove_tag_viewer(&self) {
        self.tag_viewers.fetch_sub(1, Ordering::Relaxed);
    }

    /// What tags have said of rate and centre frequency.
    pub fn known(&self) -> Known {
        *self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether nothing more comes.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Nothing more comes: viewers hear it.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.slots().iter().for_each(|slot| slot.wake());
        self.tags.wake();
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Watcher for StreamTap {
    fn items(&self, index: u64, items: &[u8]) {
        if self.wanting.load(Ordering::Acquire) > 0
            && let Ok(slots) = self.slots.try_lock()
        {
            slots.iter().for_each(|slot| slot.offer(index, self.item_bytes, items));
        }
    }

    fn tag(&self, tag: &Tag) {
        if matches!(&*tag.key, "rx_rate" | "rx_freq") {
            let value = tag.value.as_f64().filter(|value| value.is_finite());
            let mut known = self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            match &*tag.key {
                "rx_rate" => known.rate_hz = value.filter(|rate| *rate > 0.0).or(known.rate_hz),
                _ => known.center_hz = value.or(known.center_hz),
            }
        }
        if self.tag_viewers.load(Ordering::Relaxed) > 0 {
            self.tags.extend([tag.clone()]);
        }
    }
}

impl MessageTap {
    /// Whether nothing more comes.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Nothing more comes: viewers hear it.
    pub fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.messages.wake();
    }
}

/// Takes all messages at once, and shows them to whoever looks.
///
/// | port | item |
/// |---|---|
/// | in `in` | messages |
#[derive(Block)]
struct MessageTapBlock {
    #[port("in")]
    input: MsgIn,
    tap: Arc<MessageTap>,
    started: Instant,
}

impl Work for MessageTapBlock {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let seconds = self.started.elapsed().as_secs_f64();
        let mut rows = Vec::new();
        while let Some(value) = self.input.recv() {
            rows.push(MessageRow { seconds, value });
        }
        if !rows.is_empty() {
            self.tap.messages.extend(rows);
        }
        Ok(Step::NeedMessage)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.tap.end();
        Ok(Step::Done)
    }
}

/// A tap of a stream of the items of that name, with what it shares; `None` where those are of a type that only a program knows.
pub(crate) fn stream_tap(item: &str) -> Option<(AnyBlock, Arc<StreamTap>)> {
    macro_rules! of {
        ($($type:ty),*) => {
            match item {
                $(name if name == <$type as Item>::NAME => {
                    let tap = Arc::new(StreamTap::new(size_of::<$type>()));
                    Some((AnyBlock::tap::<$type>(tap.clone()), tap))
                })*
                _ => None,
            }
        };
    }
    of!(C32, C64, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, [u8; 2], [i8; 2], [i16; 2])
}

/// A block that takes messages.
pub(crate) fn message_tap(tap: Arc<MessageTap>) -> AnyBlock {
    // Messages that nobody can take in time are dropped: their sender must not wait.
    let input = MsgIn::with(1024, WhenFull::DropOldest);
    AnyBlock::new(MessageTapBlock { input, tap, started: Instant::now() })
}
