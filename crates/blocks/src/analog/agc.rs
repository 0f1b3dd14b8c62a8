//! Automatic gain control.

use superhet_runtime::SyncBlock;
use superhet_runtime::catalog::{Entry, input, output, set_port};

use super::gain::{GAIN, Level, MAX_GAIN, REFERENCE, finite, number, settings};
use crate::error::Error;
use crate::item::{SAMPLE_ITEM, block_of_sample};

/// Automatic gain control: `y[n] = g[n] · x[n]`, `g[n + 1] = g[n] + rate · (reference − |y[n]|)`, at most `max_gain`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `reference` |
/// | in `set` | messages | new values of all parameters |
///
/// | parameter | range |
/// |---|---|
/// | `rate`, `reference`, `gain` | finite; all can be changed while the block runs, and `gain` says what it is |
/// | `max_gain` | finite; 0: no limit |
///
/// The gain does not take what would make it not finite: an item that is no number, or infinite, spoils only itself. Else the
/// equations are those of GNU Radio's `agc`.
///
/// ```
/// use superhet_blocks::analog::Agc;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Agc::<f32>::new(0.1, 1.0, 1.0)?, &[0.25f32; 1000]);
/// assert!((y[999] - 1.0).abs() < 1e-3);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agc<T> {
    rate: f32,
    reference: f32,
    gain: f32,
    max_gain: f32,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Level> Agc<T> {
    /// A control with these settings and a greatest gain of 65 536.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless all are finite.
    pub fn new(rate: f64, reference: f64, gain: f64) -> Result<Self, Error> {
        let (rate, reference) = (finite("rate", rate)?, finite("reference", reference)?);
        let gain = finite("gain", gain)?;
        Ok(Agc { rate, reference, gain, max_gain: 65536.0, item: std::marker::PhantomData })
    }
}

impl<T: Level> SyncBlock for Agc<T> {
    type In = T;
    type Out = T;
    settings!(rate, reference, gain, max_gain);

    fn process(&mut self, x: &[T], y: &mut [T]) {
        let before = self.gain;
        self.level::<false>(x, y);
        // Once the gain is not finite it stays so: a look at the end of the call tells.
        if !self.gain.is_finite() {
            self.gain = before;
            self.level::<true>(x, y);
        }
    }
}

impl<T: Level> Agc<T> {
    /// Levels items; where `CAREFUL`, without what would make the gain not finite.
    fn level<const CAREFUL: bool>(&mut self, x: &[T], y: &mut [T]) {
        let limit = if self.max_gain > 0.0 { self.max_gain } else { f32::INFINITY };
        let mut gain = self.gain;
        for (x, y) in x.iter().zip(y) {
            *y = x.times(gain);
            let next = gain + self.rate * (self.reference - y.level());
            let next = if next > limit { limit } else { next };
            if !CAREFUL || next.is_finite() {
                gain = next;
            }
        }
        self.gain = gain;
    }
}

/// How files and the command line find [`Agc`].
pub const ENTRY: Entry = Entry {
    name: "agc",
    category: "analog",
    summary: "Automatic gain control.",
    params: &[SAMPLE_ITEM, number("rate", "1e-4", "How fast the gain changes."), REFERENCE, GAIN, MAX_GAIN],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "x, levelled"),
        set_port("new values of all parameters"),
    ],
    make: |params| {
        let [rate, reference, gain, max_gain] =
            ["rate", "reference", "gain", "max_gain"].map(|name| params.float(name));
        Ok(block_of_sample!(params, T => {
            let agc = Agc::<T>::new(rate, reference, gain)?;
            Agc { max_gain: finite("max_gain", max_gain)?, ..agc }
        }))
    },
};

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    pub(crate) const INPUT: [f32; 10] = [1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 0.1, 0.2, 5.0, 1.0];

    #[test]
    fn values_are_those_of_gnu_radio() {
        let wanted = [2.0, 3.8, -1.62, 0.779, 4.7403, -2.41214, 0.106486, 0.230841, 6.155616, 0.715562];
        let y: Vec<f32> = harness::run(Agc::<f32>::new(0.1, 1.0, 2.0).unwrap(), &INPUT);
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-4), "{y:?}");
        let z: Vec<C32> = INPUT.iter().enumerate().map(|(n, x)| C32::from_polar(*x, n as f32)).collect();
        let y: Vec<C32> = harness::run(Agc::<C32>::new(0.1, 1.0, 2.0).unwrap(), &z);
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y.norm() - f32::abs(wanted)).abs() < 1e-4), "{y:?}");
    }

    #[test]
    fn the_gain_has_a_limit_and_is_reported() {
        let mut agc = Agc::<f32>::new(0.1, 1.0, 2.0).unwrap();
        agc.set_parameter("max_gain", &2.05.into()).unwrap();
        let mut y = [0.0; 3];
        agc.process(&[0.1, 0.2, -0.1], &mut y);
        assert_eq!(agc.parameter("gain"), Some(2.05f32.into()));
        assert!(agc.set_parameter("gain", &f64::NAN.into()).is_err());
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Agc::<f32>::new(0.01, 1.0, 2.0).unwrap(), &noise(500));
        harness::assert_cut_invariant(|| Agc::<C32>::new(0.01, 1.0, 2.0).unwrap(), &complex_noise(500));
    }

    #[test]
    fn an_item_that_is_no_number_spoils_only_itself() {
        let x = |bad: f32| -> Vec<f32> { (0..400).map(|n| if n % 50 == 7 { bad } else { 0.5 }).collect() };
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let make = || Agc::<f32>::new(0.1, 1.0, 2.0).unwrap();
            let y: Vec<f32> = harness::run(make(), &x(bad));
            let spoilt: Vec<usize> = (0..400).filter(|n| !y[*n].is_finite()).collect();
            assert_eq!(spoilt, (7..400).step_by(50).collect::<Vec<_>>());
            assert!((y[399] - 1.0).abs() < 1e-3, "{}", y[399]);
        }
        harness::assert_cut_invariant(|| Agc::<f32>::new(0.1, 1.0, 2.0).unwrap(), &x(f32::INFINITY));
    }
}
