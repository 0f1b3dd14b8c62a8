//! Demodulation of two audio tones to soft symbols.

use std::collections::VecDeque;

use superhet_runtime::catalog::{Kind, Parameters, Params, Reads};
use superhet_runtime::{BlockError, C32, Value, declare};

use super::demodulator::{Demodulator, FrontEnd, Pulse, dot};
use super::symbol_timing::{INSTANTS, SymbolTiming};
use crate::error::{Error, check};

/// Two tones, one for each symbol.
#[derive(Clone, Copy, Debug, PartialEq, Parameters)]
pub struct Afsk {
    /// The sample rate, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    pub rate_hz: f64,
    /// The symbol rate, at most half of the sample rate.
    #[param(unit = "symbols/s", range = 0.0..)]
    pub symbol_rate_hz: f64,
    /// The tone of a one.
    #[param(unit = "Hz", range = 0.0..)]
    pub mark_hz: f64,
    /// The tone of a zero.
    #[param(unit = "Hz", range = 0.0..)]
    pub space_hz: f64,
}

/// What tells two tones apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AfskDetector {
    /// The turn of the signal where tones are at most 1.25 symbol rates apart, envelopes else.
    #[default]
    Auto,
    /// How far the signal turns: hears weaker signals.
    Turn,
    /// Which tone is louder: hears more of signals whose higher tone is much weaker than the lower one.
    Envelopes,
}

/// Reads and says detectors by their names.
pub enum DetectorName {}

impl Reads<AfskDetector> for DetectorName {
    const KIND: Kind = Kind::Choice(&["auto", "turn", "envelopes"]);

    fn read(params: &Params, name: &'static str) -> Result<AfskDetector, BlockError> {
        DetectorName::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<AfskDetector, BlockError> {
        match value.as_str() {
            Some("auto") => Ok(AfskDetector::Auto),
            Some("turn") => Ok(AfskDetector::Turn),
            Some("envelopes") => Ok(AfskDetector::Envelopes),
            _ => Err(format!("{name} = {value}: expected auto, turn or envelopes").into()),
        }
    }
    fn say(detector: &AfskDetector) -> Value {
        match detector {
            AfskDetector::Auto => "auto",
            AfskDetector::Turn => "turn",
            AfskDetector::Envelopes => "envelopes",
        }
        .into()
    }
}

/// Demodulates two audio tones to soft symbols.
///
/// At 8 instants of each symbol the audio is brought down by the frequency in the middle of the tones and filtered, `z`. How far it
/// turns in the time `T` in which a tone turns by a quarter, at most a symbol, tells the tones apart:
/// `y = Im(z(t + T/2) · z*(t − T/2)) / |z(t + T/2) · z*(t − T/2)|^½`. Or the audio is correlated with both tones,
/// `y = |mark| − |space|`: see [`AfskDetector`]. Levels, also where one tone is louder than the other, and the places of the symbols
/// are found by themselves, from 32 symbols around each: [`SymbolTiming`].
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | any |
/// | out `out` | `f32` | soft symbols: about 1 for mark, −1 for space |
///
/// | used by | `mark_hz` | `space_hz` | `symbol_rate_hz` |
/// |---|---|---|---|
/// | Bell 202: AX.25, caller ID | 1200 | 2200 | 1200 |
/// | SAME | 2083.333 | 1562.5 | 520.8333 |
/// | V.23 | 1300 | 2100 | 1200 |
/// | V.21, the lower channel | 980 | 1180 | 300 |
/// | V.21, the upper channel | 1650 | 1850 | 300 |
/// | Bell 103, the lower channel | 1270 | 1070 | 300 |
///
/// # Source
/// J. Proakis, Digital Communications, 2001, section 5.4: envelope detection of orthogonal signals. S. Pasupathy, Minimum Shift Keying: A
/// Spectrally Efficient Modulation, IEEE Communications Magazine 17, 1979: differential detection. The table is of ITU-T
/// V.21 and V.23, the Bell System's references 103 and 202, and 47 CFR 11.31.
///
/// ```
/// use superhet_blocks::demod::{Afsk, AfskDemod, AfskDetector};
/// use superhet_runtime::harness;
///
/// let bell_202 = Afsk { rate_hz: 48e3, symbol_rate_hz: 1200.0, mark_hz: 1200.0, space_hz: 2200.0 };
/// let bits: Vec<bool> = (0..200u32).map(|n| (n * n / 7) % 2 == 1).collect();
/// let mut phase = 0.0f32;
/// let x: Vec<f32> = (0..8000).map(|n| {
///     phase += std::f32::consts::TAU * if bits[n / 40] { 1200.0 } else { 2200.0 } / 48e3;
///     phase.sin()
/// }).collect();
/// let symbols: Vec<f32> = harness::run(AfskDemod::new(&bell_202, AfskDetector::Auto)?, &x);
/// assert!(symbols.iter().zip(&bits).all(|(symbol, bit)| (*symbol > 0.0) == *bit));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AfskDemod {
    pulse: Pulse,
    audio: Vec<f32>,
    detector: Detector,
}

