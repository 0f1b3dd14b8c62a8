//! Periodic signals.

use super::noise_source::check_amplitude;
use crate::item::Complex;
use superhet_kernels as kernels;
use superhet_runtime::catalog::Choice;
use superhet_runtime::{C32, C64, Item, SyncBlock, declare};

use crate::error::{Error, check, check_positive};
use crate::transforms::with_scratch;

/// The shape of a [`SignalSource`], over the phase `φ` from 0 to 2π.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum Waveform {
    /// 1.
    Constant,
    /// `sin φ`; complex: `exp(j φ)`.
    Sine,
    /// `cos φ`; complex: `exp(j φ)`.
    #[default]
    Cosine,
    /// 0 in the first half, 1 in the second.
    Square,
    /// From 1 to 0 in the first half, and back in the second.
    Triangle,
    /// From 0.5 to 1 in the first half, from 0 to 0.5 in the second.
    Sawtooth,
}

impl Waveform {
    /// The real part at a phase in 2⁻⁶⁴ turns; for shapes without a sine.
    #[inline]
    fn at(self, phase: u64) -> f64 {
        const HALF: u64 = 1 << 63;
        let turns = |phase: u64| (phase >> 11) as f64 / (1u64 << 53) as f64;
        match self {
            Waveform::Square => f64::from(u8::from(phase >= HALF)),
            Waveform::Triangle => (1.0 - 2.0 * turns(phase)).abs(),
            Waveform::Sawtooth => turns(phase.wrapping_add(HALF)),
            _ => 1.0,
        }
    }

    /// The imaginary part: the real part a quarter of a turn before.
    #[inline]
    fn imaginary_at(self, phase: u64) -> f64 {
        const QUARTER: u64 = 1 << 62;
        match self {
            // Also at the place where the real part rises.
            Waveform::Square => f64::from(u8::from(!(QUARTER..=3 * QUARTER).contains(&phase))),
            Waveform::Constant => 0.0,
            // The place at which it falls belongs to the end of the rise here.
            Waveform::Sawtooth if phase == 3 * QUARTER => 1.0,
            shape => shape.at(phase.wrapping_sub(QUARTER)),
        }
    }

    fn is_sine(self) -> bool {
        matches!(self, Waveform::Sine | Waveform::Cosine)
    }
}

/// Items that a signal can be of.
pub trait SignalItem: Item {
    /// The item of a value and its offset. Whole numbers are cut off towards 0, the value before the offset is added.
    fn of(value: C64, offset: C64) -> Self;
}

impl SignalItem for C32 {
    #[inline(always)]
    fn of(value: C64, offset: C64) -> Self {
        let sum = value + offset;
        C32::new(sum.re as f32, sum.im as f32)
    }
}

impl SignalItem for f32 {
    #[inline(always)]
    fn of(value: C64, offset: C64) -> Self {
        (value.re + offset.re) as f32
    }
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl SignalItem for $item {
            #[inline(always)]
            fn of(value: C64, offset: C64) -> Self {
                (value.re as $item).saturating_add(offset.re as $item)
            }
        }
    )+};
}

whole!(i8, i16, i32);

impl SignalItem for u8 {
    /// The byte of the signed number.
    #[inline(always)]
    fn of(value: C64, offset: C64) -> Self {
        i8::of(value, offset) as u8
    }
}

