//! Carrier recovery of PSK signals.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required, set_port};
use superhet_runtime::{AnyBlock, BlockError, C32, Tag, Value, no_parameter};

use crate::digital::sync::tracker::{Loop, Spans, Tracked, Tracker};
use crate::error::{Error, check};
use crate::item::float_of;

/// Turns a PSK signal so that its points lie where they belong: a loop that follows phase and frequency of the carrier.
///
/// `y[n] = x[n] · exp(−j φ[n])`, and the error of `y` moves the loop ([`Loop`]), cut to ±1:
///
/// | order | for | error, with `K = √2 − 1` |
/// |---|---|---|
/// | 2 | BPSK | `re · im` |
/// | 4 | QPSK with points on the diagonals | `sgn(re) · im − sgn(im) · re` |
/// | 8 | 8PSK, points at odd multiples of π/8 | `sgn(re) · im − sgn(im) · re · K` where `|re| ≥ |im|`, else `sgn(re) · im · K − sgn(im) · re` |
///
/// With `use_snr` each sign is `tanh(|y|² / noise · part)`, which trusts weak samples less.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | full scale = 1.0, one sample a symbol |
/// | out `out` | `C32` | that of `in` |
/// | out `freq` | `f32` | radians per sample; may stay unconnected, as the next two |
/// | out `phase` | `f32` | radians |
/// | out `error` | `f32` | as above |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `bandwidth_rad` | radians per sample | 0 to 7; can be changed while the block runs |
/// | `noise` | power | > 0; likewise |
/// | `freq_rad`, `phase_rad` | radians | where the loop is; can be read and changed |
///
/// A tag `phase_est` sets the phase to its number.
///
/// # Source
/// J. Costas, Synchronous Communications, Proc. IRE 44, 1956; M. Rice, Digital Communications, 2009, section 7.
///
/// ```
/// use superhet_blocks::digital::CostasLoop;
/// use superhet_runtime::{C32, harness};
///
/// let bpsk: Vec<C32> = (0..500).map(|n| C32::from_polar(1.0, 0.5 + 0.01 * n as f32)).collect();
/// let y: Vec<C32> = harness::run(CostasLoop::new(0.06, 2, false)?, &bpsk);
/// assert!(y[400..].iter().all(|y| y.im.abs() < 0.01));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CostasLoop {
    loop_: Loop,
    order: Order,
    use_snr: bool,
    noise: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Two,
    Four,
    Eight,
}

impl CostasLoop {
    /// A loop for a signal whose power of `order` is constant. Give it to [`Graph::add`](superhet_runtime::Graph::add).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the order is 2, 4 or 8 and the bandwidth is 0 to 7 radians per sample.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(bandwidth_rad: f64, order: u32, use_snr: bool) -> Result<Tracked<Self>, Error> {
        let order = match order {
            2 => Order::Two,
            4 => Order::Four,
            8 => Order::Eight,
            other => return check(false, "order", "2, 4 or 8", other).map(|()| unreachable!()),
        };
        let loop_ = Loop::new(bandwidth_rad, [-1.0, 1.0])?;
        Ok(CostasLoop { loop_, order, use_snr, noise: 1.0 }.block())
    }

    /// The error of a sample, with what stands for the sign of a part.
    #[inline(always)]
    fn error(order: Order, y: C32, sign: impl Fn(f32) -> f32) -> f32 {
        const K: f32 = std::f32::consts::SQRT_2 - 1.0;
        let (a, b) = (sign(y.re) * y.im, sign(y.im) * y.re);
        match order {
            Order::Two => y.re * y.im,
            Order::Four => a - b,
            Order::Eight if y.re.abs() >= y.im.abs() => a - b * K,
            Order::Eight => a * K - b,
        }
    }
}

