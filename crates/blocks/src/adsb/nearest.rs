//! A block of the channel where nearly each output would have taps of its own: it takes the nearest of [`PHASES`] phases.
//!
//! ```text
//! for k in outputs { y[k] = Σⱼ x[from(k) + j] · taps[phase(k)][j] }
//! ```
//!
//! The places of the outputs are whole numbers, counted without a division.

use superhet_kernels::{C32, Line, Machine, Routine, run_routine};

use super::channel::BLOCK;

/// Phases of the filter. An output is off by 1/128 of a sample at most.
const PHASES: u32 = 64;

/// What makes blocks, for one ratio of rates.
#[derive(Debug)]
pub(super) struct Nearest {
    /// Outputs lie `step.0 / step.1` samples apart.
    step: (u64, u64),
    taps: usize,
    /// The lines of each phase from 0 to 1, one after the other, with a tap for the real part of a sample and one for the imaginary.
    lines: Vec<Line>,
}

impl Nearest {
    /// `taps` gives those of an output that lies so much of a sample behind one, as many for each.
    pub fn new(step: (u64, u64), taps: impl Fn(f64) -> Vec<f32>) -> Self {
        let phases = (0..=PHASES).map(|phase| taps(f64::from(phase) / f64::from(PHASES)));
        let twice = |taps: Vec<f32>| taps.into_iter().flat_map(|tap| [tap; 2]).collect::<Vec<f32>>();
        let lines = phases.flat_map(|taps| Line::row(&twice(taps))).collect();
        Self { step, taps: taps(0.0).len(), lines }
    }

    /// Makes a block of the samples from its first one on. The first output lies `part / step.1` behind a sample.
    pub fn block(&self, samples: &[C32], part: u64, block: &mut [C32; BLOCK], offset: C32) {
        run_routine(Outputs { y: block, x: samples, part, filter: self, offset });
    }
}

/// The outputs one after the other, less an offset.
struct Outputs<'a> {
    y: &'a mut [C32; BLOCK],
    x: &'a [C32],
    part: u64,
    filter: &'a Nearest,
    offset: C32,
}

impl Routine for Outputs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Self { y, x, mut part, filter, offset } = self;
        let (taps, (step, whole), lines) = (filter.taps, filter.step, &filter.lines[..]);
        let each = lines.len() / (PHASES as usize + 1);
        let phase_of_part = f64::from(PHASES) / whole as f64;
        let (samples, rest) = ((step / whole) as usize, step % whole);
        let mut from = 0;
        for y in y {
            let phase = (part as f64 * phase_of_part + 0.5) as usize;
            let x = bytemuck::cast_slice(&x[from..from + taps]);
            let [(re, im)] = M::sums::<2, 1>(x, [&lines[phase * each..][..each]]);
            *y = C32::new(re, im) - offset;
            part += rest;
            let is_next = part >= whole;
            part -= if is_next { whole } else { 0 };
            from += samples + usize::from(is_next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    #[test]
    fn an_output_is_the_sum_of_the_nearest_phase() {
        let taps = |part: f64| (0..12).map(|j| 0.1 * j as f32 + part as f32).collect::<Vec<f32>>();
        for (step, whole) in [(64, 125), (16, 25), (2_000_001, 4_000_000), (257, 100)] {
            let nearest = Nearest::new((step, whole), taps);
            let x = complex_noise(BLOCK * step as usize / whole as usize + 14);
            for part in [0, 1, whole / 3, whole - 1] {
                let (mut y, offset) = ([C32::ZERO; BLOCK], C32::new(0.25, -0.5));
                nearest.block(&x, part, &mut y, offset);
                for (k, y) in y.iter().enumerate() {
                    let place = part + k as u64 * step;
                    let behind = (place % whole) as f64 / whole as f64;
                    let x = &x[(place / whole) as usize..];
                    let phase = (behind * f64::from(PHASES)).round() / f64::from(PHASES);
                    let sum: C32 = taps(phase).iter().zip(x).map(|(tap, x)| x * tap).sum();
                    assert!((y - (sum - offset)).norm() < 1e-4, "{step}/{whole}: {y}, not {}", sum - offset);
                }
            }
        }
    }
}
