//! Polar codes: which bits are frozen, and the encoder.

use crate::error::{Error, check};

/// The most bits in a block.
pub const LONGEST: usize = 1 << 16;
/// The most ways that the list decoder follows.
pub const MOST_WAYS: usize = 64;

/// What a block of a polar code is to come through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Design {
    /// White Gaussian noise: the energy of a sent bit by the noise density, in dB.
    Noise {
        /// In dB.
        snr_db: f64,
    },
    /// Each sent bit is lost with this probability, and known for sure otherwise.
    Erasure {
        /// From 0 to 1.
        probability: f64,
    },
}

/// A polar code: `x = u · B · F⊗…⊗F` with `F = [1 0; 1 1]` and `B` the bit reversal; `u` holds the bits, and frozen ones between
/// them.
///
/// The systematic code has the bits also in `x`, where `B` puts their places.
///
/// # Source
/// E. Arıkan, "Channel polarization", IEEE Trans. Inf. Theory 55(7), 2009, and "Systematic polar coding", IEEE Commun.
/// Lett. 15(8), 2011.
///
/// ```
/// use superhet_blocks::fec::{Code, Design, FecDecoder, FecEncoder, Polar};
/// use superhet_runtime::harness;
///
/// let code = Polar::designed(64, 32, Design::Noise { snr_db: 1.0 })?.ways(4)?;
/// let code = Code::Polar(code.into());
/// let bits: Vec<u8> = (0..320u32).map(|n| (n * n / 7 % 2) as u8).collect();
/// let sent: Vec<u8> = harness::run(FecEncoder::new(code.clone()), &bits);
/// let mut soft: Vec<f32> = sent.iter().map(|bit| f32::from(*bit) * 2.0 - 1.0).collect();
/// soft[100] *= -0.5;
/// assert_eq!(harness::run(FecDecoder::<f32>::new(code)?, &soft), bits);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Polar {
    /// `u`, with the frozen bits at their places and zeros at the others.
    pub(super) frame: Vec<u8>,
    /// The places in `u` that hold bits, in order.
    pub(super) places: Vec<u32>,
    /// Of each node of the tree of halves, the root being 1, what is under it.
    pub(super) kinds: Vec<Under>,
    /// For each place, the place that bit reversal makes of it.
    pub(super) reversed: Vec<u32>,
    pub(super) systematic: bool,
    pub(super) ways: usize,
}

/// The places under a node of the tree of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Under {
    /// All are frozen to zero.
    Zeros,
    /// None is frozen.
    Free,
    /// Some are frozen; a single one, to a one.
    Mixed,
}

impl Polar {
    /// The code with these frozen places of `u`, each with its value, 0 or 1.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless a block has 2 to 65536 bits, a power of two, and not all are frozen; [`Error::Element`]
    /// where a place is beyond the block or comes twice.
    pub fn new(block_bits: usize, frozen: &[(usize, u8)]) -> Result<Self, Error> {
        let fits = block_bits.is_power_of_two() && (2..=LONGEST).contains(&block_bits);
        check(fits, "block_bits", "a power of two from 2 to 65536", block_bits as f64)?;
        let mut is_frozen = vec![false; block_bits];
        let mut frame = vec![0; block_bits];
        for (index, &(place, value)) in frozen.iter().enumerate() {
            if is_frozen.get(place) != Some(&false) {
                return Err(Error::Element {
                    parameter: "frozen",
                    place: index,
                    wanted: "a place within the block that is not there yet",
                    got: place.to_string(),
                });
            }
            is_frozen[place] = true;
            frame[place] = value & 1;
        }
        let places: Vec<u32> = (0..block_bits).filter(|place| !is_frozen[*place]).map(|n| n as u32).collect();
        check(!places.is_empty(), "frozen", "fewer places than a block has", frozen.len() as f64)?;

        let mut kinds = vec![Under::Mixed; 2 * block_bits];
        for node in (1..2 * block_bits).rev() {
            kinds[node] = match node.checked_sub(block_bits) {
                Some(place) if !is_frozen[place] => Under::Free,
                Some(place) if frame[place] == 0 => Under::Zeros,
                Some(_) => Under::Mixed,
                None if kinds[2 * node] == kinds[2 * node + 1] => kinds[2 * node],
                None => Under::Mixed,
            };
        }
        let shift = usize::BITS - block_bits.trailing_zeros();
        let reversed = (0..block_bits).map(|place| (place.reverse_bits() >> shift) as u32).collect();
        Ok(Polar { frame, places, kinds, reversed, systematic: false, ways: 1 })
    }

