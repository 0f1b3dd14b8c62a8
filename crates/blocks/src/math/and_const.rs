//! Some of a stream's bits.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{Item, declare};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::item::{FromNumber, Number, ToValue};

/// Bitwise and with a constant: `y[n] = x[n] & constant`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i32` or `i16` | bits |
/// | out `out` | the same | bits |
/// | in `set` | messages | new values of `constant` |
///
/// ```
/// use superhet_blocks::math::AndConst;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(AndConst::new(0x0fu8), &[0x12, 0xff]), [0x02, 0x0f]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AndConst<T> {
    /// The constant.
    pub constant: T,
}

#[declare(
    category = "math",
    summary = "Bitwise and with a constant: y[n] = x[n] & constant.",
    items(u8, i32, i16),
    ports(input("in", "item", "x"), output("out", "item", "x & constant"))
)]
impl<T: FromNumber + ToValue> AndConst<T> {
    /// Keeps the bits that `constant` has.
    pub fn new(
        /// The constant.
        #[param(live, kind = WHOLE, by = Number)]
        constant: T,
    ) -> Self {
        AndConst { constant }
    }
}

impl<T: Item + std::ops::BitAnd<Output = T> + std::fmt::Display> Elementwise for AndConst<T> {
    type In = T;
    type Out = T;

    #[inline(always)]
    fn apply(&self, x: T) -> T {
        x & self.constant
    }
    fn describe(&self) -> String {
        format!("{}({})", const { ENTRY.name }, self.constant)
    }
}

macro_rules! pure {
    ($($item:ty),+) => {
        $(pure_of_elementwise!(declared AndConst<$item>);)+
    };
}

pure!(u8, i32, i16);

/// What the constant of the largest items may be.
const WHOLE: Kind = Kind::Integer(i32::MIN as i64, i32::MAX as i64);

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::{Pure, Value, harness};

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        assert_eq!(harness::run(AndConst::new(0xffi16), &[-1, 300]), [255, 44]);
        harness::assert_cut_invariant(
            || AndConst::new(0x0f0fi32),
            &(0..10_000).step_by(7).collect::<Vec<_>>(),
        );
    }

    #[test]
    fn a_constant_that_is_no_item_is_refused() {
        assert!(AndConst::new(1u8).with_parameter("constant", &Value::from(256)).is_err());
        assert!(AndConst::new(1u8).with_parameter("konstant", &Value::from(2)).is_err());
    }
}
