//! Phase-locked loops: what the three blocks share.
//!
//! The angles of samples and the turns of phases are taken by kernels, a chunk at a time; only phase and frequency wait for each
//! other, in double precision. What an error would be without the one before it is there early, and within half a turn: from error to
//! error there are then a product with the gain, the difference to that, and the choice whether a turn is to be taken off or added.
//! Where the gain is great, it is the rounding to whole turns. That is what bounds it.

use std::f64::consts::{PI, TAU};
use std::hint::select_unpredictable;

use superhet_kernels::{self as kernels, Machine, Routine, run_routine};
use superhet_runtime::catalog::{ANY_FLOAT, Kind, Param, optional};
use superhet_runtime::{BlockError, C32, Value, parameter::no_parameter};

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
/// **Accuracy**: the angle of a sample is within 4e-7 rad, the reference within 4e-7; all else is in double precision.
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
    /// The phase is what it would be without the last error, and `α + β` times that.
    ahead: f64,
    error: f64,
    freq: f64,
}

/// Samples of a chunk.
const CHUNK: usize = 256;

/// As far the phase may be from 0 before whole turns are taken off: few enough for its digits, and so many that it is rarely done.
const FARTHEST: f64 = 64.0 * TAU;

fn within_half_a_turn(phase: f64) -> f64 {
    phase - TAU * (phase / TAU).round()
}

/// What can be changed while a loop runs.
pub(super) const PARAMETERS: &[&str] = &[
    "loop_bandwidth_rad",
    "damping",
    "alpha",
    "beta",
    "max_frequency_rad",
    "min_frequency_rad",
    "frequency_rad",
    "phase_rad",
];

/// What these were called before.
pub(super) const FORMERLY: &[(&str, &str)] =
    &[("max_freq_rad", "max_frequency_rad"), ("min_freq_rad", "min_frequency_rad")];

impl Pll {
    /// A loop at rest, with critical damping `1 / √2`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a bandwidth that is negative, or limits that are not finite and in order.
    pub fn new(
        loop_bandwidth_rad: f64,
        max_frequency_rad: f64,
        min_frequency_rad: f64,
    ) -> Result<Self, Error> {
        check(max_frequency_rad.is_finite(), "max_frequency_rad", "a finite number", max_frequency_rad)?;
        let fits = min_frequency_rad.is_finite() && min_frequency_rad <= max_frequency_rad;
        check(fits, "min_frequency_rad", "a finite number, at most max_frequency_rad", min_frequency_rad)?;
        let mut pll = Pll {
            bandwidth: 0.0,
            damping: std::f64::consts::FRAC_1_SQRT_2,
            alpha: 0.0,
            beta: 0.0,
            max_freq: max_frequency_rad,
            min_freq: min_frequency_rad,
            ahead: 0.0,
            error: 0.0,
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

    /// Follows samples; `give` makes outputs of them, and of phase and frequency before each.
    pub(super) fn follow_all<Y>(
        &mut self,
        x: &[C32],
        y: &mut [Y],
        give: impl Fn(&mut [Y], &[C32], &[f32], &[f32]),
    ) {
        let (mut phases, mut frequencies) = ([0.0; CHUNK], [0.0; CHUNK]);
        for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
            let (phases, frequencies) = (&mut phases[..x.len()], &mut frequencies[..x.len()]);
            self.follow(x, phases, frequencies);
            give(y, x, phases, frequencies);
        }
    }

    /// Follows at most [`CHUNK`] samples, and writes phase and frequency before each. A sample that is not finite changes nothing
    /// but the phase, by the frequency.
    fn follow(&mut self, x: &[C32], phases: &mut [f32], frequencies: &mut [f32]) {
        let mut angles = [0.0; CHUNK];
        let angles = &mut angles[..x.len()];
        kernels::complex_to_arg(angles, x);
        if !x.iter().fold(true, |all, x| all & x.is_finite()) {
            let bad = angles.iter_mut().zip(x).filter(|(_, x)| !x.is_finite());
            bad.for_each(|(angle, _)| *angle = f32::NAN);
        }
        run_routine(Follow { pll: self, angles, phases, frequencies });
    }

    fn phase(&self) -> f64 {
        self.ahead + (self.alpha + self.beta) * self.error
    }

    /// Phase and frequency behind these and an error that takes them beyond what they may be, or is no number.
    #[cold]
    #[inline(never)]
    fn held(&self, phase: f64, freq: f64, error: f64) -> (f64, f64) {
        let error = if error.is_finite() { error } else { 0.0 };
        let next = (phase + freq) + (self.alpha + self.beta) * error;
        let freq = (freq + self.beta * error).clamp(self.min_freq, self.max_freq);
        (within_half_a_turn(next), freq)
    }

    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        // Other gains leave the phase as it is.
        (self.ahead, self.error) = (self.phase(), 0.0);
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
            "max_frequency_rad" => {
                let limit = number("max_frequency_rad")?;
                check(limit >= self.min_freq, "max_frequency_rad", "at least min_frequency_rad", limit)?;
                self.max_freq = limit;
            }
            "min_frequency_rad" => {
                let limit = number("min_frequency_rad")?;
                check(limit <= self.max_freq, "min_frequency_rad", "at most max_frequency_rad", limit)?;
                self.min_freq = limit;
            }
            "frequency_rad" => self.freq = number("frequency_rad")?.clamp(self.min_freq, self.max_freq),
            "phase_rad" => self.ahead = number("phase_rad")?.rem_euclid(std::f64::consts::TAU),
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
            "max_frequency_rad" => self.max_freq,
            "min_frequency_rad" => self.min_freq,
            "frequency_rad" => self.freq,
            "phase_rad" => within_half_a_turn(self.phase()),
            _ => return None,
        }))
    }
}

