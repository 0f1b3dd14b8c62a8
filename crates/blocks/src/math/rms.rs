//! Root of the mean power.
//!
//! The mean goes through `filters/recursion.rs`, which says what bounds it; beside that powers are widened, and means narrowed
//! before their roots are taken.

use std::marker::PhantomData;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, Item, SyncBlock, Value, declare, parameter::no_parameter};

use crate::error::{Error, check};
use crate::filters::recursion::{CHUNK, Recursion};
use crate::item::{block_of_sample, float_of};

/// Root of the mean power, of an average with one pole: `y[n] = √m[n]`, `m[n] = (1 − alpha) · m[n − 1] + alpha · |x[n]|²`.
///
/// A power that is not finite passes, and the mean does not take it.
///
/// **Accuracy**: `|error| ≤ 2⁻²³ · y`, as long as powers are within the normal numbers of single precision.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | `f32` | that of `in`, ≥ 0 |
/// | in `set` | messages | new values of `alpha` |
///
/// | parameter | range |
/// |---|---|
/// | `alpha` | 0 to 1; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::math::Rms;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Rms::<f32>::new(0.25)?, &[1.0f32, 2.0]);
/// assert!((y[0] - 0.5).abs() < 1e-6 && (y[1] - 1.0897248).abs() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rms<T> {
    alpha: f64,
    mean: Recursion,
    item: PhantomData<fn() -> T>,
}

/// An average with one pole: `m += alpha · (x − m)`, from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mean {
    pub alpha: f64,
    pub now: f64,
}

impl Mean {
    /// An average that takes so much of each new item.
    pub fn new(alpha: f64) -> Result<Self, Error> {
        let mut mean = Mean { alpha, now: 0.0 };
        mean.set_alpha(alpha)?;
        Ok(mean)
    }

    pub fn set_alpha(&mut self, alpha: f64) -> Result<(), Error> {
        check((0.0..=1.0).contains(&alpha), "alpha", "a number from 0 to 1", alpha)?;
        self.alpha = alpha;
        Ok(())
    }

    /// Gives the average with each of some items. What would make it not finite is given, and stays out of it.
    #[inline(always)]
    pub fn run(&mut self, items: impl Iterator<Item = f64> + Clone, mut give: impl FnMut(usize, f64)) {
        let before = self.now;
        let (alpha, rest) = (self.alpha, 1.0 - self.alpha);
        let mut now = before;
        for (place, x) in items.clone().enumerate() {
            now = rest * now + alpha * x;
            give(place, now);
        }
        // Once it is not finite it stays so: a look at the end tells.
        if !now.is_finite() {
            now = before;
            for (place, x) in items.enumerate() {
                let next = rest * now + alpha * x;
                give(place, next);
                now = if next.is_finite() { next } else { now };
            }
        }
        self.now = now;
    }
}

/// Samples that have a power.
pub trait Power: Item {
    /// `|x|²`.
    fn power(self) -> f64;
}

impl Power for f32 {
    #[inline(always)]
    fn power(self) -> f64 {
        f64::from(self * self)
    }
}

impl Power for C32 {
    #[inline(always)]
    fn power(self) -> f64 {
        f64::from(self.norm_sqr())
    }
}

impl<T: Power> Rms<T> {
    /// An average that takes `alpha` of each new item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `alpha` is from 0 to 1.
    pub fn new(alpha: f64) -> Result<Self, Error> {
        Ok(Rms { alpha, mean: recursion(alpha)?, item: PhantomData })
    }

    /// Gives the means of finite powers, at most [`CHUNK`] of them.
    fn finite(&mut self, x: &[T], y: &mut [f32]) {
        let room = self.mean.room(x.len());
        room.iter_mut().zip(x).for_each(|(power, x)| *power = x.power());
        // Powers are 0 or more: a mean of finite ones is finite.
        let means = self.mean.run(&mut Vec::new());
        y.iter_mut().zip(means).for_each(|(y, mean)| *y = (*mean as f32).sqrt());
        if !means.iter().fold(true, |all, mean| all & (*mean >= LEAST)) {
            for (y, mean) in y.iter_mut().zip(means).filter(|(_, mean)| **mean < LEAST) {
                *y = mean.sqrt() as f32;
            }
        }
    }
}

/// Less has no digits left in single precision before its root is taken.
const LEAST: f64 = 1e-30;

/// The average of powers that takes `alpha` of each new one.
fn recursion(alpha: f64) -> Result<Recursion, Error> {
    Mean::new(alpha)?;
    // A column for each of eight items, none of which is beyond 1.
    Ok(Recursion::new(&[alpha], &[1.0 - alpha]).expect("an average is a filter for groups"))
}

