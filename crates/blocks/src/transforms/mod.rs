//! Fourier transforms.

pub mod fft;
pub mod goertzel;

pub use fft::{Fft, RealFft, window_factors};
pub use goertzel::Goertzel;

use std::cell::RefCell;

use superhet_runtime::C32;

/// Calls `f` with so many samples of scratch memory, which hold anything. It belongs to the thread, so that pure blocks
/// need no lock; `f` must not ask for more.
pub(crate) fn with_scratch<R>(samples: usize, f: impl FnOnce(&mut [C32]) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Vec<C32>> = const { RefCell::new(Vec::new()) };
    }
    SCRATCH.with_borrow_mut(|scratch| {
        if scratch.len() < samples {
            scratch.resize(samples, C32::ZERO);
        }
        f(&mut scratch[..samples])
    })
}

/// As [`with_scratch`], with memory of its own for real samples.
pub(crate) fn with_floats<R>(samples: usize, f: impl FnOnce(&mut [f32]) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
    }
    // Taken out while it is used, so that a filter inside of another finds an empty one.
    let mut scratch = SCRATCH.take();
    if scratch.len() < samples {
        scratch.resize(samples, 0.0);
    }
    let result = f(&mut scratch[..samples]);
    SCRATCH.set(scratch);
    result
}
