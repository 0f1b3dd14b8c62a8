//! Short binary codes: Hamming, Golay and BCH codes, decoded by a table of syndromes.

use crate::error::{Error, check};

/// A cyclic code of up to 63 bits, or one with a bit of even parity behind each word.
///
/// The bits that say something come first. Words with up to `t` wrong bits are corrected, by a table that has the wrong bits of each
/// syndrome. The bit of parity finds one wrong bit more.
///
/// # Source
/// S. Lin, D. Costello, Error Control Coding, 2004, chapters 4 to 6; ITU-R M.584 for POCSAG's word, BCH(31, 21) with parity.
///
/// ```
/// use superhet_blocks::fec::Cyclic;
/// let golay = Cyclic::named("golay_24_12")?;
/// let word = golay.encode(0xabc);
/// assert_eq!(golay.decode(word ^ 0x80_0201), Some((0xabc, 3)));
/// assert_eq!(golay.decode(word ^ 0xf), None);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cyclic {
    /// Without the bit of parity.
    n: u32,
    generator: u64,
    max_errors: u32,
    has_parity: bool,
    /// The wrong bits of each syndrome, [`TOO_MANY`] where there are too many.
    wrong: Vec<u64>,
}

/// What a table says where too many bits are wrong: no word has so many bits.
const TOO_MANY: u64 = u64::MAX;
/// The most check bits.
const MOST_CHECKS: u32 = 20;

/// Length, generator polynomial with the highest power first, wrong bits that are corrected, and whether there is parity.
type Numbers = (u32, u64, u32, bool);

/// Codes by name.
const NAMED: [(&str, Numbers); 12] = [
    ("hamming_7_4", (7, 0b1011, 1, false)),
    ("hamming_8_4", (7, 0b1011, 1, true)),
    ("hamming_15_11", (15, 0b1_0011, 1, false)),
    ("hamming_31_26", (31, 0b10_0101, 1, false)),
    ("golay_23_12", (23, 0o6165, 3, false)),
    ("golay_24_12", (23, 0o6165, 3, true)),
    ("bch_15_7", (15, 0o721, 2, false)),
    ("bch_15_5", (15, 0o2467, 3, false)),
    ("bch_31_21", (31, 0o3551, 2, false)),
    ("bch_32_21", (31, 0o3551, 2, true)),
    ("bch_63_51", (63, 0o12471, 2, false)),
    ("bch_63_45", (63, 0o1701317, 3, false)),
];

impl Cyclic {
    /// The names of the codes.
    pub const NAMES: &[&str] = &[
        NAMED[0].0,
        NAMED[1].0,
        NAMED[2].0,
        NAMED[3].0,
        NAMED[4].0,
        NAMED[5].0,
        NAMED[6].0,
        NAMED[7].0,
        NAMED[8].0,
        NAMED[9].0,
        NAMED[10].0,
        NAMED[11].0,
    ];

