//! What several streams of one type become, item by item: sums, products and the like.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{In, Item, Out};

use crate::error::Error;
use crate::lockstep::{Lockstep, MOST_PORTS, Many, check_ports, room};

/// A function of two items that takes more of them one after another: `((x0 ∘ x1) ∘ x2) ∘ …`.
pub trait Fold: Send + Sync + 'static {
    /// The items.
    type Item: Item;

    /// `y[n] = a[n] ∘ b[n]`.
    fn two(y: &mut [Self::Item], a: &[Self::Item], b: &[Self::Item]);

    /// `y[n] = y[n] ∘ b[n]`.
    fn next(y: &mut [Self::Item], b: &[Self::Item]);
}

/// A [`Fold`] over any number of inputs.
#[derive(Debug)]
pub struct Folded<F>(std::marker::PhantomData<fn() -> F>);

impl<F: Fold> Lockstep for Folded<F> {
    type In = F::Item;
    type Out = F::Item;

    fn turn(&mut self, inputs: &[In<F::Item>], outputs: &mut [Out<F::Item>], turns: usize) {
        let Some(y) = outputs.first_mut().and_then(|output| room(output, turns)) else { return };
        let x = |place: usize| &inputs[place].peek()[..turns];
        match inputs.len() {
            1 => y.copy_from_slice(x(0)),
            n => {
                F::two(y, x(0), x(1));
                (2..n).for_each(|place| F::next(y, x(place)));
            }
        }
    }
}

/// The block that folds so many inputs.
pub(crate) fn folded<F: Fold>(inputs: usize) -> Result<Many<Folded<F>>, Error> {
    check_ports("inputs", inputs)?;
    Ok(Many::to_one(Folded(std::marker::PhantomData), inputs))
}

/// How many ports of one kind a block may have.
pub(crate) const PORTS: Kind = Kind::Integer(1, MOST_PORTS as i64);

/// Implements [`Fold`] and, for two inputs, `Pure` for `$Block<$item>`, and makes the constructors of `$Block`.
macro_rules! fold {
    ($Block:ident: $($item:ty => $two:expr, $next:expr);+ $(;)?) => {
        impl<T: ::superhet_runtime::Item> $Block<T> {
            /// The block for two streams.
            pub fn new() -> Self {
                $Block(::std::marker::PhantomData)
            }
        }

        impl<T: ::superhet_runtime::Item> $Block<T>
        where
            Self: $crate::math::fold::Fold,
        {
            /// The block for so many streams.
            ///
            /// # Errors
            /// [`Error::OutOfRange`](crate::Error::OutOfRange) unless there are 1 to 64 inputs.
            pub fn of(
                inputs: usize,
            ) -> Result<$crate::lockstep::Many<$crate::math::fold::Folded<Self>>, $crate::Error> {
                $crate::math::fold::folded(inputs)
            }
        }

        impl<T: ::superhet_runtime::Item> Default for $Block<T> {
            fn default() -> Self {
                $Block::new()
            }
        }

        $(
        impl $crate::math::fold::Fold for $Block<$item> {
            type Item = $item;
            #[inline]
            fn two(y: &mut [$item], a: &[$item], b: &[$item]) {
                $two(y, a, b);
            }
            #[inline]
            fn next(y: &mut [$item], b: &[$item]) {
                $next(y, b);
            }
        }

        impl ::superhet_runtime::Pure for $Block<$item> {
            type In = ($item, $item);
            type Out = $item;

            fn map(&self, (a, b): (&[$item], &[$item]), y: &mut [$item]) {
                $two(y, a, b);
            }
        }
        )+
    };
}
pub(crate) use fold;

/// Gives the best of the items of all inputs at each place; or, of vectors of so many items, the best of each vector of all
/// inputs. `better` says which of two is.
pub(crate) fn give_best<T: Item>(
    inputs: &[In<T>],
    outputs: &mut [Out<T>],
    turns: usize,
    vector: Option<usize>,
    better: impl Fn(T, T) -> T,
) {
    let Some(y) = outputs.first_mut().and_then(|output| room(output, turns)) else { return };
    for (place, input) in inputs.iter().enumerate() {
        let x = input.peek();
        match vector {
            None if place == 0 => y.copy_from_slice(&x[..turns]),
            None => y.iter_mut().zip(x).for_each(|(y, &x)| *y = better(*y, x)),
            Some(length) => {
                for (y, x) in y.iter_mut().zip(x.chunks_exact(length)) {
                    let first = if place == 0 { x[0] } else { *y };
                    *y = x.iter().fold(first, |y, &x| better(y, x));
                }
            }
        }
    }
}

/// `y[n] = f(a[n], b[n])`.
#[inline(always)]
pub(crate) fn pairwise<T: Copy>(f: impl Fn(T, T) -> T) -> impl Fn(&mut [T], &[T], &[T]) {
    move |y, a, b| {
        for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
            *y = f(a, b);
        }
    }
}

/// `y[n] = f(y[n], b[n])`.
#[inline(always)]
pub(crate) fn onto<T: Copy>(f: impl Fn(T, T) -> T) -> impl Fn(&mut [T], &[T]) {
    move |y, b| {
        for (y, &b) in y.iter_mut().zip(b) {
            *y = f(*y, b);
        }
    }
}
