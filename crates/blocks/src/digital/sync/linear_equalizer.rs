//! Equalisation by an adaptive filter.

use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, C64, Tag, Value, declare, parameter::no_parameter};

use crate::digital::constellations::constellation::Constellation;
use crate::digital::sync::tracker::{Spans, Tracker};
use crate::error::{Error, check};
use crate::item::{complexes_of, float_of, from_numbers};

/// How the taps `w` follow, with the step `μ`, the symbol `y = Σ w[k] · x[n − k]` and the decision `d` about it.
///
/// # Source
/// S. Haykin, Adaptive Filter Theory, chapters 5 to 7; for the constant modulus D. Godard, IEEE Trans. Comm. 28, 1980.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adaptation {
    /// Least mean squares: `w += μ (d − y) x*`.
    Lms,
    /// The same, with the step divided by the power in the filter.
    Nlms,
    /// Constant modulus: `w −= μ y (|y|² − modulus) x*`.
    Cma {
        /// The power that symbols should have.
        modulus: f32,
    },
}

/// Filters a signal by taps that adapt so that it comes to the points of a constellation; gives one sample for each symbol.
///
/// The first tap is 1 at first, the others 0. Where a tag `training_tag` lies, the symbols of `training` are sent from that item on:
/// they are then what decisions should be.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | that of the constellation, `samples_per_symbol` for each symbol |
/// | out `out` | `C32` | symbols |
/// | out `error` | `f32` | the power of the error; may stay unconnected |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | range |
/// |---|---|
/// | `taps` | 1 to 4096 |
/// | `samples_per_symbol` | 1 to 4096 |
/// | `step` | 0 to 1; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::digital::{Adaptation, Constellation, LinearEqualizer, Tracker};
/// use superhet_runtime::{C32, harness};
///
/// let bpsk = Constellation::named("bpsk").unwrap();
/// let equalizer = LinearEqualizer::new(4, 1, bpsk, Adaptation::Lms, 0.1)?.block();
/// let y: Vec<C32> = harness::run(equalizer, &[C32::new(0.5, 0.0); 200]);
/// assert!((y[190] - C32::ONE).norm() < 0.01);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearEqualizer {
    /// The taps, the last first, as the samples lie.
    taps: Vec<C32>,
    samples_per_symbol: usize,
    constellation: Constellation,
    adaptation: Adaptation,
    step: f32,
    training: Vec<C32>,
    training_tag: Option<Arc<str>>,
    goes_on: bool,
    /// How many symbols of the training are still to come.
    to_train: usize,
    was_trained: bool,
    /// The last samples, twice as many as there are taps; those before `end` count.
    past: Vec<C32>,
    end: usize,
    /// Samples to be taken before the next symbol.
    left: usize,
}

impl LinearEqualizer {
    /// An equalizer that learns from its decisions; [`block`](Tracker::block) makes a block of it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is, or the constellation has several dimensions.
    pub fn new(
        taps: usize,
        samples_per_symbol: usize,
        constellation: Constellation,
        adaptation: Adaptation,
        step: f64,
    ) -> Result<Self, Error> {
        check((1..=4096).contains(&taps), "taps", "a whole number from 1 to 4096", taps as f64)?;
        let period = samples_per_symbol;
        check(
            (1..=4096).contains(&period),
            "samples_per_symbol",
            "a whole number from 1 to 4096",
            period as f64,
        )?;
        check(
            constellation.dimension() == 1,
            "constellation",
            "one dimension",
            constellation.dimension() as f64,
        )?;
        check_step(step)?;
        let mut first = vec![C32::ZERO; taps];
        first[taps - 1] = C32::ONE;
        Ok(LinearEqualizer {
            taps: first,
            samples_per_symbol,
            constellation,
            adaptation,
            step: step as f32,
            training: Vec::new(),
            training_tag: None,
            goes_on: true,
            to_train: 0,
            was_trained: false,
            past: vec![C32::ZERO; 2 * taps],
            end: taps,
            left: 0,
        })
    }

    /// Learns from known symbols where a tag has this key; after these from decisions, or, not `goes_on`, no more.
    #[must_use]
    pub fn trained(mut self, symbols: Vec<C32>, tag: impl Into<Arc<str>>, goes_on: bool) -> Self {
        (self.training, self.training_tag, self.goes_on) = (symbols, Some(tag.into()), goes_on);
        self
    }

