//! The blocks that are added to a graph: one takes a stream and one takes messages, and neither keeps anybody waiting.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, In, Item, MsgIn, Step, Tag, Value, WhenFull, Work,
};

use super::log::Log;
use super::slot::Slot;
use crate::shape::Known;

/// What a tap of a stream and its viewers share.
#[derive(Debug, Default)]
pub(crate) struct StreamTap {
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

    fn note(&self, tag: &Tag) {
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

    fn offer(&self, index: u64, item: usize, bytes: &[u8]) {
        if self.wanting.load(Ordering::Acquire) > 0
            && let Ok(slots) = self.slots.try_lock()
        {
            slots.iter().for_each(|slot| slot.offer(index, item, bytes));
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

/// Takes all items of a stream at once, and shows them to whoever looks.
///
/// | port | item |
/// |---|---|
/// | in `in` | `T` |
#[derive(Block)]
struct StreamTapBlock<T: Item> {
    #[port("in")]
    input: In<T>,
    tap: Arc<StreamTap>,
}

impl<T: Item> Work for StreamTapBlock<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        self.input.for_each_tag(n, |tag| self.tap.note(tag));
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        let index = self.input.index();
        self.tap.offer(index, size_of::<T>(), bytemuck::cast_slice(self.input.peek()));
        self.input.consume(n);
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.tap.end();
        Ok(Step::Done)
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

/// A block that takes the items of that name; `None` where those are of a type that only a program knows.
pub(crate) fn stream_tap(item: &str, tap: Arc<StreamTap>) -> Option<AnyBlock> {
    macro_rules! of {
        ($($type:ty),*) => {
            match item {
                $(name if name == <$type as Item>::NAME => {
                    Some(AnyBlock::new(StreamTapBlock::<$type> { input: In::new(), tap }))
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