/// The loop over angles: phases and frequencies before each.
struct Follow<'a> {
    pll: &'a mut Pll,
    angles: &'a [f32],
    phases: &'a mut [f32],
    frequencies: &'a mut [f32],
}

impl Routine for Follow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        /// Up to which gain an error moves the next by less than a turn.
        const QUICK: f64 = 2.0;
        if (self.pll.alpha + self.pll.beta).abs() <= QUICK {
            self.follow::<M, true>()
        } else {
            self.follow::<M, false>()
        }
    }
}

impl Follow<'_> {
    #[inline(always)]
    fn follow<M: Machine, const QUICK: bool>(self) {
        // What is added to a number and taken away again leaves it rounded to a whole one.
        const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
        let whole = |phase: f64| (M::multiply_add_f64(phase, 1.0 / TAU, WHOLE) - WHOLE) * TAU;
        let Follow { pll, angles, phases, frequencies } = self;
        let (mut ahead, mut error, mut freq) = (pll.ahead, pll.error, pll.freq);
        let (beta, both, least, most) = (pll.beta, pll.alpha + pll.beta, pll.min_freq, pll.max_freq);
        for ((angle, now), frequency) in angles.iter().zip(phases).zip(frequencies) {
            let angle = f64::from(*angle);
            let phase = M::multiply_add_f64(both, error, ahead);
            // Within ±π, as a reference takes it.
            (*now, *frequency) = ((phase - whole(phase)) as f32, freq as f32);
            let next_error = if QUICK {
                let off = angle - ahead;
                let off = off - whole(off);
                let less = M::multiply_add_f64(-both, error, off - TAU);
                let same = M::multiply_add_f64(-both, error, off);
                let more = M::multiply_add_f64(-both, error, off + TAU);
                select_unpredictable(same > PI, less, select_unpredictable(same < -PI, more, same))
            } else {
                let off = angle - phase;
                off - whole(off)
            };
            let (next_ahead, wanted) = (phase + freq, M::multiply_add_f64(beta, next_error, freq));
            let next = M::multiply_add_f64(both, next_error, next_ahead);
            if next.abs() <= FARTHEST && wanted >= least && wanted <= most {
                (ahead, error, freq) = (next_ahead, next_error, wanted);
            } else {
                (ahead, freq) = pll.held(phase, freq, next_error);
                error = 0.0;
            }
        }
        (pll.ahead, pll.error, pll.freq) = (ahead, error, freq);
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
    optional(
        "max_frequency_rad",
        ANY_FLOAT,
        "radians/sample",
        "1.0",
        "The highest frequency that it follows.",
    )
    .formerly(&["max_freq_rad"]),
    optional(
        "min_frequency_rad",
        ANY_FLOAT,
        "radians/sample",
        "-1.0",
        "The lowest frequency that it follows.",
    )
    .formerly(&["min_freq_rad"]),
];

