//! Marks the data behind a word, bit by bit.

use superhet_runtime::{AnyBlock, BlockError, Shape, SyncBlock, declare};

use crate::digital::framing::access_code::AccessCode;

/// The bits, 64 items later, and a flag on the first behind an access code: `y[n] = x[n − 64] + 2 · flag`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | a bit each, the lowest |
/// | out `out` | `u8` | bit 0 is the data, bit 1 the flag |
///
/// ```
/// use superhet_blocks::digital::{AccessCode, CorrelateAccessCode};
/// use superhet_runtime::harness;
///
/// let mut bits = vec![0u8; 80];
/// bits[..6].copy_from_slice(&[1, 0, 1, 1, 1, 0]);
/// let y: Vec<u8> = harness::run(CorrelateAccessCode::new(AccessCode::new("1011", 0)?), &bits);
/// assert_eq!(y[64..70], [1, 0, 1, 1, 3, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CorrelateAccessCode {
    code: AccessCode,
    data: u64,
    flags: u64,
    is_next: bool,
}

impl CorrelateAccessCode {
    /// Looks for this code.
    pub fn new(code: AccessCode) -> Self {
        CorrelateAccessCode { code: code.behind_zeros(), data: 0, flags: 0, is_next: false }
    }
}

impl SyncBlock for CorrelateAccessCode {
    type In = u8;
    type Out = u8;

    fn shape(&self) -> Shape {
        Shape { delay: 64, ..Shape::default() }
    }

    fn process(&mut self, x: &[u8], y: &mut [u8]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y = (self.data >> 63) as u8 | (self.flags >> 63 << 1) as u8;
            self.data = self.data << 1 | u64::from(x & 1);
            self.flags = self.flags << 1 | u64::from(self.is_next);
            self.is_next = self.code.next(*x).is_some();
        }
    }
}

#[declare(
    category = "digital",
    summary = "The bits, 64 items later, and a flag on the first behind an access code.",
    ports(
        input("in", "u8", "a bit each, the lowest"),
        output("out", "u8", "bit 0 the data, bit 1 the flag")
    )
)]
fn correlate_access_code(
    /// The word, up to 64 digits, each 0 or 1, or 0x….
    access_code: &str,
    /// How many bits may be wrong.
    #[param(unit = "bits", range = 0..=64, default = 0)]
    threshold: u32,
) -> Result<AnyBlock, BlockError> {
    let code = AccessCode::new(access_code, threshold)?;
    Ok(AnyBlock::new(CorrelateAccessCode::new(code)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_flag_lies_on_the_first_bit_behind_the_code_wherever_the_stream_is_cut() {
        let data = [0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1];
        let bits = [&data[..], &[0; 70]].concat();
        let make = || CorrelateAccessCode::new(AccessCode::new("1011", 0).unwrap());
        let y: Vec<u8> = harness::run(make(), &bits);
        assert_eq!(y[..64], [0; 64]);
        assert_eq!(y[64..82], [0, 0, 1, 0, 1, 1, 2, 1, 1, 3, 0, 0, 1, 0, 1, 1, 2, 0]);
        harness::assert_cut_invariant(make, &bits);
    }
}
