//! FIR filter, decimating too.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C32, C64, Item, Packet, Pure, Ratio, Shape, Value, declare, packet::AnyPacket,
    parameter::no_parameter,
};

use crate::error::{Error, MOST_TO_ONE, check_to_one};
use crate::item::{FromNumber, from_values};
use crate::transforms::with_floats;

/// FIR filter: `y[k] = Σⱼ taps[j] · x[k · decimation − j]`, with zeros before the first item.
///
/// | samples | taps | type |
/// |---|---|---|
/// | `f32` | real | `FirFilter<f32, f32>` |
/// | `C32` | real | `FirFilter<C32, f32>` |
/// | `C32` | complex | `FirFilter<C32, C32>` |
/// | `f32` | complex | `FirFilter<f32, C32>` |
/// | `i16` | complex | `FirFilter<i16, C32>` |
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32`, `f32` or `i16` | any | `decimation` |
/// | out `out` | `f32` of real samples and taps, else `C32` | that of `in`, times that of the taps | 1 |
/// | in `set` | messages | new values of `taps` | |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `taps` | | at least one, finite; others, at most as many, can take their place while the block runs |
/// | `decimation` | items | 1 to 2²⁴; so many are held in memory |
///
/// The group delay of symmetric taps, `floor((taps − 1) / 2)` items of the input, is declared: tags move by it. So the
/// last items that come out belong to input from that much before the end.
///
/// **Accuracy**: that of the kernel, 2⁻²⁴ · (taps + 8) · Σ |x| · |tap|.
///
/// ```
/// use superhet_blocks::filters::FirFilter;
/// use superhet_runtime::harness;
///
/// let mean_of_two = FirFilter::<f32, f32>::new(&[0.5, 0.5], 1)?;
/// let y: Vec<f32> = harness::run(mean_of_two, &[2.0f32, 4.0, 6.0]);
/// assert_eq!(y, [1.0, 3.0, 5.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FirFilter<T, C> {
    taps_reversed: Vec<C>,
    decimation: usize,
    item: PhantomData<fn() -> T>,
}

/// Taps that can filter samples of type `T`; what comes out is `Out`.
pub trait Tap<T>: sealed::Tap<T> + Item {}

mod sealed {
    use super::*;

    pub trait Tap<T>: std::fmt::Display + FromNumber {
        type Out: Item;
        fn filter(y: &mut [Self::Out], x: &[T], taps_reversed: &[Self], decimation: usize)
        where
            Self: Sized;
        fn is_finite(&self) -> bool;
        /// Real taps of samples that are floats; `None` for others.
        fn real(_: &[Self]) -> Option<&[f32]>
        where
            Self: Sized,
        {
            None
        }
        /// Resamples at any rate, as [`kernels::arbitrary_arms_f32`] of taps and slopes, from a phase on, by a whole and a part;
        /// `None` where there is no kernel for it.
        fn arbitrary(
            _: &mut [Self::Out],
            _: &[T],
            _: [&[Self]; 2],
            _arms: usize,
            _phase: f64,
            _step: (usize, f64),
        ) -> Option<[f64; 3]>
        where
            Self: Sized,
        {
            None
        }
    }

    macro_rules! taps {
        ($($tap:ty, $sample:ty => $out:ty, $filter:expr, |$t:ident| $is_finite:expr
            $(, $arbitrary:expr)?;)+) => {$(
            impl Tap<$sample> for $tap {
                type Out = $out;
                fn filter(y: &mut [$out], x: &[$sample], taps_reversed: &[$tap], decimation: usize) {
                    $filter(y, x, taps_reversed, decimation);
                }
                fn is_finite(&self) -> bool {
                    let $t = self;
                    $is_finite
                }
                $(
                    fn arbitrary(
                        y: &mut [$out],
                        x: &[$sample],
                        [taps, slopes]: [&[$tap]; 2],
                        arms: usize,
                        phase: f64,
                        (whole, part): (usize, f64),
                    ) -> Option<[f64; 3]> {
                        Some($arbitrary(y, x, taps, slopes, arms, whole, [phase, part]))
                    }
                    fn real(taps: &[$tap]) -> Option<&[f32]> {
                        Some(taps)
                    }
                )?
            }
            impl super::Tap<$sample> for $tap {}
        )+};
    }

