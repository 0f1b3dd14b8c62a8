//! Multiplication by a constant.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, C32, C64, InPlace, Pure, declare, packet::PacketBlock};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::item::{FromNumber, Number, ToValue, from_number};
use crate::packets::PacketsOf;

/// Multiplies by a constant: `y[n] = constant · x[n]`, for `C32`, `f32`, `i32` and `i16`; in place where the plan can. Whole
/// numbers wrap.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32` or `i16` | any |
/// | out `out` | the same | that of `in`, times that of `constant` |
/// | in `set` | messages | new values of `constant` |
///
/// ```
/// use superhet_blocks::math::MultiplyConst;
/// use superhet_runtime::{C32, harness};
///
/// let multiply_const = MultiplyConst::new(C32::I);
/// let y = harness::run(multiply_const, &[C32::new(1.0, 2.0)]);
/// assert_eq!(y, [C32::new(-2.0, 1.0)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MultiplyConst<T> {
    /// The constant.
    pub constant: T,
}

#[declare(
    category = "math",
    summary = "Multiplies by a constant: y[n] = constant · x[n].",
    items(C32, f32, i32, i16),
    ports(input("in", "item", "x"), output("out", "item", "constant · x"))
)]
impl<T: FromNumber + ToValue> MultiplyConst<T> {
    /// Multiplies by a constant.
    pub fn new(
        /// The constant, or its real part.
        #[param(live, by = Number, imag = "The imaginary part; 0 where the items are not C32.")]
        constant: T,
    ) -> Self {
        MultiplyConst { constant }
    }
}

#[declare]
impl Pure for MultiplyConst<f32> {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| kernels::multiply_const_f32_in_place(x, block.constant));
    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::multiply_const_f32(y, x, self.constant);
    }
}

#[declare]
impl Pure for MultiplyConst<C32> {
    type In = C32;
    type Out = C32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| kernels::multiply_const_c32_in_place(x, block.constant));
    fn map(&self, x: &[C32], y: &mut [C32]) {
        kernels::multiply_const_c32(y, x, self.constant);
    }
}

impl Elementwise for MultiplyConst<f32> {
    type In = f32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        kernels::item::multiply_const_f32(x, self.constant)
    }
    fn describe(&self) -> String {
        format!("{}({})", const { ENTRY.name }, self.constant)
    }
}

impl Elementwise for MultiplyConst<C32> {
    type In = C32;
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: C32) -> C32 {
        kernels::item::multiply_const_c32(x, self.constant)
    }
    fn describe(&self) -> String {
        format!("{}({})", const { ENTRY.name }, self.constant)
    }
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl Elementwise for MultiplyConst<$item> {
            type In = $item;
            type Out = $item;

            #[inline(always)]
            fn apply(&self, x: $item) -> $item {
                x.wrapping_mul(self.constant)
            }
            fn describe(&self) -> String {
                format!("{}({})", const { ENTRY.name }, self.constant)
            }
        }

        pure_of_elementwise!(declared MultiplyConst<$item>);
    )+};
}

whole!(i32, i16);

#[declare(
    category = "math",
    summary = "Multiplies the items of packets by a constant.",
    items(C32, f32),
    entry = ENTRY_PDU,
    ports(input("in", "messages", "packets of x"), output("out", "messages", "packets of constant · x"))
)]
fn multiply_const_pdu<T: FromNumber + ToValue>(
    /// The constant, or its real part.
    constant: f64,
    /// The imaginary part; 0 where the items are f32.
    #[param(default = 0.0)]
    constant_imag: f64,
) -> Result<AnyBlock, BlockError>
where
    PacketsOf<MultiplyConst<T>>: PacketBlock,
{
    let constant = C64::new(constant, constant_imag);
    Ok(AnyBlock::new(PacketsOf(MultiplyConst::<T>::new(from_number("constant", constant)?)).messages()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{Value, harness};

    #[test]
    fn values_are_right() {
        let x = noise(100);
        let wanted: Vec<f32> = x.iter().map(|x| x * 0.7).collect();
        assert_eq!(harness::run(MultiplyConst::new(0.7f32), &x), wanted);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| MultiplyConst::new(0.7f32), &noise(1000));
        harness::assert_cut_invariant(|| MultiplyConst::new(C32::new(0.7, -1.2)), &complex_noise(1000));
    }

    #[test]
    fn whole_numbers_wrap() {
        let x: Vec<i16> = (0..1000).map(|n| n * 31).collect();
        let wanted: Vec<i16> = x.iter().map(|x| x.wrapping_mul(300)).collect();
        assert_eq!(harness::run(MultiplyConst::new(300i16), &x), wanted);
        harness::assert_cut_invariant(|| MultiplyConst::new(-77_777i32), &(0..1000).collect::<Vec<_>>());
        assert!(MultiplyConst::new(1i16).with_parameter("constant", &Value::from(40_000)).is_err());
    }

    #[test]
    fn a_complex_constant_does_not_fit_real_items() {
        let given = [("item", Value::from("f32")), ("constant", 1.into()), ("constant_imag", 1.into())];
        let errors = ENTRY.build(&given.map(|(k, v)| (k.to_owned(), v)).into()).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "multiply_const: constant = [1, 1]: expected a real number within ±3.4e38"
        );
    }
}
