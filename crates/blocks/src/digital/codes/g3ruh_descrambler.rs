//! Takes off the scrambling of G3RUH modems.

use superhet_runtime::{AnyBlock, BlockError, declare};

use crate::digital::codes::{Descrambler, Lfsr};
use crate::error::Error;

/// The register of `1 + x¹² + x¹⁷`, empty.
///
/// # Source
/// J. Miller (G3RUH), 9600 Baud Packet Radio Modem Design, 7th ARRL Computer Networking Conference, 1988.
pub(super) fn register() -> Result<Lfsr, Error> {
    // A bit enters at place 16: the 12th before is at place 5, the 17th at place 0.
    Lfsr::new(1 << 5 | 1, 0, 16)
}

#[declare(
    category = "digital",
    summary = "Takes off the scrambling of G3RUH modems, 1 + x¹² + x¹⁷.",
    ports(input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1"))
)]
fn g3ruh_descrambler() -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Descrambler::new(register()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::codes::g3ruh_scrambler;
    use crate::testing::{noise, run_entry};

    #[test]
    fn each_bit_is_added_to_those_12_and_17_before() {
        let x: Vec<u8> = noise(200).iter().map(|x| u8::from(*x > 0.0)).collect();
        let y = run_entry::<u8, u8>(&ENTRY, &[], &x);
        let before = |n: usize, by: usize| n.checked_sub(by).map_or(0, |n| x[n]);
        assert!((0..200).all(|n| y[n] == x[n] ^ before(n, 12) ^ before(n, 17)));
        let sent = run_entry::<u8, u8>(&g3ruh_scrambler::ENTRY, &[], &x);
        // The scrambler gives a bit 17 later than it takes it.
        let back = run_entry::<u8, u8>(&ENTRY, &[], &sent);
        assert_eq!(back[17..], x[..183]);
    }
}
