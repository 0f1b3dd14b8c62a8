//! Samples to bytes: the inverse of [`decode`](crate::decode), rounding to nearest and saturating.

use crate::C32;
use crate::format::{Endian, Number, SampleFormat};

/// Encodes numbers and appends them to `bytes`.
///
/// The scale is that of [`decode`](crate::decode). Integers are rounded to the nearest code, ties to even,
/// and saturate: 1.5 becomes the largest code, −∞ the smallest, NaN the code nearest to zero. `f32` is kept
/// to the bit.
///
/// | argument | item | unit | length |
/// |---|---|---|---|
/// | `values` | `f32` | full scale = 1.0 | any |
/// | `bytes` | `number` in byte order `endian` | code | grows by `values.len() · number.bytes()` |
///
/// # Accuracy
///
/// Decoding and encoding again gives the same bytes for all 8- and 16-bit integers and `f32`. 32-bit
/// integers pass through `f32` and keep 24 bits.
///
/// # Example
///
/// ```
/// use superhet_io::{Endian, Number, encode::encode_numbers};
///
/// let mut bytes = Vec::new();
/// encode_numbers(Number::I8, Endian::Little, &[-1.0, 0.5, 7.0], &mut bytes);
/// assert_eq!(bytes, [0x80, 64, 127]);
/// ```
pub fn encode_numbers(number: Number, endian: Endian, values: &[f32], bytes: &mut Vec<u8>) {
    superhet_numbers::encode(number, endian, values, bytes);
}

/// Encodes complex samples, I then Q, and appends them to `bytes`; see [`encode_numbers`].
///
/// # Panics
///
/// If `format` is not complex.
pub fn encode_c32(format: SampleFormat, samples: &[C32], bytes: &mut Vec<u8>) {
    assert!(format.is_complex(), "{format} is not complex");
    encode_numbers(format.number(), format.endian(), bytemuck::cast_slice(samples), bytes);
}

/// Encodes real samples and appends them to `bytes`; see [`encode_numbers`].
///
/// # Panics
///
/// If `format` is not real.
pub fn encode_f32(format: SampleFormat, samples: &[f32], bytes: &mut Vec<u8>) {
    assert!(!format.is_complex(), "{format} is not real");
    encode_numbers(format.number(), format.endian(), samples, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode_numbers;

    #[track_caller]
    fn check(number: Number, values: &[f32], wanted: &[u8]) {
        let mut bytes = Vec::new();
        encode_numbers(number, Endian::Big, values, &mut bytes);
        assert_eq!(bytes, wanted, "{number:?}");
    }

    #[test]
    fn integers_saturate_and_nan_is_silence() {
        let values = [f32::NEG_INFINITY, -1.5, f32::NAN, 1.5, f32::INFINITY];
        check(Number::U8, &values, &[0, 0, 128, 255, 255]);
        check(Number::I8, &values, &[0x80, 0x80, 0, 127, 127]);
        check(Number::U16, &values[2..4], &[0x80, 0, 0xff, 0xff]);
        check(Number::I16, &values[1..4], &[0x80, 0, 0, 0, 0x7f, 0xff]);
        check(Number::U32, &values[2..4], &[0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        check(Number::I32, &values[1..4], &[0x80, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn rounding_is_to_the_nearest_code() {
        check(Number::I8, &[0.6 / 128.0, -0.6 / 128.0, 0.4 / 128.0], &[1, 0xff, 0]);
        check(Number::I16, &[0.6 / 32768.0], &[0, 1]);
    }

    #[test]
    fn every_short_integer_survives_decoding_and_encoding() {
        for number in [Number::U8, Number::I8, Number::U16, Number::I16] {
            let codes: Vec<u8> = match number.bytes() {
                1 => (0..=255).collect(),
                _ => (0..=u16::MAX).flat_map(u16::to_le_bytes).collect(),
            };
            let mut values = vec![0.0; codes.len() / number.bytes()];
            decode_numbers(number, Endian::Little, &codes, &mut values);
            let mut bytes = Vec::new();
            encode_numbers(number, Endian::Little, &values, &mut bytes);
            assert!(bytes == codes, "{number:?}");
        }
    }
}
