//! Phase-locked loops: what the three blocks share.

use superhet_runtime::catalog::{ANY_FLOAT, Kind, Param, optional};
use superhet_runtime::{BlockError, C32, C64, Value, no_parameter};

use crate::error::{Error, check};
use crate::item::float_of;

/// A loop of second order that follows the phase `φ` and the frequency `f` of a carrier:
///
/// ```text
/// e = arg(x[n]) − φ, within ±π
/// f ← f + β · e, then φ ← φ + f + α · e, then f is held within its limits
/// α = 4 d w / (1 + 2 d w + w²), β = 4 w² / (1 + 2 d w + w²), w: loop bandwidth, d: damping
/// ```
///
/// Source: F. M. Gardner, Phaselock Techniques, chapter 4; α and β as in GNU Radio's `control_loop`.
#[derive(Clone, Debug)]
pub struct Pll {
    bandwidth: f64,
    damping: f64,
    alpha: f64,
    beta: f64,
    max_freq: f64,
    min_freq: f64,
    phase: f64,
    freq: f64,
}

/// What can be changed while a loop runs.
pub(super) const PARAMETERS: &[&str] = &[
    "loop_bandwidth_rad",
    "damping",
    "alpha",
    "beta",
    "max_freq_rad",
    "min_freq_rad",
    "frequency_rad",
    "phase_rad",
];

impl Pll {
    /// A loop at rest, with critical damping `1 / √2`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a bandwidth that is negative, or limits that are not finite and in order.
    pub fn new(loop_bandwidth_rad: f64, max_freq_rad: f64, min_freq_rad: f64) -> Result<Self, Error> {
        check(max_freq_rad.is_finite(), "max_freq_rad", "a finite number", max_freq_rad)?;
        let fits = min_freq_rad.is_finite() && min_freq_rad <= max_freq_rad;
        check(fits, "min_freq_rad", "a finite number, at most max_freq_rad", min_freq_rad)?;
        let mut pll = Pll {
            bandwidth: 0.0,
            damping: std::f64::consts::FRAC_1_SQRT_2,
            alpha: 0.0,
            beta: 0.0,
            max_freq: max_freq_rad,
            min_freq: min_freq_rad,
            phase: 0.0,
            freq: 0.0,
        };
        pll.tune(loop_bandwidth_rad, pll.damping)?;
        Ok(pll)
    }

    fn tune(&mut self, bandwidth: f64, damping: f64) -> Result<(), Error> {
        check((0.0..=1e6).contains(&bandwidth), "loop_bandwidth_rad", "from 0 to 10⁶", bandwidth)?;
        check(damping > 0.0 && damping < 1e6, "damping", "more than 0, less than 10⁶", damping)?;
        let scale = 1.0 + 2.0 * damping * bandwidth + bandwidth * bandwidth;
        (self.bandwidth, self.damping) = (bandwidth, damping);
        (self.alpha, self.beta) = (4.0 * damping * bandwidth / scale, 4.0 * bandwidth * bandwidth / scale);
        Ok(())
    }

    /// The phase that the next sample is expected to have.
    #[inline(always)]
    pub(super) fn reference(&self) -> C64 {
        C64::cis(self.phase)
    }

    /// The frequency, radians per sample.
    #[inline(always)]
    pub(super) fn frequency(&self) -> f64 {
        self.freq
    }

    /// Follows one sample. One that is not finite changes nothing but the phase, by the frequency.
    #[inline(always)]
    pub(super) fn follow(&mut self, x: C32) {
        use std::f64::consts::TAU;
        let error = f64::from(x.im).atan2(f64::from(x.re)) - self.phase;
        let error = error - TAU * (error / TAU).round();
        let error = if error.is_finite() { error } else { 0.0 };
        self.freq += self.beta * error;
        self.phase += self.freq + self.alpha * error;
        self.phase -= TAU * (self.phase / TAU).round();
        self.freq = self.freq.clamp(self.min_freq, self.max_freq);
    }

    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let number = |name: &'static str| -> Result<f64, Error> {
            let number = float_of(name, value)?;
            check(number.is_finite(), name, "a finite number", number)?;
            Ok(number)
        };
        match name {
            "loop_bandwidth_rad" => self.tune(number("loop_bandwidth_rad")?, self.damping)?,
            "damping" => self.tune(self.bandwidth, number("damping")?)?,
            "alpha" => self.alpha = number("alpha")?,
            "beta" => self.beta = number("beta")?,
            "max_freq_rad" => {
                let limit = number("max_freq_rad")?;
                check(limit >= self.min_freq, "max_freq_rad", "at least min_freq_rad", limit)?;
                self.max_freq = limit;
            }
            "min_freq_rad" => {
                let limit = number("min_freq_rad")?;
                check(limit <= self.max_freq, "min_freq_rad", "at most max_freq_rad", limit)?;
                self.min_freq = limit;
            }
            "frequency_rad" => self.freq = number("frequency_rad")?.clamp(self.min_freq, self.max_freq),
            "phase_rad" => self.phase = number("phase_rad")?.rem_euclid(std::f64::consts::TAU),
            _ => return Err(no_parameter(name, PARAMETERS)),
        }
        Ok(())
    }

    pub(super) fn get(&self, name: &str) -> Option<Value> {
        Some(Value::from(match name {
            "loop_bandwidth_rad" => self.bandwidth,
            "damping" => self.damping,
            "alpha" => self.alpha,
            "beta" => self.beta,
            "max_freq_rad" => self.max_freq,
            "min_freq_rad" => self.min_freq,
            "frequency_rad" => self.freq,
            "phase_rad" => self.phase,
            _ => return None,
        }))
    }
}

