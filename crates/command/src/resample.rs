//! `superhet resample`: a recording at another sample rate.

use clap::Args;
use superhet::blocks::filters::resampler_taps;
use superhet_runtime::Value;

use crate::chain::Chain;
use crate::quantity;
use crate::recording::{Items, Recording, RecordingArgs};
use crate::target::TargetArgs;
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet resample`
#[derive(Args, Debug)]
pub struct Resample {
    #[command(flatten)]
    recording: RecordingArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// The new sample rate, as 1e6, 48k or 2.4Msps
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    to: f64,
    /// How much of the band at the lower rate passes, from 0.1 to 0.98; more takes a longer filter
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = parse_share)]
    pass: f64,
}

/// The largest number in a ratio.
const MOST: u64 = 1 << 16;

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.1..=0.98).contains(share));
    share.ok_or_else(|| "expected a number from 0.1 to 0.98".to_owned())
}

impl Resample {
    /// Writes the resampled recording. Its first sample is of the same moment as that of the old one.
    pub fn run(self) -> anyhow::Result<()> {
        let recording = self.recording.open()?;
        let rate_hz = recording.known_rate()?;
        // The best ratio whose filter is not too long.
        let found = ratios(self.to / rate_hz).into_iter().rev().find_map(|(interpolation, decimation)| {
            let taps = resampler_taps(interpolation as usize, decimation as usize, self.pass / 2.0).ok()?;
            Some((interpolation, decimation, taps))
        });
        let Some((interpolation, decimation, taps)) = found else {
            let problem =
                format!("--to {}: the rate is too far from {rate_hz} Hz to get there in one step", self.to);
            return Err(Usage(problem).into());
        };
        let exact_hz = rate_hz * interpolation as f64 / decimation as f64;
        if (exact_hz - self.to).abs() > 1e-9 * self.to {
            say::line(format_args!(
                "superhet: the new rate is {exact_hz} Hz, {interpolation}/{decimation} of the old one"
            ));
        }
        let target = self.target.open(recording.nearest_format())?;
        let mut chain = Chain::new();
        recording.source(&mut chain, Items::Float, 0, None)?;
        if (interpolation, decimation) != (1, 1) {
            resample(&mut chain, &recording, interpolation, decimation, taps)?;
        }
        target.sink(&mut chain, Some(exact_hz))?;
        let mut meta = recording.meta().resampled(interpolation, decimation);
        meta.global.sample_rate_hz = Some(exact_hz);
        target.run(chain, &recording, meta, &Settings::default())
    }
}

/// Adds the resampler, and what makes up for the delay of its filter.
///
/// With `2 · k · interpolation + 1` taps the filter's middle lies `k` items of the input behind its first output. So many zeros
/// before the signal put the first output where the signal begins.
fn resample(
    chain: &mut Chain,
    recording: &Recording,
    interpolation: u64,
    decimation: u64,
    taps: Vec<f32>,
) -> anyhow::Result<()> {
    let half = (taps.len() / 2).next_multiple_of(interpolation as usize);
    let zeros = half - taps.len() / 2;
    let zero = || std::iter::repeat_n(0.0, zeros);
    let taps: Vec<Value> = zero().chain(taps).chain(zero()).map(|tap| Value::Float(tap.into())).collect();
    let item = chain.item()?;
    let delay = half as u64 / interpolation;
    chain.add("delay", &[("item", item.as_str().into()), ("delay_samples", delay.into())])?;
    chain.add(
        "rational_resampler",
        &[
            ("item", item.as_str().into()),
            ("interpolation", interpolation.into()),
            ("decimation", decimation.into()),
            ("taps", taps.into()),
        ],
    )?;
    if let Some(samples) = recording.samples {
        let wanted = (u128::from(samples) * u128::from(interpolation)).div_ceil(u128::from(decimation));
        chain.add("head", &[("item", item.as_str().into()), ("items", u64::try_from(wanted)?.into())])?;
    }
    Ok(())
}

/// Ratios of whole numbers up to [`MOST`] that are ever nearer to `x`: those of its continued fraction.
fn ratios(x: f64) -> Vec<(u64, u64)> {
    let (mut before, mut now) = ((0u64, 1u64), (1u64, 0u64));
    let (mut rest, mut found) = (x, Vec::new());
    loop {
        let whole = rest.floor();
        let next = |now: u64, before: u64| {
            (whole as u64).checked_mul(now)?.checked_add(before).filter(|n| *n <= MOST)
        };
        let Some(ratio) = next(now.0, before.0).zip(next(now.1, before.1)) else { return found };
        (before, now) = (now, ratio);
        if now.0 > 0 {
            found.push(now);
            if (now.0 as f64 / now.1 as f64 / x - 1.0).abs() < 1e-13 {
                return found;
            }
        }
        rest = 1.0 / (rest - whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_their_ratio_in_lowest_terms_or_the_nearest_one() {
        for (from, to, expected) in [
            (2e6, 1e6, (1, 2)),
            (2.4e6, 1e6, (5, 12)),
            (44_100.0, 48_000.0, (160, 147)),
            (2.4e6, 44_100.0, (147, 8000)),
            (1e6, 1e6, (1, 1)),
            (1.0, 65_536.0, (65_536, 1)),
        ] {
            assert_eq!(ratios(to / from).pop(), Some(expected), "{from} {to}");
        }
        let (a, b) = ratios(1_083_333.0 / 2.4e6).pop().unwrap();
        assert!((a as f64 / b as f64 - 1_083_333.0 / 2.4e6).abs() < 1e-9, "{a}/{b}");
        assert!(ratios(1e-6).is_empty() && ratios(1e6).is_empty());
    }
}
