//! Finds the groups of RDS in soft bits.

use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::block_code::{BLOCK, BLOCKS, GROUP, OFFSET_C2, OFFSETS, bits_of, burst_length, error, remainder};
use crate::tags::{IndexClock, Piece};

/// Sends the groups of RDS that soft bits say, each 8 bytes: the 16 bits of the blocks A to D, without their checkwords.
///
/// All 104 places at which groups may begin are weighed at once: each block adds to the logarithm of the likelihood ratio of "groups
/// begin here" to "these bits are random", more where its remainder is that of its offset, some where it is after one wrong symbol,
/// and less than nothing otherwise. Groups are sent from the place whose sum is above 20, until it is 0 or another one's is higher.
/// So groups are found within one or two where there are few errors, and kept where one block in ten is right.
///
/// Bursts of one or two wrong bits are corrected: a wrong symbol makes two of them. Bursts of up to five bits are corrected where
/// the bits that would be wrong are about a third as sure as the mean, or less. A group without a good block B is not sent, since
/// nobody knows what it is.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | soft bits, above 0 for 1; those that are not finite count as 0 |
/// | out `out` | packets of `u8` | groups |
///
/// | metadata | is |
/// |---|---|
/// | `blocks` | a letter for each block: a capital one for one that came without errors, a small one for one that was corrected, `-` for one that was not; its bytes are 0 |
/// | `snr_db` | dB, of a symbol, behind [`RdsDemod`](super::RdsDemod) |
/// | `sample_index`, `duration_samples` | behind [`IndexTags`](crate::tags::IndexTags): where the group is |
///
/// # Source
/// IEC 62106, section 5.2 and annexes A to C; E. S. Page, "Continuous inspection schemes", Biometrika 41, 1954, for the sums.
#[derive(Debug, Block)]
pub struct RdsFramer {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    /// The last bits, the newest lowest, and how many have come.
    word: u32,
    taken: u64,
    /// The last bits of a group's length: bit `n` lies at `n` modulo that.
    soft: [f32; GROUP],
    /// For each place at which groups may begin, how likely that is.
    scores: [f32; GROUP],
    place: Option<usize>,
    clock: IndexClock,
}

/// What a block adds: `ln(p / q)`, where `p` is how often blocks of a weak signal are so (35, 25 and 40 of 100), and `q` how often
/// random bits are (1, 51 and 972 of 1024).
const RIGHT: f32 = 5.88;
const CORRECTABLE: f32 = 1.61;
const WRONG: f32 = -0.86;
/// Random bits reach that less than once in 10⁸.
const ENOUGH: f32 = 20.0;
/// So that it is given up after about 50 wrong blocks.
const MOST: f32 = 40.0;
/// One wrong symbol.
const SHORT_BURST: u32 = 2;
/// A longer burst is corrected where its bits are less sure than this, by the mean.
const UNSURE: f32 = 0.35;
/// A bit that is further from zero says no more.
const SUREST: f32 = 4.0;

/// A block that came.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Came {
    bits: u16,
    is_corrected: bool,
}

impl Default for RdsFramer {
    fn default() -> Self {
        RdsFramer::new()
    }
}

#[declare(
    category = "fm",
    summary = "Finds the groups of RDS in soft bits, and corrects them.",
    ports(
        input("in", "f32", "soft bits, above 0 for 1"),
        output("out", "messages", "packets of u8: groups of 8 bytes")
    )
)]
impl RdsFramer {
    /// Looks for groups.
    pub fn new() -> Self {
        RdsFramer {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            word: 0,
            taken: 0,
            soft: [0.0; GROUP],
            scores: [0.0; GROUP],
            place: None,
            clock: IndexClock::default(),
        }
    }

    /// Takes the next bit; the group that is whole with it.
    fn take(&mut self, soft: f32) -> Option<Packet<u8>> {
        let soft = if soft.is_nan() { 0.0 } else { soft.clamp(-SUREST, SUREST) };
        self.soft[(self.taken % GROUP as u64) as usize] = soft;
        self.word = (self.word << 1 | u32::from(soft > 0.0)) & ((1 << BLOCK) - 1);
        self.taken += 1;
        if self.taken < BLOCK as u64 {
            return None;
        }
        let remainder = remainder(self.word);
        let end = (self.taken % GROUP as u64) as usize;
        for block in 0..BLOCKS {
            let place = (end + GROUP - BLOCK * (block + 1)) % GROUP;
            let score = &mut self.scores[place];
            *score = (*score + evidence(block, remainder)).clamp(0.0, MOST);
            let score = *score;
            let held = self.place.map_or(ENOUGH, |held| self.scores[held]);
            if score > held {
                self.place = Some(place);
            } else if self.place == Some(place) && score == 0.0 {
                self.place = None;
            }
        }
        if self.place == Some(end) && self.taken >= GROUP as u64 { self.group() } else { None }
    }

