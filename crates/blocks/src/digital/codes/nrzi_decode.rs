//! Decoding of NRZI, by name.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, Kind, Param, Params, input, optional, output};

use crate::digital::constellations::{Coding, DiffDecoder};

/// The parameter `change`.
pub(super) const CHANGE: Param = optional(
    "change",
    Kind::Choice(&["zero", "one"]),
    "",
    "\"zero\"",
    "Which bit is a change of the level: zero in HDLC, AX.25 and USB (NRZ-S), one in NRZ-M.",
);

/// The coding that the parameter [`CHANGE`] says.
pub(super) fn coding(params: &Params) -> Coding {
    if params.text("change") == "one" { Coding::Differential } else { Coding::Nrzi }
}

/// How files and the command line find a [`DiffDecoder`] of NRZI.
pub const ENTRY: Entry = Entry {
    name: "nrzi_decode",
    category: "digital",
    summary: "Decodes NRZI: y[n] = (x[n] = x[n − 1]), or its complement.",
    params: &[CHANGE],
    ports: &[input("in", "u8", "levels, a bit each"), output("out", "u8", "0 or 1")],
    make: |params| Ok(AnyBlock::new(DiffDecoder::new(2, coding(params))?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::codes::nrzi_encode;
    use crate::testing::run_entry;

    #[test]
    fn a_zero_is_a_change_or_a_one_is() {
        let x = [0, 1, 1, 0, 0, 0];
        assert_eq!(run_entry::<u8, u8>(&ENTRY, &[], &x), [1, 0, 1, 0, 1, 1]);
        assert_eq!(run_entry::<u8, u8>(&ENTRY, &[("change", "one".into())], &x), [0, 1, 0, 1, 0, 0]);
    }

    #[test]
    fn what_was_encoded_comes_back() {
        let bits = [1, 0, 0, 1, 1, 1, 0, 1, 0, 0];
        for change in ["zero", "one"] {
            let given = [("change", change.into())];
            let sent = run_entry::<u8, u8>(&nrzi_encode::ENTRY, &given, &bits);
            assert_eq!(run_entry::<u8, u8>(&ENTRY, &given, &sent), bits);
        }
    }
}
