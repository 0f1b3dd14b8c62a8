//! Automatic gain control with two rates.
//!
//! Most signals hardly ever need the attack rate. So gains are guessed as if none did, by a product and a sum each, and whether the guess was
//! right is found by vectors behind it: 4 cycles from gain to gain, the latency of a fused multiply-add.
//!
//! From the first guess on that may be wrong, and as long as the attack rate was needed in the chunk before, the rate is chosen for each gain. Whether
//! an error is greater than the gain is whether the gain is beyond limits that the magnitude alone sets. From gain to gain there are then a
//! product and a sum, beside the comparisons, and the choice of one of two gains: 6 to 8 cycles, by their latencies, in
//! [`two_lines_f32`](fn@superhet_kernels::two_lines_f32). Slopes and limits are taken a group at a time. Both ways give the same bits.

use std::hint::select_unpredictable;

use superhet_kernels::{Machine, Routine, run_routine, two_lines_f32};
use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, SyncBlock, declare};

use super::gain::{CHUNK, Level, NUMBER, finite, level, settings};
use crate::error::Error;
use crate::item::block_of_sample;

/// Automatic gain control with a rate for attack and one for decay: `y[n] = g[n] · x[n]`, `e[n] = |y[n]| − reference`,
/// `g[n + 1] = g[n] − r · e[n]`, at least 10⁻⁴ where it would be negative and at most `max_gain`.
///
/// The rate `r` is `attack_rate` where `e[n] > g[n]` (of real samples, where `|e[n]| > g[n]`), else `decay_rate`, as in GNU
/// Radio's `agc2`. The gain does not take what would make it no number: such an item spoils only itself.
///
/// **Accuracy**: each gain is within `2⁻²² · (|g| + |r| · (|reference| + |x| · |g|))` of what the equation makes of the gain before
/// it, with either rate where the two sides of its condition are as near to each other.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `reference` |
/// | in `set` | messages | new values of all parameters |
///
/// | parameter | range |
/// |---|---|
/// | all | finite; can be changed while the block runs, and `gain` says what it is; `max_gain` 0: no limit |
///
/// ```
/// use superhet_blocks::analog::Agc2;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Agc2::<f32>::new(0.1, 0.01, 1.0, 1.0)?, &[0.25f32; 3000]);
/// assert!((y[2999] - 1.0).abs() < 1e-2);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agc2<T> {
    attack_rate: f32,
    decay_rate: f32,
    reference: f32,
    gain: f32,
    max_gain: f32,
    /// Whether the last chunk needed the attack rate: then gains are not guessed.
    attacked: bool,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Level> Agc2<T> {
    /// A control with these settings and a greatest gain of 65 536.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless all are finite.
    pub fn new(attack_rate: f64, decay_rate: f64, reference: f64, gain: f64) -> Result<Self, Error> {
        Ok(Agc2 {
            attack_rate: finite("attack_rate", attack_rate)?,
            decay_rate: finite("decay_rate", decay_rate)?,
            reference: finite("reference", reference)?,
            gain: finite("gain", gain)?,
            max_gain: 65536.0,
            attacked: false,
            item: std::marker::PhantomData,
        })
    }
}

impl<T: Level> SyncBlock for Agc2<T> {
    type In = T;
    type Out = T;
    settings!(attack_rate, decay_rate, reference, gain, max_gain);

    fn process(&mut self, x: &[T], y: &mut [T]) {
        level(x, y, |levels, gains| Track::<T> { agc: self, levels, gains }.run());
    }
}

/// The gains of items with these magnitudes.
struct Track<'a, T> {
    agc: &'a mut Agc2<T>,
    levels: &'a [f32],
    gains: &'a mut [f32],
}