    /// The last bits as a group.
    fn group(&self) -> Option<Packet<u8>> {
        let mut soft = self.soft;
        soft.rotate_left((self.taken % GROUP as u64) as usize);
        let mean = soft.iter().map(|soft| soft.abs()).sum::<f32>() / GROUP as f32;
        let came = |block: usize, offset: u32| came(&soft[BLOCK * block..][..BLOCK], offset, mean);
        let second = came(1, OFFSETS[1])?;
        let is_type_b = second.bits >> 11 & 1 == 1;
        let third = if is_type_b { OFFSET_C2 } else { OFFSETS[2] };
        let blocks = [came(0, OFFSETS[0]), Some(second), came(2, third), came(3, OFFSETS[3])];
        let bytes = blocks.map(|block| block.map_or(0, |block| block.bits).to_be_bytes());
        let letter = |(block, letter): (&Option<Came>, char)| match block {
            None => '-',
            Some(block) if block.is_corrected => letter.to_ascii_lowercase(),
            Some(_) => letter,
        };
        let mut packet = Packet::from_items(bytes.as_flattened());
        packet.set("blocks", blocks.iter().zip("ABCD".chars()).map(letter).collect::<String>());
        packet.set("snr_db", snr_db(&soft));
        let first = self.clock.sample_of(self.taken - GROUP as u64);
        if let Some((start, end)) = first.zip(self.clock.sample_of(self.taken)) {
            packet.set("sample_index", start);
            packet.set("duration_samples", end.saturating_sub(start));
        }
        Some(packet)
    }
}

/// What bits of this remainder say about their being that block.
fn evidence(block: usize, remainder: u32) -> f32 {
    let of = |offset: u32| match error(remainder ^ offset) {
        Some(0) => RIGHT,
        Some(wrong) if burst_length(wrong) <= SHORT_BURST => CORRECTABLE,
        _ => WRONG,
    };
    if block == 2 { of(OFFSETS[2]).max(of(OFFSET_C2)) } else { of(OFFSETS[block]) }
}

/// The block that soft bits say, whose levels have this mean in the group; none where there are too many errors.
fn came(soft: &[f32], offset: u32, mean: f32) -> Option<Came> {
    let word = soft.iter().fold(0, |word, soft| word << 1 | u32::from(*soft > 0.0));
    let wrong = error(remainder(word) ^ offset)?;
    if burst_length(wrong) > SHORT_BURST {
        let places = (0..BLOCK).filter(|place| wrong >> (BLOCK - 1 - place) & 1 == 1);
        let levels: f32 = places.map(|place| soft[place].abs()).sum();
        if levels >= UNSURE * mean * wrong.count_ones() as f32 {
            return None;
        }
    }
    Some(Came { bits: bits_of(word ^ wrong), is_corrected: wrong != 0 })
}

/// The signal-to-noise ratio of symbols, by the soft bits that are made of them.
///
/// Each is the lesser of the levels of two symbols. With a standard deviation `s` of the noise, relative to the signal, the mean is
/// `1 − s / √π` and the variance `s² (1 − 1 / π)`.
fn snr_db(soft: &[f32]) -> f64 {
    let count = soft.len() as f64;
    let mean = soft.iter().map(|soft| f64::from(soft.abs())).sum::<f64>() / count;
    let square = soft.iter().map(|soft| f64::from(soft * soft)).sum::<f64>() / count;
    let variance = (square - mean * mean).max(1e-6 * square);
    if variance <= 0.0 {
        return 0.0;
    }
    let pi = std::f64::consts::PI;
    20.0 * ((mean * mean / variance * (1.0 - 1.0 / pi)).sqrt() + 1.0 / pi.sqrt()).log10()
}

/// So many bits are taken in one call.
const AT_ONCE: usize = 1024;

impl Work for RdsFramer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (_, soft, tags) in piece.each() {
            tags.iter().for_each(|tag| self.clock.note(tag));
            if let Some(packet) = self.take(soft) {
                self.output.send(packet)?;
            }
        }
        Ok(piece.step())
    }
}

#[cfg(test)]
mod tests {
    use super::super::block_code::block;
    use super::*;
    use crate::sources::random::Random;

