//! Shift registers with linear feedback: scrambling and pseudo-random sequences.
//!
//! Eight steps at once are linear in the bits of the register and in those that come: what enters is looked up byte by byte of the
//! register, and the eight bits that leave are its lowest. A step of eight waits for the look-up of the one before it.

use std::sync::Arc;

use superhet_kernels::{Machine, Routine, run_routine};

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

/// Items before those that are descrambled at once.
const HISTORY: usize = 64;

/// Items that are descrambled at once.
const GROUP: usize = 64;

/// The sum of each item from `begin` on and of those so many before it. Whole groups lie behind `begin`.
struct Descramble<'a> {
    items: &'a mut [u8],
    begin: usize,
    delays: &'a [usize],
}

impl Routine for Descramble<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Descramble { items, begin, delays } = self;
        // What is before a group is not changed before it is.
        for first in (begin..items.len()).step_by(GROUP).rev() {
            let Some(mut group) = items[first..].first_chunk::<GROUP>().copied() else { continue };
            for delay in delays {
                let Some(before) = items[first - delay..].first_chunk::<GROUP>() else { continue };
                (0..GROUP).for_each(|lane| group[lane] ^= before[lane]);
            }
            items[first..first + GROUP].copy_from_slice(&group.map(|item| item & 1));
        }
    }
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

    /// As [`scramble`](Self::scramble) of each item, in place.
    pub fn scramble_all(&mut self, items: &mut [u8]) {
        let (eights, rest) = items.as_chunks_mut::<8>();
        for eight in eights {
            *eight = match self.scramble_eight(packed(eight)) {
                Some(bits) => unpacked(bits),
                None => eight.map(|item| self.scramble(item)),
            };
        }
        rest.iter_mut().for_each(|item| *item = self.scramble(*item));
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

    /// As [`descramble`](Self::descramble) of each item, in place: from the last one back, many at once, as far as the register
    /// has what came before them.
    pub fn descramble_all(&mut self, items: &mut [u8]) {
        let begin = (HISTORY + (items.len() % GROUP)).min(items.len());
        if items.len() > 2 * HISTORY && self.register >> self.length <= 1 {
            let mask = self.mask & (u64::MAX >> (63 - self.length));
            // The bit at place `length` is the last one that came.
            let delay = |place: u32| (self.length + 1 - place) as usize;
            let delays: Vec<usize> =
                (0..=self.length).filter(|place| mask >> place & 1 == 1).map(delay).collect();
            let newest = items.iter().rev().take(self.length as usize + 1);
            let register = newest.fold(0, |register, item| register << 1 | u64::from(item & 1));
            run_routine(Descramble { items, begin, delays: &delays });
            items[..begin].iter_mut().for_each(|item| *item = self.descramble(*item));
            self.register = register;
        } else {
            items.iter_mut().for_each(|item| *item = self.descramble(*item));
        }
    }

    /// The bits of the sequence, one a byte, and the place where it goes on behind the last of them; `None` where it does not repeat
    /// within 2¹⁶ bits.
    pub fn sequence(&self) -> Option<(Vec<u8>, usize)> {
        const MOST: usize = 1 << 16;
        let mut register = self.clone();
        let mut met = std::collections::HashMap::new();
        let mut bits = Vec::new();
        let begin = loop {
            if let Some(begin) = met.insert(register.register, bits.len()) {
                break begin;
            }
            if bits.len() > MOST {
                return None;
            }
            bits.push(register.next());
        };
        // Several periods, so that who goes through it seldom comes to its end.
        let period = bits.len() - begin;
        bits.extend_from_within(begin..);
        while bits.len() - begin < MOST / 4 {
            bits.extend_from_within(begin..begin + period);
        }
        Some((bits, begin))
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
                $Name(register.ready_for_eight())
            }
        }

        impl superhet_runtime::SyncBlock for $Name {
            type In = u8;
            type Out = u8;
            const IN_PLACE: Option<superhet_runtime::InPlaceState<Self>> = Some(|block, x| block.0.$method(x));

            fn process(&mut self, x: &[u8], y: &mut [u8]) {
                y.copy_from_slice(x);
                self.0.$method(y);
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

    #[test]
    fn a_sequence_that_is_kept_is_that_of_the_register() {
        // One of 127 bits, one that begins with others than it repeats, one of a single bit, a register with bits beyond its length.
        for (mask, seed, length) in
            [(0x8a, 0x7f, 7), (0x21, 1, 12), (0x8, 0x5, 4), (0, 3, 0), (0x3, 0xff05, 3)]
        {
            let mut register = Lfsr::new(mask, seed, length).unwrap();
            let (bits, begin) = register.sequence().unwrap();
            let mut place = 0;
            for n in 0..200_000 {
                assert_eq!(register.next(), bits[place], "{mask}, {n}");
                place = if place + 1 == bits.len() { begin } else { place + 1 };
            }
        }
        assert!(Lfsr::new(0x9, 1, 30).unwrap().sequence().is_none());
    }

    #[test]
    fn many_items_are_descrambled_as_one_by_one() {
        let items: Vec<u8> = (0..1000u32).map(|n| (n * n % 7) as u8).collect();
        for (mask, seed, length) in
            [(0x21, 1, 16), (0x8a, 0x7f, 7), (u64::MAX, 5, 63), (1, 0, 0), (0x21, 0xfffff, 16)]
        {
            let mut one_by_one = Lfsr::new(mask, seed, length).unwrap();
            let mut all = one_by_one.clone();
            let wanted: Vec<u8> = items.iter().map(|item| one_by_one.descramble(*item)).collect();
            for cut in [0, 1, 100, 300] {
                let mut all = all.clone();
                let mut got = items.clone();
                let (first, others) = got.split_at_mut(cut);
                all.descramble_all(first);
                all.descramble_all(others);
                assert_eq!(got, wanted, "{mask}, {cut}");
                assert_eq!(all.register, one_by_one.register, "{mask}, {cut}");
            }
            all.descramble_all(&mut []);
        }
    }
}
