//! Recursive filters by their difference equation.
//!
//! Those with real taps and feedback of an order up to 8 go through `recursion.rs`, which says what bounds it; others item by
//! item.

use std::ops::{Add, Mul, Sub};

use superhet_kernels::{self as kernels, Machine, Routine, run_routine};
use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, BlockError, C32, C64, Item, SyncBlock, Value, declare, parameter::no_parameter,
};

use super::recursion::{CHUNK, Recursion};
use crate::error::Error;
use crate::item::from_numbers;

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
/// **Accuracy** of stable filters: `|error| ≤ 2⁻²⁴ · |y| + 2⁻⁴⁹ · (taps + 8) · G · max |x|`, where `G` is the sum of the magnitudes
/// of the response of the feedback to an impulse, times that of all taps: what the order of additions can change.
///
/// ```
/// use superhet_blocks::filters::IirFilter;
/// use superhet_runtime::harness;
///
/// let halves = IirFilter::<f32, f64>::new(&[1.0], &[1.0, 0.5])?;
/// assert_eq!(harness::run(halves, &[1.0, 0.0, 0.0]), [1.0, 0.5, 0.25]);
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
    /// In the place of the latest inputs and outputs: the filter of each part of a sample, in groups.
    groups: Vec<Recursion>,
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
    /// How many real parts a sample has that are filtered alike; 0 where taps mix them.
    const PARTS: usize;
    /// The numbers of a sample in double precision: `PARTS`, of two at most.
    fn parts(wide: Self::Wide) -> [f64; 2];
    /// The sample that has these parts.
    fn of_parts(parts: [f64; 2]) -> Self::Wide;
    /// The parts of some samples into rooms that are as long.
    fn split(x: &[Self], rooms: [&mut [f64]; 2]);
    /// Samples of their parts, at most `CHUNK`.
    fn join(y: &mut [Self], parts: [&[f64]; 2]);
}

macro_rules! filtered {
    (@float) => {
        type Wide = f64;
        #[inline(always)]
        fn widen(self) -> f64 {
            self.into()
        }
        #[inline(always)]
        fn narrow(y: f64) -> f32 {
            y as f32
        }
        #[inline(always)]
        fn is_finite(wide: f64) -> bool {
            wide.is_finite()
        }
        #[inline(always)]
        fn parts(wide: f64) -> [f64; 2] {
            [wide, 0.0]
        }
        #[inline(always)]
        fn of_parts([wide, _]: [f64; 2]) -> f64 {
            wide
        }
        fn split(x: &[f32], [room, _]: [&mut [f64]; 2]) {
            kernels::f32_to_f64(room, x);
        }
        fn join(y: &mut [f32], [part, _]: [&[f64]; 2]) {
            kernels::f64_to_f32(y, part);
        }
    };
    (@complex) => {
        type Wide = C64;
        #[inline(always)]
        fn widen(self) -> C64 {
            C64::new(self.re.into(), self.im.into())
        }
        #[inline(always)]
        fn narrow(y: C64) -> C32 {
            C32::new(y.re as f32, y.im as f32)
        }
        #[inline(always)]
        fn is_finite(wide: C64) -> bool {
            wide.is_finite()
        }
        #[inline(always)]
        fn parts(wide: C64) -> [f64; 2] {
            [wide.re, wide.im]
        }
        #[inline(always)]
        fn of_parts([re, im]: [f64; 2]) -> C64 {
            C64::new(re, im)
        }
        fn split(x: &[C32], [re, im]: [&mut [f64]; 2]) {
            kernels::deinterleave_f64(re, im, x);
        }
        fn join(y: &mut [C32], [re, im]: [&[f64]; 2]) {
            let mut narrow = [[0.0; CHUNK]; 2];
            let [re_narrow, im_narrow] = narrow.each_mut().map(|part| &mut part[..y.len()]);
            kernels::f64_to_f32(re_narrow, re);
            kernels::f64_to_f32(im_narrow, im);
            kernels::interleave(y, re_narrow, im_narrow);
        }
    };
}

impl Filtered<f64> for f32 {
    const PARTS: usize = 1;
    filtered!(@float);
}
impl Filtered<f64> for C32 {
    const PARTS: usize = 2;
    filtered!(@complex);
}
impl Filtered<C64> for C32 {
    const PARTS: usize = 0;
    filtered!(@complex);
}

