//! Frequency recovery by the edges of a band.
//!
//! What the samples before a group of eight give to the filters in that group is summed up at its beginning, for all eight at
//! once, the oldest first, so that the newest is waited for by one sum only. A sample of the group then waits for the one before it
//! for its turn, one product and sum of each filter, the error, its limits, and the phase: some 70 cycles by their latencies, of
//! the 110 that it takes (Intel Xeon with AVX-512). What is not a number is found by branches, which are guessed and not waited for.

use std::hint::cold_path;

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::{AnyBlock, BlockError, C32, Value, declare};

use crate::digital::sync::costas_loop::{BANDWIDTH, loop_parameter, set_loop};
use crate::digital::sync::tracker::{Loop, Spans, Tracked, Tracker};
use crate::error::{Error, check};

/// Moves a signal to frequency 0: a loop that weighs the energy at both edges of its band against each other.
///
/// `y[n] = x[n] · exp(j φ[n])`; the error is the energy of `y` behind the filter of the lower edge less that behind the filter of
/// the upper one. The filters are half a sine each in frequency, as wide as two transitions of the signal's root-raised-cosine
/// filter with roll-off `α` and centred at its end, `±(1 + α) / 2` of the symbol rate: the derivative of that filter. Loop as
/// [`Loop`]; its frequency is that of the signal with its sign changed.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | power about 1 |
/// | out `out` | `C32` | that of `in` |
/// | out `freq` | `f32` | radians per sample; may stay unconnected, as the next two |
/// | out `phase` | `f32` | radians |
/// | out `error` | `f32` | power |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rolloff` | | 0 to 1 |
/// | `taps` | | 2 to 65536, of several symbols |
/// | `loop_bandwidth_rad` | radians per sample | 0 to 7; can be changed while the block runs |
/// | `min_frequency_rad`, `max_frequency_rad` | radians per sample | where the frequency stays, two turns per symbol at first; likewise |
/// | `frequency_rad`, `phase_rad` | radians | where the loop is; can be read and changed |
///
/// # Source
/// f. harris, Band Edge Filters: Characteristics and Performance in Carrier and Symbol Synchronization, 2010.
///
/// ```
/// use superhet_blocks::digital::FllBandEdge;
/// use superhet_runtime::{C32, harness};
///
/// let fll = FllBandEdge::new(4.0, 0.35, 45, 0.06)?;
/// assert_eq!(harness::run(fll, &[C32::ONE]), [C32::ONE]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FllBandEdge {
    loop_: Loop,
    /// How many taps the filters have.
    length: usize,
    /// The real part of the upper filter's taps and four times the imaginary one, the first one behind [`GROUP`] zeros and before
    /// as many.
    taps: [Vec<f32>; 2],
    /// Samples before the group, and in it, in a part of twice as many as there are taps: those before `end` count.
    past: Vec<C32>,
    end: usize,
    /// Of the group: how many samples it has.
    place: usize,
    /// What both filters give to each of its samples so far: real part and imaginary part of the one, then of the other.
    sums: [[f32; GROUP]; 4],
}

/// Samples of a group.
const GROUP: usize = 8;

/// The loop over samples.
struct Follow<'a, 'b> {
    fll: &'a mut FllBandEdge,
    spans: &'a mut Spans<'b, C32, C32>,
    n: usize,
}

impl Routine for Follow<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Follow { fll, spans, n } = self;
        let mut state = fll.loop_;
        for place in 0..n {
            if fll.place == 0 {
                fll.begin_group::<M>();
            }
            let y = spans.x[place] * M::expj(state.phase);
            spans.y[place] = y;
            // A sample that is not a number would stay in the filters.
            let kept = if y.norm_sqr().is_finite() {
                y
            } else {
                cold_path();
                C32::ZERO
            };
            fll.past[fll.end] = kept;
            fll.end += 1;
            let at = fll.place;
            fll.place = (at + 1) % GROUP;
            let [re_a, im_a, re_b, im_b] = fll.sums.each_ref().map(|sums| sums[at]);
            let [a, b] = fll.taps.each_ref().map(|taps| taps[GROUP]);
            let a = C32::new(M::multiply_add(a, kept.re, re_a), M::multiply_add(a, kept.im, im_a));
            let b = C32::new(M::multiply_add(b, kept.re, re_b), M::multiply_add(b, kept.im, im_b));
            // |a − j b|² − |a + j b|², the lower edge less the upper one. A factor of 4 is in the taps of `b`.
            let error = a.re * b.im - a.im * b.re;
            state.advance_within::<M>(error, 1.0);
            spans.write(place, [state.frequency, state.phase, error]);
            // The taps of this sample for those behind it in the group; zeros for those before it.
            fll.add::<M>(GROUP - at, kept);
        }
        fll.loop_ = state;
    }
}

