//! Carrier recovery of PSK signals.
//!
//! The error of a sample depends on its magnitude and on the angle between it and the phase alone, and repeats with the angle:
//! `|x| · c · sin(r)`, where `r` is how far the angle is from the middle of its period. So magnitudes, angles and turns are taken
//! by kernels, a chunk at a time, and phases are counted in periods, in which `r` is what rounding leaves. Where the steps that errors
//! make are small, `r` is taken from the phase that was expected two samples before: its sine and cosine wait for neither of the last two errors.
//! What these have moved the phase by since is a small angle `m`, and `sin(r − m) = sin(r) cos(m) − cos(r) sin(m)` a polynomial of it. From sample
//! to sample there are then two additions, the square of the move and two products with sums, 17 cycles by their latencies, of the 21 to 23 that
//! it takes for orders 4 and 8 (Intel Xeon with AVX-512; 25 on noise, where branches are mispredicted, and 24 to 27 for order 2), beside the kernels: the other 40
//! operations on a sample keep the units for floats busy. As many terms as the angles need, and no more. A sample that is more than half a
//! period of orders 4 and 8 off, where the error jumps, is taken anew. Where steps are larger, there are a difference to what the phase would
//! be without it, the rounding (two additions and a difference), a sine and its limits: some 30 cycles. With `use_snr` samples go one by one,
//! through sines and hyperbolic tangents.

use superhet_kernels::{self as kernels, Machine, Rounded, Routine, run_routine};
use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, C32, Tag, Value, declare, parameter::no_parameter};

use crate::digital::sync::tracker::{Loop, Spans, Tracked, Tracker, limited};
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
/// | `loop_bandwidth_rad` | radians per sample | 0 to 7; can be changed while the block runs |
/// | `min_frequency_rad`, `max_frequency_rad` | radians per sample | where the frequency stays, ±1 at first; likewise |
/// | `noise` | power | > 0; likewise |
/// | `frequency_rad`, `phase_rad` | radians | where the loop is; can be read and changed |
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
    /// Without `use_snr` in the place of the loop's phase and frequency.
    place: Place,
}

/// Where the loop is, in periods of the error.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    phase: f32,
    frequency: f32,
    /// What the phases of this sample and of the next one were expected to be two samples before.
    expected: [f32; 2],
    /// Where steps are large, the first of `expected` is what the phase would be without the last error, and this is what that added.
    step: f32,
}

