//! Functions by their names.

use superhet_kernels as kernels;
use superhet_runtime::catalog::Kind;
use superhet_runtime::{C32, C64, Item, Pure, declare};

use crate::error::Error;

/// A function of each item, by its name: `y[n] = f(x[n])`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | what the function takes; angles in radians |
/// | out `out` | the same | what it gives |
///
/// Of complex numbers, the principal value. `log` is the natural logarithm.
///
/// ```
/// use superhet_blocks::math::Transcendental;
/// use superhet_runtime::harness;
///
/// let block = Transcendental::<f32>::new("sqrt")?;
/// assert_eq!(harness::run(block, &[4.0, 9.0]), [2.0, 3.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Transcendental<T: Item> {
    function: SliceFunction<T>,
}

/// The names of all functions.
const NAMES: &[&str] =
    &["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt"];

/// What computes `y` from `x`.
pub type SliceFunction<T> = fn(&mut [T], &[T]);

/// Items that functions take and give.
pub trait HasFunctions: Item {
    /// The function of this name, where there is one.
    fn function(name: &str) -> Option<SliceFunction<Self>>;
}

/// The loop that applies `$f`.
macro_rules! each {
    ($item:ty, $f:expr) => {
        |y: &mut [$item], x: &[$item]| y.iter_mut().zip(x).for_each(|(y, x)| *y = $f(*x))
    };
}

impl HasFunctions for f32 {
    fn function(name: &str) -> Option<SliceFunction<f32>> {
        Some(match name {
            "sin" => kernels::sin,
            "cos" => kernels::cos,
            "tan" => kernels::tan,
            "asin" => kernels::asin,
            "acos" => kernels::acos,
            "atan" => kernels::atan,
            "sinh" => each!(f32, f32::sinh),
            "cosh" => each!(f32, f32::cosh),
            "tanh" => kernels::tanh,
            "exp" => kernels::exp,
            "log" => kernels::ln,
            "log10" => kernels::log10,
            "sqrt" => kernels::sqrt,
            _ => return None,
        })
    }
}

/// A function of complex numbers in double precision, where what it is made of does not overflow as long as its value is one.
macro_rules! wide {
    ($f:expr) => {
        each!(C32, |x: C32| {
            let y = $f(C64::new(x.re.into(), x.im.into()));
            C32::new(y.re as f32, y.im as f32)
        })
    };
}

/// Beyond this a hyperbolic tangent is ±1 in double precision.
const ONE_FROM: f64 = 100.0;

/// The tangent, as the quotient of functions that would both be infinite elsewhere.
fn tan(x: C64) -> C64 {
    C64::new(x.re, x.im.clamp(-ONE_FROM, ONE_FROM)).tan()
}

/// The hyperbolic tangent, likewise.
fn tanh(x: C64) -> C64 {
    C64::new(x.re.clamp(-ONE_FROM, ONE_FROM), x.im).tanh()
}

impl HasFunctions for C32 {
    fn function(name: &str) -> Option<SliceFunction<C32>> {
        Some(match name {
            "sin" => wide!(C64::sin),
            "cos" => wide!(C64::cos),
            "tan" => wide!(tan),
            "sinh" => wide!(C64::sinh),
            "cosh" => wide!(C64::cosh),
            "tanh" => wide!(tanh),
            "exp" => wide!(C64::exp),
            "log" => wide!(C64::ln),
            "log10" => wide!(C64::log10),
            "sqrt" => wide!(C64::sqrt),
            _ => return None,
        })
    }
}

#[declare(
    category = "math",
    summary = "A function of each item, by its name: y[n] = f(x[n]).",
    items(C32, f32),
    ports(input("in", "item", "x"), output("out", "item", "f(x)"))
)]
impl<T: HasFunctions> Transcendental<T> {
    /// The function of this name.
    ///
    /// # Errors
    /// [`Error::WrongKind`] where there is none for these items.
    pub fn new(
        /// The function; asin, acos and atan take f32 only.
        #[param(kind = Kind::Choice(NAMES))]
        function: &str,
    ) -> Result<Self, Error> {
        let wanted = "sin, cos, tan, sinh, cosh, tanh, exp, log, log10, sqrt; of f32 also asin, acos, atan";
        let wrong = || Error::WrongKind { parameter: "function", wanted, got: function.to_owned() };
        Ok(Transcendental { function: T::function(function).ok_or_else(wrong)? })
    }
}

impl<T: HasFunctions> Pure for Transcendental<T> {
    type In = T;
    type Out = T;

    fn map(&self, x: &[T], y: &mut [T]) {
        (self.function)(y, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_right() {
        let x: Vec<f32> = noise(100).iter().map(|x| x.abs() * 0.9 + 0.05).collect();
        let wide: [fn(f64) -> f64; 13] = [
            f64::sin,
            f64::cos,
            f64::tan,
            f64::asin,
            f64::acos,
            f64::atan,
            f64::sinh,
            f64::cosh,
            f64::tanh,
            f64::exp,
            f64::ln,
            f64::log10,
            f64::sqrt,
        ];
        for (name, f) in NAMES.iter().zip(wide) {
            let y: Vec<f32> = harness::run(Transcendental::<f32>::new(name).unwrap(), &x);
            let near = |(y, x): (&f32, &f32)| (f64::from(*y) - f(f64::from(*x))).abs() < 1e-5;
            assert!(y.iter().zip(&x).all(near), "{name}");
            harness::assert_cut_invariant(|| Transcendental::<f32>::new(name).unwrap(), &x);
        }
        let x = complex_noise(100);
        let y: Vec<C32> = harness::run(Transcendental::<C32>::new("tanh").unwrap(), &x);
        let wide = |x: &C32| C64::new(x.re.into(), x.im.into()).tanh();
        let near = |y: &C32, x: &C32| (C64::new(y.re.into(), y.im.into()) - wide(x)).norm() < 1e-5;
        assert!(y.iter().zip(&x).all(|(y, x)| near(y, x)));
    }

    #[test]
    fn what_is_finite_of_large_complex_numbers_is_given() {
        let one = |name: &str, re: f32, im: f32| -> C32 {
            harness::run(Transcendental::<C32>::new(name).unwrap(), &[C32::new(re, im)])[0]
        };
        for far in [45.0, 100.0, 3e38, f32::INFINITY] {
            assert_eq!(one("tanh", far, 1.0).re, 1.0, "{far}");
            assert_eq!(one("tanh", -far, 1.0).re, -1.0, "{far}");
            assert!(one("tanh", far, 1.0).im.abs() < 1e-30, "{far}");
            assert_eq!(one("tan", 1.0, far).im, 1.0, "{far}");
            assert_eq!(one("tan", 1.0, -far).im, -1.0, "{far}");
        }
        // e⁸⁹ is beyond single precision, its product with the cosine of 1 is not.
        for (name, wanted) in [("exp", 2.425_748_2e38), ("sinh", 1.212_874_1e38), ("cosh", 1.212_874_1e38)] {
            let y = one(name, 89.0, 1.0).re;
            assert!((y / wanted - 1.0).abs() < 1e-5, "{name}: {y}");
        }
    }

    #[test]
    fn a_function_that_there_is_not_is_refused() {
        let error = Transcendental::<C32>::new("asin").unwrap_err().to_string();
        assert!(error.starts_with("function = asin: expected sin, cos"), "{error}");
    }
}
