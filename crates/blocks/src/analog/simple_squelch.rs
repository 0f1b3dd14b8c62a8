//! Squelch by power, without a ramp.

use superhet_runtime::{BlockError, C32, SyncBlock, Value, declare, parameter::no_parameter};

use super::pwr_squelch::Power;
use super::squelch::Detector;
use crate::error::Error;
use crate::filters::recursion::CHUNK;

/// Passes items while their mean power is at least `threshold_db`, else gives zeros.
///
/// The mean is `p[n] = alpha · |x[n]|² + (1 − alpha) · p[n − 1]`, from 0.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | full scale = 1.0 |
/// | out `out` | `C32` | that of `in` |
/// | in `set` | messages | new values of `threshold_db`, `alpha` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `threshold_db` | dB of full scale | finite; can be changed while the block runs |
/// | `alpha` | | 0 to 1; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::analog::SimpleSquelch;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(SimpleSquelch::new(-10.0, 0.3)?, &[C32::ONE, C32::new(0.01, 0.0)]);
/// assert_eq!(y, [C32::ONE, C32::new(0.01, 0.0)]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SimpleSquelch(Power<C32>);

#[declare(
    category = "analog",
    summary = "Passes items while their mean power is high enough, else gives zeros.",
    ports(
        input("in", "C32", "x"),
        output("out", "C32", "x or zeros"),
        set_port("new values of threshold_db and alpha")
    )
)]
impl SimpleSquelch {
    /// A squelch with this threshold, and this part of what is new in the mean.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(
        /// The least mean power, in dB of full scale.
        #[param(unit = "dB", default = -20.0)]
        threshold_db: f64,
        /// How much of what is new goes into the mean.
        #[param(range = 0.0..=1.0, default = 1e-3)]
        alpha: f64,
    ) -> Result<Self, Error> {
        Power::new(threshold_db, alpha).map(SimpleSquelch)
    }
}

impl SyncBlock for SimpleSquelch {
    type In = C32;
    type Out = C32;
    const PARAMETERS: &'static [&'static str] = &["threshold_db", "alpha"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "threshold_db" | "alpha" => self.0.set(name, value),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        self.0.get(name)
    }
    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        let mut open = [false; CHUNK];
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            self.0.open(x, &mut open[..x.len()]);
            for ((x, y), open) in x.iter().zip(y).zip(&open) {
                *y = if *open { *x } else { C32::ZERO };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn it_opens_and_closes_where_that_of_gnu_radio_does() {
        let levels = [vec![0.1f32; 5], vec![1.0; 10], vec![0.1; 15], vec![1.0; 6]].concat();
        let x: Vec<C32> = levels.into_iter().map(C32::from).collect();
        let y: Vec<C32> = harness::run(SimpleSquelch::new(-10.0, 0.3).unwrap(), &x);
        let open: Vec<usize> = (0..y.len()).filter(|&n| y[n] != C32::ZERO).collect();
        assert_eq!(open, (5..21).chain(30..36).collect::<Vec<_>>());
        harness::assert_cut_invariant(|| SimpleSquelch::new(-10.0, 0.3).unwrap(), &x);
    }
}
