//! Fourier transforms of single precision: those of the crate `rustfft`, compiled once.
//!
//! The planner of `rustfft` is generic in its numbers, so every crate that plans a transform compiles all of its algorithms anew,
//! for each instruction set: 0.7 MB of code each time. This crate names the numbers. Its users get
//! transforms behind `dyn Fft<f32>`, whose code is here.
//!
//! ```
//! use superhet_fft::{Complex32, FftPlanner};
//!
//! let transform = FftPlanner::new().plan_fft_forward(4);
//! let mut samples = [1.0, 0.0, -1.0, 0.0].map(|re| Complex32::new(re, 0.0));
//! transform.process(&mut samples);
//! assert_eq!(samples.map(|bin| bin.re), [0.0, 2.0, 0.0, 2.0]);
//! ```
#![forbid(unsafe_code)]

use std::sync::Arc;

pub use rustfft::num_complex::Complex32;
pub use rustfft::{Fft, FftDirection};

/// Plans transforms, with what suits this processor best, and remembers them: those of one planner share their parts.
///
/// A transform is not scaled: forward and then inverse gives the samples times their number.
pub struct FftPlanner(rustfft::FftPlanner<f32>);

impl FftPlanner {
    /// A planner that remembers nothing yet.
    #[inline(never)]
    pub fn new() -> Self {
        FftPlanner(rustfft::FftPlanner::new())
    }

    /// The transform of `length` samples in that direction.
    #[inline(never)]
    pub fn plan_fft(&mut self, length: usize, direction: FftDirection) -> Arc<dyn Fft<f32>> {
        self.0.plan_fft(length, direction)
    }

    /// The transform of `length` samples: `Y[k] = Σ x[n] · exp(-2πi·k·n / length)`.
    pub fn plan_fft_forward(&mut self, length: usize) -> Arc<dyn Fft<f32>> {
        self.plan_fft(length, FftDirection::Forward)
    }

    /// The inverse of that, times `length`: `y[n] = Σ X[k] · exp(2πi·k·n / length)`.
    pub fn plan_fft_inverse(&mut self, length: usize) -> Arc<dyn Fft<f32>> {
        self.plan_fft(length, FftDirection::Inverse)
    }
}

impl Default for FftPlanner {
    fn default() -> Self {
        FftPlanner::new()
    }
}
