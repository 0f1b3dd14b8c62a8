//! Automatic gain control.
//!
//! As long as gains are not negative, `g[n + 1] = (1 − rate · |x|) · g[n] + rate · reference`, which is linear. So gains are found two at
//! a time from the one before both, with factors that do not wait for them: from there to the second of them there are a multiplication
//! and an addition, and that is what bounds it. Pairs are counted from the first item on, and the half of one is kept, so that cuts do
//! not show. Where a factor is not from ¼ to 1, or a gain is at a limit, the pair goes one by one: there is no cancellation otherwise.
//! Factors and their products of a group of pairs are taken by vectors; of one with a pair that is not so, each pair is looked at.

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, SyncBlock, Value, declare, parameter::no_parameter};

use super::gain::{Level, NUMBER, finite, finite_of, level};
use crate::error::Error;
use crate::item::block_of_sample;

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
/// **Accuracy**: each gain is within `2⁻²⁰ · (|g| + |rate| · (|reference| + |x| · |g|))` of what the equation makes of the gain
/// before it.
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
    /// Of a pair of which one gain was found: the gain before it and its factor. `None` in its place where the second is to be found
    /// from the first.
    half: Option<Option<[f32; 2]>>,
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
        Ok(Agc { rate, reference, gain, max_gain: 65536.0, half: None, item: std::marker::PhantomData })
    }
}

impl<T: Level> SyncBlock for Agc<T> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["rate", "reference", "gain", "max_gain"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let place = match name {
            "rate" => &mut self.rate,
            "reference" => &mut self.reference,
            "gain" => &mut self.gain,
            "max_gain" => &mut self.max_gain,
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        };
        *place = finite_of(name_of(name), value)?;
        // The second gain of a pair follows from what is said now.
        self.half = self.half.map(|_| None);
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "rate" => Some(self.rate.into()),
            "reference" => Some(self.reference.into()),
            "gain" => Some(self.gain.into()),
            "max_gain" => Some(self.max_gain.into()),
            _ => None,
        }
    }

    fn process(&mut self, x: &[T], y: &mut [T]) {
        level(x, y, |levels, gains| run_routine(Track::<T> { agc: self, levels, gains }));
    }
}

/// The gains of items with these magnitudes.
struct Track<'a, T> {
    agc: &'a mut Agc<T>,
    levels: &'a [f32],
    gains: &'a mut [f32],
}

impl<T: Level> Routine for Track<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Track { agc, mut levels, mut gains } = self;
        let limit = if agc.max_gain > 0.0 { agc.max_gain } else { f32::MAX };
        let (rate, rise) = (agc.rate, agc.rate * agc.reference);
        let max_gain = agc.max_gain;
        let one = |gain: f32, level: f32| {
            let next = M::multiply_add(-(rate * level), gain.abs(), gain + rise);
            if next <= limit && next >= f32::MIN { next } else { limited(gain, next, max_gain) }
        };
        // Without cancellation, and with gains that are neither negative nor at their limit.
        let is_plain = |gain: f32| gain >= 0.0 && gain <= limit;
        let fits = |factor: f32| (0.25..=1.0).contains(&factor);
        let first = |gain: f32, level: f32| {
            let factor = 1.0 - rate * level;
            let next = M::multiply_add(factor, gain, rise);
            let is_linear = fits(factor) && is_plain(gain) && is_plain(next) && rise >= 0.0;
            if is_linear { (next, Some([gain, factor])) } else { (one(gain, level), None) }
        };
        let second = |before: Option<[f32; 2]>, gain: f32, level: f32| {
            let Some([before, factor]) = before else { return one(gain, level) };
            let own = 1.0 - rate * level;
            let next = M::multiply_add(own * factor, before, M::multiply_add(own, rise, rise));
            if fits(own) && is_plain(next) { next } else { one(gain, level) }
        };
        let mut gain = agc.gain;
        if let (Some(half), [level, ..]) = (agc.half, levels) {
            gains[0] = gain;
            gain = second(half, gain, *level);
            agc.half = None;
            (levels, gains) = (&levels[1..], &mut gains[1..]);
        }
        let by_pairs = |mut gain: f32, levels: &[f32], gains: &mut [f32]| {
            for (levels, now) in levels.as_chunks::<2>().0.iter().zip(gains.as_chunks_mut::<2>().0) {
                let (middle, half) = first(gain, levels[0]);
                *now = [gain, middle];
                gain = second(half, middle, levels[1]);
            }
            gain
        };
        let (groups, rest) = levels.as_chunks::<GROUP>();
        let (of_groups, of_rest) = gains.as_chunks_mut::<GROUP>();
        for (levels, now) in groups.iter().zip(of_groups) {
            let factors = levels.map(|level| 1.0 - rate * level);
            let mut is_linear = factors.iter().fold(true, |all, factor| all & fits(*factor));
            is_linear &= gain >= 0.0 && rise >= 0.0;
            let factor = |place: usize| factors[place];
            let products: [f32; GROUP / 2] =
                std::array::from_fn(|pair| factor(2 * pair + 1) * factor(2 * pair));
            let rises: [f32; GROUP / 2] =
                std::array::from_fn(|pair| M::multiply_add(factor(2 * pair + 1), rise, rise));
            let mut next = gain;
            for (pair, now) in now.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *now = [next, M::multiply_add(factor(2 * pair), next, rise)];
                next = M::multiply_add(products[pair], next, rises[pair]);
            }
            // None becomes negative; one that is no number is not within the limit.
            is_linear &= now.iter().fold(next <= limit, |all, gain| all & (*gain <= limit));
            gain = if is_linear { next } else { by_pairs(gain, levels, now) };
        }
        let gains = of_rest;
        gain = by_pairs(gain, rest, gains);
        let rest = rest.as_chunks::<2>().1;
        if let ([level], Some(now)) = (rest, gains.last_mut()) {
            *now = gain;
            let (middle, half) = first(gain, *level);
            (gain, agc.half) = (middle, Some(half));
        }
        agc.gain = gain;
    }
}