/// A periodic signal: `y[n] = offset + amplitude · waveform(phase + 2π · frequency_hz · n / rate_hz)`.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32`, `f32`, `i32`, `i16`, `i8` or `u8` | that of `amplitude` |
/// | in `set` | messages | new values of parameters |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `waveform` | | see [`Waveform`] |
/// | `rate_hz` | Hz | > 0 |
/// | `frequency_hz` | Hz | finite; negative turns the other way |
/// | `amplitude` | | finite |
/// | `offset` | | finite, complex for `C32` |
/// | `phase_rad` | radians | finite |
///
/// All but `rate_hz` can be changed while the block runs: with a new frequency or waveform the phase goes on, with a new
/// `phase_rad` it jumps there. `freq`, `ampl` and `phase` stand for the same, as in the messages of GNU Radio. Complex
/// shapes have their imaginary part a quarter of a period behind the real one. Bytes `u8` are those of signed numbers.
///
/// The phase is a whole number of 2⁻⁶⁴ turns: after 10¹² items it is as exact as at the start, and so is the amplitude.
///
/// ```
/// use superhet_blocks::sources::{SignalSource, Waveform};
/// use superhet_runtime::SyncBlock;
///
/// let mut y = [0.0f32; 4];
/// SignalSource::<f32>::new(Waveform::Cosine, 48e3, 12e3)?.process((), &mut y);
/// assert!(y.iter().zip([1.0, 0.0, -1.0, 0.0]).all(|(y, wanted)| (y - wanted).abs() < 1e-6));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SignalSource<T> {
    waveform: Waveform,
    rate_hz: f64,
    frequency_hz: f64,
    amplitude: f64,
    offset: C64,
    /// The phase of the shapes without a sine, 2⁻⁶⁴ turns.
    phase: u64,
    increment: u64,
    /// The phase of sines.
    rotator: kernels::Rotator,
    item: std::marker::PhantomData<fn() -> T>,
}

/// A part of turns as 2⁻⁶⁴ turns.
fn to_units(turns: f64) -> u64 {
    ((turns - turns.round()) * 18_446_744_073_709_551_616.0) as i128 as u64
}

fn check_offset(offset: C64) -> Result<(), Error> {
    let fits = (offset.re as f32).is_finite() && (offset.im as f32).is_finite();
    check(fits, "offset", "a finite number", offset.re)
}

#[declare(
    category = "sources",
    summary = "A periodic signal: constant, sine, cosine, square, triangle or sawtooth.",
    items(C32, f32, i32, i16, i8, u8),
    constructor = of,
    ports(
        output("out", "item", "the signal"),
        set_port("new values of frequency_hz, amplitude, offset, phase_rad and waveform")
    )
)]
impl<T: SignalItem> SignalSource<T> {
    /// A signal of amplitude 1, offset 0 and phase 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a rate that is not positive, or a frequency that is not finite.
    pub fn new(waveform: Waveform, rate_hz: f64, frequency_hz: f64) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        let mut source = SignalSource {
            waveform,
            rate_hz,
            frequency_hz: 0.0,
            amplitude: 1.0,
            offset: C64::ZERO,
            phase: 0,
            increment: 0,
            rotator: kernels::Rotator::new(0.0),
            item: std::marker::PhantomData,
        };
        source.set_frequency(frequency_hz)?;
        Ok(source)
    }

    fn of(
        /// The sample rate, > 0.
        #[param(unit = "samples/s", range = 0.0..)]
        rate_hz: f64,
        /// The shape.
        #[param(live, set = set_waveform, default = "cosine")]
        waveform: Waveform,
        /// The frequency.
        #[param(live, formerly = "freq_hz", also = "freq", set = set_frequency, unit = "Hz", default = 1000.0)]
        frequency_hz: f64,
        /// The amplitude.
        #[param(live, also = "ampl", check = check_amplitude, default = 1.0)]
        amplitude: f64,
        /// What is added; complex as [re, im], for C32.
        #[param(live, by = Complex, check = check_offset, default = 0.0)]
        offset: C64,
        /// The phase of the first item.
        #[param(live, also = "phase", set = set_phase, get = phase_rad, unit = "radians", default = 0.0)]
        phase_rad: f64,
    ) -> Result<Self, Error> {
        SignalSource::new(waveform, rate_hz, frequency_hz)?
            .amplitude(amplitude)?
            .offset(offset)?
            .phase(phase_rad)
    }

    /// The phase stays.
    fn set_waveform(&mut self, waveform: Waveform) -> Result<(), Error> {
        let phase_rad = self.phase_rad();
        self.waveform = waveform;
        self.set_phase(phase_rad)
    }

    fn set_frequency(&mut self, frequency_hz: f64) -> Result<(), Error> {
        let turns = frequency_hz / self.rate_hz;
        check((turns * std::f64::consts::TAU).is_finite(), "frequency_hz", "a finite number", frequency_hz)?;
        self.frequency_hz = frequency_hz;
        self.increment = to_units(turns);
        // Whole turns are none: what is left of the frequency keeps all its digits.
        self.rotator.set_increment((turns - turns.round()) * std::f64::consts::TAU);
        Ok(())
    }

    /// The same, with this amplitude.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is finite.
    pub fn amplitude(mut self, amplitude: f64) -> Result<Self, Error> {
        check_amplitude(amplitude)?;
        self.amplitude = amplitude;
        Ok(self)
    }

    /// The same, with this offset.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is finite.
    pub fn offset(mut self, offset: C64) -> Result<Self, Error> {
        check_offset(offset)?;
        self.offset = offset;
        Ok(self)
    }

    /// The same, with the phase of the next item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is finite.
    pub fn phase(mut self, phase_rad: f64) -> Result<Self, Error> {
        self.set_phase(phase_rad)?;
        Ok(self)
    }

    fn set_phase(&mut self, phase_rad: f64) -> Result<(), Error> {
        check(phase_rad.is_finite(), "phase_rad", "a finite number", phase_rad)?;
        self.phase = to_units(phase_rad / std::f64::consts::TAU);
        self.rotator.set_phase(phase_rad);
        Ok(())
    }

    /// The phase of the next item, in radians.
    fn phase_rad(&self) -> f64 {
        if self.waveform.is_sine() {
            self.rotator.phase()
        } else {
            self.phase as i64 as f64 / 18_446_744_073_709_551_616.0 * std::f64::consts::TAU
        }
    }
}

