//! A decoder of blocks.

use super::{Decision, Kernel, STATES, VITERBI_K7};

/// Bits that bring the encoder back to state 0.
const TAIL: usize = 6;

/// Decodes blocks of the convolutional code K = 7, rate 1/2, polynomials 0o171 and 0o133, from soft symbols.
///
/// A block is encoded from state 0 and ends with six zeros, which bring the encoder back there.
///
/// ```
/// use superhet_kernels::ViterbiK7;
/// let sent = [1, 0, 1, 1, 0];
/// let mut symbols: Vec<[u8; 2]> = ViterbiK7::encode(&sent).map(|pair| pair.map(|bit| 255 * bit)).collect();
/// symbols[2] = [128, 128]; // both lost
/// symbols[4][0] ^= 255; // wrong
/// let mut bits = [0; 5];
/// ViterbiK7::new().decode(&mut bits, &symbols);
/// assert_eq!(bits, sent);
/// ```
#[derive(Clone, Debug)]
pub struct ViterbiK7 {
    decisions: Vec<Decision>,
    run: Kernel,
}

impl Default for ViterbiK7 {
    fn default() -> Self {
        Self::new()
    }
}

impl ViterbiK7 {
    /// A decoder. The variant is chosen here, once; memory grows with the longest block.
    pub fn new() -> Self {
        Self { decisions: Vec::new(), run: VITERBI_K7.chosen() }
    }

    /// The pairs of bits that are sent for `bits`, each 0 or 1, and for six zeros after them: first the parity of 0o171.
    pub fn encode(bits: &[u8]) -> impl Iterator<Item = [u8; 2]> {
        let mut register = 0u8;
        bits.iter().chain(&[0; TAIL]).map(move |bit| {
            register = (register << 1 | (bit & 1)) & 0x7f;
            super::POLYNOMIALS.map(|polynomial| ((register & polynomial).count_ones() % 2) as u8)
        })
    }

    /// The most likely `bits`, each 0 or 1, given the symbols of a block: 0 is a sure zero, 255 a sure one, 128 and 127
    /// say nothing.
    ///
    /// # Panics
    ///
    /// Unless `symbols.len() == bits.len() + 6`.
    pub fn decode(&mut self, bits: &mut [u8], symbols: &[[u8; 2]]) {
        assert!(
            symbols.len() == bits.len() + TAIL,
            "decode needs symbols.len() == bits.len() + 6, got {} and {}",
            symbols.len(),
            bits.len()
        );
        self.decisions.resize(symbols.len(), [0; 2]);
        let mut metrics = [4000; STATES];
        metrics[0] = 0;
        (self.run)(&mut self.decisions, &mut metrics, symbols);

        // The newest bit is the lowest of the state that it led to; the decision is the one that was shifted out.
        let mut state = 0;
        for (step, decision) in self.decisions.iter().enumerate().rev() {
            if let Some(bit) = bits.get_mut(step) {
                *bit = (state & 1) as u8;
            }
            let oldest = decision[state & 1] >> (state >> 1) & 1;
            state = state >> 1 | (oldest as usize) << 5;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Item, Noise};

    /// The best block by the definition: all ways through the trellis, kept as bits, with metrics that cannot overflow.
    fn plain(symbols: &[[u8; 2]]) -> Vec<u8> {
        let mut ways: Vec<Option<(u64, Vec<u8>)>> = vec![None; STATES];
        ways[0] = Some((0, Vec::new()));
        for symbols in symbols {
            let mut next = vec![None; STATES];
            for (state, way) in ways.iter().enumerate() {
                let Some((cost, bits)) = way else { continue };
                for bit in 0..2 {
                    let register = state << 1 | bit;
                    let wrong = |k: usize| {
                        let sent = (register as u8 & super::super::POLYNOMIALS[k]).count_ones() % 2;
                        u64::from(if sent == 1 { 255 - symbols[k] } else { symbols[k] })
                    };
                    let (cost, to) = (cost + wrong(0) + wrong(1), register & 63);
                    let better = next[to].as_ref().is_none_or(|(best, _): &(u64, Vec<u8>)| cost < *best);
                    if better {
                        next[to] = Some((cost, [&bits[..], &[bit as u8]].concat()));
                    }
                }
            }
            ways = next;
        }
        let mut bits = ways[0].take().unwrap().1;
        bits.truncate(symbols.len() - TAIL);
        bits
    }

    fn random_bits(len: usize, seed: u64) -> Vec<u8> {
        Noise::new(seed).signal::<u8>(len).iter().map(|byte| byte & 1).collect()
    }

    /// What is received at this amplitude, in noise that is uniform within ±1.5.
    fn receive(bits: &[u8], amplitude: f32, noise: &mut Noise) -> Vec<[u8; 2]> {
        let symbol = |bit: u8, noise: &mut Noise| {
            let level = if bit == 1 { amplitude } else { -amplitude };
            (127.5 + 60.0 * (level + f32::random(noise))).clamp(0.0, 255.0) as u8
        };
        ViterbiK7::encode(bits).map(|pair| pair.map(|bit| symbol(bit, noise))).collect()
    }

    #[test]
    fn clean_blocks_of_all_lengths_come_back() {
        let mut decoder = ViterbiK7::new();
        for len in (0..200).chain([1000, 10_000]) {
            let sent = random_bits(len, len as u64 + 1);
            let symbols: Vec<[u8; 2]> =
                ViterbiK7::encode(&sent).map(|pair| pair.map(|bit| 255 * bit)).collect();
            let mut bits = vec![7; len];
            decoder.decode(&mut bits, &symbols);
            assert_eq!(bits, sent);
        }
    }

    #[test]
    fn noisy_blocks_come_out_as_from_a_plain_decoder_and_mostly_right() {
        let (mut decoder, mut noise) = (ViterbiK7::new(), Noise::new(9));
        let (mut raw_errors, mut errors) = (0, 0);
        for seed in 1..20 {
            let sent = random_bits(300, seed);
            let symbols = receive(&sent, 1.1, &mut noise);
            let sent_pairs: Vec<[u8; 2]> = ViterbiK7::encode(&sent).collect();
            let wrong = |(sent, got): (&[u8; 2], &[u8; 2])| {
                (0..2).filter(|&k| (got[k] > 127) != (sent[k] == 1)).count()
            };
            raw_errors += sent_pairs.iter().zip(&symbols).map(wrong).sum::<usize>();
            let mut bits = vec![7; sent.len()];
            decoder.decode(&mut bits, &symbols);
            assert_eq!(bits, plain(&symbols));
            errors += bits.iter().zip(&sent).filter(|(a, b)| a != b).count();
        }
        assert!(raw_errors > 1000 && errors < 20, "{raw_errors} wrong symbols, {errors} wrong bits");
    }

    #[test]
    #[should_panic(expected = "symbols.len() == bits.len() + 6, got 5 and 1")]
    fn a_block_of_another_length_panics() {
        ViterbiK7::new().decode(&mut [0], &[[0; 2]; 5]);
    }
}
