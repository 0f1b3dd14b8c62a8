//! Frequency-shift keying with a continuous phase.

use superhet_runtime::{C32, C64, Ratio, Shape, SyncBlock, declare};

use super::gain::finite;
use crate::error::{Error, check};

/// Keys a carrier between two frequencies, with a continuous phase: `y[n] = amplitude · exp(j φ[n])`,
/// `φ[n] = φ[n − 1] ± π · modulation_index / samples_per_symbol`, plus for a bit that is not 0.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `u8` | bits, one a byte | 1 |
/// | out `out` | `C32` | magnitude `amplitude` | `samples_per_symbol` |
/// | in `set` | messages | new values of `amplitude` | |
///
/// ```
/// use superhet_blocks::analog::Cpfsk;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(Cpfsk::new(0.5, 1.0, 2)?, &[1u8, 0]);
/// assert!((y[1] - C32::I).norm() < 1e-6 && (y[3] - C32::ONE).norm() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cpfsk {
    increment: f64,
    amplitude: f32,
    samples_per_symbol: usize,
    phase: f64,
}

/// The most samples of a symbol.
const MOST: usize = 1 << 16;

#[declare(
    category = "analog",
    summary = "Frequency-shift keying of bits with a continuous phase.",
    ports(
        input("in", "u8", "bits, one a byte"),
        output("out", "C32", "the keyed carrier: n · samples_per_symbol items for n")
    )
)]
impl Cpfsk {
    /// Keys by `modulation_index / 2` turns in each symbol.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(
        /// By how many half turns a symbol turns.
        #[param(range = -3.4e38..=3.4e38, default = 0.5)]
        modulation_index: f64,
        /// The magnitude of the output.
        #[param(live, set = set_amplitude, range = -3.4e38..=3.4e38, default = 1.0)]
        amplitude: f64,
        /// Samples for each bit.
        #[param(unit = "items", range = 1..=MOST, default = 8)]
        samples_per_symbol: usize,
    ) -> Result<Self, Error> {
        let wanted = "a whole number from 1 to 65536";
        let fits = (1..=MOST).contains(&samples_per_symbol);
        check(fits, "samples_per_symbol", wanted, samples_per_symbol as f64)?;
        finite("modulation_index", modulation_index)?;
        let increment = std::f64::consts::PI * modulation_index / samples_per_symbol as f64;
        Ok(Cpfsk { increment, amplitude: finite("amplitude", amplitude)?, samples_per_symbol, phase: 0.0 })
    }

    fn set_amplitude(&mut self, amplitude: f64) -> Result<(), Error> {
        self.amplitude = finite("amplitude", amplitude)?;
        Ok(())
    }
}

#[declare]
impl SyncBlock for Cpfsk {
    type In = u8;
    type Out = C32;
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(self.samples_per_symbol), ..Shape::default() }
    }

    fn process(&mut self, x: &[u8], y: &mut [C32]) {
        use std::f64::consts::TAU;
        for (bit, y) in x.iter().zip(y.chunks_mut(self.samples_per_symbol)) {
            let increment = if *bit != 0 { self.increment } else { -self.increment };
            for (n, y) in y.iter_mut().enumerate() {
                let turn = C64::cis(self.phase + increment * (n + 1) as f64);
                *y = C32::new(turn.re as f32, turn.im as f32) * self.amplitude;
            }
            let phase = self.phase + increment * self.samples_per_symbol as f64;
            self.phase = phase - TAU * (phase / TAU).round();
        }
    }
}

#[cfg(test)]
#[allow(clippy::approx_constant, clippy::type_complexity, reason = "numbers as they were observed")]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let y: Vec<C32> = harness::run(Cpfsk::new(0.5, 2.0, 4).unwrap(), &[0u8, 1, 1, 0]);
        let wanted = [(1.847759, -0.765367), (1.414214, -1.414214), (0.765367, -1.847759), (0.0, -2.0)];
        assert!(y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-5), "{y:?}");
        assert!((y[15] - C32::new(2.0, 0.0)).norm() < 1e-5);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let bits: Vec<u8> = (0..200u32).map(|n| (n * n % 7 % 2) as u8).collect();
        harness::assert_cut_invariant(|| Cpfsk::new(0.7, 1.0, 5).unwrap(), &bits);
        assert!(Cpfsk::new(0.5, 1.0, 0).is_err());
    }
}