#[declare]
impl<T: SignalItem> SyncBlock for SignalSource<T> {
    type In = ();
    type Out = T;

    fn process(&mut self, _: (), y: &mut [T]) {
        let (waveform, amplitude, offset) = (self.waveform, self.amplitude, self.offset);
        if waveform.is_sine() {
            // What is turned is the amplitude; a real sine is the real part a quarter of a turn before.
            let start = match waveform {
                Waveform::Sine if T::NAME != C32::NAME => C32::new(0.0, -amplitude as f32),
                _ => C32::new(amplitude as f32, 0.0),
            };
            const CHUNK: usize = 1024;
            with_scratch(CHUNK, |turning| {
                for y in y.chunks_mut(CHUNK) {
                    let turning = &mut turning[..y.len()];
                    turning.fill(start);
                    self.rotator.rotate_in_place(turning);
                    for (y, x) in y.iter_mut().zip(&*turning) {
                        *y = T::of(C64::new(x.re.into(), x.im.into()), offset);
                    }
                }
            });
            return;
        }
        for y in y {
            let value = C64::new(waveform.at(self.phase), waveform.imaginary_at(self.phase)) * amplitude;
            *y = T::of(value, offset);
            self.phase = self.phase.wrapping_add(self.increment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Waveform; 6] = [
        Waveform::Constant,
        Waveform::Sine,
        Waveform::Cosine,
        Waveform::Square,
        Waveform::Triangle,
        Waveform::Sawtooth,
    ];

    fn given<T: SignalItem>(mut source: SignalSource<T>, n: usize) -> Vec<T> {
        let mut y = vec![T::zeroed(); n];
        source.process((), &mut y);
        y
    }

    #[test]
    fn values_are_those_of_gnu_radio() {
        // Amplitude 2, offset 0.5 (complex: 0.5 + 0.25j), 1 Hz at 8 Hz: real, then imaginary parts.
        let golden: [(Waveform, [f32; 8], [f32; 8]); 4] = [
            (Waveform::Constant, [2.5; 8], [0.25; 8]),
            (
                Waveform::Square,
                [0.5, 0.5, 0.5, 0.5, 2.5, 2.5, 2.5, 2.5],
                [2.25, 2.25, 0.25, 0.25, 0.25, 0.25, 0.25, 2.25],
            ),
            (
                Waveform::Triangle,
                [2.5, 2.0, 1.5, 1.0, 0.5, 1.0, 1.5, 2.0],
                [1.25, 1.75, 2.25, 1.75, 1.25, 0.75, 0.25, 0.75],
            ),
            (
                Waveform::Sawtooth,
                [1.5, 1.75, 2.0, 2.25, 0.5, 0.75, 1.0, 1.25],
                [0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 0.5],
            ),
        ];
        for (waveform, re, im) in golden {
            let offset = C64::new(0.5, 0.25);
            let source = SignalSource::<f32>::new(waveform, 8.0, 1.0).unwrap().amplitude(2.0).unwrap();
            assert_eq!(given(source.offset(offset).unwrap(), 8), re, "{waveform:?}");
            let source = SignalSource::<C32>::new(waveform, 8.0, 1.0).unwrap().amplitude(2.0).unwrap();
            for (n, y) in given(source.offset(offset).unwrap(), 8).iter().enumerate() {
                assert_eq!((y.re, y.im), (re[n], im[n]), "{waveform:?}[{n}]");
            }
        }
        // Whole numbers: sig_source_s(8, GR_SIN_WAVE, -1.3, 10.7, 3).
        let source = SignalSource::<i16>::new(Waveform::Sine, 8.0, -1.3).unwrap().amplitude(10.7).unwrap();
        let y = given(source.offset(C64::new(3.0, 0.0)).unwrap(), 10);
        assert_eq!(y, [3, -6, -6, 3, 11, 12, 4, -5, -7, 1]);
        let source = SignalSource::<u8>::new(Waveform::Cosine, 8.0, 1.0).unwrap().amplitude(10.7).unwrap();
        let y = given(source.offset(C64::new(3.0, 0.0)).unwrap(), 8);
        assert_eq!(y, [13, 10, 3, 252, 249, 252, 3, 10]);
    }

    #[test]
    fn sines_are_sines() {
        for (waveform, shift) in [(Waveform::Sine, 0.0), (Waveform::Cosine, 0.25)] {
            let y = given(SignalSource::<f32>::new(waveform, 1.0, 0.1).unwrap().phase(1.0).unwrap(), 3000);
            for (n, y) in y.iter().enumerate() {
                let wanted = (std::f64::consts::TAU * (0.1 * n as f64 + shift) + 1.0).sin();
                assert!((f64::from(*y) - wanted).abs() < 2e-6, "{waveform:?}[{n}]");
            }
            let y = given(SignalSource::<C32>::new(waveform, 1.0, -0.1).unwrap(), 3000);
            for (n, y) in y.iter().enumerate() {
                let wanted = C64::cis(-std::f64::consts::TAU * 0.1 * n as f64);
                assert!((C64::new(y.re.into(), y.im.into()) - wanted).norm() < 2e-6, "{waveform:?}[{n}]");
            }
        }
    }

    #[test]
    fn the_signal_does_not_depend_on_where_it_is_cut() {
        for waveform in ALL {
            let source = || SignalSource::<C32>::new(waveform, 1.0, 0.012_345).unwrap();
            let whole = given(source(), 5000);
            let (mut cut, mut y) = (source(), vec![C32::ZERO; 5000]);
            y.chunks_mut(37).for_each(|y| cut.process((), y));
            assert_eq!(y, whole, "{waveform:?}");
        }
    }

    #[test]
    fn a_new_frequency_or_waveform_goes_on_from_the_phase_that_was_reached() {
        for waveform in ALL {
            let mut source = SignalSource::<f32>::new(waveform, 8.0, 1.0).unwrap();
            let mut y = [0.0; 3];
            source.process((), &mut y);
            source.set_parameter("freq", &0.0.into()).unwrap();
            source.set_parameter("waveform", &"triangle".into()).unwrap();
            source.process((), &mut y);
            assert!(y.iter().all(|y| (y - 0.25).abs() < 1e-6), "{waveform:?}: {y:?}");
        }
        let mut source = SignalSource::<f32>::new(Waveform::Sine, 8.0, 1.0).unwrap();
        source.set_parameter("amplitude", &3.0.into()).unwrap();
        source.set_parameter("phase_rad", &std::f64::consts::FRAC_PI_2.into()).unwrap();
        assert!((given(source.clone(), 1)[0] - 3.0).abs() < 1e-6);
        assert!(source.set_parameter("frequency_hz", &f64::NAN.into()).is_err());
        assert!(source.set_parameter("waveform", &"sinus".into()).is_err());
        assert_eq!(source.parameter("frequency_hz"), Some(1.0.into()));
    }
}