impl<T: Level> Track<'_, T> {
    fn run(self) {
        // No gain becomes less than 0.
        if !(self.agc.reference >= 0.0 && self.agc.gain >= 0.0) {
            return run_routine(self);
        }
        let Track { agc, levels, gains } = self;
        // Of a zero with a sign the bits are those of a negative number.
        agc.gain += 0.0;
        let known =
            if agc.attacked { 0 } else { Track { agc: &mut *agc, levels, gains: &mut *gains }.by_decay() };
        if known < levels.len() {
            let (levels, gains) = (&levels[known..], &mut gains[known..]);
            Track { agc: &mut *agc, levels, gains: &mut *gains }.by_limits();
            agc.attacked = run_routine(Decayed { agc, levels, gains }) < levels.len();
        }
    }

    /// Takes the decay rate for all; how many of the gains are right. The gain behind those is that of the block.
    fn by_decay(self) -> usize {
        let Track { agc, levels, gains } = self;
        let mut slopes = [0.0; GROUP];
        let slopes = &mut slopes[..levels.len()];
        run_routine(Slopes { slopes, levels, rate: agc.decay_rate });
        let first = agc.gain;
        let (slopes, rise) = (&*slopes, agc.decay_rate * agc.reference);
        (_, agc.gain) =
            two_lines_f32(gains, slopes, slopes, slopes, slopes, rise, rise, agc.max_gain, first, 1);
        let known = run_routine(Decayed { agc, levels, gains });
        agc.gain = gains.get(known).copied().unwrap_or(agc.gain);
        known
    }

    /// `level · gain − reference > gain` is `gain > reference / (level − 1)`, where the level is above 1, and never so else; and
    /// `reference − level · gain > gain` is `gain < reference / (level + 1)`.
    fn by_limits(self) {
        let Track { agc, levels, gains } = self;
        let most = if agc.max_gain > 0.0 { agc.max_gain } else { f32::MAX };
        let [attack_rise, decay_rise] = [agc.attack_rate, agc.decay_rate].map(|rate| rate * agc.reference);
        let mut lines = Lines::default();
        for (levels, gains) in levels.chunks(GROUP).zip(gains.chunks_mut(GROUP)) {
            run_routine(Draw { agc, levels, lines: &mut lines });
            let mut done = 0;
            while done < levels.len() {
                let all = done..levels.len();
                let [attack, decay, above, below] =
                    [&lines.attack, &lines.decay, &lines.above, &lines.below].map(|of| &of[all.clone()]);
                let gain = agc.gain;
                let (n, next) = two_lines_f32(
                    &mut gains[all],
                    attack,
                    decay,
                    above,
                    below,
                    attack_rise,
                    decay_rise,
                    most,
                    gain,
                    2,
                );
                done += n;
                let is_plain = next >= 0.0 && next <= most;
                agc.gain = if is_plain { next } else { limited(gains[done - 1], next, agc.max_gain) };
            }
        }
    }
}

/// What magnitudes make of the gain before each, with a rate.
struct Slopes<'a> {
    slopes: &'a mut [f32],
    levels: &'a [f32],
    rate: f32,
}

impl Routine for Slopes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let rate = self.rate;
        self.slopes.iter_mut().zip(self.levels).for_each(|(slope, level)| *slope = 1.0 - rate * level);
    }
}

/// After how many of these gains, up to that of the block, the decay rate holds by far: limits that are rounded say so, too. It is a whole number of
/// parts, or all.
struct Decayed<'a, T> {
    agc: &'a Agc2<T>,
    levels: &'a [f32],
    gains: &'a [f32],
}

impl<T: Level> Routine for Decayed<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<M: Machine>(self) -> usize {
        /// Gains and magnitudes whose products and quotients are numbers of full precision.
        const ORDINARY: [f32; 2] = [1e-15, 1e15];
        /// By how much products and limits may be rounded, and more.
        const BY_FAR: f32 = 1.0 - 1.0 / (1 << 20) as f32;
        let Decayed { agc, levels, gains } = self;
        let reference = agc.reference;
        let [least, most] = ORDINARY;
        if !(least..=most).contains(&reference) {
            return 0;
        }
        let most_gain = if agc.max_gain > 0.0 { agc.max_gain.min(most) } else { most };
        // Bits of what is negative, or no number, are above those of all others.
        let is_plain = |gain: f32| gain.to_bits() <= most_gain.to_bits();
        if !gains.iter().fold(is_plain(agc.gain), |all, gain| all & is_plain(*gain)) {
            return 0;
        }
        let holds = |(level, gain): (&f32, &f32)| {
            let size = level * gain;
            let is_low = size <= (reference + gain) * BY_FAR && *level <= most;
            is_low && (T::COMPLEX || reference <= (size + gain) * BY_FAR)
        };
        let parts = levels.chunks(PART).zip(gains.chunks(PART));
        let right = parts.take_while(|(levels, gains)| {
            levels.iter().zip(*gains).fold(true, |all, pair| all & holds(pair))
        });
        (right.count() * PART).min(levels.len())
    }
}

/// What a group of magnitudes makes of the gain before each: by the attack rate from some gain on and below some gain, else by
/// the decay rate.
struct Lines {
    attack: [f32; GROUP],
    decay: [f32; GROUP],
    above: [f32; GROUP],
    below: [f32; GROUP],
}

