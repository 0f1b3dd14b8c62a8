//! Interpolating FIR filter.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C64, Item, Pure, Ratio, Shape, Value, declare, parameter::no_parameter,
};

use super::Tap;
use super::fir_filter::{block_of_taps, check_taps, new_taps, taps_value};
use crate::error::{Error, check};
use crate::transforms::with_scratch;

/// The greatest interpolation.
pub(crate) const MOST: usize = 1 << 16;

/// Interpolating FIR filter: `interpolation − 1` zeros behind each item, then a FIR filter:
/// `y[k · I + p] = Σⱼ taps[p + j · I] · x[k − j]` with `I = interpolation`, and zeros before the first item.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | as [`FirFilter`](super::FirFilter) | any | 1 |
/// | out `out` | as `FirFilter` | that of `in`, times that of the taps | `interpolation` |
/// | in `set` | messages | new values of `taps` | |
///
/// | parameter | range |
/// |---|---|
/// | `taps` | at least one, finite; others, at most as many, can take their place while the block runs |
/// | `interpolation` | 1 to 2¹⁶ |
///
/// The zeros take no work: each of the `I` outputs of an item has its own part of the taps. Tags move by the group delay
/// of symmetric taps.
///
/// ```
/// use superhet_blocks::filters::InterpFirFilter;
/// use superhet_runtime::harness;
///
/// let hold = InterpFirFilter::<f32, f32>::new(&[1.0, 1.0], 2)?;
/// assert_eq!(harness::run(hold, &[3.0, 5.0]), [3.0, 3.0, 5.0, 5.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct InterpFirFilter<T, C> {
    phases: Phases<C>,
    item: std::marker::PhantomData<fn() -> T>,
}

/// Taps by the phase of the output that they belong to.
#[derive(Clone, Debug)]
pub(super) struct Phases<C> {
    /// Of each phase, in reverse, equally many, one phase behind the other.
    reversed: Vec<C>,
    phases: usize,
    taps: usize,
}

impl<C: Item> Phases<C> {
    /// Distributes the taps over so many phases.
    pub fn new(taps: &[C], phases: usize) -> Self {
        let rounds = taps.len().div_ceil(phases);
        let tap =
            |phase: usize, round: usize| taps.get(phase + round * phases).copied().unwrap_or(C::zeroed());
        let reversed = (0..phases).flat_map(|phase| (0..rounds).rev().map(move |round| (phase, round)));
        let reversed = reversed.map(|(phase, round)| tap(phase, round)).collect();
        Phases { reversed, phases, taps: taps.len() }
    }

    /// How many phases there are.
    pub fn len(&self) -> usize {
        self.phases
    }

    /// How many taps each phase has.
    pub fn rounds(&self) -> usize {
        self.reversed.len() / self.phases
    }

    /// How many taps there were.
    pub fn taps(&self) -> usize {
        self.taps
    }

    /// The taps of a phase, in reverse.
    pub fn reversed(&self, phase: usize) -> &[C] {
        &self.reversed[phase * self.rounds()..][..self.rounds()]
    }

    /// The taps of all phases.
    pub fn all(&self) -> &[C] {
        &self.reversed
    }

    /// All taps as they were given.
    pub fn value(&self) -> Option<Value> {
        let (phases, rounds) = (self.len(), self.rounds());
        taps_value((0..self.taps).map(|tap| self.reversed[tap % phases * rounds + rounds - 1 - tap / phases]))
    }
}

/// Filters `x` into every `step`-th item of `y`, as many as there are; scratch memory makes the output contiguous first.
pub(super) fn filter_into<T: Item, C: Tap<T>>(
    y: &mut [C::Out],
    step: usize,
    x: &[T],
    reversed: &[C],
    decimation: usize,
) {
    let count = y.len().div_ceil(step);
    if step == 1 {
        return C::filter(y, x, reversed, decimation);
    }
    with_scratch(count, |memory| {
        let items = &mut bytemuck::cast_slice_mut::<_, C::Out>(memory)[..count];
        C::filter(items, x, reversed, decimation);
        for (y, item) in y.iter_mut().step_by(step).zip(&*items) {
            *y = *item;
        }
    });
}

impl<T: Item, C: Tap<T>> InterpFirFilter<T, C> {
    /// A filter with these taps that gives `interpolation` items for one.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Element`] or [`Error::OutOfRange`] where there is no tap, one that is not finite, or the
    /// interpolation is out of its range.
    pub fn new(taps: &[C], interpolation: usize) -> Result<Self, Error> {
        let wanted = "a whole number from 1 to 65536";
        check((1..=MOST).contains(&interpolation), "interpolation", wanted, interpolation as f64)?;
        check_taps::<T, C>(taps)?;
        Ok(InterpFirFilter { phases: Phases::new(taps, interpolation), item: std::marker::PhantomData })
    }
}