/// Adds what a sample gives to each of a group, by the taps of both filters that it meets there. Sums are taken out and put back
/// as wholes: added to one by one, they would go through memory, and take three times as long.
#[inline(always)]
fn meet<M: Machine>(sums: &mut [[f32; GROUP]; 4], a: &[f32], b: &[f32], sample: C32) {
    let (Some(a), Some(b)) = (a.first_chunk::<GROUP>(), b.first_chunk::<GROUP>()) else { return };
    let [re_a, im_a, re_b, im_b] = *sums;
    *sums = [
        std::array::from_fn(|lane| M::multiply_add(a[lane], sample.re, re_a[lane])),
        std::array::from_fn(|lane| M::multiply_add(a[lane], sample.im, im_a[lane])),
        std::array::from_fn(|lane| M::multiply_add(b[lane], sample.re, re_b[lane])),
        std::array::from_fn(|lane| M::multiply_add(b[lane], sample.im, im_b[lane])),
    ];
}

impl FllBandEdge {
    /// Adds what a sample gives to each of a group, whose first one it meets with tap `first`.
    #[inline(always)]
    fn add<M: Machine>(&mut self, first: usize, sample: C32) {
        let [a, b] = self.taps.each_ref().map(|taps| &taps[first..]);
        meet::<M>(&mut self.sums, a, b, sample);
    }

    /// What the samples before a group give to it.
    #[inline(always)]
    fn begin_group<M: Machine>(&mut self) {
        let before = self.length - 1;
        if self.end + GROUP > self.past.len() {
            self.past.copy_within(self.end - before..self.end, 0);
            self.end = before;
        }
        let past = &self.past[self.end - before..self.end];
        let (taps_a, taps_b) = (&self.taps[0][GROUP + 1..], &self.taps[1][GROUP + 1..]);
        // Two sums of each, so that one is not waited for: of the older half, and of the newer one.
        let (mut older, mut newer) = ([[0.0f32; GROUP]; 4], [[0.0f32; GROUP]; 4]);
        let taps = |skipped: usize| {
            let taps = taps_a.windows(GROUP).zip(taps_b.windows(GROUP));
            taps.take(before - skipped).rev()
        };
        let half = before / 2;
        let (first, second) = past.split_at(half);
        let pairs = first.iter().zip(taps(0)).zip(second.iter().zip(taps(half)));
        for ((x, (a, b)), (newer_x, (newer_a, newer_b))) in pairs {
            meet::<M>(&mut older, a, b, *x);
            meet::<M>(&mut newer, newer_a, newer_b, *newer_x);
        }
        if let (false, Some(x)) = (before.is_multiple_of(2), past.last()) {
            meet::<M>(&mut newer, taps_a, taps_b, *x);
        }
        self.sums =
            std::array::from_fn(|row| std::array::from_fn(|lane| older[row][lane] + newer[row][lane]));
    }
}