/// What tells the tones apart.
#[derive(Clone, Debug)]
enum Detector {
    /// Which of the two is louder.
    Envelopes,
    /// How far the signal turns.
    Turn(Turn),
}

/// How far a signal turns from some instants before to as many after, times its magnitude.
#[derive(Clone, Debug)]
struct Turn {
    /// Instants to each side.
    reach: usize,
    /// By which it turns in that time at the middle of the tones, to be undone, mirrored where mark is the lower tone.
    middle: C32,
    is_mirrored: bool,
    /// The last of the signal, the oldest first.
    last: VecDeque<C32>,
}

impl Turn {
    /// For tones so many symbol rates apart, around a middle that turns by so many radians in an instant.
    fn new(index: f64, middle: f64) -> Self {
        // A quarter of a turn by half of the distance of the tones, one symbol at most.
        let reach = ((INSTANTS as f64 / 4.0 / index.abs()).round() as usize).clamp(1, INSTANTS / 2);
        let angle = -(middle * 2.0 * reach as f64) % std::f64::consts::TAU;
        Turn {
            reach,
            middle: C32::from_polar(1.0, angle as f32),
            is_mirrored: index < 0.0,
            last: VecDeque::from(vec![C32::ZERO; reach]),
        }
    }

    /// Takes the signal at the next instant; the turn at the instant `reach` before, and the magnitude there.
    fn take(&mut self, signal: C32) -> Option<(f32, f32)> {
        self.last.push_back(signal);
        if self.last.len() <= 2 * self.reach {
            return None;
        }
        let before = self.last.pop_front()?;
        let product = signal * before.conj() * self.middle;
        let magnitude = product.norm_sqr().sqrt().sqrt();
        let turn = product.im / magnitude.max(f32::MIN_POSITIVE);
        Some((if self.is_mirrored { -turn } else { turn }, magnitude))
    }
}

#[declare(
    category = "demod",
    summary = "Demodulates two audio tones to soft symbols; levels and timing are found by themselves.",
    ports(
        input("in", "f32", "audio"),
        output("out", "f32", "soft symbols, about 1 for mark and −1 for space")
    )
)]
impl AfskDemod {
    /// Demodulates these tones.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what is wanted")]
    pub fn new(
        #[param(group)] afsk: &Afsk,
        /// What tells the tones apart; auto: turn where they are at most 1.25 symbol rates apart.
        #[param(by = DetectorName, default = "auto")]
        detector: AfskDetector,
    ) -> Result<Demodulator<Self>, Error> {
        Ok(Demodulator::new(AfskDemod::front_end(afsk, detector)?, SymbolTiming::new(None)))
    }
}

impl AfskDemod {
    /// What gives the signal that symbols are found in.
    pub(super) fn front_end(afsk: &Afsk, detector: AfskDetector) -> Result<Self, Error> {
        let Afsk { rate_hz, symbol_rate_hz, mark_hz, space_hz } = *afsk;
        let fits = |tone: f64| tone > 0.0 && tone < rate_hz / 2.0;
        check(fits(mark_hz), "mark_hz", "more than 0 and less than half of rate_hz", mark_hz)?;
        check(fits(space_hz), "space_hz", "more than 0 and less than half of rate_hz", space_hz)?;
        check(mark_hz != space_hz, "space_hz", "another than mark_hz", space_hz)?;
        let angle = |tone: f64, time: f64| std::f64::consts::TAU * tone * time;
        let index = (mark_hz - space_hz) / symbol_rate_hz;
        let middle_hz = (mark_hz + space_hz) / 2.0;
        let by_turn = match detector {
            AfskDetector::Auto => index.abs() <= LARGEST_INDEX,
            AfskDetector::Turn => true,
            AfskDetector::Envelopes => false,
        };
        let (pulse, detector) = if by_turn {
            let tones: [&dyn Fn(f64) -> f64; 2] =
                [&|time| angle(middle_hz, time).cos(), &|time| -angle(middle_hz, time).sin()];
            let pulse = Pulse::new(rate_hz, symbol_rate_hz, SYMBOLS_OF_TURN, &tones)?;
            // Each window's taps begin anew, so that what the middle turns from one to the other is undone.
            let turn = Turn::new(index, angle(middle_hz, pulse.step() / rate_hz));
            (pulse, Detector::Turn(turn))
        } else {
            let tones: [&dyn Fn(f64) -> f64; 4] = [
                &|time| angle(mark_hz, time).cos(),
                &|time| angle(mark_hz, time).sin(),
                &|time| angle(space_hz, time).cos(),
                &|time| angle(space_hz, time).sin(),
            ];
            (Pulse::new(rate_hz, symbol_rate_hz, SYMBOLS, &tones)?, Detector::Envelopes)
        };
        let audio = vec![0.0; pulse.half()];
        Ok(AfskDemod { pulse, audio, detector })
    }
}

