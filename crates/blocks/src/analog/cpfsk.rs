//! Frequency-shift keying with a continuous phase.
//!
//! How a symbol turns does not depend on where it begins: its turns are made once for each bit, and multiplied by the turn at its
//! beginning, which goes on from symbol to symbol in double precision and is made anew, from the phase, every 64 symbols. What
//! bounds it are the stores.

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::{C32, C64, Ratio, Shape, SyncBlock, declare};

use super::gain::finite;
use crate::error::{Error, check};

/// Keys a carrier between two frequencies, with a continuous phase: `y[n] = amplitude · exp(j φ[n])`,
/// `φ[n] = φ[n − 1] ± π · modulation_index / samples_per_symbol`, plus for a bit that is not 0.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `u8` | bits, one a byte | 1 |
/// | out `out` | `C32` | magnitude `amplitude` | `samples_per_symbol` |
/// | in `set` | messages | new values of `amplitude` | |
///
/// **Accuracy**: `|error| ≤ 2⁻²² · amplitude`.
///
/// ```
/// use superhet_blocks::analog::Cpfsk;
/// use superhet_runtime::{C32, harness};
///
/// let y: Vec<C32> = harness::run(Cpfsk::new(0.5, 1.0, 2)?, &[1u8, 0]);
/// assert!((y[1] - C32::I).norm() < 1e-6 && (y[3] - C32::ONE).norm() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cpfsk {
    increment: f64,
    amplitude: f32,
    samples_per_symbol: usize,
    phase: f64,
    /// The turn of the phase.
    turn: C64,
    /// Symbols since the turn was made of the phase.
    old: usize,
    /// The turns of a symbol 1, and the same times j.
    turns: [Vec<C32>; 2],
    /// Those of a symbol 0, likewise.
    turns_back: [Vec<C32>; 2],
}

/// The most samples of a symbol.
const MOST: usize = 1 << 16;

/// After how many symbols the turn is made of the phase.
const ANEW: usize = 64;

/// Symbols one after the other.
struct Keying<'a> {
    x: &'a [u8],
    y: &'a mut [C32],
    cpfsk: &'a mut Cpfsk,
}

impl Routine for Keying<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        match self.cpfsk.samples_per_symbol {
            // As many as are known when this is compiled are done by vectors that are known as well.
            8 => self.run_symbols(8),
            samples => self.run_symbols(samples),
        }
    }
}

impl Keying<'_> {
    #[inline(always)]
    fn run_symbols(self, samples: usize) {
        let Keying { x, y, cpfsk } = self;
        let last = C64::cis(cpfsk.increment * samples as f64);
        let step = cpfsk.increment * samples as f64;
        let [ones, ones_by_j] = [&cpfsk.turns[0][..samples], &cpfsk.turns[1][..samples]];
        let [zeros, zeros_by_j] = [&cpfsk.turns_back[0][..samples], &cpfsk.turns_back[1][..samples]];
        let (mut phase, mut turn, mut old) = (cpfsk.phase, cpfsk.turn, cpfsk.old);
        for (bit, y) in x.iter().zip(y.chunks_exact_mut(samples)) {
            let is_one = *bit != 0;
            let (turns, turns_by_j) = if is_one { (ones, ones_by_j) } else { (zeros, zeros_by_j) };
            let begin = C32::new(turn.re as f32 * cpfsk.amplitude, turn.im as f32 * cpfsk.amplitude);
            for (y, (a, b)) in y.iter_mut().zip(turns.iter().zip(turns_by_j)) {
                *y = C32::new(begin.re * a.re + begin.im * b.re, begin.re * a.im + begin.im * b.im);
            }
            phase += if is_one { step } else { -step };
            let sine = if is_one { last.im } else { -last.im };
            turn = C64::new(turn.re * last.re - turn.im * sine, turn.im * last.re + turn.re * sine);
            old += 1;
            if old == ANEW {
                (phase, turn) = anew(phase);
                old = 0;
            }
        }
        (cpfsk.phase, cpfsk.turn, cpfsk.old) = (phase, turn, old);
    }
}

/// The phase within half a turn, and its turn.
#[inline(never)]
fn anew(phase: f64) -> (f64, C64) {
    use std::f64::consts::TAU;
    let phase = phase - TAU * (phase / TAU).round();
    (phase, C64::cis(phase))
}

