//! Bits of a frame: scrambled, coded, interleaved; and SIGNAL.

use superhet_kernels::ViterbiK7;

use super::rate::Rate;

/// Bits before the bytes of a frame, and behind them.
pub const SERVICE_BITS: usize = 16;
pub const TAIL_BITS: usize = 6;
/// Bits of SIGNAL, without its tail.
pub const SIGNAL_BITS: usize = 18;
/// Most bytes of a frame: its length has 12 bits.
pub const MOST_BYTES: usize = 4095;

/// The scrambler x⁷ + x⁴ + 1 (section 17.3.5.5): its next bit. The newest bit of the state is the lowest.
pub fn scramble(state: &mut u8) -> u8 {
    let bit = (*state >> 6 ^ *state >> 3) & 1;
    *state = *state << 1 & 0x7f | bit;
    bit
}

/// What SIGNAL says (section 17.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The rate.
    pub rate: &'static Rate,
    /// Bytes of the frame.
    pub bytes: usize,
}

impl Signal {
    /// Its 18 bits: rate, reserved, length, parity.
    pub fn bits(self) -> [u8; SIGNAL_BITS] {
        let word = u32::from(self.rate.code) | (self.bytes as u32) << 5;
        std::array::from_fn(|place| match place {
            17 => (word.count_ones() & 1) as u8,
            place => (word >> place & 1) as u8,
        })
    }

    /// What 18 bits say, unless they are none.
    pub fn read(bits: &[u8; SIGNAL_BITS]) -> Option<Signal> {
        let word = bits.iter().rev().fold(0u32, |word, bit| word << 1 | u32::from(*bit));
        let bytes = (word >> 5 & 0xfff) as usize;
        let is_whole = word.count_ones().is_multiple_of(2) && word >> 4 & 1 == 0 && bytes > 0;
        Some(Signal { rate: Rate::of_code((word & 15) as u8)?, bytes }).filter(|_| is_whole)
    }

    /// Symbols behind SIGNAL.
    pub fn symbols(self) -> usize {
        self.rate.symbols(self.bytes)
    }
}

/// The bits of the carriers of all symbols that these bits, each 0 or 1, and a tail make: coded, punctured, interleaved.
/// There are as many as whole symbols need; those behind the tail are 0.
pub fn encode(rate: &Rate, bits: &[u8]) -> Vec<u8> {
    let coded: Vec<u8> = ViterbiK7::encode(bits).flatten().collect();
    let places = rate.places();
    let mut sent = Vec::with_capacity(coded.len());
    for symbol in coded.chunks(2 * rate.data_bits()) {
        sent.extend(places.iter().map(|place| symbol.get(usize::from(*place)).copied().unwrap_or(0)));
    }
    sent
}

/// The bits of the data symbols of a frame: SERVICE, the bytes, tail and pad, scrambled from this state, 1 to 127, and encoded.
pub fn encode_data(rate: &Rate, bytes: &[u8], state: u8) -> Vec<u8> {
    let total = rate.symbols(bytes.len()) * rate.data_bits();
    let tail = SERVICE_BITS + 8 * bytes.len();
    let mut state = state;
    let mut bits: Vec<u8> = (0..total)
        .map(|place| {
            let bit = place
                .checked_sub(SERVICE_BITS)
                .and_then(|place| Some(bytes.get(place / 8)? >> (place % 8) & 1));
            bit.unwrap_or(0) ^ scramble(&mut state)
        })
        .collect();
    bits[tail..tail + TAIL_BITS].fill(0);
    // The code goes on over the pad: what it makes of six zeros more is cut off.
    let places = rate.places();
    let coded: Vec<u8> = ViterbiK7::encode(&bits).flatten().take(2 * total).collect();
    coded
        .chunks_exact(2 * rate.data_bits())
        .flat_map(|symbol| places.iter().map(|place| symbol[usize::from(*place)]))
        .collect()
}

/// The sequence of the scrambler, eight bits a byte, the first lowest, from each place on: it comes again after 127 bytes.
pub struct Descrambler {
    /// The bytes of the sequence from its first bit on, twice.
    bytes: [u8; 254],
    /// Of the first seven bits of a frame, the first lowest, which byte of the sequence follows SERVICE.
    starts: [u8; 128],
}

impl Descrambler {
    /// Its tables.
    pub fn new() -> Self {
        let mut state = 0x7f;
        let sequence: Vec<u8> = (0..127).map(|_| scramble(&mut state)).collect();
        let byte = |at: usize| (0..8).fold(0, |byte, bit| byte | sequence[(at + bit) % 127] << bit);
        let bytes = std::array::from_fn(|n| byte(8 * n));
        let mut starts = [0; 128];
        for at in 0..127 {
            // Which byte of the sequence begins 16 bits behind `at`: 8 n = at + 16 modulo 127, and 8 · 16 = 1.
            starts[usize::from(byte(at) & 127)] = ((at + 16) * 16 % 127) as u8;
        }
        Descrambler { bytes, starts }
    }

    /// Turns the bits of a frame, each 0 or 1, into its bytes, without SERVICE. The first bits say the scrambler's state, since
    /// SERVICE begins with seven zeros; `None` where they say that there is none.
    pub fn bytes(&self, bits: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let first = bits.get(..7)?.iter().rev().fold(0, |first, bit| first << 1 | usize::from(bit & 1));
        if first == 0 {
            return None;
        }
        out.clear();
        out.resize((bits.len() - SERVICE_BITS) / 8, 0);
        superhet_kernels::pack_bits_lsb(out, bits[SERVICE_BITS..].as_chunks().0);
        let start = usize::from(self.starts[first]);
        for piece in out.chunks_mut(127) {
            piece.iter_mut().zip(&self.bytes[start..start + 127]).for_each(|(byte, key)| *byte ^= key);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signal_is_coded_as_in_the_standard_s_example() {
        let signal = Signal { rate: Rate::of_mbps(36).unwrap(), bytes: 100 };
        let text = |bits: &[u8]| bits.iter().map(|bit| char::from(b'0' + bit)).collect::<String>();
        assert_eq!(text(&signal.bits()), "101100010011000000");
        let slowest = Rate::of_mbps(6).unwrap();
        // Table I-8: interleaved.
        assert_eq!(
            text(&encode(slowest, &signal.bits())),
            "100101001101000000010100100000110010010010010100"
        );
        assert_eq!(Signal::read(&signal.bits()), Some(signal));
        for place in 0..18 {
            let mut bits = signal.bits();
            bits[place] ^= 1;
            assert_eq!(Signal::read(&bits), None, "{place}");
        }
    }

    #[test]
    fn what_was_scrambled_from_any_state_comes_back() {
        let descrambler = Descrambler::new();
        let sent: Vec<u8> = (0..1000u32).map(|n| (n * 37 + n / 7) as u8).collect();
        for start in 1..128 {
            let mut state = start;
            let bit = |place: usize| {
                place.checked_sub(SERVICE_BITS).map_or(0, |place| sent[place / 8] >> (place % 8) & 1)
            };
            let bits: Vec<u8> = (0..16 + 8000).map(|place| bit(place) ^ scramble(&mut state)).collect();
            let mut got = Vec::new();
            descrambler.bytes(&bits, &mut got).unwrap();
            assert!(got == sent, "{start}");
        }
        assert!(descrambler.bytes(&[0; 24], &mut Vec::new()).is_none());
        assert!(descrambler.bytes(&[1; 3], &mut Vec::new()).is_none());
    }
}
