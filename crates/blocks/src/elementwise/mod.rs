//! Fusion: element-wise blocks that become one block with one loop, in which a sample passes all of them in registers.
//!
//! ```text
//! one after the other              fused by a.then(b).then(c)
//! for x in strip { x = a(x) }
//! for x in strip { x = b(x) }      for x in strip { x = c(b(a(x))) }
//! for x in strip { x = c(x) }
//! ```
//!
//! A cheap block is bound by the one store that a core can do in a cycle. Fused, the chain stores once, and is bound by
//! its arithmetic: 4 saxpys run about twice as fast (`superhet bench fusion`). What differs is speed only: the values
//! are those of the blocks one after the other, bit by bit (NaNs count as the same).
//!
//! The types do it, so the compiler makes the loop, for each instruction set that [`map`](fn@superhet_kernels::map)
//! knows. To a graph it is one pure block with one name, which may be cut anywhere and works in place where its input
//! and output have one type; [`Elementwise::parts`] says what is in it.
//!
//! Real arithmetic and conversions gain most. Where the kernel of a complex product is written by hand for AVX2, a
//! fused chain of nothing but such products is no faster under AVX2; under AVX-512 it is.
//!
//! ```
//! use superhet_blocks::convert::{ComplexToMagSquared, Cs16ToC32};
//! use superhet_blocks::math::Saxpy;
//! use superhet_blocks::{Elementwise, elementwise, sinks::VectorSink, sources::VectorSource};
//! use superhet_runtime::Graph;
//!
//! let decibels = elementwise(|power: f32| 10.0 * power.log10()).named("decibels");
//! let level = Cs16ToC32.then(ComplexToMagSquared).then(Saxpy::new(2.0, 0.0)).then(decibels);
//! assert_eq!(level.to_string(), "cs16_to_c32 -> complex_to_mag_squared -> saxpy(2, 0) -> decibels");
//!
//! let mut graph = Graph::new();
//! let source = graph.add("source", VectorSource::new(vec![[16384i16, 16384]], false)?);
//! let level = graph.add("level", level);
//! let sink = VectorSink::<f32>::new();
//! let items = sink.items();
//! let sink = graph.add("sink", sink);
//! graph.connect(source.output, level.input);
//! graph.connect(level.output, sink.input);
//! graph.run()?;
//! assert_eq!(items.take(), [0.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Blocks whose types do not fit do not compile:
//!
//! ```compile_fail
//! use superhet_blocks::{Elementwise, convert::ComplexToMag, math::Conjugate};
//! let wrong = ComplexToMag.then(Conjugate);
//! ```

mod function;
mod fused;

pub use function::{Function, elementwise};
pub use fused::Fused;

use superhet_kernels::{self as kernels, ItemFunction};
use superhet_runtime::Item;

/// A block that makes one item of one item, whatever comes before and after it.
///
/// Most of [`math`](crate::math) and [`convert`](crate::convert) are of this kind, and so is every function:
/// [`elementwise`] makes a block of it. Implement it for a type of your own to use that in chains:
///
/// ```
/// use superhet_blocks::{Elementwise, math::Saxpy};
/// use superhet_runtime::harness;
///
/// /// Soft limiter: `y = x / (1 + |x|)`.
/// struct Limit;
///
/// impl Elementwise for Limit {
///     type In = f32;
///     type Out = f32;
///     #[inline(always)]
///     fn apply(&self, x: f32) -> f32 { x / (1.0 + x.abs()) }
///     fn describe(&self) -> String { "limit".to_owned() }
/// }
///
/// let y: Vec<f32> = harness::run(Saxpy::new(2.0, 1.0).then(Limit), &[1.0f32, -1.0]);
/// assert_eq!(y, [0.75, -0.5]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element-wise block",
    note = "implement `Elementwise`, or make a block of a function: `elementwise(|x: f32| x * 2.0)`"
)]
pub trait Elementwise: Send + Sync + Sized + 'static {
    /// What it takes.
    type In: Item;
    /// What it gives.
    type Out: Item;

    /// The item that comes of `x`. Write `#[inline(always)]` before it: a call for each item would undo the fusion.
    fn apply(&self, x: Self::In) -> Self::Out;

    /// The block with its parameters in a few words, such as `saxpy(2, 0.5)`. With `const { ENTRY.name }` it has the name of its entry,
    /// without what makes the block.
    fn describe(&self) -> String;

    /// The descriptions of the blocks that this one is made of, in the order of the stream: itself, unless it is
    /// [`Fused`].
    fn parts(&self) -> Vec<String> {
        vec![self.describe()]
    }

    /// One block that does what this one does and then what `next` does, in one loop.
    ///
    /// ```
    /// use superhet_blocks::{Elementwise, math::Saxpy};
    /// let twice = Saxpy::new(2.0, 0.5).then(Saxpy::new(3.0, -1.0));
    /// assert_eq!(twice.parts(), ["saxpy(2, 0.5)", "saxpy(3, -1)"]);
    /// ```
    fn then<B: Elementwise<In = Self::Out>>(self, next: B) -> Fused<Self, B> {
        Fused::new(self, next)
    }
}