impl Default for Lines {
    fn default() -> Self {
        let zeros = [0.0; GROUP];
        Lines { attack: zeros, decay: zeros, above: zeros, below: [f32::NEG_INFINITY; GROUP] }
    }
}

/// Finds the lines of a group.
struct Draw<'a, T> {
    agc: &'a Agc2<T>,
    levels: &'a [f32],
    lines: &'a mut Lines,
}

impl<T: Level> Routine for Draw<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Draw { agc, levels, lines } = self;
        let reference = agc.reference;
        for (slopes, rate) in [(&mut lines.attack, agc.attack_rate), (&mut lines.decay, agc.decay_rate)] {
            Slopes { slopes, levels, rate }.run::<M>();
        }
        for (above, level) in lines.above.iter_mut().zip(levels) {
            let limit = reference / (level - 1.0);
            *above = if *level > 1.0 { limit } else { f32::INFINITY };
        }
        if !T::COMPLEX {
            lines.below.iter_mut().zip(levels).for_each(|(below, level)| *below = reference / (level + 1.0));
        }
    }
}

/// The gains where the reference or the gain is negative.
impl<T: Level> Routine for Track<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Track { agc, levels, gains } = self;
        let limit = if agc.max_gain > 0.0 { agc.max_gain } else { f32::MAX };
        let (attack, decay, reference) = (agc.attack_rate, agc.decay_rate, agc.reference);
        let (attack_rise, decay_rise) = (attack * reference, decay * reference);
        let mut gain = agc.gain;
        for (level, now) in levels.iter().zip(gains) {
            *now = gain;
            let size = gain.abs();
            let error = level * size - reference;
            let error = if T::COMPLEX { error } else { error.abs() };
            let attacked = M::multiply_add(-(attack * level), size, gain + attack_rise);
            let decayed = M::multiply_add(-(decay * level), size, gain + decay_rise);
            let next = select_unpredictable(error > gain, attacked, decayed);
            gain = if next >= 0.0 && next <= limit { next } else { limited(gain, next, agc.max_gain) };
        }
        agc.gain = gain;
    }
}

/// Items whose limits are taken at once: a chunk.
const GROUP: usize = CHUNK;

/// Items whose guessed gains are right or wrong together.
const PART: usize = 32;

#[cold]
#[inline(never)]
fn limited(gain: f32, next: f32, limit: f32) -> f32 {
    let next = if next < 0.0 { 1e-4 } else { next };
    let next = if limit > 0.0 && next > limit { limit } else { next };
    if next.is_finite() { next } else { gain }
}

