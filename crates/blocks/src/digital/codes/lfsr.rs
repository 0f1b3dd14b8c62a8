//! Shift registers with linear feedback: scrambling and pseudo-random sequences.
//!
//! Eight steps at once are linear in the bits of the register and in those that come: what enters is looked up byte by byte of the
//! register, and the eight bits that leave are its lowest. A step of eight waits for the look-up of the one before it.

use std::sync::Arc;

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
    eight: Option<Arc<Eight>>,
}

/// What enters in eight steps, the first bit lowest: the sum of what each byte of the register makes of it, and the bits that come.
#[derive(Debug)]
struct Eight {
    of_state: Vec<[u8; 256]>,
    of_bits: [u8; 256],
}

/// The lowest bits of eight items, the first lowest.
pub(super) fn packed(items: &[u8; 8]) -> u8 {
    // Bit 8 k of the first factor comes to 56 + k by one bit of the second, and no two products meet below that.
    ((u64::from_le_bytes(*items) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The other way round.
pub(super) fn unpacked(bits: u8) -> [u8; 8] {
    let apart = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((apart + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101).to_le_bytes()
}

impl Lfsr {
    /// A register that holds `seed`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `length` is beyond 63.
    pub fn new(mask: u64, seed: u64, length: u32) -> Result<Self, Error> {
        check(length <= 63, "length", "a whole number from 0 to 63", length)?;
        Ok(Lfsr { register: seed, mask, seed, length, eight: None })
    }

    /// The same, made ready for eight steps at once, where it is long enough for that.
    #[must_use]
    pub fn ready_for_eight(mut self) -> Self {
        if self.eight.is_some() || self.length < 7 {
            return self;
        }
        let entered = |register: u64, bits: u8| {
            let mut one = Lfsr { register, eight: None, ..self.clone() };
            (0..8).fold(0, |entered, step| {
                let bit = one.parity() ^ (bits >> step & 1);
                one.shift(bit);
                entered | bit << step
            })
        };
        let table = |unit: &dyn Fn(u32) -> u8| {
            let units: [u8; 8] = std::array::from_fn(|bit| unit(bit as u32));
            std::array::from_fn(|byte| {
                (0..8).filter(|bit| byte >> bit & 1 == 1).fold(0, |sum, bit| sum ^ units[bit])
            })
        };
        let bytes = (self.length + 1).div_ceil(8);
        let of_state = (0..bytes).map(|place| table(&|bit| entered(1 << (8 * place + bit), 0))).collect();
        let of_bits = table(&|bit| entered(0, 1 << bit));
        self.eight = Some(Arc::new(Eight { of_state, of_bits }));
        self
    }

    /// Eight steps of [`scramble`](Self::scramble), the first bit lowest; `None` where they must be taken one by one: before
    /// [`ready_for_eight`](Self::ready_for_eight), in a register of less than eight bits, and while it holds bits beyond its length.
    #[inline(always)]
    pub fn scramble_eight(&mut self, bits: u8) -> Option<u8> {
        let eight = self.eight.as_deref().filter(|_| self.register >> self.length <= 1)?;
        let out = self.register as u8;
        let bytes = self.register.to_le_bytes();
        let of_state =
            eight.of_state.iter().zip(bytes).fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)]);
        let entered = of_state ^ eight.of_bits[usize::from(bits)];
        self.register = self.register >> 8 | u64::from(entered) << (self.length - 7);
        Some(out)
    }

    /// Eight steps of [`descramble`](Self::descramble), likewise.
    #[inline(always)]
    pub fn descramble_eight(&mut self, bits: u8) -> Option<u8> {
        self.eight.as_deref().filter(|_| self.register >> self.length <= 1)?;
        // The register with all that is to enter: eight parities are sums of it, shifted by the places of the mask.
        let all = u128::from(self.register) | u128::from(bits) << (self.length + 1);
        let (mut out, mut mask) = (bits, self.mask & (u64::MAX >> (63 - self.length)));
        while mask != 0 {
            out ^= (all >> mask.trailing_zeros()) as u8;
            mask &= mask - 1;
        }
        self.register = (all >> 8) as u64;
        Some(out)
    }

    /// Eight bits of the sequence, likewise.
    #[inline(always)]
    pub fn next_eight(&mut self) -> Option<u8> {
        self.scramble_eight(0)
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
    ($Name:ident $method:ident $eight:ident $(#[$doc:meta])*) => {
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
                $Name(register.ready_for_eight())
            }

            #[inline(always)]
            fn eight(&mut self, x: &[u8; 8]) -> [u8; 8] {
                use $crate::digital::codes::lfsr::{packed, unpacked};
                match self.0.$eight(packed(x)) {
                    Some(bits) => unpacked(bits),
                    None => x.map(|x| self.0.$method(x)),
                }
            }
        }

        impl superhet_runtime::SyncBlock for $Name {
            type In = u8;
            type Out = u8;
            const IN_PLACE: Option<superhet_runtime::InPlaceState<Self>> = Some(|block, x| {
                let (eights, rest) = x.as_chunks_mut::<8>();
                eights.iter_mut().for_each(|x| *x = block.eight(x));
                rest.iter_mut().for_each(|x| *x = block.0.$method(*x));
            });

            fn process(&mut self, x: &[u8], y: &mut [u8]) {
                let (eights, rest) = y.as_chunks_mut::<8>();
                let (x_eights, x_rest) = x.as_chunks::<8>();
                for (y, x) in eights.iter_mut().zip(x_eights) {
                    *y = self.eight(x);
                }
                rest.iter_mut().zip(x_rest).for_each(|(y, x)| *y = self.0.$method(*x));
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
