//! Samples as soft bits of a constellation's symbols.

use superhet_runtime::{C32, Pure, Ratio, Shape, declare};

use crate::digital::constellations::constellation::Constellation;
use crate::error::{Error, check};

/// A soft decision for each bit of each sample, the highest bit first: [`Constellation::soft`].
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | that of the constellation |
/// | out `out` | `f32` | natural logarithm of a ratio; > 0 says 1 |
/// | in `set` | messages | new values of `constellation`, with as many bits |
///
/// ```
/// use superhet_blocks::digital::{Constellation, ConstellationSoftDecoder};
/// use superhet_runtime::{C32, harness};
///
/// let decoder = ConstellationSoftDecoder::new(Constellation::named("qpsk").unwrap())?;
/// let bits: Vec<f32> = harness::run(decoder, &[C32::new(0.5, -1.0)]);
/// assert!(bits[0] < 0.0 && bits[1] > 0.0);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstellationSoftDecoder(Constellation);

#[declare(
    category = "digital",
    summary = "A soft decision for each bit of each sample, the highest bit first.",
    ports(
        input("in", "C32", "samples, one a symbol"),
        output("out", "f32", "> 0 says 1, the further the surer: n · bits of a symbol items for n")
    )
)]
impl ConstellationSoftDecoder {
    /// Decides softly about the bits of a constellation's symbols.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it has one dimension and a power of 2 of points.
    pub fn new(#[param(group, live, at = 0)] constellation: Constellation) -> Result<Self, Error> {
        let symbols = constellation.symbols();
        check(
            constellation.dimension() == 1,
            "constellation",
            "one dimension",
            constellation.dimension() as f64,
        )?;
        check(symbols.is_power_of_two(), "constellation", "a power of 2 of points", symbols as f64)?;
        Ok(ConstellationSoftDecoder(constellation))
    }
}

#[declare]
impl Pure for ConstellationSoftDecoder {
    type In = C32;
    type Out = f32;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(self.0.bits_per_symbol()), ..Shape::default() }
    }

    fn map(&self, x: &[C32], y: &mut [f32]) {
        self.0.soft_each(x, self.0.bits_per_symbol(), y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let make = || ConstellationSoftDecoder::new(Constellation::named("8psk").unwrap()).unwrap();
        harness::assert_cut_invariant(make, &complex_noise(300));
    }

    #[test]
    fn a_constellation_without_whole_bits_is_refused() {
        let three = Constellation::new(complex_noise(3), vec![], 1, 1).unwrap();
        assert!(ConstellationSoftDecoder::new(three).is_err());
    }
}
