//! Item types by name, and numpy's types for them.

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;
use superhet_runtime::{C32, C64, Item, error::nearest};

/// An item as numpy has it.
pub trait NumpyItem: Item {
    /// Numpy's type, as its array interface writes it.
    const DTYPE: &'static str;
    /// Whether an item is a pair of those: a row of two columns.
    const IS_PAIR: bool = false;
}

macro_rules! items {
    ($($name:literal = $type:ty, $dtype:literal $(, $pair:literal)?;)+) => {
        $(impl NumpyItem for $type {
            const DTYPE: &'static str = $dtype;
            $(const IS_PAIR: bool = $pair;)?
        })+

        /// The names of all item types.
        pub const NAMES: &[&str] = &[$($name),+];
    };
}

items! {
    "C32" = C32, "<c8";
    "C64" = C64, "<c16";
    "f32" = f32, "<f4";
    "f64" = f64, "<f8";
    "i8" = i8, "|i1";
    "i16" = i16, "<i2";
    "i32" = i32, "<i4";
    "i64" = i64, "<i8";
    "u8" = u8, "|u1";
    "u16" = u16, "<u2";
    "u32" = u32, "<u4";
    "u64" = u64, "<u8";
    "cu8" = [u8; 2], "|u1", true;
    "cs8" = [i8; 2], "|i1", true;
    "cs16" = [i16; 2], "<i2", true;
}

/// What an expression gives in which `$T` stands for the item type that `$item` names; an error where there is none.
macro_rules! of_item {
    ($item:expr, $T:ident => $body:expr) => {
        $crate::item::of_item!($item, $T => $body;
            "C32" = superhet_runtime::C32, "C64" = superhet_runtime::C64, "f32" = f32, "f64" = f64,
            "i8" = i8, "i16" = i16, "i32" = i32, "i64" = i64, "u8" = u8, "u16" = u16, "u32" = u32, "u64" = u64,
            "cu8" = [u8; 2], "cs8" = [i8; 2], "cs16" = [i16; 2])
    };
    ($item:expr, $T:ident => $body:expr; $($name:literal = $type:ty),+) => {
        match $item {
            $($name => { type $T = $type; Ok($body) })+
            other => Err($crate::item::no_such_item(other)),
        }
    };
}
pub(crate) use of_item;

/// The error for a name that is no item type.
pub fn no_such_item(name: &str) -> PyErr {
    let near = nearest(name, NAMES.iter().copied());
    let near =
        near.map_or(format!("; there are {}", NAMES.join(", ")), |near| format!("; did you mean {near}?"));
    PyValueError::new_err(format!("there is no item type {name}{near}"))
}
