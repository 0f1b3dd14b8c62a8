//! Which spreading codes are in a stream, and where.

use std::sync::Arc;

use superhet_fft::Complex32;
use superhet_fft::{Fft, FftPlanner};
use superhet_runtime::{
    Block, BlockError, C32, C64, Context, In, MsgOut, Step, Value, Work, declare, message::MessageType,
};

use super::gps_code::{GPS_CODES, gps_ca_code};
use crate::error::{Error, check, check_positive};
use crate::tags::IndexClock;

/// Finds spreading codes at any delay and Doppler shift: the first step of a receiver of GPS, and of others that spread by codes.
///
/// Periods of the stream are correlated with each code at all delays by Fourier transforms, at frequencies `doppler_step_hz` apart; the
/// powers of `periods` periods are added. A code is found where its highest peak is `threshold` times as high as the next one at the
/// same frequency that is more than a chip away. One acquisition is made in every `period_s`, a code at a time, so that other blocks of
/// the same worker do not wait for all of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | samples around the carrier |
/// | out `out` | maps | |
///
/// | entry | is |
/// |---|---|
/// | `code` | the number of the code |
/// | `doppler_hz` | its carrier's shift, Hz |
/// | `delay_samples` | the sample of the acquisition that a period of the code begins with, 0 to a period |
/// | `peak_ratio` | the peak by the next one |
/// | `sample_index` | the acquisition's first sample, by [`IndexTags`](crate::tags::IndexTags) where they are there, else of this stream |
///
/// | parameter | range |
/// |---|---|
/// | `rate_hz` | such that a period of the code has a whole number of samples, 2 to a million |
/// | `chip_rate_hz` | more than 0 |
/// | `max_doppler_hz` | 0 or more, at most half of the rate |
/// | `doppler_step_hz` | more than 0; a period's correlation is down by 4 dB at half of the period's rate |
///
/// # Source
/// D. van Nee and A. Coenen, "New fast GPS code-acquisition technique using FFT", Electronics Letters 27 (2), 1991.
#[derive(Block)]
pub struct CodeAcquisition {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: MsgOut,
    search: Search,
    threshold: f32,
    /// Samples between the beginnings of two acquisitions.
    interval: u64,
    /// Samples of the acquisition that comes.
    samples: Vec<C32>,
    /// The item that the next acquisition begins with.
    next: u64,
    /// What is under way: the spectra, the first sample, and the codes that are done.
    task: Option<(Spectra, u64, usize)>,
    clock: IndexClock,
}

/// What is looked for.
struct Search {
    /// The number of each code, and its conjugate spectrum.
    codes: Vec<(i64, Vec<Complex32>)>,
    /// Samples of a period and of a chip.
    period: usize,
    chip: f64,
    periods: usize,
    rate_hz: f64,
    dopplers_hz: Vec<f64>,
    forward: Arc<dyn Fft<f32>>,
    back: Arc<dyn Fft<f32>>,
}

/// The spectra of the periods, for each fraction of a bin that the Doppler shifts have.
struct Spectra(Vec<(f64, Vec<Vec<Complex32>>)>);

/// Where a code is.
#[derive(Clone, Copy, Debug)]
struct Peak {
    doppler_hz: f64,
    delay: usize,
    ratio: f32,
}

/// What a search takes beside the codes.
#[derive(Clone, Copy, Debug)]
pub struct Acquisition {
    /// Samples per second.
    pub rate_hz: f64,
    /// Chips per second.
    pub chip_rate_hz: f64,
    /// Frequencies from minus this to this, Hz,
    pub max_doppler_hz: f64,
    /// so far apart.
    pub doppler_step_hz: f64,
    /// So many periods are added.
    pub periods: usize,
    /// The peak by the next one, from which on a code is found.
    pub threshold: f64,
    /// Seconds between the beginnings of two acquisitions; at least as long as one takes.
    pub period_s: f64,
}

