//! The host's ends of a device block's streams, whatever their items.

use superhet_runtime::buffer::{LentItems, LentRoom, StreamMemory};
use superhet_runtime::{In, Item, Out, Readiness, Tag, port::PortVisitor};

/// The reading end of a stream that goes to a device.
pub trait HostIn: Send {
    /// Shows the port under this name.
    fn visit(&mut self, name: &str, visitor: &mut dyn PortVisitor);
    /// What it has to say about whether its block can run.
    fn poll(&self, readiness: &mut Readiness);
    /// Asks for spans of so many items.
    fn set_batch(&mut self, items: usize);
    /// How many items wait that are not lent.
    fn available(&self) -> usize;
    /// Whether the stream has ended and everything was taken.
    fn is_finished(&self) -> bool;
    /// The bytes of the items that wait.
    fn peek(&self) -> &[u8];
    /// The memory of the stream, where it can be lent.
    fn memory(&self) -> Option<StreamMemory>;
    /// How many items are lent.
    fn lent(&self) -> usize;
    /// Lends the next `n` items.
    fn lend(&mut self, n: usize) -> Option<LentItems>;
    /// Consumes the oldest of what is lent.
    fn take_back(&mut self, items: LentItems);
    /// The tags of the next `n` items that are not lent; those beyond the last one where the stream has ended.
    fn tags(&self, n: usize, look: &mut dyn FnMut(&Tag));
    /// Takes `n` items.
    fn consume(&mut self, n: usize);
}

/// The writing end of a stream that comes from a device.
pub trait HostOut: Send {
    /// Shows the port under this name.
    fn visit(&mut self, name: &str, visitor: &mut dyn PortVisitor);
    /// What it has to say about whether its block can run.
    fn poll(&self, readiness: &mut Readiness);
    /// Asks for room for so many items.
    fn set_batch(&mut self, items: usize);
    /// Whether nobody reads any more.
    fn is_closed(&self) -> bool;
    /// How many items were given.
    fn index(&self) -> u64;
    /// The memory of the stream, where it can be lent.
    fn memory(&self) -> Option<StreamMemory>;
    /// For how many of `n` items there is room to be lent.
    fn lendable(&self, n: usize) -> usize;
    /// Lends room for the next `n` items.
    fn lend(&mut self, n: usize) -> Option<LentRoom>;
    /// Gives what lies in the oldest of the lent room.
    fn give_back(&mut self, room: LentRoom);
    /// Room for items, as bytes.
    fn reserve(&mut self) -> &mut [u8];
    /// Gives `n` items.
    fn produce(&mut self, n: usize);
    /// Puts a tag on an item that was not given yet.
    fn put_tag(&mut self, tag: Tag);
}

/// What both kinds of ports do in the same way; they are made anew where their contract changes, before they are bound.
struct Port<P>(P);

pub(crate) fn host_in<T: Item>() -> Box<dyn HostIn> {
    Box::new(Port(In::<T>::new().min(0)))
}

pub(crate) fn host_out<T: Item>() -> Box<dyn HostOut> {
    Box::new(Port(Out::<T>::new().min(0)))
}

impl<T: Item> HostIn for Port<In<T>> {
    fn visit(&mut self, name: &str, visitor: &mut dyn PortVisitor) {
        visitor.input(name, &mut self.0);
    }
    fn poll(&self, readiness: &mut Readiness) {
        self.0.poll(readiness);
    }
    fn set_batch(&mut self, items: usize) {
        self.0 = In::new().min(0).batch(items);
    }
    fn available(&self) -> usize {
        self.0.lendable()
    }
    fn is_finished(&self) -> bool {
        self.0.is_finished()
    }
    fn peek(&self) -> &[u8] {
        bytemuck::cast_slice(self.0.peek())
    }
    fn memory(&self) -> Option<StreamMemory> {
        self.0.memory()
    }
    fn lent(&self) -> usize {
        self.0.lent()
    }
    fn lend(&mut self, n: usize) -> Option<LentItems> {
        self.0.lend(n)
    }
    fn take_back(&mut self, items: LentItems) {
        self.0.take_back(items);
    }
    fn tags(&self, n: usize, look: &mut dyn FnMut(&Tag)) {
        let lent = self.0.lent();
        let first = self.0.index() + lent as u64;
        self.0.for_each_tag(lent + n, |tag| {
            if tag.index >= first {
                look(tag);
            }
        });
    }
    fn consume(&mut self, n: usize) {
        self.0.consume(n);
    }
}

impl<T: Item> HostOut for Port<Out<T>> {
    fn visit(&mut self, name: &str, visitor: &mut dyn PortVisitor) {
        visitor.output(name, &mut self.0);
    }
    fn poll(&self, readiness: &mut Readiness) {
        self.0.poll(readiness);
    }
    fn set_batch(&mut self, items: usize) {
        self.0 = Out::new().min(0).batch(items);
    }
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
    fn index(&self) -> u64 {
        self.0.index()
    }
    fn memory(&self) -> Option<StreamMemory> {
        self.0.memory()
    }
    fn lendable(&self, n: usize) -> usize {
        self.0.lendable(n)
    }
    fn lend(&mut self, n: usize) -> Option<LentRoom> {
        self.0.lend(n)
    }
    fn give_back(&mut self, room: LentRoom) {
        self.0.give_back(room);
    }
    fn reserve(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self.0.reserve())
    }
    fn produce(&mut self, n: usize) {
        self.0.produce(n);
    }
    fn put_tag(&mut self, tag: Tag) {
        self.0.put_tag(tag);
    }
}
