//! Carrier recovery and decisions in one, for any constellation.
//!
//! The angle between a turned sample and its point is that of the sample, taken by a kernel, plus the phase less that of the
//! point, which is in a table. From phase to phase there are then a turn, a product, the comparisons with the points, a look into
//! the table and the loop: some 90 cycles for four points, which is what bounds it.

use superhet_kernels::{self as kernels, Machine, Routine, run_routine};
use superhet_runtime::{AnyBlock, BlockError, C32, Value, declare};

use crate::digital::constellations::constellation::Constellation;
use crate::digital::constellations::constellation_decoder::check_bytes;
use crate::digital::sync::costas_loop::{BANDWIDTH, loop_parameter, set_loop};
use crate::digital::sync::tracker::{Loop, Spans, Tracked, Tracker};
use crate::error::{Error, check};

/// Turns a signal so that its points lie on those of a constellation, and decides which each is: a loop whose error is the
/// angle from the sample to the nearest point.
///
/// `y[n] = x[n] · exp(j φ[n])`, error `−arg(y[n] · conj(p))` with the nearest point `p`, loop as [`Loop`]. Error and turn are
/// right to 1e-6.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | that of the constellation, one sample a symbol |
/// | out `out` | `u8` | the index of the nearest point |
/// | out `error` | `f32` | radians; may stay unconnected, as those behind it |
/// | out `phase` | `f32` | radians |
/// | out `freq` | `f32` | radians per sample |
/// | out `samples` | `C32` | that of the constellation: the turned samples `y` |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `constellation` | | one dimension, at most 256 points; can be changed while the block runs |
/// | `loop_bandwidth_rad` | radians per sample | 0 to 7; likewise |
/// | `min_frequency_rad`, `max_frequency_rad` | radians per sample | where the frequency stays, within ±10⁶; likewise |
/// | `frequency_rad`, `phase_rad` | radians | where the loop is; can be read and changed |
///
/// # Source
/// J. Proakis, Digital Communications, section on decision-directed loops.
///
/// ```
/// use superhet_blocks::digital::{Constellation, ConstellationReceiver};
/// use superhet_runtime::{C32, harness};
///
/// let receiver = ConstellationReceiver::new(Constellation::named("bpsk").unwrap(), 0.06, [-0.25, 0.25])?;
/// let x = vec![C32::from_polar(1.0, 0.3); 100];
/// assert_eq!(harness::run(receiver, &x), vec![1; 100]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConstellationReceiver {
    constellation: Constellation,
    loop_: Loop,
    /// The angle of each point, in radians.
    angles: Vec<f32>,
}

/// Samples whose angles are taken at once.
const CHUNK: usize = 256;

/// The loop over samples, with their angles in radians.
struct Follow<'a, 'b> {
    receiver: &'a mut ConstellationReceiver,
    spans: &'a mut Spans<'b, C32, u8>,
    first: usize,
    angles: &'a [f32],
}

impl Routine for Follow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        const TURN: f32 = std::f32::consts::TAU;
        let Follow { receiver, spans, first, angles } = self;
        let mut state = receiver.loop_;
        let points = receiver.constellation.points();
        let few: Option<&[C32; 4]> = points.try_into().ok();
        for (place, angle) in (first..).zip(angles) {
            let y = spans.x[place] * M::expj(state.phase);
            let symbol = match few {
                Some(points) => nearest(y, points),
                None => nearest(y, points),
            };
            spans.y[place] = symbol as u8;
            let off = (angle + state.phase) - receiver.angles[symbol];
            let error = M::nearest(off * (1.0 / TURN)) * TURN - off;
            state.advance(error);
            // Of a sample that is not a number the loop learns nothing, and says so.
            let error = if angle.is_finite() && y.is_finite() { error } else { f32::NAN };
            spans.write(place, [error, state.phase, state.frequency]);
            spans.show(place, y);
        }
        receiver.loop_ = state;
    }
}

/// The index of the nearest point, the first of several that are.
#[inline(always)]
fn nearest(y: C32, points: &[C32]) -> usize {
    let (mut least, mut nearest) = (f32::INFINITY, 0);
    for (symbol, point) in points.iter().enumerate() {
        let (re, im) = (y.re - point.re, y.im - point.im);
        let distance = re * re + im * im;
        let is_less = distance < least;
        least = if is_less { distance } else { least };
        nearest = if is_less { symbol } else { nearest };
    }
    nearest
}

fn angles(constellation: &Constellation) -> Vec<f32> {
    constellation.points().iter().map(|point| point.arg()).collect()
}

impl ConstellationReceiver {
    /// A receiver whose frequency in radians per sample stays within limits.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the constellation has one dimension and at most 256 points, and the loop's parameters
    /// are in their ranges.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(
        constellation: Constellation,
        loop_bandwidth_rad: f64,
        limits: [f64; 2],
    ) -> Result<Tracked<Self>, Error> {
        check_receivable(&constellation)?;
        let (angles, loop_) = (angles(&constellation), Loop::new(loop_bandwidth_rad, limits)?);
        Ok(ConstellationReceiver { constellation, loop_, angles }.block())
    }
}

/// That a symbol is one sample, and its index a byte.
fn check_receivable(constellation: &Constellation) -> Result<(), Error> {
    check(
        constellation.dimension() == 1,
        "constellation",
        "one dimension",
        constellation.dimension() as f64,
    )?;
    check_bytes(constellation)
}