    /// Takes a sample; the symbol, where it is time for one, and the power of the error.
    fn take(&mut self, sample: C32) -> Option<(C32, f32)> {
        let n = self.taps.len();
        if self.end == self.past.len() {
            self.past.copy_within(n.., 0);
            self.end = n;
        }
        // A sample that is not a number would stay in the filter.
        self.past[self.end] = if sample.norm_sqr().is_finite() { sample } else { C32::ZERO };
        self.end += 1;
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        self.left = self.samples_per_symbol - 1;
        let past = &self.past[self.end - n..self.end];
        let y: C32 = self.taps.iter().zip(past).map(|(tap, x)| tap * x).sum();
        let is_known = self.to_train > 0;
        let wanted = match self.to_train {
            0 => self.constellation.points()[self.constellation.decide(&[y])],
            left => self.training[self.training.len() - left],
        };
        self.to_train -= usize::from(is_known);
        let error = match self.adaptation {
            Adaptation::Cma { modulus } if !is_known => y * (modulus - y.norm_sqr()),
            _ => wanted - y,
        };
        if is_known || self.goes_on || !self.was_trained {
            let step = match self.adaptation {
                Adaptation::Nlms => self.step / past.iter().map(C32::norm_sqr).sum::<f32>().max(1e-9),
                _ => self.step,
            };
            let change = error * step;
            if change.norm_sqr().is_finite() {
                self.taps.iter_mut().zip(past).for_each(|(tap, x)| *tap += change * x.conj());
            }
        }
        Some((y, error.norm_sqr()))
    }
}

fn check_step(step: f64) -> Result<(), Error> {
    check((0.0..=1.0).contains(&step), "step", "a number from 0 to 1", step)
}

impl Tracker for LinearEqualizer {
    type In = C32;
    type Out = C32;
    const MONITORS: &'static [&'static str] = &["error"];
    const PARAMETERS: &'static [&'static str] = &["step", "weights"];

    fn rate(&self) -> f64 {
        1.0 / self.samples_per_symbol as f64
    }

    fn follow(&mut self, mut spans: Spans<'_, C32, C32>) -> (usize, usize) {
        let (mut taken, mut given) = (0, 0);
        while taken < spans.stop && given < spans.y.len() {
            if let Some((y, error)) = self.take(spans.x[taken]) {
                spans.y[given] = y;
                spans.write(given, [error]);
                given += 1;
            }
            taken += 1;
        }
        (taken, given)
    }

    fn tag(&mut self, tag: &Tag) {
        if self.training_tag.as_ref() == Some(&tag.key) {
            (self.to_train, self.left, self.was_trained) = (self.training.len(), 0, true);
        }
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "step" => {
                let step = float_of("step", value)?;
                check_step(step)?;
                self.step = step as f32;
            }
            "weights" => {
                let weights = complexes_of("weights", value)?;
                let weights: Vec<C32> = weights.iter().map(|w| C32::new(w.re as f32, w.im as f32)).collect();
                if weights.len() != self.taps.len() {
                    return Err(
                        format!("weights: expected {} taps, got {}", self.taps.len(), weights.len()).into()
                    );
                }
                self.taps = weights;
            }
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "step" => Some(self.step.into()),
            "weights" => Some(self.taps.clone().into()),
            _ => None,
        }
    }
}

