//! Numbers in rows of bits, a byte of 0 or 1 each.

/// Where a number lies: ranges of bits, first bit and how many, the highest bits first.
pub(super) type Ranges = Vec<(usize, usize)>;

/// The bits of a number, the highest first.
pub(super) fn taken(bits: &[u8], at: &[(usize, usize)]) -> Vec<u8> {
    at.iter().flat_map(|(start, count)| bits[*start..start + count].iter().copied()).collect()
}

/// The number that lies there.
pub(super) fn number(bits: &[u8], at: &[(usize, usize)]) -> u64 {
    let ranges = at.iter().flat_map(|(start, count)| &bits[*start..start + count]);
    ranges.fold(0, |number, bit| number << 1 | u64::from(*bit))
}

/// Puts a number there.
pub(super) fn put(bits: &mut [u8], at: &[(usize, usize)], number: u64) {
    let mut left = length(at);
    for (start, count) in at {
        for bit in &mut bits[*start..start + count] {
            left -= 1;
            *bit = (number >> left & 1) as u8;
        }
    }
}

/// How many bits ranges have.
pub(super) fn length(at: &[(usize, usize)]) -> usize {
    at.iter().map(|(_, count)| count).sum()
}

/// The bytes of bits, the highest of each first; zeros behind the last.
pub(super) fn packed(bits: &[u8]) -> Vec<u8> {
    let byte = |bits: &[u8]| bits.iter().enumerate().fold(0, |byte, (n, bit)| byte | bit << (7 - n));
    bits.chunks(8).map(byte).collect()
}

/// The numbers of so many bits each, of which the last has zeros behind it.
pub(super) fn units(bits: &[u8], unit: usize) -> impl Iterator<Item = u64> {
    bits.chunks(unit).map(move |chunk| {
        let number = chunk.iter().fold(0, |number, bit| number << 1 | u64::from(*bit));
        number << (unit - chunk.len())
    })
}
