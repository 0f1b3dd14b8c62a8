//! Demodulation of two audio tones to soft symbols.

use superhet_runtime::catalog::Parameters;
use superhet_runtime::declare;

use super::demodulator::{Demodulator, FrontEnd, Pulse, dot};
use super::symbol_timing::SymbolTiming;
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

/// Demodulates two audio tones to soft symbols.
///
/// At 8 instants of each symbol the audio is correlated with both tones, `y = |mark| − |space|`. Levels, also where
/// one tone is louder than the other, and the places of the symbols are found by themselves, from 32 symbols around each:
/// [`SymbolTiming`].
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
/// J. Proakis, Digital Communications, 2001, section 5.4: envelope detection of orthogonal signals. The table is of ITU-T
/// V.21 and V.23, the Bell System's references 103 and 202, and 47 CFR 11.31.
///
/// ```
/// use superhet_blocks::demod::{Afsk, AfskDemod};
/// use superhet_runtime::harness;
///
/// let bell_202 = Afsk { rate_hz: 48e3, symbol_rate_hz: 1200.0, mark_hz: 1200.0, space_hz: 2200.0 };
/// let bits: Vec<bool> = (0..200u32).map(|n| (n * n / 7) % 2 == 1).collect();
/// let mut phase = 0.0f32;
/// let x: Vec<f32> = (0..8000).map(|n| {
///     phase += std::f32::consts::TAU * if bits[n / 40] { 1200.0 } else { 2200.0 } / 48e3;
///     phase.sin()
/// }).collect();
/// let symbols: Vec<f32> = harness::run(AfskDemod::new(&bell_202)?, &x);
/// assert!(symbols.iter().zip(&bits).all(|(symbol, bit)| (*symbol > 0.0) == *bit));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AfskDemod {
    pulse: Pulse,
    audio: Vec<f32>,
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
    pub fn new(#[param(group)] afsk: &Afsk) -> Result<Demodulator<Self>, Error> {
        let Afsk { rate_hz, symbol_rate_hz, mark_hz, space_hz } = *afsk;
        let fits = |tone: f64| tone > 0.0 && tone < rate_hz / 2.0;
        check(fits(mark_hz), "mark_hz", "more than 0 and less than half of rate_hz", mark_hz)?;
        check(fits(space_hz), "space_hz", "more than 0 and less than half of rate_hz", space_hz)?;
        check(mark_hz != space_hz, "space_hz", "another than mark_hz", space_hz)?;
        let angle = |tone: f64, time: f64| std::f64::consts::TAU * tone * time;
        let tones: [&dyn Fn(f64) -> f64; 4] = [
            &|time| angle(mark_hz, time).cos(),
            &|time| angle(mark_hz, time).sin(),
            &|time| angle(space_hz, time).cos(),
            &|time| angle(space_hz, time).sin(),
        ];
        let pulse = Pulse::new(rate_hz, symbol_rate_hz, SYMBOLS, &tones)?;
        let audio = vec![0.0; pulse.half()];
        Ok(Demodulator::new(AfskDemod { pulse, audio }, SymbolTiming::new(None)))
    }
}

/// How long the correlation is: half a period of a cosine. Of the tones of Bell 202 in noise, 1.6 finds more than 1.25 or 2.
const SYMBOLS: f64 = 1.6;

impl FrontEnd for AfskDemod {
    type In = f32;

    fn take(&mut self, x: &[f32], timing: &mut SymbolTiming) {
        let AfskDemod { pulse, audio } = self;
        audio.extend_from_slice(x);
        pulse.run([audio], |[audio], taps| {
            let part = |tone: usize| dot(audio, &taps[tone]);
            let mark = part(0).hypot(part(1));
            let space = part(2).hypot(part(3));
            timing.push(mark - space, mark.hypot(space));
        });
    }

    fn tail(&self) -> usize {
        self.pulse.half()
    }

    fn step(&self) -> f64 {
        self.pulse.step()
    }
}

#[cfg(test)]
mod tests {
    use super::super::demodulator::tests::{burst, errors};
    use super::*;
    use crate::testing::noise;
    use superhet_runtime::harness;

    const BELL_202: Afsk = Afsk { rate_hz: 48e3, symbol_rate_hz: 1200.0, mark_hz: 1200.0, space_hz: 2200.0 };
    const SAME: Afsk =
        Afsk { rate_hz: 22050.0, symbol_rate_hz: 520.8333, mark_hz: 2083.333, space_hz: 1562.5 };
    const V_21: Afsk = Afsk { rate_hz: 8e3, symbol_rate_hz: 300.0, mark_hz: 1650.0, space_hz: 1850.0 };

    /// Bits as tones, of which the space is `tilt` times as strong as the mark, between silence, with noise.
    fn audio(afsk: &Afsk, bits: &[u8], tilt: f32, clock: f64, noise_by_mark: f32) -> Vec<f32> {
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
        for afsk in [BELL_202, SAME, V_21] {
            for (tilt, clock, noise) in [(1.0, 1.0, 0.0), (1.0, 1.0, 0.5), (0.5, 1.0, 0.3), (2.0, 0.98, 0.3)]
            {
                let x = audio(&afsk, &bits, tilt, clock, noise);
                let y: Vec<f32> = harness::run(AfskDemod::new(&afsk).unwrap(), &x);
                assert_eq!(errors(&y, &bits), 0, "{afsk:?}, tilt {tilt}, clock {clock}, noise {noise}");
            }
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x = audio(&V_21, &burst(16, 150), 1.0, 1.0, 0.3);
        harness::assert_cut_invariant(|| AfskDemod::new(&V_21).unwrap(), &x);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for wrong in [
            Afsk { mark_hz: 24e3, ..BELL_202 },
            Afsk { space_hz: 0.0, ..BELL_202 },
            Afsk { space_hz: 1200.0, ..BELL_202 },
            Afsk { symbol_rate_hz: f64::NAN, ..BELL_202 },
        ] {
            assert!(AfskDemod::new(&wrong).is_err(), "{wrong:?}");
        }
    }
}