impl Tracker for CostasLoop {
    type In = C32;
    type Out = C32;
    const MONITORS: &'static [&'static str] = &["freq", "phase", "error"];
    const PARAMETERS: &'static [&'static str] = &["bandwidth_rad", "noise", "freq_rad", "phase_rad"];

    fn follow(&mut self, mut spans: Spans<'_, C32, C32>) -> (usize, usize) {
        let n = spans.stop.min(spans.y.len());
        let mut state = self.loop_;
        for place in 0..n {
            let y = spans.x[place] * C32::from_polar(1.0, -state.phase);
            spans.y[place] = y;
            let error = if self.use_snr {
                let snr = y.norm_sqr() / self.noise;
                match self.order {
                    Order::Two => (snr * y.re).tanh() * y.im,
                    order => CostasLoop::error(order, y, |part| (snr * part).tanh()),
                }
            } else {
                CostasLoop::error(self.order, y, |part| if part > 0.0 { 1.0 } else { -1.0 })
            };
            // Of a sample that is not a number the loop learns nothing.
            let error = if error.is_nan() { 0.0 } else { error.clamp(-1.0, 1.0) };
            state.advance(error);
            spans.write(place, [state.frequency, state.phase, error]);
        }
        self.loop_ = state;
        (n, n)
    }

    fn tag(&mut self, tag: &Tag) {
        if let ("phase_est", Some(phase)) = (&*tag.key, tag.value.as_f64().filter(|phase| phase.is_finite()))
        {
            self.loop_.phase = (phase % std::f64::consts::TAU) as f32;
        }
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "bandwidth_rad" => self.loop_ = self.loop_.with_bandwidth(float_of("bandwidth_rad", value)?)?,
            "noise" => {
                let noise = float_of("noise", value)?;
                crate::error::check_positive("noise", noise)?;
                self.noise = noise as f32;
            }
            _ => return set_loop(&mut self.loop_, name, value, Self::PARAMETERS),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "noise" => Some(self.noise.into()),
            _ => loop_parameter(&self.loop_, name),
        }
    }
}

/// Sets one of the parameters that all loops have: where they are, and how fast.
pub(super) fn set_loop(
    state: &mut Loop,
    name: &str,
    value: &Value,
    known: &'static [&'static str],
) -> Result<(), BlockError> {
    let finite = |parameter| {
        let number = float_of(parameter, value)?;
        check(number.is_finite(), parameter, "a finite number", number).map(|()| number)
    };
    match name {
        "bandwidth_rad" => *state = state.with_bandwidth(float_of("bandwidth_rad", value)?)?,
        "freq_rad" => state.set_frequency(finite("freq_rad")? as f32),
        "phase_rad" => state.phase = (finite("phase_rad")? % std::f64::consts::TAU) as f32,
        _ => return Err(no_parameter(name, known)),
    }
    Ok(())
}

/// Reads one of the parameters that all loops have.
pub(super) fn loop_parameter(state: &Loop, name: &str) -> Option<Value> {
    match name {
        "bandwidth_rad" => Some(state.bandwidth().into()),
        "freq_rad" => Some(state.frequency.into()),
        "phase_rad" => Some(state.phase.into()),
        _ => None,
    }
}

/// The range of a loop's bandwidth.
pub(super) const BANDWIDTH: Kind = Kind::Float(0.0, 7.0);

