//! What a stream is made of: items, and their run-time type.

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};

pub use num_complex::Complex;

/// A complex sample, full scale = 1.0.
pub type C32 = Complex<f32>;
/// A complex sample in double precision, full scale = 1.0.
pub type C64 = Complex<f64>;

/// One element of a stream: plain old data that any bit pattern is a valid value of.
///
/// Implement it for a type of your own that is [`bytemuck::Pod`]; `NAME` is what users see in plans and error messages.
///
/// ```
/// use superhet_runtime::Item;
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Symbol { soft: f32, hard: u32 }
/// impl Item for Symbol { const NAME: &'static str = "symbol"; }
/// ```
pub trait Item: bytemuck::Pod + Send + Sync {
    /// The name of the type as users write it: `C32`, `f32`, `cs16`, …
    const NAME: &'static str;
}

macro_rules! items {
    ($($type:ty => $name:literal),* $(,)?) => { $(impl Item for $type { const NAME: &'static str = $name; })* };
}

items! {
    C32 => "C32", C64 => "C64", f32 => "f32", f64 => "f64",
    i8 => "i8", i16 => "i16", i32 => "i32", i64 => "i64",
    u8 => "u8", u16 => "u16", u32 => "u32", u64 => "u64",
    [u8; 2] => "cu8", [i8; 2] => "cs8", [i16; 2] => "cs16",
}

/// The run-time type of the items of a port.
#[derive(Clone, Copy)]
pub struct ItemType {
    id: TypeId,
    name: &'static str,
    size: usize,
}

impl PartialEq for ItemType {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for ItemType {}

impl Hash for ItemType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl ItemType {
    /// The type of `T`. Types of no size, or aligned to more than 64 bytes, do not compile as items.
    pub fn of<T: Item>() -> Self {
        const { assert!(size_of::<T>() > 0, "an item has a size") };
        const { assert!(align_of::<T>() <= 64, "buffers start on 64-byte lines") };
        ItemType { id: TypeId::of::<T>(), name: T::NAME, size: size_of::<T>() }
    }

    /// The name that users see.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The size of one item in bytes.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl fmt::Debug for ItemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for ItemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