#[declare(
    category = "digital",
    summary = "Filters a signal by taps that adapt so that it comes to the points of a constellation.",
    ports(
        input("in", "C32", "samples"),
        set_port("new values of step and weights"),
        output("out", "C32", "symbols: ⌈n / samples_per_symbol⌉ items for n"),
        output("error", "f32", "the power of the error")
    )
)]
fn linear_equalizer(
    #[param(group)] constellation: Constellation,
    /// How many taps the filter has.
    #[param(range = 1..=4096, default = 16)]
    taps: usize,
    /// One of so many samples is a symbol.
    #[param(unit = "samples", range = 1..=4096, default = 1)]
    samples_per_symbol: usize,
    /// How the taps follow.
    #[param(kind = Kind::Choice(&["lms", "nlms", "cma"]), default = "lms")]
    algorithm: &str,
    /// How fast the taps follow.
    #[param(range = 0.0..=1.0, default = 0.01)]
    step: f64,
    /// For cma: the power that symbols should have.
    #[param(unit = "power", range = 0.0..=1e6, default = 1.0)]
    modulus: f32,
    /// Symbols that are known, where a tag says that they come.
    #[param(json = "[]")]
    training: Vec<C64>,
    /// The key of that tag; none if empty.
    #[param(default = "")]
    training_tag: &str,
    /// Whether the taps follow decisions after known symbols.
    #[param(default = true)]
    adapt_after_training: bool,
) -> Result<AnyBlock, BlockError> {
    let adaptation = match algorithm {
        "nlms" => Adaptation::Nlms,
        "cma" => Adaptation::Cma { modulus },
        _ => Adaptation::Lms,
    };
    let equalizer = LinearEqualizer::new(taps, samples_per_symbol, constellation, adaptation, step)?;
    let training = from_numbers("training", &training)?;
    Ok(AnyBlock::new(match training_tag {
        "" => equalizer.block(),
        key => equalizer.trained(training, key, adapt_after_training).block(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, run_tagged};
    use superhet_runtime::harness;

    fn qpsk() -> Constellation {
        Constellation::named("qpsk").unwrap().normalized(crate::digital::Normalization::Power)
    }

    /// Symbols, and what a channel with an echo makes of them.
    fn channel(n: usize) -> (Vec<C32>, Vec<C32>) {
        let sent: Vec<C32> =
            complex_noise(n).iter().map(|x| C32::new(x.re.signum(), x.im.signum()) * 0.5f32.sqrt()).collect();
        let echo = |n: usize| if n > 0 { sent[n - 1] * C32::new(0.3, 0.2) } else { C32::ZERO };
        let x = (0..n).map(|n| sent[n] + echo(n)).collect();
        (sent, x)
    }

    #[test]
    fn its_taps_can_be_read_and_set() {
        let mut one = LinearEqualizer::new(2, 1, qpsk(), Adaptation::Lms, 0.1).unwrap();
        assert_eq!(one.parameter("weights"), Some(vec![C32::ZERO, C32::ONE].into()));
        let weights = vec![C32::new(0.5, 0.0), C32::new(0.0, -1.0)];
        one.set_parameter("weights", &weights.clone().into()).unwrap();
        assert_eq!(one.parameter("weights"), Some(weights.into()));
        let error = one.set_parameter("weights", &vec![C32::ONE].into()).unwrap_err().to_string();
        assert_eq!(error, "weights: expected 2 taps, got 1");
    }

    #[test]
    fn an_echo_is_taken_out() {
        let (sent, x) = channel(4000);
        for (adaptation, step) in
            [(Adaptation::Lms, 0.02), (Adaptation::Nlms, 0.2), (Adaptation::Cma { modulus: 1.0 }, 0.01)]
        {
            let make = || LinearEqualizer::new(8, 1, qpsk(), adaptation, step).unwrap().block();
            let y: Vec<C32> = harness::run(make(), &x);
            let errors = y[3000..].iter().zip(&sent[3000..]).map(|(y, sent)| (y - sent).norm_sqr());
            let error = errors.sum::<f32>() / 1000.0;
            assert!(error < 0.005, "{adaptation:?}: {error}");
            harness::assert_cut_invariant(make, &x[..1000]);
        }
    }

    #[test]
    fn known_symbols_teach_and_then_the_taps_stay() {
        let (sent, x) = channel(2000);
        // Turned by a quarter: decisions alone would never find out.
        let x: Vec<C32> = x.iter().map(|x| x * C32::I).collect();
        for options in cuts() {
            let equalizer = LinearEqualizer::new(8, 1, qpsk(), Adaptation::Lms, 0.05).unwrap();
            let equalizer = equalizer.trained(sent[100..600].to_vec(), "train", false);
            let tags = vec![(100, "train", Value::Null)];
            let (y, _) = run_tagged::<C32, C32, _, _>(equalizer.block(), x.clone(), tags, &options);
            assert!(y[700..].iter().zip(&sent[700..]).all(|(y, sent)| (y - sent).norm() < 0.1));
        }
    }

    #[test]
    fn one_of_several_samples_is_a_symbol() {
        let x: Vec<C32> = channel(100).0.iter().flat_map(|x| [*x, C32::ZERO, C32::ZERO]).collect();
        let make = LinearEqualizer::new(1, 3, qpsk(), Adaptation::Lms, 0.0).unwrap().block();
        assert_eq!(harness::run(make, &x).len(), 100);
        assert!(LinearEqualizer::new(0, 1, qpsk(), Adaptation::Lms, 0.1).is_err());
        assert!(LinearEqualizer::new(1, 1, qpsk(), Adaptation::Lms, 1.1).is_err());
    }
}
