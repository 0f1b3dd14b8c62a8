//! A function of one item as a block.

use std::fmt;
use std::marker::PhantomData;

use superhet_runtime::{InPlace, Item, Pure};

use super::Elementwise;

/// A block that applies `function` to each item: `y[n] = function(x[n])`.
///
/// The function depends on nothing but the item; the runtime may call it for any item, in any order and more than once.
///
/// ```
/// use superhet_blocks::elementwise;
/// use superhet_runtime::harness;
///
/// let limit = 0.5;
/// let clip = elementwise(move |x: f32| x.clamp(-limit, limit)).named("clip");
/// assert_eq!(harness::run(clip, &[-2.0, 0.25]), [-0.5, 0.25]);
/// ```
pub fn elementwise<F, X, Y>(function: F) -> Function<F, X, Y>
where
    F: Fn(X) -> Y + Send + Sync + 'static,
    X: Item,
    Y: Item,
{
    Function { function, name: "function", types: PhantomData }
}

/// A function of one item as a block: see [`elementwise`]; in place where the plan can.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `X` | what the function takes |
/// | out `out` | `Y` | what the function gives |
pub struct Function<F, X, Y> {
    function: F,
    name: &'static str,
    types: PhantomData<fn(X) -> Y>,
}

impl<F, X, Y> Function<F, X, Y> {
    /// Sets what [`Elementwise::describe`] says; without it, that is `function`.
    pub fn named(self, name: &'static str) -> Self {
        Function { name, ..self }
    }
}

impl<F: Clone, X, Y> Clone for Function<F, X, Y> {
    fn clone(&self) -> Self {
        Function { function: self.function.clone(), name: self.name, types: PhantomData }
    }
}

impl<F: Copy, X, Y> Copy for Function<F, X, Y> {}

impl<F, X, Y> fmt::Debug for Function<F, X, Y> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Function").field(&self.name).finish()
    }
}

impl<F, X, Y> Elementwise for Function<F, X, Y>
where
    F: Fn(X) -> Y + Send + Sync + 'static,
    X: Item,
    Y: Item,
{
    type In = X;
    type Out = Y;

    #[inline(always)]
    fn apply(&self, x: X) -> Y {
        (self.function)(x)
    }
    fn describe(&self) -> String {
        self.name.to_owned()
    }
}

impl<F, X, Y> Pure for Function<F, X, Y>
where
    F: Fn(X) -> Y + Send + Sync + 'static,
    X: Item,
    Y: Item,
{
    type In = X;
    type Out = Y;
    const IN_PLACE: Option<InPlace<Self>> =
        if super::fits_in_place::<X, Y>() { Some(|block, y| super::map_in_place(block, y)) } else { None };

    fn map(&self, x: &[X], y: &mut [Y]) {
        super::map(self, x, y);
    }
}
