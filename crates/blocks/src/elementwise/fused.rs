//! Two element-wise blocks in one loop.

use std::fmt;

use superhet_runtime::{InPlace, Pure};

use super::Elementwise;

/// Two element-wise blocks as one: `y[n] = second(first(x[n]))`, in one loop; in place where the plan can.
///
/// Made by [`Elementwise::then`]; each of the two may be a `Fused` itself, so that chains have any length.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | that of `first` | that of `first` |
/// | out `out` | that of `second` | that of `second` |
#[derive(Clone, Copy, Debug)]
pub struct Fused<A, B> {
    first: A,
    second: B,
}

impl<A, B> Fused<A, B> {
    pub(super) fn new(first: A, second: B) -> Self {
        Fused { first, second }
    }

    /// The block that sees the items first.
    pub fn first(&self) -> &A {
        &self.first
    }

    /// The block that sees what the first one made of them.
    pub fn second(&self) -> &B {
        &self.second
    }
}

impl<A: Elementwise, B: Elementwise<In = A::Out>> Elementwise for Fused<A, B> {
    type In = A::In;
    type Out = B::Out;

    #[inline(always)]
    fn apply(&self, x: A::In) -> B::Out {
        self.second.apply(self.first.apply(x))
    }
    fn describe(&self) -> String {
        self.parts().join(" -> ")
    }
    fn parts(&self) -> Vec<String> {
        let mut parts = self.first.parts();
        parts.extend(self.second.parts());
        parts
    }
}

impl<A: Elementwise, B: Elementwise<In = A::Out>> Pure for Fused<A, B> {
    type In = A::In;
    type Out = B::Out;
    const IN_PLACE: Option<InPlace<Self>> = if super::fits_in_place::<A::In, B::Out>() {
        Some(|block, y| super::map_in_place(block, y))
    } else {
        None
    };

    fn map(&self, x: &[A::In], y: &mut [B::Out]) {
        super::map(self, x, y);
    }
}

/// The parts with arrows between them.
impl<A: Elementwise, B: Elementwise<In = A::Out>> fmt::Display for Fused<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}
