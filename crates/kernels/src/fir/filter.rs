//! A FIR filter that goes on from call to call.

use super::{FIR_C32_C32, FIR_C32_F32, FIR_F32, FIR_F32_C32};
use crate::C32;
use std::fmt;

/// A kernel of this family: outputs, samples, reversed taps, decimation.
pub type FirKernel<T, Tap> = fn(&mut [<T as FirSample<Tap>>::Out], &[T], &[Tap], usize);

/// Samples that taps of type `Tap` can filter.
pub trait FirSample<Tap>: Copy + Default + Send + Sync + 'static {
    /// What comes out: complex samples, unless samples and taps are real.
    type Out;
    /// The variant of the kernel that is used on this machine.
    fn kernel() -> FirKernel<Self, Tap>;
}

impl FirSample<f32> for f32 {
    type Out = f32;
    fn kernel() -> FirKernel<f32, f32> {
        FIR_F32.chosen()
    }
}

impl FirSample<C32> for f32 {
    type Out = C32;
    fn kernel() -> FirKernel<f32, C32> {
        FIR_F32_C32.chosen()
    }
}

impl FirSample<f32> for C32 {
    type Out = C32;
    fn kernel() -> FirKernel<C32, f32> {
        FIR_C32_F32.chosen()
    }
}

impl FirSample<C32> for C32 {
    type Out = C32;
    fn kernel() -> FirKernel<C32, C32> {
        FIR_C32_C32.chosen()
    }
}

/// Filters a stream in pieces of any size: `y[k] = Σⱼ taps[j] · x[k · decimation − j]`, with zeros before the first
/// sample.
///
/// The output does not depend on how the stream is cut.
///
/// **Accuracy**: that of the kernel.
///
/// ```
/// use superhet_kernels::FirFilter;
/// let mut mean_of_two = FirFilter::new(&[0.5f32, 0.5], 2);
/// let mut y = [0.0f32; 2];
/// assert_eq!(mean_of_two.filter(&mut y, &[1.0, 2.0, 4.0]), 2);
/// assert_eq!(y, [0.5, 3.0]);
/// assert_eq!(mean_of_two.outputs(1), 0); // y[2] takes x[3] and x[4]
/// assert_eq!(mean_of_two.filter(&mut y, &[6.0, 8.0]), 1);
/// assert_eq!(y[0], 7.0);
/// ```
#[derive(Clone)]
pub struct FirFilter<T: FirSample<Tap>, Tap> {
    taps_reversed: Vec<Tap>,
    decimation: usize,
    run: FirKernel<T, Tap>,
    /// What the windows of the next outputs need of the past: fewer samples than there are taps.
    past: Vec<T>,
    /// Samples between the past, which is empty then, and the window of the next output.
    skip: usize,
}

impl<T: FirSample<Tap>, Tap: Copy> FirFilter<T, Tap> {
    /// A filter that gives one item out of `decimation`. The variant is chosen here, once.
    ///
    /// # Panics
    ///
    /// If there are no taps, or `decimation` is 0.
    pub fn new(taps: &[Tap], decimation: usize) -> Self {
        assert!(!taps.is_empty() && decimation > 0, "a FIR filter needs taps and a decimation ≥ 1");
        Self {
            taps_reversed: taps.iter().rev().copied().collect(),
            decimation,
            run: T::kernel(),
            past: vec![T::default(); taps.len() - 1],
            skip: 0,
        }
    }

    /// How many outputs the next `samples` samples give.
    pub fn outputs(&self, samples: usize) -> usize {
        match (self.past.len() + samples).checked_sub(self.skip + self.taps_reversed.len()) {
            Some(beyond_the_first) => beyond_the_first / self.decimation + 1,
            None => 0,
        }
    }

