//! Packets: bursts of items with metadata, to be sent as messages.

mod pdu;
mod pool;
mod store;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::value::types::Store;
use super::{Item, ItemType, Tag, Text, Value};

pub use super::value::types::AnyPacket;

impl Clone for AnyPacket {
    fn clone(&self) -> Self {
        AnyPacket { meta: self.meta.clone(), store: self.store.clone() }
    }
}

impl Drop for AnyPacket {
    fn drop(&mut self) {
        if let Some(store) = self.store.take() {
            pool::give_back(store);
        }
    }
}

impl PartialEq for AnyPacket {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.store(), other.store());
        self.entries().eq(other.entries()) && a.item == b.item && a.bytes() == b.bytes() && a.tags == b.tags
    }
}

impl fmt::Debug for AnyPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "packet of {} {} items", self.len(), self.item())?;
        f.debug_map().entries(self.entries()).finish()
    }
}

impl AnyPacket {
    fn new(item: ItemType, items: usize) -> Self {
        let mut store = pool::take((items * item.size()).div_ceil(64));
        if let Some(unique) = Arc::get_mut(&mut store) {
            (unique.item, unique.items) = (item, items);
        }
        AnyPacket { meta: None, store: Some(store) }
    }

    /// Takes the packet away: what is left can be dropped or written anew, nothing else.
    #[inline]
    pub(crate) fn take(&mut self) -> AnyPacket {
        AnyPacket { meta: self.meta.take(), store: self.store.take() }
    }

    #[inline]
    fn store(&self) -> &Store {
        self.store.as_deref().expect("a packet has items until it is dropped")
    }

    /// The items and tags, to be changed; copied first if they are shared.
    #[inline]
    fn store_mut(&mut self) -> &mut Store {
        let shared = self.store.as_mut().expect("a packet has items until it is dropped");
        // Nobody makes weak references: a count of one says the same as `get_mut`, without its atomic exchange.
        if Arc::strong_count(shared) != 1 {
            let mut own = pool::take(shared.bytes().len().div_ceil(64));
            if let Some(store) = Arc::get_mut(&mut own) {
                (store.item, store.items) = (shared.item, shared.items);
                store.bytes_mut().copy_from_slice(shared.bytes());
                store.tags.extend_from_slice(&shared.tags);
            }
            pool::give_back(std::mem::replace(shared, own));
        }
        Arc::get_mut(shared).expect("nobody else has it")
    }

    /// How many items it has.
    pub fn len(&self) -> usize {
        self.store().items
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of its items.
    pub fn item(&self) -> ItemType {
        self.store().item
    }

    /// The items as bytes.
    pub fn bytes(&self) -> &[u8] {
        self.store().bytes()
    }

    /// The metadata's entry `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.meta.as_ref()?.get(key)
    }

    /// Sets an entry of the metadata.
    pub fn set(&mut self, key: impl Into<Text>, value: impl Into<Value>) {
        Arc::make_mut(self.meta.get_or_insert_default()).insert(key, value);
    }

    /// Sets entries of the metadata; of values with one key the last is kept.
    pub fn set_all<K: Into<Text>, V: Into<Value>>(&mut self, entries: impl IntoIterator<Item = (K, V)>) {
        Arc::make_mut(self.meta.get_or_insert_default()).extend(entries);
    }

    /// Takes an entry out of the metadata.
    pub fn unset(&mut self, key: &str) -> Option<Value> {
        self.get(key)?;
        Arc::make_mut(self.meta.as_mut()?).remove(key)
    }

    /// The metadata, in the order of the keys.
    pub fn entries(&self) -> impl Iterator<Item = (&Text, &Value)> {
        self.meta.iter().flat_map(|meta| meta.iter())
    }

    /// The metadata as a map.
    pub fn meta(&self) -> Value {
        Value::Map(self.meta.clone().unwrap_or_default())
    }

    /// Takes over the metadata of another packet, in place of its own.
    pub fn set_meta_of(&mut self, other: &AnyPacket) {
        self.meta.clone_from(&other.meta);
    }

    /// The tags on the items; their indices count from the packet's first item.
    pub fn tags(&self) -> &[Tag] {
        &self.store().tags
    }

    /// Puts a tag on an item, by its index from the packet's first.
    pub fn put_tag(&mut self, tag: Tag) {
        let tags = &mut self.store_mut().tags;
        let at = tags.partition_point(|before| before.index <= tag.index);
        tags.insert(at, tag);
    }

    /// The packet, if its items are of type `T`.
    ///
    /// # Errors
    /// [`WrongItems`] where they are of another type.
    pub fn of<T: Item>(self) -> Result<Packet<T>, WrongItems> {
        let (got, wanted) = (self.item(), ItemType::of::<T>());
        if got == wanted {
            Ok(Packet { any: self, item: PhantomData })
        } else {
            Err(WrongItems { wanted, got })
        }
    }
}

