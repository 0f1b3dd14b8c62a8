//! A block's typed ends of its streams: look and take, get room and give.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::block::Readiness;
use crate::buffer::{LentItems, LentRoom, ReadEnd, Runner, ScratchReader, StreamMemory, WriteEnd};
use crate::item::{Item, ItemType};
use crate::tag::{NO_TAG, Tag, TagQueue};
use crate::value::Value;

/// No port gets more than this at once: 1 TiB.
const MOST_BYTES: usize = 1 << 40;

/// What a port asks of the runtime. Every number is a hard contract: a block never sees a span that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    /// The type of the items.
    pub item: ItemType,
    /// The smallest span, in items. An input that has ended with fewer items left ends its block, except where
    /// this is 0: then the block runs without items on this port, too.
    pub min: usize,
    /// The largest span, in items.
    pub max: usize,
    /// Every span is a multiple of this many items.
    pub multiple: usize,
    /// Spans start and end on multiples of this many items where that is possible. A wish, not a contract.
    pub align: usize,
    /// As many items as this are to be seen at once where there are so many: its buffer holds twice that. 0 leaves it to
    /// the plan, which makes spans as long as suits the cache. A wish, not a contract.
    pub batch: usize,
    /// Inputs: items before the span that the block still sees.
    pub history: usize,
    /// Outputs: zero items that the stream begins with. A loop needs a block that gives some.
    pub preload: usize,
    /// The port may stay unconnected.
    pub optional: bool,
    /// Outputs: how many items the whole stream will have, where the block knows: for progress bars.
    pub expected_items: Option<u64>,
}

impl PortSpec {
    fn new<T: Item>() -> Self {
        PortSpec {
            item: ItemType::of::<T>(),
            min: 1,
            max: usize::MAX,
            multiple: 1,
            align: 1,
            batch: 0,
            history: 0,
            preload: 0,
            optional: false,
            expected_items: None,
        }
    }

    /// The fewest items that satisfy both `min` and `multiple`.
    pub fn needed(&self) -> usize {
        self.min.next_multiple_of(self.multiple)
    }

    /// More items than are ever asked for at once, contracts put together.
    fn most_at_once(&self) -> usize {
        self.min.saturating_add(self.multiple).max(self.history).max(self.preload).max(self.batch)
    }

    /// What is contradictory in this specification.
    pub fn problem(&self) -> Option<String> {
        match self {
            s if s.multiple == 0 => Some("multiples of 0 items".into()),
            s if s.align == 0 => Some("an alignment of 0 items".into()),
            s if s.most_at_once().saturating_mul(s.item.size()) > MOST_BYTES => {
                Some(format!("{} items at once, more than memory can hold", s.most_at_once()))
            }
            s if s.needed() > s.max => Some(format!(
                "at least {} items in multiples of {}, but at most {}",
                s.min, s.multiple, s.max
            )),
            _ => None,
        }
    }

    /// Cuts a span of `n` items, `offset` items behind an aligned one, down to what the specification allows.
    #[inline(always)]
    fn cut(&self, n: usize, limit: usize, offset: impl Fn() -> usize) -> usize {
        let mut n = n.min(limit);
        // Neither is 0: one comparison for both.
        if self.align | self.multiple > 1 {
            n = self.cut_whole(n, offset());
        }
        if n < self.min { 0 } else { n }
    }

    /// The part of `cut` that few ports need.
    #[inline(never)]
    fn cut_whole(&self, mut n: usize, offset: usize) -> usize {
        if self.align > 1 {
            // A wish: it never makes a span too short for the contract.
            let aligned = align_span(n, offset % self.align, self.align);
            n = if aligned < self.needed() { n } else { aligned };
        }
        n - n % self.multiple
    }

    /// The longest span for a port that the plan allows strips of `strip` items.
    pub(crate) fn limit(&self, strip: usize) -> usize {
        strip.max(self.batch).min(self.max).max(self.needed()).max(1)
    }
}

/// What a port was connected as: the end that it has is for its block there, and for nobody else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    pub runner: Runner,
    /// Which of the block's inputs or outputs it is.
    pub port: usize,
}

impl Home {
    /// Whether its block is the one that this thread runs.
    #[inline(always)]
    fn is_here(&self) -> bool {
        self.runner == Runner::here()
    }
}

/// What a port says that was carried away from its block.
#[cold]
#[inline(never)]
fn used_elsewhere() -> ! {
    panic!(
        "a port of another block, or of one that another thread runs, was used: ports stay with their block"
    );
}

