//! Squelch by power.
//!
//! The mean goes through `filters/recursion.rs`, which says what bounds it.

use superhet_runtime::{AnyBlock, BlockError, C32, Value, declare};

use super::gain::Level;
use super::squelch::{Detector, LONGEST, Squelch};
use crate::error::{Error, check};
use crate::filters::recursion::{CHUNK, Recursion};
use crate::item::float_of;

/// Whether the mean power is high enough: `p[n] = alpha · |x[n]|² + (1 − alpha) · p[n − 1]`, from 0, is at least
/// `threshold_db`.
///
/// With [`Squelch`] it is the block `pwr_squelch`, for `C32` and `f32`:
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `threshold_db` | dB of full scale | finite; can be changed while the block runs |
/// | `alpha` | | 0 to 1; can be changed while the block runs |
/// | `ramp`, `gate` | | see [`Squelch`] |
///
/// ```
/// use superhet_blocks::analog::{Power, Squelch};
/// use superhet_runtime::harness;
///
/// let squelch = Squelch::new(Power::<f32>::new(-10.0, 0.5)?, 0, true)?; // only what passes
/// assert_eq!(harness::run(squelch, &[0.01, 1.0, 0.8, 0.01, 0.01, 0.01]), [1.0, 0.8, 0.01, 0.01]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Power<T> {
    threshold_db: f64,
    threshold: f64,
    alpha: f64,
    power: Recursion,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Level> Power<T> {
    /// A threshold, and the part of what is new in the mean.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(threshold_db: f64, alpha: f64) -> Result<Self, Error> {
        let mut power = Power {
            threshold_db: 0.0,
            threshold: 1.0,
            alpha: 0.0,
            power: mean_of(alpha)?,
            item: std::marker::PhantomData,
        };
        power.set_threshold(threshold_db)?;
        power.set_alpha(alpha)?;
        Ok(power)
    }

    fn set_threshold(&mut self, threshold_db: f64) -> Result<(), Error> {
        check(threshold_db.is_finite(), "threshold_db", "a finite number", threshold_db)?;
        (self.threshold_db, self.threshold) = (threshold_db, 10f64.powf(threshold_db / 10.0));
        Ok(())
    }

    fn set_alpha(&mut self, alpha: f64) -> Result<(), Error> {
        let mut mean = mean_of(alpha)?;
        let before = self.power.outputs().next();
        mean.set_past(std::iter::empty(), before.into_iter());
        (self.power, self.alpha) = (mean, alpha);
        Ok(())
    }

    /// Says of each of at most [`CHUNK`] items whether the mean power is high enough there. What is not finite stays out of the mean.
    fn open_chunk(&mut self, mut x: &[T], mut open: &mut [bool]) {
        while !x.is_empty() {
            let all = x.iter().fold(true, |all, x| all & x.power().is_finite());
            let first = || x.iter().position(|x| !x.power().is_finite()).unwrap_or(x.len());
            let finite = if all { x.len() } else { first() };
            if finite > 0 {
                let room = self.power.room(finite);
                room.iter_mut().zip(x).for_each(|(power, x)| *power = x.power());
                // Powers are 0 or more: a mean of finite ones is finite.
                let means = self.power.run(&mut Vec::new());
                open.iter_mut().zip(means).for_each(|(open, mean)| *open = *mean >= self.threshold);
            }
            (x, open) = (&x[finite..], &mut open[finite..]);
            if !x.is_empty() {
                open[0] = self.power.outputs().next().unwrap_or(0.0) >= self.threshold;
                self.power.restart();
                (x, open) = (&x[1..], &mut open[1..]);
            }
        }
    }
}

/// The average of powers that takes `alpha` of each new one.
fn mean_of(alpha: f64) -> Result<Recursion, Error> {
    check((0.0..=1.0).contains(&alpha), "alpha", "from 0 to 1", alpha)?;
    // A column for each of eight items, none of which is beyond 1.
    Ok(Recursion::new(&[alpha], &[1.0 - alpha]).expect("an average is a filter for groups"))
}

impl<T: Level> Detector for Power<T> {
    type Item = T;
    const PARAMETERS: &'static [&'static str] = &["threshold_db", "alpha", "ramp", "gate", "unmuted"];

    fn open(&mut self, x: &[T], open: &mut [bool]) {
        for (x, open) in x.chunks(CHUNK).zip(open.chunks_mut(CHUNK)) {
            self.open_chunk(x, open);
        }
    }
    fn set(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "threshold_db" => self.set_threshold(float_of("threshold_db", value)?)?,
            _ => self.set_alpha(float_of("alpha", value)?)?,
        }
        Ok(())
    }
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "threshold_db" => Some(self.threshold_db.into()),
            "alpha" => Some(self.alpha.into()),
            _ => None,
        }
    }
}

