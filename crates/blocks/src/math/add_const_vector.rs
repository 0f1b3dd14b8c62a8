//! Addition of vectors and a constant one.

use superhet_runtime::{BlockError, C32, Ratio, declare};

use super::const_vector::const_vector;
use crate::error::{Error, check_to_one};
use crate::item::{FromNumber, Number, ToValue};

const_vector! {
    /// A constant for each place of a vector: `y[k · len + j] = x[k · len + j] + constants[j]`. Whole numbers wrap.
    ///
    /// | port | item | unit | per step |
    /// |---|---|---|---|
    /// | in `in` | `C32`, `f32`, `i32`, `i16` or `u8` | any | a vector |
    /// | out `out` | the same | that of the result | a vector |
    /// | in `set` | messages | new values of `constants` | |
    ///
    /// | parameter | range |
    /// |---|---|
    /// | `constants` | 1 to 2²⁴ items, the length of a vector; can be changed while the block runs, but for how many |
    ///
    /// ```
    /// use superhet_blocks::math::AddConstVector;
    /// use superhet_runtime::harness;
    ///
    /// let block = AddConstVector::new(vec![1i32, 10])?;
    /// assert_eq!(harness::run(block, &[2, 3, 4, 5]), [2 + 1, 3 + 10, 4 + 1, 5 + 10]);
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    AddConstVector, "add_const_vector", "Addition of vectors and a constant one.", "x + constants, place by place: ⌊n / L⌋ · L items for n, with L constants";
    C32 => std::ops::Add::add, f32 => std::ops::Add::add,
    i32 => i32::wrapping_add, i16 => i16::wrapping_add, u8 => u8::wrapping_add
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{Pure, harness};

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| AddConstVector::new(vec![0.5f32, -2.0, 3.0]).unwrap(), &noise(999));
        harness::assert_cut_invariant(
            || AddConstVector::new(vec![C32::I; 64]).unwrap(),
            &complex_noise(6400),
        );
    }

    #[test]
    fn no_constants_and_another_number_of_them_are_refused() {
        assert!(AddConstVector::<f32>::new(vec![]).is_err());
        let block = AddConstVector::new(vec![1.0f32, 2.0]).unwrap();
        assert!(block.with_parameter("constants", &vec![3f32, 4.0].into()).is_ok());
        let error = block.with_parameter("constants", &vec![3f32].into()).unwrap_err().to_string();
        assert_eq!(error, "constants: expected 2 as before, got 1");
    }
}