/// The largest span of at most `n` items that keeps the alignment.
///
/// One that starts aligned (`misaligned = 0`) is a whole number of alignments; one that does not ends on an aligned
/// item. A span too short for either is passed as it is: nothing is ever withheld.
pub fn align_span(n: usize, misaligned: usize, align: usize) -> usize {
    let over = (misaligned + n) % align;
    if n > over { n - over } else { n }
}

macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, items: usize) -> Self {
            self.spec.$name = items;
            self
        })*

        /// Lets the port stay unconnected.
        #[must_use]
        pub fn optional(mut self) -> Self {
            self.spec.optional = true;
            self
        }

        /// What the port asks of the runtime.
        pub fn spec(&self) -> &PortSpec {
            &self.spec
        }
    };
}

/// The reading end of a stream of `T`.
///
/// ```
/// use superhet_runtime::{C32, In};
/// // Spans of whole 512-item frames, with the 64 items before them.
/// let iq = In::<C32>::new().multiple(512).history(64);
/// ```
#[derive(Debug)]
pub struct In<T: Item> {
    end: ReadEnd,
    spec: PortSpec,
    /// The largest span that the plan and the specification allow here.
    limit: usize,
    home: Home,
    item: PhantomData<fn() -> T>,
}

impl<T: Item> Default for In<T> {
    fn default() -> Self {
        In::new()
    }
}

impl<T: Item> In<T> {
    /// An input that takes spans of any length.
    pub fn new() -> Self {
        In {
            end: ReadEnd::None,
            spec: PortSpec::new::<T>(),
            limit: usize::MAX,
            home: Home::default(),
            item: PhantomData,
        }
    }

    settings! {
        /// Sets the fewest items that `peek` gives; 0 lets the block run without any.
        min,
        /// Sets the most items that `peek` gives.
        max,
        /// Makes `peek` give whole multiples of this many items.
        multiple,
        /// Makes spans start and end on multiples of this many items where possible.
        align,
        /// Makes spans of this many items possible: for blocks whose every call is dear, as those of a device.
        batch,
        /// Sets how many items before the span `window` shows. Before the stream's first item they are zero.
        history
    }

    /// Panics if the block that runs on this thread is not the one that may use the end.
    #[inline(always)]
    fn check_home(&self) {
        if !self.home.is_here() && self.end.is_bound() {
            used_elsewhere();
        }
    }

    /// Looks for more items; what `available` says changes by this and by `consume` only.
    #[inline(always)]
    fn refresh(&self) {
        self.end.refresh(self.limit);
    }

    /// Looks for more items, and says how many there are within the strip. For ports out of everybody else's reach.
    #[inline(always)]
    pub(crate) fn look(&self) -> usize {
        self.end.look(self.limit).min(self.limit)
    }

    /// How many of `n` items, which `look` has found, `peek` gives.
    #[inline(always)]
    pub(crate) fn whole(&self, n: usize) -> usize {
        self.spec.cut(n, self.limit, || self.end.offset())
    }

    /// As `consume`, for ports out of everybody else's reach.
    #[inline(always)]
    pub(crate) fn take(&mut self, n: usize) {
        self.end.consume(n);
    }

    /// How many items `peek` gives. Stays the same during one call of `work`, but for what that consumes.
    #[inline(always)]
    pub fn available(&self) -> usize {
        self.check_home();
        self.spec.cut(self.end.available(), self.limit, || self.end.offset())
    }

    /// The items to read, oldest first; empty when there are fewer than the port's minimum.
    #[inline]
    pub fn peek(&self) -> &[T] {
        self.end.show(0, self.available())
    }

    /// The items to read, with the port's history before them.
    #[inline]
    pub fn window(&self) -> &[T] {
        self.end.show(self.spec.history, self.available())
    }

    /// As `window`, for ports out of everybody else's reach.
    #[inline(always)]
    pub(crate) fn window_of(&self, n: usize) -> &[T] {
        self.end.slice(self.spec.history, n)
    }

    /// Whatever is left when the stream has ended, even if fewer items than the port's minimum.
    pub fn rest(&self) -> &[T] {
        self.check_home();
        self.end.show(0, self.end.available())
    }

    /// What `rest` shows, with the port's history before it.
    pub fn rest_window(&self) -> &[T] {
        self.check_home();
        self.end.show(self.spec.history, self.end.available())
    }