    /// The code whose `info_bits` bits are where a channel leaves them most reliable, by the Bhattacharyya parameters: exactly
    /// for erasures; as bounds for noise, from `exp(−snr)` on.
    ///
    /// # Errors
    /// As of [`new`](Self::new), and unless `info_bits` is 1 to `block_bits`, and the design's number is finite and in range.
    ///
    /// # Source
    /// Arıkan 2009, section IV; H. Vangala, E. Viterbo and Y. Hong, "A comparative study of polar code constructions for the
    /// AWGN channel", 2015.
    pub fn designed(block_bits: usize, info_bits: usize, design: Design) -> Result<Self, Error> {
        let fits = block_bits.is_power_of_two() && (2..=LONGEST).contains(&block_bits);
        check(fits, "block_bits", "a power of two from 2 to 65536", block_bits as f64)?;
        let fits = (1..=block_bits).contains(&info_bits);
        check(fits, "info_bits", "at least 1, and at most block_bits", info_bits as f64)?;
        let parameters = bhattacharyya(block_bits, design)?;
        let mut places: Vec<usize> = (0..block_bits).collect();
        // The least reliable first; of equals the first.
        places.sort_by(|a, b| parameters[*b].total_cmp(&parameters[*a]));
        let frozen = places[..block_bits - info_bits].iter();
        let mut frozen: Vec<(usize, u8)> = frozen.map(|place| (*place, 0)).collect();
        frozen.sort_unstable();
        Polar::new(block_bits, &frozen)
    }

    /// The same code, with the bits also in what is sent.
    ///
    /// # Errors
    /// [`Error::WrongKind`] where a frozen bit is a one, or lies so between others that no two passes of the encoder find it.
    pub fn systematic(mut self) -> Result<Self, Error> {
        let wrong = |got: String| {
            let wanted = "for a systematic code zeros, and no place whose binary digits lie between those of two that are not \
                          frozen";
            Error::WrongKind { parameter: "frozen", wanted, got }
        };
        if self.frame.contains(&1) {
            return Err(wrong("a one".to_owned()));
        }
        let n = self.frame.len();
        let mut below = vec![false; n];
        self.places.iter().for_each(|place| below[*place as usize] = true);
        let free = below.clone();
        let mut above = free.clone();
        let mut half = 1;
        while half < n {
            for place in (0..n).filter(|place| place & half == 0) {
                below[place + half] |= below[place];
                above[place] |= above[place + half];
            }
            half *= 2;
        }
        if let Some(place) = (0..n).find(|place| !free[*place] && below[*place] && above[*place]) {
            return Err(wrong(format!("the place {place}")));
        }
        self.systematic = true;
        Ok(self)
    }

    /// Decoded by a list of so many ways; 1 is successive cancellation.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless that is 1 to 64.
    pub fn ways(mut self, ways: usize) -> Result<Self, Error> {
        check((1..=MOST_WAYS).contains(&ways), "list_size", "a whole number from 1 to 64", ways as f64)?;
        self.ways = ways;
        Ok(self)
    }

    /// How many bits are encoded at once, and how many of them come.
    pub fn sizes(&self) -> [usize; 2] {
        [self.places.len(), self.frame.len()]
    }

    /// The frozen places, in order.
    pub fn frozen(&self) -> Vec<usize> {
        let n = self.frame.len();
        (0..n).filter(|place| self.kinds[n + place] != Under::Free).collect()
    }

    /// Encodes a block.
    pub(super) fn encode(&self, x: &[u8], y: &mut [u8]) {
        y.copy_from_slice(&self.frame);
        self.places.iter().zip(x).for_each(|(place, bit)| y[*place as usize] = bit & 1);
        transform(y);
        if self.systematic {
            let n = self.frame.len();
            y.iter_mut().zip(&self.kinds[n..]).for_each(|(y, kind)| *y &= u8::from(*kind == Under::Free));
            transform(y);
        }
        for (place, reversed) in self.reversed.iter().enumerate() {
            if place < *reversed as usize {
                y.swap(place, *reversed as usize);
            }
        }
    }
}

/// Multiplies bits by `F⊗…⊗F`, in place; twice, that changes nothing.
pub(super) fn transform(bits: &mut [u8]) {
    let mut half = 1;
    while half < bits.len() {
        for pair in bits.chunks_exact_mut(2 * half) {
            let (first, second) = pair.split_at_mut(half);
            first.iter_mut().zip(second).for_each(|(a, b)| *a ^= *b);
        }
        half *= 2;
    }
}