#[declare(
    category = "analog",
    summary = "Automatic gain control with a rate for attack and one for decay.",
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, levelled"),
        set_port("new values of all parameters")
    )
)]
fn agc2(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
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
) -> Result<AnyBlock, BlockError> {
    Ok(block_of_sample!(item, T => {
        let agc = Agc2::<T>::new(attack_rate, decay_rate, reference, gain)?;
        Agc2 { max_gain: finite("max_gain", max_gain)?, ..agc }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analog::agc::tests::INPUT;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    #[test]
    fn values_are_those_of_gnu_radio() {
        let near = |y: f32, wanted: f32| (y.abs() - wanted).abs() < 1e-4;
        let wanted = [1.5, 2.95, 0.89, 0.44775, 2.769338, 0.784622, 0.040308, 0.138198, 4.747643, 0.0001];
        let y: Vec<f32> = harness::run(Agc2::<f32>::new(0.3, 0.05, 1.0, 1.5).unwrap(), &INPUT);
        assert!(y.iter().zip(wanted).all(|(y, wanted)| near(*y, wanted)), "{y:?}");
        let z: Vec<C32> = INPUT.iter().enumerate().map(|(n, x)| C32::from_polar(*x, n as f32)).collect();
        let wanted = [1.5, 2.95, 0.89, 0.44775, 2.769338, 0.784622, 0.040308, 0.090213, 2.48277, 0.051723];
        let y: Vec<C32> = harness::run(Agc2::<C32>::new(0.3, 0.05, 1.0, 1.5).unwrap(), &z);
        assert!(y.iter().zip(wanted).all(|(y, wanted)| near(y.norm(), wanted)), "{y:?}");
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Agc2::<f32>::new(0.1, 0.01, 1.0, 2.0).unwrap(), &noise(500));
        harness::assert_cut_invariant(|| Agc2::<C32>::new(0.1, 0.01, 1.0, 2.0).unwrap(), &complex_noise(500));
        assert!(Agc2::<f32>::new(f64::NAN, 0.0, 0.0, 0.0).is_err());
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 200, failure_persistence: None, ..Default::default() })]

        #[test]
        fn each_gain_is_that_of_the_equation(
            attack in -0.5f64..2.0,
            decay in -0.5f64..0.5,
            reference in -2.0f64..2.0,
            gain in -3.0f64..3.0,
            scale in -30.0f64..6.0,
        ) {
            let x: Vec<f32> = noise(50).iter().map(|x| x * 10f64.powf(scale) as f32).collect();
            let mut agc = Agc2::<f32>::new(attack, decay, reference, gain).unwrap();
            let number = |agc: &Agc2<f32>| agc.parameter("gain").unwrap().as_f64().unwrap();
            let [attack, decay, reference] = [attack, decay, reference].map(|number| f64::from(number as f32));
            for x in x {
                let before = number(&agc);
                agc.process(&[x], &mut [0.0]);
                let level = f64::from(x.abs()) * before.abs();
                let near = 2f64.powi(-22) * (before.abs() + reference.abs() + level);
                let of = |rate: f64| {
                    let next = before - (level - reference) * rate;
                    let want = if next < 0.0 { f64::from(1e-4f32) } else { next.min(65536.0) };
                    let bound = 2f64.powi(-22) * (before.abs() + rate.abs() * (reference.abs() + level));
                    // Where it is nearly 0 it may be taken for negative.
                    (number(&agc) - want).abs() <= bound || (next.abs() <= bound && number(&agc) <= 1.1e-4)
                };
                let over = (level - reference).abs() - before;
                let fits = if over > near { of(attack) } else if over < -near { of(decay) } else { of(attack) || of(decay) };
                proptest::prop_assert!(fits, "{before}, {x}: {}", number(&agc));
            }
        }
    }

    /// Levels `x` in pieces, with gains that are guessed where that may be right, or with none.
    fn levelled<T: Level>(mut agc: Agc2<T>, x: &[T], piece: usize, guesses: bool) -> Vec<T> {
        let mut y = x.to_vec();
        for (x, y) in x.chunks(piece).zip(y.chunks_mut(piece)) {
            agc.attacked |= !guesses;
            agc.process(x, y);
        }
        y
    }

    #[test]
    fn gains_that_are_guessed_are_those_that_are_chosen() {
        let same = |y: f32, z: f32| y.to_bits() == z.to_bits() || y.is_nan() && z.is_nan();
        for (scale, reference, max_gain) in [
            (0.3, 1.0, 65536.0),
            (1.0, 1.0, 3.0),
            (1.4, 1.0, 0.0),
            (4.0, 1.0, 0.0),
            (1.0, 0.0, 0.0),
            (1e18, 1e20, 5.0),
        ] {
            let louder = |n: usize| scale * if n % 1500 < 700 { 1.0 } else { 1.5 };
            let make = || Agc2::<f32> { max_gain, ..Agc2::new(0.1, 0.01, reference, 1.0).unwrap() };
            let mut x: Vec<f32> = noise(6000).iter().enumerate().map(|(n, x)| x * louder(n)).collect();
            (x[1000], x[2500]) = (f32::NAN, f32::INFINITY);
            let y = levelled(make(), &x, 700, true);
            let chosen = levelled(make(), &x, 100, false);
            assert!(y.iter().zip(&chosen).all(|(y, z)| same(*y, *z)), "{scale}, {reference}, {max_gain}");

            let make = || Agc2::<C32> { max_gain, ..Agc2::new(0.1, 0.01, reference, 1.0).unwrap() };
            let x: Vec<C32> = complex_noise(6000).iter().enumerate().map(|(n, x)| x * louder(n)).collect();
            let y = levelled(make(), &x, 700, true);
            let chosen = levelled(make(), &x, 100, false);
            assert!(
                y.iter().zip(&chosen).all(|(y, z)| same(y.re, z.re) && same(y.im, z.im)),
                "{scale}, {reference}, {max_gain}"
            );
        }
    }

    #[test]
    fn an_item_that_is_no_number_spoils_only_itself() {
        let mut x = vec![0.5f32; 400];
        x[7] = f32::NAN;
        let make = || Agc2::<f32>::new(0.3, 0.1, 1.0, 1.5).unwrap();
        let y: Vec<f32> = harness::run(make(), &x);
        assert!(y[7].is_nan() && y.iter().filter(|y| y.is_nan()).count() == 1);
        assert!((y[399] - 1.0).abs() < 1e-3, "{}", y[399]);
    }
}
