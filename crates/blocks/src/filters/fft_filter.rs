//! FIR filter by Fourier transforms.

use std::sync::Arc;

use superhet_fft::{Fft, FftPlanner};
use superhet_kernels as kernels;
use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C32, C64, Pure, Ratio, Shape, Value, declare, parameter::no_parameter,
};

use super::fir_filter::new_taps;
use crate::error::{Error, check};
use crate::item::{from_numbers, from_values};
use crate::transforms::with_scratch;

/// The most taps.
const MOST_TAPS: usize = 1 << 18;

/// The greatest decimation.
const MOST_DECIMATION: usize = 1 << 16;

/// FIR filter by Fourier transforms: `y[k] = Σⱼ taps[j] · x[k · decimation − j]`, with zeros before the first item.
///
/// The same as [`FirFilter`](super::FirFilter), for many taps: the work for an item grows with the logarithm of their
/// number.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32` | any | a block; see [`FftFilter::block`] |
/// | out `out` | `C32` | that of `in`, times that of the taps | `block / decimation` |
/// | in `set` | messages | new values of `taps` | |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `taps` | | 1 to 2¹⁸ finite numbers; others, at most as many, can take their place while the block runs |
/// | `decimation` | items | 1 to 2¹⁶ |
///
/// Overlap-save: a transform of `taps − 1` old samples and a block of new ones, a product with the transform of the
/// taps, and back; what wrapped around is left out. The blocks lie at multiples of their length in the stream, which
/// may end within one: `n` items make `⌊n / decimation⌋`. The group delay of symmetric taps is declared: tags move by it.
///
/// **Accuracy**: `|error| ≤ 2⁻²⁴ · (8 · log₂ size + 8) · Σ |taps| · max |x|` within a transform of `size` items, tested to
/// 16384.
///
/// ```
/// use superhet_blocks::filters::FftFilter;
/// use superhet_runtime::{C32, harness};
///
/// let mean_of_two = FftFilter::new(&[C32::new(0.5, 0.0); 2], 1)?;
/// let x = vec![C32::ONE; mean_of_two.block()];
/// let y: Vec<C32> = harness::run(mean_of_two, &x);
/// assert!((y[0] - 0.5).norm() < 1e-6 && (y[1] - 1.0).norm() < 1e-6);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone)]
pub struct FftFilter {
    forward: Arc<dyn Fft<f32>>,
    inverse: Arc<dyn Fft<f32>>,
    /// The transform of the taps, divided by its length.
    response: Vec<C32>,
    taps: usize,
    decimation: usize,
}

impl FftFilter {
    /// A filter with these taps that gives one item out of `decimation`.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or a
    /// number is out of its range.
    pub fn new(taps: &[C32], decimation: usize) -> Result<Self, Error> {
        check(
            (1..=MOST_DECIMATION).contains(&decimation),
            "decimation",
            "a whole number from 1 to 65536",
            decimation as f64,
        )?;
        if taps.is_empty() {
            return Err(Error::Empty { parameter: "taps", wanted: "at least one number" });
        }
        check(taps.len() <= MOST_TAPS, "taps", "at most 262144 numbers", taps.len() as f64)?;
        if let Some(place) = taps.iter().position(|tap| !tap.is_finite()) {
            let got = taps[place].to_string();
            return Err(Error::Element { parameter: "taps", place, wanted: "a finite number", got });
        }
        let size = best_size(taps.len(), decimation);
        let mut planner = FftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
        let mut response: Vec<C32> = taps.iter().map(|tap| tap / size as f32).collect();
        response.resize(size, C32::ZERO);
        forward.process(&mut response);
        Ok(FftFilter { forward, inverse, response, taps: taps.len(), decimation })
    }

    /// Items of the input that are filtered at once: a multiple of the decimation.
    pub fn block(&self) -> usize {
        block_of(self.response.len(), self.taps, self.decimation)
    }
}

/// New samples of a transform.
fn block_of(size: usize, taps: usize, decimation: usize) -> usize {
    let new = size + 1 - taps;
    new - new % decimation
}

/// The power of two that takes least work for an item: one transform costs about `size · (log₂ size + 2)`, and a quarter more where
/// the level-1 cache does not hold what goes into it and what comes out (with 512 taps 304 Mitems/s of 2048 items, 250 of 4096;
/// Zen 4). More than the level-2 cache holds is no gain.
fn best_size(taps: usize, decimation: usize) -> usize {
    let least = (taps - 1 + decimation).next_power_of_two().max(256);
    let cost = |size: usize| {
        let of_cache = if size > 2048 { 1.25 } else { 1.0 };
        of_cache * size as f64 * (f64::from(size.ilog2()) + 2.0) / block_of(size, taps, decimation) as f64
    };
    let sizes = (0..4).map(|k| least << k).filter(|&size| size == least || size <= 1 << 14);
    sizes.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).expect("the least one is among them")
}

