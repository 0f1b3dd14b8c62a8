//! saxpy by vectors of any width.
//!
//! 1. Four vectors per round.
//! 2. The main loop starts at the first aligned item of the output, so that no store is split between cache lines.
//! 3. The items of the first and of the last vector are computed before the main loop and stored after it. They overlap it, and
//!    write the same values; so there is neither a scalar head nor a scalar tail.
//! 4. In place, what one call stores in two pieces the next one would have to wait for: there single items come before and
//!    after the vectors, and few items are not aligned.

/// Defines `saxpy` and `saxpy_in_place` for vectors of `$width` items.
macro_rules! by_vectors {
    ($features:literal, $Vector:ty, $width:literal: $set:ident, $load:ident, $store:ident, $mul:ident, $add:ident) => {
        /// The items of a vector.
        const WIDTH: usize = $width;
        /// The items of a round of the main loop.
        const ROUND: usize = 4 * WIDTH;
        /// So many items are worth aligning, in place.
        const LONG: usize = 512;

        #[inline]
        #[target_feature(enable = $features)]
        fn vector(x: &[f32; WIDTH], gain: $Vector, offset: $Vector) -> $Vector {
            $add($mul(gain, $load(x)), offset)
        }

        #[target_feature(enable = $features)]
        pub(super) fn saxpy(y: &mut [f32], x: &[f32], gain: f32, offset: f32) {
            let (Some(x_first), Some(x_last)) = (x.first_chunk(), x.last_chunk()) else {
                return super::scalar::saxpy(y, x, gain, offset);
            };
            let (gains, offsets) = ($set(gain), $set(offset));
            let first = vector(x_first, gains, offsets);
            let last = vector(x_last, gains, offsets);

            let head = y.as_ptr().align_offset(size_of::<$Vector>()).min(y.len());
            let (y_rounds, y_rest) = y[head..].as_chunks_mut::<ROUND>();
            let (x_rounds, x_rest) = x[head..].as_chunks::<ROUND>();
            for (y, x) in y_rounds.iter_mut().zip(x_rounds) {
                for (y, x) in y.as_chunks_mut().0.iter_mut().zip(x.as_chunks().0) {
                    $store(y, vector(x, gains, offsets));
                }
            }
            for (y, x) in y_rest.as_chunks_mut().0.iter_mut().zip(x_rest.as_chunks().0) {
                $store(y, vector(x, gains, offsets));
            }

            if let Some(y) = y.first_chunk_mut() {
                $store(y, first);
            }
            if let Some(y) = y.last_chunk_mut() {
                $store(y, last);
            }
        }

        #[target_feature(enable = $features)]
        pub(super) fn saxpy_in_place(x: &mut [f32], gain: f32, offset: f32) {
            let (gains, offsets) = ($set(gain), $set(offset));
            let head =
                if x.len() < LONG { 0 } else { x.as_ptr().align_offset(size_of::<$Vector>()).min(x.len()) };
            let (x, body) = x.split_at_mut(head);
            super::scalar::saxpy_in_place(x, gain, offset);

            let (rounds, rest) = body.as_chunks_mut::<ROUND>();
            for x in rounds {
                for x in x.as_chunks_mut().0 {
                    $store(x, vector(x, gains, offsets));
                }
            }
            let (vectors, rest) = rest.as_chunks_mut();
            for x in vectors {
                $store(x, vector(x, gains, offsets));
            }
            for x in rest {
                *x = $crate::item::saxpy(*x, gain, offset);
            }
        }
    };
}
pub(super) use by_vectors;