    /// Takes the first `n` items that `peek` shows.
    ///
    /// # Panics
    /// If `n` is greater than the number of items in the stream's buffer.
    #[inline]
    pub fn consume(&mut self, n: usize) {
        self.check_home();
        self.end.settle();
        self.end.consume(n);
    }

    /// The memory of the stream, where it can be lent.
    pub fn memory(&self) -> Option<StreamMemory> {
        self.end.memory()
    }

    /// How many items are lent.
    pub fn lent(&self) -> usize {
        self.check_home();
        self.end.lent().0
    }

    /// How many items [`lend`](Self::lend) has to lend, behind those that are lent already.
    pub fn lendable(&self) -> usize {
        self.check_home();
        self.end.lent().1.min(self.limit)
    }

    /// Lends the next `n` items to someone outside of the graph: they stay where they are until they come back. Meanwhile
    /// nothing can be consumed, and the tags are seen as before. None where the stream's memory is not to be lent, which
    /// never changes while a graph runs.
    ///
    /// # Panics
    /// If `n` is greater than `lendable`.
    pub fn lend(&mut self, n: usize) -> Option<LentItems> {
        self.check_home();
        Some(self.end.ring()?.lend(n))
    }

    /// Consumes items that were lent.
    ///
    /// # Panics
    /// If they are not the oldest of those that this port has lent.
    pub fn take_back(&mut self, items: LentItems) {
        self.check_home();
        let reader = self.end.ring().expect("only the end of a ring has lent something");
        reader.take_back(items);
    }

    /// The absolute index of the first item that `peek` shows: how many were consumed before.
    pub fn index(&self) -> u64 {
        self.check_home();
        self.end.index()
    }

    /// The tags of the items that `peek` shows, in order. Those of consumed items are gone.
    ///
    /// When the stream has ended and all its items were consumed: the tags beyond its last item. Rate changes can lead
    /// to such, and nothing is lost.
    pub fn tags(&self) -> Vec<Tag> {
        let mut tags = Vec::new();
        self.for_each_tag(self.available(), |tag| tags.push(tag.clone()));
        tags
    }

    /// Shows the tags of the first `n` items of `peek`, as [`tags`](Self::tags) gives them, without copying them.
    pub fn for_each_tag(&self, n: usize, look: impl FnMut(&Tag)) {
        self.check_home();
        let end = self.end_of_tags(n);
        if self.end.first_tag() < end {
            self.end.with_tags(|tags| tags.before(end).for_each(look));
        }
    }

    /// Takes the tags of the first `n` items, or of all that there will be.
    #[inline]
    pub(crate) fn take_tags(&mut self, n: Option<usize>, mut take: impl FnMut(Tag)) {
        let end = n.map_or(NO_TAG, |n| self.end.index().wrapping_add(n as u64));
        while let Some(tag) = self.end.pop_tag(end) {
            take(tag);
        }
    }

    /// Moves the tags of the first `n` items to an empty queue.
    #[inline]
    pub(crate) fn move_tags(&mut self, n: usize, to: &mut TagQueue) {
        let end = self.end.index().wrapping_add(n as u64);
        self.end.move_tags(end, to);
    }

    /// Whether `peek` can show `n` items at once if the block waits for them: they will lie in one piece, and the writer has
    /// room to go on meanwhile.
    pub(crate) fn could_show(&self, n: usize) -> bool {
        n <= self.limit && self.end.could_show(n)
    }

    /// Whether one of the first `n` items has a tag.
    #[inline(always)]
    pub(crate) fn has_tags(&self, n: usize) -> bool {
        self.end.has_tags(n)
    }

    /// The index below which the tags of the first `n` items lie.
    fn end_of_tags(&self, n: usize) -> u64 {
        let is_over = n == 0 && self.end.is_finished() && self.end.available() == 0;
        if is_over { NO_TAG } else { self.end.index().wrapping_add(n as u64) }
    }

