//! Some of a stream's bits.

use superhet_runtime::catalog::{Entry, Kind, input, output, required, set_port};
use superhet_runtime::{Item, Value, no_parameter};

use crate::elementwise::{Elementwise, pure_of_elementwise};
use crate::item::{BITS_ITEM, block_of_bits, from_value};

/// Bitwise and with a constant: `y[n] = x[n] & constant`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i32` or `i16` | bits |
/// | out `out` | the same | bits |
/// | in `set` | messages | new values of `constant` |
///
/// | parameter | range |
/// |---|---|
/// | `constant` | any item; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::math::AndConst;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run::<u8, u8, _, _>(AndConst::new(0x0fu8), &[0x12, 0xff]), [0x02, 0x0f]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AndConst<T> {
    /// The constant.
    pub constant: T,
}

impl<T> AndConst<T> {
    /// Keeps the bits that `constant` has.
    pub fn new(constant: T) -> Self {
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
        format!("{}({})", ENTRY.name, self.constant)
    }
}

macro_rules! pure {
    ($($item:ty),+) => {
        $(pure_of_elementwise!(AndConst<$item>;
            &["constant"],
            |_, name, value| match name {
                "constant" => Ok(AndConst::new(from_value("constant", value)?)),
                _ => Err(no_parameter(name, &["constant"])),
            },
            |block, name| (name == "constant").then(|| Value::Int(block.constant.into())));)+
    };
}

pure!(u8, i32, i16);

/// What the constant of the largest items may be.
const WHOLE: Kind = Kind::Integer(i32::MIN as i64, i32::MAX as i64);

/// How files and the command line find [`AndConst`].
pub const ENTRY: Entry = Entry {
    name: "and_const",
    category: "math",
    summary: "Bitwise and with a constant: y[n] = x[n] & constant.",
    params: &[BITS_ITEM, required("constant", WHOLE, "", "The constant.")],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "x & constant"),
        set_port("new values of constant"),
    ],
    make: |params| {
        Ok(block_of_bits!(params, T => AndConst::<T>::new(from_value("constant", params.value("constant"))?)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::{Pure, harness};

    #[test]
    fn values_are_right_wherever_the_input_is_cut() {
        assert_eq!(harness::run::<i16, i16, _, _>(AndConst::new(0xffi16), &[-1, 300]), [255, 44]);
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
