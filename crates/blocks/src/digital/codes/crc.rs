//! Checksums by cyclic codes of any polynomial.

use superhet_runtime::catalog::{Kind, Parameters, Params, Reads};
use superhet_runtime::{BlockError, Value};

use crate::error::{Error, check};

/// How a checksum is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrcSettings {
    /// How many bits the checksum has: 1 to 64.
    pub bits: u32,
    /// The polynomial, the highest power first, without that of `bits`.
    pub polynomial: u64,
    /// What the register holds at first, in the order in which bits are shifted.
    pub initial: u64,
    /// What is added to the result.
    pub final_xor: u64,
    /// Whether the lowest bit of each byte comes first.
    pub input_reflected: bool,
    /// Whether the result's lowest bit comes first.
    pub result_reflected: bool,
}

/// A checksum by a cyclic code.
///
/// # Source
/// R. Williams, A Painless Guide to CRC Error Detection Algorithms, 1993.
///
/// ```
/// use superhet_blocks::digital::{Crc, CrcSettings};
///
/// let settings = CrcSettings {
///     bits: 16,
///     polynomial: 0x1021,
///     initial: 0xffff,
///     final_xor: 0,
///     input_reflected: false,
///     result_reflected: false,
/// };
/// assert_eq!(Crc::new(&settings)?.of(b"123456789"), 0x29b1);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Crc {
    /// What a byte in the highest place of the register makes of it.
    table: [u64; 256],
    settings: CrcSettings,
    first: u64,
}

fn reflect(number: u64, bits: u32) -> u64 {
    number.reverse_bits() >> (64 - bits)
}

impl Crc {
    /// A checksum.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it has 1 to 64 bits.
    pub fn new(settings: &CrcSettings) -> Result<Self, Error> {
        let bits = settings.bits;
        check((1..=64).contains(&bits), "num_bits", "a whole number from 1 to 64", bits)?;
        // The register lies in the highest bits, so that one loop does for all widths.
        let polynomial = settings.polynomial << (64 - bits);
        let table = std::array::from_fn(|byte| {
            let step = |register: u64, _| (register << 1) ^ (polynomial * (register >> 63));
            (0..8).fold((byte as u64) << 56, step)
        });
        let initial = settings.initial & (u64::MAX >> (64 - bits));
        let initial = if settings.input_reflected { reflect(initial, bits) } else { initial };
        Ok(Crc { table, settings: *settings, first: initial << (64 - bits) })
    }

    /// How many bytes it takes: the lowest bits of these, where it has no whole number of bytes.
    pub fn bytes(&self) -> usize {
        self.settings.bits.div_ceil(8) as usize
    }

    /// The checksum of `bytes`.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        let CrcSettings { bits, final_xor, input_reflected, result_reflected, .. } = self.settings;
        let register = bytes.iter().fold(self.first, |register, byte| {
            let byte = if input_reflected { byte.reverse_bits() } else { *byte };
            (register << 8) ^ self.table[(register >> 56) as usize ^ usize::from(byte)]
        });
        let sum = register >> (64 - bits);
        let sum = if result_reflected { reflect(sum, bits) } else { sum };
        (sum ^ final_xor) & (u64::MAX >> (64 - bits))
    }

    /// The checksum of `bytes` as bytes, the highest first, or the lowest.
    pub fn bytes_of(&self, bytes: &[u8], lowest_first: bool) -> Vec<u8> {
        let n = self.bytes();
        let sum = self.of(bytes);
        if lowest_first { sum.to_le_bytes()[..n].to_vec() } else { sum.to_be_bytes()[8 - n..].to_vec() }
    }
}

