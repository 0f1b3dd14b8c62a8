//! How far samples lie from the points of a constellation.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, Pure, declare};

use crate::digital::constellations::constellation::Constellation;
use crate::error::{Error, check};

/// The magnitude of each sample's error: how far it lies from the nearest point, by the root of the points' mean power, in percent or
/// decibels.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | samples, one a symbol |
/// | out `out` | `f32` | percent, or dB: `20 log₁₀` of the quotient |
///
/// # Source
/// The error vector magnitude of ETSI TR 101 290, of each symbol for itself.
///
/// ```
/// use superhet_blocks::digital::{Constellation, MeasEvm};
/// use superhet_runtime::{C32, harness};
///
/// let block = MeasEvm::new(Constellation::named("bpsk").unwrap(), false)?;
/// let y: Vec<f32> = harness::run(block, &[C32::new(1.1, 0.0)]);
/// assert!((y[0] - 10.0).abs() < 1e-3);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeasEvm {
    constellation: Constellation,
    decibels: bool,
    /// The root of the mean power of the points.
    level: f32,
}

impl MeasEvm {
    /// Measures in percent, or in decibels.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the constellation has one dimension and points besides 0.
    pub fn new(constellation: Constellation, decibels: bool) -> Result<Self, Error> {
        let dimension = constellation.dimension();
        check(dimension == 1, "constellation", "a constellation of one dimension", dimension as f64)?;
        let points = constellation.points();
        let power = points.iter().map(|point| f64::from(point.norm_sqr())).sum::<f64>() / points.len() as f64;
        check(power > 0.0, "constellation", "points with a mean power > 0", power)?;
        Ok(MeasEvm { constellation, decibels, level: power.sqrt() as f32 })
    }
}

impl Pure for MeasEvm {
    type In = C32;
    type Out = f32;

    fn map(&self, x: &[C32], y: &mut [f32]) {
        for (y, x) in y.iter_mut().zip(x) {
            let point = self.constellation.points()[self.constellation.decide(&[*x])];
            let error = (x - point).norm() / self.level;
            *y = if self.decibels { 20.0 * error.log10() } else { 100.0 * error };
        }
    }
}

#[declare(
    category = "digital",
    summary = "The error vector magnitude of each symbol.",
    ports(input("in", "C32", "samples, one a symbol"), output("out", "f32", "percent or dB"))
)]
fn meas_evm(
    #[param(group)] constellation: Constellation,
    /// The unit.
    #[param(kind = Kind::Choice(&["percent", "db"]), default = "percent")]
    unit: &str,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(MeasEvm::new(constellation, unit == "db")?))
}

#[cfg(test)]
mod tests {
    use std::f32::consts::SQRT_2;

    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn errors_are_those_of_gnu_radio() {
        let points = Constellation::named("16qam").unwrap();
        let x: Vec<C32> = points.points().iter().map(|point| point + 0.05).collect();
        let percent: Vec<f32> = harness::run(MeasEvm::new(points.clone(), false).unwrap(), &x);
        assert!(percent.iter().all(|y| (y - 5.0).abs() < 1e-3), "{percent:?}");
        let decibels: Vec<f32> = harness::run(MeasEvm::new(points, true).unwrap(), &x);
        assert!(decibels.iter().all(|y| (y + 26.0206).abs() < 1e-2), "{decibels:?}");
        // GNU Radio's QPSK has an amplitude of 2.
        let qpsk = MeasEvm::new(Constellation::named("qpsk").unwrap(), false).unwrap();
        let y: Vec<f32> = harness::run(qpsk, &[C32::new(SQRT_2 + 0.965_829_7, SQRT_2)]);
        assert!((y[0] - 48.291_48).abs() < 1e-2, "{y:?}");
    }

    #[test]
    fn a_constellation_of_several_dimensions_is_refused() {
        let pairs = Constellation::new(vec![C32::ONE; 4], vec![], 1, 2).unwrap();
        assert!(MeasEvm::new(pairs, false).is_err());
    }
}
