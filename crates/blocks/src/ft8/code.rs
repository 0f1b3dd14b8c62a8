//! The code of FT8 and FT4: a checksum of 14 bits and LDPC(174, 91).

use std::sync::OnceLock;

/// Bits of a message.
pub const MESSAGE_BITS: usize = 77;
/// Bits of a message and its checksum.
pub const DATA_BITS: usize = 91;
/// Bits of a code word.
pub const CODE_BITS: usize = 174;
const CHECKS: usize = CODE_BITS - DATA_BITS;

/// The checksum x¹⁴ + x¹³ + x¹⁰ + x⁹ + x⁸ + x⁶ + x⁴ + x² + x + 1, without its highest term.
const CRC_POLYNOMIAL: u128 = 0x2757;
/// The checksum is that of a message with so many zeros behind it.
const CRC_ZEROS: usize = 5;

/// The three parity checks that each bit of a code word takes part in, counted from 1.
#[rustfmt::skip]
const CHECKS_OF_BIT: [[u8; 3]; CODE_BITS] = [
    [16, 45, 73], [25, 51, 62], [33, 58, 78], [1, 44, 45], [2, 7, 61], [3, 6, 54], [4, 35, 48], [5, 13, 21], [8, 56, 79],
    [9, 64, 69], [10, 19, 66], [11, 36, 60], [12, 37, 58], [14, 32, 43], [15, 63, 80], [17, 28, 77], [18, 74, 83], [22, 53, 81],
    [23, 30, 34], [24, 31, 40], [26, 41, 76], [27, 57, 70], [29, 49, 65], [3, 38, 78], [5, 39, 82], [46, 50, 73], [51, 52, 74],
    [55, 71, 72], [44, 67, 72], [43, 68, 78], [1, 32, 59], [2, 6, 71], [4, 16, 54], [7, 65, 67], [8, 30, 42], [9, 22, 31],
    [10, 18, 76], [11, 23, 82], [12, 28, 61], [13, 52, 79], [14, 50, 51], [15, 81, 83], [17, 29, 60], [19, 33, 64],
    [20, 26, 73], [21, 34, 40], [24, 27, 77], [25, 55, 58], [35, 53, 66], [36, 48, 68], [37, 46, 75], [38, 45, 47],
    [39, 57, 69], [41, 56, 62], [20, 49, 53], [46, 52, 63], [45, 70, 75], [27, 35, 80], [1, 15, 30], [2, 68, 80], [3, 36, 51],
    [4, 28, 51], [5, 31, 56], [6, 20, 37], [7, 40, 82], [8, 60, 69], [9, 10, 49], [11, 44, 57], [12, 39, 59], [13, 24, 55],
    [14, 21, 65], [16, 71, 78], [17, 30, 76], [18, 25, 80], [19, 61, 83], [22, 38, 77], [23, 41, 50], [7, 26, 58], [29, 32, 81],
    [33, 40, 73], [18, 34, 48], [13, 42, 64], [5, 26, 43], [47, 69, 72], [54, 55, 70], [45, 62, 68], [10, 63, 67], [14, 66, 72],
    [22, 60, 74], [35, 39, 79], [1, 46, 64], [1, 24, 66], [2, 5, 70], [3, 31, 65], [4, 49, 58], [1, 4, 5], [6, 60, 67],
    [7, 32, 75], [8, 48, 82], [9, 35, 41], [10, 39, 62], [11, 14, 61], [12, 71, 74], [13, 23, 78], [11, 35, 55], [15, 16, 79],
    [7, 9, 16], [17, 54, 63], [18, 50, 57], [19, 30, 47], [20, 64, 80], [21, 28, 69], [22, 25, 43], [13, 22, 37], [2, 47, 51],
    [23, 54, 74], [26, 34, 72], [27, 36, 37], [21, 36, 63], [29, 40, 44], [19, 26, 57], [3, 46, 82], [14, 15, 58], [33, 52, 53],
    [30, 43, 52], [6, 9, 52], [27, 33, 65], [25, 69, 73], [38, 55, 83], [20, 39, 77], [18, 29, 56], [32, 48, 71], [42, 51, 59],
    [28, 44, 79], [34, 60, 62], [31, 45, 61], [46, 68, 77], [6, 24, 76], [8, 10, 78], [40, 41, 70], [17, 50, 53], [42, 66, 68],
    [4, 22, 72], [36, 64, 81], [13, 29, 47], [2, 8, 81], [56, 67, 73], [5, 38, 50], [12, 38, 64], [59, 72, 80], [3, 26, 79],
    [45, 76, 81], [1, 65, 74], [7, 18, 77], [11, 56, 59], [14, 39, 54], [16, 37, 66], [10, 28, 55], [15, 60, 70], [17, 25, 82],
    [20, 30, 31], [12, 67, 68], [23, 75, 80], [27, 32, 62], [24, 69, 75], [19, 21, 71], [34, 53, 61], [35, 46, 47],
    [33, 59, 76], [40, 43, 83], [41, 42, 63], [49, 75, 83], [20, 44, 48], [42, 49, 57],
];

