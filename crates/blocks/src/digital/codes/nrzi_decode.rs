//! Decoding of NRZI, by name.

use crate::error::Error;
use superhet_runtime::catalog::Choice;
use superhet_runtime::declare;

use crate::digital::constellations::{Coding, DiffDecoder};

/// Which bit is a change of the level.
#[derive(Clone, Copy, Debug, Choice)]
pub(super) enum Change {
    Zero,
    One,
}

impl Change {
    pub fn coding(self) -> Coding {
        match self {
            Change::Zero => Coding::Nrzi,
            Change::One => Coding::Differential,
        }
    }
}

#[declare(
    category = "digital",
    summary = "Decodes NRZI: y[n] = (x[n] = x[n − 1]), or its complement.",
    ports(input("in", "u8", "levels, a bit each"), output("out", "u8", "0 or 1"))
)]
fn nrzi_decode(
    /// Which bit is a change of the level: zero in HDLC, AX.25 and USB (NRZ-S), one in NRZ-M.
    #[param(default = "zero")]
    change: Change,
) -> Result<DiffDecoder, Error> {
    DiffDecoder::new(2, change.coding())
}

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