#[declare(
    category = "analog",
    summary = "Frequency-shift keying of bits with a continuous phase.",
    ports(
        input("in", "u8", "bits, one a byte"),
        output("out", "C32", "the keyed carrier: n · samples_per_symbol items for n")
    )
)]
impl Cpfsk {
    /// Keys by `modulation_index / 2` turns in each symbol.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number out of its range.
    pub fn new(
        /// By how many half turns a symbol turns.
        #[param(range = -3.4e38..=3.4e38, default = 0.5)]
        modulation_index: f64,
        /// The magnitude of the output.
        #[param(live, set = set_amplitude, range = -3.4e38..=3.4e38, default = 1.0)]
        amplitude: f64,
        /// Samples for each bit.
        #[param(unit = "items", range = 1..=MOST, default = 8)]
        samples_per_symbol: usize,
    ) -> Result<Self, Error> {
        let wanted = "a whole number from 1 to 65536";
        let fits = (1..=MOST).contains(&samples_per_symbol);
        check(fits, "samples_per_symbol", wanted, samples_per_symbol as f64)?;
        finite("modulation_index", modulation_index)?;
        let increment = std::f64::consts::PI * modulation_index / samples_per_symbol as f64;
        let turns = |of: fn(C64) -> C64, increment: f64| -> Vec<C32> {
            let turns = (1..=samples_per_symbol).map(|n| of(C64::cis(increment * n as f64)));
            turns.map(|turn| C32::new(turn.re as f32, turn.im as f32)).collect()
        };
        let both = |increment: f64| [turns(|turn| turn, increment), turns(|turn| C64::I * turn, increment)];
        Ok(Cpfsk {
            increment,
            amplitude: finite("amplitude", amplitude)?,
            samples_per_symbol,
            phase: 0.0,
            turn: C64::ONE,
            old: 0,
            turns: both(increment),
            turns_back: both(-increment),
        })
    }

    fn set_amplitude(&mut self, amplitude: f64) -> Result<(), Error> {
        self.amplitude = finite("amplitude", amplitude)?;
        Ok(())
    }
}

#[declare]
impl SyncBlock for Cpfsk {
    type In = u8;
    type Out = C32;
    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(self.samples_per_symbol), ..Shape::default() }
    }

    fn process(&mut self, x: &[u8], y: &mut [C32]) {
        run_routine(Keying { x, y, cpfsk: self });
    }
}

#[cfg(test)]
#[allow(clippy::approx_constant, clippy::type_complexity, reason = "numbers as they were observed")]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio() {
        let y: Vec<C32> = harness::run(Cpfsk::new(0.5, 2.0, 4).unwrap(), &[0u8, 1, 1, 0]);
        let wanted = [(1.847759, -0.765367), (1.414214, -1.414214), (0.765367, -1.847759), (0.0, -2.0)];
        assert!(y.iter().zip(wanted).all(|(y, (re, im))| (y - C32::new(re, im)).norm() < 1e-5), "{y:?}");
        assert!((y[15] - C32::new(2.0, 0.0)).norm() < 1e-5);
    }

    #[test]
    fn values_are_those_of_the_definition_after_many_symbols() {
        let bits: Vec<u8> = (0..5000u32).map(|n| (n * n % 7 % 2) as u8).collect();
        for (index, samples) in [(0.5, 8), (0.7, 5), (-3.3, 1), (1e-3, 100)] {
            let y: Vec<C32> = harness::run(Cpfsk::new(index, 3.0, samples).unwrap(), &bits);
            let mut phase = 0.0f64;
            for (n, y) in y.iter().enumerate() {
                let sign = if bits[n / samples] != 0 { 1.0 } else { -1.0 };
                phase += sign * std::f64::consts::PI * index / samples as f64;
                let off = C64::new(y.re.into(), y.im.into()) - 3.0 * C64::cis(phase);
                assert!(off.norm() < 3.0 / (1 << 22) as f64, "{index}, {samples}, {n}: {y}, {off}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let bits: Vec<u8> = (0..200u32).map(|n| (n * n % 7 % 2) as u8).collect();
        harness::assert_cut_invariant(|| Cpfsk::new(0.7, 1.0, 5).unwrap(), &bits);
        assert!(Cpfsk::new(0.5, 1.0, 0).is_err());
    }
}
