//! FT8 and FT4 as numbers.

use superhet_runtime::catalog::{Kind, Params, Reads};
use superhet_runtime::{BlockError, Value};

use super::code::{self, Bits, CODE_BITS};
use super::demod::SYMBOL;

/// The rate that signals are read and written at.
pub const RATE_HZ: f64 = 12e3;

/// One of the two modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Slots of 15 s, 8 tones, 6.25 Bd.
    Ft8,
    /// Slots of 7.5 s, 4 tones, 20.83 Bd.
    Ft4,
}

/// FT4 adds these bits to a message, so that a plain one has no long runs.
const FT4_MASK: u128 = 0x4a5e_89b4_b08a_7955_be28 >> 3;

impl Mode {
    /// As operators write it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Ft8 => "FT8",
            Mode::Ft4 => "FT4",
        }
    }

    /// Seconds of a slot.
    pub fn slot_s(self) -> f64 {
        match self {
            Mode::Ft8 => 15.0,
            Mode::Ft4 => 7.5,
        }
    }

    /// Samples of a symbol at 12 kHz.
    pub fn symbol_samples(self) -> usize {
        match self {
            Mode::Ft8 => 1920,
            Mode::Ft4 => 576,
        }
    }

    /// Symbols of a message.
    pub fn symbols(self) -> usize {
        match self {
            Mode::Ft8 => 79,
            Mode::Ft4 => 103,
        }
    }

    /// Bits of a symbol.
    pub fn bits(self) -> usize {
        match self {
            Mode::Ft8 => 3,
            Mode::Ft4 => 2,
        }
    }

    /// How many tones there are.
    pub fn tones(self) -> usize {
        1 << self.bits()
    }

    /// Samples of a message.
    pub fn message_samples(self) -> usize {
        self.symbols() * self.symbol_samples()
    }

    /// Samples of a slot.
    pub fn slot_samples(self) -> usize {
        (self.slot_s() * RATE_HZ) as usize
    }

    /// Samples that are decoded together: those of a slot, in which messages begin, and of the longest of these.
    pub fn window_samples(self) -> usize {
        self.slot_samples() + self.message_samples() + self.symbol_samples()
    }

    /// How much slower the samples are that a message is demodulated with.
    pub fn decimation(self) -> usize {
        self.symbol_samples() / SYMBOL
    }

    /// Hz between tones, which is the symbol rate, too.
    pub fn spacing_hz(self) -> f64 {
        RATE_HZ / self.symbol_samples() as f64
    }

    /// The bandwidth of the Gaussian filter times the length of a symbol.
    pub fn bt(self) -> f64 {
        match self {
            Mode::Ft8 => 2.0,
            Mode::Ft4 => 1.0,
        }
    }

    /// The first symbol of each synchronisation pattern, and its tones.
    pub fn sync(self) -> &'static [(usize, &'static [u8])] {
        const FT8: &[u8] = &[3, 1, 4, 0, 6, 5, 2];
        match self {
            Mode::Ft8 => &[(0, FT8), (36, FT8), (72, FT8)],
            Mode::Ft4 => &[(0, &[0, 1, 3, 2]), (33, &[1, 0, 2, 3]), (66, &[2, 3, 1, 0]), (99, &[3, 2, 0, 1])],
        }
    }

    /// How many symbols have tones that are known.
    pub fn sync_symbols(self) -> usize {
        self.sync().iter().map(|(_, tones)| tones.len()).sum()
    }

    /// So many symbols are demodulated together, one after the other: with their phases, which noise spoils less.
    pub fn together(self) -> [usize; 3] {
        match self {
            Mode::Ft8 => [1, 2, 3],
            Mode::Ft4 => [1, 2, 4],
        }
    }

    /// How much may speak against a message with so many of the known tones: 0 is nothing, 1 is everything. What noise gave in hours
    /// lies 0.007 (FT4: 0.005) and more above that.
    pub fn most_against(self, synced: usize) -> f32 {
        let sure = synced as f32 / self.sync_symbols() as f32;
        match self {
            Mode::Ft8 => 0.022 + 0.07 * sure,
            Mode::Ft4 => 0.0155 + 0.07 * sure,
        }
    }

    /// The tone of each value of a symbol's bits.
    pub fn gray(self) -> &'static [u8] {
        match self {
            Mode::Ft8 => &[0, 1, 3, 2, 5, 6, 4, 7],
            Mode::Ft4 => &[0, 1, 3, 2],
        }
    }

    /// The symbols with data, in their order.
    pub fn data(self) -> Vec<usize> {
        let is_sync =
            |n: usize| self.sync().iter().any(|(start, tones)| (*start..start + tones.len()).contains(&n));
        (0..self.symbols()).filter(|&n| !is_sync(n)).collect()
    }

    /// A message as it goes into the code, and as it comes out.
    pub fn masked(self, message: u128) -> u128 {
        match self {
            Mode::Ft8 => message,
            Mode::Ft4 => message ^ FT4_MASK,
        }
    }

    /// The tones of a message.
    pub fn tones_of(self, message: u128) -> Vec<u8> {
        self.tones_of_bits(&code::encode(self.masked(message)))
    }

    /// The tones of a code word.
    pub fn tones_of_bits(self, bits: &Bits) -> Vec<u8> {
        let mut tones = vec![0; self.symbols()];
        for (start, sync) in self.sync() {
            tones[*start..start + sync.len()].copy_from_slice(sync);
        }
        debug_assert_eq!(self.data().len() * self.bits(), CODE_BITS);
        for (symbol, bits) in self.data().into_iter().zip(bits.chunks(self.bits())) {
            let value = bits.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
            tones[symbol] = self.gray()[value];
        }
        tones
    }
}

/// Reads and says modes by their names.
pub enum ModeName {}

impl Reads<Mode> for ModeName {
    const KIND: Kind = Kind::Choice(&["ft8", "ft4"]);

    fn read(params: &Params, name: &'static str) -> Result<Mode, BlockError> {
        ModeName::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<Mode, BlockError> {
        match value.as_str() {
            Some("ft8") => Ok(Mode::Ft8),
            Some("ft4") => Ok(Mode::Ft4),
            _ => Err(format!("{name} = {value}: expected ft8 or ft4").into()),
        }
    }
    fn say(mode: &Mode) -> Value {
        mode.name().to_lowercase().into()
    }
}