    /// The code with one of the [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    /// [`Error::WrongKind`] for a name that is not there.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = NAMED.iter().find(|(named, _)| *named == name);
        let wrong = || Error::WrongKind {
            parameter: "code",
            wanted: "a code such as hamming_7_4, golay_24_12, bch_31_21",
            got: name.chars().take(60).collect(),
        };
        let (_, (n, generator, max_errors, has_parity)) = found.ok_or_else(wrong)?;
        Cyclic::new(*n, *generator, *max_errors, *has_parity)
    }

    /// Words of `n` bits, by a generator polynomial, the highest power first, that corrects so many wrong bits; with a bit of parity
    /// behind them, or without.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `n` is 3 to 63, the polynomial ends in 1 and has a degree of 1 to 20 and below `n`, and corrects
    /// as many wrong bits.
    pub fn new(n: u32, generator: u64, max_errors: u32, has_parity: bool) -> Result<Self, Error> {
        check((3..=63).contains(&n), "n", "a whole number from 3 to 63", n)?;
        let degree = generator.checked_ilog2().unwrap_or(0);
        let fits = generator & 1 == 1 && (1..=MOST_CHECKS.min(n - 1)).contains(&degree);
        let wanted = "a polynomial that ends in 1, of a degree of 1 to 20 and below n";
        check(fits, "generator", wanted, generator as f64)?;
        check(max_errors <= 5, "max_errors", "a whole number from 0 to 5", max_errors)?;
        let wrong = vec![TOO_MANY; 1 << degree];
        let mut code = Cyclic { n, generator, max_errors, has_parity, wrong };
        let singles: Vec<usize> = (0..n).map(|place| code.syndrome(1 << place)).collect();
        let is_right = code.fill(&singles, 0, 0, 0);
        check(is_right, "max_errors", "as many as the code corrects", max_errors)?;
        Ok(code)
    }

    /// Enters the patterns that begin with `wrong`, whose highest bit is below place `from`; whether each has a syndrome of its own.
    fn fill(&mut self, singles: &[usize], from: usize, wrong: u64, syndrome: usize) -> bool {
        if std::mem::replace(&mut self.wrong[syndrome], wrong) != TOO_MANY {
            return false;
        }
        let is_full = wrong.count_ones() == self.max_errors;
        is_full
            || (from..singles.len())
                .all(|place| self.fill(singles, place + 1, wrong | 1 << place, syndrome ^ singles[place]))
    }

    /// Bits of a word, and of those that say something.
    pub fn sizes(&self) -> [usize; 2] {
        let n = self.n as usize;
        [n + usize::from(self.has_parity), n - self.checks() as usize]
    }

    fn checks(&self) -> u32 {
        self.generator.ilog2()
    }

    /// The remainder of a word.
    fn syndrome(&self, mut word: u64) -> usize {
        let checks = self.checks();
        while let Some(highest) = word.checked_ilog2().filter(|highest| *highest >= checks) {
            word ^= self.generator << (highest - checks);
        }
        word as usize
    }

    /// The word for bits, the first of which is the highest; higher ones than there are do not count.
    pub fn encode(&self, bits: u64) -> u64 {
        let checks = self.checks();
        let bits = bits & ((1 << (self.n - checks)) - 1);
        let word = bits << checks;
        let word = word | self.syndrome(word) as u64;
        if self.has_parity { word << 1 | u64::from(word.count_ones() & 1) } else { word }
    }

    /// The bits of a word, and how many of the word's bits were wrong; none where they are too many.
    pub fn decode(&self, word: u64) -> Option<(u64, u32)> {
        let (received, parity) = if self.has_parity { (word >> 1, word & 1) } else { (word, 0) };
        let wrong = self.wrong[self.syndrome(received)];
        if wrong == TOO_MANY {
            return None;
        }
        let right = received ^ wrong;
        let parity_wrong = u32::from(self.has_parity && u64::from(right.count_ones() & 1) != parity);
        let count = wrong.count_ones() + parity_wrong;
        // One more than can be corrected looks like the limit and a wrong parity.
        (count <= self.max_errors).then_some((right >> self.checks(), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_standards() {
        // ITU-R M.584: the idle word of POCSAG.
        assert_eq!(Cyclic::named("bch_32_21").unwrap().encode(0x7a89_c197 >> 11), 0x7a89_c197);
        // Of the Hamming code with the polynomial x³ + x + 1.
        assert_eq!(Cyclic::named("hamming_7_4").unwrap().encode(0b1000), 0b100_0101);
    }

    #[test]
    fn as_many_wrong_bits_as_a_code_bears_are_corrected() {
        for name in Cyclic::NAMES {
            let code = Cyclic::named(name).unwrap();
            let [n, k] = code.sizes();
            for round in 0..50u64 {
                let bits = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - k);
                let word = code.encode(bits);
                for wrong in 0..=code.max_errors {
                    let pattern = (0..wrong)
                        .fold(0, |pattern, m| pattern | 1 << ((round as usize + 5 * m as usize) % n));
                    assert_eq!(code.decode(word ^ pattern), Some((bits, wrong)), "{name}, {pattern:#b}");
                }
                if code.has_parity {
                    let pattern = (0..=code.max_errors)
                        .fold(0, |pattern, m| pattern | 1 << ((round as usize + 3 * m as usize) % n));
                    assert_eq!(code.decode(word ^ pattern), None, "{name}");
                }
            }
        }
    }

    #[test]
    fn codes_that_correct_less_are_refused() {
        assert!(Cyclic::new(7, 0b1011, 2, false).is_err() && Cyclic::new(64, 0b1011, 1, false).is_err());
        assert!(Cyclic::new(7, 0b1010, 1, false).is_err() && Cyclic::new(7, 0, 1, false).is_err());
        assert!(Cyclic::named("turbo").is_err());
    }
}
