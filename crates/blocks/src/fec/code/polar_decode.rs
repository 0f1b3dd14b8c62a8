//! Decodes polar codes: successive cancellation, and a list of ways.
//!
//! A node of the tree of halves gets log-likelihood ratios `a` and `b` of its two halves, positive for a zero. Its first
//! child gets `f(a, b) = sign(a) · sign(b) · min(|a|, |b|)`, and gives the bits `v`; the second gets `b ± a`, minus where
//! `v` is 1, and gives `w`; the node's bits are `v ⊕ w` and `w`. Each level has its own memory, so that a block takes
//! `O(N log N)` steps in `2N` places.
//!
//! # Source
//! Arıkan 2009; nodes without frozen bits, or with nothing else, at once: A. Alamdar-Yazdi and F. R. Kschischang, "A
//! simplified successive-cancellation decoder for polar codes", 2011. Lists: I. Tal and A. Vardy, "List decoding of polar
//! codes", 2015, with the metrics of A. Balatsoukas-Stimming et al., "LLR-based successive cancellation list decoding of
//! polar codes", 2015.

use super::polar::{Polar, Under, transform};

/// The memory of the decoder, which is kept from block to block.
#[derive(Clone, Debug, Default)]
pub struct PolarDecoder {
    /// Successive cancellation: the ratios of a block, and behind them those of half of it, and so on.
    ratios: Vec<f32>,
    bits: Vec<u8>,
    levels: Vec<Level>,
    ways: Ways,
}

/// What the list decoder knows of one level of the tree: rows of the level's size, one for each way.
#[derive(Clone, Debug, Default)]
struct Level {
    /// The places under a node.
    size: usize,
    ratios: Vec<f32>,
    /// The bits that came out of the node.
    bits: Vec<u8>,
    /// The way that each way was when the node was entered.
    origins: Vec<usize>,
    /// Those two of the first child.
    first: Vec<u8>,
    first_origins: Vec<usize>,
}

/// The ways that are followed.
#[derive(Clone, Debug, Default)]
struct Ways {
    /// What speaks against each.
    metrics: Vec<f32>,
    /// The ways that a bit makes of them: metric, way, bit.
    forks: Vec<(f32, usize, u8)>,
}

impl PolarDecoder {
    /// Decodes a block of soft bits, positive for a one.
    pub fn decode(&mut self, code: &Polar, soft: &[f32], bits: &mut [u8]) {
        let n = soft.len();
        self.bits.resize(n, 0);
        if code.ways == 1 {
            self.ratios.resize(2 * n, 0.0);
            let (ratios, below) = self.ratios.split_at_mut(n);
            turn_round(code, soft, ratios);
            cancel(&code.kinds, 1, ratios, below, &mut self.bits);
        } else {
            self.fit(n, code.ways);
            turn_round(code, soft, &mut self.levels[0].ratios);
            self.ways.metrics.clear();
            self.ways.metrics.push(0.0);
            follow(code, 1, &mut self.levels, &mut self.ways);
            let metrics = self.ways.metrics.iter().enumerate();
            let best = metrics.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(way, _)| way);
            self.bits.copy_from_slice(&self.levels[0].bits[best * n..][..n]);
        }
        if !code.systematic {
            transform(&mut self.bits);
        }
        bits.iter_mut().zip(&code.places).for_each(|(bit, place)| *bit = self.bits[*place as usize]);
    }

    /// Makes the memory that of a code.
    fn fit(&mut self, n: usize, ways: usize) {
        let is_fit =
            self.levels.first().is_some_and(|level| level.size == n && level.ratios.len() == n * ways);
        if is_fit {
            return;
        }
        let level = |size: usize| Level {
            size,
            ratios: vec![0.0; size * ways],
            bits: vec![0; size * ways],
            first: vec![0; size / 2 * ways],
            ..Level::default()
        };
        self.levels = (0..=n.trailing_zeros()).map(|depth| level(n >> depth)).collect();
    }
}

