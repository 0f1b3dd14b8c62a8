//! Reed-Solomon codes: errors and erasures.

use super::field::Field;
use crate::error::{Error, check};

/// A Reed-Solomon code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RsSettings {
    /// Bits of a symbol: 2 to 8.
    pub symbol_bits: u32,
    /// The primitive polynomial of the field, the highest power first.
    pub field_polynomial: u32,
    /// Symbols of a block: at most `2^symbol_bits − 1`; fewer of a shortened code.
    pub n: usize,
    /// Symbols of a block that say something; less than `n`.
    pub k: usize,
    /// The exponent of the first root of the generator polynomial, in steps of `root_step`.
    pub first_root: usize,
    /// The exponents of the roots are multiples of this, which has no factor in common with `2^symbol_bits − 1`.
    pub root_step: usize,
    /// Whether symbols are written in Berlekamp's dual basis, as CCSDS has it.
    pub dual_basis: bool,
}

impl RsSettings {
    /// The code of CCSDS with 32 check symbols, in the dual basis.
    pub const CCSDS_223: RsSettings = RsSettings {
        symbol_bits: 8,
        field_polynomial: 0x187,
        n: 255,
        k: 223,
        first_root: 112,
        root_step: 11,
        dual_basis: true,
    };
    /// The code of CCSDS with 16 check symbols, in the dual basis.
    pub const CCSDS_239: RsSettings = RsSettings { k: 239, first_root: 120, ..RsSettings::CCSDS_223 };
    /// The code of DVB and of many radios, RS(204, 188).
    pub const DVB: RsSettings = RsSettings {
        symbol_bits: 8,
        field_polynomial: 0x11d,
        n: 204,
        k: 188,
        first_root: 0,
        root_step: 1,
        dual_basis: false,
    };
}

/// What a decoder made of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corrected {
    /// So many symbols were wrong, erased ones with them, and are right now.
    Symbols(usize),
    /// There are too many errors; the block is as it was.
    Failed,
}

/// A Reed-Solomon code: `k` symbols become `n`, of which `t` may be wrong and `e` missing, where `2 t + e ≤ n − k`.
///
/// The symbols that say something come first. Decoded by syndromes, the algorithm of Berlekamp and Massey with erasures, Chien's
/// search and Forney's formula.
///
/// # Source
/// R. Blahut, Theory and Practice of Error Control Codes, 1983, chapter 7; CCSDS 131.0-B, section 4 and annex F for the dual basis.
///
/// ```
/// use superhet_blocks::fec::{Corrected, ReedSolomon, RsSettings};
/// let code = ReedSolomon::new(&RsSettings::CCSDS_223)?;
/// let mut block = vec![7; 255];
/// code.encode(&mut block);
/// block[3] ^= 0x55;
/// block[250] ^= 1;
/// assert_eq!(code.decode(&mut block, &[]), Corrected::Symbols(2));
/// assert_eq!(block[3], 7);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReedSolomon {
    settings: RsSettings,
    field: Field,
    /// The generator polynomial, the lowest power first, without the highest, whose coefficient is 1.
    generator: Vec<u16>,
    /// From the dual basis to the usual one, and back; the same without it.
    from_dual: Vec<u8>,
    to_dual: Vec<u8>,
}

/// How the powers 0 to 7 of the primitive element are written in the dual basis.
const DUAL_BITS: [u8; 8] = [0x7b, 0xaf, 0x99, 0xfa, 0x86, 0xec, 0xef, 0x8d];