impl<T: Power> SyncBlock for Rms<T> {
    type In = T;
    type Out = f32;
    const PARAMETERS: &'static [&'static str] = &["alpha"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "alpha" => {
                let alpha = float_of("alpha", value)?;
                let before: Vec<f64> = self.mean.outputs().collect();
                self.mean = recursion(alpha)?;
                self.mean.set_past(std::iter::empty(), before.into_iter());
                self.alpha = alpha;
                Ok(())
            }
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        (name == "alpha").then(|| self.alpha.into())
    }

    fn process(&mut self, x: &[T], y: &mut [f32]) {
        for (mut x, mut y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            while !x.is_empty() {
                let all = x.iter().fold(true, |all, x| all & x.power().is_finite());
                let first = || x.iter().position(|x| !x.power().is_finite()).unwrap_or(x.len());
                let finite = if all { x.len() } else { first() };
                if finite > 0 {
                    self.finite(&x[..finite], &mut y[..finite]);
                }
                (x, y) = (&x[finite..], &mut y[finite..]);
                if let ([bad, ..], [output, ..]) = (x, &mut *y) {
                    let before = self.mean.outputs().next().unwrap_or(0.0);
                    *output = (self.alpha * bad.power() + (1.0 - self.alpha) * before).sqrt() as f32;
                    self.mean.restart();
                    (x, y) = (&x[1..], &mut y[1..]);
                }
            }
        }
    }
}

#[declare(
    category = "math",
    summary = "Root of the mean power, of an average with one pole.",
    ports(
        input("in", "item", "x"),
        output("out", "f32", "the root of the mean of |x|²"),
        set_port("new values of alpha")
    )
)]
fn rms(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// How much of each new item the average takes.
    #[param(range = 0.0..=1.0, default = 0.0001)]
    alpha: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(block_of_sample!(item, T => Rms::<T>::new(alpha)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_right() {
        let x = [1.0, 2.0, 3.0, 4.0].map(|x| C32::new(0.0, x));
        let y: Vec<f32> = harness::run(Rms::<C32>::new(0.25).unwrap(), &x);
        let wanted = [0.5, 1.0897247790291283, 1.7721809148788452, 2.521005392074585];
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (f64::from(*y) - wanted).abs() < 1e-6));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Rms::<f32>::new(0.01).unwrap(), &noise(1000));
        harness::assert_cut_invariant(|| Rms::<C32>::new(0.5).unwrap(), &complex_noise(1000));
    }

    #[test]
    fn means_are_those_of_the_equation_also_behind_a_new_alpha_and_of_tiny_powers() {
        for scale in [1.0f32, 1e-12] {
            let mut x = noise(1500);
            x[700..].fill(0.0);
            let mut rms = Rms::<f32>::new(0.01).unwrap();
            let (mut now, mut alpha) = (0.0f64, 0.01);
            let mut y = vec![0.0; 3];
            for (n, x) in x.chunks(3).enumerate() {
                if n == 100 {
                    alpha = 0.3;
                    rms.set_parameter("alpha", &alpha.into()).unwrap();
                }
                let x: Vec<f32> = x.iter().map(|x| x * scale).collect();
                rms.process(&x, &mut y);
                for (x, y) in x.iter().zip(&y) {
                    now = (1.0 - alpha) * now + alpha * f64::from(x * x);
                    let want = now.sqrt();
                    assert!(
                        (f64::from(*y) - want).abs() <= want * 2f64.powi(-23) + 1e-44,
                        "{n}: {y}, {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_share_is_refused() {
        assert!(Rms::<f32>::new(-0.1).is_err());
        let mut rms = Rms::<f32>::new(0.1).unwrap();
        assert!(
            rms.set_parameter("alpha", &2.into()).is_err() && rms.set_parameter("alpha", &1.into()).is_ok()
        );
    }

    #[test]
    fn a_power_that_is_not_finite_stays_out_of_the_mean() {
        let mut x = vec![2f32; 300];
        (x[100], x[120]) = (f32::NAN, f32::NEG_INFINITY);
        for alpha in [0.1, 1.0] {
            let y: Vec<f32> = harness::run(Rms::<f32>::new(alpha).unwrap(), &x);
            assert!(y[100].is_nan() && y[120] == f32::INFINITY);
            assert_eq!(y.iter().filter(|y| !y.is_finite()).count(), 2);
            assert!((y[299] - 2.0).abs() < 1e-5, "{}", y[299]);
        }
    }
}
