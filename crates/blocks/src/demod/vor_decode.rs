//! Bearings from VOR beacons.

use std::collections::VecDeque;
use std::f64::consts::TAU;

use superhet_kernels as kernels;
use superhet_runtime::{
    Block, BlockError, C32, C64, Context, In, MsgOut, Step, Value, Work, declare, message::MessageType,
};

use crate::error::{Error, check};
use crate::tags::Piece;

/// The radial of a VOR beacon, and its name in Morse code, out of the envelope of its carrier.
///
/// A beacon's carrier is modulated by 30 Hz, whose phase is later by the bearing from the beacon, and by a subcarrier at 9960 Hz that is
/// modulated in frequency by 30 Hz (deviation 480 Hz) with the same phase everywhere. Both are filtered alike and brought to about 4 kHz,
/// and compared over each period. A map is sent where the deviation is within 60 Hz of that and the two levels within a factor of 5.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | the envelope, as of `complex_to_mag` or a receiver for AM; any level, also without its mean |
/// | out `out` | maps | one for each period |
///
/// | entry | is |
/// |---|---|
/// | `radial_deg` | the bearing from the beacon, degrees from its magnetic north, 0 to 360 |
/// | `deviation_hz` | the deviation of the subcarrier |
/// | `level_30_hz`, `level_subcarrier` | amplitudes, in units of the input |
/// | `offset` | the item that the period ends before |
/// | `ident` | the name that was last heard, where there was one: letters at 1020 Hz between pauses |
///
/// **Accuracy**: 0.05° without noise.
///
/// # Source
/// ICAO Annex 10, volume I, section 3.3.
#[derive(Debug, Block)]
pub struct VorDecode {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    /// The low-pass filter, and the input's place in a turn of the subcarrier.
    taps: Vec<f32>,
    decimation: usize,
    subcarrier: Oscillator,
    /// What the filter sees: the envelope, and the same with the subcarrier moved to 0 Hz.
    past: [Vec<C32>; 2],
    /// One phase of 30 Hz for both.
    turn: Oscillator,
    last: C32,
    period: usize,
    rate_hz: f64,
    sums: Sums,
    ident: Ident,
}

const SUBCARRIER_HZ: f64 = 9960.0;
const DEVIATION_HZ: f64 = 480.0;
const MOST_OFF_HZ: f64 = 60.0;
const TONE_HZ: f64 = 30.0;
const IDENT_HZ: f64 = 1020.0;
/// The filters pass this, and the next lower rate that they are for is more than three times that.
const PASSED_HZ: f64 = 1300.0;
const LEAST_RATE_HZ: f64 = 4000.0;

/// A phasor that turns by the same angle from item to item.
#[derive(Clone, Copy, Debug)]
struct Oscillator {
    value: C64,
    step: C64,
}

impl Oscillator {
    fn new(turns: f64) -> Self {
        Oscillator { value: C64::new(1.0, 0.0), step: C64::from_polar(1.0, TAU * turns) }
    }

    fn next(&mut self) -> C64 {
        let now = self.value;
        self.value *= self.step;
        // Rounding would change its length; one step of Newton's method.
        self.value *= 1.5 - 0.5 * self.value.norm_sqr();
        now
    }
}

/// What comes together in a period, weighed by half a period of a squared sine.
#[derive(Clone, Debug, Default)]
struct Sums {
    items: usize,
    weight: f64,
    variable: C64,
    reference: C64,
    subcarrier: f64,
}

