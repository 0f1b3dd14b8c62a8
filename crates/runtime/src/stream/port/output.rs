//! What a block, and what the runtime, does with the writing end of a stream.

use std::sync::Arc;

use super::passing::put_converted;
use super::typed::Out;
use super::{AnyOut, PortSpec, RawOut, used_elsewhere};
use crate::data::{Conversion, Item, Tag, TagQueue, Value};
use crate::stream::buffer::{LentRoom, StreamMemory, WriteEnd};
use crate::stream::readiness::Readiness;

impl<T: Item> Out<T> {
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

    /// Makes all tags that the block puts here say the rate and the centre behind it; see [`Conversion`].
    ///
    /// ```
    /// use superhet_runtime::{C32, Out, Ratio, tag::Conversion};
    /// let decimated = Out::<C32>::new().converted(Conversion::new(Ratio::decimate(8)));
    /// ```
    #[must_use]
    pub fn converted(mut self, conversion: Conversion) -> Self {
        self.conversion = Some(Box::new(conversion));
        self
    }

    /// Changes what [`converted`](Self::converted) has said, from the next item on: where the stream has said its rate and its
    /// centre, tags there say what they are now.
    pub fn convert(&mut self, conversion: Conversion) {
        let index = self.index();
        match &mut self.conversion {
            Some(known) => known.become_other(conversion, index, |tag| self.end.push_tag(tag)),
            None => self.conversion = Some(Box::new(conversion)),
        }
    }

    /// As [`In::check_home`](super::In::check_home).
    #[inline(always)]
    pub(super) fn check_home(&self) {
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

    /// As [`In::go_past`](super::In::go_past).
    #[inline(always)]
    pub(crate) fn go_past(&mut self, n: usize) {
        self.end.go_past(n);
    }

    /// The longest span.
    #[inline(always)]
    pub(crate) fn limit(&self) -> usize {
        self.limit
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

    /// How much room `reserve` gives. Stays the same during one call of `work`, except for items that the call produces.
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

    /// For how many of `n` items [`lend`](Self::lend) has room, after those that are lent already. It is all or none,
    /// unless the stream's memory is too small for all, or they would wrap around its end.
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
        self.pass_tag(tag);
    }

    /// Puts a tag on the stream as the conversion makes it.
    #[inline]
    pub(super) fn pass_tag(&mut self, tag: Tag) {
        put_converted(&mut self.end, self.conversion.as_deref_mut(), tag);
    }

    /// Counts a gap of so many items, where the number is known.
    pub(crate) fn count_gap(&mut self, items: u64) {
        self.losses.gaps += 1;
        self.losses.items = self.losses.items.saturating_add(items);
    }

    /// Counts a packet that the block has taken and does not pass on, for the metrics.
    pub fn count_dropped_packet(&mut self) {
        self.losses.packets += 1;
    }

    /// As [`In::end`](super::In::end).
    pub(crate) fn end(&mut self) -> &mut WriteEnd {
        &mut self.end
    }

    /// The name of the block, as it stands in the tags that the port makes.
    pub fn source(&self) -> Arc<str> {
        self.source.clone()
    }

    /// Puts all tags of a queue, which is empty then; for ports out of everybody else's reach.
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
