//! FIR filter, decimating too.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::catalog::{Entry, Kind, Param, input, optional, output, required, set_port};
use superhet_runtime::{
    AnyBlock, AnyPacket, BlockError, C32, Item, Packet, Pure, Ratio, Value, no_parameter,
};

use crate::error::{Error, MOST_TO_ONE, check_to_one};
use crate::item::{FromNumber, from_numbers, from_values};

/// FIR filter: `y[k] = Σⱼ taps[j] · x[k · decimation − j]`, with zeros before the first item.
///
/// | samples | taps | type |
/// |---|---|---|
/// | `f32` | real | `FirFilter<f32, f32>` |
/// | `C32` | real | `FirFilter<C32, f32>` |
/// | `C32` | complex | `FirFilter<C32, C32>` |
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` or `f32` | any | `decimation` |
/// | out `out` | the same | that of `in`, times that of the taps | 1 |
/// | in `set` | messages | new values of `taps` | |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `taps` | | at least one, finite; others, as many, can take their place while the block runs |
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

/// Taps that can filter samples of type `T`: real ones all, complex ones complex samples.
pub trait Tap<T>: sealed::Tap<T> + Item {}

mod sealed {
    use super::*;

    pub trait Tap<T>: std::fmt::Display + FromNumber {
        fn filter(y: &mut [T], x: &[T], taps_reversed: &[Self], decimation: usize)
        where
            Self: Sized;
        fn is_finite(&self) -> bool;
    }

    macro_rules! taps {
        ($($tap:ty, $sample:ty => $kernel:ident, |$t:ident| $is_finite:expr;)+) => {$(
            impl Tap<$sample> for $tap {
                fn filter(y: &mut [$sample], x: &[$sample], taps_reversed: &[$tap], decimation: usize) {
                    kernels::$kernel(y, x, taps_reversed, decimation);
                }
                fn is_finite(&self) -> bool {
                    let $t = self;
                    $is_finite
                }
            }
            impl super::Tap<$sample> for $tap {}
        )+};
    }

    taps! {
        f32, f32 => fir_f32, |tap| f32::is_finite(*tap);
        f32, C32 => fir_c32_f32, |tap| f32::is_finite(*tap);
        C32, C32 => fir_c32_c32, |tap| tap.re.is_finite() && tap.im.is_finite();
    }
}

impl<T: Item, C: Tap<T>> FirFilter<T, C> {
    /// A filter with these taps that gives one item out of `decimation`.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or
    /// the decimation is out of its range.
    pub fn new(taps: &[C], decimation: usize) -> Result<Self, Error> {
        check_to_one("decimation", decimation)?;
        if taps.is_empty() {
            return Err(Error::Empty { parameter: "taps", wanted: "at least one number" });
        }
        if let Some(place) = taps.iter().position(|tap| !tap.is_finite()) {
            let got = taps[place].to_string();
            return Err(Error::Element { parameter: "taps", place, wanted: "a finite number", got });
        }
        let taps_reversed = taps.iter().rev().copied().collect();
        Ok(FirFilter { taps_reversed, decimation, item: PhantomData })
    }
}

impl<T: Item, C: Tap<T>> Pure for FirFilter<T, C> {
    type In = T;
    type Out = T;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        if name != "taps" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        let taps: Vec<C> = from_values("taps", value)?;
        let (got, wanted) = (taps.len(), self.taps_reversed.len());
        if got != wanted {
            return Err(format!("taps has {got} numbers: expected {wanted}, as many as before").into());
        }
        Ok(FirFilter::new(&taps, self.decimation)?)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        let taps: Vec<C> = self.taps_reversed.iter().rev().copied().collect();
        AnyPacket::from(Packet::from_items(&taps)).to_vector().filter(|_| name == "taps")
    }
    fn ratio(&self) -> Ratio {
        Ratio::decimate(self.decimation)
    }
    fn history(&self) -> usize {
        self.taps_reversed.len() - 1
    }
    fn delay(&self) -> u64 {
        (self.history() / 2) as u64
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        C::filter(y, x, &self.taps_reversed, self.decimation);
    }
}

/// How many items may become one.
pub(crate) const TO_ONE: Kind = Kind::Integer(1, MOST_TO_ONE as i64);

/// The parameter `decimation` of filters.
pub(crate) const DECIMATION: Param =
    optional("decimation", TO_ONE, "items", "1", "One item out of so many items in.");

/// How files and the command line find [`FirFilter`].
pub const ENTRY: Entry = Entry {
    name: "fir_filter",
    category: "filters",
    summary: "FIR filter: y[k] = Σ taps[j] · x[k · decimation − j].",
    params: &[
        crate::item::SAMPLE_ITEM,
        required("taps", Kind::Numbers, "", "The taps; complex ones as [re, im], for C32 only."),
        DECIMATION,
    ],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "x, filtered"),
        set_port("new values of taps, as many as before"),
    ],
    make: |params| {
        let (taps, decimation) = (params.numbers("taps"), params.count("decimation"));
        let is_real = taps.iter().all(|tap| tap.im == 0.0);
        Ok(match params.text("item") {
            "f32" => AnyBlock::new(FirFilter::<f32, f32>::new(&from_numbers("taps", &taps)?, decimation)?),
            _ if is_real => {
                AnyBlock::new(FirFilter::<C32, f32>::new(&from_numbers("taps", &taps)?, decimation)?)
            }
            _ => AnyBlock::new(FirFilter::<C32, C32>::new(&from_numbers("taps", &taps)?, decimation)?),
        })
    },
};

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