#[declare(
    category = "demod",
    summary = "The radial of a VOR beacon, and its name, out of the envelope of its carrier.",
    ports(
        input("in", "f32", "the envelope of the carrier"),
        output("out", "messages", "maps: radial_deg, deviation_hz, ident and so on")
    )
)]
impl VorDecode {
    /// A decoder for an envelope at `rate_hz`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(
        /// Samples per second, more than 22 kHz.
        #[param(unit = "Hz")]
        rate_hz: f64,
        /// How long each measurement takes.
        #[param(unit = "s", default = 1.0)]
        period_s: f64,
    ) -> Result<Self, Error> {
        check((22e3..=1e8).contains(&rate_hz), "rate_hz", "22 kHz to 100 MHz", rate_hz)?;
        check((0.1..=60.0).contains(&period_s), "period_s", "0.1 to 60 s", period_s)?;
        let decimation = (rate_hz / LEAST_RATE_HZ) as usize;
        let low_rate_hz = rate_hz / decimation as f64;
        let (cutoff, width) = (low_rate_hz / 2.0 / rate_hz, (low_rate_hz - 2.0 * PASSED_HZ) / rate_hz);
        let count = (5.5 / width).ceil() as usize | 1;
        let tap = |n: usize| {
            let (x, place) = (n as f64 - (count / 2) as f64, (n as f64 + 0.5) / count as f64);
            let sinc = if x == 0.0 { 2.0 * cutoff } else { (TAU * cutoff * x).sin() / (TAU / 2.0 * x) };
            sinc * (0.42 - 0.5 * (TAU * place).cos() + 0.08 * (2.0 * TAU * place).cos())
        };
        let sum: f64 = (0..count).map(tap).sum();
        Ok(VorDecode {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::Map),
            taps: (0..count).map(|n| (tap(n) / sum) as f32).collect(),
            decimation,
            subcarrier: Oscillator::new(-SUBCARRIER_HZ / rate_hz),
            past: [Vec::new(), Vec::new()],
            turn: Oscillator::new(-TONE_HZ / low_rate_hz),
            last: C32::ZERO,
            period: (period_s * low_rate_hz).round() as usize,
            rate_hz: low_rate_hz,
            sums: Sums::default(),
            ident: Ident::new(low_rate_hz),
        })
    }

    /// Takes an item of the envelope, the one at this place; the message that is due with it.
    fn take(&mut self, x: f32, at: u64) -> Option<Value> {
        let x = if x.is_finite() { x } else { 0.0 };
        let turn = self.subcarrier.next();
        self.past[0].push(C32::new(x, 0.0));
        self.past[1].push(C32::new(x * turn.re as f32, x * turn.im as f32));
        if self.past[0].len() < self.taps.len() {
            return None;
        }
        let [envelope, moved] = self.past.each_ref().map(|past| kernels::dot_c32_f32(past, &self.taps));
        self.past.iter_mut().for_each(|past| _ = past.drain(..self.decimation.min(past.len())));
        self.low(envelope.re, moved, at)
    }

    /// Takes an item of the lower rate.
    fn low(&mut self, envelope: f32, moved: C32, at: u64) -> Option<Value> {
        self.ident.take(envelope);
        let turned = moved * self.last.conj();
        self.last = moved;
        let frequency = f64::from(turned.im.atan2(turned.re)) * self.rate_hz / TAU;
        let turn = self.turn.next();
        let sums = &mut self.sums;
        let place = (sums.items as f64 + 0.5) / self.period as f64;
        let weight = (TAU / 2.0 * place).sin().powi(2);
        sums.weight += weight;
        sums.variable += turn * (weight * f64::from(envelope));
        sums.reference += turn * (weight * frequency);
        sums.subcarrier += weight * f64::from(moved.norm());
        sums.items += 1;
        if sums.items < self.period {
            return None;
        }
        let Sums { weight, variable, reference, subcarrier, .. } = std::mem::take(sums);
        // The frequency is that between two items, half an item before.
        let reference = reference * C64::from_polar(1.0, TAU / 2.0 * TONE_HZ / self.rate_hz);
        let (level, deviation) = (2.0 * variable.norm() / weight, 2.0 * reference.norm() / weight);
        let subcarrier = 2.0 * subcarrier / weight;
        let is_beacon = (deviation - DEVIATION_HZ).abs() <= MOST_OFF_HZ
            && level > 0.2 * subcarrier
            && level < 5.0 * subcarrier;
        if !is_beacon {
            return None;
        }
        let radial = (reference * variable.conj()).arg().to_degrees().rem_euclid(360.0);
        let mut entries = vec![
            ("radial_deg", Value::from((radial * 100.0).round() / 100.0 % 360.0)),
            ("deviation_hz", ((deviation * 10.0).round() / 10.0).into()),
            ("level_30_hz", (level as f32).into()),
            ("level_subcarrier", (subcarrier as f32).into()),
            ("offset", (at + 1).into()),
        ];
        if let Some(ident) = &self.ident.name {
            entries.push(("ident", ident.as_str().into()));
        }
        Some(Value::map(entries))
    }
}

