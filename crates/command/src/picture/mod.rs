//! Spectra of a recording, and how they are drawn: as PNG, as SVG, and with characters.

mod axis;
mod colours;
mod draw;
mod rows;
mod terminal;

use std::path::Path;
use std::sync::PoisonError;

use anyhow::Context;
use clap::{Args, ValueEnum};
use superhet::blocks::transforms::window_factors;
use superhet::io::Shape;
use superhet_runtime::{AnyBlock, Value};

pub use axis::Axis;
pub use draw::{spectrum, waterfall};
pub use rows::Rows;
pub use terminal::{Screen, spectrum as spectrum_in_terminal, waterfall as waterfall_in_terminal};

use crate::chain::Chain;
use crate::drive::drive;
use crate::quantity;
use crate::recording::{Items, Recording, RecordingArgs};
use crate::target::expect_free;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// How a recording becomes spectra, and where the picture goes.
#[derive(Args, Debug)]
pub struct PictureArgs {
    #[command(flatten)]
    recording: RecordingArgs,
    /// The picture to write, X.png or X.svg; without it the view goes to the terminal
    #[arg(value_name = "OUT")]
    pub output: Option<std::path::PathBuf>,
    /// Draw with characters on stdout, as wide as the terminal
    #[arg(long)]
    pub terminal: bool,
    /// Replace a picture that is there already
    #[arg(long)]
    force: bool,
    /// Samples in each Fourier transform
    #[arg(long, value_name = "SAMPLES", default_value = "1024", value_parser = parse_size)]
    fft_size: u64,
    /// What each frame is multiplied by first
    #[arg(long, default_value = "blackman-harris")]
    window: WindowName,
    /// Where to begin: a time such as 1.5s, or a number of samples
    #[arg(long, value_name = "TIME|SAMPLES", default_value = "0", value_parser = quantity::position)]
    from: quantity::Position,
    /// Where to end [default: the end]
    #[arg(long, value_name = "TIME|SAMPLES", value_parser = quantity::position)]
    to: Option<quantity::Position>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WindowName {
    Rectangular,
    Hann,
    Hamming,
    Blackman,
    BlackmanHarris,
}

impl WindowName {
    fn name(self) -> &'static str {
        match self {
            WindowName::Rectangular => "rectangular",
            WindowName::Hann => "hann",
            WindowName::Hamming => "hamming",
            WindowName::Blackman => "blackman",
            WindowName::BlackmanHarris => "blackman_harris",
        }
    }
}

fn parse_size(text: &str) -> Result<u64, String> {
    let size = quantity::samples(text).ok().filter(|size| (8..=1 << 20).contains(size));
    size.ok_or_else(|| "expected a whole number from 8 to 1048576".to_owned())
}

/// What kind of picture a file's name asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    Png,
    Svg,
}

/// Spectra of a recording.
pub struct Spectra {
    pub rows: Rows,
    /// The frequencies of the bins.
    pub axis: Axis,
    /// What is drawn, in words.
    pub title: String,
    /// The time of a row in seconds, or in samples where the rate is not known.
    pub row_length: f64,
    /// Where the first row begins, as `row_length`.
    pub start: f64,
    /// Whether times are in seconds.
    pub is_timed: bool,
}

impl PictureArgs {
    /// The picture's format, where one is to be written, and that it may be.
    pub fn format(&self) -> Result<Option<Format>, Usage> {
        let Some(path) = &self.output else { return Ok(None) };
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let format = match extension.as_str() {
            "png" => Format::Png,
            "svg" => Format::Svg,
            _ => return Err(Usage(format!("{}: expected a picture X.png or X.svg", path.display()))),
        };
        expect_free(path, self.force)?;
        Ok(Some(format))
    }

