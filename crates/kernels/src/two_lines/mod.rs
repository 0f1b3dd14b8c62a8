//! A recursion by one of two lines, which its own value chooses: what a gain control with two rates is.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Values from one to the next by one of two lines: with `v` the value before, which goes to `y[n]`, the next one is
    /// `outer[n] · v + outer_rise` where `v > above[n]` or `v < below[n]`, else `inner[n] · v + inner_rise`.
    ///
    /// It begins with `first` and goes on as long as values are from 0 to `most`, −0 not among them. Returns how many of `y` were
    /// written and what comes behind the last of them: unless all were, that is what is not from 0 to `most`. The rest of `y` is not
    /// touched.
    ///
    /// Where `lines` is 1, and not 2, it takes the inner line each time and goes on to the end, whatever the values are, in less time: the bits are those of
    /// a choice that says so. Then `outer`, `above` and `below` say nothing.
    ///
    /// **Accuracy**: from value to value `2⁻²⁴ · (2 · |slope · v| + |rise|)`; the variants differ in whether the product is rounded.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// let (slopes, above) = ([[0.5; 3], [2.0; 3]], [3.0; 3]);
    /// let end = superhet_kernels::two_lines_f32(&mut y, &slopes[0], &slopes[1], &above, &[0.0; 3], 0.0, 1.0, 9.0, 1.0, 2);
    /// assert_eq!((y, end), ([1.0, 3.0, 7.0], (3, 3.5)));
    /// ```
    pub fn two_lines_f32(
        y: &mut [f32],
        outer: &[f32],
        inner: &[f32],
        above: &[f32],
        below: &[f32],
        outer_rise: f32,
        inner_rise: f32,
        most: f32,
        first: f32,
        lines: usize
    ) -> (usize, f32);
    same_length(y, outer, inner, above, below);
    work |_n| { outer_rise: 0.5, inner_rise: 0.25, most: f32::MAX, first: 1.0, lines: 2 }
    kind Reduction;
    table TWO_LINES_F32 { x86_64: avx2; }
}

