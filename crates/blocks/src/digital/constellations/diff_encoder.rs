//! Differential encoding.

use superhet_runtime::catalog::Choice;
use superhet_runtime::{InPlaceState, SyncBlock, declare};

use crate::error::{Error, check};

/// How differences say symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Coding {
    /// A symbol is the difference to the one before.
    Differential,
    /// Bits: 0 is a change, 1 is none (NRZI).
    Nrzi,
}

/// The coding of an alphabet: what encoder and decoder share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    pub modulus: u32,
    pub coding: Coding,
}

impl Code {
    pub fn new(modulus: u32, coding: Coding) -> Result<Self, Error> {
        check((2..=256).contains(&modulus), "modulus", "a whole number from 2 to 256", modulus)?;
        check(coding == Coding::Differential || modulus == 2, "modulus", "2 for the coding nrzi", modulus)?;
        Ok(Code { modulus, coding })
    }
}

/// Differential encoding: `y[n] = (x[n] + y[n − 1]) mod modulus`, or for NRZI `y[n] = x[n] ? y[n − 1] : 1 − y[n − 1]`,
/// with `y[−1] = 0`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | symbols; of NRZI the lowest bit |
/// | out `out` | `u8` | symbols below `modulus` |
///
/// ```
/// use superhet_blocks::digital::{Coding, DiffEncoder};
/// use superhet_runtime::harness;
///
/// let encoder = DiffEncoder::new(4, Coding::Differential)?;
/// assert_eq!(harness::run(encoder, &[0, 1, 2, 3, 3]), [0, 1, 3, 2, 1]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DiffEncoder {
    code: Code,
    last: u8,
}

#[declare(
    category = "digital",
    summary = "Differential encoding: y[n] = (x[n] + y[n − 1]) mod modulus.",
    ports(input("in", "u8", "symbols"), output("out", "u8", "symbols, encoded"))
)]
impl DiffEncoder {
    /// Encodes symbols of an alphabet.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `modulus` is 2 to 256, and 2 for NRZI.
    pub fn new(
        /// How many symbols the alphabet has.
        #[param(range = 2..=256, default = 2)]
        modulus: u32,
        /// Whether a symbol is the difference to the one before, or of bits a 0 is a change (NRZI).
        #[param(default = "differential")]
        coding: Coding,
    ) -> Result<Self, Error> {
        Ok(DiffEncoder { code: Code::new(modulus, coding)?, last: 0 })
    }

    /// Of a modulus that is a power of two: bytes wrap at a multiple of it, so a symbol waits for one addition.
    fn mask(&self) -> Option<u8> {
        let is_sum = self.code.coding == Coding::Differential && self.code.modulus.is_power_of_two();
        is_sum.then_some((self.code.modulus - 1) as u8)
    }

    #[inline(always)]
    fn next(&mut self, x: u8) -> u8 {
        self.last = match self.code.coding {
            Coding::Differential => ((u32::from(x) + u32::from(self.last)) % self.code.modulus) as u8,
            Coding::Nrzi => self.last ^ !x & 1,
        };
        self.last
    }
}

impl SyncBlock for DiffEncoder {
    type In = u8;
    type Out = u8;
    const IN_PLACE: Option<InPlaceState<Self>> = Some(|block, x| match block.mask() {
        Some(mask) => {
            let mut sum = block.last;
            x.iter_mut().for_each(|x| {
                sum = sum.wrapping_add(*x);
                *x = sum & mask;
            });
            block.last = sum & mask;
        }
        None => x.iter_mut().for_each(|x| *x = block.next(*x)),
    });

    fn process(&mut self, x: &[u8], y: &mut [u8]) {
        let items = y.iter_mut().zip(x);
        match self.mask() {
            Some(mask) => {
                let mut sum = self.last;
                items.for_each(|(y, x)| {
                    sum = sum.wrapping_add(*x);
                    *y = sum & mask;
                });
                self.last = sum & mask;
            }
            None => items.for_each(|(y, x)| *y = self.next(*x)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::DiffDecoder;
    use superhet_runtime::harness;

    #[test]
    fn what_was_encoded_is_decoded_wherever_the_stream_is_cut() {
        for (modulus, coding) in [
            (2, Coding::Nrzi),
            (2, Coding::Differential),
            (3, Coding::Differential),
            (256, Coding::Differential),
        ] {
            let x: Vec<u8> = (0..1000u32).map(|n| (n * 7 % modulus) as u8).collect();
            let encoded: Vec<u8> = harness::run(DiffEncoder::new(modulus, coding).unwrap(), &x);
            let decoded: Vec<u8> = harness::run(DiffDecoder::new(modulus, coding).unwrap(), &encoded);
            assert_eq!(decoded, x);
            harness::assert_cut_invariant(|| DiffEncoder::new(modulus, coding).unwrap(), &x);
            harness::assert_cut_invariant(|| DiffDecoder::new(modulus, coding).unwrap(), &encoded);
        }
    }

    #[test]
    fn of_nrzi_a_zero_is_a_change() {
        let nrzi = DiffEncoder::new(2, Coding::Nrzi).unwrap();
        assert_eq!(harness::run(nrzi, &[0, 1, 1, 0, 0, 0, 1, 0]), [1, 1, 1, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn an_alphabet_of_another_size_is_refused() {
        assert!(DiffEncoder::new(1, Coding::Differential).is_err());
        assert_eq!(
            DiffEncoder::new(4, Coding::Nrzi).unwrap_err().to_string(),
            "modulus = 4: expected 2 for the coding nrzi"
        );
    }

    #[test]
    fn differences_are_right_for_every_modulus() {
        let x = [5u8, 3, 250, 0, 123];
        for modulus in [251u32, 254, 255, 256] {
            let decoder = DiffDecoder::new(modulus, Coding::Differential).unwrap();
            let y: Vec<u8> = harness::run(decoder, &x);
            let before = [0].into_iter().chain(x);
            let wanted = x
                .iter()
                .zip(before)
                .map(|(x, before)| (u32::from(*x) + modulus - u32::from(before)) % modulus);
            assert!(y.iter().map(|y| u32::from(*y)).eq(wanted), "{modulus}: {y:?}");
        }
    }
}