    taps! {
        f32, f32 => f32, kernels::fir_f32, |tap| f32::is_finite(*tap),
            kernels::arbitrary_arms_f32;
        f32, C32 => C32, kernels::fir_c32_f32, |tap| f32::is_finite(*tap),
            kernels::arbitrary_arms_c32_f32;
        C32, C32 => C32, kernels::fir_c32_c32, |tap| tap.re.is_finite() && tap.im.is_finite();
        C32, f32 => C32, kernels::fir_f32_c32, |tap| tap.re.is_finite() && tap.im.is_finite();
        C32, i16 => C32, of_shorts, |tap| tap.re.is_finite() && tap.im.is_finite();
    }

    fn of_shorts(y: &mut [C32], x: &[i16], taps_reversed: &[C32], decimation: usize) {
        with_floats(x.len(), |floats| {
            for (float, &x) in floats.iter_mut().zip(x) {
                *float = x.into();
            }
            kernels::fir_f32_c32(y, floats, taps_reversed, decimation);
        });
    }
}

/// Checks taps: at least one, all finite.
pub(crate) fn check_taps<T, C: Tap<T>>(taps: &[C]) -> Result<(), Error> {
    if taps.is_empty() {
        return Err(Error::Empty { parameter: "taps", wanted: "at least one number" });
    }
    if let Some(place) = taps.iter().position(|tap| !tap.is_finite()) {
        let got = taps[place].to_string();
        return Err(Error::Element { parameter: "taps", place, wanted: "a finite number", got });
    }
    Ok(())
}

/// New taps in the place of `most`: fewer get zeros behind them.
pub(crate) fn new_taps<C: FromNumber>(value: &Value, most: usize) -> Result<Vec<C>, BlockError> {
    let mut taps: Vec<C> = from_values("taps", value)?;
    let got = taps.len();
    if got > most {
        return Err(format!("taps has {got} numbers: expected at most {most}, as many as at first").into());
    }
    if got > 0 {
        taps.resize(most, C::zeroed());
    }
    Ok(taps)
}

/// Taps as the value of a parameter.
pub(crate) fn taps_value<C: Item>(taps: impl IntoIterator<Item = C>) -> Option<Value> {
    AnyPacket::from(Packet::from_items(&taps.into_iter().collect::<Vec<C>>())).to_vector()
}

/// What a filter of real samples gives as whole numbers, cut off towards 0 and held within their range.
#[derive(Clone, Debug)]
pub struct ToShort<B>(pub B);

impl<B: Pure<In = f32, Out = f32>> Pure for ToShort<B> {
    type In = f32;
    type Out = i16;
    const PARAMETERS: &'static [&'static str] = B::PARAMETERS;
    const FORMERLY: &'static [(&'static str, &'static str)] = B::FORMERLY;

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        self.0.with_parameter(name, value).map(ToShort)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        self.0.parameter(name)
    }
    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn map(&self, x: &[f32], y: &mut [i16]) {
        with_floats(y.len(), |floats| {
            self.0.map(x, floats);
            for (y, &float) in y.iter_mut().zip(&*floats) {
                *y = float as i16;
            }
        });
    }
}

/// The block `$block` of samples `$T` with taps `$C`, as `item`, `out_item` and the taps say; `$finish` makes a block of it.
macro_rules! block_of_taps {
    ($item:expr, $out_item:expr, $taps:expr, |$T:ident, $C:ident, $given:ident| $block:expr, $finish:expr) => {{
        let taps: Vec<::superhet_runtime::C64> = $taps;
        let is_real = taps.iter().all(|tap| tap.im == 0.0);
        macro_rules! form {
            ($sample:ty, $tap:ty) => {{
                type $T = $sample;
                type $C = $tap;
                let $given: &[$C] = &$crate::item::from_numbers::<$C>("taps", &taps)?;
                $block
            }};
        }
        match ($item, $out_item) {
            ("f32", "auto" | "f32") => $finish(form!(f32, f32)),
            ("f32", "i16") => $finish($crate::filters::fir_filter::ToShort(form!(f32, f32))),
            ("f32", "C32") => $finish(form!(f32, ::superhet_runtime::C32)),
            ("i16", "auto" | "C32") => $finish(form!(i16, ::superhet_runtime::C32)),
            ("C32", "auto" | "C32") if is_real => $finish(form!(::superhet_runtime::C32, f32)),
            ("C32", "auto" | "C32") => $finish(form!(::superhet_runtime::C32, ::superhet_runtime::C32)),
            (item, out) => return Err(format!("out_item = {out}: no filter of {item} gives that").into()),
        }
    }};
}
pub(crate) use block_of_taps;