    /// Whether the stream has ended and everything was consumed. An unconnected port is finished.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.check_home();
        self.end.is_finished() && self.end.available() == 0
    }

    /// Whether the stream has ended and fewer than `n` items are left.
    #[inline]
    pub(crate) fn ends_before(&self, n: usize) -> bool {
        self.end.is_finished() && self.end.available() < n
    }

    /// Whether the port is connected.
    pub fn is_connected(&self) -> bool {
        !matches!(self.end, ReadEnd::None)
    }

    /// Pins the memory of the stream: it stays where it is, even if the graph ends, until as many calls unpin it. For
    /// blocks that show it to a language that cannot be held to lifetimes.
    pub fn pin_memory(&self, pinned: bool) {
        self.end.pin(pinned);
    }

    /// Whether the first item that `peek` shows lies on a 64-byte line.
    pub fn is_aligned(&self) -> bool {
        self.check_home();
        (self.end.offset() * size_of::<T>()).is_multiple_of(64)
    }

    /// The end of an in-place block, where the plan has made this one, and the longest span.
    #[inline(always)]
    pub(crate) fn in_place(&mut self) -> Option<(&mut ScratchReader, usize)> {
        Some((self.end.in_place()?, self.limit))
    }

    /// Adds what this port has to say about whether its block can run.
    #[inline]
    pub fn poll(&self, readiness: &mut Readiness) {
        if !self.is_connected() {
            return;
        }
        self.check_home();
        self.refresh();
        let ended = self.end.is_finished();
        let enough = self.end.available() >= self.spec.needed().max(1);
        readiness.inputs += 1;
        readiness.finished_inputs += u32::from(ended);
        readiness.drained_inputs += u32::from(ended && !enough);
        readiness.ended |= ended && !enough && self.spec.min > 0;
        readiness.short |= !ended && !enough && self.spec.min > 0;
    }
}

/// The writing end of a stream of `T`.
#[derive(Debug)]
pub struct Out<T: Item> {
    end: WriteEnd,
    spec: PortSpec,
    /// The largest span that the plan and the specification allow here: a strip.
    limit: usize,
    /// The name of the block, for tags.
    source: Arc<str>,
    losses: Losses,
    home: Home,
    item: PhantomData<fn() -> T>,
}

/// What did not come out of a port, and has not been added to its block's metrics yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Gaps in the stream.
    pub gaps: u64,
    /// The items that are missing there, as far as is known.
    pub items: u64,
    /// Packets that were dropped.
    pub packets: u64,
}

impl<T: Item> Default for Out<T> {
    fn default() -> Self {
        Out::new()
    }
}

impl<T: Item> Out<T> {
    /// An output that gives spans of any length.
    pub fn new() -> Self {
        Out {
            end: WriteEnd::None,
            spec: PortSpec::new::<T>(),
            limit: usize::MAX,
            source: "".into(),
            losses: Losses::default(),
            home: Home::default(),
            item: PhantomData,
        }
    }

    settings! {
        /// Sets the least room that `reserve` gives; 0 lets the block run without any.
        min,
        /// Sets the most room that `reserve` gives.
        max,
        /// Makes `reserve` give whole multiples of this many items.
        multiple,
        /// Makes spans start and end on multiples of this many items where possible.
        align,
        /// Makes spans of this many items possible: for blocks whose every call is dear, as those of a device.
        batch,
        /// Sets how many zero items the stream begins with.
        preload
    }

    /// As [`In::check_home`].
    #[inline(always)]
    fn check_home(&self) {
        if !self.home.is_here() && self.end.is_bound() {
            used_elsewhere();
        }
    }

    /// Looks for more room; what `room` says changes by this and by `produce` only.
    #[inline(always)]
    fn refresh(&self) {
        self.end.refresh(self.limit);
    }

    /// Looks for more room, and says how much there is within the strip. For ports out of everybody else's reach.
    #[inline(always)]
    pub(crate) fn look(&self) -> usize {
        self.end.look(self.limit).min(self.limit)
    }

    /// How much of the room for `n` items, which `look` has found, `reserve` gives.
    #[inline(always)]
    pub(crate) fn whole(&self, n: usize) -> usize {
        self.spec.cut(n, self.limit, || self.end.offset())
    }

    /// As `produce`, for ports out of everybody else's reach.
    #[inline(always)]
    pub(crate) fn give(&mut self, n: usize) {
        self.end.produce(n);
    }

    /// As `is_closed`, for ports out of everybody else's reach.
    #[inline(always)]
    pub(crate) fn is_unread(&self) -> bool {
        self.end.is_closed()
    }

    /// Says how many items the whole stream will have, for progress bars.
    #[must_use]
    pub fn expected_items(mut self, items: u64) -> Self {
        self.spec.expected_items = Some(items);
        self
    }

