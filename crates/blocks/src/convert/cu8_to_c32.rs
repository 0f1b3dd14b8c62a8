//! Unsigned bytes, interleaved IQ, to complex samples.

use superhet_kernels as kernels;
use superhet_runtime::{C32, Pure, declare};

use crate::elementwise::Elementwise;

/// Unsigned bytes, interleaved IQ, to complex samples: each part is `(x − 127.5) / 127.5`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `cu8` | codes [i, q], 0..=255 |
/// | out `out` | `C32` | full scale = 1.0 |
///
/// ```
/// use superhet_blocks::convert::Cu8ToC32;
/// use superhet_runtime::{C32, harness};
///
/// let y = harness::run(Cu8ToC32, &[[0, 255]]);
/// assert_eq!(y, [C32::new(-1.0, 1.0)]);
/// ```
#[declare(
    category = "convert",
    summary = "Unsigned bytes, interleaved IQ, to complex samples: each part is (x − 127.5) / 127.5.",
    ports(input("in", "cu8", "codes [i, q], 0..=255"), output("out", "C32", "full scale = 1.0"))
)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Cu8ToC32;

impl Pure for Cu8ToC32 {
    type In = [u8; 2];
    type Out = C32;

    fn map(&self, x: &[[u8; 2]], y: &mut [C32]) {
        kernels::u8_to_c32(y, x);
    }
}

impl Elementwise for Cu8ToC32 {
    type In = [u8; 2];
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: [u8; 2]) -> C32 {
        kernels::item::u8_to_c32(x)
    }
    fn describe(&self) -> String {
        const { ENTRY.name }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::C32ToCu8;
    use superhet_runtime::harness;

    #[test]
    fn every_code_comes_back_from_its_sample() {
        let codes: Vec<[u8; 2]> = (u8::MIN..=u8::MAX).map(|code| [code, !code]).collect();
        let samples: Vec<C32> = harness::run(Cu8ToC32, &codes);
        assert!(samples.iter().all(|x| x.re.abs() <= 1.0 && x.im.abs() <= 1.0));
        assert_eq!(harness::run(C32ToCu8, &samples), codes);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || Cu8ToC32,
            &(0..2000).map(|n| [(n * 33) as u8, n as u8]).collect::<Vec<_>>(),
        );
    }
}