/// A code word: the first bit is the highest of 174.
pub type Bits = [bool; CODE_BITS];

struct Tables {
    /// The bits of each check.
    bits_of_check: Vec<Vec<usize>>,
    /// The bits of a message and checksum, the first the highest of 91, that each parity bit adds.
    parity: Vec<u128>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut bits_of_check = vec![Vec::new(); CHECKS];
        for (bit, checks) in CHECKS_OF_BIT.iter().enumerate() {
            checks.iter().for_each(|&check| bits_of_check[usize::from(check) - 1].push(bit));
        }
        // Each check as the parity bits in it, and the other bits: solved for the parity bits.
        let mut rows: Vec<(u128, u128)> = bits_of_check
            .iter()
            .map(|bits| {
                bits.iter().fold((0, 0), |(parity, data), &bit| match bit.checked_sub(DATA_BITS) {
                    Some(bit) => (parity | 1 << bit, data),
                    None => (parity, data | 1 << (DATA_BITS - 1 - bit)),
                })
            })
            .collect();
        for column in 0..CHECKS {
            let pivot =
                (column..CHECKS).find(|&row| rows[row].0 >> column & 1 == 1).expect("the code has full rank");
            rows.swap(column, pivot);
            let (parity, data) = rows[column];
            for (row, other) in rows.iter_mut().enumerate() {
                if row != column && other.0 >> column & 1 == 1 {
                    *other = (other.0 ^ parity, other.1 ^ data);
                }
            }
        }
        Tables { bits_of_check, parity: rows.into_iter().map(|row| row.1).collect() }
    })
}

/// The checksum of a message.
pub fn crc(message: u128) -> u16 {
    let mut rest = message << (CRC_ZEROS + 14);
    for bit in (14..MESSAGE_BITS + CRC_ZEROS + 14).rev() {
        if rest >> bit & 1 == 1 {
            rest ^= (1 << 14 | CRC_POLYNOMIAL) << (bit - 14);
        }
    }
    rest as u16
}

/// The code word of a message, its lowest 77 bits.
pub fn encode(message: u128) -> Bits {
    let message = message & ((1 << MESSAGE_BITS) - 1);
    encode_data(message << 14 | u128::from(crc(message)))
}

/// The code word of 91 bits.
fn encode_data(data: u128) -> Bits {
    let parity = &tables().parity;
    std::array::from_fn(|bit| match bit.checked_sub(DATA_BITS) {
        Some(check) => (data & parity[check]).count_ones() % 2 == 1,
        None => data >> (DATA_BITS - 1 - bit) & 1 == 1,
    })
}

/// The message of a code word whose checksum is right.
fn message_of(bits: &Bits) -> Option<u128> {
    let data = bits[..DATA_BITS].iter().fold(0u128, |data, bit| data << 1 | u128::from(*bit));
    let message = data >> 14;
    // All zeros are a code word with a right checksum, and mean nothing.
    (message != 0 && u128::from(crc(message)) == data & 0x3fff).then_some(message)
}

/// What a decoder has found.
#[derive(Clone, Debug)]
pub struct Decoded {
    pub message: u128,
    pub bits: Bits,
    /// How much of the soft bits' sum of amounts speaks against the code word, 0 to 1.
    pub against: f32,
}

fn decoded(bits: Bits, soft: &[f32; CODE_BITS]) -> Option<Decoded> {
    let message = message_of(&bits)?;
    let (mut against, mut all) = (0.0, 0.0);
    for (bit, soft) in bits.iter().zip(soft) {
        all += soft.abs();
        if *bit != (*soft > 0.0) {
            against += soft.abs();
        }
    }
    Some(Decoded { message, bits, against: against / all.max(f32::MIN_POSITIVE) })
}

/// Rounds of belief propagation.
const ROUNDS: usize = 30;

/// What belief propagation comes to.
pub enum Propagated {
    Decoded(Decoded),
    /// The sums of what each bit was believed to be over the first rounds.
    Failed(Box<[f32; CODE_BITS]>),
}

/// The code word that belief propagation comes to from soft bits: log-likelihood ratios, positive for 1.
pub fn propagate(soft: &[f32; CODE_BITS]) -> Propagated {
    let tables = tables();
    // What checks say to the bits: for each check at the place that the bit has in it.
    let mut said: Vec<[f32; 7]> = vec![[0.0; 7]; CHECKS];
    let mut belief = *soft;
    let mut sums = [0.0; CODE_BITS];
    let mut fewest = usize::MAX;
    let mut since = 0;
    for round in 0..ROUNDS {
        let bits: Bits = std::array::from_fn(|n| belief[n] > 0.0);
        let failed = tables
            .bits_of_check
            .iter()
            .filter(|check| check.iter().filter(|&&n| bits[n]).count() % 2 == 1)
            .count();
        if failed == 0 {
            if let Some(found) = decoded(bits, soft) {
                return Propagated::Decoded(found);
            }
            break;
        }
        // It does not come to an end where it has not come nearer for long.
        since = if failed < fewest { 0 } else { since + 1 };
        fewest = fewest.min(failed);
        if since >= 5 && round >= 10 && failed > 15 {
            break;
        }
        for (check, said) in tables.bits_of_check.iter().zip(&mut said) {
            let mut halves = [0.0f32; 7];
            for (n, &bit) in check.iter().enumerate() {
                // The sign is that of a 0, as the product wants it.
                halves[n] = (-(belief[bit] - said[n]) / 2.0).tanh();
            }
            let count = check.len();
            for (n, said) in said.iter_mut().enumerate().take(count) {
                let product: f32 = (0..count).filter(|&m| m != n).map(|m| halves[m]).product();
                *said = -2.0 * product.clamp(-0.999_999, 0.999_999).atanh();
            }
        }
        belief = *soft;
        for (check, said) in tables.bits_of_check.iter().zip(&said) {
            check.iter().zip(said).for_each(|(&bit, said)| belief[bit] += said);
        }
        if round < 3 {
            sums.iter_mut().zip(&belief).for_each(|(sum, belief)| *sum += belief);
        }
    }
    Propagated::Failed(Box::new(sums))
}

