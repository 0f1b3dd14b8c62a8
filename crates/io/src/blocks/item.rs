//! Items as bytes of a file: as stored, or scaled to full scale = 1.0.

use std::path::Path;

use superhet_runtime::catalog::{Kind, Param, optional};
use superhet_runtime::{C64, Item, catalog::Params};

use crate::error::Error;
use crate::format::{Endian, Number, SampleFormat, Shape};
use crate::{C32, decode, encode};

/// An item that the samples of a file become, and the other way round.
///
/// `C32` and `f32` hold every complex or real format, scaled to full scale = 1.0 as in [`decode`]. The other types
/// hold one kind of number as it is stored; only its byte order is turned to the machine's.
///
/// | item | formats | value |
/// |---|---|---|
/// | `C32` | all complex ones | scaled |
/// | `f32` | all real ones | scaled |
/// | `[u8; 2]`, `[i8; 2]`, `[i16; 2]`, `C64` | `cu8`, `ci8`, `ci16`, `cf64` | as stored |
/// | `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `f64` | `ru8`, `ri8`, … | as stored |
pub trait FileItem: Item {
    /// Whether samples of `format` can be read as these items and written from them.
    fn holds(format: SampleFormat) -> bool;

    /// Makes items of `items.len() · format.bytes()` bytes.
    fn from_bytes(format: SampleFormat, bytes: &[u8], items: &mut [Self]);

    /// Appends the bytes of `items`.
    fn to_bytes(format: SampleFormat, items: &[Self], bytes: &mut Vec<u8>);
}

impl FileItem for C32 {
    fn holds(format: SampleFormat) -> bool {
        format.is_complex()
    }
    fn from_bytes(format: SampleFormat, bytes: &[u8], items: &mut [Self]) {
        decode::decode_numbers(format.number(), format.endian(), bytes, bytemuck::cast_slice_mut(items));
    }
    fn to_bytes(format: SampleFormat, items: &[Self], bytes: &mut Vec<u8>) {
        encode::encode_numbers(format.number(), format.endian(), bytemuck::cast_slice(items), bytes);
    }
}

impl FileItem for f32 {
    fn holds(format: SampleFormat) -> bool {
        !format.is_complex()
    }
    fn from_bytes(format: SampleFormat, bytes: &[u8], items: &mut [Self]) {
        decode::decode_numbers(format.number(), format.endian(), bytes, items);
    }
    fn to_bytes(format: SampleFormat, items: &[Self], bytes: &mut Vec<u8>) {
        encode::encode_numbers(format.number(), format.endian(), items, bytes);
    }
}

macro_rules! as_stored {
    ($($item:ty = $shape:ident $number:ident),*) => {$(
        impl FileItem for $item {
            fn holds(format: SampleFormat) -> bool {
                (format.shape(), format.number()) == (Shape::$shape, Number::$number)
            }
            fn from_bytes(format: SampleFormat, bytes: &[u8], items: &mut [Self]) {
                let stored: &mut [u8] = bytemuck::cast_slice_mut(items);
                stored.copy_from_slice(bytes);
                turn(format, stored);
            }
            fn to_bytes(format: SampleFormat, items: &[Self], bytes: &mut Vec<u8>) {
                let start = bytes.len();
                bytes.extend_from_slice(bytemuck::cast_slice(items));
                turn(format, &mut bytes[start..]);
            }
        }
    )*};
}

as_stored! {
    [u8; 2] = Complex U8, [i8; 2] = Complex I8, [i16; 2] = Complex I16, C64 = Complex F64,
    u8 = Real U8, i8 = Real I8, u16 = Real U16, i16 = Real I16, u32 = Real U32, i32 = Real I32, f64 = Real F64
}

/// Turns numbers between the byte order of `format` and the machine's.
fn turn(format: SampleFormat, bytes: &mut [u8]) {
    let size = format.number().bytes();
    let native = if cfg!(target_endian = "little") { Endian::Little } else { Endian::Big };
    if format.endian() != native {
        superhet_numbers::turn(bytes, size);
    }
}

/// The error of a file whose samples are not `T`, if they are not.
pub(super) fn expect<T: FileItem>(path: &Path, format: SampleFormat) -> Result<(), Error> {
    if T::holds(format) {
        return Ok(());
    }
    Err(Error::WrongItem { path: path.to_owned(), format, item: T::NAME, hint: "" })
}

