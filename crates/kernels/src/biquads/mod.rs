//! Cascades of biquads: recursive filters of second order.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod cascade;
mod scalar;

use crate::dispatch::kernel;

pub use cascade::Biquads;

/// The coefficients of a filter of second order: `H(z) = (b₀ + b₁ z⁻¹ + b₂ z⁻²) / (1 + a₁ z⁻¹ + a₂ z⁻²)`.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Section {
    /// `b₀`, `b₁`, `b₂`.
    pub b: [f32; 3],
    /// `a₁`, `a₂`; stable where `|a₂| < 1` and `|a₁| < 1 + a₂`.
    pub a: [f32; 2],
}

impl crate::trial::Value for Section {
    fn typical(_: u64) -> Self {
        Section { b: [0.2, 0.4, 0.2], a: [-0.4, 0.2] }
    }
    fn unit(bits: u64) -> Self {
        Self::typical(bits)
    }
}

#[cfg(test)]
impl crate::check::Item for Section {
    const JUNK: Self = Section { b: [0.0; 3], a: [f32::MAX; 2] };
    const SPECIAL: &'static [Self] = &[Section { b: [1.0, 0.0, 0.0], a: [0.0; 2] }];
    fn random(_: &mut crate::check::Noise) -> Self {
        Section { b: [0.2, 0.4, 0.2], a: [-0.4, 0.2] }
    }
    fn parts(self) -> [f64; 2] {
        self.a.map(f64::from)
    }
    fn same(self, other: Self) -> bool {
        self == other
    }
}

/// What a section keeps of the past of a channel.
type State = [f32; 2];

/// A variant of [`biquads_f32`](fn@biquads_f32).
type Kernel = fn(&mut [f32], &[Section], &mut [State], usize);

kernel! {
    /// Filters frames of several channels in place by a cascade of biquads, the same for all channels.
    ///
    /// Each section, in the transposed direct form II, turns each item of a channel into
    /// `y = b₀ · x + s₁; s₁ = (b₁ · x + s₂) − a₁ · y; s₂ = b₂ · x − a₂ · y`, and the next section takes that.
    ///
    /// | argument | item | |
    /// |---|---|---|
    /// | `x` | `frame · channels + channel` | a sample, then what became of it |
    /// | `sections` | | in their order |
    /// | `state` | `section · channels + channel` | `s₁`, `s₂`; zeros at the start |
    ///
    /// All variants give the same bits, however the stream is cut into calls (NaNs count as the same). [`Biquads`] keeps
    /// the state.
    ///
    /// # Panics
    ///
    /// If `channels` is 0, or unless `x.len()` is a multiple of it and `state.len() == sections.len() · channels`.
    ///
    /// ```
    /// use superhet_kernels::{Section, biquads_f32};
    /// let smooth = Section { b: [0.5, 0.0, 0.0], a: [-0.5, 0.0] }; // y[n] = 0.5 x[n] + 0.5 y[n - 1]
    /// let mut x = [1.0, 8.0, 1.0, 0.0]; // two frames of two channels
    /// biquads_f32(&mut x, &[smooth], &mut [[0.0; 2]; 2], 2);
    /// assert_eq!(x, [0.5, 4.0, 0.75, 2.0]);
    /// ```
    pub fn biquads_f32(x: &mut [f32], sections: &[Section], state: &mut [[f32; 2]], channels: usize);
    check whole_frames(x.len(), sections.len(), state.len(), channels);
    work |n| { x: n, sections: 4, state: 4 }
    kind Reduction;
    table BIQUADS_F32 { x86_64: avx512, avx2; }
}

fn whole_frames(samples: usize, sections: usize, states: usize, channels: usize) {
    assert!(
        channels > 0 && samples.is_multiple_of(channels) && states == sections * channels,
        "biquads_f32 needs whole frames of ≥ 1 channels and a state for each section and channel, got x.len() = {samples}, \
         channels = {channels}, sections.len() = {sections}, state.len() = {states}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise};

    const SECTIONS: [Section; 3] = [
        Section { b: [0.2, 0.4, 0.2], a: [-0.4, 0.2] },
        Section { b: [1.0, -1.2, 0.5], a: [-1.6, 0.8] },
        Section { b: [0.7, 0.0, 0.0], a: [0.9, 0.0] },
    ];

    /// The difference equation, direct form I, in f64.
    fn plain(x: &[f32], section: &Section) -> Vec<f32> {
        let (b, a) = (section.b.map(f64::from), section.a.map(f64::from));
        let (mut past_x, mut past_y) = ([0.0; 2], [0.0; 2]);
        let filter = |&x: &f32| {
            let x = f64::from(x);
            let y = b[0] * x + b[1] * past_x[0] + b[2] * past_x[1] - a[0] * past_y[0] - a[1] * past_y[1];
            (past_x, past_y) = ([x, past_x[0]], [y, past_y[0]]);
            y as f32
        };
        x.iter().map(filter).collect()
    }

    #[test]
    fn every_variant_filters_each_channel_wherever_the_frames_are_cut() {
        for channels in [1, 2, 7, 8, 9, 31, 32, 33, 40, 71] {
            let x: Vec<f32> = Noise::new(1).signal(500 * channels);
            let mut want = x.clone();
            for channel in 0..channels {
                let mut own: Vec<f32> = x[channel..].iter().step_by(channels).copied().collect();
                SECTIONS.iter().for_each(|section| own = plain(&own, section));
                want[channel..].iter_mut().step_by(channels).zip(own).for_each(|(want, own)| *want = own);
            }
            let states = SECTIONS.len() * channels;
            let mut whole = x.clone();
            biquads_f32(&mut whole, &SECTIONS, &mut vec![[0.0; 2]; states], channels);
            for (name, run) in BIQUADS_F32.variants() {
                for frames in [1, 3, 64, 65, 500] {
                    let case = format!("{name}, {channels} channels, {frames} frames");
                    let (mut y, mut state) = (Guarded::copy(&x, frames % 18), vec![[0.0; 2]; states]);
                    for x in y.items_mut().chunks_mut(frames * channels) {
                        run(x, &SECTIONS, &mut state, channels);
                    }
                    y.check_guards(&case);
                    for ((y, whole), want) in y.items().iter().zip(&whole).zip(&want) {
                        assert!(y.same(*whole), "{case}: {y}, in one piece {whole}");
                        assert!((y - want).abs() < 1e-4, "{case}: {y}, wanted {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn without_sections_nothing_changes() {
        let mut x = [1.0, 2.0];
        biquads_f32(&mut x, &[], &mut [], 2);
        assert_eq!(x, [1.0, 2.0]);
    }

    #[test]
    #[should_panic(expected = "got x.len() = 3, channels = 2, sections.len() = 1, state.len() = 2")]
    fn a_part_of_a_frame_panics() {
        biquads_f32(&mut [0.0; 3], &SECTIONS[..1], &mut [[0.0; 2]; 2], 2);
    }
}
