//! Numbers from bytes, full scale = 1.0: what they are is in the documentation of `superhet_io::decode`.

use crate::{Endian, Number};

/// Decodes whole numbers: `values[n]` from the n-th number in `bytes`.
///
/// # Panics
///
/// If `bytes.len() != values.len() · number.bytes()`.
#[inline(never)]
pub fn decode(number: Number, endian: Endian, bytes: &[u8], values: &mut [f32]) {
    assert_eq!(bytes.len(), values.len() * number.bytes(), "bytes and values must have the same count");
    macro_rules! each {
        ($type:ty, $convert:expr) => {{
            const SIZE: usize = size_of::<$type>();
            let convert = $convert;
            let (chunks, _) = bytes.as_chunks::<SIZE>();
            match endian {
                Endian::Little => {
                    for (y, x) in values.iter_mut().zip(chunks) {
                        *y = convert(<$type>::from_le_bytes(*x));
                    }
                }
                Endian::Big => {
                    for (y, x) in values.iter_mut().zip(chunks) {
                        *y = convert(<$type>::from_be_bytes(*x));
                    }
                }
            }
        }};
    }
    match number {
        Number::U8 => each!(u8, |x| (f32::from(x) - 127.5) / 127.5),
        Number::I8 => each!(i8, |x| f32::from(x) / 128.0),
        Number::U16 => each!(u16, |x| (f32::from(x) - 32767.5) / 32767.5),
        Number::I16 => each!(i16, |x| f32::from(x) / 32768.0),
        Number::U32 => each!(u32, |x| ((f64::from(x) - 2_147_483_647.5) / 2_147_483_647.5) as f32),
        Number::I32 => each!(i32, |x| x as f32 / 2_147_483_648.0),
        Number::F32 => each!(f32, |x| x),
        Number::F64 => each!(f64, |x| x as f32),
    }
}

/// Decodes the unsigned bytes of WAV files: `(x − 128) / 128`. As many as there are of both.
#[inline(never)]
pub fn decode_u8_around_128(bytes: &[u8], values: &mut [f32]) {
    for (y, &x) in values.iter_mut().zip(bytes) {
        *y = (f32::from(x) - 128.0) / 128.0;
    }
}

/// Decodes integers of 24 bits, least significant byte first: `x / 2²³`. As many as there are of both.
#[inline(never)]
pub fn decode_s24(bytes: &[u8], values: &mut [f32]) {
    for (y, x) in values.iter_mut().zip(bytes.as_chunks::<3>().0) {
        *y = (i32::from_le_bytes([0, x[0], x[1], x[2]]) >> 8) as f32 / 8_388_608.0;
    }
}
