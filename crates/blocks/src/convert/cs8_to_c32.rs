//! Signed bytes, interleaved IQ, to complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Signed bytes, interleaved IQ, to complex samples: each part is `x / 128`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `cs8` | codes [i, q], −128..=127 |
/// | out `out` | `C32` | full scale = 1.0 |
///
/// ```
/// use superhet_blocks::convert::Cs8ToC32;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(Cs8ToC32, &[[-128, 64]]);
/// assert_eq!(y, [C32::new(-1.0, 0.5)]);
/// ```
#[declare(
    category = "convert",
    summary = "Signed bytes, interleaved IQ, to complex samples: each part is x / 128.",
    ports(input("in", "cs8", "codes [i, q], −128..=127"), output("out", "C32", "full scale = 1.0"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Cs8ToC32;

impl Pure for Cs8ToC32 {
    type In = [i8; 2];
    type Out = C32;

    fn map(&self, x: &[[i8; 2]], y: &mut [C32]) {
        kernels::i8_to_c32(y, x);
    }
}

impl Elementwise for Cs8ToC32 {
    type In = [i8; 2];
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: [i8; 2]) -> C32 {
        kernels::item::i8_to_c32(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::C32ToCs8;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_from_its_sample() {
        let codes: Vec<[i8; 2]> = (i8::MIN..=i8::MAX).map(|code| [code, !code]).collect();
        let samples: Vec<C32> = harness::run(Cs8ToC32, &codes);
        assert!(samples.iter().all(|x| x.re.abs() <= 1.0 && x.im.abs() <= 1.0));
        assert_eq!(harness::run(C32ToCs8, &samples), codes);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || Cs8ToC32,
            &(0..2000).map(|n| [(n * 33) as i8, n as i8]).collect::<Vec<_>>(),
        );
    }
}