    /// Writes the picture.
    pub fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.output.as_deref().unwrap_or(Path::new("-"));
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Transforms the recording: frames of it, `frames` of them or all, `frames_in_row` in a row, and at most `most` rows.
    pub fn spectra(&self, frames: Option<u64>, frames_in_row: u64, most: usize) -> anyhow::Result<Spectra> {
        let recording = self.recording.open()?;
        let sample = |position: quantity::Position| position.sample(recording.rate_hz).map_err(Usage);
        let (first, end) = (sample(self.from)?, self.to.map(sample).transpose()?);
        let there = recording.samples.unwrap_or(u64::MAX);
        let end = end.unwrap_or(there).min(there);
        let wanted = end.saturating_sub(first).min(frames.map_or(u64::MAX, |frames| frames * self.fft_size));
        if wanted < self.fft_size {
            let (size, name) = (self.fft_size, recording.name());
            let problem = format!(
                "{name}: {wanted} samples are less than a frame of {size}: take a smaller --fft-size"
            );
            return Err(Usage(problem).into());
        }
        let samples = if wanted == u64::MAX { None } else { Some(wanted) };
        let (size, is_real) = (self.fft_size as usize, recording.shape == Shape::Real);
        let rows = powers(&recording, (first, samples), self.window, size, (frames_in_row, most))?;
        let scale = recording.rate_hz.map_or(1.0, f64::recip);
        Ok(Spectra {
            row_length: (rows.frames_in_row() * self.fft_size) as f64 * scale,
            start: first as f64 * scale,
            is_timed: recording.rate_hz.is_some(),
            axis: Axis::new(recording.rate_hz, recording.center_hz, size, is_real),
            title: recording.path.file_name().unwrap_or("stdin".as_ref()).to_string_lossy().into_owned(),
            rows,
        })
    }
}

/// The mean powers at `size` frequencies, from the lowest on, in the first `samples` complex samples of a recording.
pub fn mean_powers(recording: &Recording, samples: u64, size: usize) -> anyhow::Result<Vec<f64>> {
    Ok(powers(recording, (0, Some(samples)), WindowName::Hann, size, (u64::MAX, 1))?.mean())
}

/// The powers at `size` frequencies, in the samples from the first of `part` on, so many or all; and how many frames are in a row,
/// and how many rows there are at most.
fn powers(
    recording: &Recording,
    part: (u64, Option<u64>),
    window: WindowName,
    size: usize,
    (frames_in_row, most): (u64, usize),
) -> anyhow::Result<Rows> {
    let mut chain = Chain::new();
    recording.source(&mut chain, Items::Float, part.0, part.1)?;
    let is_real = recording.shape == Shape::Real;
    let item = chain.item()?;
    chain.add(
        "fft",
        &[
            ("item", item.into()),
            ("length", (size as u64).into()),
            ("shift", (!is_real).into()),
            ("window", normalised(window, size, is_real)?.into()),
        ],
    )?;
    chain.add("complex_to_mag_squared", &[])?;
    let (sink, rows) = rows::RowSink::new(size, frames_in_row, most);
    chain.add_block("rows", AnyBlock::new(sink));
    drive(chain.check()?, &Settings::default(), true)?.whole()?;
    let rows = rows.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if rows.frames() == 0 {
        let problem = format!("{}: fewer samples than a frame of {size} came", recording.name());
        return Err(Usage(problem).into());
    }
    Ok(rows)
}

/// The window with which a tone of full scale has the power 1: divided by its sum, and doubled for real samples, whose tones
/// have half of their amplitude at either frequency.
fn normalised(window: WindowName, size: usize, is_real: bool) -> anyhow::Result<Vec<Value>> {
    let factors = window_factors(&window.name().into(), size)?;
    let factors = if factors.is_empty() { vec![1.0; size] } else { factors };
    let sum: f64 = factors.iter().map(|factor| f64::from(*factor)).sum();
    let scale = if is_real { 2.0 } else { 1.0 } / sum;
    Ok(factors.into_iter().map(|factor| Value::Float(f64::from(factor) * scale)).collect())
}

/// A power in decibels; one of nothing is far down.
pub fn decibels(power: f64) -> f64 {
    10.0 * power.max(1e-20).log10()
}