/// The code word nearest to soft bits among those that differ in at most two of the 91 most reliable independent bits from what
/// the soft bits say (ordered statistics decoding), if its checksum is right.
///
/// `soft` says which bits are reliable, `heard` is what the result is compared with.
pub fn search(soft: &[f32; CODE_BITS], heard: &[f32; CODE_BITS]) -> Option<Decoded> {
    let mut places: Vec<usize> = (0..CODE_BITS).collect();
    places.sort_by(|a, b| soft[*b].abs().total_cmp(&soft[*a].abs()));
    // The code words of each bit of data, as columns in the order of reliability: bit n of a row is that of places[n].
    let mut rows: Vec<Word> = (0..DATA_BITS)
        .map(|bit| {
            let bits = encode_data(1 << (DATA_BITS - 1 - bit));
            Word::of(|n| bits[places[n]])
        })
        .collect();
    // Reduced so that each row alone has a 1 at its base.
    let mut base = Vec::with_capacity(DATA_BITS);
    for column in 0..CODE_BITS {
        let done = base.len();
        let Some(pivot) = (done..DATA_BITS).find(|&row| rows[row].bit(column)) else { continue };
        rows.swap(done, pivot);
        let word = rows[done];
        for (row, other) in rows.iter_mut().enumerate() {
            if row != done && other.bit(column) {
                *other = other.xor(word);
            }
        }
        base.push(column);
        if base.len() == DATA_BITS {
            break;
        }
    }
    let hard = Word::of(|n| soft[places[n]] > 0.0);
    let start = base
        .iter()
        .zip(&rows)
        .fold(Word([0; 3]), |word, (&column, row)| if hard.bit(column) { word.xor(*row) } else { word });
    // The weight of each byte of differences.
    let weights: Vec<f32> = places.iter().map(|&n| soft[n].abs()).collect();
    let cost = Costs::new(&weights);
    let differences = start.xor(hard);
    let mut best = (cost.of(differences), differences);
    let mut try_word = |word: Word| {
        let cost = cost.of(word);
        if cost < best.0 {
            best = (cost, word);
        }
    };
    for a in 0..DATA_BITS {
        let one = differences.xor(rows[a]);
        try_word(one);
        rows[..a].iter().for_each(|row| try_word(one.xor(*row)));
    }
    let word = best.1.xor(hard);
    let mut bits = [false; CODE_BITS];
    places.iter().enumerate().for_each(|(n, &place)| bits[place] = word.bit(n));
    decoded(bits, heard)
}

/// 174 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Word([u64; 3]);

impl Word {
    fn of(bit: impl Fn(usize) -> bool) -> Word {
        let mut word = [0; 3];
        (0..CODE_BITS).filter(|&n| bit(n)).for_each(|n| word[n / 64] |= 1 << (n % 64));
        Word(word)
    }

    fn bit(self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    fn xor(self, other: Word) -> Word {
        Word([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1], self.0[2] ^ other.0[2]])
    }
}

/// The sum of the weights of a word's bits, byte by byte.
struct Costs(Vec<[f32; 256]>);

impl Costs {
    fn new(weights: &[f32]) -> Costs {
        let table = |weights: &[f32]| {
            let mut sums = [0.0; 256];
            for byte in 1usize..256 {
                let lowest = byte.trailing_zeros() as usize;
                sums[byte] = sums[byte & (byte - 1)] + weights.get(lowest).unwrap_or(&0.0);
            }
            sums
        };
        Costs(weights.chunks(8).map(table).collect())
    }

    fn of(&self, word: Word) -> f32 {
        let byte = |n: usize| (word.0[n / 8] >> (8 * (n % 8)) & 0xff) as usize;
        self.0.iter().enumerate().map(|(n, sums)| sums[byte(n)]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row of the published generator matrix: 8329ce11bf31eaf509f27fc.
    #[test]
    fn the_parity_bits_are_those_of_the_published_matrix() {
        assert_eq!(tables().parity[0], 0x832_9ce1_1bf3_1eaf_509f_27fc >> 1);
        assert_eq!(tables().parity[82], 0x608_cc85_7594_bfbb_55d6_9600 >> 1);
    }
}