/// A block that writes `$y` of samples, and of the phases and frequencies before the loop has followed each.
macro_rules! pll_block {
    ($(#[$doc:meta])* $name:ident, $entry:literal, $summary:literal, $output:ty, $item:literal, $what:literal, |$y:ident, $x:ident, $phases:ident, $frequencies:ident| $out:expr) => {
        use superhet_runtime::catalog::{Entry, input, output, set_port};
        use superhet_runtime::{AnyBlock, BlockError, C32, SyncBlock, Value};

        use super::pll::{FORMERLY, PARAMETERS, PARAMS, Pll};
        use crate::error::Error;

        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Pll);

        impl $name {
            /// A loop of this bandwidth and these limits of the frequency, all in radians per sample.
            ///
            /// # Errors
            /// [`Error::OutOfRange`] for a bandwidth that is negative, or limits that are not finite and in order.
            pub fn new(loop_bandwidth_rad: f64, max_frequency_rad: f64, min_frequency_rad: f64) -> Result<Self, Error> {
                Pll::new(loop_bandwidth_rad, max_frequency_rad, min_frequency_rad).map(Self)
            }
        }

        impl SyncBlock for $name {
            type In = C32;
            type Out = $output;
            const PARAMETERS: &'static [&'static str] = PARAMETERS;
            const FORMERLY: &'static [(&'static str, &'static str)] = FORMERLY;

            fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
                self.0.set(name, value)
            }
            fn parameter(&self, name: &str) -> Option<Value> {
                self.0.get(name)
            }
            fn process(&mut self, x: &[C32], y: &mut [$output]) {
                self.0.follow_all(x, y, |$y, $x, $phases, $frequencies| $out);
            }
        }

        superhet_runtime::catalogued! {
            /// How files and the command line find the block.
            const ENTRY: Entry = Entry {
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
                        ["loop_bandwidth_rad", "max_frequency_rad", "min_frequency_rad"].map(|name| params.float(name));
                    Ok(AnyBlock::new($name::new(bandwidth, max, min)?))
                },
            };
        }

        #[cfg(test)]
        #[test]
        fn the_output_does_not_depend_on_where_the_input_is_cut() {
            let make = || $name::new(0.1, 0.5, -0.5).unwrap();
            let mut noise = crate::testing::complex_noise(1500);
            superhet_runtime::harness::assert_cut_invariant(make, &noise);
            (noise[100], noise[200].im) = (C32::new(f32::NAN, 1.0), f32::INFINITY);
            superhet_runtime::harness::assert_cut_invariant(make, &noise);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    #[test]
    fn phase_and_frequency_are_those_of_the_equations() {
        for (bandwidth, limit, shift) in
            [(0.06, 1.0, 0.3f32), (0.3, 0.2, 0.5), (0.0, 1.0, 0.1), (2.0, 3.0, -1.0)]
        {
            let noise = complex_noise(3000);
            let carrier = |n: usize| C32::from_polar(1.0, shift * n as f32) + noise[n] * 0.3;
            let mut x: Vec<C32> = (0..3000).map(carrier).collect();
            x[50] = C32::new(f32::NAN, 0.0);
            let mut pll = Pll::new(bandwidth, limit, -limit).unwrap();
            pll.set("frequency_rad", &(limit / 2.0).into()).unwrap();
            let (alpha, beta) = (pll.alpha, pll.beta);
            let (mut phase, mut freq) = (0.0, limit / 2.0);
            let mut y = vec![(0f32, 0f32); x.len()];
            pll.follow_all(&x, &mut y, |y, _, phases, frequencies| {
                y.iter_mut().zip(phases.iter().zip(frequencies)).for_each(|(y, (a, b))| *y = (*a, *b));
            });
            for (n, (x, y)) in x.iter().zip(y).enumerate() {
                let off = f64::from(y.0) - phase;
                let off = off - TAU * (off / TAU).round();
                let near = off.abs() < 2e-5 && (f64::from(y.1) - freq).abs() < 2e-5;
                // A loop that slips may slip at another sample.
                assert!(near || bandwidth > 1.0, "{bandwidth}, {n}: {y:?}, wanted {phase}, {freq}");
                let error = f64::from(x.im).atan2(f64::from(x.re)) - phase;
                let error = error - TAU * (error / TAU).round();
                let error = if error.is_finite() { error } else { 0.0 };
                freq += beta * error;
                phase += freq + alpha * error;
                freq = freq.clamp(-limit, limit);
            }
            assert!((0.0..=limit).contains(&pll.freq.abs()) && pll.get("phase_rad").is_some());
        }
    }
}
