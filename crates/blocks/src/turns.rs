//! Turns by many phases at once.

use superhet_kernels::{Machine, Routine, run_routine};
use superhet_runtime::C32;

struct Turns<'a> {
    y: &'a mut [C32],
    phases: &'a [f32],
}

impl Routine for Turns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        for (y, phase) in self.y.iter_mut().zip(self.phases) {
            *y = M::expj(*phase);
        }
    }
}

/// `exp(j · phase)`, to 2e-7 within ±40 radians: twice as fast as the kernel that is right at any phase.
pub(crate) fn expj(y: &mut [C32], phases: &[f32]) {
    run_routine(Turns { y, phases });
}
