//! Repeats a pulse.

use superhet_runtime::catalog::{Kind, Params, Plain, Reads};
use superhet_runtime::{BlockError, SyncBlock, Value, declare};

use crate::error::{Error, check};

/// Repeats a pulse: a 1 that comes goes at once, and again after every `period` items, at most `repeats` times or until
/// the next one comes.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | 1: a pulse |
/// | out `out` | `u8` | 0 or 1 |
/// | in `set` | messages | new values of `period` and `repeats` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `period` | items | ≥ 1; can be changed while the block runs |
/// | `repeats` | | ≥ 0; likewise; −1: without an end |
///
/// ```
/// use superhet_blocks::rates::Regenerate;
/// use superhet_runtime::harness;
///
/// let y: Vec<u8> = harness::run(Regenerate::new(2, Some(2))?, &[0u8, 1, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(y, [0, 1, 0, 1, 0, 1, 0, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Regenerate {
    period: u64,
    repeats: Option<u64>,
    /// Items since the last pulse, and how many more there will be.
    since: u64,
    left: Option<u64>,
}

#[declare(
    category = "rates",
    summary = "Repeats a pulse after every period.",
    ports(input("in", "u8", "1: a pulse"), output("out", "u8", "pulses, repeated"))
)]
impl Regenerate {
    /// Repeats after `period` items, as often as said or without an end.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `period` is 0.
    pub fn new(
        /// After how many items a pulse comes again.
        #[param(live, unit = "items", range = 1..=i32::MAX)]
        period: u64,
        /// How many times; -1: without an end.
        #[param(live, by = Repeats, default = 500)]
        repeats: Option<u64>,
    ) -> Result<Self, Error> {
        check(period >= 1, "period", "a whole number ≥ 1", period as f64)?;
        Ok(Regenerate { period, repeats, since: 0, left: Some(0) })
    }
}

#[declare]
impl SyncBlock for Regenerate {
    type In = u8;
    type Out = u8;

    fn process(&mut self, x: &[u8], y: &mut [u8]) {
        for (y, &x) in y.iter_mut().zip(x) {
            self.since = self.since.saturating_add(1);
            let again = self.since >= self.period && self.left != Some(0);
            *y = u8::from(x == 1 || again);
            if x == 1 {
                (self.since, self.left) = (0, self.repeats);
            } else if again {
                (self.since, self.left) = (0, self.left.map(|left| left - 1));
            }
        }
    }
}

/// Reads how often something comes: −1 is without an end.
enum Repeats {}

impl Reads<Option<u64>> for Repeats {
    const KIND: Kind = Kind::Integer(-1, i64::MAX);

    fn read(params: &Params, name: &'static str) -> Result<Option<u64>, BlockError> {
        Repeats::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<Option<u64>, BlockError> {
        let repeats: i64 = Plain::change(name, value)?;
        Ok(u64::try_from(repeats).ok())
    }
    fn say(repeats: &Option<u64>) -> Value {
        repeats.map_or(Value::Int(-1), Value::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn a_new_pulse_begins_anew_and_the_repeats_have_an_end() {
        let x = [0u8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0];
        let y: Vec<u8> = harness::run(Regenerate::new(3, Some(2)).unwrap(), &x);
        assert_eq!(y, [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0]);
        let y: Vec<u8> = harness::run(Regenerate::new(2, Some(500)).unwrap(), &[0u8, 2, 0, 0, 0, 0, 1]);
        assert_eq!(y, [0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<u8> = (0..2000).map(|n| u8::from(n % 301 == 7)).collect();
        harness::assert_cut_invariant(|| Regenerate::new(11, None).unwrap(), &x);
        assert!(Regenerate::new(0, None).is_err());
    }
}