    /// How much room `reserve` gives. Stays the same during one call of `work`, but for what that produces.
    #[inline(always)]
    pub fn room(&self) -> usize {
        self.check_home();
        self.spec.cut(self.end.room(), self.limit, || self.end.offset())
    }

    /// Room for new items; empty when there is less than the port's minimum. What lies in it is unspecified.
    #[inline]
    pub fn reserve(&mut self) -> &mut [T] {
        let n = self.room();
        self.end.reserve(n)
    }

    #[inline(always)]
    pub(crate) fn reserve_of(&mut self, n: usize) -> &mut [T] {
        self.end.slice_mut(n)
    }

    /// Gives the first `n` items of the reserved room to the readers.
    ///
    /// # Panics
    /// If `n` is greater than the room in the stream's buffer.
    #[inline]
    pub fn produce(&mut self, n: usize) {
        self.check_home();
        self.end.produce(n);
    }

    /// The memory of the stream, where it can be lent.
    pub fn memory(&self) -> Option<StreamMemory> {
        self.end.memory()
    }

    /// For how many of `n` items [`lend`](Self::lend) has room to lend, behind what is lent already: for all or none, unless
    /// the stream's memory is too small for all, or they would lie around its end.
    pub fn lendable(&self, n: usize) -> usize {
        self.check_home();
        self.end.lendable(n.min(self.limit))
    }

    /// Lends the next room for `n` items to someone outside of the graph. Until all of it has come back there is no room for
    /// others. None where the stream's memory is not to be lent, which never changes while a graph runs.
    ///
    /// # Panics
    /// If `n` is greater than `lendable`.
    pub fn lend(&mut self, n: usize) -> Option<LentRoom> {
        self.check_home();
        Some(self.end.ring()?.lend(n))
    }

    /// Gives the readers what lies in room that was lent.
    ///
    /// # Panics
    /// If it is not the oldest of what this port has lent.
    pub fn give_back(&mut self, room: LentRoom) {
        self.check_home();
        let writer = self.end.ring().expect("only the end of a ring has lent something");
        writer.give_back(room);
    }

    /// The absolute index of the first item of the reserved room: how many were produced before.
    pub fn index(&self) -> u64 {
        self.check_home();
        self.end.index()
    }

    /// Puts a tag on item `offset` of the reserved room. Call it before `produce`.
    pub fn tag(&mut self, offset: usize, key: impl Into<Arc<str>>, value: impl Into<Value>) {
        let index = self.index() + offset as u64;
        self.put_tag(Tag { index, key: key.into(), value: value.into(), source: self.source.clone() });
    }

    /// Puts a tag with an absolute index and a source of its own on the stream. Call it before the item is produced.
    pub fn put_tag(&mut self, tag: Tag) {
        self.check_home();
        self.end.push_tag(tag);
    }

    /// Counts a gap of so many items, as far as is known.
    pub(crate) fn count_gap(&mut self, items: u64) {
        self.losses.gaps += 1;
        self.losses.items = self.losses.items.saturating_add(items);
    }

    /// Counts a packet that the block has taken and does not hand on, for the metrics.
    pub fn count_dropped_packet(&mut self) {
        self.losses.packets += 1;
    }

    /// As `put_tag`, for ports out of everybody else's reach.
    #[inline]
    pub(crate) fn attach(&mut self, tag: Tag) {
        self.end.push_tag(tag);
    }

    /// The name of the block, as it stands in the tags that the port makes.
    pub fn source(&self) -> Arc<str> {
        self.source.clone()
    }

    /// As `attach`, of all tags of a queue, which is empty then.
    #[inline]
    pub(crate) fn attach_all(&mut self, tags: &mut TagQueue) {
        self.end.push_tags(tags);
    }

    /// Whether nobody reads any more. True for an unconnected port.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.check_home();
        self.end.is_closed()
    }

    /// Whether the port is connected.
    pub fn is_connected(&self) -> bool {
        !matches!(self.end, WriteEnd::None)
    }

    /// Pins the memory of the stream: it stays where it is, even if the graph ends, until as many calls unpin it. For
    /// blocks that show it to a language that cannot be held to lifetimes.
    pub fn pin_memory(&self, pinned: bool) {
        self.end.pin(pinned);
    }

    /// Whether the first item of the reserved room lies on a 64-byte line.
    pub fn is_aligned(&self) -> bool {
        self.check_home();
        (self.end.offset() * size_of::<T>()).is_multiple_of(64)
    }

    /// Adds what this port has to say about whether its block can run.
    #[inline]
    pub fn poll(&self, readiness: &mut Readiness) {
        if !self.is_connected() {
            return;
        }
        self.check_home();
        readiness.outputs += 1;
        readiness.open_outputs += u32::from(!self.end.is_closed());
        self.refresh();
        readiness.full |= self.spec.min > 0 && self.end.room() < self.spec.needed();
    }
}