/// The greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl ReedSolomon {
    /// A code.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is not as [`RsSettings`] says.
    pub fn new(settings: &RsSettings) -> Result<Self, Error> {
        let RsSettings { symbol_bits, field_polynomial, n, k, first_root, root_step, dual_basis } = *settings;
        check((2..=8).contains(&symbol_bits), "symbol_bits", "a whole number from 2 to 8", symbol_bits)?;
        let field = Field::new(symbol_bits, field_polynomial)?;
        let order = field.order();
        check(
            (2..=order).contains(&n),
            "n",
            "at least 2, and less than 2 to the power of symbol_bits",
            n as f64,
        )?;
        check((1..n).contains(&k), "k", "at least 1, and less than n", k as f64)?;
        check(
            first_root < order,
            "first_root",
            "less than 2 to the power of symbol_bits, less 1",
            first_root as f64,
        )?;
        let is_step = (1..order).contains(&root_step) && divisor(root_step, order) == 1;
        let wanted = "without a factor in common with 2 to the power of symbol_bits, less 1";
        check(is_step, "root_step", wanted, root_step as f64)?;
        let is_ccsds = symbol_bits == 8 && field_polynomial == 0x187;
        check(is_ccsds || !dual_basis, "field_polynomial", "391 for the dual basis", field_polynomial)?;
        let mut generator = vec![1u16];
        for root in 0..n - k {
            let root = field.power(root_step * (first_root + root));
            generator.insert(0, 0);
            for place in 0..generator.len() - 1 {
                generator[place] ^= field.multiply(generator[place + 1], root);
            }
        }
        generator.pop();
        let elements = || 0..=order as u8;
        let to_dual: Vec<u8> = elements()
            .map(|element| match dual_basis {
                true => (0..8).filter(|bit| element >> bit & 1 == 1).fold(0, |sum, bit| sum ^ DUAL_BITS[bit]),
                false => element,
            })
            .collect();
        let mut from_dual = to_dual.clone();
        elements().for_each(|element| from_dual[usize::from(to_dual[usize::from(element)])] = element);
        Ok(ReedSolomon { settings: *settings, field, generator, from_dual, to_dual })
    }

    /// Symbols of a block, and of those that say something.
    pub fn sizes(&self) -> [usize; 2] {
        [self.settings.n, self.settings.k]
    }

    /// A symbol as an element of the field; higher bits do not count.
    #[inline(always)]
    fn element(&self, symbol: u8) -> u16 {
        self.from_dual[usize::from(symbol) & self.field.order()].into()
    }

    /// Computes the last `n − k` symbols of a block of at most `n`, of which a shortened code's first ones are missing.
    ///
    /// # Panics
    /// Unless the block has more than `n − k` and at most `n` symbols.
    pub fn encode(&self, block: &mut [u8]) {
        let checks = self.generator.len();
        assert!(block.len() > checks && block.len() <= self.settings.n, "a block of {} symbols", block.len());
        let (data, sums) = block.split_at_mut(block.len() - checks);
        // The remainder of the division by the generator polynomial, the highest power last.
        let mut rest = vec![0u16; checks];
        for symbol in data {
            let factor = self.element(*symbol) ^ rest[checks - 1];
            rest.copy_within(..checks - 1, 1);
            rest[0] = 0;
            for (rest, coefficient) in rest.iter_mut().zip(&self.generator) {
                *rest ^= self.field.multiply(factor, *coefficient);
            }
        }
        sums.iter_mut()
            .zip(rest.iter().rev())
            .for_each(|(sum, rest)| *sum = self.to_dual[usize::from(*rest)]);
    }

    /// Corrects a block of at most `n` symbols, of which those at `erasures` are known to be missing.
    ///
    /// # Panics
    /// Unless the block has more than `n − k` and at most `n` symbols, and each erasure lies in it.
    pub fn decode(&self, block: &mut [u8], erasures: &[usize]) -> Corrected {
        let (field, checks, len) = (&self.field, self.generator.len(), block.len());
        assert!(len > checks && len <= self.settings.n, "a block of {len} symbols");
        let RsSettings { first_root, root_step, .. } = self.settings;
        let order = field.order();
        // The highest power comes first.
        let syndromes: Vec<u16> = (0..checks)
            .map(|root| {
                let root = field.power(root_step * (first_root + root));
                block.iter().fold(0, |sum, symbol| field.multiply(sum, root) ^ self.element(*symbol))
            })
            .collect();
        if syndromes.iter().all(|syndrome| *syndrome == 0) {
            return Corrected::Symbols(0);
        }
        if erasures.len() > checks {
            return Corrected::Failed;
        }
        // Where a symbol is, as an element: of the powers of the root for the first step.
        let locator = |place: usize| field.power(root_step * (len - 1 - place));
        let mut known = vec![0u16; checks + 1];
        known[0] = 1;
        for place in erasures {
            let locator = locator(*place);
            for power in (1..=checks).rev() {
                known[power] ^= field.multiply(known[power - 1], locator);
            }
        }
        // Berlekamp and Massey, begun with the erasures.
        let (mut errors, mut before) = (known.clone(), known);
        let mut length = erasures.len();
        for step in erasures.len()..checks {
            let discrepancy =
                (0..=step).fold(0, |sum, power| sum ^ field.multiply(errors[power], syndromes[step - power]));
            before.copy_within(..checks, 1);
            before[0] = 0;
            if discrepancy == 0 {
                continue;
            }
            let longer: Vec<u16> = errors
                .iter()
                .zip(&before)
                .map(|(errors, before)| errors ^ field.multiply(discrepancy, *before))
                .collect();
            if 2 * length <= step + erasures.len() {
                length = step + 1 + erasures.len() - length;
                before = errors.iter().map(|errors| field.divide(*errors, discrepancy)).collect();
            }
            errors = longer;
        }
        let degree = errors.iter().rposition(|coefficient| *coefficient != 0).unwrap_or(0);
        if degree != length || length > checks {
            return Corrected::Failed;
        }
        // The evaluator: the syndromes times the locator, as far as there are syndromes.
        let evaluator: Vec<u16> = (0..checks)
            .map(|power| {
                (0..=power).fold(0, |sum, at| sum ^ field.multiply(errors[at], syndromes[power - at]))
            })
            .collect();
        let slope: Vec<u16> =
            (0..checks).map(|power| if power % 2 == 0 { errors[power + 1] } else { 0 }).collect();
        let mut changes = Vec::with_capacity(degree);
        for place in 0..len {
            let exponent = root_step * (len - 1 - place) % order;
            let inverse = field.power(order - exponent);
            if field.evaluate(&errors, inverse) != 0 {
                continue;
            }
            let value = field.divide(field.evaluate(&evaluator, inverse), field.evaluate(&slope, inverse));
            // Forney's formula, for roots that begin at the first.
            let shift = field.power(exponent * (order + 1 - first_root % order));
            changes.push((place, field.multiply(value, shift)));
        }
        if changes.len() != degree {
            return Corrected::Failed;
        }
        let mut wrong = 0;
        for (place, change) in changes {
            let element = self.element(block[place]) ^ change;
            wrong += usize::from(change != 0);
            block[place] = self.to_dual[usize::from(element)];
        }
        Corrected::Symbols(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    const QR: RsSettings = RsSettings { n: 26, k: 16, ..RsSettings::DVB };
    const SMALL: RsSettings = RsSettings {
        symbol_bits: 4,
        field_polynomial: 0x13,
        n: 15,
        k: 9,
        first_root: 1,
        root_step: 1,
        dual_basis: false,
    };

    fn symbols(n: usize, seed: usize, bits: u32) -> Vec<u8> {
        let all = noise(n + seed);
        all[seed..].iter().map(|x| ((x + 1.0) * 128.0) as u8 & ((1u32 << bits) - 1) as u8).collect()
    }

    #[test]
    fn the_check_symbols_are_those_of_the_standards() {
        // ISO/IEC 18004, annex I: the QR code 1-M of 01234567 has these ten.
        let mut block = vec![
            0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11,
        ];
        block.resize(26, 0);
        ReedSolomon::new(&QR).unwrap().encode(&mut block);
        assert_eq!(block[16..], [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]);
    }

    #[test]
    fn the_dual_basis_is_that_of_ccsds() {
        let code = ReedSolomon::new(&RsSettings::CCSDS_223).unwrap();
        // CCSDS 131.0-B, annex F, table F-1: powers of the primitive element and how they are written.
        for (exponent, dual) in
            [(0, 0x7b), (1, 0xaf), (2, 0x99), (3, 0xfa), (4, 0x86), (5, 0xec), (6, 0xef), (7, 0x8d)]
        {
            let element = code.field.power(exponent);
            assert_eq!(code.to_dual[usize::from(element)], dual, "{exponent}");
        }
    }

    #[test]
    fn as_many_errors_and_erasures_as_a_code_bears_are_corrected() {
        let ccsds = RsSettings { n: 100, k: 68, ..RsSettings::CCSDS_223 };
        for settings in [RsSettings::CCSDS_223, RsSettings::CCSDS_239, RsSettings::DVB, QR, SMALL, ccsds] {
            let code = ReedSolomon::new(&settings).unwrap();
            let [n, k] = code.sizes();
            for missing in [0, 1, 2, n - k] {
                let mut block = symbols(n, missing, settings.symbol_bits);
                code.encode(&mut block);
                let sent = block.clone();
                let wrong = (n - k - missing) / 2;
                for place in 0..missing + wrong {
                    block[(place * 7 + 2) % n] ^= 1 + (place % 3) as u8;
                }
                let erasures: Vec<usize> = (0..missing).map(|place| (place * 7 + 2) % n).collect();
                assert_eq!(
                    code.decode(&mut block, &erasures),
                    Corrected::Symbols(missing + wrong),
                    "{settings:?}"
                );
                assert_eq!(block, sent, "{settings:?}, {missing} missing");
            }
        }
    }

    #[test]
    fn more_errors_are_not_taken_for_a_block() {
        let code = ReedSolomon::new(&RsSettings::CCSDS_223).unwrap();
        for seed in 0..20 {
            let mut block = symbols(255, seed, 8);
            let before = block.clone();
            assert_eq!(code.decode(&mut block, &[]), Corrected::Failed);
            assert_eq!(block, before);
            assert_eq!(code.decode(&mut block, &(0..33).collect::<Vec<_>>()), Corrected::Failed);
        }
    }

    #[test]
    fn settings_that_make_no_code_are_refused() {
        for wrong in [
            RsSettings { n: 256, ..RsSettings::DVB },
            RsSettings { k: 204, ..RsSettings::DVB },
            RsSettings { k: 0, ..RsSettings::DVB },
            RsSettings { root_step: 5, ..RsSettings::DVB },
            RsSettings { first_root: 255, ..RsSettings::DVB },
            RsSettings { dual_basis: true, ..RsSettings::DVB },
            RsSettings { symbol_bits: 9, field_polynomial: 0x211, ..RsSettings::DVB },
        ] {
            assert!(ReedSolomon::new(&wrong).is_err(), "{wrong:?}");
        }
    }
}
