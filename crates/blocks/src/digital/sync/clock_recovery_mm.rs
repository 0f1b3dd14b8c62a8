//! Symbol clock recovery by the detector of Mueller and Müller.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, Value, declare, parameter::no_parameter};

use crate::digital::sync::interpolator::{Interpolator, Sample};
use crate::digital::sync::tracker::{LEAST_PERIOD, Spans, Tracked, Tracker};
use crate::error::{Error, check};
use crate::item::float_of;

/// What the detector of Mueller and Müller remembers and gives.
pub trait MuellerMuller: Sample {
    /// How many zeros come before the signal.
    const LEAD: usize;
    /// The error at a symbol, after those before it, newest first.
    fn error(symbol: Self, before: [Self; 2]) -> f32;
}

impl MuellerMuller for f32 {
    const LEAD: usize = 0;
    fn error(symbol: f32, [last, _]: [f32; 2]) -> f32 {
        let decide = |x: f32| if x < 0.0 { -1.0 } else { 1.0 };
        decide(last) * symbol - decide(symbol) * last
    }
}

impl MuellerMuller for C32 {
    const LEAD: usize = 2;
    fn error(symbol: C32, [last, before]: [C32; 2]) -> f32 {
        let bit = |x: f32| f32::from(u8::from(x > 0.0));
        let decide = |x: C32| C32::new(bit(x.re), bit(x.im));
        let error =
            (symbol - before).correlate(decide(last)) - (decide(symbol) - decide(before)).correlate(last);
        error.clamp(-1.0, 1.0)
    }
}

/// Finds the instants of the symbols by the detector of Mueller and Müller, and gives the signal there.
///
/// After each symbol the error `e` changes the period `ω += gain_omega · e`, within its limits, and the next one is
/// `ω + gain_mu · e` samples later. With decisions `a` about symbols `x`:
///
/// | items | error |
/// |---|---|
/// | `f32` | `a[k−1] · x[k] − a[k] · x[k−1]`, decisions ±1 |
/// | `C32` | `Re((x[k] − x[k−2]) · a[k−1]* − (a[k] − a[k−2]) · x[k−1]*)`, cut to ±1, decisions 0 or 1 for each part |
///
/// The first symbol is looked for at sample 3 + `mu`; of complex signals at 1 + `mu`, with two zeros before the signal.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | peaks about ±1 |
/// | out `out` | the same | that of `in` |
/// | out `error` | `f32` | as above; may stay unconnected |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `samples_per_symbol` | samples | more than 1: the period; can be changed while the block runs, as those that follow |
/// | `gain_omega`, `gain_mu` | samples | finite; `gain_mu² / 4` is a good `gain_omega` |
/// | `mu` | samples | 0 to 1 |
/// | `relative_limit` | | 0 to 1: how far off the period may be (not while the block runs) |
///
/// # Source
/// K. Mueller, M. Müller, Timing Recovery in Digital Synchronous Data Receivers, IEEE Trans. Comm. 24, 1976;
/// G. Danesfahani, T. Jeans, Electronics Letters 31, 1995.
///
/// ```
/// use superhet_blocks::digital::ClockRecoveryMm;
/// use superhet_runtime::harness;
///
/// let x: Vec<f32> = (0..4000).map(|n| (std::f32::consts::PI / 4.0 * n as f32 + 0.4).cos()).collect();
/// let recovery = ClockRecoveryMm::<f32>::new(4.0, 0.0076, 0.5, 0.175, 0.005)?;
/// let symbols: Vec<f32> = harness::run(recovery, &x);
/// assert_eq!(symbols.len(), 999);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClockRecoveryMm<T> {
    interpolator: Interpolator,
    nominal: f32,
    limit: f32,
    omega: f32,
    gain_omega: f32,
    gain_mu: f32,
    mu: f32,
    skip: usize,
    /// How many of the zeros before the signal are still in the window.
    lead: usize,
    last: [T; 2],
}

impl<T: MuellerMuller> ClockRecoveryMm<T> {
    /// A recovery that begins with this period and place.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(
        samples_per_symbol: f64,
        gain_omega: f64,
        mu: f64,
        gain_mu: f64,
        relative_limit: f64,
    ) -> Result<Tracked<Self>, Error> {
        check_period(samples_per_symbol)?;
        check((0.0..=1.0).contains(&mu), "mu", "a number from 0 to 1", mu)?;
        check(
            (0.0..=1.0).contains(&relative_limit),
            "relative_limit",
            "a number from 0 to 1",
            relative_limit,
        )?;
        let recovery = ClockRecoveryMm {
            interpolator: Interpolator::least_squares(),
            nominal: samples_per_symbol as f32,
            limit: relative_limit as f32,
            omega: samples_per_symbol as f32,
            gain_omega: gain("gain_omega", gain_omega)?,
            gain_mu: gain("gain_mu", gain_mu)?,
            mu: mu as f32,
            skip: 0,
            lead: T::LEAD,
            last: [T::default(); 2],
        };
        Ok(recovery.block())
    }
}

fn check_period(samples: f64) -> Result<(), Error> {
    check(samples > 1.0 && samples <= 1e6, "samples_per_symbol", "more than 1 and at most 10⁶", samples)
}

fn gain(parameter: &'static str, gain: f64) -> Result<f32, Error> {
    check(gain.abs() <= 1e6, parameter, "a number within ±10⁶", gain).map(|()| gain as f32)
}

