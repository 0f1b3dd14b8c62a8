//! The eight rates: how many bits a symbol carries, and how they are coded.

/// How a frame is modulated and coded: table 17-4 of IEEE Std 802.11-2016.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Mbit/s in a channel of 20 MHz; half of it in 10 MHz, a quarter in 5 MHz.
    pub mbps: u8,
    /// The four bits of the SIGNAL field that say so, the first lowest: table 17-6.
    pub code: u8,
    /// Bits of a carrier in a symbol.
    pub carrier_bits: usize,
    /// The bits that the puncturing takes and lets pass.
    pub puncturing: Puncturing,
}

/// Which of the bits of the convolutional code of the rate 1/2 are sent: section 17.3.5.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Puncturing {
    /// All.
    Half,
    /// Three of four.
    TwoThirds,
    /// Four of six.
    ThreeQuarters,
}

impl Puncturing {
    /// Of so many bits of the code in a row, whether each is sent.
    pub fn pattern(self) -> &'static [bool] {
        match self {
            Puncturing::Half => &[true, true],
            Puncturing::TwoThirds => &[true, true, true, false],
            Puncturing::ThreeQuarters => &[true, true, true, false, false, true],
        }
    }
}

/// Carriers with data.
pub const DATA_CARRIERS: usize = 48;

/// All rates, the slowest first.
pub static RATES: [Rate; 8] = [
    rate(6, 0b1011, 1, Puncturing::Half),
    rate(9, 0b1111, 1, Puncturing::ThreeQuarters),
    rate(12, 0b1010, 2, Puncturing::Half),
    rate(18, 0b1110, 2, Puncturing::ThreeQuarters),
    rate(24, 0b1001, 4, Puncturing::Half),
    rate(36, 0b1101, 4, Puncturing::ThreeQuarters),
    rate(48, 0b1000, 6, Puncturing::TwoThirds),
    rate(54, 0b1100, 6, Puncturing::ThreeQuarters),
];

const fn rate(mbps: u8, code: u8, carrier_bits: usize, puncturing: Puncturing) -> Rate {
    Rate { mbps, code, carrier_bits, puncturing }
}

impl Rate {
    /// The rate of so many Mbit/s.
    pub fn of_mbps(mbps: u64) -> Option<&'static Rate> {
        RATES.iter().find(|rate| u64::from(rate.mbps) == mbps)
    }

    /// The rate that the SIGNAL field names.
    pub fn of_code(code: u8) -> Option<&'static Rate> {
        RATES.iter().find(|rate| rate.code == code)
    }

    /// Coded bits of a symbol.
    pub fn coded_bits(&self) -> usize {
        DATA_CARRIERS * self.carrier_bits
    }

    /// Data bits of a symbol.
    pub fn data_bits(&self) -> usize {
        4 * usize::from(self.mbps)
    }

    /// Symbols with data of a frame of so many bytes: 16 bits of SERVICE, the bytes, six zeros.
    pub fn symbols(&self, bytes: usize) -> usize {
        (16 + 8 * bytes + 6).div_ceil(self.data_bits())
    }

    /// Where each of the bits that a symbol's carriers bring, carrier by carrier, belongs in the bits of the code before it was
    /// punctured: section 17.3.5.7 backwards. Of each pair of them that of the polynomial 0o171 comes first, as
    /// [`ViterbiK7`](superhet_kernels::ViterbiK7) has it; the standard has the other first.
    pub fn places(&self) -> Vec<u16> {
        let coded = self.coded_bits();
        let pattern = self.puncturing.pattern();
        let sent: Vec<u16> = (0..2 * self.data_bits() as u16)
            .filter(|place| pattern[usize::from(*place) % pattern.len()])
            .collect();
        let s = (self.carrier_bits / 2).max(1);
        let mut places = vec![0; coded];
        for (k, place) in sent.into_iter().enumerate() {
            let i = coded / 16 * (k % 16) + k / 16;
            let j = s * (i / s) + (i + coded - 16 * i / coded) % s;
            places[j] = place ^ 1;
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_what_their_modulation_and_code_make_of_them() {
        for rate in &RATES {
            let pattern = rate.puncturing.pattern();
            let sent = pattern.iter().filter(|sent| **sent).count();
            assert_eq!(rate.data_bits() * 2 * sent, rate.coded_bits() * pattern.len(), "{rate:?}");
            assert_eq!(Rate::of_code(rate.code), Some(rate));
            let mut places = rate.places();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), rate.coded_bits(), "{rate:?}");
        }
        assert_eq!((Rate::of_mbps(7), Rate::of_code(0)), (None, None));
    }
}