impl Place {
    /// Of a phase and a frequency.
    fn new(phase: f32, frequency: f32) -> Self {
        Place { phase, frequency, expected: [phase, phase + frequency], step: 0.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Two,
    Four,
    Eight,
}

/// Items of a chunk.
const CHUNK: usize = 256;

impl Order {
    /// The angle after which the error repeats.
    const fn period(self) -> f32 {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
        match self {
            Order::Two => PI,
            Order::Four => FRAC_PI_2,
            Order::Eight => FRAC_PI_4,
        }
    }

    /// The middle of a period, where the error is 0, in periods.
    fn middle(self) -> f32 {
        if self == Order::Two { 0.0 } else { 0.5 }
    }

    /// The factor `c` of the error: of `|x|²` for order 2, of `|x|` else. `(√2 − 1)` is the tangent of `π / 8`, so that the error
    /// of order 8 is a sine as well.
    fn factor(self) -> f32 {
        match self {
            Order::Two => 0.5,
            Order::Four => std::f32::consts::SQRT_2,
            Order::Eight => 1.082_392_2,
        }
    }

    /// The argument of the sine for a period of the error: that of order 2 is a whole one.
    const fn argument(self) -> f32 {
        match self {
            Order::Two => std::f32::consts::TAU,
            _ => self.period(),
        }
    }

    /// The sine of an angle in periods, within ±½: the factors of its odd powers. The errors are below 2e-7 (single precision).
    fn sine(self) -> [f32; 7] {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
        match self {
            Order::Two => {
                [6.283_184_5, -41.341_63, 81.603_24, -76.681_41, 41.904_842, -14.570_597, 2.889_641_5]
            }
            Order::Four => [FRAC_PI_2, -0.645_962_94, 0.079_675_9, -0.004_592_289_5, 0.0, 0.0, 0.0],
            Order::Eight => [FRAC_PI_4, -0.080_745_51, 0.002_490_361_6, -3.640_032_4e-5, 0.0, 0.0, 0.0],
        }
    }
}

/// Sine and cosine of `r` periods and of a move of some tenths of a radian: factors of their powers in `r`, all of the least greatest
/// error.
struct Waves<const TERMS: usize, const MOVED: usize> {
    /// Of `r`, `r³`, … and of 1, `r²`, …: within ±π/2 with five terms, ±π/4 with four; errors below 1e-7.
    sine: [f32; TERMS],
    cosine: [f32; TERMS],
    /// The same of a move: within ±[`LARGEST_MOVE`] with four terms, and half of that with three; errors below 2e-7.
    moved_sine: [f32; MOVED],
    moved_cosine: [f32; MOVED],
}

/// The largest argument of the sine that a move may be for [`Waves`].
const LARGEST_MOVE: f32 = 0.8;

/// Factors for angles in radians, from the power `first` of the angle on, in the places of those for periods; all times `by`.
const fn of_argument<const TERMS: usize>(
    factors: [f32; 5],
    first: usize,
    argument: f32,
    by: f32,
) -> [f32; TERMS] {
    let (mut scaled, mut power, mut n) = ([0.0; TERMS], if first == 0 { by } else { by * argument }, 0);
    while n < TERMS {
        scaled[n] = factors[n] * power;
        power *= argument * argument;
        n += 1;
    }
    scaled
}

impl<const TERMS: usize, const MOVED: usize> Waves<TERMS, MOVED> {
    /// Of periods with this argument.
    const fn new(argument: f32) -> Self {
        let ((sine, cosine), (moved_sine, moved_cosine)) = (of_terms(TERMS), of_terms(MOVED));
        // The first factors of a move are multiplied into the others.
        let (by_cosine, by_sine) = (moved_cosine[0], moved_sine[0] * argument);
        Waves {
            sine: of_argument(sine, 1, argument, by_cosine),
            cosine: of_argument(cosine, 0, argument, by_sine),
            moved_sine: of_argument(moved_sine, 1, argument, 1.0 / by_sine),
            moved_cosine: of_argument(moved_cosine, 0, argument, 1.0 / by_cosine),
        }
    }

    /// `sine · cos(moved) − cosine · sin(moved)`: a polynomial of the move, whose factors do not wait for it. Terms of two powers each are
    /// summed side by side.
    #[inline(always)]
    fn moved_back<M: Machine>(&self, sine: f32, cosine: f32, moved: f32) -> f32 {
        let first = M::multiply_add(-moved, cosine, sine);
        let of_two =
            |n: usize| M::multiply_add(-moved, cosine * self.moved_sine[n], sine * self.moved_cosine[n]);
        let square = moved * moved;
        if MOVED == 3 {
            M::multiply_add(square, M::multiply_add(square, of_two(2), of_two(1)), first)
        } else {
            let (low, high) =
                (M::multiply_add(square, of_two(1), first), M::multiply_add(square, of_two(3), of_two(2)));
            M::multiply_add(square * square, high, low)
        }
    }
}

/// Factors of sine and cosine by so many terms.
const fn of_terms(terms: usize) -> ([f32; 5], [f32; 5]) {
    match terms {
        3 => (
            [0.999_999_94, -0.166_662_25, 0.008_277_941, 0.0, 0.0],
            [0.999_999_8, -0.499_980_1, 0.041_334_48, 0.0, 0.0],
        ),
        4 => (
            [1.0, -0.166_666_5, 0.008_332_036, -1.950_402_2e-4, 0.0],
            [1.0, -0.499_998_57, 0.041_655_026, -0.001_358_590_9, 0.0],
        ),
        _ => (
            [1.0, -0.166_666_48, 0.008_332_9, -1.980_089_7e-4, 2.590_488_5e-6],
            [0.999_999_94, -0.499_999_05, 0.041_663_584, -0.001_385_370_4, 2.315_393_2e-5],
        ),
    }
}

/// `terms[0] + terms[1] · x + …` of three terms to five: two sums one behind the other, or three.
#[inline(always)]
fn sum_of_terms<M: Machine, const TERMS: usize>(terms: &[f32; TERMS], x: f32) -> f32 {
    if TERMS == 3 {
        return M::multiply_add(x, M::multiply_add(x, terms[2], terms[1]), terms[0]);
    }
    let high = if TERMS == 5 { M::multiply_add(x, terms[TERMS - 1], terms[3]) } else { terms[3] };
    let high = M::multiply_add(x, high, terms[2]);
    M::multiply_add(x * x, high, M::multiply_add(x, terms[1], terms[0]))
}

impl CostasLoop {
    /// A loop for a signal whose power of `order` is constant. Give it to [`Graph::add`](superhet_runtime::Graph::add).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the order is 2, 4 or 8 and the bandwidth is 0 to 7 radians per sample.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(loop_bandwidth_rad: f64, order: u32, use_snr: bool) -> Result<Tracked<Self>, Error> {
        let order = match order {
            2 => Order::Two,
            4 => Order::Four,
            8 => Order::Eight,
            other => {
                return Err(Error::OutOfRange { parameter: "order", wanted: "2, 4 or 8", got: other.into() });
            }
        };
        let loop_ = Loop::new(loop_bandwidth_rad, [-1.0, 1.0])?;
        Ok(CostasLoop { loop_, order, use_snr, noise: 1.0, place: Place::default() }.block())
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

/// What a chunk of samples is for the loop, and what it makes of it.
struct Chunk {
    /// The angles in periods, those in which the error is 0 whole numbers.
    angles: [f32; CHUNK],
    /// What the sines are multiplied by: the gain of the phase, too.
    sizes: [f32; CHUNK],
    /// Phase before each sample and behind the last one; the frequency behind each; the step that its error makes.
    phases: [f32; CHUNK + 1],
    frequencies: [f32; CHUNK],
    steps: [f32; CHUNK],
}

impl CostasLoop {
    /// Phase and frequency of the loop, in periods, become those in radians, or the other way round.
    fn tell_loop(&mut self) {
        if !self.use_snr {
            let period = self.order.period();
            (self.loop_.phase, self.loop_.frequency) =
                (self.place.phase * period, self.place.frequency * period);
        }
    }

    fn ask_loop(&mut self) {
        let period = self.order.period();
        self.place = Place::new(self.loop_.phase / period, self.loop_.frequency / period);
    }

    /// The limits of the frequency, in periods.
    fn limits(&self) -> [f32; 2] {
        let period = self.order.period();
        self.loop_.limits().map(|limit| limit / period)
    }

    /// The step of the phase for an error of 1, in periods.
    fn gain(&self) -> f32 {
        let [alpha, beta] = self.loop_.gains();
        (alpha + beta) / self.order.period()
    }

    /// Follows the first `n` samples.
    fn follow_chunks(&mut self, spans: &mut Spans<'_, C32, C32>, n: usize) {
        let mut chunk = Chunk {
            angles: [0.0; CHUNK],
            sizes: [0.0; CHUNK],
            phases: [0.0; CHUNK + 1],
            frequencies: [0.0; CHUNK],
            steps: [0.0; CHUNK],
        };
        let (period, gain) = (self.order.period(), self.gain());
        let mut turns = [C32::ZERO; CHUNK];
        for first in (0..n).step_by(CHUNK) {
            let x = &spans.x[first..n.min(first + CHUNK)];
            self.track(x, &mut chunk);
            let (phases, turns) = (&mut chunk.phases[..=x.len()], &mut turns[..x.len()]);
            kernels::multiply_const_f32_in_place(phases, period);
            crate::turns::expj(turns, phases);
            kernels::multiply_conjugate_c32(&mut spans.y[first..][..x.len()], x, turns);
            if spans.monitors.iter().any(|monitor| !monitor.is_empty()) {
                for n in 0..x.len() {
                    let frequency = chunk.frequencies[n] * period;
                    spans.write(first + n, [frequency, chunk.phases[n + 1], chunk.steps[n] / gain]);
                }
            }
        }
    }

    /// Follows samples of a chunk, where the gain is not 0.
    fn track(&mut self, x: &[C32], chunk: &mut Chunk) {
        let n = x.len();
        let (angles, sizes) = (&mut chunk.angles[..n], &mut chunk.sizes[..n]);
        kernels::complex_to_arg(angles, x);
        let of_period = 1.0 / self.order.period();
        kernels::saxpy_in_place(angles, of_period, self.order.middle());
        match self.order {
            Order::Two => kernels::magnitude_squared(sizes, x),
            _ => kernels::magnitude(sizes, x),
        }
        let scale = self.gain() * self.order.factor();
        for size in sizes.iter_mut() {
            // Beyond that the error is at its limit; the square may be infinite.
            *size = scale * if *size < 1e30 { *size } else { 1e30 };
        }
        if !x.iter().fold(true, |all, x| all & x.is_finite()) {
            // Of a sample that is not a number the loop learns nothing.
            for (n, _) in x.iter().enumerate().filter(|(_, x)| !x.is_finite()) {
                (angles[n], sizes[n]) = (0.0, 0.0);
            }
        }
        run_routine(Steps { costas: self, chunk, n });
    }
}

/// The steps from sample to sample of a chunk.
struct Steps<'a> {
    costas: &'a mut CostasLoop,
    chunk: &'a mut Chunk,
    n: usize,
}

impl Routine for Steps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let order = self.costas.order;
        let (argument, [alpha, beta]) = (order.argument(), self.costas.loop_.gains());
        // By the last step, and by the one before it with what that made of the frequency.
        let moved = self.costas.gain() * argument * (2.0 + beta / (alpha + beta));
        let (is_small, is_large) = (moved <= LARGEST_MOVE / 2.0, moved > LARGEST_MOVE);
        match (order, is_small, is_large) {
            (Order::Two, _, true) => self.take::<M, true>(),
            (_, _, true) => self.take::<M, false>(),
            (Order::Two, true, _) => {
                self.take_ahead::<M, true, 5, 3>(const { &Waves::new(Order::Two.argument()) })
            }
            (Order::Two, ..) => {
                self.take_ahead::<M, true, 5, 4>(const { &Waves::new(Order::Two.argument()) })
            }
            (Order::Four, true, _) => {
                self.take_ahead::<M, false, 4, 3>(const { &Waves::new(Order::Four.argument()) })
            }
            (Order::Four, ..) => {
                self.take_ahead::<M, false, 4, 4>(const { &Waves::new(Order::Four.argument()) })
            }
            (Order::Eight, true, _) => {
                self.take_ahead::<M, false, 3, 3>(const { &Waves::new(Order::Eight.argument()) })
            }
            (Order::Eight, ..) => {
                self.take_ahead::<M, false, 3, 4>(const { &Waves::new(Order::Eight.argument()) })
            }
        }
    }
}