/// The block `$block`, in which `$T` stands for the item type that samples of `$format` become.
macro_rules! block_of_format {
    ($path:expr, $format:expr, $as_stored:expr, $T:ident => $block:expr) => {
        $crate::blocks::item::block_of_format!(@arms $path, $format, $as_stored, $T => $block;
            (Complex U8, [u8; 2]) (Complex I8, [i8; 2]) (Complex I16, [i16; 2])
            (Complex F64, ::superhet_runtime::C64) (Real U8, u8) (Real I8, i8) (Real U16, u16) (Real I16, i16)
            (Real U32, u32) (Real I32, i32) (Real F64, f64))
    };
    (@arms $path:expr, $format:expr, $as_stored:expr, $T:ident => $block:expr;
        $(($shape:ident $number:ident, $type:ty))*) => {{
        use $crate::{Number, Shape};
        match ($as_stored, $format.shape(), $format.number()) {
            (false, Shape::Complex, _) | (true, Shape::Complex, Number::F32) => {
                type $T = $crate::C32;
                ::superhet_runtime::AnyBlock::new($block)
            }
            (false, Shape::Real, _) | (true, Shape::Real, Number::F32) => {
                type $T = f32;
                ::superhet_runtime::AnyBlock::new($block)
            }
            $((true, Shape::$shape, Number::$number) => {
                type $T = $type;
                ::superhet_runtime::AnyBlock::new($block)
            })*
            _ => return Err($crate::blocks::item::no_such_item($path, $format).into()),
        }
    }};
}
pub(super) use block_of_format;

/// The error of a format whose samples no item type holds as they are stored.
pub(super) fn no_such_item(path: &Path, format: SampleFormat) -> Error {
    let hint = "; take them as float, which scales them to C32";
    Error::WrongItem { path: path.to_owned(), format, item: "raw", hint }
}

/// The words for how samples and items relate.
pub(super) const FLOAT_OR_RAW: Kind = Kind::Choice(&["float", "raw"]);

/// The parameter `format`.
pub(super) const FORMAT: Param = optional(
    "format",
    Kind::Text,
    "",
    "\"auto\"",
    "How samples are stored, such as cu8, cs16, cf32_le or ri16_be; auto: as the name of the file says.",
);

/// The format that the parameter `format` names, or else the name of the file.
pub(super) fn format_of(params: &Params, path: &Path) -> Result<SampleFormat, Error> {
    match params.text("format") {
        "auto" => SampleFormat::from_path(path),
        name => name.parse(),
    }
}

/// A number that 0 stands in for when it is not known.
pub(super) fn known(number: f64) -> Option<f64> {
    (number != 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: FileItem + PartialEq + std::fmt::Debug>(format: &str, bytes: &[u8], wanted: &[T]) {
        let format: SampleFormat = format.parse().unwrap();
        assert!(T::holds(format), "{format}");
        let mut items = vec![bytemuck::Zeroable::zeroed(); wanted.len()];
        T::from_bytes(format, bytes, &mut items);
        assert_eq!(items, wanted, "{format}");
        let mut back = vec![9];
        T::to_bytes(format, &items, &mut back);
        assert_eq!(back[1..], *bytes, "{format}");
    }

    #[test]
    fn stored_items_keep_their_codes_in_either_byte_order() {
        check("cu8", &[0, 255, 127, 128], &[[0u8, 255], [127, 128]]);
        check("cs8", &[0x80, 1], &[[-128i8, 1]]);
        check("cs16", &[1, 0, 0xff, 0xff], &[[1i16, -1]]);
        check("ci16_be", &[0, 1, 0xff, 0xff], &[[1i16, -1]]);
        check("ri32_be", &[0, 0, 1, 0], &[256i32]);
        check("ru16_le", &[0, 1], &[256u16]);
        check("rf64_be", &0.1f64.to_be_bytes(), &[0.1f64]);
    }

    #[test]
    fn floats_are_scaled_to_full_scale() {
        check("cs8", &[0x80, 64], &[C32::new(-1.0, 0.5)]);
        check("s16", &[0, 0x40], &[0.5f32]);
        assert!(!f32::holds(SampleFormat::CU8) && !<[u8; 2]>::holds(SampleFormat::CS8));
    }
}