/// The log-likelihood ratios of soft bits, at the places before bit reversal.
fn turn_round(code: &Polar, soft: &[f32], ratios: &mut [f32]) {
    ratios.iter_mut().zip(&code.reversed).for_each(|(ratio, place)| *ratio = -soft[*place as usize]);
}

/// Whether both are zero, or both one.
#[inline(always)]
fn either(a: f32, b: f32) -> f32 {
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    f32::from_bits(a.abs().min(b.abs()).to_bits() | sign)
}

/// The second half, where the first has been decided.
#[inline(always)]
fn given(a: f32, b: f32, bit: u8) -> f32 {
    let sign = u32::from(bit) << 31;
    b + f32::from_bits(a.to_bits() ^ sign)
}

/// Successive cancellation of a node.
fn cancel(kinds: &[Under], node: usize, ratios: &[f32], below: &mut [f32], bits: &mut [u8]) {
    match kinds[node] {
        Under::Zeros => bits.fill(0),
        Under::Free => bits.iter_mut().zip(ratios).for_each(|(bit, ratio)| *bit = (*ratio < 0.0).into()),
        Under::Mixed if ratios.len() == 1 => bits[0] = 1,
        Under::Mixed => {
            let half = ratios.len() / 2;
            let (a, b) = ratios.split_at(half);
            let (first, second) = bits.split_at_mut(half);
            let (child, below) = below.split_at_mut(half);
            child.iter_mut().zip(a.iter().zip(b)).for_each(|(y, (a, b))| *y = either(*a, *b));
            cancel(kinds, 2 * node, child, below, first);
            let halves = a.iter().zip(b).zip(&*first);
            child.iter_mut().zip(halves).for_each(|(y, ((a, b), bit))| *y = given(*a, *b, *bit));
            cancel(kinds, 2 * node + 1, child, below, second);
            first.iter_mut().zip(second).for_each(|(a, b)| *a ^= *b);
        }
    }
}

/// Follows all ways through a node: its ratios are in `levels[0]`, its bits come there.
fn follow(code: &Polar, node: usize, levels: &mut [Level], ways: &mut Ways) {
    let Some((this, below)) = levels.split_first_mut() else { return };
    let n = this.size;
    let count = ways.metrics.len();
    match (code.kinds[node], below) {
        (Under::Zeros, _) => {
            for (metric, ratios) in ways.metrics.iter_mut().zip(this.ratios.chunks_exact(n)) {
                *metric -= ratios.iter().map(|ratio| ratio.min(0.0)).sum::<f32>();
            }
            this.bits[..count * n].fill(0);
            stay(&mut this.origins, count);
        }
        (Under::Mixed, []) => {
            ways.metrics.iter_mut().zip(&this.ratios).for_each(|(metric, ratio)| *metric += ratio.max(0.0));
            this.bits[..count].fill(1);
            stay(&mut this.origins, count);
        }
        (Under::Free, []) => fork(code.ways, this, ways),
        (_, below) => {
            let half = n / 2;
            for way in 0..count {
                let (a, b) = this.ratios[way * n..][..n].split_at(half);
                let child = &mut below[0].ratios[way * half..][..half];
                child.iter_mut().zip(a.iter().zip(b)).for_each(|(y, (a, b))| *y = either(*a, *b));
            }
            follow(code, 2 * node, below, ways);
            let count = ways.metrics.len();
            this.first[..count * half].copy_from_slice(&below[0].bits[..count * half]);
            this.first_origins.clone_from(&below[0].origins);
            for way in 0..count {
                let (a, b) = this.ratios[this.first_origins[way] * n..][..n].split_at(half);
                let halves = a.iter().zip(b).zip(&this.first[way * half..][..half]);
                let child = &mut below[0].ratios[way * half..][..half];
                child.iter_mut().zip(halves).for_each(|(y, ((a, b), bit))| *y = given(*a, *b, *bit));
            }
            follow(code, 2 * node + 1, below, ways);
            this.origins.clear();
            for (way, &origin) in below[0].origins.iter().enumerate() {
                let second = &below[0].bits[way * half..][..half];
                let (y, z) = this.bits[way * n..][..n].split_at_mut(half);
                let pairs = this.first[origin * half..][..half].iter().zip(second);
                y.iter_mut().zip(pairs).for_each(|(y, (a, b))| *y = a ^ b);
                z.copy_from_slice(second);
                this.origins.push(this.first_origins[origin]);
            }
        }
    }
}

