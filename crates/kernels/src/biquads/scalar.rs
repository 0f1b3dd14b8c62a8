//! The definition of biquad cascades.
//!
//! ```text
//! for x in frames { for section in sections { for channel in channels { x[channel] = section(x[channel]) } } }
//! ```
//!
//! The channels are taken in groups that fill vectors: a recursion waits for itself, but not for its neighbours. Of each
//! group one section after the other runs over a chunk of frames, so that its state stays in registers and the samples
//! in the level-1 cache. Each channel has the same operations in the same order, whatever group it is in.

use super::{Section, State};

/// Channels of a group.
const GROUP: usize = 32;

/// Floats of a chunk of frames.
const CHUNK: usize = 4096;

#[inline(always)]
pub(super) fn biquads_f32(x: &mut [f32], sections: &[Section], state: &mut [State], channels: usize) {
    let chunk = (CHUNK / channels).max(1) * channels;
    for x in x.chunks_mut(chunk) {
        let mut first = 0;
        while first < channels {
            let width = match channels - first {
                GROUP.. => GROUP,
                8.. => 8,
                _ => 1,
            };
            for (section, state) in sections.iter().zip(state.chunks_mut(channels)) {
                let state = &mut state[first..];
                match width {
                    GROUP => run::<GROUP>(x, section, state, first, channels),
                    8 => run::<8>(x, section, state, first, channels),
                    _ => run::<1>(x, section, state, first, channels),
                }
            }
            first += width;
        }
    }
}

/// One section over some channels of all frames.
#[inline(always)]
fn run<const WIDTH: usize>(
    x: &mut [f32],
    section: &Section,
    state: &mut [State],
    first: usize,
    channels: usize,
) {
    let Section { b: [b0, b1, b2], a: [a1, a2] } = *section;
    let mut s: [[f32; WIDTH]; 2] = std::array::from_fn(|k| std::array::from_fn(|lane| state[lane][k]));
    for frame in x.chunks_exact_mut(channels) {
        let x: &mut [f32; WIDTH] = frame[first..].first_chunk_mut().expect("the group lies in the frame");
        for lane in 0..WIDTH {
            let x_now = x[lane];
            let y = b0 * x_now + s[0][lane];
            s[0][lane] = (b1 * x_now + s[1][lane]) - a1 * y;
            s[1][lane] = b2 * x_now - a2 * y;
            x[lane] = y;
        }
    }
    for lane in 0..WIDTH {
        state[lane] = [s[0][lane], s[1][lane]];
    }
}