impl<T: MuellerMuller> Tracker for ClockRecoveryMm<T> {
    type In = T;
    type Out = T;
    const MONITORS: &'static [&'static str] = &["error"];
    const PARAMETERS: &'static [&'static str] = &["samples_per_symbol", "gain_omega", "gain_mu", "mu"];

    fn window(&self) -> usize {
        self.interpolator.width()
    }

    fn rate(&self) -> f64 {
        1.0 / f64::from(self.nominal)
    }

    fn follow(&mut self, mut spans: Spans<'_, T, T>) -> (usize, usize) {
        let width = self.interpolator.width();
        let (mut taken, mut given) = (0, 0);
        loop {
            let passed = self.skip.min(spans.x.len() - taken);
            taken += passed;
            self.skip -= passed;
            let x = &spans.x[taken..];
            if self.skip > 0 || taken >= spans.stop || x.len() < width || given == spans.y.len() {
                return (taken, given);
            }
            let symbol = match self.lead {
                0 => self.interpolator.value(&x[..width], self.mu),
                lead => {
                    let padded = [&vec![T::default(); lead], &x[..width - lead]].concat();
                    self.interpolator.value(&padded, self.mu)
                }
            };
            let error = T::error(symbol, self.last);
            // Of samples that are not numbers the clock learns nothing.
            let error = if error.is_finite() { error } else { 0.0 };
            self.last = [symbol, self.last[0]];
            spans.y[given] = symbol;
            spans.write(given, [error]);
            given += 1;
            let most = self.nominal * self.limit;
            self.omega =
                (self.omega + self.gain_omega * error).clamp(self.nominal - most, self.nominal + most);
            // Always on, and no further than a few symbols.
            let period = (self.omega + self.gain_mu * error).clamp(LEAST_PERIOD, 8.0 * self.nominal);
            let next = self.mu + period;
            self.mu = next.fract();
            let step = next as usize;
            let in_lead = step.min(self.lead);
            self.lead -= in_lead;
            self.skip = step - in_lead;
        }
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "samples_per_symbol" => {
                let samples = float_of("samples_per_symbol", value)?;
                check_period(samples)?;
                (self.nominal, self.omega) = (samples as f32, samples as f32);
            }
            "gain_omega" => self.gain_omega = gain("gain_omega", float_of("gain_omega", value)?)?,
            "gain_mu" => self.gain_mu = gain("gain_mu", float_of("gain_mu", value)?)?,
            "mu" => {
                let mu = float_of("mu", value)?;
                check((0.0..=1.0).contains(&mu), "mu", "a number from 0 to 1", mu)?;
                self.mu = mu as f32;
            }
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "samples_per_symbol" => Some(self.omega.into()),
            "gain_omega" => Some(self.gain_omega.into()),
            "gain_mu" => Some(self.gain_mu.into()),
            "mu" => Some(self.mu.into()),
            _ => None,
        }
    }
}

#[declare(
    category = "digital",
    summary = "Finds the instants of the symbols by the detector of Mueller and Müller.",
    ports(
        input("in", "item", "samples"),
        set_port("new values of samples_per_symbol, gain_omega, gain_mu and mu"),
        output("out", "item", "symbols: about n / samples_per_symbol items for n"),
        output("error", "f32", "the error of the clock")
    )
)]
fn clock_recovery_mm(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// How many samples a symbol takes, more than 1.
    #[param(unit = "samples", range = 1.0..=1e6)]
    samples_per_symbol: f64,
    /// How much of the error changes the period.
    #[param(unit = "samples", default = 0.0076)]
    gain_omega: f64,
    /// Where between two samples the first symbol is.
    #[param(unit = "samples", range = 0.0..=1.0, default = 0.5)]
    mu: f64,
    /// How much of the error changes the next step.
    #[param(unit = "samples", default = 0.175)]
    gain_mu: f64,
    /// How far off the period may be, as a part of it.
    #[param(range = 0.0..=1.0, default = 0.005)]
    relative_limit: f64,
) -> Result<AnyBlock, BlockError> {
    macro_rules! block {
        ($T:ty) => {
            AnyBlock::new(ClockRecoveryMm::<$T>::new(
                samples_per_symbol,
                gain_omega,
                mu,
                gain_mu,
                relative_limit,
            )?)
        };
    }
    Ok(if item == "f32" { block!(f32) } else { block!(C32) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::sync::symbol_sync::tests::{bits, has_bits, pulses};
    use superhet_runtime::harness;

    fn make<T: MuellerMuller>() -> Tracked<ClockRecoveryMm<T>> {
        ClockRecoveryMm::<T>::new(4.0, 0.0076, 0.5, 0.175, 0.01).unwrap()
    }

    #[test]
    fn it_locks_on_a_clock_that_is_off() {
        let sent = bits(2000);
        for (period, offset) in [(4.0, 1.3), (4.01, 0.4), (3.985, 2.6)] {
            let x = pulses(&sent, period, offset);
            let y: Vec<f32> = harness::run(make::<f32>(), &x);
            assert!(has_bits(&y, &sent, 600), "{period}");
            let x: Vec<C32> = x.iter().map(|x| C32::new(*x, -x)).collect();
            let y: Vec<C32> = harness::run(make::<C32>(), &x);
            let y: Vec<f32> = y.iter().map(|y| y.re).collect();
            assert!(has_bits(&y, &sent, 600), "{period}, complex");
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x = pulses(&bits(500), 4.02, 0.3);
        harness::assert_cut_invariant(make::<f32>, &x);
        let x: Vec<C32> = x.iter().map(|x| C32::new(*x, -x)).collect();
        harness::assert_cut_invariant(make::<C32>, &x);
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for [period, mu, limit] in [[1.0, 0.5, 0.1], [4.0, 1.5, 0.1], [4.0, 0.5, 2.0], [f64::NAN, 0.5, 0.1]] {
            assert!(ClockRecoveryMm::<f32>::new(period, 0.1, mu, 0.1, limit).is_err());
        }
    }
}