/// The bits of the last number that is from 0 to `most`, −0 not among them, or −1 where there is none.
fn last_bits(most: f32) -> i64 {
    if most >= 0.0 { i64::from((most + 0.0).to_bits()) } else { -1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Noise};

    #[test]
    fn every_variant_goes_from_value_to_value_by_the_line_that_holds() {
        for n in [0, 1, 2, 7, 8, 9, 100] {
            let slope = |seed: u64| -> Vec<f32> {
                Noise::new(seed).signal::<f32>(n).iter().map(|x| 0.9 + 0.1 * x).collect()
            };
            let (outer, inner) = (slope(1), slope(2));
            let above: Vec<f32> = slope(3).iter().map(|x| 2.0 * x).collect();
            let below: Vec<f32> = slope(4).iter().map(|x| x - 0.5).collect();
            for (name, run) in TWO_LINES_F32.variants() {
                let mut y = Guarded::junk(n, 3);
                let (done, last) = run(y.items_mut(), &outer, &inner, &above, &below, -0.2, 0.3, 3.5, 1.0, 2);
                y.check_guards(name);
                let is_there = |v: f32| (0.0..=3.5).contains(&v);
                assert!(done == n || !is_there(last), "{name}");
                let after = y.items()[..done].iter().skip(1).copied().chain([last]);
                for (n, (v, next)) in y.items()[..done].iter().zip(after).enumerate() {
                    let chosen = |line: usize, slope: f32| {
                        let want = f64::from(slope) * f64::from(*v) + [-0.2, 0.3][line];
                        (f64::from(next) - want).abs() < 1e-6
                    };
                    let is_outer = *v > above[n] || *v < below[n];
                    let fits = if is_outer { chosen(0, outer[n]) } else { chosen(1, inner[n]) };
                    assert!(fits, "{name}, {n}: {v} to {next}");
                    assert!(n + 1 == done || is_there(next), "{name}, {n}: {next}");
                }
            }
        }
    }

    #[test]
    fn no_choice_gives_the_bits_of_a_choice_that_is_always_the_inner_line() {
        for n in [0, 1, 2, 7, 8, 9, 100] {
            let slopes: Vec<f32> = Noise::new(1).signal::<f32>(n).iter().map(|x| 0.9 + 0.1 * x).collect();
            let (above, below, nothing) = (vec![f32::INFINITY; n], vec![0.0; n], vec![f32::NAN; n]);
            for (name, run) in TWO_LINES_F32.variants() {
                let [mut y, mut want] = [3, 0].map(|offset| Guarded::junk(n, offset));
                let end =
                    run(y.items_mut(), &nothing, &slopes, &nothing, &nothing, 9.0, 0.3, f32::NAN, 1.0, 1);
                let of_choice =
                    run(want.items_mut(), &nothing, &slopes, &above, &below, 9.0, 0.3, 1e9, 1.0, 2);
                y.check_guards(name);
                let bits = |y: &[f32]| y.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
                assert_eq!((end.0, end.1.to_bits()), (n, of_choice.1.to_bits()), "{name}, {n}");
                assert_eq!(bits(y.items()), bits(want.items()), "{name}, {n}");
            }
            let past_the_end = TWO_LINES_F32
                .variants()
                .map(|(_, run)| run(&mut [0.0], &[0.0], &[1.0], &[9.0], &[0.0], 0.0, 1.0, 0.5, -3.0, 1));
            assert!(past_the_end.into_iter().all(|end| end == (1, -2.0)));
        }
    }

    #[test]
    fn limits_at_the_ends_of_the_numbers_choose_as_the_definition_does() {
        let limits = [0.0, f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY];
        let limits = limits.map(|limit| [limit, -limit]).concat();
        for first in [0.0, 1e-45, 1.0, f32::MAX, -0.0, -1e-45, -1.0, f32::MIN] {
            for &above in limits.iter().chain(&[f32::NAN]) {
                for &below in limits.iter().chain(&[f32::NAN]) {
                    for (name, run) in TWO_LINES_F32.variants() {
                        let mut y = [9.0];
                        let (above, below) = ([above], [below]);
                        let end = run(&mut y, &[0.5], &[0.25], &above, &below, 0.0, 0.0, f32::MAX, first, 2);
                        let slope = if first > above[0] || first < below[0] { 0.5 } else { 0.25 };
                        let what = format!("{name}: {first}, {above:?}, {below:?}");
                        assert_eq!((y, end), ([first], (1, slope * first)), "{what}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_negative_ends_it_and_so_does_a_negative_zero() {
        for (name, run) in TWO_LINES_F32.variants() {
            let mut y = [7.0; 2];
            let end = run(&mut y, &[1.0; 2], &[1.0; 2], &[9.0; 2], &[0.0; 2], -2.0, -2.0, 9.0, 1.0, 2);
            assert_eq!((y, end), ([1.0, 7.0], (1, -1.0)), "{name}");
            let mut y = [7.0; 2];
            let (done, last) =
                run(&mut y, &[0.0; 2], &[-1.0; 2], &[9.0; 2], &[0.0; 2], -0.0, -0.0, 9.0, 0.0, 2);
            assert!(done == 1 && last.to_bits() == (-0.0f32).to_bits(), "{name}: {done}, {last}");
        }
    }

    #[test]
    fn what_is_no_number_ends_it() {
        for (name, run) in TWO_LINES_F32.variants() {
            let mut y = [0.0; 3];
            let slopes = [1.0, f32::NAN, 1.0];
            let (done, last) = run(&mut y, &slopes, &slopes, &[9.0; 3], &[0.0; 3], 1.0, 1.0, 9.0, 1.0, 2);
            assert!(done == 2 && last.is_nan() && y == [1.0, 2.0, 0.0], "{name}: {done}, {last}, {y:?}");
        }
    }
}
