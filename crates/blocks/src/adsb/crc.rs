//! The 24-bit Mode S parity: remainders and the repair of one wrong bit.

/// The generator polynomial without its leading term: `x²⁴ + x²³ + … + x³ + 1` is `0x1FFF409`.
const GENERATOR: u32 = 0xFF_F409;

/// The bits that a remainder can have.
const MASK: u32 = 0xFF_FFFF;

/// Bits that no repair touches: they hold the downlink format, which decides what the rest means.
const FORMAT_BITS: usize = 5;

/// Low remainder bits that carry the interrogator code of an all-call reply.
const INTERROGATOR_BITS: usize = 7;

/// `TABLE[b] = b · x²⁴ mod g`.
static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = (byte as u32) << 16;
        let mut bit = 0;
        while bit < 8 {
            value = shift(value);
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// `SYNDROMES[k] = xᵏ mod g`: the remainder that a wrong bit leaves, `k` bits before the last one.
static SYNDROMES: [u32; 112] = {
    let mut table = [0; 112];
    let mut value = 1;
    let mut k = 0;
    while k < 112 {
        table[k] = value;
        value = shift(value);
        k += 1;
    }
    table
};

/// Multiplies a remainder by `x`.
const fn shift(value: u32) -> u32 {
    let shifted = (value << 1) & MASK;
    if value & 0x80_0000 == 0 { shifted } else { shifted ^ GENERATOR }
}

/// Returns the remainder of the whole message, parity included, divided by the generator `0x1FFF409`.
///
/// It is 0 for an intact DF17 or DF18, the interrogator code for an intact DF11, and the aircraft's address for
/// the formats that overlay the address on the parity. Any length is accepted; the empty message gives 0.
///
/// **Source**: ICAO Annex 10 Vol. IV, 3.1.2.3.3; J. Sun, *The 1090 Megahertz Riddle*, ch. "Error control".
pub fn remainder(message: &[u8]) -> u32 {
    message.iter().fold(0, |value, &byte| {
        let top = (value >> 16) & 0xFF;
        (((value << 8) | u32::from(byte)) & MASK) ^ TABLE[top as usize]
    })
}

/// Returns which one bit, counted from 0 at the first bit sent, explains a wrong DF11, DF17 or DF18.
///
/// The five bits of the downlink format are never named, nor the last seven bits of a DF11, where an
/// interrogator code looks the same as a wrong bit. `None` for an intact message, for other formats, and for
/// lengths other than 7 and 14 bytes.
pub fn single_bit_error(message: &[u8]) -> Option<u8> {
    let untouched_tail = untouched_tail(message)?;
    let bits = message.len() * 8;
    let syndrome = remainder(message);
    let from_end = SYNDROMES[..bits - FORMAT_BITS].iter().position(|&s| s == syndrome)?;
    (from_end >= untouched_tail).then_some((bits - 1 - from_end) as u8)
}

/// Returns which two of the bits in `doubtful` explain a wrong DF11, DF17 or DF18, in their order there.
///
/// As with [`single_bit_error`], the downlink format is never named, nor the interrogator code.
pub(super) fn two_bit_error(message: &[u8], doubtful: &[u8]) -> Option<(u8, u8)> {
    let untouched_tail = untouched_tail(message)?;
    let bits = message.len() * 8;
    let syndrome_of = |bit: u8| {
        let is_allowed = (FORMAT_BITS..bits - untouched_tail).contains(&usize::from(bit));
        is_allowed.then(|| SYNDROMES[bits - 1 - usize::from(bit)])
    };
    let syndrome = remainder(message);
    let with_later = |(n, &a): (usize, &u8)| {
        let missing = syndrome_of(a)? ^ syndrome;
        let b = doubtful[n + 1..].iter().find(|&&b| syndrome_of(b) == Some(missing))?;
        Some((a, *b))
    };
    doubtful.iter().enumerate().find_map(with_later)
}

/// The last bits of a message that no repair touches; `None` unless it is a DF11, DF17 or DF18.
fn untouched_tail(message: &[u8]) -> Option<usize> {
    match (message.first()? >> 3, message.len()) {
        (11, 7) => Some(INTERROGATOR_BITS),
        (17 | 18, 14) => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTIFICATION: [u8; 14] =
        [0x8D, 0x48, 0x40, 0xD6, 0x20, 0x2C, 0xC3, 0x71, 0xC3, 0x2C, 0xE0, 0x57, 0x60, 0x98];
    const ALL_CALL: [u8; 7] = [0x5D, 0x4D, 0x20, 0x23, 0x7A, 0x55, 0xA6];

    /// Division bit by bit, as the standard draws it.
    fn long_division(message: &[u8]) -> u32 {
        let bits = message.iter().flat_map(|b| (0..8).rev().map(move |k| u32::from(b >> k & 1)));
        bits.fold(0, |value, bit| shift(value) ^ bit)
    }

    #[test]
    fn an_intact_message_leaves_no_remainder() {
        assert_eq!(remainder(&IDENTIFICATION), 0);
        assert_eq!(remainder(&ALL_CALL), 0);
        assert_eq!(remainder(&[]), 0);
    }

    #[test]
    fn the_table_agrees_with_division_bit_by_bit() {
        let message: Vec<u8> = (0..14u8).map(|k| k.wrapping_mul(73) ^ 0xA5).collect();
        for length in 0..=message.len() {
            assert_eq!(remainder(&message[..length]), long_division(&message[..length]));
        }
    }

    #[test]
    fn an_overlaid_address_comes_back_as_the_remainder() {
        let altitude_reply = [0x28, 0x00, 0x10, 0x24, 0x8C, 0x79, 0x6B];
        assert_eq!(remainder(&altitude_reply), 0x4D_2023);
    }

    #[test]
    fn any_one_wrong_bit_outside_the_format_is_found() {
        for bit in 5..112 {
            let mut wrong = IDENTIFICATION;
            wrong[bit / 8] ^= 0x80 >> (bit % 8);
            assert_eq!(single_bit_error(&wrong), Some(bit as u8));
        }
        for bit in 5..49 {
            let mut wrong = ALL_CALL;
            wrong[bit / 8] ^= 0x80 >> (bit % 8);
            assert_eq!(single_bit_error(&wrong), Some(bit as u8));
        }
    }

    #[test]
    fn two_wrong_bits_are_found_only_among_the_doubtful_ones() {
        for (a, b) in [(5, 111), (20, 21), (40, 90)] {
            let mut wrong = IDENTIFICATION;
            for bit in [a, b] {
                wrong[bit / 8] ^= 0x80 >> (bit % 8);
            }
            let (a, b) = (a as u8, b as u8);
            assert_eq!(two_bit_error(&wrong, &[30, b, 7, a]), Some((b, a)));
            assert_eq!(two_bit_error(&wrong, &[30, b, 7]), None);
        }
        let mut wrong = IDENTIFICATION;
        wrong[0] ^= 0x80;
        wrong[5] ^= 1;
        assert_eq!(two_bit_error(&wrong, &[0, 47]), None);
    }

    #[test]
    fn the_format_field_is_never_repaired() {
        for bit in 0..5 {
            let mut wrong = IDENTIFICATION;
            wrong[0] ^= 0x80 >> bit;
            assert_eq!(single_bit_error(&wrong), None);
        }
        assert_eq!(single_bit_error(&IDENTIFICATION), None);
        assert_eq!(single_bit_error(&[]), None);
    }
}
