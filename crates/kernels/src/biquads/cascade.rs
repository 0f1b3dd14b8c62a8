//! A cascade that goes on from call to call.

use super::{BIQUADS_F32, Kernel, Section, State};

/// Filters a stream of one or more channels by a cascade of biquads; see [`biquads_f32`](fn@super::biquads_f32).
///
/// The output does not depend on how the stream is cut. A recursion waits for itself, so one channel is as slow as eight:
/// many channels in one cascade are what makes it fast.
///
/// ```
/// use superhet_kernels::{Biquads, Section};
/// let mut smooth = Biquads::new(&[Section { b: [0.5, 0.0, 0.0], a: [-0.5, 0.0] }], 1);
/// let (mut first, mut second) = ([1.0, 1.0], [1.0]);
/// smooth.filter(&mut first);
/// smooth.filter(&mut second);
/// assert_eq!((first, second), ([0.5, 0.75], [0.875]));
/// ```
#[derive(Clone, Debug)]
pub struct Biquads {
    sections: Vec<Section>,
    state: Vec<State>,
    channels: usize,
    run: Kernel,
}

impl Biquads {
    /// These sections, one after the other, for each of so many channels. The variant is chosen here, once.
    ///
    /// # Panics
    ///
    /// If `channels` is 0.
    pub fn new(sections: &[Section], channels: usize) -> Self {
        assert!(channels > 0, "a cascade needs at least 1 channel");
        Self {
            sections: sections.to_vec(),
            state: vec![[0.0; 2]; sections.len() * channels],
            channels,
            run: BIQUADS_F32.chosen(),
        }
    }

    /// Filters frames in place: a sample of each channel, then the next of each, and so on.
    ///
    /// # Panics
    ///
    /// Unless `frames.len()` is a multiple of the number of channels.
    pub fn filter(&mut self, frames: &mut [f32]) {
        (self.run)(frames, &self.sections, &mut self.state, self.channels);
    }

    /// Forgets the past.
    pub fn reset(&mut self) {
        self.state.fill([0.0; 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_forgets_the_past() {
        let mut cascade = Biquads::new(&[Section { b: [1.0, 0.0, 0.0], a: [-0.9, 0.0] }], 3);
        let (mut first, mut again) = ([1.0; 9], [1.0; 9]);
        cascade.filter(&mut first);
        cascade.reset();
        cascade.filter(&mut again);
        assert_eq!(first, again);
    }
}