impl Pure for FftFilter {
    type In = C32;
    type Out = C32;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        if name != "taps" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        let taps = new_taps::<C32>(value, self.taps)?;
        Ok(FftFilter::new(&taps, self.decimation)?)
    }
    fn shape(&self) -> Shape {
        let history = self.taps - 1;
        Shape {
            ratio: Ratio { interpolation: self.block() / self.decimation, decimation: self.block() },
            history,
            // At the interpolated rate, as the ratio is written.
            delay: (history / 2 * (self.block() / self.decimation)) as u64,
            ends_anywhere: true,
            ..Shape::default()
        }
    }

    fn map(&self, x: &[C32], y: &mut [C32]) {
        let (size, block, old) = (self.response.len(), self.block(), self.taps - 1);
        let scratch =
            self.forward.get_outofplace_scratch_len().max(self.inverse.get_outofplace_scratch_len());
        with_scratch(2 * size + scratch, |memory| {
            let (frame, rest) = memory.split_at_mut(size);
            let (spectrum, scratch) = rest.split_at_mut(size);
            for (k, y) in y.chunks_mut(block / self.decimation).enumerate() {
                // The last block of a stream may be shorter.
                let x = &x[k * block..x.len().min((k + 1) * block + old)];
                frame[..x.len()].copy_from_slice(x);
                frame[x.len()..].fill(C32::ZERO);
                self.forward.process_outofplace_with_scratch(frame, spectrum, scratch);
                kernels::multiply_c32_in_place(spectrum, &self.response);
                self.inverse.process_outofplace_with_scratch(spectrum, frame, scratch);
                match self.decimation {
                    1 => y.copy_from_slice(&frame[old..][..y.len()]),
                    n => y.iter_mut().zip(frame[old..].iter().step_by(n)).for_each(|(y, &x)| *y = x),
                }
            }
        });
    }
}

/// [`FftFilter`] for real samples and taps: two blocks at once, as real and imaginary part of one.
#[derive(Clone)]
pub struct RealFftFilter(FftFilter);

impl RealFftFilter {
    /// A filter with these taps that gives one item out of `decimation`.
    ///
    /// # Errors
    /// As [`FftFilter::new`].
    pub fn new(taps: &[f32], decimation: usize) -> Result<Self, Error> {
        let taps: Vec<C32> = taps.iter().map(|&tap| tap.into()).collect();
        Ok(RealFftFilter(FftFilter::new(&taps, decimation)?))
    }
}

impl Pure for RealFftFilter {
    type In = f32;
    type Out = f32;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        // Real taps only: complex ones would mix the two blocks.
        from_values::<f32>("taps", value)?;
        self.0.with_parameter(name, value).map(RealFftFilter)
    }
    fn shape(&self) -> Shape {
        let shape = self.0.shape();
        let Ratio { interpolation, decimation } = shape.ratio;
        Shape {
            ratio: Ratio { interpolation: 2 * interpolation, decimation: 2 * decimation },
            delay: 2 * shape.delay,
            ..shape
        }
    }

    fn map(&self, x: &[f32], y: &mut [f32]) {
        let Ratio { interpolation: given, decimation: block } = self.0.shape().ratio;
        let old = self.shape().history;
        // Lives through the filter's own use of scratch memory.
        let mut memory = vec![C32::ZERO; old + block + given];
        let (both, filtered) = memory.split_at_mut(old + block);
        for (k, y) in y.chunks_mut(2 * given).enumerate() {
            // The last two blocks of a stream may be shorter, the second one empty.
            let x = &x[2 * k * block..];
            let behind = x.get(block..).unwrap_or_default().iter().chain(std::iter::repeat(&0.0));
            both.fill(C32::ZERO);
            for (both, (re, im)) in both.iter_mut().zip(x.iter().zip(behind)) {
                *both = C32::new(*re, *im);
            }
            self.0.map(both, filtered);
            let (first, second) = y.split_at_mut(y.len().min(given));
            kernels::complex_to_real(first, &filtered[..first.len()]);
            kernels::complex_to_imag(second, &filtered[..second.len()]);
        }
    }
}

