//! Messages of AIS as sentences of NMEA 0183.

use super::fields::Bits;

/// The most characters of a message in one sentence.
const MOST: usize = 60;

/// The sentences that say a message: `!AIVDM,…`, several where it is long; `sequence` tells those of one message from others.
pub(super) fn sentences(bytes: &[u8], channel: &str, sequence: u64) -> Vec<String> {
    let bits = Bits(bytes);
    let count = bits.len().div_ceil(6);
    let fill = 6 * count - bits.len();
    let letter = |n: usize| {
        let left = bits.len() - 6 * n;
        let six = bits.number(6 * n, left.min(6)).unwrap_or(0) << (6 - left.min(6));
        char::from(six as u8 + if six < 40 { 48 } else { 56 })
    };
    let letters: Vec<char> = (0..count).map(letter).collect();
    let parts: Vec<&[char]> = letters.chunks(MOST).collect();
    let sentence = |(n, part): (usize, &&[char])| {
        let is_last = n + 1 == parts.len();
        let id = if parts.len() > 1 { (sequence % 10).to_string() } else { String::new() };
        let text: String = part.iter().collect();
        let body = format!(
            "AIVDM,{},{},{id},{channel},{text},{}",
            parts.len(),
            n + 1,
            if is_last { fill } else { 0 }
        );
        let sum = body.bytes().fold(0, |sum, byte| sum ^ byte);
        format!("!{body}*{sum:02X}")
    };
    parts.iter().enumerate().map(sentence).collect()
}