/// Reads the name of a beacon, which it sends in Morse code at 1020 Hz, about seven words a minute, with pauses of seconds.
#[derive(Clone, Debug)]
struct Ident {
    oscillator: Oscillator,
    /// Items of a mean, and what has come of the next.
    length: usize,
    items: usize,
    sum: C64,
    /// The level of the tone lately, and what is there without it.
    strongest: f64,
    /// For how many means the tone has been on, or off.
    is_on: bool,
    run: u32,
    /// Whether there was a pause: a name that is heard from its middle on is none.
    is_begun: bool,
    /// How long it was on and off in turn, since the last pause.
    runs: VecDeque<u32>,
    name: Option<String>,
}

/// Means in a second.
const MEANS_HZ: f64 = 50.0;
/// A pause is so many means long, and letters take no more runs.
const PAUSE: u32 = 55;
const MOST_RUNS: usize = 64;
/// The strongest mean counts less and less: by half within 14 s.
const FADING: f64 = 0.999;
/// Letters have no more dots and dashes, and names no more letters.
const MOST_LETTERS: usize = 4;

#[rustfmt::skip]
const MORSE: [(&str, char); 36] = [
    (".-", 'A'), ("-...", 'B'), ("-.-.", 'C'), ("-..", 'D'), (".", 'E'), ("..-.", 'F'), ("--.", 'G'), ("....", 'H'),
    ("..", 'I'), (".---", 'J'), ("-.-", 'K'), (".-..", 'L'), ("--", 'M'), ("-.", 'N'), ("---", 'O'), (".--.", 'P'),
    ("--.-", 'Q'), (".-.", 'R'), ("...", 'S'), ("-", 'T'), ("..-", 'U'), ("...-", 'V'), (".--", 'W'), ("-..-", 'X'),
    ("-.--", 'Y'), ("--..", 'Z'), ("-----", '0'), (".----", '1'), ("..---", '2'), ("...--", '3'), ("....-", '4'),
    (".....", '5'), ("-....", '6'), ("--...", '7'), ("---..", '8'), ("----.", '9'),
];

impl Ident {
    fn new(rate_hz: f64) -> Self {
        Ident {
            oscillator: Oscillator::new(-IDENT_HZ / rate_hz),
            length: (rate_hz / MEANS_HZ).round() as usize,
            items: 0,
            sum: C64::new(0.0, 0.0),
            strongest: 0.0,
            is_on: false,
            run: 0,
            is_begun: false,
            runs: VecDeque::new(),
            name: None,
        }
    }

    fn take(&mut self, envelope: f32) {
        self.sum += self.oscillator.next() * f64::from(envelope);
        self.items += 1;
        if self.items < self.length {
            return;
        }
        let level = std::mem::take(&mut self.sum).norm();
        self.items = 0;
        self.strongest = level.max(self.strongest * FADING);
        let is_on = level > 0.5 * self.strongest;
        self.run += 1;
        if !self.is_on && self.run == PAUSE {
            if let Some(name) = name_of(self.runs.make_contiguous()) {
                self.name = Some(name);
            }
            self.runs.clear();
            self.is_begun = true;
        }
        if is_on != self.is_on {
            // A name begins with a tone, and what is too long is none.
            if self.is_begun && (self.is_on || !self.runs.is_empty()) {
                self.runs.push_back(self.run);
            }
            if self.runs.len() > MOST_RUNS {
                self.runs.clear();
                self.is_begun = false;
            }
            (self.is_on, self.run) = (is_on, 0);
        }
    }
}

/// The name that tones and the gaps between them spell, in turn, beginning with a tone.
fn name_of(runs: &[u32]) -> Option<String> {
    // The shortest of all is a dot, or the gap between dots and dashes: of three letters one has a gap.
    let unit = f64::from(*runs.iter().min()?);
    let (mut name, mut letter) = (String::new(), String::new());
    let mut end = |letter: &mut String| {
        let (_, found) = MORSE.iter().find(|(code, _)| code == letter)?;
        letter.clear();
        name.push(*found);
        Some(())
    };
    for (place, run) in runs.iter().enumerate() {
        let is_long = f64::from(*run) >= 2.0 * unit;
        match (place % 2, is_long) {
            (0, _) => letter.push(if is_long { '-' } else { '.' }),
            (_, true) => end(&mut letter)?,
            (_, false) => {}
        }
    }
    end(&mut letter)?;
    // The shortest is no dot where others are much longer than a dash.
    let is_even = runs.iter().all(|run| f64::from(*run) <= 5.0 * unit) && unit >= 3.0;
    (is_even && (2..=MOST_LETTERS).contains(&name.len())).then_some(name)
}

