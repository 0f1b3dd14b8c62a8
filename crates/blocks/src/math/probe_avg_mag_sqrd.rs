//! Measures mean power.

use std::marker::PhantomData;

use superhet_runtime::{AnyBlock, BlockError, C32, In, Out, Value, declare, parameter::no_parameter};

use super::probe_signal::read_only;
use super::rms::{Mean, Power};
use crate::error::Error;
use crate::item::float_of;
use crate::lockstep::{Lockstep, Many, Names, room};

/// Measures mean power, of an average with one pole: `m[n] = (1 − alpha) · m[n − 1] + alpha · |x[n]|²`.
///
/// A power that is not finite passes, and the mean does not take it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | `f32` | the mean `m`, linear, not dB; there only where it was asked for |
/// | in `set` | messages | new values of `alpha` and `threshold_db`; requests for all |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `threshold_db` | dB of power | any; can be changed while the block runs |
/// | `alpha` | | 0 to 1; likewise |
/// | `level` | linear | to be read: the mean |
/// | `unmuted` | | to be read: whether the mean is at least the threshold |
///
/// ```
/// use superhet_blocks::{math::ProbeAvgMagSqrd, sources::VectorSource};
/// use superhet_runtime::{Graph, Options, Single, Value};
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![2.0f32; 3], false)?);
/// let probe = graph.add("probe", ProbeAvgMagSqrd::<f32>::new(0.0, 1.0)?);
/// graph.connect(source.output, probe.input[0]);
/// let mut running = graph.check()?.start(&Single, &Options::default())?;
/// running.wait_for(std::time::Duration::from_secs(10)).unwrap()?;
/// assert_eq!(running.get("probe.level")?, Value::from(4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProbeAvgMagSqrd<T> {
    mean: Mean,
    threshold_db: f64,
    item: PhantomData<fn() -> T>,
}

impl<T: Power> ProbeAvgMagSqrd<T> {
    /// Takes `alpha` of each new item, and compares with the threshold.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `alpha` is from 0 to 1.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has the ports")]
    pub fn new(threshold_db: f64, alpha: f64) -> Result<Many<Self>, Error> {
        ProbeAvgMagSqrd::ports(threshold_db, alpha, 0)
    }

    /// As [`new`](Self::new), with an output for the mean.
    ///
    /// # Errors
    /// As for `new`.
    pub fn with_output(threshold_db: f64, alpha: f64) -> Result<Many<Self>, Error> {
        ProbeAvgMagSqrd::ports(threshold_db, alpha, 1)
    }

    fn ports(threshold_db: f64, alpha: f64, outputs: usize) -> Result<Many<Self>, Error> {
        let probe = ProbeAvgMagSqrd { mean: Mean::new(alpha)?, threshold_db, item: PhantomData };
        Ok(Many::new(probe, (1, Names::Single), (outputs, Names::Single)))
    }
}

impl<T: Power> Lockstep for ProbeAvgMagSqrd<T> {
    type In = T;
    type Out = f32;
    const PARAMETERS: &'static [&'static str] = &["alpha", "threshold_db", "level", "unmuted"];
    const MEASURES: bool = true;

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "alpha" => self.mean.set_alpha(float_of("alpha", value)?)?,
            "threshold_db" => self.threshold_db = float_of("threshold_db", value)?,
            "level" | "unmuted" => return Err(read_only(name)),
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "alpha" => Some(self.mean.alpha.into()),
            "threshold_db" => Some(self.threshold_db.into()),
            "level" => Some(self.mean.now.into()),
            "unmuted" => Some((self.mean.now >= 10f64.powf(self.threshold_db / 10.0)).into()),
            _ => None,
        }
    }

    fn turn(&mut self, inputs: &[In<T>], outputs: &mut [Out<f32>], turns: usize) {
        let Some(input) = inputs.first() else { return };
        let x = &input.peek()[..turns];
        let powers = x.iter().map(|x| x.power());
        match outputs.first_mut().and_then(|output| room(output, turns)) {
            Some(y) => self.mean.run(powers, |place, mean| y[place] = mean as f32),
            None => self.mean.run(powers, |_, _| {}),
        }
    }
}

#[declare(
    category = "math",
    summary = "Measures mean power, of an average with one pole.",
    items(C32, f32),
    ports(
        input("in", "item", "x"),
        output("out", "f32", "the mean of |x|², where output says so"),
        set_port("new values of alpha and threshold_db; requests for level and unmuted")
    )
)]
fn probe_avg_mag_sqrd<T: Power>(
    /// From which power on `unmuted` is true.
    #[param(unit = "dB", default = 0.0)]
    threshold_db: f64,
    /// How much of each new item the average takes.
    #[param(range = 0.0..=1.0, default = 0.0001)]
    alpha: f64,
    /// Whether there is an output for the mean.
    #[param(default = true)]
    output: bool,
) -> Result<AnyBlock, BlockError> {
    let outputs = usize::from(output);
    Ok(AnyBlock::new(ProbeAvgMagSqrd::<T>::ports(threshold_db, alpha, outputs)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, cuts, noise, run_any};

    #[test]
    fn the_mean_is_right_wherever_the_stream_is_cut() {
        let x = noise(1000);
        let mut mean = 0.0;
        let wanted: Vec<f32> = x
            .iter()
            .map(|x| {
                mean = 0.9 * mean + 0.1 * f64::from(x * x);
                mean as f32
            })
            .collect();
        assert_gives(|| ProbeAvgMagSqrd::<f32>::with_output(0.0, 0.1).unwrap(), &x, &wanted);
    }

    #[test]
    fn a_power_that_is_not_finite_stays_out_of_the_mean() {
        let mut x = vec![2f32; 300];
        (x[100], x[120]) = (f32::NAN, f32::NEG_INFINITY);
        for options in cuts() {
            let block = AnyBlock::new(ProbeAvgMagSqrd::<f32>::with_output(0.0, 0.1).unwrap());
            let (y, _) = run_any::<f32, f32>(block, x.clone(), vec![], &options);
            let spoilt: Vec<usize> = (0..300).filter(|n| !y[*n].is_finite()).collect();
            assert_eq!(spoilt, [100, 120]);
            assert!((y[299] - 4.0).abs() < 1e-5, "{}", y[299]);
        }
    }

    #[test]
    fn the_threshold_is_that_of_power() {
        let mut probe =
            ProbeAvgMagSqrd::<f32> { mean: Mean::new(1.0).unwrap(), threshold_db: -20.0, item: PhantomData };
        probe.mean.run([0.02].into_iter(), |_, _| {});
        assert_eq!(probe.parameter("unmuted"), Some(true.into()));
        probe.set_parameter("threshold_db", &0.into()).unwrap();
        assert_eq!(probe.parameter("unmuted"), Some(false.into()));
        assert!(probe.set_parameter("level", &0.into()).is_err());
    }
}