/// Tones that are so many symbol rates apart or less are told apart by how far the signal turns.
const LARGEST_INDEX: f64 = 1.25;
/// How long the filter before that is, in symbols: half a period of a cosine. 1.2 to 1.4 are about equal for U482C, SAME and Bell 202.
const SYMBOLS_OF_TURN: f64 = 1.3;
/// How long the correlation is otherwise.
const SYMBOLS: f64 = 1.6;

impl FrontEnd for AfskDemod {
    type In = f32;

    fn take(&mut self, x: &[f32], timing: &mut SymbolTiming) {
        let AfskDemod { pulse, audio, detector } = self;
        audio.extend_from_slice(x);
        pulse.run([audio], |[audio], taps| {
            let part = |tone: usize| dot(audio, &taps[tone]);
            match detector {
                Detector::Envelopes => {
                    let mark = part(0).hypot(part(1));
                    let space = part(2).hypot(part(3));
                    timing.push(mark - space, mark.hypot(space));
                }
                Detector::Turn(turn) => {
                    if let Some((signal, magnitude)) = turn.take(C32::new(part(0), part(1))) {
                        timing.push(signal, magnitude);
                    }
                }
            }
        });
    }

    fn tail(&self) -> usize {
        let behind = match &self.detector {
            Detector::Envelopes => 0.0,
            Detector::Turn(turn) => turn.reach as f64 * self.pulse.step(),
        };
        self.pulse.half() + behind.ceil() as usize
    }

    fn step(&self) -> f64 {
        self.pulse.step()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::demodulator::tests::{burst, errors};
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    pub const BELL_202: Afsk =
        Afsk { rate_hz: 48e3, symbol_rate_hz: 1200.0, mark_hz: 1200.0, space_hz: 2200.0 };
    const SAME: Afsk =
        Afsk { rate_hz: 22050.0, symbol_rate_hz: 520.8333, mark_hz: 2083.333, space_hz: 1562.5 };
    const U482C: Afsk = Afsk { rate_hz: 48e3, symbol_rate_hz: 4800.0, mark_hz: 2400.0, space_hz: 4800.0 };
    const WIDE: Afsk = Afsk { rate_hz: 48e3, symbol_rate_hz: 600.0, mark_hz: 1200.0, space_hz: 2400.0 };
    const V_21: Afsk = Afsk { rate_hz: 8e3, symbol_rate_hz: 300.0, mark_hz: 1650.0, space_hz: 1850.0 };

    /// Bits as tones, of which the space is `tilt` times as strong as the mark, between silence, with noise.
    pub fn audio(afsk: &Afsk, bits: &[u8], tilt: f32, clock: f64, noise_by_mark: f32) -> Vec<f32> {
        let period = afsk.rate_hz / afsk.symbol_rate_hz * clock;
        let mut phase = 0.0;
        let tones = (0..(bits.len() as f64 * period) as usize).map(|n| {
            let is_mark = bits[(n as f64 / period) as usize] == 1;
            phase +=
                std::f64::consts::TAU * if is_mark { afsk.mark_hz } else { afsk.space_hz } / afsk.rate_hz;
            phase.sin() as f32 * if is_mark { 0.1 } else { 0.1 * tilt }
        });
        let silence = || std::iter::repeat_n(0.0, 40 * period as usize);
        let all: Vec<f32> = silence().chain(tones).chain(silence()).collect();
        let noise = noise(all.len());
        all.iter().zip(noise).map(|(x, noise)| x + 0.1 * noise_by_mark * noise).collect()
    }

    #[test]
    fn a_burst_is_right_from_its_first_symbol_also_where_one_tone_is_louder() {
        let bits = burst(16, 400);
        use AfskDetector::{Auto, Envelopes, Turn};
        for (afsk, detector) in
            [(BELL_202, Auto), (BELL_202, Envelopes), (SAME, Auto), (U482C, Auto), (WIDE, Auto), (V_21, Turn)]
        {
            for (tilt, clock, noise) in [(1.0, 1.0, 0.0), (1.0, 1.0, 0.5), (0.5, 1.0, 0.3), (2.0, 0.98, 0.3)]
            {
                let x = audio(&afsk, &bits, tilt, clock, noise);
                let y: Vec<f32> = harness::run(AfskDemod::new(&afsk, detector).unwrap(), &x);
                assert_eq!(errors(&y, &bits), 0, "{afsk:?}, tilt {tilt}, clock {clock}, noise {noise}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x = audio(&V_21, &burst(16, 150), 1.0, 1.0, 0.3);
        harness::assert_cut_invariant(|| AfskDemod::new(&V_21, AfskDetector::Auto).unwrap(), &x);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for wrong in [
            Afsk { mark_hz: 24e3, ..BELL_202 },
            Afsk { space_hz: 0.0, ..BELL_202 },
            Afsk { space_hz: 1200.0, ..BELL_202 },
            Afsk { symbol_rate_hz: f64::NAN, ..BELL_202 },
        ] {
            assert!(AfskDemod::new(&wrong, AfskDetector::Auto).is_err(), "{wrong:?}");
        }
    }
}