/// The parameters of a checksum, and of where it lies.
#[derive(Debug, Parameters)]
pub(super) struct CrcParameters {
    /// How many bits the checksum has.
    #[param(unit = "bits", range = 1..=64, default = 16)]
    num_bits: u32,
    /// The polynomial, the highest power first; beyond 63 bits as text "0x…".
    #[param(by = Digits, default = 4129)]
    poly: u64,
    /// What the register holds at first.
    #[param(by = Digits, default = 65535)]
    initial_value: u64,
    /// What is added to the result.
    #[param(by = Digits, default = 0)]
    final_xor: u64,
    /// Whether the lowest bit of each byte comes first.
    #[param(default = false)]
    input_reflected: bool,
    /// Whether the result's lowest bit comes first.
    #[param(default = false)]
    result_reflected: bool,
    /// Whether the lowest byte of the checksum comes first.
    #[param(default = false)]
    pub swap_endianness: bool,
    /// How many bytes of a packet do not count.
    #[param(unit = "bytes", range = 0..=1 << 24, default = 0)]
    pub skip_header_bytes: usize,
    /// The checksum's name in the CRC catalogue, such as CRC-16/IBM-SDLC, instead of the six parameters that say what it is.
    #[param(default = "")]
    crc: String,
}

impl CrcParameters {
    /// The checksum.
    pub fn crc(&self) -> Result<Crc, Error> {
        if !self.crc.is_empty() {
            return Crc::named(&self.crc);
        }
        Crc::new(&CrcSettings {
            bits: self.num_bits,
            polynomial: self.poly,
            initial: self.initial_value,
            final_xor: self.final_xor,
            input_reflected: self.input_reflected,
            result_reflected: self.result_reflected,
        })
    }
}

/// Reads numbers of 64 bits, which may be written as `"0x…"`.
enum Digits {}

impl Reads<u64> for Digits {
    const KIND: Kind = Kind::Value;

    fn read(params: &Params, name: &'static str) -> Result<u64, BlockError> {
        Digits::change(name, params.value(name))
    }
    fn change(parameter: &'static str, value: &Value) -> Result<u64, BlockError> {
        let text = value.as_str().and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
        let signed = || value.as_i64().map(|number| number as u64);
        let wrong = || Error::WrongKind {
            parameter,
            wanted: "a whole number of 64 bits, or \"0x…\"",
            got: value.to_string(),
        };
        Ok(value.as_u64().or_else(signed).or(text).ok_or_else(wrong)?)
    }
    fn say(number: &u64) -> Value {
        format!("{number:#x}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksums_are_those_of_the_catalogue_and_of_gnu_radio() {
        let sum = |bits, polynomial, initial, final_xor, input_reflected, result_reflected| {
            let settings =
                CrcSettings { bits, polynomial, initial, final_xor, input_reflected, result_reflected };
            Crc::new(&settings).unwrap().of(b"123456789")
        };
        assert_eq!(sum(8, 0x07, 0, 0, false, false), 0xf4);
        assert_eq!(sum(24, 0x86_4cfb, 0xb7_04ce, 0, false, false), 0x21_cf02);
        assert_eq!(sum(32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, true, true), 0xcbf4_3926);
        assert_eq!(sum(64, 0x42f0_e1eb_a9ea_3693, 0, 0, false, false), 0x6c40_df5f_0b49_7347);
        assert_eq!(sum(16, 0x1021, 0x1234, 0, true, false), 0x6b62);
        assert_eq!(sum(16, 0x1021, 0x1234, 0, false, true), 0xd7b7);
        assert_eq!(sum(16, 0x1021, 0x1234, 0, true, true), 0x46d6);
    }

    #[test]
    fn a_width_without_whole_bytes_lies_in_the_lowest_bits() {
        let settings = CrcSettings {
            bits: 12,
            polynomial: 0x80f,
            initial: 0,
            final_xor: 0,
            input_reflected: false,
            result_reflected: true,
        };
        let crc = Crc::new(&settings).unwrap();
        assert_eq!(crc.of(b"123456789"), 0xdaf);
        assert_eq!((crc.bytes_of(b"123456789", false), crc.bytes()), (vec![0x0d, 0xaf], 2));
        for bits in [0, 65] {
            assert!(Crc::new(&CrcSettings { bits, ..settings }).is_err());
        }
    }
}