impl CodeAcquisition {
    /// A search for codes, each with its number and its chips, of the same length.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is out of its range, or a period has no whole number of samples; [`Error::Empty`] where
    /// there is no code, [`Error::Element`] where codes have different lengths.
    pub fn new(codes: &[(i64, Vec<f32>)], wanted: Acquisition) -> Result<Self, Error> {
        let Acquisition { rate_hz, chip_rate_hz, max_doppler_hz, doppler_step_hz, periods, .. } = wanted;
        check_positive("rate_hz", rate_hz)?;
        check_positive("chip_rate_hz", chip_rate_hz)?;
        check_positive("doppler_step_hz", doppler_step_hz)?;
        check(
            (1.0..=1e6).contains(&wanted.threshold),
            "threshold",
            "a number from 1 to 1e6",
            wanted.threshold,
        )?;
        check((0.0..=1e9).contains(&wanted.period_s), "period_s", "a number from 0 to 1e9", wanted.period_s)?;
        check(
            (1..=MOST_PERIODS).contains(&periods),
            "periods",
            "a whole number from 1 to 1000",
            periods as f64,
        )?;
        let Some((_, first)) = codes.first().filter(|(_, chips)| !chips.is_empty()) else {
            return Err(Error::Empty { parameter: "codes", wanted: "a code of one chip or more" });
        };
        if let Some(place) = codes.iter().position(|(_, chips)| chips.len() != first.len()) {
            let got = format!("{} chips", codes[place].1.len());
            return Err(Error::Element {
                parameter: "codes",
                place,
                wanted: "as many chips as the first",
                got,
            });
        }
        let exact = rate_hz * first.len() as f64 / chip_rate_hz;
        let period = exact.round();
        let is_whole = (exact - period).abs() <= 1e-6 * exact && (2.0..=1e6).contains(&period);
        check(
            is_whole,
            "rate_hz",
            "a rate with a whole number of samples in a period of the code, 2 to 1e6",
            rate_hz,
        )?;
        let reaches = (0.0..=rate_hz / 2.0).contains(&max_doppler_hz);
        check(reaches, "max_doppler_hz", "a number from 0 to half of rate_hz", max_doppler_hz)?;
        let count = (max_doppler_hz / doppler_step_hz).floor();
        check(count <= MOST_DOPPLERS, "doppler_step_hz", "at most 10,000 frequencies", doppler_step_hz)?;
        let period = period as usize;
        let mut planner = FftPlanner::new();
        let (forward, back) = (planner.plan_fft_forward(period), planner.plan_fft_inverse(period));
        let spectrum = |chips: &[f32]| {
            let chip = |n: usize| chips[n * chips.len() / period];
            let mut samples: Vec<Complex32> = (0..period).map(|n| Complex32::new(chip(n), 0.0)).collect();
            forward.process(&mut samples);
            samples.iter().map(Complex32::conj).collect()
        };
        let search = Search {
            codes: codes.iter().map(|(number, chips)| (*number, spectrum(chips))).collect(),
            period,
            chip: period as f64 / first.len() as f64,
            periods,
            rate_hz,
            dopplers_hz: (-(count as i64)..=count as i64).map(|n| n as f64 * doppler_step_hz).collect(),
            forward,
            back,
        };
        Ok(CodeAcquisition {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::Map),
            interval: (wanted.period_s * rate_hz).round().max((period * periods) as f64) as u64,
            search,
            threshold: wanted.threshold as f32,
            samples: Vec::new(),
            next: 0,
            task: None,
            clock: IndexClock::default(),
        })
    }

    /// Looks for the next code.
    fn look(&mut self) -> Result<(), BlockError> {
        let Some((spectra, first, done)) = &mut self.task else { return Ok(()) };
        let (number, code) = &self.search.codes[*done];
        let peak = self.search.peak(spectra, code);
        if peak.ratio >= self.threshold {
            self.output.send(Value::map([
                ("code", Value::from(*number)),
                ("doppler_hz", peak.doppler_hz.into()),
                ("delay_samples", peak.delay.into()),
                ("peak_ratio", (f64::from(peak.ratio * 100.0).round() / 100.0).into()),
                ("sample_index", (*first).into()),
            ]))?;
        }
        *done += 1;
        if *done == self.search.codes.len() {
            self.task = None;
        }
        Ok(())
    }
}

/// So many periods are added at most, and so many frequencies looked at on each side.
const MOST_PERIODS: usize = 1000;
const MOST_DOPPLERS: f64 = 5000.0;

impl Search {
    /// The spectra of samples, shifted by each fraction of a bin.
    fn spectra(&self, samples: &[C32]) -> Spectra {
        let bin_hz = self.rate_hz / self.period as f64;
        let mut fractions: Vec<f64> =
            self.dopplers_hz.iter().map(|hz| (hz / bin_hz).rem_euclid(1.0)).collect();
        fractions.sort_by(f64::total_cmp);
        fractions.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        let shifted = |fraction: f64| {
            let turn: Vec<Complex32> = (0..self.period)
                .map(|n| {
                    let (sin, cos) =
                        (std::f64::consts::TAU * fraction * n as f64 / self.period as f64).sin_cos();
                    Complex32::new(cos as f32, -sin as f32)
                })
                .collect();
            let spectrum = |samples: &[C32]| {
                let mut spectrum: Vec<Complex32> =
                    samples.iter().zip(&turn).map(|(x, turn)| Complex32::new(x.re, x.im) * turn).collect();
                self.forward.process(&mut spectrum);
                spectrum
            };
            (fraction, samples.chunks_exact(self.period).map(spectrum).collect())
        };
        Spectra(fractions.into_iter().map(shifted).collect())
    }