/// The parameters of the entries.
pub(super) const PARAMS: &[Param] = &[
    optional(
        "loop_bandwidth_rad",
        Kind::Float(0.0, 1e6),
        "radians/sample",
        "0.0628",
        "How fast the loop follows.",
    ),
    optional("max_freq_rad", ANY_FLOAT, "radians/sample", "1.0", "The highest frequency that it follows."),
    optional("min_freq_rad", ANY_FLOAT, "radians/sample", "-1.0", "The lowest frequency that it follows."),
];

/// A block that gives `$out` of a sample and the loop before it has followed that sample.
macro_rules! pll_block {
    ($(#[$doc:meta])* $name:ident, $entry:literal, $summary:literal, $output:ty, $item:literal, $what:literal, |$x:ident, $pll:ident| $out:expr) => {
        use superhet_runtime::catalog::{Entry, input, output, set_port};
        use superhet_runtime::{AnyBlock, BlockError, C32, SyncBlock, Value};

        use super::pll::{PARAMETERS, PARAMS, Pll};
        use crate::error::Error;

        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Pll);

        impl $name {
            /// A loop of this bandwidth and these limits of the frequency, all in radians per sample.
            ///
            /// # Errors
            /// [`Error::OutOfRange`] for a bandwidth that is negative, or limits that are not finite and in order.
            pub fn new(loop_bandwidth_rad: f64, max_freq_rad: f64, min_freq_rad: f64) -> Result<Self, Error> {
                Pll::new(loop_bandwidth_rad, max_freq_rad, min_freq_rad).map(Self)
            }
        }

        impl SyncBlock for $name {
            type In = C32;
            type Out = $output;
            const PARAMETERS: &'static [&'static str] = PARAMETERS;

            fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
                self.0.set(name, value)
            }
            fn parameter(&self, name: &str) -> Option<Value> {
                self.0.get(name)
            }
            fn process(&mut self, x: &[C32], y: &mut [$output]) {
                for ($x, y) in x.iter().zip(y) {
                    let $pll = &self.0;
                    *y = $out;
                    self.0.follow(*$x);
                }
            }
        }

        /// How files and the command line find the block.
        pub const ENTRY: Entry = Entry {
            name: $entry,
            category: "analog",
            summary: $summary,
            params: PARAMS,
            ports: &[
                input("in", "C32", "a carrier"),
                output("out", $item, $what),
                set_port("new values of all parameters, and of damping, alpha, beta, frequency_rad, phase_rad"),
            ],
            make: |params| {
                let [bandwidth, max, min] =
                    ["loop_bandwidth_rad", "max_freq_rad", "min_freq_rad"].map(|name| params.float(name));
                Ok(AnyBlock::new($name::new(bandwidth, max, min)?))
            },
        };

        #[cfg(test)]
        #[test]
        fn the_output_does_not_depend_on_where_the_input_is_cut() {
            let make = || $name::new(0.1, 0.5, -0.5).unwrap();
            superhet_runtime::harness::assert_cut_invariant(make, &crate::testing::complex_noise(500));
            assert!($name::new(0.1, -0.5, 0.5).is_err());
            let mut pll = make();
            for name in PARAMETERS {
                let value = pll.parameter(name).unwrap();
                pll.set_parameter(name, &value).unwrap();
                assert!(pll.set_parameter(name, &f64::NAN.into()).is_err());
            }
        }
    };
}
pub(super) use pll_block;