#[declare(
    category = "analog",
    summary = "Passes items while their mean power is high enough.",
    items(C32, f32),
    ports(
        input("in", "item", "x"),
        set_port("new values of threshold_db, alpha, ramp and gate; requests for unmuted"),
        output("out", "item", "x while it is open, with tags squelch_sob and squelch_eob")
    )
)]
fn pwr_squelch<T: Level>(
    /// The least mean power, in dB of full scale.
    #[param(unit = "dB", default = -20.0)]
    threshold_db: f64,
    /// How much of what is new goes into the mean.
    #[param(range = 0.0..=1.0, default = 1e-4)]
    alpha: f64,
    /// Over how many items it opens and closes.
    #[param(unit = "items", range = 0..=LONGEST, default = 0)]
    ramp: usize,
    /// Closed, it gives nothing instead of zeros.
    #[param(default = false)]
    gate: bool,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Squelch::new(Power::<T>::new(threshold_db, alpha)?, ramp, gate)?))
}

/// Levels of the tests, and where a squelch of −10 dB and 0.3 is open.
#[cfg(test)]
pub(super) fn levels() -> Vec<f32> {
    [vec![0.1f32; 5], vec![1.0; 10], vec![0.1; 15], vec![1.0; 6]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, run_tagged};
    use superhet_runtime::{C32, Options};

    fn squelch(ramp: usize, gate: bool) -> Squelch<Power<f32>> {
        Squelch::new(Power::new(-10.0, 0.3).unwrap(), ramp, gate).unwrap()
    }

    #[test]
    fn values_are_those_of_gnu_radio_wherever_the_stream_is_cut() {
        let x = levels();
        let mut wanted = x.clone();
        wanted[..5].fill(0.0);
        wanted[21..30].fill(0.0);
        assert_gives(|| squelch(0, false), &x, &wanted);
        let gated = [vec![1.0f32; 10], vec![0.1; 6], vec![1.0; 6]].concat();
        assert_gives(|| squelch(0, true), &x, &gated);
        let y: Vec<f32> = superhet_runtime::harness::run(squelch(3, true), &x);
        let wanted = [
            vec![0.0, 0.25, 0.75],
            vec![1.0; 7],
            vec![0.1; 7],
            vec![0.075, 0.025],
            vec![0.0, 0.25, 0.75],
            vec![1.0; 3],
        ]
        .concat();
        assert!(y.len() == 25 && y.iter().zip(&wanted).all(|(y, w)| (y - w).abs() < 1e-6), "{y:?}");
        assert_gives(|| squelch(3, true), &x, &y);
        let complex: Vec<C32> = x.iter().map(|&x| x.into()).collect();
        let make = || Squelch::new(Power::<C32>::new(-10.0, 0.3).unwrap(), 2, false).unwrap();
        superhet_runtime::harness::assert_cut_invariant(make, &complex);
    }

    #[test]
    fn tags_say_where_it_opens_and_closes() {
        for (gate, places) in [(false, [5, 21, 30]), (true, [0, 16, 16])] {
            for strip in [1, 7, 64] {
                let options = Options { strip_items: Some(strip), ..Options::default() };
                let tags = vec![(6, "old", Value::Null), (25, "lost", Value::Null)];
                let (_, tags) = run_tagged::<f32, f32, _, _>(squelch(0, gate), levels(), tags, &options);
                let keys: Vec<&str> =
                    tags.iter().map(|tag| &*tag.1).filter(|key| key.starts_with("sq")).collect();
                assert_eq!(keys, ["squelch_sob", "squelch_eob", "squelch_sob"]);
                let found: Vec<u64> =
                    tags.iter().filter(|tag| tag.1.starts_with("sq")).map(|tag| tag.0).collect();
                assert_eq!(found, places, "{gate} {strip}");
                let old = tags.iter().find(|tag| tag.1 == "old").unwrap();
                assert_eq!(old.0, if gate { 1 } else { 6 });
                assert_eq!(tags.iter().any(|tag| tag.1 == "lost"), !gate);
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(Power::<f32>::new(f64::NAN, 0.1).is_err());
        assert!(Power::<f32>::new(0.0, 1.1).is_err());
        assert!(Squelch::new(Power::<f32>::new(0.0, 0.1).unwrap(), 1 << 30, false).is_err());
    }

    #[test]
    fn where_the_signal_comes_back_on_a_closing_ramp_it_opens_from_there() {
        let x = [vec![1.0f32; 12], vec![0.1; 3], vec![1.0; 12], vec![0.1; 10]].concat();
        let make = || Squelch::new(Power::<f32>::new(-10.0, 1.0).unwrap(), 6, false).unwrap();
        let y: Vec<f32> = superhet_runtime::harness::run(make(), &x);
        let gains: Vec<f32> = y.iter().zip(&x).map(|(y, x)| y / x).collect();
        // No step of the gain is longer than the longest of the ramp, and it is open again at once.
        assert!(gains.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.27), "{gains:?}");
        assert!(
            gains[12..18].iter().all(|gain| *gain > 0.2) && gains[18..27].iter().all(|gain| *gain == 1.0)
        );
        assert_gives(make, &x, &y);
    }
}
