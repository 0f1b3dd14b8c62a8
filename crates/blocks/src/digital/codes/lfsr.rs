//! Shift registers with linear feedback: scrambling and pseudo-random sequences.

use crate::error::{Error, check};

/// A shift register in the form of Fibonacci: bits leave at the lowest place; the parity of those that `mask` selects
/// enters at place `length`.
///
/// ```
/// use superhet_blocks::digital::Lfsr;
///
/// let mut register = Lfsr::new(0x19, 0x1, 4)?;
/// let bits: Vec<u8> = (0..8).map(|_| register.next()).collect();
/// assert_eq!(bits, [1, 0, 0, 0, 0, 1, 1, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lfsr {
    register: u64,
    mask: u64,
    seed: u64,
    length: u32,
}

impl Lfsr {
    /// A register that holds `seed`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `length` is beyond 63.
    pub fn new(mask: u64, seed: u64, length: u32) -> Result<Self, Error> {
        check(length <= 63, "length", "a whole number from 0 to 63", length)?;
        Ok(Lfsr { register: seed, mask, seed, length })
    }

    #[inline(always)]
    fn shift(&mut self, new: u8) -> u8 {
        let out = (self.register & 1) as u8;
        self.register = self.register >> 1 | u64::from(new & 1) << self.length;
        out
    }

    #[inline(always)]
    fn parity(&self) -> u8 {
        ((self.register & self.mask).count_ones() & 1) as u8
    }

    /// The next bit of the sequence.
    #[inline(always)]
    #[allow(clippy::should_implement_trait, reason = "the sequence has no end")]
    pub fn next(&mut self) -> u8 {
        self.shift(self.parity())
    }

    /// The next bit, with `bit` added to what enters: a scrambler.
    #[inline(always)]
    pub fn scramble(&mut self, bit: u8) -> u8 {
        self.shift(self.parity() ^ bit)
    }

    /// Takes the scrambling off: `bit` enters, and what leaves is it with the parity added.
    #[inline(always)]
    pub fn descramble(&mut self, bit: u8) -> u8 {
        let out = self.parity() ^ (bit & 1);
        self.shift(bit);
        out
    }

    /// Begins again with the seed.
    #[inline]
    pub fn reset(&mut self) {
        self.register = self.seed;
    }
}

macro_rules! self_synchronising {
    ($Name:ident $method:ident $(#[$doc:meta])*) => {
        $(#[$doc])*
        ///
        /// | port | item | unit |
        /// |---|---|---|
        /// | in `in` | `u8` | a bit each, the lowest |
        /// | out `out` | `u8` | 0 or 1 |
        #[derive(Clone, Debug)]
        pub struct $Name($crate::digital::Lfsr);

        impl $Name {
            /// One with this register.
            pub fn new(register: $crate::digital::Lfsr) -> Self {
                $Name(register)
            }
        }

        impl superhet_runtime::SyncBlock for $Name {
            type In = u8;
            type Out = u8;
            const IN_PLACE: bool = true;

            fn process(&mut self, x: &[u8], y: &mut [u8]) {
                y.iter_mut().zip(x).for_each(|(y, x)| *y = self.0.$method(*x));
            }
            fn process_in_place(&mut self, x: &mut [u8]) {
                x.iter_mut().for_each(|x| *x = self.0.$method(*x));
            }
        }
    };
}
pub(super) use self_synchronising;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_gnu_radio() {
        let mut register = Lfsr::new(0x8a, 0x7f, 7).unwrap();
        let bits: Vec<u8> = (0..24).map(|_| register.next()).collect();
        assert_eq!(bits, [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0]);
        assert!(Lfsr::new(1, 1, 64).is_err());
    }
}