    /// The highest peak of a code.
    fn peak(&self, spectra: &Spectra, code: &[Complex32]) -> Peak {
        let (n, bin_hz) = (self.period, self.rate_hz / self.period as f64);
        let mut best = Peak { doppler_hz: 0.0, delay: 0, ratio: 0.0 };
        let mut highest = 0.0;
        let mut product = vec![Complex32::default(); n];
        for &doppler_hz in &self.dopplers_hz {
            let bins = doppler_hz / bin_hz;
            let near = |(fraction, _): &&(f64, Vec<Vec<Complex32>>)| {
                let away = (bins - fraction).rem_euclid(1.0);
                away.min(1.0 - away) < 1e-6
            };
            let Some((fraction, periods)) = spectra.0.iter().find(near) else { continue };
            // Bin k of the samples without their shift is bin k + shift of them.
            let shift = ((bins - fraction).round() as i64).rem_euclid(n as i64) as usize;
            let mut power = vec![0.0f32; n];
            for spectrum in periods {
                let (behind, before) = spectrum.split_at(shift);
                let turned = before.iter().chain(behind);
                product.iter_mut().zip(turned).zip(code).for_each(|((product, x), code)| *product = x * code);
                self.back.process(&mut product);
                power.iter_mut().zip(&product).for_each(|(power, product)| *power += product.norm_sqr());
            }
            let place =
                |power: &[f32]| (0..power.len()).max_by(|a, b| power[*a].total_cmp(&power[*b])).unwrap_or(0);
            let delay = place(&power);
            if power[delay] > highest {
                highest = power[delay];
                // The next one, more than a chip away on both sides.
                let away = (self.chip.ceil() as usize + 1).min(n / 2);
                let others: Vec<f32> = (away..=n - away).map(|n| power[(delay + n) % power.len()]).collect();
                let next = others.get(place(&others)).copied().unwrap_or(0.0);
                best = Peak { doppler_hz, delay, ratio: if next > 0.0 { highest / next } else { 0.0 } };
            }
        }
        best
    }
}

impl Work for CodeAcquisition {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.look()?;
        let there = self.input.available();
        let CodeAcquisition { input, clock, .. } = self;
        input.for_each_tag(there, |tag| clock.note(tag));
        // An item that is left while a search goes on has it called again.
        let n = if self.task.is_some() { there - 1 } else { there };
        let (from, wanted) = (self.input.index(), self.search.period * self.search.periods);
        let skipped = (self.next.saturating_sub(from) as usize).min(n);
        let taken = (n - skipped).min(wanted - self.samples.len());
        self.samples.extend_from_slice(&self.input.peek()[skipped..][..taken]);
        if self.samples.len() == wanted && self.task.is_none() {
            let first = self.clock.sample_of(self.next).unwrap_or(self.next);
            self.task = Some((self.search.spectra(&self.samples), first, 0));
            self.samples.clear();
            self.next += self.interval;
        }
        self.input.consume(skipped + taken);
        Ok(match (&self.task, skipped + taken) {
            (Some(_), _) => Step::Later,
            (None, 0) => Step::NeedInput,
            (None, _) => Step::Ran,
        })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.look()?;
        Ok(if self.task.is_some() { Step::Ran } else { Step::Done })
    }
}

