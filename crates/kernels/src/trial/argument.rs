//! The types of arguments and results that ops have.

use super::Access;
use super::memory::{Buffer, Maker};
use crate::C32;
use bytemuck::Pod;
use num_complex::Complex;

/// A type of arguments.
pub(crate) trait Argument {
    /// What owns such an argument; its `lend` gives it.
    type Kept: Kept;
    fn keep(name: &str, maker: &mut Maker<'_>) -> Self::Kept;
}

/// An argument between calls.
pub(crate) trait Kept {
    fn access(&self) -> Access;
    /// The bytes of a slice; none of a number.
    fn bytes(&self) -> &[u8];
    fn bytes_mut(&mut self) -> &mut [u8];
    /// The items of a slice as real and imaginary parts.
    #[cfg(test)]
    fn parts(&self) -> Vec<[f64; 2]>;
    /// Fills a slice with values that need care, each repeated `stride` times; says how many there are.
    #[cfg(test)]
    fn fill_with_specials(&mut self, stride: usize) -> usize;
    /// Fills a slice with what no op gives.
    #[cfg(test)]
    fn fill_with_junk(&mut self);
}

/// What a `work` clause says of an argument: the length of a slice, the value of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting(f64);

impl Setting {
    pub(super) fn length(self) -> usize {
        self.0 as usize
    }
}

macro_rules! setting_from {
    ($($number:ty),*) => {$(
        impl From<$number> for Setting {
            fn from(number: $number) -> Self {
                Setting(number as f64)
            }
        }
    )*};
}
setting_from!(i32, usize, f32, f64);

/// What the driver of the tests must know of items.
#[cfg(test)]
pub(crate) use crate::check::Item as Tested;
#[cfg(not(test))]
pub(crate) trait Tested {}
#[cfg(not(test))]
impl<T> Tested for T {}

/// A type of items in slices.
pub(crate) trait Value: Pod + Tested {
    /// A value as signals have them: within ±1, or any integer.
    fn typical(bits: u64) -> Self;
    /// A value of magnitude 1.
    fn unit(bits: u64) -> Self;
}

macro_rules! float_value {
    ($($float:ty),*) => {$(
        impl Value for $float {
            fn typical(bits: u64) -> Self {
                (bits >> 40) as $float / (1 << 23) as $float - 1.0
            }
            fn unit(bits: u64) -> Self {
                if bits >> 63 == 0 { 1.0 } else { -1.0 }
            }
        }
    )*};
}
float_value!(f32, f64);

macro_rules! complex_value {
    ($($float:ty),*) => {$(
        impl Value for Complex<$float> {
            fn typical(bits: u64) -> Self {
                Complex::new(<$float>::typical(bits), <$float>::typical(bits << 24))
            }
            fn unit(bits: u64) -> Self {
                let x = <$float>::unit(bits);
                if bits & 1 == 0 { Complex::new(x, 0.0) } else { Complex::new(0.0, x) }
            }
        }
    )*};
}
complex_value!(f32, f64);

macro_rules! integer_value {
    ($($int:ty),*) => {$(
        impl Value for $int {
            fn typical(bits: u64) -> Self {
                bits as $int
            }
            fn unit(_: u64) -> Self {
                1
            }
        }
    )*};
}
integer_value!(u8, i8, u16, i16, u32, i32, u64);

impl<T: Value, const N: usize> Value for [T; N]
where
    Self: Pod + Tested,
{
    fn typical(bits: u64) -> Self {
        std::array::from_fn(|n| T::typical(bits.rotate_left(8 * n as u32)))
    }
    fn unit(bits: u64) -> Self {
        [T::unit(bits); N]
    }
}

/// A slice that the op writes.
pub(crate) struct Output<T>(Buffer<T>);

impl<T: Value> Output<T> {
    #[inline]
    pub(crate) fn lend(&mut self) -> &mut [T] {
        self.0.items_mut()
    }
}

impl<T: Value> Argument for &mut [T] {
    type Kept = Output<T>;
    fn keep(name: &str, maker: &mut Maker<'_>) -> Output<T> {
        Output(maker.slice(name, true))
    }
}

/// A slice that the op reads.
pub(crate) struct Input<T>(Buffer<T>);

impl<T: Value> Input<T> {
    #[inline]
    pub(crate) fn lend(&mut self) -> &[T] {
        self.0.items()
    }
}

impl<T: Value> Argument for &[T] {
    type Kept = Input<T>;
    fn keep(name: &str, maker: &mut Maker<'_>) -> Input<T> {
        Input(maker.slice(name, false))
    }
}

macro_rules! kept_slice {
    ($($kept:ident: $access:expr;)*) => {$(
        impl<T: Value> Kept for $kept<T> {
            fn access(&self) -> Access {
                $access
            }
            fn bytes(&self) -> &[u8] {
                bytemuck::cast_slice(self.0.items())
            }
            fn bytes_mut(&mut self) -> &mut [u8] {
                bytemuck::cast_slice_mut(self.0.items_mut())
            }
            #[cfg(test)]
            fn parts(&self) -> Vec<[f64; 2]> {
                self.0.items().iter().map(|item| item.parts()).collect()
            }
            #[cfg(test)]
            fn fill_with_specials(&mut self, stride: usize) -> usize {
                for (n, item) in self.0.items_mut().iter_mut().enumerate() {
                    *item = T::SPECIAL[n / stride % T::SPECIAL.len()];
                }
                T::SPECIAL.len()
            }
            #[cfg(test)]
            fn fill_with_junk(&mut self) {
                self.0.items_mut().fill(T::JUNK);
            }
        }
    )*};
}
kept_slice! {
    Output: Access::Write;
    Input: Access::Read;
}

/// A type of numbers that ops take.
pub(crate) trait Number: Copy + 'static {
    /// What a `work` clause says, or else something that keeps values as large as they are.
    fn from_setting(setting: Option<Setting>) -> Self;
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Number for $number {
            fn from_setting(setting: Option<Setting>) -> Self {
                setting.map_or(1.0, |setting| setting.0) as $number
            }
        }
    )*};
}
number!(f32, f64, u8, i8, u16, i16, u32, i32, u64, i64, usize);

