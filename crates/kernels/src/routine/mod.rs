//! Any loop, compiled for each instruction set: what loops with a state run.

#![allow(unsafe_code, reason = "calls of variants whose instructions were detected")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lines;
mod machine;
mod scalar;

use crate::dispatch::Compiled;
pub use lines::Line;
pub use machine::{Fused, Machine, Rounded};

/// A loop, to be run by [`run_routine`].
///
/// `run` needs `#[inline(always)]`: only what is inlined takes over the instruction set that the loop is compiled for. Of a
/// function that calls others, those need it as well.
///
/// ```
/// use superhet_kernels::{Machine, Routine, run_routine};
///
/// /// `y[n] = x[n] + 0.5 · y[n − 1]`.
/// struct Decay<'a> { y: &'a mut [f32], x: &'a [f32], last: f32 }
///
/// impl Routine for Decay<'_> {
///     type Output = f32;
///     #[inline(always)]
///     fn run<M: Machine>(self) -> f32 {
///         let mut last = self.last;
///         for (y, x) in self.y.iter_mut().zip(self.x) {
///             last = M::multiply_add(0.5, last, *x);
///             *y = last;
///         }
///         last
///     }
/// }
///
/// let mut y = [0.0; 2];
/// assert_eq!(run_routine(Decay { y: &mut y, x: &[1.0, 1.0], last: 0.0 }), 1.5);
/// ```
pub trait Routine: Sized {
    /// What it returns.
    type Output;

    /// The loop, on a processor that computes as `M` says.
    fn run<M: Machine>(self) -> Self::Output;
}

/// Runs a loop, compiled for the best instruction set of this machine that `SUPERHET_KERNEL` allows.
///
/// **Accuracy**: that of the loop. Where it asks for [`Machine::multiply_add`], bits may differ from machine to machine.
#[inline]
pub fn run_routine<R: Routine>(routine: R) -> R::Output {
    let run = const { compiled::<R>() }.chosen();
    // SAFETY: `chosen` gives the function of an instruction set that was detected.
    unsafe { run(routine) }
}

/// A routine for one type; to be called where the CPU features of its instruction set are.
type Run<R> = unsafe fn(R) -> <R as Routine>::Output;

const fn compiled<R: Routine>() -> Compiled<Run<R>> {
    Compiled {
        scalar: scalar::run,
        #[cfg(target_arch = "x86_64")]
        avx2: avx2::run,
        #[cfg(target_arch = "x86_64")]
        avx512: avx512::run,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::C32;
    use crate::check::{Guarded, Noise};

    /// `M::expj` and `M::multiply_add` of each phase.
    struct Turns<'a>(&'a [f32]);

    impl Routine for Turns<'_> {
        type Output = Vec<(C32, f32)>;
        #[inline(always)]
        fn run<M: Machine>(self) -> Vec<(C32, f32)> {
            self.0.iter().map(|x| (M::expj(*x), M::multiply_add(*x, 3.0, 0.5))).collect()
        }
    }

    #[test]
    fn every_variant_turns_by_a_phase() {
        static PHASES: LazyLock<Vec<f32>> =
            LazyLock::new(|| (-40_000..40_000).map(|n| n as f32 * 1e-3 + 1e-4).collect());
        let phases: &'static [f32] = &PHASES;
        for (name, run) in compiled::<Turns<'_>>().op("run_routine").variants() {
            // SAFETY: `variants` gives out only what was compiled for instruction sets that this machine has.
            let turned = unsafe { run(Turns(phases)) };
            for (phase, (turn, sum)) in phases.iter().zip(turned) {
                let phase = f64::from(*phase);
                let off = (f64::from(turn.re) - phase.cos()).hypot(f64::from(turn.im) - phase.sin());
                assert!(off < 2e-7, "{name}, {phase}: {turn}, {off}");
                assert!((f64::from(sum) - (3.0 * phase + 0.5)).abs() < 2e-5, "{name}, {phase}: {sum}");
            }
        }
    }

    /// The sums of a window with two rows of taps: of numbers, of pairs, and those of the first row alone.
    struct Sums<'a>(&'a [f32], [&'a [Line]; 2]);

    impl Routine for Sums<'_> {
        type Output = ([(f32, f32); 2], [(f32, f32); 2], [(f32, f32); 1]);
        #[inline(always)]
        fn run<M: Machine>(self) -> Self::Output {
            let Sums(x, rows) = self;
            (M::sums::<1, 2>(x, rows), M::sums::<2, 2>(x, rows), M::sums::<2, 1>(x, [rows[0]]))
        }
    }

    #[test]
    fn every_variant_sums_products_with_lines_of_taps() {
        const NUMBERS: [usize; 17] = [0, 1, 7, 8, 9, 15, 16, 17, 18, 31, 32, 34, 48, 49, 64, 88, 202];
        type Case = (Guarded<f32>, [Vec<f32>; 2], [Vec<Line>; 2]);
        // `variants` gives functions for one lifetime, that of what is static.
        static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
            let case = |numbers: usize| {
                let x = Guarded::copy(&Noise::new(1).signal::<f32>(numbers), numbers % 18);
                let taps = [2, 3].map(|seed| Noise::new(seed).signal::<f32>(numbers));
                let lines = taps.each_ref().map(|taps| Line::row(taps));
                (x, taps, lines)
            };
            NUMBERS.map(case).into()
        });
        let cases: &'static [Case] = &CASES;
        for (x, taps, lines) in cases {
            let (x, lines) = (x.items(), lines.each_ref().map(Vec::as_slice));
            let numbers = x.len();
            let sum = |row: usize, first: usize, step: usize| {
                let products = x.iter().zip(&taps[row]).skip(first).step_by(step);
                products.map(|(x, tap)| f64::from(*x) * f64::from(*tap)).sum::<f64>()
            };
            let near = |got: f32, want: f64| (f64::from(got) - want).abs() <= 1e-6 * numbers as f64;
            for (name, run) in compiled::<Sums<'_>>().op("run_routine").variants() {
                // SAFETY: as before.
                let (of_numbers, of_pairs, alone) = unsafe { run(Sums(x, lines)) };
                for row in 0..2 {
                    assert!(near(of_numbers[row].0, sum(row, 0, 1)), "{name}, {numbers}");
                    // There are pairs where nothing is left over.
                    if numbers % 2 == 0 {
                        assert!(near(of_pairs[row].0, sum(row, 0, 2)), "{name}, {numbers}");
                        assert!(near(of_pairs[row].1, sum(row, 1, 2)), "{name}, {numbers}");
                    }
                }
                assert_eq!(alone[0], of_pairs[0], "{name}, {numbers}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "got 20 numbers and 1 lines")]
    fn a_row_for_another_window_panics() {
        run_routine(Sums(&[0.0; 20], [&[Line([0.0; 16])]; 2]));
    }

    #[test]
    fn a_whole_number_is_that_towards_zero() {
        for x in [0.0f32, 0.99, -0.99, 1.5, -7.5, 3e9, -4e15, 4.6e18] {
            assert_eq!(Fused::whole(x), x as i64);
            assert_eq!(Rounded::whole(x), x as i64);
        }
    }

    #[test]
    fn a_phase_that_is_no_number_turns_to_no_number() {
        for (name, run) in compiled::<Turns<'_>>().op("run_routine").variants() {
            // SAFETY: as before.
            let turned = unsafe { run(Turns(&[f32::NAN, f32::INFINITY])) };
            assert!(turned.iter().all(|(turn, _)| turn.re.is_nan() && turn.im.is_nan()), "{name}");
        }
    }
}