/// Each way goes on as itself.
fn stay(origins: &mut Vec<usize>, count: usize) {
    origins.clear();
    origins.extend(0..count);
}

/// Each way goes on with a zero and with a one; the best of all remain.
fn fork(most: usize, this: &mut Level, ways: &mut Ways) {
    ways.forks.clear();
    for (way, (metric, ratio)) in ways.metrics.iter().zip(&this.ratios).enumerate() {
        ways.forks.push((metric - ratio.min(0.0), way, 0));
        ways.forks.push((metric + ratio.max(0.0), way, 1));
    }
    if ways.forks.len() > most {
        ways.forks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        ways.forks.truncate(most);
    }
    ways.metrics.clear();
    this.origins.clear();
    for (place, &(metric, way, bit)) in ways.forks.iter().enumerate() {
        ways.metrics.push(metric);
        this.origins.push(way);
        this.bits[place] = bit;
    }
}

#[cfg(test)]
mod tests {
    use super::super::polar::Design;
    use super::*;
    use crate::testing::noise;

    const BITS: [u8; 16] = [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1];

    fn code(ways: usize) -> Polar {
        let code = Polar::designed(32, 16, Design::Erasure { probability: 0.5 }).unwrap();
        code.ways(ways).unwrap()
    }

    /// Numbers that a script for GNU Radio draws, too: sums of four of a linear congruential generator.
    fn drawn(n: usize) -> Vec<f32> {
        let mut state = 1u32;
        let mut draw = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8 & 0xffff) as f32
        };
        (0..n).map(|_| ((0..4).map(|_| draw()).sum::<f32>() - 131_072.0) / 65_536.0).collect()
    }

    /// What 24 blocks with strong noise become, 16 bits a number.
    fn decoded(code: &Polar) -> Vec<u16> {
        let mut sent = [0; 32];
        code.encode(&BITS, &mut sent);
        let mut decoder = PolarDecoder::default();
        let blocks = drawn(24 * 32);
        let blocks = blocks.chunks(32).map(|noise| {
            let soft: Vec<f32> = sent
                .iter()
                .zip(noise)
                .map(|(bit, noise)| f32::from(*bit) * 2.0 - 1.0 + 2.0 * noise)
                .collect();
            let mut bits = [0; 16];
            decoder.decode(code, &soft, &mut bits);
            bits.iter().fold(0, |word, bit| word << 1 | u16::from(*bit))
        });
        blocks.collect()
    }

    #[test]
    fn blocks_with_wrong_bits_become_what_gnu_radio_makes_of_them() {
        let cancelled = [
            0xb2e5, 0xb2e5, 0x5ca9, 0x2bf4, 0xb2e5, 0x629a, 0xb2e5, 0xb2e5, 0x3255, 0xb2e5, 0xb2e5, 0xb225,
            0xb2e5, 0xb2e5, 0xc262, 0xb2e5, 0xb2e5, 0xb2e5, 0x647a, 0xb74f, 0xb125, 0xe7e5, 0x4669, 0x7229,
        ];
        assert_eq!(decoded(&code(1)), cancelled);
        let listed = [
            0xb2e5, 0xb2e5, 0xb2e5, 0x2bf4, 0xb2e5, 0x629a, 0xb2e5, 0xb2e5, 0xf269, 0xb2e5, 0xb2e5, 0xb225,
            0xb2e5, 0xb2e5, 0xc262, 0xb2e5, 0xb2e5, 0xb2e5, 0x647a, 0xb74f, 0xb125, 0x3a25, 0x4669, 0x7229,
        ];
        assert_eq!(decoded(&code(2)), listed);
        // Longer lists find the nearest of all blocks, which a search of all finds.
        let nearest: Vec<u16> = listed
            .iter()
            .enumerate()
            .map(|(n, bits)| match n {
                10 => 0x5c95,
                17 => 0xd229,
                _ => *bits,
            })
            .collect();
        assert_eq!(decoded(&code(8)), nearest);
        assert_eq!(decoded(&code(64)), nearest);
        let systematic = [
            0xb2e5, 0xb2e5, 0x5273, 0xb2ec, 0xb2e5, 0x90a7, 0xb2e5, 0xb2e5, 0xf66d, 0x1aef, 0x96a7, 0xb2a5,
            0xd2c6, 0xb2e5, 0xb5ea, 0xa3e4, 0xb2e5, 0x9ab4, 0xaea4, 0xf6f5, 0xf6e1, 0xb2e5, 0xb2ed, 0xa37d,
        ];
        assert_eq!(decoded(&code(1).systematic().unwrap()), systematic);
    }

    #[test]
    fn a_list_of_one_way_is_successive_cancellation() {
        for (block, info) in [(8, 4), (64, 20), (256, 128)] {
            let code = Polar::designed(block, info, Design::Noise { snr_db: 0.0 }).unwrap();
            for soft in noise(50 * block).chunks(block) {
                let mut cancelled = vec![0; info];
                PolarDecoder::default().decode(&code, soft, &mut cancelled);

                let mut decoder = PolarDecoder::default();
                decoder.fit(block, 1);
                turn_round(&code, soft, &mut decoder.levels[0].ratios);
                decoder.ways.metrics.push(0.0);
                follow(&code, 1, &mut decoder.levels, &mut decoder.ways);
                transform(&mut decoder.levels[0].bits);
                let bits = &decoder.levels[0].bits;
                let listed: Vec<u8> = code.places.iter().map(|place| bits[*place as usize]).collect();
                assert_eq!(listed, cancelled);
            }
        }
    }

    #[test]
    fn blocks_of_every_size_come_back_also_with_frozen_ones() {
        let mut decoder = PolarDecoder::default();
        for power in 1..=12 {
            let block = 1 << power;
            for info in [1, block / 2, block - 1, block] {
                let designed = Polar::designed(block, info, Design::Noise { snr_db: 2.0 }).unwrap();
                let frozen: Vec<_> = designed.frozen().into_iter().map(|n| (n, (n % 3 % 2) as u8)).collect();
                let with_ones = Polar::new(block, &frozen).unwrap();
                let with_list = with_ones.clone().ways(4).unwrap();
                for code in [designed.clone(), designed.systematic().unwrap(), with_ones, with_list] {
                    let bits: Vec<u8> = noise(info).iter().map(|x| u8::from(*x > 0.0)).collect();
                    let mut sent = vec![0; block];
                    code.encode(&bits, &mut sent);
                    let soft: Vec<f32> = sent.iter().map(|bit| f32::from(*bit) * 2.0 - 1.0).collect();
                    let mut back = vec![0; info];
                    decoder.decode(&code, &soft, &mut back);
                    assert_eq!(back, bits, "{block} {info}");
                }
            }
        }
    }

    #[test]
    fn longer_lists_lose_fewer_blocks() {
        let code = Polar::designed(128, 64, Design::Noise { snr_db: 0.0 }).unwrap();
        let bits: Vec<u8> = noise(64).iter().map(|x| u8::from(*x > 0.0)).collect();
        let mut sent = vec![0; 128];
        code.encode(&bits, &mut sent);
        let draws = noise(300 * 128 * 6);
        let lost = [1, 2, 8].map(|ways| {
            let code = code.clone().ways(ways).unwrap();
            let mut decoder = PolarDecoder::default();
            let blocks = draws.chunks(128 * 6).filter(|draws| {
                let noise = draws.chunks(6).map(|parts| parts.iter().sum::<f32>() * 0.55);
                let soft: Vec<f32> =
                    sent.iter().zip(noise).map(|(bit, noise)| f32::from(*bit) * 2.0 - 1.0 + noise).collect();
                let mut back = vec![0; 64];
                decoder.decode(&code, &soft, &mut back);
                back != bits
            });
            blocks.count()
        });
        assert!(lost[0] > lost[1] && lost[1] >= lost[2] && lost[0] < 150, "{lost:?}");
    }
}