impl Tracker for ConstellationReceiver {
    type In = C32;
    type Out = u8;
    const MONITORS: &'static [&'static str] = &["error", "phase", "freq"];
    const SAMPLES: Option<&'static str> = Some("samples");
    const PARAMETERS: &'static [&'static str] = &[
        "constellation",
        "loop_bandwidth_rad",
        "damping",
        "alpha",
        "beta",
        "min_frequency_rad",
        "max_frequency_rad",
        "frequency_rad",
        "phase_rad",
    ];
    const FORMERLY: &'static [(&'static str, &'static str)] =
        &[("bandwidth_rad", "loop_bandwidth_rad"), ("freq_rad", "frequency_rad")];

    fn follow(&mut self, mut spans: Spans<'_, C32, u8>) -> (usize, usize) {
        let n = spans.stop.min(spans.y.len());
        let mut angles = [0.0; CHUNK];
        for first in (0..n).step_by(CHUNK) {
            let angles = &mut angles[..CHUNK.min(n - first)];
            kernels::complex_to_arg(angles, &spans.x[first..][..angles.len()]);
            run_routine(Follow { receiver: self, spans: &mut spans, first, angles });
        }
        (n, n)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        if name != "constellation" {
            return set_loop(&mut self.loop_, name, value, Self::PARAMETERS);
        }
        let constellation = Constellation::from_value("constellation", value)?;
        check_receivable(&constellation)?;
        (self.angles, self.constellation) = (angles(&constellation), constellation);
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "constellation" => Some(self.constellation.to_value()),
            _ => loop_parameter(&self.loop_, name),
        }
    }
}

#[declare(
    category = "digital",
    summary = "Turns a signal so that its points lie on those of a constellation, and decides which each is.",
    ports(
        input("in", "C32", "samples, one a symbol"),
        set_port(
            "new values of constellation, loop_bandwidth_rad, damping, alpha, beta, min_frequency_rad, max_frequency_rad, frequency_rad and phase_rad"
        ),
        output("out", "u8", "the index of the nearest point"),
        output("error", "f32", "the error of the phase in radians"),
        output("phase", "f32", "the loop's phase in radians"),
        output("freq", "f32", "the loop's frequency in radians per sample"),
        output("samples", "C32", "the turned samples")
    )
)]
fn constellation_receiver(
    #[param(group)] constellation: Constellation,
    /// How fast the loop is, about 2π / 100.
    #[param(formerly = "bandwidth_rad", unit = "radians per sample", kind = BANDWIDTH)]
    loop_bandwidth_rad: f64,
    /// The lowest frequency.
    #[param(formerly = "min_freq_rad", unit = "radians per sample", json = "-0.25")]
    min_frequency_rad: f64,
    /// The highest frequency.
    #[param(formerly = "max_freq_rad", unit = "radians per sample", default = 0.25)]
    max_frequency_rad: f64,
) -> Result<AnyBlock, BlockError> {
    let limits = [min_frequency_rad, max_frequency_rad];
    Ok(AnyBlock::new(ConstellationReceiver::new(constellation, loop_bandwidth_rad, limits)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, cuts, noise};
    use superhet_runtime::harness::{self, VecSink, VecSource};
    use superhet_runtime::{Graph, Single};

    #[test]
    fn a_grid_is_received_without_an_error_once_the_loop_has_locked() {
        let constellation = Constellation::named("16qam").unwrap();
        let symbols: Vec<u8> = noise(3000).iter().map(|x| ((x + 1.0) * 7.99) as u8).collect();
        let turn = |(n, symbol): (usize, &u8)| {
            constellation.points()[usize::from(*symbol)] * C32::from_polar(1.0, 0.1 + 0.003 * n as f32)
        };
        let x: Vec<C32> = symbols.iter().enumerate().map(turn).collect();
        let receiver = ConstellationReceiver::new(constellation.clone(), 0.0628, [-0.25, 0.25]).unwrap();
        let y: Vec<u8> = harness::run(receiver, &x);
        assert_eq!(y[1000..], symbols[1000..]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let qpsk = Constellation::named("qpsk").unwrap();
        let make = || ConstellationReceiver::new(qpsk.clone(), 0.06, [-0.25, 0.25]).unwrap();
        harness::assert_cut_invariant(make, &complex_noise(1000));
    }

    #[test]
    fn the_turned_samples_come_beside_the_symbols() {
        let x: Vec<C32> = (0..500).map(|n| C32::from_polar(1.0, 0.2 + 0.002 * n as f32)).collect();
        for options in cuts() {
            let mut graph = Graph::new();
            graph.add("source", VecSource::new(x.clone()));
            let bpsk = Constellation::named("bpsk").unwrap();
            graph.add("receiver", ConstellationReceiver::new(bpsk, 0.06, [-0.25, 0.25]).unwrap());
            let (symbols, samples, phase) =
                (VecSink::<u8>::new(), VecSink::<C32>::new(), VecSink::<f32>::new());
            let kept = (symbols.items(), samples.items(), phase.items());
            graph.add("symbols", symbols);
            graph.add("samples", samples);
            graph.add("phase", phase);
            graph.connect_names("source", "receiver");
            graph.connect_names("receiver.out", "symbols");
            graph.connect_names("receiver.phase", "phase");
            graph.connect_names("receiver.samples", "samples");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let (symbols, samples, phase) = (kept.0.take(), kept.1.take(), kept.2.take());
            assert_eq!((symbols.len(), samples.len()), (x.len(), x.len()));
            // Each is turned by the phase that the loop had come to with the one before.
            let turned = |n: usize| x[n] * C32::from_polar(1.0, phase[n - 1]);
            assert!((1..x.len()).all(|n| (samples[n] - turned(n)).norm() < 1e-5));
            assert!((samples[499] - C32::ONE).norm() < 0.1, "{}", samples[499]);
        }
    }
}