impl<T: Item, C: Tap<T>> Pure for InterpFirFilter<T, C> {
    type In = T;
    type Out = C::Out;
    const PARAMETERS: &'static [&'static str] = &["taps"];

    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        if name != "taps" {
            return Err(no_parameter(name, Self::PARAMETERS));
        }
        Ok(InterpFirFilter::new(&new_taps::<C>(value, self.phases.taps())?, self.phases.len())?)
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        if name == "taps" { self.phases.value() } else { None }
    }
    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio::interpolate(self.phases.len()),
            history: self.phases.rounds() - 1,
            delay: ((self.phases.taps() - 1) / 2) as u64,
            ..Shape::default()
        }
    }

    fn map(&self, x: &[T], y: &mut [C::Out]) {
        let phases = self.phases.len();
        for phase in 0..phases.min(y.len()) {
            filter_into(&mut y[phase..], phases, x, self.phases.reversed(phase), 1);
        }
    }
}

#[declare(
    category = "filters",
    summary = "Interpolating FIR filter: zeros between the items, then a filter.",
    ports(
        input("in", "item", "x"),
        output("out", "out_item", "x, interpolated: n · interpolation items for n"),
        set_port("new values of taps, at most as many as at first")
    )
)]
fn interp_fir_filter(
    /// The type of the samples.
    #[param(kind = Kind::Choice(&["C32", "f32", "i16"]), default = "C32")]
    item: &str,
    /// The type of the output: f32 for f32, C32 for the others; C32 or i16 for f32 where that is asked for.
    #[param(kind = Kind::Choice(&["auto", "C32", "f32", "i16"]), default = "auto")]
    out_item: &str,
    /// So many items out for one item in.
    #[param(unit = "items", range = 1..=MOST)]
    interpolation: usize,
    /// The taps; complex ones as [re, im], where the output is C32.
    taps: Vec<C64>,
) -> Result<AnyBlock, BlockError> {
    Ok(block_of_taps!(
        item,
        out_item,
        taps,
        |T, C, taps| InterpFirFilter::<T, C>::new(taps, interpolation)?,
        AnyBlock::new
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::{C32, harness};

    #[test]
    fn values_are_those_of_gnu_radio() {
        let filter = InterpFirFilter::<f32, f32>::new(&[1.0, 10.0, 100.0, 1000.0, 10000.0], 3).unwrap();
        let y: Vec<f32> = harness::run(filter, &[1.0f32, 2.0, 3.0, 0.0]);
        let wanted = [1.0, 10.0, 100.0, 1002.0, 10020.0, 200.0, 2003.0, 20030.0, 300.0, 3000.0, 30000.0, 0.0];
        assert_eq!(y, wanted);
    }

    #[test]
    fn values_are_those_of_a_filter_behind_zeros() {
        let (x, taps) = (complex_noise(200), complex_noise(17));
        for interpolation in [1, 2, 5, 20] {
            let filled: Vec<C32> =
                x.iter().flat_map(|x| [vec![*x], vec![C32::ZERO; interpolation - 1]].concat()).collect();
            let wanted: Vec<C32> =
                harness::run(super::super::FirFilter::<C32, C32>::new(&taps, 1).unwrap(), &filled);
            let y: Vec<C32> =
                harness::run(InterpFirFilter::<C32, C32>::new(&taps, interpolation).unwrap(), &x);
            assert!(y.iter().zip(&wanted).all(|(y, wanted)| (y - wanted).norm() < 1e-4));
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let (x, taps) = (noise(300), noise(23));
        harness::assert_cut_invariant(|| InterpFirFilter::<f32, f32>::new(&taps, 5).unwrap(), &x);
        harness::assert_cut_invariant(
            || InterpFirFilter::<C32, f32>::new(&taps, 3).unwrap(),
            &complex_noise(300),
        );
    }

    #[test]
    fn taps_are_shown_as_they_were_given() {
        let filter = InterpFirFilter::<f32, f32>::new(&[1.0, 2.0, 3.0, 4.0], 3).unwrap();
        assert_eq!(filter.parameter("taps"), Some(vec![1.0f32, 2.0, 3.0, 4.0].into()));
        assert!(InterpFirFilter::<f32, f32>::new(&[1.0], 0).is_err());
    }
}