impl FllBandEdge {
    /// A loop with filters of `taps` taps for a signal with this roll-off.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(
        samples_per_symbol: f64,
        rolloff: f64,
        taps: usize,
        loop_bandwidth_rad: f64,
    ) -> Result<Tracked<Self>, Error> {
        let fits = samples_per_symbol > 1.0 && samples_per_symbol <= 1e6;
        check(fits, "samples_per_symbol", "more than 1 and at most 10⁶", samples_per_symbol)?;
        check((0.0..=1.0).contains(&rolloff), "rolloff", "a number from 0 to 1", rolloff)?;
        check((2..=65536).contains(&taps), "taps", "a whole number from 2 to 65536", taps as f64)?;
        let limit = std::f64::consts::TAU * 2.0 / samples_per_symbol;
        let sinc = |x: f64| {
            if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) }
        };
        let at = |tap: usize| (tap as f64 - (taps - 1) as f64 / 2.0) / samples_per_symbol;
        let edge = |t: f64| sinc(2.0 * rolloff * t - 0.5) + sinc(2.0 * rolloff * t + 0.5);
        let sum: f64 = (0..taps).map(|tap| edge(at(tap))).sum();
        let part = |of: fn(f64) -> f64, factor: f32| {
            let turn = |tap| of(std::f64::consts::PI * (1.0 + rolloff) * at(tap));
            let zeros = [0.0; GROUP];
            let taps = (0..taps).map(|tap| (edge(at(tap)) / sum * turn(tap)) as f32 * factor);
            zeros.into_iter().chain(taps).chain(zeros).collect()
        };
        let fll = FllBandEdge {
            loop_: Loop::new(loop_bandwidth_rad, [-limit, limit])?,
            length: taps,
            taps: [part(f64::cos, 1.0), part(f64::sin, 4.0)],
            past: vec![C32::ZERO; 2 * (taps + GROUP)],
            end: taps - 1,
            place: 0,
            sums: [[0.0; GROUP]; 4],
        };
        Ok(fll.block())
    }
}

impl Tracker for FllBandEdge {
    type In = C32;
    type Out = C32;
    const MONITORS: &'static [&'static str] = &["freq", "phase", "error"];
    const PARAMETERS: &'static [&'static str] = &[
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

    fn follow(&mut self, mut spans: Spans<'_, C32, C32>) -> (usize, usize) {
        let n = spans.stop.min(spans.y.len());
        run_routine(Follow { fll: self, spans: &mut spans, n });
        (n, n)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        set_loop(&mut self.loop_, name, value, Self::PARAMETERS)
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        loop_parameter(&self.loop_, name)
    }
}

