//! Scrambling that synchronises itself.

use superhet_runtime::{BlockError, declare};

use crate::digital::codes::lfsr::{Lfsr, self_synchronising};

self_synchronising! {
    Scrambler scramble_all
    /// Scrambles bits by a shift register that they enter: [`Lfsr::scramble`].
    ///
    /// The receiver's register fills with the same bits by itself, so that it needs no other synchronisation.
    ///
    /// ```
    /// use superhet_blocks::digital::{Descrambler, Lfsr, Scrambler};
    /// use superhet_runtime::harness;
    ///
    /// let register = Lfsr::new(0x8a, 0x7f, 7)?;
    /// let bits = [1, 0, 1, 1, 0, 0, 0, 1, 0, 1];
    /// let sent: Vec<u8> = harness::run(Scrambler::new(register.clone()), &bits);
    /// let got: Vec<u8> = harness::run(Descrambler::new(register), &sent);
    /// assert_eq!(got[8..], bits[..2]);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
}

#[declare(
    category = "digital",
    summary = "Scrambles bits by a shift register that they enter.",
    ports(input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1, scrambled"))
)]
fn scrambler(
    /// Which places of the register are fed back, as the bits of a number.
    #[param(default = 138)]
    mask: u64,
    /// What the register holds at first.
    #[param(default = 127)]
    seed: u64,
    /// The place at which bits enter, counted from 0.
    #[param(unit = "bits", range = 0..=63, default = 7)]
    length: u32,
) -> Result<Scrambler, BlockError> {
    Ok(Scrambler::new(Lfsr::new(mask, seed, length)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::Descrambler;
    use superhet_runtime::harness;

    #[test]
    fn the_bits_are_those_of_gnu_radio_and_come_back_8_later() {
        let register = || Lfsr::new(0x8a, 0x7f, 7).unwrap();
        let bits = [1, 0, 1, 1, 0, 0, 0, 1].repeat(40);
        let sent: Vec<u8> = harness::run(Scrambler::new(register()), &bits);
        assert_eq!(sent[..20], [1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0]);
        let got: Vec<u8> = harness::run(Descrambler::new(register()), &sent);
        assert_eq!(got[8..], bits[..312]);
        let got: Vec<u8> = harness::run(Descrambler::new(register()), &bits);
        assert_eq!(got[..12], [1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let bits: Vec<u8> = (0..1000u32).map(|n| (n * n % 7 % 2) as u8).collect();
        harness::assert_cut_invariant(|| Scrambler::new(Lfsr::new(0x21, 1, 16).unwrap()), &bits);
        harness::assert_cut_invariant(|| Descrambler::new(Lfsr::new(0x21, 1, 16).unwrap()), &bits);
    }
}
