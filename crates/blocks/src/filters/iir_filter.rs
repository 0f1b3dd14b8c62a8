//! Recursive filters by their difference equation.

use std::ops::{Add, Mul, Sub};

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required, set_port};
use superhet_runtime::{AnyBlock, BlockError, C32, C64, Item, SyncBlock, Value, no_parameter};

use crate::error::Error;
use crate::item::{SAMPLE_ITEM, from_numbers};

/// Recursive filter, direct form I: `y[n] = Σₖ b[k] · x[n − k] + Σₖ≥₁ a[k] · y[n − k]`, all zero before the first item.
///
/// The feedback taps `a` have the sign of GNU Radio's old style. [`IirFilter::new_style`] takes those of most tools, in which
/// they are subtracted. `a[0]` is not used in either: it is taken to be 1. All is computed in double precision.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` or `f32` | any |
/// | out `out` | the same | that of `in`, times that of `b` |
/// | in `set` | messages | new values of `feed_forward`, `feed_back` |
///
/// | parameter | range |
/// |---|---|
/// | `feed_forward` | `b`, at least one finite number; can be changed while the block runs |
/// | `feed_back` | `a`, finite; can be changed while the block runs |
/// | `old_style` | whether `a` is added |
///
/// An item that is not finite gives what the equation says, once, and counts as 0 from then on; where there is no feedback it
/// stays as long as there are taps. A filter that is not stable grows without bounds, and begins anew at 0 where it is infinite.
///
/// ```
/// use superhet_blocks::filters::IirFilter;
/// use superhet_runtime::harness;
///
/// let halves = IirFilter::<f32, f64>::new(&[1.0], &[1.0, 0.5])?;
/// assert_eq!(harness::run::<f32, f32, _, _>(halves, &[1.0, 0.0, 0.0]), [1.0, 0.5, 0.25]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IirFilter<T: Filtered<C>, C> {
    feed_forward: Vec<C>,
    /// As in the old style, from `a[1]` on.
    feed_back: Vec<C>,
    old_style: bool,
    /// The latest inputs and outputs, newest first.
    inputs: Vec<T::Wide>,
    outputs: Vec<T::Wide>,
    /// Both, as they were before the call.
    before: [Vec<T::Wide>; 2],
}

/// Samples that taps of type `C` can filter.
pub trait Filtered<C>: Item {
    /// The sample in double precision.
    type Wide: Copy + Default + Send + Add<Output = Self::Wide> + Mul<C, Output = Self::Wide> + 'static;
    /// In double precision.
    fn widen(self) -> Self::Wide;
    /// In single precision.
    fn narrow(wide: Self::Wide) -> Self;
    /// Whether it is a number, and not infinite.
    fn is_finite(wide: Self::Wide) -> bool;
}

macro_rules! filtered {
    ($($sample:ty, $tap:ty => $wide:ty, |$x:ident| $widen:expr, |$y:ident| $narrow:expr;)+) => {$(
        impl Filtered<$tap> for $sample {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide {
                let $x = self;
                $widen
            }
            #[inline(always)]
            fn narrow($y: $wide) -> Self {
                $narrow
            }
            #[inline(always)]
            fn is_finite(wide: $wide) -> bool {
                wide.is_finite()
            }
        }
    )+};
}

filtered! {
    f32, f64 => f64, |x| x.into(), |y| y as f32;
    C32, f64 => C64, |x| C64::new(x.re.into(), x.im.into()), |y| C32::new(y.re as f32, y.im as f32);
    C32, C64 => C64, |x| C64::new(x.re.into(), x.im.into()), |y| C32::new(y.re as f32, y.im as f32);
}

/// A tap: real or complex, in double precision.
pub trait IirTap: Copy + Default + Send + Sync + Sub<Output = Self> + 'static {
    /// The tap that a number says; `None` for a complex number where taps are real, and for what is not finite.
    fn of(number: C64) -> Option<Self>;
    /// The number.
    fn value(self) -> Value;
}

impl IirTap for f64 {
    fn of(number: C64) -> Option<Self> {
        (number.im == 0.0 && number.re.is_finite()).then_some(number.re)
    }
    fn value(self) -> Value {
        self.into()
    }
}

impl IirTap for C64 {
    fn of(number: C64) -> Option<Self> {
        number.is_finite().then_some(number)
    }
    fn value(self) -> Value {
        self.into()
    }
}

/// The taps that numbers say.
fn taps_of<C: IirTap>(parameter: &'static str, numbers: &[C64]) -> Result<Vec<C>, Error> {
    let tap = |(place, &number): (usize, &C64)| {
        let wrong = || Error::Element {
            parameter,
            place,
            wanted: "a finite number, real for f32",
            got: number.to_string(),
        };
        C::of(number).ok_or_else(wrong)
    };
    numbers.iter().enumerate().map(tap).collect()
}

/// The most taps.
const MOST_TAPS: usize = 1 << 16;

