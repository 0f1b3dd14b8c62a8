//! The definition of the sums of arms.
//!
//! ```text
//! for y in outputs { y = Σ x[window + j] · taps[arm + j] }
//! ```
//!
//! Sums are kept in eight lanes, so that an addition does not wait for the one before it. Where the outputs of a resampler lie
//! is the same in every variant, bit by bit: [`Places`].

use crate::{C32, floats};

/// Where the outputs of a resampler lie.
pub(super) struct Places {
    pub(super) item: usize,
    pub(super) phase: f64,
    whole: usize,
    part: f64,
    arms: f64,
}

impl Places {
    #[inline(always)]
    pub(super) fn new(arms: usize, whole: usize, [phase, part]: [f64; 2]) -> Self {
        Places { item: 0, phase, whole, part, arms: arms as f64 }
    }

    /// The arm, and what there is beyond it.
    #[inline(always)]
    pub(super) fn arm(&self) -> (usize, f32) {
        let arm = self.phase as i32;
        (arm as usize, (self.phase - f64::from(arm)) as f32)
    }

    #[inline(always)]
    pub(super) fn go_on(&mut self) {
        let next = self.phase + self.part;
        let is_over = next >= self.arms;
        self.phase = next - if is_over { self.arms } else { 0.0 };
        self.item = self.item.saturating_add(self.whole + usize::from(is_over));
    }

    #[inline(always)]
    pub(super) fn told(&self, given: usize) -> [f64; 3] {
        [given as f64, self.item as f64, self.phase]
    }
}

/// Lanes of a sum.
const LANES: usize = 8;

/// The sum of `PARTS` interleaved numbers, each times a tap.
#[inline(always)]
fn dot<const PARTS: usize>(x: &[f32], tap: impl Fn(usize) -> f32) -> [f32; PARTS] {
    let mut sums = [0.0; LANES];
    let (rounds, rest) = x.as_chunks::<LANES>();
    for (round, x) in rounds.iter().enumerate() {
        for lane in 0..LANES {
            sums[lane] += x[lane] * tap((round * LANES + lane) / PARTS);
        }
    }
    for (lane, x) in rest.iter().enumerate() {
        sums[lane] += x * tap((rounds.len() * LANES + lane) / PARTS);
    }
    let sums: [f32; 4] = std::array::from_fn(|lane| sums[lane] + sums[lane + 4]);
    let sums = [sums[0] + sums[2], sums[1] + sums[3]];
    std::array::from_fn(|part| if PARTS == 1 { sums[0] + sums[1] } else { sums[part] })
}

#[inline(always)]
fn arbitrary<const PARTS: usize>(
    x: &[f32],
    (taps, slopes): (&[f32], &[f32]),
    arms: usize,
    mut places: Places,
    outputs: usize,
    mut give: impl FnMut(usize, [f32; PARTS]),
) -> [f64; 3] {
    let width = taps.len() / arms;
    let mut given = 0;
    while given < outputs && places.item.saturating_add(width) <= x.len() / PARTS {
        let (arm, beyond) = places.arm();
        let (taps, slopes) = (&taps[arm * width..][..width], &slopes[arm * width..][..width]);
        let tap = |j: usize| taps[j] + beyond * slopes[j];
        give(given, dot::<PARTS>(&x[PARTS * places.item..][..PARTS * width], tap));
        given += 1;
        places.go_on();
    }
    places.told(given)
}

#[inline(always)]
pub(super) fn arbitrary_arms_f32(
    y: &mut [f32],
    x: &[f32],
    taps: &[f32],
    slopes: &[f32],
    arms: usize,
    whole: usize,
    phases: [f64; 2],
) -> [f64; 3] {
    let places = Places::new(arms, whole, phases);
    arbitrary::<1>(x, (taps, slopes), arms, places, y.len(), |k, [sum]| y[k] = sum)
}

#[inline(always)]
pub(super) fn arbitrary_arms_c32_f32(
    y: &mut [C32],
    x: &[C32],
    taps: &[f32],
    slopes: &[f32],
    arms: usize,
    whole: usize,
    phases: [f64; 2],
) -> [f64; 3] {
    let places = Places::new(arms, whole, phases);
    arbitrary::<2>(floats(x), (taps, slopes), arms, places, y.len(), |k, [re, im]| y[k] = C32::new(re, im))
}

#[inline(always)]
pub(super) fn two_dots_f32(x: &[f32], a: &[f32], b: &[f32]) -> [f32; 2] {
    [a, b].map(|taps| dot::<1>(x, |j| taps[j])[0])
}

#[inline(always)]
pub(super) fn two_dots_c32_f32(x: &[C32], a: &[f32], b: &[f32]) -> [C32; 2] {
    [a, b].map(|taps| {
        let [re, im] = dot::<2>(floats(x), |j| taps[j]);
        C32::new(re, im)
    })
}