impl<T: Item, C: Tap<T>> FirFilter<T, C> {
    /// A filter with these taps that gives one item out of `decimation`.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or
    /// the decimation is out of its range.
    pub fn new(taps: &[C], decimation: usize) -> Result<Self, Error> {
        check_to_one("decimation", decimation)?;
        check_taps::<T, C>(taps)?;
        let taps_reversed = taps.iter().rev().copied().collect();
        Ok(FirFilter { taps_reversed, decimation, item: PhantomData })
    }
}

impl<T: Item, C: Tap<T>> Pure for FirFilter<T, C> {
    type In = T;
    type Out = C::Out;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        if name != "taps" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        Ok(FirFilter::new(&new_taps::<C>(value, self.taps_reversed.len())?, self.decimation)?)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        if name == "taps" { taps_value(self.taps_reversed.iter().rev().copied()) } else { None }
    }
    fn shape(&self) -> Shape {
        let history = self.taps_reversed.len() - 1;
        Shape {
            ratio: Ratio::decimate(self.decimation),
            history,
            delay: (history / 2) as u64,
            ..Shape::default()
        }
    }

    fn map(&self, x: &[T], y: &mut [C::Out]) {
        C::filter(y, x, &self.taps_reversed, self.decimation);
    }
}

/// How many items may become one.
pub(crate) const TO_ONE: Kind = Kind::Integer(1, MOST_TO_ONE as i64);