#[declare(
    category = "filters",
    summary = "FIR filter by Fourier transforms, for many taps: y[k] = Σ taps[j] · x[k · decimation − j].",
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, filtered: ⌊n / decimation⌋ items for n"),
        set_port("new values of taps, at most as many as at first")
    )
)]
fn fft_filter(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// The taps; complex ones as [re, im], for C32 only.
    taps: &[C64],
    /// One item out of so many items in.
    #[param(unit = "items", range = 1..=MOST_DECIMATION, default = 1)]
    decimation: usize,
) -> Result<AnyBlock, Error> {
    Ok(match item {
        "f32" => AnyBlock::new(RealFftFilter::new(&from_numbers("taps", taps)?, decimation)?),
        _ => AnyBlock::new(FftFilter::new(&from_numbers("taps", taps)?, decimation)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::FirFilter;
    use crate::testing::{complex_noise, run_tags};
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_the_fir_filter() {
        let x = complex_noise(20_000);
        for taps in [1, 2, 7, 64, 300, 1000] {
            let taps = complex_noise(2000)[..taps].to_vec();
            for decimation in [1, 2, 5, 50] {
                let wanted: Vec<C32> =
                    harness::run(FirFilter::<C32, C32>::new(&taps, decimation).unwrap(), &x);
                let filter = FftFilter::new(&taps, decimation).unwrap();
                let size = filter.response.len();
                assert!(size <= 1 << 14, "{size}");
                let y: Vec<C32> = harness::run(filter, &x);
                assert_eq!(y.len(), x.len() / decimation);
                let sum: f32 = taps.iter().map(|tap| tap.norm()).sum();
                let bound = (8.0 * (size as f32).log2() + 8.0) * sum * 2f32.sqrt() / (1 << 24) as f32;
                // The other filter has its own error.
                let bound = bound + (taps.len() + 8) as f32 * sum * 2f32.sqrt() / (1 << 24) as f32;
                for (n, (y, wanted)) in y.iter().zip(&wanted).enumerate() {
                    assert!((y - wanted).norm() <= bound, "item {n}: {y}, wanted {wanted}");
                }
            }
        }
    }

    #[test]
    fn real_samples_are_filtered_two_blocks_at_once() {
        let (x, taps) = (crate::testing::noise(9000), crate::testing::noise(40));
        for decimation in [1, 3] {
            let wanted: Vec<f32> = harness::run(FirFilter::<f32, f32>::new(&taps, decimation).unwrap(), &x);
            let make = || RealFftFilter::new(&taps, decimation).unwrap();
            let y: Vec<f32> = harness::run(make(), &x);
            assert_eq!(y.len(), 9000 / decimation);
            assert!(y.iter().zip(&wanted).all(|(y, wanted)| (y - wanted).abs() < 1e-4));
            harness::assert_cut_invariant(make, &x[..3000]);
        }
    }

    #[test]
    fn a_stream_that_ends_within_a_block_comes_out_whole_with_any_number_of_workers() {
        let taps = complex_noise(40);
        let fir = || FirFilter::<C32, C32>::new(&taps, 3).unwrap();
        let wanted_of = |x: &[C32]| -> Vec<C32> { harness::run(fir(), x) };
        for items in [2, 3, 100, 1000, 50_001] {
            let x = complex_noise(items);
            let wanted = wanted_of(&x);
            for workers in [1, 2, 4] {
                let mut graph = superhet_runtime::Graph::new();
                let source = graph.add("source", harness::VecSource::new(x.clone()));
                // Between two blocks of its kind it is a link of a chain.
                let before = graph.add("before", crate::math::MultiplyConst::new(C32::ONE));
                let filter = graph.add("filter", FftFilter::new(&taps, 3).unwrap());
                let behind = graph.add("behind", crate::math::MultiplyConst::new(C32::ONE));
                let sink = harness::VecSink::<C32>::new();
                let y = sink.items();
                let sink = graph.add("sink", sink);
                graph.connect(source.output, before.input);
                graph.connect(before.output, filter.input);
                graph.connect(filter.output, behind.input);
                graph.connect(behind.output, sink.input);
                let scheduler = superhet_runtime::Adaptive::workers(workers);
                let running = graph.check().unwrap().start(&scheduler, &superhet_runtime::Options::default());
                running.unwrap().wait().unwrap();
                let y = y.take();
                assert_eq!(y.len(), items / 3, "{items} items, {workers} workers");
                assert!(y.iter().zip(&wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-3));
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        for (taps, decimation) in [(1, 1), (20, 1), (64, 7)] {
            let taps = complex_noise(taps);
            harness::assert_cut_invariant(
                || FftFilter::new(&taps, decimation).unwrap(),
                &complex_noise(2000),
            );
        }
    }

    #[test]
    fn an_impulse_and_its_tag_come_out_together() {
        let mut taps = [C32::ZERO; 7];
        taps[3] = C32::ONE;
        let filter = || FftFilter::new(&taps, 2).unwrap();
        let mut x = vec![C32::ZERO; 2 * filter().block()];
        x[41] = C32::ONE;
        let y: Vec<C32> = harness::run(filter(), &x);
        assert_eq!(y.iter().position(|y| y.norm() > 0.9), Some(22));
        assert_eq!(run_tags::<C32, C32, _, _>(filter(), x, &[41]).0, vec![22]);
    }

    #[test]
    fn a_block_is_a_multiple_of_the_decimation_at_any_size() {
        for taps in [1, 2, 255, 256, 257, 5000, MOST_TAPS] {
            for decimation in [1, 2, 3, 255, 256, MOST_DECIMATION] {
                let size = best_size(taps, decimation);
                let block = block_of(size, taps, decimation);
                assert!(
                    block > 0 && block.is_multiple_of(decimation) && block + taps - 1 <= size,
                    "{taps}, {decimation}"
                );
            }
        }
    }

    #[test]
    fn parameters_that_make_no_filter_are_named() {
        let problem = |taps: &[C32], d| FftFilter::new(taps, d).err().unwrap().to_string();
        assert_eq!(problem(&[], 1), "taps is empty: expected at least one number");
        assert_eq!(problem(&[C32::ONE], 0), "decimation = 0: expected a whole number from 1 to 65536");
        let nan = C32::new(f32::NAN, 0.0);
        assert_eq!(problem(&[C32::ONE, nan], 1), "taps[1] = NaN+0i: expected a finite number");
    }
}
