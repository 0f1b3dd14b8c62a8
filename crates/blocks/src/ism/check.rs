//! What shows that a frame is right: checksums, parities, and bits that are always the same.

use super::bits::{Ranges, length, number, packed, put, taken, units};
use crate::digital::Crc;

/// A check: what it is computed of, where it lies, and how.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub kind: CheckKind,
    /// The bits that it is computed of.
    pub over: Ranges,
    /// Where it lies.
    pub at: Ranges,
    /// What is added to it bit by bit.
    pub xor: u64,
}

/// How a check is computed.
#[derive(Clone, Debug)]
pub(super) enum CheckKind {
    /// A number that is always the same.
    Constant(u64),
    /// A cyclic code over bytes.
    Crc(Box<Crc>),
    /// The sum of numbers of so many bits, and one more.
    Sum { unit: usize, plus: u64 },
    /// The same, bit by bit.
    Xor { unit: usize, first: u64 },
    /// Ones that make the number of ones even; odd where the xor is 1.
    Parity,
    /// Keys of a shift register, added for each one.
    Digest { generator: u64, key: u64, bits: usize },
    /// How many ones there are.
    Ones,
    /// The same bits again.
    Copy,
}

impl Check {
    /// The name under which it is known.
    pub fn name(&self) -> Option<&'static str> {
        match self.kind {
            CheckKind::Constant(_) => None,
            CheckKind::Crc(_) => Some("CRC"),
            CheckKind::Sum { .. } | CheckKind::Xor { .. } | CheckKind::Ones => Some("CHECKSUM"),
            CheckKind::Parity => Some("PARITY"),
            CheckKind::Digest { .. } => Some("DIGEST"),
            CheckKind::Copy => Some("COPY"),
        }
    }

    /// How many bits it checks.
    pub fn strength(&self) -> usize {
        length(&self.at)
    }

    /// What should lie there.
    fn wanted(&self, bits: &[u8]) -> u64 {
        let over = taken(bits, &self.over);
        let number = match &self.kind {
            CheckKind::Constant(number) => *number,
            CheckKind::Crc(crc) => crc.of(&packed(&over)),
            CheckKind::Sum { unit, plus } => units(&over, *unit).fold(*plus, u64::wrapping_add),
            CheckKind::Xor { unit, first } => units(&over, *unit).fold(*first, |sum, unit| sum ^ unit),
            CheckKind::Parity => over.iter().fold(0, |sum, bit| sum ^ u64::from(*bit)),
            CheckKind::Digest { generator, key, bits } => digest(&over, *generator, *key, *bits),
            CheckKind::Ones => over.iter().map(|bit| u64::from(*bit)).sum(),
            CheckKind::Copy => number(bits, &self.over),
        };
        let mask = u64::MAX >> (64 - length(&self.at).clamp(1, 64));
        (number ^ self.xor) & mask
    }

    pub fn is_right(&self, bits: &[u8]) -> bool {
        number(bits, &self.at) == self.wanted(bits)
    }

    /// Puts what should lie there.
    pub fn fill(&self, bits: &mut [u8]) {
        let wanted = self.wanted(bits);
        put(bits, &self.at, wanted);
    }
}

/// The keys of a shift register that turns by one with each bit, those of ones added.
fn digest(bits: &[u8], generator: u64, first: u64, width: usize) -> u64 {
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    let mut key = first;
    let mut sum = 0;
    for bit in bits {
        if *bit == 1 {
            sum ^= key;
        }
        key = if key & 1 == 1 { key >> 1 ^ generator } else { key >> 1 } & mask;
    }
    sum
}