/// A tap: real or complex, in double precision.
pub trait IirTap: Copy + Default + Send + Sync + Sub<Output = Self> + 'static {
    /// The tap that a number says; `None` for a complex number where taps are real, and for what is not finite.
    fn of(number: C64) -> Option<Self>;
    /// The number.
    fn value(self) -> Value;
    /// The real part.
    fn real(self) -> f64;
}

impl IirTap for f64 {
    fn of(number: C64) -> Option<Self> {
        (number.im == 0.0 && number.re.is_finite()).then_some(number.re)
    }
    fn value(self) -> Value {
        self.into()
    }
    fn real(self) -> f64 {
        self
    }
}

impl IirTap for C64 {
    fn of(number: C64) -> Option<Self> {
        number.is_finite().then_some(number)
    }
    fn value(self) -> Value {
        self.into()
    }
    fn real(self) -> f64 {
        self.re
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
            groups: Vec::new(),
        };
        filter.set_taps(feed_forward, feed_back)?;
        Ok(filter)
    }

    /// The same, with feedback taps that are subtracted.
    #[must_use]
    pub fn new_style(mut self) -> Self {
        self.old_style = false;
        self.group();
        self
    }

    fn set_taps(&mut self, feed_forward: &[C], feed_back: &[C]) -> Result<(), Error> {
        if feed_forward.is_empty() {
            return Err(Error::Empty { parameter: "feed_forward", wanted: "at least one number" });
        }
        let most = feed_forward.len().max(feed_back.len());
        crate::error::check(most <= MOST_TAPS, "feed_forward", "at most 65536 numbers", most as f64)?;
        self.ungroup();
        (self.feed_forward, self.feed_back) = (feed_forward.to_vec(), feed_back.to_vec());
        self.inputs.resize(feed_forward.len() - 1, T::Wide::default());
        self.outputs.resize(feed_back.len().saturating_sub(1), T::Wide::default());
        self.group();
        Ok(())
    }

    /// Goes on in groups, where the taps allow it.
    fn group(&mut self) {
        let sign = if self.old_style { 1.0 } else { -1.0 };
        let forward: Vec<f64> = self.feed_forward.iter().map(|tap| tap.real()).collect();
        let back: Vec<f64> = self.feed_back.iter().skip(1).map(|tap| sign * tap.real()).collect();
        let part = |part: usize| {
            let mut group = Recursion::new(&forward, &back)?;
            let of = |past: &T::Wide| T::parts(*past)[part];
            group.set_past(self.inputs.iter().map(of), self.outputs.iter().map(of));
            Some(group)
        };
        self.groups = (0..T::PARTS).map_while(part).collect();
    }

    /// The latest inputs and outputs, out of the groups.
    fn ungroup(&mut self) {
        let Some(first) = self.groups.first() else { return };
        let second = self.groups.last().unwrap_or(first);
        let both = |a: &mut dyn Iterator<Item = f64>, b: &mut dyn Iterator<Item = f64>| {
            a.zip(b).map(|(a, b)| T::of_parts([a, b])).collect()
        };
        self.inputs = both(&mut first.inputs(), &mut second.inputs());
        self.outputs = both(&mut first.outputs(), &mut second.outputs());
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
        if !self.groups.is_empty() {
            for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
                self.filter_groups(x, y);
            }
            return;
        }
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
    /// Filters at most [`CHUNK`] items in groups.
    fn filter_groups(&mut self, x: &[T], y: &mut [T]) {
        let is_finite = all_finite(x);
        let [first, others @ ..] = &mut self.groups[..] else { return };
        let mut other = others.first_mut();
        {
            let mut rooms =
                [first.room(x.len()), other.as_mut().map_or(&mut [][..], |other| other.room(x.len()))];
            T::split(x, rooms.each_mut().map(|room| &mut **room));
            if !is_finite {
                for (n, _) in x.iter().enumerate().filter(|(_, x)| !T::is_finite(x.widen())) {
                    rooms.iter_mut().filter_map(|room| room.get_mut(n)).for_each(|x| *x = 0.0);
                }
            }
        }
        let mut infinite = [Vec::new(), Vec::new()];
        let [of_first, of_other] = &mut infinite;
        let parts = [first.run(of_first), other.map_or(&[][..], |other| other.run(of_other))];
        T::join(y, parts);
        if !is_finite || infinite.iter().any(|of_part| !of_part.is_empty()) {
            // What is not finite comes out once.
            let wide = |n: usize| {
                let mut wide = parts.map(|part| part.get(n).copied().unwrap_or_default());
                for (part, infinite) in wide.iter_mut().zip(&infinite) {
                    infinite.iter().filter(|(place, _)| *place == n).for_each(|(_, sum)| *part = *sum);
                }
                T::of_parts(wide)
            };
            let spoilt = infinite.iter().flatten().map(|(place, _)| *place);
            let not_finite = (0..x.len()).filter(|n| !T::is_finite(x[*n].widen()));
            for n in spoilt.chain(not_finite) {
                let input = x[n].widen();
                let of_input = if T::is_finite(input) { T::Wide::default() } else { input };
                y[n] = T::narrow(wide(n) + of_input * self.feed_forward[0]);
            }
        }
    }

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

