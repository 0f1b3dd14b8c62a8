//! Automatic gain control that begins with a measurement.
//!
//! From gain to gain there are a multiplication, an addition and the choice of one of two gains, which is what bounds it with an
//! update at each item.

use std::hint::select_unpredictable;

use superhet_kernels::{self as kernels, Machine, Routine, run_routine};
use superhet_runtime::{AnyBlock, BlockError, C32, Ratio, Shape, SyncBlock, declare};

use super::gain::{Level, NUMBER, finite, level, settings};
use crate::error::{Error, check};

/// Automatic gain control that measures first and then tracks: `y[n] = g · x[n]`.
///
/// The first `4 · D` items (`D = update_decimation`) get the gain `reference / mean |x|` of themselves. From then on every `D`
/// items the gain becomes `(1 − r) · g + r · reference / |x|` with the first of them, where `r` is `attack_rate` if that makes
/// the gain fall, else `decay_rate`; zeros change nothing. At most `max_gain`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | `4 · D` |
/// | out `out` | `C32` | that of `reference` | `4 · D` |
/// | in `set` | messages | new values of all parameters but `update_decimation` | |
///
/// | parameter | range |
/// |---|---|
/// | `update_decimation` | 1 to 2²⁰ |
/// | others | finite; can be changed while the block runs, and `gain` says what it is; `max_gain` 0: no limit |
///
/// The equations are those of GNU Radio's `agc3`. A stream of fewer than `4 · D` items is measured as a whole.
///
/// ```
/// use superhet_blocks::analog::Agc3;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(Agc3::new(0.1, 0.01, 1.0, 1)?, &[C32::new(0.0, 8.0); 8]);
/// assert!(y.iter().all(|y| (y.norm() - 1.0).abs() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agc3 {
    attack_rate: f32,
    decay_rate: f32,
    reference: f32,
    gain: f32,
    max_gain: f32,
    update_decimation: usize,
    measured: bool,
}

/// The greatest distance of updates.
const MOST: usize = 1 << 20;

impl Agc3 {
    /// A control with these settings and a greatest gain of 65 536.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless all are finite and `update_decimation` is 1 to 2²⁰.
    pub fn new(
        attack_rate: f64,
        decay_rate: f64,
        reference: f64,
        update_decimation: usize,
    ) -> Result<Self, Error> {
        let fits = (1..=MOST).contains(&update_decimation);
        let wanted = "a whole number from 1 to 1048576";
        check(fits, "update_decimation", wanted, update_decimation as f64)?;
        Ok(Agc3 {
            attack_rate: finite("attack_rate", attack_rate)?,
            decay_rate: finite("decay_rate", decay_rate)?,
            reference: finite("reference", reference)?,
            gain: 1.0,
            max_gain: 65536.0,
            update_decimation,
            measured: false,
        })
    }

    fn limit(&mut self) {
        if self.max_gain > 0.0 && self.gain > self.max_gain {
            self.gain = self.max_gain;
        }
    }
}

impl Agc3 {
    /// Levels samples with an update at each: the same gains as from update to update, but for the rounding of magnitudes.
    fn track(&mut self, x: &[C32], y: &mut [C32]) {
        level(x, y, |levels, gains| run_routine(Track { agc: self, levels, gains }));
    }
}

/// The gains of samples with these magnitudes.
struct Track<'a> {
    agc: &'a mut Agc3,
    levels: &'a [f32],
    gains: &'a mut [f32],
}

impl Routine for Track<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Track { agc, levels, gains } = self;
        let (attack, decay) = (agc.attack_rate, agc.decay_rate);
        let (attack_rest, decay_rest) = (1.0 - attack, 1.0 - decay);
        let limit = if agc.max_gain > 0.0 { agc.max_gain } else { f32::INFINITY };
        for (wanted, level) in gains.iter_mut().zip(levels) {
            *wanted = agc.reference / level;
        }
        let mut gain = agc.gain;
        for (now, level) in gains.iter_mut().zip(levels) {
            let wanted = *now;
            let attacked = M::multiply_add(gain, attack_rest, wanted * attack);
            let decayed = M::multiply_add(gain, decay_rest, wanted * decay);
            let next = select_unpredictable(wanted < gain, attacked, decayed);
            gain = if *level > 0.0 && next <= limit { next } else { limited(gain, next, *level, limit) };
            *now = gain;
        }
        agc.gain = gain;
    }
}

#[cold]
#[inline(never)]
fn limited(gain: f32, next: f32, level: f32, limit: f32) -> f32 {
    if level <= 0.0 || next.is_nan() { gain } else { next.min(limit) }
}

impl SyncBlock for Agc3 {
    type In = C32;
    type Out = C32;
    settings!(attack_rate, decay_rate, reference, gain, max_gain);
    fn shape(&self) -> Shape {
        let step = 4 * self.update_decimation;
        Shape {
            ratio: Ratio { interpolation: step, decimation: step },
            ends_anywhere: true,
            ..Shape::default()
        }
    }

