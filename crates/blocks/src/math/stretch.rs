//! Vectors brought to a common range.

use superhet_runtime::{Pure, Ratio, Shape, declare};

use crate::error::{Error, check, check_to_one};

/// Brings the largest item `m` of each vector to 0 and `low` to itself: `y = (x − m) · low / (low − m)`; a vector whose largest item
/// is `low` stays as it is.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | vectors of `length` items |
/// | out `out` | `f32` | the same |
/// | in `set` | messages | new values of `low` |
///
/// ```
/// use superhet_blocks::math::Stretch;
/// use superhet_runtime::harness;
///
/// let y: Vec<f32> = harness::run(Stretch::new(-1.0, 4)?, &[1.0f32, 2.0, 0.5, 3.0]);
/// assert_eq!(y, [-0.5, -0.25, -0.625, 0.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    low: f32,
    length: usize,
}

#[declare(
    category = "math",
    summary = "Brings the largest item of each vector to 0 and a given level to itself.",
    ports(input("in", "f32", "x"), output("out", "f32", "y: ⌊n / length⌋ · length items for n"))
)]
impl Stretch {
    /// Brings vectors of `length` items to the range from `low`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `low` is finite and `length` 1 to 2²⁴.
    pub fn new(
        /// The level that stays where it is.
        #[param(live, default = -100.0)]
        low: f32,
        /// Items of a vector.
        #[param(unit = "items", range = 1..)]
        length: usize,
    ) -> Result<Self, Error> {
        check(low.is_finite(), "low", "a finite number", low)?;
        check_to_one("length", length)?;
        Ok(Stretch { low, length })
    }
}

#[declare]
impl Pure for Stretch {
    type In = f32;
    type Out = f32;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio { interpolation: self.length, decimation: self.length }, ..Shape::default() }
    }

    fn map(&self, x: &[f32], y: &mut [f32]) {
        for (y, x) in y.chunks_exact_mut(self.length).zip(x.chunks_exact(self.length)) {
            let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            if largest == self.low {
                y.copy_from_slice(x);
                continue;
            }
            let factor = self.low / (self.low - largest);
            y.iter_mut().zip(x).for_each(|(y, x)| *y = (x - largest) * factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn vectors_are_those_of_gnu_radio() {
        let x = [1.0f32, 2.0, 0.5, 3.0, -2.0, -1.0, -5.0, -4.0];
        for (low, wanted) in [
            (-1.0, [-0.5, -0.25, -0.625, 0.0, -2.0, -1.0, -5.0, -4.0]),
            (-3.0, [-1.0, -0.5, -1.25, 0.0, -1.5, 0.0, -6.0, -4.5]),
            (0.5, [0.4, 0.2, 0.5, 0.0, -1.0 / 3.0, 0.0, -4.0 / 3.0, -1.0]),
        ] {
            let y: Vec<f32> = harness::run(Stretch::new(low, 4).unwrap(), &x);
            assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-6), "{low}: {y:?}");
        }
    }

    #[test]
    fn levels_and_lengths_that_cannot_be_are_refused() {
        assert!(Stretch::new(f32::NAN, 4).is_err() && Stretch::new(0.0, 0).is_err());
    }
}