/// Whether all samples are numbers, and not infinite.
pub(super) fn all_finite<T: Item>(x: &[T]) -> bool {
    run_routine(AllFinite(bytemuck::cast_slice(x)))
}

struct AllFinite<'a>(&'a [f32]);

impl Routine for AllFinite<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<M: Machine>(self) -> bool {
        // The greatest bits, all of a block at once: those of a float that is not finite are greater than of any other.
        let greatest = self.0.iter().fold(0, |most: i32, x| most.max((x.to_bits() & 0x7fff_ffff) as i32));
        greatest < 0x7f80_0000
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

#[declare(
    category = "filters",
    summary = "Recursive filter by its difference equation.",
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, filtered"),
        set_port("new values of feed_forward and feed_back")
    )
)]
fn iir_filter(
    /// The type of the items.
    #[param(kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    item: &str,
    /// The taps of the input; complex ones as [re, im], for C32 only.
    feed_forward: Vec<C64>,
    /// The taps of the output; the first is not used.
    feed_back: Vec<C64>,
    /// Feedback taps are added, as in GNU Radio; false: subtracted.
    #[param(default = true)]
    old_style: bool,
) -> Result<AnyBlock, BlockError> {
    let is_real = feed_forward.iter().chain(&feed_back).all(|tap| tap.im == 0.0);
    macro_rules! filter {
        ($sample:ty, $tap:ty) => {{
            let (forward, back) =
                (taps_of("feed_forward", &feed_forward)?, taps_of("feed_back", &feed_back)?);
            let filter = IirFilter::<$sample, $tap>::new(&forward, &back)?;
            AnyBlock::new(if old_style { filter } else { filter.new_style() })
        }};
    }
    // Checks that the numbers fit in single precision, as those of other filters.
    from_numbers::<C32>("feed_forward", &feed_forward)?;
    Ok(match item {
        "f32" => filter!(f32, f64),
        _ if is_real => filter!(C32, f64),
        _ => filter!(C32, C64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_those_of_gnu_radio_in_both_styles() {
        let x = [1.0f32, 0.0, 0.0, 0.0, 0.0, 2.0];
        let filter = || IirFilter::<f32, f64>::new(&[1.0, 0.5], &[7.0, 0.5, 0.25]).unwrap();
        assert_eq!(harness::run(filter(), &x), [1.0, 1.0, 0.75, 0.625, 0.5, 2.40625]);
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

    /// Taps of feedback with these poles and their conjugates, to be added.
    fn feedback(poles: &[C64]) -> Vec<f64> {
        let mut polynomial = vec![C64::ONE];
        for pole in poles.iter().flat_map(|pole| [*pole, pole.conj()]) {
            polynomial.push(C64::ZERO);
            for k in (1..polynomial.len()).rev() {
                polynomial[k] = polynomial[k] - polynomial[k - 1] * pole;
            }
        }
        polynomial[1..].iter().map(|tap| -tap.re).collect()
    }

    /// The difference equation in f64, item by item.
    fn plain(forward: &[f64], back: &[f64], x: &[f32]) -> Vec<f64> {
        let mut y: Vec<f64> = Vec::new();
        for n in 0..x.len() {
            let of_x = forward.iter().enumerate().take(n + 1).map(|(k, tap)| tap * f64::from(x[n - k]));
            let of_y = back.iter().enumerate().take(n).map(|(k, tap)| tap * y[n - 1 - k]);
            y.push(of_x.chain(of_y).sum());
        }
        y
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config { cases: 100, failure_persistence: None, ..Default::default() })]

        #[test]
        fn filters_in_groups_are_those_of_the_difference_equation(
            radii in proptest::collection::vec(0.0f64..1.0, 1..=4),
            angles in proptest::collection::vec(0.0f64..std::f64::consts::PI, 4),
            // How near poles come to the unit circle: from 1e-1 to 1e-7.
            near in 1.0f64..7.0,
            forward in proptest::collection::vec(-2.0f64..2.0, 1..12),
            gain in -30.0f64..30.0,
            len in 1usize..2000,
        ) {
            let gain = 10f64.powf(gain);
            let radius = |radius: &f64| 1.0 - radius * 10f64.powf(-near);
            let poles: Vec<C64> =
                radii.iter().zip(&angles).map(|(r, angle)| C64::from_polar(radius(r), *angle)).collect();
            let back = feedback(&poles);
            let x: Vec<f32> = noise(len).iter().map(|x| x * gain as f32).collect();
            let filter = || {
                IirFilter::<f32, f64>::new(&forward, &[&[1.0][..], &back[..]].concat()).unwrap()
            };
            let y: Vec<f32> = harness::run(filter(), &x);
            let mut impulse = vec![0f32; len];
            impulse[0] = 1.0;
            let growth: f64 = plain(&[1.0], &back, &impulse).iter().map(|h| h.abs()).sum();
            let taps: f64 = forward.iter().map(|tap| tap.abs()).sum::<f64>() + back.iter().map(|tap| tap.abs()).sum::<f64>();
            let greatest = plain(&forward, &back, &x).iter().fold(0f64, |most, y| most.max(y.abs()));
            let largest = x.iter().fold(0f64, |most, x| most.max(f64::from(x.abs()))).max(greatest);
            // The plain equation rounds, too: an eighth of the bound is for that.
            let bound = 1.125 * 2f64.powi(-49) * (forward.len() + back.len() + 8) as f64 * growth * taps * largest;
            for (n, (y, want)) in y.iter().zip(plain(&forward, &back, &x)).enumerate() {
                let error = (f64::from(*y) - want).abs();
                proptest::prop_assert!(
                    error <= want.abs() * 2f64.powi(-24) + bound + 1e-45,
                    "{n}: {y}, wanted {want}, off by {error:e} of {bound:e}"
                );
            }
            harness::assert_cut_invariant(filter, &x[..len.min(300)]);
        }
    }

    #[test]
    fn what_grows_without_bounds_and_what_is_not_finite_is_the_same_wherever_it_is_cut() {
        let mut x = noise(1500);
        x[700] = f32::NAN;
        for back in [[1.0, 2.5, 0.0], [1.0, -1.0, 3.0], [1.0, 40.0, -900.0]] {
            let make = || IirFilter::<f32, f64>::new(&[1.0, -0.5], &back).unwrap();
            harness::assert_cut_invariant(make, &x);
            let y: Vec<f32> = harness::run(make(), &x);
            assert!(y[700].is_nan() && y.iter().filter(|y| y.is_nan()).count() < 3);
            assert!(y.iter().any(|y| y.is_infinite()) && y[200..].iter().any(|y| y.is_finite()), "{back:?}");
        }
    }

    #[test]
    fn taps_that_are_changed_go_on_from_the_items_before() {
        let x = noise(100);
        let mut filter = IirFilter::<f32, f64>::new(&[1.0, 0.5], &[1.0, 0.5, 0.25]).unwrap();
        let (mut first, mut then) = ([0.0; 13], [0.0; 87]);
        filter.process(&x[..13], &mut first);
        filter.set_parameter("feed_back", &vec![1.0f32, -0.25, 0.5].into()).unwrap();
        filter.process(&x[13..], &mut then);
        let mut y: Vec<f64> = plain(&[1.0, 0.5], &[0.5, 0.25], &x[..13]);
        for n in 13..100 {
            y.push(f64::from(x[n]) + 0.5 * f64::from(x[n - 1]) - 0.25 * y[n - 1] + 0.5 * y[n - 2]);
        }
        let near = |(y, want): (&f32, &f64)| (f64::from(*y) - want).abs() < 1e-6;
        assert!(first.iter().chain(&then).zip(&y).all(near));
    }

    #[test]
    fn a_filter_that_is_not_stable_begins_anew_where_it_is_infinite() {
        let make = || IirFilter::<f32, f64>::new(&[1.0], &[1.0, 1e30]).unwrap();
        let y: Vec<f32> = harness::run(make(), &[1.0f32; 100]);
        assert!(y.iter().filter(|y| **y == 1.0).count() > 5, "{y:?}");
    }
}