#[declare(
    category = "digital",
    summary = "Moves a signal to frequency 0 by the energy at both edges of its band.",
    ports(
        input("in", "C32", "samples"),
        set_port(
            "new values of loop_bandwidth_rad, damping, alpha, beta, min_frequency_rad, max_frequency_rad, frequency_rad and phase_rad"
        ),
        output("out", "C32", "the samples, moved"),
        output("freq", "f32", "the loop's frequency in radians per sample"),
        output("phase", "f32", "the loop's phase in radians"),
        output("error", "f32", "the energy at the lower edge less that at the upper one")
    )
)]
fn fll_band_edge(
    /// How many samples a symbol takes, more than 1.
    #[param(unit = "samples", range = 1.0..=1e6)]
    samples_per_symbol: f64,
    /// The roll-off of the signal's filter.
    #[param(range = 0.0..=1.0, default = 0.35)]
    rolloff: f64,
    /// How many taps the filters have.
    #[param(range = 2..=65536, default = 44)]
    taps: usize,
    /// How fast the loop is.
    #[param(formerly = "bandwidth_rad", unit = "radians per sample", kind = BANDWIDTH, default = 0.0628)]
    loop_bandwidth_rad: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(FllBandEdge::new(samples_per_symbol, rolloff, taps, loop_bandwidth_rad)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::sync::symbol_sync::tests::{bits, pulses};
    use crate::testing::complex_noise;
    use superhet_runtime::harness;

    #[test]
    fn a_signal_that_is_off_is_moved_back() {
        // The pulses have roll-off 1: their edges are those of a root-raised-cosine filter with the same one.
        let x = pulses(&bits(6000), 4.0, 0.0);
        for shift in [0.05f32, -0.08] {
            let turned = |(n, x): (usize, &f32)| x * C32::from_polar(1.0, shift * n as f32);
            let x: Vec<C32> = x.iter().enumerate().map(turned).collect();
            let y: Vec<C32> = harness::run(FllBandEdge::new(4.0, 1.0, 45, 0.03).unwrap(), &x);
            // Signal and output turn against each other as fast as the loop.
            let turn = |n: usize| (y[n] * x[n].conj()).arg() - (y[n - 1] * x[n - 1].conj()).arg();
            let turns = (15_000..23_000).filter(|n| x[*n].norm() > 0.1 && x[*n - 1].norm() > 0.1).map(turn);
            let turns: Vec<f32> = turns.filter(|turn| turn.abs() < 3.0).collect();
            let mean = turns.iter().sum::<f32>() / turns.len() as f32;
            assert!((mean + shift).abs() < 0.01, "{shift}: {mean}");
        }
    }

    /// The loop by its definition, in double precision: the samples, turned.
    fn plain(
        x: &[C32],
        period: f64,
        rolloff: f64,
        taps: usize,
        bandwidth: f64,
    ) -> Vec<superhet_runtime::C64> {
        use std::f64::consts::{PI, TAU};
        use superhet_runtime::C64;
        let sinc = |x: f64| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        let at = |tap: usize| (tap as f64 - (taps - 1) as f64 / 2.0) / period;
        let edge = |t: f64| sinc(2.0 * rolloff * t - 0.5) + sinc(2.0 * rolloff * t + 0.5);
        let sum: f64 = (0..taps).map(|tap| edge(at(tap))).sum();
        let upper: Vec<C64> = (0..taps)
            .map(|tap| C64::from_polar(edge(at(tap)) / sum, PI * (1.0 + rolloff) * at(tap)))
            .collect();
        let [alpha, beta] = Loop::new(bandwidth, [-9.0, 9.0]).unwrap().gains().map(f64::from);
        let limit = TAU * 2.0 / period;
        let (mut phase, mut frequency) = (0.0f64, 0.0f64);
        let mut y: Vec<C64> = Vec::new();
        for x in x {
            y.push(C64::new(x.re.into(), x.im.into()) * C64::from_polar(1.0, phase));
            let behind = |conjugate: bool| -> f64 {
                let taps = upper.iter().map(|tap| if conjugate { tap.conj() } else { *tap });
                taps.zip(y.iter().rev()).map(|(tap, y)| tap * y).sum::<C64>().norm_sqr()
            };
            let error = (behind(true) - behind(false)).clamp(-1.0, 1.0);
            frequency += beta * error;
            phase += frequency + alpha * error;
            frequency = frequency.clamp(-limit, limit);
        }
        y
    }

    #[test]
    fn the_samples_are_those_of_the_definition() {
        let x: Vec<C32> = complex_noise(600).iter().map(|x| x * 0.5).collect();
        for (taps, bandwidth) in [(2, 0.02), (5, 0.02), (8, 0.02), (9, 0.02), (44, 0.06), (300, 0.06)] {
            let y: Vec<C32> = harness::run(FllBandEdge::new(4.0, 0.35, taps, bandwidth).unwrap(), &x);
            for (n, (y, want)) in y.iter().zip(plain(&x, 4.0, 0.35, taps, bandwidth)).enumerate() {
                let off = (f64::from(y.re) - want.re).hypot(f64::from(y.im) - want.im);
                assert!(off < 1e-4, "{taps}, {n}: {y}, wanted {want}");
            }
        }
    }

    #[test]
    fn a_sample_that_is_no_number_spoils_only_itself() {
        let mut x = complex_noise(3000);
        (x[100], x[2001]) = (C32::new(f32::NAN, 0.0), C32::new(0.0, f32::INFINITY));
        let y: Vec<C32> = harness::run(FllBandEdge::new(4.0, 0.35, 44, 0.06).unwrap(), &x);
        assert_eq!(y.iter().filter(|y| !y.is_finite()).count(), 2);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(
            || FllBandEdge::new(4.0, 0.35, 45, 0.06).unwrap(),
            &complex_noise(1000),
        );
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        assert!(FllBandEdge::new(1.0, 0.35, 45, 0.06).is_err());
        assert!(FllBandEdge::new(4.0, 1.35, 45, 0.06).is_err());
        assert!(FllBandEdge::new(4.0, 0.35, 1, 0.06).is_err());
        assert!(FllBandEdge::new(4.0, 0.35, 45, -0.06).is_err());
    }
}