#[declare(
    category = "digital",
    summary = "Finds spreading codes, as those of GPS, at any delay and Doppler shift.",
    ports(
        input("in", "C32", "samples around the carrier"),
        output("out", "messages", "maps: code, doppler_hz and so on")
    )
)]
fn code_acquisition(
    /// Samples per second: a whole number in a period of the code.
    #[param(unit = "Hz", range = 0.0..=1e12)]
    rate_hz: f64,
    /// The GPS satellites to look for, 1 to 32; none: all of them.
    #[param(json = "[]")]
    numbers: Vec<C64>,
    /// Other codes, a list of chips for each; they are numbered from 1.
    #[param(json = "[]")]
    codes: &Value,
    /// Chips per second.
    #[param(unit = "Hz", range = 0.0..=1e12, default = 1.023e6)]
    chip_rate_hz: f64,
    /// The largest shift of the carrier.
    #[param(formerly = "doppler_max_hz", unit = "Hz", range = 0.0..=1e12, default = 5000.0)]
    max_doppler_hz: f64,
    /// How far apart the shifts are that are tried.
    #[param(unit = "Hz", range = 0.0..=1e12, default = 250.0)]
    doppler_step_hz: f64,
    /// So many periods of the code are added.
    #[param(range = 1..=MOST_PERIODS, default = 20)]
    periods: usize,
    /// The highest peak by the next one, of codes that are there.
    #[param(range = 1.0..=1e6, default = 2.5)]
    threshold: f64,
    /// How often codes are looked for.
    #[param(formerly = "interval_s", unit = "s", range = 0.0..=1e9, default = 1.0)]
    period_s: f64,
) -> Result<CodeAcquisition, BlockError> {
    let codes = rows(codes)?;
    let numbers: Vec<f64> = numbers.iter().map(|number| number.re).collect();
    let codes: Vec<(i64, Vec<f32>)> = match (codes.is_empty(), numbers.is_empty()) {
        (false, true) => codes.into_iter().zip(1..).map(|(code, number)| (number, code)).collect(),
        (false, false) => return Err("numbers and codes: expected one of them".into()),
        (true, is_all) => {
            let numbers =
                if is_all { (1..=GPS_CODES).map(|number| number as f64).collect() } else { numbers };
            let code = |(place, number): (usize, &f64)| {
                let wanted = "a whole number from 1 to 32";
                let wrong =
                    || Error::Element { parameter: "numbers", place, wanted, got: number.to_string() };
                let code = (number.fract() == 0.0).then(|| gps_ca_code(*number as usize)).flatten();
                Ok((*number as i64, code.ok_or_else(wrong)?))
            };
            numbers.iter().enumerate().map(code).collect::<Result<_, Error>>()?
        }
    };
    let wanted =
        Acquisition { rate_hz, chip_rate_hz, max_doppler_hz, doppler_step_hz, periods, threshold, period_s };
    Ok(CodeAcquisition::new(&codes, wanted)?)
}

/// Lists of chips.
fn rows(value: &Value) -> Result<Vec<Vec<f32>>, Error> {
    let wrong = |got: &Value| Error::WrongKind {
        parameter: "codes",
        wanted: "a list of lists of numbers",
        got: got.to_string(),
    };
    let list = value.as_list().ok_or_else(|| wrong(value))?;
    let chips = |row: &Value| {
        let chips = row.as_list().ok_or_else(|| wrong(row))?;
        chips.iter().map(|chip| chip.as_f64().map(|chip| chip as f32).ok_or_else(|| wrong(chip))).collect()
    };
    list.iter().map(chips).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::sync::gps_code::GPS_CHIP_RATE_HZ;
    use crate::testing::complex_noise;

    fn wanted(rate_hz: f64, chip_rate_hz: f64) -> Acquisition {
        Acquisition {
            rate_hz,
            chip_rate_hz,
            max_doppler_hz: 1000.0,
            doppler_step_hz: 250.0,
            periods: 4,
            threshold: 2.5,
            period_s: 0.0,
        }
    }

    #[test]
    fn a_code_in_noise_is_found_at_its_delay_and_frequency() {
        let (code, other) = (gps_ca_code(7).unwrap(), gps_ca_code(8).unwrap());
        let rate_hz = 2.046e6;
        let block = CodeAcquisition::new(&[(7, code.clone()), (8, other)], wanted(rate_hz, GPS_CHIP_RATE_HZ))
            .unwrap();
        let mut samples = complex_noise(4 * 2046);
        for (n, sample) in samples.iter_mut().enumerate() {
            let turn = std::f64::consts::TAU * -750.0 * n as f64 / rate_hz;
            let chip = code[(n + 2046 - 321) % 2046 / 2];
            *sample += C32::new(turn.cos() as f32, turn.sin() as f32) * (0.15 * chip);
        }
        let spectra = block.search.spectra(&samples);
        let peak = block.search.peak(&spectra, &block.search.codes[0].1);
        assert!((peak.doppler_hz, peak.delay) == (-750.0, 321) && peak.ratio > 4.0, "{peak:?}");
        let none = block.search.peak(&spectra, &block.search.codes[1].1);
        assert!(none.ratio < 2.5, "{none:?}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let code = |chips: usize| (1, vec![1.0; chips]);
        for (codes, rate_hz, wrong) in [
            (vec![], 1e6, "codes is empty"),
            (vec![code(3), code(4)], 1e6, "codes[1] = 4 chips: expected as many chips as the first"),
            (vec![code(1023)], 2.0461e6, "rate_hz = 2046100: expected a rate with a whole number"),
        ] {
            let error =
                CodeAcquisition::new(&codes, wanted(rate_hz, GPS_CHIP_RATE_HZ)).err().unwrap().to_string();
            assert!(error.starts_with(wrong), "{error}");
        }
    }
}