impl Number for bool {
    fn from_setting(setting: Option<Setting>) -> Self {
        setting.is_none_or(|setting| setting.0 != 0.0)
    }
}

impl Number for C32 {
    fn from_setting(setting: Option<Setting>) -> Self {
        setting.map_or(C32::new(0.6, -0.8), |setting| C32::new(setting.0 as f32, 0.0))
    }
}

impl<T: Number, const N: usize> Number for [T; N] {
    fn from_setting(setting: Option<Setting>) -> Self {
        [T::from_setting(setting); N]
    }
}

/// A number, or a place for one.
pub(crate) struct Single<T>(T);

impl<T> Kept for Single<T> {
    fn access(&self) -> Access {
        Access::Value
    }
    fn bytes(&self) -> &[u8] {
        &[]
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut []
    }
    #[cfg(test)]
    fn parts(&self) -> Vec<[f64; 2]> {
        Vec::new()
    }
    #[cfg(test)]
    fn fill_with_specials(&mut self, _: usize) -> usize {
        1
    }
    #[cfg(test)]
    fn fill_with_junk(&mut self) {}
}

macro_rules! number_argument {
    ($($number:ty),*) => {$(
        impl Argument for $number {
            type Kept = Single<$number>;
            fn keep(name: &str, maker: &mut Maker<'_>) -> Single<$number> {
                Single(<$number>::from_setting(maker.setting(name)))
            }
        }
    )*};
}
number_argument!(f32, f64, u8, i8, u16, i16, u32, i32, u64, i64, usize, bool, C32, [f64; 2]);

impl<T: Copy> Single<T> {
    #[inline]
    pub(crate) fn lend(&mut self) -> T {
        self.0
    }
}

/// A place for a number that the op changes, such as a phase.
pub(crate) struct State<T>(Single<T>);

impl<T> State<T> {
    #[inline]
    #[allow(dead_code, reason = "for the ops to come")]
    pub(crate) fn lend(&mut self) -> &mut T {
        &mut self.0.0
    }
}

impl<T> Kept for State<T> {
    fn access(&self) -> Access {
        self.0.access()
    }
    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut()
    }
    #[cfg(test)]
    fn parts(&self) -> Vec<[f64; 2]> {
        self.0.parts()
    }
    #[cfg(test)]
    fn fill_with_specials(&mut self, stride: usize) -> usize {
        self.0.fill_with_specials(stride)
    }
    #[cfg(test)]
    fn fill_with_junk(&mut self) {}
}

impl<T: Number> Argument for &mut T {
    type Kept = State<T>;
    fn keep(name: &str, maker: &mut Maker<'_>) -> State<T> {
        State(Single(T::from_setting(maker.setting(name))))
    }
}
