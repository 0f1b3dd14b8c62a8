//! A probe for the signal-to-noise ratio of PSK signals.

use superhet_runtime::catalog::{Entry, input, set_port};
use superhet_runtime::{AnyBlock, BlockError, C32, SyncBlock, Value, no_parameter};

use crate::digital::constellations::mpsk_snr_est::{
    ALPHA, ESTIMATOR, SnrEstimate, check_alpha, decibels, estimate,
};
use crate::item::float_of;

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
#[derive(Clone, Debug)]
pub struct ProbeMpskSnrEst(SnrEstimate);

impl ProbeMpskSnrEst {
    /// A probe for this estimate.
    pub fn new(estimate: SnrEstimate) -> Self {
        ProbeMpskSnrEst(estimate)
    }
}

impl SyncBlock for ProbeMpskSnrEst {
    type In = C32;
    type Out = ();
    const PARAMETERS: &'static [&'static str] = &["alpha", "snr_db", "signal_db", "noise_db"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "alpha" => {
                let alpha = float_of("alpha", value)?;
                check_alpha(alpha)?;
                self.0.alpha = alpha;
                Ok(())
            }
            "snr_db" | "signal_db" | "noise_db" => Err(format!("{name} can be read only").into()),
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
    fn process(&mut self, x: &[C32], _: ()) {
        self.0.update(x);
    }
}

/// How files and the command line find [`ProbeMpskSnrEst`].
pub const ENTRY: Entry = Entry {
    name: "probe_mpsk_snr_est",
    category: "digital",
    summary: "Estimates the signal-to-noise ratio of a PSK signal, for those who ask.",
    params: &[ESTIMATOR, ALPHA],
    ports: &[input("in", "C32", "samples"), set_port("new values of alpha")],
    make: |params| Ok(AnyBlock::new(ProbeMpskSnrEst::new(estimate(params)?))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::constellations::mpsk_snr_est::Estimator;

    #[test]
    fn estimates_are_parameters_and_only_alpha_can_be_set() {
        let mut probe = ProbeMpskSnrEst::new(SnrEstimate::new(Estimator::Simple, 0.5).unwrap());
        probe.process(&[C32::new(0.9, 0.0), C32::new(1.1, 0.0)].repeat(100), ());
        let snr = probe.parameter("snr_db").unwrap().as_f64().unwrap();
        assert!(snr > 10.0 && snr < 30.0, "{snr}");
        assert!(
            probe.set_parameter("alpha", &0.1.into()).is_ok() && probe.parameter("alpha") == Some(0.1.into())
        );
        assert!(probe.set_parameter("alpha", &2.0.into()).is_err());
        assert!(probe.set_parameter("snr_db", &0.1.into()).is_err());
    }
}