/// `y[n] = block.apply(x[n])` in one loop.
pub(crate) fn map<E: Elementwise>(block: &E, x: &[E::In], y: &mut [E::Out]) {
    struct Apply<'a, E>(&'a E);

    impl<E: Elementwise> ItemFunction for Apply<'_, E> {
        type In = E::In;
        type Out = E::Out;
        #[inline(always)]
        fn apply(&self, x: E::In) -> E::Out {
            self.0.apply(x)
        }
    }

    kernels::map(y, x, &Apply(block));
}

/// As [`map`], with `x` lying in `y` already; only where [`fits_in_place`].
pub(crate) fn map_in_place<E: Elementwise>(block: &E, y: &mut [E::Out]) {
    struct Apply<'a, E>(&'a E);

    impl<E: Elementwise> ItemFunction for Apply<'_, E> {
        type In = E::Out;
        type Out = E::Out;
        #[inline(always)]
        fn apply(&self, x: E::Out) -> E::Out {
            self.0.apply(bytemuck::cast(x))
        }
    }

    kernels::map_in_place(y, &Apply(block));
}

/// Implements `Pure` for element-wise blocks, also of parameters: the names, `with_parameter` and `parameter`.
macro_rules! pure_of_elementwise {
    (declared $Block:ty) => {
        $crate::elementwise::pure_of_elementwise!($Block;
            <$Block>::DECLARED, <$Block>::DECLARED_FORMERLY,
            |block, name, value| {
                let mut changed = *block;
                changed.set_declared(name, value)?;
                Ok(changed)
            },
            |block, name| block.declared(name)
        );
    };
    ($($Block:ty),+ $(,)?) => {
        $($crate::elementwise::pure_of_elementwise!($Block;
            &[], &[], |_, name, _| Err(::superhet_runtime::parameter::no_parameter(name, &[])), |_, _| None);)+
    };
    ($Block:ty; $names:expr, $formerly:expr, $with:expr, $get:expr) => {
        impl ::superhet_runtime::Pure for $Block {
            type In = <$Block as $crate::Elementwise>::In;
            type Out = <$Block as $crate::Elementwise>::Out;
            const IN_PLACE: Option<::superhet_runtime::InPlace<Self>> =
                match $crate::elementwise::fits_in_place::<Self::In, Self::Out>() {
                    true => Some(|block, y| $crate::elementwise::map_in_place(block, y)),
                    false => None,
                };
            const PARAMETERS: &'static [&'static str] = $names;
            const FORMERLY: &'static [(&'static str, &'static str)] = $formerly;

            fn with_parameter(
                &self,
                name: &str,
                value: &::superhet_runtime::Value,
            ) -> Result<Self, ::superhet_runtime::BlockError> {
                type With<T> = fn(&T, &str, &::superhet_runtime::Value) -> Result<T, ::superhet_runtime::BlockError>;
                let with: With<Self> = $with;
                with(self, name, value)
            }
            fn parameter(&self, name: &str) -> Option<::superhet_runtime::Value> {
                let get: fn(&Self, &str) -> Option<::superhet_runtime::Value> = $get;
                get(self, name)
            }
            fn map(&self, x: &[Self::In], y: &mut [Self::Out]) {
                $crate::elementwise::map(self, x, y);
            }
        }
    };
}
pub(crate) use pure_of_elementwise;

/// Whether items of `A` and `B` have one size, so that [`map_in_place`] can read the one as the other.
///
/// The runtime works in place only where they are one type; that cannot be asked here, where a constant is wanted.
pub(crate) const fn fits_in_place<A, B>() -> bool {
    size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>()
}

#[cfg(test)]
mod tests;
