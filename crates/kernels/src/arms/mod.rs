//! Resampling by a bank of filters, its arms: each output is a sum of one arm over a window of the input.
//!
//! The taps of an arm lie in a row and in reverse, one arm behind the other, so that a sum goes through two rows of memory.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Resamples at any rate: with a window from item `i` of `x` on and an arm `a = floor(phase)`,
    /// `y[k] = Σⱼ x[i + j] · (taps[a · width + j] + (phase − a) · slopes[a · width + j])`.
    ///
    /// At first `i` is 0 and `phase` the first of `phases`. From output to output `phase` grows by the second and `i` by `whole`, and
    /// by one more where `phase` reaches `arms`, which is taken off it then. It goes on while windows lie in `x` and there is room
    /// in `y`; the rest of `y` is not touched. Returns the outputs that were given, then `i` and `phase` of the next one.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (width / 8 + 9) · Σ |x| · (|tap| + |slope|)`; the variants differ within it.
    ///
    /// # Panics
    ///
    /// Unless `arms` is positive, `taps.len()` a multiple of it and `slopes.len()` the same, and `phases` from 0 to less than
    /// `arms`.
    ///
    /// ```
    /// let mut y = [0.0; 4];
    /// // Two arms, "this one" and "the mean of two"; between them straight lines.
    /// let (taps, slopes) = ([1.0, 0.0, 0.5, 0.5], [-0.5, 0.5, -0.5, 0.5]);
    /// let next = superhet_kernels::arbitrary_arms_f32(&mut y, &[0.0, 1.0, 2.0], &taps, &slopes, 2, 0, [0.5, 1.25]);
    /// assert_eq!((y, next), ([0.25, 0.875, 1.5, 0.0], [3.0, 2.0, 0.25]));
    /// ```
    pub fn arbitrary_arms_f32(
        y: &mut [f32],
        x: &[f32],
        taps: &[f32],
        slopes: &[f32],
        arms: usize,
        whole: usize,
        phases: [f64; 2]
    ) -> [f64; 3];
    check arbitrary("arbitrary_arms_f32", taps.len(), slopes.len(), arms, phases);
    work |n| { x: n + 24, taps: 96, slopes: 96, arms: 4, whole: 0, phases: 2.75 }
    kind Reduction;
    table ARBITRARY_ARMS_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// As [`arbitrary_arms_f32`](fn@arbitrary_arms_f32), of complex samples.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (width / 4 + 9) · Σ |x| · (|tap| + |slope|)` in each part; the variants differ within it.
    ///
    /// # Panics
    ///
    /// As [`arbitrary_arms_f32`](fn@arbitrary_arms_f32).
    ///
    /// ```
    /// use superhet_kernels::C32;
    /// let mut y = [C32::ZERO; 1];
    /// let next = superhet_kernels::arbitrary_arms_c32_f32(&mut y, &[C32::I], &[2.0], &[4.0], 1, 1, [0.5, 0.25]);
    /// assert_eq!((y, next), ([4.0 * C32::I], [1.0, 1.0, 0.75]));
    /// ```
    pub fn arbitrary_arms_c32_f32(
        y: &mut [C32],
        x: &[C32],
        taps: &[f32],
        slopes: &[f32],
        arms: usize,
        whole: usize,
        phases: [f64; 2]
    ) -> [f64; 3];
    check arbitrary("arbitrary_arms_c32_f32", taps.len(), slopes.len(), arms, phases);
    work |n| { x: n + 24, taps: 96, slopes: 96, arms: 4, whole: 0, phases: 2.75 }
    kind Reduction;
    table ARBITRARY_ARMS_C32_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// The sums of two arms over one window: `Σ x[n] · a[n]` and `Σ x[n] · b[n]`.
    ///
    /// **Accuracy**: that of [`dot_f32`](fn@crate::dot_f32) each.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::two_dots_f32(&[1.0, 2.0], &[3.0, 4.0], &[1.0, 0.0]), [11.0, 1.0]);
    /// ```
    pub fn two_dots_f32(x: &[f32], a: &[f32], b: &[f32]) -> [f32; 2];
    same_length(x, a, b);
    table TWO_DOTS_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// As [`two_dots_f32`](fn@two_dots_f32), of complex samples.
    ///
    /// **Accuracy**: that of [`dot_c32_f32`](fn@crate::dot_c32_f32) each.
    ///
    /// ```
    /// use superhet_kernels::{C32, two_dots_c32_f32};
    /// assert_eq!(two_dots_c32_f32(&[C32::I], &[3.0], &[-1.0]), [3.0 * C32::I, -C32::I]);
    /// ```
    pub fn two_dots_c32_f32(x: &[C32], a: &[f32], b: &[f32]) -> [C32; 2];
    same_length(x, a, b);
    table TWO_DOTS_C32_F32 { x86_64: avx512, avx2; }
}