/// So many items are taken in one call.
const AT_ONCE: usize = 8192;

impl Work for VorDecode {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (at, x, _) in piece.each() {
            if let Some(message) = self.take(x, at) {
                self.output.send(message)?;
            }
        }
        Ok(piece.step())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    /// The envelope of a beacon, from a radial.
    fn beacon(rate_hz: f64, seconds: f64, radial_deg: f64, ident: &str) -> Vec<f32> {
        let mut keys = Vec::new();
        for letter in ident.chars() {
            let (code, _) = MORSE.iter().find(|(_, known)| *known == letter).unwrap();
            for sign in code.chars() {
                keys.extend(vec![true; if sign == '-' { 3 } else { 1 }]);
                keys.push(false);
            }
            keys.extend([false; 2]);
        }
        keys.extend([false; 20]);
        let at = |n: usize| {
            let t = n as f64 / rate_hz;
            let reference = TAU * TONE_HZ * t;
            let variable = 0.3 * (reference - radial_deg.to_radians()).cos();
            let phase = TAU * SUBCARRIER_HZ * t + DEVIATION_HZ / TONE_HZ * reference.sin();
            let key = keys[((t + 1.0) / 0.13) as usize % keys.len()];
            let tone = if key { 0.1 * (TAU * IDENT_HZ * t).cos() } else { 0.0 };
            (1.0 + variable + 0.3 * phase.cos() + tone) as f32
        };
        (0..(seconds * rate_hz) as usize).map(at).collect()
    }

    fn decoded(rate_hz: f64, x: &[f32]) -> Vec<Value> {
        let mut decoder = VorDecode::new(rate_hz, 1.0).unwrap();
        x.iter().enumerate().filter_map(|(at, x)| decoder.take(*x, at as u64)).collect()
    }

    fn number(message: &Value, entry: &str) -> f64 {
        message.get(entry).and_then(Value::as_f64).unwrap()
    }

    #[test]
    fn the_radial_and_the_name_are_those_of_the_beacon() {
        for (rate_hz, radial_deg) in [(24e3, 0.0), (47_368.42, 119.5), (48e3, 359.0), (200e3, 271.3)] {
            let messages = decoded(rate_hz, &beacon(rate_hz, 14.5, radial_deg, "KLO"));
            assert_eq!(messages.len(), 14);
            for message in &messages {
                let off = (number(message, "radial_deg") - radial_deg + 180.0).rem_euclid(360.0) - 180.0;
                assert!(off.abs() < 0.05, "{rate_hz}, {radial_deg}: {message}");
                assert!((number(message, "deviation_hz") - 480.0).abs() < 8.0, "{message}");
                assert!((number(message, "level_30_hz") - 0.3).abs() < 0.01, "{message}");
            }
            let ident = messages.last().unwrap().get("ident").and_then(Value::as_str);
            assert_eq!(ident, Some("KLO"), "{rate_hz}");
        }
    }

    #[test]
    fn noise_moves_the_radial_by_a_degree_and_is_no_beacon_by_itself() {
        let noise: Vec<f32> = noise(480_000).iter().map(|x| 0.3 * x).collect();
        let x: Vec<f32> =
            beacon(48e3, 10.0, 45.0, "AB").iter().zip(&noise).map(|(x, noise)| x + noise).collect();
        let messages = decoded(48e3, &x);
        assert!(messages.len() >= 9);
        assert!(
            messages.iter().all(|message| (number(message, "radial_deg") - 45.0).abs() < 1.0),
            "{messages:?}"
        );
        assert_eq!(decoded(48e3, &noise), []);
        assert_eq!(decoded(48e3, &[f32::NAN; 100_000]), []);
    }

    #[test]
    fn what_is_keyed_without_sense_is_no_name() {
        assert_eq!(name_of(&[18, 6, 6, 6, 18, 18, 6, 6, 18]).as_deref(), Some("KA"));
        assert_eq!(name_of(&[]), None);
        // One letter, and one of six dots.
        assert_eq!(name_of(&[18, 6, 6, 6, 18]), None);
        assert_eq!(name_of(&[6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 18, 6]), None);
        assert!(VorDecode::new(20e3, 1.0).is_err() && VorDecode::new(48e3, 0.0).is_err());
    }
}