/// A packet has items of another type than is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a packet of {wanted}, got one of {got}")]
pub struct WrongItems {
    /// What was asked for.
    pub wanted: ItemType,
    /// What the packet has.
    pub got: ItemType,
}

/// A burst of items of one type with metadata; GNU Radio's PDU.
///
/// Cheap to clone and to send: clones share the items and the metadata. Changing a shared packet makes a copy first.
///
/// ```
/// use superhet_runtime::{Packet, Value};
///
/// let mut packet = Packet::from_items(&[1.0f32, 2.0]);
/// packet.set("snr_db", 9.5);
/// let copy = packet.clone();
/// packet.items_mut()[0] = -1.0;
/// assert_eq!((packet.items(), copy.items()), (&[-1.0, 2.0][..], &[1.0, 2.0][..]));
///
/// let message = Value::from(copy);
/// assert_eq!(message.get("snr_db"), Some(&Value::from(9.5)));
/// ```
pub struct Packet<T: Item> {
    any: AnyPacket,
    item: PhantomData<fn() -> T>,
}

impl<T: Item> Clone for Packet<T> {
    fn clone(&self) -> Self {
        Packet { any: self.any.clone(), item: PhantomData }
    }
}

impl<T: Item> PartialEq for Packet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.any == other.any
    }
}

impl<T: Item> fmt::Debug for Packet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.any.fmt(f)
    }
}

impl<T: Item> Packet<T> {
    /// A packet of so many items, with unspecified content.
    pub fn unspecified(items: usize) -> Self {
        Packet { any: AnyPacket::new(ItemType::of::<T>(), items), item: PhantomData }
    }

    /// A packet of these items.
    pub fn from_items(items: &[T]) -> Self {
        let mut packet = Packet::unspecified(items.len());
        packet.items_mut().copy_from_slice(items);
        packet
    }

    /// The items.
    #[inline]
    pub fn items(&self) -> &[T] {
        bytemuck::cast_slice(self.any.bytes())
    }

    /// The items, to be changed: in place if the packet is not shared, else in a copy.
    #[inline]
    pub fn items_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.any.store_mut().bytes_mut())
    }

    /// Keeps the first `items` items, and the tags on them.
    pub fn truncate(&mut self, items: usize) {
        if items < self.len() {
            let store = self.any.store_mut();
            store.items = items;
            store.tags.retain(|tag| tag.index < items as u64);
        }
    }

    /// A packet of so many items of any type, whatever memory holds, with the metadata of this one.
    pub fn with_meta<U: Item>(&self, items: usize) -> Packet<U> {
        let mut packet = Packet::unspecified(items);
        packet.set_meta_of(self);
        packet
    }
}

impl<T: Item> std::ops::Deref for Packet<T> {
    type Target = AnyPacket;
    fn deref(&self) -> &AnyPacket {
        &self.any
    }
}

impl<T: Item> std::ops::DerefMut for Packet<T> {
    fn deref_mut(&mut self) -> &mut AnyPacket {
        &mut self.any
    }
}

impl<T: Item> From<Packet<T>> for AnyPacket {
    fn from(packet: Packet<T>) -> Self {
        packet.any
    }
}

impl<T: Item> From<Packet<T>> for Value {
    fn from(packet: Packet<T>) -> Self {
        Value::Packet(packet.any)
    }
}

impl From<AnyPacket> for Value {
    fn from(packet: AnyPacket) -> Self {
        Value::Packet(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_a_shared_packet_gets_a_copy_and_nobody_else_sees_it() {
        let mut packet = Packet::from_items(&[1u16, 2, 3]);
        packet.put_tag(Tag { index: 2, key: "k".into(), value: Value::Null, source: "s".into() });
        let before = packet.items().as_ptr();
        packet.items_mut()[0] = 9;
        assert_eq!(packet.items().as_ptr(), before, "alone: in place");
        let other = packet.clone();
        packet.truncate(2);
        assert_eq!((packet.items(), packet.tags().len()), (&[9u16, 2][..], 0));
        assert_eq!((other.items(), other.tags().len()), (&[9u16, 2, 3][..], 1));
    }

    #[test]
    fn a_packet_of_another_type_says_what_it_is() {
        let any = AnyPacket::from(Packet::from_items(&[1u8]));
        assert_eq!(any.of::<f32>().unwrap_err().to_string(), "expected a packet of f32, got one of u8");
    }

    #[test]
    fn memory_that_is_used_again_brings_nothing_along() {
        let mut packet = Packet::from_items(&[1u8; 60]);
        packet.set("a", 1);
        packet.put_tag(Tag { index: 0, key: "k".into(), value: Value::Null, source: "s".into() });
        drop(packet);
        let packet = Packet::<f32>::unspecified(10);
        assert_eq!((packet.len(), packet.tags().len(), packet.entries().count()), (10, 0, 0));
    }

    #[test]
    fn a_packet_is_small_enough_to_be_a_value() {
        assert!(size_of::<AnyPacket>() <= 16 && size_of::<Value>() <= 32);
    }
}