impl<T: Filtered<C>, C: IirTap> IirFilter<T, C> {
    /// A filter with these taps, in the old style.
    ///
    /// # Errors
    /// [`Error::Empty`] where there is no feed-forward tap, [`Error::OutOfRange`] beyond 65 536 taps.
    pub fn new(feed_forward: &[C], feed_back: &[C]) -> Result<Self, Error> {
        let mut filter = IirFilter {
            feed_forward: Vec::new(),
            feed_back: Vec::new(),
            old_style: true,
            inputs: Vec::new(),
            outputs: Vec::new(),
            before: [Vec::new(), Vec::new()],
        };
        filter.set_taps(feed_forward, feed_back)?;
        Ok(filter)
    }

    /// The same, with feedback taps that are subtracted.
    #[must_use]
    pub fn new_style(mut self) -> Self {
        self.old_style = false;
        self
    }

    fn set_taps(&mut self, feed_forward: &[C], feed_back: &[C]) -> Result<(), Error> {
        if feed_forward.is_empty() {
            return Err(Error::Empty { parameter: "feed_forward", wanted: "at least one number" });
        }
        let most = feed_forward.len().max(feed_back.len());
        crate::error::check(most <= MOST_TAPS, "feed_forward", "at most 65536 numbers", most as f64)?;
        (self.feed_forward, self.feed_back) = (feed_forward.to_vec(), feed_back.to_vec());
        self.inputs.resize(feed_forward.len() - 1, T::Wide::default());
        self.outputs.resize(feed_back.len().saturating_sub(1), T::Wide::default());
        Ok(())
    }
}

impl<T: Filtered<C>, C: IirTap> SyncBlock for IirFilter<T, C> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["feed_forward", "feed_back"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let numbers = || {
            let list = value.as_list().ok_or_else(|| format!("expected a list of numbers, got {value}"))?;
            let numbers: Option<Vec<C64>> = list.iter().map(Value::as_complex).collect();
            numbers.ok_or_else(|| BlockError::from(format!("expected a list of numbers, got {value}")))
        };
        match name {
            "feed_forward" => {
                let taps = taps_of("feed_forward", &numbers()?)?;
                self.set_taps(&taps, &self.feed_back.clone())?;
            }
            "feed_back" => {
                let taps = taps_of("feed_back", &numbers()?)?;
                self.set_taps(&self.feed_forward.clone(), &taps)?;
            }
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        let value = |taps: &[C]| Value::from(taps.iter().map(|tap| tap.value()).collect::<Vec<_>>());
        match name {
            "feed_forward" => Some(value(&self.feed_forward)),
            "feed_back" => Some(value(&self.feed_back)),
            _ => None,
        }
    }

    fn process(&mut self, x: &[T], y: &mut [T]) {
        self.before[0].clone_from(&self.inputs);
        self.before[1].clone_from(&self.outputs);
        self.filter::<false>(x, y);
        // With feedback an output that is not finite makes all behind it so: a look at the end of the call tells.
        if self.outputs.iter().any(|y| !T::is_finite(*y)) {
            let [inputs, outputs] = &mut self.before;
            std::mem::swap(&mut self.inputs, inputs);
            std::mem::swap(&mut self.outputs, outputs);
            self.filter::<true>(x, y);
        }
    }
}

impl<T: Filtered<C>, C: IirTap> IirFilter<T, C> {
    /// Filters items; where `CAREFUL`, what is not finite counts as 0 behind itself.
    fn filter<const CAREFUL: bool>(&mut self, x: &[T], y: &mut [T]) {
        let finite = |x: T::Wide| if !CAREFUL || T::is_finite(x) { x } else { T::Wide::default() };
        let zero = C::default();
        for (x, y) in x.iter().zip(y) {
            let x = x.widen();
            let kept = finite(x);
            let mut sum = kept * self.feed_forward[0];
            for (tap, past) in self.feed_forward[1..].iter().zip(&self.inputs) {
                sum = sum + *past * *tap;
            }
            for (tap, past) in self.feed_back.iter().skip(1).zip(&self.outputs) {
                sum = sum + *past * if self.old_style { *tap } else { zero - *tap };
            }
            push(&mut self.inputs, kept);
            push(&mut self.outputs, finite(sum));
            if CAREFUL && !T::is_finite(x) {
                sum = sum + x * self.feed_forward[0];
            }
            *y = T::narrow(sum);
        }
    }
}

/// Puts `x` in front, and the last one away.
#[inline(always)]
fn push<X: Copy>(past: &mut [X], x: X) {
    if let Some(last) = past.len().checked_sub(1) {
        past.copy_within(..last, 1);
        past[0] = x;
    }
}

