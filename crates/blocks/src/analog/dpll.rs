//! A clock that follows pulses.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, SyncBlock, Value, declare, parameter::no_parameter};

use crate::error::{Error, check};
use crate::item::float_of;

/// A digital phase-locked loop: gives 1 about once a period, in step with the pulses of its input, else 0.
///
/// The phase grows by `1 / period` an item and begins with the first pulse, at 1. Each pulse pulls it towards the nearer end:
/// `φ ← φ + gain · (1 − φ)` beyond 0.5, else `φ ← φ − gain · φ`. Where `φ` exceeds `decision_threshold` the output is 1, and
/// the phase loses 1. Where three ones have come since the last pulse, it stops, and begins anew with the next pulse.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | 1 is a pulse |
/// | out `out` | `u8` | 1 or 0 |
/// | in `set` | messages | new values of `gain`, `decision_threshold` |
///
/// | parameter | range |
/// |---|---|
/// | `period` | items, ≥ 1 |
/// | `gain` | 0 to 1; can be changed while the block runs |
/// | `decision_threshold` | 0 to 1, at first `1 − 0.5 / period`; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::analog::Dpll;
/// use superhet_runtime::harness;
///
/// let y: Vec<u8> = harness::run(Dpll::new(2.0, 0.1)?, &[0u8, 1, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(y, [0, 1, 0, 1, 0, 1, 0, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dpll {
    step: f64,
    gain: f64,
    decision_threshold: f64,
    phase: f64,
    /// How many ones it gives without another pulse.
    left: u8,
}

/// How many ones come without a pulse, that which the last pulse makes among them.
const WITHOUT_PULSE: u8 = 3;

impl Dpll {
    /// A loop about this period.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(period: f64, gain: f64) -> Result<Self, Error> {
        check(period >= 1.0 && period.is_finite(), "period", "a number ≥ 1", period)?;
        check((0.0..=1.0).contains(&gain), "gain", "from 0 to 1", gain)?;
        let step = 1.0 / period;
        Ok(Dpll { step, gain, decision_threshold: 1.0 - step / 2.0, phase: 0.0, left: 0 })
    }
}

impl SyncBlock for Dpll {
    type In = u8;
    type Out = u8;
    const PARAMETERS: &'static [&'static str] = &["gain", "decision_threshold"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let part = |name: &'static str| -> Result<f64, Error> {
            let part = float_of(name, value)?;
            check((0.0..=1.0).contains(&part), name, "from 0 to 1", part)?;
            Ok(part)
        };
        match name {
            "gain" => self.gain = part("gain")?,
            "decision_threshold" => self.decision_threshold = part("decision_threshold")?,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "gain" => Some(self.gain.into()),
            "decision_threshold" => Some(self.decision_threshold.into()),
            _ => None,
        }
    }

    fn process(&mut self, x: &[u8], y: &mut [u8]) {
        for (x, y) in x.iter().zip(y) {
            *y = 0;
            if *x == 1 {
                self.phase = match self.phase {
                    _ if self.left == 0 => 1.0,
                    phase if phase > 0.5 => phase + self.gain * (1.0 - phase),
                    phase => phase - self.gain * phase,
                };
                self.left = WITHOUT_PULSE;
            }
            if self.left > 0 {
                if self.phase > self.decision_threshold {
                    *y = 1;
                    self.phase -= 1.0;
                    self.left -= 1;
                }
                self.phase += self.step;
            }
        }
    }
}

#[declare(
    category = "analog",
    summary = "A clock that follows pulses: 1 about once a period.",
    ports(
        input("in", "u8", "1 is a pulse"),
        output("out", "u8", "1 where a period begins, else 0"),
        set_port("new values of gain and decision_threshold")
    )
)]
fn dpll(
    /// How far apart the pulses are.
    #[param(unit = "items", kind = Kind::Float(1.0, f64::INFINITY))]
    period: f64,
    /// How much of the difference a pulse corrects.
    #[param(range = 0.0..=1.0, default = 0.1)]
    gain: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Dpll::new(period, gain)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    fn ones(pulses: &[usize]) -> Vec<usize> {
        let mut x = vec![0u8; 60];
        pulses.iter().for_each(|&pulse| x[pulse] = 1);
        let y: Vec<u8> = harness::run(Dpll::new(10.0, 0.1).unwrap(), &x);
        (0..60).filter(|&n| y[n] == 1).collect()
    }

    #[test]
    fn pulses_come_where_those_of_gnu_radio_do() {
        assert_eq!(ones(&[3, 14, 25, 36, 47]), [3, 13, 23, 33, 44, 54]);
        assert_eq!(ones(&[3, 13, 23, 24, 34])[..4], [3, 13, 23, 33]);
        assert!(ones(&[]).is_empty());
    }

    #[test]
    fn it_stops_after_three_ones_without_a_pulse_and_begins_anew_with_the_next() {
        assert_eq!(ones(&[3]), [3, 13, 23]);
        assert_eq!(ones(&[3, 14]), [3, 13, 23, 33, 43]);
        assert_eq!(ones(&[3, 36]), [3, 13, 23, 36, 46, 56]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<u8> = (0..300).map(|n| u8::from(n % 11 == 3)).collect();
        harness::assert_cut_invariant(|| Dpll::new(10.0, 0.2).unwrap(), &x);
        assert!(Dpll::new(0.5, 0.1).is_err() && Dpll::new(5.0, 1.1).is_err());
    }
}