/// `step` within `±most`.
#[inline(always)]
fn within(step: f32, most: f32) -> f32 {
    let step = if step < most { step } else { most };
    if step > -most { step } else { -most }
}

impl Steps<'_> {
    /// Where steps are small: what a sample asks for is known but for the last two steps. `WHOLE`: the error is a whole sine.
    #[inline(always)]
    fn take_ahead<M: Machine, const WHOLE: bool, const TERMS: usize, const MOVED: usize>(
        self,
        waves: &Waves<TERMS, MOVED>,
    ) {
        /// A number this large has no places behind the point: of half periods, or of whole ones.
        const LARGE: [f32; 2] = [1.5 * (1 << 23) as f32, 1.5 * (1 << 22) as f32];
        let Steps { costas, chunk, n } = self;
        let (order, most) = (costas.order, costas.gain());
        let [alpha, beta] = costas.loop_.gains();
        let of_frequency = beta / (alpha + beta);
        let period = order.period();
        let (turn, limits) = (std::f32::consts::TAU / period, costas.limits());
        let limit = nearest_limit(limits);
        let Place { mut phase, mut frequency, mut expected, .. } = costas.place;
        let inputs = chunk.angles[..n].iter().zip(&chunk.sizes);
        chunk.phases[0] = phase;
        let outputs = chunk.phases[1..].iter_mut().zip(&mut chunk.frequencies).zip(&mut chunk.steps);
        for ((angle, size), ((phase_after, frequency_after), step_of)) in inputs.zip(outputs) {
            let off = angle - expected[0];
            let shifted = off + LARGE[usize::from(WHOLE)];
            let off = off - (shifted - LARGE[usize::from(WHOLE)]);
            // Half a period further on a whole sine has the other sign.
            let sign = if WHOLE { shifted.to_bits() << 31 } else { 0 };
            let signed = f32::from_bits(size.to_bits() ^ sign);
            let square = off * off;
            let sine = signed * off * sum_of_terms::<M, TERMS>(&waves.sine, square);
            let cosine = signed * sum_of_terms::<M, TERMS>(&waves.cosine, square);
            let moved = phase - expected[0];
            let without_step = phase + frequency;
            expected = [expected[1], without_step + frequency];

            let mut step = waves.moved_back::<M>(sine, cosine, moved);
            if !WHOLE && (off - moved).abs() > 0.5 {
                step = beyond_a_period(waves, off - moved, *size);
            }
            if step.abs() > most {
                step = limited(step, most);
            }
            *step_of = step;
            phase = without_step + step;
            frequency = M::multiply_add(of_frequency, step, frequency);
            if frequency.abs() > limit {
                frequency = bounded(frequency, limits);
            }
            if phase.abs() > turn {
                phase = held(phase, turn);
                expected = [phase, phase + frequency];
            }
            (*phase_after, *frequency_after) = (phase, frequency);
        }
        costas.place = Place { phase, frequency, expected, step: 0.0 };
    }

    /// Where steps are large. `SEVEN_TERMS`: of the sine.
    #[inline(always)]
    fn take<M: Machine, const SEVEN_TERMS: bool>(self) {
        let Steps { costas, chunk, n } = self;
        let sine = costas.order.sine();
        let most = costas.gain();
        let [alpha, beta] = costas.loop_.gains();
        let of_frequency = beta / (alpha + beta);
        let period = costas.order.period();
        let (turn, limits) = (std::f32::consts::TAU / period, costas.limits());
        let limit = nearest_limit(limits);
        let Place { expected: [mut base, _], mut step, mut frequency, .. } = costas.place;
        let inputs = chunk.angles[..n].iter().zip(&chunk.sizes);
        chunk.phases[0] = base + step;
        let outputs = chunk.phases[1..].iter_mut().zip(&mut chunk.frequencies).zip(&mut chunk.steps);
        for ((angle, size), ((phase_after, frequency_after), step_of)) in inputs.zip(outputs) {
            let phase = base + step;
            let off = (angle - base) - step;
            let off = off - M::nearest(off);
            base = phase + frequency;
            let (square, sized) = (off * off, size * off);
            let low = M::multiply_add(sine[1], square, sine[0]);
            let middle = M::multiply_add(sine[3], square, sine[2]);
            let fourth = square * square;
            let sum = if SEVEN_TERMS {
                let high = M::multiply_add(sine[5], square, sine[4]);
                let high = M::multiply_add(sine[6], fourth, high);
                M::multiply_add(high, fourth * fourth, M::multiply_add(middle, fourth, low))
            } else {
                M::multiply_add(middle, fourth, low)
            };
            step = within(sized * sum, most);
            *step_of = step;
            frequency = M::multiply_add(of_frequency, step, frequency);
            if !(frequency.abs() <= limit && (base + step).abs() <= turn) {
                (base, frequency) = (held(base + step, turn), bounded(frequency, limits));
                step = 0.0;
            }
            (*phase_after, *frequency_after) = (base + step, frequency);
        }
        costas.place = Place { phase: base + step, step, ..Place::new(base, frequency) };
    }
}

