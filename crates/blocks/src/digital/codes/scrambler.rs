//! Scrambling that synchronises itself.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output};

use crate::digital::codes::lfsr::{LENGTH, Lfsr, MASK, SEED, self_synchronising};

self_synchronising! {
    Scrambler scramble scramble_eight
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

/// How files and the command line find [`Scrambler`].
pub const ENTRY: Entry = Entry {
    name: "scrambler",
    category: "digital",
    summary: "Scrambles bits by a shift register that they enter.",
    params: &[MASK, SEED, LENGTH],
    ports: &[input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1, scrambled")],
    make: |params| {
        let (mask, seed) = (params.integer("mask") as u64, params.integer("seed") as u64);
        Ok(AnyBlock::new(Scrambler::new(Lfsr::new(mask, seed, params.count("length") as u32)?)))
    },
};

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
