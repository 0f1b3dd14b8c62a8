//! Numbers into bytes: the inverse of `decode`, rounding to nearest and saturating.

use crate::{Endian, Number};

/// Encodes numbers and appends them to `bytes`: see `superhet_io::encode`.
#[inline(never)]
pub fn encode(number: Number, endian: Endian, values: &[f32], bytes: &mut Vec<u8>) {
    bytes.reserve(values.len() * number.bytes());
    macro_rules! each {
        ($convert:expr) => {{
            let convert = $convert;
            match endian {
                Endian::Little => values.iter().for_each(|&x| bytes.extend(convert(x).to_le_bytes())),
                Endian::Big => values.iter().for_each(|&x| bytes.extend(convert(x).to_be_bytes())),
            }
        }};
    }
    // `as` saturates and turns NaN into 0, which for unsigned numbers is not the middle; hence `or_zero`.
    // The wider numbers are scaled in f64, where the offset of one half is exact.
    match number {
        Number::U8 => each!(|x| (or_zero(x) * 127.5 + 127.5).round_ties_even() as u8),
        Number::I8 => each!(|x: f32| (x * 128.0).round_ties_even() as i8),
        Number::U16 => {
            each!(|x| (f64::from(or_zero(x)) * 32767.5 + 32767.5).round_ties_even() as u16)
        }
        Number::I16 => each!(|x: f32| (x * 32768.0).round_ties_even() as i16),
        Number::U32 => {
            each!(|x| (f64::from(or_zero(x)) * 2_147_483_647.5 + 2_147_483_647.5).round_ties_even() as u32)
        }
        Number::I32 => each!(|x: f32| (f64::from(x) * 2_147_483_648.0).round_ties_even() as i32),
        Number::F32 => each!(|x: f32| x),
        Number::F64 => each!(f64::from),
    }
}

fn or_zero(x: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x }
}