    /// The soft bits of a group.
    fn bits(blocks: [u16; BLOCKS]) -> Vec<f32> {
        let is_type_b = blocks[1] >> 11 & 1 == 1;
        let offset = |n: usize| if n == 2 && is_type_b { OFFSET_C2 } else { OFFSETS[n] };
        let words = (0..BLOCKS).map(|n| block(blocks[n], offset(n)));
        words
            .flat_map(|word| (0..BLOCK).rev().map(move |n| if word >> n & 1 == 1 { 1.0 } else { -1.0 }))
            .collect()
    }

    fn stream(groups: usize) -> (Vec<[u16; BLOCKS]>, Vec<f32>) {
        let mut random = Random::new(7);
        let mut draw = || random.below(1 << 16) as u16;
        let groups: Vec<[u16; BLOCKS]> = (0..groups).map(|_| [0xd3c1, draw(), draw(), draw()]).collect();
        let soft = groups.iter().flat_map(|group| bits(*group)).collect();
        (groups, soft)
    }

    fn frame(soft: &[f32]) -> Vec<Packet<u8>> {
        let mut framer = RdsFramer::new();
        soft.iter().filter_map(|soft| framer.take(*soft)).collect()
    }

    fn blocks_of(packet: &Packet<u8>) -> [u16; BLOCKS] {
        let bytes = packet.items();
        std::array::from_fn(|n| u16::from_be_bytes([bytes[2 * n], bytes[2 * n + 1]]))
    }

    fn letters(packet: &Packet<u8>) -> &str {
        packet.get("blocks").unwrap().as_str().unwrap()
    }

    #[test]
    fn groups_come_wherever_they_begin_and_from_the_first_one_on() {
        let (groups, soft) = stream(20);
        for skipped in [0, 1, 25, 50, 103] {
            let got: Vec<_> = frame(&soft[skipped..]).iter().map(blocks_of).collect();
            assert_eq!(got, groups[if skipped > 0 { 1 } else { 0 }..], "{skipped}");
        }
    }

    #[test]
    fn bursts_are_corrected_and_longer_ones_where_their_bits_are_unsure() {
        let (groups, soft) = stream(40);
        let mut spoilt = soft.clone();
        for group in 10..30 {
            // Two sure bits in A, five unsure ones in B, five sure ones in C: not corrected.
            let from = GROUP * group;
            (0..2).for_each(|n| spoilt[from + group / 2 + n] *= -1.0);
            (0..5).for_each(|n| spoilt[from + BLOCK + group / 2 + n] *= -0.2);
            (0..5).for_each(|n| spoilt[from + 2 * BLOCK + group / 2 + n] *= -1.0);
        }
        let got = frame(&spoilt);
        assert_eq!(got.len(), groups.len());
        for (n, (packet, wanted)) in got.iter().zip(&groups).enumerate() {
            let is_spoilt = (10..30).contains(&n);
            assert_eq!(letters(packet), if is_spoilt { "ab-D" } else { "ABCD" }, "{n}");
            let mut wanted = *wanted;
            if is_spoilt {
                wanted[2] = 0;
            }
            assert_eq!(blocks_of(packet), wanted, "{n}");
        }
    }

    #[test]
    fn a_lost_bit_costs_few_groups() {
        let (groups, mut soft) = stream(100);
        soft.remove(50 * GROUP + 30);
        let got = frame(&soft);
        let whole: Vec<_> = got.iter().filter(|packet| letters(packet) == "ABCD").map(blocks_of).collect();
        assert!(whole.iter().all(|group| groups.contains(group)));
        assert!(whole.len() >= 90, "{}", whole.len());
    }

    #[test]
    fn the_ratio_of_signal_to_noise_is_that_of_the_symbols() {
        let mut random = Random::new(3);
        for wanted in [8.0f32, 14.0, 20.0] {
            let deviation = 10f32.powf(-wanted / 20.0);
            let symbols: Vec<f32> = (0..100_000)
                .flat_map(|_| random.normal())
                .map(|noise| (1.0 + deviation * noise).abs())
                .collect();
            let soft: Vec<f32> = symbols.windows(2).map(|pair| pair[0].min(pair[1])).collect();
            let got = snr_db(&soft);
            assert!((got - f64::from(wanted)).abs() < 0.3, "{got}, wanted {wanted}");
        }
    }

    #[test]
    fn noise_has_no_groups() {
        // Ten minutes of it.
        let mut random = Random::new(1);
        let mut framer = RdsFramer::new();
        let groups = (0..712_500).filter(|_| framer.take(random.below(2) as f32 - 0.5).is_some()).count();
        assert_eq!(groups, 0);
        assert_eq!(frame(&[f32::NAN; 1000]).len() + frame(&[f32::INFINITY; 1000]).len(), 0);
    }
}
