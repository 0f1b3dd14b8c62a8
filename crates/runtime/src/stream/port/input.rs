//! What a block, and what the runtime, does with the reading end of a stream.

use super::typed::In;
use super::{AnyIn, PortSpec, RawIn, used_elsewhere};
use crate::data::{Item, Tag, TagQueue};
use crate::stream::buffer::{LentItems, ReadEnd, ScratchReader, StreamMemory};
use crate::stream::readiness::Readiness;

impl<T: Item> In<T> {
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
    pub(super) fn check_home(&self) {
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

    /// Goes past items that a segment has brought to the block.
    #[inline(always)]
    pub(crate) fn go_past(&mut self, n: usize) {
        self.end.go_past(n);
    }

    /// How many items `peek` gives. Stays the same during one call of `work`, except for items that the call consumes.
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
    pub fn for_each_tag(&self, n: usize, mut look: impl FnMut(&Tag)) {
        self.check_home();
        self.end.show_tags(n, &mut look);
    }

    /// The end itself, for those who hand tags on.
    pub(crate) fn end(&mut self) -> &mut ReadEnd {
        &mut self.end
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
    pub(super) fn end_of_tags(&self, n: usize) -> u64 {
        self.end.end_of_tags(n)
    }

    /// Whether the stream has ended and everything was consumed. An unconnected port is finished.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.check_home();
        self.end.is_finished() && self.end.available() == 0
    }

    /// Whether the stream has ended: what is available now is all that there will be. An unconnected port has ended.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.check_home();
        self.end.is_finished()
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
        readiness.taken = readiness.taken.wrapping_add(self.end.index());
        readiness.finished_inputs += u32::from(ended);
        readiness.drained_inputs += u32::from(ended && !enough);
        readiness.ended |= ended && !enough && self.spec.min > 0;
        readiness.short |= !ended && !enough && self.spec.min > 0;
    }
}

impl<T: Item> AnyIn for In<T> {
    fn spec(&self) -> &PortSpec {
        &self.spec
    }
    fn raw(&mut self) -> RawIn<'_> {
        RawIn { end: &mut self.end, limit: &mut self.limit, home: &mut self.home }
    }
}
