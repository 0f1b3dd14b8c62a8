//! Any loop, compiled for each instruction set: what loops with a state run.

#![allow(unsafe_code, reason = "calls of variants whose instructions were detected")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod machine;
mod scalar;

use crate::dispatch::Compiled;
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

    #[test]
    fn a_phase_that_is_no_number_turns_to_no_number() {
        for (name, run) in compiled::<Turns<'_>>().op("run_routine").variants() {
            // SAFETY: as before.
            let turned = unsafe { run(Turns(&[f32::NAN, f32::INFINITY])) };
            assert!(turned.iter().all(|(turn, _)| turn.re.is_nan() && turn.im.is_nan()), "{name}");
        }
    }
}