fn arbitrary(name: &str, taps: usize, slopes: usize, arms: usize, [phase, part]: [f64; 2]) {
    let within = |number: f64| (0.0..arms as f64).contains(&number);
    assert!(
        arms > 0 && taps.is_multiple_of(arms) && slopes == taps && within(phase) && within(part),
        "{name} needs a positive number of arms, taps.len() a multiple of it, as many slopes, and phase and part from 0 to less \
         than arms, got arms = {arms}, taps.len() = {taps}, slopes.len() = {slopes}, phase = {phase}, part = {part}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Noise};

    const BANKS: [(usize, usize); 9] =
        [(1, 1), (3, 1), (2, 7), (4, 8), (5, 16), (24, 17), (32, 33), (3, 64), (2, 200)];

    fn near(y: f64, want: f64, scale: f64) -> bool {
        (y - want).abs() <= 2e-6 * scale + 1e-30
    }

    #[test]
    fn every_variant_sums_blended_arms() {
        for (arms, width) in BANKS {
            let taps = Noise::new(1).signal::<f32>(arms * width);
            let slopes = Noise::new(4).signal::<f32>(arms * width);
            let x = Guarded::copy(&Noise::new(2).signal::<f32>(width + 40), arms % 18);
            let z = Guarded::copy(&Noise::new(3).signal::<C32>(width + 40), arms % 18);
            for (phase, whole, part) in [(0.0, 1, 0.0), (0.4, 0, 0.7), (0.99, 2, 0.3), (0.5, 100, 0.5)] {
                let (phase, part) = (phase * arms as f64, part * arms as f64);
                // Where the outputs lie.
                let mut places = Vec::new();
                let (mut i, mut now) = (0, phase);
                while i + width <= x.items().len() {
                    places.push((i, now));
                    now += part;
                    i += whole + usize::from(now >= arms as f64);
                    now -= if now >= arms as f64 { arms as f64 } else { 0.0 };
                }
                let tap = |now: f64, j: usize| {
                    let arm = now as usize;
                    let (tap, slope) = (taps[arm * width + j], slopes[arm * width + j]);
                    f64::from(tap) + (now - arm as f64) * f64::from(slope)
                };
                for room in [places.len() + 3, places.len() / 2] {
                    let given = room.min(places.len());
                    let next = if given == places.len() { (i, now) } else { places[given] };
                    let next = [given as f64, next.0 as f64, next.1];
                    for (name, run) in ARBITRARY_ARMS_F32.variants() {
                        let mut y = Guarded::junk(room, 5);
                        let got = run(y.items_mut(), x.items(), &taps, &slopes, arms, whole, [phase, part]);
                        y.check_guards(name);
                        assert_eq!(got, next, "{name}, {arms}, {width}");
                        for (y, (i, now)) in y.items().iter().zip(&places[..given]) {
                            let terms = || (0..width).map(|j| tap(*now, j) * f64::from(x.items()[i + j]));
                            let (want, scale) =
                                (terms().sum(), terms().map(f64::abs).sum::<f64>() + width as f64);
                            assert!(
                                near((*y).into(), want, scale),
                                "{name}, {arms}, {width}: {y}, wanted {want}"
                            );
                        }
                    }
                    for (name, run) in ARBITRARY_ARMS_C32_F32.variants() {
                        let mut y = Guarded::junk(room, 5);
                        let got = run(y.items_mut(), z.items(), &taps, &slopes, arms, whole, [phase, part]);
                        y.check_guards(name);
                        assert_eq!(got, next, "{name}, {arms}, {width}");
                        for (y, (i, now)) in y.items().iter().zip(&places[..given]) {
                            let sum = |part: fn(&C32) -> f32| {
                                (0..width)
                                    .map(|j| tap(*now, j) * f64::from(part(&z.items()[i + j])))
                                    .sum::<f64>()
                            };
                            let scale = 2.0 * width as f64;
                            let fits = near(y.re.into(), sum(|z| z.re), scale)
                                && near(y.im.into(), sum(|z| z.im), scale);
                            assert!(fits, "{name}, {arms}, {width}: {y}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_variant_sums_two_arms() {
        for n in [0, 1, 7, 8, 9, 16, 31, 45, 64, 200] {
            let x = Guarded::copy(&Noise::new(1).signal::<C32>(n), n % 18);
            let (a, b) = (Noise::new(2).signal::<f32>(n), Noise::new(3).signal::<f32>(n));
            let sum = |taps: &[f32], part: fn(&C32) -> f32| {
                x.items().iter().zip(taps).map(|(x, tap)| f64::from(part(x)) * f64::from(*tap)).sum::<f64>()
            };
            for (name, run) in TWO_DOTS_C32_F32.variants() {
                for (y, taps) in run(x.items(), &a, &b).iter().zip([&a, &b]) {
                    let fits = near(y.re.into(), sum(taps, |x| x.re), n as f64)
                        && near(y.im.into(), sum(taps, |x| x.im), n as f64);
                    assert!(fits, "{name}, {n}");
                }
            }
            let re: Vec<f32> = x.items().iter().map(|x| x.re).collect();
            for (name, run) in TWO_DOTS_F32.variants() {
                for (y, taps) in run(&re, &a, &b).iter().zip([&a, &b]) {
                    assert!(near((*y).into(), sum(taps, |x| x.re), n as f64), "{name}, {n}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "phase = 2, part = 0")]
    fn a_phase_beyond_the_arms_panics() {
        arbitrary_arms_f32(&mut [0.0; 2], &[0.0; 2], &[0.0; 4], &[0.0; 4], 2, 1, [2.0, 0.0]);
    }
}
