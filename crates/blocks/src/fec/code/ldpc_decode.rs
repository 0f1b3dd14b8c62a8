//! Decodes low-density parity-check codes.
//!
//! Belief propagation in layers: of each check after the other, what it said before is taken off the beliefs about its
//! bits, it says anew what the other bits make of each, and the beliefs take that at once. Beliefs are log-likelihood
//! ratios, positive for a zero; what checks say lies in one row, in the order of the checks.
//!
//! # Source
//! Gallager 1963 for the sums of products and for bits that are flipped; layers: D. E. Hocevar, "A reduced complexity decoder
//! architecture via layered decoding of LDPC codes", 2004; the least instead of the sum: J. Chen and M. P. C. Fossorier,
//! "Near optimum universal belief propagation based decoding of low-density parity check codes", 2002.

use super::ldpc::{Decoding, Ldpc};

/// The memory of the decoder, which is kept from block to block.
#[derive(Clone, Debug, Default)]
pub struct LdpcDecoder {
    /// The beliefs.
    beliefs: Vec<f32>,
    /// What the checks say.
    said: Vec<f32>,
    /// The block, as it is believed to be.
    hard: Vec<u8>,
    /// What the bits of one check say to it, and the products of all up to each.
    heard: Vec<f32>,
    products: Vec<f32>,
    /// How many checks speak against each bit.
    against: Vec<u32>,
}

/// Beyond this a hyperbolic tangent in f32 is 1.
const SURE: f32 = 16.0;
/// The most that a check says of its one bit.
const MOST: f32 = 1e6;
/// What the least is multiplied by.
const NORMAL: f32 = 0.75;

impl LdpcDecoder {
    /// Decodes a block of soft bits, positive for a one; after how many iterations.
    pub fn decode(&mut self, code: &Ldpc, soft: &[f32], bits: &mut [u8]) -> usize {
        self.hard.clear();
        self.hard.extend(soft.iter().map(|soft| u8::from(*soft > 0.0)));
        if code.decoding != Decoding::BitFlip {
            self.beliefs.clear();
            self.beliefs.extend(soft.iter().map(|soft| -soft * code.scale));
            self.said.clear();
            self.said.resize(code.places.len(), 0.0);
        }
        let mut iterations = 0;
        while iterations < code.most_iterations && !code.has(&self.hard) {
            iterations += 1;
            match code.decoding {
                Decoding::BitFlip => self.flip(code),
                decoding => self.believe(code, decoding),
            }
        }
        code.info(&self.hard, bits);
        iterations
    }

    /// One pass over all checks.
    fn believe(&mut self, code: &Ldpc, decoding: Decoding) {
        let LdpcDecoder { beliefs, said, hard, heard, products, .. } = self;
        let mut rest = &mut said[..];
        for places in code.checks() {
            let (said, after) = rest.split_at_mut(places.len());
            rest = after;
            heard.clear();
            heard.extend(places.iter().zip(&*said).map(|(place, said)| beliefs[*place as usize] - said));
            match decoding {
                Decoding::MinSum => say_least(heard, said),
                _ => say_sums(heard, said, products),
            }
            for ((place, heard), said) in places.iter().zip(&*heard).zip(&*said) {
                beliefs[*place as usize] = heard + said;
            }
        }
        hard.iter_mut().zip(beliefs).for_each(|(bit, belief)| *bit = (*belief < 0.0).into());
    }

    /// Flips the bits that most checks speak against.
    fn flip(&mut self, code: &Ldpc) {
        self.against.clear();
        self.against.resize(self.hard.len(), 0);
        for places in code.checks() {
            if places.iter().fold(0, |sum, place| sum ^ self.hard[*place as usize]) == 1 {
                places.iter().for_each(|place| self.against[*place as usize] += 1);
            }
        }
        let most = self.against.iter().copied().max().unwrap_or(0);
        let bits = self.hard.iter_mut().zip(&self.against);
        bits.for_each(|(bit, against)| *bit ^= u8::from(*against == most));
    }
}

/// `tanh(y / 2)` of each is the product of those of all others.
fn say_sums(heard: &[f32], said: &mut [f32], products: &mut Vec<f32>) {
    products.clear();
    let mut product = 1.0;
    for (heard, said) in heard.iter().zip(&mut *said) {
        products.push(product);
        *said = (heard.clamp(-SURE, SURE) / 2.0).tanh();
        product *= *said;
    }
    let mut product = 1.0;
    for (said, before) in said.iter_mut().zip(&*products).rev() {
        let others = product * before;
        product *= *said;
        // 2 atanh(others), not beyond what the tangent can say.
        *said = ((1.0 + others) / (1.0 - others)).ln().clamp(-SURE, SURE);
    }
}