#[declare(
    category = "filters",
    summary = "FIR filter: y[k] = Σ taps[j] · x[k · decimation − j].",
    ports(
        input("in", "item", "x"),
        output("out", "out_item", "x, filtered: ⌊n / decimation⌋ items for n"),
        set_port("new values of taps, at most as many as at first")
    )
)]
fn fir_filter(
    /// The type of the samples.
    #[param(kind = Kind::Choice(&["C32", "f32", "i16"]), default = "C32")]
    item: &str,
    /// The type of the output: f32 for f32, C32 for the others; C32 or i16 for f32 where that is asked for.
    #[param(kind = Kind::Choice(&["auto", "C32", "f32", "i16"]), default = "auto")]
    out_item: &str,
    /// The taps; complex ones as [re, im], where the output is C32.
    taps: Vec<C64>,
    /// One item out of so many items in.
    #[param(unit = "items", kind = TO_ONE, default = 1)]
    decimation: usize,
) -> Result<AnyBlock, BlockError> {
    Ok(block_of_taps!(
        item,
        out_item,
        taps,
        |T, C, taps| FirFilter::<T, C>::new(taps, decimation)?,
        AnyBlock::new
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise, run_tags};
    use superhet_runtime::{Value, harness};

    const LENGTHS: [usize; 6] = [1, 2, 7, 33, 64, 200];
    const DECIMATIONS: [usize; 4] = [1, 2, 5, 50];

    /// The definition, in double precision.
    fn reference(x: &[C32], taps: &[C32], decimation: usize) -> Vec<C32> {
        let wide = |z: C32| superhet_runtime::C64::new(z.re.into(), z.im.into());
        let output = |k: usize| {
            let newest = k * decimation;
            let terms = taps.iter().enumerate().filter(|(j, _)| *j <= newest);
            let sum: superhet_runtime::C64 = terms.map(|(j, tap)| wide(*tap) * wide(x[newest - j])).sum();
            C32::new(sum.re as f32, sum.im as f32)
        };
        (0..x.len() / decimation).map(output).collect()
    }

    fn real(x: &[f32]) -> Vec<C32> {
        x.iter().map(|&re| C32::new(re, 0.0)).collect()
    }

    fn assert_near(y: &[C32], wanted: &[C32]) {
        assert_eq!(y.len(), wanted.len());
        assert!(y.iter().zip(wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-4));
    }

    #[test]
    fn values_are_those_of_the_definition() {
        let (x, z) = (noise(1000), complex_noise(1000));
        for len in LENGTHS {
            let (taps, complex_taps) =
                (noise(300)[100..][..len].to_vec(), complex_noise(300)[..len].to_vec());
            for d in DECIMATIONS {
                let y: Vec<f32> = harness::run(FirFilter::<f32, f32>::new(&taps, d).unwrap(), &x);
                assert_near(&real(&y), &reference(&real(&x), &real(&taps), d));
                let y: Vec<C32> = harness::run(FirFilter::<C32, f32>::new(&taps, d).unwrap(), &z);
                assert_near(&y, &reference(&z, &real(&taps), d));
                let y: Vec<C32> = harness::run(FirFilter::<C32, C32>::new(&complex_taps, d).unwrap(), &z);
                assert_near(&y, &reference(&z, &complex_taps, d));
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (x, z) = (noise(1000), complex_noise(1000));
        for len in LENGTHS {
            let (taps, complex_taps) = (noise(len), complex_noise(len));
            for d in [1, 5] {
                harness::assert_cut_invariant(|| FirFilter::<f32, f32>::new(&taps, d).unwrap(), &x);
                harness::assert_cut_invariant(|| FirFilter::<C32, f32>::new(&taps, d).unwrap(), &z);
                harness::assert_cut_invariant(|| FirFilter::<C32, C32>::new(&complex_taps, d).unwrap(), &z);
            }
        }
    }

    #[test]
    fn an_impulse_and_its_tag_come_out_together() {
        let taps = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let filter = || FirFilter::<f32, f32>::new(&taps, 2).unwrap();
        let mut x = vec![0.0; 100];
        x[41] = 1.0;
        let y: Vec<f32> = harness::run(filter(), &x);
        assert_eq!(y.iter().position(|y| *y == 1.0), Some(22));
        assert_eq!(run_tags::<f32, f32, _, _>(filter(), x, &[41]), (vec![22], 50));
    }

    #[test]
    fn parameters_that_make_no_filter_are_named() {
        let problem = |taps: &[f32], d| FirFilter::<f32, f32>::new(taps, d).unwrap_err().to_string();
        assert_eq!(problem(&[], 1), "taps is empty: expected at least one number");
        assert_eq!(problem(&[1.0], 0), "decimation = 0: expected a whole number from 1 to 16777216");
        assert_eq!(problem(&[1.0, f32::NAN], 1), "taps[1] = NaN: expected a finite number");
    }

    #[test]
    fn real_samples_and_shorts_take_complex_taps_and_shorts_come_out_where_wanted() {
        let (x, taps) = (noise(300), complex_noise(7));
        let y: Vec<C32> = harness::run(FirFilter::<f32, C32>::new(&taps, 2).unwrap(), &x);
        assert_near(&y, &reference(&real(&x), &taps, 2));
        let shorts: Vec<i16> = x.iter().map(|x| (x * 1000.0) as i16).collect();
        let as_floats: Vec<f32> = shorts.iter().map(|&x| x.into()).collect();
        let y: Vec<C32> = harness::run(FirFilter::<i16, C32>::new(&taps, 1).unwrap(), &shorts);
        let wanted = reference(&real(&as_floats), &taps, 1);
        assert!(y.iter().zip(&wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-2));
        let cut = ToShort(FirFilter::<f32, f32>::new(&[0.5, 0.5], 1).unwrap());
        let y: Vec<i16> = harness::run(cut, &[-18.7f32, -17.4, 1e9, 1e9]);
        assert_eq!(y, [-9, -18, 32767, 32767]);
        harness::assert_cut_invariant(|| FirFilter::<i16, C32>::new(&taps, 2).unwrap(), &shorts);
    }

    #[test]
    fn fewer_taps_can_take_their_place() {
        let filter = FirFilter::<f32, f32>::new(&[1.0, 2.0, 3.0], 1).unwrap();
        let filter = filter.with_parameter("taps", &vec![0.5f32, 0.5].into()).unwrap();
        assert_eq!(harness::run(filter.clone(), &[2.0, 4.0, 6.0]), [1.0, 3.0, 5.0]);
        let error = filter.with_parameter("taps", &vec![0.5f32; 4].into()).unwrap_err().to_string();
        assert_eq!(error, "taps has 4 numbers: expected at most 3, as many as at first");
    }

    #[test]
    fn complex_taps_need_complex_samples() {
        let taps = Value::from(vec![Value::from(1.0), Value::from(vec![Value::from(0.0), Value::from(1.0)])]);
        let given = |item: &str| [("item".to_owned(), item.into()), ("taps".to_owned(), taps.clone())].into();
        assert!(ENTRY.build(&given("C32")).is_ok());
        let errors = ENTRY.build(&given("f32")).unwrap_err();
        assert_eq!(
            errors[0].to_string(),
            "fir_filter: taps[1] = [0, 1]: expected a real number within ±3.4e38"
        );
    }
}
