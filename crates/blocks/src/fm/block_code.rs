//! The code of RDS: blocks of 16 bits and a checkword of 10, which also says the place of the block in its group.
//!
//! Source: IEC 62106, section 5.2 and annexes A and B.

/// Bits of a block.
pub(super) const BLOCK: usize = 26;
/// Blocks of a group.
pub(super) const BLOCKS: usize = 4;
/// Bits of a group.
pub(super) const GROUP: usize = BLOCK * BLOCKS;
/// Bits of a checkword.
const CHECK: u32 = 10;

/// `x¹⁰ + x⁸ + x⁷ + x⁵ + x⁴ + x³ + 1`.
const GENERATOR: u32 = 0x5b9;

/// What is added to the checkwords of the blocks A, B, C and D.
pub(super) const OFFSETS: [u32; BLOCKS] = [0x0fc, 0x198, 0x168, 0x1b4];
/// What stands for C where a group repeats the PI code there (type B).
pub(super) const OFFSET_C2: u32 = 0x350;

/// The remainder of a block of 26 bits by the generator. Of a block without errors it is the offset word.
pub(super) const fn remainder(mut word: u32) -> u32 {
    let mut bit = BLOCK as u32;
    while bit > CHECK {
        bit -= 1;
        if word >> bit & 1 == 1 {
            word ^= GENERATOR << (bit - CHECK);
        }
    }
    word
}

/// The block of these bits.
pub(super) const fn block(bits: u16, offset: u32) -> u32 {
    let shifted = (bits as u32) << CHECK;
    shifted | remainder(shifted) ^ offset
}

/// The bits of a block.
pub(super) const fn bits_of(word: u32) -> u16 {
    (word >> CHECK) as u16
}

/// The longest burst that has a remainder of its own.
pub(super) const LONGEST_BURST: u32 = 5;

/// The burst of up to 5 wrong bits for each remainder, less the offset; 0 where there is none.
static BURSTS: [u32; 1 << CHECK] = bursts();

const fn bursts() -> [u32; 1 << CHECK] {
    let mut table = [0; 1 << CHECK];
    let mut length = LONGEST_BURST;
    // Short bursts come last.
    while length > 0 {
        let inner = if length > 2 { 1 << (length - 2) } else { 1 };
        let mut middle = 0;
        while middle < inner {
            let burst = if length == 1 { 1 } else { 1 << (length - 1) | middle << 1 | 1 };
            let mut shift = 0;
            while shift + length <= BLOCK as u32 {
                table[remainder(burst << shift) as usize] = burst << shift;
                shift += 1;
            }
            middle += 1;
        }
        length -= 1;
    }
    table
}

/// What is wrong in a block whose remainder differs from its offset by this: 0 for nothing, `None` where that is not a burst.
pub(super) fn error(difference: u32) -> Option<u32> {
    match BURSTS[difference as usize & ((1 << CHECK) - 1)] {
        0 if difference != 0 => None,
        burst => Some(burst),
    }
}

/// From the first wrong bit to the last.
pub(super) fn burst_length(error: u32) -> u32 {
    if error == 0 { 0 } else { 32 - error.leading_zeros() - error.trailing_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parity-check matrix of annex B: the row of the first bit first.
    const MATRIX: [u32; BLOCK] = [
        0b1000000000,
        0b0100000000,
        0b0010000000,
        0b0001000000,
        0b0000100000,
        0b0000010000,
        0b0000001000,
        0b0000000100,
        0b0000000010,
        0b0000000001,
        0b1011011100,
        0b0101101110,
        0b0010110111,
        0b1010000111,
        0b1110011111,
        0b1100010011,
        0b1101010101,
        0b1101110110,
        0b0110111011,
        0b1000000001,
        0b1111011100,
        0b0111101110,
        0b0011110111,
        0b1010100111,
        0b1110001111,
        0b1100011011,
    ];

    fn syndrome(word: u32) -> u32 {
        MATRIX
            .iter()
            .enumerate()
            .filter(|(n, _)| word >> (25 - n) & 1 == 1)
            .fold(0, |sum, (_, row)| sum ^ row)
    }

    #[test]
    fn syndromes_of_the_offsets_are_those_of_the_standard() {
        let wanted = [0b1111011000, 0b1111010100, 0b1001011100, 0b1001011000];
        assert_eq!(OFFSETS.map(syndrome), wanted);
        assert_eq!(syndrome(OFFSET_C2), 0b1111001100);
        for bits in [0, 1, 0x1234, 0xffff, 0xd3c1] {
            for (offset, wanted) in OFFSETS.iter().zip(wanted) {
                let word = block(bits, *offset);
                assert_eq!((remainder(word), syndrome(word), bits_of(word)), (*offset, wanted, bits));
            }
        }
    }

    #[test]
    fn every_burst_of_up_to_five_bits_is_found() {
        let mut found = 0;
        for burst in (1..32u32).filter(|burst| burst & 1 == 1) {
            for shift in 0..=BLOCK as u32 - burst_length(burst) {
                assert_eq!(error(remainder(burst << shift)), Some(burst << shift));
                found += 1;
            }
        }
        assert_eq!((0..1 << CHECK).filter(|difference| error(*difference).is_some()).count(), found + 1);
        assert_eq!((burst_length(0b10100), burst_length(0), burst_length(1)), (3, 0, 1));
    }
}