/// Of each, the least of all others, with the product of their signs.
fn say_least(heard: &[f32], said: &mut [f32]) {
    let (mut least, mut second, mut first) = (f32::MAX, f32::MAX, 0);
    let mut odd = false;
    for (place, heard) in heard.iter().enumerate() {
        let size = heard.abs();
        odd ^= *heard < 0.0;
        if size < least {
            (second, least, first) = (least, size, place);
        } else if size < second {
            second = size;
        }
    }
    for (place, (heard, said)) in heard.iter().zip(said).enumerate() {
        let others = if place == first { second } else { least };
        let size = (NORMAL * others).min(MOST);
        *said = if odd != (*heard < 0.0) { -size } else { size };
    }
}

#[cfg(test)]
mod tests {
    use super::super::alist::{Sparse, tests::array};
    use super::*;
    use crate::testing::noise;

    const ALL: [Decoding; 3] = [Decoding::SumProduct, Decoding::MinSum, Decoding::BitFlip];

    fn code(decoding: Decoding) -> Ldpc {
        Ldpc::new(&array(31, 3, 6)).unwrap().decoded(decoding, 50, 0.7).unwrap()
    }

    fn sent(code: &Ldpc) -> (Vec<u8>, Vec<f32>) {
        let bits: Vec<u8> = noise(code.sizes()[0]).iter().map(|x| u8::from(*x > 0.0)).collect();
        let mut block = vec![0; code.sizes()[1]];
        code.encode(&bits, &mut block, &mut Vec::new());
        (bits, block.iter().map(|bit| f32::from(*bit) * 2.0 - 1.0).collect())
    }

    #[test]
    fn a_clear_block_takes_no_iteration_and_one_wrong_bit_few() {
        for decoding in ALL {
            let code = code(decoding);
            let (bits, mut soft) = sent(&code);
            let mut decoder = LdpcDecoder::default();
            let mut back = vec![7; bits.len()];
            assert_eq!(decoder.decode(&code, &soft, &mut back), 0);
            assert_eq!(back, bits);
            for place in [0, 50, 185] {
                soft[place] *= -0.5;
                let iterations = decoder.decode(&code, &soft, &mut back);
                assert!((1..5).contains(&iterations), "{decoding:?} {iterations}");
                assert_eq!(back, bits);
                soft[place] *= -2.0;
            }
        }
    }

    #[test]
    fn noise_that_makes_wrong_bits_is_taken_away_and_better_by_sums() {
        let draws = noise(100 * 186 * 6);
        let wrong = ALL.map(|decoding| {
            let code = code(decoding);
            let (bits, soft) = sent(&code);
            let mut decoder = LdpcDecoder::default();
            let (mut raw, mut left) = (0, 0);
            for draws in draws.chunks(186 * 6) {
                let noise = draws.chunks(6).map(|parts| parts.iter().sum::<f32>() * 0.5);
                let noisy: Vec<f32> = soft.iter().zip(noise).map(|(soft, noise)| soft + noise).collect();
                raw += noisy.iter().zip(&soft).filter(|(a, b)| (**a > 0.0) != (**b > 0.0)).count();
                let mut back = vec![0; bits.len()];
                decoder.decode(&code, &noisy, &mut back);
                left += back.iter().zip(&bits).filter(|(a, b)| a != b).count();
            }
            (raw, left)
        });
        let [(raw, sums), (_, least), (_, flipped)] = wrong;
        assert!(raw > 1000 && 20 * sums < raw && 20 * least < raw && flipped < raw, "{wrong:?}");
        assert!(sums < flipped, "{wrong:?}");
    }

    #[test]
    fn soft_bits_beyond_reason_leave_bits() {
        // A check with one place, and a bit that is in none.
        let matrix = Sparse { columns: 4, rows: vec![vec![0], vec![0, 1, 2]] };
        for decoding in ALL {
            let code = Ldpc::new(&matrix).unwrap().decoded(decoding, 10, 1e-3).unwrap();
            for soft in [[1e6; 4], [-1e6; 4], [0.0; 4], [1e6, -1e6, 1e-30, -0.0]] {
                let mut bits = vec![7; 2];
                LdpcDecoder::default().decode(&code, &soft, &mut bits);
                assert!(bits.iter().all(|bit| *bit < 2), "{bits:?}");
            }
        }
    }
}