/// How files and the command line find [`CostasLoop`].
pub const ENTRY: Entry = Entry {
    name: "costas_loop",
    category: "digital",
    summary: "Turns a PSK signal so that its points lie where they belong.",
    params: &[
        required("bandwidth_rad", BANDWIDTH, "radians per sample", "How fast the loop is, about 2π / 100."),
        optional("order", Kind::Integer(2, 8), "", "4", "2 for BPSK, 4 for QPSK, 8 for 8PSK."),
        optional("use_snr", Kind::Bool, "", "false", "Whether weak samples count less."),
    ],
    ports: &[
        input("in", "C32", "samples, one a symbol"),
        set_port("new values of bandwidth_rad, noise, freq_rad and phase_rad"),
        output("out", "C32", "the samples, turned"),
        output("freq", "f32", "the loop's frequency in radians per sample"),
        output("phase", "f32", "the loop's phase in radians"),
        output("error", "f32", "the error of the phase"),
    ],
    make: |params| {
        let (bandwidth, order) = (params.float("bandwidth_rad"), params.count("order") as u32);
        Ok(AnyBlock::new(CostasLoop::new(bandwidth, order, params.flag("use_snr"))?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::Constellation;
    use crate::testing::{cuts, noise, run_tagged};
    use superhet_runtime::harness;

    /// Symbols of a constellation whose power of 8 or less is constant, turned by a carrier.
    fn turned(name: &str, n: usize, phase: f32, frequency: f32) -> (Vec<C32>, Constellation) {
        let constellation = Constellation::named(name).unwrap();
        let points = constellation.points();
        let symbol = |x: f32| points[((x + 1.0) / 2.0 * points.len() as f32) as usize % points.len()];
        let turn = |(n, x): (usize, &f32)| {
            symbol(*x) / symbol(*x).norm() * C32::from_polar(1.0, phase + frequency * n as f32)
        };
        (noise(n).iter().enumerate().map(turn).collect(), constellation)
    }

    #[test]
    fn the_loop_locks_on_a_carrier_that_is_off() {
        for (name, order, use_snr) in
            [("bpsk", 2, false), ("qpsk", 4, false), ("8psk", 8, false), ("bpsk", 2, true), ("qpsk", 4, true)]
        {
            let (x, constellation) = turned(name, 2000, 0.1, 0.02);
            let y: Vec<C32> = harness::run(CostasLoop::new(0.0628, order, use_snr).unwrap(), &x);
            for y in &y[1000..] {
                let point = constellation.points()[constellation.decide(&[*y])];
                assert!((y - point / point.norm()).norm() < 0.05, "{name} {use_snr}: {y}");
            }
        }
    }

    #[test]
    fn the_first_steps_are_those_of_gnu_radio() {
        let x = [C32::new(0.46656, 0.88449), C32::new(-0.46656, -0.88449), C32::new(-0.88449, 0.46656)];
        for (order, wanted) in
            [(2, [-0.52986, -0.79975]), (4, [-0.53065, -0.81301]), (8, [-0.4508, -0.89963])]
        {
            let y: Vec<C32> = harness::run(CostasLoop::new(0.0628, order, false).unwrap(), &x);
            assert!(
                (y[1].re - wanted[0]).abs() < 2e-5 && (y[2].re - wanted[1]).abs() < 2e-5,
                "{order}: {y:?}"
            );
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (x, _) = turned("qpsk", 1000, 0.3, -0.01);
        harness::assert_cut_invariant(|| CostasLoop::new(0.05, 4, true).unwrap(), &x);
    }

    #[test]
    fn a_tag_sets_the_phase_and_all_tags_pass() {
        for options in cuts() {
            let tags =
                vec![(3, "phase_est", Value::from(0.5)), (5, "other", Value::Null), (9, "late", Value::Null)];
            let still = CostasLoop::new(0.0, 2, false).unwrap();
            let (y, tags) = run_tagged::<C32, C32, _, _>(still, vec![C32::ONE; 8], tags, &options);
            assert!(y[..3].iter().all(|y| *y == C32::ONE));
            assert!(y[3..].iter().all(|y| (y - C32::from_polar(1.0, -0.5)).norm() < 1e-6), "{y:?}");
            assert_eq!(tags.iter().map(|(index, ..)| *index).collect::<Vec<_>>(), [3, 5, 9]);
        }
    }

    #[test]
    fn samples_that_are_not_numbers_do_not_stop_the_loop() {
        let (mut x, _) = turned("bpsk", 2000, 0.3, 0.0);
        x[10] = C32::new(f32::NAN, f32::INFINITY);
        let y: Vec<C32> = harness::run(CostasLoop::new(0.06, 2, false).unwrap(), &x);
        assert!(y[1500..].iter().all(|y| y.im.abs() < 0.05));
    }

    #[test]
    fn another_order_is_refused() {
        let error = CostasLoop::new(0.1, 3, false).err().unwrap().to_string();
        assert_eq!(error, "order = 3: expected 2, 4 or 8");
    }
}
