//! `superhet spectrum`: the mean spectrum of a recording, as a picture, in the terminal, or as numbers.

use clap::Args;
use serde_json::json;

use crate::picture::{self, PictureArgs, Screen, decibels};
use crate::quantity;
use superhet_terminal::say;

/// `superhet spectrum`
#[derive(Args, Debug)]
pub struct Spectrum {
    #[command(flatten)]
    picture: PictureArgs,
    /// How many frames, the first ones, are averaged [default: all]
    #[arg(long, value_name = "FRAMES", value_parser = quantity::samples)]
    average: Option<u64>,
    /// Print one JSON object with the frequencies and their levels
    #[arg(long, conflicts_with = "terminal")]
    json: bool,
}

/// More rows than one are a matter of precision: each is added up in single floats.
const ROWS: usize = 64;

impl Spectrum {
    /// Draws it.
    pub fn run(self) -> anyhow::Result<()> {
        let format = self.picture.format()?;
        let spectra = self.picture.spectra(self.average, 1, ROWS)?;
        if let Some(format) = format {
            self.picture.write(&picture::spectrum(&spectra, format)?)?;
        }
        if self.json {
            let bins = spectra.axis.bins;
            let levels: Vec<f64> = spectra.rows.mean().into_iter().take(bins).map(decibels).collect();
            let frequencies: Vec<f64> = (0..bins).map(|bin| spectra.axis.frequency(bin)).collect();
            let json = json!({
                "frames": spectra.rows.frames(),
                "unit": if spectra.is_timed { "Hz" } else { "cycles/sample" },
                "frequencies": frequencies,
                "levels_dbfs": levels,
            });
            return say::result(&format!("{json}\n"));
        }
        if self.picture.terminal || format.is_none() {
            say::result(&picture::spectrum_in_terminal(&spectra, &Screen::detect()))?;
        }
        Ok(())
    }
}
