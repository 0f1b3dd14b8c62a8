//! Addition of a constant.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, BlockError, C32, C64, InPlace, Pure, declare, packet::PacketBlock};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::item::{FromNumber, Number, ToValue, from_number};
use crate::packets::PacketsOf;

/// Adds a constant: `y[n] = x[n] + constant`, for `C32`, `f32`, `i32`, `u8` and `i16`; in place where the plan can. Whole
/// numbers wrap.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32`, `f32`, `i32`, `u8` or `i16` | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `constant` |
///
/// ```
/// use superhet_blocks::math::AddConst;
/// use superhet_runtime::{C32, harness};
///
/// let add_const = AddConst::new(C32::new(0.5, 0.0));
/// let y = harness::run(add_const, &[C32::new(1.0, 2.0)]);
/// assert_eq!(y, [C32::new(1.5, 2.0)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AddConst<T> {
    /// The constant.
    pub constant: T,
}

#[declare(
    category = "math",
    summary = "Adds a constant: y[n] = x[n] + constant.",
    items(C32, f32, i32, i16, u8),
    ports(input("in", "item", "x"), output("out", "item", "x + constant"))
)]
impl<T: FromNumber + ToValue> AddConst<T> {
    /// Adds a constant.
    pub fn new(
        /// The constant, or its real part.
        #[param(live, by = Number, imag = "The imaginary part; 0 where the items are not C32.")]
        constant: T,
    ) -> Self {
        AddConst { constant }
    }
}

#[declare]
impl Pure for AddConst<f32> {
    type In = f32;
    type Out = f32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| kernels::add_const_f32_in_place(x, block.constant));
    fn map(&self, x: &[f32], y: &mut [f32]) {
        kernels::add_const_f32(y, x, self.constant);
    }
}

#[declare]
impl Pure for AddConst<C32> {
    type In = C32;
    type Out = C32;
    const IN_PLACE: Option<InPlace<Self>> =
        Some(|block, x| kernels::add_const_c32_in_place(x, block.constant));
    fn map(&self, x: &[C32], y: &mut [C32]) {
        kernels::add_const_c32(y, x, self.constant);
    }
}

impl Elementwise for AddConst<f32> {
    type In = f32;
    type Out = f32;

    #[inline(always)]
    fn apply(&self, x: f32) -> f32 {
        kernels::item::add_const_f32(x, self.constant)
    }
    fn describe(&self) -> String {
        format!("{}({})", const { ENTRY.name }, self.constant)
    }
}

impl Elementwise for AddConst<C32> {
    type In = C32;
    type Out = C32;

    #[inline(always)]
    fn apply(&self, x: C32) -> C32 {
        kernels::item::add_const_c32(x, self.constant)
    }
    fn describe(&self) -> String {
        format!("{}({})", const { ENTRY.name }, self.constant)
    }
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl Elementwise for AddConst<$item> {
            type In = $item;
            type Out = $item;

            #[inline(always)]
            fn apply(&self, x: $item) -> $item {
                x.wrapping_add(self.constant)
            }
            fn describe(&self) -> String {
                format!("{}({})", const { ENTRY.name }, self.constant)
            }
        }

        pure_of_elementwise!(declared AddConst<$item>);
    )+};
}

whole!(i32, i16, u8);

#[declare(
    category = "math",
    summary = "Adds a constant to the items of packets.",
    items(C32, f32),
    entry = ENTRY_PDU,
    ports(input("in", "messages", "packets of x"), output("out", "messages", "packets of x + constant"))
)]
fn add_const_pdu<T: FromNumber + ToValue>(
    /// The constant, or its real part.
    constant: f64,
    /// The imaginary part; 0 where the items are f32.
    #[param(default = 0.0)]
    constant_imag: f64,
) -> Result<AnyBlock, BlockError>
where
    PacketsOf<AddConst<T>>: PacketBlock,
{
    let constant = C64::new(constant, constant_imag);
    Ok(AnyBlock::new(PacketsOf(AddConst::<T>::new(from_number("constant", constant)?)).messages()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{Value, harness};

    #[test]
    fn values_are_right() {
        let x = noise(100);
        let wanted: Vec<f32> = x.iter().map(|x| x + 0.7).collect();
        assert_eq!(harness::run(AddConst::new(0.7f32), &x), wanted);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| AddConst::new(0.7f32), &noise(1000));
        harness::assert_cut_invariant(|| AddConst::new(C32::new(0.7, -1.2)), &complex_noise(1000));
    }

    #[test]
    fn whole_numbers_wrap() {
        let x: Vec<i16> = (0..1000).map(|n| n * 31).collect();
        let wanted: Vec<i16> = x.iter().map(|x| x.wrapping_add(300)).collect();
        assert_eq!(harness::run(AddConst::new(300i16), &x), wanted);
        harness::assert_cut_invariant(|| AddConst::new(-77_777i32), &(0..1000).collect::<Vec<_>>());
        assert!(AddConst::new(1i16).with_parameter("constant", &Value::from(40_000)).is_err());
    }

    #[test]
    fn a_complex_constant_does_not_fit_real_items() {
        let given = [("item", Value::from("f32")), ("constant", 1.into()), ("constant_imag", 1.into())];
        let errors = ENTRY.build(&given.map(|(k, v)| (k.to_owned(), v)).into()).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "add_const: constant = [1, 1]: expected a real number within ±3.4e38"
        );
    }
}