    /// Filters `x` into the start of `y` and says how many outputs that were: [`FirFilter::outputs`] of `x.len()`.
    ///
    /// # Panics
    ///
    /// Unless `y.len() ≥ outputs(x.len())`.
    pub fn filter(&mut self, y: &mut [T::Out], x: &[T]) -> usize {
        let (taps, step, old) = (self.taps_reversed.len(), self.decimation, self.past.len());
        let outputs = self.outputs(x.len());
        assert!(
            y.len() >= outputs,
            "filter needs y.len() ≥ {outputs} for {} samples, got {}",
            x.len(),
            y.len()
        );

        // The windows that start in the past: the past and as much of `x` as the last of them takes.
        let from_past = outputs.min(old.div_ceil(step));
        if from_past > 0 {
            let needed = (from_past - 1) * step + taps - old;
            self.past.extend_from_slice(&x[..needed]);
            (self.run)(&mut y[..from_past], &self.past, &self.taps_reversed, step);
            self.past.truncate(old);
        }
        // The others lie in `x`.
        let start = (self.skip + from_past * step).saturating_sub(old);
        if outputs > from_past {
            (self.run)(&mut y[from_past..outputs], &x[start..], &self.taps_reversed, step);
        }

        // From here on the next window starts, counted from the past.
        let next = self.skip + outputs * step;
        match next.checked_sub(old) {
            Some(start) => {
                self.past.clear();
                self.past.extend_from_slice(x.get(start..).unwrap_or(&[]));
                self.skip = start.saturating_sub(x.len());
            }
            None => {
                self.past.drain(..next);
                self.past.extend_from_slice(x);
            }
        }
        outputs
    }
}

impl<T: FirSample<Tap>, Tap> fmt::Debug for FirFilter<T, Tap> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut filter = f.debug_struct("FirFilter");
        filter.field("taps", &self.taps_reversed.len()).field("decimation", &self.decimation);
        filter.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Item, Noise};

    #[test]
    fn pieces_of_any_size_give_what_the_whole_gives() {
        for taps in [1, 2, 7, 64] {
            let taps: Vec<f32> = Noise::new(2).signal(taps);
            for decimation in [1, 2, 5, 100] {
                let x: Vec<C32> = Noise::new(1).signal(3000);
                // The definition: zeros first, then one call.
                let padded = [vec![C32::ZERO; taps.len() - 1], x.clone()].concat();
                let reversed: Vec<f32> = taps.iter().rev().copied().collect();
                let mut want = vec![C32::JUNK; x.len().div_ceil(decimation)];
                (FIR_C32_F32.chosen())(&mut want, &padded, &reversed, decimation);

                for piece in [1, 2, 3, 6, 7, 63, 64, 65, 99, 101, 1000, 3000] {
                    let mut filter = FirFilter::<C32, f32>::new(&taps, decimation);
                    let mut y = Vec::new();
                    for (n, x) in x.chunks(piece).enumerate() {
                        // Sometimes there is nothing.
                        assert_eq!(filter.filter(&mut [], &x[..0]), 0, "call {n}");
                        let outputs = filter.outputs(x.len());
                        y.resize(y.len() + outputs, C32::JUNK);
                        let start = y.len() - outputs;
                        assert_eq!(filter.filter(&mut y[start..], x), outputs);
                    }
                    assert_eq!(y, want, "{} taps, decimation {decimation}, pieces of {piece}", taps.len());
                }
            }
        }
    }

    #[test]
    fn all_kinds_of_samples_and_taps_are_filtered() {
        let mut y = [C32::ZERO; 2];
        FirFilter::<C32, C32>::new(&[C32::I], 1).filter(&mut y, &[C32::ONE, C32::I]);
        assert_eq!(y, [C32::I, -C32::ONE]);
        FirFilter::<f32, C32>::new(&[C32::I], 1).filter(&mut y, &[1.0, 3.0]);
        assert_eq!(y, [C32::I, 3.0 * C32::I]);
        let mut y = [0.0; 2];
        FirFilter::<f32, f32>::new(&[2.0], 1).filter(&mut y, &[1.0, 3.0]);
        assert_eq!(y, [2.0, 6.0]);
    }

    #[test]
    #[should_panic(expected = "filter needs y.len() ≥ 3 for 3 samples, got 2")]
    fn too_little_room_panics() {
        FirFilter::<f32, f32>::new(&[1.0], 1).filter(&mut [0.0; 2], &[0.0; 3]);
    }
}
