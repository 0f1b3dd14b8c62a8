//! Sums over windows in one pass, for vectors of any length: each vector of items is loaded once, and its sums are stored once.
//!
//! Sums of up to a vector's worth of floats are those of a vector and the one before it, moved by one item, by two, by four and so on:
//! they stay in registers. Sums of more lie in a place of their own until the vector comes that they are added to: so many sums of `2ⁿ`
//! vectors are kept for each `n` that there is, those of the vectors before, in turn. What bounds it are permutations and additions: one
//! each for a sum of 2, 4, 8 floats and so on, and an addition, a load and a store for each `n` and for each that the window has.

/// Makes `for_few`: the sums of windows of `$lanes` floats and more in one pass, those of shorter ones by the plain loop. The caller has
/// `earlier`, which moves two vectors by some items. `pairs` are the numbers of items that may come before whole vectors, of complex
/// and of real items; `few` are the others, which only real items can have. `places` are twice the powers of two up to the greatest
/// number of vectors in a window.
macro_rules! in_one_pass {
    (
        enable $features:tt, $vector:ident of $lanes:literal, align $align:tt,
        load $load:ident, store $store:ident, zero $zero:ident, set $set:ident, add $add:ident, multiply $multiply:ident,
        few $($few:literal)*, pairs $($pair:literal)*, places $($places:literal)*, $last:literal
    ) => {
        /// Floats of a vector.
        const LANES: usize = $lanes;

        /// Sums of vectors before: those of `2ⁿ` of them lie from place `2ⁿ` on.
        type Places<const PLACES: usize> = [Line; PLACES];

        /// A vector in a line of the level-1 cache: it lies across two where it is not aligned.
        #[derive(Clone, Copy)]
        #[repr(align($align))]
        struct Line([f32; LANES]);

        /// What the sums that end in a vector take from the one before it.
        struct Before {
            /// Sums of 1, 2, 4 items and so on, of less than a vector.
            powers: [$vector; 4],
            /// Sums of those of `count` that are less.
            few: [$vector; 4],
        }

        /// The sums of a vector's worth of items that end at each of `x`, and those of `FEW` items.
        #[inline]
        #[target_feature(enable = $features)]
        fn of_vector<const PARTS: usize, const FEW: usize>(x: $vector, before: &mut Before) -> [$vector; 2] {
            let (mut power, mut sum) = (x, $zero());
            for level in 0..(LANES / PARTS).ilog2() as usize {
                let (powers, sums) = (&mut before.powers[level], &mut before.few[level]);
                let twice = $add(power, earlier::<PARTS>(*powers, power, level));
                let now = if FEW >> level & 1 == 0 {
                    sum
                } else if FEW & ((1 << level) - 1) == 0 {
                    power
                } else {
                    $add(power, earlier::<PARTS>(*sums, sum, level))
                };
                (*powers, *sums) = (power, sum);
                (power, sum) = (twice, now);
            }
            [power, sum]
        }

        /// What lies at a place, which `now` takes.
        #[inline]
        #[target_feature(enable = $features)]
        fn exchange<const PLACES: usize>(
            places: &mut Places<PLACES>,
            level: u32,
            turn: usize,
            now: $vector,
        ) -> $vector {
            let place = &mut places[((1 << level) + (turn & ((1 << level) - 1))) % PLACES];
            let then = $load(&place.0);
            $store(&mut place.0, now);
            then
        }

        /// Of windows of a vector and more: whole vectors, and `FEW` items before them. `PLACES` is twice the greatest power of two in
        /// the number of vectors.
        #[inline]
        #[target_feature(enable = $features)]
        fn window_sum<const PARTS: usize, const FEW: usize, const PLACES: usize>(
            y: &mut [f32],
            x: &[f32],
            count: usize,
            scale: f32,
        ) {
            let (vectors, top) = (count * PARTS / LANES, const { PLACES.ilog2() - 1 });
            let (scale, zeros) = ($set(scale), [$zero(); 4]);
            // Not in one place with the others: what `before` has stays in registers.
            let mut before = Before { powers: zeros, few: zeros };
            let (mut powers, mut sums) = ([Line([0.0; LANES]); PLACES], [Line([0.0; LANES]); PLACES]);
            // A vector ends where the first sum does; the last one may lack items.
            let (begun, x) = x.split_at(PARTS * (count - 1) % LANES);
            let (mut first, mut last) = ([0.0; LANES], [0.0; LANES]);
            first[LANES - begun.len()..].copy_from_slice(begun);
            let past = 1 + (x.len() - y.len()) / LANES;
            let (x, x_rest) = x.as_chunks::<LANES>();
            last[..x_rest.len()].copy_from_slice(x_rest);
            let (y, y_rest) = y.as_chunks_mut::<LANES>();
            let mut y_last = [0.0; LANES];
            for turn in 0..past + y.len() + usize::from(!y_rest.is_empty()) {
                let now = if turn == 0 { &first } else { x.get(turn - 1).unwrap_or(&last) };
                let [mut power, mut sum] = of_vector::<PARTS, FEW>($load(now), &mut before);
                for level in 0..=top {
                    if vectors >> level & 1 == 1 {
                        let is_first = FEW == 0 && vectors & ((1 << level) - 1) == 0;
                        sum = if is_first {
                            power
                        } else {
                            $add(power, exchange(&mut sums, level, turn, sum))
                        };
                    }
                    if level < top {
                        power = $add(power, exchange(&mut powers, level, turn, power));
                    }
                }
                // What comes before the first sums is written over.
                let place = y.get_mut(turn.saturating_sub(past)).unwrap_or(&mut y_last);
                $store(place, $multiply(scale, sum));
            }
            y_rest.copy_from_slice(&y_last[..y_rest.len()]);
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn for_vectors<const PARTS: usize, const FEW: usize>(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
            let vectors = count * PARTS / LANES;
            $(if vectors < $places {
                return window_sum::<PARTS, FEW, $places>(y, x, count, scale);
            })*
            window_sum::<PARTS, FEW, $last>(y, x, count, scale);
        }

        /// The items before the vectors are known where the loop is compiled: it takes half as long as with branches that ask for them.
        #[inline]
        #[target_feature(enable = $features)]
        fn for_few<const PARTS: usize>(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
            if count * PARTS < LANES {
                return super::scalar::window_sum::<PARTS>(y, x, count, scale);
            }
            match count % (LANES / PARTS) {
                $($pair => for_vectors::<PARTS, $pair>(y, x, count, scale),)*
                $($few if PARTS == 1 => for_vectors::<1, $few>(y, x, count, scale),)*
                _ => for_vectors::<PARTS, 0>(y, x, count, scale),
            }
        }
    };
}
pub(super) use in_one_pass;
