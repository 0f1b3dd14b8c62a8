//! The bits of one item type as another.

use std::marker::PhantomData;

use superhet_runtime::{AnyBlock, BlockError, C32, Item, Pure, Ratio, Shape, declare};

use crate::item::ITEMS;

/// The bits of one item type as another, without a change: of the same size, or several items as one and the reverse.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `A` | any | as many bytes as the larger of the two has |
/// | out `out` | `B` | what the bits say | the same |
///
/// Bytes stand in the order of the machine.
///
/// ```
/// use superhet_blocks::convert::Reinterpret;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Reinterpret::<u8, i8>::new(), &[1, 255]), [1, -1]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reinterpret<A, B>(PhantomData<fn(A) -> B>);

impl<A: Item, B: Item> Reinterpret<A, B> {
    /// Items of `A` as items of `B`; does not compile unless one's size is a multiple of the other's.
    pub fn new() -> Self {
        const {
            let (a, b) = (size_of::<A>(), size_of::<B>());
            assert!(a % b == 0 || b % a == 0, "the sizes are multiples");
        }
        Reinterpret(PhantomData)
    }
}

impl<A: Item, B: Item> Default for Reinterpret<A, B> {
    fn default() -> Self {
        Reinterpret::new()
    }
}

impl<A: Item, B: Item> Pure for Reinterpret<A, B> {
    type In = A;
    type Out = B;

    fn shape(&self) -> Shape {
        let (a, b) = (size_of::<A>(), size_of::<B>());
        Shape {
            ratio: Ratio { interpolation: (a / b).max(1), decimation: (b / a).max(1) },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[A], y: &mut [B]) {
        bytemuck::cast_slice_mut::<B, u8>(y).copy_from_slice(bytemuck::cast_slice::<A, u8>(x));
    }
}

/// The block for two words. Besides pairs of one size there are those that have one part of a complex item each, and
/// bytes.
macro_rules! reinterpret {
    ($from:expr, $to:expr; $($a:literal $A:ty: $($b:literal $B:ty),+);+) => {
        match ($from, $to) {
            $($(($a, $b) => AnyBlock::new(Reinterpret::<$A, $B>::new()),)+)+
            (from, to) => return Err(format!("{from} cannot be taken for {to}").into()),
        }
    };
}

#[declare(
    category = "convert",
    summary = "The bits of one item type as another.",
    ports(
        input("in", "from", "x"),
        output("out", "to", "the bits of x: ⌊n · bytes of from / bytes of to⌋ items for n")
    )
)]
fn reinterpret(
    /// The type of the items that come.
    #[param(kind = ITEMS)]
    from: &str,
    /// The type of those that go: of the same size, parts of complex ones or these of parts, or bytes.
    #[param(kind = ITEMS)]
    to: &str,
) -> Result<AnyBlock, BlockError> {
    Ok(reinterpret!(from, to;
            "C32" C32: "C32" C32, "f32" f32, "u8" u8;
            "f32" f32: "f32" f32, "i32" i32, "cs16" [i16; 2], "C32" C32, "u8" u8;
            "i32" i32: "i32" i32, "f32" f32, "cs16" [i16; 2], "u8" u8;
            "cs16" [i16; 2]: "cs16" [i16; 2], "f32" f32, "i32" i32, "i16" i16, "u8" u8;
            "i16" i16: "i16" i16, "cu8" [u8; 2], "cs8" [i8; 2], "cs16" [i16; 2], "u8" u8;
            "cu8" [u8; 2]: "cu8" [u8; 2], "i16" i16, "cs8" [i8; 2], "u8" u8;
            "cs8" [i8; 2]: "cs8" [i8; 2], "i16" i16, "cu8" [u8; 2], "i8" i8, "u8" u8;
            "u8" u8: "u8" u8, "i8" i8, "C32" C32, "f32" f32, "i32" i32, "i16" i16, "cu8" [u8; 2], "cs8" [i8; 2],
                "cs16" [i16; 2];
            "i8" i8: "i8" i8, "u8" u8, "cs8" [i8; 2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use std::collections::BTreeMap;
    use superhet_runtime::{Value, harness};

    #[test]
    fn bits_come_back_wherever_the_input_is_cut() {
        let x = complex_noise(500);
        let parts: Vec<f32> = harness::run(Reinterpret::<C32, f32>::new(), &x);
        assert_eq!(parts, x.iter().flat_map(|x| [x.re, x.im]).collect::<Vec<_>>());
        assert_eq!(harness::run(Reinterpret::<f32, C32>::new(), &parts), x);
        harness::assert_cut_invariant(Reinterpret::<f32, u8>::new, &noise(1000));
        harness::assert_cut_invariant(Reinterpret::<f32, C32>::new, &noise(1000));
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        let given = |from: &str, to: &str| {
            BTreeMap::from([("from".to_owned(), Value::from(from)), ("to".to_owned(), Value::from(to))])
        };
        assert!(ENTRY.build(&given("i16", "cs8")).is_ok());
        let error = ENTRY.build(&given("i8", "f32")).unwrap_err()[0].to_string();
        assert_eq!(error, "reinterpret: i8 cannot be taken for f32");
    }
}