    fn process(&mut self, x: &[C32], y: &mut [C32]) {
        let updates = self.update_decimation;
        let mut from = 0;
        if !self.measured && !x.is_empty() {
            self.measured = true;
            from = x.len().min(4 * updates);
            let sum: f64 = x[..from].iter().map(|x| f64::from(x.level())).sum();
            if sum > 0.0 {
                self.gain = (f64::from(self.reference) * from as f64 / sum) as f32;
                self.limit();
            }
            for (x, y) in x[..from].iter().zip(&mut y[..from]) {
                *y = x * self.gain;
            }
        }
        if updates == 1 {
            return self.track(&x[from..], &mut y[from..]);
        }
        for (x, y) in x[from..].chunks(updates).zip(y[from..].chunks_mut(updates)) {
            let level = x[0].level();
            if level > 0.0 {
                let wanted = self.reference / level;
                let rate = if wanted < self.gain { self.attack_rate } else { self.decay_rate };
                self.gain = self.gain * (1.0 - rate) + wanted * rate;
                self.limit();
            }
            kernels::multiply_const_c32(y, x, self.gain.into());
        }
    }
}

#[declare(
    category = "analog",
    summary = "Automatic gain control that measures the level first and then tracks it.",
    ports(
        input("in", "C32", "x"),
        output("out", "C32", "x, levelled"),
        set_port("new values of all parameters")
    )
)]
fn agc3(
    /// How fast the gain falls.
    #[param(kind = NUMBER, default = 0.1)]
    attack_rate: f64,
    /// How fast the gain rises.
    #[param(kind = NUMBER, default = 0.01)]
    decay_rate: f64,
    /// The magnitude that the output shall have.
    #[param(kind = NUMBER, default = 1.0)]
    reference: f64,
    /// The gain at first.
    #[param(kind = NUMBER, default = 1.0)]
    gain: f64,
    /// The greatest gain; 0: any.
    #[param(kind = NUMBER, default = 65536.0)]
    max_gain: f64,
    /// How far apart updates are.
    #[param(unit = "items", range = 1..=MOST, default = 1)]
    update_decimation: usize,
) -> Result<AnyBlock, BlockError> {
    let agc = Agc3::new(attack_rate, decay_rate, reference, update_decimation)?;
    let (gain, max_gain) = (finite("gain", gain)?, finite("max_gain", max_gain)?);
    Ok(AnyBlock::new(Agc3 { gain, max_gain, ..agc }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analog::agc::tests::INPUT;
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn gains_are_those_of_gnu_radio() {
        let x: Vec<C32> = INPUT.repeat(4).into_iter().map(C32::from).collect();
        let gains = |d| -> Vec<f32> {
            let y: Vec<C32> = harness::run(Agc3::new(0.3, 0.05, 1.0, d).unwrap(), &x);
            y.iter().zip(&x).map(|(y, x)| y.re / x.re).collect()
        };
        let every = [
            0.888889, 0.888889, 0.888889, 0.888889, 0.722222, 0.655556, 1.122778, 1.316639, 0.981647,
            0.982565,
        ];
        assert!(gains(1).iter().zip(every).all(|(g, wanted)| (g - wanted).abs() < 1e-5));
        let second = [0.816326, 0.631429, 0.631429, 0.649857, 0.649857, 0.667364, 0.667364, 0.567155];
        assert!(gains(2)[7..].iter().zip(second).all(|(g, wanted)| (g - wanted).abs() < 1e-5));
        assert_eq!(gains(3).len(), x.len());
    }

    #[test]
    fn gains_of_updates_at_each_item_are_those_of_the_equation() {
        let mut x = complex_noise(3000);
        (x[700], x[701], x[900]) = (C32::ZERO, C32::new(f32::NAN, 0.0), C32::new(1e-30, 0.0));
        let mut agc = Agc3::new(0.3, 0.05, 1.0, 1).unwrap();
        agc.set_parameter("max_gain", &20.into()).unwrap();
        let y: Vec<C32> = harness::run(agc, &x);
        let level = |x: &C32| f64::from(x.norm());
        let mut gain = 4.0 / x[..4].iter().map(level).sum::<f64>();
        for (n, (x, y)) in x.iter().zip(y).enumerate() {
            if n >= 4 && level(x) > 0.0 {
                let wanted = 1.0 / level(x);
                let rate = if wanted < gain { 0.3 } else { 0.05 };
                gain = (gain * (1.0 - rate) + wanted * rate).min(20.0);
            }
            let is_near = (y.re / x.re - gain as f32).abs() < 1e-4 * gain as f32;
            assert!(is_near || x.re == 0.0 || x.re.is_nan(), "{n}: {}, wanted {gain}", y.re / x.re);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Agc3::new(0.1, 0.01, 1.0, 3).unwrap(), &complex_noise(500));
        assert!(Agc3::new(0.1, 0.01, 1.0, 0).is_err());
    }
}