/// The natural logarithms of the Bhattacharyya parameters of all places of `u`: that of nothing is −∞, of a lost bit 0.
fn bhattacharyya(block_bits: usize, design: Design) -> Result<Vec<f64>, Error> {
    let first = match design {
        Design::Noise { snr_db } => {
            let fits = (-100.0..=100.0).contains(&snr_db);
            check(fits, "design_snr_db", "a number from -100 to 100", snr_db)?;
            -10f64.powf(snr_db / 10.0)
        }
        Design::Erasure { probability } => {
            let fits = (0.0..=1.0).contains(&probability);
            check(fits, "erasure", "a number from 0 to 1", probability)?;
            probability.ln()
        }
    };
    let mut parameters = vec![first];
    while parameters.len() < block_bits {
        parameters = parameters.iter().flat_map(|&z| [worse(z), 2.0 * z]).collect();
    }
    Ok(parameters)
}

/// The logarithm of `2z − z²` from that of `z`, without cancellation where `z` is near 0 or near 1.
fn worse(z: f64) -> f64 {
    if z < -1.0 {
        z + (1.0 - z.exp()).ln_1p()
    } else {
        let missing = -z.exp_m1();
        (-missing * missing).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of text of zeros and ones.
    fn bits(text: &str) -> Vec<u8> {
        text.bytes().map(|byte| byte - b'0').collect()
    }

    fn encoded(code: &Polar, x: &[u8]) -> Vec<u8> {
        let mut y = vec![7; code.sizes()[1]];
        code.encode(x, &mut y);
        y
    }

    #[test]
    fn the_bits_are_those_of_gnu_radio() {
        let code = Polar::designed(32, 16, Design::Erasure { probability: 0.5 }).unwrap();
        assert_eq!(code.frozen(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 18, 20]);
        let x = bits("1011001011100101");
        assert_eq!(encoded(&code, &x), bits("10011100011000111111101011110101"));
        let frozen: Vec<_> = code.frozen().into_iter().zip(bits("1011001011100101")).collect();
        let with_values = Polar::new(32, &frozen).unwrap();
        assert_eq!(encoded(&with_values, &x), bits("00111000010010110001101001110101"));
        let systematic = code.systematic().unwrap();
        assert_eq!(encoded(&systematic, &x), bits("01011100111101101111100110100011"));
    }

    #[test]
    fn a_systematic_block_has_the_bits_at_their_reversed_places() {
        for (block, info) in [(2, 1), (8, 5), (256, 100), (256, 256)] {
            let code = Polar::designed(block, info, Design::Noise { snr_db: 1.0 }).unwrap();
            let code = code.systematic().unwrap();
            let x: Vec<u8> = (0..info).map(|n| (n * n / 3 % 2) as u8).collect();
            let y = encoded(&code, &x);
            let places = code.places.iter().map(|place| y[code.reversed[*place as usize] as usize]);
            assert_eq!(places.collect::<Vec<u8>>(), x);
        }
    }

    #[test]
    fn the_parameters_of_erasures_are_exact() {
        let z = bhattacharyya(4, Design::Erasure { probability: 0.3 }).unwrap();
        let worse = |z: f64| 2.0 * z - z * z;
        let wanted = [worse(worse(0.3)), worse(0.3).powi(2), worse(0.09), 0.3f64.powi(4)];
        for (z, wanted) in z.iter().zip(wanted) {
            assert!((z.exp() - wanted).abs() < 1e-12, "{} {wanted}", z.exp());
        }
        for probability in [0.0, 1.0] {
            let code = Polar::designed(1 << 12, 1 << 11, Design::Erasure { probability }).unwrap();
            assert_eq!(code.sizes(), [1 << 11, 1 << 12]);
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let wrong = |result: Result<Polar, Error>, wanted: &str| {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        };
        for block in [0, 1, 3, 1 << 17, usize::MAX] {
            wrong(Polar::new(block, &[]), "power of two");
            wrong(Polar::designed(block, 1, Design::Noise { snr_db: 0.0 }), "power of two");
        }
        wrong(Polar::new(4, &[(0, 0), (4, 0)]), "frozen[1] = 4");
        wrong(Polar::new(4, &[(1, 0), (1, 0)]), "frozen[1] = 1");
        wrong(Polar::new(2, &[(0, 0), (1, 0)]), "fewer");
        wrong(Polar::designed(8, 0, Design::Noise { snr_db: 0.0 }), "info_bits");
        wrong(Polar::designed(8, 9, Design::Noise { snr_db: 0.0 }), "info_bits");
        wrong(Polar::designed(8, 4, Design::Noise { snr_db: f64::NAN }), "design_snr_db");
        wrong(Polar::designed(8, 4, Design::Erasure { probability: 1.5 }), "erasure");
        wrong(Polar::new(4, &[(0, 1)]).unwrap().systematic(), "a one");
        wrong(Polar::new(4, &[(1, 0)]).unwrap().systematic(), "the place 1");
        wrong(Polar::new(4, &[]).unwrap().ways(0), "list_size");
        wrong(Polar::new(4, &[]).unwrap().ways(65), "list_size");
    }
}
