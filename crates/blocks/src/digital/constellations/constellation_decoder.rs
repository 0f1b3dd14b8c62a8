//! Samples as the symbols of a constellation.

use superhet_runtime::{C32, Pure, Ratio, Shape, declare};

use crate::digital::constellations::constellation::Constellation;
use crate::error::{Error, check};

/// The symbol whose point is nearest to each sample: of a constellation with `D` dimensions, one for each `D` samples.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | that of the constellation |
/// | out `out` | `u8` | the index of the symbol |
/// | in `set` | messages | new values of `constellation` |
///
/// ```
/// use superhet_blocks::digital::{Constellation, ConstellationDecoder};
/// use superhet_runtime::{C32, harness};
///
/// let decoder = ConstellationDecoder::new(Constellation::named("qpsk").unwrap())?;
/// assert_eq!(harness::run(decoder, &[C32::new(-0.1, 2.0)]), [2]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstellationDecoder(Constellation);

#[declare(
    category = "digital",
    summary = "The symbol whose point is nearest to each sample.",
    ports(input("in", "C32", "samples, one a symbol"), output("out", "u8", "the index of the symbol"))
)]
impl ConstellationDecoder {
    /// Decides which symbol of a constellation it was.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where it has more than 256 symbols.
    pub fn new(#[param(group, live, at = 0)] constellation: Constellation) -> Result<Self, Error> {
        check_bytes(&constellation)?;
        Ok(ConstellationDecoder(constellation))
    }
}

/// That a symbol is a byte.
pub(crate) fn check_bytes(constellation: &Constellation) -> Result<(), Error> {
    let symbols = constellation.symbols();
    check(symbols <= 256, "constellation", "at most 256 symbols", symbols as f64)
}

#[declare]
impl Pure for ConstellationDecoder {
    type In = C32;
    type Out = u8;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::decimate(self.0.dimension()), ..Shape::default() }
    }

    fn map(&self, x: &[C32], y: &mut [u8]) {
        if self.0.dimension() == 1 {
            return self.0.decide_each(x, y);
        }
        for (y, x) in y.iter_mut().zip(x.chunks_exact(self.0.dimension())) {
            *y = self.0.decide(x) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn many_samples_are_decided_as_one_is() {
        let mut x: Vec<C32> = complex_noise(1000);
        (x[3], x[70]) = (C32::new(f32::NAN, 0.0), C32::new(f32::INFINITY, 0.0));
        for name in ["bpsk", "qpsk", "8psk", "16qam"] {
            let constellation = Constellation::named(name).unwrap();
            let wanted: Vec<u8> = x.iter().map(|x| constellation.decide(&[*x]) as u8).collect();
            let y: Vec<u8> = harness::run(ConstellationDecoder::new(constellation).unwrap(), &x);
            assert_eq!(y, wanted, "{name}");
        }
    }

    #[test]
    fn decisions_are_those_of_gnu_radio() {
        let samples: Vec<C32> =
            [(0.3, 0.1), (-0.2, 0.5), (-0.7, -0.1), (0.1, -0.9), (0.05, 0.02), (1.0, 1.0), (0.9, -0.2)]
                .map(|(re, im)| C32::new(re, im))
                .to_vec();
        for (name, wanted) in [
            ("bpsk", [1, 0, 0, 1, 1, 1, 1]),
            ("qpsk", [3, 2, 0, 1, 3, 3, 1]),
            ("dqpsk", [0, 1, 2, 3, 0, 0, 3]),
            ("16qam", [11, 10, 4, 7, 11, 9, 5]),
        ] {
            let decoder = ConstellationDecoder::new(Constellation::named(name).unwrap()).unwrap();
            assert_eq!(harness::run(decoder, &samples), wanted, "{name}");
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let pairs = Constellation::new(complex_noise(16), vec![], 1, 2).unwrap();
        for constellation in [Constellation::qam(16, true, false).unwrap(), pairs] {
            let make = || ConstellationDecoder::new(constellation.clone()).unwrap();
            harness::assert_cut_invariant(make, &complex_noise(1000));
        }
    }

    #[test]
    fn symbols_that_are_no_bytes_are_refused() {
        assert!(ConstellationDecoder::new(Constellation::qam(1024, true, false).unwrap()).is_err());
    }
}