/// Items whose factors are taken at once: whole pairs.
const GROUP: usize = 32;

/// The name of a parameter as it is declared.
fn name_of(name: &str) -> &'static str {
    ["rate", "reference", "gain", "max_gain"].into_iter().find(|known| *known == name).unwrap_or("gain")
}

/// The gain behind `gain` where the equation says `next`: at most `limit`, if that is positive, and finite.
#[cold]
#[inline(never)]
fn limited(gain: f32, next: f32, limit: f32) -> f32 {
    let next = if limit > 0.0 && next > limit { limit } else { next };
    if next.is_finite() { next } else { gain }
}

#[declare(
    category = "analog",
    summary = "Automatic gain control.",
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, levelled"),
        set_port("new values of all parameters")
    )
)]
fn agc(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// How fast the gain changes.
    #[param(kind = NUMBER, json = "1e-4")]
    rate: f64,
    /// The magnitude that the output shall have.
    #[param(kind = NUMBER, default = 1.0)]
    reference: f64,
    /// The gain at first.
    #[param(kind = NUMBER, default = 1.0)]
    gain: f64,
    /// The greatest gain; 0: any.
    #[param(kind = NUMBER, default = 65536.0)]
    max_gain: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(block_of_sample!(item, T => {
        let agc = Agc::<T>::new(rate, reference, gain)?;
        Agc { max_gain: finite("max_gain", max_gain)?, ..agc }
    }))
}

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

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 200, failure_persistence: None, ..Default::default() })]

        #[test]
        fn each_gain_is_that_of_the_equation(
            rate in -0.5f64..2.0,
            shrink in 0.0f64..8.0,
            reference in -2.0f64..2.0,
            gain in -3.0f64..3.0,
            scale in -36.0f64..36.0,
        ) {
            let rate = rate * 10f64.powf(-shrink - scale.max(0.0));
            let x: Vec<C32> = complex_noise(50).iter().map(|x| x * 10f64.powf(scale) as f32).collect();
            let mut agc = Agc::<C32>::new(rate, reference, gain).unwrap();
            let number = |agc: &Agc<C32>| agc.parameter("gain").unwrap().as_f64().unwrap();
            let rate = f64::from(rate as f32);
            let reference = f64::from(reference as f32);
            for x in x {
                let before = number(&agc);
                let mut y = [C32::ZERO];
                agc.process(&[x], &mut y);
                let level = f64::from(x.re).hypot(x.im.into()) * before.abs();
                let want = (before + rate * (reference - level)).min(65536.0);
                let size = before.abs() + rate.abs() * (reference.abs() + level);
                let error = (number(&agc) - want).abs();
                proptest::prop_assert!(error <= size * 2f64.powi(-20), "{before}, {x}: {}, wanted {want}", number(&agc));
            }
        }
    }

    #[test]
    fn samples_whose_squares_do_not_fit_in_single_precision_are_levelled() {
        for size in [1e25f32, 1e-25] {
            let x = vec![C32::new(size, size); 4000];
            let mut agc = Agc::<C32>::new(0.1 / f64::from(size), 1.0, 0.5 / f64::from(size)).unwrap();
            agc.set_parameter("max_gain", &0.into()).unwrap();
            let y: Vec<C32> = harness::run(agc, &x);
            assert!((y[3999].norm() - 1.0).abs() < 1e-3, "{size}: {}", y[3999]);
        }
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
        for max_gain in [0.0, 3.0] {
            let mut agc = Agc::<f32>::new(-0.5, 1.0, 2.0).unwrap();
            agc.set_parameter("max_gain", &max_gain.into()).unwrap();
            let y: Vec<f32> = harness::run(agc, &[&[f32::INFINITY, f32::NAN][..], &[0.5; 8]].concat());
            assert!(y[2..].iter().all(|y| y.is_finite()), "{y:?}");
        }
        harness::assert_cut_invariant(|| Agc::<f32>::new(0.1, 1.0, 2.0).unwrap(), &x(f32::INFINITY));
    }
}