/// The step that a sample asks for which is more than half a period off: its error is that of the next period.
#[cold]
#[inline(never)]
fn beyond_a_period<const TERMS: usize, const MOVED: usize>(
    waves: &Waves<TERMS, MOVED>,
    off: f32,
    size: f32,
) -> f32 {
    let off = off - 1f32.copysign(off);
    size * off * sum_of_terms::<Rounded, TERMS>(&waves.sine, off * off)
}

/// How far a frequency may be from 0 before it is looked at more closely.
fn nearest_limit([least, most]: [f32; 2]) -> f32 {
    most.min(-least)
}

/// A frequency within its limits.
#[cold]
#[inline(never)]
fn bounded(frequency: f32, [least, most]: [f32; 2]) -> f32 {
    frequency.clamp(least, most)
}

/// A phase within a turn.
#[cold]
#[inline(never)]
fn held(phase: f32, turn: f32) -> f32 {
    match phase.abs() {
        size if size <= turn => phase,
        // The same bits as the remainder, in less time.
        size if size < 2.0 * turn => phase - turn.copysign(phase),
        _ => phase % turn,
    }
}

impl Tracker for CostasLoop {
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
        "noise",
        "frequency_rad",
        "phase_rad",
    ];
    const FORMERLY: &'static [(&'static str, &'static str)] =
        &[("bandwidth_rad", "loop_bandwidth_rad"), ("freq_rad", "frequency_rad")];

    fn follow(&mut self, mut spans: Spans<'_, C32, C32>) -> (usize, usize) {
        let n = spans.stop.min(spans.y.len());
        if !self.use_snr && self.gain() > 0.0 {
            self.follow_chunks(&mut spans, n);
            return (n, n);
        }
        self.tell_loop();
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
        self.ask_loop();
        (n, n)
    }

    fn tag(&mut self, tag: &Tag) {
        if let ("phase_est", Some(phase)) = (&*tag.key, tag.value.as_f64().filter(|phase| phase.is_finite()))
        {
            self.tell_loop();
            self.loop_.phase = (phase % std::f64::consts::TAU) as f32;
            self.ask_loop();
        }
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        // A move may not be larger than the steps that there are from now on.
        self.place = Place::new(self.place.phase, self.place.frequency);
        match name {
            "loop_bandwidth_rad" => {
                self.loop_ = self.loop_.with_bandwidth(float_of("loop_bandwidth_rad", value)?)?
            }
            "frequency_rad" | "phase_rad" => {
                self.tell_loop();
                set_loop(&mut self.loop_, name, value, Self::PARAMETERS)?;
                self.ask_loop();
            }
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
            "phase_rad" if !self.use_snr => Some((self.place.phase * self.order.period()).into()),
            "frequency_rad" if !self.use_snr => Some((self.place.frequency * self.order.period()).into()),
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
    let [alpha, beta] = state.gains().map(f64::from);
    match name {
        "loop_bandwidth_rad" => *state = state.with_bandwidth(float_of("loop_bandwidth_rad", value)?)?,
        "damping" => *state = state.with_damping(float_of("damping", value)?)?,
        "alpha" => *state = state.with_gains(float_of("alpha", value)?, beta)?,
        "beta" => *state = state.with_gains(alpha, float_of("beta", value)?)?,
        "min_frequency_rad" => *state = state.with_limit(0, float_of("min_frequency_rad", value)?)?,
        "max_frequency_rad" => *state = state.with_limit(1, float_of("max_frequency_rad", value)?)?,
        "frequency_rad" => state.set_frequency(finite("frequency_rad")? as f32),
        "phase_rad" => state.phase = (finite("phase_rad")? % std::f64::consts::TAU) as f32,
        _ => return Err(no_parameter(name, known)),
    }
    Ok(())
}

/// Reads one of the parameters that all loops have.
pub(super) fn loop_parameter(state: &Loop, name: &str) -> Option<Value> {
    match name {
        "loop_bandwidth_rad" => Some(state.bandwidth().into()),
        "damping" => Some(state.damping().into()),
        "alpha" => Some(state.gains()[0].into()),
        "beta" => Some(state.gains()[1].into()),
        "min_frequency_rad" => Some(state.limits()[0].into()),
        "max_frequency_rad" => Some(state.limits()[1].into()),
        "frequency_rad" => Some(state.frequency.into()),
        "phase_rad" => Some(state.phase.into()),
        _ => None,
    }
}

/// The range of a loop's bandwidth.
pub(super) const BANDWIDTH: Kind = Kind::Float(0.0, 7.0);

#[declare(
    category = "digital",
    summary = "Turns a PSK signal so that its points lie where they belong.",
    ports(
        input("in", "C32", "samples, one a symbol"),
        set_port(
            "new values of loop_bandwidth_rad, damping, alpha, beta, min_frequency_rad, max_frequency_rad, noise, frequency_rad and phase_rad"
        ),
        output("out", "C32", "the samples, turned"),
        output("freq", "f32", "the loop's frequency in radians per sample"),
        output("phase", "f32", "the loop's phase in radians"),
        output("error", "f32", "the error of the phase")
    )
)]
fn costas_loop(
    /// How fast the loop is, about 2π / 100.
    #[param(formerly = "bandwidth_rad", unit = "radians per sample", kind = BANDWIDTH)]
    loop_bandwidth_rad: f64,
    /// 2 for BPSK, 4 for QPSK, 8 for 8PSK.
    #[param(range = 2..=8, default = 4)]
    order: u32,
    /// Whether weak samples count less.
    #[param(default = false)]
    use_snr: bool,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(CostasLoop::new(loop_bandwidth_rad, order, use_snr)?))
}

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
    fn the_frequency_stays_within_limits_that_are_set() {
        for (order, use_snr) in [(2, false), (4, false), (8, false), (4, true)] {
            let x: Vec<C32> = (0..3000)
                .map(|n| C32::from_polar(1.0, 0.1 + if n < 1500 { 0.035 } else { -0.025 } * n as f32))
                .collect();
            let mut costas = CostasLoop::new(0.0628, order, use_snr).unwrap().tracker;
            costas.set_parameter("max_frequency_rad", &0.03.into()).unwrap();
            costas.set_parameter("min_frequency_rad", &(-0.02).into()).unwrap();
            assert_eq!(costas.parameter("min_frequency_rad"), Some((-0.02f32).into()));
            let (mut y, mut frequency) = (vec![C32::ZERO; x.len()], vec![0.0; x.len()]);
            let spans = Spans {
                x: &x,
                stop: x.len(),
                y: &mut y,
                monitors: [&mut frequency, &mut [], &mut []],
                samples: &mut [],
            };
            costas.follow(spans);
            let (least, most) =
                frequency.iter().fold((0f32, 0f32), |(least, most), f| (least.min(*f), most.max(*f)));
            assert!(
                (most - 0.03).abs() < 1e-6 && (least + 0.02).abs() < 1e-6,
                "{order} {use_snr}: {least} to {most}"
            );
            for (name, limit) in
                [("max_frequency_rad", -0.1), ("min_frequency_rad", 0.1), ("max_frequency_rad", f64::NAN)]
            {
                assert!(costas.set_parameter(name, &limit.into()).is_err(), "{name} {limit}");
            }
            // Limits on one side of 0.
            costas.set_parameter("max_frequency_rad", &0.9.into()).unwrap();
            costas.set_parameter("min_frequency_rad", &0.2.into()).unwrap();
            let spans = Spans {
                x: &x,
                stop: x.len(),
                y: &mut y,
                monitors: [&mut frequency, &mut [], &mut []],
                samples: &mut [],
            };
            costas.follow(spans);
            assert!(frequency.iter().all(|f| (0.2..=0.9).contains(f)), "{order} {use_snr}");
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

    /// The loop by its definition, in double precision: the samples, turned, and the errors.
    fn plain(x: &[C32], bandwidth: f64, order: u32) -> Vec<(superhet_runtime::C64, f64)> {
        let [alpha, beta] = Loop::new(bandwidth, [-1.0, 1.0]).unwrap().gains().map(f64::from);
        let sign = |part: f64| if part > 0.0 { 1.0 } else { -1.0 };
        let k = std::f64::consts::SQRT_2 - 1.0;
        let (mut phase, mut frequency) = (0.0, 0.0f64);
        let follow = |x: &C32| {
            let y = superhet_runtime::C64::new(x.re.into(), x.im.into())
                * superhet_runtime::C64::from_polar(1.0, -phase);
            let (a, b) = (sign(y.re) * y.im, sign(y.im) * y.re);
            let error = match order {
                2 => y.re * y.im,
                4 => a - b,
                _ if y.re.abs() >= y.im.abs() => a - b * k,
                _ => a * k - b,
            };
            let error = error.clamp(-1.0, 1.0);
            frequency += beta * error;
            phase = (phase + frequency + alpha * error) % std::f64::consts::TAU;
            frequency = frequency.clamp(-1.0, 1.0);
            (y, error)
        };
        x.iter().map(follow).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 60, failure_persistence: None, ..Default::default() })]

        #[test]
        fn a_loop_in_chunks_is_that_of_the_definition(
            order in proptest::prop_oneof![proptest::strategy::Just(2u32), proptest::strategy::Just(4), proptest::strategy::Just(8)],
            bandwidth in 0.001f64..0.15,
            phase in 0.05f32..0.3,
            frequency in -0.02f32..0.02,
            gain in 0.2f32..1.2,
        ) {
            let name = ["bpsk", "qpsk", "8psk"][order.trailing_zeros() as usize - 1];
            let (x, _) = turned(name, 1500, phase, frequency);
            let x: Vec<C32> = x.iter().map(|x| x * gain).collect();
            let y: Vec<C32> = harness::run(CostasLoop::new(bandwidth, order, false).unwrap(), &x);
            let wanted = plain(&x, bandwidth, order);
            // Where two errors meet, either may be taken: what comes then is not the same.
            let edge = |y: &superhet_runtime::C64| {
                let (re, im) = (y.re.abs(), y.im.abs());
                order != 2 && (re.min(im) < 1e-3 || order == 8 && (re - im).abs() < 1e-3)
            };
            for (n, (y, (want, _))) in y.iter().zip(&wanted).enumerate() {
                if edge(want) {
                    break;
                }
                let off = (f64::from(y.re) - want.re).hypot(f64::from(y.im) - want.im);
                // A narrow loop forgets slowly what single precision has done to its phase.
                proptest::prop_assert!(off < 5e-4, "{order}, {n}: {y}, wanted {want}");
            }
        }
    }

    /// The error of a first sample.
    fn first_error(order: u32, x: C32) -> f32 {
        let order = [Order::Two, Order::Four, Order::Eight][order.trailing_zeros() as usize - 1];
        let loop_ = Loop::new(0.1, [-1.0, 1.0]).unwrap();
        let mut costas = CostasLoop { loop_, order, use_snr: false, noise: 1.0, place: Place::default() };
        let [mut frequency, mut phase, mut error] = [[0f32]; 3];
        let spans = Spans {
            x: &[x],
            stop: 1,
            y: &mut [C32::ZERO],
            monitors: [&mut frequency, &mut phase, &mut error],
            samples: &mut [],
        };
        costas.follow(spans);
        error[0]
    }

    #[test]
    fn errors_are_those_of_the_definition_at_any_angle_and_size() {
        for order in [2, 4, 8] {
            for size in [1e-20f32, 1e-3, 0.5, 1.0, 3.0, 1e19, 1e25] {
                for step in 1..400 {
                    let x = C32::from_polar(size, 0.01571 * step as f32);
                    let error = first_error(order, x);
                    let wanted = plain(&[x], 0.1, order)[0].1;
                    let bound =
                        2e-6 * f64::from(size.min(1e3).powi(if order == 2 { 2 } else { 1 }).max(1e-12));
                    assert!(
                        (f64::from(error) - wanted).abs() < bound,
                        "{order}, {x}: {error}, wanted {wanted}"
                    );
                }
            }
        }
        for bad in [C32::new(f32::NAN, 1.0), C32::new(f32::INFINITY, 1.0), C32::ZERO] {
            assert_eq!(first_error(4, bad), 0.0);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (x, _) = turned("8psk", 1000, 0.3, -0.9);
        for order in [2, 4, 8] {
            harness::assert_cut_invariant(|| CostasLoop::new(0.05, order, false).unwrap(), &x);
        }
        // Errors beyond their limit here and there, and phases that go round.
        let loud: Vec<C32> =
            x.iter().enumerate().map(|(n, x)| x * if n % 400 < 30 { 3.0 } else { 1.0 }).collect();
        harness::assert_cut_invariant(|| CostasLoop::new(0.05, 2, false).unwrap(), &loud);
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