/// How files and the command line find [`IirFilter`].
pub const ENTRY: Entry = Entry {
    name: "iir_filter",
    category: "filters",
    summary: "Recursive filter by its difference equation.",
    params: &[
        SAMPLE_ITEM,
        required(
            "feed_forward",
            Kind::Numbers,
            "",
            "The taps of the input; complex ones as [re, im], for C32 only.",
        ),
        required("feed_back", Kind::Numbers, "", "The taps of the output; the first is not used."),
        optional(
            "old_style",
            Kind::Bool,
            "",
            "true",
            "Feedback taps are added, as in GNU Radio; false: subtracted.",
        ),
    ],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "x, filtered"),
        set_port("new values of feed_forward and feed_back"),
    ],
    make: |params| {
        let (forward, back) = (params.numbers("feed_forward"), params.numbers("feed_back"));
        let is_real = forward.iter().chain(&back).all(|tap| tap.im == 0.0);
        macro_rules! filter {
            ($sample:ty, $tap:ty) => {{
                let (forward, back) = (taps_of("feed_forward", &forward)?, taps_of("feed_back", &back)?);
                let filter = IirFilter::<$sample, $tap>::new(&forward, &back)?;
                AnyBlock::new(if params.flag("old_style") { filter } else { filter.new_style() })
            }};
        }
        // Checks that the numbers fit in single precision, as those of other filters.
        from_numbers::<C32>("feed_forward", &forward)?;
        Ok(match params.text("item") {
            "f32" => filter!(f32, f64),
            _ if is_real => filter!(C32, f64),
            _ => filter!(C32, C64),
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio_in_both_styles() {
        let x = [1.0f32, 0.0, 0.0, 0.0, 0.0, 2.0];
        let filter = || IirFilter::<f32, f64>::new(&[1.0, 0.5], &[7.0, 0.5, 0.25]).unwrap();
        assert_eq!(harness::run::<f32, f32, _, _>(filter(), &x), [1.0, 1.0, 0.75, 0.625, 0.5, 2.40625]);
        let y: Vec<f32> = harness::run(filter().new_style(), &x);
        assert_eq!(y, [1.0, 0.0, -0.25, 0.125, 0.0, 1.96875]);
    }

    #[test]
    fn complex_taps_turn() {
        let filter = IirFilter::<C32, C64>::new(&[C64::ONE], &[C64::ONE, C64::I]).unwrap();
        let y: Vec<C32> = harness::run(filter, &[C32::ONE, C32::ZERO, C32::ZERO]);
        assert_eq!(y, [C32::ONE, C32::I, -C32::ONE]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let filter = || IirFilter::<f32, f64>::new(&[1.0, 0.5, 0.1], &[1.0, 0.5, -0.25]).unwrap();
        harness::assert_cut_invariant(filter, &noise(500));
        let filter = || IirFilter::<C32, f64>::new(&[1.0, 0.5, 0.1], &[1.0, 0.5, -0.25]).unwrap();
        harness::assert_cut_invariant(filter, &complex_noise(500));
    }

    #[test]
    fn taps_can_be_changed_and_bad_ones_are_refused() {
        let mut filter = IirFilter::<f32, f64>::new(&[1.0], &[]).unwrap();
        filter.set_parameter("feed_back", &vec![1.0f32, 0.5].into()).unwrap();
        assert_eq!(filter.parameter("feed_back"), Some(vec![Value::from(1.0), 0.5.into()].into()));
        assert!(filter.set_parameter("feed_forward", &Value::from(Vec::<Value>::new())).is_err());
        assert!(filter.set_parameter("feed_back", &vec![C32::I].into()).is_err());
        assert!(filter.set_parameter("feed_back", &vec![f32::NAN].into()).is_err());
    }

    #[test]
    fn an_item_that_is_not_finite_is_out_of_a_recursive_filter_with_the_next_item() {
        let mut x = vec![1f32; 400];
        (x[100], x[131]) = (f32::NAN, f32::INFINITY);
        let make = || IirFilter::<f32, f64>::new(&[0.25, 0.25], &[1.0, 0.5]).unwrap();
        let y: Vec<f32> = harness::run(make(), &x);
        let spoilt: Vec<usize> = (0..400).filter(|n| !y[*n].is_finite()).collect();
        assert_eq!(spoilt, [100, 131]);
        assert!((y[399] - 1.0).abs() < 1e-6, "{}", y[399]);
        x[100] = f32::INFINITY;
        harness::assert_cut_invariant(make, &x);
        let complex: Vec<C32> = x.iter().map(|x| C32::new(1.0, *x)).collect();
        let make = || IirFilter::<C32, C64>::new(&[C64::ONE], &[C64::ONE, C64::new(0.0, 0.5)]).unwrap();
        let y: Vec<C32> = harness::run(make(), &complex);
        assert_eq!(y.iter().filter(|y| !y.is_finite()).count(), 2);
    }

    #[test]
    fn a_filter_that_is_not_stable_begins_anew_where_it_is_infinite() {
        let make = || IirFilter::<f32, f64>::new(&[1.0], &[1.0, 1e30]).unwrap();
        let y: Vec<f32> = harness::run(make(), &[1.0f32; 100]);
        assert!(y.iter().filter(|y| **y == 1.0).count() > 5, "{y:?}");
    }
}