mod sealed {
    /// Only the ports themselves say what they are.
    pub trait Sealed {}
    impl<T: crate::Item> Sealed for super::In<T> {}
    impl<T: crate::Item> Sealed for super::Out<T> {}
}

/// An input port whose item type is known at run time only: what the runtime sees.
pub trait AnyIn: sealed::Sealed {
    /// What the port asks for.
    fn spec(&self) -> &PortSpec;
    #[doc(hidden)]
    fn raw(&mut self) -> RawIn<'_>;
}

/// An output port whose item type is known at run time only: what the runtime sees.
pub trait AnyOut: sealed::Sealed {
    /// What the port asks for.
    fn spec(&self) -> &PortSpec;
    #[doc(hidden)]
    fn raw(&mut self) -> RawOut<'_>;
    /// Gives these items of the port's type, for which there is room.
    #[doc(hidden)]
    fn give(&mut self, items: &[u8]);
}

/// The inside of an input port.
#[doc(hidden)]
pub struct RawIn<'a> {
    pub(crate) end: &'a mut ReadEnd,
    pub(crate) limit: &'a mut usize,
    pub(crate) home: &'a mut Home,
}

impl RawIn<'_> {
    /// Whether the block that runs on this thread may use the end.
    pub(crate) fn is_mine(&self) -> bool {
        self.home.is_here() || !self.end.is_bound()
    }
}

impl RawOut<'_> {
    /// As [`RawIn::is_mine`].
    pub(crate) fn is_mine(&self) -> bool {
        self.home.is_here() || !self.end.is_bound()
    }
}

/// The inside of an output port.
#[doc(hidden)]
pub struct RawOut<'a> {
    pub(crate) end: &'a mut WriteEnd,
    pub(crate) limit: &'a mut usize,
    pub(crate) source: &'a mut Arc<str>,
    pub(crate) losses: &'a mut Losses,
    pub(crate) home: &'a mut Home,
}

impl<T: Item> AnyIn for In<T> {
    fn spec(&self) -> &PortSpec {
        &self.spec
    }
    fn raw(&mut self) -> RawIn<'_> {
        RawIn { end: &mut self.end, limit: &mut self.limit, home: &mut self.home }
    }
}

impl<T: Item> AnyOut for Out<T> {
    fn spec(&self) -> &PortSpec {
        &self.spec
    }
    fn raw(&mut self) -> RawOut<'_> {
        RawOut {
            end: &mut self.end,
            limit: &mut self.limit,
            source: &mut self.source,
            losses: &mut self.losses,
            home: &mut self.home,
        }
    }
    fn give(&mut self, items: &[u8]) {
        let items: &[T] = bytemuck::cast_slice(items);
        self.end.slice_mut(items.len()).copy_from_slice(items);
        self.end.produce(items.len());
    }
}

/// Hands the tags of the next `n` items of `input` on to the same items of `output`, for blocks that pass items through
/// one by one and do their own `work`. Call it before `consume` and `produce`; in `finish`, with `n = 0`, it hands on the
/// tags beyond the last item.
pub fn forward_tags<A: Item, B: Item>(input: &mut In<A>, output: &mut Out<B>, n: usize) {
    let (from, to) = (input.index(), output.index());
    output.check_home();
    let end = input.end_of_tags(n);
    while let Some(tag) = input.end.pop_tag(end) {
        output.end.push_tag(Tag { index: tag.index - from + to, ..tag });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_aligned_span_is_whole_and_an_unaligned_one_ends_aligned() {
        assert_eq!(align_span(37, 0, 16), 32);
        assert_eq!(align_span(37, 5, 16), 27);
        assert_eq!(align_span(7, 0, 16), 7);
        assert_eq!(align_span(3, 5, 16), 3);
    }

    #[test]
    fn a_contradictory_port_says_what_it_asks_for() {
        let port = In::<f32>::new().min(100).multiple(64).max(120);
        assert_eq!(port.spec().problem().unwrap(), "at least 100 items in multiples of 64, but at most 120");
    }
}
