//! A probe for the signal-to-noise ratio of PSK signals.

use crate::error::Error;
use superhet_runtime::{BlockError, C32, In, Out, Value, declare, parameter::no_parameter};

use crate::digital::constellations::mpsk_snr_est::{Estimator, SnrEstimate, check_alpha, decibels};
use crate::item::float_of;
use crate::lockstep::{Lockstep, Many, Names};
use crate::math::probe_signal::read_only;

/// Estimates the signal-to-noise ratio of a PSK signal, for those who ask for its parameters.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any |
/// | in `set` | messages | new values of `alpha` |
///
/// | parameter | range |
/// |---|---|
/// | `alpha` | 0 to 1: the weight of each sample; can be changed while the block runs |
/// | `snr_db`, `signal_db`, `noise_db` | dB; can be read |
///
/// ```
/// use superhet_blocks::{digital::{Estimator, ProbeMpskSnrEst, SnrEstimate}, sources::VectorSource};
/// use superhet_runtime::{C32, Graph, Options, Single};
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new([0.9f32, 1.1].map(C32::from).to_vec(), false)?);
/// let probe = graph.add("probe", ProbeMpskSnrEst::new(SnrEstimate::new(Estimator::Simple, 0.001)?));
/// graph.connect(source.output, probe.input[0]);
/// let mut running = graph.check()?.start(&Single, &Options::default())?;
/// running.wait_for(std::time::Duration::from_secs(10)).unwrap()?;
/// assert_eq!(running.get("probe.snr_db")?.as_f64().unwrap().round(), 17.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProbeMpskSnrEst(SnrEstimate);

impl ProbeMpskSnrEst {
    /// A probe for this estimate.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has the ports")]
    pub fn new(estimate: SnrEstimate) -> Many<Self> {
        Many::new(ProbeMpskSnrEst(estimate), (1, Names::Single), (0, Names::Single))
    }
}

impl Lockstep for ProbeMpskSnrEst {
    type In = C32;
    type Out = C32;
    const PARAMETERS: &'static [&'static str] = &["alpha", "snr_db", "signal_db", "noise_db"];
    const MEASURES: bool = true;

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "alpha" => {
                let alpha = float_of("alpha", value)?;
                check_alpha(alpha)?;
                self.0.alpha = alpha;
                Ok(())
            }
            "snr_db" | "signal_db" | "noise_db" => Err(read_only(name)),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        let [signal, noise] = self.0.powers();
        match name {
            "alpha" => Some(self.0.alpha.into()),
            "snr_db" => Some(self.0.snr_db().into()),
            "signal_db" => Some(decibels(signal).into()),
            "noise_db" => Some(decibels(noise).into()),
            _ => None,
        }
    }
    fn turn(&mut self, inputs: &[In<C32>], _: &mut [Out<C32>], turns: usize) {
        inputs.iter().for_each(|input| self.0.update(&input.peek()[..turns]));
    }
}

#[declare(
    category = "digital",
    summary = "Estimates the signal-to-noise ratio of a PSK signal, for those who ask.",
    ports(input("in", "C32", "samples"), set_port("new values of alpha"))
)]
fn probe_mpsk_snr_est(
    /// Mean and variance, second and fourth moment, or the ratio of signal variations.
    #[param(default = "m2m4")]
    estimator: Estimator,
    /// The weight of each sample in the running means, greater for the first ones.
    #[param(range = 0.0..=1.0, default = 0.001)]
    alpha: f64,
) -> Result<Many<ProbeMpskSnrEst>, Error> {
    Ok(ProbeMpskSnrEst::new(SnrEstimate::new(estimator, alpha)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::constellations::mpsk_snr_est::Estimator;
    use std::time::Duration;
    use superhet_runtime::harness::VecSource;
    use superhet_runtime::{Graph, Options, Single};

    #[test]
    fn estimates_are_parameters_and_only_alpha_can_be_set() {
        let mut probe = ProbeMpskSnrEst(SnrEstimate::new(Estimator::Simple, 0.5).unwrap());
        probe.0.update(&[C32::new(0.9, 0.0), C32::new(1.1, 0.0)].repeat(100));
        let snr = probe.parameter("snr_db").unwrap().as_f64().unwrap();
        assert!(snr > 10.0 && snr < 30.0, "{snr}");
        assert!(
            probe.set_parameter("alpha", &0.1.into()).is_ok() && probe.parameter("alpha") == Some(0.1.into())
        );
        assert!(probe.set_parameter("alpha", &2.0.into()).is_err());
        assert!(probe.set_parameter("snr_db", &0.1.into()).is_err());
    }

    #[test]
    fn the_ratio_can_be_read_of_the_running_block() {
        let mut graph = Graph::new();
        graph.add("source", VecSource::new([0.9f32, 1.1].map(C32::from).repeat(100)));
        let given = [("estimator".to_owned(), "simple".into())].into();
        graph.add_any("probe", ENTRY.build(&given).unwrap());
        graph.connect_names("source", "probe");
        let mut running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        running.wait_for(Duration::from_secs(10)).unwrap().unwrap();
        // The mean is 1, the variance 0.01, and that of complex noise twice as much.
        let snr = running.get("probe.snr_db").unwrap().as_f64().unwrap();
        assert!((snr - 10.0 * 50f64.log10()).abs() < 0.05, "{snr}");
    }
}
