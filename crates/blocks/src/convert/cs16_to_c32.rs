//! Signed 16-bit integers, interleaved IQ, to complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Signed 16-bit integers, interleaved IQ, to complex samples: each part is `x / 32768`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `cs16` | codes [i, q], −32768..=32767 |
/// | out `out` | `C32` | full scale = 1.0 |
///
/// ```
/// use superhet_blocks::convert::Cs16ToC32;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(Cs16ToC32, &[[-32768, 16384]]);
/// assert_eq!(y, [C32::new(-1.0, 0.5)]);
/// ```
#[declare(
    category = "convert",
    summary = "Signed 16-bit integers, interleaved IQ, to complex samples: each part is x / 32768.",
    ports(input("in", "cs16", "codes [i, q], −32768..=32767"), output("out", "C32", "full scale = 1.0"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Cs16ToC32;

impl Pure for Cs16ToC32 {
    type In = [i16; 2];
    type Out = C32;

    fn map(&self, x: &[[i16; 2]], y: &mut [C32]) {
        kernels::i16_to_c32(y, x);
    }
}

impl Elementwise for Cs16ToC32 {
    type In = [i16; 2];
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: [i16; 2]) -> C32 {
        kernels::item::i16_to_c32(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::C32ToCs16;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_from_its_sample() {
        let codes: Vec<[i16; 2]> = (i16::MIN..=i16::MAX).map(|code| [code, !code]).collect();
        let samples: Vec<C32> = harness::run(Cs16ToC32, &codes);
        assert!(samples.iter().all(|x| x.re.abs() <= 1.0 && x.im.abs() <= 1.0));
        assert_eq!(harness::run(C32ToCs16, &samples), codes);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || Cs16ToC32,
            &(0..2000).map(|n| [(n * 33) as i16, n as i16]).collect::<Vec<_>>(),
        );
    }
}
